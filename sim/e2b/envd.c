/* The proxy before a sandbox, and envd's door: host or headers, what there is, the token, the user. Row V1. */
#include "sim/e2b/envd.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENVD_ALPHABET "abcdefghijklmnopqrstuvwxyz0123456789"

/* ---- which sandbox, which port ---- */

static int envd_host_is_address(const char *host) {
    const size_t len = strcspn(host, ":");
    return *host == '[' || strspn(host, "0123456789.") == len;
}

/* Hosts that say nothing of a sandbox: headers do. The simulator's own name is one of them, "api." before it too; a
 * served one may be known by any name, so that only "<digits>-..." there names a sandbox. */
static int envd_host_is_shared(const char *host) {
    static const char own[] = "e2b.sim";
    const size_t len = strcspn(host, ":"), own_len = sizeof(own) - 1, digits = strspn(host, "0123456789");
    if (!len || envd_host_is_address(host) || strncmp(host, "sandbox.", 8) == 0 || strncmp(host, "api.", 4) == 0)
        return 1;
    if (len >= own_len && strncmp(host + len - own_len, own, own_len) == 0) return len == own_len;
    return !digits || host[digits] != '-';
}

int sim_e2b_envd_is_meant(const struct sim_http *x) {
    const char *host = sim_http_host(x), *path = sim_http_path(x);
    if (!envd_host_is_shared(host) || strncmp(host, "sandbox.", 8) == 0) return 1;
    if (strncmp(host, "api.", 4) == 0) return 0;
    if (sim_http_header(x, "E2b-Sandbox-Id") || sim_http_header(x, "E2b-Sandbox-Port")) return 1;
    return sim_e2b_is_rpc(path) || strcmp(path, "/files") == 0;
}

struct envd_address {
    char id[64];
    int64_t port;
};

static void envd_plain(struct sim_e2b_call *call, int status, const char *text) {
    sim_http_reply(call->x, status, "text/plain; charset=utf-8", text, strlen(text));
}

/* @return 0 if it is none, and that answered */
static int envd_port(struct sim_e2b_call *call, const char *text, struct envd_address *out) {
    if (sbx_text_int(text, 1, 65535, &out->port)) return 1;
    if (call->e2b->config.bad_port_status == 500)
        envd_plain(call, 500, "Unexpected error when routing request: invalid sandbox port");
    else
        envd_plain(call, 400, "Invalid sandbox port");
    return 0;
}

static int envd_id(struct sim_e2b_call *call, const char *text, struct envd_address *out) {
    if (*text && strspn(text, ENVD_ALPHABET) == strlen(text) && sbx_copy(out->id, sizeof(out->id), text)) return 1;
    envd_plain(call, 400, "Invalid sandbox ID");
    return 0;
}

/* "<port>-<id>", and whatever may stand behind another dash. */
static int envd_address_by_host(struct sim_e2b_call *call, const char *host, struct envd_address *out) {
    char label[96], port[16] = "";
    const size_t len = strcspn(host, ".:"), dash = strcspn(host, "-");
    if (dash >= len || len >= sizeof(label)) {
        envd_plain(call, 400, "Invalid host");
        return 0;
    }
    snprintf(label, sizeof(label), "%.*s", (int)(len - dash - 1), host + dash + 1);
    label[strcspn(label, "-")] = 0;
    snprintf(port, sizeof(port), "%.*s", (int)dash, host);
    return envd_port(call, port, out) && envd_id(call, label, out);
}

static int envd_address(struct sim_e2b_call *call, struct envd_address *out) {
    const char *host = sim_http_host(call->x);
    if (!envd_host_is_shared(host)) return envd_address_by_host(call, host, out);
    const char *id = sim_http_header(call->x, "E2b-Sandbox-Id"), *port = sim_http_header(call->x, "E2b-Sandbox-Port");
    if (!id || !port) {
        envd_plain(call, 400, "missing header");
        return 0;
    }
    return envd_port(call, port, out) && envd_id(call, id, out);
}

/* ---- what the proxy says itself ---- */

/* A navigation of a browser gets a page. */
static int envd_wants_page(const struct sim_http *x) {
    const char *agent = sim_http_header(x, "User-Agent"), *mode = sim_http_header(x, "Sec-Fetch-Mode");
    return agent && strncmp(agent, "Mozilla/", 8) == 0 && !(mode && strcmp(mode, "cors") == 0);
}

static void envd_proxy_refuse(struct sim_e2b_call *call, int status, const char *id, int64_t port,
                              const char *message) {
    struct sbx_buf body = SBX_BUF_INIT;
    if (envd_wants_page(call->x)) {
        sbx_buf_printf(&body, "<!DOCTYPE html><html><head><title>%d</title></head><body><h1>%s</h1></body></html>\n",
                       status, message);
        sim_http_reply(call->x, status, "text/html; charset=utf-8", sbx_buf_text(&body), body.len);
        sbx_buf_finish(&body);
        return;
    }
    sbx_json_begin_object(&body, NULL);
    sbx_json_put_string(&body, "sandboxId", id);
    sbx_json_put_string(&body, "message", message);
    if (port) sbx_json_put_int(&body, "port", port);
    sbx_json_put_int(&body, "code", status);
    sbx_json_end_object(&body);
    sim_http_reply_json(call->x, status, &body);
}

/* Traffic wakes one that was made so. @return 1 if it has been answered */
static int envd_wake(struct sim_e2b_call *call, const char *id) {
    struct sim_e2b_sandbox *sb = call->sb;
    const int64_t least_ns = 300 * SIM_SEC;
    call->account = sb->account;
    if (sim_e2b_account_running(call->e2b, sb->account) >= sb->account->concurrency) {
        envd_proxy_refuse(call, 429, id, 0, "you have reached the maximum number of concurrent E2B sandboxes");
        return 1;
    }
    sim_e2b_sandbox_resume(sb, sb->timeout_ns > least_ns ? sb->timeout_ns : least_ns);
    return !sim_e2b_sandbox_settle(sb);
}

/* @return 1 if it has been answered */
static int envd_not_there(struct sim_e2b_call *call, const char *id) {
    struct sim_e2b_sandbox *sb = call->sb;
    if (sb && (sb->state == E2B_PAUSING || sb->state == E2B_RESUMING)) {
        envd_proxy_refuse(call, 409, id, 0, "The sandbox is still transitioning. Try again in a moment.");
        return 1;
    }
    if (sb && sb->state == E2B_PAUSED && sb->auto_resume && sb->pause_memory && envd_wake(call, id)) return 1;
    if (sb && sb->state == E2B_RUNNING) return 0;
    envd_proxy_refuse(call, 502, id, 0, "The sandbox was not found");
    return 1;
}

/* @return 1 if it has been answered */
static int envd_other_port(struct sim_e2b_call *call, const struct envd_address *at) {
    const char *token = sim_http_header(call->x, "e2b-traffic-access-token");
    if (at->port == E2B_ENVD_PORT) return 0;
    if (call->sb->traffic_token[0] && !token)
        envd_proxy_refuse(call, 403, at->id, 0,
                          "Sandbox is secured with traffic access token. Token header 'e2b-traffic-access-token' is "
                          "missing");
    else if (call->sb->traffic_token[0] && strcmp(token, call->sb->traffic_token) != 0)
        envd_proxy_refuse(call, 403, at->id, 0,
                          "Sandbox is secured with traffic access token. Provided token in header "
                          "'e2b-traffic-access-token' is invalid");
    else
        envd_proxy_refuse(call, 502, at->id, at->port, "The sandbox is running but port is not open");
    return 1;
}

static int envd_reserved(struct sim_e2b_call *call) {
    static const char *const inside[] = {"/init",     "/freeze", "/unfreeze", "/collapse",
                                         "/fsfreeze", "/fsthaw", "/upgrade"};
    struct sbx_buf body = SBX_BUF_INIT;
    for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
        if (strcmp(sim_http_path(call->x), inside[i]) != 0) continue;
        sbx_json_begin_object(&body, NULL);
        sbx_json_put_string(&body, "message",
                            "This endpoint is reserved for the E2B control plane and is not reachable through the "
                            "sandbox URL");
        sbx_json_put_string(&body, "path", inside[i]);
        sbx_json_put_int(&body, "code", 404);
        sbx_json_end_object(&body);
        sim_http_reply_json(call->x, 404, &body);
        return 1;
    }
    return 0;
}

/* ---- envd's own ---- */

void sim_e2b_envd_refuse(struct sim_e2b_call *call, int status, const char *fmt, ...) {
    struct sbx_buf json = SBX_BUF_INIT, message = SBX_BUF_INIT;
    va_list args;
    va_start(args, fmt);
    sbx_buf_vprintf(&message, fmt, args);
    va_end(args);
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_int(&json, "code", status);
    sbx_json_put_text(&json, "message", sbx_buf_text(&message), sbx_utf8_valid(sbx_buf_text(&message), message.len));
    sbx_json_end_object(&json);
    sbx_buf_char(&json, '\n');
    sbx_buf_finish(&message);
    sim_http_header_add(call->x, "X-Content-Type-Options", "nosniff");
    sim_http_reply_json(call->x, status, &json);
}

static int envd_faulted(struct sim_e2b_call *call) {
    return sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT);
}

static void envd_health(struct sim_e2b_call *call) {
    if (envd_faulted(call)) return;
    sim_http_header_add(call->x, "Cache-Control", "no-store");
    sim_http_reply(call->x, 204, NULL, NULL, 0);
}

static void envd_metrics(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (envd_faulted(call)) return;
    static const struct {
        const char *name;
        int64_t value;
    } members[] = {{"cpu_count", 2},     {"cpu_used_pct", 0},      {"mem_total_mib", 512},
                   {"mem_used_mib", 64}, {"mem_total", 536870912}, {"mem_used", 67108864},
                   {"mem_cache", 0},     {"disk_used", 0},         {"disk_total", 1073741824}};
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_int(&json, "ts", (SIM_EPOCH_MS + sim_e2b_now(call->e2b) / SIM_MS) / 1000);
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        sbx_json_put_int(&json, members[i].name, members[i].value);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

static void envd_envs(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (envd_faulted(call)) return;
    sim_e2b_map_write(call->sb->env, &json, NULL);
    sim_http_reply_json(call->x, 200, &json);
}

static const struct envd_route {
    const char *method, *path, *op;
    void (*serve)(struct sim_e2b_call *call);
    int open; /* needs no token, or checks it itself */
} envd_routes[] = {
    {"GET", "/health", "e2b.envd.health", envd_health, 1},
    {"GET", "/metrics", "e2b.envd.metrics", envd_metrics, 0},
    {"GET", "/envs", "e2b.envd.envs", envd_envs, 0},
    {"GET", "/files", "e2b.files.read", sim_e2b_files_read, 1},
    {"POST", "/files", "e2b.files.write", sim_e2b_files_write, 1},
};

static const struct envd_route *envd_route(const struct sim_http *x) {
    for (size_t i = 0; i < sizeof(envd_routes) / sizeof(envd_routes[0]); i++)
        if (strcmp(envd_routes[i].path, sim_http_path(x)) == 0 &&
            strcmp(envd_routes[i].method, sim_http_method(x)) == 0)
            return &envd_routes[i];
    return NULL;
}

/* @return 1 if it has been refused */
static int envd_token_refused(struct sim_e2b_call *call) {
    const char *token = sim_http_header(call->x, "X-Access-Token");
    if (!call->sb->token[0] || (token && strcmp(token, call->sb->token) == 0)) return 0;
    sim_e2b_envd_refuse(call, 401,
                        "unauthorized access, please provide a valid access token or method signing if supported");
    return 1;
}

static void envd_inside(struct sim_e2b_call *call, const struct envd_route *route) {
    if (envd_reserved(call)) return;
    if (!(route && route->open) && envd_token_refused(call)) return;
    if (route) {
        route->serve(call);
    } else if (sim_e2b_is_rpc(sim_http_path(call->x))) {
        sim_e2b_rpc_serve(call);
    } else {
        sim_http_unsupported(call->x, sim_http_path(call->x), 0);
        envd_plain(call, 404, "404 page not found\n");
    }
}

void sim_e2b_envd_serve(struct sim_e2b_call *call) {
    const struct envd_route *route = envd_route(call->x);
    const char *op = route ? route->op : sim_e2b_rpc_op(sim_http_path(call->x));
    struct envd_address at = {"", 0};
    if (op) sim_http_op(call->x, op);
    if (!envd_address(call, &at)) return;
    struct sim_e2b_sandbox *sb = sim_e2b_sandbox_find(call->e2b, at.id);
    if (sb && sb->state != E2B_STARTING) call->sb = sim_e2b_sandbox_pin(sb);
    if (call->sb) sim_e2b_subject(call, call->sb);
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE)) return;
    if (envd_not_there(call, at.id) || envd_other_port(call, &at)) return;
    envd_inside(call, route);
}
