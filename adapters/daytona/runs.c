/* Durable runs: files in the sandbox, reached by the toolbox's one-shot execute. Daytona's own records of commands are
 * not used: they can stay without an exit code, or be gone after a restart. Row D10. */
#include "adapters/daytona/inside.h"

enum sbx_status daytona_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                               const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                               struct sbx_run_status *status, struct sbx_error *err) {
    struct daytona_inside in;
    enum sbx_status st = daytona_inside_begin(&in, self, who, call, err);
    if (st) return st;
    st = sbx_durable_submit(&in.work, home, run_id, command, opt, call, status, err);
    return st ? daytona_inside_end(&in, st, call, err) : SBX_OK;
}

enum sbx_status daytona_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                  const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                                  struct sbx_error *err) {
    struct daytona_inside in;
    enum sbx_status st = daytona_inside_begin(&in, self, who, call, err);
    if (st) return st;
    st = sbx_durable_read(&in.work, home, run_id, opt, call, into, err);
    return st ? daytona_inside_end(&in, st, call, err) : SBX_OK;
}

enum sbx_status daytona_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                                 const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err) {
    struct daytona_inside in;
    enum sbx_status st = daytona_inside_begin(&in, self, who, call, err);
    if (st) return st;
    st = sbx_durable_kill(&in.work, home, run_id, call, status, err);
    return st ? daytona_inside_end(&in, st, call, err) : SBX_OK;
}
