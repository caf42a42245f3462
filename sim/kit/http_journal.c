/* The journal line of an exchange: what was sent and answered, without credentials and without the bytes of files. */
#include "sim/kit/http_inside.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

static int is_secret_header(const char *name) {
    static const char *const secret[] = {
        "authorization", "cookie", "set-cookie", "x-api-key", "x-daytona-preview-token", "proxy-authorization"};
    for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
        if (sbx_text_equal_nocase(name, secret[i])) return 1;
    return 0;
}

static int header_is_first(const struct sim_request *req, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (sbx_text_equal_nocase(req->headers[i].name, req->headers[at].name)) return 0;
    return 1;
}

/* Under its name in lower case, with the values of all that bear it. @param name, value scratch */
static void put_header(struct sbx_buf *line, const struct sim_request *req, size_t first, struct sbx_buf *name,
                       struct sbx_buf *value) {
    sbx_buf_clear(name);
    sbx_buf_clear(value);
    sbx_buf_text_append(name, req->headers[first].name);
    for (size_t i = 0; i < name->len; i++)
        if (name->data[i] >= 'A' && name->data[i] <= 'Z') name->data[i] = (char)(name->data[i] - 'A' + 'a');
    for (size_t i = first; i < req->header_count; i++) {
        if (!sbx_text_equal_nocase(req->headers[i].name, req->headers[first].name)) continue;
        if (i > first) sbx_buf_text_append(value, ", ");
        sbx_buf_text_append(value, req->headers[i].value);
    }
    if (is_secret_header(sbx_buf_text(name)))
        sbx_json_put_string(line, sbx_buf_text(name), "redacted");
    else
        sbx_json_put_text(line, sbx_buf_text(name), sbx_buf_text(value), sbx_utf8_valid(value->data, value->len));
}

static void put_headers(struct sbx_buf *line, const struct sim_request *req) {
    struct sbx_buf name = SBX_BUF_INIT, value = SBX_BUF_INIT;
    sbx_json_begin_object(line, "headers");
    for (size_t i = 0; i < req->header_count; i++)
        if (header_is_first(req, i)) put_header(line, req, i, &name, &value);
    sbx_json_end_object(line);
    sbx_buf_finish(&name);
    sbx_buf_finish(&value);
}

static void put_hashed(struct sbx_buf *line, const char *key, uint64_t bytes, const char *hex) {
    sbx_json_begin_object(line, key);
    sbx_json_put_int(line, "length", (int64_t)bytes);
    sbx_json_put_string(line, "sha256", hex);
    sbx_json_end_object(line);
}

static void put_hash_of(struct sbx_buf *line, const char *key, const char *data, size_t len) {
    char hex[SBX_SHA256_HEX];
    sbx_sha256_of(data, len, hex);
    put_hashed(line, key, len, hex);
}

static int is_env_key(const char *key) {
    return key && (strcmp(key, "env") == 0 || strcmp(key, "envs") == 0 || strcmp(key, "envVars") == 0);
}

/* A value, with the values of environments hashed: they may be anything, secrets above all. */
static void put_redacted(struct sbx_buf *line, const char *key, const struct sbx_json_node *node, int in_env) {
    struct sbx_buf one = SBX_BUF_INIT;
    enum sbx_json_type type = sbx_json_type(node);
    if (type == SBX_JSON_OBJECT || type == SBX_JSON_ARRAY) {
        if (type == SBX_JSON_OBJECT)
            sbx_json_begin_object(line, key);
        else
            sbx_json_begin_array(line, key);
        for (const struct sbx_json_node *c = sbx_json_first(node); c; c = sbx_json_next(c))
            put_redacted(line, sbx_json_key(c), c, in_env || is_env_key(key));
        if (type == SBX_JSON_OBJECT)
            sbx_json_end_object(line);
        else
            sbx_json_end_array(line);
        return;
    }
    sbx_json_write_node(&one, node);
    if (in_env || is_env_key(key))
        put_hash_of(line, key, sbx_buf_text(&one), one.len);
    else
        sbx_json_put_raw(line, key, sbx_buf_text(&one), one.len);
    sbx_buf_finish(&one);
}

/* Most bodies have no environment, or an empty one: they go in as they are, without being parsed again. */
static int may_hold_env(const char *body) {
    for (const char *at = body; (at = strstr(at, "\"env")); at++) {
        const char *colon = strchr(at, ':');
        if (colon && strncmp(colon, ":{}", 3) != 0) return 1;
    }
    return 0;
}

static void put_body(struct sbx_buf *line, const char *key, const char *body, size_t len, struct sbx_json *js) {
    struct sbx_json *mine = NULL;
    if (len == 0) return;
    if (len <= HTTP_JOURNAL_BYTES && (body[0] == '{' || body[0] == '[')) {
        if (js && sbx_json_status(js)) js = NULL; /* what a reader found wrong may be twice the same key: look again */
        if (!js && sbx_json_parse(body, len, 0, &mine) == SBX_OK) js = mine;
        if (js && sbx_json_status(js) == SBX_OK) {
            if (may_hold_env(body))
                put_redacted(line, key, sbx_json_root(js), 0);
            else if (!strpbrk(body, "\r\n"))
                sbx_json_put_raw(line, key, body, len);
            else
                put_redacted(line, key, sbx_json_root(js), 0);
            sbx_json_free(mine);
            return;
        }
    }
    sbx_json_free(mine);
    put_hash_of(line, key, body, len);
}

/* An answer of our own writer is JSON on one line: parsing it again was a third of the cost of a small exchange. Only
 * a text from the request's path in it may not be UTF-8. */
static void put_answer(struct sbx_buf *line, const struct sim_http *x) {
    const char *body = sbx_buf_text(&x->answer_body);
    size_t len = x->answer_body.len;
    int as_it_is = x->answer_is_json && !x->mutate && len && !may_hold_env(body) && sbx_utf8_valid(body, len) == len;
    if (x->answer_hex[0])
        put_hashed(line, "answer", x->answer_length, x->answer_hex);
    else if (as_it_is)
        sbx_json_put_raw(line, "answer", body, len);
    else
        put_body(line, "answer", body, len, NULL);
}

static void put_request_body(struct sbx_buf *line, struct sim_http *x) {
    char hex[SBX_SHA256_HEX] = "";
    if (x->body_hash) {
        sbx_sha256_hex(x->body_hash, hex);
        put_hashed(line, "body", x->body_bytes, hex);
    } else if (x->body_is_file) {
        put_hash_of(line, "body", sbx_buf_text(&x->body), x->body.len);
    } else {
        put_body(line, "body", sbx_buf_text(&x->body), x->body.len, x->js);
    }
}

static void put_path(void *ctx, const char *path) {
    sbx_json_put_string(ctx, NULL, path);
}

static void put_list(struct sbx_buf *line, const char *key, const struct sbx_buf *members) {
    if (!members->len) return;
    sbx_json_begin_array(line, key);
    sbx_json_put_raw(line, NULL, members->data, members->len);
    sbx_json_end_array(line);
}

static void put_sandbox(struct sbx_buf *line, const struct sim_http *x) {
    const char *sandbox = sbx_buf_text(&x->subject[0]);
    const char *alias = sim_journal_alias(sim_journal(x->sim), sandbox);
    if (sandbox[0]) sbx_json_put_string(line, "sandbox", sandbox);
    if (alias) sbx_json_put_string(line, "alias", alias);
}

static void timeline_line(const struct sim_http *x) {
    struct sbx_buf text = SBX_BUF_INIT;
    const char *prefix = x->cloud->api_prefix, *target = x->req->target;
    if (!sim_journal_has_timeline(sim_journal(x->sim))) return;
    if (prefix && strncmp(target, prefix, strlen(prefix)) == 0) target += strlen(prefix);
    sbx_buf_printf(&text, "%-4s %s -> ", x->req->method, target);
    if (x->answer == HTTP_DONE)
        sbx_buf_printf(&text, "%d", x->status);
    else
        sbx_buf_text_append(&text, x->ended ? x->ended : "?");
    sim_journal_timeline_add(sim_journal(x->sim), sbx_buf_text(&text));
    sbx_buf_finish(&text);
}

void sim_http_journal(struct sim_http *x) {
    struct sbx_buf unread = SBX_BUF_INIT;
    timeline_line(x);
    if (x->js) sbx_json_unread(x->js, put_path, &unread);
    struct sbx_buf *line = sim_journal_begin(sim_journal(x->sim), "exchange");
    sbx_json_put_int(line, "n", x->number);
    sbx_json_put_int(line, "start", x->start_ns);
    sbx_json_put_int(line, "connection", x->req->connection);
    sbx_json_put_string(line, "provider", x->cloud->provider);
    sbx_json_put_string(line, "op", x->op);
    put_sandbox(line, x);
    sbx_json_put_string(line, "method", x->req->method);
    sbx_json_put_text(line, "target", x->req->target, sbx_utf8_valid(x->req->target, strlen(x->req->target)));
    put_headers(line, x->req);
    put_request_body(line, x);
    sbx_json_put_int(line, "body_bytes", (int64_t)x->body_bytes);
    sbx_json_put_int(line, "status", x->status);
    put_answer(line, x);
    sbx_json_put_int(line, "answer_bytes", (int64_t)x->answer_bytes);
    sbx_json_put_string(line, "ended", x->ended);
    put_list(line, "faults", &x->faults);
    put_list(line, "notes", &x->notes);
    put_list(line, "unread", &unread);
    if (x->unsupported) sbx_json_put_string(line, "unsupported", x->unsupported);
    sim_journal_end(sim_journal(x->sim));
    sbx_buf_finish(&unread);
}
