/* The daemon's directories and version, and its routes that are not simulated. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"
#include "sim/daytona/verbs.h"

static void dirs_reply(struct sim_day_call *call, const char *key, const char *value) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (sim_day_fault_read(call)) return;
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, key, value);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

/* The image's working directory is the home directory. */
void sim_day_tb_home_dir(struct sim_day_call *call) {
    dirs_reply(call, "dir", sim_machine_home(call->sb->machine));
}

void sim_day_tb_version(struct sim_day_call *call) {
    dirs_reply(call, "version", call->day->config.daemon);
}

void sim_day_tb_unsimulated(struct sim_day_call *call) {
    sim_http_unsupported(call->x, sim_http_path(call->x), 0);
    sim_day_daemon_refuse(call, 501, NULL, "not simulated");
}
