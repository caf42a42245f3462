/* Sessions: one of Daytona's long-lived shells, which src/work has run commands exactly. Row D9.
 *
 * Its own record of a command is not read: it loses the exit code of a command that ends the shell, drops NUL, adds a
 * newline, and waits for children that hold the output. */
#include "adapters/daytona/inside.h"

#include <string.h>

struct session {
    struct daytona_inside in;
    char name[40]; /* in Daytona's list */
    char dir[64];
};

static enum sbx_status session_begin(struct session *s, struct daytona *d, const struct sbx_identity *who,
                                     const char *id, const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(&text, "sbx-%s", id);
    (void)!sbx_copy(s->name, sizeof(s->name), sbx_buf_text(&text));
    sbx_buf_clear(&text);
    sbx_buf_printf(&text, "/tmp/.sbx-env-%s", id);
    (void)!sbx_copy(s->dir, sizeof(s->dir), sbx_buf_text(&text));
    int failed = text.failed;
    sbx_buf_finish(&text);
    if (failed) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    return daytona_inside_begin(&s->in, d, who, call, err);
}

/* One request about the session. @param rest behind its name, or NULL for the list of sessions itself */
static enum sbx_status session_send(const struct session *s, enum daytona_op op, const char *method, const char *rest,
                                    const struct sbx_buf *body, uint32_t flags, const struct sbx_call *call,
                                    struct sbx_error *err) {
    struct daytona_reply reply = {0};
    struct sbx_buf url = SBX_BUF_INIT;
    daytona_toolbox_url(&url, &s->in.where, "/process/session");
    if (rest) sbx_buf_printf(&url, "/%s%s", s->name, rest);
    const struct daytona_request req = {
        .op = op, .method = method, .url = sbx_buf_text(&url), .body = body, .flags = flags};
    enum sbx_status st = url.failed || (body && body->failed) ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : daytona_send(s->in.d, &req, call, &reply, err);
    daytona_reply_finish(&reply);
    sbx_buf_finish(&url);
    return st;
}

enum sbx_status daytona_session_open(void *self, const struct sbx_identity *who, const char *id,
                                     const struct sbx_call *call, struct sbx_error *err) {
    struct session s;
    struct sbx_buf body = SBX_BUF_INIT;
    enum sbx_status st = session_begin(&s, self, who, id, call, err);
    if (st) return st;
    sbx_json_begin_object(&body, NULL);
    sbx_json_put_string(&body, "sessionId", s.name);
    sbx_json_end_object(&body);
    st = session_send(&s, DAYTONA_SESSION, "POST", NULL, &body, SBX_REQUEST_CHUNKED, call, err);
    sbx_buf_finish(&body);
    if (st && err->outcome == SBX_OUTCOME_UNKNOWN) { /* nobody else has this name: if it is there, it is ours */
        struct sbx_error before = *err;
        if (session_send(&s, DAYTONA_SESSION, "GET", "", NULL, SBX_REQUEST_IDEMPOTENT, call, err) == SBX_OK)
            return SBX_OK;
        *err = before;
    }
    return st ? daytona_inside_end(&s.in, st, call, err) : SBX_OK;
}

/* ---- what src/work needs of it ---- */

static enum sbx_status session_post(void *ctx, const char *line, const struct sbx_call *call, struct sbx_error *err) {
    const struct session *s = ctx;
    struct sbx_buf body = SBX_BUF_INIT;
    sbx_json_begin_object(&body, NULL);
    sbx_json_put_string(&body, "command", line);
    sbx_json_put_bool(&body, "runAsync", 1);
    sbx_json_put_bool(&body, "suppressInputEcho", 1);
    sbx_json_end_object(&body);
    enum sbx_status st = session_send(s, DAYTONA_SESSION_EXEC, "POST", "/exec", &body, SBX_REQUEST_CHUNKED, call, err);
    sbx_buf_finish(&body);
    return st;
}

static enum sbx_status session_alive(void *ctx, const struct sbx_call *call, struct sbx_error *err) {
    return session_send(ctx, DAYTONA_SESSION, "GET", "", NULL, SBX_REQUEST_IDEMPOTENT, call, err);
}

/* Into a directory that only the user can enter: the file API makes files that all can read. */
static enum sbx_status session_put(void *ctx, const char *path, const char *text, size_t len,
                                   const struct sbx_call *call, struct sbx_error *err) {
    struct session *s = ctx;
    struct sbx_memory_reader memory;
    struct daytona_executed got = {0};
    const struct sbx_reader from = sbx_memory_reader_init(&memory, text, len);
    const struct sbx_transfer_options opt = {.size = sizeof(opt), .bytes = (int64_t)len, .stall_ms = 60000};
    struct sbx_buf line = SBX_BUF_INIT;
    sbx_buf_printf(&line, "exec mkdir -p -m 700 %s", s->dir);
    enum sbx_status st = line.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                                     : daytona_execute(s->in.d, &s->in.where, sbx_buf_text(&line), NULL, NULL, 0, 10000,
                                                       64 * 1024, call, &got, err);
    if (!st && !(got.exit_known && got.exit_code == 0))
        st = sbx_fail(err, SBX_NO_SPACE, SBX_OUTCOME_REFUSED, "/tmp: expected room for a directory");
    if (!st) st = daytona_upload(s->in.d, &s->in.where, path, &from, &opt, call, err);
    sbx_buf_finish(&got.text);
    sbx_buf_finish(&line);
    return st;
}

enum sbx_status daytona_session_exec(void *self, const struct sbx_identity *who, const char *id, const char *command,
                                     const struct sbx_exec_options *opt, const struct sbx_call *call,
                                     struct sbx_exec_result *result, struct sbx_error *err) {
    struct session s;
    enum sbx_status st = session_begin(&s, self, who, id, call, err);
    if (st) return st;
    const struct sbx_work_shell shell = {.size = sizeof(shell),
                                         .ctx = &s,
                                         .private_dir = s.dir,
                                         .post = session_post,
                                         .put = session_put,
                                         .alive = session_alive};
    st = sbx_shell_exec(&s.in.work, &shell, command, opt, call, result, err);
    return st ? daytona_inside_end(&s.in, st, call, err) : SBX_OK;
}

enum sbx_status daytona_session_close(void *self, const struct sbx_identity *who, const char *id,
                                      const struct sbx_call *call, struct sbx_error *err) {
    struct session s;
    enum sbx_status st = session_begin(&s, self, who, id, call, err);
    if (st) return st;
    st = session_send(&s, DAYTONA_SESSION, "DELETE", "", NULL, SBX_REQUEST_IDEMPOTENT, call, err);
    if (st == SBX_GONE) return SBX_OK;
    return st ? daytona_inside_end(&s.in, st, call, err) : SBX_OK;
}
