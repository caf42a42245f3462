/* Named pipes of a machine of the host engine with one end outside. */
#include "sim/machine/host/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FEED_BYTES (1024 * 1024)

/* Makes a named pipe and opens it, which waits for nobody. @return a descriptor, -errno */
static int outlet_pipe(struct host_box *box, const char *path, int flags) {
    char name[SIM_HOST_NAME];
    struct stat st;
    const int failed = sim_host_up(box), dir = failed ? -failed : sim_host_parent(box, path, name);
    if (dir < 0) return dir;
    int fd = mkfifoat(dir, name, 0600) ? -errno : -sim_host_own(box, dir, name);
    if (fd == 0 && (fd = openat(dir, name, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)) < 0) fd = -errno;
    close(dir);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))) return fd;
    close(fd);
    return -EEXIST; /* somebody put something else there meanwhile */
}

/* ---- feeds ---- */

struct host_feed {
    const struct sim_engine *engine; /* first */
    struct host_box *box;
    struct host_inlet *inlet;
};

/* A writer may be the first only while there is a reader: the pipe is opened both ways for a moment. */
static int feed_pipe(struct host_box *box, const char *path) {
    char own[64];
    const int both = outlet_pipe(box, path, O_RDWR);
    if (both < 0) return both;
    snprintf(own, sizeof(own), "/proc/self/fd/%d", both);
    const int fd = openat(AT_FDCWD, own, O_WRONLY | O_NONBLOCK | O_CLOEXEC), failed = errno;
    close(both);
    return fd < 0 ? -failed : fd;
}

static struct sim_feed *feed_new(struct sim_machine *m, const char *path, sim_errno *why) {
    struct host_box *box = sim_host_box(m);
    struct host_feed *feed = calloc(1, sizeof(*feed));
    const int fd = feed ? feed_pipe(box, path) : -ENOMEM;
    *why = fd < 0 ? -fd : 0;
    if (!*why && !(feed->inlet = sim_host_inlet_new(box->host, fd))) *why = ENOMEM;
    if (*why) {
        free(feed);
        return NULL;
    }
    feed->engine = &sim_engine_host;
    feed->box = box;
    sim_host_hold(box);
    return (struct sim_feed *)(void *)feed;
}

static sim_errno feed_write(struct sim_feed *it, const void *data, size_t len) {
    struct host_feed *feed = (struct host_feed *)(void *)it;
    if (feed->inlet->len + len > FEED_BYTES) return EAGAIN;
    return sim_host_inlet_put(feed->inlet, data, len);
}

static void feed_free(struct sim_feed *it) {
    struct host_feed *feed = (struct host_feed *)(void *)it;
    sim_host_inlet_leave(feed->inlet);
    sim_host_release(feed->box);
    free(feed);
}

/* ---- outlets ---- */

struct host_outlet {
    const struct sim_engine *engine; /* first */
    struct host_box *box;
    struct host_drain *drain;
};

static struct sim_outlet *outlet_new(struct sim_machine *m, const struct sim_outlet_options *opt, sim_errno *why) {
    struct host_box *box = sim_host_box(m);
    struct host_outlet *outlet = calloc(1, sizeof(*outlet));
    int fds[HOST_STREAMS] = {-1, -1, -1};
    *why = outlet ? 0 : ENOMEM;
    for (int i = 0; i < HOST_STREAMS && !*why; i++) {
        fds[i] = outlet_pipe(box, opt->path[i], O_RDONLY);
        if (fds[i] < 0) *why = -fds[i];
    }
    if (*why) {
        for (int i = 0; i < HOST_STREAMS; i++) sim_host_fd_close(fds[i]);
    } else if (!(outlet->drain = sim_host_drain_new(box->host, fds, 1))) {
        *why = ENOMEM;
    }
    if (*why) {
        free(outlet);
        return NULL;
    }
    outlet->engine = &sim_engine_host;
    outlet->box = box;
    sim_host_hold(box);
    outlet->drain->next = box->outlets;
    box->outlets = outlet->drain;
    outlet->drain->output = opt->output;
    outlet->drain->closed = opt->closed;
    outlet->drain->ctx = opt->ctx;
    return (struct sim_outlet *)(void *)outlet;
}

static int outlet_is_open(const struct sim_outlet *it) {
    return sim_host_drain_is_open(((const struct host_outlet *)(const void *)it)->drain);
}

static void outlet_free(struct sim_outlet *it) {
    struct host_outlet *outlet = (struct host_outlet *)(void *)it;
    struct host_drain **at = &outlet->box->outlets;
    while (*at != outlet->drain) at = &(*at)->next;
    *at = outlet->drain->next;
    sim_host_drain_leave(outlet->drain);
    sim_host_release(outlet->box);
    free(outlet);
}

const struct sim_engine_pipes sim_host_pipes = {.feed_new = feed_new,
                                                .feed_write = feed_write,
                                                .feed_free = feed_free,
                                                .outlet_new = outlet_new,
                                                .outlet_is_open = outlet_is_open,
                                                .outlet_free = outlet_free};
