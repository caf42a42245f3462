/* One step: a command, and what it wrote. Rows P2, P7. */
#include "src/orchestrator/room.h"

#include <string.h>

struct hearing {
    const struct sbx_step *step;
    struct step_result *into;
};

int sbx_work_hear(const struct sbx_step *step, struct step_result *into, int32_t stream, const void *data, size_t len) {
    struct sbx_buf *kept = &into->out[stream == SBX_STDERR];
    const size_t limit = step->output_bytes_max ? (size_t)step->output_bytes_max : SBX_OUTPUT_BYTES_DEFAULT;
    const size_t room = limit > kept->len ? limit - kept->len : 0;
    sbx_buf_append(kept, data, len < room ? len : room);
    return step->output ? step->output(step->output_ctx, stream, data, len) : 0;
}

static void take(struct step_result *into, const struct sbx_exec_result *from) {
    for (int i = 0; i < 2; i++) {
        size_t len = 0;
        const char *bytes = i ? sbx_exec_result_stderr(from, &len) : sbx_exec_result_stdout(from, &len);
        sbx_buf_append(&into->out[i], bytes, len);
        into->total[i] = i ? sbx_exec_result_stderr_total(from) : sbx_exec_result_stdout_total(from);
    }
    into->exit_known = sbx_exec_result_exit_known(from);
    into->exit_code = sbx_exec_result_exit_code(from);
    into->merged = sbx_exec_result_streams_merged(from);
    into->exact = sbx_exec_result_bytes_exact(from);
}

static enum sbx_status run_now(struct course *c, const struct sbx_step *step, const struct sbx_call *call,
                               struct step_result *into) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *from = NULL;
    opt.cwd = step->cwd;
    opt.env = step->env;
    opt.env_count = step->env_count;
    opt.lifetime_ms = step->lifetime_ms;
    opt.output_bytes_max = step->output_bytes_max;
    opt.mode = step->mode;
    opt.output = step->way == SBX_STEP_STREAMED ? step->output : NULL;
    opt.output_ctx = step->output_ctx;
    enum sbx_status st = sbx_sandbox_exec(c->sb, step->command, &opt, call, &from, c->err);
    if (from) take(into, from);
    sbx_exec_result_free(from);
    return st;
}

struct sbx_call sbx_work_call(const struct course *c, int64_t limit_ms) {
    struct sbx_call call = c->call;
    if (limit_ms) {
        const int64_t now_ms = c->env->now_ms(c->env);
        const int64_t due_ms = limit_ms < SBX_NO_DEADLINE - now_ms ? now_ms + limit_ms : SBX_NO_DEADLINE;
        if (!call.deadline_ms || due_ms < call.deadline_ms) call.deadline_ms = due_ms;
    }
    return call;
}

enum sbx_status sbx_work_step(struct course *c, size_t i) {
    const struct sbx_step *step = &c->work->steps[i];
    struct step_result *into = &c->result->steps[i];
    const struct sbx_call call = sbx_work_call(c, step->limit_ms);
    into->exit_code = -1;
    c->result->step_count = i + 1;
    into->begun_ms = c->env->now_ms(c->env);
    enum sbx_status st =
        step->way == SBX_STEP_DURABLE ? sbx_work_durable(c, step, &call, into) : run_now(c, step, &call, into);
    into->ended_ms = c->env->now_ms(c->env);
    if (!st && (into->out[0].failed || into->out[1].failed))
        st = sbx_fail(c->err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    into->status = (int32_t)st;
    if (!st && into->exit_code != 0 && step->may_fail != SBX_YES) /* guard: failed_step_is_last */
        c->result->failed_step = (ptrdiff_t)i;
    return st;
}
