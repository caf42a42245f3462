/* Open files and descriptors, pipes, and what programs ask of the system about files. Results are >= 0 or -errno. */
#ifndef SIM_MACHINE_FD_H
#define SIM_MACHINE_FD_H

#include "sim/kit/world.h"
#include "sim/machine/fs.h"
#include <stddef.h>
#include <stdint.h>

struct sim_proc;
struct sim_run;

/** Bytes between processes; it lives while an end of it is open. */
struct sim_pipe {
    char *data;
    size_t start, len, cap; /* a ring */
    size_t max;             /* a writer waits beyond */
    int32_t hoarder;        /* the process whose memory it is, not yet read: it is killed where a writer would wait */
    int64_t readers, writers;
    struct sim_waitq changed;
};

#define SIM_PIPE_BYTES 65536

struct sim_pipe *sim_pipe_new(size_t max);
/** Takes what there is room for, up to `len`. @return bytes taken, -ENOMEM */
ptrdiff_t sim_pipe_put(struct sim_pipe *pipe, const void *data, size_t len);
size_t sim_pipe_get(struct sim_pipe *pipe, void *buf, size_t len);
/** How many of the bytes in it, at most `max`, go up to and with the next newline. */
size_t sim_pipe_line(const struct sim_pipe *pipe, size_t max);
void sim_pipe_free(struct sim_pipe *pipe);

enum sim_open_kind { SIM_OPEN_NODE, SIM_OPEN_PIPE_READ, SIM_OPEN_PIPE_WRITE, SIM_OPEN_SINK };

/** An open file, shared by the descriptors that were duplicated from one another. */
struct sim_open {
    enum sim_open_kind kind;
    int64_t refs;
    int may_read, may_write, append;
    int64_t pos;
    struct sim_fs_node *node;
    struct sim_pipe *pipe;
    struct sim_run *run; /* SINK: who takes the output */
    int stream;
    struct sim_world *world;
};

struct sim_open *sim_open_new(struct sim_world *world, enum sim_open_kind kind);
struct sim_open *sim_open_hold(struct sim_open *file);
void sim_open_release(struct sim_open *file);

#define SIM_FD_MAX 256

enum sim_open_flags {
    SIM_O_READ = 1,
    SIM_O_WRITE = 2,
    SIM_O_CREATE = 4,
    SIM_O_EXCLUSIVE = 8,
    SIM_O_TRUNCATE = 16,
    SIM_O_APPEND = 32,
    SIM_O_DIRECTORY = 64
};

/* What programs call; the process may be killed inside and then they do not return. */
int sim_sys_open(struct sim_proc *p, const char *path, int flags, uint32_t mode);
int sim_sys_close(struct sim_proc *p, int fd);
ptrdiff_t sim_sys_read(struct sim_proc *p, int fd, void *buf, size_t len);
/** Reads up to a newline and not a byte beyond it, as shells do that read byte by byte; a step for each byte. What
 *  there is may end before the newline. */
ptrdiff_t sim_sys_read_line(struct sim_proc *p, int fd, void *buf, size_t len);
/** Moves on by `n` bytes, not beyond the end, where that needs no reading. @return how far: 0 where it does */
int64_t sim_sys_skip(struct sim_proc *p, int fd, int64_t n);
/** How much of a regular file is still to be read; -1 where that cannot be known. */
int64_t sim_sys_left(struct sim_proc *p, int fd);
/** Writes all of it, or gives -errno; a write to a pipe that nobody reads ends the process by SIGPIPE if it may. */
int sim_sys_write(struct sim_proc *p, int fd, const void *data, size_t len);
int sim_sys_pipe(struct sim_proc *p, int fds[2], size_t max);
/** A duplicate at or above `least`, or exactly at `at`. */
int sim_sys_dup(struct sim_proc *p, int fd, int least);
int sim_sys_dup_to(struct sim_proc *p, int fd, int at);
/** Puts an open file into the lowest free descriptor from `least`; takes the reference over, also when it fails. */
int sim_fd_put(struct sim_proc *p, struct sim_open *file, int least);
struct sim_open *sim_fd_get(const struct sim_proc *p, int fd); /* lent, NULL if it is not open */

#endif
