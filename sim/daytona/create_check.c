/* What can be wrong with a create: intervals, snapshot, place, network, volumes, quota, name. The words are the
 * server's. */
#include "sim/daytona/create.h"
#include "sim/daytona/errors.h"
#include "sim/daytona/network.h"
#include "sim/daytona/verbs.h"

#include <string.h>

/* @return 1 if refused, as in all checks below */
static int create_check_intervals(struct sim_day_call *call, struct create *c) {
    if (c->wish.auto_stop < 0) {
        sim_day_refuse(call, 400, NULL, "Auto-stop interval must be non-negative");
        return 1;
    }
    if (c->wish.auto_archive < 0) {
        sim_day_refuse(call, 400, NULL, "Auto-archive interval must be non-negative");
        return 1;
    }
    if (sim_day_fields_int(&c->fields, "autoPauseInterval", 0, 0) > 0) {
        sim_day_refuse(call, 422, "SANDBOX_OPERATION_NOT_SUPPORTED", "Pausing is not supported for this sandbox");
        return 1;
    }
    c->wish.auto_archive = sim_day_archive_minutes(c->wish.auto_archive);
    if (c->wish.auto_delete < 0) c->wish.auto_delete = -1;
    return 0;
}

static int create_check_snapshot(struct sim_day_call *call, struct create *c) {
    const struct sim_day_config *config = &call->day->config;
    const char *name = c->wish.snapshot ? c->wish.snapshot : config->default_snapshot;
    const struct sim_day_snapshot *snapshot = NULL;
    if (c->wish.dockerfile && c->wish.snapshot) {
        sim_day_refuse(call, 400, NULL, "Cannot specify a snapshot when using a build info entry");
        return 1;
    }
    if (c->wish.dockerfile) return 0;
    if (c->has_resources) {
        sim_day_refuse(call, 400, NULL, "Cannot specify Sandbox resources when using a snapshot");
        return 1;
    }
    snapshot = sim_day_snapshot_find(config, name);
    if (!snapshot) {
        sim_day_refuse(call, 400, NULL, "Snapshot %s not found. Did you add it through the Daytona Dashboard?", name);
        return 1;
    }
    if (strcmp(snapshot->state, "active") != 0) {
        sim_day_refuse(call, 400, NULL, "Snapshot %s is %s", name, snapshot->state);
        return 1;
    }
    c->wish.snapshot = snapshot->name;
    c->wish.cpu = snapshot->cpu;
    c->wish.memory = snapshot->memory;
    c->wish.disk = snapshot->disk;
    return 0;
}

static int create_check_place(struct sim_day_call *call, struct create *c) {
    if (!c->wish.target) c->wish.target = call->day->config.region;
    if (strcmp(c->wish.target, "us") != 0 && strcmp(c->wish.target, "eu") != 0 &&
        strcmp(c->wish.target, call->day->config.region) != 0) {
        sim_day_refuse(call, 404, NULL, "Region not found");
        return 1;
    }
    if (c->gpu > 0 && c->wish.auto_delete != 0) {
        sim_day_refuse(call, 400, NULL, "GPU sandboxes must be ephemeral - set autoDeleteInterval to 0");
        return 1;
    }
    if (c->gpu > 0) {
        sim_day_refuse(call, 400, "NO_AVAILABLE_RUNNERS", "No available runners");
        return 1;
    }
    return 0;
}

static int create_check_network(struct sim_day_call *call, struct create *c) {
    char why[400];
    if ((c->wish.allow_cidrs && !sim_day_network_cidrs(c->wish.allow_cidrs, why, sizeof(why))) ||
        (c->wish.allow_domains && !sim_day_network_domains(c->wish.allow_domains, why, sizeof(why)))) {
        sim_day_refuse(call, 400, NULL, "%s", why);
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
static int create_check_volumes(struct sim_day_call *call, struct create *c) {
    struct sim_day_fields *f = &c->fields;
    const struct sbx_json_node *list = sim_day_fields_array(f, "volumes");
    if (!list) return 0;
    for (const struct sbx_json_node *it = sbx_json_first(list); it; it = sbx_json_next(it)) {
        const char *id = sbx_json_opt_string(f->js, it, "volumeId", "");
        const char *path = sbx_json_opt_string(f->js, it, "mountPath", "");
        const char *fault = create_mount_fault(path);
        (void)sbx_json_opt_string(f->js, it, "subpath", NULL);
        if (!sim_day_volume_find(&call->day->config, id)) {
            sim_day_refuse(call, 400, NULL, "Volume with ID or name %s not found", id);
            return 1;
        }
        if (fault) {
            sim_day_refuse(call, 400, NULL, "Invalid mount path %s (%s)", path, fault);
            return 1;
        }
    }
    sbx_json_write_node(&c->volumes, list);
    if (c->volumes.failed) f->no_memory = 1;
    c->wish.volumes = sbx_buf_text(&c->volumes);
    return 0;
}

static int create_check_quota(struct sim_day_call *call, const struct create *c) {
    const struct sim_day_quota *quota = &call->account->quota;
    const struct sim_day_usage more = {c->wish.cpu, c->wish.memory, c->wish.disk, 1};
    return sim_day_quota_each_refused(call, "CPU", "", c->wish.cpu, quota->cpu_each) ||
           sim_day_quota_each_refused(call, "Memory", "GB", c->wish.memory, quota->memory_gib_each) ||
           sim_day_quota_each_refused(call, "Disk", "GB", c->wish.disk, quota->disk_gib_each) ||
           sim_day_quota_refused(call, &more);
}

/* Unique among what is not destroyed, and not to be taken for somebody's id. */
int sim_day_create_name_refused(struct sim_day_call *call, const struct create *c) {
    if (!c->wish.name || !sim_day_sandbox_find(call->day, call->account, c->wish.name)) return 0;
    sim_day_refuse(call, 409, NULL, "Sandbox with name %s already exists", c->wish.name);
    return 1;
}

int sim_day_create_refused(struct sim_day_call *call, struct create *c) {
    if (!c->wish.user || !*c->wish.user) c->wish.user = "daytona";
    if (c->wish.name && !*c->wish.name) c->wish.name = NULL;
    return sim_day_suspended(call) || create_check_intervals(call, c) || create_check_place(call, c) ||
           create_check_snapshot(call, c) || create_check_network(call, c) || create_check_volumes(call, c) ||
           sim_day_fields_refused(&c->fields) || create_check_quota(call, c) || sim_day_create_name_refused(call, c);
}
