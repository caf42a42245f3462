/* Commands, by exact exec over the toolbox's one-shot execute. Rows D9 (exact), P7, P11.
 *
 * The request is chunked, since Daytona's hops send a body of known length again when a connection proves stale; a
 * timeout always goes with it, since the daemon's own default differs between versions (none, 10 s, 360 s). */
#include "adapters/daytona/verbs.h"

#define EXPLAIN_MS 5000

struct exec_host {
    struct daytona *d;
    const struct sbx_identity *who;
};

static void exec_body(struct sbx_buf *body, const char *line, const struct sbx_pair *vars, size_t var_count,
                      int64_t lifetime_ms) {
    sbx_json_begin_object(body, NULL);
    sbx_json_put_string(body, "command", line);
    sbx_json_put_int(body, "timeout", lifetime_ms / 1000 + (lifetime_ms % 1000 != 0));
    if (var_count) {
        sbx_json_begin_object(body, "envs");
        for (size_t i = 0; i < var_count; i++) sbx_json_put_string(body, vars[i].name, vars[i].value);
        sbx_json_end_object(body);
    }
    sbx_json_end_object(body);
}

static enum sbx_status exec_text(struct daytona_reply *reply, struct sbx_buf *text, struct sbx_error *err) {
    enum sbx_status st = daytona_reply_json(reply, err);
    if (st) return st;
    const char *result = sbx_json_string(reply->js, sbx_json_root(reply->js), "result");
    if (!result) return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "answer: %s", sbx_json_error(reply->js));
    sbx_buf_text_append(text, result);
    return sbx_buf_status(text) ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL) : SBX_OK;
}

/* JSON writes a control character in six bytes. */
static size_t answer_max(size_t text_max) {
    return text_max < SIZE_MAX / 6 - 4096 ? text_max * 6 + 4096 : SIZE_MAX;
}

static enum sbx_status exec_run(void *ctx, const char *line, const struct sbx_pair *vars, size_t var_count,
                                int64_t lifetime_ms, const struct sbx_call *call, size_t text_max, struct sbx_buf *text,
                                struct sbx_error *err) {
    const struct exec_host *host = ctx;
    struct daytona_reply reply = {0};
    struct sbx_buf url = SBX_BUF_INIT, body = SBX_BUF_INIT;
    daytona_toolbox_url(&url, host->who, "/process/execute");
    exec_body(&body, line, vars, var_count, lifetime_ms);
    const struct daytona_request req = {.op = DAYTONA_EXECUTE,
                                        .method = "POST",
                                        .url = sbx_buf_text(&url),
                                        .body = &body,
                                        .flags = SBX_REQUEST_CHUNKED, /* guard: exec_is_chunked */
                                        .answer_max = answer_max(text_max)};
    enum sbx_status st = url.failed || body.failed ? SBX_NO_MEMORY : SBX_OK;
    st = st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : daytona_send(host->d, &req, call, &reply, err);
    if (!st) st = exec_text(&reply, text, err);
    daytona_reply_finish(&reply);
    sbx_buf_finish(&url);
    sbx_buf_finish(&body);
    return st;
}

/* A toolbox that cannot be reached answers in words that change; what the sandbox's state is does not depend on them.
 * @return st, or what explains it better; whether the command ran stays as it was known */
static enum sbx_status exec_explained(struct daytona *d, enum sbx_status st, const char *id,
                                      const struct sbx_call *call, struct sbx_error *err) {
    struct daytona_view view = {0};
    struct sbx_error quiet;
    int unexplained = st == SBX_PROVIDER || st == SBX_NOT_READY || st == SBX_NOT_FOUND || st == SBX_PROTOCOL;
    if (!unexplained || err->http_status < 400) return st;
    sbx_error_init(&quiet, sizeof(quiet));
    const struct sbx_call brief = sbx_call_within(call, d->env, EXPLAIN_MS);
    enum sbx_status seen = daytona_view_once(d, id, &brief, &view, &quiet);
    if (seen == SBX_NOT_FOUND)
        st = sbx_fail(err, SBX_NOT_FOUND, (enum sbx_outcome)err->outcome, NULL);
    else if (!seen && view.is.state != SBX_STATE_RUNNING && view.is.state != SBX_STATE_UNKNOWN)
        st = sbx_fail(err, SBX_NOT_READY, (enum sbx_outcome)err->outcome, "the sandbox's state is %s",
                      sbx_state_name(view.is.state));
    daytona_view_finish(&view);
    return st;
}

enum sbx_status daytona_exec(void *self, const struct sbx_identity *who, const char *command,
                             const struct sbx_exec_options *opt, const struct sbx_call *call,
                             struct sbx_exec_result *result, struct sbx_error *err) {
    struct daytona *d = self;
    struct sbx_identity where = *who;
    struct exec_host host = {d, &where};
    const struct sbx_work_host work = {.size = sizeof(work),
                                       .ctx = &host,
                                       .env = d->env,
                                       .run = exec_run,
                                       .receipts = d->receipts,
                                       .sandbox = where.id};
    if (opt->mode == SBX_EXEC_WIRE)
        return sbx_fail(err, SBX_UNSUPPORTED, SBX_OUTCOME_NOT_SENT, "mode: only exact exec is there for Daytona");
    enum sbx_status st = daytona_address(d, &where, call, err);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    st = sbx_exact_exec(&work, command, opt, call, result, err);
    return st ? exec_explained(d, st, where.id, call, err) : SBX_OK;
}
