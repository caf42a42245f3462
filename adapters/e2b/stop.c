/* Stopping is pausing: memory and processes are kept. Row E1.
 *
 * Streams that are attached when a sandbox is paused are kept with it as readers that are dead; ours all belong to
 * calls that wait, and durable runs have none. */
#include "adapters/e2b/life.h"

#define POLL_MS     50
#define POLL_MS_MAX 1000

enum sbx_status e2b_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                         const struct sbx_call *call, struct sbx_error *err) {
    struct e2b *e = self;
    struct e2b_reply reply = {0};
    struct e2b_view view = {0};
    struct sbx_buf body = SBX_BUF_INIT;
    struct sbx_backoff backoff;
    (void)opt; /* there is no other way of pausing */
    sbx_json_begin_object(&body, NULL);
    sbx_json_end_object(&body);
    sbx_backoff_init(&backoff, POLL_MS, POLL_MS_MAX);
    enum sbx_status st = e2b_change(e, E2B_PAUSE, "POST", who->id, "/pause", &body, call, &reply, err);
    while (!st) {
        st = e2b_view_read(e, who->id, call, &view, err);
        if (st || view.is.state == SBX_STATE_PAUSED) break;
        st = sbx_backoff_sleep(&backoff, e->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (st) sbx_fail(err, st, SBX_OUTCOME_DONE, "the last state seen was %s", sbx_state_name(view.is.state));
    }
    if (!st) who->state = SBX_STATE_PAUSED;
    e2b_view_finish(&view);
    e2b_reply_finish(&reply);
    sbx_buf_finish(&body);
    return st;
}
