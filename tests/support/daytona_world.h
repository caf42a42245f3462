/* A Daytona runtime over the simulated cloud, on virtual time: what scenario and guard tests begin with. */
#ifndef TESTS_SUPPORT_DAYTONA_WORLD_H
#define TESTS_SUPPORT_DAYTONA_WORLD_H

#include "t.h"

#include <sandport/daytona.h>
#include <sandport/sandport.h>
#include <sandport/sim.h>

#define SEED 7

struct world {
    struct sbx_sim *sim;
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct sbx_error err;
};

/** @param scenario JSON, NULL = one healthy account @param opt NULL = endpoint and key of the simulator alone */
struct world world_new_with(uint64_t seed, const char *scenario, const struct sbx_daytona_options *opt);
struct world world_new(uint64_t seed);
struct world world_with_running_sandbox(uint64_t seed);
struct world world_with_stopped_sandbox(uint64_t seed);

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

/** Frees all, and fails the test if a key shows in the journal. The ledger is the test's to ask. */
void world_finish(struct world *w);

#define T_TIMELINE(sim, want) T_STR(sbx_sim_timeline(sim), want)

#endif
