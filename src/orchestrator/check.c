/* Is it a workload? Before anything is sent. Rows P2, P3. */
#include "src/orchestrator/room.h"

#include <stdlib.h>
#include <string.h>

void sbx_workload_init(struct sbx_workload *work, size_t size) {
    sbx_options_init(work, size);
}
void sbx_workload_file_init(struct sbx_workload_file *file, size_t size) {
    sbx_options_init(file, size);
}
void sbx_step_init(struct sbx_step *step, size_t size) {
    sbx_options_init(step, size);
}
void sbx_workload_collect_init(struct sbx_workload_collect *collect, size_t size) {
    sbx_options_init(collect, size);
}

static enum sbx_status wrong(struct sbx_error *err, const char *what, size_t i, const char *expected) {
    return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "%s[%zu]: expected %s", what, i, expected);
}

/* An array of open structs, of a caller's release, as one of this release's. */
static enum sbx_status array_take(const void *from, size_t count, size_t size, void **out, const char *what,
                                  struct sbx_error *err) {
    size_t stride = 0;
    if (!count) return SBX_OK;
    if (!from) {
        (void)wrong(err, what, 0, "what its count says");
        return SBX_INVALID_ARGUMENT;
    }
    memcpy(&stride, from, sizeof(stride));
    char *to = calloc(count, size);
    *out = to;
    if (!to) {
        (void)sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
        return SBX_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(to + i * size, &size, sizeof(size));
        if (sbx_options_take(to + i * size, size, (const char *)from + i * stride, size))
            return wrong(err, what, i, "its size in size");
    }
    return SBX_OK;
}

static int is_choice(int32_t value) {
    return value >= SBX_DEFAULT && value <= SBX_NO;
}

static enum sbx_status step_check(const struct sbx_step *steps, size_t i, struct sbx_error *err) {
    const struct sbx_step *step = &steps[i];
    if (!step->id || !*step->id || strlen(step->id) > SBX_RUN_ID_BYTES_MAX)
        return wrong(err, "steps", i, "an id of 1 to 256 bytes");
    for (size_t k = 0; k < i; k++)
        if (strcmp(steps[k].id, step->id) == 0) return wrong(err, "steps", i, "an id that no other has");
    if (!step->command || !*step->command) return wrong(err, "steps", i, "a command");
    if (step->way < SBX_STEP_SYNC || step->way > SBX_STEP_DURABLE)
        return wrong(err, "steps", i, "a way of enum sbx_step_way");
    if (step->way == SBX_STEP_STREAMED && !step->output) return wrong(err, "steps", i, "an output to stream to");
    if (step->way == SBX_STEP_SYNC && step->output) return wrong(err, "steps", i, "no output unless it is streamed");
    if (step->lifetime_ms < 0 || step->limit_ms < 0 || step->output_bytes_max < 0)
        return wrong(err, "steps", i, "times and bytes of 0 or more");
    return is_choice(step->may_fail) ? SBX_OK : wrong(err, "steps", i, "SBX_YES or SBX_NO in may_fail");
}

static enum sbx_status members_check(const struct work *work, struct sbx_error *err) {
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < work->is.file_count && !st; i++) {
        const struct sbx_workload_file *file = &work->files[i];
        if (!file->path || !*file->path) st = wrong(err, "files", i, "a path");
        if (!st && (!file->from || !file->from->read)) st = wrong(err, "files", i, "a reader");
        if (!st && file->sha256 && !sbx_is_hex(file->sha256, SBX_SHA256_HEX - 1))
            st = wrong(err, "files", i, "64 lower-case hex digits in sha256");
    }
    for (size_t i = 0; i < work->is.step_count && !st; i++) st = step_check(work->steps, i, err);
    for (size_t i = 0; i < work->is.collect_count && !st; i++) {
        const struct sbx_workload_collect *collect = &work->collects[i];
        if (!collect->path || !*collect->path) st = wrong(err, "collects", i, "a path");
        if (!st && (!collect->to || !collect->to->write)) st = wrong(err, "collects", i, "a sink");
        if (!st && !is_choice(collect->may_be_missing)) st = wrong(err, "collects", i, "SBX_YES or SBX_NO");
    }
    return st;
}

enum sbx_status sbx_work_take(const struct sbx_workload *from, struct work *work, struct sbx_error *err) {
    void *files = NULL, *steps = NULL, *collects = NULL;
    memset(work, 0, sizeof(*work));
    work->is.size = sizeof(work->is);
    if (!from || sbx_options_take(&work->is, sizeof(work->is), from, sizeof(work->is)))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "work: expected one with its size");
    enum sbx_status st = array_take(work->is.files, work->is.file_count, sizeof(*work->files), &files, "files", err);
    if (!st) st = array_take(work->is.steps, work->is.step_count, sizeof(*work->steps), &steps, "steps", err);
    if (!st)
        st = array_take(work->is.collects, work->is.collect_count, sizeof(*work->collects), &collects, "collects", err);
    work->files = files;
    work->steps = steps;
    work->collects = collects;
    return st ? st : members_check(work, err);
}

void sbx_work_drop(struct work *work) {
    free(work->files);
    free(work->steps);
    free(work->collects);
    memset(work, 0, sizeof(*work));
}

uint64_t sbx_work_caps(const struct work *work) {
    uint64_t caps = 0;
    if (work->is.file_count) caps |= SBX_CAP_FILE_TRANSFER | SBX_CAP_EXEC; /* what arrived is compared */
    if (work->is.collect_count) caps |= SBX_CAP_FILE_TRANSFER;
    for (size_t i = 0; i < work->is.step_count; i++) {
        const int32_t way = work->steps[i].way;
        caps |= way == SBX_STEP_DURABLE ? SBX_CAP_ASYNC_EXEC : SBX_CAP_EXEC;
        if (way == SBX_STEP_STREAMED) caps |= SBX_CAP_STREAMING_OUTPUT;
    }
    return caps;
}

enum sbx_status sbx_work_check_caps(uint64_t declared, uint64_t needed, struct sbx_error *err) {
    const uint64_t missing = needed & ~declared; /* guard: workload_undeclared */
    if (!missing) return SBX_OK;
    return sbx_fail(err, SBX_UNSUPPORTED, SBX_OUTCOME_NOT_SENT, "the runtime does not declare %s",
                    sbx_capability_name(missing & (~missing + 1)));
}
