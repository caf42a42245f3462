/* POST /sandbox: what is asked is checked, made, and held up to 30 s; the answer shows the sandbox from before the
 * wait. */
#include "sim/daytona/errors.h"
#include "sim/daytona/fields.h"
#include "sim/daytona/network.h"
#include "sim/daytona/verbs.h"

#include <stdlib.h>
#include <string.h>

#define CREATE_ARCHIVE_DEFAULT 10080 /* minutes: a week */
#define CREATE_STOP_DEFAULT    15

/** A create on its way through the checks. */
struct create {
    struct day_fields fields;
    struct day_wish wish;
    struct sbx_buf volumes;
    int has_resources;
    int64_t gpu;
};

static void create_finish(struct create *c) {
    day_map_drop(c->wish.env);
    day_map_drop(c->wish.labels);
    sbx_buf_finish(&c->volumes);
    day_fields_finish(&c->fields);
}

static void create_read_build(struct create *c) {
    struct day_fields *f = &c->fields;
    const struct sbx_json_node *build = day_fields_object(f, "buildInfo");
    if (!build) return;
    c->wish.dockerfile = sbx_json_opt_string(f->js, build, "dockerfileContent", NULL);
    if (!c->wish.dockerfile) day_fields_wrong(f, "buildInfo.dockerfileContent must be a string");
    (void)sbx_json_opt_array(f->js, build, "contextHashes");
}

static void create_read_intervals(struct create *c) {
    struct day_fields *f = &c->fields;
    c->wish.auto_stop = day_fields_int(f, "autoStopInterval", INT64_MIN, CREATE_STOP_DEFAULT);
    c->wish.auto_archive = day_fields_int(f, "autoArchiveInterval", INT64_MIN, CREATE_ARCHIVE_DEFAULT);
    c->wish.auto_delete = day_fields_int(f, "autoDeleteInterval", INT64_MIN, -1);
    c->wish.ttl = day_fields_int(f, "ttlMinutes", 0, 0);
}

static void create_read(struct create *c) {
    struct day_fields *f = &c->fields;
    c->wish.name = day_fields_text(f, "name");
    c->wish.snapshot = day_fields_text(f, "snapshot");
    c->wish.user = day_fields_text(f, "user");
    c->wish.target = day_fields_text(f, "target");
    c->wish.env = day_fields_map(f, "env");
    c->wish.labels = day_fields_map(f, "labels");
    c->wish.is_public = day_fields_bool(f, "public", 0);
    c->wish.block_all = day_fields_bool(f, "networkBlockAll", 0);
    c->wish.allow_cidrs = day_fields_text(f, "networkAllowList");
    c->wish.allow_domains = day_fields_text(f, "domainAllowList");
    c->has_resources = day_fields_has(f, "cpu") || day_fields_has(f, "memory") || day_fields_has(f, "disk") ||
                       day_fields_has(f, "gpu");
    c->wish.cpu = day_fields_int(f, "cpu", 1, 1);
    c->wish.memory = day_fields_int(f, "memory", 1, 1);
    c->wish.disk = day_fields_int(f, "disk", 1, 3);
    c->gpu = day_fields_int(f, "gpu", 0, 0);
    create_read_build(c);
    create_read_intervals(c);
}

/* @return 1 if it asks for what is not simulated and has been answered so */
static int create_unsupported(struct day_call *call, struct create *c) {
    static const char *const members[] = {"linkedSandbox", "secrets",          "spot",
                                          "gpuType",       "outboundProxyUrl", "otelEndpointOverride"};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (day_fields_has(&c->fields, members[i])) {
            sim_http_unsupported(call->x, members[i], 0);
            day_refuse(call, 501, NULL, "Not simulated: %s", members[i]);
            return 1;
        }
    return 0;
}

/* @return 1 if refused, as in all checks below */
static int create_check_intervals(struct day_call *call, struct create *c) {
    if (c->wish.auto_stop < 0) {
        day_refuse(call, 400, NULL, "Auto-stop interval must be non-negative");
        return 1;
    }
    if (c->wish.auto_archive < 0) {
        day_refuse(call, 400, NULL, "Auto-archive interval must be non-negative");
        return 1;
    }
    if (day_fields_int(&c->fields, "autoPauseInterval", 0, 0) > 0) {
        day_refuse(call, 422, "SANDBOX_OPERATION_NOT_SUPPORTED", "Pausing is not supported for this sandbox");
        return 1;
    }
    c->wish.auto_archive = day_archive_minutes(c->wish.auto_archive);
    if (c->wish.auto_delete < 0) c->wish.auto_delete = -1;
    return 0;
}

static int create_check_snapshot(struct day_call *call, struct create *c) {
    const struct day_config *config = &call->day->config;
    const char *name = c->wish.snapshot ? c->wish.snapshot : config->default_snapshot;
    const struct day_snapshot *snapshot = NULL;
    if (c->wish.dockerfile && c->wish.snapshot) {
        day_refuse(call, 400, NULL, "Cannot specify a snapshot when using a build info entry");
        return 1;
    }
    if (c->wish.dockerfile) return 0;
    if (c->has_resources) {
        day_refuse(call, 400, NULL, "Cannot specify Sandbox resources when using a snapshot");
        return 1;
    }
    snapshot = day_snapshot_find(config, name);
    if (!snapshot) {
        day_refuse(call, 400, NULL, "Snapshot %s not found. Did you add it through the Daytona Dashboard?", name);
        return 1;
    }
    if (strcmp(snapshot->state, "active") != 0) {
        day_refuse(call, 400, NULL, "Snapshot %s is %s", name, snapshot->state);
        return 1;
    }
    c->wish.snapshot = snapshot->name;
    c->wish.cpu = snapshot->cpu;
    c->wish.memory = snapshot->memory;
    c->wish.disk = snapshot->disk;
    return 0;
}

static int create_check_place(struct day_call *call, struct create *c) {
    if (!c->wish.target) c->wish.target = call->day->config.region;
    if (strcmp(c->wish.target, "us") != 0 && strcmp(c->wish.target, "eu") != 0 &&
        strcmp(c->wish.target, call->day->config.region) != 0) {
        day_refuse(call, 404, NULL, "Region not found");
        return 1;
    }
    if (c->gpu > 0 && c->wish.auto_delete != 0) {
        day_refuse(call, 400, NULL, "GPU sandboxes must be ephemeral - set autoDeleteInterval to 0");
        return 1;
    }
    if (c->gpu > 0) {
        day_refuse(call, 400, "NO_AVAILABLE_RUNNERS", "No available runners");
        return 1;
    }
    return 0;
}

static int create_check_network(struct day_call *call, struct create *c) {
    char why[400];
    if ((c->wish.allow_cidrs && !day_network_cidrs(c->wish.allow_cidrs, why, sizeof(why))) ||
        (c->wish.allow_domains && !day_network_domains(c->wish.allow_domains, why, sizeof(why)))) {
        day_refuse(call, 400, NULL, "%s", why);
        return 1;
    }
    if (c->wish.block_all || (c->wish.allow_cidrs && !*c->wish.allow_cidrs)) c->wish.allow_cidrs = NULL;
    if (c->wish.allow_domains && !*c->wish.allow_domains) c->wish.allow_domains = NULL;
    return 0;
}

static const char *create_mount_fault(const char *path) {
    static const char *const taken[] = {"/proc", "/sys", "/dev", "/boot", "/etc", "/bin", "/sbin", "/lib", "/lib64"};
    if (path[0] != '/') return "must be absolute";
    if (strspn(path, "/") == strlen(path)) return "cannot mount to root directory";
    if (strstr(path, "/../") || strstr(path, "/./") || strstr(path, "//")) return "cannot contain relative components";
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        const size_t len = strlen(taken[i]);
        if (strncmp(path, taken[i], len) == 0 && (path[len] == '/' || !path[len]))
            return "cannot mount to system directory";
    }
    return NULL;
}

/* Volumes are known by name and shown in the answer; what is in them is not simulated. */
static int create_check_volumes(struct day_call *call, struct create *c) {
    struct day_fields *f = &c->fields;
    const struct sbx_json_node *list = day_fields_array(f, "volumes");
    if (!list) return 0;
    for (const struct sbx_json_node *it = sbx_json_first(list); it; it = sbx_json_next(it)) {
        const char *id = sbx_json_opt_string(f->js, it, "volumeId", "");
        const char *path = sbx_json_opt_string(f->js, it, "mountPath", "");
        const char *fault = create_mount_fault(path);
        (void)sbx_json_opt_string(f->js, it, "subpath", NULL);
        if (!day_volume_find(&call->day->config, id)) {
            day_refuse(call, 400, NULL, "Volume with ID or name %s not found", id);
            return 1;
        }
        if (fault) {
            day_refuse(call, 400, NULL, "Invalid mount path %s (%s)", path, fault);
            return 1;
        }
    }
    sbx_json_write_node(&c->volumes, list);
    if (c->volumes.failed) f->no_memory = 1;
    c->wish.volumes = sbx_buf_text(&c->volumes);
    return 0;
}

static int quota_each(struct day_call *call, const char *what, const char *unit, int64_t asked, int64_t most) {
    if (most == 0 || asked <= most) return 0;
    day_refuse(
        call, 400, NULL,
        "%s request %lld%s exceeds maximum allowed per sandbox (%lld%s).\nAsk for a higher limit or request less.",
        what, (long long)asked, unit, (long long)most, unit);
    return 1;
}

static int quota_total(struct day_call *call, const char *what, const char *unit, int64_t sum, int64_t most) {
    if (most == 0 || sum <= most) return 0;
    day_refuse(call, 400, "ORGANIZATION_QUOTA_EXCEEDED",
               "Total %s limit exceeded. Maximum allowed: %lld%s.\nA higher tier has higher limits.", what,
               (long long)most, unit);
    return 1;
}

int day_quota_refused(struct day_call *call, const struct day_usage *more) {
    const struct day_quota *quota = &call->account->quota;
    const struct day_usage used = day_account_usage(call->day, call->account);
    return quota_total(call, "CPU", "", used.cpu + more->cpu, more->cpu ? quota->cpu : 0) ||
           quota_total(call, "memory", "GiB", used.memory_gib + more->memory_gib,
                       more->memory_gib ? quota->memory_gib : 0) ||
           quota_total(call, "disk", "GiB", used.disk_gib + more->disk_gib, more->disk_gib ? quota->disk_gib : 0) ||
           quota_total(call, "sandbox", "", used.sandboxes + more->sandboxes, more->sandboxes ? quota->sandboxes : 0);
}

int day_suspended(struct day_call *call) {
    const char *reason = call->account->suspended;
    if (!reason) return 0;
    day_refuse(call, 403, "ORGANIZATION_SUSPENDED",
               *reason ? "Organization is suspended: %s" : "Organization is suspended%s", reason);
    return 1;
}

static int create_check_quota(struct day_call *call, const struct create *c) {
    const struct day_quota *quota = &call->account->quota;
    const struct day_usage more = {c->wish.cpu, c->wish.memory, c->wish.disk, 1};
    return quota_each(call, "CPU", "", c->wish.cpu, quota->cpu_each) ||
           quota_each(call, "Memory", "GB", c->wish.memory, quota->memory_gib_each) ||
           quota_each(call, "Disk", "GB", c->wish.disk, quota->disk_gib_each) || day_quota_refused(call, &more);
}

/* Unique among what is not destroyed, and not to be taken for somebody's id. */
static int create_check_name(struct day_call *call, const struct create *c) {
    if (!c->wish.name || !day_sandbox_find(call->day, call->account, c->wish.name)) return 0;
    day_refuse(call, 409, NULL, "Sandbox with name %s already exists", c->wish.name);
    return 1;
}

static int create_check(struct day_call *call, struct create *c) {
    if (!c->wish.user || !*c->wish.user) c->wish.user = "daytona";
    if (c->wish.name && !*c->wish.name) c->wish.name = NULL;
    return day_suspended(call) || create_check_intervals(call, c) || create_check_place(call, c) ||
           create_check_snapshot(call, c) || create_check_network(call, c) || create_check_volumes(call, c) ||
           day_fields_refused(&c->fields) || create_check_quota(call, c) || create_check_name(call, c);
}

/* What an effect asked for after the body was read, or before: refusals that depend on the cloud and not on the
 * request. */
static int create_twisted(struct day_call *call, const struct create *c) {
    if (call->twist.snapshot_inactive)
        day_refuse(call, 400, NULL, "Snapshot %s is inactive", c->wish.snapshot ? c->wish.snapshot : "");
    else if (call->twist.no_runners)
        day_refuse(call, 400, "NO_AVAILABLE_RUNNERS", "No available runners");
    else
        return 0;
    return 1;
}

static struct day_sandbox *create_commit(struct day_call *call, const struct create *c) {
    struct daytona *day = call->day;
    struct day_sandbox *sb = day_sandbox_new(day, call->account, &c->wish);
    const char *acquisition = NULL;
    if (!sb) return NULL;
    call->sb = day_sandbox_pin(sb);
    acquisition = day_map_get(sb->labels, "sandport-acq");
    sb->fails = call->twist.fails_boot;
    sb->fail_to = call->twist.fail_boot;
    sb->fail_early = sb->fails && sb->fail_to == DAY_BUILD_FAILED;
    if (sb->fails) sb->fail_reason = "the container exited while it was being started";
    sb->dead_boot_ns = call->twist.dead_ns;
    sb->dead_coded = call->twist.dead_coded;
    sim_journal_alias_add(sim_journal(day->sim), "sb", sb->id, sb->name);
    sim_ledger_open(sim_ledger(day->sim), "daytona", call->account->name, sb->id, sb->name,
                    acquisition ? acquisition : "", day_account_price(call->account, sb), day_request_number(call));
    day_sandbox_note_version(sb);
    day_sandbox_go(sb, sb->dockerfile ? DAY_BUILD : DAY_CREATE, "create", day_request_number(call));
    day_subject(call, sb);
    return sb;
}

/* Held until it runs, fails or 30 s are over, though what is answered was written before. */
static void create_answer(struct day_call *call, struct day_sandbox *sb) {
    struct sbx_buf json = SBX_BUF_INIT;
    day_sandbox_write(sb, &json, NULL);
    if (!sb->dockerfile) day_sandbox_settle(sb, day_now(call->day) + call->day->config.wait_ms * SIM_MS);
    if (!sb->gone && (sb->stored == DAY_ERROR || sb->stored == DAY_BUILD_FAILED)) {
        sbx_buf_finish(&json);
        day_refuse(call, 400, NULL, "Sandbox failed to start: %s", sb->error_reason ? sb->error_reason : "unknown");
        return;
    }
    sim_http_reply_json(call->x, 200, &json);
}

void day_serve_create(struct day_call *call) {
    struct create c = {0};
    struct day_sandbox *sb = NULL;
    if (day_fields_read(&c.fields, call, 0)) goto done;
    create_read(&c);
    if (create_unsupported(call, &c) || day_fields_refused(&c.fields) || create_check(call, &c)) goto done;
    if (day_fault(call, SIM_PHASE_BEFORE_COMMIT) || create_twisted(call, &c) || create_check_name(call, &c)) goto done;
    sb = create_commit(call, &c);
    if (!sb) {
        day_broken(call);
        goto done;
    }
    if (!day_fault(call, SIM_PHASE_AFTER_COMMIT)) create_answer(call, sb);
done:
    create_finish(&c);
}
