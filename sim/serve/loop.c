/* The loop: sockets and the world's clock. On real time the world follows the monotonic clock; on virtual time it
 * stands still but for POST /_sim/clock/advance.
 *
 * With --auto-advance it also moves by itself: while a request waits, to the next thing that is to happen, once no
 * socket has anything; and when the last request under way has been answered, through what is to happen within a second
 * of it, before anything else is received. A serial client thus finds the same times whatever its own pace. */
#include "sim/serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS           64
#define JOURNAL_HELD_MAX ((size_t)128 * 1024 * 1024) /* memory for GET /_sim/journal */
#define AUTO_ADVANCE_NS  SIM_SEC                     /* so much passes behind an answer at most */
#define EX_IOERR         74

static int64_t real_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SIM_SEC + now.tv_nsec;
}

int serve_watch(struct serve *serve, int fd, uint32_t events, struct serve_source *source) {
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(serve->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

int serve_rewatch(struct serve *serve, int fd, uint32_t events, struct serve_source *source) {
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(serve->epoll, EPOLL_CTL_MOD, fd, &event) == 0;
}

/* ---- opening ---- */

/* Ten thousand connections are ten thousand descriptors; the usual soft limit is 1,024. A child must not inherit more
 * than its parent was given: some programs close all that they might have. */
void serve_files(struct serve *serve, int all) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files)) return;
    if (!serve->files_before) serve->files_before = files.rlim_cur;
    files.rlim_cur = all ? files.rlim_max : (rlim_t)serve->files_before;
    setrlimit(RLIMIT_NOFILE, &files);
}

static int listen_on(struct serve *serve, struct serve_listener *listener, struct sim_cloud *cloud) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = 0};
    socklen_t len = sizeof(at);
    listener->source.ready = serve_accept;
    listener->cloud = cloud;
    listener->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener->fd < 0 || inet_pton(AF_INET, serve->opt.listen ? serve->opt.listen : "127.0.0.1", &at.sin_addr) != 1)
        return 0;
    if (bind(listener->fd, (struct sockaddr *)&at, sizeof(at)) || listen(listener->fd, 4096)) return 0;
    if (getsockname(listener->fd, (struct sockaddr *)&at, &len)) return 0;
    listener->port = ntohs(at.sin_port);
    return serve_watch(serve, listener->fd, EPOLLIN, &listener->source);
}

static void journal_line(void *ctx, const char *text, size_t len) {
    FILE *f = ctx;
    fwrite(text, 1, len, f);
    fflush(f);
}

static int journal_open(struct serve *serve) {
    if (!serve->opt.journal_file) return 1;
    FILE *f = fopen(serve->opt.journal_file, "we");
    if (!f) {
        fprintf(stderr, "sandport-sim: cannot write %s: %s\n", serve->opt.journal_file, strerrordesc_np(errno));
        return 0;
    }
    serve->journal = f;
    sim_journal_tee(sim_journal(serve->sim), journal_line, f);
    return 1;
}

int serve_open(struct serve *serve) {
    const char *host = serve->opt.listen ? serve->opt.listen : "127.0.0.1";
    serve_files(serve, 1);
    serve->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    serve->epoll = epoll_create1(EPOLL_CLOEXEC);
    sim_journal_timeline_end(sim_journal(serve->sim)); /* nobody can ask for it here */
    if (!journal_open(serve)) return EX_IOERR;
    size_t clouds = sim_cloud_count(serve->sim);
    for (size_t i = 0; i <= clouds; i++) {
        struct sim_cloud *cloud = i < clouds ? sim_cloud_at(serve->sim, i) : NULL;
        struct serve_listener *listener = &serve->listeners[serve->listener_count++];
        if (!listen_on(serve, listener, cloud)) {
            fprintf(stderr, "sandport-sim: cannot listen on %s: %s\n", host, strerrordesc_np(errno));
            return EX_IOERR;
        }
        if (cloud) snprintf(cloud->base_url, sizeof(cloud->base_url), "http://%s:%d", host, listener->port);
    }
    int refused = serve_host_open(serve);
    if (refused) return refused;
    serve->began_ns = real_ns();
    serve->running = 1;
    return 0;
}

void serve_close(struct serve *serve) {
    serve_conns_close(serve);
    for (size_t i = 0; i < serve->listener_count; i++)
        if (serve->listeners[i].fd >= 0) close(serve->listeners[i].fd);
    if (serve->epoll >= 0) close(serve->epoll);
    if (serve->spare >= 0) close(serve->spare);
    sim_journal_tee(sim_journal(serve->sim), NULL, NULL);
    if (serve->journal) fclose(serve->journal);
}

/* ---- the clock ---- */

/* On real time: what fell due while nobody spoke happens before what they say now. */
static void clock_follow(struct serve *serve) {
    if (!serve->opt.virtual_time) sim_advance_to(sim_world(serve->sim), real_ns() - serve->began_ns);
}

static void clock_run(struct serve *serve) {
    struct sim_world *w = sim_world(serve->sim);
    sim_run_ready(w);
    if (serve->advance_to_ns) sim_advance_to(w, serve->advance_to_ns);
    serve->advance_to_ns = 0;
    sim_run_ready(w);
}

static int clock_is_automatic(const struct serve *serve) {
    return serve->opt.virtual_time && serve->opt.auto_advance;
}

static void clock_after_answer(struct serve *serve) {
    struct sim_world *w = sim_world(serve->sim);
    int64_t end = sim_now(w) + AUTO_ADVANCE_NS;
    if (!serve->answered || serve->in_flight || !clock_is_automatic(serve)) return;
    serve->answered = 0;
    while (sim_next_ns(w) <= end) sim_advance_to(w, sim_next_ns(w));
    serve_flush(serve);
}

/* No socket had anything, and a request waits. */
static void clock_jump(struct serve *serve) {
    struct sim_world *w = sim_world(serve->sim);
    int64_t next = sim_next_ns(w);
    if (!clock_is_automatic(serve) || !serve->in_flight || next == SIM_NEVER) return;
    sim_advance_to(w, next);
    serve_flush(serve);
}

/* A flush may have made a fiber ready that waited for room: then not at all. */
static int wait_ms(struct serve *serve) {
    int64_t next = sim_next_ns(sim_world(serve->sim)), left = 0;
    if (next <= sim_now(sim_world(serve->sim))) return 0;
    if (next == SIM_NEVER) return -1;
    if (serve->opt.virtual_time) return clock_is_automatic(serve) && serve->in_flight ? 1 : -1;
    left = next - (real_ns() - serve->began_ns);
    return left <= 0 ? 0 : left > 60 * SIM_SEC ? 60000 : (int)((left + SIM_MS - 1) / SIM_MS);
}

static void journal_bound(struct serve *serve) {
    if (sim_journal_held(sim_journal(serve->sim)) > JOURNAL_HELD_MAX) sim_journal_clear(sim_journal(serve->sim));
}

void serve_loop(struct serve *serve) {
    struct epoll_event events[EVENTS];
    while (serve->running) {
        int n = epoll_wait(serve->epoll, events, EVENTS, wait_ms(serve));
        if (n < 0 && errno != EINTR) break;
        clock_follow(serve);
        for (int i = 0; i < n; i++) {
            struct serve_source *source = events[i].data.ptr;
            source->ready(serve, source, events[i].events);
        }
        clock_run(serve);
        serve_flush(serve);
        clock_after_answer(serve);
        if (n == 0) clock_jump(serve);
        journal_bound(serve);
    }
}
