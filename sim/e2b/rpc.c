/* Connect's protocol with JSON: unary calls, envelopes of streams, errors in both. Row V1. */
#include "sim/e2b/envd.h"
#include "sim/kit/gzip.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define RPC_JSON   "application/json"
#define RPC_STREAM "application/connect+json"
#define RPC_HEAD   5
#define RPC_DIGITS 10

static const struct {
    const char *name;
    int status;
} rpc_codes[] = {{"unknown", 500},
                 {"canceled", 499},
                 {"unknown", 500},
                 {"invalid_argument", 400},
                 {"deadline_exceeded", 504},
                 {"not_found", 404},
                 {"already_exists", 409},
                 {"permission_denied", 403},
                 {"resource_exhausted", 429},
                 {"failed_precondition", 400},
                 {"aborted", 409},
                 {"out_of_range", 400},
                 {"unimplemented", 501},
                 {"internal", 500},
                 {"unavailable", 503},
                 {"data_loss", 500},
                 {"unauthenticated", 401}};

enum sim_e2b_code sim_e2b_rpc_code(int http_status) {
    for (size_t i = 1; i < sizeof(rpc_codes) / sizeof(rpc_codes[0]); i++)
        if (rpc_codes[i].status == http_status) return (enum sim_e2b_code)i;
    return http_status == 502 ? E2B_UNAVAILABLE : E2B_UNKNOWN;
}

static const struct rpc_method {
    const char *path, *op;
    void (*serve)(struct sim_e2b_call *call);
    int streams;
} rpc_methods[] = {
    {"/process.Process/List", "e2b.process.list", sim_e2b_process_rpc_list, 0},
    {"/process.Process/Start", "e2b.process.start", sim_e2b_process_rpc_start, 1},
    {"/process.Process/Connect", "e2b.process.connect", sim_e2b_process_rpc_connect, 1},
    {"/process.Process/Update", "e2b.process.update", sim_e2b_process_rpc_update, 0},
    {"/process.Process/SendInput", "e2b.process.input", sim_e2b_process_rpc_input, 0},
    {"/process.Process/StreamInput", "e2b.process.stream_input", sim_e2b_process_rpc_stream_input, 1},
    {"/process.Process/SendSignal", "e2b.process.signal", sim_e2b_process_rpc_signal, 0},
    {"/process.Process/CloseStdin", "e2b.process.close_stdin", sim_e2b_process_rpc_close_stdin, 0},
    {"/filesystem.Filesystem/Stat", "e2b.filesystem.stat", sim_e2b_fs_rpc_stat, 0},
    {"/filesystem.Filesystem/MakeDir", "e2b.filesystem.make_dir", sim_e2b_fs_rpc_make_dir, 0},
    {"/filesystem.Filesystem/Move", "e2b.filesystem.move", sim_e2b_fs_rpc_move, 0},
    {"/filesystem.Filesystem/ListDir", "e2b.filesystem.list_dir", sim_e2b_fs_rpc_list_dir, 0},
    {"/filesystem.Filesystem/Remove", "e2b.filesystem.remove", sim_e2b_fs_rpc_remove, 0},
    {"/filesystem.Filesystem/WatchDir", "e2b.filesystem.watch_dir", sim_e2b_fs_rpc_watch_dir, 1},
    {"/filesystem.Filesystem/CreateWatcher", "e2b.filesystem.create_watcher", sim_e2b_fs_rpc_create_watcher, 0},
    {"/filesystem.Filesystem/GetWatcherEvents", "e2b.filesystem.watcher_events", sim_e2b_fs_rpc_watcher_events, 0},
    {"/filesystem.Filesystem/RemoveWatcher", "e2b.filesystem.remove_watcher", sim_e2b_fs_rpc_remove_watcher, 0},
};

int sim_e2b_is_rpc(const char *path) {
    return strncmp(path, "/process.Process/", 17) == 0 || strncmp(path, "/filesystem.Filesystem/", 23) == 0;
}

static const struct rpc_method *rpc_method(const char *path) {
    for (size_t i = 0; i < sizeof(rpc_methods) / sizeof(rpc_methods[0]); i++)
        if (strcmp(rpc_methods[i].path, path) == 0) return &rpc_methods[i];
    return NULL;
}

const char *sim_e2b_rpc_op(const char *path) {
    const struct rpc_method *method = rpc_method(path);
    return method ? method->op : NULL;
}

/* ---- answers ---- */

void sim_e2b_envelope(struct sbx_buf *out, int flags, const void *payload, size_t len) {
    const unsigned char head[RPC_HEAD] = {(unsigned char)flags, (unsigned char)(len >> 24), (unsigned char)(len >> 16),
                                          (unsigned char)(len >> 8), (unsigned char)len};
    sbx_buf_append(out, head, sizeof(head));
    sbx_buf_append(out, payload, len);
}

void sim_e2b_rpc_error_write(enum sim_e2b_code code, const char *message, struct sbx_buf *json) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "code", rpc_codes[code].name);
    sbx_json_put_text(json, "message", message, sbx_utf8_valid(message, strlen(message)));
    sbx_json_end_object(json);
}

static void rpc_refuse_stream(struct sim_e2b_call *call, const struct sbx_buf *error) {
    struct sbx_buf json = SBX_BUF_INIT, envelope = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_raw(&json, "error", sbx_buf_text(error), error->len);
    sbx_json_end_object(&json);
    sim_e2b_envelope(&envelope, E2B_END_OF_STREAM, sbx_buf_text(&json), json.len);
    if (json.failed || sbx_buf_status(&envelope))
        sim_http_abort(call->x, SIM_ABORT_RESET);
    else if (sim_http_begin(call->x, 200, RPC_STREAM, -1) == 0 &&
             sim_http_write(call->x, envelope.data, envelope.len) == 0)
        sim_http_end(call->x);
    sbx_buf_finish(&json);
    sbx_buf_finish(&envelope);
}

void sim_e2b_rpc_refuse(struct sim_e2b_call *call, enum sim_e2b_code code, const char *fmt, ...) {
    struct sbx_buf json = SBX_BUF_INIT, message = SBX_BUF_INIT;
    va_list args;
    va_start(args, fmt);
    sbx_buf_vprintf(&message, fmt, args);
    va_end(args);
    sim_e2b_rpc_error_write(code, sbx_buf_text(&message), &json);
    sbx_buf_finish(&message);
    if (call->on_stream)
        rpc_refuse_stream(call, &json);
    else if (sbx_buf_status(&json))
        sim_http_abort(call->x, SIM_ABORT_RESET);
    else
        sim_http_reply(call->x, rpc_codes[code].status, RPC_JSON, json.data, json.len);
    sbx_buf_finish(&json);
}

int sim_e2b_takes_gzip(const struct sim_e2b_call *call) {
    const char *takes = sim_http_header(call->x, "Accept-Encoding");
    return call->e2b->config.gzip && takes && strstr(takes, "gzip") && !strstr(takes, "gzip;q=0");
}

static void rpc_reply_packed(struct sim_e2b_call *call, const struct sbx_buf *json) {
    struct sbx_buf packed = SBX_BUF_INIT;
    struct sim_gzip *z = sim_gzip_new(SIM_GZIP_PACK);
    if (z && sim_gzip_put(z, json->data, json->len, 1, &packed) == SBX_OK) {
        sim_http_header_add(call->x, "Content-Encoding", "gzip");
        sim_http_reply(call->x, 200, RPC_JSON, packed.data, packed.len);
    } else {
        sim_http_abort(call->x, SIM_ABORT_RESET);
    }
    sim_gzip_free(z);
    sbx_buf_finish(&packed);
}

void sim_e2b_rpc_reply(struct sim_e2b_call *call, struct sbx_buf *json) {
    if (sbx_buf_status(json))
        sim_http_abort(call->x, SIM_ABORT_RESET);
    else if (sim_e2b_takes_gzip(call))
        rpc_reply_packed(call, json);
    else
        sim_http_reply(call->x, 200, RPC_JSON, json->data, json->len);
    sbx_buf_finish(json);
}

/* ---- requests ---- */

int sim_e2b_rpc_timeout(struct sim_e2b_call *call, int64_t *out) {
    const char *text = sim_http_header(call->x, "Connect-Timeout-Ms");
    *out = -1;
    if (!text) return 0;
    if (strlen(text) > RPC_DIGITS) {
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "protocol error: parse timeout: \"%s\" has >10 digits", text);
        return 1;
    }
    if (sbx_text_int(text, 0, INT64_MAX, out)) return 0;
    sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "protocol error: parse timeout: \"%s\": invalid syntax", text);
    return 1;
}

/* The payload of the one envelope of a request. What it claims to be is compared with what came, never believed.
 * @return 0 if it has been refused */
static int rpc_open(struct sim_e2b_call *call, const char *data, size_t len) {
    const unsigned char *head = (const unsigned char *)data;
    if (len < RPC_HEAD) {
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT,
                           len ? "protocol error: incomplete envelope: unexpected EOF"
                               : "protocol error: missing request message");
        return 0;
    }
    const uint64_t claimed =
        (uint64_t)head[0 + 1] << 24 | (uint64_t)head[2] << 16 | (uint64_t)head[3] << 8 | (uint64_t)head[4];
    if (head[0] & 1)
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "protocol error: sent compressed message without compression support");
    else if (head[0])
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "protocol error: invalid envelope flags %d", head[0]);
    else if (claimed > len - RPC_HEAD)
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT,
                           "protocol error: promised %llu bytes in enveloped message, got %zu bytes",
                           (unsigned long long)claimed, len - RPC_HEAD);
    else if (claimed < len - RPC_HEAD)
        sim_e2b_rpc_refuse(call, E2B_UNIMPLEMENTED, "unary request has multiple messages");
    else
        return 1;
    return 0;
}

/* @return NULL once it has been answered */
static const char *rpc_body(struct sim_e2b_call *call, size_t *len) {
    const char *data = NULL;
    const enum sbx_status st = sim_http_body(call->x, E2B_BODY_MAX, &data, len);
    if (st == SBX_OK) return data;
    if (st == SBX_TOO_LARGE)
        sim_e2b_rpc_refuse(call, E2B_RESOURCE_EXHAUSTED, "message size is larger than configured max %u", E2B_BODY_MAX);
    else
        sim_http_abort(call->x, st == SBX_CONNECTION_LOST ? SIM_ABORT_CLOSE : SIM_ABORT_RESET);
    return NULL;
}

int sim_e2b_rpc_message_refused(struct sim_e2b_call *call, const struct sbx_json *js) {
    if (sbx_json_status(js) == SBX_OK) return 0;
    sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "unmarshal message: proto: %s", sbx_json_error(js));
    return 1;
}

const struct sbx_json_node *sim_e2b_rpc_message(struct sim_e2b_call *call, struct sbx_json **js) {
    size_t len = 0;
    const char *data = rpc_body(call, &len);
    if (!data || (call->on_stream && !rpc_open(call, data, len))) return NULL;
    const size_t skip = call->on_stream ? RPC_HEAD : 0;
    const enum sbx_status st = sim_http_json_part(call->x, skip, len - skip, js);
    if (st == SBX_NO_MEMORY || !*js) {
        sim_http_abort(call->x, SIM_ABORT_RESET);
    } else if (st) {
        (void)sim_e2b_rpc_message_refused(call, *js);
    } else if (sbx_json_type(sbx_json_root(*js)) != SBX_JSON_OBJECT) {
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "unmarshal message: proto: syntax error: unexpected token");
    } else {
        return sbx_json_root(*js);
    }
    return NULL;
}

/* "user:" of the credential; no password. @return 1 if it has been refused */
static int rpc_user(struct sim_e2b_call *call) {
    const char *header = sim_http_header(call->x, "Authorization");
    struct sbx_buf plain = SBX_BUF_INIT;
    call->user = "user";
    if (!header || strncmp(header, "Basic ", 6) != 0) return 0;
    const int good = sbx_base64_decode(&plain, header + 6, strlen(header + 6));
    const size_t len = good ? strcspn(sbx_buf_text(&plain), ":") : 0;
    const int root = len == 4 && strncmp(sbx_buf_text(&plain), "root", 4) == 0;
    const int known = root || (len == 4 && strncmp(sbx_buf_text(&plain), "user", 4) == 0);
    if (root) call->user = "root";
    if (!known)
        sim_e2b_rpc_refuse(call, E2B_UNAUTHENTICATED, "invalid username: '%.*s'", (int)len, sbx_buf_text(&plain));
    sbx_buf_finish(&plain);
    return !known;
}

/* What is wrong before any method is asked: plain HTTP, on streams too. @return 1 if it has been answered */
static int rpc_not_http(struct sim_e2b_call *call, const struct rpc_method *method) {
    const char *type = sim_http_header(call->x, "Content-Type"), *want = method->streams ? RPC_STREAM : RPC_JSON;
    if (strcmp(sim_http_method(call->x), "POST") != 0) {
        sim_http_header_add(call->x, "Allow", "POST");
        sim_http_reply(call->x, 405, NULL, NULL, 0);
        return 1;
    }
    if (type && strncmp(type, want, strlen(want)) == 0 && strchr(";", type[strlen(want)])) return 0;
    if (type && (strstr(type, "proto") || strstr(type, "grpc")))
        sim_http_unsupported(call->x, "a codec of RPC other than Connect's JSON", 0);
    sim_http_header_add(call->x, "Accept-Post", want);
    sim_http_reply(call->x, 415, NULL, NULL, 0);
    return 1;
}

void sim_e2b_rpc_serve(struct sim_e2b_call *call) {
    const struct rpc_method *method = rpc_method(sim_http_path(call->x));
    const char *version = sim_http_header(call->x, "Connect-Protocol-Version");
    static const char missing[] = "404 page not found\n";
    if (!method) {
        sim_http_unsupported(call->x, sim_http_path(call->x), 0);
        sim_http_reply(call->x, 404, "text/plain; charset=utf-8", missing, sizeof(missing) - 1);
        return;
    }
    if (rpc_not_http(call, method)) return;
    call->on_stream = method->streams;
    if (version && strcmp(version, "1") != 0) {
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "connect-protocol-version must be \"1\": got \"%s\"", version);
        return;
    }
    if (!rpc_user(call)) method->serve(call);
}
