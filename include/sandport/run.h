/* Durable runs: a command that goes on while nobody waits for it, and whose end can be learned by whoever asks later.
 *
 * A run has an id that its caller chooses: any text of 1 to 256 bytes. The id is immutable in its sandbox: submitting
 * it again never starts anything, whatever became of the first, so that a caller who does not know whether a submit
 * arrived submits again. All of it is files in the sandbox (docs/durable-runs.md): another process, on another host,
 * can go on with it, and a stop of the sandbox ends the run but not what is known of it.
 *
 * The ability is SBX_CAP_ASYNC_EXEC. Default deadline of each call: 30 s, which bounds the request and never the
 * command. Rows D10, P7, E5-E7. */
#ifndef SANDPORT_RUN_H
#define SANDPORT_RUN_H

#include <sandport/exec.h>

#define SBX_RUN_ID_BYTES_MAX  256
#define SBX_NO_LIFETIME       INT64_MAX /* in lifetime_ms: until it ends by itself */
#define SBX_LOG_TAIL          (-1)      /* in stdout_from, stderr_from: the last bytes_max bytes */
#define SBX_LOG_NONE          INT64_MAX /* in stdout_from, stderr_from: nothing of that stream */
#define SBX_LOG_BYTES_DEFAULT (256 * 1024)
#define SBX_LOG_BYTES_MAX     (1024 * 1024)

/** How a run stands. Stored as int32_t. */
enum sbx_run_state {
    SBX_RUN_RUNNING = 1,
    SBX_RUN_EXITED = 2,
    SBX_RUN_LOST = 3,      /* it is gone, and left no exit code: the code says 255 */
    SBX_RUN_UNDECIDED = 4, /* the sandbox cannot tell; asking again later may help */
    SBX_RUN_REFUSED =
        5 /* it never ran and never will: no such cwd, a tool missing, no room, or killed before it began */
};

struct sbx_run_options {
    size_t size;
    const char *cwd; /* absolute, or relative to the working directory; NULL = the working directory */
    const struct sbx_pair *env;
    size_t env_count;
    int64_t lifetime_ms; /* of the command; 0 = the runtime's (30 min), SBX_NO_LIFETIME. Rounded up to whole seconds */
};

/** The caller gives its size; the rest is set on success. */
struct sbx_run_status {
    size_t size;
    int32_t state;            /* enum sbx_run_state */
    int32_t exit_code;        /* EXITED: 0-255, 128 + N when signal N ended it. LOST: 255. Else -1 */
    int32_t submitted;        /* 1: this submit made the run, 0: it was there */
    int32_t timed_out;        /* 1: ended because its lifetime was over */
    int32_t kill_asked;       /* 1: somebody has asked for its end while it ran */
    int32_t killed_confirmed; /* after a kill: is its process group proven dead? */
    uint64_t stdout_bytes;    /* written so far */
    uint64_t stderr_bytes;
    int32_t extended; /* 1: this submit made the sandbox itself live longer, so that the run can end */
};

/** Which part of the output. */
struct sbx_log_options {
    size_t size;
    int64_t stdout_from; /* a byte's number, SBX_LOG_TAIL or SBX_LOG_NONE */
    int64_t stderr_from;
    int64_t bytes_max; /* of each stream; 0 = 256 KiB, at most 1 MiB */
};

#define SBX_RUN_OPTIONS_INIT                                                                                           \
    { .size = sizeof(struct sbx_run_options) }
#define SBX_RUN_STATUS_INIT                                                                                            \
    { .size = sizeof(struct sbx_run_status) }
#define SBX_LOG_OPTIONS_INIT                                                                                           \
    { .size = sizeof(struct sbx_log_options) }

/** A piece of a run's output, and how the run stood just before it was read. */
struct sbx_log;

/** A place in a run's output, for readers that pull. One thread at a time. */
struct sbx_run;

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_run_options_init(struct sbx_run_options *opt, size_t size);
SBX_API void sbx_run_status_init(struct sbx_run_status *status, size_t size);
SBX_API void sbx_log_options_init(struct sbx_log_options *opt, size_t size);

/** Starts a command, a line or more of POSIX sh of at most 96 KiB, once for this id, and does not wait for its end.
 *  The environment goes by the provider's own field, never on a command line.
 *  @param status may be NULL
 *  @return SBX_OK also when a run of that id and command was there, however it stands; SBX_ALREADY_EXISTS if that id
 * has another command or cwd; SBX_TOOL_MISSING, SBX_INVALID_ARGUMENT (no such cwd), SBX_NO_SPACE, SBX_PROCESS_LOST with
 * outcome REFUSED: it has not run, and this id never will. After outcome UNKNOWN submit it again. */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_submit(struct sbx_sandbox *sb, const char *run_id, const char *command,
                                                        const struct sbx_run_options *opt, const struct sbx_call *call,
                                                        struct sbx_run_status *status, struct sbx_error *err);

/** How it stands. @return SBX_RUN_NOT_FOUND: this sandbox has no run of that id */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_poll(struct sbx_sandbox *sb, const char *run_id,
                                                      const struct sbx_call *call, struct sbx_run_status *status,
                                                      struct sbx_error *err);

/** Reads a piece of its output, byte for byte. @param out yours: sbx_log_free() @return as sbx_sandbox_poll() */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_read_logs(struct sbx_sandbox *sb, const char *run_id,
                                                           const struct sbx_log_options *opt,
                                                           const struct sbx_call *call, struct sbx_log **out,
                                                           struct sbx_error *err);

/** Ends it with its process group: SIGTERM, after 5 s SIGKILL. One that has ended is left as it is.
 *  @param status may be NULL
 *  @return as sbx_sandbox_poll(); SBX_DEADLINE if it could not be ended */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_kill_run(struct sbx_sandbox *sb, const char *run_id,
                                                          const struct sbx_call *call, struct sbx_run_status *status,
                                                          struct sbx_error *err);

/** The bytes, NUL-terminated behind them. Lent. @param stream enum sbx_stream @param len may be NULL */
SBX_API const char *sbx_log_bytes(const struct sbx_log *log, int32_t stream, size_t *len);
/** The number of its first byte. */
SBX_API uint64_t sbx_log_from(const struct sbx_log *log, int32_t stream);
/** How the run stood: what it had written by its end is covered by the totals. @param status its size is set */
SBX_API void sbx_log_status(const struct sbx_log *log, struct sbx_run_status *status);
SBX_API void sbx_log_free(struct sbx_log *log);

/** A reader at the start of a run's output. Sends nothing. @param sb must outlive it @param out yours: sbx_run_free()
 */
SBX_API SBX_MUST_USE enum sbx_status sbx_run_open(struct sbx_sandbox *sb, const char *run_id, struct sbx_run **out,
                                                  struct sbx_error *err);

/** Waits until there are bytes, and gives the next ones of a stream. A wait ends by bytes, the stream's end, the
 *  deadline or a cancel; it asks after 50 ms, doubling to 1 s. After a failure the place is as before.
 *  @param stream enum sbx_stream
 *  @param len    0 with SBX_OK: the run has ended and everything has been read */
SBX_API SBX_MUST_USE enum sbx_status sbx_run_read(struct sbx_run *run, int32_t stream, void *buf, size_t cap,
                                                  const struct sbx_call *call, size_t *len, struct sbx_error *err);

/** Waits until it has ended, or can never be known to have: any state but RUNNING and UNDECIDED. */
SBX_API SBX_MUST_USE enum sbx_status sbx_run_wait(struct sbx_run *run, const struct sbx_call *call,
                                                  struct sbx_run_status *status, struct sbx_error *err);
SBX_API void sbx_run_free(struct sbx_run *run);

#ifdef __cplusplus
}
#endif
#endif
