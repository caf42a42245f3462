/* The toolbox's one-shot execute, and src/work's way in by it. Rows D9, D10, P11.
 *
 * The request is chunked, since Daytona's hops send a body of known length again when a connection proves stale; a
 * timeout always goes with it, since the daemon's own default differs between versions (none, 10 s, 360 s). */
#include "adapters/daytona/inside.h"

#include <string.h>

#define EXPLAIN_MS 5000

static void execute_body(struct sbx_buf *body, const char *command, const char *cwd, const struct sbx_pair *vars,
                         size_t var_count, int64_t lifetime_ms) {
    sbx_json_begin_object(body, NULL);
    sbx_json_put_string(body, "command", command);
    sbx_json_put_int(body, "timeout", lifetime_ms / 1000 + (lifetime_ms % 1000 != 0));
    if (cwd) sbx_json_put_string(body, "cwd", cwd);
    if (var_count) {
        sbx_json_begin_object(body, "envs");
        for (size_t i = 0; i < var_count; i++) sbx_json_put_string(body, vars[i].name, vars[i].value);
        sbx_json_end_object(body);
    }
    sbx_json_end_object(body);
}

/* The exit code under either name that daemons gave it. One that is missing, null, no number or out of range is
 * unknown, and never 0. */
static void executed_code(struct sbx_json *js, struct daytona_executed *out) {
    static const char *const names[] = {"exitCode", "code"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !out->exit_known; i++) {
        const struct sbx_json_node *node = sbx_json_member(sbx_json_root(js), names[i]);
        if (!node || sbx_json_type(node) != SBX_JSON_NUMBER) continue; /* guard: exec_code_not_made_up */
        int64_t code = sbx_json_as_int(js, node);
        out->exit_known = code >= 0 && code <= 255;
        out->exit_code = out->exit_known ? (int32_t)code : -1;
    }
}

/* A command may print NUL, which no text of ours can hold: here it becomes U+FFFD, as the daemon does with other bytes
 * that are no text. Both escapes have six bytes. */
static void nul_replaced(struct sbx_buf *body) {
    char *at = body->data, *end = at ? at + body->len : NULL;
    while (at && at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
        if (end - at >= 6 && memcmp(at, "\\u0000", 6) == 0) memcpy(at, "\\ufffd", 6);
        at += 2; /* what is escaped begins no escape */
    }
}

static enum sbx_status executed_read(struct daytona_reply *reply, struct daytona_executed *out, struct sbx_error *err) {
    nul_replaced(&reply->ans.body);
    enum sbx_status st = daytona_reply_json(reply, err);
    if (st) return st;
    const char *result = sbx_json_string(reply->js, sbx_json_root(reply->js), "result");
    if (!result) return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "answer: %s", sbx_json_error(reply->js));
    executed_code(reply->js, out);
    sbx_buf_text_append(&out->text, result);
    return sbx_buf_status(&out->text) ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL) : SBX_OK;
}

/* JSON writes a control character in six bytes. */
static size_t answer_max(size_t text_max) {
    return text_max < SIZE_MAX / 6 - 4096 ? text_max * 6 + 4096 : SIZE_MAX;
}

enum sbx_status daytona_execute(struct daytona *d, const struct sbx_identity *who, const char *command, const char *cwd,
                                const struct sbx_pair *vars, size_t var_count, int64_t lifetime_ms, size_t text_max,
                                const struct sbx_call *call, struct daytona_executed *out, struct sbx_error *err) {
    struct daytona_reply reply = {0};
    struct sbx_buf url = SBX_BUF_INIT, body = SBX_BUF_INIT;
    daytona_toolbox_url(&url, who, "/process/execute");
    execute_body(&body, command, cwd, vars, var_count, lifetime_ms);
    const struct daytona_request req = {.op = DAYTONA_EXECUTE,
                                        .method = "POST",
                                        .url = sbx_buf_text(&url),
                                        .body = &body,
                                        .flags = SBX_REQUEST_CHUNKED, /* guard: exec_is_chunked */
                                        .answer_max = answer_max(text_max)};
    enum sbx_status st = url.failed || body.failed ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : daytona_send(d, &req, call, &reply, err);
    if (!st) st = executed_read(&reply, out, err);
    daytona_reply_finish(&reply);
    sbx_buf_finish(&url);
    sbx_buf_finish(&body);
    return st;
}

static enum sbx_status inside_run(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                                  int64_t lifetime_ms, const struct sbx_call *call, size_t text_max,
                                  struct sbx_buf *text, struct sbx_error *err) {
    const struct daytona_inside *in = ctx;
    struct daytona_executed got = {0};
    enum sbx_status st =
        daytona_execute(in->d, &in->where, line, NULL, vars, var_count, lifetime_ms, text_max, call, &got, err);
    if (!st) sbx_buf_append(text, got.text.data, got.text.len);
    sbx_buf_finish(&got.text);
    return st || !text->failed ? st : sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
}

enum sbx_status daytona_inside_begin(struct daytona_inside *in, struct daytona *d, const struct sbx_identity *who,
                                     const struct sbx_call *call, struct sbx_error *err) {
    in->d = d;
    in->where = *who;
    in->work = (struct sbx_work_host){.size = sizeof(in->work),
                                      .ctx = in,
                                      .env = d->env,
                                      .run = inside_run,
                                      .receipts = d->receipts,
                                      .sandbox = in->where.id};
    enum sbx_status st = daytona_address(d, &in->where, call, err);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : SBX_OK;
}

enum sbx_status daytona_inside_end(const struct daytona_inside *in, enum sbx_status st, const struct sbx_call *call,
                                   struct sbx_error *err) {
    struct daytona_view view = {0};
    struct sbx_error quiet;
    int unexplained = st == SBX_PROVIDER || st == SBX_NOT_READY || st == SBX_NOT_FOUND || st == SBX_PROTOCOL;
    if (!unexplained || err->http_status < 400) return st;
    sbx_error_init(&quiet, sizeof(quiet));
    const struct sbx_call brief = sbx_call_within(call, in->d->env, EXPLAIN_MS);
    enum sbx_status seen = daytona_view_once(in->d, in->where.id, &brief, &view, &quiet);
    if (seen == SBX_NOT_FOUND)
        st = sbx_fail(err, SBX_NOT_FOUND, (enum sbx_outcome)err->outcome, NULL);
    else if (!seen && view.is.state != SBX_STATE_RUNNING && view.is.state != SBX_STATE_UNKNOWN)
        st = sbx_fail(err, SBX_NOT_READY, (enum sbx_outcome)err->outcome, "the sandbox's state is %s",
                      sbx_state_name(view.is.state));
    daytona_view_finish(&view);
    return st;
}
