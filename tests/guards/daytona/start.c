/* Guards of starting: when a sandbox that came back dead is replaced, and when not. Rows D4-D8. */
#include "daytona_world.h"

#include <stdio.h>

#define COMES_BACK_DEAD                                                                                                \
    "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'dead_toolbox','dialect':'502'}}"

/* A sandbox that is started, and the start's answers. */
struct starting {
    struct world w;
    struct sbx_start_options opt;
    struct sbx_start_result result;
    char old[SBX_ID_SIZE], now[SBX_ID_SIZE];
};

static struct starting starting_new(const char *fault) {
    struct starting s = {world_with_stopped_sandbox(SEED), SBX_START_OPTIONS_INIT, SBX_START_RESULT_INIT, "", ""};
    sbx_sandbox_id(s.w.sb, s.old);
    s.opt.probe_window_ms = 1000;
    if (fault) world_fault(&s.w, fault);
    return s;
}

static enum sbx_status starting_run(struct starting *s) {
    enum sbx_status st = sbx_sandbox_start(s->w.sb, &s->opt, NULL, &s->result, &s->w.err);
    sbx_sandbox_id(s->w.sb, s->now);
    return st;
}

/* The old sandbox is still the handle's, and the only one. */
static void nothing_replaced(struct starting *s) {
    T_EQ(s->result.replaced, 0);
    T_STR(s->now, s->old);
    T_EQ(sbx_sim_ledger_made(s->w.sim), 1);
    T_EQ(sbx_sim_ledger_live(s->w.sim), 1);
    if (strstr(sbx_sim_timeline(s->w.sim), "POST /sandbox ") || strstr(sbx_sim_timeline(s->w.sim), "DELETE"))
        T_FAIL("replaced:\n%s", sbx_sim_timeline(s->w.sim));
    world_finish(&s->w);
}

static void one_replaced(struct starting *s) {
    T_EQ(s->result.replaced, 1);
    T_EQ(s->result.lost_files, 1);
    T_EQ(s->result.lost_name, 1);
    T_EQ(s->result.old_deleted, s->opt.keep_dead != SBX_YES);
    T_STR(s->result.old_id, s->old);
    T_TRUE(strcmp(s->now, s->old) != 0);
    T_EQ(sbx_sim_ledger_made(s->w.sim), 2);
    T_EQ(sbx_sim_ledger_live(s->w.sim), s->opt.keep_dead == SBX_YES ? 2 : 1);
    world_finish(&s->w);
}

/* ---- start_refetch_error: what the read after a start fails with is told, and nothing is replaced ---- */

static void refetch_fails(const char *effect, enum sbx_status want, int http) {
    char fault[256];
    struct starting s = starting_new(COMES_BACK_DEAD);
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.get','phase':'before','nth':2,'times':1,'effect':%s}",
             effect);
    world_fault(&s.w, fault);
    T_STATUS(starting_run(&s), want);
    T_EQ(s.w.err.http_status, http);
    nothing_replaced(&s);
}

static void must_fire_start_refetch_error__unauthorised(void) {
    refetch_fails("{'kind':'status','status':401}", SBX_UNAUTHORISED, 401);
}

static void must_fire_start_refetch_error__throttled(void) {
    refetch_fails("{'kind':'status','status':429,'retry_after':'7'}", SBX_RATE_LIMITED, 429);
}

static void must_fire_start_refetch_error__reset(void) {
    refetch_fails("{'kind':'reset'}", SBX_CONNECTION_LOST, 0);
}

static void must_not_fire_start_refetch_error__read(void) {
    struct starting s = starting_new(COMES_BACK_DEAD);
    T_STATUS(starting_run(&s), SBX_OK);
    T_TIMELINE(s.w.sim, "[  1115] POST /sandbox/sb-1/start -> 200\n"
                        "[  1120] GET  /sandbox/sb-1 -> 200\n"
                        "[  1125] GET  /sandbox/sb-1 -> 200\n"
                        "[  1130] POST /toolbox/sb-1/process/execute -> 502\n"
                        "[  1385] POST /toolbox/sb-1/process/execute -> 502\n"
                        "[  1890] POST /toolbox/sb-1/process/execute -> 502\n"
                        "[  2895] POST /toolbox/sb-1/process/execute -> 502\n"
                        "[  2900] GET  /sandbox/sb-1 -> 200\n"
                        "[  3315] POST /sandbox -> 200\n"
                        "[  3320] GET  /sandbox/sb-2 -> 200\n"
                        "[  3325] POST /toolbox/sb-2/process/execute -> 200\n"
                        "[  3330] DELETE /sandbox/sb-1 -> 200\n"
                        "[  3335] GET  /sandbox/sb-1 -> 200\n"
                        "[  3390] GET  /sandbox/sb-1 -> 200\n"
                        "[  3495] GET  /sandbox/sb-1 -> 200\n"
                        "[  3700] GET  /sandbox/sb-1 -> 404\n"
                        "[  4105] GET  /sandbox/sb-1 -> 404\n"
                        "[  4910] GET  /sandbox/sb-1 -> 404\n"
                        "[  5915] GET  /sandbox/sb-1 -> 404\n");
    one_replaced(&s);
}

/* ---- start_undecided_probe: an answer that does not say dead replaces nothing ---- */

static void must_fire_start_undecided_probe__500(void) {
    struct starting s = starting_new("{'op':'daytona.toolbox.execute','phase':'before','where':{'sandbox':'sb-1'},"
                                     "'effect':{'kind':'status','status':500}}");
    T_STATUS(starting_run(&s), SBX_PROVIDER);
    T_EQ(s.w.err.http_status, 500);
    T_EQ(s.w.err.outcome, SBX_OUTCOME_DONE);
    T_CONTAINS(s.w.err.detail, "probe");
    nothing_replaced(&s);
}

static void must_not_fire_start_undecided_probe__502(void) {
    struct starting s = starting_new("{'op':'daytona.toolbox.execute','phase':'before','where':{'sandbox':'sb-1'},"
                                     "'effect':{'kind':'status','status':502}}");
    T_STATUS(starting_run(&s), SBX_OK);
    one_replaced(&s);
}

/* ---- start_no_recreate: who does not allow a replacement gets none ---- */

static void must_fire_start_no_recreate__caller_says_no(void) {
    struct starting s = starting_new(COMES_BACK_DEAD);
    s.opt.replace = SBX_NO;
    T_STATUS(starting_run(&s), SBX_NOT_READY);
    T_EQ(s.w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(s.w.err.detail, "probe: the exec daemon is dead, or its runner unreachable");
    nothing_replaced(&s);
}

static void must_not_fire_start_no_recreate__caller_says_yes(void) {
    struct starting s = starting_new(COMES_BACK_DEAD);
    s.opt.replace = SBX_YES;
    T_STATUS(starting_run(&s), SBX_OK);
    one_replaced(&s);
}

/* ---- start_still_started: dead is said only of what Daytona still calls started ---- */

static void still_started(const char *effect, enum sbx_status want, int http) {
    char fault[256];
    struct starting s = starting_new(COMES_BACK_DEAD);
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.get','phase':'before','nth':3,'times':1,'effect':%s}",
             effect);
    world_fault(&s.w, fault);
    T_STATUS(starting_run(&s), want);
    T_EQ(s.w.err.http_status, http);
    nothing_replaced(&s);
}

static void must_fire_start_still_started__stopped_meanwhile(void) {
    still_started("{'kind':'mutate','path':'$.state','value':'stopped'}", SBX_NOT_READY, 200);
}

static void must_fire_start_still_started__not_read(void) {
    still_started("{'kind':'reset'}", SBX_CONNECTION_LOST, 0);
}

static void must_not_fire_start_still_started__started(void) {
    struct starting s = starting_new(COMES_BACK_DEAD);
    world_fault(&s.w,
                "{'op':'daytona.sandbox.get','phase':'mid_reply','nth':3,'times':1,'effect':{'kind':'mutate','path':"
                "'$.state','value':'started'}}");
    T_STATUS(starting_run(&s), SBX_OK);
    one_replaced(&s);
}

/* ---- dead_deleted_last: a dead sandbox goes only once its replacement is proven, and not if it is to be kept ---- */

static void must_fire_dead_deleted_last__kept(void) {
    struct starting s = starting_new(COMES_BACK_DEAD);
    s.opt.keep_dead = SBX_YES;
    T_STATUS(starting_run(&s), SBX_OK);
    T_TRUE(strstr(sbx_sim_timeline(s.w.sim), "DELETE") == NULL);
    one_replaced(&s);
}

static void must_fire_dead_deleted_last__replacement_dead_too(void) {
    struct starting s = starting_new(COMES_BACK_DEAD);
    world_fault(&s.w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'dead_toolbox','dialect':'502'"
                "}}");
    T_STATUS(starting_run(&s), SBX_NOT_READY);
    T_EQ(s.w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(s.result.replaced, 0);
    T_STR(s.now, s.old);
    T_EQ(sbx_sim_ledger_made(s.w.sim), 2);
    T_EQ(sbx_sim_ledger_live(s.w.sim), 1);
    T_CONTAINS(sbx_sim_timeline(s.w.sim), "DELETE /sandbox/sb-2 -> 200");
    T_TRUE(strstr(sbx_sim_timeline(s.w.sim), "DELETE /sandbox/sb-1") == NULL);
    world_finish(&s.w);
}

static void must_not_fire_dead_deleted_last__proven(void) {
    struct starting s = starting_new(COMES_BACK_DEAD);
    T_STATUS(starting_run(&s), SBX_OK);
    const char *probed = strstr(sbx_sim_timeline(s.w.sim), "POST /toolbox/sb-2/process/execute -> 200");
    T_TRUE(probed != NULL);
    T_CONTAINS(probed, "DELETE /sandbox/sb-1 -> 200");
    one_replaced(&s);
}

T_CASES(T_CASE(must_fire_start_refetch_error__unauthorised), T_CASE(must_fire_start_refetch_error__throttled),
        T_CASE(must_fire_start_refetch_error__reset), T_CASE(must_not_fire_start_refetch_error__read),
        T_CASE(must_fire_start_undecided_probe__500), T_CASE(must_not_fire_start_undecided_probe__502),
        T_CASE(must_fire_start_no_recreate__caller_says_no), T_CASE(must_not_fire_start_no_recreate__caller_says_yes),
        T_CASE(must_fire_start_still_started__stopped_meanwhile), T_CASE(must_fire_start_still_started__not_read),
        T_CASE(must_not_fire_start_still_started__started), T_CASE(must_fire_dead_deleted_last__kept),
        T_CASE(must_fire_dead_deleted_last__replacement_dead_too), T_CASE(must_not_fire_dead_deleted_last__proven))
