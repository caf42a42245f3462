/* A router over simulated clouds: two accounts of Daytona, "day-1" and "day-2", and one of E2B, "e2b", each with a
 * credential of its own. */
#ifndef TESTS_SUPPORT_ROUTED_WORLD_H
#define TESTS_SUPPORT_ROUTED_WORLD_H

#include "canary.h"
#include "t.h"

#include <sandport/daytona.h>
#include <sandport/e2b.h>
#include <sandport/router_capacity.h>
#include <sandport/router_reap.h>
#include <sandport/router_sandbox.h>
#include <sandport/sim.h>

#define KEY_1   "dtn_canary_first_0000000000000000000000000001"
#define KEY_2   "dtn_canary_second_000000000000000000000000002"
#define KEY_E2B "e2b_ca4a4ca4a4ca4a4ca4a4ca4a4ca4a4ca4a4ca4a9"

struct routed_world {
    struct sbx_sim *sim;
    struct sbx_env *env;
    struct sbx_registry *registry;
    struct sbx_store *store;
    struct sbx_router_options opt;
    struct sbx_router *router;
    struct sbx_route_request req;
    struct sbx_provision_options how;
    char locator[SBX_LOCATOR_SIZE];
    struct sbx_provision *report;
    struct sbx_error err;
    struct sbx_buf told;     /* every event, with all of its members, and what the adapters let a debugger see */
    struct canary canary[3]; /* the accounts' credentials: day-1, day-2, e2b */
};

struct routed_setup {
    int room[3];        /* sandboxes that the accounts hold at once: day-1, day-2, e2b */
    int classify;       /* 1 = pools pass their adapters' ready-made classifiers */
    const char *key[3]; /* NULL = KEY_1, KEY_2, KEY_E2B */
    /** What is put around the simulation's env before anything uses it; the caller frees it. May be NULL. */
    struct sbx_env *(*around)(struct sbx_env *env);
};

/** The clouds alone, and their accounts by any env that reaches them; yours. */
struct sbx_sim *routed_sim(int room_1, int room_2, int room_e2b);
struct sbx_registry *routed_registry(struct sbx_env *env, int room_1, int room_2, int room_e2b, int classify);

struct routed_world *routed_world_make(const struct routed_setup *setup);

/** The same with these. @param room_1, room_2, room_e2b sandboxes that the accounts hold at once
 *  @param classify 1 = pools pass their adapters' ready-made classifiers */
struct routed_world *routed_world_new(int room_1, int room_2, int room_e2b, int classify);
/** The router itself, once its options are as the test wants them. */
void routed_world_open(struct routed_world *w);
void routed_world_fault(struct routed_world *w, const char *json);
enum sbx_status routed_world_provision(struct routed_world *w);
/** The pool that a locator leads to; "" if it is unknown. Until the next call. */
const char *routed_world_pool(struct routed_world *w);
/** The records' text: everything that a store holds of them. */
void routed_world_records(struct sbx_store *store, struct sbx_buf *out);
/** Fails the test if a credential shows in events, errors, records, report or journal, in five encodings. */
void routed_world_search(struct routed_world *w);
/** Frees what is the library's: pools, router and store. */
void routed_world_close(struct routed_world *w);
/** Searches, unless that was closed already, and frees all. */
void routed_world_free(struct routed_world *w);

#endif
