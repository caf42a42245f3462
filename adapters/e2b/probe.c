/* Does a sandbox run commands? Its being there does not say so. Rows E1, D1. */
#include "adapters/e2b/process.h"

#define TRY_MS      5000
#define WAIT_MS     250
#define WAIT_MS_MAX 4000
#define LIFETIME_MS 5000

/* A failure that waiting will not change. */
static int is_final(enum sbx_status st) {
    return st == SBX_UNAUTHORISED || st == SBX_FORBIDDEN || st == SBX_NO_MEMORY || st == SBX_CANCELLED;
}

static enum sbx_status probe_once(struct e2b *e, const struct sbx_identity *who, const struct sbx_call *call,
                                  struct sbx_error *err) {
    static const char *const args[] = {"-c", "true"};
    const struct e2b_order order = {.args = args, .arg_count = 2, .lifetime_ms = LIFETIME_MS};
    const struct sbx_call bounded = sbx_call_within(call, e->env, TRY_MS);
    struct sbx_buf text = SBX_BUF_INIT;
    struct e2b_heard heard = {0};
    enum sbx_status st = e2b_process_text(e, who, &order, 1, &bounded, &text, &heard, err);
    sbx_buf_finish(&text);
    if (!st && (!heard.exit_known || heard.exit_code != 0))
        st = sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_DONE, "expected exit code 0 of true");
    return st;
}

enum sbx_status e2b_probe(struct e2b *e, const struct sbx_identity *who, int64_t window_ms, const struct sbx_call *call,
                          struct sbx_error *err) {
    const struct sbx_error before = *err;
    int64_t end_ms = e->env->now_ms(e->env) + window_ms;
    struct sbx_backoff backoff;
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (;;) {
        st = probe_once(e, who, call, err);
        if (!st) {
            *err = before;
            return SBX_OK;
        }
        if (is_final(st) || e->env->now_ms(e->env) >= end_ms) break;
        if (sbx_backoff_sleep(&backoff, e->env, call->deadline_ms, sbx_cancel_event(call->cancel))) break;
    }
    const enum sbx_status now = sbx_call_check(call, e->env);
    if (now == SBX_CANCELLED || (now && st == SBX_DEADLINE))
        return sbx_fail(err, now, SBX_OUTCOME_DONE, "the probe did not end in time");
    const struct sbx_error last = *err;
    if (st == SBX_DEADLINE) st = SBX_NOT_READY; /* of a try, not of the call */
    return sbx_fail(err, st, SBX_OUTCOME_DONE, "probe: %.150s", last.detail);
}
