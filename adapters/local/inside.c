/* Commands, by pipes of their own, and durable runs, by lines of shell. Rows L1, P7, P11, D10. */
#include "adapters/local/inside.h"

#include <string.h>

/* ---- commands: the wire is exact, so both modes are one ---- */

struct heard {
    const struct sbx_exec_options *opt;
    size_t limit;
    struct sbx_buf out, err; /* the first `limit` of each */
    uint64_t out_total, err_total;
    int stopped;
};

static int hear(void *ctx, int32_t stream, const void *data, size_t len) {
    struct heard *h = ctx;
    struct sbx_buf *kept = stream == SBX_STDOUT ? &h->out : &h->err;
    size_t room = h->limit - kept->len;
    *(stream == SBX_STDOUT ? &h->out_total : &h->err_total) += len;
    sbx_buf_append(kept, data, len < room ? len : room);
    if (kept->failed) return 1;
    h->stopped = h->opt->output && h->opt->output(h->opt->output_ctx, stream, data, len) != 0;
    return h->stopped;
}

static enum sbx_status heard_result(const struct heard *h, const struct local_end *end,
                                    struct sbx_exec_result *result) {
    const struct sbx_exec_draft draft = {.size = sizeof(draft),
                                         .exit_known = end->exit_known,
                                         .exit_code = end->exit_code,
                                         .out = sbx_buf_text(&h->out),
                                         .out_len = h->out.len,
                                         .out_total = h->out_total,
                                         .err = sbx_buf_text(&h->err),
                                         .err_len = h->err.len,
                                         .err_total = h->err_total,
                                         .bytes_exact = 1,
                                         .killed_confirmed = end->killed_confirmed};
    return sbx_exec_result_set(result, &draft);
}

static enum sbx_status exec_end(const struct heard *h, const struct local_end *end, enum sbx_status st,
                                struct sbx_exec_result *result, struct sbx_error *err) {
    if (st && err->outcome != SBX_OUTCOME_DONE) return st;
    if (h->out.failed || h->err.failed) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    if (st == SBX_STREAM && h->stopped) st = sbx_fail(err, SBX_CANCELLED, SBX_OUTCOME_DONE, NULL);
    if (!st && !end->exit_known)
        st = sbx_fail(err, SBX_PROCESS_LOST, SBX_OUTCOME_DONE, "this program's own waits took its exit code");
    if (heard_result(h, end, result)) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    return st;
}

enum sbx_status sbx_local_exec(void *self, const struct sbx_identity *who, const char *command,
                               const struct sbx_exec_options *opt, const struct sbx_call *call,
                               struct sbx_exec_result *result, struct sbx_error *err) {
    const struct local *l = self;
    struct heard h = {.opt = opt, .limit = (size_t)opt->output_bytes_max};
    struct local_view view = {0};
    struct local_end end = {0};
    const struct local_order order = {.args = {l->shell, "-c", command},
                                      .cwd = opt->cwd,
                                      .with_env = 1,
                                      .vars = opt->env,
                                      .var_count = opt->env_count,
                                      .lifetime_ms = opt->lifetime_ms ? opt->lifetime_ms : l->run_budget_ms,
                                      .data = hear,
                                      .ctx = &h};
    enum sbx_status st = sbx_local_view_running(l, who->id, &view, err);
    if (!st) {
        st = sbx_local_process_run(l, &view, &order, call, &end, err);
        st = exec_end(&h, &end, st, result, err);
    }
    sbx_local_view_finish(&view);
    sbx_buf_finish(&h.out);
    sbx_buf_finish(&h.err);
    return st;
}

/* ---- lines of shell ---- */

struct answer {
    struct sbx_buf *text;
    size_t max;
};

static int answer_take(void *ctx, int32_t stream, const void *data, size_t len) {
    struct answer *answer = ctx;
    if (stream != SBX_STDOUT) return 0;
    if (len > answer->max - answer->text->len) return 1;
    sbx_buf_append(answer->text, data, len);
    return answer->text->failed;
}

static enum sbx_status inside_run(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                                  int64_t lifetime_ms, const struct sbx_call *call, size_t text_max,
                                  struct sbx_buf *text, struct sbx_error *err) {
    const struct local_inside *in = ctx;
    const struct local *l = in->self;
    struct answer answer = {text, text_max};
    struct local_view view = {0};
    struct local_end end = {0};
    const struct local_order order = {.args = {l->shell, "-c", line},
                                      .with_env = 1,
                                      .vars = vars,
                                      .var_count = var_count,
                                      .lifetime_ms = lifetime_ms,
                                      .data = answer_take,
                                      .ctx = &answer};
    enum sbx_status st = sbx_local_view_running(l, in->who->id, &view, err);
    if (!st) {
        st = sbx_local_process_run(l, &view, &order, call, &end, err);
        if (st == SBX_STREAM) st = text->failed ? SBX_NO_MEMORY : SBX_TOO_LARGE;
        /* what it answered is what it did; that it began says nothing */
        if (st && err->outcome == SBX_OUTCOME_DONE) sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
        if (!st && !text->len) st = sbx_fail(err, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, "a shell gave no answer");
    }
    sbx_local_view_finish(&view);
    return st;
}

static enum sbx_status inside_exec(void *ctx, const char *command, const struct sbx_exec_options *opt,
                                   const struct sbx_call *call, struct sbx_exec_result *result, struct sbx_error *err) {
    const struct local_inside *in = ctx;
    return sbx_local_exec(in->self, in->who, command, opt, call, result, err);
}

/* Its /tmp where it has one, else the directory beside its home directory: what stays goes with the sandbox. */
static const char *inside_tmp(const struct local *l, const struct sbx_identity *who) {
    struct local_view view = {0};
    struct sbx_error quiet = SBX_ERROR_INIT;
    (void)!sbx_local_view_read(l, who->id, &view, &quiet);
    const char *tmp = view.isolated ? "/tmp" : "../tmp"; /* guard: local_tmp_is_its_own */
    sbx_local_view_finish(&view);
    return tmp;
}

void sbx_local_inside_begin(struct local_inside *in, void *self, const struct sbx_identity *who) {
    const struct local *l = self;
    in->self = self;
    in->who = who;
    in->work = (struct sbx_work_host){.size = sizeof(in->work),
                                      .ctx = in,
                                      .env = l->env,
                                      .run = inside_run,
                                      .sandbox = who->id,
                                      .exec = inside_exec,
                                      .tmp = inside_tmp(l, who)};
}

/* ---- durable runs ---- */

enum sbx_status sbx_local_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                 const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                                 struct sbx_run_status *status, struct sbx_error *err) {
    const struct local *l = self;
    struct local_inside in;
    struct sbx_run_options own = *opt;
    if (!own.lifetime_ms) own.lifetime_ms = l->run_budget_ms;
    sbx_local_inside_begin(&in, self, who);
    return sbx_durable_submit(&in.work, home, run_id, command, &own, call, status, err);
}

enum sbx_status sbx_local_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                    const struct sbx_log_options *opt, const struct sbx_call *call,
                                    struct sbx_log *into, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    return sbx_durable_read(&in.work, home, run_id, opt, call, into, err);
}

enum sbx_status sbx_local_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                   const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err) {
    struct local_inside in;
    sbx_local_inside_begin(&in, self, who);
    return sbx_durable_kill(&in.work, home, run_id, call, status, err);
}
