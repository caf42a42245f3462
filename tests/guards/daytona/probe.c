/* Guards of the probe: which answers say that an exec daemon is dead. Rows D4-D6. */
#include "daytona_world.h"

#include <stdio.h>

/* Starts a sandbox whose probes are answered so, from the nth on. */
static enum sbx_status start_with(struct world *w, const char *effect, struct sbx_start_result *result) {
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    char fault[400];
    opt.probe_window_ms = 1000;
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.toolbox.execute','phase':'before','where':{'sandbox':'sb-1'},'effect':%s}", effect);
    world_fault(w, fault);
    return sbx_sandbox_start(w->sb, &opt, NULL, result, &w->err);
}

static void kept(struct world *w, const struct sbx_start_result *result) {
    T_EQ(result->replaced, 0);
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    T_EQ(sbx_sim_ledger_live(w->sim), 1);
    T_TRUE(strstr(sbx_sim_timeline(w->sim), "POST /sandbox ") == NULL);
    world_finish(w);
}

static void replaced(struct world *w, const struct sbx_start_result *result) {
    T_EQ(result->replaced, 1);
    T_EQ(sbx_sim_ledger_made(w->sim), 2);
    T_EQ(sbx_sim_ledger_live(w->sim), 1);
    world_finish(w);
}

/* ---- probe_other_answer: a 502 that says something is not the bare one of a dead daemon ---- */

static void a_502_that_says(const char *body) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    char effect[256];
    snprintf(effect, sizeof(effect), "{'kind':'status','status':502,'body':%s}", body);
    T_STATUS(start_with(&w, effect, &result), SBX_PROVIDER);
    T_EQ(w.err.http_status, 502);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(w.err.detail, "probe: the runner is unreachable");
    kept(&w, &result);
}

static void must_fire_probe_other_answer__runner_unreachable(void) {
    a_502_that_says("{'statusCode':502,'code':'RUNNER_UNREACHABLE','message':'runner unreachable'}");
    a_502_that_says("'{\\\"code\\\":\\\"RUNNER_UNREACHABLE\\\"}'");
}

static void must_not_fire_probe_other_answer__bare_502(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    T_STATUS(start_with(&w, "{'kind':'status','status':502}", &result), SBX_OK);
    replaced(&w, &result);
}

/* ---- probe_one_undecided: one answer of a window that says something else, and dead is not proven ---- */

static void the_second_is(struct world *w, const char *effect) {
    char fault[256];
    snprintf(
        fault, sizeof(fault),
        "{'op':'daytona.toolbox.execute','phase':'before','nth':2,'times':1,'where':{'sandbox':'sb-1'},'effect':%s}",
        effect);
    world_fault(w, fault);
}

static void must_fire_probe_one_undecided__one_among_them(void) {
    struct world w = world_with_stopped_sandbox(SEED), other = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    the_second_is(&w, "{'kind':'status','status':500}");
    T_STATUS(start_with(&w, "{'kind':'status','status':502}", &result), SBX_PROVIDER);
    T_EQ(w.err.http_status, 500);
    T_TIMELINE(w.sim, "[  1115] POST /sandbox/sb-1/start -> 200\n"
                      "[  1120] GET  /sandbox/sb-1 -> 200\n"
                      "[  1125] GET  /sandbox/sb-1 -> 200\n"
                      "[  1130] POST /toolbox/sb-1/process/execute -> 502\n"
                      "[  1385] POST /toolbox/sb-1/process/execute -> 500\n"
                      "[  1890] POST /toolbox/sb-1/process/execute -> 502\n"
                      "[  2895] POST /toolbox/sb-1/process/execute -> 502\n");
    kept(&w, &result);
    the_second_is(&other, "{'kind':'close'}");
    T_STATUS(start_with(&other, "{'kind':'status','status':502}", &result), SBX_CONNECTION_LOST);
    kept(&other, &result);
}

static void must_not_fire_probe_one_undecided__all_502(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    the_second_is(&w, "{'kind':'status','status':502}");
    T_STATUS(start_with(&w, "{'kind':'status','status':502}", &result), SBX_OK);
    replaced(&w, &result);
}

T_CASES(T_CASE(must_fire_probe_other_answer__runner_unreachable), T_CASE(must_not_fire_probe_other_answer__bare_502),
        T_CASE(must_fire_probe_one_undecided__one_among_them), T_CASE(must_not_fire_probe_one_undecided__all_502))
