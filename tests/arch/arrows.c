/* Which room may include which, by folder: the picture in docs/architecture.md as a test. Rows P2, P4, P6. */
#include "source.h"

#include "t.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which room a file belongs to; the first prefix that fits. A public header belongs to the room that keeps its promise.
 */
static const struct place {
    const char *prefix;
    const char *room;
} places[] = {
    {"include/sandport/api.h", "base"},
    {"include/sandport/status.h", "base"},
    {"include/sandport/error.h", "base"},
    {"include/sandport/kit/buf.h", "base"},
    {"include/sandport/kit/json.h", "base"},
    {"include/sandport/kit/text.h", "base"},
    {"include/sandport/call.h", "seam"},
    {"include/sandport/kit/env.h", "seam"},
    {"include/sandport/kit/fail.h", "base"},
    {"include/sandport/kit/options.h", "base"},
    {"include/sandport/kit/connect.h", "wire"},
    {"include/sandport/kit/wire.h", "wire"},
    {"include/sandport/kit/multipart.h", "wire"},
    {"include/sandport/kit/work.h", "work"},
    {"include/sandport/kit/ops.h", "port"},
    {"include/sandport/kit/store.h", "store"},
    {"include/sandport/kit/store_rules.h", "store"},
    {"include/sandport/store_sqlite.h", "store-sqlite"},
    {"include/sandport/store_postgres.h", "store-postgres"},
    {"include/sandport/capability.h", "port"},
    {"include/sandport/capacity.h", "port"},
    {"include/sandport/exec.h", "port"},
    {"include/sandport/files.h", "port"},
    {"include/sandport/run.h", "port"},
    {"include/sandport/session.h", "port"},
    {"include/sandport/info.h", "port"},
    {"include/sandport/runtime.h", "port"},
    {"include/sandport/sandbox.h", "port"},
    {"include/sandport/transfer.h", "port"},
    {"include/sandport/sandport.h", "port"},
    {"include/sandport/router_classify.h", "pool"},
    {"include/sandport/router_pool.h", "pool"},
    {"include/sandport/router_profile.h", "pool"},
    {"include/sandport/router_signals.h", "pool"},
    {"include/sandport/kit/pool.h", "pool"},
    {"include/sandport/router", "router"},
    {"include/sandport/kit/registry.h", "router"},
    {"include/sandport/kit/posix.h", "posix"},
    {"include/sandport/posix.h", "posix"},
    {"include/sandport/curl.h", "curl"},
    {"include/sandport/daytona.h", "daytona"},
    {"include/sandport/daytona_capacity.h", "daytona"},
    {"include/sandport/e2b.h", "e2b"},
    {"include/sandport/local.h", "local"},
    {"include/sandport/manifest.h", "orchestrator"},
    {"include/sandport/orchestrator.h", "orchestrator"},
    {"include/sandport/sim.h", "sim-kit"},
    {"src/base/", "base"},
    {"src/seam/", "seam"},
    {"src/posix/", "posix"},
    {"src/curl/", "curl"},
    {"src/wire/", "wire"},
    {"src/port/", "port"},
    {"src/work/", "work"},
    {"src/pool/", "pool"},
    {"src/router/", "router"},
    {"src/orchestrator/", "orchestrator"},
    {"src/store/sqlite/", "store-sqlite"},
    {"src/store/postgres/", "store-postgres"},
    {"src/store/", "store"},
    {"adapters/daytona/", "daytona"},
    {"adapters/e2b/", "e2b"},
    {"adapters/local/", "local"},
    {"sim/kit/", "sim-kit"},
    {"sim/machine/machine.h", "sim-machine"},
    {"sim/machine/engine.h", "sim-machine"},
    {"sim/machine/sh/", "machine-sh"},
    {"sim/machine/awk/", "machine-awk"},
    {"sim/machine/tools/", "machine-tools"},
    {"sim/machine/host/", "machine-host"},
    {"sim/machine/", "machine-core"},
    {"sim/daytona/", "sim-daytona"},
    {"sim/e2b/", "sim-e2b"},
    {"sim/serve/", "sim-serve"},
    {"sim/clouds.", "sim"},
    {"sim/public.c", "sim"},
    {"examples/", "example"},
    {"live/", "live"},
};

/* What each room may include, itself included. */
static const struct rule {
    const char *room;
    const char *may;
} rules[] = {
    {"base", " base "},
    {"seam", " base seam "},
    {"wire", " base seam wire "},
    {"port", " base seam port "},
    /* work hands results of the port's types back to an adapter; that it calls no verb of the port is checked below */
    {"work", " base seam wire port work "},
    {"pool", " base seam port pool "},
    {"router", " base seam port pool store router "},
    {"orchestrator", " base seam port orchestrator "},
    {"store", " base seam port store "},
    {"store-sqlite", " base seam port store store-sqlite "},
    {"store-postgres", " base seam port store store-postgres "},
    {"posix", " base seam posix "},
    {"curl", " base seam posix curl "},
    {"daytona", " base seam wire port work pool daytona "},
    {"e2b", " base seam wire port work pool e2b "},
    {"local", " base seam port work local "},
    {"sim-kit", " base seam sim-kit "},
    {"sim-machine", " base sim-kit sim-machine "},
    {"machine-core", " base sim-kit sim-machine machine-core "},
    {"machine-sh", " base sim-kit sim-machine machine-core machine-sh "},
    {"machine-awk", " base sim-kit sim-machine machine-core machine-awk "},
    {"machine-tools", " base sim-kit sim-machine machine-core machine-sh machine-awk machine-tools "},
    {"machine-host", " base sim-kit sim-machine machine-host "},
    {"sim-daytona", " base seam sim-kit sim-machine sim-daytona "},
    {"sim-e2b", " base seam sim-kit sim-machine sim-e2b "},
    {"sim", " base seam sim-kit sim-daytona sim-e2b sim "},
    {"sim-serve", " base seam sim-kit sim-machine machine-host sim-daytona sim-e2b sim sim-serve "},
    {"example", " base seam wire port pool store router store-sqlite posix curl daytona e2b local sim-kit example "},
    {"live", " base seam wire port curl daytona live "},
};

/* Headers of others, each in few places: who wants to look behind a library's back looks there. */
static const struct foreign {
    const char *header;
    const char *where;
} foreigns[] = {
    {"cjson/", " src/base/json.c "},
    {"openssl/", " src/base/sha256.c sim/kit/ws.c sim/machine/tools/hash.c "},
    {"zlib.h", " sim/kit/gzip.c sim/machine/tools/gz.c "},
    {"wslay/", " sim/kit/ws.c "},
    {"curl/", " src/curl/ "},
    {"sqlite3.h", " src/store/sqlite/ "},
    {"libpq-fe.h", " src/store/postgres/ "},
    {"poll.h", " src/curl/ adapters/local/ sim/serve/ sim/machine/host/ src/store/postgres/ "},
    {"pthread.h", " src/posix/ src/curl/ live/daytona.c "},
    {"sys/random.h", " src/posix/ sim/serve/ "},
    {"sys/socket.h", " src/curl/ adapters/local/ sim/serve/ sim/machine/host/ "},
    {"sys/epoll.h", " sim/serve/ sim/machine/host/ "},
    {"netinet/", " sim/serve/ "},
    {"arpa/", " sim/serve/ "},
    {"netdb.h", " "},
    {"time.h", " src/posix/ sim/serve/ sim/machine/ "},
    {"sys/time.h", " sim/serve/ "},
    {"locale.h", " "},
};

static const char *const product[] = {"include", "src", "adapters", "sim", "examples", "live", NULL};

static const char *room_of(const char *path) {
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (source_starts_with(path, places[i].prefix)) return places[i].room;
    return NULL;
}

static int may_include(const char *room, const char *target) {
    char wanted[64];
    snprintf(wanted, sizeof(wanted), " %s ", target);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i].room, room) == 0) return strstr(rules[i].may, wanted) != NULL;
    return 0;
}

/* Libraries of their own in src/ that are built like a stranger's: on the public headers alone. */
static const char *const stores_apart[] = {"src/store/sqlite/", "src/store/postgres/"};

/* Adapters, stores, simulators and examples enter by the public headers; src/ is for the core and its env. */
static int enters_by_a_door(const char *path, const char *target) {
    if (!source_starts_with(target, "src/")) return 1;
    for (size_t i = 0; i < sizeof(stores_apart) / sizeof(stores_apart[0]); i++)
        if (source_starts_with(path, stores_apart[i])) return source_starts_with(target, stores_apart[i]);
    return source_starts_with(path, "src/");
}

/* Sandport's own path of what is included, "" for a header of others. */
static void resolve(const struct source_tree *tree, const char *path, const char *name, char *out, size_t cap) {
    char beside[512];
    const char *slash = strrchr(path, '/');
    snprintf(beside, sizeof(beside), "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
    for (size_t i = 0; i < tree->n; i++) {
        const char *known = tree->files[i].path;
        if (strcmp(known, beside) == 0 || strcmp(known, name) == 0 ||
            (source_starts_with(known, "include/") && strcmp(known + strlen("include/"), name) == 0)) {
            snprintf(out, cap, "%s", known);
            return;
        }
    }
    out[0] = 0;
}

typedef void (*include_fn)(const struct source_tree *tree, const struct source_file *file, const char *name, int line,
                           struct sbx_buf *wrong);

static void each_include(const struct source_tree *tree, include_fn visit) {
    struct sbx_buf wrong = SBX_BUF_INIT;
    for (size_t i = 0; i < tree->n; i++) {
        const struct source_file *file = &tree->files[i];
        for (const char *at = file->plain; (at = strstr(at, "#include")) != NULL; at++) {
            char name[256] = "";
            if (sscanf(at, "#include%*[ ]%*[<\"]%255[^>\"\n]", name) != 1) continue;
            visit(tree, file, name, source_line(file->plain, at), &wrong);
        }
    }
    source_report(&wrong);
}

static void check_arrow(const struct source_tree *tree, const struct source_file *file, const char *name, int line,
                        struct sbx_buf *wrong) {
    char target[512];
    const char *from = room_of(file->path);
    resolve(tree, file->path, name, target, sizeof(target));
    if (!target[0] || !from) return;
    const char *to = room_of(target);
    if (!to) return;
    if (!may_include(from, to))
        sbx_buf_printf(wrong, "%s:%d: %s may not include %s (%s)\n", file->path, line, from, to, target);
    else if (!enters_by_a_door(file->path, target))
        sbx_buf_printf(wrong, "%s:%d: %s is inside the core\n", file->path, line, target);
}

static void check_foreign(const struct source_tree *tree, const struct source_file *file, const char *name, int line,
                          struct sbx_buf *wrong) {
    (void)tree;
    for (size_t i = 0; i < sizeof(foreigns) / sizeof(foreigns[0]); i++) {
        int allowed = 0;
        char where[256];
        if (!source_starts_with(name, foreigns[i].header)) continue;
        snprintf(where, sizeof(where), "%s", foreigns[i].where);
        for (char *place = strtok(where, " "); place; place = strtok(NULL, " "))
            allowed |= source_starts_with(file->path, place);
        if (!allowed) sbx_buf_printf(wrong, "%s:%d: <%s> does not belong here\n", file->path, line, name);
    }
}

static void arrows_only_go_down(void) {
    struct source_tree tree;
    source_tree_load(&tree, product);
    each_include(&tree, check_arrow);
    source_tree_free(&tree);
}

static void every_file_has_a_room(void) {
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, product);
    for (size_t i = 0; i < tree.n; i++)
        if (!room_of(tree.files[i].path))
            sbx_buf_printf(&wrong, "%s: in no room of tests/arch/arrows.c\n", tree.files[i].path);
    source_tree_free(&tree);
    source_report(&wrong);
}

static void headers_of_others_stay_where_they_belong(void) {
    struct source_tree tree;
    source_tree_load(&tree, product);
    each_include(&tree, check_foreign);
    source_tree_free(&tree);
}

/* A public header includes public headers only: an installed one has nothing else to include. */
static void public_headers_include_public_headers(void) {
    static const char *const roots[] = {"include", NULL};
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, roots);
    for (size_t i = 0; i < tree.n; i++)
        if (strstr(tree.files[i].plain, "#include \""))
            sbx_buf_printf(&wrong, "%s: includes by a path of the tree\n", tree.files[i].path);
    source_tree_free(&tree);
    source_report(&wrong);
}

static void work_never_calls_the_port(void) {
    static const char *const roots[] = {"src/work", NULL};
    static const char *const verbs[] = {"sbx_runtime_", "sbx_sandbox_"};
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, roots);
    for (size_t i = 0; i < tree.n; i++)
        for (size_t v = 0; v < sizeof(verbs) / sizeof(verbs[0]); v++) {
            const char *at = strstr(tree.files[i].code, verbs[v]);
            if (at)
                sbx_buf_printf(&wrong, "%s:%d: %s... is the port's\n", tree.files[i].path,
                               source_line(tree.files[i].code, at), verbs[v]);
        }
    source_tree_free(&tree);
    source_report(&wrong);
}

/* Not by an include, and not by a word: what depends on who the provider is would be in there. */
static void the_orchestrator_names_no_provider(void) {
    static const char *const roots[] = {"src/orchestrator", NULL};
    static const char *const names[] = {"daytona", "e2b",          "local_", "vercel", "freestyle",
                                        "agent37", "microsandbox", "envd",   "toolbox"};
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, roots);
    T_TRUE(tree.n > 5);
    for (size_t i = 0; i < tree.n; i++)
        for (size_t v = 0; v < sizeof(names) / sizeof(names[0]); v++) {
            const char *at = strcasestr(tree.files[i].text, names[v]);
            if (at)
                sbx_buf_printf(&wrong, "%s:%d: %s is a provider's\n", tree.files[i].path,
                               source_line(tree.files[i].text, at), names[v]);
        }
    source_tree_free(&tree);
    source_report(&wrong);
}

/* The rules themselves: a check that lets everything pass would pass on every tree. */
static void the_rules_refuse_what_they_should(void) {
    T_TRUE(!may_include("port", "daytona"));
    T_TRUE(!may_include("daytona", "sim-kit"));
    T_TRUE(!may_include("e2b", "daytona"));
    T_TRUE(!may_include("orchestrator", "e2b"));
    T_TRUE(!may_include("sim-daytona", "wire"));
    T_TRUE(!may_include("sim-kit", "sim-daytona"));
    T_TRUE(!may_include("sim-e2b", "sim-daytona"));
    T_TRUE(!may_include("sim-e2b", "wire"));
    T_TRUE(!may_include("sim-daytona", "machine-core"));
    T_TRUE(!may_include("machine-core", "machine-sh"));
    T_TRUE(!may_include("machine-sh", "machine-tools"));
    T_TRUE(!may_include("machine-host", "machine-core"));
    T_TRUE(!may_include("base", "seam"));
    T_TRUE(!may_include("router", "daytona"));
    T_TRUE(!may_include("daytona", "router"));
    T_TRUE(!may_include("port", "pool"));
    T_TRUE(!may_include("store", "store-sqlite"));
    T_TRUE(!may_include("port", "store"));
    T_TRUE(!may_include("store-postgres", "store-sqlite"));
    T_TRUE(!enters_by_a_door("src/store/sqlite/rows.c", "src/store/store.h"));
    T_TRUE(enters_by_a_door("src/store/sqlite/rows.c", "src/store/sqlite/room.h"));
    T_TRUE(may_include("daytona", "work"));
    T_TRUE(!enters_by_a_door("adapters/daytona/client.c", "src/base/json_check.h"));
    T_STR(room_of("sim/daytona/daytona.h"), "sim-daytona");
    T_STR(room_of("sim/machine/fs.h"), "machine-core");
}

T_CASES(T_CASE(arrows_only_go_down), T_CASE(every_file_has_a_room), T_CASE(headers_of_others_stay_where_they_belong),
        T_CASE(public_headers_include_public_headers), T_CASE(work_never_calls_the_port),
        T_CASE(the_orchestrator_names_no_provider), T_CASE(the_rules_refuse_what_they_should))
