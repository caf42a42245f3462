/* Guards of E2B's three lifetimes and of its streams, as the cloud saw them: what is asserted on is the simulator's
 * journal. Rows E2-E4, E8. */
#include "e2b_world.h"

#define START   "e2b.process.start"
#define TIMEOUT "e2b.sandbox.timeout"

static struct world world_with(const char *scenario, int64_t sandbox_ms, int64_t sync_ms) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    opt.sandbox_lifetime_ms = sandbox_ms;
    opt.sync_run_budget_ms = sync_ms;
    struct world w = world_new_with(SEED, scenario, &opt);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    return w;
}

static enum sbx_status runs(struct world *w, const char *command, int64_t lifetime_ms) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.lifetime_ms = lifetime_ms;
    enum sbx_status st = sbx_sandbox_exec(w->sb, command, &opt, NULL, &result, &w->err);
    if (!st) T_EQ(sbx_exec_result_exit_code(result), 0);
    sbx_exec_result_free(result);
    return st;
}

/* ---- sync_run_is_capped: the guard of E3 ---- */

#define SILENT_MINUTE "{\"e2b\":{\"default_timeout_ms\":60000}}"

/* Where a process without a lifetime would have a minute: 90 s, and the journal has its half hour. */
static void must_fire_sync_run_is_capped__e2b_ninety_seconds(void) {
    struct world w = world_with(SILENT_MINUTE, 0, 0);
    T_STATUS(runs(&w, "sleep 90", 0), SBX_OK);
    T_EQ(world_journalled(&w, START, "sleep 90"), 1);
    T_EQ(
        world_journalled(&w, START, "'connect-timeout-ms':'1800000'},'body':{'process':{'cmd':'/bin/sh','args':['-c',"),
        1);
    T_TRUE(w.env->now_ms(w.env) > 90000);
    world_finish(&w);
}

static void must_not_fire_sync_run_is_capped__e2b_callers_own(void) {
    struct world w = world_with(SILENT_MINUTE, 0, 0);
    T_STATUS(runs(&w, "sleep 90", 30000), SBX_COMMAND_TIMEOUT);
    T_EQ(world_journalled(&w, START, "sleep 90"), 1);
    T_EQ(world_journalled(&w, START, "'connect-timeout-ms':'1800000'"), 0);
    T_EQ(world_journalled(&w, START, "'connect-timeout-ms':'30000'"), 1);
    world_finish(&w);
}

/* ---- command_lifetime_sent: every process that is started, whatever for; and none without ---- */

static void must_fire_command_lifetime_sent__e2b_whole_life(void) {
    struct world w = world_with(SILENT_MINUTE, 0, 0);
    struct sbx_exec_options exact = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    char *home = NULL;
    exact.mode = SBX_EXEC_EXACT;
    T_STATUS(runs(&w, "true", 0), SBX_OK);
    T_STATUS(sbx_sandbox_exec(w.sb, "true", &exact, NULL, &result, &w.err), SBX_OK);
    sbx_exec_result_free(result);
    T_STATUS(sbx_sandbox_home_dir(w.sb, NULL, &home, &w.err), SBX_OK);
    sbx_text_free(home);
    T_STATUS(sbx_sandbox_submit(w.sb, "id", "sleep 1000", NULL, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_kill_run(w.sb, "id", NULL, NULL, &w.err), SBX_OK);
    T_TRUE(world_journalled(&w, START, "") >= 6);
    T_EQ(world_journalled(&w, START, "'connect-timeout-ms':"), world_journalled(&w, START, ""));
    T_EQ(world_journalled(&w, START, "'connect-timeout-ms':'0'"), 0);
    world_finish(&w);
}

static void must_not_fire_command_lifetime_sent__e2b_no_process(void) {
    struct world w = world_with(SILENT_MINUTE, 0, 0);
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "x", 1);
    T_STATUS(sbx_sandbox_upload(w.sb, "x", &from, NULL, NULL, NULL, &w.err), SBX_OK);
    T_EQ(world_journalled(&w, "e2b.files.write", ""), 1);
    T_EQ(world_journalled(&w, "e2b.files.write", "'connect-timeout-ms':"), 0);
    world_finish(&w);
}

/* ---- implicit_budget_never_extends: the guard of E4 ---- */

/* A sandbox of five minutes, commands that may take an hour: it ends when its own time is over, whatever runs. */
static void must_fire_implicit_budget_never_extends__e2b_sandbox_ends(void) {
    struct world w = world_with(NULL, 300000, 3600000);
    T_STATUS(runs(&w, "sleep 1000", 0), SBX_NOT_FOUND);
    T_EQ(world_journalled(&w, START, "'connect-timeout-ms':'3600000'"), 1);
    T_EQ(world_journalled(&w, TIMEOUT, ""), 0);
    T_TRUE(w.env->now_ms(w.env) < 310000);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_implicit_budget_never_extends__e2b_explicit(void) {
    struct world w = world_with(NULL, 300000, 3600000);
    T_STATUS(runs(&w, "sleep 1000", 3000000), SBX_OK);
    T_EQ(world_journalled(&w, START, "'connect-timeout-ms':'3000000'"), 1);
    T_EQ(world_journalled(&w, TIMEOUT, "'body':{'timeout':3030}"), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

/* ---- sandbox_rearmed and create_lifetime_sent: the guards of E2 ---- */

static void must_fire_create_lifetime_sent__e2b_seconds(void) {
    struct world w = world_with(NULL, 90500, 0);
    T_EQ(world_journalled(&w, "e2b.sandbox.create", "'timeout':91,"), 1);
    sbx_sim_advance_ms(w.sim, 80000);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sim_advance_ms(w.sim, 20000);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_create_lifetime_sent__e2b_default(void) {
    struct world w = world_with(NULL, 0, 0);
    T_EQ(world_journalled(&w, "e2b.sandbox.create", "'timeout':1800,"), 1);
    sbx_sim_advance_ms(w.sim, 1700000);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_fire_sandbox_rearmed__e2b_in_use(void) {
    struct world w = world_with(NULL, 300000, 0);
    for (int i = 0; i < 10; i++) {
        sbx_sim_advance_ms(w.sim, 200000);
        T_STATUS(runs(&w, "true", 0), SBX_OK);
    }
    T_EQ(world_journalled(&w, TIMEOUT, "'body':{'timeout':300}"), 10);
    world_finish(&w);
}

static void must_not_fire_sandbox_rearmed__e2b_in_quick_use(void) {
    struct world w = world_with(NULL, 300000, 0);
    for (int i = 0; i < 10; i++) T_STATUS(runs(&w, "true", 0), SBX_OK);
    T_EQ(world_journalled(&w, TIMEOUT, ""), 0);
    world_finish(&w);
}

/* ---- no_end_no_success and cut_off_is_ended: the guards of E8 ---- */

#define ON_START(phase, effect)                                                                                        \
    "{'op':'e2b.process.start','phase':'" phase "','times':1,'effect':{'kind':'" effect "'}}"

/* The stream ends in good order but for its end event: 200, all bytes there, and no success. */
static void must_fire_no_end_no_success__e2b_end_event(void) {
    struct world w = world_with(NULL, 0, 0);
    world_fault(&w, ON_START("before", "no_end"));
    T_STATUS(runs(&w, "echo one >>count", 0), SBX_PROTOCOL);
    T_STR(w.err.detail, "the stream ended without an exit");
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(world_journalled(&w, START, "echo one"), 1);
    T_EQ(world_journalled(&w, START, "'status':200,'answer_bytes':"), world_journalled(&w, START, ""));
    world_finish(&w);
}

/* The end event is there, and the end of the stream is not. */
static void must_not_fire_no_end_no_success__e2b_end_of_stream(void) {
    struct world w = world_with(NULL, 0, 0);
    world_fault(&w, ON_START("before", "no_eos"));
    T_STATUS(runs(&w, "echo one >>count", 0), SBX_OK);
    T_EQ(world_journalled(&w, START, "echo one"), 1);
    world_finish(&w);
}

/* Cut behind its start: another process ends it with its children, and it is not started again. */
static void must_fire_cut_off_is_ended__e2b_reset(void) {
    struct world w = world_with(NULL, 0, 0);
    world_fault(&w, ON_START("mid_reply", "reset"));
    T_STATUS(runs(&w, "echo one >>count; sleep 1000", 0), SBX_CONNECTION_LOST);
    T_EQ(world_journalled(&w, START, "echo one"), 1);
    T_EQ(world_journalled(&w, START, "e2b-end"), 1);
    T_STATUS(runs(&w, "test \"$(cat count)\" = one && ! ps ax | grep '[s]leep 1000'", 0), SBX_OK);
    world_finish(&w);
}

static void must_not_fire_cut_off_is_ended__e2b_whole(void) {
    struct world w = world_with(NULL, 0, 0);
    T_STATUS(runs(&w, "echo one >>count", 0), SBX_OK);
    T_EQ(world_journalled(&w, START, "echo one"), 1);
    T_EQ(world_journalled(&w, START, "e2b-end"), 0);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_sync_run_is_capped__e2b_ninety_seconds),
        T_CASE(must_not_fire_sync_run_is_capped__e2b_callers_own),
        T_CASE(must_fire_command_lifetime_sent__e2b_whole_life),
        T_CASE(must_not_fire_command_lifetime_sent__e2b_no_process),
        T_CASE(must_fire_implicit_budget_never_extends__e2b_sandbox_ends),
        T_CASE(must_not_fire_implicit_budget_never_extends__e2b_explicit),
        T_CASE(must_fire_create_lifetime_sent__e2b_seconds), T_CASE(must_not_fire_create_lifetime_sent__e2b_default),
        T_CASE(must_fire_sandbox_rearmed__e2b_in_use), T_CASE(must_not_fire_sandbox_rearmed__e2b_in_quick_use),
        T_CASE(must_fire_no_end_no_success__e2b_end_event), T_CASE(must_not_fire_no_end_no_success__e2b_end_of_stream),
        T_CASE(must_fire_cut_off_is_ended__e2b_reset), T_CASE(must_not_fire_cut_off_is_ended__e2b_whole))
