/* What a client holds: resident memory of a process with 1 and with 100 live sandbox handles, against one that asks the
 * same server as often by a kept libcurl handle. Each in a process of its own. */
#include "bare.h"
#include "rig.h"

#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/sandport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS      5
#define HANDLES_MAX 100

/* ---- the processes that are measured: client KIND COUNT URL KEY ID ---- */

static void say_resident(void) {
    printf("%lld\n", (long long)bench_resident_kib(0));
}

static void be_bare(size_t count, const char *url, const char *key, const char *id) {
    struct bare bare;
    char target[256], bearer[256];
    const struct sbx_header headers[] = {{"Authorization", bearer}, {"Accept", "application/json"}};
    const struct sbx_request req = {.method = "GET", .url = target, .headers = headers, .header_count = 2};
    struct bare_request copy;
    snprintf(target, sizeof(target), "%s/sandbox/%s", url, id);
    snprintf(bearer, sizeof(bearer), "Bearer %s", key);
    bare_request_copy(&req, &copy);
    bare_init(&bare);
    for (size_t i = 0; i < count; i++) BENCH_NEED(bare_send(&bare, &copy) == 200);
    say_resident();
    bare_finish(&bare);
    bare_request_finish(&copy);
}

static void be_handles(size_t count, const char *url, const char *key, const char *id) {
    struct sbx_sandbox *handles[HANDLES_MAX] = {NULL};
    struct sbx_env *env = NULL;
    struct sbx_runtime *rt = NULL;
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    opt.endpoint = url;
    opt.api_key = key;
    BENCH_NEED(count <= HANDLES_MAX);
    BENCH_NEED(sbx_curl_env_create(NULL, &env) == SBX_OK);
    BENCH_NEED(sbx_daytona_create(&opt, env, &rt, NULL) == SBX_OK);
    for (size_t i = 0; i < count; i++) {
        struct sbx_exec_result *result = NULL;
        BENCH_NEED(sbx_runtime_attach(rt, id, NULL, &handles[i], NULL) == SBX_OK);
        BENCH_NEED(sbx_sandbox_exec(handles[i], "echo hello", NULL, NULL, &result, NULL) == SBX_OK);
        sbx_exec_result_free(result);
    }
    say_resident();
    for (size_t i = 0; i < count; i++) sbx_sandbox_free(handles[i]);
    sbx_runtime_free(rt);
    sbx_env_free(env);
}

static int be_client(char **argv) {
    size_t count = (size_t)strtoul(argv[2], NULL, 10);
    if (strcmp(argv[1], "bare") == 0)
        be_bare(count, argv[3], argv[4], argv[5]);
    else
        be_handles(count, argv[3], argv[4], argv[5]);
    return 0;
}

/* ---- the measurement ---- */

static double client_mib(const char *kind, size_t count, struct bench_server *server, char *id) {
    char self[] = "bench_memory", number[24], what[16], answer[64];
    char *argv[] = {self, what, number, server->api_url, server->api_key, id, NULL};
    int out = -1;
    snprintf(number, sizeof(number), "%zu", count);
    snprintf(what, sizeof(what), "%s", kind);
    pid_t pid = bench_again(argv, &out);
    bench_read_all(out, answer, sizeof(answer));
    bench_wait(pid);
    return (double)strtol(answer, NULL, 10) / 1024;
}

static void measure(struct bench_server *server, char *id, size_t count, const char *what, const char *target) {
    double more[ROUNDS], bares[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        bench_progress(what);
        bares[i] = client_mib("bare", count, server, id);
        more[i] = client_mib("handles", count, server, id) - bares[i];
    }
    bench_line(what, bench_spread_of(more, ROUNDS), "MiB", target, "more than a bare libcurl loop holds");
    bench_line("  of the bare loop", bench_spread_of(bares, ROUNDS), "MiB", "none", "for orientation");
}

int main(int argc, char **argv) {
    struct bench_server server;
    char id[SBX_ID_SIZE];
    struct sbx_env *env = NULL;
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    if (argc == 6) return be_client(argv);
    bench_server_start(&server);
    opt.endpoint = server.api_url;
    opt.api_key = server.api_key;
    BENCH_NEED(sbx_curl_env_create(NULL, &env) == SBX_OK);
    BENCH_NEED(sbx_daytona_create(&opt, env, &rt, NULL) == SBX_OK);
    BENCH_NEED(sbx_runtime_launch(rt, NULL, NULL, &sb, NULL) == SBX_OK);
    sbx_sandbox_id(sb, id);
    measure(&server, id, 1, "resident memory with 1 handle", "at most 0.5 MiB");
    measure(&server, id, HANDLES_MAX, "resident memory with 100 handles", "at most 1.5 MiB");
    BENCH_NEED(sbx_sandbox_destroy(sb, NULL, NULL) == SBX_OK);
    sbx_sandbox_free(sb);
    sbx_runtime_free(rt);
    sbx_env_free(env);
    bench_server_stop(&server);
    return 0;
}
