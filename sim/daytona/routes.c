/* The table of routes: what is served, what is known and refused as not simulated, and how a path is matched. */
#include "sim/daytona/cloud.h"
#include "sim/daytona/misc.h"
#include "sim/daytona/toolbox.h"
#include "sim/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define CHANGE DAY_SANDBOX | DAY_WRITE
#define BOX    DAY_SANDBOX | DAY_TOOLBOX
#define NONE   DAY_THROTTLE_NONE
#define CREATE DAY_THROTTLE_CREATE
#define CYCLE  DAY_THROTTLE_LIFECYCLE

/* The first that fits is taken, so literal segments stand before open ones. */
const struct sim_day_route sim_day_routes[] = {
    {"GET", "/api/config", "daytona.config", sim_day_serve_config, DAY_OPEN, NONE},
    {"GET", "/api/health", "daytona.health", sim_day_serve_health, DAY_OPEN, NONE},
    {"GET", "/api/health/ready", "daytona.health", sim_day_serve_health, DAY_OPEN, NONE},
    {"*", "/api/socket.io", "daytona.socket", sim_day_serve_socket, DAY_OPEN, NONE},
    {"GET", "/api/api-keys/current", "daytona.key.get", sim_day_serve_key, 0, NONE},
    {"GET", "/api/regions", "daytona.region.list", sim_day_serve_regions, 0, NONE},
    {"GET", "/api/shared-regions", "daytona.region.list", sim_day_serve_regions, 0, NONE},
    {"GET", "/api/snapshots", "daytona.snapshot.list", sim_day_serve_snapshots, 0, NONE},
    {"GET", "/api/snapshots/{}", "daytona.snapshot.get", sim_day_serve_snapshot, 0, NONE},

    {"POST", "/api/sandbox", "daytona.sandbox.create", sim_day_serve_create, DAY_WRITE, CREATE},
    {"GET", "/api/sandbox", "daytona.sandbox.list", sim_day_serve_list, 0, NONE},
    {"GET", "/api/sandbox/paginated", "daytona.sandbox.list", sim_day_serve_list_pages, 0, NONE},
    {"GET", "/api/sandbox/{}", "daytona.sandbox.get", sim_day_serve_get, DAY_SANDBOX, NONE},
    {"DELETE", "/api/sandbox/{}", "daytona.sandbox.delete", sim_day_serve_delete, DAY_SANDBOX | DAY_ERASE, CYCLE},
    {"GET", "/api/sandbox/{}/toolbox-proxy-url", "daytona.sandbox.toolbox_url", sim_day_serve_toolbox_url, DAY_SANDBOX,
     NONE},
    {"POST", "/api/sandbox/{}/start", "daytona.sandbox.start", sim_day_serve_start, CHANGE, CYCLE},
    {"POST", "/api/sandbox/{}/stop", "daytona.sandbox.stop", sim_day_serve_stop, CHANGE, CYCLE},
    {"POST", "/api/sandbox/{}/archive", "daytona.sandbox.archive", sim_day_serve_archive, CHANGE, CYCLE},
    {"POST", "/api/sandbox/{}/recover", "daytona.sandbox.recover", sim_day_serve_recover, CHANGE, CYCLE},
    {"POST", "/api/sandbox/{}/pause", "daytona.sandbox.pause", sim_day_serve_pause, CHANGE, CYCLE},
    {"POST", "/api/sandbox/{}/fork", "daytona.sandbox.fork", sim_day_serve_fork, CHANGE, CREATE},
    {"PUT", "/api/sandbox/{}/labels", "daytona.sandbox.labels", sim_day_serve_labels, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/public/{}", "daytona.sandbox.public", sim_day_serve_public, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/autostop/{}", "daytona.sandbox.autostop", sim_day_serve_autostop, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/autopause/{}", "daytona.sandbox.autopause", sim_day_serve_autopause, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/autoarchive/{}", "daytona.sandbox.autoarchive", sim_day_serve_autoarchive, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/autodelete/{}", "daytona.sandbox.autodelete", sim_day_serve_autodelete, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/ttl/{}", "daytona.sandbox.ttl", sim_day_serve_ttl, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/last-activity", "daytona.sandbox.activity", sim_day_serve_activity, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/network-settings", "daytona.sandbox.network", sim_day_serve_network, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/resize", "daytona.unsimulated", sim_day_serve_unsimulated, CHANGE, CYCLE},
    {"POST", "/api/sandbox/{}/snapshot", "daytona.unsimulated", sim_day_serve_unsimulated, CHANGE, NONE},
    {"POST", "/api/sandbox/{}/backup", "daytona.unsimulated", sim_day_serve_unsimulated, CHANGE, NONE},
    {"*", "/api/sandbox/{}/ports/{}/preview-url", "daytona.unsimulated", sim_day_serve_unsimulated, DAY_SANDBOX, NONE},
    {"*", "/api/sandbox/{}/ports/{}/signed-preview-url", "daytona.unsimulated", sim_day_serve_unsimulated, DAY_SANDBOX,
     NONE},
    {"*", "/api/sandbox/{}/ssh-access", "daytona.unsimulated", sim_day_serve_unsimulated, DAY_SANDBOX, NONE},
    {"*", "/api/sandbox/{}/secrets", "daytona.unsimulated", sim_day_serve_unsimulated, DAY_SANDBOX, NONE},
    {"*", "/api/snapshots", "daytona.unsimulated", sim_day_serve_unsimulated, 0, NONE},
    {"*", "/api/snapshots/{}", "daytona.unsimulated", sim_day_serve_unsimulated, 0, NONE},
    {"*", "/api/snapshots/{}/{}", "daytona.unsimulated", sim_day_serve_unsimulated, 0, NONE},
    {"*", "/api/volumes", "daytona.unsimulated", sim_day_serve_unsimulated, 0, NONE},
    {"*", "/api/volumes/{}", "daytona.unsimulated", sim_day_serve_unsimulated, 0, NONE},
    {"*", "/api/organizations/{}/usage", "daytona.unsimulated", sim_day_serve_unsimulated, 0, NONE},

    {"GET", "/toolbox/{}/user-home-dir", "daytona.toolbox.home_dir", sim_day_tb_home_dir, BOX, NONE},
    {"GET", "/toolbox/{}/work-dir", "daytona.toolbox.work_dir", sim_day_tb_home_dir, BOX, NONE},
    {"GET", "/toolbox/{}/project-dir", "daytona.toolbox.work_dir", sim_day_tb_home_dir, BOX, NONE},
    {"GET", "/toolbox/{}/version", "daytona.toolbox.version", sim_day_tb_version, BOX, NONE},
    {"POST", "/toolbox/{}/process/execute", "daytona.toolbox.execute", sim_day_tb_execute, BOX, NONE},
    {"POST", "/toolbox/{}/files/bulk-upload", "daytona.toolbox.upload", sim_day_tb_bulk_upload, BOX, NONE},
    {"POST", "/toolbox/{}/files/upload", "daytona.toolbox.upload", sim_day_tb_upload, BOX, NONE},
    {"POST", "/toolbox/{}/files/upload-v2", "daytona.toolbox.upload", sim_day_tb_upload, BOX, NONE},
    {"POST", "/toolbox/{}/files/bulk-download", "daytona.toolbox.download", sim_day_tb_bulk_download, BOX, NONE},
    {"GET", "/toolbox/{}/files/download", "daytona.toolbox.download", sim_day_tb_download, BOX, NONE},
    {"GET", "/toolbox/{}/files/info", "daytona.toolbox.info", sim_day_tb_info, BOX, NONE},
    {"POST", "/toolbox/{}/files/folder", "daytona.toolbox.folder", sim_day_tb_folder, BOX, NONE},
    {"POST", "/toolbox/{}/files/move", "daytona.toolbox.move", sim_day_tb_move, BOX, NONE},
    {"POST", "/toolbox/{}/files/permissions", "daytona.toolbox.permissions", sim_day_tb_permissions, BOX, NONE},
    {"GET", "/toolbox/{}/files/find", "daytona.toolbox.find", sim_day_tb_find, BOX, NONE},
    {"GET", "/toolbox/{}/files/search", "daytona.toolbox.search", sim_day_tb_search, BOX, NONE},
    {"POST", "/toolbox/{}/files/replace", "daytona.toolbox.replace", sim_day_tb_replace, BOX, NONE},
    {"GET", "/toolbox/{}/files", "daytona.toolbox.list", sim_day_tb_list, BOX, NONE},
    {"DELETE", "/toolbox/{}/files", "daytona.toolbox.delete", sim_day_tb_delete, BOX, NONE},
    {"POST", "/toolbox/{}/process/code-run", "daytona.toolbox.code_run", sim_day_tb_code_run, BOX, NONE},
    {"POST", "/toolbox/{}/process/session", "daytona.toolbox.session.create", sim_day_tb_session_create, BOX, NONE},
    {"GET", "/toolbox/{}/process/session", "daytona.toolbox.session.list", sim_day_tb_session_list, BOX, NONE},
    {"GET", "/toolbox/{}/process/session/entrypoint", "daytona.toolbox.session.get", sim_day_tb_session_entrypoint, BOX,
     NONE},
    {"GET", "/toolbox/{}/process/session/entrypoint/logs", "daytona.toolbox.session.logs",
     sim_day_tb_session_entrypoint_logs, BOX | DAY_FOLLOW, NONE},
    {"GET", "/toolbox/{}/process/session/{}", "daytona.toolbox.session.get", sim_day_tb_session_get, BOX, NONE},
    {"DELETE", "/toolbox/{}/process/session/{}", "daytona.toolbox.session.delete", sim_day_tb_session_delete, BOX,
     NONE},
    {"POST", "/toolbox/{}/process/session/{}/exec", "daytona.toolbox.session.exec", sim_day_tb_session_exec, BOX, NONE},
    {"GET", "/toolbox/{}/process/session/{}/command/{}", "daytona.toolbox.session.command", sim_day_tb_session_command,
     BOX, NONE},
    {"GET", "/toolbox/{}/process/session/{}/command/{}/logs", "daytona.toolbox.session.logs", sim_day_tb_session_logs,
     BOX | DAY_FOLLOW, NONE},
    {"POST", "/toolbox/{}/process/session/{}/command/{}/input", "daytona.toolbox.session.input",
     sim_day_tb_session_input, BOX, NONE},
    {"*", "/toolbox/{}/process/{}", "daytona.unsimulated", sim_day_tb_unsimulated, BOX, NONE},
    {"*", "/toolbox/{}/process/pty/{}", "daytona.unsimulated", sim_day_tb_unsimulated, BOX, NONE},
    {"*", "/toolbox/{}/process/pty/{}/{}", "daytona.unsimulated", sim_day_tb_unsimulated, BOX, NONE},
    {"*", "/toolbox/{}/process/interpreter/{}", "daytona.unsimulated", sim_day_tb_unsimulated, BOX, NONE},
    {"*", "/toolbox/{}/files/{}", "daytona.unsimulated", sim_day_tb_unsimulated, BOX, NONE},
};
const size_t sim_day_route_count = sizeof(sim_day_routes) / sizeof(sim_day_routes[0]);

const char *const sim_day_ops[] = {"daytona.sandbox.create",
                                   "daytona.sandbox.get",
                                   "daytona.sandbox.list",
                                   "daytona.sandbox.delete",
                                   "daytona.sandbox.start",
                                   "daytona.sandbox.stop",
                                   "daytona.sandbox.archive",
                                   "daytona.sandbox.recover",
                                   "daytona.sandbox.pause",
                                   "daytona.sandbox.fork",
                                   "daytona.sandbox.labels",
                                   "daytona.sandbox.public",
                                   "daytona.sandbox.autostop",
                                   "daytona.sandbox.autopause",
                                   "daytona.sandbox.autoarchive",
                                   "daytona.sandbox.autodelete",
                                   "daytona.sandbox.ttl",
                                   "daytona.sandbox.activity",
                                   "daytona.sandbox.network",
                                   "daytona.sandbox.toolbox_url",
                                   "daytona.snapshot.list",
                                   "daytona.snapshot.get",
                                   "daytona.config",
                                   "daytona.health",
                                   "daytona.key.get",
                                   "daytona.region.list",
                                   "daytona.socket",
                                   "daytona.toolbox.execute",
                                   "daytona.toolbox.code_run",
                                   "daytona.toolbox.session.create",
                                   "daytona.toolbox.session.list",
                                   "daytona.toolbox.session.get",
                                   "daytona.toolbox.session.delete",
                                   "daytona.toolbox.session.exec",
                                   "daytona.toolbox.session.command",
                                   "daytona.toolbox.session.logs",
                                   "daytona.toolbox.session.follow",
                                   "daytona.toolbox.session.input",
                                   "daytona.toolbox.upload",
                                   "daytona.toolbox.download",
                                   "daytona.toolbox.home_dir",
                                   "daytona.toolbox.work_dir",
                                   "daytona.toolbox.version",
                                   "daytona.toolbox.info",
                                   "daytona.toolbox.folder",
                                   "daytona.toolbox.move",
                                   "daytona.toolbox.permissions",
                                   "daytona.toolbox.list",
                                   "daytona.toolbox.find",
                                   "daytona.toolbox.search",
                                   "daytona.toolbox.replace",
                                   "daytona.toolbox.delete",
                                   "daytona.unsimulated",
                                   "daytona.elsewhere",
                                   NULL};

/* Does the path fit? A slash at its end does not matter. */
static int route_fits(const char *pattern, const char *path) {
    while (*pattern == '/' && *path == '/') {
        const size_t want = strcspn(++pattern, "/"), have = strcspn(++path, "/");
        const int open = want == 2 && strncmp(pattern, "{}", 2) == 0;
        if (open ? have == 0 : want != have || strncmp(pattern, path, want) != 0) return 0;
        pattern += want;
        path += have;
    }
    return *pattern == 0 && (*path == 0 || strcmp(path, "/") == 0);
}

/* @return 0 for a malformed escape or when memory runs out */
static int route_arg(const char *segment, size_t len, char **out) {
    struct sbx_buf text = SBX_BUF_INIT;
    const int ok = sbx_percent_decode(&text, segment, len, 0) && !sbx_buf_status(&text);
    *out = ok ? strdup(sbx_buf_text(&text)) : NULL;
    sbx_buf_finish(&text);
    return *out != NULL;
}

static int route_args(const char *pattern, const char *path, char *arg[DAY_ARGS_MAX], size_t *arg_count) {
    while (*pattern == '/' && *path == '/') {
        const size_t want = strcspn(++pattern, "/"), have = strcspn(++path, "/");
        if (strncmp(pattern, "{}", 2) == 0) {
            if (!route_arg(path, have, &arg[*arg_count])) return 0;
            ++*arg_count;
        }
        pattern += want;
        path += have;
    }
    return 1;
}

enum sbx_status sim_day_route_find(const char *method, const char *path, const struct sim_day_route **route,
                                   char *arg[DAY_ARGS_MAX], size_t *arg_count) {
    *route = NULL;
    for (size_t i = 0; i < sim_day_route_count && !*route; i++) {
        const struct sim_day_route *r = &sim_day_routes[i];
        if ((*r->method == '*' || strcmp(r->method, method) == 0) && route_fits(r->pattern, path)) *route = r;
    }
    if (*route && !route_args((*route)->pattern, path, arg, arg_count)) return SBX_NO_MEMORY;
    return SBX_OK;
}

void sim_day_args_free(char *arg[DAY_ARGS_MAX]) {
    for (size_t i = 0; i < DAY_ARGS_MAX; i++) free(arg[i]);
}
