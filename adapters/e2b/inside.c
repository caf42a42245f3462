/* How src/work reaches a sandbox of E2B's: lines of shell, each a process of the daemon's. Rows D10, P11, E5-E7.
 *
 * The lifetime of such a process is that of the request, and short: what a run consists of is in sessions of its own,
 * which the daemon knows nothing of and never ends. */
#include "adapters/e2b/inside.h"

#include "adapters/e2b/process.h"

#include <string.h>

#define EXPLAIN_MS 5000

static enum sbx_status inside_run(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                                  int64_t lifetime_ms, const struct sbx_call *call, size_t text_max,
                                  struct sbx_buf *text, struct sbx_error *err) {
    const struct e2b_inside *in = ctx;
    const char *const args[] = {"-c", line};
    const struct e2b_order order = {
        .args = args, .arg_count = 2, .vars = vars, .var_count = var_count, .lifetime_ms = lifetime_ms};
    struct e2b_heard heard = {0};
    enum sbx_status st = e2b_process_text(in->e, in->who, &order, text_max, call, text, &heard, err);
    /* The line is ours: what it answered is what it did, and that it began says nothing. */
    if (st && err->outcome == SBX_OUTCOME_DONE) err->outcome = SBX_OUTCOME_UNKNOWN;
    return st;
}

void e2b_inside_begin(struct e2b_inside *in, struct e2b *e, const struct sbx_identity *who) {
    in->e = e;
    in->who = who;
    in->work = (struct sbx_work_host){.size = sizeof(in->work),
                                      .ctx = in,
                                      .env = e->env,
                                      .run = inside_run,
                                      .receipts = e->receipts,
                                      .sandbox = who->id};
}

static int is_unexplained(enum sbx_status st) {
    return st == SBX_PROVIDER || st == SBX_NOT_READY || st == SBX_CONNECTION_LOST || st == SBX_PROTOCOL ||
           st == SBX_UNAUTHORISED;
}

enum sbx_status e2b_explain(struct e2b *e, const struct sbx_identity *who, enum sbx_status st,
                            const struct sbx_call *call, struct sbx_error *err) {
    struct e2b_view view = {0};
    struct sbx_error quiet;
    if (!is_unexplained(st) || err->outcome == SBX_OUTCOME_NOT_SENT || sbx_call_check(call, e->env)) return st;
    sbx_error_init(&quiet, sizeof(quiet));
    const struct sbx_call brief = sbx_call_within(call, e->env, EXPLAIN_MS);
    enum sbx_status seen = e2b_view_once(e, who->id, &brief, &view, &quiet);
    if (seen == SBX_NOT_FOUND) /* guard: gone_is_told */
        st = sbx_fail(err, SBX_NOT_FOUND, (enum sbx_outcome)err->outcome, "the sandbox is gone");
    else if (!seen && st == SBX_UNAUTHORISED && strcmp(view.is.token, who->token) != 0)
        st = sbx_fail(err, st, (enum sbx_outcome)err->outcome,
                      "the sandbox was resumed elsewhere and has another token: attach to it again");
    else if (!seen && view.is.state == SBX_STATE_PAUSED)
        st = sbx_fail(err, SBX_NOT_READY, (enum sbx_outcome)err->outcome, "the sandbox's state is PAUSED");
    e2b_view_finish(&view);
    return st;
}
