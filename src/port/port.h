/* What the files of the port share: the runtime, how a call begins and ends, and the checks of arguments. */
#ifndef SRC_PORT_PORT_H
#define SRC_PORT_PORT_H

#include "src/port/turn.h"

#include <sandport/kit/ops.h>

struct sbx_runtime {
    struct sbx_runtime_ops ops; /* the whole table, whatever its release's size was */
    void *self;
    struct sbx_env *env;
};

struct sbx_sandbox {
    struct sbx_runtime *rt;
    struct sbx_lock *lock; /* guards all below; never held across a call of the env */
    struct sbx_identity who;
    struct turn turn; /* start, stop and destroy go one after the other */
    char *home_dir;   /* asked once */
    int closed;       /* destroyed, or an attached handle let go */
};

struct sbx_list {
    struct sbx_info **items;
    size_t count;
    size_t cap;
};

/** One call of the port from its entry: a whole error of our own, given to the caller's at the end. */
struct port_entry {
    struct sbx_runtime *rt;
    struct sbx_error *callers;
    struct sbx_error err;
    struct sbx_call call;
};

/** The first part of that, for calls of what is no runtime. @return SBX_INVALID_ARGUMENT if the caller's error is too
 * small */
enum sbx_status sbx_port_entry_begin(struct port_entry *entry, const char *operation, struct sbx_error *callers);

/** Begins a call: the caller's error, the ability, the call's defaults. Anything but SBX_OK goes to
 * sbx_port_leave() at once.
 *  @param cap 0 = every runtime has it */
enum sbx_status sbx_port_enter(struct port_entry *entry, struct sbx_runtime *rt, const char *operation, uint64_t cap,
                               const struct sbx_call *call, int64_t default_ms, struct sbx_error *callers);
/** Ends it: copies the error that the caller can hold. @return st */
enum sbx_status sbx_port_leave(struct port_entry *entry, enum sbx_status st);

/** Copies a result struct, of the size that the caller said; its own size member stays. NULL is ignored. */
void sbx_port_give(void *callers, const void *ours, size_t ours_size);

/** For an argument that must be there; SBX_INVALID_ARGUMENT. Here, so that the analyzer sees that it is a failure. */
static inline enum sbx_status sbx_port_missing(struct port_entry *entry, const char *what) {
    (void)sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected one", what);
    return SBX_INVALID_ARGUMENT;
}
/** For an open struct whose size cannot be right; SBX_INVALID_ARGUMENT. */
static inline enum sbx_status sbx_port_size_wrong(struct port_entry *entry, const char *what) {
    (void)sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s.size: expected sizeof the struct", what);
    return SBX_INVALID_ARGUMENT;
}

/** Fills in the defaults. @return SBX_DEADLINE or SBX_CANCELLED if it has come already */
enum sbx_status sbx_port_call_take(const struct sbx_call *from, struct sbx_env *env, int64_t default_ms,
                                   struct sbx_call *out, struct sbx_error *err);

/** sbx_port_enter() on a handle, and its identity as it is now.
 *  @return also SBX_GONE once the handle was destroyed */
enum sbx_status sbx_port_sandbox_enter(struct port_entry *entry, struct sbx_sandbox *sb, const char *operation,
                                       uint64_t cap, const struct sbx_call *call, int64_t default_ms,
                                       struct sbx_error *err, struct sbx_identity *who);

/** The home directory, asked once in a handle's life. @param who of this call @param out yours: free() */
enum sbx_status sbx_port_home_dir(struct port_entry *entry, struct sbx_sandbox *sb, const struct sbx_identity *who,
                                  char **out);

/** A handle before its sandbox is known, so that a launch cannot fail after it succeeded. */
struct sbx_sandbox *sbx_port_sandbox_new(struct sbx_runtime *rt, int owned);

/** Has the adapter filled it? */
int sbx_port_exec_result_is_set(const struct sbx_exec_result *result);
struct sbx_log *sbx_port_log_new(void);
struct sbx_files *sbx_port_files_new(void);
/** Hands them to the caller where there is a result for that status, frees them else. */
void sbx_port_files_give(struct sbx_files *files, enum sbx_status st, const struct sbx_error *err,
                         struct sbx_files **out);
/** Hands a result to the caller where there is one for that status, frees it else. */
void sbx_port_exec_result_give(struct sbx_exec_result *result, enum sbx_status st, const struct sbx_error *err,
                               struct sbx_exec_result **out);
/** The caller's options over the defaults. */
enum sbx_status sbx_port_exec_options(const struct sbx_exec_options *from, struct sbx_exec_options *opt);
/** The default deadline, which follows from the command's lifetime. @param sb NULL = none */
int64_t sbx_port_exec_default_ms(const struct sbx_sandbox *sb, const struct sbx_exec_options *opt);

/** The bytes with a NUL behind them; free(). NULL when memory runs out. */
char *sbx_port_bytes_copy(const void *data, size_t len);
/** Room that a text takes in a block of memory; NULL is "". */
size_t sbx_port_text_size(const char *text);
/** Puts it there and moves on. @return where it is */
const char *sbx_port_text_put(char **at, const char *text);

/* Checks of arguments: each names the field that is wrong in err->detail. */
enum sbx_status sbx_port_check_id(const char *id, struct sbx_error *err);
enum sbx_status sbx_port_check_path(const char *path, struct sbx_error *err);
/** Any path: of a file or a directory. */
enum sbx_status sbx_port_check_any_path(const char *path, const char *field, struct sbx_error *err);
/** Text to look for: not empty, valid UTF-8. */
enum sbx_status sbx_port_check_text(const char *text, const char *field, struct sbx_error *err);
/** @param mode up to 0777, SBX_MODE_NONE, or 0 */
enum sbx_status sbx_port_check_mode(int32_t mode, const char *field, struct sbx_error *err);
enum sbx_status sbx_port_check_launch(const struct sbx_runtime *rt, const struct sbx_launch_options *opt,
                                      struct sbx_error *err);
enum sbx_status sbx_port_check_query(const struct sbx_query *query, struct sbx_error *err);
enum sbx_status sbx_port_check_reconcile(const struct sbx_reconcile_options *opt, struct sbx_error *err);
enum sbx_status sbx_port_check_exec(const char *command, const struct sbx_exec_options *opt, struct sbx_error *err);
enum sbx_status sbx_port_check_run_id(const char *run_id, struct sbx_error *err);
enum sbx_status sbx_port_check_submit(const char *command, const struct sbx_run_options *opt, struct sbx_error *err);
enum sbx_status sbx_port_check_log(const struct sbx_log_options *opt, struct sbx_error *err);
enum sbx_status sbx_port_check_transfer(const struct sbx_transfer_options *opt, struct sbx_error *err);
enum sbx_status sbx_port_check_choice(int32_t value, const char *field, struct sbx_error *err);

#endif
