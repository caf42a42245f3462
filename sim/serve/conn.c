/* One connection's bytes: received, sent, and ended by FIN or RST. Control of every byte is what this front exists for.
 *
 * Neither side is buffered beyond the limits of conn.h, and an idle connection holds no buffer at all. Row V1. */
#include "sim/serve/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static char conn_scratch[64 * 1024]; /* one thread: what is received lands here before its connection has room for it */

struct sim_world *serve_conn_world(const struct serve_conn *c) {
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
    free(c->head);
    free(c);
}

void serve_conn_close(struct serve_conn *c, int reset) {
    const struct linger at_once = {1, 0};
    if (c->fd < 0) return;
    if (reset) setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(c->fd);
    c->fd = -1;
    sim_wake_all(serve_conn_world(c), &c->more_in);
    sim_wake_all(serve_conn_world(c), &c->out_room);
}

/* All is said. A socket closed with unread bytes in it sends a reset, which takes from the client what it has not read
 * yet: so only our half is ended, until the client ends its own. */
static void conn_end(struct serve_conn *c) {
    if (c->closing == CONN_RESETS || c->in_ended) {
        serve_conn_close(c, c->closing == CONN_RESETS);
    } else if (!c->lingering) {
        c->lingering = 1;
        if (shutdown(c->fd, SHUT_WR)) serve_conn_close(c, 0);
    }
}

/* Freed when the socket is closed, no fiber serves it and no list holds it. */
static void conn_settle(struct serve_conn *c) {
    if (c->fd < 0 && !c->serving && !c->is_dirty) conn_free(c);
}

/* ---- watching ---- */

static int conn_discards(const struct serve_conn *c) {
    return c->lingering || c->hung;
}

static void conn_watch(struct serve_conn *c) {
    uint32_t events = 0;
    if (c->fd < 0) return;
    if (!c->in_ended && (conn_discards(c) || c->in.len - c->in_at < CONN_IN_MAX)) events |= EPOLLIN | EPOLLRDHUP;
    if (c->out.len > c->out_at) events |= EPOLLOUT;
    if (events == c->events) return;
    c->events = events;
    serve_rewatch(c->serve, c->fd, events, &c->source);
}

void serve_conn_dirty(struct serve_conn *c) {
    if (c->is_dirty) return;
    c->is_dirty = 1;
    c->next_dirty = c->serve->dirty;
    c->serve->dirty = c;
}

/* ---- buffers ---- */

/* Moves what is left to the front when most of the buffer is behind it: it must not grow with what has passed. */
static void conn_compact(struct sbx_buf *buf, size_t *at) {
    if (*at < buf->len && *at < buf->len / 2) return;
    size_t left = buf->len - *at;
    if (left) memmove(buf->data, buf->data + *at, left);
    buf->len = left;
    *at = 0;
}

void serve_conn_used(struct serve_conn *c, size_t n) {
    c->in_at += n;
    if (n) conn_compact(&c->in, &c->in_at);
    serve_conn_dirty(c); /* there may be room to receive again */
}

/* An idle connection holds no memory but its own struct. */
static void conn_rest(struct serve_conn *c) {
    if (c->serving) return;
    if (c->in_at == c->in.len) {
        sbx_buf_finish(&c->in);
        sbx_buf_finish(&c->head_bytes);
        free(c->head);
        c->head = NULL;
        c->in_at = 0;
    }
    if (c->out_at == c->out.len) {
        sbx_buf_finish(&c->out);
        c->out_at = 0;
    }
}

/* ---- sending ---- */

static void conn_send(struct serve_conn *c) {
    while (c->fd >= 0 && c->out_at < c->out.len) {
        ssize_t n = send(c->fd, c->out.data + c->out_at, c->out.len - c->out_at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n < 0) {
            serve_conn_close(c, 0);
            return;
        }
        c->out_at += (size_t)n;
    }
    conn_compact(&c->out, &c->out_at);
    if (c->fd >= 0 && c->closing && !c->out.len) conn_end(c);
    if (c->out.len < CONN_OUT_MAX) sim_wake_all(serve_conn_world(c), &c->out_room);
}

void serve_flush(struct serve *serve) {
    while (serve->dirty) {
        struct serve_conn *c = serve->dirty;
        serve->dirty = c->next_dirty;
        c->is_dirty = 0;
        conn_send(c);
        conn_watch(c);
        conn_rest(c);
        conn_settle(c);
    }
}

/* ---- receiving ---- */

/* One piece from the socket. @return 1 if there may be more */
static int conn_receive_piece(struct serve_conn *c) {
    ssize_t n = recv(c->fd, conn_scratch, sizeof(conn_scratch), 0);
    if (n > 0) {
        if (!conn_discards(c)) sbx_buf_append(&c->in, conn_scratch, (size_t)n);
        if (c->in.failed) serve_conn_close(c, 1);
        return c->fd >= 0 && (size_t)n == sizeof(conn_scratch);
    }
    if (n == 0) c->in_ended = 1;
    if (n < 0 && errno == EINTR) return 1;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) serve_conn_close(c, 0);
    return 0;
}

static void conn_receive(struct serve_conn *c) {
    int more = c->fd >= 0 && !c->in_ended;
    while (more) more = conn_receive_piece(c) && (conn_discards(c) || c->in.len - c->in_at < CONN_IN_MAX);
    sim_wake_all(serve_conn_world(c), &c->more_in);
}

static void conn_ready(struct serve *serve, struct serve_source *source, uint32_t events) {
    struct serve_conn *c = (struct serve_conn *)(void *)source;
    (void)serve;
    if (events & (EPOLLERR | EPOLLHUP)) serve_conn_close(c, 0);
    if (events & (EPOLLIN | EPOLLRDHUP)) conn_receive(c);
    serve_conn_next(c);
    if (c->in_ended && conn_discards(c)) serve_conn_close(c, 0); /* it has waited long enough */
    serve_conn_dirty(c);
}

/* ---- accepting ---- */

static void conn_new(struct serve *serve, struct sim_cloud *cloud, int fd) {
    struct serve_conn *c = calloc(1, sizeof(*c));
    const int one = 1;
    if (!c) {
        close(fd);
        return;
    }
    c->source.ready = conn_ready;
    c->link = serve_link;
    c->serve = serve;
    c->cloud = cloud;
    c->fd = fd;
    if (cloud) c->number = ++serve->connections;
    c->events = EPOLLIN | EPOLLRDHUP;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    c->next = serve->conns;
    if (c->next) c->next->prev = c;
    serve->conns = c;
    if (!serve_watch(serve, fd, c->events, &c->source)) {
        serve_conn_close(c, 1);
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
        serve_conn_close(c, 0);
    }
    sim_world_end(sim_world(serve->sim));
    serve->dirty = NULL;
    for (struct serve_conn *c = serve->conns, *next; c; c = next) {
        next = c->next;
        c->is_dirty = 0;
        conn_free(c);
    }
}
