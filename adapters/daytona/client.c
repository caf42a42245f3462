/* Requests to Daytona's two planes, and what their answers mean. Rows P4, P9, P11, R12. */
#include "adapters/daytona/client.h"

#include <sandport/kit/text.h>
#include <string.h>

#define ANSWER_MAX    (16u * 1024 * 1024)
#define READ_TRIES    3
#define READ_TRY_MS   10000
#define READ_WAIT_MS  250
#define READ_WAIT_MAX 2000
#define USER_AGENT    "sandport/" SBX_VERSION_TEXT

void daytona_reply_finish(struct daytona_reply *reply) {
    sbx_answer_finish(&reply->ans);
    sbx_json_free(reply->js);
    memset(reply, 0, sizeof(*reply));
}

size_t daytona_headers(const struct daytona *d, const char *type, const char *accept,
                       struct sbx_header headers[DAYTONA_HEADERS_MAX]) {
    size_t n = 0;
    headers[n++] = (struct sbx_header){"Authorization", d->bearer};
    headers[n++] = (struct sbx_header){"User-Agent", USER_AGENT};
    headers[n++] = (struct sbx_header){"Accept", accept};
    if (type) headers[n++] = (struct sbx_header){"Content-Type", type};
    if (d->organization) headers[n++] = (struct sbx_header){"X-Daytona-Organization-ID", d->organization};
    return n;
}

void daytona_url(const struct daytona *d, struct sbx_buf *url, const char *id, const char *rest) {
    sbx_buf_text_append(url, d->endpoint);
    sbx_buf_text_append(url, "/sandbox/");
    sbx_percent_encode(url, id);
    sbx_buf_text_append(url, rest);
}

void daytona_toolbox_url(struct sbx_buf *url, const struct sbx_identity *who, const char *rest) {
    sbx_buf_text_append(url, who->address);
    sbx_buf_char(url, '/');
    sbx_percent_encode(url, who->id);
    sbx_buf_text_append(url, rest);
}

/* ---- what came back ---- */

static void message_copy(struct daytona_evidence *got, const char *text, size_t len) {
    if (len >= sizeof(got->message)) len = sizeof(got->message) - 1;
    memcpy(got->message, text, len);
    got->message[len] = 0;
}

/* A bulk upload answers {"errors":["..."]} and no message. */
static const char *first_error(struct sbx_json *js, const struct sbx_json_node *root) {
    const struct sbx_json_node *first = sbx_json_first(sbx_json_opt_array(js, root, "errors"));
    return first && sbx_json_type(first) == SBX_JSON_STRING ? sbx_json_as_string(js, first) : "";
}

/* Some answers are a line of plain text; a page of HTML says nothing, whatever words are in it. */
static int is_plain_line(const struct sbx_buf *body) {
    return body->len > 0 && body->len < 256 && !memchr(body->data, '<', body->len);
}

void daytona_evidence_of(const struct sbx_answer *ans, struct daytona_evidence *got) {
    struct sbx_json *js = NULL;
    memset(got, 0, sizeof(*got));
    got->evidence = ans->evidence;
    got->http_status = ans->http_status;
    got->sent_bytes = ans->sent_bytes;
    got->body_len = ans->body.len;
    got->retry_after_ms = sbx_answer_retry_after_ms(ans);
    if (ans->evidence != SBX_EVIDENCE_DONE || ans->http_status / 100 == 2) return;
    enum sbx_status st = sbx_json_parse(sbx_buf_text(&ans->body), ans->body.len, 0, &js);
    if (st == SBX_OK) {
        const struct sbx_json_node *root = sbx_json_root(js);
        got->is_json = sbx_json_type(root) == SBX_JSON_OBJECT || sbx_json_type(root) == SBX_JSON_ARRAY;
        (void)!sbx_copy(got->code, sizeof(got->code), sbx_json_opt_string(js, root, "code", ""));
        const char *message = sbx_json_opt_string(js, root, "message", "");
        if (!*message) message = first_error(js, root);
        message_copy(got, message, strlen(message));
    } else if (st == SBX_NO_MEMORY) {        /* what it says decides: the bare 502 of a dead daemon says nothing */
        got->evidence = SBX_EVIDENCE_MEMORY; /* guard: unreadable_answer */
    } else if (is_plain_line(&ans->body)) {
        message_copy(got, ans->body.data, ans->body.len);
    }
    sbx_json_free(js);
}

enum sbx_status daytona_mean(const struct daytona_meaning *means, const struct daytona_evidence *got,
                             struct sbx_error *err) {
    err->http_status = got->http_status;
    err->retry_after_ms = got->retry_after_ms;
    if (means->detail) return sbx_fail(err, means->status, means->outcome, "%s", means->detail);
    err->detail[0] = 0;
    return sbx_fail(err, means->status, means->outcome, NULL);
}

enum sbx_status daytona_reply_json(struct daytona_reply *reply, struct sbx_error *err) {
    return reply->js ? SBX_OK : sbx_answer_json(&reply->ans, &reply->js, err);
}

/* ---- sending ---- */

enum sbx_status daytona_send(struct daytona *d, const struct daytona_request *req, const struct sbx_call *call,
                             struct daytona_reply *reply, struct sbx_error *err) {
    struct sbx_header headers[DAYTONA_HEADERS_MAX];
    struct sbx_request wire = {.size = sizeof(wire), .method = req->method, .url = req->url, .flags = req->flags};
    daytona_reply_finish(reply);
    sbx_answer_init(&reply->ans, sizeof(reply->ans));
    wire.headers = headers;
    wire.header_count = daytona_headers(d, req->body ? "application/json" : NULL, "application/json", headers);
    if (req->op == DAYTONA_DIR) /* asking where things are must not keep a sandbox from stopping when idle */
        headers[wire.header_count++] = (struct sbx_header){"X-Daytona-Skip-Last-Activity-Update", "true"};
    wire.body = req->body ? sbx_buf_text(req->body) : NULL;
    wire.body_len = req->body ? req->body->len : 0;
    wire.deadline_ms = call->deadline_ms;
    wire.cancel = sbx_cancel_event(call->cancel);
    wire.answer_bytes_max = req->answer_max ? req->answer_max : ANSWER_MAX;
    sbx_exchange_collect(d->env, &wire, &reply->ans);
    daytona_evidence_of(&reply->ans, &reply->got);
    const struct daytona_meaning means = daytona_meaning_of(req->op, &reply->got);
    enum sbx_status st = daytona_mean(&means, &reply->got, err);
    if (st && reply->ans.http_status)
        daytona_debug(d, req->op, reply->ans.http_status, sbx_buf_text(&reply->ans.body), reply->ans.body.len);
    return st;
}

enum sbx_status daytona_send_to(struct daytona *d, enum daytona_op op, const char *method, const char *id,
                                const char *rest, uint32_t flags, const struct sbx_call *call,
                                struct daytona_reply *reply, struct sbx_error *err) {
    struct sbx_buf url = SBX_BUF_INIT;
    daytona_url(d, &url, id, rest);
    const struct daytona_request req = {.op = op, .method = method, .url = sbx_buf_text(&url), .flags = flags};
    enum sbx_status st = sbx_buf_status(&url);
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : daytona_send(d, &req, call, reply, err);
    sbx_buf_finish(&url);
    return st;
}

static int read_again(const struct daytona *d, const struct daytona_reply *reply, const struct sbx_call *call) {
    return daytona_is_transient(&reply->got) && sbx_call_check(call, d->env) == SBX_OK;
}

enum sbx_status daytona_read(struct daytona *d, enum daytona_op op, const char *url, const struct sbx_call *call,
                             struct daytona_reply *reply, struct sbx_error *err) {
    const struct daytona_request req = {.op = op, .method = "GET", .url = url, .flags = SBX_REQUEST_IDEMPOTENT};
    struct sbx_backoff backoff;
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, READ_WAIT_MS, READ_WAIT_MAX);
    for (int tried = 1;; tried++) {
        const struct sbx_call bounded = sbx_call_within(call, d->env, READ_TRY_MS);
        st = daytona_send(d, &req, &bounded, reply, err);
        if (!st) return daytona_reply_json(reply, err);
        if (tried == READ_TRIES || !read_again(d, reply, call) ||
            sbx_call_pause(call, d->env, &backoff, reply->got.retry_after_ms))
            break;
    }
    enum sbx_status now = sbx_call_check(call, d->env);
    if (now) return sbx_fail(err, now, (enum sbx_outcome)err->outcome, NULL);
    if (st == SBX_DEADLINE) /* of a try, not of the call */
        return sbx_fail(err, SBX_CONNECTION_LOST, (enum sbx_outcome)err->outcome,
                        "no answer within 10 s, again and again");
    return st;
}
