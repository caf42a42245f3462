/* Requests out of a connection's bytes: one after the other, pipelined ones too, each served in a fiber of its own, by
 * a cloud or by the admin API. Row V1. */
#include "sim/serve/conn.h"

#include <stdlib.h>
#include <string.h>

#define DRAIN_MAX      (8 * 1024 * 1024) /* of a body that nobody read; more ends the connection */
#define ADMIN_BODY_MAX (1024 * 1024)

/* Takes what is left of a body that nobody read. @return 0 if the next request cannot be told from it */
static int request_drain(struct serve_conn *c) {
    char piece[4096];
    size_t drained = 0;
    for (;;) {
        ptrdiff_t n = c->link.read(&c->link, piece, sizeof(piece));
        if (n <= 0) return n == 0;
        drained += (size_t)n;
        if (drained > DRAIN_MAX) return 0;
    }
}

static void request_of_cloud(struct serve_conn *c) {
    struct sbx_header headers[SERVE_FIELDS_MAX];
    const char *bytes = c->head_bytes.data;
    for (uint32_t i = 0; i < c->head->field_count; i++)
        headers[i] = (struct sbx_header){bytes + c->head->fields[i].name_at, bytes + c->head->fields[i].value_at};
    const struct sim_request req = {.method = bytes + c->head->method_at,
                                    .target = bytes + c->head->target_at,
                                    .headers = headers,
                                    .header_count = c->head->field_count,
                                    .length = c->head->length,
                                    .connection = c->number};
    c->serve->in_flight++;
    sim_http_serve(c->serve->sim, c->cloud, &req, &c->link);
    c->serve->in_flight--;
    c->serve->answered = 1;
}

/* @return 0, or the status that refuses it */
static int request_admin_body(struct serve_conn *c, struct sbx_buf *body) {
    for (;;) {
        char *room = sbx_buf_reserve(body, 4096);
        ptrdiff_t n = room ? c->link.read(&c->link, room, 4096) : -1;
        if (n < 0) return 400;
        if (n == 0) return 0;
        body->len += (size_t)n;
        if (body->len > ADMIN_BODY_MAX) return 413;
    }
}

static void request_of_admin(struct serve_conn *c) {
    struct sbx_buf body = SBX_BUF_INIT, answer = SBX_BUF_INIT;
    const struct sbx_header type = {"Content-Type", "application/json; charset=utf-8"};
    const char *bytes = c->head_bytes.data;
    int status = request_admin_body(c, &body);
    const struct serve_admin_request req = {.method = bytes + c->head->method_at,
                                            .target = bytes + c->head->target_at,
                                            .origin = serve_head_field(c->head, bytes, "origin"),
                                            .host = serve_head_field(c->head, bytes, "host"),
                                            .body = sbx_buf_text(&body),
                                            .len = body.len};
    if (status)
        sbx_buf_text_append(&answer, "{\"error\":\"expected a whole body of at most 1 MiB\"}");
    else
        status = serve_admin(c->serve, &req, &answer);
    if (answer.failed)
        c->link.abort(&c->link, SIM_ABORT_RESET);
    else if (c->link.head(&c->link, status, &type, 1, (int64_t)answer.len) == 0 &&
             c->link.body(&c->link, answer.data, answer.len) == 0)
        c->link.end(&c->link);
    sbx_buf_finish(&body);
    sbx_buf_finish(&answer);
}

static void request_serve(void *arg) {
    struct serve_conn *c = arg;
    if (c->head->expects_100) {
        sbx_buf_text_append(&c->out, "HTTP/1.1 100 Continue\r\n\r\n");
        serve_conn_dirty(c);
    }
    if (c->cloud)
        request_of_cloud(c);
    else
        request_of_admin(c);
    if (!c->closing && !c->hung && (!request_drain(c) || c->close_after)) c->closing = CONN_CLOSES;
    if (c->out.failed) serve_conn_close(c, 1);
    memset(c->head, 0, sizeof(*c->head));
    sbx_buf_clear(&c->head_bytes);
    c->serving = 0;
    serve_conn_dirty(c);
    serve_conn_next(c);
}

static void request_refuse(struct serve_conn *c) {
    struct sbx_buf body = SBX_BUF_INIT;
    const struct sbx_header type = {"Content-Type", "text/plain"};
    sbx_buf_printf(&body, "%s\n", c->head->why);
    c->close_after = 1;
    c->bodiless = 0;
    c->head->minor = 1;
    if (c->link.head(&c->link, c->head->bad_status, &type, 1, (int64_t)body.len) == 0)
        c->link.body(&c->link, sbx_buf_text(&body), body.len);
    c->closing = CONN_CLOSES;
    serve_conn_used(c, c->in.len - c->in_at);
    sbx_buf_finish(&body);
}

/* Reads on in the head of the next request. @return 1 when it is whole and moved to where it stays while served */
static int request_head(struct serve_conn *c) {
    size_t have = c->in.len - c->in_at;
    if (!have) return 0;
    if (!c->head) c->head = calloc(1, sizeof(*c->head));
    enum serve_parse how = c->head ? serve_head_read(c->head, c->in.data + c->in_at, have) : SERVE_BAD;
    if (how == SERVE_BAD && c->head) request_refuse(c);
    if (how == SERVE_DONE) sbx_buf_append(&c->head_bytes, c->in.data + c->in_at, c->head->bytes);
    if (!c->head || c->head_bytes.failed) serve_conn_close(c, 1);
    if (how != SERVE_DONE || c->fd < 0) return 0;
    serve_conn_used(c, c->head->bytes);
    return 1;
}

void serve_conn_next(struct serve_conn *c) {
    if (c->serving || c->closing || c->hung || c->fd < 0) return;
    if (!request_head(c)) {
        if (c->in_ended && !c->closing) c->closing = CONN_CLOSES; /* nothing more can come */
        return;
    }
    c->bodiless = strcmp(c->head_bytes.data + c->head->method_at, "HEAD") == 0;
    c->close_after = !c->head->keep_alive;
    serve_body_begin(&c->body, c->head->length);
    c->body_done = serve_body_whole(&c->body);
    c->serving = 1;
    if (sim_spawn(serve_conn_world(c), request_serve, c)) {
        c->serving = 0;
        serve_conn_close(c, 1);
    }
}
