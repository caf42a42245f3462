/* A manifest of the processes of a workload: checked, planned, judged idle or not - all pure - and then carried out in
 * a sandbox. Row R19; docs/manifest.md.
 *
 * A useful process is what the workload is for; an auxiliary one is there for others. `call` and `err` may be NULL. */
#ifndef SANDPORT_MANIFEST_H
#define SANDPORT_MANIFEST_H

#include <sandport/sandbox.h>

#define SBX_PROCESS_ID_BYTES_MAX 64
#define SBX_PROCESSES_MAX        256

/** When a process is ready for those that need it. Stored as int32_t. */
enum sbx_readiness {
    SBX_READY_STARTED = 0, /* at once */
    SBX_READY_PROBE = 1,   /* when the command `probe` exits 0 */
    SBX_READY_EXITED = 2,  /* when it has exited 0 */
    SBX_READY_NEVER = 3    /* nobody can wait for it */
};

/** Stored as int32_t. */
enum sbx_restart {
    SBX_RESTART_NEVER = 0,
    SBX_RESTART_ON_FAILURE = 1, /* when it exits with another code than 0, or is lost */
    SBX_RESTART_ALWAYS = 2
};

struct sbx_process {
    size_t size;
    const char *id;      /* required, unique: a letter or digit, then letters, digits, `.`, `_`, `-` */
    const char *command; /* required */
    const char *const *needs;
    size_t need_count;   /* ids of processes that must be ready before it starts */
    int32_t auxiliary;   /* SBX_YES; default: useful */
    int32_t ready;       /* enum sbx_readiness */
    const char *probe;   /* with SBX_READY_PROBE alone: a command */
    int64_t ready_ms;    /* longest wait for it; 0 = 30,000 */
    int32_t restart;     /* enum sbx_restart */
    int32_t restart_max; /* how often; 0 = 3 */
    int32_t stop_order;  /* of those that could stop next, the highest does */
    const char *flush;   /* a command before it is stopped, which saves what it has; NULL = none */
    int64_t flush_ms;    /* longest time for that; 0 = 30,000 */
    const char *cwd;
    const struct sbx_pair *env;
    size_t env_count;
};

struct sbx_manifest {
    size_t size;
    const struct sbx_process *processes;
    size_t count;
    int64_t idle_ms; /* so long nothing useful must have been done for idle; 0 = 60,000 */
};

/** What a plan has done, one after the other. Stored as int32_t. */
enum sbx_plan_action {
    SBX_PLAN_START = 1,
    SBX_PLAN_AWAIT = 2, /* until it is ready */
    SBX_PLAN_FLUSH = 3,
    SBX_PLAN_STOP = 4
};

/** What is known of one process for the idle verdict. */
struct sbx_idle_evidence {
    size_t size;
    const char *id;
    int32_t known;       /* SBX_YES: somebody has looked; anything else: nobody has */
    int32_t active;      /* SBX_YES: it does something now */
    int64_t last_act_ms; /* when it last did, on the clock of `now_ms`; counts if it is not active */
};

/** Stored as int32_t. */
enum sbx_idle_verdict {
    SBX_IDLE_UNDECIDED = 0, /* of some useful process nothing is known: it is never taken for idle */
    SBX_IDLE_BUSY = 1,
    SBX_IDLE_YES = 2
};

#define SBX_PROCESS_INIT                                                                                               \
    { .size = sizeof(struct sbx_process) }
#define SBX_MANIFEST_INIT                                                                                              \
    { .size = sizeof(struct sbx_manifest) }
#define SBX_IDLE_EVIDENCE_INIT                                                                                         \
    { .size = sizeof(struct sbx_idle_evidence) }

struct sbx_plan;

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_process_init(struct sbx_process *process, size_t size);
SBX_API void sbx_manifest_init(struct sbx_manifest *manifest, size_t size);
SBX_API void sbx_idle_evidence_init(struct sbx_idle_evidence *evidence, size_t size);

/** Checks a manifest and plans it. The same manifest has the same plan, everywhere. Texts are copied.
 *  @param out yours: sbx_plan_free()
 *  @return SBX_INVALID_ARGUMENT, err->detail with the path: "needs: a -> b -> a is a cycle", "needs: a -> b: no process
 *          of that id", "ready: a -> b can never be ready", "id: a is there twice" */
SBX_API SBX_MUST_USE enum sbx_status sbx_plan_create(const struct sbx_manifest *manifest, struct sbx_plan **out,
                                                     struct sbx_error *err);
SBX_API void sbx_plan_free(struct sbx_plan *plan);

/** The start-up: what is needed first, else in the manifest's order; it ends when all useful processes are ready. The
 *  teardown: who needs others first, and each is flushed right before its own stop, while all that it needs still runs.
 *  @param teardown 0 = of the start-up, 1 = of the teardown */
SBX_API size_t sbx_plan_count(const struct sbx_plan *plan, int teardown);
/** enum sbx_plan_action; an index beyond the last is the caller's mistake. */
SBX_API int32_t sbx_plan_action(const struct sbx_plan *plan, int teardown, size_t i);
/** Of which process. Lent. */
SBX_API const char *sbx_plan_process(const struct sbx_plan *plan, int teardown, size_t i);

/** Is it idle? Only by evidence of every useful process. @return enum sbx_idle_verdict */
SBX_API int32_t sbx_plan_idle(const struct sbx_plan *plan, const struct sbx_idle_evidence *evidence, size_t count,
                              int64_t now_ms);

/** Carries out the start-up in a sandbox, as durable runs called `sandport.process.<id>.<times>`; what is there and
 * runs is not started again. A process that ends before it is ready is started again as its restart says. Needs
 *  SBX_CAP_ASYNC_EXEC and SBX_CAP_EXEC. Default deadline: none but the processes' own.
 *  @return SBX_DEADLINE, SBX_NOT_READY: err->detail names the process; what has been started runs on */
SBX_API SBX_MUST_USE enum sbx_status sbx_plan_start(const struct sbx_plan *plan, struct sbx_sandbox *sb,
                                                    const struct sbx_call *call, struct sbx_error *err);

/** Carries out the teardown. A flush that fails ends it before that process is stopped, unless `force` is SBX_YES.
 *  @return SBX_CONFLICT: err->detail names the process whose flush failed */
SBX_API SBX_MUST_USE enum sbx_status sbx_plan_stop(const struct sbx_plan *plan, struct sbx_sandbox *sb, int32_t force,
                                                   const struct sbx_call *call, struct sbx_error *err);

/** Starts again what has ended and may be: one look at every process. @param restarted how many were; may be NULL */
SBX_API SBX_MUST_USE enum sbx_status sbx_plan_keep(const struct sbx_plan *plan, struct sbx_sandbox *sb,
                                                   const struct sbx_call *call, size_t *restarted,
                                                   struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
