/* Reading a sandbox, and waiting for its state. Rows D1, D4, D16, P9, P10. */
#include "adapters/daytona/verbs.h"

#include <string.h>

#define POLL_MS     50
#define POLL_MS_MAX 1000
#define TRY_MS      10000 /* one read that hangs must not use up the wait */
#define GONE_MS     2000

void daytona_view_finish(struct daytona_view *view) {
    daytona_reply_finish(&view->reply);
    memset(&view->is, 0, sizeof(view->is));
}

static enum sbx_status view_of(enum sbx_status st, struct daytona_view *view, struct sbx_error *err) {
    memset(&view->is, 0, sizeof(view->is));
    return st ? st : daytona_reply_dto(&view->reply, &view->is, err);
}

enum sbx_status daytona_view_once(struct daytona *d, const char *id, const struct sbx_call *call,
                                  struct daytona_view *view, struct sbx_error *err) {
    enum sbx_status st =
        daytona_send_to(d, DAYTONA_GET, "GET", id, "", SBX_REQUEST_IDEMPOTENT, call, &view->reply, err);
    return view_of(st, view, err);
}

enum sbx_status daytona_view_read(struct daytona *d, const char *id, const struct sbx_call *call,
                                  struct daytona_view *view, struct sbx_error *err) {
    struct sbx_buf url = SBX_BUF_INIT;
    daytona_url(d, &url, id, "");
    enum sbx_status st = sbx_buf_status(&url);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL)
            : daytona_read(d, DAYTONA_GET, sbx_buf_text(&url), call, &view->reply, err);
    sbx_buf_finish(&url);
    return view_of(st, view, err);
}

/* One 404 proves nothing, since Daytona's inner failures look the same: gone is what was not there twice, 2 s apart. */
struct gone {
    int64_t first_ms;
    int32_t seen;
};

static int gone_again(struct gone *gone, int64_t now_ms) {
    if (!gone->seen) gone->first_ms = now_ms;
    gone->seen = 1;
    return now_ms - gone->first_ms >= GONE_MS; /* guard: gone_twice */
}

enum wait_verdict { WAIT_ON, WAIT_DONE, WAIT_FAILED };

/* Pure: what a state means to who waits for `goal`. */
static enum wait_verdict wait_verdict(enum daytona_goal goal, int32_t state) {
    int ended = state == SBX_STATE_DESTROYED;
    switch (goal) {
    case DAYTONA_UNTIL_STARTED:
        if (state == SBX_STATE_RUNNING) return WAIT_DONE;
        return state == SBX_STATE_FAILED || ended || state == SBX_STATE_DESTROYING ? WAIT_FAILED : WAIT_ON;
    case DAYTONA_UNTIL_STOPPED:
        if (state == SBX_STATE_STOPPED || state == SBX_STATE_ARCHIVED || ended) return WAIT_DONE;
        return state == SBX_STATE_FAILED ? WAIT_FAILED : WAIT_ON;
    case DAYTONA_UNTIL_GONE:
        break;
    }
    return ended ? WAIT_DONE : WAIT_ON;
}

static enum sbx_status wait_failed(const struct daytona_dto *dto, struct sbx_error *err) {
    if (dto->state == SBX_STATE_FAILED)
        return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_DONE, "the sandbox ended in a failed state");
    return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_DONE, "the sandbox is being destroyed");
}

/* What a failed read says to who waits. @return SBX_OK to go on waiting */
static enum sbx_status wait_read_failed(struct daytona *d, enum sbx_status st, enum daytona_goal goal,
                                        const struct daytona_view *view, struct gone *gone, int *done) {
    if (st == SBX_NOT_FOUND) {
        if (!gone_again(gone, d->env->now_ms(d->env))) return SBX_OK;
        *done = goal != DAYTONA_UNTIL_STARTED;
        return *done ? SBX_OK : st;
    }
    return daytona_is_transient(&view->reply.got) ? SBX_OK : st;
}

/* Until the next read: as long as the provider asked for, until a second 404 would prove something, or a little longer
 * than the last time. */
static enum sbx_status wait_pause(struct daytona *d, const struct daytona_view *view, const struct gone *gone,
                                  struct sbx_backoff *backoff, const struct sbx_call *call) {
    int64_t now = d->env->now_ms(d->env), until = 0;
    if (gone->seen)
        until = gone->first_ms + GONE_MS;
    else if (view->reply.got.http_status == 429 && view->reply.got.retry_after_ms > 0)
        until = now + view->reply.got.retry_after_ms;
    else
        return sbx_backoff_sleep(backoff, d->env, call->deadline_ms, sbx_cancel_event(call->cancel));
    if (until > call->deadline_ms) until = call->deadline_ms;
    enum sbx_status st = d->env->sleep_until(d->env, until, sbx_cancel_event(call->cancel));
    return st ? st : sbx_call_check(call, d->env);
}

enum sbx_status daytona_wait_until(struct daytona *d, const char *id, enum daytona_goal goal,
                                   const struct sbx_call *call, struct daytona_view *view, struct sbx_error *err) {
    struct gone gone = {0};
    struct sbx_backoff backoff;
    int32_t last = SBX_STATE_UNKNOWN;
    int done = 0;
    sbx_backoff_init(&backoff, POLL_MS, POLL_MS_MAX);
    for (;;) {
        const struct sbx_call bounded = sbx_call_within(call, d->env, TRY_MS);
        enum sbx_status st = daytona_view_once(d, id, &bounded, view, err);
        if (st == SBX_OK) {
            enum wait_verdict verdict = wait_verdict(goal, view->is.state);
            last = view->is.state;
            gone.seen = 0;
            if (verdict == WAIT_DONE) return SBX_OK;
            if (verdict == WAIT_FAILED) return wait_failed(&view->is, err);
        } else {
            enum sbx_status end = wait_read_failed(d, st, goal, view, &gone, &done);
            if (done) return end;
            if (end && sbx_call_check(call, d->env) == SBX_OK) {
                err->outcome = SBX_OUTCOME_DONE; /* the change itself happened: only the look at it failed */
                return end;
            }
        }
        st = wait_pause(d, view, &gone, &backoff, call);
        if (st) return sbx_fail(err, st, SBX_OUTCOME_DONE, "the last state seen was %s", sbx_state_name(last));
    }
}
