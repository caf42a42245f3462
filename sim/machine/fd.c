/* Open files and descriptors, and reading and writing through them. */
#include "sim/machine/fd.h"
#include "sim/machine/inside.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FD_BYTES_A_STEP 512 /* a flood without end is found by its bytes */

struct sim_open *sim_open_new(struct sim_world *world, enum sim_open_kind kind) {
    struct sim_open *file = calloc(1, sizeof *file);
    if (!file) return NULL;
    file->kind = kind;
    file->refs = 1;
    file->world = world;
    return file;
}

struct sim_open *sim_open_hold(struct sim_open *file) {
    file->refs++;
    return file;
}

static void open_leave_pipe(struct sim_open *file) {
    struct sim_pipe *pipe = file->pipe;
    if (file->kind == SIM_OPEN_PIPE_READ)
        pipe->readers--;
    else
        pipe->writers--;
    sim_wake_all(file->world, &pipe->changed);
    if (pipe->readers || pipe->writers) return;
    if (file->node) file->node->fifo = NULL;
    sim_pipe_free(pipe);
}

void sim_open_release(struct sim_open *file) {
    if (!file || --file->refs > 0) return;
    if (file->pipe) open_leave_pipe(file);
    if (file->run) {
        struct sim_run *run = file->run;
        int last = --run->sinks == 0;
        sim_wake_all(file->world, &run->changed);
        if (last && run->closed && !run->let_go) run->closed(run->ctx);
        sim_run_release(file->run);
    }
    sim_fs_release(file->node);
    free(file);
}

struct sim_open *sim_fd_get(const struct sim_proc *p, int fd) {
    return fd >= 0 && fd < SIM_FD_MAX ? p->fds[fd] : NULL;
}

int sim_fd_put(struct sim_proc *p, struct sim_open *file, int least) {
    for (int fd = least; fd < SIM_FD_MAX && fd < p->limits.fds; fd++) {
        if (p->fds[fd]) continue;
        p->fds[fd] = file;
        p->fd_inherit[fd / 8] &= (uint8_t) ~(1U << (fd % 8));
        return fd;
    }
    sim_open_release(file);
    return -EMFILE;
}

int sim_sys_close(struct sim_proc *p, int fd) {
    struct sim_open *file = sim_fd_get(p, fd);
    if (!file) return -EBADF;
    p->fds[fd] = NULL;
    sim_open_release(file);
    return 0;
}

int sim_sys_dup(struct sim_proc *p, int fd, int least) {
    struct sim_open *file = sim_fd_get(p, fd);
    return file ? sim_fd_put(p, sim_open_hold(file), least) : -EBADF;
}

int sim_sys_dup_to(struct sim_proc *p, int fd, int at) {
    struct sim_open *file = sim_fd_get(p, fd);
    if (!file || at < 0 || at >= SIM_FD_MAX || at >= p->limits.fds) return -EBADF;
    if (fd == at) return at;
    struct sim_open *old = p->fds[at];
    p->fds[at] = sim_open_hold(file);
    p->fd_inherit[at / 8] &= (uint8_t) ~(1U << (at % 8));
    sim_open_release(old);
    return at;
}

int sim_sys_pipe(struct sim_proc *p, int fds[2], size_t max) {
    struct sim_pipe *pipe = sim_pipe_new(max);
    struct sim_open *in = sim_open_new(p->m->world, SIM_OPEN_PIPE_READ);
    struct sim_open *out = sim_open_new(p->m->world, SIM_OPEN_PIPE_WRITE);
    if (!pipe || !in || !out) {
        sim_pipe_free(pipe);
        free(in);
        free(out);
        return -ENOMEM;
    }
    in->pipe = out->pipe = pipe;
    in->may_read = out->may_write = 1;
    pipe->readers = pipe->writers = 1;
    fds[0] = sim_fd_put(p, in, 0);
    fds[1] = sim_fd_put(p, out, 0);
    if (fds[0] >= 0 && fds[1] >= 0) return 0;
    if (fds[0] >= 0) sim_sys_close(p, fds[0]);
    return -EMFILE;
}

/* Waits for a change of the pipe of an open file, which is held meanwhile. */
static int fd_wait(struct sim_proc *p, struct sim_open *file) {
    p->using = sim_open_hold(file);
    int e = sim_proc_wait(p, &file->pipe->changed, SIM_NEVER);
    p->using = NULL;
    assert(file->refs > 1); /* the process has it open */
    sim_open_release(file);
    return e;
}

static ptrdiff_t fd_read_device(struct sim_proc *p, const struct sim_fs_node *node, void *buf, size_t len) {
    switch (node->device) {
    case SIM_DEVICE_NULL:
        return 0;
    case SIM_DEVICE_ZERO:
    case SIM_DEVICE_FULL:
        memset(buf, 0, len);
        return (ptrdiff_t)len;
    case SIM_DEVICE_RANDOM:
        sim_draw_bytes(p->m->world, "machine.random", buf, len);
        return (ptrdiff_t)len;
    case SIM_DEVICE_TTY:
        return -ENXIO;
    }
    return -EIO;
}

static ptrdiff_t fd_read_pipe(struct sim_proc *p, struct sim_open *file, void *buf, size_t len, int one_line) {
    struct sim_pipe *pipe = file->pipe;
    while (pipe->len == 0) {
        if (pipe->writers == 0 || len == 0) return 0;
        int e = fd_wait(p, file);
        if (e) return e;
    }
    size_t n = sim_pipe_get(pipe, buf, one_line ? sim_pipe_line(pipe, len) : len);
    sim_wake_all(p->m->world, &pipe->changed);
    return (ptrdiff_t)n;
}

static ptrdiff_t fd_read(struct sim_proc *p, int fd, void *buf, size_t len, int one_line) {
    sim_proc_step(p);
    struct sim_open *file = sim_fd_get(p, fd);
    if (!file || !file->may_read) return -EBADF;
    if (file->kind == SIM_OPEN_PIPE_READ) return fd_read_pipe(p, file, buf, len, one_line);
    if (file->kind != SIM_OPEN_NODE) return -EBADF;
    if (file->node->type == 'd') return -EISDIR;
    if (file->node->type == 'c') return fd_read_device(p, file->node, buf, one_line && len ? 1 : len);
    ptrdiff_t n = sim_fs_read(file->node, file->pos, buf, len);
    const char *newline = one_line && n > 0 ? memchr(buf, '\n', (size_t)n) : NULL;
    if (newline) n = newline - (const char *)buf + 1;
    if (n > 0) file->pos += n;
    return n;
}

ptrdiff_t sim_sys_read(struct sim_proc *p, int fd, void *buf, size_t len) {
    return fd_read(p, fd, buf, len, 0);
}

ptrdiff_t sim_sys_read_line(struct sim_proc *p, int fd, void *buf, size_t len) {
    ptrdiff_t n = fd_read(p, fd, buf, len, 1);
    if (n > 1) sim_proc_steps(p, n - 1);
    return n;
}

int64_t sim_sys_left(struct sim_proc *p, int fd) {
    const struct sim_open *file = sim_fd_get(p, fd);
    if (!file || !file->may_read || file->kind != SIM_OPEN_NODE || file->node->type != 'f') return -1;
    return file->node->size > file->pos ? file->node->size - file->pos : 0;
}

int64_t sim_sys_skip(struct sim_proc *p, int fd, int64_t n) {
    int64_t left = sim_sys_left(p, fd);
    if (left <= 0 || n <= 0) return 0;
    if (n > left) n = left;
    sim_fd_get(p, fd)->pos += n;
    return n;
}

static int fd_write_pipe(struct sim_proc *p, struct sim_open *file, const char *data, size_t len) {
    struct sim_pipe *pipe = file->pipe;
    while (len > 0) {
        if (pipe->readers == 0) {
            sim_proc_signal(p, SIM_SIGPIPE);
            sim_proc_check(p);
            return -EPIPE;
        }
        ptrdiff_t n = sim_pipe_put(pipe, data, len);
        if (n < 0) return (int)n;
        if (n > 0) {
            data += n;
            len -= (size_t)n;
            sim_wake_all(p->m->world, &pipe->changed);
        } else if (pipe->hoarder) {
            struct sim_proc *owner = sim_proc_find(p->m, pipe->hoarder);
            if (owner) sim_proc_kill(owner, SIM_SIGKILL);
            pipe->hoarder = 0;
        } else {
            int e = fd_wait(p, file);
            if (e && e != -EINTR) return e;
        }
    }
    return 0;
}

static int fd_write_node(struct sim_proc *p, struct sim_open *file, const char *data, size_t len) {
    struct sim_fs_node *node = file->node;
    if (node->type == 'c') {
        if (node->device == SIM_DEVICE_FULL) return -ENOSPC;
        return node->device == SIM_DEVICE_TTY ? -ENXIO : 0;
    }
    if (file->append) file->pos = node->size;
    int why;
    int64_t room = p->limits.file_bytes - file->pos;
    size_t some = (int64_t)len <= room ? len : room > 0 ? (size_t)room : 0;
    file->pos += (int64_t)sim_fs_write(node, file->pos, data, some, &why);
    if (why || some == len) return -why;
    sim_proc_signal(p, SIM_SIGXFSZ);
    sim_proc_check(p);
    return -EFBIG;
}

int sim_sys_write(struct sim_proc *p, int fd, const void *data, size_t len) {
    sim_proc_steps(p, 1 + (int64_t)(len / FD_BYTES_A_STEP));
    struct sim_open *file = sim_fd_get(p, fd);
    if (!file || !file->may_write) return -EBADF;
    switch (file->kind) {
    case SIM_OPEN_NODE:
        return fd_write_node(p, file, data, len);
    case SIM_OPEN_PIPE_WRITE:
        return fd_write_pipe(p, file, data, len);
    case SIM_OPEN_SINK:
        p->using = sim_open_hold(file); /* its taker may wait, and the process be killed meanwhile */
        sim_run_output(file->run, file->stream, data, len);
        p->using = NULL;
        sim_open_release(file);
        sim_proc_check(p);
        return 0;
    case SIM_OPEN_PIPE_READ:
        break;
    }
    return -EBADF;
}

/* /dev/stdin and its like are descriptors of the one who asks; -1 for other paths. */
static int fd_named(const char *path) {
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int i = 0; i < 3; i++)
        if (strcmp(path, names[i]) == 0) return i;
    size_t skip = strncmp(path, "/dev/fd/", 8) == 0 ? 8 : strncmp(path, "/proc/self/fd/", 14) == 0 ? 14 : 0;
    return skip ? sim_digits(path + skip) : -1;
}

/* A named pipe that leads out of the machine: nobody waits for a reader. */
static int fd_open_outlet(struct sim_proc *p, struct sim_fs_node *node) {
    struct sim_open *file = sim_open_new(p->m->world, SIM_OPEN_SINK);
    if (!file) return -ENOMEM;
    file->may_write = 1;
    file->run = node->outlet;
    file->stream = node->outlet_stream;
    file->run->refs++;
    file->run->sinks++;
    return sim_fd_put(p, file, 0);
}

static int fd_open_fifo(struct sim_proc *p, struct sim_fs_node *node, int flags) {
    int reads = !(flags & SIM_O_WRITE);
    struct sim_open *file = sim_open_new(p->m->world, reads ? SIM_OPEN_PIPE_READ : SIM_OPEN_PIPE_WRITE);
    if (file && !node->fifo) node->fifo = sim_pipe_new(SIM_PIPE_BYTES);
    if (!file || !node->fifo) {
        free(file);
        return -ENOMEM;
    }
    file->node = sim_fs_hold(node);
    file->pipe = node->fifo;
    file->may_read = reads;
    file->may_write = !reads;
    if (reads)
        file->pipe->readers++;
    else
        file->pipe->writers++;
    sim_wake_all(p->m->world, &file->pipe->changed);
    int fd = sim_fd_put(p, file, 0);
    /* A reader that came and went counts as having been there. */
    while (fd >= 0 && (reads ? file->pipe->writers == 0 && file->pipe->len == 0 : file->pipe->readers == 0)) {
        int e = fd_wait(p, file);
        if (e && e != -EINTR) return e;
    }
    return fd;
}

int sim_sys_open(struct sim_proc *p, const char *path, int flags, uint32_t mode) {
    sim_proc_step(p);
    int named = fd_named(path);
    if (named >= 0) return sim_fd_get(p, named) ? sim_sys_dup(p, named, 0) : -ENOENT;
    struct sim_fs_node *node = NULL;
    int e = sim_do_open(p->m, p, p->cwd, path, flags, mode & ~p->umask, &node);
    if (e) return -e;
    if (node->type == 'p') {
        int leads_out = node->outlet && (flags & SIM_O_WRITE);
        int fd = leads_out ? fd_open_outlet(p, node) : fd_open_fifo(p, node, flags);
        sim_fs_release(node);
        return fd;
    }
    struct sim_open *file = sim_open_new(p->m->world, SIM_OPEN_NODE);
    if (!file) {
        sim_fs_release(node);
        return -ENOMEM;
    }
    file->node = node;
    file->may_read = (flags & SIM_O_READ) != 0;
    file->may_write = (flags & SIM_O_WRITE) != 0;
    file->append = (flags & SIM_O_APPEND) != 0;
    return sim_fd_put(p, file, 0);
}
