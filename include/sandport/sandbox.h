/* A handle on one sandbox and what can be done with it.
 *
 * A handle is owned (made by a launch) or attached. Each call reads the identity once at entry; start, stop and destroy
 * of one handle go one after the other; everything else may overlap. Rows P1, P7-P11, D4-D8, D16. */
#ifndef SANDPORT_SANDBOX_H
#define SANDPORT_SANDBOX_H

#include <sandport/exec.h>
#include <sandport/info.h>
#include <sandport/transfer.h>

struct sbx_start_options {
    size_t size;
    /** Replace a sandbox that came back with a dead exec daemon? Default: as the runtime's options say, for a handle
     *  that this process launched; SBX_NO for an attached one. */
    int32_t replace;
    int32_t keep_dead;       /* SBX_YES: the dead one is not deleted after a replacement; its id is in the result */
    int64_t probe_window_ms; /* 0 = 30,000 */
    /** Called before a replacement is created, with its acquisition id, so that the caller can write it down first.
     *  May not call back into the handle. Non-zero stops the start with SBX_CANCELLED. May be NULL. */
    int (*on_replacing)(void *ctx, const char *acquisition);
    void *on_replacing_ctx;
};

/** What start did. The caller gives its size; the rest is set on success. */
struct sbx_start_result {
    size_t size;
    int32_t replaced;    /* 1: the handle now carries a new id, which the caller must persist */
    int32_t old_deleted; /* 1: the dead one is gone, 0: that is not proven (keep_dead, or the delete failed) */
    int32_t lost_files;  /* 1: files outside volumes were not kept */
    int32_t lost_name;   /* 1: the name was not kept */
    char old_id[SBX_ID_SIZE];
};

struct sbx_stop_options {
    size_t size;
    int32_t force; /* SBX_YES: kill instead of asking, where the provider can */
};

#define SBX_START_OPTIONS_INIT                                                                                         \
    { .size = sizeof(struct sbx_start_options) }
#define SBX_START_RESULT_INIT                                                                                          \
    { .size = sizeof(struct sbx_start_result) }
#define SBX_STOP_OPTIONS_INIT                                                                                          \
    { .size = sizeof(struct sbx_stop_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_start_options_init(struct sbx_start_options *opt, size_t size);
SBX_API void sbx_start_result_init(struct sbx_start_result *result, size_t size);
SBX_API void sbx_stop_options_init(struct sbx_stop_options *opt, size_t size);

/** The id now: start() may change it. Copied with its NUL. @param out SBX_ID_SIZE bytes */
SBX_API void sbx_sandbox_id(const struct sbx_sandbox *sb, char *out);
/** 1 if owned, 0 if attached. */
SBX_API int sbx_sandbox_owned(const struct sbx_sandbox *sb);
/** enum sbx_state as of the last call that learned it; a cache, see sbx_sandbox_info() for the truth. */
SBX_API int32_t sbx_sandbox_state(const struct sbx_sandbox *sb);
/** Makes an attached sandbox owned, so that destroy deletes it: what a caller does with a sandbox of its own that it
 *  found again. */
SBX_API void sbx_sandbox_adopt(struct sbx_sandbox *sb);
/** Forgets the handle; nothing happens remotely. NULL is ignored. */
SBX_API void sbx_sandbox_free(struct sbx_sandbox *sb);

/** Reads it afresh. Default deadline 30 s. @param out yours: sbx_info_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_info(struct sbx_sandbox *sb, const struct sbx_call *call,
                                                      struct sbx_info **out, struct sbx_error *err);

/** The user's home directory, asked from the sandbox once. Default deadline 30 s.
 *  @param out text, yours: sbx_text_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_home_dir(struct sbx_sandbox *sb, const struct sbx_call *call,
                                                          char **out, struct sbx_error *err);
SBX_API void sbx_text_free(char *text);

/** Runs a command, a line or more of POSIX sh of at most 96 KiB, at most once, and waits for its end.
 *
 *  Default deadline: the command's lifetime (30 min unless opt says) and 30 s. At the deadline or a cancel the command
 *  is ended within call->cleanup_ms.
 *  @param out yours: sbx_exec_result_free(). Set on SBX_OK whatever the exit code, and also on a failure with
 *         err->outcome DONE that has output (a timeout, a cancel, a lost connection): what it wrote until then
 *  @return SBX_TOOL_MISSING, SBX_INVALID_ARGUMENT (no such cwd), SBX_NO_SPACE: not run; SBX_NO_MEMORY with
 *          err->outcome DONE: it ran, and its result could not be held */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_exec(struct sbx_sandbox *sb, const char *command,
                                                      const struct sbx_exec_options *opt, const struct sbx_call *call,
                                                      struct sbx_exec_result **out, struct sbx_error *err);

/** Writes a file of any size in constant memory; directories on the way are made. No total deadline by default, but
 *  60 s without progress end it. A relative path starts at the working directory. */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_upload(struct sbx_sandbox *sb, const char *path,
                                                        const struct sbx_reader *from,
                                                        const struct sbx_transfer_options *opt,
                                                        const struct sbx_call *call, struct sbx_transfer_result *result,
                                                        struct sbx_error *err);

/** Reads a file of any size in constant memory. Deadlines as for upload.
 *  @return SBX_FILE_NOT_FOUND; SBX_CONNECTION_LOST when it came short: never a cut file as a success */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_download(struct sbx_sandbox *sb, const char *path,
                                                          const struct sbx_sink *to,
                                                          const struct sbx_transfer_options *opt,
                                                          const struct sbx_call *call,
                                                          struct sbx_transfer_result *result, struct sbx_error *err);

/** Starts a stopped sandbox, proves that it runs commands, and replaces it if it is proven not to and may be replaced.
 *  The handle may carry a new id afterwards: persist it. Default deadline 60 s, and 120 s more if it replaces.
 *  @param result may be NULL
 *  @return SBX_NOT_READY if it is proven dead and may not be replaced, or if nothing is proven */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_start(struct sbx_sandbox *sb, const struct sbx_start_options *opt,
                                                       const struct sbx_call *call, struct sbx_start_result *result,
                                                       struct sbx_error *err);

/** Stops it; one already stopped, or being stopped by another, counts as success. Default deadline 60 s. */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_stop(struct sbx_sandbox *sb, const struct sbx_stop_options *opt,
                                                      const struct sbx_call *call, struct sbx_error *err);

/** Owned: deletes the sandbox and waits until it is proven gone; already gone is success; a failure leaves the handle
 *  usable for another try. Attached: forgets it, and nothing is sent. The handle itself is freed by sbx_sandbox_free().
 *  Default deadline 60 s. */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_destroy(struct sbx_sandbox *sb, const struct sbx_call *call,
                                                         struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
