/* Requests to E2B's two planes - the API, and the daemon in each sandbox - and what their answers mean. Rows P4, P9,
 * R12. */
#include "adapters/e2b/client.h"

#include <sandport/kit/text.h>
#include <string.h>

#define ANSWER_MAX    (16u * 1024 * 1024)
#define READ_TRIES    3
#define READ_TRY_MS   10000
#define READ_WAIT_MS  250
#define READ_WAIT_MAX 2000
#define SECONDS_MAX   INT32_MAX
#define USER_AGENT    "sandport/" SBX_VERSION_TEXT

void e2b_reply_finish(struct e2b_reply *reply) {
    sbx_answer_finish(&reply->ans);
    sbx_json_free(reply->js);
    memset(reply, 0, sizeof(*reply));
}

size_t e2b_headers(const struct e2b *e, const struct sbx_identity *who, const char *type, const char *accept,
                   struct sbx_header headers[E2B_HEADERS_MAX]) {
    size_t n = 0;
    if (who) { /* the account's key is for the API alone: a sandbox never sees it */
        if (who->token[0]) headers[n++] = (struct sbx_header){"X-Access-Token", who->token};
        headers[n++] = (struct sbx_header){"E2b-Sandbox-Id", who->id};
        headers[n++] = (struct sbx_header){"E2b-Sandbox-Port", E2B_PORT};
    } else {
        headers[n++] = (struct sbx_header){"X-API-Key", e->key};
    }
    headers[n++] = (struct sbx_header){"User-Agent", USER_AGENT};
    headers[n++] = (struct sbx_header){"Accept", accept};
    if (type) headers[n++] = (struct sbx_header){"Content-Type", type};
    return n;
}

void e2b_url(const struct e2b *e, int newer, struct sbx_buf *url, const char *id, const char *rest) {
    sbx_buf_text_append(url, e->endpoint);
    sbx_buf_text_append(url, newer && e->api != SBX_E2B_API_V1 ? "/v2/sandboxes/" : "/sandboxes/");
    sbx_percent_encode(url, id);
    sbx_buf_text_append(url, rest);
}

int64_t e2b_seconds(int64_t ms) {
    int64_t s = ms / 1000 + (ms % 1000 != 0);
    return s < SECONDS_MAX ? s : SECONDS_MAX;
}

void e2b_timeout_body(struct sbx_buf *body, int64_t lifetime_ms) {
    sbx_json_begin_object(body, NULL);
    sbx_json_put_int(body, "timeout", e2b_seconds(lifetime_ms));
    sbx_json_end_object(body);
}

void e2b_debug(const struct e2b *e, const struct sbx_identity *who, enum e2b_op op, int32_t http_status,
               const char *text, size_t len) {
    struct sbx_buf shown = SBX_BUF_INIT;
    if (!e->debug) return;
    sbx_redact(&shown, text, len, e->key, who ? who->token : NULL); /* guard: e2b_debug_redacts */
    if (!shown.failed) e->debug(e->debug_ctx, e2b_op_name(op), http_status, sbx_buf_text(&shown), shown.len);
    sbx_buf_finish(&shown);
}

/* ---- what came back ---- */

void e2b_evidence_of(const struct sbx_answer *ans, struct e2b_evidence *got) {
    struct sbx_connect_error error = {.size = sizeof(error)};
    memset(got, 0, sizeof(*got));
    got->evidence = ans->evidence;
    got->http_status = ans->http_status;
    got->sent_bytes = ans->sent_bytes;
    got->retry_after_ms = sbx_answer_retry_after_ms(ans);
    if (ans->evidence != SBX_EVIDENCE_DONE || ans->http_status / 100 == 2) return;
    enum sbx_status st = sbx_connect_error_read(sbx_buf_text(&ans->body), ans->body.len, &error);
    if (st == SBX_NO_MEMORY) got->evidence = SBX_EVIDENCE_MEMORY; /* what it says decides */
    if (st) return;
    got->is_json = 1;
    got->number = error.number;
    memcpy(got->code, error.code, sizeof(got->code));
    memcpy(got->message, error.message, sizeof(got->message));
}

enum sbx_status e2b_mean(const struct e2b_meaning *means, const struct e2b_evidence *got, struct sbx_error *err) {
    err->http_status = got->evidence == SBX_EVIDENCE_DONE ? got->http_status : 0; /* or no answer decided it */
    err->retry_after_ms = got->retry_after_ms;
    if (means->detail) return sbx_fail(err, means->status, means->outcome, "%s", means->detail);
    err->detail[0] = 0;
    return sbx_fail(err, means->status, means->outcome, NULL);
}

enum sbx_status e2b_reply_json(struct e2b_reply *reply, struct sbx_error *err) {
    return reply->js ? SBX_OK : sbx_answer_json(&reply->ans, &reply->js, err);
}

/* ---- sending ---- */

enum sbx_status e2b_send(struct e2b *e, const struct e2b_request *req, const struct sbx_call *call,
                         struct e2b_reply *reply, struct sbx_error *err) {
    struct sbx_header headers[E2B_HEADERS_MAX];
    struct sbx_request wire = {.size = sizeof(wire), .method = req->method, .url = req->url, .flags = req->flags};
    e2b_reply_finish(reply);
    sbx_answer_init(&reply->ans, sizeof(reply->ans));
    wire.headers = headers;
    wire.header_count = e2b_headers(e, req->who, req->body ? "application/json" : NULL, "application/json", headers);
    if (req->who) headers[wire.header_count++] = (struct sbx_header){"Connect-Protocol-Version", "1"};
    wire.body = req->body ? sbx_buf_text(req->body) : NULL;
    wire.body_len = req->body ? req->body->len : 0;
    wire.deadline_ms = call->deadline_ms;
    wire.cancel = sbx_cancel_event(call->cancel);
    wire.answer_bytes_max = ANSWER_MAX;
    sbx_exchange_collect(e->env, &wire, &reply->ans);
    e2b_evidence_of(&reply->ans, &reply->got);
    const struct e2b_meaning means = e2b_meaning_of(req->op, &reply->got);
    enum sbx_status st = e2b_mean(&means, &reply->got, err);
    if (st && reply->ans.http_status)
        e2b_debug(e, req->who, req->op, reply->ans.http_status, sbx_buf_text(&reply->ans.body), reply->ans.body.len);
    return st;
}

enum sbx_status e2b_send_to(struct e2b *e, enum e2b_op op, const char *method, const char *id, const char *rest,
                            const struct sbx_buf *body, const struct sbx_call *call, struct e2b_reply *reply,
                            struct sbx_error *err) {
    struct sbx_buf url = SBX_BUF_INIT;
    e2b_url(e, op == E2B_CONNECT, &url, id, rest);
    const struct e2b_request req = {.op = op, .method = method, .url = sbx_buf_text(&url), .body = body};
    enum sbx_status st = url.failed || (body && body->failed) ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : e2b_send(e, &req, call, reply, err);
    sbx_buf_finish(&url);
    return st;
}

static int read_again(const struct e2b *e, const struct e2b_reply *reply, const struct sbx_call *call) {
    return e2b_is_transient(&reply->got) && sbx_call_check(call, e->env) == SBX_OK;
}

enum sbx_status e2b_read(struct e2b *e, enum e2b_op op, const char *url, const struct sbx_call *call,
                         struct e2b_reply *reply, struct sbx_error *err) {
    const struct e2b_request req = {.op = op, .method = "GET", .url = url, .flags = SBX_REQUEST_IDEMPOTENT};
    return e2b_read_by(e, &req, call, reply, err);
}

enum sbx_status e2b_read_by(struct e2b *e, const struct e2b_request *req, const struct sbx_call *call,
                            struct e2b_reply *reply, struct sbx_error *err) {
    struct sbx_backoff backoff;
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, READ_WAIT_MS, READ_WAIT_MAX);
    for (int tried = 1;; tried++) {
        const struct sbx_call bounded = sbx_call_within(call, e->env, READ_TRY_MS);
        st = e2b_send(e, req, &bounded, reply, err);
        if (!st) return e2b_reply_json(reply, err);
        if (tried == READ_TRIES || !read_again(e, reply, call) ||
            sbx_call_pause(call, e->env, &backoff, reply->got.retry_after_ms))
            break;
    }
    enum sbx_status now = sbx_call_check(call, e->env);
    if (now) return sbx_fail(err, now, (enum sbx_outcome)err->outcome, NULL);
    if (st == SBX_DEADLINE) /* of a try, not of the call */
        return sbx_fail(err, SBX_CONNECTION_LOST, (enum sbx_outcome)err->outcome,
                        "no answer within 10 s, again and again");
    return st;
}
