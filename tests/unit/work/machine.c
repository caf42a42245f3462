/* Exact exec inside the simulated machine: the same scripts, on virtual time, and nothing in them that it does not
 * know. Rows P7, P11. */
#include "real_env.h"
#include "src/port/port.h"
#include "tests/unit/sim_machine/rig.h"

#include <sandport/kit/work.h>
#include <stdlib.h>

enum plan { PLAN_PASS, PLAN_LOSE, PLAN_TWICE, PLAN_ABANDON };

struct inside {
    struct rig rig;
    struct sbx_work_host host;
    enum plan plan; /* of the first request */
    int requests;
    struct sim_run *left;
    struct sbx_exec_options opt;
    struct sbx_call call;
    struct sbx_error err;
    struct sbx_exec_result *result;
};

static const char *const shell[] = {"bash", NULL};

static void inside_pass(struct inside *in, const char *line, struct sbx_buf *text) {
    struct rig_result got;
    rig_run(&in->rig, shell, line, &got);
    sbx_buf_clear(text);
    sbx_buf_append(text, got.out.data, got.out.len);
    sbx_buf_append(text, got.err.data, got.err.len);
    rig_result_finish(&got);
}

static void nobody_listens(void *ctx, int stream, const void *data, size_t len) {
    (void)ctx, (void)stream, (void)data, (void)len;
}

/* A second of it, then the client is gone and the machine goes on. */
static void inside_abandon(struct inside *in, const char *line) {
    struct sim_run_options opt = {
        .argv = shell, .stdin_text = line, .stdin_len = strlen(line), .output = nobody_listens};
    sim_errno why = 0;
    in->left = sim_run_start(in->rig.m, &opt, &why);
    T_TRUE(in->left != NULL);
    T_STATUS(sim_run_wait(in->left, 1, sim_now(sim_world(in->rig.sim)) + 1000 * SIM_MS), SBX_DEADLINE);
}

static enum sbx_status inside_run(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                                  int64_t lifetime_ms, const struct sbx_call *call, size_t text_max,
                                  struct sbx_buf *text, struct sbx_error *err) {
    struct inside *in = ctx;
    enum plan plan = in->requests++ ? PLAN_PASS : in->plan;
    T_TRUE(!vars && var_count == 0 && lifetime_ms > 0 && call && text_max > 0);
    if (plan == PLAN_ABANDON) {
        inside_abandon(in, line);
        return sbx_fail(err, SBX_DEADLINE, SBX_OUTCOME_UNKNOWN, NULL);
    }
    inside_pass(in, line, text);
    if (plan == PLAN_TWICE) inside_pass(in, line, text);
    if (plan != PLAN_LOSE) return SBX_OK;
    sbx_buf_clear(text);
    return sbx_fail(err, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, NULL);
}

static enum sbx_status inside_exec(struct inside *in, const char *command, enum plan plan) {
    memset(in, 0, sizeof(*in));
    rig_start(&in->rig, NULL);
    in->plan = plan;
    in->host = (struct sbx_work_host){.size = sizeof(in->host), .ctx = in, .env = real_env_create(), .run = inside_run};
    sbx_exec_options_init(&in->opt, sizeof(in->opt));
    sbx_call_init(&in->call, sizeof(in->call));
    in->call.deadline_ms = SBX_NO_DEADLINE;
    in->call.cleanup_ms = 30000;
    sbx_error_init(&in->err, sizeof(in->err));
    in->result = sbx_exec_result_create();
    T_TRUE(in->result != NULL);
    return sbx_exact_exec(&in->host, command, &in->opt, &in->call, in->result, &in->err);
}

static void inside_end(struct inside *in, int count) {
    struct rig_result got;
    rig_sh(&in->rig, "cat ~/count 2>/dev/null | wc -l", &got);
    T_EQ(strtol(sbx_buf_text(&got.out), NULL, 10), count);
    rig_result_finish(&got);
    T_EQ(rig_unsupported(&in->rig), 0);
    sbx_exec_result_free(in->result);
    sbx_env_free(in->host.env);
    if (in->left) sim_run_free(in->left);
    rig_finish(&in->rig);
}

static void a_result_is_exact(void) {
    struct inside in;
    size_t len = 0;
    T_STATUS(inside_exec(&in, "echo x >>~/count; printf 'a\\000\\377'; echo \"it's\" >&2; exit 3", PLAN_PASS), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(in.result), 3);
    const char *out = sbx_exec_result_stdout(in.result, &len);
    T_MEM(out, len, "a\0\xff", 3);
    T_STR(sbx_exec_result_stderr(in.result, NULL), "it's\n");
    T_TRUE(sbx_exec_result_bytes_exact(in.result));
    T_EQ(in.requests, 1);
    inside_end(&in, 1);
}

static void a_lost_reply_is_asked_for(void) {
    struct inside in;
    T_STATUS(inside_exec(&in, "echo x >>~/count; sleep 2; echo out; exit 4", PLAN_LOSE), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(in.result), 4);
    T_STR(sbx_exec_result_stdout(in.result, NULL), "out\n");
    T_EQ(in.requests, 2);
    inside_end(&in, 1);
}

static void a_replay_runs_nothing(void) {
    struct inside in;
    T_STATUS(inside_exec(&in, "echo x >>~/count; echo out; exit 5", PLAN_TWICE), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(in.result), 5);
    T_STR(sbx_exec_result_stdout(in.result, NULL), "out\n");
    inside_end(&in, 1);
}

static void at_the_deadline_it_is_killed(void) {
    struct inside in;
    T_STATUS(inside_exec(&in, "echo x >>~/count; echo part; sleep 600; echo never", PLAN_ABANDON), SBX_DEADLINE);
    T_EQ(in.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_exec_result_exit_code(in.result), 137);
    T_STR(sbx_exec_result_stdout(in.result, NULL), "part\n");
    T_TRUE(sbx_exec_result_killed_confirmed(in.result));
    inside_end(&in, 1);
}

static void a_missing_cwd_is_refused(void) {
    struct inside in;
    T_STATUS(inside_exec(&in, "echo x >>~/count", PLAN_PASS), SBX_OK);
    in.opt.cwd = "/no/such/place";
    T_STATUS(sbx_exact_exec(&in.host, "echo x >>~/count", &in.opt, &in.call, in.result, &in.err), SBX_INVALID_ARGUMENT);
    T_EQ(in.err.outcome, SBX_OUTCOME_REFUSED);
    inside_end(&in, 1);
}

T_CASES(T_CASE(a_result_is_exact), T_CASE(a_lost_reply_is_asked_for), T_CASE(a_replay_runs_nothing),
        T_CASE(at_the_deadline_it_is_killed), T_CASE(a_missing_cwd_is_refused))
