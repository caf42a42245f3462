/* The face of an exchange over a socket: what a cloud reads comes from the connection's buffer, what it says goes there
 * and is sent as the client takes it. Calls run in the exchange's fiber. Row V1. */
#include "sim/serve/conn.h"

#include <stddef.h>
#include <string.h>

#define PIECE_MAX  (64 * 1024) /* of an answer's body that is put into the buffer at once */
#define HEAD_USUAL 384         /* most heads of answers are shorter */

static struct serve_conn *link_conn(struct sim_link *link) {
    return (struct serve_conn *)(void *)((char *)link - offsetof(struct serve_conn, link));
}

/* ---- the request's body ---- */

/* Takes the next piece that has been received, of at most `cap` bytes so that none has to be kept. */
static enum serve_parse link_take(struct serve_conn *c, void *buf, size_t cap, size_t *len) {
    const char *piece = NULL;
    size_t used = 0, have = c->in.len - c->in_at;
    enum serve_parse how =
        serve_body_read(&c->body, have ? c->in.data + c->in_at : "", have < cap ? have : cap, &used, &piece, len);
    if (how == SERVE_DATA) memcpy(buf, piece, *len);
    serve_conn_used(c, used);
    return how;
}

static ptrdiff_t link_read(struct sim_link *link, void *buf, size_t cap) {
    struct serve_conn *c = link_conn(link);
    while (!c->body_done) {
        size_t len = 0;
        switch (link_take(c, buf, cap, &len)) {
        case SERVE_DATA:
            return (ptrdiff_t)len;
        case SERVE_DONE:
            c->body_done = 1;
            break;
        case SERVE_BAD:
            c->close_after = 1; /* where the next request begins is unknown */
            return -1;
        case SERVE_MORE:
            if (c->in_at < c->in.len) break;
            if (c->in_ended || c->fd < 0) return -1;
            if (sim_wait(serve_conn_world(c), &c->more_in, SIM_NEVER) == SIM_ENDING) return -1;
            break;
        }
    }
    return 0;
}

/* ---- the answer ---- */

static const char *link_reason(int status) {
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
    };
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status) return reasons[i].reason;
    return "Status";
}

/* How the end of the body will be known. HTTP/1.0 has no chunks: there it is the end of the connection. */
static void link_frame(struct serve_conn *c, int64_t length) {
    int old = c->head && c->head->minor == 0;
    c->chunked = length == -1 && !old;
    if (length == -1 && old) c->close_after = 1;
    if (c->chunked) sbx_buf_text_append(&c->out, "Transfer-Encoding: chunked\r\n");
    if (length >= 0) sbx_buf_printf(&c->out, "Content-Length: %lld\r\n", (long long)length);
    if (c->close_after)
        sbx_buf_text_append(&c->out, "Connection: close\r\n");
    else if (old)
        sbx_buf_text_append(&c->out, "Connection: keep-alive\r\n");
}

/* Room for the head and for a body that will be put behind it at once: one step instead of many small ones. */
static void link_room(struct serve_conn *c, int64_t length) {
    size_t body = length > 0 && length < PIECE_MAX ? (size_t)length : 0;
    (void)sbx_buf_reserve(&c->out, HEAD_USUAL + body); /* a failure stays with the buffer */
}

static void link_fields(struct serve_conn *c, const struct sbx_header *headers, size_t n) {
    for (size_t i = 0; i < n; i++) {
        sbx_buf_text_append(&c->out, headers[i].name);
        sbx_buf_append(&c->out, ": ", 2);
        sbx_buf_text_append(&c->out, headers[i].value);
        sbx_buf_append(&c->out, "\r\n", 2);
    }
}

static int link_head(struct sim_link *link, int status, const struct sbx_header *headers, size_t n, int64_t length) {
    struct serve_conn *c = link_conn(link);
    if (c->fd < 0) return -1;
    link_room(c, length);
    sbx_buf_printf(&c->out, "HTTP/1.1 %d %s\r\n", status, link_reason(status));
    link_fields(c, headers, n);
    link_frame(c, length);
    sbx_buf_append(&c->out, "\r\n", 2);
    serve_conn_dirty(c);
    return c->out.failed ? -1 : 0;
}

/* Waits until the client has taken enough of what was said. @return -1 once it is gone */
static int link_wait_room(struct serve_conn *c) {
    while (c->fd >= 0 && c->out.len - c->out_at >= CONN_OUT_MAX) {
        serve_conn_dirty(c);
        if (sim_wait(serve_conn_world(c), &c->out_room, SIM_NEVER) == SIM_ENDING) return -1;
    }
    return c->fd < 0 || c->out.failed ? -1 : 0;
}

static int link_body(struct sim_link *link, const void *data, size_t len) {
    struct serve_conn *c = link_conn(link);
    const char *bytes = data;
    if (c->bodiless) return c->fd < 0 ? -1 : 0;
    while (len) {
        size_t n = len < PIECE_MAX ? len : PIECE_MAX;
        if (link_wait_room(c)) return -1;
        if (c->chunked) sbx_buf_printf(&c->out, "%zx\r\n", n);
        sbx_buf_append(&c->out, bytes, n);
        if (c->chunked) sbx_buf_append(&c->out, "\r\n", 2);
        bytes += n;
        len -= n;
        serve_conn_dirty(c);
    }
    return c->fd < 0 || c->out.failed ? -1 : 0;
}

static int link_end(struct sim_link *link) {
    struct serve_conn *c = link_conn(link);
    if (c->upgraded) c->closing = CONN_CLOSES;
    if (c->chunked && !c->bodiless) sbx_buf_text_append(&c->out, "0\r\n\r\n");
    serve_conn_dirty(c);
    return c->fd < 0 || c->out.failed ? -1 : 0;
}

/* What was said before is sent first. */
static void link_abort(struct sim_link *link, int how) {
    struct serve_conn *c = link_conn(link);
    if (how == SIM_ABORT_HANG)
        c->hung = 1;
    else
        c->closing = how == SIM_ABORT_RESET ? CONN_RESETS : CONN_CLOSES;
    serve_conn_dirty(c);
}

static int link_raw(struct sim_link *link, const void *data, size_t len) {
    struct serve_conn *c = link_conn(link);
    if (c->fd < 0) return -1;
    sbx_buf_append(&c->out, data, len);
    c->closing = CONN_CLOSES;
    serve_conn_dirty(c);
    return c->out.failed ? -1 : 0;
}

/* ---- another protocol ---- */

static int link_upgrade(struct sim_link *link, const struct sbx_header *headers, size_t n) {
    struct serve_conn *c = link_conn(link);
    if (c->fd < 0) return -1;
    sbx_buf_text_append(&c->out, "HTTP/1.1 101 Switching Protocols\r\n");
    link_fields(c, headers, n);
    sbx_buf_append(&c->out, "\r\n", 2);
    c->upgraded = 1;
    c->chunked = c->bodiless = 0;
    serve_conn_dirty(c);
    return c->out.failed ? -1 : 0;
}

static ptrdiff_t link_read_now(struct sim_link *link, void *buf, size_t cap) {
    struct serve_conn *c = link_conn(link);
    size_t have = c->in.len - c->in_at, n = have < cap ? have : cap;
    if (c->fd < 0) return -1;
    if (!n) return c->in_ended ? -1 : 0;
    memcpy(buf, c->in.data + c->in_at, n);
    serve_conn_used(c, n);
    return (ptrdiff_t)n;
}

static struct sim_waitq *link_input(struct sim_link *link) {
    return &link_conn(link)->more_in;
}

const struct sim_link serve_link = {link_read, link_head,    link_body,     link_end,  link_abort,
                                    link_raw,  link_upgrade, link_read_now, link_input};
