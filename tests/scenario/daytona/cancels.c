/* A cancel that comes while a sandbox is being proven: it ends the proof at once, is what the caller is told, and what
 * was made is deleted - or left as it is, where it was there before. Rows D4-D6, P9. */
#include "daytona_world.h"

#include <stdio.h>

/* Commands of that sandbox are never answered, or always as by a dead daemon. */
static void probe_never_ends(struct world *w, const char *effect) {
    char fault[256];
    snprintf(fault, sizeof(fault), "{'op':'daytona.toolbox.execute','phase':'before','effect':%s}", effect);
    world_fault(w, fault);
}

/* @param ms when the cancel comes, counted from the call */
static void launch_cancelled(const char *effect, int64_t ms) {
    struct world w = world_new(SEED);
    struct world_cancel plan;
    probe_never_ends(&w, effect);
    const struct sbx_call call = world_call_cancelled(&w, ms, &plan);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_CANCELLED);
    T_TRUE(w.sb == NULL);
    T_CONTAINS(sbx_sim_timeline(w.sim), "/process/execute"); /* it came inside the probe */
    T_TRUE(w.env->now_ms(w.env) >= plan.at_ms && w.env->now_ms(w.env) <= plan.at_ms + 5000);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_TRUE(w.err.sandbox_id[0] != 0);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    sbx_cancel_free(plan.cancel);
    world_finish(&w);
}

static void launch_between_two_probes(void) {
    launch_cancelled("{'kind':'status','status':502}", 2500);
}

static void launch_during_a_probe(void) {
    launch_cancelled("{'kind':'hang'}", 2500);
}

/* At once: within 100 ms, with nothing to clean up. */
static void start_cancelled(const char *effect, int64_t ms) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    struct world_cancel plan;
    char before[SBX_ID_SIZE], after[SBX_ID_SIZE];
    sbx_sandbox_id(w.sb, before);
    probe_never_ends(&w, effect);
    const struct sbx_call call = world_call_cancelled(&w, ms, &plan);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, &call, &result, &w.err), SBX_CANCELLED);
    T_CONTAINS(sbx_sim_timeline(w.sim), "/process/execute");
    T_TRUE(w.env->now_ms(w.env) >= plan.at_ms && w.env->now_ms(w.env) <= plan.at_ms + 100);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_EQ(result.replaced, 0);
    sbx_sandbox_id(w.sb, after);
    T_STR(after, before);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sim_faults_clear(w.sim); /* the handle is good for another start */
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    sbx_cancel_free(plan.cancel);
    world_finish(&w);
}

static void start_between_two_probes(void) {
    start_cancelled("{'kind':'status','status':502}", 3000);
}

static void start_during_a_probe(void) {
    start_cancelled("{'kind':'hang'}", 3000);
}

/* All answers of the window said dead, and the cancel comes while the replacement is being proven: it is deleted, and
 * the old sandbox left alone. */
static void start_while_a_replacement_is_proven(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    struct world_cancel plan;
    char before[SBX_ID_SIZE], after[SBX_ID_SIZE];
    opt.probe_window_ms = 1000;
    sbx_sandbox_id(w.sb, before);
    probe_never_ends(&w, "{'kind':'status','status':502}");
    const struct sbx_call call = world_call_cancelled(&w, 6000, &plan);
    T_STATUS(sbx_sandbox_start(w.sb, &opt, &call, &result, &w.err), SBX_CANCELLED);
    T_CONTAINS(sbx_sim_timeline(w.sim), "POST /toolbox/sb-2/process/execute -> 502");
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(result.replaced, 0);
    sbx_sandbox_id(w.sb, after);
    T_STR(after, before);
    T_EQ(sbx_sim_ledger_made(w.sim), 2);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1") == NULL);
    sbx_cancel_free(plan.cancel);
    world_finish(&w);
}

T_CASES(T_CASE(launch_between_two_probes), T_CASE(launch_during_a_probe), T_CASE(start_between_two_probes),
        T_CASE(start_during_a_probe), T_CASE(start_while_a_replacement_is_proven))
