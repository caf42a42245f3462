/* Commands: by the wire, which is exact here, or by src/work. Rows E2-E4, P7, P9, P11. */
#include "adapters/e2b/inside.h"
#include "adapters/e2b/life.h"
#include "adapters/e2b/process.h"

#include <sandport/kit/text.h>
#include <string.h>

/* A session of its own, so that what a command starts can be ended with it: the daemon gives none. Where there is no
 * setsid the command runs all the same. The command's environment is left as it is: no variable is set but in a
 * subshell, since the caller may have exported one of any name. */
static const char wire_script[] =
    "exec $(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; command -v setsid) /bin/sh -c \"$1\"\n";

/* ---- by the wire ---- */

struct wire {
    const struct sbx_exec_options *opt;
    size_t limit;
    struct sbx_buf out, err; /* the first `limit` of each */
    uint64_t out_total, err_total;
};

static int wire_data(void *ctx, int32_t stream, const void *data, size_t len) {
    struct wire *w = ctx;
    struct sbx_buf *kept = stream == SBX_STDOUT ? &w->out : &w->err;
    size_t room = w->limit - kept->len;
    *(stream == SBX_STDOUT ? &w->out_total : &w->err_total) += len;
    sbx_buf_append(kept, data, len < room ? len : room);
    return w->opt->output && w->opt->output(w->opt->output_ctx, stream, data, len) != 0;
}

static enum sbx_status wire_result(const struct wire *w, const struct e2b_heard *heard, int killed,
                                   struct sbx_exec_result *result) {
    const struct sbx_exec_draft draft = {.size = sizeof(draft),
                                         .exit_known = heard->exit_known,
                                         .exit_code = heard->exit_known ? heard->exit_code : -1,
                                         .out = sbx_buf_text(&w->out),
                                         .out_len = w->out.len,
                                         .out_total = w->out_total,
                                         .err = sbx_buf_text(&w->err),
                                         .err_len = w->err.len,
                                         .err_total = w->err_total,
                                         .bytes_exact = heard->ended && heard->ending == SBX_CONNECT_WELL,
                                         .killed_confirmed = killed};
    return sbx_exec_result_set(result, &draft);
}

/* Pure: must it be ended? Not where it never began, and not when it has ended by itself. One that was killed for its
 * time has left its children behind. */
static int is_to_be_ended(enum sbx_status st, int32_t outcome) {
    return st != SBX_OK &&
           (outcome == SBX_OUTCOME_DONE || outcome == SBX_OUTCOME_UNKNOWN); /* guard: cut_off_is_ended */
}

static enum sbx_status wire_finish(struct e2b *e, const struct sbx_identity *who, const struct wire *w,
                                   struct e2b_heard *heard, const char *tag, enum sbx_status st,
                                   const struct sbx_call *call, struct sbx_exec_result *result, struct sbx_error *err) {
    const int to_be_ended = is_to_be_ended(st, err->outcome);
    int64_t pid = heard->pid;
    int killed = 0;
    if (st) st = e2b_explain(e, who, st, call, err);
    if (to_be_ended) {
        killed = st == SBX_NOT_FOUND || e2b_process_end(e, who, tag, &pid, call);
        if (pid) err->outcome = SBX_OUTCOME_DONE; /* it was found, so it had begun */
    }
    if (st && err->outcome != SBX_OUTCOME_DONE) return st;
    if (wire_result(w, heard, killed, result)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    return st;
}

static enum sbx_status exec_wire(struct e2b *e, const struct sbx_identity *who, const char *command,
                                 const struct sbx_exec_options *opt, const struct sbx_call *call,
                                 struct sbx_exec_result *result, struct sbx_error *err) {
    const char *const args[] = {"-c", wire_script, "sbx", command};
    unsigned char random[(E2B_TAG_SIZE - 1) / 2];
    char tag[E2B_TAG_SIZE];
    struct wire w = {.opt = opt, .limit = (size_t)opt->output_bytes_max};
    const struct e2b_hearer to = {&w, wire_data};
    struct e2b_heard heard = {0};
    enum sbx_status st = e->env->random(e->env, random, sizeof(random));
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "no random bytes for a tag");
    sbx_hex(random, sizeof(random), tag);
    const struct e2b_order order = {.args = args,
                                    .arg_count = 4,
                                    .cwd = opt->cwd,
                                    .vars = opt->env,
                                    .var_count = opt->env_count,
                                    .lifetime_ms = opt->lifetime_ms,
                                    .tag = tag};
    st = e2b_process_run(e, who, &order, &to, call, &heard, err);
    if (w.out.failed || w.err.failed) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    st = wire_finish(e, who, &w, &heard, tag, st, call, result, err);
    sbx_buf_finish(&w.out);
    sbx_buf_finish(&w.err);
    return st;
}

/* ---- by src/work ---- */

static enum sbx_status exec_exact(struct e2b *e, const struct sbx_identity *who, const char *command,
                                  const struct sbx_exec_options *opt, const struct sbx_call *call,
                                  struct sbx_exec_result *result, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, e, who);
    enum sbx_status st = opt->output ? sbx_stream_exec(&in.work, command, opt, call, result, err)
                                     : sbx_exact_exec(&in.work, command, opt, call, result, err);
    return st ? e2b_explain(e, who, st, call, err) : SBX_OK;
}

enum sbx_status e2b_exec(void *self, const struct sbx_identity *who, const char *command,
                         const struct sbx_exec_options *opt, const struct sbx_call *call,
                         struct sbx_exec_result *result, struct sbx_error *err) {
    struct e2b *e = self;
    struct sbx_exec_options own = *opt;
    const struct e2b_need need = {.lifetime_ms = opt->lifetime_ms, .budget_ms = e->sync_run_budget_ms, .sync = 1};
    enum sbx_status st = e2b_life_arm(e, who, &need, call, NULL, err);
    if (st) return st;
    if (!own.lifetime_ms) own.lifetime_ms = e->sync_run_budget_ms; /* guard: sync_run_is_capped */
    return opt->mode == SBX_EXEC_EXACT ? exec_exact(e, who, command, &own, call, result, err)
                                       : exec_wire(e, who, command, &own, call, result, err);
}
