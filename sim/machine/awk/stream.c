/* awk's own files and pipes: what print and getline name. */
#include "sim/machine/awk/awk.h"
#include <errno.h>
#include <string.h>

#define STREAM_BYTES 4096

static struct awk_stream *stream_find(struct awk *a, int reads, const struct awk_string *name) {
    for (struct awk_stream *s = a->streams; s; s = s->next)
        if (s->reads == reads && s->name->len == name->len && memcmp(s->name->text, name->text, name->len) == 0)
            return s;
    return NULL;
}

static struct awk_stream *stream_new(struct awk *a, enum awk_way way, int reads, struct awk_string *name) {
    struct awk_stream *s = sim_keep(a->p, sizeof *s);
    memset(s, 0, sizeof *s);
    s->way = way;
    s->reads = reads;
    s->name = sim_awk_string_hold(name);
    s->fd = -1;
    struct awk_stream **last = &a->streams;
    while (*last) last = &(*last)->next;
    *last = s;
    return s;
}

static void stream_private(struct awk *a, int fd) {
    a->p->fd_inherit[fd / 8] |= (uint8_t)(1U << (fd % 8));
}

struct stream_command {
    char *text;
    int fd, at;
};

static int stream_command_main(struct sim_proc *p, void *arg) {
    const struct stream_command *c = arg;
    sim_sys_dup_to(p, c->fd, c->at);
    struct sim_list args = {.p = p};
    sim_list_add(&args, sim_strdup(p, "sh"));
    sim_list_add(&args, sim_strdup(p, "-c"));
    sim_list_add(&args, c->text);
    return sim_tool_become(p, "awk", sim_list_texts(&args), p->env);
}

/* Starts a command whose output (or input) is one end of a pipe. @return our end */
static int stream_spawn(struct awk *a, struct awk_stream *s) {
    int fds[2], why;
    struct sim_proc *p = a->p;
    sim_awk_streams_flush(a);
    int e = sim_sys_pipe(p, fds, SIM_PIPE_BYTES);
    if (e) sim_awk_fail(a, "cannot make a pipe: %s", sim_strerror(-e));
    stream_private(a, fds[0]);
    stream_private(a, fds[1]);
    struct sim_proc *child = sim_proc_fork(p->m, p, &why);
    if (!child) sim_awk_fail(a, "cannot fork: %s", sim_strerror(-why));
    child->unwind = p->unwind; /* while it is being made, running out of memory is ours */
    struct stream_command *c = sim_keep(child, sizeof *c);
    struct sim_list env = {.p = child};
    for (char **entry = p->env; entry && *entry; entry++) sim_list_add(&env, sim_strdup(child, *entry));
    child->env = sim_list_texts(&env);
    c->text = sim_strdup(child, s->name->text);
    c->fd = fds[s->reads ? 1 : 0];
    c->at = s->reads ? 1 : 0;
    child->unwind = NULL;
    s->pid = child->pid;
    if (sim_proc_start(child, stream_command_main, c)) sim_awk_fail(a, "cannot fork");
    sim_sys_close(p, fds[s->reads ? 1 : 0]);
    return fds[s->reads ? 0 : 1];
}

struct awk_stream *sim_awk_stream_out(struct awk *a, enum awk_way way, struct awk_string *name) {
    struct awk_stream *s = stream_find(a, 0, name);
    if (s) return s;
    int standard = way != AWK_PIPE && (strcmp(name->text, "/dev/stdout") == 0 || strcmp(name->text, "-") == 0);
    int fd = -1;
    if (way != AWK_PIPE && !standard) {
        fd = sim_sys_open(a->p, name->text,
                          SIM_O_WRITE | SIM_O_CREATE | (way == AWK_APPEND ? SIM_O_APPEND : SIM_O_TRUNCATE), 0666);
        if (fd < 0) sim_awk_fail(a, "cannot open \"%s\" for output: %s", name->text, sim_strerror(-fd));
        stream_private(a, fd);
    }
    s = stream_new(a, way, 0, name);
    if (!standard) s->out = sim_keep(a->p, STREAM_BYTES);
    s->fd = way == AWK_PIPE ? stream_spawn(a, s) : fd;
    return s;
}

struct awk_stream *sim_awk_stream_in(struct awk *a, enum awk_way way, struct awk_string *name) {
    struct awk_stream *s = stream_find(a, 1, name);
    if (s) return s;
    int fd = -1;
    if (way != AWK_PIPE) {
        fd = strcmp(name->text, "-") == 0 ? 0 : sim_sys_open(a->p, name->text, SIM_O_READ, 0);
        if (fd < 0) return NULL;
    }
    s = stream_new(a, way, 1, name);
    s->fd = way == AWK_PIPE ? stream_spawn(a, s) : fd;
    sim_awk_input_start(a, &s->in, s->fd);
    return s;
}

static void stream_flush(struct awk *a, struct awk_stream *s) {
    size_t len = s->out_len;
    s->out_len = 0;
    if (len && !s->failed && sim_sys_write(a->p, s->fd, s->out, len)) s->failed = 1;
}

void sim_awk_stream_write(struct awk *a, struct awk_stream *s, const char *data, size_t len) {
    if (s->fd < 0) {
        sim_out(a->p, data, len);
        return;
    }
    while (len) {
        size_t n = STREAM_BYTES - s->out_len < len ? STREAM_BYTES - s->out_len : len;
        memcpy(s->out + s->out_len, data, n);
        s->out_len += n;
        data += n;
        len -= n;
        if (s->out_len == STREAM_BYTES) stream_flush(a, s);
    }
    if (s->fd == 2 || strcmp(s->name->text, "/dev/stderr") == 0) stream_flush(a, s);
}

void sim_awk_streams_flush(struct awk *a) {
    sim_out_flush(a->p);
    for (struct awk_stream *s = a->streams; s; s = s->next)
        if (!s->reads) stream_flush(a, s);
}

static int stream_wait(struct awk *a, int32_t pid) {
    int why;
    struct sim_proc *dead;
    do dead = sim_sys_wait(a->p, pid, SIM_NEVER, &why);
    while (!dead && why == -EINTR);
    int status = dead ? sim_proc_status(dead) : -1;
    if (dead) sim_proc_reap(dead);
    return status;
}

static int stream_finish(struct awk *a, struct awk_stream *s) {
    if (!s->reads && s->fd >= 0) stream_flush(a, s);
    if (s->reads)
        sim_awk_input_finish(a, &s->in);
    else if (s->fd >= 0)
        sim_sys_close(a->p, s->fd);
    int status = s->pid ? stream_wait(a, s->pid) : s->failed ? -1 : 0;
    sim_drop(a->p, s->out);
    sim_awk_string_drop(a, s->name);
    sim_drop(a->p, s);
    return status;
}

int sim_awk_stream_close(struct awk *a, const struct awk_string *name) {
    int status = -1;
    for (int reads = 0; reads < 2; reads++) {
        struct awk_stream *s = stream_find(a, reads, name);
        if (!s) continue;
        struct awk_stream **link = &a->streams;
        while (*link != s) link = &(*link)->next;
        *link = s->next;
        if (!reads) sim_out_flush(a->p);
        status = stream_finish(a, s);
    }
    return status;
}

void sim_awk_streams_finish(struct awk *a) {
    sim_awk_streams_flush(a);
    while (a->streams) {
        struct awk_stream *s = a->streams;
        a->streams = s->next;
        stream_finish(a, s);
    }
}
