/* A world of a simulated cloud, on virtual time, as scenario and guard tests begin with: made, broken on demand, asked
 * what happened, and searched for keys at the end. What is a provider's own is in daytona_world.h and e2b_world.h. */
#ifndef TESTS_SUPPORT_WORLD_H
#define TESTS_SUPPORT_WORLD_H

#include "t.h"

#include <sandport/sandport.h>
#include <sandport/sim.h>

#define SEED 7

struct world {
    struct sbx_sim *sim;
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct sbx_error err;
    const char *key; /* lent: what must show nowhere */
};

/** One without a runtime. @param scenario JSON, NULL = one healthy account */
struct world world_bare(uint64_t seed, const char *scenario, const char *key);

/** With the provider's runtime for a healthy account. */
struct world world_new(uint64_t seed);
struct world world_with_running_sandbox(uint64_t seed);

/** A runtime for the simulator's own account. @param rt yours: sbx_runtime_free() */
enum sbx_status world_runtime(struct sbx_env *env, struct sbx_runtime **rt, struct sbx_error *err);

/** Another process, on another host: all it has is the sandbox's id. @param rt yours, and so is the handle */
struct sbx_sandbox *world_elsewhere(struct world *w, struct sbx_runtime **rt);

/** Adds a fault in JSON, with ' for ". Fails the test if it is none. @return its number */
int64_t world_fault(struct world *w, const char *json);

/** A cancel that comes at a time of its own. */
struct world_cancel {
    struct sbx_env *env;
    struct sbx_cancel *cancel; /* yours: sbx_cancel_free() */
    int64_t at_ms;
};
/** @param plan must live until it has come @return a call without a deadline that is cancelled in `ms` */
struct sbx_call world_call_cancelled(struct world *w, int64_t ms, struct world_cancel *plan);

/** How often the timeline has that text. */
int world_sent(struct world *w, const char *request);

/** How many exchanges of an operation the journal has whose line holds that text, with ' for ". */
int world_journalled(struct world *w, const char *op, const char *text);

/** Frees all, and fails the test if a key shows in the journal. The ledger is the test's to ask. */
void world_finish(struct world *w);

#define T_TIMELINE(sim, want) T_STR(sbx_sim_timeline(sim), want)

#endif
