/* The process that keeps the simulated clouds while others provision there with a store that all share: it reaps what
 * they leave, and holds the clouds against the store. */
#ifndef TESTS_STORES_KEEPER_H
#define TESTS_STORES_KEEPER_H

#include "distant.h"
#include "routed_world.h"
#include "stores.h"

#define KEEPER_LEASE_MS 30000
enum { KEEPER_ROOM = 20 };

struct keeper {
    struct store_face face;
    struct sbx_sim *sim; /* NULL in any other process */
    struct sbx_env *env;
    struct sbx_store *store;
    struct sbx_registry *registry;
    struct sbx_router *router;
};

void keeper_open(struct keeper *k);
void keeper_close(struct keeper *k);

/** In another process: a router and a store of its own over the same records. */
struct keeper keeper_again(const struct keeper *k, struct sbx_env *env, struct sbx_env *store_env);
void keeper_finish(struct keeper *own);

/** One provision into that pool. */
enum sbx_status keeper_provision(struct sbx_router *router, const char *pool, char *locator);

/** Reaps. Fails the test if anything remains unfinished. @return how many launches were */
int keeper_reap(struct keeper *k);

/** Is each sandbox that exists mapped, and does each that is mapped run? Fails the test if not; then destroys them.
 *  @param when for the message @return how many there were */
int keeper_account(struct keeper *k, int64_t when);

#endif
