/* The scripted TCP server of the transport's tests: a thread that accepts, and one for each connection. */
#include "raw_server.h"
#include "t.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RAW_HEAD_MAX       65536
#define RAW_CONNECTION_MAX 512
#define RAW_AWAIT_S        10

/* An answer's bytes. Kept until the server stops: a connection may still be sending them when the next script comes. */
struct raw_answer {
    struct raw_answer *next;
    char bytes[];
};

struct raw_server {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t acceptor;
    pthread_t threads[RAW_CONNECTION_MAX];
    size_t thread_count;
    struct raw_answer *answers;
    struct raw_step *steps; /* their answers are ours */
    size_t step_count;
    size_t step_next;
    struct raw_counts counts;
    char head[RAW_HEAD_MAX];
    int listener;
    int port;
    int stop[2]; /* readable once the server is to stop */
};

struct raw_connection {
    struct raw_server *server;
    int fd;
    char in[RAW_HEAD_MAX]; /* what has been received and not been used */
    size_t in_len;
};

unsigned char raw_pattern(uint64_t at) {
    return (unsigned char)(at % 251);
}

/* ---- counts ---- */

static void raw_add(struct raw_server *server, uint64_t *count, uint64_t n) {
    pthread_mutex_lock(&server->mutex);
    *count += n;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
}

struct raw_counts raw_server_counts(struct raw_server *server) {
    pthread_mutex_lock(&server->mutex);
    struct raw_counts counts = server->counts;
    pthread_mutex_unlock(&server->mutex);
    return counts;
}

static void raw_await(struct raw_server *server, const uint64_t *count, uint64_t want, const char *what) {
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += RAW_AWAIT_S;
    pthread_mutex_lock(&server->mutex);
    while (*count < want && !late) late = pthread_cond_timedwait(&server->changed, &server->mutex, &until) == ETIMEDOUT;
    uint64_t got = *count;
    pthread_mutex_unlock(&server->mutex);
    if (got < want)
        T_FAIL("%s: %llu after %d s, expected %llu", what, (unsigned long long)got, RAW_AWAIT_S,
               (unsigned long long)want);
}

void raw_server_await_closed(struct raw_server *server, uint64_t closed) {
    raw_await(server, &server->counts.closed, closed, "closed connections");
}

const char *raw_server_head(struct raw_server *server) {
    return server->head;
}

/* ---- waiting on a socket, or for the end of the test ---- */

/* @return 1 when the socket is ready, 0 after `ms`, -1 when the server is to stop */
static int raw_ready(struct raw_connection *c, short events, int ms) {
    struct pollfd fds[2] = {{c->fd, events, 0}, {c->server->stop[0], POLLIN, 0}};
    int n = poll(fds, 2, ms);
    if (fds[1].revents) return -1;
    return n > 0 && fds[0].revents ? 1 : 0;
}

/* @return 1 with more in the buffer, 0 when the client has gone or the server is to stop */
static int raw_receive(struct raw_connection *c) {
    if (c->in_len == sizeof(c->in) || raw_ready(c, POLLIN, -1) != 1) return 0;
    ssize_t n = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len, 0);
    if (n <= 0) {
        raw_add(c->server, &c->server->counts.gone, 1);
        return 0;
    }
    c->in_len += (size_t)n;
    raw_add(c->server, &c->server->counts.request_bytes, (uint64_t)n);
    return 1;
}

static void raw_use(struct raw_connection *c, size_t n) {
    memmove(c->in, c->in + n, c->in_len - n);
    c->in_len -= n;
}

/* ---- requests ---- */

static size_t raw_head_len(const struct raw_connection *c) {
    const char *end = c->in_len >= 4 ? memmem(c->in, c->in_len, "\r\n\r\n", 4) : NULL;
    return end ? (size_t)(end - c->in) + 4 : 0;
}

static int raw_read_head(struct raw_connection *c, char *head) {
    size_t len = raw_head_len(c);
    for (; !len; len = raw_head_len(c))
        if (!raw_receive(c)) return 0;
    memcpy(head, c->in, len);
    head[len] = 0;
    raw_use(c, len);
    pthread_mutex_lock(&c->server->mutex);
    memcpy(c->server->head, head, len + 1);
    c->server->counts.heads++;
    pthread_cond_broadcast(&c->server->changed);
    pthread_mutex_unlock(&c->server->mutex);
    return 1;
}

static void raw_note_body(struct raw_connection *c, uint64_t at, size_t n) {
    uint64_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += (unsigned char)c->in[i] != raw_pattern(at + i);
    pthread_mutex_lock(&c->server->mutex);
    c->server->counts.body_bytes += n;
    c->server->counts.body_wrong += wrong;
    pthread_mutex_unlock(&c->server->mutex);
}

static int raw_read_body(struct raw_connection *c, uint64_t at, uint64_t len) {
    while (len) {
        if (!c->in_len && !raw_receive(c)) return 0;
        size_t piece = c->in_len < len ? c->in_len : (size_t)len;
        raw_note_body(c, at, piece);
        raw_use(c, piece);
        at += piece;
        len -= piece;
    }
    return 1;
}

static int raw_read_line(struct raw_connection *c, char *line, size_t cap) {
    const char *end;
    while (!(end = memchr(c->in, '\n', c->in_len)))
        if (!raw_receive(c)) return 0;
    size_t len = (size_t)(end - c->in) + 1;
    if (len >= cap) return 0;
    memcpy(line, c->in, len);
    line[len] = 0;
    raw_use(c, len);
    return 1;
}

static int raw_read_chunks(struct raw_connection *c) {
    char line[64];
    for (uint64_t at = 0;;) {
        if (!raw_read_line(c, line, sizeof(line))) return 0;
        uint64_t len = strtoull(line, NULL, 16);
        if (!raw_read_body(c, at, len) || !raw_read_line(c, line, sizeof(line))) return 0;
        if (len == 0) return 1;
        at += len;
    }
}

/* @return 0 when the connection has ended */
static int raw_read_request(struct raw_connection *c, enum raw_read how) {
    static const char chunked[] = "\r\nTransfer-Encoding: chunked\r\n", length[] = "\r\nContent-Length:";
    char *head = how == RAW_READ_NONE ? NULL : malloc(RAW_HEAD_MAX + 1);
    if (!head) return how == RAW_READ_NONE;
    int ok = raw_read_head(c, head);
    if (ok && how == RAW_READ_ALL) {
        const char *len = strcasestr(head, length);
        if (strcasestr(head, chunked))
            ok = raw_read_chunks(c);
        else if (len)
            ok = raw_read_body(c, 0, strtoull(len + sizeof(length) - 1, NULL, 10));
        if (ok) raw_add(c->server, &c->server->counts.executions, 1);
    }
    free(head);
    return ok;
}

/* ---- answers ---- */

static int raw_send(struct raw_connection *c, const char *data, size_t len) {
    while (len) {
        if (raw_ready(c, POLLOUT, -1) != 1) return 0;
        ssize_t n = send(c->fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) {
            raw_add(c->server, &c->server->counts.gone, 1);
            return 0;
        }
        raw_add(c->server, &c->server->counts.sent_bytes, (uint64_t)n);
        data += n;
        len -= (size_t)n;
    }
    return 1;
}

static int raw_send_answer(struct raw_connection *c, const struct raw_step *step) {
    size_t len = step->answer ? step->answer_len : 0;
    if (step->cut && step->cut < len) len = step->cut;
    size_t piece = step->piece ? step->piece : len;
    for (size_t at = 0; at < len; at += piece) {
        if (at && raw_ready(c, 0, step->pause_ms) != 0) return 0;
        if (!raw_send(c, step->answer + at, len - at < piece ? len - at : piece)) return 0;
    }
    return 1;
}

static int raw_send_fill(struct raw_connection *c, uint64_t fill) {
    char block[251 * 64];
    for (size_t i = 0; i < sizeof(block); i++) block[i] = (char)raw_pattern(i);
    for (uint64_t at = 0; at < fill;) {
        size_t n = fill - at < sizeof(block) ? (size_t)(fill - at) : sizeof(block);
        if (!raw_send(c, block, n)) return 0;
        at += n;
    }
    return 1;
}

/* A read that finds nothing more: the client has gone, or the test has ended. */
static void raw_wait_gone(struct raw_connection *c) {
    do c->in_len = 0;
    while (raw_receive(c));
}

/* @return 1 if the connection lives on */
static int raw_end_step(struct raw_connection *c, enum raw_end end) {
    const struct linger hard = {1, 0};
    if (end == RAW_KEEP) return 1;
    if (end == RAW_RESET) setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    if (end == RAW_HALF_CLOSE) shutdown(c->fd, SHUT_WR);
    if (end == RAW_HALF_CLOSE || end == RAW_SILENT) raw_wait_gone(c);
    return 0;
}

static struct raw_step raw_take_step(struct raw_server *server) {
    pthread_mutex_lock(&server->mutex);
    struct raw_step step = {.end = RAW_CLOSE};
    if (server->step_count) step = server->steps[server->step_next];
    if (server->step_next + 1 < server->step_count) server->step_next++;
    pthread_mutex_unlock(&server->mutex);
    return step;
}

static int raw_serve_one(struct raw_connection *c) {
    if (!c->in_len && raw_ready(c, POLLIN, -1) != 1) return 0;
    char first;
    if (!c->in_len && recv(c->fd, &first, 1, MSG_PEEK) <= 0) {
        raw_add(c->server, &c->server->counts.gone, 1);
        return 0;
    }
    struct raw_step step = raw_take_step(c->server);
    if (!raw_read_request(c, step.read)) return 0;
    if (!raw_send_answer(c, &step) || !raw_send_fill(c, step.fill)) return 0;
    return raw_end_step(c, step.end);
}

static void *raw_serve(void *arg) {
    struct raw_connection *c = arg;
    while (raw_serve_one(c)) {
    }
    close(c->fd);
    raw_add(c->server, &c->server->counts.closed, 1);
    free(c);
    return NULL;
}

/* ---- the server ---- */

static void raw_accept(struct raw_server *server, int fd) {
    struct raw_connection *c = calloc(1, sizeof(*c));
    if (!c || server->thread_count == RAW_CONNECTION_MAX) {
        free(c);
        close(fd);
        return;
    }
    c->server = server;
    c->fd = fd;
    raw_add(server, &server->counts.connections, 1);
    if (pthread_create(&server->threads[server->thread_count], NULL, raw_serve, c) == 0) {
        server->thread_count++;
        return;
    }
    close(fd);
    free(c);
}

static void *raw_accept_all(void *arg) {
    struct raw_server *server = arg;
    for (;;) {
        struct pollfd fds[2] = {{server->listener, POLLIN, 0}, {server->stop[0], POLLIN, 0}};
        poll(fds, 2, -1);
        if (fds[1].revents) return NULL;
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0) raw_accept(server, fd);
    }
}

static int raw_listen(struct raw_server *server) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listener < 0 || bind(server->listener, (struct sockaddr *)&at, len) != 0) return 0;
    if (listen(server->listener, 256) != 0) return 0;
    if (getsockname(server->listener, (struct sockaddr *)&at, &len) != 0) return 0;
    server->port = ntohs(at.sin_port);
    return pipe(server->stop) == 0;
}

struct raw_server *raw_server_start(void) {
    struct raw_server *server = calloc(1, sizeof(*server));
    if (!server || !raw_listen(server)) T_FAIL("cannot listen on loopback");
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->changed, NULL);
    if (pthread_create(&server->acceptor, NULL, raw_accept_all, server) != 0) T_FAIL("cannot start a thread");
    return server;
}

void raw_server_stop(struct raw_server *server) {
    if (!server) return;
    if (write(server->stop[1], "x", 1) != 1) T_FAIL("cannot stop the server");
    pthread_join(server->acceptor, NULL);
    for (size_t i = 0; i < server->thread_count; i++) pthread_join(server->threads[i], NULL);
    close(server->listener);
    close(server->stop[0]);
    close(server->stop[1]);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->mutex);
    while (server->answers) {
        struct raw_answer *answer = server->answers;
        server->answers = answer->next;
        free(answer);
    }
    free(server->steps);
    free(server);
}

int raw_server_port(const struct raw_server *server) {
    return server->port;
}

/* Called by the test's thread alone, which is the only one to look at the list. */
static void raw_keep_answer(struct raw_server *server, struct raw_step *step) {
    if (!step->answer) return;
    if (!step->answer_len) step->answer_len = strlen(step->answer);
    struct raw_answer *kept = malloc(sizeof(*kept) + step->answer_len);
    if (!kept) T_FAIL("out of memory");
    memcpy(kept->bytes, step->answer, step->answer_len);
    kept->next = server->answers;
    server->answers = kept;
    step->answer = kept->bytes;
}

void raw_server_script(struct raw_server *server, const struct raw_step *steps, size_t n) {
    struct raw_step *copy = calloc(n ? n : 1, sizeof(*copy));
    if (!copy) T_FAIL("out of memory");
    memcpy(copy, steps, n * sizeof(*copy));
    for (size_t i = 0; i < n; i++) raw_keep_answer(server, &copy[i]);
    pthread_mutex_lock(&server->mutex);
    free(server->steps);
    server->steps = copy;
    server->step_count = n;
    server->step_next = 0;
    server->counts = (struct raw_counts){0};
    pthread_mutex_unlock(&server->mutex);
}
