/* How this cloud is set up: dialect, paces, snapshots, and the scenario's part that changes them. */
#ifndef SIM_DAYTONA_CONFIG_H
#define SIM_DAYTONA_CONFIG_H

#include "sim/daytona/states.h"
#include <sandport/kit/json.h>

struct daytona;
struct sim_cloud;

/** Which server is played: the last public one, or the one of May 2026 with codes in its errors. */
enum sim_day_dialect { DAY_V190, DAY_CODED };

/** Lists: an object with a cursor (servers from 0.180), one with page numbers, a bare array (up to 0.179). */
enum sim_day_list_shape { DAY_LIST_CURSOR, DAY_LIST_PAGE, DAY_LIST_ARRAY };

struct sim_day_snapshot {
    struct sim_day_snapshot *next;
    char id[37];
    char *name;
    char *state; /* only "active" can be used for a create */
    int64_t cpu, memory, disk;
    int64_t created_ms;
};

struct sim_day_volume {
    struct sim_day_volume *next;
    char id[37];
    char *name;
};

struct sim_day_config {
    enum sim_day_dialect dialect;
    enum sim_day_list_shape list;
    int64_t list_lag_ms;
    int64_t wait_ms;  /* how long create and start are held */
    int64_t sweep_ms; /* how often intervals are looked at */
    int64_t pace_ms[DAY_PACE_COUNT];
    char *daemon;         /* what the toolbox says of its version: "v0.190.0" */
    int64_t daemon_minor; /* 190 */
    int toolbox_url_in_dto;
    int backups;         /* every sandbox has a completed one, so that what ended in a timeout can be recovered */
    int name_until_gone; /* a deleted sandbox keeps its name while it is being destroyed */
    char *default_snapshot;
    char *region;
    struct sim_day_snapshot *snapshots;
    struct sim_day_volume *volumes;
};

/** Healthy defaults: two snapshots, one account. @return SBX_NO_MEMORY */
enum sbx_status sim_day_config_init(struct daytona *day);
void sim_day_config_finish(struct sim_day_config *config);
/** Reads a scenario's part over the defaults. @return SBX_INVALID_ARGUMENT with js complaining */
enum sbx_status sim_day_config_read(struct sim_cloud *cloud, struct sbx_json *js, const struct sbx_json_node *part);

/** "cursor", "page" or "array". @return 0 if it is none of them */
int sim_day_list_shape_parse(const char *text, enum sim_day_list_shape *out);

/** By id or name; NULL if there is none. */
const struct sim_day_snapshot *sim_day_snapshot_find(const struct sim_day_config *config, const char *id_or_name);
const struct sim_day_volume *sim_day_volume_find(const struct sim_day_config *config, const char *id_or_name);

#endif
