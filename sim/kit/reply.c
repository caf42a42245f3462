/* The answer of an exchange, and what faults do to its bytes: cut, slowed, changed. */
#include "sim/kit/http_inside.h"
#include "sim/kit/mutate.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_PIECES 8

void sim_http_header_add(struct sim_http *x, const char *name, const char *value) {
    if (x->header_count == HTTP_HEADERS_MAX) abort(); /* the cloud is ours */
    x->header_names[x->header_count] = x->header_texts.len;
    sbx_buf_append(&x->header_texts, name, strlen(name) + 1);
    x->header_values[x->header_count++] = x->header_texts.len;
    sbx_buf_append(&x->header_texts, value, strlen(value) + 1);
}

int sim_http_replied(const struct sim_http *x) {
    return x->answer != HTTP_NONE;
}

void sim_http_abort(struct sim_http *x, enum sim_abort how) {
    if (x->answer == HTTP_DONE || x->answer == HTTP_ABORTED) return;
    x->ended = how == SIM_ABORT_RESET ? "reset" : how == SIM_ABORT_HANG ? "hang" : "close";
    if (x->answer == HTTP_BEGUN) x->ended = "cut";
    x->answer = HTTP_ABORTED;
    x->link->abort(x->link, (int)how);
}

void sim_http_raw(struct sim_http *x, const void *data, size_t len) {
    if (x->answer != HTTP_NONE) return;
    x->answer = HTTP_ABORTED;
    x->ended = "raw";
    if (x->link->raw(x->link, data, len) == 0) x->link->abort(x->link, SIM_ABORT_CLOSE);
}

/* The headers added so far, behind `n` others. @return how many there are then */
static size_t head_collect(const struct sim_http *x, struct sbx_header headers[HTTP_HEADERS_MAX + 1], size_t n) {
    const char *texts = sbx_buf_text(&x->header_texts);
    for (size_t i = 0; i < x->header_count && !x->header_texts.failed; i++)
        headers[n++] = (struct sbx_header){texts + x->header_names[i], texts + x->header_values[i]};
    return n;
}

static int head_send(struct sim_http *x, int status, const char *content_type, int64_t length) {
    struct sbx_header headers[HTTP_HEADERS_MAX + 1];
    if (content_type) headers[0] = (struct sbx_header){"Content-Type", content_type};
    const size_t n = head_collect(x, headers, content_type ? 1 : 0);
    x->answer = HTTP_BEGUN;
    x->status = status;
    return x->link->head(x->link, status, headers, n, length);
}

int sim_http_begin(struct sim_http *x, int status, const char *content_type, int64_t length) {
    if (x->answer != HTTP_NONE) return -1;
    sim_http_reply_faults(x);
    return head_send(x, status, content_type, length);
}

int sim_http_upgrade(struct sim_http *x) {
    struct sbx_header headers[HTTP_HEADERS_MAX + 1];
    if (x->answer != HTTP_NONE) return -1;
    sim_http_reply_faults(x);
    const size_t n = head_collect(x, headers, 0);
    x->answer = HTTP_BEGUN;
    x->status = 101;
    return x->link->upgrade(x->link, headers, n);
}

ptrdiff_t sim_http_read_now(struct sim_http *x, void *buf, size_t cap) {
    return x->answer == HTTP_BEGUN ? x->link->read_now(x->link, buf, cap) : -1;
}

struct sim_waitq *sim_http_input(struct sim_http *x) {
    return x->link->input(x->link);
}

static int write_through(struct sim_http *x, const char *data, size_t len) {
    uint64_t left = x->cut_at >= 0 ? (uint64_t)x->cut_at - x->answer_bytes : len;
    size_t n = len < left ? len : (size_t)left;
    int gone = n ? x->link->body(x->link, data, n) : 0;
    x->answer_bytes += n;
    if (n < len) {
        sim_http_abort(x, x->cut_how);
        return -1;
    }
    return gone;
}

int sim_http_write(struct sim_http *x, const void *data, size_t len) {
    const char *bytes = data;
    struct sim_world *w = sim_world(x->sim);
    if (x->answer != HTTP_BEGUN) return -1;
    if (!x->slow_ms) return write_through(x, bytes, len);
    for (size_t i = 0; i < SLOW_PIECES; i++) {
        size_t from = len * i / SLOW_PIECES, to = len * (i + 1) / SLOW_PIECES;
        sim_sleep_until(w, sim_now(w) + x->slow_ms * SIM_MS / SLOW_PIECES);
        if (write_through(x, bytes + from, to - from)) return -1;
    }
    return 0;
}

int sim_http_end(struct sim_http *x) {
    if (x->answer != HTTP_BEGUN) return -1;
    if (x->cut_at >= 0 && x->answer_bytes >= (uint64_t)x->cut_at) {
        sim_http_abort(x, x->cut_how);
        return -1;
    }
    x->answer = HTTP_DONE;
    x->ended = "done";
    if (x->link->end(x->link) == 0) return 0;
    x->ended = "gone";
    return -1;
}

/* What the journal will say of the body. */
static void reply_note(struct sim_http *x, const void *body, size_t len) {
    x->answer_length = len;
    if (len > HTTP_JOURNAL_BYTES)
        sbx_sha256_of(body, len, x->answer_hex);
    else
        sbx_buf_append(&x->answer_body, body, len);
}

/* The client left before it had the answer. */
static void reply_unheard(struct sim_http *x) {
    x->answer = HTTP_ABORTED;
    x->ended = "gone";
    x->link->abort(x->link, SIM_ABORT_CLOSE);
}

void sim_http_reply(struct sim_http *x, int status, const char *content_type, const void *body, size_t len) {
    struct sbx_buf changed = SBX_BUF_INIT;
    if (x->answer != HTTP_NONE) return;
    sim_http_reply_faults(x);
    if (x->mutate && sim_mutate(body, len, x->mutate->is.path, x->mutate->is.value, &changed)) {
        body = changed.data;
        len = changed.len;
    }
    int bodiless = status == 204 || status == 304;
    if (x->cut_at >= 0 && (bodiless || !len)) { /* no body to cut: the head never gets whole */
        sim_http_abort(x, x->cut_how);
        sbx_buf_finish(&changed);
        return;
    }
    if (!bodiless) reply_note(x, body, len);
    int gone = head_send(x, status, len ? content_type : NULL, bodiless ? -2 : (int64_t)len);
    if (!gone && len && !bodiless) gone = sim_http_write(x, body, len);
    if (!gone)
        sim_http_end(x);
    else if (x->answer == HTTP_BEGUN)
        reply_unheard(x);
    sbx_buf_finish(&changed);
}

void sim_http_reply_json(struct sim_http *x, int status, struct sbx_buf *body) {
    x->answer_is_json = 1;
    if (sbx_buf_status(body))
        sim_http_abort(x, SIM_ABORT_RESET);
    else
        sim_http_reply(x, status, "application/json; charset=utf-8", body->data, body->len);
    sbx_buf_finish(body);
}
