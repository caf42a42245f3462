/* What the router adds to a launch: a provision - choice, intent, launch, locator - above the same launch by the port
 * alone, in-process, with each kind of store. CPU in json units; where a store waits for a disk or a server, wall time
 * too. */
#include "json_unit.h"
#include "rig.h"

#include <sandport/daytona.h>
#include <sandport/router.h>
#include <sandport/sim.h>
#include <sandport/store_postgres.h>
#include <sandport/store_sqlite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS   15
#define LAUNCHES 60

struct took {
    double cpu_us;
    double wall_us;
};

static double now_cpu, now_wall;

static void begin(void) {
    now_cpu = bench_cpu_us();
    now_wall = bench_wall_us();
}

static void add(struct took *took) {
    took->cpu_us += (bench_cpu_us() - now_cpu) / LAUNCHES;
    took->wall_us += (bench_wall_us() - now_wall) / LAUNCHES;
}

static struct sbx_pool *pool_of(struct sbx_env *env) {
    struct sbx_daytona_options account = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    account.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    account.api_key = SBX_SIM_DAYTONA_KEY;
    opt.id = "only";
    BENCH_NEED(sbx_daytona_pool(&account, &opt, env, &pool, NULL) == SBX_OK);
    return pool;
}

/* ---- the stores ---- */

static char place[64]; /* a folder, for SQLite; the server's folder */

static enum sbx_status memory_open(struct sbx_env *env, struct sbx_store **out) {
    return sbx_store_memory_create(env, out, NULL);
}

static enum sbx_status sqlite_open(struct sbx_env *env, struct sbx_store **out) {
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    char path[96];
    snprintf(path, sizeof(path), "%s/store.db", place);
    opt.path = path;
    return sbx_store_sqlite_create(&opt, env, NULL, out, NULL);
}

static enum sbx_status postgres_open(struct sbx_env *env, struct sbx_store **out) {
    struct sbx_store_postgres_options opt = SBX_STORE_POSTGRES_OPTIONS_INIT;
    char connection[128];
    snprintf(connection, sizeof(connection), "host=%s user=postgres dbname=postgres", place);
    opt.connection = connection;
    return sbx_store_postgres_create(&opt, env, out, NULL);
}

/* ---- the measurement ---- */

/* Launches by the port, launches by the router, in turn, so that what the machine does besides falls on both. */
static void measure_round(enum sbx_status (*open)(struct sbx_env *env, struct sbx_store **out), struct took *bare,
                          struct took *routed) {
    struct sbx_router_options opt = SBX_ROUTER_OPTIONS_INIT;
    struct sbx_sim_options world = SBX_SIM_OPTIONS_INIT;
    struct sbx_sim *sim = NULL;
    struct sbx_router *router = NULL;
    static uint64_t seed;
    world.seed = ++seed; /* a store that stays must not see the same ids again */
    BENCH_NEED(sbx_sim_create(&world, &sim, NULL, 0) == SBX_OK);
    struct sbx_env *env = sbx_sim_env(sim);
    struct sbx_pool *pool = pool_of(env), *pools[] = {pool};
    BENCH_NEED(sbx_registry_memory_create(pools, 1, &opt.registry, NULL) == SBX_OK);
    BENCH_NEED(open(env, &opt.store) == SBX_OK);
    BENCH_NEED(sbx_router_create(&opt, env, &router, NULL) == SBX_OK);
    for (int i = 0; i < LAUNCHES; i++) {
        struct sbx_sandbox *sb = NULL;
        char locator[SBX_LOCATOR_SIZE];
        begin();
        BENCH_NEED(sbx_runtime_launch(sbx_pool_runtime(pool), NULL, NULL, &sb, NULL) == SBX_OK);
        add(bare);
        sbx_sandbox_free(sb);
        begin();
        BENCH_NEED(sbx_router_provision(router, NULL, NULL, NULL, locator, NULL, NULL) == SBX_OK);
        add(routed);
    }
    BENCH_NEED(sbx_sim_ledger_live(sim) == 2 * LAUNCHES);
    sbx_router_free(router);
    sbx_store_free(opt.store);
    sbx_registry_free(opt.registry);
    sbx_sim_free(sim);
}

static void measure(const char *kind, const char *target,
                    enum sbx_status (*open)(struct sbx_env *env, struct sbx_store **out)) {
    double units[ROUNDS], wall[ROUNDS];
    char what[64];
    bench_progress(kind);
    for (size_t i = 0; i < ROUNDS; i++) {
        struct took bare = {0}, routed = {0};
        const double unit = bench_json_unit_us();
        measure_round(open, &bare, &routed);
        units[i] = (routed.cpu_us - bare.cpu_us) / unit;
        wall[i] = routed.wall_us - bare.wall_us;
    }
    snprintf(what, sizeof(what), "a provision above a launch, %s", kind);
    bench_line(what, bench_spread_of(units, ROUNDS), "units", target, "CPU, a json unit is one cJSON print and parse");
    bench_line("  in wall time", bench_spread_of(wall, ROUNDS), "us", "none", "for orientation");
}

static void with_sqlite(void) {
    static const char *const names[] = {"store.db", "store.db-wal", "store.db-shm"};
    snprintf(place, sizeof(place), "/tmp/sandport-bench-XXXXXX");
    BENCH_NEED(mkdtemp(place) != NULL);
    measure("SQLite", "none", sqlite_open);
    for (size_t i = 0; i < 3; i++) {
        char path[96];
        snprintf(path, sizeof(path), "%s/%s", place, names[i]);
        unlink(path);
    }
    rmdir(place);
}

/* A throw-away server, as the tests have it: it does not sync, so that what is measured is the way there and back. */
static void with_postgres(void) {
    char file[] = "/tmp/sandport-bench-XXXXXX", command[1024];
    int fd = mkstemp(file);
    BENCH_NEED(fd >= 0);
    close(fd);
    snprintf(command, sizeof(command), "%s start %s %ld >/dev/null", BENCH_POSTGRES, file, (long)getpid());
    if (system(command) != 0) {
        printf("a provision above a launch, PostgreSQL: not measured, no server is installed\n");
        return;
    }
    FILE *in = fopen(file, "r");
    BENCH_NEED(in && fscanf(in, "%63s", place) == 1);
    fclose(in);
    measure("PostgreSQL", "none", postgres_open);
    snprintf(command, sizeof(command), "%s stop %s", BENCH_POSTGRES, file);
    BENCH_NEED(system(command) == 0);
}

int main(void) {
    measure("in memory", "at most 6", memory_open);
    with_sqlite();
    with_postgres();
    return 0;
}
