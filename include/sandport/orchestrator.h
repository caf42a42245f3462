/* A workload through any runtime: launch, put files, run steps, collect files, tear down. Row P2; docs/orchestrator.md.
 *
 * Teardown is attempted whatever happened before, and is told apart from it. `call` and `err` may be NULL. */
#ifndef SANDPORT_ORCHESTRATOR_H
#define SANDPORT_ORCHESTRATOR_H

#include <sandport/exec.h>
#include <sandport/transfer.h>

/** How a step runs. Stored as int32_t. */
enum sbx_step_way {
    SBX_STEP_SYNC = 0,     /* one command; its output comes with its end */
    SBX_STEP_STREAMED = 1, /* the same, and `output` gets it as it comes; needs SBX_CAP_STREAMING_OUTPUT */
    SBX_STEP_DURABLE = 2   /* a durable run, read until its end; needs SBX_CAP_ASYNC_EXEC */
};

/** Where a workload is. Stored as int32_t. */
enum sbx_phase {
    SBX_PHASE_CHECK = 0, /* of what was asked for: nothing has been sent */
    SBX_PHASE_LAUNCH = 1,
    SBX_PHASE_UPLOAD = 2,
    SBX_PHASE_STEPS = 3,
    SBX_PHASE_COLLECT = 4,
    SBX_PHASE_TEARDOWN = 5,
    SBX_PHASE_DONE = 6
};

/** A file to put there, before any step; directories on the way are made. */
struct sbx_workload_file {
    size_t size;
    const char *path;
    const struct sbx_reader *from; /* lent; read once */
    int64_t bytes;                 /* how many it will give, 0 = until it ends, SBX_EMPTY_FILE = none */
    int32_t mode;                  /* as of struct sbx_transfer_options */
    const char *sha256;            /* what it must be, in hex; NULL = whatever the reader gives */
};

struct sbx_step {
    size_t size;
    const char *id;      /* required, unique among the steps; of a durable one its run's id */
    const char *command; /* required */
    const char *cwd;
    const struct sbx_pair *env;
    size_t env_count;
    int32_t way;              /* enum sbx_step_way */
    int32_t mode;             /* enum sbx_exec_mode; of a durable one none */
    int64_t lifetime_ms;      /* of the command; 0 = the runtime's */
    int64_t limit_ms;         /* of the step, from its start; 0 = the verb's default. A durable one is ended then */
    int64_t output_bytes_max; /* kept of each stream, from its start; 0 = 1 MiB */
    int32_t may_fail;         /* SBX_YES: the next step comes whatever its exit code */
    /** As of struct sbx_exec_options; also of a durable one. */
    int (*output)(void *ctx, int32_t stream, const void *data, size_t len);
    void *output_ctx;
};

/** A file to get from there, after the last step. */
struct sbx_workload_collect {
    size_t size;
    const char *path;
    const struct sbx_sink *to; /* lent */
    int32_t may_be_missing;    /* SBX_YES: that it is not there is no failure */
};

struct sbx_workload {
    size_t size;
    const struct sbx_launch_options *launch; /* NULL = all defaults */
    const struct sbx_workload_file *files;
    size_t file_count;
    const struct sbx_step *steps;
    size_t step_count;
    const struct sbx_workload_collect *collects;
    size_t collect_count;
};

#define SBX_WORKLOAD_FILE_INIT                                                                                         \
    { .size = sizeof(struct sbx_workload_file) }
#define SBX_STEP_INIT                                                                                                  \
    { .size = sizeof(struct sbx_step) }
#define SBX_WORKLOAD_COLLECT_INIT                                                                                      \
    { .size = sizeof(struct sbx_workload_collect) }
#define SBX_WORKLOAD_INIT                                                                                              \
    { .size = sizeof(struct sbx_workload) }

/** What became of a workload. Texts and bytes are lent by it. */
struct sbx_workload_result;

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_workload_file_init(struct sbx_workload_file *file, size_t size);
SBX_API void sbx_step_init(struct sbx_step *step, size_t size);
SBX_API void sbx_workload_collect_init(struct sbx_workload_collect *collect, size_t size);
SBX_API void sbx_workload_init(struct sbx_workload *work, size_t size);

/** Does all of it, and ends by itself, call->deadline_ms (none by default), or a cancel, at any point. Members of
 * arrays are of the size that their first says.
 *
 *  A step that exits with another code than 0, unless it may, is the last one; files are collected all the same. After
 *  any other failure nothing more is begun. Then the sandbox is destroyed, within call->cleanup_ms.
 *  @param out  yours: sbx_workload_result_free(); set whenever anything was begun, also on failure
 *  @param err  of the first failure; that of the teardown is in the result
 *  @return SBX_OK also when a step failed by its exit code: sbx_workload_result_failed_step(); SBX_UNSUPPORTED before
 *          the launch if the runtime does not declare what is needed; the status of a teardown that failed if nothing
 *          else did */
SBX_API SBX_MUST_USE enum sbx_status sbx_workload_run(struct sbx_runtime *rt, const struct sbx_workload *work,
                                                      const struct sbx_call *call, struct sbx_workload_result **out,
                                                      struct sbx_error *err);

/** enum sbx_phase: where the first failure was; SBX_PHASE_DONE without one. */
SBX_API int32_t sbx_workload_result_phase(const struct sbx_workload_result *result);
/** The first step that failed by its exit code, which it may not; -1 = none. */
SBX_API ptrdiff_t sbx_workload_result_failed_step(const struct sbx_workload_result *result);
/** Of the sandbox that was launched; "" if none was. */
SBX_API const char *sbx_workload_result_sandbox_id(const struct sbx_workload_result *result);
/** Of its launch: what sbx_runtime_reconcile() takes. */
SBX_API const char *sbx_workload_result_acquisition(const struct sbx_workload_result *result);
/** enum sbx_cleanup: what became of the sandbox. NONE: there was none. */
SBX_API int32_t sbx_workload_result_cleanup(const struct sbx_workload_result *result);
/** Why the teardown failed; its status is SBX_OK if it did not. Lent. */
SBX_API const struct sbx_error *sbx_workload_result_teardown(const struct sbx_workload_result *result);

/** Steps that were begun. An index beyond the last is the caller's mistake, here and below. */
SBX_API size_t sbx_workload_result_step_count(const struct sbx_workload_result *result);
SBX_API int32_t sbx_workload_result_step_status(const struct sbx_workload_result *result, size_t i);
/** Is its exit code known? If not, the code is -1. */
SBX_API int sbx_workload_result_step_exit_known(const struct sbx_workload_result *result, size_t i);
SBX_API int32_t sbx_workload_result_step_exit_code(const struct sbx_workload_result *result, size_t i);
/** The bytes kept, NUL-terminated behind them. @param stream enum sbx_stream @param len may be NULL */
SBX_API const char *sbx_workload_result_step_output(const struct sbx_workload_result *result, size_t i, int32_t stream,
                                                    size_t *len);
/** How many it wrote, as far as is known. */
SBX_API uint64_t sbx_workload_result_step_total(const struct sbx_workload_result *result, size_t i, int32_t stream);
/** Is stderr in stdout? Are the bytes those that it wrote? */
SBX_API int sbx_workload_result_step_merged(const struct sbx_workload_result *result, size_t i);
SBX_API int sbx_workload_result_step_exact(const struct sbx_workload_result *result, size_t i);
/** Milliseconds on the env's monotonic clock. */
SBX_API int64_t sbx_workload_result_step_begun_ms(const struct sbx_workload_result *result, size_t i);
SBX_API int64_t sbx_workload_result_step_ended_ms(const struct sbx_workload_result *result, size_t i);

/** Of a file that was put there or collected: bytes and SHA-256 of what passed, "" if it did not come to that.
 *  @param collected 0 = of `files`, 1 = of `collects` */
SBX_API int32_t sbx_workload_result_file_status(const struct sbx_workload_result *result, int collected, size_t i);
SBX_API uint64_t sbx_workload_result_file_bytes(const struct sbx_workload_result *result, int collected, size_t i);
SBX_API const char *sbx_workload_result_file_sha256(const struct sbx_workload_result *result, int collected, size_t i);
/** Is the SHA-256 of the file in the sandbox proven to be that? 0 where it has no sha256sum: then only its size is. */
SBX_API int sbx_workload_result_file_verified(const struct sbx_workload_result *result, size_t i);

SBX_API void sbx_workload_result_free(struct sbx_workload_result *result);

#ifdef __cplusplus
}
#endif
#endif
