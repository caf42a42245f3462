/* A place in a run's output, for readers that pull; and waiting for a run's end. Row D10, P7. */
#include "src/port/port.h"

#include <stdlib.h>
#include <string.h>

#define READ_MS     30000
#define WAIT_MS     50
#define WAIT_MS_MAX 1000

struct sbx_run {
    struct sbx_sandbox *sb;
    int64_t at[2]; /* stdout, stderr */
    char id[];
};

/* One wait: each look is a call of its own under the same deadline. */
struct wait {
    struct port_entry entry;
    struct sbx_backoff backoff;
};

static enum sbx_status wait_begin(struct wait *w, struct sbx_run *run, const char *operation,
                                  const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_identity who;
    sbx_backoff_init(&w->backoff, WAIT_MS, WAIT_MS_MAX);
    return sbx_port_sandbox_enter(&w->entry, run ? run->sb : NULL, operation, SBX_CAP_ASYNC_EXEC, call, READ_MS, err,
                                  &who);
}

static enum sbx_status wait_pause(struct wait *w) {
    const struct sbx_call *call = &w->entry.call;
    enum sbx_status st =
        sbx_backoff_sleep(&w->backoff, w->entry.rt->env, call->deadline_ms, sbx_cancel_event(call->cancel));
    return st ? sbx_fail(&w->entry.err, st, SBX_OUTCOME_NONE, NULL) : SBX_OK;
}

/* What a look failed with is what the wait fails with, under the wait's own name; an end that comes as a look begins is
 * the wait's, as one that comes between two is. */
static enum sbx_status wait_looked(struct port_entry *entry, enum sbx_status st, struct sbx_error *look) {
    if (!st) return SBX_OK;
    int over = st == SBX_CANCELLED || st == SBX_DEADLINE;
    if (over && look->outcome == SBX_OUTCOME_NOT_SENT) look->outcome = SBX_OUTCOME_NONE;
    memcpy(look->operation, entry->err.operation, sizeof(look->operation));
    entry->err = *look;
    return st;
}

enum sbx_status sbx_run_open(struct sbx_sandbox *sb, const char *run_id, struct sbx_run **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_identity who;
    enum sbx_status st = sbx_port_sandbox_enter(&entry, sb, "run_open", SBX_CAP_ASYNC_EXEC, NULL, READ_MS, err, &who);
    if (!st && !out) st = sbx_port_missing(&entry, "out");
    if (!st) st = sbx_port_check_run_id(run_id, &entry.err);
    if (!st) {
        size_t size = strlen(run_id) + 1;
        struct sbx_run *run = calloc(1, sizeof(*run) + size);
        if (run) {
            run->sb = sb;
            memcpy(run->id, run_id, size);
            *out = run;
        } else {
            st = sbx_fail(&entry.err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
        }
    }
    return sbx_port_leave(&entry, st);
}

void sbx_run_free(struct sbx_run *run) {
    free(run);
}

static int has_ended(const struct sbx_run_status *status) {
    return status->state != SBX_RUN_RUNNING && status->state != SBX_RUN_UNDECIDED;
}

/* One look. @return 1 when `*len` is the answer */
static int read_once(struct sbx_run *run, int32_t stream, void *buf, size_t cap, struct port_entry *entry, size_t *len,
                     enum sbx_status *st) {
    struct sbx_log *log = NULL;
    struct sbx_error look = SBX_ERROR_INIT;
    struct sbx_log_options opt = {
        .size = sizeof(opt), .stdout_from = SBX_LOG_NONE, .stderr_from = SBX_LOG_NONE, .bytes_max = SBX_LOG_BYTES_MAX};
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    int64_t *at = &run->at[stream == SBX_STDERR];
    *(stream == SBX_STDERR ? &opt.stderr_from : &opt.stdout_from) = *at;
    if (cap < SBX_LOG_BYTES_MAX) opt.bytes_max = (int64_t)cap;
    *st = sbx_sandbox_read_logs(run->sb, run->id, &opt, &entry->call, &log, &look);
    if (wait_looked(entry, *st, &look)) return 1;
    const char *bytes = sbx_log_bytes(log, stream, len);
    memcpy(buf, bytes, *len);
    *at += (int64_t)*len;
    sbx_log_status(log, &status);
    sbx_log_free(log);
    return *len > 0 || has_ended(&status);
}

enum sbx_status sbx_run_read(struct sbx_run *run, int32_t stream, void *buf, size_t cap, const struct sbx_call *call,
                             size_t *len, struct sbx_error *err) {
    struct wait w;
    enum sbx_status st = wait_begin(&w, run, "run_read", call, err);
    size_t got = 0;
    if (!st && (!buf || cap == 0)) st = sbx_port_missing(&w.entry, "buf");
    if (!st && !len) st = sbx_port_missing(&w.entry, "len");
    if (!st && stream != SBX_STDOUT && stream != SBX_STDERR)
        st = sbx_fail(&w.entry.err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "stream: expected one of enum sbx_stream");
    while (!st && !read_once(run, stream, buf, cap, &w.entry, &got, &st)) st = wait_pause(&w);
    if (!st) *len = got;
    return sbx_port_leave(&w.entry, st);
}

enum sbx_status sbx_run_wait(struct sbx_run *run, const struct sbx_call *call, struct sbx_run_status *status,
                             struct sbx_error *err) {
    struct wait w;
    struct sbx_run_status seen = SBX_RUN_STATUS_INIT;
    enum sbx_status st = wait_begin(&w, run, "run_wait", call, err);
    if (!st && !status) st = sbx_port_missing(&w.entry, "status");
    if (!st && status->size < offsetof(struct sbx_run_status, extended)) st = sbx_port_size_wrong(&w.entry, "status");
    while (!st) {
        struct sbx_error look = SBX_ERROR_INIT;
        st = wait_looked(&w.entry, sbx_sandbox_poll(run->sb, run->id, &w.entry.call, &seen, &look), &look);
        if (st || has_ended(&seen)) break;
        st = wait_pause(&w);
    }
    if (!st) sbx_port_give(status, &seen, sizeof(seen));
    return sbx_port_leave(&w.entry, st);
}
