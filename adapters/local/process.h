/* Commands: processes of a sandbox, with pipes of their own. Rows L1, P7, P9. */
#ifndef ADAPTERS_LOCAL_PROCESS_H
#define ADAPTERS_LOCAL_PROCESS_H

#include "adapters/local/ends.h"

#define LOCAL_ARGS_MAX 8

/** What is started. Texts are lent. */
struct local_order {
    const char *args[LOCAL_ARGS_MAX]; /* a program and its arguments */
    const char *cwd;                  /* absolute, or relative to the home directory; NULL = the home directory */
    int with_env;                     /* the sandbox's own environment, and then: */
    const struct sbx_pair *vars;
    size_t var_count;
    int64_t lifetime_ms;
    int64_t stall_ms;              /* no byte in either direction for so long ends it as a deadline; 0 = no limit */
    const struct sbx_reader *from; /* its input; NULL = none */
    /** Takes its output, on the caller's thread. Anything but 0 ends it: SBX_STREAM */
    int (*data)(void *ctx, int32_t stream, const void *data, size_t len);
    void *ctx;
};

/** How it ended. */
struct local_end {
    int exit_known;
    int32_t exit_code;
    int killed_confirmed; /* after an end that is not its own */
};

/** Runs it to its end; what it leaves behind in its group when it ends by itself lives on.
 *  @return SBX_OK; SBX_COMMAND_TIMEOUT, SBX_DEADLINE, SBX_CANCELLED, SBX_STREAM: it was ended, outcome DONE;
 *          SBX_INVALID_ARGUMENT, REFUSED: no such cwd; others: it was not started */
enum sbx_status sbx_local_process_run(const struct local *l, const struct local_view *view,
                                      const struct local_order *order, const struct sbx_call *call,
                                      struct local_end *end, struct sbx_error *err);

/** A pipe whose ends are beyond the standard streams, closed on exec. @return 0 when descriptors run out */
int sbx_local_pipe(int ends[2]);

/** What to do with descriptors that a child gets as 0 to 3; -1 = /dev/null for 0 to 2, none for 3. */
struct local_streams {
    int fd[4];
};

/** Starts a program in a session of its own, with no other descriptor of ours and no signal blocked or ignored.
 *  @return 0, or an errno */
int sbx_local_spawn(char *const *argv, char *const *envp, const struct local_streams *streams, pid_t *pid);

/** Waits for a child of ours that has ended. @return its exit code, 128 + N for signal N; -1 = not known */
int32_t sbx_local_reap(pid_t pid);

/* ---- args.c ---- */

/** A list of texts, NULL at its end, each of them ours. */
struct local_texts {
    char **at;
    size_t count, room;
    int failed;
};
void sbx_local_texts_add(struct local_texts *texts, const char *text);
/** NAME=value, in the place of an older one of that name. */
void sbx_local_texts_set(struct local_texts *texts, const char *name, const char *value);
void sbx_local_texts_finish(struct local_texts *texts);

/** The command line and the environment of an order. */
void sbx_local_args_of(const struct local *l, const struct local_view *view, const struct local_order *order,
                       struct local_texts *args);
void sbx_local_vars_of(const struct local *l, const struct local_view *view, const struct local_order *order,
                       struct local_texts *vars);

/* ---- box.c ---- */

/** Starts bubblewrap for a sandbox: its first process, which waits. @param lifetime_ms it ends by itself; 0 = never */
enum sbx_status sbx_local_box_start(const struct local *l, const char *dir, int network, int64_t lifetime_ms,
                                    const struct sbx_call *call, struct local_process *box, struct sbx_error *err);
/** Does it work here, and can be entered? */
int sbx_local_box_works(const struct local *l);

#endif
