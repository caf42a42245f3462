/* What is run in a session: exec and its answers, the record of a command, input for it. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct exec {
    const char *command;
    int is_async, quiet;
};

static int exec_is_blank(const char *text) {
    return text[strspn(text, " \t\r\n")] == 0;
}

/* @return 0 when it has been answered */
static int exec_read(struct sim_day_call *call, struct exec *e) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_day_toolbox_body(call, &js);
    if (!root) return 0;
    e->command = sbx_json_opt_string(js, root, "command", "");
    e->is_async = sbx_json_opt_bool(js, root, "runAsync", 0) | sbx_json_opt_bool(js, root, "async", 0);
    e->quiet = sbx_json_opt_bool(js, root, "suppressInputEcho", 0);
    if (!sbx_json_status(js) && !exec_is_blank(e->command) && strcmp(call->arg[1], "entrypoint") != 0) return 1;
    sim_day_file_refuse(call, 400, sbx_json_status(js) ? "INVALID_REQUEST_BODY" : NULL,
                        exec_is_blank(e->command) ? "command cannot be empty" : "cannot execute in this session");
    return 0;
}

static void exec_failed(struct sim_day_call *call, sim_errno failed) {
    char text[96];
    if (failed == EPIPE) {
        sim_day_exec_refuse(call, 410, "SESSION_ENDED", "", "failed to write command: write |1: broken pipe");
        return;
    }
    snprintf(text, sizeof(text), "failed to write command: %s", sim_day_file_error(failed).message);
    sim_day_exec_refuse(call, 500, NULL, "", text);
}

static void exec_reply_async(struct sim_day_call *call, const struct sim_day_command *cmd) {
    static const char *const absent[] = {"output", "stdout", "stderr", "exitCode"};
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "cmdId", cmd->id);
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) sbx_json_put_null(&json, absent[i]);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 202, &json);
}

static void exec_reply(struct sim_day_call *call, struct sim_day_command *cmd) {
    const enum sim_day_log_shape shape = sim_day_tb_log_shape(call);
    struct sbx_buf json = SBX_BUF_INIT, log = SBX_BUF_INIT;
    if (sim_day_log_read(cmd, &log)) sbx_buf_clear(&log); /* the user has removed it */
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "cmdId", cmd->id);
    sim_day_tb_put_log(&json, "output", shape == DAY_LOG_PLAIN ? 0 : -1, &log);
    for (int stream = 1; stream <= 2; stream++) {
        const char *key = stream == 1 ? "stdout" : "stderr";
        if (shape == DAY_LOG_STREAMS)
            sim_day_tb_put_log(&json, key, stream, &log);
        else
            sbx_json_put_null(&json, key);
    }
    sbx_json_put_int(&json, "exitCode", cmd->code);
    sbx_json_end_object(&json);
    if (log.failed) json.failed = 1;
    sbx_buf_finish(&log);
    cmd->noticed = 1;
    sim_http_reply_json(call->x, 200, &json);
}

/* There is no limit: a command without an exit code keeps its client waiting until the session goes. */
static void exec_await(struct sim_day_call *call, struct sim_day_command *cmd) {
    struct sim_day_watch watch;
    struct sim_waitq queue = {0};
    sim_day_command_watch(cmd, &watch, &queue);
    while (!cmd->recorded && !cmd->session->gone)
        if (sim_wait(sim_world(call->day->sim), &queue, SIM_NEVER) == SIM_ENDING) break;
    sim_day_command_unwatch(cmd, &watch);
    if (sim_ending(sim_world(call->day->sim)) || sim_day_toolbox_lost(call)) return;
    if (cmd->recorded && !cmd->session->gone)
        exec_reply(call, cmd);
    else
        sim_day_exec_refuse(call, 410, "SESSION_ENDED", "", "session cancelled");
}

/* Seen twice, it runs twice: the answer is of the second. */
static void exec_run(struct sim_day_call *call, struct sim_day_session *session, const struct exec *e) {
    struct sim_day_command *cmd = NULL;
    sim_errno failed = 0;
    for (int times = sim_day_toolbox_times(call); times > 0 && !failed; times--) {
        failed = sim_day_command_submit(session, e->command, e->is_async, !e->quiet, &cmd);
        if (!failed) cmd->loses_code = call->twist.exit_code_lost;
    }
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    assert(failed || cmd); /* it ran once at least */
    if (failed)
        exec_failed(call, failed);
    else if (e->is_async)
        exec_reply_async(call, cmd);
    else
        exec_await(call, cmd);
}

void sim_day_tb_session_exec(struct sim_day_call *call) {
    struct exec e = {0};
    if (!exec_read(call, &e) || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    struct sim_day_session *session = sim_day_session_find(call->sb, call->arg[1]);
    if (!session) {
        sim_day_exec_refuse(call, 404, NULL, "not found: ", "session not found");
        return;
    }
    sim_day_session_hold(session);
    exec_run(call, session, &e);
    sim_day_session_release(session);
}

void sim_day_tb_session_command(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_toolbox_fault_read(call)) return;
    const struct sim_day_session *session = sim_day_tb_session(call);
    struct sim_day_command *cmd = session ? sim_day_tb_command(call, session) : NULL;
    if (!cmd) return;
    sim_day_tb_command_write(cmd, &json);
    sim_http_reply_json(call->x, 200, &json);
}

/* A command that is over and has been seen to be so takes nothing; one that is over unseen has no pipe any more. */
static int input_refused(struct sim_day_call *call, const struct sim_day_command *cmd) {
    char text[64];
    if (cmd->noticed) {
        snprintf(text, sizeof(text), "command has already completed with exit code %d", cmd->code);
        sim_day_daemon_refuse(call, 410, "COMMAND_ALREADY_COMPLETED", text);
    } else if (sim_day_session_ended(cmd->session)) {
        sim_day_daemon_refuse(call, 410, "SESSION_ENDED", "session process has exited");
    } else {
        return 0;
    }
    return 1;
}

static void input_give(struct sim_day_call *call, struct sim_day_command *cmd, const char *data) {
    sim_errno failed = 0;
    for (int times = sim_day_toolbox_times(call); times > 0 && !failed; times--)
        failed = sim_day_command_input(cmd, data, strlen(data));
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) return;
    if (failed)
        sim_day_daemon_refuse(call, 500, NULL,
                              failed == EAGAIN
                                  ? "failed to send input: resource temporarily unavailable"
                                  : "failed to send input: failed to open input pipe: no such file or directory");
    else
        sim_day_reply_empty(call, 204);
}

void sim_day_tb_session_input(struct sim_day_call *call) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_day_toolbox_body(call, &js);
    const char *data = root ? sbx_json_opt_string(js, root, "data", NULL) : NULL;
    if (!root) return;
    if (!data || sbx_json_status(js)) {
        sim_day_daemon_refuse(call, 400, "INVALID_REQUEST_BODY", "data is required");
        return;
    }
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call)) return;
    struct sim_day_session *session = sim_day_tb_session(call);
    struct sim_day_command *cmd = session ? sim_day_tb_command(call, session) : NULL;
    if (!cmd || input_refused(call, cmd)) return;
    sim_day_session_hold(session);
    input_give(call, cmd, data);
    sim_day_session_release(session);
}
