/* The machine's own parts, as its files see one another. */
#ifndef SIM_MACHINE_INSIDE_H
#define SIM_MACHINE_INSIDE_H

#include "sim/machine/engine.h"
#include "sim/machine/fs.h"
#include "sim/machine/machine.h"
#include "sim/machine/path.h"
#include "sim/machine/proc.h"
#include "sim/machine/shelf.h"

struct sim_program;

struct sim_machine {
    const struct sim_engine *engine; /* first */
    struct sim *sim;
    struct sim_world *world;
    struct sim_shelf *shelf;
    struct sim_fs fs;
    struct sim_fs_node *home;
    struct sim_fs_node *proc_sys; /* /proc/sys, once somebody has looked; NULL */
    char *hostname, *user, *home_path;
    int64_t uid;      /* whose rights count */
    int64_t user_uid; /* the number of `user` */
    int64_t process_max, process_count;
    int64_t memory_max;                  /* of a process */
    struct sim_proc *procs, *procs_last; /* by pid */
    int32_t next_pid;
    int64_t image_blocks;
    int64_t refs; /* the owner's and one for each fiber */
    int64_t fibers;
    int halted;
    struct sim_waitq idle;      /* the last fiber returned */
    int64_t steps_since_ns;     /* when they began to be counted */
    int64_t forks;              /* that are not among the steps yet */
    int64_t steps, steps_at_ns; /* since somebody waited, and when that was, time for steps included */
    int64_t init_ns;            /* when process 1 started: anew after each halt, as a container's does */
    int64_t boot_ns;
};

struct sim_run {
    const struct sim_engine *engine; /* first */
    struct sim_machine *m;
    int64_t refs; /* the caller's, the process's, one for each open sink */
    int64_t sinks;
    int let_go; /* the caller has left: output goes nowhere */
    int32_t pid, pgid;
    int exited, code, signal, halted;
    void (*output)(void *ctx, int stream, const void *data, size_t len);
    void *ctx;
    void (*closed)(void *ctx); /* an outlet's; may be NULL */
    struct sim_waitq changed;
    struct sim_open *feed; /* the end of its standard input that stays outside; NULL */
    void *words;           /* argv and env */
    char **argv, **env;
    char *path;
};

extern const struct sim_engine_runs sim_virtual_runs;
extern const struct sim_engine_pipes sim_virtual_pipes;

void sim_machine_hold(struct sim_machine *m);
void sim_machine_release(struct sim_machine *m);
int64_t sim_machine_wall_ns(const struct sim_machine *m);
void sim_machine_unsupported(struct sim_machine *m, const char *fmt, ...) SBX_PRINTF(2, 3);
/** Makes the file tree that every machine starts with. @return an errno */
int sim_image_make(struct sim_machine *m);
/** What /proc has of that name, held; *out NULL if nothing. @return an errno */
#define SIM_KERNEL "6.8.0"
#define SIM_TICKS  100 /* of /proc's times, a second: sysconf(_SC_CLK_TCK) */
int sim_procfs_find(struct sim_machine *m, struct sim_proc *who, const char *name, struct sim_fs_node **out);
void sim_procfs_names(struct sim_machine *m, struct sim_list *names);

void sim_run_release(struct sim_run *run);
void sim_run_told(struct sim_run *run, int code, int signal);
void sim_run_output(struct sim_run *run, int stream, const void *data, size_t len);

/* A program of the machine: what a file in /usr/bin stands for. */
struct sim_tool {
    const char *name;
    int (*main)(struct sim_proc *p, int argc, char **argv);
};
/** The groups of tools, NULL at the end; each ends with a NULL name. */
extern const struct sim_tool *const sim_tool_groups[];
const struct sim_tool *sim_tool_find(const char *name);
#define SIM_TOOL_MAGIC "\177ELF\002\001\001sandport tool "

/** Becomes the program at `path`: returns its exit code, or -errno if it cannot be started (-ENOEXEC: a script without
 * #!). */
int sim_program_run(struct sim_proc *p, const char *path, char **argv, char **env);
/** Looks a name up along `path_list`. @return a path in scratch memory; NULL with *why = -ENOENT or -EACCES */
char *sim_program_find(struct sim_proc *p, const char *name, const char *path_list, int *why);
const char *sim_env_get(char **env, const char *name);
/** "Not simulated": says so, writes the journal line, gives exit code 2. */
int sim_unsupported(struct sim_proc *p, const char *fmt, ...) SBX_PRINTF(2, 3);

/** The program that a scenario plays for a command line; NULL if it plays none. */
struct sim_program *sim_played_find(struct sim_proc *p, const char *name, char **argv);
int sim_played_run(struct sim_proc *p, struct sim_program *program);

/* System calls on paths, by a process. All give 0 or -errno. */
int sim_sys_stat(struct sim_proc *p, const char *path, int follow, struct sim_where *out); /* finish `out` */
int sim_sys_mkdir(struct sim_proc *p, const char *path, uint32_t mode);
int sim_sys_rmdir(struct sim_proc *p, const char *path);
int sim_sys_unlink(struct sim_proc *p, const char *path);
int sim_sys_rename(struct sim_proc *p, const char *from, const char *to);
int sim_sys_link(struct sim_proc *p, const char *from, const char *to);
int sim_sys_symlink(struct sim_proc *p, const char *target, const char *path);
int sim_sys_chmod(struct sim_proc *p, const char *path, uint32_t mode);
/** @param uid, gid -1: as it is. Only root gives files away. */
int sim_sys_chown(struct sim_proc *p, const char *path, int follow, int64_t uid, int64_t gid);
int sim_sys_chdir(struct sim_proc *p, const char *path);
int sim_sys_mkfifo(struct sim_proc *p, const char *path, uint32_t mode);
int sim_sys_utime(struct sim_proc *p, const char *path, int follow, int64_t atime_ns, int64_t mtime_ns);
int sim_sys_access(struct sim_proc *p, const char *path, unsigned want);
/** Names of a directory in byte order, in scratch memory. */
int sim_sys_list(struct sim_proc *p, const char *path, struct sim_list *names);

/* The same for the machine's user from outside; the process-less core. Errnos, positive. */
int sim_do_mkdir(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, uint32_t mode);
int sim_do_mkfifo(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path,
                  uint32_t mode);
int sim_do_rmdir(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path);
int sim_do_unlink(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path);
int sim_do_rename(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *from,
                  const char *to);
int sim_do_chown(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, int64_t uid,
                 int64_t gid);
int sim_do_chmod(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, uint32_t mode);
/** Opens a file for reading or writing, without waiting for anyone. A held node. */
int sim_do_open(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, int flags,
                uint32_t mode, struct sim_fs_node **out);

#endif
