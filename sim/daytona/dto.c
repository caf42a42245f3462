/* What others are told of a sandbox: the full object, and the list item, which has less and is behind. Row D21. */
#include "sim/daytona/cloud.h"

#include <string.h>

#define OBJECT_USUAL 2000 /* bytes of most sandboxes' objects: the buffer need not grow to it step by step */

static void dto_stamp(struct sbx_buf *json, const char *key, int64_t wall_ms) {
    char stamp[DAY_STAMP_SIZE];
    sim_day_stamp(wall_ms, stamp);
    sbx_json_put_string(json, key, stamp);
}

static void dto_toolbox_url(const struct sim_day_sandbox *sb, struct sbx_buf *json) {
    struct sbx_buf url = SBX_BUF_INIT;
    sbx_buf_printf(&url, "%s/toolbox", sb->day->cloud.base_url);
    sbx_json_put_string(json, "toolboxProxyUrl", sbx_buf_text(&url));
    sbx_buf_finish(&url);
}

/* Members that the full object and the list item share; labels and states come from the index in an item. */
static void dto_common(const struct sim_day_sandbox *sb, const struct sim_day_version *as, struct sbx_buf *json) {
    sbx_json_put_string(json, "id", sb->id);
    sbx_json_put_string(json, "organizationId", sb->account->organization_id);
    sbx_json_put_string(json, "name", as->name);
    sbx_json_put_string(json, "snapshot", sb->snapshot);
    sbx_json_put_string(json, "user", sb->user);
    sim_day_map_write(as->labels, json, "labels");
    sbx_json_put_bool(json, "public", sb->is_public);
    sbx_json_put_bool(json, "networkBlockAll", sb->block_all);
    sbx_json_put_string(json, "networkAllowList", sb->allow_cidrs);
    sbx_json_put_string(json, "domainAllowList", sb->allow_domains);
    sbx_json_put_string(json, "target", sb->target);
    sbx_json_put_int(json, "cpu", sb->cpu);
    sbx_json_put_int(json, "gpu", 0);
    sbx_json_put_int(json, "memory", sb->memory);
    sbx_json_put_int(json, "disk", sb->disk);
    sbx_json_put_string(json, "state", sim_day_state_name(as->stored));
    sbx_json_put_string(json, "desiredState", sim_day_want_name(as->want));
    sbx_json_put_string(json, "errorReason", sb->error_reason);
    sbx_json_put_bool(json, "recoverable", sb->recoverable);
    sbx_json_put_string(json, "backupState", "None");
    sbx_json_put_int(json, "autoStopInterval", sb->auto_stop);
    sbx_json_put_int(json, "autoArchiveInterval", sb->auto_archive);
    sbx_json_put_int(json, "autoDeleteInterval", sb->auto_delete);
    if (sb->destroy_at_ms) dto_stamp(json, "autoDestroyAt", sb->destroy_at_ms);
    dto_stamp(json, "createdAt", sb->created_ms);
    dto_stamp(json, "updatedAt", sb->updated_ms);
    dto_stamp(json, "lastActivityAt", sb->activity_ms);
    sbx_json_put_string(json, "sandboxClass", "container");
    sbx_json_put_string(json, "daemonVersion", sim_day_state_running(sb->stored) ? sb->day->config.daemon : NULL);
    sbx_json_put_string(json, "runnerId", sb->day->runner_id);
    if (sb->day->config.toolbox_url_in_dto) dto_toolbox_url(sb, json);
}

static void dto_build_info(const struct sim_day_sandbox *sb, struct sbx_buf *json) {
    sbx_json_begin_object(json, "buildInfo");
    sbx_json_put_string(json, "dockerfileContent", sb->dockerfile);
    dto_stamp(json, "createdAt", sb->created_ms);
    dto_stamp(json, "updatedAt", sb->created_ms);
    sbx_json_put_string(json, "snapshotRef", sb->id);
    sbx_json_end_object(json);
}

void sim_day_sandbox_write(const struct sim_day_sandbox *sb, struct sbx_buf *json, const char *key) {
    const struct sim_day_version now = {0, sim_day_sandbox_shown(sb), sb->want, sb->labels, sb->name};
    sbx_json_begin_object(json, key);
    dto_common(sb, &now, json);
    sim_day_map_write(sb->env, json, "env");
    sbx_json_put_raw(json, "volumes", sb->volumes ? sb->volumes : "[]", sb->volumes ? strlen(sb->volumes) : 2);
    if (sb->dockerfile) dto_build_info(sb, json);
    sbx_json_end_object(json);
}

void sim_day_sandbox_write_item(const struct sim_day_sandbox *sb, const struct sim_day_version *version,
                                struct sbx_buf *json) {
    sbx_json_begin_object(json, NULL);
    dto_common(sb, version, json);
    sbx_json_end_object(json);
}

void sim_day_sandbox_reply(struct sim_day_call *call, int status, const struct sim_day_sandbox *sb) {
    struct sbx_buf json = SBX_BUF_INIT;
    (void)sbx_buf_reserve(&json, OBJECT_USUAL); /* a failure stays with the buffer */
    sim_day_sandbox_write(sb, &json, NULL);
    sim_http_reply_json(call->x, status, &json);
}
