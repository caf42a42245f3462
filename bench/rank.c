/* What choosing among pools costs: filter and rank of 10, 1,000 and 10,000 of them, and how many requests for memory it
 * makes, which may not grow with their number. */
#include "rig.h"

#include <sandport/kit/ops.h>
#include <sandport/router_route.h>
#include <stdio.h>
#include <stdlib.h>

#define POOLS_MAX 10000
#define ROUNDS    9
#define VISITS    100000 /* pools gone through in a round, whatever their number */

static int64_t requests;

/* Counted where the linker puts these in the place of the C library's. */
void *__real_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size) {
    requests++;
    return __real_calloc(n, size);
}
void *__wrap_malloc(size_t size) {
    requests++;
    return __real_malloc(size);
}

/* An account that nobody launches from. */
static void bare_free(void *self) {
    (void)self;
}
static enum sbx_status bare_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                   struct sbx_identity *out, struct sbx_error *err) {
    (void)self, (void)opt, (void)call, (void)out;
    return sbx_fail(err, SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, NULL);
}
static enum sbx_status bare_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                 struct sbx_info **out, struct sbx_error *err) {
    (void)self, (void)who, (void)call, (void)out;
    return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL);
}
static enum sbx_status bare_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                    struct sbx_error *err) {
    (void)self, (void)who, (void)call, (void)err;
    return SBX_OK;
}

static struct sbx_pool *pools[POOLS_MAX];

/* Half of them in the region, signals all over the place. */
static void pools_make(struct sbx_runtime *rt) {
    static const char *const eu[] = {"eu-west", "eu-north"}, *const us[] = {"us-east"};
    static const char *const binaries[] = {"git", "python3", "node"};
    for (int i = 0; i < POOLS_MAX; i++) {
        char id[SBX_POOL_ID_SIZE];
        struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
        struct sbx_profile profile = SBX_PROFILE_INIT;
        struct sbx_signals signals = SBX_SIGNALS_INIT;
        const unsigned scattered = (unsigned)i * 2654435761u;
        snprintf(id, sizeof(id), "pool-%08x", scattered);
        profile.regions = i % 2 ? eu : us;
        profile.region_count = i % 2 ? 2 : 1;
        profile.binaries = binaries;
        profile.binary_count = 3;
        profile.cpu = 4;
        profile.memory_mib = 8192;
        profile.lifetime_ms_max = SBX_UNBOUNDED;
        signals.cost = scattered % 1000;
        signals.ready_ms = scattered / 1000 % 30000;
        signals.completion_rate = (double)(scattered % 97) / 97;
        opt.id = id;
        opt.runtime = rt;
        opt.profile = &profile;
        opt.signals = &signals;
        BENCH_NEED(sbx_pool_create(&opt, &pools[i], NULL) == SBX_OK);
    }
}

static double us_per_pool(const struct sbx_route_request *req, size_t n) {
    const size_t times = VISITS / n;
    const double began = bench_cpu_us();
    for (size_t i = 0; i < times; i++) {
        struct sbx_route *route = NULL;
        BENCH_NEED(sbx_route_create(req, (const struct sbx_pool *const *)pools, n, NULL, &route, NULL) == SBX_OK);
        sbx_route_free(route);
    }
    return (bench_cpu_us() - began) / (double)(times * n);
}

static void measure(const struct sbx_route_request *req, size_t n, const char *what) {
    char line[96];
    double took[ROUNDS];
    struct sbx_route *route = NULL;
    bench_progress(what);
    for (size_t i = 0; i < ROUNDS; i++) took[i] = us_per_pool(req, n);
    snprintf(line, sizeof(line), "%s, %zu pools, each", what, n);
    bench_line(line, bench_spread_of(took, ROUNDS), "us", "at most 1 us", "CPU time, for orientation");
    requests = 0;
    BENCH_NEED(sbx_route_create(req, (const struct sbx_pool *const *)pools, n, NULL, &route, NULL) == SBX_OK);
    double asked = (double)requests;
    sbx_route_free(route);
    bench_line("  requests for memory", bench_spread_of(&asked, 1), "", "the same for any number", "");
}

int main(void) {
    const struct sbx_runtime_ops ops = {.size = sizeof(ops),
                                        .provider = "bare",
                                        .free = bare_free,
                                        .launch = bare_launch,
                                        .info = bare_info,
                                        .destroy = bare_destroy};
    static const char *const regions[] = {"eu-west"}, *const binaries[] = {"node", "git"};
    struct sbx_route_request all = SBX_ROUTE_REQUEST_INIT, half = SBX_ROUTE_REQUEST_INIT;
    struct sbx_env env = {.size = sizeof(env)}; /* nothing is sent, so nothing is asked of it */
    struct sbx_runtime *rt = NULL;
    BENCH_NEED(sbx_runtime_create(&ops, NULL, &env, &rt, NULL) == SBX_OK);
    pools_make(rt);
    half.regions = regions;
    half.region_count = 1;
    half.region_required = SBX_YES;
    half.binaries = binaries;
    half.binary_count = 2;
    half.cpu = 2;
    half.lifetime_ms = 1800000;
    static const size_t counts[] = {10, 1000, 10000};
    for (size_t i = 0; i < 3; i++) measure(&all, counts[i], "filter and rank, all of them fit");
    for (size_t i = 0; i < 3; i++) measure(&half, counts[i], "filter and rank, half of them fit");
    for (int i = 0; i < POOLS_MAX; i++) sbx_pool_free(pools[i]);
    sbx_runtime_free(rt);
    return 0;
}
