/* The way to the toolbox: proxy, runner, daemon, and who answers when one of them is missing, in both dialects. */
#include "sim/daytona/toolbox.h"
#include "sim/daytona/errors.h"
#include "sim/daytona/verbs.h"

#include <stdio.h>
#include <string.h>

#define TOOLBOX_REPLAY_MAX (256 * 1024)

int sim_day_sandbox_toolbox_dead(const struct sim_day_sandbox *sb) {
    return sim_day_now(sb->day) < sb->dead_until_ns;
}

int sim_day_sandbox_toolbox_gone(const struct sim_day_sandbox *sb) {
    return sb->gone || !sim_day_state_running(sb->stored) || !sb->machine || sim_day_sandbox_toolbox_dead(sb);
}

/* The older dialect's hop answers a bare status where no daemon listens; the newer one cannot tell dead from stopped.
 */
static void toolbox_dead(struct sim_day_call *call) {
    if (call->sb->dead_coded)
        sim_day_proxy_refuse(call, 1, 400, "SANDBOX_NOT_STARTED",
                             "sandbox daemon is not reachable \xe2\x80\x94 the sandbox may not be running: "
                             "dial tcp 172.20.0.2:2280: connect: connection refused");
    else
        sim_day_reply_empty(call, 502);
}

static void toolbox_stopped(struct sim_day_call *call) {
    sim_day_proxy_refuse(
        call, call->day->config.dialect == DAY_CODED, 400, "SANDBOX_NOT_STARTED",
        "failed to resolve container IP after 3 attempts: no IP address found. Is the Sandbox started?");
}

static void toolbox_no_runner(struct sim_day_call *call) {
    char message[160];
    if (call->day->config.dialect == DAY_CODED) {
        sim_day_proxy_refuse(call, 1, 400, "SANDBOX_NOT_STARTED",
                             "sandbox is not running \xe2\x80\x94 start the sandbox before accessing it");
        return;
    }
    snprintf(message, sizeof(message), "failed to get runner info: Sandbox with ID %s does not have a runner",
             call->sb->id);
    sim_day_proxy_refuse(call, 0, 400, NULL, message);
}

static void toolbox_unknown(struct sim_day_call *call) {
    char message[256];
    if (call->day->config.dialect == DAY_CODED) {
        sim_day_proxy_refuse(call, 1, 404, "SANDBOX_NOT_FOUND", "sandbox not found");
        return;
    }
    snprintf(message, sizeof(message),
             "sandbox container not found: Error response from daemon: No such container: %.64s", call->arg[0]);
    sim_day_proxy_refuse(call, 0, 404, NULL, message);
}

int sim_day_toolbox_lost(struct sim_day_call *call) {
    const struct sim_day_sandbox *sb = call->sb;
    if (!sb || sb->gone)
        toolbox_unknown(call);
    else if (sb->stored == DAY_ARCHIVED || sb->stored == DAY_UNKNOWN || sb->stored == DAY_PENDING_BUILD)
        toolbox_no_runner(call);
    else if (!sim_day_state_running(sb->stored) || !sb->machine)
        toolbox_stopped(call);
    else if (sim_day_sandbox_toolbox_dead(sb))
        toolbox_dead(call);
    else
        return 0;
    return 1;
}

int sim_day_toolbox_fault_read(struct sim_day_call *call) {
    return sim_day_fault_read(call) || sim_day_toolbox_lost(call);
}

void sim_day_toolbox_serve(struct sim_day_call *call) {
    const char *skip = sim_http_header(call->x, "X-Daytona-Skip-Last-Activity-Update");
    if (sim_day_toolbox_lost(call)) return;
    if (!skip || strcmp(skip, "true") != 0) sim_day_sandbox_touch(call->sb);
    sim_day_sessions_check(call->sb);
    call->route->serve(call);
}

int sim_day_toolbox_times(struct sim_day_call *call) {
    const int64_t length = sim_http_length(call->x);
    if (!call->twist.replay || length < 0 || length > TOOLBOX_REPLAY_MAX) return 1;
    sim_http_note(call->x, "a hop replayed this request: the daemon sees it twice");
    return 2;
}

const struct sbx_json_node *sim_day_toolbox_body(struct sim_day_call *call, struct sbx_json **js) {
    const struct sbx_json_node *root = NULL;
    const enum sbx_status st = sim_http_json(call->x, DAY_BODY_MAX, js);
    if (st == SBX_CONNECTION_LOST) {
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
        return NULL;
    }
    if (!st) root = sbx_json_root(*js);
    if (root && sbx_json_type(root) == SBX_JSON_OBJECT) return root;
    sim_day_daemon_refuse(call, 400, "INVALID_REQUEST_BODY", st == SBX_TOO_LARGE ? "body too large" : "invalid JSON");
    return NULL;
}
