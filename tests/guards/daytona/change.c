/* Guards of start and stop: a change that another makes is as good as ours. Row D16. */
#include "daytona_world.h"

#include <stdio.h>

/* ---- change_by_another ---- */

static void stop_refused(struct world *w, const char *phase) {
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.stop','phase':'%s','times':1,'effect':{'kind':'status','status':409}}", phase);
    world_fault(w, fault);
}

static void stopping_is_answered_409(void) {
    struct world w = world_with_running_sandbox(SEED);
    stop_refused(&w, "after_commit");
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_TIMELINE(w.sim, "[   430] POST /sandbox/sb-1/stop?force=false -> 409\n"
                      "[   435] GET  /sandbox/sb-1 -> 200\n"
                      "[   440] GET  /sandbox/sb-1 -> 200\n"
                      "[   495] GET  /sandbox/sb-1 -> 200\n"
                      "[   600] GET  /sandbox/sb-1 -> 200\n"
                      "[   805] GET  /sandbox/sb-1 -> 200\n");
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_STOPPED);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

static void starting_is_not_answered(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    T_TRUE(strstr(strstr(sbx_sim_timeline(w.sim), "/start -> reset") + 1, "/start") == NULL); /* not sent again */
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_fire_change_by_another__taken_effect(void) {
    starting_is_not_answered();
    stopping_is_answered_409();
}

static void stopping_is_refused(void) {
    struct world w = world_with_running_sandbox(SEED);
    stop_refused(&w, "before_commit");
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_TIMELINE(w.sim, "[   430] POST /sandbox/sb-1/stop?force=false -> 409\n"
                      "[   435] GET  /sandbox/sb-1 -> 200\n"
                      "[   690] POST /sandbox/sb-1/stop?force=false -> 200\n"
                      "[   695] GET  /sandbox/sb-1 -> 200\n"
                      "[   750] GET  /sandbox/sb-1 -> 200\n"
                      "[   855] GET  /sandbox/sb-1 -> 200\n"
                      "[  1060] GET  /sandbox/sb-1 -> 200\n");
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_STOPPED);
    world_finish(&w);
}

static void starting_does_not_arrive(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.start','phase':'before','times':1,'effect':{'kind':'reset'}}");
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "/start -> reset");
    T_CONTAINS(sbx_sim_timeline(w.sim), "/start -> 200");
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_not_fire_change_by_another__without_effect(void) {
    starting_does_not_arrive();
    stopping_is_refused();
}

/* ---- earlier_try_counts: a first try that may have done it is not undone by a second that was refused ---- */

static void stop_tries(const char *first, const char *second, enum sbx_outcome want) {
    struct world w = world_with_running_sandbox(SEED);
    if (first) world_fault(&w, first);
    world_fault(&w, second);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_UNAUTHORISED);
    T_EQ(w.err.outcome, want);
    T_EQ(w.err.http_status, 401);
    world_finish(&w);
}

#define STOP_RESET "{'op':'daytona.sandbox.stop','phase':'before_commit','times':1,'effect':{'kind':'reset'}}"
#define STOP_401   "{'op':'daytona.sandbox.stop','phase':'before_commit','effect':{'kind':'status','status':401}}"

static void must_fire_earlier_try_counts__cut_off(void) {
    stop_tries(STOP_RESET, STOP_401, SBX_OUTCOME_UNKNOWN);
}

static void must_not_fire_earlier_try_counts__only_one(void) {
    stop_tries(NULL, STOP_401, SBX_OUTCOME_REFUSED);
}

T_CASES(T_CASE(must_fire_change_by_another__taken_effect), T_CASE(must_not_fire_change_by_another__without_effect),
        T_CASE(must_fire_earlier_try_counts__cut_off), T_CASE(must_not_fire_earlier_try_counts__only_one))
