/* Logs of a session's command: a snapshot in the client's shape, or followed over a WebSocket or a plain stream. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"
#include "sim/kit/ws.h"

#include <stdlib.h>
#include <string.h>

#define FOLLOW_QUIET_NS SIM_SEC /* after the exit code was seen */
#define FOLLOW_LOOK_NS  SIM_SEC /* at whether the sandbox still runs, where no command tells */
#define FOLLOW_PIECE    (32 * 1024)

enum sim_day_log_shape sim_day_tb_log_shape(const struct sim_day_call *call) {
    return sim_day_log_shape(sim_http_header(call->x, "X-Daytona-SDK-Version"),
                             sim_http_header(call->x, "X-Daytona-Split-Output"));
}

void sim_day_tb_put_log(struct sbx_buf *json, const char *key, int stream, const struct sbx_buf *log) {
    struct sbx_buf text = SBX_BUF_INIT, utf8 = SBX_BUF_INIT;
    struct sim_day_unmark un = {0};
    if (stream >= 0) {
        sim_day_unmark(&un, stream, sbx_buf_text(log), log->len, &text);
        sim_day_unmark(&un, stream, NULL, 0, &text);
        sbx_utf8_append(&utf8, sbx_buf_text(&text), text.len);
    } else {
        sbx_utf8_append(&utf8, sbx_buf_text(log), log->len);
    }
    sbx_json_put_text(json, key, sbx_buf_text(&utf8), utf8.len);
    if (text.failed || utf8.failed) json->failed = 1;
    sbx_buf_finish(&text);
    sbx_buf_finish(&utf8);
}

/* ---- a snapshot ---- */

static void logs_reply_text(struct sim_day_call *call, int marked, const struct sbx_buf *log) {
    struct sbx_buf text = SBX_BUF_INIT;
    struct sim_day_unmark un = {0};
    if (marked) {
        sbx_buf_append(&text, sbx_buf_text(log), log->len);
    } else {
        sim_day_unmark(&un, 0, sbx_buf_text(log), log->len, &text);
        sim_day_unmark(&un, 0, NULL, 0, &text);
    }
    if (text.failed || log->failed)
        sim_http_abort(call->x, SIM_ABORT_RESET);
    else
        sim_http_reply(call->x, 200, "text/plain; charset=utf-8", sbx_buf_text(&text), text.len);
    sbx_buf_finish(&text);
}

static void logs_reply(struct sim_day_call *call, const struct sbx_buf *log) {
    const enum sim_day_log_shape shape = sim_day_tb_log_shape(call);
    struct sbx_buf json = SBX_BUF_INIT;
    if (shape != DAY_LOG_STREAMS) {
        logs_reply_text(call, shape == DAY_LOG_MARKED, log);
        return;
    }
    sbx_json_begin_object(&json, NULL);
    sim_day_tb_put_log(&json, "output", -1, log);
    sim_day_tb_put_log(&json, "stdout", 1, log);
    sim_day_tb_put_log(&json, "stderr", 2, log);
    sbx_json_end_object(&json);
    if (log->failed) json.failed = 1;
    sim_http_reply_json(call->x, 200, &json);
}

static void logs_snapshot(struct sim_day_call *call, const struct sim_day_command *cmd) {
    struct sbx_buf log = SBX_BUF_INIT;
    const sim_errno failed = cmd && !call->twist.logs_empty ? sim_day_log_read(cmd, &log) : 0;
    if (!sim_day_file_failed(call, failed)) logs_reply(call, &log);
    sbx_buf_finish(&log);
}

/* ---- following ---- */

/** Somebody who follows a log. */
struct follow {
    struct sim_day_call *call;
    struct sim_day_command *cmd; /* NULL: the entrypoint, which says nothing and never ends */
    struct sim_ws *ws;           /* NULL: a plain stream */
    struct sim_file *file;
    int strips; /* markers are taken out */
    struct sim_day_unmark un;
    char *piece;
    struct sbx_buf out;
    int64_t sent, quiet_since_ns;
};

/* What is sent goes out in pieces as large as an effect wants them. @return -1 when the client is gone */
static int follow_send(struct follow *f, const char *data, size_t len) {
    const struct sim_day_twist *twist = &f->call->twist;
    while (len > 0) {
        size_t n = twist->frame_bytes && (size_t)twist->frame_bytes < len ? (size_t)twist->frame_bytes : len;
        if (twist->close_code && (int64_t)n > twist->close_after - f->sent) n = (size_t)(twist->close_after - f->sent);
        if (n == 0) return 0;
        if (f->ws ? sim_ws_send(f->ws, data, n) : sim_http_write(f->call->x, data, n)) return -1;
        f->sent += (int64_t)n;
        data += n;
        len -= n;
    }
    return 0;
}

/* Sends what is new. @return bytes of the log that were, -1 when the client is gone */
static ptrdiff_t follow_more(struct follow *f) {
    const ptrdiff_t got = f->file ? sim_file_read(f->file, f->piece, FOLLOW_PIECE) : 0;
    int gone = 0;
    if (got <= 0) return 0;
    f->quiet_since_ns = sim_day_now(f->call->day);
    if (!f->strips) return follow_send(f, f->piece, (size_t)got) ? -1 : got;
    sbx_buf_clear(&f->out);
    sim_day_unmark(&f->un, 0, f->piece, (size_t)got, &f->out);
    gone = f->out.failed || follow_send(f, sbx_buf_text(&f->out), f->out.len);
    return gone ? -1 : got;
}

/* When the end is due; SIM_NEVER while the command has no exit code. */
static int64_t follow_end_ns(const struct follow *f) {
    if (!f->cmd || !f->cmd->recorded) return SIM_NEVER;
    const int64_t since = f->cmd->recorded_ns > f->quiet_since_ns ? f->cmd->recorded_ns : f->quiet_since_ns;
    return since + FOLLOW_QUIET_NS;
}

static int follow_closes(const struct follow *f) {
    const struct sim_day_twist *twist = &f->call->twist;
    return twist->close_code && f->sent >= twist->close_after;
}

/* @return how it ended: a close code, or 0 when the connection just ends */
static int follow_run(struct follow *f) {
    struct sim_world *world = sim_world(f->call->day->sim);
    for (;;) {
        const ptrdiff_t more = follow_more(f);
        if (more < 0 || sim_ending(world)) return 0;
        if (follow_closes(f)) return f->call->twist.close_code;
        if (f->ws && sim_ws_heed(f->ws)) return 1000;
        if (!f->ws && sim_http_read_now(f->call->x, NULL, 0) < 0) return 0;
        if (more > 0) continue;
        if (sim_day_sandbox_toolbox_gone(f->call->sb)) return 0;
        if (f->cmd && f->cmd->session->gone) return 1011;
        if (sim_day_now(f->call->day) >= follow_end_ns(f)) return 1000;
        (void)sim_wait(world, sim_http_input(f->call->x), f->cmd ? follow_end_ns(f) : sim_now(world) + FOLLOW_LOOK_NS);
    }
}

/* ---- the conversation ---- */

static void follow_finish(struct follow *f, int code) {
    if (code && f->ws)
        sim_ws_close(f->ws, (uint16_t)code, code == 1011 ? "internal error" : "");
    else if (code == 1000)
        (void)sim_http_end(f->call->x);
    else
        sim_http_abort(f->call->x, SIM_ABORT_CLOSE);
}

static void follow_go(struct follow *f) {
    struct sim_day_watch watch;
    if (f->cmd) sim_day_command_watch(f->cmd, &watch, sim_http_input(f->call->x));
    const int code = follow_run(f);
    if (f->cmd) sim_day_command_unwatch(f->cmd, &watch);
    follow_finish(f, code);
}

/* Without an upgrade the runner streams the text itself. */
static void follow(struct sim_day_call *call, struct sim_day_command *cmd) {
    struct follow f = {.call = call, .cmd = cmd};
    const int upgrades = sim_ws_asked(call->x);
    f.strips = !upgrades || !sim_http_header(call->x, "X-Daytona-SDK-Version");
    f.piece = malloc(FOLLOW_PIECE);
    f.quiet_since_ns = sim_day_now(call->day);
    if (!f.piece) {
        sim_day_daemon_refuse(call, 500, NULL, "out of memory");
        return;
    }
    if (cmd && sim_day_file_failed(call, sim_open_read(cmd->session->machine, cmd->log_path, &f.file))) goto done;
    if (upgrades)
        f.ws = sim_ws_accept(call->x);
    else if (sim_http_begin(call->x, 200, "application/octet-stream", -1))
        goto done;
    if (f.ws || !upgrades) follow_go(&f);
done:
    sim_ws_free(f.ws);
    sim_file_close(f.file);
    sbx_buf_finish(&f.out);
    free(f.piece);
}

/* ---- the routes ---- */

static int logs_follows(struct sim_day_call *call) {
    const char *query = sim_http_query(call->x, "follow", 0);
    return query && strcmp(query, "true") == 0;
}

void sim_day_tb_session_logs(struct sim_day_call *call) {
    if (sim_day_toolbox_fault_read(call)) return;
    struct sim_day_session *session = sim_day_tb_session(call);
    struct sim_day_command *cmd = session ? sim_day_tb_command(call, session) : NULL;
    if (!cmd) return;
    sim_day_session_hold(session);
    if (logs_follows(call))
        follow(call, cmd);
    else
        logs_snapshot(call, cmd);
    sim_day_session_release(session);
}

void sim_day_tb_session_entrypoint_logs(struct sim_day_call *call) {
    if (sim_day_toolbox_fault_read(call)) return;
    if (logs_follows(call))
        follow(call, NULL);
    else
        logs_snapshot(call, NULL);
}
