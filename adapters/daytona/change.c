/* Start and stop, asked for until they are accepted. Row D16.
 *
 * Both are idempotent by Daytona's own rules - starting what is started changes nothing, stopping what is stopped is
 * refused - so that a request whose answer was lost may be sent again once a read shows that it did nothing. */
#include "adapters/daytona/change.h"

#define TRIES       4
#define TRY_MS      45000 /* Daytona holds a start for up to 30 s */
#define WAIT_MS     250
#define WAIT_MS_MAX 2000

enum change_next { CHANGE_DONE, CHANGE_AGAIN, CHANGE_TELL };

/* Pure: what a refusal or a lost answer comes to, once the sandbox has been read.
 * @param seen the state read, SBX_STATE_UNKNOWN if it could not be */
static enum change_next change_next(enum sbx_status st, enum daytona_goal goal, int32_t seen, int transient, int tries,
                                    int64_t since_ms) {
    int on_the_way = goal == DAYTONA_UNTIL_STARTED ? seen == SBX_STATE_STARTING || seen == SBX_STATE_RUNNING
                                                   : seen == SBX_STATE_STOPPING || seen == SBX_STATE_STOPPED ||
                                                         seen == SBX_STATE_ARCHIVED || seen == SBX_STATE_DESTROYED;
    if (on_the_way) return CHANGE_DONE; /* guard: change_by_another */
    if (seen == SBX_STATE_FAILED) return CHANGE_TELL;
    if (st == SBX_CONFLICT) return since_ms < DAYTONA_CONFLICT_MS ? CHANGE_AGAIN : CHANGE_TELL;
    return transient && tries < TRIES ? CHANGE_AGAIN : CHANGE_TELL;
}

/* The state after a change was not accepted. @return SBX_NOT_FOUND if it is gone or going */
static enum sbx_status change_look(struct daytona *d, const char *id, enum daytona_goal goal,
                                   const struct sbx_call *call, int32_t *seen) {
    struct daytona_view view = {0};
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    *seen = SBX_STATE_UNKNOWN;
    enum sbx_status st = daytona_view_once(d, id, call, &view, &quiet);
    if (!st) *seen = view.is.state;
    daytona_view_finish(&view);
    if (st == SBX_NOT_FOUND || *seen == SBX_STATE_DESTROYING || *seen == SBX_STATE_DESTROYED) {
        if (goal == DAYTONA_UNTIL_STARTED) return SBX_NOT_FOUND;
        *seen = SBX_STATE_DESTROYED;
    }
    return SBX_OK;
}

enum sbx_status daytona_change(struct daytona *d, enum daytona_op op, const char *id, const char *rest,
                               enum daytona_goal goal, const struct sbx_call *call, struct sbx_error *err) {
    struct daytona_reply reply = {0};
    struct sbx_backoff backoff;
    int64_t first_ms = d->env->now_ms(d->env);
    int32_t seen = SBX_STATE_UNKNOWN, before = SBX_OUTCOME_NONE;
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (int tries = 1;; tries++) {
        const struct sbx_call bounded = sbx_call_within(call, d->env, TRY_MS);
        st = daytona_send_to(d, op, "POST", id, rest, 0, &bounded, &reply, err);
        before = err->outcome = daytona_outcome_of_tries(before, err->outcome);
        int transient = daytona_is_transient(&reply.got);
        if (!st || (st != SBX_CONFLICT && st != SBX_NOT_FOUND && !transient)) break;
        if (sbx_call_check(call, d->env)) break;
        if (change_look(d, id, goal, call, &seen)) {
            st = sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL);
            break;
        }
        enum change_next next = change_next(st, goal, seen, transient, tries, d->env->now_ms(d->env) - first_ms);
        if (next == CHANGE_DONE) st = SBX_OK;
        if (next != CHANGE_AGAIN) break;
        if (st == SBX_CONFLICT) daytona_conflict_wait(&backoff, d->env->now_ms(d->env) - first_ms);
        enum sbx_status slept = sbx_backoff_sleep(&backoff, d->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (slept) {
            st = sbx_fail(err, slept, (enum sbx_outcome)err->outcome, NULL);
            break;
        }
    }
    daytona_reply_finish(&reply);
    return st;
}
