/* The control plane's routes: what is served, what is known and refused as not simulated, and how a path is matched. */
#include "sim/e2b/cloud.h"
#include "sim/e2b/verbs.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define READ E2B_READS
#define BOX  E2B_SANDBOX
#define NONE E2B_METER_NONE
#define MAKE E2B_METER_CREATE
#define LIFE E2B_METER_LIFECYCLE

/* The first that fits is taken, so literal segments stand before open ones. */
static const struct sim_e2b_route routes[] = {
    {"GET", "/health", "e2b.health", sim_e2b_serve_health, E2B_OPEN, NONE},
    {"POST", "/sandboxes", "e2b.sandbox.create", sim_e2b_serve_create, 0, MAKE},
    {"POST", "/v2/sandboxes", "e2b.sandbox.create", sim_e2b_serve_create, E2B_V2, MAKE},
    {"GET", "/sandboxes", "e2b.sandbox.list", sim_e2b_serve_list, READ, LIFE},
    {"GET", "/v2/sandboxes", "e2b.sandbox.list", sim_e2b_serve_list, READ | E2B_V2, LIFE},
    {"GET", "/sandboxes/metrics", "e2b.sandbox.metrics", sim_e2b_serve_metrics, READ, LIFE},
    {"GET", "/sandboxes/{}", "e2b.sandbox.get", sim_e2b_serve_get, READ | BOX, LIFE},
    {"DELETE", "/sandboxes/{}", "e2b.sandbox.kill", sim_e2b_serve_kill, READ | BOX, LIFE},
    {"POST", "/sandboxes/{}/connect", "e2b.sandbox.connect", sim_e2b_serve_connect, BOX, LIFE},
    {"POST", "/v2/sandboxes/{}/connect", "e2b.sandbox.connect", sim_e2b_serve_connect, BOX | E2B_V2, LIFE},
    {"POST", "/sandboxes/{}/resume", "e2b.sandbox.resume", sim_e2b_serve_resume, BOX, LIFE},
    {"POST", "/sandboxes/{}/pause", "e2b.sandbox.pause", sim_e2b_serve_pause, BOX, LIFE},
    {"POST", "/sandboxes/{}/timeout", "e2b.sandbox.timeout", sim_e2b_serve_timeout, BOX, LIFE},
    {"POST", "/sandboxes/{}/refreshes", "e2b.sandbox.refresh", sim_e2b_serve_refresh, BOX, LIFE},
    {"GET", "/sandboxes/{}/metrics", "e2b.sandbox.metrics", sim_e2b_serve_metrics, READ | BOX, LIFE},
    {"GET", "/sandboxes/{}/logs", "e2b.sandbox.logs", sim_e2b_serve_logs, READ | BOX, LIFE},
    {"GET", "/v2/sandboxes/{}/logs", "e2b.sandbox.logs", sim_e2b_serve_logs, READ | BOX | E2B_V2, LIFE},
    {"PUT", "/sandboxes/{}/network", "e2b.sandbox.network", sim_e2b_serve_network, BOX, LIFE},
    {"POST", "/sandboxes/{}/fork", "e2b.sandbox.fork", sim_e2b_serve_fork, BOX, LIFE},
    {"POST", "/sandboxes/{}/snapshots", "e2b.sandbox.snapshot", sim_e2b_serve_snapshot, BOX, LIFE},
    {"GET", "/templates", "e2b.template.list", sim_e2b_serve_templates, READ, LIFE},
    {"GET", "/templates/aliases/{}", "e2b.template.alias", sim_e2b_serve_alias, READ, LIFE},
};
#define ROUTES (sizeof(routes) / sizeof(routes[0]))

const char *const sim_e2b_ops[] = {"e2b.health",
                                   "e2b.sandbox.create",
                                   "e2b.sandbox.list",
                                   "e2b.sandbox.get",
                                   "e2b.sandbox.kill",
                                   "e2b.sandbox.connect",
                                   "e2b.sandbox.resume",
                                   "e2b.sandbox.pause",
                                   "e2b.sandbox.timeout",
                                   "e2b.sandbox.refresh",
                                   "e2b.sandbox.metrics",
                                   "e2b.sandbox.logs",
                                   "e2b.sandbox.network",
                                   "e2b.sandbox.fork",
                                   "e2b.sandbox.snapshot",
                                   "e2b.template.list",
                                   "e2b.template.alias",
                                   "e2b.envd.health",
                                   "e2b.envd.metrics",
                                   "e2b.envd.envs",
                                   "e2b.files.read",
                                   "e2b.files.write",
                                   "e2b.process.list",
                                   "e2b.process.start",
                                   "e2b.process.connect",
                                   "e2b.process.update",
                                   "e2b.process.input",
                                   "e2b.process.stream_input",
                                   "e2b.process.signal",
                                   "e2b.process.close_stdin",
                                   "e2b.filesystem.stat",
                                   "e2b.filesystem.make_dir",
                                   "e2b.filesystem.move",
                                   "e2b.filesystem.list_dir",
                                   "e2b.filesystem.remove",
                                   "e2b.filesystem.watch_dir",
                                   "e2b.filesystem.create_watcher",
                                   "e2b.filesystem.watcher_events",
                                   "e2b.filesystem.remove_watcher",
                                   NULL};

/* Does the pattern fit? *from and *len say where the open segment is. */
static int route_fits(const char *pattern, const char *path, const char **from, size_t *len) {
    while (*pattern && *path) {
        if (strncmp(pattern, "{}", 2) == 0) {
            *from = path;
            *len = strcspn(path, "/");
            if (!*len) return 0;
            path += *len;
            pattern += 2;
        } else if (*pattern++ != *path++) {
            return 0;
        }
    }
    return !*pattern && !*path;
}

enum sbx_status sim_e2b_route_find(const char *method, const char *path, const struct sim_e2b_route **route,
                                   char **segment) {
    *route = NULL;
    *segment = NULL;
    for (size_t i = 0; i < ROUTES && !*route; i++) {
        const char *from = NULL;
        size_t len = 0;
        struct sbx_buf decoded = SBX_BUF_INIT;
        if (strcmp(routes[i].method, method) != 0 || !route_fits(routes[i].pattern, path, &from, &len)) continue;
        *route = &routes[i];
        if (!from) continue;
        if (!sbx_percent_decode(&decoded, from, len, 0)) {
            sbx_buf_clear(&decoded);
            sbx_buf_append(&decoded, from, len);
        }
        *segment = sbx_buf_status(&decoded) ? NULL : sbx_buf_take(&decoded, NULL);
        if (!*segment) return SBX_NO_MEMORY;
    }
    return SBX_OK;
}
