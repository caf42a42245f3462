/* The parts of the toy runtime: directories, requests that can go wrong, processes, and what is done inside. */
#ifndef TESTS_SUPPORT_TOY_PARTS_H
#define TESTS_SUPPORT_TOY_PARTS_H

#include "toy.h"

#include <sandport/kit/work.h>
#include <sys/types.h>

#define TOY_SHELLS 8

/* A shell that lives on; its commands come through a pipe. */
struct toy_shell {
    char id[33];
    pid_t pid; /* 0 = none */
    int in;
};

struct toy {
    struct toy_options *opt;
    struct sbx_env *env;
    struct toy_shell shells[TOY_SHELLS];
    int64_t files; /* made so far for requests */
};

/* ---- toy_wire.c: requests ---- */

/** A request that changes something goes out. @return SBX_OK: now do it, and then ask for the answer */
enum sbx_status toy_request(struct toy *toy, const char *op, struct sbx_error *err);
enum sbx_status toy_answer(struct toy *toy, const char *op, const struct sbx_call *call, struct sbx_error *err);
/** A request that changes nothing, and its answer; one that was lost is asked for again. */
enum sbx_status toy_read(struct toy *toy, const char *op, const struct sbx_call *call, struct sbx_error *err);
/** Is an answer worth another try of what may be done twice? Three in all. @param tries begins at 0 */
int toy_again(enum sbx_status st, int *tries);

/* ---- toy.c: directories ---- */

int toy_path(const struct toy *toy, const char *id, const char *name, char out[1024]);
int toy_exists(const struct toy *toy, const char *id);
enum sbx_status toy_gone(struct sbx_error *err);
int toy_file_write(const char *path, const char *text, size_t len);
void toy_file_read(const char *path, struct sbx_buf *out);

/* ---- toy_process.c ---- */

struct toy_command {
    const char *id;
    const char *text; /* for sh -c; NULL = sh reads `in` */
    const char *in;   /* a file; NULL = `in_fd`, and without one /dev/null */
    int in_fd;
    const char *out, *err; /* files, NULL = /dev/null */
    const struct sbx_pair *vars;
    size_t var_count;
    const char *cwd; /* NULL = the sandbox's */
};

/** Starts a shell, first of a group of its own. @return 0 if it could not be */
pid_t toy_spawn(const struct toy *toy, const struct toy_command *command);
/** Waits for its end. @return SBX_COMMAND_TIMEOUT, SBX_DEADLINE, SBX_CANCELLED: it goes on */
enum sbx_status toy_await(const struct toy *toy, const char *id, pid_t pid, int64_t lifetime_ms,
                          const struct sbx_call *call, int *status);
/** Ends every process that was started in a sandbox, by whomever. */
void toy_kill(const struct toy *toy, const char *id);

/* ---- toy_inside.c, toy_shell.c, toy_files.c: the ops ---- */

enum sbx_status toy_exec(void *self, const struct sbx_identity *who, const char *command,
                         const struct sbx_exec_options *opt, const struct sbx_call *call,
                         struct sbx_exec_result *result, struct sbx_error *err);
enum sbx_status toy_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                           const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                           struct sbx_run_status *status, struct sbx_error *err);
enum sbx_status toy_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                              const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                              struct sbx_error *err);
enum sbx_status toy_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                             const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err);

/** A line of shell inside: struct sbx_work_host's run, with a struct toy_inside. */
struct toy_inside {
    struct toy *toy;
    const struct sbx_identity *who;
    struct sbx_work_host host;
};
void toy_inside_begin(struct toy_inside *in, struct toy *toy, const struct sbx_identity *who);

enum sbx_status toy_session_open(void *self, const struct sbx_identity *who, const char *id,
                                 const struct sbx_call *call, struct sbx_error *err);
enum sbx_status toy_session_exec(void *self, const struct sbx_identity *who, const char *id, const char *command,
                                 const struct sbx_exec_options *opt, const struct sbx_call *call,
                                 struct sbx_exec_result *result, struct sbx_error *err);
enum sbx_status toy_session_close(void *self, const struct sbx_identity *who, const char *id,
                                  const struct sbx_call *call, struct sbx_error *err);
void toy_shells_end(struct toy *toy);

enum sbx_status toy_upload(void *self, const struct sbx_identity *who, const char *path, const struct sbx_reader *from,
                           const struct sbx_transfer_options *opt, const struct sbx_call *call, struct sbx_error *err);
enum sbx_status toy_download(void *self, const struct sbx_identity *who, const char *path, const struct sbx_sink *to,
                             const struct sbx_transfer_options *opt, const struct sbx_call *call,
                             struct sbx_error *err);

#endif
