/* Many provisions at once: 1,000 of a router from 16 threads, over loopback to sandport-sim, beside a libcurl handle
 * per thread that sends the same requests. All are there afterwards, each behind its locator; then all are destroyed,
 * and none is left. */
#include "bare.h"
#include "rig.h"

#include <pthread.h>
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/kit/json.h>
#include <sandport/router_reap.h>
#include <sandport/router_sandbox.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define THREADS     16
#define PROVISIONS  1000
#define DESTROYERS  250 /* each waits 2 s between its two looks */
#define REQUEST_MAX 8
#define ID_LEN      36

/* A sandbox is there as soon as it is asked for: what is measured is who asks and who answers. */
static const char scenario[] = "{\"daytona\":{\"runner_ms\":0,\"boot_ms\":0,\"destroy_ms\":0}}";

static struct {
    struct bench_server server;
    struct sbx_env *env;
    struct sbx_registry *registry;
    struct sbx_store *store;
    struct sbx_router *router;
    char locators[PROVISIONS + 1][SBX_LOCATOR_SIZE]; /* the last is of the provision that is recorded */
    struct bare_request requests[REQUEST_MAX];       /* of one provision */
    size_t request_count;
    atomic_size_t next;
    atomic_size_t failed;
} the;

static void open_router(void) {
    struct sbx_daytona_options account = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_router_options router = SBX_ROUTER_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    BENCH_NEED(sbx_curl_env_create(NULL, &the.env) == SBX_OK);
    account.endpoint = the.server.api_url;
    account.api_key = the.server.api_key;
    opt.id = "only";
    BENCH_NEED(sbx_daytona_pool(&account, &opt, the.env, &pool, NULL) == SBX_OK);
    struct sbx_pool *pools[] = {pool};
    BENCH_NEED(sbx_registry_memory_create(pools, 1, &the.registry, NULL) == SBX_OK);
    BENCH_NEED(sbx_store_memory_create(the.env, &the.store, NULL) == SBX_OK);
    router.registry = the.registry;
    router.store = the.store;
    BENCH_NEED(sbx_router_create(&router, the.env, &the.router, NULL) == SBX_OK);
}

static enum sbx_status provision(size_t i) {
    return sbx_router_provision(the.router, NULL, NULL, NULL, the.locators[i], NULL, NULL);
}

/* What a provision sends, to be sent again. */
static void record(void) {
    const size_t *count = bare_record(the.env, the.requests, REQUEST_MAX);
    BENCH_NEED(provision(PROVISIONS) == SBX_OK);
    the.request_count = *count;
    bare_record_end(the.env);
    BENCH_NEED(the.request_count >= 2 && the.request_count < REQUEST_MAX);
    BENCH_NEED(strcmp(the.requests[0].method, "POST") == 0);
}

/* ---- the threads ---- */

static void *provisions(void *arg) {
    for (size_t i; (i = atomic_fetch_add(&the.next, 1)) < PROVISIONS;)
        if (provision(i) != SBX_OK) atomic_fetch_add(&the.failed, 1);
    return arg;
}

/* The create under a name of its own; what follows asks for the sandbox that was recorded. */
static void bare_provision(struct bare *bare, const struct bare_request *create, size_t i) {
    struct bare_request own = *create;
    char body[4096], number[16];
    BENCH_NEED(create->body.len < sizeof(body));
    memcpy(body, create->body.data, create->body.len + 1);
    char *name = strstr(body, "\"name\":\"");
    BENCH_NEED(name && strlen(name) > 8 + ID_LEN);
    snprintf(number, sizeof(number), "%012zu", i);
    memcpy(name + 8 + ID_LEN - 12, number, 12);
    own.body = (struct sbx_buf){body, create->body.len, sizeof(body), 0};
    int good = bare_send(bare, &own) / 100 == 2;
    for (size_t k = 1; k < the.request_count; k++) good &= bare_send(bare, &the.requests[k]) / 100 == 2;
    if (!good) atomic_fetch_add(&the.failed, 1);
}

static void *bare_provisions(void *arg) {
    struct bare bare;
    bare_init(&bare);
    for (size_t i; (i = atomic_fetch_add(&the.next, 1)) < PROVISIONS;) bare_provision(&bare, &the.requests[0], i);
    bare_finish(&bare);
    return arg;
}

/* @return of them in a second */
static double side_by_side(void *(*run)(void *arg), double *cpu_us) {
    pthread_t threads[THREADS];
    const double began = bench_wall_us(), cpu = bench_cpu_us();
    atomic_store(&the.next, 0);
    for (size_t i = 0; i < THREADS; i++) BENCH_NEED(pthread_create(&threads[i], NULL, run, NULL) == 0);
    for (size_t i = 0; i < THREADS; i++) BENCH_NEED(pthread_join(threads[i], NULL) == 0);
    BENCH_NEED(atomic_load(&the.failed) == 0);
    *cpu_us = (bench_cpu_us() - cpu) / PROVISIONS;
    return PROVISIONS / (bench_wall_us() - began) * 1e6;
}

/* ---- what is there, and what is left ---- */

static int64_t ledger(const char *member) {
    struct bare bare;
    struct bare_request ask = {.method = "GET"};
    struct sbx_json *js = NULL;
    char url[160];
    snprintf(url, sizeof(url), "%s/ledger", the.server.admin);
    ask.url = url;
    bare_init(&bare);
    BENCH_NEED(bare_send(&bare, &ask) == 200);
    BENCH_NEED(sbx_json_parse(sbx_buf_text(&bare.answer), bare.answer.len, 0, &js) == SBX_OK);
    const int64_t value = sbx_json_int(js, sbx_json_root(js), member);
    BENCH_NEED(sbx_json_status(js) == SBX_OK);
    sbx_json_free(js);
    bare_finish(&bare);
    return value;
}

static void destroy(void *arg) {
    if (sbx_router_destroy(the.router, arg, NULL, NULL)) atomic_fetch_add(&the.failed, 1);
}

static void destroy_all(void) {
    static struct sbx_task tasks[PROVISIONS];
    struct sbx_reap_result left = SBX_REAP_RESULT_INIT;
    bench_progress("destroying them");
    for (size_t i = 0; i < PROVISIONS; i++) tasks[i] = (struct sbx_task){destroy, the.locators[i]};
    the.env->run_all(the.env, tasks, PROVISIONS, DESTROYERS);
    BENCH_NEED(atomic_load(&the.failed) == 0);
    BENCH_NEED(sbx_router_reap(the.router, NULL, NULL, &left, NULL) == SBX_OK && left.seen == 0);
    BENCH_NEED(ledger("live") == 0);
}

int main(void) {
    double routed_cpu = 0, bare_cpu = 0;
    bench_server_start_as(&the.server, scenario);
    open_router();
    bench_progress("provisions side by side");
    double routed = side_by_side(provisions, &routed_cpu);
    BENCH_NEED(ledger("made") == PROVISIONS && ledger("live") == PROVISIONS);
    destroy_all();
    bench_progress("the same by libcurl alone");
    record();
    double bare = side_by_side(bare_provisions, &bare_cpu);
    double ratio = routed / bare, cpu = routed_cpu / bare_cpu;
    bench_line("1,000 provisions from 16 threads, each second", bench_spread_of(&routed, 1), "", "no error, no leak",
               "over loopback, wall time");
    bench_line("  by libcurl alone", bench_spread_of(&bare, 1), "", "none", "the same requests, a handle per thread");
    bench_line("  against it", bench_spread_of(&ratio, 1), "x", "none", "wall time");
    bench_line("  client CPU against it", bench_spread_of(&cpu, 1), "x", "none", "for orientation");
    for (size_t i = 0; i < the.request_count; i++) bare_request_finish(&the.requests[i]);
    sbx_router_free(the.router);
    sbx_store_free(the.store);
    sbx_registry_free(the.registry);
    sbx_env_free(the.env);
    bench_server_stop(&the.server);
    return 0;
}
