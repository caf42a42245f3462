/* The registry of snapshots: those of the scenario, told by list and by name. Making and deleting them is not
 * simulated. */
#include "sim/daytona/errors.h"
#include "sim/daytona/verbs.h"

#include <string.h>

const struct sim_day_snapshot *sim_day_snapshot_find(const struct sim_day_config *config, const char *id_or_name) {
    for (const struct sim_day_snapshot *s = config->snapshots; s; s = s->next)
        if (strcmp(s->name, id_or_name) == 0 || strcmp(s->id, id_or_name) == 0) return s;
    return NULL;
}

const struct sim_day_volume *sim_day_volume_find(const struct sim_day_config *config, const char *id_or_name) {
    for (const struct sim_day_volume *v = config->volumes; v; v = v->next)
        if (strcmp(v->name, id_or_name) == 0 || strcmp(v->id, id_or_name) == 0) return v;
    return NULL;
}

static void snapshot_write(const struct sim_day_snapshot *snapshot, struct sbx_buf *json) {
    char stamp[DAY_STAMP_SIZE];
    sim_day_stamp(snapshot->created_ms, stamp);
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "id", snapshot->id);
    sbx_json_put_bool(json, "general", 1);
    sbx_json_put_string(json, "name", snapshot->name);
    sbx_json_put_string(json, "imageName", snapshot->name);
    sbx_json_put_string(json, "state", snapshot->state);
    sbx_json_put_null(json, "size");
    sbx_json_put_null(json, "entrypoint");
    sbx_json_put_int(json, "cpu", snapshot->cpu);
    sbx_json_put_int(json, "gpu", 0);
    sbx_json_put_int(json, "mem", snapshot->memory);
    sbx_json_put_int(json, "disk", snapshot->disk);
    sbx_json_put_null(json, "errorReason");
    sbx_json_put_string(json, "createdAt", stamp);
    sbx_json_put_string(json, "updatedAt", stamp);
    sbx_json_put_null(json, "lastUsedAt");
    sbx_json_put_null(json, "sourceSandboxId");
    sbx_json_end_object(json);
}

void sim_day_serve_snapshot(struct sim_day_call *call) {
    const struct sim_day_snapshot *snapshot = sim_day_snapshot_find(&call->day->config, call->arg[0]);
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_fault_read(call)) return;
    if (!snapshot) {
        sim_day_refuse(call, 404, NULL, "Snapshot %s not found", call->arg[0]);
        return;
    }
    snapshot_write(snapshot, &json);
    sim_http_reply_json(call->x, 200, &json);
}

/* All on one page: scenarios have few. */
void sim_day_serve_snapshots(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    int64_t total = 0;
    if (sim_day_fault_read(call)) return;
    sbx_json_begin_object(&json, NULL);
    sbx_json_begin_array(&json, "items");
    for (const struct sim_day_snapshot *s = call->day->config.snapshots; s; s = s->next, total++)
        snapshot_write(s, &json);
    sbx_json_end_array(&json);
    sbx_json_put_int(&json, "total", total);
    sbx_json_put_int(&json, "page", 1);
    sbx_json_put_int(&json, "totalPages", 1);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}
