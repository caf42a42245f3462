/* Sessions on Daytona: a shell that lives on, exactly, whatever its own record loses. Rows D9, P7, P11. */
#include "daytona_world.h"

#include <stdio.h>

struct scene {
    struct world w;
    struct sbx_session *session;
    struct sbx_exec_options opt;
    struct sbx_exec_result *result;
};

static struct scene opened(void) {
    struct scene s = {.w = world_with_running_sandbox(SEED), .opt = SBX_EXEC_OPTIONS_INIT};
    T_STATUS(sbx_session_open(s.w.sb, NULL, &s.session, &s.w.err), SBX_OK);
    return s;
}

static enum sbx_status run(struct scene *s, const char *command, const struct sbx_call *call) {
    sbx_exec_result_free(s->result);
    s->result = NULL;
    return sbx_session_exec(s->session, command, &s->opt, call, &s->result, &s->w.err);
}

static void prints(struct scene *s, const char *command, int32_t code, const char *out) {
    T_STATUS(run(s, command, NULL), SBX_OK);
    T_EQ(sbx_exec_result_exit_known(s->result), 1);
    T_EQ(sbx_exec_result_exit_code(s->result), code);
    T_STR(sbx_exec_result_stdout(s->result, NULL), out);
    T_EQ(sbx_exec_result_bytes_exact(s->result), 1);
    T_EQ(sbx_exec_result_streams_merged(s->result), 0);
}

static void outside(struct scene *s, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_sandbox_exec(s->w.sb, command, NULL, NULL, &result, &s->w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

static void finish(struct scene *s) {
    T_STATUS(sbx_session_close(s->session, NULL, &s->w.err), SBX_OK);
    sbx_session_free(s->session);
    sbx_exec_result_free(s->result);
    T_EQ(sbx_sim_unsupported(s->w.sim), 0);
    world_finish(&s->w);
}

static void what_a_command_sets_is_there_for_the_next(void) {
    struct scene s = opened();
    prints(&s, "cd /tmp; x=1; export Y=2; f() { echo \"f $1\"; }", 0, "");
    prints(&s, "pwd; echo $x; f 3; sh -c 'echo $Y'", 0, "/tmp\n1\nf 3\n2\n");
    prints(&s, "false", 1, "");
    prints(&s, "(exit 9)", 9, "");
    prints(&s, "no-such-program 2>/dev/null", 127, "");
    prints(&s, "-c", 127, "");
    finish(&s);
}

static void bytes_are_exact(void) {
    struct scene s = opened();
    size_t len = 0;
    T_STATUS(run(&s, "printf 'a\\000b\\377'; printf 'e\\200' >&2", NULL), SBX_OK);
    const char *out = sbx_exec_result_stdout(s.result, &len);
    T_MEM(out, len, "a\0b\xff", 4);
    const char *err = sbx_exec_result_stderr(s.result, &len);
    T_MEM(err, len, "e\x80", 2);
    prints(&s, "printf '\\001\\001\\001no newline'", 0, "\1\1\1no newline"); /* 8.24 */
    s.opt.output_bytes_max = 3;
    T_STATUS(run(&s, "echo 0123456789", NULL), SBX_OK);
    T_STR(sbx_exec_result_stdout(s.result, NULL), "012");
    T_EQ(sbx_exec_result_stdout_total(s.result), 11);
    T_EQ(sbx_exec_result_truncated(s.result), 1);
    finish(&s);
}

static void day8_21_exit_ends_the_session_and_its_code_is_known(void) {
    static const struct {
        const char *command;
        int32_t code;
    } rows[] = {{"echo out; exit 3", 3}, {"set -e; echo out; false; echo not here", 1}, {"echo out; exit 255", 255}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct scene s = opened();
        prints(&s, rows[i].command, rows[i].code, "out\n");
        T_STATUS(run(&s, "echo x >>count", NULL), SBX_GONE);
        T_EQ(s.w.err.outcome, SBX_OUTCOME_REFUSED);
        outside(&s, "ls count 2>/dev/null", "");
        finish(&s);
    }
}

static void a_child_left_behind_holds_nothing_up(void) {
    struct scene s = opened();
    int64_t began = s.w.env->now_ms(s.w.env);
    prints(&s, "sleep 1000 & echo $! >child; echo started", 0, "started\n");
    T_TRUE(s.w.env->now_ms(s.w.env) - began < 5000);
    prints(&s, "kill -0 $(cat child) && echo alive", 0, "alive\n");
    T_STATUS(sbx_session_close(s.session, NULL, &s.w.err), SBX_OK);
    outside(&s, "kill -0 $(cat child) 2>/dev/null || echo dead", "dead\n"); /* its session took it along */
    finish(&s);
}

static void cwd_and_environment(void) {
    struct scene s = opened();
    const struct sbx_pair env[] = {{"CANARY_TOKEN", "canary-$`\"'\n 9c2e"}, {"B", ""}};
    size_t len = 0;
    s.opt.cwd = "/tmp";
    s.opt.env = env;
    s.opt.env_count = 2;
    prints(&s, "pwd; sh -c 'echo ${#CANARY_TOKEN} ${B+set}'", 0, "/tmp\n17 set\n"); /* F052 */
    s.opt.cwd = NULL;
    s.opt.env_count = 0;
    prints(&s, "pwd; echo ${#CANARY_TOKEN}", 0, "/tmp\n17\n"); /* both stay */
    prints(&s, "ls -A /tmp/.sbx-env-*", 0, "");                /* the script has removed itself */
    T_TRUE(strstr(sbx_sim_journal(s.w.sim, &len), "9c2e") == NULL);
    s.opt.cwd = "/no/such/place";
    T_STATUS(run(&s, "echo x >>/tmp/count", NULL), SBX_INVALID_ARGUMENT);
    T_CONTAINS(s.w.err.detail, "cwd");
    T_EQ(s.w.err.outcome, SBX_OUTCOME_REFUSED);
    s.opt.cwd = NULL;
    prints(&s, "ls /tmp/count 2>/dev/null; pwd", 0, "/tmp\n");
    finish(&s);
}

static void a_lifetime_ends_the_session(void) {
    struct scene s = opened();
    int64_t began = s.w.env->now_ms(s.w.env);
    s.opt.lifetime_ms = 10000;
    T_STATUS(run(&s, "echo $$ >pid; echo begun; sleep 1000; echo x >>count", NULL), SBX_COMMAND_TIMEOUT);
    T_EQ(s.w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(s.result, NULL), "begun\n");
    T_TRUE(s.w.env->now_ms(s.w.env) - began < 25000);
    T_STATUS(run(&s, "true", NULL), SBX_GONE);
    outside(&s, "ps | grep -c '[s]leep 1000'", "0\n");
    finish(&s);
}

static void a_deadline_ends_the_session(void) {
    struct scene s = opened();
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), s.w.env, 5000);
    T_STATUS(run(&s, "echo begun; sleep 1000", &call), SBX_DEADLINE);
    T_EQ(s.w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(s.result, NULL), "begun\n");
    T_STATUS(run(&s, "true", NULL), SBX_GONE);
    finish(&s);
}

/* Each reply lost in each way: the command runs once, and that is what is told. */
static void lost_replies_double_nothing(void) {
    static const char *const effects[] = {"'phase':'after_commit','effect':{'kind':'reset'}",
                                          "'phase':'before_commit','effect':{'kind':'reset'}",
                                          "'phase':'mid_reply','effect':{'kind':'cut','at_bytes':10}",
                                          "'phase':'after_commit','effect':{'kind':'html','status':502}"};
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
        struct scene s = opened();
        char fault[256];
        snprintf(fault, sizeof(fault), "{'op':'daytona.toolbox.session.exec','times':1,%s}", effects[i]);
        world_fault(&s.w, fault);
        enum sbx_status st = run(&s, "echo x >>count; echo out; exit 0", NULL);
        if (st) { /* then it never ran, and never will */
            T_EQ(s.w.err.outcome, SBX_OUTCOME_REFUSED);
            sbx_sim_advance_ms(s.w.sim, 60000);
            outside(&s, "ls count 2>/dev/null", "");
        } else {
            T_STR(sbx_exec_result_stdout(s.result, NULL), "out\n");
            outside(&s, "cat count", "x\n");
        }
        finish(&s);
    }
}

static void a_stop_ends_every_session(void) {
    struct scene s = opened();
    T_STATUS(sbx_sandbox_stop(s.w.sb, NULL, NULL, &s.w.err), SBX_OK);
    T_STATUS(sbx_sandbox_start(s.w.sb, NULL, NULL, NULL, &s.w.err), SBX_OK);
    T_STATUS(run(&s, "echo x >>count", NULL), SBX_GONE);
    T_EQ(s.w.err.outcome, SBX_OUTCOME_REFUSED);
    outside(&s, "ls count 2>/dev/null", "");
    finish(&s);
}

static void what_a_session_does_not_take(void) {
    struct scene s = opened();
    s.opt.mode = SBX_EXEC_WIRE;
    T_STATUS(run(&s, "true", NULL), SBX_INVALID_ARGUMENT);
    T_CONTAINS(s.w.err.detail, "mode");
    s.opt.mode = SBX_EXEC_MODE_DEFAULT;
    T_STATUS(run(&s, NULL, NULL), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_session_exec(NULL, "true", NULL, NULL, &s.result, &s.w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_session_exec(s.session, "true", NULL, NULL, NULL, &s.w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_session_open(s.w.sb, NULL, NULL, &s.w.err), SBX_INVALID_ARGUMENT);
    finish(&s);
}

T_CASES(T_CASE(what_a_command_sets_is_there_for_the_next), T_CASE(bytes_are_exact),
        T_CASE(day8_21_exit_ends_the_session_and_its_code_is_known), T_CASE(a_child_left_behind_holds_nothing_up),
        T_CASE(cwd_and_environment), T_CASE(a_lifetime_ends_the_session), T_CASE(a_deadline_ends_the_session),
        T_CASE(lost_replies_double_nothing), T_CASE(a_stop_ends_every_session), T_CASE(what_a_session_does_not_take))
