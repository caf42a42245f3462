/* The other side of the port: what an adapter implements, and the makers of what it hands back.
 *
 * The port has checked everything before an op is called: the ability is declared, pointers are there, `opt`, `call`
 * and `err` are whole and never NULL, call->deadline_ms is absolute and never 0, cleanup_ms is 0 or more. A command's
 * lifetime is as its caller said, 0 for one who said nothing: where only an explicit one may cost more (row E4), the
 * adapter must be able to tell. An op blocks, does not lock across a call of the env, and says on failure what is
 * known: sbx_fail(). */
#ifndef SANDPORT_KIT_OPS_H
#define SANDPORT_KIT_OPS_H

#include <sandport/capacity.h>
#include <sandport/files.h>
#include <sandport/kit/env.h>
#include <sandport/kit/fail.h>
#include <sandport/kit/options.h>
#include <sandport/run.h>
#include <sandport/sandbox.h>
#include <sandport/session.h>

#define SBX_ADDRESS_SIZE  512
#define SBX_TOKEN_SIZE    1024
#define SBX_SOFTWARE_SIZE 32
#define SBX_LIFETIME_MS   (30 * 60 * 1000) /* of a command whose caller and runtime say nothing else */

/** All that a call needs to reach a sandbox: a value, copied by the port once at the entry of each call. */
struct sbx_identity {
    size_t size;
    char id[SBX_ID_SIZE];
    char address[SBX_ADDRESS_SIZE];         /* the adapter's own: where what is inside is reached */
    char acquisition[SBX_ACQUISITION_SIZE]; /* of its launch; "" if not ours */
    int32_t state;                          /* enum sbx_state when it was read */
    int32_t owned;                          /* set by the port */
    char token[SBX_TOKEN_SIZE];             /* a credential of this sandbox alone; "" if it has none. Never shown */
    char software[SBX_SOFTWARE_SIZE];       /* version of the provider's own in the sandbox; "" if it is not said */
};

/** What an account has in use, measured: by enum sbx_resource. */
struct sbx_usage {
    size_t size;
    uint32_t measured; /* bits 1 << resource; of the others nothing is said */
    double used[SBX_RESOURCE_COUNT];
};

/** `self` is what sbx_runtime_create() was given. Members are there exactly for the abilities declared. */
struct sbx_runtime_ops {
    size_t size;
    const char *provider;
    uint64_t caps;
    int32_t isolation; /* enum sbx_isolation */
    void (*free)(void *self);

    /* every runtime: launch sets out->id as soon as it is known, also when it then fails */
    enum sbx_status (*launch)(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                              struct sbx_identity *out, struct sbx_error *err);
    enum sbx_status (*info)(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                            struct sbx_info **out, struct sbx_error *err);
    enum sbx_status (*destroy)(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                               struct sbx_error *err);
    /* SBX_CAP_DETACHED_LAUNCH */
    enum sbx_status (*launch_detached)(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                       struct sbx_identity *out, struct sbx_error *err);
    /* SBX_CAP_REATTACH */
    enum sbx_status (*attach)(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                              struct sbx_error *err);
    /* SBX_CAP_LABEL_SEARCH */
    enum sbx_status (*find)(void *self, const struct sbx_query *query, const struct sbx_call *call,
                            struct sbx_list *into, struct sbx_error *err);
    enum sbx_status (*count)(void *self, const struct sbx_query *query, const struct sbx_call *call, int64_t *out,
                             struct sbx_error *err);
    /* SBX_CAP_RECONCILE */
    enum sbx_status (*reconcile)(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                                 int32_t *verdict, struct sbx_list *into, struct sbx_error *err);
    /* SBX_CAP_EXEC: fills `result` with sbx_exec_result_set(), also on failure when err->outcome is DONE and there is
     * output */
    enum sbx_status (*exec)(void *self, const struct sbx_identity *who, const char *command,
                            const struct sbx_exec_options *opt, const struct sbx_call *call,
                            struct sbx_exec_result *result, struct sbx_error *err);
    /* SBX_CAP_FILE_TRANSFER */
    enum sbx_status (*upload)(void *self, const struct sbx_identity *who, const char *path,
                              const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                              const struct sbx_call *call, struct sbx_error *err);
    enum sbx_status (*download)(void *self, const struct sbx_identity *who, const char *path, const struct sbx_sink *to,
                                const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                struct sbx_error *err);
    /* SBX_CAP_HOME_DIR */
    enum sbx_status (*home_dir)(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                struct sbx_buf *out, struct sbx_error *err);
    /* SBX_CAP_LIFECYCLE: start may change the identity */
    enum sbx_status (*start)(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                             const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err);
    enum sbx_status (*stop)(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                            const struct sbx_call *call, struct sbx_error *err);
    /* SBX_CAP_ASYNC_EXEC: `home` is the home directory, absolute. read_logs fills `into` with sbx_log_set(); it is also
     * asked, for no bytes, how a run stands */
    enum sbx_status (*submit)(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                              const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                              struct sbx_run_status *status, struct sbx_error *err);
    enum sbx_status (*read_logs)(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                 const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                                 struct sbx_error *err);
    enum sbx_status (*kill_run)(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err);
    /* SBX_CAP_SESSIONS: `session` is 32 lower-case hex digits, made by the port. exec as the op of that name */
    enum sbx_status (*session_open)(void *self, const struct sbx_identity *who, const char *session,
                                    const struct sbx_call *call, struct sbx_error *err);
    enum sbx_status (*session_exec)(void *self, const struct sbx_identity *who, const char *session,
                                    const char *command, const struct sbx_exec_options *opt,
                                    const struct sbx_call *call, struct sbx_exec_result *result, struct sbx_error *err);
    enum sbx_status (*session_close)(void *self, const struct sbx_identity *who, const char *session,
                                     const struct sbx_call *call, struct sbx_error *err);
    /* SBX_CAP_FILES: those with `into` fill it with sbx_files_add(), also on failure when err->outcome is
     * DONE: replace and upload_files. Modes are as in the public structs. Readers count and
     * check what they give; of upload_files' options only stall_ms is set */
    enum sbx_status (*file_list)(void *self, const struct sbx_identity *who, const char *dir,
                                 const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
    enum sbx_status (*file_stat)(void *self, const struct sbx_identity *who, const char *path,
                                 const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
    enum sbx_status (*file_search)(void *self, const struct sbx_identity *who, const char *dir, const char *pattern,
                                   const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
    enum sbx_status (*file_find)(void *self, const struct sbx_identity *who, const char *dir, const char *text,
                                 const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
    enum sbx_status (*file_mkdir)(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                  const struct sbx_call *call, struct sbx_error *err);
    enum sbx_status (*file_remove)(void *self, const struct sbx_identity *who, const char *path, int32_t recursive,
                                   const struct sbx_call *call, struct sbx_error *err);
    enum sbx_status (*file_move)(void *self, const struct sbx_identity *who, const char *from, const char *to,
                                 const struct sbx_call *call, struct sbx_error *err);
    enum sbx_status (*file_permissions)(void *self, const struct sbx_identity *who, const char *path, int32_t mode,
                                        const char *owner, const char *group, const struct sbx_call *call,
                                        struct sbx_error *err);
    enum sbx_status (*file_replace)(void *self, const struct sbx_identity *who, const char *const *paths, size_t count,
                                    const char *text, const char *with, const struct sbx_call *call,
                                    struct sbx_files *into, struct sbx_error *err);
    enum sbx_status (*upload_files)(void *self, const struct sbx_identity *who, const struct sbx_upload_file *files,
                                    size_t count, const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                    struct sbx_files *into, struct sbx_error *err);
    enum sbx_status (*upload_tree)(void *self, const struct sbx_identity *who, const char *dir,
                                   const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                   const struct sbx_call *call, struct sbx_error *err);
    enum sbx_status (*download_tree)(void *self, const struct sbx_identity *who, const char *dir,
                                     const struct sbx_sink *to, const struct sbx_transfer_options *opt,
                                     const struct sbx_call *call, struct sbx_error *err);
    int64_t exec_lifetime_ms; /* of a command whose caller says none, for the call's deadline; 0 = SBX_LIFETIME_MS */
    /* SBX_CAP_CAPACITY: `wanted` are bits 1 << enum sbx_resource; what cannot be measured is left out of
     * usage->measured. An inventory that cannot be understood whole is SBX_PROTOCOL, never a smaller sum */
    enum sbx_status (*capacity)(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                                struct sbx_error *err);
};

/** What sbx_info_create() copies. NULL texts are "". */
struct sbx_info_draft {
    size_t size;
    const char *id;
    const char *name;
    const char *snapshot;
    const char *target;
    const char *state_text;
    const char *work_dir;
    const char *acquisition;
    int32_t state;
    double cpu;
    int64_t memory_mib;
    int64_t disk_mib;
    int64_t read_ms;
    const struct sbx_pair *labels;
    size_t label_count;
    const struct sbx_pair *extras;
    size_t extra_count;
};

/** What sbx_exec_result_set() copies. */
struct sbx_exec_draft {
    size_t size;
    int32_t exit_known;
    int32_t exit_code;
    const void *out;
    size_t out_len;
    uint64_t out_total;
    const void *err;
    size_t err_len;
    uint64_t err_total;
    int32_t bytes_exact;
    int32_t streams_merged;
    int32_t killed_confirmed;
};

/** What sbx_log_set() copies. */
struct sbx_log_draft {
    size_t size;
    struct sbx_run_status status;
    const void *out;
    size_t out_len;
    uint64_t out_from;
    const void *err;
    size_t err_len;
    uint64_t err_from;
};

/** What sbx_files_add() copies. NULL texts are "". */
struct sbx_file_draft {
    size_t size;
    const char *path;
    int32_t type;        /* enum sbx_file_type */
    int32_t mode;        /* -1 = not said */
    int64_t bytes;       /* -1 = not said */
    int64_t modified_ms; /* INT64_MIN = not said */
    int64_t line;
    const char *owner;
    const char *group;
    const char *text;
    const char *sha256;
    int32_t verified;
    int32_t status; /* enum sbx_status */
};

#define SBX_FILE_DRAFT_INIT                                                                                            \
    { .size = sizeof(struct sbx_file_draft), .mode = -1, .bytes = -1, .modified_ms = INT64_MIN }

#ifdef __cplusplus
extern "C" {
#endif

/** Are the lists of a launch's network policy of the form that can be enforced: IPv4 ranges or host names, not both,
 * none of them beside network_block_all?
 *  @param entries_max that the provider takes in a list, 0 = any number
 *  @return SBX_UNSUPPORTED or SBX_INVALID_ARGUMENT, with err->detail naming the member */
SBX_API SBX_MUST_USE enum sbx_status sbx_launch_network_check(const struct sbx_launch_options *opt, size_t entries_max,
                                                              struct sbx_error *err);
/** Does it let nothing out: by network_block_all, or by a list that is there and empty? */
SBX_API int sbx_launch_blocks_all(const struct sbx_launch_options *opt);

/** Makes a runtime of an adapter. Checks the promise against the pointers, both ways.
 *  @param self handed to each op; freed by ops->free, also when this fails
 *  @param env lent for the runtime's life
 *  @return SBX_INVALID_ARGUMENT if the table breaks its promise, with err->detail naming the op */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_create(const struct sbx_runtime_ops *ops, void *self,
                                                        struct sbx_env *env, struct sbx_runtime **out,
                                                        struct sbx_error *err);

/** What sbx_runtime_create() was given as `self`, for verbs of an adapter's own. @return NULL for a runtime of another
 *  provider */
SBX_API void *sbx_runtime_self(const struct sbx_runtime *rt, const char *provider);
/** The env that a runtime, or a sandbox's, was made with. Lent. */
SBX_API struct sbx_env *sbx_runtime_env(const struct sbx_runtime *rt);
SBX_API struct sbx_env *sbx_sandbox_env(const struct sbx_sandbox *sb);

/** The call for clean-up after `call` failed: cleanup_ms from now, not cancellable. @return 0 if there is to be none */
SBX_API int sbx_call_for_cleanup(const struct sbx_call *call, struct sbx_env *env, struct sbx_call *out);

/** `call` with its deadline no later than `ms` from now. */
SBX_API struct sbx_call sbx_call_within(const struct sbx_call *call, struct sbx_env *env, int64_t ms);

/** Waits between two tries: a little longer than the last time, or as long as the answer asked for.
 *  @param asked_ms what Retry-After said; 0 or less = nothing
 *  @return SBX_DEADLINE or SBX_CANCELLED when the call is over, or will be before that */
SBX_API SBX_MUST_USE enum sbx_status sbx_call_pause(const struct sbx_call *call, struct sbx_env *env,
                                                    struct sbx_backoff *backoff, int64_t asked_ms);

/** @return SBX_OK, SBX_CANCELLED or SBX_DEADLINE as it stands now */
SBX_API enum sbx_status sbx_call_check(const struct sbx_call *call, struct sbx_env *env);

/** What the evidence of an exchange means as a status, before any answer was looked at: SBX_OK for done. */
SBX_API enum sbx_status sbx_evidence_status(int32_t evidence);

/** What it means for the request: NOT_SENT if no byte left, UNKNOWN if it was cut off, DONE never. For done: NONE. */
SBX_API enum sbx_outcome sbx_evidence_outcome(int32_t evidence, uint64_t sent_bytes);

SBX_API struct sbx_info *sbx_info_create(const struct sbx_info_draft *draft); /* NULL when memory runs out */
SBX_API SBX_MUST_USE enum sbx_status sbx_list_take(struct sbx_list *list, struct sbx_info **info);
SBX_API SBX_MUST_USE enum sbx_status sbx_exec_result_set(struct sbx_exec_result *result,
                                                         const struct sbx_exec_draft *draft);
/** For a command of an op's own: NULL when memory runs out. Free with sbx_exec_result_free(). */
SBX_API struct sbx_exec_result *sbx_exec_result_create(void);
SBX_API SBX_MUST_USE enum sbx_status sbx_files_add(struct sbx_files *files, const struct sbx_file_draft *draft);
SBX_API SBX_MUST_USE enum sbx_status sbx_log_set(struct sbx_log *log, const struct sbx_log_draft *draft);

#ifdef __cplusplus
}
#endif
#endif
