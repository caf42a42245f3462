/* Named pipes of the machine with one end outside: what takes output, and what feeds input. */
#include "sim/machine/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FEED_BYTES (1024 * 1024)

/* A new named pipe, held. */
static sim_errno outlet_node(struct sim_machine *m, const char *path, struct sim_fs_node **out) {
    struct sim_where at;
    int e = sim_do_mkfifo(m, NULL, m->home, path, 0600);
    if (e) return e;
    e = sim_path(m, NULL, m->home, path, 0, &at);
    if (e) return e;
    *out = sim_fs_hold(at.node);
    sim_where_finish(&at);
    return 0;
}

/* ---- feeds ---- */

struct sim_feed {
    const struct sim_engine *engine; /* first */
    struct sim_machine *m;
    struct sim_open *file;
};

static struct sim_feed *feed_new(struct sim_machine *m, const char *path, sim_errno *why) {
    struct sim_feed *feed = calloc(1, sizeof *feed);
    struct sim_fs_node *node = NULL;
    *why = feed ? outlet_node(m, path, &node) : ENOMEM;
    if (!*why) feed->file = sim_open_new(m->world, SIM_OPEN_PIPE_WRITE);
    if (feed && feed->file) feed->file->pipe = node->fifo = sim_pipe_new(FEED_BYTES);
    if (!*why && (!feed->file || !feed->file->pipe)) *why = ENOMEM;
    if (*why) {
        sim_fs_release(node);
        if (feed) free(feed->file);
        free(feed);
        return NULL;
    }
    feed->file->node = node;
    feed->file->may_write = 1;
    feed->file->pipe->writers++;
    feed->engine = &sim_engine_virtual;
    feed->m = m;
    sim_machine_hold(m);
    return feed;
}

static sim_errno feed_write(struct sim_feed *feed, const void *data, size_t len) {
    struct sim_pipe *pipe = feed->file->pipe;
    if (!pipe->readers) return EPIPE;
    if (pipe->max - pipe->len < len) return EAGAIN;
    ptrdiff_t n = sim_pipe_put(pipe, data, len);
    if (n < 0) return (sim_errno)-n;
    sim_wake_all(feed->m->world, &pipe->changed);
    return 0;
}

static void feed_free(struct sim_feed *feed) {
    struct sim_machine *m = feed->m;
    sim_open_release(feed->file);
    free(feed);
    sim_machine_release(m);
}

/* ---- outlets ---- */

/* A run without a program is what sinks lead to. */
struct sim_outlet {
    const struct sim_engine *engine; /* first */
    struct sim_machine *m;
    struct sim_run *run;
    struct sim_fs_node *node[SIM_OUTLET_STREAMS];
};

static void outlet_free(struct sim_outlet *outlet) {
    struct sim_machine *m = outlet->m;
    for (int i = 0; i < SIM_OUTLET_STREAMS; i++) {
        if (outlet->node[i]) outlet->node[i]->outlet = NULL;
        sim_fs_release(outlet->node[i]);
    }
    if (outlet->run) {
        outlet->run->engine = &sim_engine_virtual;
        outlet->run->refs += !outlet->run->refs; /* one that never came to be */
        sim_run_free(outlet->run);
    }
    free(outlet);
    sim_machine_release(m);
}

static struct sim_outlet *outlet_new(struct sim_machine *m, const struct sim_outlet_options *opt, sim_errno *why) {
    struct sim_outlet *outlet = calloc(1, sizeof *outlet);
    *why = ENOMEM;
    if (!outlet) return NULL;
    outlet->engine = &sim_engine_virtual;
    outlet->m = m;
    sim_machine_hold(m);
    outlet->run = calloc(1, sizeof *outlet->run);
    *why = outlet->run ? 0 : ENOMEM;
    for (int i = 0; i < SIM_OUTLET_STREAMS && !*why; i++) *why = outlet_node(m, opt->path[i], &outlet->node[i]);
    if (*why) {
        outlet_free(outlet);
        return NULL;
    }
    *outlet->run = (struct sim_run){.engine = &sim_engine_virtual,
                                    .m = m,
                                    .refs = 1,
                                    .output = opt->output,
                                    .closed = opt->closed,
                                    .ctx = opt->ctx};
    for (int i = 0; i < SIM_OUTLET_STREAMS; i++) {
        outlet->node[i]->outlet = outlet->run;
        outlet->node[i]->outlet_stream = i + 1;
    }
    return outlet;
}

static int outlet_is_open(const struct sim_outlet *outlet) {
    return outlet->run->sinks > 0;
}

const struct sim_engine_pipes sim_virtual_pipes = {.feed_new = feed_new,
                                                   .feed_write = feed_write,
                                                   .feed_free = feed_free,
                                                   .outlet_new = outlet_new,
                                                   .outlet_is_open = outlet_is_open,
                                                   .outlet_free = outlet_free};
