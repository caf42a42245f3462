/* What a command costs the client over loopback: through an adapter and the curl env, against a kept libcurl handle
 * that sends the same request bytes to the same server. On E2B also with a lifetime that makes the sandbox live longer
 * each time: one more request. */
#include "bare.h"
#include "clouds.h"

#include <sandport/curl.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS  15
#define RECORDS 50 /* commands, different ones: each names its own run and what the last ones left to be removed */
#define EXECS   (2 * RECORDS)

struct subject {
    struct sbx_env *env;
    struct sbx_sandbox *sb;
    int64_t lifetime_ms; /* 0 = none is said */
    int64_t more_ms;     /* by so much each is longer than the last */
    size_t requests;     /* of one command */
    struct bare_request *records;
};

static void one_exec(struct subject *s) {
    struct sbx_exec_result *result = NULL;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    opt.lifetime_ms = s->lifetime_ms += s->more_ms;
    BENCH_NEED(sbx_sandbox_exec(s->sb, "echo hello", &opt, NULL, &result, NULL) == SBX_OK);
    BENCH_NEED(strcmp(sbx_exec_result_stdout(result, NULL), "hello\n") == 0);
    sbx_exec_result_free(result);
}

static double adapter_us(struct subject *s) {
    double began = bench_cpu_us();
    for (size_t i = 0; i < EXECS; i++) one_exec(s);
    return (bench_cpu_us() - began) / EXECS;
}

static double bare_us(struct bare *bare, const struct subject *s) {
    double began = bench_cpu_us();
    for (size_t i = 0; i < EXECS * s->requests; i++)
        BENCH_NEED(bare_send(bare, &s->records[i % (RECORDS * s->requests)]) / 100 == 2);
    return (bench_cpu_us() - began) / EXECS;
}

static void record(struct subject *s) {
    const size_t *count = bare_record(s->env, s->records, RECORDS * s->requests);
    for (int i = 0; i < RECORDS; i++) one_exec(s);
    BENCH_NEED(*count == RECORDS * s->requests);
    bare_record_end(s->env);
}

static void measure(struct subject *s, const char *what) {
    struct bare bare;
    double ratios[ROUNDS], adapters[ROUNDS], bares[ROUNDS];
    char name[64];
    record(s);
    bare_init(&bare);
    for (size_t i = 0; i < ROUNDS; i++) {
        bench_progress("commands over loopback");
        bares[i] = bare_us(&bare, s);
        adapters[i] = adapter_us(s);
        ratios[i] = adapters[i] / bares[i];
    }
    bare_finish(&bare);
    snprintf(name, sizeof(name), "client CPU of an exec, %s", what);
    bench_line(name, bench_spread_of(ratios, ROUNDS), "x", "at most 1.5 x",
               "a bare libcurl loop with the same requests");
    bench_line("  of the adapter", bench_spread_of(adapters, ROUNDS), "us", "none", "for orientation");
    bench_line("  of the bare loop", bench_spread_of(bares, ROUNDS), "us", "none", "for orientation");
    for (size_t i = 0; i < RECORDS * s->requests; i++) bare_request_finish(&s->records[i]);
}

static void measure_cloud(const struct bench_server *server, struct sbx_env *env, const struct bench_cloud *cloud) {
    static struct bare_request records[2 * RECORDS];
    struct sbx_runtime *rt = NULL;
    struct subject s = {.env = env, .requests = 1, .records = records};
    BENCH_NEED(cloud->open(server, env, &rt) == SBX_OK);
    BENCH_NEED(sbx_runtime_launch(rt, NULL, NULL, &s.sb, NULL) == SBX_OK);
    measure(&s, cloud->name);
    if (strcmp(cloud->name, "E2B") == 0) { /* beyond the half hour that the sandbox has, and then a second more each */
        s.lifetime_ms = INT64_C(1800000);
        s.more_ms = 2000;
        s.requests = 2;
        measure(&s, "E2B, re-armed");
    }
    BENCH_NEED(sbx_sandbox_destroy(s.sb, NULL, NULL) == SBX_OK);
    sbx_sandbox_free(s.sb);
    sbx_runtime_free(rt);
}

int main(void) {
    struct bench_server server;
    struct sbx_env *env = NULL;
    bench_server_start(&server);
    BENCH_NEED(sbx_curl_env_create(NULL, &env) == SBX_OK);
    for (size_t i = 0; i < BENCH_CLOUDS; i++) measure_cloud(&server, env, &bench_clouds[i]);
    sbx_env_free(env);
    bench_server_stop(&server);
    return 0;
}
