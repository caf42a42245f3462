/* Commands on E2B: by the wire, exactly, streamed, timed out. Rows E3, E8, P7, P9, P11. */
#include "e2b_world.h"
#include "kept_env.h"

#include <stdio.h>

static struct sbx_exec_result *ran(struct world *w, const char *command, const struct sbx_exec_options *opt) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(w->sb, command, opt, NULL, &result, &w->err), SBX_OK);
    return result;
}

static void prints(struct world *w, const char *command, const char *want) {
    struct sbx_exec_result *result = ran(w, command, NULL);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

/* The same in every mode: bytes, streams apart, exit codes, directory and environment. */
static void modes_agree(void) {
    const int32_t modes[] = {SBX_EXEC_MODE_DEFAULT, SBX_EXEC_EXACT, SBX_EXEC_WIRE};
    const struct sbx_pair env[] = {{"GREETING", "a 'quoted' \xc3\xbc\nline"}};
    struct world w = world_with_running_sandbox(SEED);
    for (size_t i = 0; i < 3; i++) {
        struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
        size_t len = 0;
        opt.mode = modes[i];
        opt.cwd = "/tmp";
        opt.env = env;
        opt.env_count = 1;
        struct sbx_exec_result *result = ran(&w, "printf '\\000\\377%s' \"$GREETING\"; pwd >&2; kill -9 $$", &opt);
        const char *out = sbx_exec_result_stdout(result, &len);
        T_MEM(out, len,
              "\0\xff"
              "a 'quoted' \xc3\xbc\nline",
              20);
        T_STR(sbx_exec_result_stderr(result, NULL), "/tmp\n");
        T_EQ(sbx_exec_result_exit_code(result), 137);
        T_EQ(sbx_exec_result_bytes_exact(result), 1);
        T_EQ(sbx_exec_result_streams_merged(result), 0);
        sbx_exec_result_free(result);
    }
    world_finish(&w);
}

static void the_environment_is_the_callers(void) {
    struct world w = world_with_running_sandbox(SEED);
    kept_env_check(w.sb, w.rt);
    world_finish(&w);
}

static void output_beyond_the_limit_is_counted(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.output_bytes_max = 10;
    struct sbx_exec_result *result = ran(&w, "head -c 200000 /dev/zero | tr '\\0' x", &opt);
    T_STR(sbx_exec_result_stdout(result, NULL), "xxxxxxxxxx");
    T_EQ(sbx_exec_result_stdout_total(result), 200000);
    T_EQ(sbx_exec_result_truncated(result), 1);
    sbx_exec_result_free(result);
    world_finish(&w);
}

static void directories_that_are_not_there(void) {
    const int32_t modes[] = {SBX_EXEC_WIRE, SBX_EXEC_EXACT};
    struct world w = world_with_running_sandbox(SEED);
    for (size_t i = 0; i < 2; i++) {
        struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
        struct sbx_exec_result *result = NULL;
        opt.mode = modes[i];
        opt.cwd = "/nowhere";
        T_STATUS(sbx_sandbox_exec(w.sb, "echo ran >/tmp/ran", &opt, NULL, &result, &w.err), SBX_INVALID_ARGUMENT);
        T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
        T_CONTAINS(w.err.detail, "cwd");
    }
    prints(&w, "cat /tmp/ran 2>/dev/null; echo", "\n");
    world_finish(&w);
}

/* ---- streams ---- */

struct heard {
    struct world *w;
    struct sbx_buf text;
    int calls, stop_at;
    int64_t first_ms;
};

static int hear(void *ctx, int32_t stream, const void *data, size_t len) {
    struct heard *heard = ctx;
    if (!heard->calls) heard->first_ms = heard->w->env->now_ms(heard->w->env);
    sbx_buf_printf(&heard->text, "%d:", (int)stream);
    sbx_buf_append(&heard->text, data, len);
    return ++heard->calls == heard->stop_at;
}

static enum sbx_status streamed(struct world *w, struct heard *heard, const char *command, int64_t lifetime_ms,
                                struct sbx_exec_result **result) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    heard->w = w;
    opt.output = hear;
    opt.output_ctx = heard;
    opt.lifetime_ms = lifetime_ms;
    return sbx_sandbox_exec(w->sb, command, &opt, NULL, result, &w->err);
}

static void output_comes_while_it_runs(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct heard heard = {.calls = 0};
    struct sbx_exec_result *result = NULL;
    int64_t begun = w.env->now_ms(w.env);
    T_STATUS(streamed(&w, &heard, "printf '\\303'; sleep 5; printf '\\274'; sleep 100; echo two >&2", 0, &result),
             SBX_OK);
    T_STR(sbx_buf_text(&heard.text), "1:\xc3"
                                     "1:\xbc"
                                     "2:two\n"); /* a cut character is handed on as it came */
    T_TRUE(heard.first_ms - begun < 1000);
    T_STR(sbx_exec_result_stdout(result, NULL), "\xc3\xbc");
    sbx_exec_result_free(result);
    sbx_buf_finish(&heard.text);
    world_finish(&w);
}

static void a_hearer_that_stops_ends_the_command(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct heard heard = {.stop_at = 1};
    struct sbx_exec_result *result = NULL;
    T_STATUS(streamed(&w, &heard, "echo one; sleep 1000; echo two >/tmp/two", 0, &result), SBX_CANCELLED);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_exec_result_killed_confirmed(result), 1);
    sbx_exec_result_free(result);
    sbx_buf_finish(&heard.text);
    sbx_sim_advance_ms(w.sim, 2000000 / 2);
    prints(&w, "cat /tmp/two 2>/dev/null; echo", "\n");
    world_finish(&w);
}

/* ---- time ---- */

/* F043: its children die with it, and that is proven. */
static void a_timeout_ends_the_command_with_its_children(void) {
    static const char *const scenarios[] = {NULL, "{\"e2b\":{\"timeout\":\"end\"}}"};
    const int32_t modes[] = {SBX_EXEC_WIRE, SBX_EXEC_EXACT};
    for (size_t i = 0; i < 4; i++) {
        struct world w = world_new_with(SEED, scenarios[i / 2], NULL);
        struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
        struct sbx_exec_result *result = NULL;
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
        opt.mode = modes[i % 2];
        opt.lifetime_ms = 3000;
        T_STATUS(sbx_sandbox_exec(w.sb, "echo begun; (sleep 60; echo child >/tmp/child) & sleep 1000", &opt, NULL,
                                  &result, &w.err),
                 SBX_COMMAND_TIMEOUT);
        T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
        T_STR(sbx_exec_result_stdout(result, NULL), "begun\n");
        T_EQ(sbx_exec_result_killed_confirmed(result), 1);
        sbx_exec_result_free(result);
        sbx_sim_advance_ms(w.sim, 120000);
        prints(&w, "cat /tmp/child 2>/dev/null; echo", "\n");
        world_finish(&w);
    }
}

/* Digest 8, 45: nothing reads an input that never ends. F055. */
static void e2b8_45_input_is_at_its_end(void) {
    struct world w = world_with_running_sandbox(SEED);
    prints(&w, "cat; echo done", "done\n");
    world_finish(&w);
}

static void a_deadline_and_a_cancel_end_it(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct world_cancel plan;
    struct sbx_exec_result *result = NULL;
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), w.env, 2000);
    T_STATUS(sbx_sandbox_exec(w.sb, "echo one; sleep 1000", NULL, &call, &result, &w.err), SBX_DEADLINE);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(result, NULL), "one\n");
    T_EQ(sbx_exec_result_killed_confirmed(result), 1);
    sbx_exec_result_free(result);
    result = NULL;
    call = world_call_cancelled(&w, 3000, &plan);
    T_STATUS(sbx_sandbox_exec(w.sb, "echo two; sleep 1000", NULL, &call, &result, &w.err), SBX_CANCELLED);
    T_STR(sbx_exec_result_stdout(result, NULL), "two\n");
    T_EQ(sbx_exec_result_killed_confirmed(result), 1);
    sbx_exec_result_free(result);
    sbx_cancel_free(plan.cancel);
    prints(&w, "ps ax 2>/dev/null | grep -c '[s]leep 1000'", "0\n");
    world_finish(&w);
}

/* F041: longer than a minute, with nothing said. */
static void f041_no_minute_of_the_providers(void) {
    struct world w = world_new_with(SEED, "{\"e2b\":{\"default_timeout_ms\":60000}}", NULL);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    prints(&w, "sleep 600; echo done", "done\n");
    world_finish(&w);
}

/* Cut anywhere, in any pieces: the same. */
static void pieces_of_any_size(void) {
    for (int piece = 1; piece < 40; piece += 3) {
        struct world w = world_with_running_sandbox(SEED);
        char fault[200];
        snprintf(fault, sizeof(fault),
                 "{'op':'e2b.process.start','phase':'before','effect':{'kind':'split','at_bytes':%d}}", piece);
        world_fault(&w, fault);
        prints(&w, "echo out; echo err >&2; echo more", "out\nmore\n");
        world_finish(&w);
    }
}

T_CASES(T_CASE(modes_agree), T_CASE(the_environment_is_the_callers), T_CASE(output_beyond_the_limit_is_counted),
        T_CASE(directories_that_are_not_there), T_CASE(output_comes_while_it_runs),
        T_CASE(a_hearer_that_stops_ends_the_command), T_CASE(a_timeout_ends_the_command_with_its_children),
        T_CASE(e2b8_45_input_is_at_its_end), T_CASE(a_deadline_and_a_cancel_end_it),
        T_CASE(f041_no_minute_of_the_providers), T_CASE(pieces_of_any_size))
