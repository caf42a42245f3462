/* The served simulator: how many reads of a sandbox it answers in a second, against the least server that sends the
 * same bytes to the same client; how soon after its start it answers, and what it holds when idle. */
#include "rig.h"
#include "serve_load.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS   5
#define STARTS   21
#define REQUESTS 60000
#define WIDTH    8

static uint16_t port_of(const struct bench_server *server) {
    const char *colon = strrchr(server->api_url, ':');
    BENCH_NEED(colon != NULL);
    return (uint16_t)strtoul(colon + 1, NULL, 10);
}

static void request_make(const struct bench_server *server, const char *method, const char *rest, const char *body,
                         char *out, size_t cap) {
    int n = snprintf(out, cap,
                     "%s /api%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n"
                     "User-Agent: bench\r\nAccept: application/json\r\n",
                     method, rest, port_of(server), server->api_key);
    if (body)
        n += snprintf(out + n, cap - (size_t)n, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                      strlen(body), body);
    else
        n += snprintf(out + n, cap - (size_t)n, "\r\n");
    BENCH_NEED((size_t)n < cap);
}

/* ---- starting, and standing idle ---- */

static void measure_starts(void) {
    double first_ms[STARTS], cpu_ms[STARTS], idle_mib[STARTS];
    char request[1024], answer[16384];
    bench_progress("starts of the served simulator");
    for (size_t i = 0; i < STARTS; i++) {
        struct bench_server server;
        double began = bench_wall_us();
        bench_server_start(&server);
        request_make(&server, "GET", "/config", NULL, request, sizeof(request));
        int fd = load_connect(port_of(&server));
        load_ask(fd, request, answer, sizeof(answer));
        first_ms[i] = (bench_wall_us() - began) / 1000;
        cpu_ms[i] = bench_cpu_us_of(server.pid) / 1000;
        close(fd);
        idle_mib[i] = (double)bench_resident_kib(server.pid) / 1024;
        bench_server_stop(&server);
    }
    bench_line("served simulator, start to first answer", bench_spread_of(first_ms, STARTS), "ms", "at most 10 ms",
               "wall time");
    bench_line("  in its CPU time", bench_spread_of(cpu_ms, STARTS), "ms", "none", "for orientation");
    bench_line("served simulator, idle", bench_spread_of(idle_mib, STARTS), "MiB", "at most 8 MiB", "resident");
}

/* ---- under load ---- */

/* A request that reads a sandbox that has been created and is started. */
static void sandbox_make(const struct bench_server *server, char *request, size_t cap, char *answer, size_t answer_cap,
                         size_t *answer_len) {
    char path[128], *id = NULL;
    int fd = load_connect(port_of(server));
    request_make(server, "POST", "/sandbox", "{}", request, cap);
    answer[load_ask(fd, request, answer, answer_cap)] = 0;
    id = strstr(answer, "\"id\":\"");
    BENCH_NEED(id != NULL);
    snprintf(path, sizeof(path), "/sandbox/%.36s", id + strlen("\"id\":\""));
    request_make(server, "GET", path, NULL, request, cap);
    do {
        *answer_len = load_ask(fd, request, answer, answer_cap);
        answer[*answer_len] = 0;
    } while (!strstr(answer, "\"state\":\"started\""));
    close(fd);
}

static pid_t least_server(const char *answer, size_t len, uint16_t *port) {
    int listener = load_listen(port);
    pid_t pid = fork();
    BENCH_NEED(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        load_serve(listener, answer, len);
    }
    close(listener);
    return pid;
}

struct rate {
    double wall; /* requests a second that were answered */
    double cpu;  /* that would have been, had the server had a core of its own */
};

static struct rate rate_of(uint16_t port, pid_t pid, const char *request) {
    double wall = bench_wall_us(), cpu = bench_cpu_us_of(pid);
    load_run(port, request, REQUESTS, WIDTH);
    wall = bench_wall_us() - wall;
    cpu = bench_cpu_us_of(pid) - cpu;
    return (struct rate){REQUESTS * 1e6 / wall, REQUESTS * 1e6 / cpu};
}

static void measure_load(void) {
    struct bench_server server;
    double wall[ROUNDS], cpu[ROUNDS], least[ROUNDS], ratio[ROUNDS];
    char request[1024], answer[16384];
    size_t answer_len = 0;
    uint16_t port = 0;
    bench_server_start(&server);
    sandbox_make(&server, request, sizeof(request), answer, sizeof(answer), &answer_len);
    pid_t pid = least_server(answer, answer_len, &port);
    for (size_t i = 0; i < ROUNDS; i++) {
        bench_progress("reads of a sandbox from the served simulator");
        struct rate is = rate_of(port_of(&server), server.pid, request), bare = rate_of(port, pid, request);
        wall[i] = is.wall;
        cpu[i] = is.cpu;
        least[i] = bare.wall;
        ratio[i] = is.wall / bare.wall;
    }
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    bench_server_stop(&server);
    bench_line("served simulator, sandbox reads", bench_spread_of(wall, ROUNDS), "/s", "at least 30000 /s",
               "8 kept connections");
    bench_line("  a second of the server's CPU time", bench_spread_of(cpu, ROUNDS), "/s", "at least 30000 /s",
               "had it a core of its own");
    bench_line("  of the least server", bench_spread_of(least, ROUNDS), "/s", "none", "same client, same bytes");
    bench_line("  against the least server", bench_spread_of(ratio, ROUNDS), "x", "none", "the least server's rate");
}

int main(void) {
    measure_starts();
    measure_load();
    return 0;
}
