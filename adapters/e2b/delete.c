/* Deleting, and the proof of it. Rows P10, E1.
 *
 * A 204 was seen for sandboxes that lived on (F152), so only a read that finds none counts, and a delete that did
 * nothing is sent again. One 404 of a read is the API's own word; that of the delete itself alone is not enough. */
#include "adapters/e2b/life.h"

#define ROUNDS      3
#define LOOK_MS     50
#define LOOK_MS_MAX 1000
#define ROUND_MS    5000 /* for a delete to take effect */

/* Looks until it is not there. @return SBX_NOT_FOUND then; SBX_OK if it still is, or the failure of the last look */
static enum sbx_status look_until_gone(struct e2b *e, const char *id, const struct sbx_call *call,
                                       struct sbx_error *err) {
    struct e2b_view view = {0};
    struct sbx_backoff backoff;
    const struct sbx_call round = sbx_call_within(call, e->env, ROUND_MS);
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, LOOK_MS, LOOK_MS_MAX);
    do {
        st = e2b_view_read(e, id, call, &view, err);
    } while (!st && sbx_backoff_sleep(&backoff, e->env, round.deadline_ms, sbx_cancel_event(call->cancel)) == SBX_OK);
    e2b_view_finish(&view);
    return st;
}

enum sbx_status e2b_delete(struct e2b *e, const char *id, const struct sbx_call *call, struct sbx_error *err) {
    struct e2b_reply reply = {0};
    const struct sbx_error before = *err;
    enum sbx_status st = SBX_OK;
    for (int round = 0; round < ROUNDS && !st; round++) {
        st = e2b_change(e, E2B_DELETE, "DELETE", id, "", NULL, call, &reply, err);
        e2b_reply_finish(&reply);
        if (st && st != SBX_NOT_FOUND) return st;
        st = look_until_gone(e, id, call, err); /* guard: delete_is_confirmed */
        enum sbx_status over = sbx_call_check(call, e->env);
        if (!st && over) return sbx_fail(err, over, SBX_OUTCOME_DONE, "deleted, and still there");
    }
    if (st == SBX_NOT_FOUND) {
        e2b_lives_put(e->lives, id, 0);
        *err = before;
        return SBX_OK;
    }
    if (st) return sbx_fail(err, st, SBX_OUTCOME_DONE, "deleted, and whether it is gone cannot be read");
    return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, "answered as deleted three times, and still there");
}

enum sbx_status e2b_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                            struct sbx_error *err) {
    return e2b_delete(self, who->id, call, err);
}
