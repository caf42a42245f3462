/* The host engine's own parts, as its files see one another. */
#ifndef SIM_MACHINE_HOST_BOX_H
#define SIM_MACHINE_HOST_BOX_H

#include "sim/kit/sim.h"
#include "sim/machine/engine.h"
#include "sim/machine/host/host.h"
#include "sim/machine/host/wire.h"

/** What the host's epoll tells: first member of whatever it is. */
struct host_source {
    void (*ready)(struct host_source *source);
};

struct sim_host {
    struct sim_host_face face; /* first */
    struct sim *sim;
    struct sim_world *world;
    char *program;
    char *folder; /* of all scratch trees */
    char *bwrap;  /* NULL without isolation */
    uint32_t uid; /* whose processes and files it are on the host: never root's if they are isolated */
    int network;
    int epoll;
    int64_t boxes; /* numbers them */
};

/** A machine of this engine. */
struct host_box {
    const struct sim_engine *engine; /* first */
    struct host_source source;       /* its socket */
    struct sim_host *host;
    int64_t refs; /* the owner's, and one for whatever is of it */
    char *folder; /* on the host: `root` and `etc` are in it */
    char *hostname, *user, *home;
    int64_t uid, disk_bytes;
    int no_network;
    int wiped;
    /* while it is up */
    int socket, root, process; /* -1 = it is not; `process` is a pidfd */
    int32_t pid;               /* of bubblewrap, or of the process inside */
    struct host_run *runs;     /* that have not exited */
    struct host_drain *outlets;
};

/** Bytes on their way to somebody's standard input. */
struct host_inlet {
    struct host_source source; /* first */
    struct sim_host *host;
    int fd;
    int closing; /* when all is written, with its own memory */
    char *data;
    size_t start, len, cap;
};

#define HOST_STREAMS 3

/** Pipes that are read, in a fiber, for whoever takes what comes. */
struct host_drain {
    struct host_source source[HOST_STREAMS]; /* each its stream's */
    struct sim_host *host;
    int64_t refs;            /* the owner's and the fiber's */
    int let_go;              /* the owner has left */
    struct host_drain *next; /* among the outlets of a machine */
    int lasting;             /* named pipes: their end may be followed by more */
    int fd[HOST_STREAMS];
    int open[HOST_STREAMS]; /* somebody has it open for writing, as far as is known */
    int told;               /* something has come since it was looked at */
    void (*output)(void *ctx, int stream, const void *data, size_t len);
    void (*closed)(void *ctx); /* nobody has any open now; may be NULL */
    void *ctx;
    struct sim_waitq changed; /* for the fiber */
    struct sim_waitq ended;   /* for whoever waits for the end of all */
};

/* ---- box.c ---- */

extern const struct sim_engine sim_engine_host;
struct sim_machine *sim_host_machine_new(struct sim *sim, const struct sim_machine_options *opt);

struct host_box *sim_host_box(struct sim_machine *m);
void sim_host_hold(struct host_box *box);
void sim_host_release(struct host_box *box);
/** Brings it up unless it is. @return an errno */
sim_errno sim_host_up(struct host_box *box);
/** Ends all processes: those of runs are told as killed. */
void sim_host_down(struct host_box *box);
/** Asks the process inside and takes its answer. @return >= 0, -errno */
int32_t sim_host_ask(struct host_box *box, const struct host_message *ask, const int *fds, size_t count);

/* ---- start.c ---- */

/** Makes the scratch tree of a new machine. @return an errno */
sim_errno sim_host_tree_make(struct host_box *box, const char *home);
/** Starts bubblewrap with the process inside, or that alone. Sets socket, process and pid. @return an errno */
sim_errno sim_host_spawn(struct host_box *box);
/** Does bubblewrap work here? @return 0 with `why` if not */
int sim_host_try(const struct sim_host *host, char *why, size_t why_cap);

/* ---- run.c ---- */

extern const struct sim_engine_runs sim_host_runs;
void sim_host_run_told(struct host_box *box, int32_t pid, int status, int halted);
void sim_host_runs_lose(struct host_box *box);

/* ---- pipes.c ---- */

/** @return 0 on failure */
int sim_host_watch(struct sim_host *host, int fd, uint32_t events, struct host_source *source);

/** Takes the descriptor, which must not block; NULL when memory runs out, then it is closed. */
struct host_inlet *sim_host_inlet_new(struct sim_host *host, int fd);
/** @return EPIPE when nobody can read it any more, ENOMEM */
sim_errno sim_host_inlet_put(struct host_inlet *in, const void *data, size_t len);
/** Closes it when all is written, and frees it; NULL is ignored. */
void sim_host_inlet_leave(struct host_inlet *in);

/** Starts the fiber; takes the descriptors (-1 = none). NULL when memory runs out, then they are closed. */
struct host_drain *sim_host_drain_new(struct sim_host *host, const int *fds, int lasting);
/** Looks again at its next turn, and tells `closed` again if that is so. */
void sim_host_drain_poke(struct host_drain *drain);
/** Does anybody have one of them open for writing? */
int sim_host_drain_is_open(struct host_drain *drain);
void sim_host_drain_leave(struct host_drain *drain);

/* ---- outlet.c ---- */

extern const struct sim_engine_pipes sim_host_pipes;

/* ---- files.c, open.c ---- */

/** Gives what was just made to the sandbox's user. @return an errno */
sim_errno sim_host_own(const struct host_box *box, int dir, const char *name);

extern const struct sim_engine_files sim_host_files;
/** Opens below the sandbox's root. @return a descriptor, -errno */
int sim_host_openat(struct host_box *box, const char *path, int flags, uint32_t mode);
/** The directory that a path's last name stands in, as a descriptor, and that name. @return -errno
 *  @param name SIM_HOST_NAME bytes */
int sim_host_parent(struct host_box *box, const char *path, char *name);
#define SIM_HOST_NAME 256
int sim_host_fd_close(int fd); /* -1 is ignored; always gives 0 */

/* ---- remove.c ---- */

/** Takes everything below a directory away, following no links. @return an errno */
sim_errno sim_host_empty(int dir);

#endif
