/* Work done inside a sandbox by its own means, over a small table that any adapter can fill. Rows P7, P11. */
#ifndef SANDPORT_KIT_WORK_H
#define SANDPORT_KIT_WORK_H

#include <sandport/kit/ops.h>

/** Which results have been received, so that a later command can have their files removed. Safe from many threads. */
struct sbx_exact_receipts;

/** How to reach one sandbox. */
struct sbx_work_host {
    size_t size;
    void *ctx;
    struct sbx_env *env;
    /** One request that has the sandbox run `line`, one command of POSIX sh (which may hold newlines in its quotes),
     * with `vars` added to the environment, in the working directory. The request is never repeated.
     *  @param lifetime_ms the provider may end the command after so long: SBX_COMMAND_TIMEOUT
     *  @param text_max    more answer text than this is SBX_TOO_LARGE
     *  @param text        what came back as output, stdout first where apart
     *  On failure err->outcome says whether it may have run. */
    enum sbx_status (*run)(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                           int64_t lifetime_ms, const struct sbx_call *call, size_t text_max, struct sbx_buf *text,
                           struct sbx_error *err);
    struct sbx_exact_receipts *receipts; /* one for a runtime, lent; NULL: files stay until the sandbox goes */
    const char *sandbox;                 /* its id, for the receipts; lent during the call */
    /** NULL, or how the provider runs a command exactly by itself: the contract is that of the op exec. Commands of the
     * library's own about files go this way then. */
    enum sbx_status (*exec)(void *ctx, const char *command, const struct sbx_exec_options *opt,
                            const struct sbx_call *call, struct sbx_exec_result *result, struct sbx_error *err);
    /** Where what is there for the time being is put, at most 40 bytes, absolute or from the working directory; it
     * stands in scripts as it is. NULL: /tmp. Lent during the call. */
    const char *tmp;
};

#ifdef __cplusplus
extern "C" {
#endif

/** Runs a command exactly (docs/exact-exec.md): at most once whatever is lost or replayed, bytes as they were. The
 * contract is that of the exec op; opt->output_bytes_max is at most 256 MiB here.
 *
 *  When the reply is lost, or time is over, the sandbox is asked what became of the command: the true result, or
 *  SBX_COMMAND_TIMEOUT, SBX_DEADLINE, SBX_CANCELLED or SBX_PROCESS_LOST with outcome DONE, and the result holds the
 * output so far. Outcome REFUSED means that it has not run and will not; UNKNOWN that the sandbox could not tell. */
SBX_API SBX_MUST_USE enum sbx_status sbx_exact_exec(const struct sbx_work_host *host, const char *command,
                                                    const struct sbx_exec_options *opt, const struct sbx_call *call,
                                                    struct sbx_exec_result *result, struct sbx_error *err);

/** Runs a command exactly, and gives its output to opt->output while it runs: read from its files as they grow, after
 * 50 ms doubling to 1 s and at once when something was found. The contract is that of the exec op. */
SBX_API SBX_MUST_USE enum sbx_status sbx_stream_exec(const struct sbx_work_host *host, const char *command,
                                                     const struct sbx_exec_options *opt, const struct sbx_call *call,
                                                     struct sbx_exec_result *result, struct sbx_error *err);

/** A shell that lives on in a sandbox, by whatever the provider has for it. */
struct sbx_work_shell {
    size_t size;
    void *ctx;
    const char *private_dir; /* nobody else can read what is put there; lent during the call */
    /** Hands the shell a line (which may hold newlines), and does not wait for its end. The request is never repeated.
     *  @return SBX_GONE, outcome REFUSED, if the shell has ended. Else outcome says whether it may have the line */
    enum sbx_status (*post)(void *ctx, const char *line, const struct sbx_call *call, struct sbx_error *err);
    /** Writes a small file into private_dir. */
    enum sbx_status (*put)(void *ctx, const char *path, const char *text, size_t len, const struct sbx_call *call,
                           struct sbx_error *err);
    /** @return SBX_GONE if there is no such shell any more; anything else proves nothing */
    enum sbx_status (*alive)(void *ctx, const struct sbx_call *call, struct sbx_error *err);
};

/** Runs a command exactly in a shell that lives on: what it sets is there for the next one. The contract is that of the
 * exec op, and: opt->env is exported in the shell from then on, by a script that removes itself; opt->cwd, relative to
 * where the shell is, stays too; a command that outlives its time takes the shell with it. */
SBX_API SBX_MUST_USE enum sbx_status sbx_shell_exec(const struct sbx_work_host *host,
                                                    const struct sbx_work_shell *shell, const char *command,
                                                    const struct sbx_exec_options *opt, const struct sbx_call *call,
                                                    struct sbx_exec_result *result, struct sbx_error *err);

/** How files get into and out of a sandbox. The contracts are those of the ops upload and download. */
struct sbx_work_files {
    size_t size;
    void *ctx;
    enum sbx_status (*upload)(void *ctx, const char *path, const struct sbx_reader *from,
                              const struct sbx_transfer_options *opt, const struct sbx_call *call,
                              struct sbx_error *err);
    enum sbx_status (*download)(void *ctx, const char *path, const struct sbx_sink *to,
                                const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                struct sbx_error *err);
    /** Many in one request. NULL = a request each, by `upload`, one after the other; one that is not taken for what it
     *  is itself does not keep the next from being sent.
     *  @param statuses zeroed; enum sbx_status of each file of which the answer says that it failed
     *  @return SBX_OK when it was answered, whatever became of the files */
    enum sbx_status (*upload_many)(void *ctx, const struct sbx_upload_file *files, size_t count,
                                   const struct sbx_transfer_options *opt, int32_t *statuses,
                                   const struct sbx_call *call, struct sbx_error *err);
};

/* Many files, and trees as tar streams (docs/files.md). The contracts are those of the ops. */
SBX_API SBX_MUST_USE enum sbx_status
sbx_work_upload_files(const struct sbx_work_host *host, const struct sbx_work_files *by,
                      const struct sbx_upload_file *files, size_t count, const struct sbx_transfer_options *opt,
                      const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_work_upload_tree(const struct sbx_work_host *host,
                                                          const struct sbx_work_files *by, const char *dir,
                                                          const struct sbx_reader *from,
                                                          const struct sbx_transfer_options *opt,
                                                          const struct sbx_call *call, struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_work_download_tree(const struct sbx_work_host *host,
                                                            const struct sbx_work_files *by, const char *dir,
                                                            const struct sbx_sink *to,
                                                            const struct sbx_transfer_options *opt,
                                                            const struct sbx_call *call, struct sbx_error *err);

/** Makes a directory and those on the way, by the sandbox's own mkdir: for a provider that does not say why it could
 * not. The contract is that of the op file_mkdir. */
SBX_API SBX_MUST_USE enum sbx_status sbx_work_mkdir(const struct sbx_work_host *host, const char *path, int32_t mode,
                                                    const struct sbx_call *call, struct sbx_error *err);

/* What is found, and changes that a provider has no route for, by the sandbox's own tools: find and grep, chmod, chown
 * and chgrp, sed. The contracts are those of the ops file_search, file_find, file_permissions and file_replace. They
 * ask and change as the user does whom commands run as.
 *  @return SBX_TOOL_MISSING with its name in err->detail; SBX_TOO_LARGE for more than 16 MiB found */
SBX_API SBX_MUST_USE enum sbx_status sbx_work_search(const struct sbx_work_host *host, const char *dir,
                                                     const char *pattern, const struct sbx_call *call,
                                                     struct sbx_files *into, struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_work_find_text(const struct sbx_work_host *host, const char *dir,
                                                        const char *text, const struct sbx_call *call,
                                                        struct sbx_files *into, struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_work_permissions(const struct sbx_work_host *host, const char *path,
                                                          int32_t mode, const char *owner, const char *group,
                                                          const struct sbx_call *call, struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_work_replace(const struct sbx_work_host *host, const char *const *paths,
                                                      size_t count, const char *text, const char *with,
                                                      const struct sbx_call *call, struct sbx_files *into,
                                                      struct sbx_error *err);

/** What a tool's or a daemon's words about one file mean: "open x: permission denied". SBX_PROVIDER for others. */
SBX_API enum sbx_status sbx_work_words(const char *text);

/* Durable runs (docs/durable-runs.md). The contracts are those of the ops submit, read_logs and kill_run; opt and call
 * are whole, as the port gives them. Of the host, receipts are not needed. */
SBX_API SBX_MUST_USE enum sbx_status sbx_durable_submit(const struct sbx_work_host *host, const char *home,
                                                        const char *run_id, const char *command,
                                                        const struct sbx_run_options *opt, const struct sbx_call *call,
                                                        struct sbx_run_status *status, struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_durable_read(const struct sbx_work_host *host, const char *home,
                                                      const char *run_id, const struct sbx_log_options *opt,
                                                      const struct sbx_call *call, struct sbx_log *into,
                                                      struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_durable_kill(const struct sbx_work_host *host, const char *home,
                                                      const char *run_id, const struct sbx_call *call,
                                                      struct sbx_run_status *status, struct sbx_error *err);

/** NULL when memory runs out. @param env lent for its life */
SBX_API struct sbx_exact_receipts *sbx_exact_receipts_create(struct sbx_env *env);
SBX_API void sbx_exact_receipts_free(struct sbx_exact_receipts *receipts);

#ifdef __cplusplus
}
#endif
#endif
