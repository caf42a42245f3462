/* Deleting, and being sure of it. Rows P10, D16.
 *
 * Gone is what a read says, not what DELETE answers. A refusal because of another change is tried again for 30 s; every
 * other failure that does not pass is told, and the caller keeps what it had. */
#include "adapters/daytona/verbs.h"

#define TRIES       4
#define WAIT_MS     250
#define WAIT_MS_MAX 2000

enum delete_next { DELETE_WAIT, DELETE_AGAIN, DELETE_TELL };

/* Pure. @param since_ms how long it has been refused because of another change */
static enum delete_next delete_next(enum sbx_status st, int transient, int tries, int64_t since_ms) {
    if (st == SBX_OK || st == SBX_NOT_FOUND) return DELETE_WAIT;
    if (st == SBX_CONFLICT)
        return since_ms < DAYTONA_CONFLICT_MS ? DELETE_AGAIN : DELETE_TELL; /* guard: conflict_30_s */
    return transient && tries < TRIES ? DELETE_AGAIN : DELETE_TELL;         /* guard: delete_failure_is_told */
}

int32_t daytona_outcome_of_tries(int32_t before, int32_t now) {
    int did_nothing = now == SBX_OUTCOME_NOT_SENT || now == SBX_OUTCOME_REFUSED;
    return before == SBX_OUTCOME_UNKNOWN && did_nothing ? before : now; /* guard: earlier_try_counts */
}

void daytona_conflict_wait(struct sbx_backoff *backoff, int64_t since_ms) {
    int64_t left_ms = DAYTONA_CONFLICT_MS - since_ms;
    if (left_ms > 0 && backoff->next_ms > left_ms) backoff->next_ms = left_ms;
}

/* A refusal may also mean that another caller deletes it: then there is nothing left but to wait. */
static int deleting_by_another(struct daytona *d, const char *id, const struct sbx_call *call) {
    struct daytona_view view = {0};
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    enum sbx_status st = daytona_view_once(d, id, call, &view, &quiet);
    int yes = st == SBX_NOT_FOUND || (!st && view.is.state == SBX_STATE_DESTROYING);
    daytona_view_finish(&view);
    return yes;
}

enum sbx_status daytona_delete(struct daytona *d, const char *id, const struct sbx_call *call, struct sbx_error *err) {
    struct daytona_reply reply = {0};
    struct daytona_view view = {0};
    struct sbx_backoff backoff;
    int64_t first_ms = d->env->now_ms(d->env);
    int32_t before = SBX_OUTCOME_NONE;
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (int tries = 1;; tries++) {
        st = daytona_send_to(d, DAYTONA_DELETE, "DELETE", id, "", SBX_REQUEST_IDEMPOTENT, call, &reply, err);
        before = err->outcome = daytona_outcome_of_tries(before, err->outcome);
        if (st == SBX_CONFLICT && deleting_by_another(d, id, call)) st = SBX_OK;
        enum delete_next next =
            delete_next(st, daytona_is_transient(&reply.got), tries, d->env->now_ms(d->env) - first_ms);
        if (next == DELETE_WAIT) break;
        if (next == DELETE_TELL) goto done;
        if (st == SBX_CONFLICT) daytona_conflict_wait(&backoff, d->env->now_ms(d->env) - first_ms);
        enum sbx_status slept = sbx_backoff_sleep(&backoff, d->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (slept) {
            st = sbx_fail(err, st == SBX_CONFLICT && slept == SBX_DEADLINE ? st : slept, SBX_OUTCOME_UNKNOWN, NULL);
            goto done;
        }
    }
    st = daytona_wait_until(d, id, DAYTONA_UNTIL_GONE, call, &view, err);
done:
    daytona_view_finish(&view);
    daytona_reply_finish(&reply);
    return st;
}

enum sbx_status daytona_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                struct sbx_error *err) {
    return daytona_delete(self, who->id, call, err);
}
