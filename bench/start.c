/* How long a program needs from its start to the first byte of its first request: one that makes an env and a runtime
 * and asks for a sandbox, against one that asks by libcurl alone. The byte is seen by a listener of ours. */
#include "bare.h"
#include "rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/sandport.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUNDS 61

/* ---- the programs that are measured: client KIND URL ---- */

static void be_bare(const char *url) {
    struct bare bare;
    char target[256];
    const struct sbx_request req = {.method = "GET", .url = target};
    struct bare_request copy;
    snprintf(target, sizeof(target), "%s/sandbox/none", url);
    bare_request_copy(&req, &copy);
    bare_init(&bare);
    BENCH_NEED(bare_send(&bare, &copy) == 404);
    bare_finish(&bare);
    bare_request_finish(&copy);
}

static void be_client(const char *url) {
    struct sbx_env *env = NULL;
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    opt.endpoint = url;
    opt.api_key = "dtn_bench_canary_0001";
    BENCH_NEED(sbx_curl_env_create(NULL, &env) == SBX_OK);
    BENCH_NEED(sbx_daytona_create(&opt, env, &rt, NULL) == SBX_OK);
    BENCH_NEED(sbx_runtime_attach(rt, "none", NULL, &sb, NULL) == SBX_NOT_FOUND);
    sbx_runtime_free(rt);
    sbx_env_free(env);
}

/* ---- the measurement ---- */

static int listener(char *url, size_t cap) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BENCH_NEED(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 8) == 0);
    BENCH_NEED(getsockname(fd, (struct sockaddr *)&at, &len) == 0);
    snprintf(url, cap, "http://127.0.0.1:%d/api", ntohs(at.sin_port));
    return fd;
}

struct start {
    double wall_ms;
    double cpu_ms; /* of the program until then */
};

static struct start start_of(int fd, const char *kind, char *url) {
    static const char answer[] = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                                 "Connection: close\r\n\r\n{}";
    char self[] = "bench_start", what[16], request[4096];
    char *argv[] = {self, what, url, NULL};
    snprintf(what, sizeof(what), "%s", kind);
    double began = bench_wall_us();
    pid_t pid = bench_again(argv, NULL);
    int conn = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    BENCH_NEED(conn >= 0 && recv(conn, request, sizeof(request), 0) > 0);
    struct start took = {(bench_wall_us() - began) / 1000, bench_cpu_us_of(pid) / 1000};
    BENCH_NEED(send(conn, answer, sizeof(answer) - 1, MSG_NOSIGNAL) == sizeof(answer) - 1);
    close(conn);
    bench_wait(pid);
    return took;
}

int main(int argc, char **argv) {
    char url[64];
    double clients[ROUNDS], cpu[ROUNDS], ratios[ROUNDS];
    if (argc == 3) {
        if (strcmp(argv[1], "bare") == 0)
            be_bare(argv[2]);
        else
            be_client(argv[2]);
        return 0;
    }
    int fd = listener(url, sizeof(url));
    bench_progress("starts");
    for (size_t i = 0; i < ROUNDS; i++) {
        struct start bare = start_of(fd, "bare", url), client = start_of(fd, "client", url);
        clients[i] = client.wall_ms;
        cpu[i] = client.cpu_ms;
        ratios[i] = client.cpu_ms / bare.cpu_ms;
    }
    close(fd);
    bench_line("process start to first request byte", bench_spread_of(clients, ROUNDS), "ms", "at most 15 ms",
               "wall time");
    bench_line("  in its CPU time", bench_spread_of(cpu, ROUNDS), "ms", "none", "for orientation");
    bench_line("  against the bare loop, CPU", bench_spread_of(ratios, ROUNDS), "x", "none",
               "a program with libcurl alone");
    return 0;
}
