/* Callers that take turns over a simulated cloud: one exchange at a time, and every order of them can be tried.
 *
 * A turn is an exchange from its beginning to its end, and what its caller does until its next one. Who has the next is
 * chosen when nobody has one. Callers are fibers of one simulation, each with an env of its own around the
 * simulation's. */
#ifndef TESTS_SUPPORT_TURNS_H
#define TESTS_SUPPORT_TURNS_H

#include <sandport/sim.h>

enum { TURNS_CALLERS = 2, TURNS_MAX = 256 };

struct turn {
    int caller;
    char request[96]; /* "POST /api/sandbox": method and path */
};

/** Which orders have been tried. Zeroed is none. */
struct turns_order {
    unsigned char choice[TURNS_MAX];
    int decided; /* choices of this run that both callers were waiting for */
    int planned; /* of them, how many are as the plan says; the others go to the first caller */
};

/** Plans the next order that has not been tried. @return 0 if there is none */
int turns_order_next(struct turns_order *order);

struct turns;

struct turns *turns_new(struct sbx_sim *sim, struct turns_order *order);
struct sbx_env *turns_env(struct turns *turns, int caller);
/** Runs a caller each to their ends. Fails the test if they do not come there. */
void turns_run(struct turns *turns, void (*run)(void *arg), void *args[TURNS_CALLERS]);
/** What was asked, in its order. Lent. */
const struct turn *turns_taken(const struct turns *turns, int *count);
void turns_free(struct turns *turns);

#endif
