/* Pipes between the loop and programs: input that waits for room, output that is read in a fiber. */
#include "sim/machine/host/box.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define DRAIN_PIECE 65536
#define DRAIN_TURN  16 /* pieces, before others have their turn */

int sim_host_watch(struct sim_host *host, int fd, uint32_t events, struct host_source *source) {
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(host->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int sim_host_fd_close(int fd) {
    if (fd >= 0) close(fd);
    return 0;
}

/* ---- inlets ---- */

static void inlet_end(struct host_inlet *in) {
    sim_host_fd_close(in->fd);
    free(in->data);
    free(in);
}

/* @return EPIPE when nobody can read it any more */
static sim_errno inlet_flush(struct host_inlet *in) {
    while (in->len > 0) {
        const ssize_t n = write(in->fd, in->data + in->start, in->len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN ? 0 : EPIPE;
        in->start += (size_t)n;
        in->len -= (size_t)n;
    }
    in->start = 0;
    return 0;
}

static void inlet_ready(struct host_source *source) {
    struct host_inlet *in = (struct host_inlet *)(void *)source;
    const sim_errno failed = inlet_flush(in);
    if (failed) in->len = 0;
    if (in->closing && in->len == 0) inlet_end(in);
}

struct host_inlet *sim_host_inlet_new(struct sim_host *host, int fd) {
    struct host_inlet *in = calloc(1, sizeof(*in));
    if (in) *in = (struct host_inlet){.source = {inlet_ready}, .host = host, .fd = fd};
    if (in && sim_host_watch(host, fd, EPOLLOUT | EPOLLET, &in->source)) return in;
    free(in);
    sim_host_fd_close(fd);
    return NULL;
}

sim_errno sim_host_inlet_put(struct host_inlet *in, const void *data, size_t len) {
    struct pollfd one = {.fd = in->fd, .events = POLLOUT};
    if (poll(&one, 1, 0) < 0 || one.revents & POLLERR) return EPIPE;
    if (in->start + in->len + len > in->cap) {
        const size_t cap = in->len + len;
        char *more = malloc(cap ? cap : 1);
        if (!more) return ENOMEM;
        if (in->len) memcpy(more, in->data + in->start, in->len);
        free(in->data);
        in->data = more;
        in->start = 0;
        in->cap = cap;
    }
    if (len) memcpy(in->data + in->start + in->len, data, len);
    in->len += len;
    return inlet_flush(in);
}

void sim_host_inlet_leave(struct host_inlet *in) {
    if (!in) return;
    in->closing = 1;
    if (in->len == 0 || inlet_flush(in) || in->len == 0) inlet_end(in);
}

/* ---- drains ---- */

static void drain_close(struct host_drain *drain) {
    for (int i = 0; i < HOST_STREAMS; i++) {
        sim_host_fd_close(drain->fd[i]);
        drain->fd[i] = -1;
        drain->open[i] = 0;
    }
}

static void drain_release(struct host_drain *drain) {
    if (--drain->refs > 0) return;
    drain_close(drain);
    free(drain);
}

static void drain_told(struct host_drain *drain) {
    drain->told = 1;
    sim_wake_all(drain->host->world, &drain->changed);
}

void sim_host_drain_poke(struct host_drain *drain) {
    drain_told(drain);
}

static void drain_ready_1(struct host_source *source) {
    drain_told((struct host_drain *)(void *)source);
}

static void drain_ready_2(struct host_source *source) {
    drain_told((struct host_drain *)(void *)(source - 1));
}

static void drain_ready_3(struct host_source *source) {
    drain_told((struct host_drain *)(void *)(source - 2));
}

/* One piece of a stream. @return 1 if there may be more at once */
static int drain_piece(struct host_drain *drain, int i, char *piece, size_t cap) {
    const ssize_t n = drain->fd[i] < 0 ? 0 : read(drain->fd[i], piece, cap);
    if (n > 0) {
        drain->open[i] = 1;
        if (!drain->let_go) drain->output(drain->ctx, i + 1, piece, (size_t)n);
        return 1;
    }
    if (n < 0 && errno == EINTR) return 1;
    drain->open[i] = n < 0 && errno == EAGAIN;
    return 0;
}

static int drain_is_open(const struct host_drain *drain) {
    return drain->open[0] || drain->open[1] || drain->open[2];
}

int sim_host_drain_is_open(struct host_drain *drain) {
    char piece[4096];
    for (int i = 0; i < HOST_STREAMS && drain->lasting; i++) (void)drain_piece(drain, i, piece, sizeof(piece));
    return drain_is_open(drain);
}

/* Reads what there is, but not for ever. Whoever takes it may wait meanwhile. */
static void drain_look(struct host_drain *drain, char *piece) {
    int more = 1, news = drain->told || drain_is_open(drain);
    drain->told = 0;
    for (int turn = 0; more && turn < DRAIN_TURN; turn++) {
        more = 0;
        for (int i = 0; i < HOST_STREAMS; i++) more |= drain_piece(drain, i, piece, DRAIN_PIECE);
        news |= more;
    }
    if (more) {
        drain->told = 1;
        (void)sim_wait(drain->host->world, &drain->changed, sim_now(drain->host->world) + 1);
    } else if (news && !drain_is_open(drain)) {
        if (!drain->let_go && drain->closed) drain->closed(drain->ctx);
        sim_wake_all(drain->host->world, &drain->ended);
    }
}

static void drain_main(void *arg) {
    struct host_drain *drain = arg;
    struct sim_world *world = drain->host->world;
    char *piece = malloc(DRAIN_PIECE);
    while (piece && !sim_ending(world)) {
        drain_look(drain, piece);
        if (drain->lasting ? drain->let_go : !drain_is_open(drain)) break;
        while (!drain->told && !(drain->lasting && drain->let_go))
            if (sim_wait(world, &drain->changed, SIM_NEVER) == SIM_ENDING) break;
        if (sim_ending(world)) break;
    }
    free(piece);
    drain_close(drain);
    sim_wake_all(world, &drain->ended);
    drain_release(drain);
}

struct host_drain *sim_host_drain_new(struct sim_host *host, const int *fds, int lasting) {
    static void (*const ready[HOST_STREAMS])(struct host_source *) = {drain_ready_1, drain_ready_2, drain_ready_3};
    struct host_drain *drain = calloc(1, sizeof(*drain));
    int ok = drain != NULL;
    for (int i = 0; i < HOST_STREAMS && !ok; i++) sim_host_fd_close(fds[i]);
    if (!ok) return NULL;
    drain->refs = 2;
    drain->host = host;
    drain->lasting = lasting;
    for (int i = 0; i < HOST_STREAMS; i++) {
        drain->source[i].ready = ready[i];
        drain->fd[i] = fds[i];
        drain->open[i] = !lasting && fds[i] >= 0;
        if (fds[i] >= 0) ok &= sim_host_watch(host, fds[i], EPOLLIN | EPOLLET, &drain->source[i]);
    }
    if (ok && sim_spawn(host->world, drain_main, drain) == SBX_OK) return drain;
    drain->refs = 1;
    drain_release(drain);
    return NULL;
}

void sim_host_drain_leave(struct host_drain *drain) {
    if (!drain) return;
    drain->let_go = 1;
    sim_wake_all(drain->host->world, &drain->changed);
    drain_release(drain);
}
