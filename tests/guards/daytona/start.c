/* Starting: what is returned as it is, what replaces, and in which order. Rows D4-D8. */
#include "daytona_world.h"

#include <stdio.h>

#define DEAD                                                                                                           \
    "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'dead_toolbox','dialect':'502'}}"

static int32_t start_after(struct world *w, struct sbx_start_result *result) {
    return (int32_t)sbx_sandbox_start(w->sb, NULL, NULL, result, &w->err);
}

/* Only one sandbox was ever made, and it lives. */
static void left_alone(struct world *w) {
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    T_EQ(sbx_sim_ledger_live(w->sim), 1);
    world_finish(w);
}

static void unauthorised(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','nth':2,'times':1,'effect':{'kind':"
                    "'status','status':401}}");
    T_STATUS(start_after(&w, NULL), SBX_UNAUTHORISED);
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "process/execute") == NULL); /* no probe, and nothing after it */
    T_EQ(w.err.http_status, 401);
    left_alone(&w);
}

static void rate_limited(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','nth':2,'effect':{'kind':'status','status':429,'"
                    "retry_after':'7'}}");
    T_STATUS(start_after(&w, NULL), SBX_RATE_LIMITED);
    T_EQ(w.err.retry_after_ms, 7000);
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "process/execute") == NULL);
    left_alone(&w);
}

static void must_fire_start_refetch_error__told(void) {
    unauthorised();
    rate_limited();
}

static void must_not_fire_start_refetch_error__healthy(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    T_STATUS(start_after(&w, &result), SBX_OK);
    T_EQ(result.replaced, 0);
    T_CONTAINS(sbx_sim_timeline(w.sim), "POST /toolbox/sb-1/process/execute -> 200");
    left_alone(&w);
}

static void one_reset(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','times':1,'effect':{'kind':'reset'}}");
    world_fault(&w, DEAD);
    T_STATUS(start_after(&w, NULL), SBX_CONNECTION_LOST);
    left_alone(&w);
}

static void forbidden(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','effect':{'kind':'status','status':403}}");
    T_STATUS(start_after(&w, NULL), SBX_FORBIDDEN);
    left_alone(&w);
}

static void must_fire_start_undecided_probe__reset_or_forbidden(void) {
    one_reset();
    forbidden();
}

static void dead_is_replaced(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    world_fault(&w, DEAD);
    T_STATUS(start_after(&w, &result), SBX_OK);
    T_EQ(result.replaced, 1);
    T_EQ(sbx_sim_ledger_made(w.sim), 2);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_not_fire_start_undecided_probe__dead(void) {
    dead_is_replaced();
}

static void must_fire_start_no_recreate__runtime_says_no(void) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    opt.recreate_on_failed_start = SBX_NO;
    struct world w = world_new_with(SEED, NULL, &opt);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    world_fault(&w, DEAD);
    T_STATUS(start_after(&w, NULL), SBX_NOT_READY);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    left_alone(&w);
}

static void must_not_fire_start_no_recreate__default(void) {
    dead_is_replaced();
}

static void must_fire_start_still_started__stopped_meanwhile(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w,
                "{'op':'daytona.toolbox.execute','phase':'before','times':1,'effect':{'kind':'oom','delay_ms':5000}}");
    T_STATUS(start_after(&w, NULL), SBX_NOT_READY);
    T_CONTAINS(w.err.detail, "STOPPED");
    left_alone(&w);
}

static void must_not_fire_start_still_started__dead(void) {
    dead_is_replaced();
}

static void the_replacement_is_dead_too(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    char old[SBX_ID_SIZE], now[SBX_ID_SIZE];
    sbx_sandbox_id(w.sb, old);
    world_fault(&w, DEAD);
    world_fault(
        &w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'dead_toolbox','dialect':'502'}}");
    T_STATUS(start_after(&w, NULL), SBX_NOT_READY);
    sbx_sandbox_id(w.sb, now);
    T_STR(now, old);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_made(w.sim), 2);
    T_EQ(sbx_sim_ledger_live(w.sim), 1); /* the old one: left alone */
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1") == NULL);
    world_finish(&w);
}

static void the_dead_one_is_to_be_kept(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    opt.keep_dead = SBX_YES;
    world_fault(&w, DEAD);
    T_STATUS(sbx_sandbox_start(w.sb, &opt, NULL, &result, &w.err), SBX_OK);
    T_EQ(result.replaced, 1);
    T_EQ(result.old_deleted, 0);
    T_EQ(sbx_sim_ledger_live(w.sim), 2);
    world_finish(&w);
}

static void must_fire_dead_deleted_last__not_proven_or_kept(void) {
    the_replacement_is_dead_too();
    the_dead_one_is_to_be_kept();
}

static void must_not_fire_dead_deleted_last__proven(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    const char *timeline = NULL, *proven = NULL, *deleted = NULL;
    world_fault(&w, DEAD);
    T_STATUS(start_after(&w, NULL), SBX_OK);
    timeline = sbx_sim_timeline(w.sim);
    proven = strstr(timeline, "POST /toolbox/sb-2/process/execute -> 200");
    deleted = strstr(timeline, "DELETE /sandbox/sb-1 -> 200");
    T_TRUE(proven && deleted && proven < deleted);
    world_finish(&w);
}

static void replaced_when_read_as(const char *path, const char *value, int32_t want, int64_t made) {
    struct world w = world_with_stopped_sandbox(SEED);
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.get','phase':'mid_reply','effect':{'kind':'mutate','path':'%s','value':%s}}", path,
             value);
    world_fault(&w, DEAD);
    world_fault(&w, fault);
    T_STATUS(start_after(&w, NULL), want);
    T_EQ(sbx_sim_ledger_made(w.sim), made);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_fire_replacement_is_the_same__made_from_what(void) {
    replaced_when_read_as("$.snapshot", "null", SBX_NOT_READY, 1);
    replaced_when_read_as("$.env", "null", SBX_NOT_READY, 1);
    replaced_when_read_as("$.labels", "null", SBX_NOT_READY, 1);
}

static void must_not_fire_replacement_is_the_same__all_is_said(void) {
    replaced_when_read_as("$.daemonVersion", "null", SBX_OK, 2);
}

T_CASES(T_CASE(must_fire_start_refetch_error__told), T_CASE(must_not_fire_start_refetch_error__healthy),
        T_CASE(must_fire_start_undecided_probe__reset_or_forbidden), T_CASE(must_not_fire_start_undecided_probe__dead),
        T_CASE(must_fire_start_no_recreate__runtime_says_no), T_CASE(must_not_fire_start_no_recreate__default),
        T_CASE(must_fire_start_still_started__stopped_meanwhile), T_CASE(must_not_fire_start_still_started__dead),
        T_CASE(must_fire_dead_deleted_last__not_proven_or_kept), T_CASE(must_not_fire_dead_deleted_last__proven),
        T_CASE(must_fire_replacement_is_the_same__made_from_what),
        T_CASE(must_not_fire_replacement_is_the_same__all_is_said))
