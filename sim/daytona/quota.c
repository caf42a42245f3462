/* Quotas of an account, and its suspension. */
#include "sim/daytona/errors.h"
#include "sim/daytona/verbs.h"

int sim_day_quota_each_refused(struct sim_day_call *call, const char *what, const char *unit, int64_t asked,
                               int64_t most) {
    if (most == 0 || asked <= most) return 0;
    sim_day_refuse(
        call, 400, NULL,
        "%s request %lld%s exceeds maximum allowed per sandbox (%lld%s).\nAsk for a higher limit or request less.",
        what, (long long)asked, unit, (long long)most, unit);
    return 1;
}

static int quota_total(struct sim_day_call *call, const char *what, const char *unit, int64_t sum, int64_t most) {
    if (most == 0 || sum <= most) return 0;
    sim_day_refuse(call, 400, "ORGANIZATION_QUOTA_EXCEEDED",
                   "Total %s limit exceeded. Maximum allowed: %lld%s.\nA higher tier has higher limits.", what,
                   (long long)most, unit);
    return 1;
}

int sim_day_quota_refused(struct sim_day_call *call, const struct sim_day_usage *more) {
    const struct sim_day_quota *quota = &call->account->quota;
    if (!quota->cpu && !quota->memory_gib && !quota->disk_gib && !quota->sandboxes) return 0;
    const struct sim_day_usage used = sim_day_account_usage(call->day, call->account);
    return quota_total(call, "CPU", "", used.cpu + more->cpu, more->cpu ? quota->cpu : 0) ||
           quota_total(call, "memory", "GiB", used.memory_gib + more->memory_gib,
                       more->memory_gib ? quota->memory_gib : 0) ||
           quota_total(call, "disk", "GiB", used.disk_gib + more->disk_gib, more->disk_gib ? quota->disk_gib : 0) ||
           quota_total(call, "sandbox", "", used.sandboxes + more->sandboxes, more->sandboxes ? quota->sandboxes : 0);
}

int sim_day_suspended(struct sim_day_call *call) {
    const char *reason = call->account->suspended;
    if (!reason) return 0;
    sim_day_refuse(call, 403, "ORGANIZATION_SUSPENDED",
                   *reason ? "Organization is suspended: %s" : "Organization is suspended%s", reason);
    return 1;
}
