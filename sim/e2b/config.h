/* How this cloud is set up: paces, and switches where servers differ. */
#ifndef SIM_E2B_CONFIG_H
#define SIM_E2B_CONFIG_H

#include <sandport/kit/json.h>

struct sim_e2b;
struct sim_cloud;

struct sim_e2b_template {
    struct sim_e2b_template *next;
    char id[21];
    char *name;
};

struct sim_e2b_config {
    struct sim_e2b_template *templates;
    int64_t boot_ms, pause_ms, resume_ms, kill_ms;
    char *envd_version;
    int64_t exit_retention_ms;  /* how long an end can still be had by Connect; older daemons: 0 */
    int64_t default_timeout_ms; /* of a process whose start names none; 0 = it has none */
    int64_t bad_port_status;    /* of a host label whose port is none: 400 or 500 */
    int timeout_ends;           /* a process that ran out of time shows its end event, not deadline_exceeded */
    int cut_says_unavailable;   /* streams that a pause or an end cuts are ended by an envelope */
    int over_max_clamps;        /* a lifetime beyond the account's is shortened, not refused */
    int zero_is_default;        /* a lifetime of 0 is the default, not refused */
    int gzip;                   /* answers are compressed for whoever takes it */
    int idempotency;            /* Idempotency-Key is heeded */
};

/** Healthy defaults and one account. @return SBX_NO_MEMORY */
enum sbx_status sim_e2b_config_init(struct sim_e2b *e2b);
void sim_e2b_config_finish(struct sim_e2b_config *config);
/** By id or name; NULL if there is none. */
const struct sim_e2b_template *sim_e2b_template_find(const struct sim_e2b_config *config, const char *name);
/** Reads a scenario's part over the defaults. @return SBX_INVALID_ARGUMENT with js complaining */
enum sbx_status sim_e2b_config_read(struct sim_cloud *cloud, struct sbx_json *js, const struct sbx_json_node *part);

#endif
