/* What a command costs the client over loopback: through the Daytona adapter and the curl env, against a kept libcurl
 * handle that sends the same request bytes to the same server. */
#include "bare.h"
#include "rig.h"

#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/sandport.h>
#include <string.h>

#define ROUNDS  15
#define RECORDS 50 /* different ones: each names its own run and what the last ones left to be removed */
#define EXECS   (2 * RECORDS)

static void one_exec(struct sbx_sandbox *sb) {
    struct sbx_exec_result *result = NULL;
    BENCH_NEED(sbx_sandbox_exec(sb, "echo hello", NULL, NULL, &result, NULL) == SBX_OK);
    BENCH_NEED(strcmp(sbx_exec_result_stdout(result, NULL), "hello\n") == 0);
    sbx_exec_result_free(result);
}

static double adapter_us(struct sbx_sandbox *sb) {
    double began = bench_cpu_us();
    for (size_t i = 0; i < EXECS; i++) one_exec(sb);
    return (bench_cpu_us() - began) / EXECS;
}

static double bare_us(struct bare *bare, const struct bare_request *records) {
    double began = bench_cpu_us();
    for (size_t i = 0; i < EXECS; i++) BENCH_NEED(bare_send(bare, &records[i % RECORDS]) == 200);
    return (bench_cpu_us() - began) / EXECS;
}

static void record(struct sbx_env *env, struct sbx_sandbox *sb, struct bare_request *records) {
    const size_t *count = bare_record(env, records, RECORDS);
    while (*count < RECORDS) one_exec(sb);
    bare_record_end(env);
}

static void measure(struct sbx_sandbox *sb, const struct bare_request *records) {
    struct bare bare;
    double ratios[ROUNDS], adapters[ROUNDS], bares[ROUNDS];
    bare_init(&bare);
    for (size_t i = 0; i < ROUNDS; i++) {
        bench_progress("commands over loopback");
        bares[i] = bare_us(&bare, records);
        adapters[i] = adapter_us(sb);
        ratios[i] = adapters[i] / bares[i];
    }
    bare_finish(&bare);
    bench_line("client CPU of an exec over loopback", bench_spread_of(ratios, ROUNDS), "x", "at most 1.5 x",
               "a bare libcurl loop with the same requests");
    bench_line("  of the adapter", bench_spread_of(adapters, ROUNDS), "us", "none", "for orientation");
    bench_line("  of the bare loop", bench_spread_of(bares, ROUNDS), "us", "none", "for orientation");
}

int main(void) {
    struct bench_server server;
    struct bare_request records[RECORDS];
    struct sbx_env *env = NULL;
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    bench_server_start(&server);
    opt.endpoint = server.api_url;
    opt.api_key = server.api_key;
    BENCH_NEED(sbx_curl_env_create(NULL, &env) == SBX_OK);
    BENCH_NEED(sbx_daytona_create(&opt, env, &rt, NULL) == SBX_OK);
    BENCH_NEED(sbx_runtime_launch(rt, NULL, NULL, &sb, NULL) == SBX_OK);
    record(env, sb, records);
    measure(sb, records);
    for (size_t i = 0; i < RECORDS; i++) bare_request_finish(&records[i]);
    BENCH_NEED(sbx_sandbox_destroy(sb, NULL, NULL) == SBX_OK);
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
    sbx_env_free(env);
    bench_server_stop(&server);
    return 0;
}
