/* Start, stop, delete, archive, recover: asked of the transition table, accepted, answered. Pause and fork are for VMs.
 */
#include "sim/daytona/errors.h"
#include "sim/daytona/verbs.h"

#include <sandport/kit/text.h>

int sim_day_fault_read(struct sim_day_call *call) {
    return sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_fault(call, SIM_PHASE_AFTER_COMMIT);
}

/* Another change as an effect has it, whatever the state shows. */
static int lifecycle_conflicts(struct sim_day_call *call) {
    const struct sim_day_sandbox *sb = call->sb;
    if (sim_day_now(call->day) >= sb->conflict_until_ns) return 0;
    sim_day_refuse(call, sb->conflict_status, "SANDBOX_STATE_CHANGE_IN_PROGRESS", "Sandbox state change in progress");
    return 1;
}

/* @return 1 if refused; *no_op says that there is nothing to do */
static int lifecycle_ruled(struct sim_day_call *call, enum sim_day_verb verb, int *no_op) {
    struct sim_day_situation at = {0};
    struct sim_day_verdict verdict = {0};
    *no_op = 0;
    if (call->sb->gone) {
        sim_day_refuse(call, 404, NULL, "Sandbox with ID or name %s not found", call->arg[0]);
        return 1;
    }
    if (lifecycle_conflicts(call)) return 1;
    at = sim_day_sandbox_situation(call->sb);
    verdict = sim_day_states_rule(verb, &at);
    *no_op = verdict.ruling == DAY_NO_OP;
    if (verdict.ruling != DAY_REFUSE) return 0;
    sim_day_refuse(call, verdict.status, verdict.code, "%s", verdict.message);
    return 1;
}

static int lifecycle_start_refused(struct sim_day_call *call) {
    const struct sim_day_sandbox *sb = call->sb;
    const int counted = sim_day_state_holds_disk(sb->stored);
    const struct sim_day_usage more = {sb->cpu, sb->memory, counted ? 0 : sb->disk, 0};
    return sim_day_suspended(call) || sim_day_quota_refused(call, &more);
}

/* Asked twice, since a fault before the commit may let time pass. */
static void lifecycle_serve(struct sim_day_call *call, enum sim_day_verb verb, const char *why) {
    struct sim_day_sandbox *sb = call->sb;
    int no_op = 0;
    if (lifecycle_ruled(call, verb, &no_op)) return;
    if (verb == DAY_START && !no_op && lifecycle_start_refused(call)) return;
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    if (lifecycle_ruled(call, verb, &no_op)) return;
    if (!no_op) sim_day_sandbox_go(sb, verb, why, sim_http_number(call->x));
    sim_day_subject(call, sb);
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    if (verb == DAY_START && sb->stored != DAY_RESTORING)
        sim_day_sandbox_settle(sb, sim_day_now(call->day) + call->day->config.wait_ms * SIM_MS);
    sim_day_sandbox_reply(call, 200, sb);
}

void sim_day_serve_start(struct sim_day_call *call) {
    lifecycle_serve(call, DAY_START, "start");
}

/* `force` chooses SIGKILL, which makes no difference from outside. */
void sim_day_serve_stop(struct sim_day_call *call) {
    lifecycle_serve(call, DAY_STOP, "stop");
}

void sim_day_serve_delete(struct sim_day_call *call) {
    lifecycle_serve(call, DAY_DELETE, "delete");
}

void sim_day_serve_archive(struct sim_day_call *call) {
    lifecycle_serve(call, DAY_ARCHIVE, "archive");
}

void sim_day_serve_recover(struct sim_day_call *call) {
    lifecycle_serve(call, DAY_RECOVER, "recover");
}

static void lifecycle_vm_only(struct sim_day_call *call, const char *message) {
    if (sim_day_fault_read(call)) return;
    sim_day_refuse(call, 422, "SANDBOX_OPERATION_NOT_SUPPORTED", "%s", message);
}

void sim_day_serve_pause(struct sim_day_call *call) {
    lifecycle_vm_only(call, "Pausing is not supported for this sandbox");
}

void sim_day_serve_fork(struct sim_day_call *call) {
    lifecycle_vm_only(call, "Forking is not supported for this sandbox");
}
