/* A command's options and its result. Rows P7, P11. */
#ifndef SANDPORT_EXEC_H
#define SANDPORT_EXEC_H

#include <sandport/runtime.h>

/** How output travels. Stored as int32_t. */
enum sbx_exec_mode {
    SBX_EXEC_MODE_DEFAULT = 0, /* exact where the provider's wire is lossy, else the wire */
    SBX_EXEC_EXACT = 1,        /* byte for byte, streams apart, by the library's own means in one request */
    SBX_EXEC_WIRE = 2          /* the provider's own output; the result says what is not exact */
};

enum sbx_stream { SBX_STDOUT = 1, SBX_STDERR = 2 };

#define SBX_COMMAND_BYTES_MAX    (96u * 1024)      /* of a command's text */
#define SBX_ENV_ENTRY_MAX        (128u * 1024 - 1) /* of NAME=value */
#define SBX_OUTPUT_BYTES_DEFAULT (1024 * 1024)     /* kept of each stream */

struct sbx_exec_options {
    size_t size;
    const char *cwd; /* absolute, or relative to the working directory; NULL = the working directory */
    const struct sbx_pair *env;
    size_t env_count;
    int64_t lifetime_ms;      /* of the command; 0 = the runtime's (30 min). Sent rounded up where seconds are sent */
    int64_t output_bytes_max; /* kept of each stream, from its start; 0 = 1 MiB */
    int32_t mode;             /* enum sbx_exec_mode */
    /** Gets the output while the command runs; needs SBX_CAP_STREAMING_OUTPUT. Called on the caller's thread; may
     * block, and then no more is read; may cancel; may not call back into the same handle. Each stream comes in order
     * and whole, byte for byte; the order between the two is not kept. Non-zero ends the command and the exec, with
     *  SBX_CANCELLED. May be NULL. @param stream enum sbx_stream */
    int (*output)(void *ctx, int32_t stream, const void *data, size_t len);
    void *output_ctx;
};

#define SBX_EXEC_OPTIONS_INIT                                                                                          \
    { .size = sizeof(struct sbx_exec_options) }

struct sbx_exec_result;

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_exec_options_init(struct sbx_exec_options *opt, size_t size);

/** Is the exit code known? If not, sbx_exec_result_exit_code() answers -1. */
SBX_API int sbx_exec_result_exit_known(const struct sbx_exec_result *result);
/** 0-255; 128 + N when signal N ended it. */
SBX_API int32_t sbx_exec_result_exit_code(const struct sbx_exec_result *result);
/** The bytes kept, NUL-terminated behind them. Lent. @param len may be NULL */
SBX_API const char *sbx_exec_result_stdout(const struct sbx_exec_result *result, size_t *len);
SBX_API const char *sbx_exec_result_stderr(const struct sbx_exec_result *result, size_t *len);
/** How many bytes the command wrote; more than were kept if the output was cut. */
SBX_API uint64_t sbx_exec_result_stdout_total(const struct sbx_exec_result *result);
SBX_API uint64_t sbx_exec_result_stderr_total(const struct sbx_exec_result *result);
SBX_API int sbx_exec_result_truncated(const struct sbx_exec_result *result);
/** Are the bytes those that the command wrote? */
SBX_API int sbx_exec_result_bytes_exact(const struct sbx_exec_result *result);
/** Is stderr in stdout, in the provider's order? */
SBX_API int sbx_exec_result_streams_merged(const struct sbx_exec_result *result);
/** After a timeout or cancel: is its process group proven dead? */
SBX_API int sbx_exec_result_killed_confirmed(const struct sbx_exec_result *result);
SBX_API void sbx_exec_result_free(struct sbx_exec_result *result);

#ifdef __cplusplus
}
#endif
#endif
