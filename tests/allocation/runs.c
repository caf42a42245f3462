/* Memory runs out during durable runs, and during commands whose output is streamed or left to the wire. Rows D10, P7,
 * P11. */
#include "sweep.h"

#include <stdlib.h>

#define JOB      "echo x >>count; echo said; exit 7"
#define LONG_JOB "echo x >>count; echo said; sleep 20; exit 7"

static int nothing_was_done(const struct sbx_error *err) {
    return err->outcome == SBX_OUTCOME_NOT_SENT || err->outcome == SBX_OUTCOME_REFUSED;
}

/* Once, or not at all; and what was provably not sent did not run. */
static void ran_once_at_most(struct sweep *s, const struct sbx_error *err) {
    int times = atoi(sweep_shell(s, "wc -l < count 2>/dev/null || echo 0"));
    S_TRUE(s, times <= 1);
    if (!s->st) S_TRUE(s, times == 1);
    if (s->st && nothing_was_done(err)) S_TRUE(s, times == 0);
    if (s->st && err->outcome == SBX_OUTCOME_DONE) S_TRUE(s, times == 1);
}

/* ---- submit ---- */

static enum sbx_status submit_run(struct sweep *s) {
    return sbx_sandbox_submit(s->w.sb, "job", JOB, NULL, NULL, NULL, &s->w.err);
}

static struct sbx_run_status waited(struct sweep *s) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_run *run = NULL;
    struct sbx_call call;
    sbx_call_init_after(&call, sizeof(call), s->w.env, 100000);
    T_STATUS(sbx_run_open(s->w.sb, "job", &run, NULL), SBX_OK);
    if (sbx_run_wait(run, &call, &status, NULL)) sweep_fail(s, "the run can be waited for", __FILE__, __LINE__);
    sbx_run_free(run);
    return status;
}

static void submit_after(struct sweep *s) {
    const struct sbx_error err = s->w.err;
    sbx_sim_advance_ms(s->w.sim, 500);
    ran_once_at_most(s, &err);
    if (sbx_sandbox_submit(s->w.sb, "job", JOB, NULL, NULL, NULL, NULL))
        sweep_fail(s, "a submit can be repeated", __FILE__, __LINE__);
    S_TRUE(s, waited(s).exit_code == 7);
    S_TRUE(s, atoi(sweep_shell(s, "wc -l < count")) == 1);
    sweep_destroy(s);
}

static void submitting(void) {
    static const struct operation op = {
        .name = "submit", .requests_min = 25, .before = sweep_launched, .run = submit_run, .after = submit_after};
    sweep(&op);
}

static void submit_lost_before(struct sweep *s) {
    sweep_launched(s);
    world_fault(&s->w, "{'op':'daytona.toolbox.execute','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
}

static void submitting_and_the_reply_is_lost(void) {
    static const struct operation op = {.name = "submit, reply lost",
                                        .requests_min = 30,
                                        .also = SBX_CONNECTION_LOST,
                                        .before = submit_lost_before,
                                        .run = submit_run,
                                        .after = submit_after};
    sweep(&op);
}

/* ---- questions ---- */

static void submitted_before(struct sweep *s) {
    sweep_launched(s);
    T_STATUS(sbx_sandbox_submit(s->w.sb, "job", LONG_JOB, NULL, NULL, NULL, NULL), SBX_OK);
    sbx_sim_advance_ms(s->w.sim, 1000);
}

static void submitted_after(struct sweep *s) {
    S_TRUE(s, waited(s).exit_code == 7);
    S_TRUE(s, atoi(sweep_shell(s, "wc -l < count")) == 1);
    sweep_destroy(s);
}

static enum sbx_status poll_run(struct sweep *s) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    enum sbx_status st = sbx_sandbox_poll(s->w.sb, "job", NULL, &status, &s->w.err);
    if (!st) S_TRUE(s, status.state == SBX_RUN_RUNNING || status.state == SBX_RUN_EXITED);
    return st;
}

static void polling(void) {
    static const struct operation op = {.name = "poll",
                                        .only_reads = 1,
                                        .requests_min = 15,
                                        .before = submitted_before,
                                        .run = poll_run,
                                        .after = submitted_after};
    sweep(&op);
}

static enum sbx_status logs_run(struct sweep *s) {
    struct sbx_log *log = NULL;
    enum sbx_status st = sbx_sandbox_read_logs(s->w.sb, "job", NULL, NULL, &log, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (log != NULL));
    if (log) S_TRUE(s, strcmp(sbx_log_bytes(log, SBX_STDOUT, NULL), "said\n") == 0);
    sbx_log_free(log);
    return st;
}

static void reading_logs(void) {
    static const struct operation op = {.name = "read_logs",
                                        .only_reads = 1,
                                        .requests_min = 15,
                                        .before = submitted_before,
                                        .run = logs_run,
                                        .after = submitted_after};
    sweep(&op);
}

static enum sbx_status reader_run(struct sweep *s) {
    struct sbx_run *run = NULL;
    char buf[64];
    size_t len = 0;
    enum sbx_status st = sbx_run_open(s->w.sb, "job", &run, &s->w.err);
    if (!st) st = sbx_run_read(run, SBX_STDOUT, buf, sizeof(buf), NULL, &len, &s->w.err);
    if (!st) S_TRUE(s, len == 5 && memcmp(buf, "said\n", 5) == 0);
    sbx_run_free(run);
    return st;
}

static void reading_by_a_reader(void) {
    static const struct operation op = {.name = "run_read",
                                        .only_reads = 1,
                                        .requests_min = 15,
                                        .before = submitted_before,
                                        .run = reader_run,
                                        .after = submitted_after};
    sweep(&op);
}

/* ---- kill ---- */

static enum sbx_status kill_run(struct sweep *s) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    enum sbx_status st = sbx_sandbox_kill_run(s->w.sb, "job", NULL, &status, &s->w.err);
    if (!st) S_TRUE(s, status.state != SBX_RUN_RUNNING);
    return st;
}

static void kill_after(struct sweep *s) {
    if (sbx_sandbox_kill_run(s->w.sb, "job", NULL, NULL, NULL))
        sweep_fail(s, "a kill can be repeated", __FILE__, __LINE__);
    S_TRUE(s, waited(s).exit_code != 7);
    sweep_destroy(s);
}

static void killing(void) {
    static const struct operation op = {
        .name = "kill_run", .requests_min = 20, .before = submitted_before, .run = kill_run, .after = kill_after};
    sweep(&op);
}

/* ---- commands: streamed, and by the wire ---- */

static struct sbx_exec_result *result;
static size_t given;

static int output(void *ctx, int32_t stream, const void *data, size_t len) {
    (void)ctx, (void)stream, (void)data;
    given += len;
    return 0;
}

static void exec_before(struct sweep *s) {
    result = NULL;
    given = 0;
    sweep_launched(s);
}

static enum sbx_status stream_run(struct sweep *s) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.output = output;
    return sbx_sandbox_exec(s->w.sb, JOB, &opt, NULL, &result, &s->w.err);
}

static enum sbx_status wire_run(struct sweep *s) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.mode = SBX_EXEC_WIRE;
    return sbx_sandbox_exec(s->w.sb, JOB, &opt, NULL, &result, &s->w.err);
}

/* A command that failed for want of memory is not left running, as far as there was memory to end it with. */
static void exec_after(struct sweep *s) {
    const struct sbx_error err = s->w.err;
    S_TRUE(s, (s->st == SBX_OK) == (result != NULL));
    if (result) S_TRUE(s, sbx_exec_result_exit_code(result) == 7);
    if (result) S_TRUE(s, strcmp(sbx_exec_result_stdout(result, NULL), "said\n") == 0);
    ran_once_at_most(s, &err);
    sbx_exec_result_free(result);
    sweep_destroy(s);
}

static void stream_after(struct sweep *s) {
    if (!s->st) S_TRUE(s, given == 5);
    exec_after(s);
}

static void running_a_command_and_streaming(void) {
    static const struct operation op = {
        .name = "exec, streamed", .requests_min = 50, .before = exec_before, .run = stream_run, .after = stream_after};
    sweep(&op);
}

static void running_a_command_by_the_wire(void) {
    static const struct operation op = {
        .name = "exec, wire", .requests_min = 12, .before = exec_before, .run = wire_run, .after = exec_after};
    sweep(&op);
}

T_CASES(T_CASE(submitting), T_CASE(submitting_and_the_reply_is_lost), T_CASE(polling), T_CASE(reading_logs),
        T_CASE(reading_by_a_reader), T_CASE(killing), T_CASE(running_a_command_and_streaming),
        T_CASE(running_a_command_by_the_wire))
