/* Durable runs: submit, poll, read, end. Row D10. */
#include "src/port/port.h"

#include <stdlib.h>

#define READ_MS 30000

/* A call on one run: what every one of them begins and ends with. */
struct run_entry {
    struct port_entry entry;
    struct sbx_identity who;
    char *home;
};

static enum sbx_status run_enter(struct run_entry *in, struct sbx_sandbox *sb, const char *operation,
                                 const char *run_id, const struct sbx_call *call, struct sbx_error *err) {
    in->home = NULL;
    enum sbx_status st =
        sbx_port_sandbox_enter(&in->entry, sb, operation, SBX_CAP_ASYNC_EXEC, call, READ_MS, err, &in->who);
    return st ? st : sbx_port_check_run_id(run_id, &in->entry.err);
}

static enum sbx_status run_home(struct run_entry *in, struct sbx_sandbox *sb) {
    enum sbx_status st = sbx_port_home_dir(&in->entry, sb, &in->who, &in->home);
    return st ? sbx_fail(&in->entry.err, st, SBX_OUTCOME_NOT_SENT, NULL) : SBX_OK; /* nothing about the run was sent */
}

static enum sbx_status run_leave(struct run_entry *in, enum sbx_status st) {
    free(in->home);
    return sbx_port_leave(&in->entry, st);
}

static enum sbx_status status_size(struct run_entry *in, const struct sbx_run_status *status) {
    return status && status->size < offsetof(struct sbx_run_status, extended)
               ? sbx_port_size_wrong(&in->entry, "status")
               : SBX_OK;
}

enum sbx_status sbx_sandbox_submit(struct sbx_sandbox *sb, const char *run_id, const char *command,
                                   const struct sbx_run_options *from, const struct sbx_call *call,
                                   struct sbx_run_status *callers, struct sbx_error *err) {
    struct run_entry in;
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    enum sbx_status st = run_enter(&in, sb, "submit", run_id, call, err);
    if (!st && sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) st = sbx_port_size_wrong(&in.entry, "opt");
    if (!st) st = status_size(&in, callers);
    if (!st) st = sbx_port_check_submit(command, &opt, &in.entry.err);
    if (!st) st = run_home(&in, sb);
    if (!st) {
        st = sb->rt->ops.submit(sb->rt->self, &in.who, in.home, run_id, command, &opt, &in.entry.call, &status,
                                &in.entry.err);
    }
    if (!st) sbx_port_give(callers, &status, sizeof(status));
    return run_leave(&in, st);
}

static enum sbx_status read_in(struct run_entry *in, struct sbx_sandbox *sb, const char *run_id,
                               const struct sbx_log_options *opt, struct sbx_log **out) {
    struct sbx_log *log = sbx_port_log_new();
    if (!log) return sbx_fail(&in->entry.err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = run_home(in, sb);
    if (!st)
        st = sb->rt->ops.read_logs(sb->rt->self, &in->who, in->home, run_id, opt, &in->entry.call, log, &in->entry.err);
    if (st)
        sbx_log_free(log);
    else
        *out = log;
    return st;
}

enum sbx_status sbx_sandbox_read_logs(struct sbx_sandbox *sb, const char *run_id, const struct sbx_log_options *from,
                                      const struct sbx_call *call, struct sbx_log **out, struct sbx_error *err) {
    struct run_entry in;
    struct sbx_log_options opt = SBX_LOG_OPTIONS_INIT;
    enum sbx_status st = run_enter(&in, sb, "read_logs", run_id, call, err);
    if (!st && sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) st = sbx_port_size_wrong(&in.entry, "opt");
    if (!st && !out) st = sbx_port_missing(&in.entry, "out");
    if (!st) st = sbx_port_check_log(&opt, &in.entry.err);
    if (opt.bytes_max == 0) opt.bytes_max = SBX_LOG_BYTES_DEFAULT;
    if (!st) st = read_in(&in, sb, run_id, &opt, out);
    return run_leave(&in, st);
}

enum sbx_status sbx_sandbox_poll(struct sbx_sandbox *sb, const char *run_id, const struct sbx_call *call,
                                 struct sbx_run_status *status, struct sbx_error *err) {
    struct run_entry in;
    struct sbx_log *log = NULL;
    const struct sbx_log_options nothing = {
        .size = sizeof(nothing), .stdout_from = SBX_LOG_NONE, .stderr_from = SBX_LOG_NONE, .bytes_max = 1};
    enum sbx_status st = run_enter(&in, sb, "poll", run_id, call, err);
    if (!st && !status) st = sbx_port_missing(&in.entry, "status");
    if (!st) st = status_size(&in, status);
    if (!st) st = read_in(&in, sb, run_id, &nothing, &log);
    if (!st) sbx_log_status(log, status);
    sbx_log_free(log);
    return run_leave(&in, st);
}

enum sbx_status sbx_sandbox_kill_run(struct sbx_sandbox *sb, const char *run_id, const struct sbx_call *call,
                                     struct sbx_run_status *callers, struct sbx_error *err) {
    struct run_entry in;
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    enum sbx_status st = run_enter(&in, sb, "kill_run", run_id, call, err);
    if (!st) st = status_size(&in, callers);
    if (!st) st = run_home(&in, sb);
    if (!st) st = sb->rt->ops.kill_run(sb->rt->self, &in.who, in.home, run_id, &in.entry.call, &status, &in.entry.err);
    if (!st) sbx_port_give(callers, &status, sizeof(status));
    return run_leave(&in, st);
}
