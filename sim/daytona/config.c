/* How this cloud is set up: healthy defaults, and the scenario's part read strictly over them. */
#include "sim/daytona/config.h"
#include "sim/daytona/cloud.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *member;
    enum sim_day_pace pace;
    int64_t ms;
} config_paces[] = {
    {"runner_ms", DAY_PACE_RUNNER, 10},     {"build_ms", DAY_PACE_BUILD, 2000},
    {"boot_ms", DAY_PACE_BOOT, 400},        {"start_ms", DAY_PACE_START, 300},
    {"stop_ms", DAY_PACE_STOP, 200},        {"archive_ms", DAY_PACE_ARCHIVE, 500},
    {"restore_ms", DAY_PACE_RESTORE, 2000}, {"destroy_ms", DAY_PACE_DESTROY, 200},
};
#define CONFIG_PACES (sizeof(config_paces) / sizeof(config_paces[0]))

int sim_day_list_shape_parse(const char *text, enum sim_day_list_shape *out) {
    static const char *const names[] = {"cursor", "page", "array"};
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], text) == 0) {
            *out = (enum sim_day_list_shape)i;
            return 1;
        }
    return 0;
}

static void config_snapshots_free(struct sim_day_snapshot *first) {
    while (first) {
        struct sim_day_snapshot *next = first->next;
        free(first->name);
        free(first->state);
        free(first);
        first = next;
    }
}

void sim_day_config_finish(struct sim_day_config *config) {
    config_snapshots_free(config->snapshots);
    config->snapshots = NULL;
    while (config->volumes) {
        struct sim_day_volume *next = config->volumes->next;
        free(config->volumes->name);
        free(config->volumes);
        config->volumes = next;
    }
    free(config->default_snapshot);
    free(config->region);
    free(config->daemon);
    config->default_snapshot = config->region = config->daemon = NULL;
}

static enum sbx_status config_text(char **member, const char *value) {
    char *copy = strdup(value);
    if (!copy) return SBX_NO_MEMORY;
    free(*member);
    *member = copy;
    return SBX_OK;
}

/* "v0.187.0". @return 0 if it is no version, or when memory runs out */
static int config_daemon(struct sim_day_config *config, const char *version) {
    char minor[8] = "";
    const char *at = version + (*version == 'v');
    if (strncmp(at, "0.", 2) != 0) return 0;
    const size_t len = strspn(at + 2, "0123456789");
    if (len == 0 || len >= sizeof(minor) || at[2 + len] != '.') return 0;
    memcpy(minor, at + 2, len);
    return sbx_text_int(minor, 0, 9999999, &config->daemon_minor) && !config_text(&config->daemon, version);
}

static enum sbx_status config_snapshot(struct daytona *day, const char *name, const char *state, int64_t cpu,
                                       int64_t memory, int64_t disk) {
    struct sim_day_snapshot *snapshot = calloc(1, sizeof(*snapshot));
    struct sim_day_snapshot **end = &day->config.snapshots;
    if (!snapshot) return SBX_NO_MEMORY;
    if (config_text(&snapshot->name, name) || config_text(&snapshot->state, state)) {
        config_snapshots_free(snapshot);
        return SBX_NO_MEMORY;
    }
    sim_draw_uuid(sim_world(day->sim), "daytona.snapshot", snapshot->id);
    snapshot->cpu = cpu;
    snapshot->memory = memory;
    snapshot->disk = disk;
    snapshot->created_ms = sim_day_wall_ms(day);
    while (*end) end = &(*end)->next;
    *end = snapshot;
    return SBX_OK;
}

static enum sbx_status config_volume(struct daytona *day, const char *name) {
    struct sim_day_volume *volume = calloc(1, sizeof(*volume));
    if (!volume) return SBX_NO_MEMORY;
    volume->name = strdup(name);
    if (!volume->name) {
        free(volume);
        return SBX_NO_MEMORY;
    }
    sim_draw_uuid(sim_world(day->sim), "daytona.volume", volume->id);
    volume->next = day->config.volumes;
    day->config.volumes = volume;
    return SBX_OK;
}

enum sbx_status sim_day_config_init(struct daytona *day) {
    struct sim_day_config *config = &day->config;
    enum sbx_status st = SBX_OK;
    config->dialect = DAY_V190;
    config->list = DAY_LIST_CURSOR;
    config->list_lag_ms = 200;
    config->wait_ms = 30000;
    config->sweep_ms = 10000;
    config->toolbox_url_in_dto = 1;
    for (size_t i = 0; i < CONFIG_PACES; i++) config->pace_ms[config_paces[i].pace] = config_paces[i].ms;
    st = config_text(&config->region, "us");
    if (!st) st = config_daemon(config, "v0.190.0") ? SBX_OK : SBX_NO_MEMORY;
    if (!st) st = config_text(&config->default_snapshot, "daytonaio/sandbox:0.5.0");
    if (!st) st = config_snapshot(day, "daytonaio/sandbox:0.5.0", "active", 1, 1, 3);
    if (!st) st = config_snapshot(day, "daytona-large", "active", 4, 8, 10);
    if (!st) st = config_volume(day, "shared");
    if (!st && !sim_day_account_add(day, "default", SBX_SIM_DAYTONA_KEY)) st = SBX_NO_MEMORY;
    return st;
}

/* ---- the scenario ---- */

/* A number that must not be negative. */
static int64_t config_count(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, int64_t otherwise) {
    const int64_t value = sbx_json_opt_int(js, obj, key, otherwise);
    if (value >= 0) return value;
    sbx_json_complain(js, obj, key, "a number that is not negative");
    return otherwise;
}

static void config_read_quota(struct sim_day_quota *quota, struct sbx_json *js, const struct sbx_json_node *obj) {
    quota->cpu = config_count(js, obj, "cpu", quota->cpu);
    quota->memory_gib = config_count(js, obj, "memory_gib", quota->memory_gib);
    quota->disk_gib = config_count(js, obj, "disk_gib", quota->disk_gib);
    quota->sandboxes = config_count(js, obj, "sandboxes", quota->sandboxes);
    quota->cpu_each = config_count(js, obj, "cpu_each", quota->cpu_each);
    quota->memory_gib_each = config_count(js, obj, "memory_gib_each", quota->memory_gib_each);
    quota->disk_gib_each = config_count(js, obj, "disk_gib_each", quota->disk_gib_each);
}

static void config_read_permissions(struct sim_day_account *account, struct sbx_json *js,
                                    const struct sbx_json_node *obj) {
    const struct sbx_json_node *list = sbx_json_opt_array(js, obj, "permissions");
    if (!list) return;
    account->may_write = account->may_delete = 0;
    for (const struct sbx_json_node *it = sbx_json_first(list); it; it = sbx_json_next(it)) {
        const char *name = sbx_json_as_string(js, it);
        if (name && strcmp(name, "write:sandboxes") == 0)
            account->may_write = 1;
        else if (name && strcmp(name, "delete:sandboxes") == 0)
            account->may_delete = 1;
        else
            sbx_json_complain(js, obj, "permissions", "write:sandboxes or delete:sandboxes");
    }
}

static void config_read_limits(struct sim_day_account *account, struct sbx_json *js, const struct sbx_json_node *obj) {
    const struct sbx_json_node *rate = sbx_json_opt_object(js, obj, "rate");
    const struct sbx_json_node *price = sbx_json_opt_object(js, obj, "price");
    config_read_quota(&account->quota, js, sbx_json_opt_object(js, obj, "quota"));
    account->meter[DAY_METER_ALL].limit = config_count(js, rate, "authenticated", 0);
    account->meter[DAY_METER_CREATE].limit = config_count(js, rate, "create", 0);
    account->meter[DAY_METER_LIFECYCLE].limit = config_count(js, rate, "lifecycle", 0);
    account->price.cpu = config_count(js, price, "cpu", account->price.cpu);
    account->price.memory_gib = config_count(js, price, "memory_gib", account->price.memory_gib);
    account->price.disk_gib = config_count(js, price, "disk_gib", account->price.disk_gib);
}

static enum sbx_status config_read_account(struct daytona *day, struct sbx_json *js, const struct sbx_json_node *obj) {
    const char *name = sbx_json_string(js, obj, "name");
    const char *key = sbx_json_string(js, obj, "api_key");
    const char *suspended = sbx_json_opt_string(js, obj, "suspended", NULL);
    struct sim_day_account *account = NULL;
    if (sbx_json_status(js)) return SBX_INVALID_ARGUMENT;
    if (sim_day_account_by_key(day, key)) sbx_json_complain(js, obj, "api_key", "a key that no other account has");
    account = sim_day_account_add(day, name, key);
    if (!account || (suspended && config_text(&account->suspended, suspended))) return SBX_NO_MEMORY;
    account->expired = sbx_json_opt_bool(js, obj, "expired", 0);
    config_read_permissions(account, js, obj);
    config_read_limits(account, js, obj);
    return SBX_OK;
}

static enum sbx_status config_read_accounts(struct daytona *day, struct sbx_json *js,
                                            const struct sbx_json_node *part) {
    const struct sbx_json_node *list = sbx_json_opt_array(js, part, "accounts");
    enum sbx_status st = SBX_OK;
    if (!list || sbx_json_count(list) == 0) return SBX_OK;
    sim_day_accounts_free(day->accounts);
    day->accounts = NULL;
    for (const struct sbx_json_node *it = sbx_json_first(list); it && !st; it = sbx_json_next(it))
        st = config_read_account(day, js, it);
    return st;
}

static int config_is_snapshot_state(const char *state) {
    static const char *const states[] = {"building", "pending", "pulling",      "snapshotting", "active",
                                         "inactive", "error",   "build_failed", "removing"};
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        if (strcmp(states[i], state) == 0) return 1;
    return 0;
}

static enum sbx_status config_read_snapshot(struct daytona *day, struct sbx_json *js, const struct sbx_json_node *obj) {
    const char *name = sbx_json_string(js, obj, "name");
    const char *state = sbx_json_opt_string(js, obj, "state", "active");
    const int64_t cpu = config_count(js, obj, "cpu", 1);
    const int64_t memory = config_count(js, obj, "memory", 1);
    const int64_t disk = config_count(js, obj, "disk", 3);
    if (!config_is_snapshot_state(state)) sbx_json_complain(js, obj, "state", "a snapshot's state");
    if (sbx_json_status(js)) return SBX_INVALID_ARGUMENT;
    return config_snapshot(day, name, state, cpu, memory, disk);
}

/* The scenario's are in place of the cloud's own, the first of them as the default. */
static enum sbx_status config_read_snapshots(struct daytona *day, struct sbx_json *js,
                                             const struct sbx_json_node *part) {
    const struct sbx_json_node *list = sbx_json_opt_array(js, part, "snapshots");
    enum sbx_status st = SBX_OK;
    if (!list) return SBX_OK;
    config_snapshots_free(day->config.snapshots);
    day->config.snapshots = NULL;
    for (const struct sbx_json_node *it = sbx_json_first(list); it && !st; it = sbx_json_next(it))
        st = config_read_snapshot(day, js, it);
    if (!st && day->config.snapshots) st = config_text(&day->config.default_snapshot, day->config.snapshots->name);
    return st;
}

static enum sbx_status config_read_volumes(struct daytona *day, struct sbx_json *js, const struct sbx_json_node *part) {
    const struct sbx_json_node *list = sbx_json_opt_array(js, part, "volumes");
    enum sbx_status st = SBX_OK;
    for (const struct sbx_json_node *it = list ? sbx_json_first(list) : NULL; it && !st; it = sbx_json_next(it)) {
        const char *name = sbx_json_as_string(js, it);
        st = name ? config_volume(day, name) : SBX_INVALID_ARGUMENT;
    }
    return st;
}

static enum sbx_status config_read_ways(struct sim_day_config *config, struct sbx_json *js,
                                        const struct sbx_json_node *part) {
    const char *dialect = sbx_json_opt_string(js, part, "dialect", NULL);
    const char *list = sbx_json_opt_string(js, part, "list", NULL);
    const char *region = sbx_json_opt_string(js, part, "region", NULL);
    const char *daemon = sbx_json_opt_string(js, part, "daemon", NULL);
    if (dialect && strcmp(dialect, "v190") != 0 && strcmp(dialect, "coded") != 0)
        sbx_json_complain(js, part, "dialect", "v190 or coded");
    if (dialect) config->dialect = strcmp(dialect, "coded") == 0 ? DAY_CODED : DAY_V190;
    if (list && !sim_day_list_shape_parse(list, &config->list))
        sbx_json_complain(js, part, "list", "cursor, page or array");
    if (daemon && !config_daemon(config, daemon)) sbx_json_complain(js, part, "daemon", "a version such as v0.190.0");
    for (size_t i = 0; i < CONFIG_PACES; i++)
        config->pace_ms[config_paces[i].pace] =
            config_count(js, part, config_paces[i].member, config->pace_ms[config_paces[i].pace]);
    config->list_lag_ms = config_count(js, part, "list_lag_ms", config->list_lag_ms);
    config->wait_ms = config_count(js, part, "wait_ms", config->wait_ms);
    config->toolbox_url_in_dto = sbx_json_opt_bool(js, part, "toolbox_url_in_dto", config->toolbox_url_in_dto);
    config->backups = sbx_json_opt_bool(js, part, "backups", config->backups);
    config->name_until_gone = sbx_json_opt_bool(js, part, "name_until_gone", config->name_until_gone);
    return region ? config_text(&config->region, region) : SBX_OK;
}

enum sbx_status sim_day_config_read(struct sim_cloud *cloud, struct sbx_json *js, const struct sbx_json_node *part) {
    struct daytona *day = (struct daytona *)cloud;
    enum sbx_status st = config_read_ways(&day->config, js, part);
    if (!st) st = config_read_snapshots(day, js, part);
    if (!st) st = config_read_volumes(day, js, part);
    if (!st) st = config_read_accounts(day, js, part);
    if (!st && sbx_json_status(js)) st = SBX_INVALID_ARGUMENT;
    return st;
}
