/* Refusals of Daytona's two planes in two dialects: the last public server, and the one with codes in its errors. */
#include "sim/daytona/errors.h"

#include <string.h>

static const struct {
    int status;
    const char *phrase; /* HTTP's, which the control plane puts into `error` */
    const char *kind;   /* what the older daemon puts before its messages */
    const char *code;
} error_kinds[] = {
    {400, "Bad Request", "bad request", "BAD_REQUEST"},
    {401, "Unauthorized", "unauthorized", "UNAUTHORIZED"},
    {403, "Forbidden", "forbidden", "FORBIDDEN"},
    {404, "Not Found", "not found", "NOT_FOUND"},
    {408, "Request Timeout", "request timeout", "REQUEST_TIMEOUT"},
    {409, "Conflict", "conflict", "CONFLICT"},
    {410, "Gone", "gone", "GONE"},
    {422, "Unprocessable Entity", "unprocessable entity", "UNPROCESSABLE_ENTITY"},
    {429, "Too Many Requests", "too many requests", "TOO_MANY_REQUESTS"},
    {500, "Internal Server Error", "internal server error", "INTERNAL_SERVER_ERROR"},
    {501, "Not Implemented", "not implemented", "NOT_IMPLEMENTED"},
    {502, "Bad Gateway", "bad gateway", "BAD_GATEWAY"},
    {503, "Service Unavailable", "service unavailable", "SERVICE_UNAVAILABLE"},
};

static size_t errors_find(int status) {
    size_t i = sizeof(error_kinds) / sizeof(error_kinds[0]);
    while (--i > 0)
        if (error_kinds[i].status == status) break;
    return i;
}

const char *sim_day_reason_phrase(int status) {
    return error_kinds[errors_find(status)].phrase;
}

/* The daemon and the proxy see the path behind /toolbox/<id>. */
static const char *errors_daemon_path(struct sim_day_call *call) {
    const char *path = sim_http_path(call->x);
    const char *rest = strncmp(path, "/toolbox/", 9) == 0 ? strchr(path + 9, '/') : NULL;
    return rest ? rest : path;
}

static void errors_write_api(const struct sim_day_call *call, int status, const char *code, const char *message,
                             struct sbx_buf *json) {
    char stamp[DAY_STAMP_SIZE];
    sim_day_stamp(sim_day_wall_ms(call->day), stamp);
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "path", sim_http_path(call->x));
    sbx_json_put_string(json, "timestamp", stamp);
    sbx_json_put_int(json, "statusCode", status);
    sbx_json_put_string(json, "error", sim_day_reason_phrase(status));
    sbx_json_put_string(json, "message", message);
    if (call->day->config.dialect == DAY_CODED) {
        sbx_json_put_string(json, "source", "DAYTONA_API");
        if (code) sbx_json_put_string(json, "code", code);
    }
    sbx_json_end_object(json);
}

void sim_day_refuse(struct sim_day_call *call, int status, const char *code, const char *fmt, ...) {
    struct sbx_buf json = SBX_BUF_INIT, message = SBX_BUF_INIT;
    va_list args;
    va_start(args, fmt);
    sbx_buf_vprintf(&message, fmt, args);
    va_end(args);
    errors_write_api(call, status, code, sbx_buf_text(&message), &json);
    sbx_buf_finish(&message);
    sim_http_reply_json(call->x, status, &json);
}

void sim_day_broken(struct sim_day_call *call) {
    sim_day_refuse(call, 500, NULL, "An unexpected error occurred.");
}

static void errors_write(struct sim_day_call *call, int coded, int status, const char *code, const char *message,
                         const char *source, struct sbx_buf *json) {
    const size_t kind = errors_find(status);
    const int invalid_body = code && strcmp(code, "INVALID_REQUEST_BODY") == 0; /* the one code of both dialects */
    struct sbx_buf text = SBX_BUF_INIT;
    char stamp[DAY_STAMP_SIZE];
    sim_day_stamp(sim_day_wall_ms(call->day), stamp);
    if (!coded) sbx_buf_printf(&text, "%s: ", invalid_body ? "invalid body request" : error_kinds[kind].kind);
    sbx_buf_text_append(&text, message);
    sbx_json_begin_object(json, NULL);
    sbx_json_put_int(json, "statusCode", status);
    sbx_json_put_string(json, "message", sbx_buf_text(&text));
    sbx_json_put_string(json, "code", code && (coded || invalid_body) ? code : error_kinds[kind].code);
    sbx_json_put_string(json, "timestamp", stamp);
    sbx_json_put_string(json, "path", errors_daemon_path(call));
    sbx_json_put_string(json, "method", sim_http_method(call->x));
    if (coded) sbx_json_put_string(json, "source", source);
    sbx_json_end_object(json);
    sbx_buf_finish(&text);
}

void sim_day_daemon_error_write(struct sim_day_call *call, int status, const char *code, const char *message,
                                struct sbx_buf *json) {
    errors_write(call, call->day->config.dialect == DAY_CODED, status, code, message, "DAYTONA_DAEMON", json);
}

void sim_day_daemon_refuse(struct sim_day_call *call, int status, const char *code, const char *message) {
    struct sbx_buf json = SBX_BUF_INIT;
    sim_day_daemon_error_write(call, status, code, message, &json);
    sim_http_reply_json(call->x, status, &json);
}

void sim_day_proxy_refuse(struct sim_day_call *call, int coded, int status, const char *code, const char *message) {
    struct sbx_buf json = SBX_BUF_INIT;
    errors_write(call, coded, status, code, message, "DAYTONA_PROXY", &json);
    sim_http_reply_json(call->x, status, &json);
}

void sim_day_file_refuse(struct sim_day_call *call, int status, const char *code, const char *message) {
    if (call->day->config.dialect == DAY_V190)
        sim_day_reply_empty(call, status);
    else
        sim_day_daemon_refuse(call, status, code, message);
}

void sim_day_exec_refuse(struct sim_day_call *call, int status, const char *code, const char *kind,
                         const char *message) {
    struct sbx_buf json = SBX_BUF_INIT, text = SBX_BUF_INIT;
    if (call->day->config.dialect == DAY_CODED) {
        sim_day_daemon_refuse(call, status, code, message);
        return;
    }
    sbx_buf_printf(&text, "failed to execute command: %s%s", kind, message);
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_int(&json, "statusCode", 500);
    sbx_json_put_string(&json, "message", sbx_buf_text(&text));
    sbx_json_put_string(&json, "code", "INTERNAL_SERVER_ERROR");
    sbx_json_put_string(&json, "timestamp", "0001-01-01T00:00:00Z");
    sbx_json_put_string(&json, "path", "");
    sbx_json_put_string(&json, "method", "");
    sbx_json_end_object(&json);
    sbx_buf_finish(&text);
    sim_http_reply_json(call->x, 500, &json);
}

void sim_day_reply_empty(struct sim_day_call *call, int status) {
    sim_http_reply(call->x, status, NULL, NULL, 0);
}

/* What the server would say with a status that a fault asks for and gives no body: its usual words. */
static const char *errors_usual(int status) {
    if (status == 401) return "Invalid credentials";
    if (status == 403) return "Access denied";
    if (status == 409) return "Sandbox state change in progress";
    if (status == 429) return "ThrottlerException: Too Many Requests";
    if (status == 500) return "An unexpected error occurred.";
    if (status == 503) return "Service is currently under maintenance. Please try again later.";
    return sim_day_reason_phrase(status);
}

/* A 502 of the toolbox is a hop's, which sends the bare status. */
void sim_day_error_body(struct sim_cloud *cloud, struct sim_http *x, int status, struct sbx_buf *json) {
    struct sim_day_call call = {.day = (struct daytona *)cloud, .x = x};
    const int toolbox = strncmp(sim_http_path(x), "/toolbox/", 9) == 0;
    const char *code = status == 409 ? "SANDBOX_STATE_CHANGE_IN_PROGRESS" : NULL;
    if (!toolbox)
        errors_write_api(&call, status, code, errors_usual(status), json);
    else if (status != 502)
        sim_day_daemon_error_write(&call, status, NULL, sim_day_reason_phrase(status), json);
}
