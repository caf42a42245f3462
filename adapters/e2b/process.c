/* A process in a sandbox: started once, heard to its end. Rows E3, E8, P7, P9, P11.
 *
 * The daemon ends a process when the time in Connect-Timeout-Ms is over, and for nothing else: a connection that is cut
 * ends nothing. No such header would mean no end, and 0 a stream that is over before it begins, so a time always goes
 * with it. Signs of life come every 50 s; a stream without any for longer is a dead one. */
#include "adapters/e2b/process.h"

#include <stdio.h>
#include <string.h>

#define KEEPALIVE_S     "50"
#define STALL_MS        120000
#define LIFETIME_MS_MAX INT64_C(9999999999) /* ten digits are allowed */
#define ERROR_BYTES_MAX (64 * 1024)
#define PLAIN_BYTES_MAX (16u * 1024 * 1024)

/* ---- the request ---- */

static void order_write(struct sbx_buf *body, const struct e2b_order *order) {
    sbx_json_begin_object(body, NULL);
    sbx_json_begin_object(body, "process");
    sbx_json_put_string(body, "cmd", "/bin/sh");
    sbx_json_begin_array(body, "args");
    for (size_t i = 0; i < order->arg_count; i++) sbx_json_put_string(body, NULL, order->args[i]);
    sbx_json_end_array(body);
    if (order->var_count) {
        sbx_json_begin_object(body, "envs");
        for (size_t i = 0; i < order->var_count; i++)
            sbx_json_put_string(body, order->vars[i].name, order->vars[i].value);
        sbx_json_end_object(body);
    }
    if (order->cwd) sbx_json_put_string(body, "cwd", order->cwd);
    sbx_json_end_object(body);
    if (order->tag) sbx_json_put_string(body, "tag", order->tag);
    sbx_json_put_bool(body, "stdin", 0); /* or what reads its input never ends */
    sbx_json_end_object(body);
}

static void order_envelope(struct sbx_buf *out, const struct e2b_order *order) {
    struct sbx_buf body = SBX_BUF_INIT;
    order_write(&body, order);
    sbx_connect_envelope(out, sbx_buf_text(&body), body.len);
    if (body.failed) out->failed = 1;
    if (body.data) explicit_bzero(body.data, body.cap); /* the environment is in it */
    sbx_buf_finish(&body);
}

static int64_t lifetime_on_wire(int64_t lifetime_ms) {
    if (lifetime_ms < 1) return 1; /* guard: lifetime_is_never_0 */
    return lifetime_ms < LIFETIME_MS_MAX ? lifetime_ms : LIFETIME_MS_MAX;
}

/* ---- hearing ---- */

struct hearing {
    const struct e2b_hearer *to;
    struct e2b_heard *heard;
    struct sbx_connect_decoder *decoder;
    struct e2b_event event;
    struct sbx_answer ans; /* of an answer that is no stream */
    uint64_t plain_bytes;  /* of such a one */
    int is_stream;
};

static int hear_message(void *ctx, const char *data, size_t len) {
    struct hearing *h = ctx;
    struct e2b_heard *heard = h->heard;
    enum sbx_status st = e2b_event_read(data, len, &h->event);
    heard->out_of_memory |= st == SBX_NO_MEMORY;
    heard->garbled |= st == SBX_PROTOCOL;
    if (st) return -1;
    switch (h->event.kind) {
    case E2B_EVENT_BEGUN:
        heard->begun = 1;
        heard->pid = h->event.pid;
        break;
    case E2B_EVENT_DATA:
        heard->begun = 1;
        if (h->event.bytes.len && h->to->data(h->to->ctx, h->event.stream, h->event.bytes.data, h->event.bytes.len))
            heard->stopped = 1;
        break;
    case E2B_EVENT_END:
        heard->begun = heard->ended = 1;
        heard->exit_known = h->event.exit_known;
        heard->exit_code = h->event.exit_code;
        heard->signalled = h->event.signalled;
        break;
    case E2B_EVENT_OTHER:
        break;
    }
    return heard->stopped;
}

static int hear_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct hearing *h = ctx;
    h->ans.http_status = http_status;
    for (size_t i = 0; i < header_count; i++) {
        if (strcasecmp(headers[i].name, "content-type") == 0)
            h->is_stream = http_status == 200 && sbx_connect_is_stream(headers[i].value);
        else if (strncasecmp(headers[i].name, "retry-after", 11) == 0)
            sbx_buf_printf(&h->ans.head, "retry-after: %s\n", headers[i].value);
    }
    return 0;
}

static int hear_body(void *ctx, const void *data, size_t len) {
    struct hearing *h = ctx;
    if (h->is_stream) {
        enum sbx_status st = sbx_connect_feed(h->decoder, data, len);
        h->heard->out_of_memory |= st == SBX_NO_MEMORY;
        return st != SBX_OK;
    }
    h->plain_bytes += len;
    h->heard->too_large = h->plain_bytes > PLAIN_BYTES_MAX;
    if (h->ans.body.len < ERROR_BYTES_MAX) sbx_buf_append(&h->ans.body, data, len);
    return h->heard->too_large || h->ans.body.failed;
}

/* What the exchange said in all: as a stream, or as an answer of another kind. */
static void hear_out(struct hearing *h, struct e2b_heard *heard) {
    e2b_evidence_of(&h->ans, &heard->got);
    heard->ending = sbx_connect_ending(h->decoder, h->ans.evidence);
    if (heard->ending == SBX_CONNECT_ERROR) {
        const struct sbx_connect_error *error = sbx_connect_error(h->decoder);
        memcpy(heard->got.code, error->code, sizeof(heard->got.code));
        memcpy(heard->got.message, error->message, sizeof(heard->got.message));
    }
    heard->out_of_memory |= h->ans.body.failed || h->ans.head.failed;
    if (!h->is_stream && h->ans.http_status == 200) heard->garbled = 1;
}

static void hear_exchange(struct e2b *e, const struct sbx_identity *who, const struct sbx_buf *body,
                          int64_t lifetime_ms, const struct sbx_call *call, struct hearing *h) {
    struct sbx_header headers[E2B_HEADERS_MAX];
    struct sbx_exchange_info info = {.size = sizeof(info)};
    struct sbx_buf url = SBX_BUF_INIT;
    struct sbx_request req = {.size = sizeof(req), .method = "POST", .stall_ms = STALL_MS};
    const struct sbx_receiver receiver = {h, hear_head, hear_body};
    char timeout[24];
    snprintf(timeout, sizeof(timeout), "%lld", (long long)lifetime_on_wire(lifetime_ms));
    sbx_buf_text_append(&url, who->address);
    sbx_buf_text_append(&url, "/process.Process/Start");
    req.url = sbx_buf_text(&url);
    req.headers = headers;
    req.header_count = e2b_headers(e, who, "application/connect+json", "application/connect+json", headers);
    headers[req.header_count++] = (struct sbx_header){"Connect-Protocol-Version", "1"};
    headers[req.header_count++] = (struct sbx_header){"Keepalive-Ping-Interval", KEEPALIVE_S};
    headers[req.header_count++] = (struct sbx_header){"Connect-Timeout-Ms", timeout}; /* guard: command_lifetime_sent */
    req.body = sbx_buf_text(body);
    req.body_len = body->len;
    req.deadline_ms = call->deadline_ms;
    req.cancel = sbx_cancel_event(call->cancel);
    h->ans.evidence =
        url.failed || body->failed ? SBX_EVIDENCE_MEMORY : (int32_t)e->env->exchange(e->env, &req, &receiver, &info);
    h->ans.sent_bytes = info.sent_bytes;
    sbx_buf_finish(&url);
}

enum sbx_status e2b_process_run(struct e2b *e, const struct sbx_identity *who, const struct e2b_order *order,
                                const struct e2b_hearer *to, const struct sbx_call *call, struct e2b_heard *out,
                                struct sbx_error *err) {
    struct hearing h = {.to = to, .heard = out};
    const struct sbx_connect_sink sink = {sizeof(sink), &h, hear_message};
    struct sbx_buf body = SBX_BUF_INIT;
    int64_t begun_ms = e->env->now_ms(e->env);
    h.decoder = sbx_connect_decoder_create(&sink, 0);
    if (!h.decoder) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    sbx_answer_init(&h.ans, sizeof(h.ans));
    order_envelope(&body, order);
    hear_exchange(e, who, &body, order->lifetime_ms, call, &h);
    hear_out(&h, out);
    int64_t now_ms = e->env->now_ms(e->env);
    out->lifetime_over = now_ms - begun_ms >= order->lifetime_ms;
    out->silent = h.ans.evidence == SBX_EVIDENCE_DEADLINE && now_ms < call->deadline_ms;
    const struct e2b_meaning means = e2b_heard_meaning(out);
    enum sbx_status st = e2b_mean(&means, &out->got, err);
    if (st && h.ans.http_status && h.ans.body.len)
        e2b_debug(e, who, E2B_START, h.ans.http_status, sbx_buf_text(&h.ans.body), h.ans.body.len);
    sbx_connect_decoder_free(h.decoder);
    sbx_answer_finish(&h.ans);
    sbx_buf_finish(&h.event.bytes);
    if (body.data) explicit_bzero(body.data, body.cap);
    sbx_buf_finish(&body);
    return st;
}

/* ---- its output as a text ---- */

struct collected {
    struct sbx_buf *text;
    size_t max;
    int too_large;
};

static int collect(void *ctx, int32_t stream, const void *data, size_t len) {
    struct collected *c = ctx;
    if (stream != SBX_STDOUT) return 0;
    c->too_large = len > c->max - c->text->len;
    if (!c->too_large) sbx_buf_append(c->text, data, len);
    return c->too_large || c->text->failed;
}

enum sbx_status e2b_process_text(struct e2b *e, const struct sbx_identity *who, const struct e2b_order *order,
                                 size_t text_max, const struct sbx_call *call, struct sbx_buf *text,
                                 struct e2b_heard *out, struct sbx_error *err) {
    struct collected c = {.text = text, .max = text_max};
    const struct e2b_hearer to = {&c, collect};
    enum sbx_status st = e2b_process_run(e, who, order, &to, call, out, err);
    if (c.too_large) return sbx_fail(err, SBX_TOO_LARGE, SBX_OUTCOME_DONE, NULL);
    if (text->failed) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    return st;
}
