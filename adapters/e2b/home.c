/* The user's home directory. Rows E1, P3. */
#include "adapters/e2b/inside.h"
#include "adapters/e2b/process.h"

#define TRIES          3
#define WAIT_MS        250
#define WAIT_MS_MAX    2000
#define LIFETIME_MS    10000
#define PATH_BYTES_MAX 4096

/* Asking does nothing, so an answer that is an error did nothing either. */
static enum sbx_status home_once(struct e2b *e, const struct sbx_identity *who, const struct sbx_call *call,
                                 struct sbx_buf *text, struct sbx_error *err) {
    static const char *const args[] = {"-c", "printf %s \"$HOME\""};
    const struct e2b_order order = {.args = args, .arg_count = 2, .lifetime_ms = LIFETIME_MS};
    const struct sbx_call bounded = sbx_call_within(call, e->env, LIFETIME_MS);
    struct e2b_heard heard = {0};
    enum sbx_status st = e2b_process_text(e, who, &order, PATH_BYTES_MAX, &bounded, text, &heard, err);
    if (!st && (!heard.exit_known || heard.exit_code || sbx_buf_text(text)[0] != '/'))
        st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "HOME: expected an absolute path");
    if (st && heard.got.http_status >= 300) err->outcome = SBX_OUTCOME_REFUSED;
    return st;
}

static int passes(enum sbx_status st) {
    return st == SBX_CONNECTION_LOST || st == SBX_CONNECT_FAILED || st == SBX_PROVIDER || st == SBX_NOT_READY ||
           st == SBX_DEADLINE;
}

enum sbx_status e2b_home_dir(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                             struct sbx_buf *out, struct sbx_error *err) {
    struct e2b *e = self;
    const struct sbx_error before = *err;
    struct sbx_backoff backoff;
    struct sbx_buf text = SBX_BUF_INIT;
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (int tries = 1;; tries++) {
        sbx_buf_clear(&text);
        st = home_once(e, who, call, &text, err);
        if (!st || !passes(st) || tries == TRIES || sbx_call_check(call, e->env)) break;
        if (sbx_backoff_sleep(&backoff, e->env, call->deadline_ms, sbx_cancel_event(call->cancel))) break;
    }
    const enum sbx_status over = st ? sbx_call_check(call, e->env) : SBX_OK;
    if (over) st = sbx_fail(err, over, (enum sbx_outcome)err->outcome, NULL);
    if (!st) {
        *err = before;
        sbx_buf_text_append(out, sbx_buf_text(&text));
        if (out->failed) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    }
    sbx_buf_finish(&text);
    return st ? e2b_explain(e, who, st, call, err) : SBX_OK;
}
