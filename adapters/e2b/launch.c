/* Creating a sandbox: once, proven, and cleaned up whenever it fails. Rows E1, E2, P9, P11, P12.
 *
 * E2B gives its own id and knows no names, so what becomes of a create whose answer was lost is found by the metadata
 * sandport-acq, which nobody else's sandbox carries. */
#include "adapters/e2b/life.h"

#include <sandport/kit/text.h>
#include <string.h>

#define LOOK_MS     250 /* between two looks for what an unknown create may have made */
#define LOOK_MS_MAX 2000
#define LEFT_MAX    8

/* ---- what a failed create left behind ---- */

struct left {
    char id[LEFT_MAX][SBX_ID_SIZE];
    size_t count;
};

static enum sbx_status left_take(void *ctx, struct sbx_json *js, const struct e2b_dto *dto) {
    struct left *left = ctx;
    (void)js;
    if (left->count < LEFT_MAX) (void)!sbx_copy(left->id[left->count++], SBX_ID_SIZE, dto->id);
    return SBX_OK;
}

/* Looks until it is found, or the time for it is over: absent now is not absent, since a create may take effect late.
 */
static void left_await(struct e2b *e, const char *acquisition, const struct sbx_call *cleanup, struct left *left) {
    const struct sbx_pair pair = {"sandport-acq", acquisition};
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_backoff backoff;
    struct sbx_error quiet;
    query.labels = &pair;
    query.label_count = 1;
    sbx_error_init(&quiet, sizeof(quiet));
    sbx_backoff_init(&backoff, LOOK_MS, LOOK_MS_MAX);
    do {
        enum sbx_status st = e2b_each(e, &query, cleanup, left_take, left, &quiet);
        if (left->count || st == SBX_UNAUTHORISED || st == SBX_FORBIDDEN || st == SBX_NO_MEMORY) return;
    } while (sbx_backoff_sleep(&backoff, e->env, cleanup->deadline_ms, NULL) == SBX_OK); /* guard: e2b_late_create */
}

/* Deletes what was made, or may have been. @return is that proven? */
static int left_remove(struct e2b *e, const char *acquisition, const char *id, const struct sbx_call *cleanup,
                       struct sbx_identity *who) {
    struct left left = {0};
    struct sbx_error quiet;
    int gone = 1;
    sbx_error_init(&quiet, sizeof(quiet));
    if (*id)
        (void)!sbx_copy(left.id[left.count++], SBX_ID_SIZE, id);
    else
        left_await(e, acquisition, cleanup, &left);
    if (left.count) (void)!sbx_copy(who->id, sizeof(who->id), left.id[0]);
    for (size_t i = 0; i < left.count; i++) gone &= e2b_delete(e, left.id[i], cleanup, &quiet) == SBX_OK;
    return left.count > 0 && gone;
}

/* A failure after which something may be left: cleans up, and says so beside the first status. */
static enum sbx_status create_failed(struct e2b *e, enum sbx_status st, const char *acquisition,
                                     const struct sbx_call *call, struct sbx_identity *who, struct sbx_error *err) {
    struct sbx_call cleanup;
    if (err->outcome == SBX_OUTCOME_REFUSED || err->outcome == SBX_OUTCOME_NOT_SENT) return st;
    int removed = sbx_call_for_cleanup(call, e->env, &cleanup) && left_remove(e, acquisition, who->id, &cleanup, who);
    err->cleanup = removed ? SBX_CLEANUP_CONFIRMED : SBX_CLEANUP_UNCONFIRMED;
    if (who->id[0]) {
        err->outcome = SBX_OUTCOME_DONE; /* it was made */
        (void)!sbx_copy(err->sandbox_id, sizeof(err->sandbox_id), who->id);
    }
    (void)!sbx_copy(err->acquisition, sizeof(err->acquisition), acquisition);
    return st;
}

/* ---- creating ---- */

/* Sends the create, once, and learns who was made. */
static enum sbx_status create_begin(struct e2b *e, const struct e2b_launch *launch, const struct sbx_call *call,
                                    struct sbx_identity *who, struct sbx_error *err) {
    struct e2b_reply reply = {0};
    struct e2b_dto dto = {0};
    struct sbx_buf url = SBX_BUF_INIT, body = SBX_BUF_INIT;
    int64_t sent_ms = e->env->now_ms(e->env);
    sbx_buf_text_append(&url, e->endpoint);
    sbx_buf_text_append(&url, e->api == SBX_E2B_API_V1 ? "/sandboxes" : "/v2/sandboxes");
    e2b_body_of_launch(e, &body, launch);
    const struct e2b_request req = {.op = E2B_CREATE, .method = "POST", .url = sbx_buf_text(&url), .body = &body};
    enum sbx_status st = url.failed || body.failed ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : e2b_send(e, &req, call, &reply, err);
    if (!st) st = e2b_reply_dto(&reply, 1, &dto, err);
    if (!st) {
        (void)!sbx_copy(who->id, sizeof(who->id), dto.id);
        st = e2b_dto_identity(e, reply.js, &dto, who, err);
    }
    if (!st) {
        (void)!sbx_copy(who->acquisition, sizeof(who->acquisition), launch->opt->acquisition);
        e2b_lives_put(e->lives, who->id, sent_ms + e2b_seconds(launch->lifetime_ms) * 1000);
    }
    e2b_reply_finish(&reply);
    if (body.data) explicit_bzero(body.data, body.cap); /* the environment is in it */
    sbx_buf_finish(&body);
    sbx_buf_finish(&url);
    return st;
}

enum sbx_status e2b_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                           struct sbx_identity *out, struct sbx_error *err) {
    struct e2b *e = self;
    struct e2b_launch launch;
    enum sbx_status st = e2b_launch_options(e, opt, &launch, err);
    if (st) return st;
    const struct sbx_call bounded = opt->create_ms ? sbx_call_within(call, e->env, opt->create_ms) : *call;
    st = create_begin(e, &launch, &bounded, out, err);
    if (!st) {
        st = e2b_probe(e, out, e->probe_window_ms, &bounded, err); /* guard: e2b_launch_probe */
        if (st) err->outcome = SBX_OUTCOME_DONE;                   /* the create itself happened */
    }
    return st ? create_failed(e, st, opt->acquisition, call, out, err) : SBX_OK; /* guard: e2b_failed_create_deletes */
}
