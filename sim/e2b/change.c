/* Verbs that change a sandbox: kill, connect, resume, pause, its timeout. Row V1. */
#include "sim/e2b/verbs.h"

#include <string.h>

#define CHANGE_CONNECT_S     300
#define CHANGE_RESUME_S      15
#define CHANGE_REFRESH_S     15
#define CHANGE_REFRESH_MAX_S 3600

/* What stands in the way of a change to one that is on its way elsewhere. @return 1 if it has been answered */
static int change_in_transition(struct sim_e2b_call *call) {
    static const struct {
        enum sim_e2b_state state;
        const char *words;
    } ways[] = {{E2B_PAUSING, "is being paused"}, {E2B_KILLING, "is being killed"}, {E2B_RESUMING, "is being resumed"}};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (call->sb->state != ways[i].state) continue;
        sim_e2b_refuse(call, 409, NULL, "Sandbox \"%s\" %s", call->sb->id, ways[i].words);
        return 1;
    }
    return 0;
}

void sim_e2b_serve_kill(struct sim_e2b_call *call) {
    struct sim_e2b_sandbox *sb = call->sb;
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    if (call->twist.no_delete) {
        sim_http_note(call->x, "nothing is deleted: an effect");
    } else if (sb->state == E2B_RESUMING) {
        sim_e2b_refuse(call, 409, NULL, "Sandbox %s is resuming; retry the delete once it is running", sb->id);
        return;
    } else {
        sim_e2b_sandbox_kill(sb, "delete", sim_http_number(call->x));
    }
    if (sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    if (!call->twist.no_delete && !sim_e2b_sandbox_settle(sb)) return;
    sim_e2b_reply_empty(call, 204);
}

/* ---- connect and resume ---- */

/* @return 1 if it has been answered */
static int change_wake(struct sim_e2b_call *call, int64_t timeout_s) {
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return 1;
    if (call->sb->state != E2B_PAUSED || sim_e2b_account_full(call)) {
        if (!sim_http_replied(call->x)) sim_e2b_refuse_missing(call);
        return 1;
    }
    sim_e2b_sandbox_resume(call->sb, timeout_s * SIM_SEC);
    if (sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) return 1;
    return !sim_e2b_sandbox_settle(call->sb);
}

static void change_woken(struct sim_e2b_call *call, int status) {
    struct sim_e2b_sandbox *sb = call->sb;
    if (sb->state != E2B_RUNNING) {
        sim_e2b_refuse(call, 500, NULL, "Error resuming sandbox");
        return;
    }
    if (call->twist.expires) sim_e2b_sandbox_set_end(sb, sim_e2b_now(call->e2b) + call->twist.expire_ns);
    sim_e2b_sandbox_reply(call, status, sb);
}

/* One that runs only gets more time, never less. */
static void change_extend(struct sim_e2b_call *call, int64_t timeout_s) {
    struct sim_e2b_sandbox *sb = call->sb;
    const int64_t max_ns = sim_e2b_sandbox_end_max(sb);
    int64_t end_ns = sim_e2b_now(call->e2b) + timeout_s * SIM_SEC;
    if (end_ns > max_ns) end_ns = max_ns;
    if (end_ns > sb->end_ns) sim_e2b_sandbox_set_end(sb, end_ns);
}

void sim_e2b_serve_connect(struct sim_e2b_call *call) {
    const int second = (call->route->flags & E2B_V2) != 0;
    struct sbx_json *js = NULL;
    int empty = 0;
    const struct sbx_json_node *root = sim_e2b_body(call, !second, &js, &empty);
    if (!root && !empty) return;
    if (root && !second) (void)sbx_json_int(js, root, "timeout");
    const int memory = sbx_json_opt_bool(js, root, "memory", 1);
    const int64_t timeout_s = sim_e2b_lifetime(call, js, root, CHANGE_CONNECT_S, second ? 1 : 0);
    if (timeout_s < 0) return;
    if (!memory) {
        sim_e2b_refuse(call, 400, "sandbox_memory_override_disabled", "memory=false is not enabled");
        return;
    }
    if (call->sb->state == E2B_KILLING) {
        sim_e2b_refuse(call, 409, NULL, "Sandbox \"%s\" is being killed", call->sb->id);
        return;
    }
    if (!sim_e2b_sandbox_settle(call->sb)) return;
    if (call->sb->state == E2B_PAUSED) {
        if (!change_wake(call, timeout_s)) change_woken(call, 201);
        return;
    }
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    if (call->sb->state != E2B_RUNNING) {
        sim_e2b_refuse_missing(call);
        return;
    }
    change_extend(call, timeout_s);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) change_woken(call, 200);
}

void sim_e2b_serve_resume(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_e2b_body(call, 1, &js, NULL);
    if (!root) return;
    const int auto_pause = sbx_json_opt_bool(js, root, "autoPause", call->sb->auto_pause);
    const int64_t timeout_s = sim_e2b_lifetime(call, js, root, CHANGE_RESUME_S, 1);
    if (timeout_s < 0) return;
    if (call->sb->state == E2B_RUNNING) {
        sim_e2b_refuse(call, 409, NULL, "Sandbox %s is already running", call->sb->id);
        return;
    }
    if (call->sb->state == E2B_PAUSING) {
        sim_e2b_refuse(call, 409, NULL, "Sandbox snapshot is currently being created for sandbox '%s'", call->sb->id);
        return;
    }
    if (change_in_transition(call) || change_wake(call, timeout_s)) return;
    call->sb->auto_pause = auto_pause;
    change_woken(call, 201);
}

void sim_e2b_serve_pause(struct sim_e2b_call *call) {
    struct sim_e2b_sandbox *sb = call->sb;
    struct sbx_json *js = NULL;
    int empty = 0;
    const struct sbx_json_node *root = sim_e2b_body(call, 0, &js, &empty);
    if (!root && !empty) return;
    const int memory = sbx_json_opt_bool(js, root, "memory", 1);
    if (root && sim_e2b_body_refused(call, js)) return;
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    if (sb->state == E2B_PAUSED) {
        sim_e2b_refuse(call, 409, NULL, "Error pausing sandbox - sandbox '%s' is already paused", sb->id);
        return;
    }
    if (sb->state != E2B_RUNNING) {
        sim_e2b_refuse(call, 409, NULL, "Sandbox '%s' cannot be paused while in '%s' state", sb->id,
                       sim_e2b_state_name(sb->state));
        return;
    }
    sim_e2b_sandbox_pause(sb, memory, "pause");
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_e2b_reply_empty(call, 204);
}

/* ---- its time ---- */

/* Only one that runs has a time that can be changed. @return 1 if it has been answered */
static int change_has_no_time(struct sim_e2b_call *call) {
    if (change_in_transition(call)) return 1;
    if (call->sb->state == E2B_RUNNING) return 0;
    sim_e2b_refuse_missing(call);
    return 1;
}

void sim_e2b_serve_timeout(struct sim_e2b_call *call) {
    struct sim_e2b_sandbox *sb = call->sb;
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_e2b_body(call, 1, &js, NULL);
    if (!root) return;
    const int64_t timeout_s = sbx_json_int(js, root, "timeout");
    if (timeout_s < 0 || timeout_s > INT32_MAX) sbx_json_complain(js, root, "timeout", "number must be at least 0");
    if (sim_e2b_body_refused(call, js) || change_has_no_time(call)) return;
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    const int64_t now_ns = sim_e2b_now(call->e2b), max_ns = sim_e2b_sandbox_end_max(sb);
    if (max_ns <= now_ns) {
        sim_e2b_refuse(call, 400, NULL, "Max instance length exceeded");
        return;
    }
    const int64_t end_ns = now_ns + timeout_s * SIM_SEC;
    sim_e2b_sandbox_set_end(sb, end_ns < max_ns ? end_ns : max_ns);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_e2b_reply_empty(call, 204);
}

void sim_e2b_serve_refresh(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    int empty = 0;
    const struct sbx_json_node *root = sim_e2b_body(call, 0, &js, &empty);
    if (!root && !empty) return;
    int64_t duration_s = sbx_json_opt_int(js, root, "duration", CHANGE_REFRESH_S);
    if (root && (duration_s < 0 || duration_s > CHANGE_REFRESH_MAX_S))
        sbx_json_complain(js, root, "duration", "number must be at most 3600");
    if (root && sim_e2b_body_refused(call, js)) return;
    if (change_has_no_time(call) || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    if (duration_s < CHANGE_REFRESH_S) duration_s = CHANGE_REFRESH_S;
    change_extend(call, duration_s);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_e2b_reply_empty(call, 204);
}
