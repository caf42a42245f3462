/* How a sandbox is told: the short answer of a create, items of lists, details. */
#include "sim/e2b/cloud.h"
#include "sim/kit/calendar.h"

#include <stdio.h>
#include <string.h>

#define DTO_CLIENT "6532622b" /* a constant that means nothing any more */
#define DTO_CPU    2
#define DTO_MEMORY 512
#define DTO_DISK   1024
#define DTO_DAY_S  86400

void sim_e2b_stamp(int64_t ns, char *out) {
    const int64_t wall_ns = SIM_EPOCH_MS * SIM_MS + ns, seconds = wall_ns / SIM_SEC;
    const struct sim_date date = sim_calendar(seconds / DTO_DAY_S);
    const int clock = (int)(seconds % DTO_DAY_S);
    int len = snprintf(out, 40, "%04d-%02d-%02dT%02d:%02d:%02d.%09d", date.year, date.month, date.day, clock / 3600,
                       clock / 60 % 60, clock % 60, (int)(wall_ns % SIM_SEC));
    while (out[len - 1] == '0') len--;
    if (out[len - 1] == '.') len--;
    out[len++] = 'Z';
    out[len] = 0;
}

static void dto_put_stamp(struct sbx_buf *json, const char *key, int64_t ns) {
    char stamp[40];
    sim_e2b_stamp(ns, stamp);
    sbx_json_put_string(json, key, stamp);
}

static void dto_names(const struct sim_e2b_sandbox *sb, struct sbx_buf *json) {
    sbx_json_put_string(json, "templateID", sb->template_id);
    sbx_json_put_string(json, "sandboxID", sb->id);
    sbx_json_put_string(json, "clientID", DTO_CLIENT);
    if (sb->alias) sbx_json_put_string(json, "alias", sb->alias);
    sbx_json_put_string(json, "envdVersion", sb->e2b->config.envd_version);
}

void sim_e2b_sandbox_reply(struct sim_e2b_call *call, int status, const struct sim_e2b_sandbox *sb) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    dto_names(sb, &json);
    if (sb->token[0]) sbx_json_put_string(&json, "envdAccessToken", sb->token);
    if (sb->traffic_token[0]) sbx_json_put_string(&json, "trafficAccessToken", sb->traffic_token);
    sbx_json_put_null(&json, "domain");
    sbx_json_end_object(&json);
    sim_http_secret(call->x, sb->token);
    sim_http_secret(call->x, sb->traffic_token);
    sim_http_reply_json(call->x, status, &json);
}

static void dto_detail(const struct sim_e2b_sandbox *sb, struct sbx_buf *json) {
    if (sb->token[0]) sbx_json_put_string(json, "envdAccessToken", sb->token);
    sbx_json_put_null(json, "domain");
    if (sb->internet < 0)
        sbx_json_put_null(json, "allowInternetAccess");
    else
        sbx_json_put_bool(json, "allowInternetAccess", sb->internet);
    if (sb->network) sbx_json_put_raw(json, "network", sb->network, strlen(sb->network));
    sbx_json_begin_object(json, "lifecycle");
    sbx_json_put_string(json, "onTimeout", sb->auto_pause ? "pause" : "kill");
    sbx_json_put_bool(json, "autoResume", sb->auto_resume);
    sbx_json_end_object(json);
}

void sim_e2b_sandbox_write(const struct sim_e2b_sandbox *sb, int detail, struct sbx_buf *json) {
    const int paused = strcmp(sim_e2b_sandbox_shown(sb), "paused") == 0;
    sbx_json_begin_object(json, NULL);
    dto_names(sb, json);
    dto_put_stamp(json, "startedAt", sb->started_ns);
    dto_put_stamp(json, "endAt", paused ? sb->paused_ns : sb->end_ns);
    sbx_json_put_int(json, "cpuCount", DTO_CPU);
    sbx_json_put_int(json, "memoryMB", DTO_MEMORY);
    sbx_json_put_int(json, "diskSizeMB", DTO_DISK);
    if (sb->metadata) sim_e2b_map_write(sb->metadata, json, "metadata");
    sbx_json_put_string(json, "state", sim_e2b_sandbox_shown(sb));
    if (detail) dto_detail(sb, json);
    sbx_json_begin_array(json, "volumeMounts");
    sbx_json_end_array(json);
    sbx_json_end_object(json);
}
