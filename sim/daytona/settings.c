/* Settings of a sandbox: labels, public, the intervals, activity, network. They wait for nothing and conflict with
 * nothing. */
#include "sim/daytona/errors.h"
#include "sim/daytona/fields.h"
#include "sim/daytona/network.h"
#include "sim/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_ARCHIVE_MAX 43200 /* minutes: 30 days */

int64_t sim_day_archive_minutes(int64_t minutes) {
    return minutes == 0 || minutes > SETTINGS_ARCHIVE_MAX ? SETTINGS_ARCHIVE_MAX : minutes;
}

/* The last public server answers 201 where the specification says 200. */
static int settings_status(const struct sim_day_call *call) {
    return call->day->config.dialect == DAY_V190 ? 201 : 200;
}

static void settings_changed(struct sim_day_call *call) {
    call->sb->updated_ms = sim_day_wall_ms(call->day);
    sim_day_sandbox_note_version(call->sb);
    sim_day_sandbox_sweep_later(call->sb);
}

static void settings_labels_reply(struct sim_day_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (call->day->config.dialect == DAY_V190) {
        sim_day_sandbox_reply(call, 200, call->sb);
        return;
    }
    sbx_json_begin_object(&json, NULL);
    sim_day_map_write(call->sb->labels, &json, "labels");
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

/* Replaced whole. */
void sim_day_serve_labels(struct sim_day_call *call) {
    struct sim_day_fields f;
    struct sim_day_map *labels = NULL;
    if (sim_day_fields_read(&f, call, 0)) goto done;
    labels = sim_day_fields_map(&f, "labels");
    if (!sim_day_fields_has(&f, "labels")) sim_day_fields_wrong(&f, "labels must be an object");
    if (sim_day_fields_refused(&f) || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT)) goto done;
    sim_day_map_drop(call->sb->labels);
    call->sb->labels = sim_day_map_share(labels);
    settings_changed(call);
    sim_day_subject(call, call->sb);
    if (!sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) settings_labels_reply(call);
done:
    sim_day_map_drop(labels);
    sim_day_fields_finish(&f);
}

/* Commits a change that is one number, between the phases. */
static void settings_put(struct sim_day_call *call, int64_t *member, int64_t value) {
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    *member = value;
    settings_changed(call);
    if (!sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_day_sandbox_reply(call, settings_status(call), call->sb);
}

/* @return 1 if the path's number is none and has been refused */
static int settings_minutes(struct sim_day_call *call, int64_t *minutes) {
    if (sbx_text_int(call->arg[1], INT32_MIN, INT32_MAX, minutes)) return 0;
    sim_day_refuse(call, 400, NULL, "Validation failed (numeric string is expected)");
    return 1;
}

void sim_day_serve_public(struct sim_day_call *call) {
    int64_t value = strcmp(call->arg[1], "true") == 0;
    if (!value && strcmp(call->arg[1], "false") != 0) {
        sim_day_refuse(call, 400, NULL, "Validation failed (boolean string is expected)");
        return;
    }
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    call->sb->is_public = (int)value;
    settings_changed(call);
    if (!sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_day_sandbox_reply(call, settings_status(call), call->sb);
}

void sim_day_serve_autostop(struct sim_day_call *call) {
    int64_t minutes = 0;
    if (settings_minutes(call, &minutes)) return;
    if (minutes < 0)
        sim_day_refuse(call, 400, NULL, "Auto-stop interval must be non-negative");
    else
        settings_put(call, &call->sb->auto_stop, minutes);
}

void sim_day_serve_autoarchive(struct sim_day_call *call) {
    int64_t minutes = 0;
    if (settings_minutes(call, &minutes)) return;
    if (minutes < 0)
        sim_day_refuse(call, 400, NULL, "Auto-archive interval must be non-negative");
    else
        settings_put(call, &call->sb->auto_archive, sim_day_archive_minutes(minutes));
}

void sim_day_serve_autodelete(struct sim_day_call *call) {
    int64_t minutes = 0;
    if (settings_minutes(call, &minutes)) return;
    settings_put(call, &call->sb->auto_delete, minutes < 0 ? -1 : minutes);
}

/* Containers cannot pause. */
void sim_day_serve_autopause(struct sim_day_call *call) {
    int64_t minutes = 0;
    if (settings_minutes(call, &minutes) || sim_day_fault_read(call)) return;
    if (minutes == 0)
        sim_day_sandbox_reply(call, settings_status(call), call->sb);
    else
        sim_day_refuse(call, 422, "SANDBOX_OPERATION_NOT_SUPPORTED", "Pausing is not supported for this sandbox");
}

void sim_day_serve_ttl(struct sim_day_call *call) {
    int64_t minutes = 0;
    if (settings_minutes(call, &minutes)) return;
    if (minutes < 0)
        sim_day_refuse(call, 400, NULL, "TTL must be non-negative");
    else
        settings_put(call, &call->sb->destroy_at_ms, minutes ? sim_day_wall_ms(call->day) + minutes * 60000 : 0);
}

void sim_day_serve_activity(struct sim_day_call *call) {
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    sim_day_sandbox_touch(call->sb);
    if (!sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_day_reply_empty(call, 201);
}

/* @return 0 when memory runs out */
static int settings_text(char **member, const char *value) {
    char *copy = value && *value ? strdup(value) : NULL;
    if (value && *value && !copy) return 0;
    free(*member);
    *member = copy;
    return 1;
}

/* Block-all clears the allow list, an allow list turns block-all off, and so does block-all:false, which clears it too.
 */
static int settings_network_commit(struct sim_day_sandbox *sb, int has_block, int block, const char *cidrs,
                                   const char *domains) {
    int ok = 1;
    if (has_block) {
        sb->block_all = block;
        if (block || !cidrs) ok = ok && settings_text(&sb->allow_cidrs, NULL);
    }
    if (cidrs && !block) {
        ok = ok && settings_text(&sb->allow_cidrs, cidrs);
        sb->block_all = 0;
    }
    if (domains) ok = ok && settings_text(&sb->allow_domains, domains);
    return ok;
}

static int settings_network_refused(struct sim_day_call *call, struct sim_day_fields *f, const char *cidrs,
                                    const char *domains) {
    char why[400];
    if (sim_day_fields_refused(f)) return 1;
    if (!cidrs && !domains && !sim_day_fields_has(f, "networkBlockAll")) {
        sim_day_refuse(call, 400, NULL, "At least one network setting must be given");
        return 1;
    }
    if ((cidrs && !sim_day_network_cidrs(cidrs, why, sizeof(why))) ||
        (domains && !sim_day_network_domains(domains, why, sizeof(why)))) {
        sim_day_refuse(call, 400, NULL, "%s", why);
        return 1;
    }
    return 0;
}

void sim_day_serve_network(struct sim_day_call *call) {
    struct sim_day_fields f;
    if (sim_day_fields_read(&f, call, 0)) goto done;
    const int block = sim_day_fields_bool(&f, "networkBlockAll", 0);
    const char *cidrs = sim_day_fields_text(&f, "networkAllowList");
    const char *domains = sim_day_fields_text(&f, "domainAllowList");
    if (settings_network_refused(call, &f, cidrs, domains) || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT)) goto done;
    if (!settings_network_commit(call->sb, sim_day_fields_has(&f, "networkBlockAll"), block, cidrs, domains)) {
        sim_day_broken(call);
        goto done;
    }
    settings_changed(call);
    if (!sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_day_sandbox_reply(call, 200, call->sb);
done:
    sim_day_fields_finish(&f);
}
