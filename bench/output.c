/* A command that prints a GiB, its output taken as it comes: what the client holds meanwhile, and what a byte costs it
 * beside decoding the same text bare. */
#include "clouds.h"

#include <openssl/evp.h>
#include <sandport/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB      (UINT64_C(1) << 30)
#define BARE_MIB 64
#define WARM_UP  (8 << 20)

struct heard {
    uint64_t bytes;
    int64_t before_kib, most_kib;
};

static int hear(void *ctx, int32_t stream, const void *data, size_t len) {
    struct heard *heard = ctx;
    (void)stream, (void)data;
    heard->bytes += len;
    int64_t now = bench_resident_kib(0);
    if (heard->bytes <= WARM_UP) heard->before_kib = now; /* buffers of the size of a piece are there now */
    if (now > heard->most_kib) heard->most_kib = now;
    return 0;
}

/* Base64 by libcrypto, as it would be done by hand. @return us a MiB of output */
static double bare_us_a_mib(void) {
    size_t len = 1 << 20, coded = 4 * ((len + 2) / 3);
    unsigned char *bytes = calloc(1, len + 3), *text = calloc(1, coded + 1);
    BENCH_NEED(bytes && text);
    EVP_EncodeBlock(text, bytes, (int)len);
    double began = bench_cpu_us();
    for (int i = 0; i < BARE_MIB; i++) BENCH_NEED(EVP_DecodeBlock(bytes, text, (int)coded) > 0);
    double took = (bench_cpu_us() - began) / BARE_MIB;
    free(bytes);
    free(text);
    return took;
}

static void measure(const struct bench_server *server, struct sbx_env *env, const struct bench_cloud *cloud) {
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    struct sbx_exec_result *result = NULL;
    struct sbx_exec_options exec = SBX_EXEC_OPTIONS_INIT;
    struct heard heard = {0};
    char what[64];
    BENCH_NEED(cloud->open(server, env, &rt) == SBX_OK);
    BENCH_NEED(sbx_runtime_launch(rt, NULL, NULL, &sb, NULL) == SBX_OK);
    exec.output = hear;
    exec.output_ctx = &heard;
    exec.output_bytes_max = 1;
    bench_progress("a GiB of output");
    double began = bench_cpu_us(), wall = bench_wall_us();
    BENCH_NEED(sbx_sandbox_exec(sb, "head -c 1073741824 /dev/zero", &exec, NULL, &result, NULL) == SBX_OK);
    double mib_us = (bench_cpu_us() - began) / (double)(GIB >> 20);
    wall = bench_wall_us() - wall;
    BENCH_NEED(heard.bytes == GIB && sbx_exec_result_stdout_total(result) == GIB);
    double grown = (double)(heard.most_kib - heard.before_kib) / 1024, ratio = mib_us / bare_us_a_mib(),
           rate = (double)(GIB >> 20) / wall * 1e6;
    snprintf(what, sizeof(what), "client memory, 1 GiB of output, %s", cloud->name);
    bench_line(what, bench_spread_of(&grown, 1), "MiB", "at most 4 MiB", "growth after 8 MiB");
    bench_line("  client CPU a byte", bench_spread_of(&ratio, 1), "x", "none", "bare base64 by libcrypto");
    bench_line("  rate, simulated shell and all", bench_spread_of(&rate, 1), "MiB/s", "none", "for orientation");
    sbx_exec_result_free(result);
    BENCH_NEED(sbx_sandbox_destroy(sb, NULL, NULL) == SBX_OK);
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
}

int main(void) {
    struct bench_server server;
    struct sbx_env *env = NULL;
    bench_server_start(&server);
    BENCH_NEED(sbx_curl_env_create(NULL, &env) == SBX_OK);
    for (size_t i = 0; i < BENCH_CLOUDS; i++) measure(&server, env, &bench_clouds[i]);
    sbx_env_free(env);
    bench_server_stop(&server);
    return 0;
}
