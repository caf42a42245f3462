/* Processes: the table, their lives and deaths, signals, waiting.
 *
 * A process runs on a fiber of its own, or on its parent's while the parent has nothing to do but wait for it. Death is
 * at once in the table: descriptors close, the parent is told; the fiber unwinds when it next asks the system for
 * anything, since no call of the system returns into a dead process. */
#ifndef SIM_MACHINE_PROC_H
#define SIM_MACHINE_PROC_H

#include "sim/kit/world.h"
#include "sim/machine/fd.h"
#include "sim/machine/mem.h"
#include <setjmp.h>
#include <stdint.h>

struct sim_machine;

typedef int sim_main(struct sim_proc *p, void *arg); /* a program: gives its exit code */

#define SIM_SIGNAL_COUNT 32
#define SIM_NICE_DEPTH   40 /* levels of evaluation on one fiber's stack */

/* Linux's numbers. */
enum {
    SIM_SIGHUP = 1,
    SIM_SIGINT = 2,
    SIM_SIGQUIT = 3,
    SIM_SIGFPE = 8,
    SIM_SIGKILL = 9,
    SIM_SIGUSR1 = 10,
    SIM_SIGSEGV = 11,
    SIM_SIGUSR2 = 12,
    SIM_SIGPIPE = 13,
    SIM_SIGALRM = 14,
    SIM_SIGTERM = 15,
    SIM_SIGCHLD = 17,
    SIM_SIGCONT = 18,
    SIM_SIGSTOP = 19,
    SIM_SIGTSTP = 20,
    SIM_SIGXCPU = 24,
    SIM_SIGXFSZ = 25
};

#define SIM_LIMIT_NONE INT64_MAX

/** What a process may have at most, as its shells set it. */
struct sim_limits {
    int64_t fds, fds_hard;
    int64_t file_bytes, file_bytes_hard;
    int64_t core, core_hard; /* kept to be shown: there are no cores */
};

enum sim_proc_state { SIM_PROC_RUNNING, SIM_PROC_STOPPED, SIM_PROC_DEAD };

struct sim_proc {
    struct sim_machine *m;
    int32_t pid, pgid, sid;
    enum sim_proc_state state;
    int code, signal;  /* once dead: exit code, or the signal */
    int reaped;        /* out of the table */
    int frozen;        /* it was running when the whole machine was stopped */
    int hit, hit_self; /* marks of a kill under way */
    struct sim_proc *parent, *children, *next_sibling;
    struct sim_proc *next; /* in the table, by pid */
    struct sim_run *run;   /* the first of a run: it is told of the death */
    int64_t refs;          /* the table's and one for each stack that runs it */
    int64_t start_ns;
    /* what it has */
    char **argv;
    char **env;
    char comm[16];
    struct sim_fs_node *cwd;
    struct sim_fs_node *exe;
    uint32_t umask;
    struct sim_limits limits;
    struct sim_open *fds[SIM_FD_MAX];
    uint8_t fd_inherit[SIM_FD_MAX / 8]; /* bit set: closed when another program starts */
    /* signals */
    uint32_t ignored, caught, pending;
    struct sim_waitq *waiting;  /* where its fiber waits, to be woken by a signal */
    struct sim_open *using;     /* the file it waits for */
    struct sim_waitq child_end; /* a child of it ended, or a signal came */
    /* its stack and memory */
    jmp_buf *unwind;
    int depth;
    int64_t steps; /* since it last waited */
    struct sim_arena arena;
    struct sim_kept *kept;
    /* its buffered standard output */
    char *out;
    size_t out_len;
    int out_error;
};

/** A child with the parent's files, directory, signals ignored. NULL: -EAGAIN or -ENOMEM in *why. */
struct sim_proc *sim_proc_fork(struct sim_machine *m, struct sim_proc *parent, int *why);
/** Runs a forked process on a fiber of its own. `arg` must stay until it is dead. @return 0, -EAGAIN (then it is gone)
 */
int sim_proc_start(struct sim_proc *child, sim_main *run, void *arg);
/** Runs it on the calling process's fiber to its end and reaps it. @return 128 + signal, or its exit code */
int sim_proc_call(struct sim_proc *parent, struct sim_proc *child, sim_main *run, void *arg);
/** Goes on in a fresh stack where this one gets deep: for evaluators that call themselves. */
int sim_proc_deeper(struct sim_proc *p, sim_main *run, void *arg);

_Noreturn void sim_proc_exit(struct sim_proc *p, int code);
_Noreturn void sim_proc_oom(struct sim_proc *p);
/** Ends it from outside. */
void sim_proc_kill(struct sim_proc *p, int signal);
/** Takes a program's step: gives way now and then, lets a little time pass after many, and ends a process that goes on
 *  without ever waiting. */
void sim_proc_step(struct sim_proc *p);
void sim_proc_steps(struct sim_proc *p, int64_t n);

/** Sends a signal; 0 only asks. @param pid as kill(2). @return 0, -ESRCH, -EINVAL */
int sim_sys_kill(struct sim_proc *from, int32_t pid, int signal);
int sim_sys_setsid(struct sim_proc *p);
void sim_proc_signal(struct sim_proc *p, int signal);
struct sim_proc *sim_proc_find(struct sim_machine *m, int32_t pid);

/** Waits for a child: `pid`, or -1 any. `until` SIM_NEVER or a time.
 *  @return the dead child (reap it), NULL when there is none (*why = -ECHILD), a signal came (-EINTR) or the time
 * (-ETIMEDOUT) */
struct sim_proc *sim_sys_wait(struct sim_proc *p, int32_t pid, int64_t until_ns, int *why);
void sim_proc_reap(struct sim_proc *dead);
int sim_proc_status(const struct sim_proc *dead); /* as $? has it */

/** Sleeps. @return 0, -EINTR when a caught signal came */
int sim_sys_sleep(struct sim_proc *p, int64_t until_ns);
/** Waits on a queue as a call of the system: returns only into a living process. @return 0, -EINTR, -ETIMEDOUT */
int sim_proc_wait(struct sim_proc *p, struct sim_waitq *q, int64_t until_ns);
/** Unwinds if it is dead; waits while it is stopped. */
void sim_proc_check(struct sim_proc *p);

const char *sim_signal_name(int signal); /* "TERM"; NULL */
int sim_signal_number(const char *name); /* "TERM", "SIGTERM", "15"; -1 */

/* Buffered standard output of tools. */
void sim_out(struct sim_proc *p, const char *data, size_t len);
void sim_out_str(struct sim_proc *p, const char *text);
void sim_out_char(struct sim_proc *p, char c);
void sim_outf(struct sim_proc *p, const char *fmt, ...) SBX_PRINTF(2, 3);
/** @return 0, or the errno of the first write that failed */
int sim_out_flush(struct sim_proc *p);
void sim_errf(struct sim_proc *p, const char *fmt, ...) SBX_PRINTF(2, 3);
const char *sim_strerror(int number);

#endif
