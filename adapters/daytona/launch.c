/* Creating a sandbox: once, proven, and cleaned up whenever it fails. Rows D1, D2, D15, P9, P11, P12.
 *
 * The name is unique and chosen before the request, so whatever becomes of the answer the sandbox can be found again by
 * it; the label sandport-acq then proves that it is ours. */
#include "adapters/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <string.h>

#define DETACHED_MS 15000 /* how long a detached launch lets its request be held */
#define LOOK_MS     250   /* between two looks for what an unknown create may have made */
#define LOOK_MS_MAX 2000

/* Sends the create, once. @param dto of the answer, when SBX_OK */
static enum sbx_status create_send(struct daytona *d, const struct sbx_buf *body, const struct sbx_call *call,
                                   struct daytona_reply *reply, struct daytona_dto *dto, struct sbx_error *err) {
    struct sbx_buf url = SBX_BUF_INIT;
    sbx_buf_text_append(&url, d->endpoint);
    sbx_buf_text_append(&url, "/sandbox");
    const struct daytona_request req = {
        .op = DAYTONA_CREATE, .method = "POST", .url = sbx_buf_text(&url), .body = body};
    enum sbx_status st = url.failed || body->failed ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : daytona_send(d, &req, call, reply, err);
    sbx_buf_finish(&url);
    return st ? st : daytona_reply_dto(reply, dto, err);
}

/* ---- what a failed create left behind ---- */

enum leftover { LEFT_NOTHING, LEFT_OURS, LEFT_SOMEONE_ELSES, LEFT_UNKNOWN };

/* Looks by name for what the create may have made. @param id set for LEFT_OURS */
static enum leftover leftover_find(struct daytona *d, const struct daytona_made *made, const struct sbx_call *call,
                                   struct daytona_view *view, char *id) {
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    enum sbx_status st = daytona_view_read(d, made->name, call, view, &quiet);
    if (st == SBX_NOT_FOUND) return LEFT_NOTHING;
    if (st) return LEFT_UNKNOWN;
    const char *acquisition = daytona_dto_label(view->reply.js, &view->is, "sandport-acq");
    if (!acquisition || strcmp(acquisition, made->acquisition) != 0)
        return LEFT_SOMEONE_ELSES; /* guard: adopt_only_ours */
    (void)!sbx_copy(id, SBX_ID_SIZE, view->is.id);
    return LEFT_OURS;
}

/* Absent now is not absent: the create may still take effect. A look that failed in passing says nothing either. */
static int leftover_may_come(enum leftover left, const struct daytona_evidence *got) {
    return left == LEFT_NOTHING || (left == LEFT_UNKNOWN && daytona_is_transient(got));
}

/* Looks until it is found, or the time for it is over. */
static enum leftover leftover_await(struct daytona *d, struct daytona_made *made, const struct sbx_call *cleanup) {
    struct daytona_view view = {0};
    struct sbx_backoff backoff;
    enum leftover left = LEFT_UNKNOWN;
    sbx_backoff_init(&backoff, LOOK_MS, LOOK_MS_MAX);
    for (;;) {
        left = leftover_find(d, made, cleanup, &view, made->id);
        if (!leftover_may_come(left, &view.reply.got)) break;
        if (sbx_call_pause(cleanup, d->env, &backoff, view.reply.got.retry_after_ms))
            break; /* guard: late_create_is_awaited */
    }
    daytona_view_finish(&view);
    return left;
}

/* Deletes what was made, or may have been. @return is that proven? */
static int leftover_remove(struct daytona *d, struct daytona_made *made, const struct sbx_call *cleanup) {
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    enum leftover left = made->id[0] ? LEFT_OURS : leftover_await(d, made, cleanup);
    if (left == LEFT_SOMEONE_ELSES) return 1; /* the name was taken, so ours was never made */
    return left == LEFT_OURS && daytona_delete(d, made->id, cleanup, &quiet) == SBX_OK;
}

/* A failure after which something may be left: cleans up, and says so beside the first status. */
static enum sbx_status create_failed(struct daytona *d, enum sbx_status st, struct daytona_made *made,
                                     const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_call cleanup;
    if (err->outcome == SBX_OUTCOME_REFUSED || err->outcome == SBX_OUTCOME_NOT_SENT) return st;
    int removed = sbx_call_for_cleanup(call, d->env, &cleanup) && leftover_remove(d, made, &cleanup);
    err->cleanup = removed ? SBX_CLEANUP_CONFIRMED : SBX_CLEANUP_UNCONFIRMED;
    if (made->id[0]) {
        err->outcome = SBX_OUTCOME_DONE; /* it was made */
        (void)!sbx_copy(err->sandbox_id, sizeof(err->sandbox_id), made->id);
    }
    memcpy(err->acquisition, made->acquisition, strlen(made->acquisition) + 1);
    return st;
}

/* A name in use may be our own create, that a hop sent twice: adopted only if it carries our label (D15). */
static enum sbx_status create_in_use(struct daytona *d, struct daytona_made *made, const struct sbx_call *call,
                                     struct daytona_view *view, struct sbx_error *err) {
    struct sbx_error first = *err;
    enum leftover left = leftover_find(d, made, call, view, made->id);
    *err = first;
    if (left == LEFT_OURS) return SBX_OK;
    if (left == LEFT_UNKNOWN) err->outcome = SBX_OUTCOME_UNKNOWN;
    return SBX_ALREADY_EXISTS;
}

/* Sends the create and learns who was made. */
static enum sbx_status create_begin(struct daytona *d, const struct sbx_buf *body, struct daytona_made *made,
                                    const struct sbx_call *call, struct sbx_identity *who, struct sbx_error *err) {
    struct daytona_view view = {0};
    enum sbx_status st = create_send(d, body, call, &view.reply, &view.is, err);
    if (st == SBX_ALREADY_EXISTS) st = create_in_use(d, made, call, &view, err);
    if (!st) {
        (void)!sbx_copy(made->id, sizeof(made->id), view.is.id);
        st = daytona_dto_identity(d, view.reply.js, &view.is, who, err);
    }
    daytona_view_finish(&view);
    return st;
}

static enum sbx_status create_prove(struct daytona *d, const struct daytona_made *made, const struct sbx_call *call,
                                    struct sbx_identity *who, struct sbx_error *err) {
    struct daytona_view view = {0};
    enum sbx_status st = SBX_OK;
    if (who->state != SBX_STATE_RUNNING) {
        st = daytona_wait_until(d, made->id, DAYTONA_UNTIL_STARTED, call, &view, err);
        if (!st) st = daytona_dto_identity(d, view.reply.js, &view.is, who, err);
    }
    daytona_view_finish(&view);
    if (!st) st = daytona_address(d, who, call, err);
    if (st) return st;
    if (daytona_probe(d, who, d->probe_window_ms, call, err) == DAYTONA_PROBE_ALIVE)
        return SBX_OK; /* guard: launch_probe */
    return (enum sbx_status)err->status;
}

enum sbx_status daytona_create_proven(struct daytona *d, const struct sbx_buf *body, struct daytona_made *made,
                                      int64_t create_ms, const struct sbx_call *call, struct sbx_identity *who,
                                      struct sbx_error *err) {
    const struct sbx_call bounded = create_ms ? sbx_call_within(call, d->env, create_ms) : *call;
    enum sbx_status st = create_begin(d, body, made, &bounded, who, err);
    if (!st) {
        st = create_prove(d, made, &bounded, who, err);
        if (st) err->outcome = SBX_OUTCOME_DONE; /* the create itself happened */
    }
    if (made->id[0]) (void)!sbx_copy(who->id, sizeof(who->id), made->id);
    return st ? create_failed(d, st, made, call, err) : SBX_OK; /* guard: failed_create_deletes */
}

/* ---- the ops ---- */

enum sbx_status daytona_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                               struct sbx_identity *out, struct sbx_error *err) {
    struct daytona *d = self;
    struct daytona_launch launch;
    struct sbx_buf body = SBX_BUF_INIT;
    enum sbx_status st = daytona_launch_options(d, opt, &launch, err);
    if (st) return st;
    struct daytona_made made = {.name = launch.name, .acquisition = opt->acquisition};
    daytona_body_of_launch(&body, &launch);
    st = daytona_create_proven(d, &body, &made, opt->create_ms, call, out, err);
    sbx_buf_finish(&body);
    return st;
}

/* Daytona holds the answer for up to 30 s while the sandbox boots, which is what a detached launch does not wait for:
 * the sandbox is there by its name long before. Anything but the one that is ours stays the failure that it was. */
static enum sbx_status detached_held(struct daytona *d, struct daytona_made *made, const struct sbx_call *call,
                                     struct sbx_identity *who, struct sbx_error *err) {
    struct daytona_view view = {0};
    struct sbx_error first = *err;
    enum sbx_status st = SBX_DEADLINE;
    if (leftover_find(d, made, call, &view, made->id) == LEFT_OURS)
        st = daytona_dto_identity(d, view.reply.js, &view.is, who, err);
    else
        *err = first;
    daytona_view_finish(&view);
    return st;
}

enum sbx_status daytona_launch_detached(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                        struct sbx_identity *out, struct sbx_error *err) {
    struct daytona *d = self;
    struct daytona_launch launch;
    struct sbx_buf body = SBX_BUF_INIT;
    enum sbx_status st = daytona_launch_options(d, opt, &launch, err);
    if (st) return st;
    struct daytona_made made = {.name = launch.name, .acquisition = opt->acquisition};
    const struct sbx_call bounded = opt->create_ms ? sbx_call_within(call, d->env, opt->create_ms) : *call;
    const struct sbx_call held = sbx_call_within(&bounded, d->env, DETACHED_MS);
    daytona_body_of_launch(&body, &launch);
    st = create_begin(d, &body, &made, &held, out, err);
    if (st == SBX_DEADLINE && sbx_call_check(&bounded, d->env) == SBX_OK)
        st = detached_held(d, &made, &bounded, out, err);
    if (made.id[0]) (void)!sbx_copy(out->id, sizeof(out->id), made.id);
    if (st) st = create_failed(d, st, &made, call, err);
    sbx_buf_finish(&body);
    return st;
}
