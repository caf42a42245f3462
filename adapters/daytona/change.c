/* Start, stop and delete, asked for until they are accepted. Rows D16, P10.
 *
 * All are idempotent by Daytona's own rules - starting what is started changes nothing, stopping what is stopped is
 * refused, deleting what is deleted is a 404 - so that a request whose answer was lost may be sent again. Whether it is
 * needed is what a read says: a refusal may mean that another caller makes the same change. A failure that does not
 * pass is told, and the caller keeps what it had. */
#include "adapters/daytona/change.h"

#define TRIES       4
#define TRY_MS      45000 /* Daytona holds a start for up to 30 s */
#define WAIT_MS     250
#define WAIT_MS_MAX 2000
#define CONFLICT_MS 30000 /* so long a refusal because of another change is put up with */

enum change_next { CHANGE_DONE, CHANGE_AGAIN, CHANGE_TELL };

static int on_its_way(enum daytona_goal goal, int32_t seen) {
    int gone = seen == SBX_STATE_DESTROYING || seen == SBX_STATE_DESTROYED;
    switch (goal) {
    case DAYTONA_UNTIL_STARTED:
        return seen == SBX_STATE_STARTING || seen == SBX_STATE_RUNNING;
    case DAYTONA_UNTIL_STOPPED:
        return gone || seen == SBX_STATE_STOPPING || seen == SBX_STATE_STOPPED || seen == SBX_STATE_ARCHIVED;
    case DAYTONA_UNTIL_GONE:
        break;
    }
    return gone;
}

/* Pure: what a refusal or a lost answer comes to.
 * @param seen the state read since, SBX_STATE_UNKNOWN if it was not, or could not be
 * @param since_ms how long it has been asked for */
static enum change_next change_next(enum sbx_status st, enum daytona_goal goal, int32_t seen, int transient, int tries,
                                    int64_t since_ms) {
    if (on_its_way(goal, seen)) return CHANGE_DONE; /* guard: change_by_another */
    if (seen == SBX_STATE_FAILED && goal != DAYTONA_UNTIL_GONE) return CHANGE_TELL;
    if (st == SBX_CONFLICT) return since_ms < CONFLICT_MS ? CHANGE_AGAIN : CHANGE_TELL; /* guard: conflict_30_s */
    return transient && tries < TRIES ? CHANGE_AGAIN : CHANGE_TELL; /* guard: delete_failure_is_told */
}

/* The state after a change was not accepted. @return SBX_NOT_FOUND if it is gone or going, and should not be */
static enum sbx_status change_look(struct daytona *d, const char *id, enum daytona_goal goal,
                                   const struct sbx_call *call, int32_t *seen) {
    struct daytona_view view = {0};
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    enum sbx_status st = daytona_view_once(d, id, call, &view, &quiet);
    if (!st) *seen = view.is.state;
    daytona_view_finish(&view);
    if (st == SBX_NOT_FOUND) *seen = SBX_STATE_DESTROYED;
    int gone = *seen == SBX_STATE_DESTROYING || *seen == SBX_STATE_DESTROYED;
    return gone && goal == DAYTONA_UNTIL_STARTED ? SBX_NOT_FOUND : SBX_OK;
}

/* A delete is just sent again; only its refusal may mean that another caller deletes. */
static int is_looked_at(enum daytona_goal goal, enum sbx_status st) {
    return goal != DAYTONA_UNTIL_GONE || st == SBX_CONFLICT;
}

/* Pure: what a request's tries come to together. One that may have done it is not undone by a later one that did
 * nothing. */
static int32_t outcome_of_tries(int32_t before, int32_t now) {
    int did_nothing = now == SBX_OUTCOME_NOT_SENT || now == SBX_OUTCOME_REFUSED;
    return before == SBX_OUTCOME_UNKNOWN && did_nothing ? before : now; /* guard: earlier_try_counts */
}

struct change {
    struct daytona *d;
    enum daytona_op op;
    const char *id, *rest;
    enum daytona_goal goal;
    const struct sbx_call *call;
    struct daytona_reply reply;
    int64_t first_ms;
    int32_t outcome; /* of the tries so far */
    int tries;
};

static int64_t change_since_ms(const struct change *c) {
    return c->d->env->now_ms(c->d->env) - c->first_ms;
}

/* Asks once. @param st what came of it */
static enum change_next change_try(struct change *c, enum sbx_status *st, struct sbx_error *err) {
    const struct sbx_call bounded = sbx_call_within(c->call, c->d->env, TRY_MS);
    const int deletes = c->goal == DAYTONA_UNTIL_GONE;
    int32_t seen = SBX_STATE_UNKNOWN;
    c->tries++;
    *st = daytona_send_to(c->d, c->op, deletes ? "DELETE" : "POST", c->id, c->rest,
                          deletes ? SBX_REQUEST_IDEMPOTENT : 0, &bounded, &c->reply, err);
    c->outcome = err->outcome = outcome_of_tries(c->outcome, err->outcome);
    if (!*st || (deletes && *st == SBX_NOT_FOUND)) return CHANGE_DONE;
    int transient = daytona_is_transient(&c->reply.got);
    int passing = transient || *st == SBX_CONFLICT || *st == SBX_NOT_FOUND;
    if (passing && sbx_call_check(c->call, c->d->env)) return CHANGE_AGAIN; /* if there were time */
    if (passing && is_looked_at(c->goal, *st) && change_look(c->d, c->id, c->goal, c->call, &seen)) {
        *st = sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL);
        return CHANGE_TELL;
    }
    return change_next(*st, c->goal, seen, transient, c->tries, change_since_ms(c));
}

/* The last try of a refused change comes at the end of its time, and not later. */
static enum sbx_status change_pause(struct change *c, enum sbx_status st, struct sbx_backoff *backoff) {
    int64_t left_ms = CONFLICT_MS - change_since_ms(c);
    if (st == SBX_CONFLICT && left_ms > 0 && backoff->next_ms > left_ms) backoff->next_ms = left_ms;
    return sbx_call_pause(c->call, c->d->env, backoff, c->reply.got.retry_after_ms);
}

enum sbx_status daytona_change(struct daytona *d, enum daytona_op op, const char *id, const char *rest,
                               enum daytona_goal goal, const struct sbx_call *call, struct sbx_error *err) {
    struct change c = {.d = d, .op = op, .id = id, .rest = rest, .goal = goal, .call = call};
    struct sbx_backoff backoff;
    enum sbx_status st = SBX_OK, over = SBX_OK;
    enum change_next next = CHANGE_AGAIN;
    c.first_ms = d->env->now_ms(d->env);
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    do {
        next = change_try(&c, &st, err);
    } while (next == CHANGE_AGAIN && change_pause(&c, st, &backoff) == SBX_OK);
    daytona_reply_finish(&c.reply);
    if (next == CHANGE_DONE) return SBX_OK;
    if (next == CHANGE_AGAIN) over = sbx_call_check(call, d->env); /* or the provider asked for longer than there is */
    if (over) return sbx_fail(err, over, (enum sbx_outcome)err->outcome, NULL);
    if (st == SBX_DEADLINE) /* of a try, not of the call */
        return sbx_fail(err, SBX_CONNECTION_LOST, (enum sbx_outcome)err->outcome, "no answer within 45 s");
    return st;
}
