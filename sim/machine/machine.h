/* What a sandbox is inside: a file tree and processes. Two engines have it, see engine.h: `virtual` plays both on the
 * world's clock, with a shell and tools of its own; `host` has real ones.
 *
 * The virtual engine never guesses: syntax, a flag or a tool that the real image would have and this does not is exit 2
 * and a machine.unsupported line in the journal; a program that no image has is 127. */
#ifndef SIM_MACHINE_MACHINE_H
#define SIM_MACHINE_MACHINE_H

#include <sandport/kit/buf.h>
#include <sandport/status.h>
#include <stddef.h>
#include <stdint.h>

struct sim;
struct sim_machine;
struct sim_file;   /* an open file */
struct sim_shelf;  /* what machines share, see shelf.h */
struct sim_run;    /* a process tree started from outside */
struct sim_feed;   /* the writing end of a pipe, outside */
struct sim_outlet; /* the reading ends of pipes, outside */

/** Errors of files are Linux's errno numbers, 0 for success. */
typedef int sim_errno; /* a number, not a struct: the one typedef here */

struct sim_machine_options {
    const char *hostname;
    const char *user; /* "daytona" */
    const char *home; /* "/home/daytona": made, and the working directory */
    int64_t uid;
    int64_t disk_bytes;      /* more is ENOSPC; 0 = 3 GiB */
    int64_t process_max;     /* more is EAGAIN; 0 = 1,000 */
    int64_t memory_bytes;    /* a process that takes more is killed; 0 = 512 MiB */
    struct sim_shelf *shelf; /* the cloud's, held by the machine; NULL = one of its own */
    int no_network;          /* also where machines may use the host's */
};

/** What a file is. */
struct sim_stat {
    int type;      /* 'f' 'd' 'l' and so on */
    uint32_t mode; /* permission bits */
    int64_t bytes;
    int64_t mtime_ns; /* on the machine's wall clock, since 1970 */
    int64_t uid, gid;
    uint64_t ino;
};

/** A program run from outside, its output given as it comes. */
struct sim_run_options {
    const char *const *argv; /* e.g. {"bash", NULL}, looked up in PATH */
    const char *cwd;         /* NULL = home */
    const char *const *env;  /* NAME=value added to the machine's; NULL-terminated; may be NULL */
    const char *stdin_text;  /* then end of file, unless ... */
    size_t stdin_len;
    int stdin_stays; /* ... more is to come by sim_run_feed(), until the run is let go */
    int32_t group;   /* whose process group and session it joins, as a daemon's children do; 0 = one of its own */
    int one_stream;  /* standard error goes where standard output does: all is stream 1, in the order it was written */
    /** Takes output; stream 1 or 2. Called in a process's fiber; it may wait, which blocks the writer. */
    void (*output)(void *ctx, int stream, const void *data, size_t len);
    void *ctx;
};

/** For machines of one simulation. @return held once, NULL when memory runs out */
struct sim_shelf *sim_shelf_new(void);
struct sim_shelf *sim_shelf_hold(struct sim_shelf *shelf);
void sim_shelf_release(struct sim_shelf *shelf); /* NULL is harmless */

/** Of the host engine where the simulation has a host, else of the virtual one. */
struct sim_machine *sim_machine_new(struct sim *sim, const struct sim_machine_options *opt);
void sim_machine_free(struct sim_machine *m); /* after sim_machine_halt */
/** Ends every process at once, as when a sandbox stops; files stay. */
void sim_machine_halt(struct sim_machine *m);
/** Stops every process where it is, until it is thawed; times that they wait for pass meanwhile. */
void sim_machine_freeze(struct sim_machine *m);
void sim_machine_thaw(struct sim_machine *m);
/** The number that the next process gets; it must not be in use. @return the one that it would have got */
int32_t sim_machine_next_pid(struct sim_machine *m, int32_t pid);
/** The same for good: its files may be gone. */
void sim_machine_wipe(struct sim_machine *m);
/** The home directory as programs in it see it; lent. */
const char *sim_machine_home(const struct sim_machine *m);
/** Are its programs the host's own? */
int sim_machine_is_real(const struct sim_machine *m);

/** @return NULL with *why an errno (ENOENT: no such program or cwd) */
struct sim_run *sim_run_start(struct sim_machine *m, const struct sim_run_options *opt, sim_errno *why);
/** Waits until the program has exited and nobody holds its output open (`outputs`), or only until it has exited.
 *  @return SBX_OK, SBX_DEADLINE, or SBX_GONE when the machine halted */
enum sbx_status sim_run_wait(struct sim_run *run, int outputs, int64_t deadline_ns);
int sim_run_exited(const struct sim_run *run, int *code, int *signal); /* 0 while running */
int32_t sim_run_pid(const struct sim_run *run);                        /* of its first process */
void sim_run_signal(struct sim_run *run, int signal);                  /* its first process alone */
void sim_run_kill(struct sim_run *run, int signal);                    /* its process group */
void sim_run_kill_tree(struct sim_run *run, int signal);               /* and whoever descends from it */
int sim_run_alive(const struct sim_run *run);                          /* is anybody of these left? */
/** More standard input. @return EPIPE when nobody can read it any more, ENOMEM */
sim_errno sim_run_feed(struct sim_run *run, const void *data, size_t len);
/** No more is to come: its reader sees the end. Harmless when there was none. */
void sim_run_feed_end(struct sim_run *run);
/** Lets go of it; what runs, runs on. */
void sim_run_free(struct sim_run *run);

/** Makes a named pipe that is fed from outside: readers do not wait for a writer, nor see an end before it is closed.
 */
struct sim_feed *sim_feed_new(struct sim_machine *m, const char *path, sim_errno *why);
/** @return EPIPE when nobody reads, EAGAIN when so much has not been read that no more fits */
sim_errno sim_feed_write(struct sim_feed *feed, const void *data, size_t len);
void sim_feed_free(struct sim_feed *feed); /* then its readers see the end; NULL is ignored */

#define SIM_OUTLET_STREAMS 3

struct sim_outlet_options {
    const char *path[SIM_OUTLET_STREAMS];                                /* of streams 1, 2, 3 */
    void (*output)(void *ctx, int stream, const void *data, size_t len); /* as a run's */
    void (*closed)(void *ctx); /* nobody has any of them open now; must not wait */
    void *ctx;
};

/** Makes named pipes whose writers are never kept waiting: their bytes are given outside. */
struct sim_outlet *sim_outlet_new(struct sim_machine *m, const struct sim_outlet_options *opt, sim_errno *why);
int sim_outlet_is_open(const struct sim_outlet *outlet); /* does anybody have one of them open? */
void sim_outlet_free(struct sim_outlet *outlet);         /* what is written goes nowhere from now on; NULL is ignored */

/* Files by path: absolute, or relative to the home directory. */
sim_errno sim_stat(struct sim_machine *m, const char *path, int follow, struct sim_stat *out);
sim_errno sim_mkdir(struct sim_machine *m, const char *path, uint32_t mode, int parents);
sim_errno sim_unlink(struct sim_machine *m, const char *path, int recursive);
sim_errno sim_rename(struct sim_machine *m, const char *from, const char *to);
sim_errno sim_chmod(struct sim_machine *m, const char *path, uint32_t mode);
/** Ids, -1 = as it is. The machine's user may only give its own files to itself. */
sim_errno sim_chown(struct sim_machine *m, const char *path, int64_t uid, int64_t gid);
/** Where a symbolic link leads, as it is written; errno EINVAL for anything else. */
sim_errno sim_readlink(struct sim_machine *m, const char *path, struct sbx_buf *out);
/** Whose rights files are dealt with from outside, and whose they become: for calls that follow at once, as processes
 * would have them too. @return who it was */
int64_t sim_machine_become(struct sim_machine *m, int64_t uid);
/** A user's name by number; NULL if there is none. */
const char *sim_machine_name(const struct sim_machine *m, int64_t id);
/** A user's or group's id by name or number. @return 0 if there is none */
int sim_machine_id(const struct sim_machine *m, const char *name, int64_t *id);
/** Names in byte order, each given once, without . and .. */
sim_errno sim_list(struct sim_machine *m, const char *path, void (*each)(void *ctx, const char *name), void *ctx);
sim_errno sim_open_read(struct sim_machine *m, const char *path, struct sim_file **out);
sim_errno sim_open_write(struct sim_machine *m, const char *path, uint32_t mode, int truncate, struct sim_file **out);
ptrdiff_t sim_file_read(struct sim_file *f, void *buf, size_t cap); /* 0 at the end, -errno */
sim_errno sim_file_write(struct sim_file *f, const void *data, size_t len);
int64_t sim_file_size(const struct sim_file *f);
void sim_file_close(struct sim_file *f);

/** The machine's state for `state`: processes and bytes in use. Members of an open JSON object. */
void sim_machine_state(const struct sim_machine *m, struct sbx_buf *json);

#endif
