/* Small answers of the control plane, single reads, and what a wrong base URL meets. */
#include "sim/daytona/misc.h"
#include "sim/daytona/errors.h"
#include "sim/daytona/verbs.h"

#include <stdio.h>
#include <string.h>

void sim_day_serve_get(struct sim_day_call *call) {
    if (sim_day_fault_read(call)) return;
    if (call->sb->gone)
        sim_day_refuse(call, 404, NULL, "Sandbox with ID or name %s not found", call->arg[0]);
    else
        sim_day_sandbox_reply(call, 200, call->sb);
}

static void misc_url(struct sim_day_call *call, struct sbx_buf *json, const char *key, const char *path) {
    struct sbx_buf url = SBX_BUF_INIT;
    sbx_buf_printf(&url, "%s%s", call->day->cloud.base_url, path);
    sbx_json_put_string(json, key, sbx_buf_text(&url));
    sbx_buf_finish(&url);
}

void sim_day_serve_toolbox_url(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_fault_read(call)) return;
    sbx_json_begin_object(&json, NULL);
    misc_url(call, &json, "url", "/toolbox");
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

void sim_day_serve_config(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_fault_read(call)) return;
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "version", "0.190.0");
    sbx_json_begin_object(&json, "oidc");
    misc_url(call, &json, "issuer", "/oidc");
    sbx_json_put_string(&json, "clientId", "daytona");
    sbx_json_put_string(&json, "audience", "daytona");
    sbx_json_end_object(&json);
    sbx_json_put_bool(&json, "linkedAccountsEnabled", 0);
    sbx_json_begin_object(&json, "announcements");
    sbx_json_end_object(&json);
    sbx_json_put_string(&json, "proxyTemplateUrl", "http://{{PORT}}-{{sandboxId}}.daytona.sim");
    misc_url(call, &json, "proxyToolboxUrl", "/toolbox");
    sbx_json_put_string(&json, "defaultSnapshot", call->day->config.default_snapshot);
    misc_url(call, &json, "dashboardUrl", "/dashboard");
    sbx_json_put_int(&json, "maxAutoArchiveInterval", 43200);
    sbx_json_put_bool(&json, "maintananceMode", 0); /* spelled so */
    sbx_json_put_string(&json, "environment", "simulation");
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

void sim_day_serve_health(struct sim_day_call *call) {
    static const char body[] = "{\"status\":\"ok\"}";
    if (sim_day_fault_read(call)) return;
    sim_http_reply(call->x, 200, "application/json; charset=utf-8", body, sizeof(body) - 1);
}

static void misc_permissions(const struct sim_day_account *account, struct sbx_buf *json) {
    sbx_json_begin_array(json, "permissions");
    if (account->may_write) sbx_json_put_string(json, NULL, "write:sandboxes");
    if (account->may_delete) sbx_json_put_string(json, NULL, "delete:sandboxes");
    sbx_json_end_array(json);
}

void sim_day_serve_key(struct sim_day_call *call) {
    const struct sim_day_account *account = call->account;
    struct sbx_buf json = SBX_BUF_INIT;
    char stamp[DAY_STAMP_SIZE];
    if (sim_day_fault_read(call)) return;
    sim_day_stamp(account->created_ms, stamp);
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "name", account->name);
    sbx_json_put_string(&json, "value", "dtn_********************************");
    sbx_json_put_string(&json, "createdAt", stamp);
    misc_permissions(account, &json);
    sbx_json_put_null(&json, "lastUsedAt");
    sbx_json_put_null(&json, "expiresAt");
    sbx_json_put_string(&json, "userId", account->name);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

void sim_day_serve_regions(struct sim_day_call *call) {
    static const char *const regions[] = {"us", "eu"};
    static const char *const absent[] = {"organizationId", "proxyUrl", "sshGatewayUrl", "snapshotManagerUrl",
                                         "otelEndpoint"};
    struct sbx_buf json = SBX_BUF_INIT;
    char stamp[DAY_STAMP_SIZE];
    if (sim_day_fault_read(call)) return;
    sim_day_stamp(SIM_EPOCH_MS, stamp);
    sbx_json_begin_array(&json, NULL);
    for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        sbx_json_begin_object(&json, NULL);
        sbx_json_put_string(&json, "id", regions[i]);
        sbx_json_put_string(&json, "name", regions[i]);
        sbx_json_put_string(&json, "regionType", "shared");
        sbx_json_put_string(&json, "createdAt", stamp);
        sbx_json_put_string(&json, "updatedAt", stamp);
        for (size_t k = 0; k < sizeof(absent) / sizeof(absent[0]); k++) sbx_json_put_null(&json, absent[k]);
        sbx_json_end_object(&json);
    }
    sbx_json_end_array(&json);
    sim_http_reply_json(call->x, 200, &json);
}

/* SDKs ask for Socket.IO events and poll when they are refused. */
void sim_day_serve_socket(struct sim_day_call *call) {
    sim_http_unsupported(call->x, "Socket.IO state events", 1);
    sim_day_refuse(call, 404, NULL, "Cannot %s %s", sim_http_method(call->x), sim_http_path(call->x));
}

void sim_day_serve_unsimulated(struct sim_day_call *call) {
    sim_http_unsupported(call->x, sim_http_path(call->x), 0);
    sim_day_refuse(call, 501, NULL, "Not simulated: %s %s", sim_http_method(call->x), call->route->pattern);
}

void sim_day_serve_elsewhere(struct sim_day_call *call) {
    static const char html[] = "<!DOCTYPE html><html><head><title>Daytona</title></head><body></body></html>";
    const char *path = sim_http_path(call->x);
    const int toolbox = strncmp(path, "/toolbox/", 9) == 0;
    sim_http_op(call->x, "daytona.elsewhere");
    if (strncmp(path, "/api/", 5) == 0 || toolbox) sim_http_unsupported(call->x, path, 0);
    if (toolbox) {
        static const char text[] = "404 page not found";
        sim_http_reply(call->x, 404, "text/plain", text, sizeof(text) - 1);
    } else if (strncmp(path, "/api/", 5) == 0 || strcmp(path, "/api") == 0) {
        sim_day_refuse(call, 404, NULL, "Cannot %s %s", sim_http_method(call->x), path);
    } else if (strcmp(path, "/") == 0) {
        sim_http_header_add(call->x, "Location", "/dashboard");
        sim_day_reply_empty(call, 302);
    } else {
        sim_http_reply(call->x, 200, "text/html; charset=utf-8", html, sizeof(html) - 1);
    }
}
