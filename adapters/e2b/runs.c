/* Durable runs: files in the sandbox, and the processes that its kernel knows. Rows E4-E7, D10.
 *
 * The daemon's list of processes is not used: it is empty after some resumes although the processes are there (F058),
 * and has no exit codes. */
#include "adapters/e2b/inside.h"
#include "adapters/e2b/life.h"

enum sbx_status e2b_submit(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                           const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                           struct sbx_run_status *status, struct sbx_error *err) {
    struct e2b *e = self;
    struct e2b_inside in;
    struct sbx_run_options own = *opt;
    const struct e2b_need need = {.lifetime_ms = opt->lifetime_ms, .budget_ms = e->run_budget_ms};
    int32_t extended = 0;
    if (!own.lifetime_ms) own.lifetime_ms = e->run_budget_ms;
    enum sbx_status st = e2b_life_arm(e, who, &need, call, &extended, err);
    if (st) return st;
    e2b_inside_begin(&in, e, who);
    st = sbx_durable_submit(&in.work, home, run_id, command, &own, call, status, err);
    if (!st) status->extended = extended;
    return st ? e2b_explain(e, who, st, call, err) : SBX_OK;
}

enum sbx_status e2b_read_logs(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                              const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                              struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    enum sbx_status st = sbx_durable_read(&in.work, home, run_id, opt, call, into, err);
    return st ? e2b_explain(self, who, st, call, err) : SBX_OK;
}

enum sbx_status e2b_kill_run(void *self, const struct sbx_identity *who, const char *home, const char *run_id,
                             const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err) {
    struct e2b_inside in;
    e2b_inside_begin(&in, self, who);
    enum sbx_status st = sbx_durable_kill(&in.work, home, run_id, call, status, err);
    return st ? e2b_explain(self, who, st, call, err) : SBX_OK;
}
