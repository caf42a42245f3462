/* What the files of the orchestrator share: a workload as it was taken, its course, its result. Row P2. */
#ifndef SRC_ORCHESTRATOR_ROOM_H
#define SRC_ORCHESTRATOR_ROOM_H

#include <sandport/kit/ops.h>
#include <sandport/kit/text.h>
#include <sandport/orchestrator.h>
#include <sandport/sandport.h>

/** A workload as the caller gave it, each struct of this release's size. */
struct work {
    struct sbx_workload is;
    struct sbx_workload_file *files;
    struct sbx_step *steps;
    struct sbx_workload_collect *collects;
};

struct step_result {
    int32_t status;
    int32_t exit_known;
    int32_t exit_code;
    int32_t merged;
    int32_t exact;
    struct sbx_buf out[2]; /* by stream */
    uint64_t total[2];
    int64_t begun_ms;
    int64_t ended_ms;
};

struct file_result {
    int32_t status;
    uint64_t bytes;
    char sha256[SBX_SHA256_HEX];
    int verified;
};

struct sbx_workload_result {
    int32_t phase;
    ptrdiff_t failed_step;
    int32_t cleanup;
    char sandbox_id[SBX_ID_SIZE];
    char acquisition[SBX_ACQUISITION_SIZE];
    struct sbx_error teardown;
    struct step_result *steps;
    size_t step_count; /* begun */
    struct file_result *files[2];
};

/** One workload under way. */
struct course {
    struct sbx_runtime *rt;
    struct sbx_env *env;
    const struct work *work;
    struct sbx_call call; /* the caller's; deadline_ms 0 = each verb's default */
    struct sbx_sandbox *sb;
    struct sbx_workload_result *result;
    struct sbx_error *err;
};

/* ---- check.c: pure, but for memory ---- */

enum sbx_status sbx_work_take(const struct sbx_workload *from, struct work *work, struct sbx_error *err);
void sbx_work_drop(struct work *work);
/** What must be declared for it. */
uint64_t sbx_work_caps(const struct work *work);
enum sbx_status sbx_work_check_caps(uint64_t declared, uint64_t needed, struct sbx_error *err);

/* ---- result.c ---- */

struct sbx_workload_result *sbx_work_result_create(const struct work *work);

/* ---- step.c, durable.c, files.c ---- */

enum sbx_status sbx_work_step(struct course *c, size_t i);
enum sbx_status sbx_work_durable(struct course *c, const struct sbx_step *step, const struct sbx_call *call,
                                 struct step_result *into);
/** Takes a piece of output: keeps what there is room for, and hands it on. @return what the step's own taker said */
int sbx_work_hear(const struct sbx_step *step, struct step_result *into, int32_t stream, const void *data, size_t len);

enum sbx_status sbx_work_upload(struct course *c);
enum sbx_status sbx_work_collect(struct course *c);

/** The caller's call, with a deadline `limit_ms` from now if that is sooner; 0 = no such limit. */
struct sbx_call sbx_work_call(const struct course *c, int64_t limit_ms);
/** A call for clean-up, which no cancel reaches. @return 0 if there is to be none */
int sbx_work_cleanup(const struct course *c, struct sbx_call *out);

#endif
