/* Edge cases of E2B's wire, by their number in the list of the wire's edge cases. Rows E1-E8, P8. */
#include "e2b_world.h"

#include <stdio.h>

static int64_t end_ms(struct world *w) {
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_info(w->sb, NULL, &info, &w->err), SBX_OK);
    int h = 0, m = 0, s = 0, d = 0;
    T_EQ(sscanf(sbx_info_extra(info, "endAt"), "%*d-%*d-%dT%d:%d:%d", &d, &h, &m, &s), 4);
    sbx_info_free(info);
    return (((d * 24 + h) * 60 + m) * 60 + s) * INT64_C(1000);
}

/* By both generations a sandbox lives its half hour, never the provider's own 15 or 300 s. */
static void e2b8_01_a_lifetime_is_always_said(void) {
    for (int32_t api = SBX_E2B_API_V1; api <= SBX_E2B_API_V2; api++) {
        struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
        opt.api = api;
        struct world w = world_new_with(SEED, NULL, &opt);
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
        sbx_sim_advance_ms(w.sim, 1700000);
        world_prints(&w, "echo here", "here\n");
        world_finish(&w);
    }
}

/* An end that another process set later is not brought forward by a command of ours. */
static void e2b8_03_an_end_is_never_brought_forward(void) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_runtime *rt = NULL;
    struct world w = world_with_running_sandbox(SEED);
    opt.lifetime_ms = 3000000;
    T_STATUS(sbx_sandbox_exec(w.sb, "true", &opt, NULL, &result, &w.err), SBX_OK);
    sbx_exec_result_free(result);
    int64_t end = end_ms(&w);
    struct sbx_sandbox *there = world_elsewhere(&w, &rt), *here = w.sb;
    w.sb = there;
    world_prints(&w, "echo", "\n");
    T_EQ(end_ms(&w), end);
    sbx_sim_advance_ms(w.sim, 2000000);
    world_prints(&w, "echo", "\n"); /* 20 minutes are left, so it gets its half hour again */
    T_TRUE(end_ms(&w) > end);
    sbx_sandbox_free(there);
    sbx_runtime_free(rt);
    w.sb = here;
    world_finish(&w);
}

/* Beyond the account's maximum a create is refused, and a timeout shortened without a word. */
static void e2b8_02_beyond_the_accounts_maximum(void) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_exec_options exec = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    static const char scenario[] =
        "{\"e2b\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_E2B_KEY "\",\"max_s\":3600}]}}";
    opt.sandbox_lifetime_ms = 3601000;
    struct world w = world_new_with(SEED, scenario, &opt);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_INVALID_ARGUMENT);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(w.err.detail, "sandbox_lifetime_ms");
    world_finish(&w);
    w = world_new_with(SEED, scenario, NULL);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    exec.lifetime_ms = 7200000; /* it gets an hour, and ends with the sandbox */
    T_STATUS(sbx_sandbox_exec(w.sb, "echo begun; sleep 7000", &exec, NULL, &result, &w.err), SBX_NOT_FOUND);
    T_STR(w.err.detail, "the sandbox is gone");
    T_STR(sbx_exec_result_stdout(result, NULL), "begun\n");
    sbx_exec_result_free(result);
    world_finish(&w);
}

/* A rate is told with what it asks for; a read waits for it. */
static void e2b8_05_a_rate_is_waited_for_by_reads(void) {
    struct world w = world_with_running_sandbox(SEED);
    int64_t begun = w.env->now_ms(w.env);
    world_fault(&w, "{'op':'e2b.sandbox.get','phase':'before','times':1,'effect':{'kind':'status','status':429,"
                    "'retry_after':'3'}}");
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_TRUE(w.env->now_ms(w.env) - begun >= 3000);
    sbx_info_free(info);
    world_finish(&w);
}

/* The end of a paused one lies in the past, and does not mean that it is gone. */
static void e2b8_10_a_paused_ones_end_is_past(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 7200000);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_EQ(sbx_info_state(info), SBX_STATE_PAUSED);
    sbx_info_free(info);
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, NULL, &result, &w.err), SBX_NOT_READY);
    T_STR(w.err.detail, "the sandbox's state is PAUSED");
    T_EQ(w.err.outcome, SBX_OUTCOME_NOT_SENT);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    world_prints(&w, "echo back", "back\n");
    world_finish(&w);
}

/* Resumed by another process: our token is worth nothing, which is said; attaching again brings the new one. */
static void e2b8_12_a_token_that_was_replaced(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    struct sbx_runtime *rt = NULL;
    world_fault(&w, "{'op':'e2b.sandbox.get','phase':'after','times':1,'effect':{'kind':'rotate_token'}}");
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    sbx_info_free(info);
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, NULL, &result, &w.err), SBX_UNAUTHORISED);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(w.err.detail, "another token");
    struct sbx_sandbox *there = world_elsewhere(&w, &rt), *here = w.sb;
    w.sb = there;
    world_prints(&w, "echo in", "in\n");
    sbx_sandbox_free(there);
    sbx_runtime_free(rt);
    w.sb = here;
    world_finish(&w);
}

/* Streams hold on as long as somebody holds an output; redirected, they do not. */
static void e2b8_24_children_that_hold_the_output(void) {
    struct world w = world_with_running_sandbox(SEED);
    int64_t begun = w.env->now_ms(w.env);
    world_prints(&w, "sleep 100 >/dev/null 2>&1 & echo at once", "at once\n");
    T_TRUE(w.env->now_ms(w.env) - begun < 5000);
    world_prints(&w, "sleep 100 & echo later", "later\n");
    T_TRUE(w.env->now_ms(w.env) - begun > 99000);
    world_finish(&w);
}

/* The daemon's list has others in it, without tag, environment or directory: none of them is ours. */
static void e2b8_27_strangers_in_the_process_list(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    world_prints(&w, "sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >/tmp/stranger", "");
    world_fault(&w, "{'op':'e2b.process.start','phase':'before_commit','times':1,'effect':{'kind':'reset'}}");
    T_STATUS(sbx_sandbox_exec(w.sb, "echo never", NULL, NULL, &result, &w.err), SBX_CONNECTION_LOST);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    T_TRUE(result == NULL);
    world_prints(&w, "kill -0 $(cat /tmp/stranger) && echo alive", "alive\n");
    world_finish(&w);
}

/* Paused in mid-command: the stream is cut, and what was said until then is had. */
static void pause_it(void *arg) {
    struct world *w = arg;
    struct sbx_runtime *rt = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_sandbox *sb = NULL;
    char id[SBX_ID_SIZE];
    (void)!w->env->sleep_until(w->env, w->env->now_ms(w->env) + 5000, NULL);
    sbx_sandbox_id(w->sb, id);
    T_STATUS(world_runtime(w->env, &rt, &err), SBX_OK);
    T_STATUS(sbx_runtime_attach(rt, id, NULL, &sb, &err), SBX_OK);
    T_STATUS(sbx_sandbox_stop(sb, NULL, NULL, &err), SBX_OK);
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
}

static void e2b8_32_paused_in_mid_command(void) {
    static const char *const scenarios[] = {NULL, "{\"e2b\":{\"cut\":\"unavailable\"}}"};
    for (size_t i = 0; i < 2; i++) {
        struct world w = world_new_with(SEED, scenarios[i], NULL);
        struct sbx_exec_result *result = NULL;
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
        T_STATUS(sbx_sim_spawn(w.sim, pause_it, &w), SBX_OK);
        T_STATUS(sbx_sandbox_exec(w.sb, "echo one; sleep 100; echo two", NULL, NULL, &result, &w.err), SBX_NOT_READY);
        T_STR(w.err.detail, "the sandbox's state is PAUSED");
        T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
        T_STR(sbx_exec_result_stdout(result, NULL), "one\n");
        T_EQ(sbx_exec_result_killed_confirmed(result), 0);
        sbx_exec_result_free(result);
        T_STATUS(sbx_sim_run(w.sim), SBX_OK);
        T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
        world_prints(&w, "echo back", "back\n");
        world_finish(&w);
    }
}

/* ---- files ---- */

static enum sbx_status up(struct world *w, const char *path, const char *text) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, text, strlen(text));
    return sbx_sandbox_upload(w->sb, path, &from, NULL, NULL, NULL, &w->err);
}

static enum sbx_status down(struct world *w, const char *path, const char *want) {
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    enum sbx_status st = sbx_sandbox_download(w->sb, path, &to, NULL, NULL, NULL, &w->err);
    if (!st) T_STR(sbx_buf_text(&got), want);
    if (st) T_EQ(got.len, 0);
    sbx_buf_finish(&got);
    return st;
}

static void e2b8_35_files_of_every_name(void) {
    static const char *const paths[] = {"plain", "/tmp/new/dir/file", "a b+c%41&d=e#f?g", "\xc3\xbc\"quoted\".txt",
                                        "/tmp/'single'"};
    struct world w = world_with_running_sandbox(SEED);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        T_STATUS(up(&w, paths[i], "first, and longer"), SBX_OK);
        T_STATUS(up(&w, paths[i], paths[i]), SBX_OK); /* truncated */
        T_STATUS(down(&w, paths[i], paths[i]), SBX_OK);
    }
    world_prints(&w, "cat plain; cat /tmp/new/dir/file", "plain/tmp/new/dir/file");
    T_STATUS(up(&w, "empty", ""), SBX_OK);
    T_STATUS(down(&w, "empty", ""), SBX_OK);
    T_STATUS(down(&w, "/nowhere", ""), SBX_FILE_NOT_FOUND);
    T_STATUS(down(&w, "/tmp", ""), SBX_INVALID_ARGUMENT);
    T_STATUS(up(&w, "/tmp", "x"), SBX_INVALID_ARGUMENT);
    T_STATUS(up(&w, "plain/under", "x"), SBX_INVALID_ARGUMENT);
    world_finish(&w);
}

/* What an upload may meet: nothing to send, no room. */
static void e2b8_34_uploads_that_do_not_fit(void) {
    struct world w = world_with_running_sandbox(SEED);
    T_STATUS(up(&w, "empty", ""), SBX_OK);
    world_prints(&w, "wc -c <empty", "0\n");
    T_STATUS(up(&w, "/tmp", "x"), SBX_INVALID_ARGUMENT);
    world_fault(&w, "{'op':'e2b.files.write','phase':'before','times':1,'effect':{'kind':'status','status':507}}");
    T_STATUS(up(&w, "file", "0123456789"), SBX_NO_SPACE);
    T_STATUS(up(&w, "file", "0123456789"), SBX_OK);
    world_finish(&w);
}

/* A download that is cut is never a whole file. */
static void downloads_that_come_short(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    T_STATUS(up(&w, "file", "0123456789"), SBX_OK);
    world_fault(&w, "{'op':'e2b.files.read','phase':'mid_reply','effect':{'kind':'cut','at_bytes':4}}");
    T_STATUS(sbx_sandbox_download(w.sb, "file", &to, NULL, NULL, NULL, &w.err), SBX_CONNECTION_LOST);
    sbx_buf_finish(&got);
    world_finish(&w);
}

/* Keys of the wrong form: a message with a line break in it is no trouble. */
static void e2b8_42_keys_that_are_none(void) {
    static const char *const keys[] = {"e2b_abc", "xxx", "e2b_0000"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
        opt.api_key = keys[i];
        struct world w = world_new_with(SEED, NULL, &opt);
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_UNAUTHORISED);
        T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
        T_EQ(sbx_sim_ledger_made(w.sim), 0);
        world_finish(&w);
    }
}

T_CASES(T_CASE(e2b8_01_a_lifetime_is_always_said), T_CASE(e2b8_02_beyond_the_accounts_maximum),
        T_CASE(e2b8_05_a_rate_is_waited_for_by_reads), T_CASE(e2b8_27_strangers_in_the_process_list),
        T_CASE(e2b8_32_paused_in_mid_command), T_CASE(e2b8_03_an_end_is_never_brought_forward),
        T_CASE(e2b8_10_a_paused_ones_end_is_past), T_CASE(e2b8_12_a_token_that_was_replaced),
        T_CASE(e2b8_24_children_that_hold_the_output), T_CASE(e2b8_35_files_of_every_name),
        T_CASE(e2b8_34_uploads_that_do_not_fit), T_CASE(downloads_that_come_short), T_CASE(e2b8_42_keys_that_are_none))
