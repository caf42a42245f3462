/* Durable runs, as the conformance suite plays them. Where there are none, each is refused. */
#include "scene.h"

#include <string.h>

#define RUN     "run 1"
#define ENDS    "echo x >>count; echo out; echo err >&2; exit 3"
#define GOES_ON "echo x >>count; echo first; echo $$ >begun; sleep 1000"

static enum sbx_status submit_with(struct scene *s, const char *command, const struct sbx_call *call) {
    return sbx_sandbox_submit(s->sb, RUN, command, NULL, call, &s->status, &s->err);
}

static void await_end(struct scene *s) {
    struct sbx_run *run = NULL;
    T_STATUS(sbx_run_open(s->sb, RUN, &run, &s->err), SBX_OK);
    T_STATUS(sbx_run_wait(run, NULL, &s->status, &s->err), SBX_OK);
    sbx_run_free(run);
}

static void await_first(struct scene *s) {
    char first[16];
    size_t len = 0;
    struct sbx_run *run = NULL;
    T_STATUS(sbx_run_open(s->sb, RUN, &run, &s->err), SBX_OK);
    T_STATUS(sbx_run_read(run, SBX_STDOUT, first, sizeof(first), NULL, &len, &s->err), SBX_OK);
    T_MEM(first, len, "first\n", 6);
    sbx_run_free(run);
}

static void known_home(struct scene *s) { /* so that the next request is about the run */
    T_STATUS(sbx_sandbox_home_dir(s->sb, NULL, &s->text, &s->err), SBX_OK);
}

static void ended_run(struct scene *s) {
    T_STATUS(submit_with(s, ENDS, NULL), SBX_OK);
    await_end(s);
}

static void going_run(struct scene *s) {
    T_STATUS(submit_with(s, GOES_ON, NULL), SBX_OK);
    await_first(s);
    T_STATUS(sbx_run_open(s->sb, RUN, &s->run, &s->err), SBX_OK);
}

static enum sbx_status submit(struct scene *s) {
    return submit_with(s, ENDS, &s->call);
}

static void submitted(struct scene *s) {
    T_EQ(s->status.submitted, 1);
    await_end(s);
    T_EQ(s->status.state, SBX_RUN_EXITED);
    T_EQ(s->status.exit_code, 3);
}

/* After an outcome that is unknown it is submitted again, and has run once in all. */
static void submit_again(struct scene *s, enum sbx_status st) {
    if (st && (s->err.outcome == SBX_OUTCOME_REFUSED || s->err.outcome == SBX_OUTCOME_NOT_SENT)) scene_ran(s, st);
    T_STATUS(submit(s), SBX_OK);
    await_end(s);
    T_EQ(s->status.exit_code, 3);
    scene_ran(s, SBX_OK);
}

static enum sbx_status poll(struct scene *s) {
    return sbx_sandbox_poll(s->sb, RUN, &s->call, &s->status, &s->err);
}

static void polled(struct scene *s) {
    T_EQ(s->status.state, SBX_RUN_EXITED);
    T_EQ(s->status.exit_code, 3);
    T_EQ(s->status.stdout_bytes, 4);
    T_EQ(s->status.stderr_bytes, 4);
}

static enum sbx_status read_logs(struct scene *s) {
    return sbx_sandbox_read_logs(s->sb, RUN, NULL, &s->call, &s->log, &s->err);
}

static void logs_read(struct scene *s) {
    T_STR(sbx_log_bytes(s->log, SBX_STDOUT, NULL), "out\n");
    T_STR(sbx_log_bytes(s->log, SBX_STDERR, NULL), "err\n");
}

static enum sbx_status kill_run(struct scene *s) {
    return sbx_sandbox_kill_run(s->sb, RUN, &s->call, &s->status, &s->err);
}

static void killed(struct scene *s) {
    T_EQ(s->status.kill_asked, 1);
    T_EQ(s->status.killed_confirmed, 1);
    T_TRUE(s->status.state == SBX_RUN_EXITED || s->status.state == SBX_RUN_LOST);
    scene_dead(s, 1);
}

static void kill_again(struct scene *s, enum sbx_status st) {
    (void)st;
    T_STATUS(kill_run(s), SBX_OK);
    T_TRUE(s->status.state == SBX_RUN_EXITED || s->status.state == SBX_RUN_LOST);
    scene_dead(s, 1);
}

/* Reads what there is, then waits for more. */
static enum sbx_status run_read(struct scene *s) {
    char piece[16];
    size_t len = 1;
    enum sbx_status st = s->run ? SBX_OK : sbx_run_open(s->sb, RUN, &s->run, &s->err);
    while (!st && len) {
        st = sbx_run_read(s->run, SBX_STDOUT, piece, sizeof(piece), &s->call, &len, &s->err);
        if (!st) sbx_buf_append(&s->bytes[0], piece, len);
    }
    return st;
}

static void run_read_before(struct scene *s) {
    if (s->condition == CANCEL || s->condition == DEADLINE)
        going_run(s);
    else
        ended_run(s);
}

static void all_read(struct scene *s) {
    T_STR(sbx_buf_text(&s->bytes[0]), "out\n");
}

static void read_on(struct scene *s, enum sbx_status st) {
    if (!st) return;
    T_STATUS(kill_run(s), SBX_OK);
    T_STATUS(run_read(s), SBX_OK); /* from where it was */
    T_STR(sbx_buf_text(&s->bytes[0]), s->condition == CANCEL || s->condition == DEADLINE ? "first\n" : "out\n");
}

const struct operation op_submit = {.name = "submit",
                                    .caps = SBX_CAP_ASYNC_EXEC,
                                    .before = known_home,
                                    .run = submit,
                                    .done = submitted,
                                    .after = submit_again};
const struct operation op_poll = {
    .name = "poll", .reads = 1, .caps = SBX_CAP_ASYNC_EXEC, .before = ended_run, .run = poll, .done = polled};
const struct operation op_read_logs = {.name = "read_logs",
                                       .reads = 1,
                                       .caps = SBX_CAP_ASYNC_EXEC,
                                       .before = ended_run,
                                       .run = read_logs,
                                       .done = logs_read};
const struct operation op_kill_run = {.name = "kill_run",
                                      .caps = SBX_CAP_ASYNC_EXEC,
                                      .before = going_run,
                                      .run = kill_run,
                                      .done = killed,
                                      .after = kill_again};
const struct operation op_run_read = {.name = "run_read",
                                      .reads = 1,
                                      .caps = SBX_CAP_ASYNC_EXEC,
                                      .waiting = WAITING_COMMAND,
                                      .before = run_read_before,
                                      .run = run_read,
                                      .done = all_read,
                                      .after = read_on};
