/* What became of a workload. Row P2. */
#include "src/orchestrator/room.h"

#include <stdlib.h>

struct sbx_workload_result *sbx_work_result_create(const struct work *work) {
    struct sbx_workload_result *result = calloc(1, sizeof(*result));
    if (!result) return NULL;
    result->phase = SBX_PHASE_DONE;
    result->failed_step = -1;
    sbx_error_init(&result->teardown, sizeof(result->teardown));
    result->steps = calloc(work->is.step_count + 1, sizeof(*result->steps));
    result->files[0] = calloc(work->is.file_count + 1, sizeof(*result->files[0]));
    result->files[1] = calloc(work->is.collect_count + 1, sizeof(*result->files[1]));
    if (result->steps && result->files[0] && result->files[1]) return result;
    sbx_workload_result_free(result);
    return NULL;
}

void sbx_workload_result_free(struct sbx_workload_result *result) {
    if (!result) return;
    for (size_t i = 0; i < result->step_count; i++) {
        sbx_buf_finish(&result->steps[i].out[0]);
        sbx_buf_finish(&result->steps[i].out[1]);
    }
    free(result->steps);
    free(result->files[0]);
    free(result->files[1]);
    free(result);
}

int32_t sbx_workload_result_phase(const struct sbx_workload_result *result) {
    return result->phase;
}
ptrdiff_t sbx_workload_result_failed_step(const struct sbx_workload_result *result) {
    return result->failed_step;
}
const char *sbx_workload_result_sandbox_id(const struct sbx_workload_result *result) {
    return result->sandbox_id;
}
const char *sbx_workload_result_acquisition(const struct sbx_workload_result *result) {
    return result->acquisition;
}
int32_t sbx_workload_result_cleanup(const struct sbx_workload_result *result) {
    return result->cleanup;
}
const struct sbx_error *sbx_workload_result_teardown(const struct sbx_workload_result *result) {
    return &result->teardown;
}

size_t sbx_workload_result_step_count(const struct sbx_workload_result *result) {
    return result->step_count;
}
int32_t sbx_workload_result_step_status(const struct sbx_workload_result *result, size_t i) {
    return result->steps[i].status;
}
int sbx_workload_result_step_exit_known(const struct sbx_workload_result *result, size_t i) {
    return result->steps[i].exit_known;
}
int32_t sbx_workload_result_step_exit_code(const struct sbx_workload_result *result, size_t i) {
    return result->steps[i].exit_known ? result->steps[i].exit_code : -1;
}
const char *sbx_workload_result_step_output(const struct sbx_workload_result *result, size_t i, int32_t stream,
                                            size_t *len) {
    const struct sbx_buf *kept = &result->steps[i].out[stream == SBX_STDERR];
    if (len) *len = kept->len;
    return sbx_buf_text(kept);
}
uint64_t sbx_workload_result_step_total(const struct sbx_workload_result *result, size_t i, int32_t stream) {
    return result->steps[i].total[stream == SBX_STDERR];
}
int sbx_workload_result_step_merged(const struct sbx_workload_result *result, size_t i) {
    return result->steps[i].merged;
}
int sbx_workload_result_step_exact(const struct sbx_workload_result *result, size_t i) {
    return result->steps[i].exact;
}
int64_t sbx_workload_result_step_begun_ms(const struct sbx_workload_result *result, size_t i) {
    return result->steps[i].begun_ms;
}
int64_t sbx_workload_result_step_ended_ms(const struct sbx_workload_result *result, size_t i) {
    return result->steps[i].ended_ms;
}

int32_t sbx_workload_result_file_status(const struct sbx_workload_result *result, int collected, size_t i) {
    return result->files[collected != 0][i].status;
}
uint64_t sbx_workload_result_file_bytes(const struct sbx_workload_result *result, int collected, size_t i) {
    return result->files[collected != 0][i].bytes;
}
const char *sbx_workload_result_file_sha256(const struct sbx_workload_result *result, int collected, size_t i) {
    return result->files[collected != 0][i].sha256;
}
int sbx_workload_result_file_verified(const struct sbx_workload_result *result, size_t i) {
    return result->files[0][i].verified;
}
