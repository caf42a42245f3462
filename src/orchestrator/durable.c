/* A step that is a durable run: submitted until that is certain, read until its end, ended when its time is over. Rows
 * P2, D10. */
#include "src/orchestrator/room.h"

#include <string.h>

#define SUBMITS       3
#define PIECE_BYTES   (256 * 1024)
#define LOOK_MS       50
#define LOOK_MS_MAX   1000
#define READ_FAILURES 3

/* Nothing is ever started twice under one id, so what is not known is asked for again. */
static enum sbx_status submit(struct course *c, const struct sbx_step *step, const struct sbx_call *call) {
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    struct sbx_backoff backoff;
    enum sbx_status st = SBX_OK;
    opt.cwd = step->cwd;
    opt.env = step->env;
    opt.env_count = step->env_count;
    opt.lifetime_ms = step->lifetime_ms;
    sbx_backoff_init(&backoff, LOOK_MS, LOOK_MS_MAX);
    for (int i = 0; i < SUBMITS; i++) {
        st = sbx_sandbox_submit(c->sb, step->id, step->command, &opt, call, NULL, c->err);
        if (!st || c->err->outcome != SBX_OUTCOME_UNKNOWN || st == SBX_CANCELLED || st == SBX_DEADLINE) break;
        const int64_t due_ms = call->deadline_ms ? call->deadline_ms : SBX_NO_DEADLINE;
        if (sbx_backoff_sleep(&backoff, c->env, due_ms, sbx_cancel_event(call->cancel))) break;
    }
    return st;
}

struct reading {
    int64_t from[2];
    struct sbx_run_status status;
};

/* One look: what is new of both streams. @param moved there was something */
static enum sbx_status look(struct course *c, const struct sbx_step *step, const struct sbx_call *call,
                            struct reading *at, struct step_result *into, int *moved) {
    struct sbx_log_options opt = SBX_LOG_OPTIONS_INIT;
    struct sbx_log *log = NULL;
    *moved = 0;
    opt.stdout_from = at->from[0];
    opt.stderr_from = at->from[1];
    opt.bytes_max = PIECE_BYTES;
    enum sbx_status st = sbx_sandbox_read_logs(c->sb, step->id, &opt, call, &log, c->err);
    if (st) return st;
    sbx_log_status(log, &at->status);
    for (int i = 0; i < 2 && !st; i++) {
        size_t len = 0;
        const char *bytes = sbx_log_bytes(log, i ? SBX_STDERR : SBX_STDOUT, &len);
        if (len && sbx_work_hear(step, into, i ? SBX_STDERR : SBX_STDOUT, bytes, len))
            st = sbx_fail(c->err, SBX_CANCELLED, SBX_OUTCOME_DONE, "the step's own output stopped it");
        at->from[i] += (int64_t)len;
        *moved |= len > 0;
    }
    into->total[0] = at->status.stdout_bytes;
    into->total[1] = at->status.stderr_bytes;
    sbx_log_free(log);
    return st;
}

static int is_over(const struct reading *at) {
    const int32_t state = at->status.state;
    return state == SBX_RUN_EXITED || state == SBX_RUN_LOST || state == SBX_RUN_REFUSED;
}

/* A read that is lost costs nothing: the run goes on, and is looked at again. */
static int passes(enum sbx_status st, int failures) {
    return failures < READ_FAILURES &&
           (st == SBX_CONNECTION_LOST || st == SBX_CONNECT_FAILED || st == SBX_NOT_READY || st == SBX_PROVIDER);
}

static enum sbx_status follow(struct course *c, const struct sbx_step *step, const struct sbx_call *call,
                              struct reading *at, struct step_result *into) {
    const int64_t due_ms = call->deadline_ms ? call->deadline_ms : SBX_NO_DEADLINE;
    struct sbx_backoff backoff;
    int failures = 0, moved = 0;
    sbx_backoff_init(&backoff, LOOK_MS, LOOK_MS_MAX);
    for (;;) {
        struct sbx_call one = *call;
        if (call->deadline_ms == SBX_NO_DEADLINE) one.deadline_ms = 0; /* a read has one of its own */
        enum sbx_status st = look(c, step, &one, at, into, &moved);
        failures = st ? failures + 1 : 0;
        if (st && !passes(st, failures)) return st;
        if (!st && !moved && is_over(at)) return SBX_OK;
        if (moved) {
            sbx_backoff_init(&backoff, LOOK_MS, LOOK_MS_MAX);
            continue;
        }
        st = sbx_backoff_sleep(&backoff, c->env, due_ms, sbx_cancel_event(call->cancel));
        if (st) return sbx_fail(c->err, st, SBX_OUTCOME_DONE, "the run had not ended");
    }
}

/* What nobody waits for any more is ended, and what it wrote until then is had; the first failure stays. */
static void end_run(struct course *c, const struct sbx_step *step, struct reading *at, struct step_result *into) {
    struct sbx_error first = *c->err, quiet = SBX_ERROR_INIT;
    struct sbx_call cleanup;
    int moved = 1;
    if (!sbx_work_cleanup(c, &cleanup)) return;
    if (sbx_sandbox_kill_run(c->sb, step->id, &cleanup, NULL, &quiet) == SBX_OK) {
        struct sbx_step silent = *step;
        silent.output = NULL;
        while (moved && look(c, &silent, &cleanup, at, into, &moved) == SBX_OK) continue;
    }
    *c->err = first;
}

static enum sbx_status verdict(struct course *c, const struct reading *at, struct step_result *into) {
    into->exact = 1;
    if (at->status.state == SBX_RUN_LOST)
        return sbx_fail(c->err, SBX_PROCESS_LOST, SBX_OUTCOME_DONE, "the run is gone and left no exit code");
    if (at->status.state == SBX_RUN_REFUSED)
        return sbx_fail(c->err, SBX_NOT_READY, SBX_OUTCOME_REFUSED, "the run never began");
    into->exit_known = 1;
    into->exit_code = at->status.exit_code;
    if (at->status.timed_out) return sbx_fail(c->err, SBX_COMMAND_TIMEOUT, SBX_OUTCOME_DONE, NULL);
    return SBX_OK;
}

enum sbx_status sbx_work_durable(struct course *c, const struct sbx_step *step, const struct sbx_call *call,
                                 struct step_result *into) {
    struct reading at = {.status = SBX_RUN_STATUS_INIT};
    enum sbx_status st = submit(c, step, call);
    if (st && c->err->outcome != SBX_OUTCOME_UNKNOWN) return st;
    if (!st) st = follow(c, step, call, &at, into);
    if (!st) return verdict(c, &at, into);
    end_run(c, step, &at, into); /* guard: unwaited_run_is_ended */
    return st;
}
