/* The daemon's sessions: made, listed, shown, deleted; and the one that runs the image's entrypoint. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"

#include <errno.h>
#include <string.h>

#define SESSION_ID_BYTES 255
#define ENTRYPOINT       "entrypoint"

struct sim_day_session *sim_day_tb_session(struct sim_day_call *call) {
    struct sim_day_session *session = sim_day_session_find(call->sb, call->arg[1]);
    if (!session) sim_day_daemon_refuse(call, 404, NULL, "session not found");
    return session;
}

struct sim_day_command *sim_day_tb_command(struct sim_day_call *call, const struct sim_day_session *session) {
    struct sim_day_command *cmd = sim_day_command_find(session, call->arg[2]);
    if (!cmd) sim_day_daemon_refuse(call, 404, NULL, "command not found");
    return cmd;
}

/* An id is a segment of paths, so none that cannot be one. @return why it is none, NULL if it is */
static const char *session_id_refusal(const char *id) {
    if (!*id) return "session ID is required";
    if (strcmp(id, ENTRYPOINT) == 0) return "session ID 'entrypoint' is reserved";
    if (strchr(id, '/') || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
        return "session ID must be a single path segment";
    return strlen(id) > SESSION_ID_BYTES ? "session ID is too long" : NULL;
}

/* What the daemon says when it cannot start a shell or write its files. */
static void session_broken(struct sim_day_call *call, sim_errno failed) {
    sim_day_daemon_refuse(call, 500, NULL,
                          failed == ENOSPC   ? "failed to create session: no space left on device"
                          : failed == EAGAIN ? "failed to create session: resource temporarily unavailable"
                                             : "failed to create session: input/output error");
}

/* Seen twice, the second finds that the session exists. */
static void session_make(struct sim_day_call *call, const char *id) {
    struct sim_day_session *session = NULL;
    sim_errno failed = 0;
    int exists = 0;
    for (int times = sim_day_toolbox_times(call); times > 0 && !failed; times--) {
        exists = sim_day_session_find(call->sb, id) != NULL;
        if (!exists) failed = sim_day_session_open(call->sb, id, &session);
    }
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    if (failed)
        session_broken(call, failed);
    else if (exists)
        sim_day_daemon_refuse(call, 409, NULL, "session already exists");
    else
        sim_day_reply_empty(call, 201);
}

void sim_day_tb_session_create(struct sim_day_call *call) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_day_toolbox_body(call, &js);
    const char *id = root ? sbx_json_opt_string(js, root, "sessionId", "") : NULL;
    if (!root) return;
    if (sbx_json_status(js)) {
        sim_day_daemon_refuse(call, 400, "INVALID_REQUEST_BODY", "cannot unmarshal the request");
        return;
    }
    const char *refusal = session_id_refusal(id);
    if (refusal) {
        sim_day_daemon_refuse(call, 400, NULL, refusal);
        return;
    }
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    session_make(call, id);
}

void sim_day_tb_command_write(struct sim_day_command *cmd, struct sbx_buf *json) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "id", cmd->id);
    sbx_json_put_string(json, "command", cmd->text);
    if (cmd->recorded) sbx_json_put_int(json, "exitCode", cmd->code);
    sbx_json_end_object(json);
    cmd->noticed = cmd->recorded;
}

static void session_write(const struct sim_day_session *session, struct sbx_buf *json) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "sessionId", session->id);
    sbx_json_begin_array(json, "commands");
    for (struct sim_day_command *cmd = session->commands; cmd; cmd = cmd->next) sim_day_tb_command_write(cmd, json);
    sbx_json_end_array(json);
    sbx_json_end_object(json);
}

void sim_day_tb_session_list(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_toolbox_fault_read(call)) return;
    sbx_json_begin_array(&json, NULL);
    for (const struct sim_day_session *it = call->sb->sessions; it; it = it->next) session_write(it, &json);
    sbx_json_end_array(&json);
    sim_http_reply_json(call->x, 200, &json);
}

void sim_day_tb_session_get(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_toolbox_fault_read(call)) return;
    const struct sim_day_session *session = sim_day_tb_session(call);
    if (!session) return;
    session_write(session, &json);
    sim_http_reply_json(call->x, 200, &json);
}

/* What it has committed to is done whatever the client hears of it. */
void sim_day_tb_session_delete(struct sim_day_call *call) {
    if (strcmp(call->arg[1], ENTRYPOINT) == 0) {
        sim_day_daemon_refuse(call, 400, NULL, "session ID 'entrypoint' is reserved");
        return;
    }
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    struct sim_day_session *session = sim_day_tb_session(call);
    if (!session) return;
    sim_day_session_close(call->sb, session);
    if (sim_ending(sim_world(call->day->sim)) || sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    if (sim_day_toolbox_lost(call)) return;
    sim_day_reply_empty(call, 204);
}

/* It runs as long as the sandbox does, and says nothing. */
void sim_day_tb_session_entrypoint(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_toolbox_fault_read(call)) return;
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "sessionId", ENTRYPOINT);
    sbx_json_begin_array(&json, "commands");
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "id", "entrypoint_command");
    sbx_json_put_string(&json, "command", "sleep infinity");
    sbx_json_end_object(&json);
    sbx_json_end_array(&json);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}
