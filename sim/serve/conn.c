/* One connection: bytes in, a request served in a fiber, bytes out. Control of every byte is what this front exists
 * for: an answer can be cut at any of them, end by FIN or RST, or never end.
 *
 * Requests of a connection are served one after the other, pipelined ones too. The body is read as the cloud asks for
 * it, and answers are sent as the client takes them: neither side is buffered beyond the limits below. */
#include "sim/serve/http_parse.h"
#include "sim/serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define IN_MAX         (128 * 1024) /* received and not yet used */
#define OUT_MAX        (256 * 1024) /* to be sent: a cloud waits beyond */
#define RECV_MAX       (16 * 1024)
#define DRAIN_MAX      (8 * 1024 * 1024) /* of a body that nobody read; more ends the connection */
#define ADMIN_BODY_MAX (1024 * 1024)

struct serve_conn {
    struct serve_source source; /* first */
    struct sim_link link;
    struct serve *serve;
    struct sim_cloud *cloud; /* NULL = the admin API */
    struct serve_conn *next, *prev;
    struct serve_conn *next_dirty;
    int is_dirty;
    int fd; /* -1 once closed */
    int64_t number;
    uint32_t events; /* watched for */

    struct sbx_buf in;
    size_t in_at; /* used up so far */
    int in_ended; /* the client sends no more */
    struct serve_head head;
    struct sbx_buf head_bytes; /* of the request being served */
    struct serve_body body;
    int body_done;
    struct sim_waitq more_in;

    struct sbx_buf out;
    size_t out_at;
    struct sim_waitq out_room;
    int chunked, bodiless, close_after;
    int closing; /* close once all is sent; 2 = by RST */
    int hung;    /* nothing more is ever sent */
    int serving;
};

static struct serve_conn *conn_of_link(struct sim_link *link) {
    return (struct serve_conn *)(void *)((char *)link - offsetof(struct serve_conn, link));
}

static struct sim_world *conn_world(const struct serve_conn *c) {
    return sim_world(c->serve->sim);
}

/* ---- ending ---- */

static void conn_free(struct serve_conn *c) {
    if (c->prev)
        c->prev->next = c->next;
    else
        c->serve->conns = c->next;
    if (c->next) c->next->prev = c->prev;
    sbx_buf_finish(&c->in);
    sbx_buf_finish(&c->head_bytes);
    sbx_buf_finish(&c->out);
    free(c);
}

static void conn_close(struct serve_conn *c, int reset) {
    const struct linger at_once = {1, 0};
    if (c->fd < 0) return;
    if (reset) setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(c->fd);
    c->fd = -1;
    sim_wake_all(conn_world(c), &c->more_in);
    sim_wake_all(conn_world(c), &c->out_room);
}

/* Freed when the socket is closed, no fiber serves it and no list holds it. */
static void conn_settle(struct serve_conn *c) {
    if (c->fd < 0 && !c->serving && !c->is_dirty) conn_free(c);
}

/* ---- watching ---- */

static void conn_watch(struct serve_conn *c) {
    uint32_t events = 0;
    if (c->fd < 0) return;
    if (!c->in_ended && c->in.len - c->in_at < IN_MAX) events |= EPOLLIN | EPOLLRDHUP;
    if (c->out.len > c->out_at && !c->hung) events |= EPOLLOUT;
    if (events == c->events) return;
    c->events = events;
    serve_rewatch(c->serve, c->fd, events, &c->source);
}

static void conn_dirty(struct serve_conn *c) {
    if (c->is_dirty) return;
    c->is_dirty = 1;
    c->next_dirty = c->serve->dirty;
    c->serve->dirty = c;
}

/* ---- sending ---- */

static void conn_send(struct serve_conn *c) {
    while (c->fd >= 0 && !c->hung && c->out_at < c->out.len) {
        ssize_t n = send(c->fd, c->out.data + c->out_at, c->out.len - c->out_at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n < 0) {
            conn_close(c, 0);
            return;
        }
        c->out_at += (size_t)n;
    }
    if (c->out_at == c->out.len) {
        if (c->out.cap > RECV_MAX)
            sbx_buf_finish(&c->out); /* an idle connection holds little */
        else
            sbx_buf_clear(&c->out);
        c->out_at = 0;
        if (c->closing) conn_close(c, c->closing == 2);
    }
    if (c->out.len - c->out_at < OUT_MAX) sim_wake_all(conn_world(c), &c->out_room);
}

void serve_flush(struct serve *serve) {
    while (serve->dirty) {
        struct serve_conn *c = serve->dirty;
        serve->dirty = c->next_dirty;
        c->is_dirty = 0;
        conn_send(c);
        conn_watch(c);
        conn_settle(c);
    }
}

/* ---- the face of an exchange ---- */

static ptrdiff_t link_read(struct sim_link *link, void *buf, size_t cap) {
    struct serve_conn *c = conn_of_link(link);
    for (;;) {
        const char *piece = NULL;
        size_t used = 0, len = 0, have = c->in.len - c->in_at;
        if (c->body_done) return 0;
        /* Asked for no more than fits, so that no piece has to be kept. */
        enum serve_parse how = serve_body_read(&c->body, c->in.data ? c->in.data + c->in_at : "",
                                               have < cap ? have : cap, &used, &piece, &len);
        if (how == SERVE_DATA) memcpy(buf, piece, len);
        c->in_at += used;
        if (c->in_at == c->in.len) {
            sbx_buf_clear(&c->in);
            c->in_at = 0;
        }
        if (how == SERVE_DATA) {
            conn_watch(c);
            return (ptrdiff_t)len;
        }
        if (how == SERVE_BAD) c->close_after = 1;
        if (how == SERVE_DONE) c->body_done = 1;
        if (how == SERVE_BAD) return -1;
        if (how == SERVE_DONE) return 0;
        if (used && c->in_at < c->in.len) continue;
        conn_watch(c);
        if (c->in_ended || c->fd < 0) return -1;
        if (sim_wait(conn_world(c), &c->more_in, SIM_NEVER) == SIM_ENDING) return -1;
    }
}

static const char *reason_of(int status) {
    switch (status) {
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 202:
        return "Accepted";
    case 204:
        return "No Content";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 413:
        return "Content Too Large";
    case 422:
        return "Unprocessable Content";
    case 429:
        return "Too Many Requests";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    default:
        return "Status";
    }
}

static int link_head(struct sim_link *link, int status, const struct sbx_header *headers, size_t n, int64_t length) {
    struct serve_conn *c = conn_of_link(link);
    if (c->fd < 0) return -1;
    c->chunked = length == -1;
    sbx_buf_printf(&c->out, "HTTP/1.1 %d %s\r\n", status, reason_of(status));
    for (size_t i = 0; i < n; i++) {
        sbx_buf_text_append(&c->out, headers[i].name);
        sbx_buf_append(&c->out, ": ", 2);
        sbx_buf_text_append(&c->out, headers[i].value);
        sbx_buf_append(&c->out, "\r\n", 2);
    }
    if (c->chunked)
        sbx_buf_text_append(&c->out, "Transfer-Encoding: chunked\r\n");
    else if (length >= 0)
        sbx_buf_printf(&c->out, "Content-Length: %lld\r\n", (long long)length);
    if (c->close_after) sbx_buf_text_append(&c->out, "Connection: close\r\n");
    sbx_buf_append(&c->out, "\r\n", 2);
    conn_dirty(c);
    return c->out.failed ? -1 : 0;
}

static int out_wait(struct serve_conn *c) {
    while (c->fd >= 0 && c->out.len - c->out_at >= OUT_MAX) {
        conn_dirty(c);
        if (sim_wait(conn_world(c), &c->out_room, SIM_NEVER) == SIM_ENDING) return -1;
    }
    return c->fd < 0 ? -1 : 0;
}

static int link_body(struct sim_link *link, const void *data, size_t len) {
    struct serve_conn *c = conn_of_link(link);
    const char *bytes = data;
    while (len) {
        size_t n = len < OUT_MAX ? len : OUT_MAX;
        if (out_wait(c)) return -1;
        if (c->bodiless) return 0;
        if (c->chunked) sbx_buf_printf(&c->out, "%zx\r\n", n);
        sbx_buf_append(&c->out, bytes, n);
        if (c->chunked) sbx_buf_append(&c->out, "\r\n", 2);
        bytes += n;
        len -= n;
        conn_dirty(c);
    }
    return c->fd < 0 || c->out.failed ? -1 : 0;
}

static int link_end(struct sim_link *link) {
    struct serve_conn *c = conn_of_link(link);
    if (c->chunked && !c->bodiless) sbx_buf_text_append(&c->out, "0\r\n\r\n");
    conn_dirty(c);
    return c->fd < 0 ? -1 : 0;
}

static void link_abort(struct sim_link *link, int how) {
    struct serve_conn *c = conn_of_link(link);
    if (how == SIM_ABORT_HANG) {
        conn_send(c); /* what was said before the silence began */
        c->hung = 1;
        return;
    }
    c->closing = how == SIM_ABORT_RESET ? 2 : 1;
    conn_dirty(c);
}

static int link_raw(struct sim_link *link, const void *data, size_t len) {
    struct serve_conn *c = conn_of_link(link);
    sbx_buf_append(&c->out, data, len);
    c->closing = 1;
    conn_dirty(c);
    return c->fd < 0 ? -1 : 0;
}

/* ---- serving a request ---- */

static int drain(struct serve_conn *c) {
    char piece[4096];
    size_t drained = 0;
    while (!c->body_done) {
        if (serve_body_whole(&c->body)) return 1;
        ptrdiff_t n = link_read(&c->link, piece, sizeof(piece));
        if (n < 0) return 0;
        drained += (size_t)n;
        if (drained > DRAIN_MAX) return 0;
    }
    return 1;
}

static const char *head_field(const struct serve_conn *c, const char *name) {
    return serve_head_field(&c->head, c->head_bytes.data, name);
}

static void serve_cloud_request(struct serve_conn *c) {
    struct sbx_header headers[SERVE_FIELDS_MAX];
    const char *bytes = c->head_bytes.data;
    for (uint32_t i = 0; i < c->head.field_count; i++)
        headers[i] = (struct sbx_header){bytes + c->head.fields[i].name_at, bytes + c->head.fields[i].value_at};
    const struct sim_request req = {.method = bytes + c->head.method_at,
                                    .target = bytes + c->head.target_at,
                                    .headers = headers,
                                    .header_count = c->head.field_count,
                                    .length = c->head.length,
                                    .connection = c->number};
    if (c->head.expects_100) {
        sbx_buf_text_append(&c->out, "HTTP/1.1 100 Continue\r\n\r\n");
        conn_dirty(c);
    }
    c->serve->in_flight++;
    sim_http_serve(c->serve->sim, c->cloud, &req, &c->link);
    c->serve->in_flight--;
}

static void serve_admin_request(struct serve_conn *c) {
    struct sbx_buf body = SBX_BUF_INIT, answer = SBX_BUF_INIT;
    const struct sbx_header type = {"Content-Type", "application/json; charset=utf-8"};
    const char *bytes = c->head_bytes.data;
    int status = 0;
    for (ptrdiff_t n = 1; n > 0 && !status;) {
        char *room = sbx_buf_reserve(&body, 4096);
        n = room ? link_read(&c->link, room, 4096) : -1;
        if (n > 0) body.len += (size_t)n;
        if (n < 0) status = 400;
        if (body.len > ADMIN_BODY_MAX) status = 413;
    }
    const struct serve_admin_request req = {.method = bytes + c->head.method_at,
                                            .target = bytes + c->head.target_at,
                                            .origin = head_field(c, "origin"),
                                            .host = head_field(c, "host"),
                                            .body = sbx_buf_text(&body),
                                            .len = body.len};
    if (status)
        sbx_buf_text_append(&answer, "{\"error\":\"expected a whole body of at most 1 MiB\"}");
    else
        status = serve_admin(c->serve, &req, &answer);
    if (link_head(&c->link, status, &type, 1, (int64_t)answer.len) == 0 &&
        link_body(&c->link, answer.data, answer.len) == 0)
        link_end(&c->link);
    sbx_buf_finish(&body);
    sbx_buf_finish(&answer);
}

static void conn_next(struct serve_conn *c);

static void conn_serve(void *arg) {
    struct serve_conn *c = arg;
    if (c->cloud)
        serve_cloud_request(c);
    else
        serve_admin_request(c);
    if (!c->closing && !c->hung && !drain(c)) c->close_after = 1;
    if (c->close_after && !c->closing) c->closing = 1;
    c->serving = 0;
    memset(&c->head, 0, sizeof(c->head));
    sbx_buf_clear(&c->head_bytes);
    conn_dirty(c);
    if (!c->closing && !c->hung) conn_next(c);
}

static void refuse(struct serve_conn *c) {
    struct sbx_buf body = SBX_BUF_INIT;
    const struct sbx_header type = {"Content-Type", "text/plain"};
    sbx_buf_printf(&body, "%s\n", c->head.why ? c->head.why : "bad request");
    c->close_after = 1;
    c->bodiless = 0;
    if (link_head(&c->link, c->head.bad_status ? c->head.bad_status : 400, &type, 1, (int64_t)body.len) == 0)
        link_body(&c->link, body.data, body.len);
    c->closing = 1;
    sbx_buf_finish(&body);
}

/* Takes the head of the next request out of what has been received. @return 1 when there is a whole one */
static int take_head(struct serve_conn *c) {
    if (c->in_at) {
        memmove(c->in.data, c->in.data + c->in_at, c->in.len - c->in_at);
        c->in.len -= c->in_at;
        c->in_at = 0;
    }
    if (!c->in.len) return 0;
    enum serve_parse how = serve_head_read(&c->head, c->in.data, c->in.len);
    if (how == SERVE_BAD) refuse(c);
    if (how != SERVE_DONE) return 0;
    sbx_buf_append(&c->head_bytes, c->in.data, c->head.bytes);
    c->in_at = c->head.bytes;
    if (!c->head_bytes.failed) return 1;
    conn_close(c, 1);
    return 0;
}

static void conn_next(struct serve_conn *c) {
    if (c->serving || c->closing || c->hung || c->fd < 0 || !take_head(c)) return;
    c->bodiless = strcmp(c->head_bytes.data + c->head.method_at, "HEAD") == 0;
    c->close_after = !c->head.keep_alive;
    serve_body_begin(&c->body, c->head.length);
    c->body_done = serve_body_whole(&c->body);
    c->serving = 1;
    if (sim_spawn(conn_world(c), conn_serve, c)) {
        c->serving = 0;
        conn_close(c, 1);
    }
}

/* ---- receiving ---- */

static void conn_receive(struct serve_conn *c) {
    while (c->fd >= 0 && !c->in_ended && c->in.len - c->in_at < IN_MAX) {
        char *room = sbx_buf_reserve(&c->in, RECV_MAX);
        ssize_t n = room ? recv(c->fd, room, RECV_MAX, 0) : -1;
        if (n > 0) {
            c->in.len += (size_t)n;
            if (n < RECV_MAX) break;
        } else if (n == 0) {
            c->in_ended = 1;
        } else if (room && errno == EINTR) {
            continue;
        } else {
            if (!room || (errno != EAGAIN && errno != EWOULDBLOCK)) conn_close(c, 0);
            break;
        }
    }
    sim_wake_all(conn_world(c), &c->more_in);
}

static void conn_ready(struct serve *serve, struct serve_source *source, uint32_t events) {
    struct serve_conn *c = (struct serve_conn *)(void *)source;
    (void)serve;
    if (events & (EPOLLERR | EPOLLHUP)) conn_close(c, 0);
    if (events & (EPOLLIN | EPOLLRDHUP)) conn_receive(c);
    if (!c->serving) conn_next(c);
    if (c->in_ended && !c->serving && !c->out.len) conn_close(c, 0);
    if (events & EPOLLOUT) conn_send(c);
    if (!c->serving && c->in_at == c->in.len && c->in.cap > RECV_MAX * 2) sbx_buf_finish(&c->in);
    conn_dirty(c);
}

static void conn_new(struct serve *serve, struct sim_cloud *cloud, int fd) {
    struct serve_conn *c = calloc(1, sizeof(*c));
    const int one = 1;
    if (!c) {
        close(fd);
        return;
    }
    c->source.ready = conn_ready;
    c->link = (struct sim_link){link_read, link_head, link_body, link_end, link_abort, link_raw};
    c->serve = serve;
    c->cloud = cloud;
    c->fd = fd;
    c->number = ++serve->connections;
    c->events = EPOLLIN | EPOLLRDHUP;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    c->next = serve->conns;
    if (c->next) c->next->prev = c;
    serve->conns = c;
    if (!serve_watch(serve, fd, c->events, &c->source)) {
        conn_close(c, 1);
        conn_settle(c);
    }
}

/* Without a descriptor left a waiting connection would be reported for ever: one is kept to turn it away with. */
static void accept_to_refuse(struct serve *serve, int listener) {
    if (serve->spare < 0) return;
    close(serve->spare);
    int fd = accept(listener, NULL, NULL);
    if (fd >= 0) close(fd);
    serve->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void serve_accept(struct serve *serve, struct serve_source *source, uint32_t events) {
    const struct serve_listener *listener = (const struct serve_listener *)(const void *)source;
    (void)events;
    for (;;) {
        int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            conn_new(serve, listener->cloud, fd);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            if (errno == EMFILE || errno == ENFILE) accept_to_refuse(serve, listener->fd);
            return;
        }
    }
}

void serve_conns_close(struct serve *serve) {
    for (struct serve_conn *c = serve->conns, *next; c; c = next) {
        next = c->next;
        conn_close(c, 0);
    }
    sim_world_end(sim_world(serve->sim));
    serve->dirty = NULL;
    while (serve->conns) {
        serve->conns->is_dirty = 0;
        conn_free(serve->conns);
    }
}
