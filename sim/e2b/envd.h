/* The sandbox's side: how a request reaches envd through the proxy, and what the two planes' refusals look like.
 *
 * The proxy comes first: which sandbox, which port, is it there. Then envd: the token, the user, the route. */
#ifndef SIM_E2B_ENVD_H
#define SIM_E2B_ENVD_H

#include "sim/e2b/cloud.h"

/** Connect's codes of errors, by number. */
enum sim_e2b_code {
    E2B_CANCELED = 1,
    E2B_UNKNOWN = 2,
    E2B_INVALID_ARGUMENT = 3,
    E2B_DEADLINE_EXCEEDED = 4,
    E2B_NOT_FOUND = 5,
    E2B_ALREADY_EXISTS = 6,
    E2B_PERMISSION_DENIED = 7,
    E2B_RESOURCE_EXHAUSTED = 8,
    E2B_FAILED_PRECONDITION = 9,
    E2B_ABORTED = 10,
    E2B_OUT_OF_RANGE = 11,
    E2B_UNIMPLEMENTED = 12,
    E2B_INTERNAL = 13,
    E2B_UNAVAILABLE = 14,
    E2B_DATA_LOSS = 15,
    E2B_UNAUTHENTICATED = 16
};

/* envd.c */
/** Does the request name a sandbox's side, by header or host? */
int sim_e2b_envd_is_meant(const struct sim_http *x);
void sim_e2b_envd_serve(struct sim_e2b_call *call);
/** envd's own refusals outside of RPC: {"code":404,"message":...}. */
void sim_e2b_envd_refuse(struct sim_e2b_call *call, int status, const char *fmt, ...) SBX_PRINTF(3, 4);

/** Does the client take compressed answers, and does this cloud give any? */
int sim_e2b_takes_gzip(const struct sim_e2b_call *call);

/* rpc.c: Connect's protocol */
int sim_e2b_is_rpc(const char *path);
enum sim_e2b_code sim_e2b_rpc_code(int http_status);
void sim_e2b_rpc_error_write(enum sim_e2b_code code, const char *message, struct sbx_buf *json);
/** The operation of an RPC path, NULL if there is none. */
const char *sim_e2b_rpc_op(const char *path);
void sim_e2b_rpc_serve(struct sim_e2b_call *call);
/** An error, unary or in the envelope that ends a stream. */
void sim_e2b_rpc_refuse(struct sim_e2b_call *call, enum sim_e2b_code code, const char *fmt, ...) SBX_PRINTF(3, 4);
/** The message of the request. @return NULL once it has been answered */
const struct sbx_json_node *sim_e2b_rpc_message(struct sim_e2b_call *call, struct sbx_json **js);
/** Was anything wrong with the message that was read? Answers then. */
int sim_e2b_rpc_message_refused(struct sim_e2b_call *call, const struct sbx_json *js);
/** A unary answer; `json` is finished. */
void sim_e2b_rpc_reply(struct sim_e2b_call *call, struct sbx_buf *json);
/** Connect-Timeout-Ms. @param out -1 = none was sent @return 1 if it has been answered */
int sim_e2b_rpc_timeout(struct sim_e2b_call *call, int64_t *out);
/** Appends an envelope. */
void sim_e2b_envelope(struct sbx_buf *out, int flags, const void *payload, size_t len);
#define E2B_END_OF_STREAM 2

/* paths.c: names of files as envd takes them */
/** Absolute and clean. @return 1 with `why` said when it is none; else 0 and *out set: finish it */
int sim_e2b_path(const struct sim_e2b_call *call, const char *path, struct sbx_buf *out, const char **why);
/** Where a user is at home. */
const char *sim_e2b_home(const struct sim_e2b_call *call, const char *user);
/** Makes the directories above a path, the user's. @return an errno */
sim_errno sim_e2b_make_parents(const struct sim_e2b_call *call, const char *path);
/** Gives a path to the user of the call. */
void sim_e2b_give(const struct sim_e2b_call *call, const char *path);
/** envd is root: between these two, files are dealt with as root does. Nothing may wait in between. */
int64_t sim_e2b_as_root(const struct sim_e2b_call *call);
void sim_e2b_as_was(const struct sim_e2b_call *call, int64_t was);

/* files_read.c, files_write.c */
void sim_e2b_files_read(struct sim_e2b_call *call);
void sim_e2b_files_write(struct sim_e2b_call *call);
/* sign.c: is this exchange with /files allowed? @return 1 if it has been refused */
int sim_e2b_files_refused(struct sim_e2b_call *call, const char *operation);
/** Signature of an operation; `expiry` NULL = none. */
enum sbx_status sim_e2b_sign(const char *path, const char *operation, const char *user, const char *token,
                             const char *expiry, struct sbx_buf *out);

/* rpc_process.c */
void sim_e2b_process_rpc_list(struct sim_e2b_call *call);
void sim_e2b_process_rpc_update(struct sim_e2b_call *call);
void sim_e2b_process_rpc_input(struct sim_e2b_call *call);
void sim_e2b_process_rpc_stream_input(struct sim_e2b_call *call);
void sim_e2b_process_rpc_signal(struct sim_e2b_call *call);
void sim_e2b_process_rpc_close_stdin(struct sim_e2b_call *call);
/* rpc_start.c */
void sim_e2b_process_rpc_start(struct sim_e2b_call *call);
void sim_e2b_process_rpc_connect(struct sim_e2b_call *call);
/* rpc_files.c */
void sim_e2b_fs_rpc_stat(struct sim_e2b_call *call);
void sim_e2b_fs_rpc_make_dir(struct sim_e2b_call *call);
void sim_e2b_fs_rpc_move(struct sim_e2b_call *call);
void sim_e2b_fs_rpc_list_dir(struct sim_e2b_call *call);
void sim_e2b_fs_rpc_remove(struct sim_e2b_call *call);
/** Members of what a path is, as an object. @return an errno */
sim_errno sim_e2b_entry_write(struct sim_machine *m, const char *path, const char *key, struct sbx_buf *json);
/* rpc_watch.c */
void sim_e2b_fs_rpc_watch_dir(struct sim_e2b_call *call);
void sim_e2b_fs_rpc_create_watcher(struct sim_e2b_call *call);
void sim_e2b_fs_rpc_watcher_events(struct sim_e2b_call *call);
void sim_e2b_fs_rpc_remove_watcher(struct sim_e2b_call *call);

#endif
