/* What the measurements share. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void bench_fail(const char *file, int line, const char *what) {
    fprintf(stderr, "bench: %s:%d: failed: %s\n", file, line, what);
    exit(1);
}

/* ---- children ---- */

/* A child that goes when we go, its standard output ours to read. */
static pid_t child_start(const char *program, char *const argv[], int *out) {
    int ends[2] = {-1, -1};
    BENCH_NEED(!out || pipe2(ends, O_CLOEXEC) == 0);
    pid_t parent = getpid(), pid = vfork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent || (out && dup2(ends[1], STDOUT_FILENO) < 0)) _exit(127);
        execv(program, argv);
        _exit(127);
    }
    BENCH_NEED(pid > 0);
    if (out) {
        close(ends[1]);
        *out = ends[0];
    }
    return pid;
}

pid_t bench_again(char *const argv[], int *out) {
    return child_start("/proc/self/exe", argv, out);
}

size_t bench_read_all(int fd, char *text, size_t cap) {
    size_t len = 0;
    for (ssize_t n = 1; n > 0 && len + 1 < cap; len += n > 0 ? (size_t)n : 0) n = read(fd, text + len, cap - 1 - len);
    text[len] = 0;
    close(fd);
    return len;
}

void bench_wait(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    BENCH_NEED(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void beside(char *path, size_t cap, const char *name) {
    ssize_t len = readlink("/proc/self/exe", path, cap - 1);
    BENCH_NEED(len > 0);
    path[len] = 0;
    char *slash = strrchr(path, '/');
    BENCH_NEED(slash && (size_t)(slash - path) + strlen(name) + 2 < cap);
    snprintf(slash + 1, cap - (size_t)(slash + 1 - path), "%s", name);
}

/* The ready line is the program's own, on one line: a text between quotes behind its key, behind its provider, is all
 * that is wanted. */
static void ready_text(const char *line, const char *provider, const char *key, char *out, size_t cap) {
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "\"%s\":{", provider);
    const char *at = strstr(line, wanted);
    snprintf(wanted, sizeof(wanted), "\"%s\":\"", key);
    at = at ? strstr(at, wanted) : NULL;
    BENCH_NEED(at != NULL);
    at += strlen(wanted);
    BENCH_NEED(strcspn(at, "\"") < cap);
    snprintf(out, cap, "%.*s", (int)strcspn(at, "\""), at);
}

static void ready_read(const char *line, struct bench_server *server) {
    ready_text(line, "daytona", "api_url", server->api_url, sizeof(server->api_url));
    ready_text(line, "daytona", "api_key", server->api_key, sizeof(server->api_key));
    ready_text(line, "e2b", "api_url", server->e2b_url, sizeof(server->e2b_url));
    ready_text(line, "e2b", "api_key", server->e2b_key, sizeof(server->e2b_key));
    const char *admin = strstr(line, "\"admin\":\"");
    BENCH_NEED(admin && sscanf(admin + 9, "%127[^\"]", server->admin) == 1);
}

static void server_start(struct bench_server *server, char *option, char *value) {
    char program[4096], line[4096];
    char name[] = "sandport-sim", serve[] = "serve";
    char *const argv[] = {name, serve, option, value, NULL};
    size_t len = 0;
    beside(program, sizeof(program), name);
    server->pid = child_start(program, argv, &server->out);
    while (len == 0 || line[len - 1] != '\n') {
        ssize_t n = read(server->out, line + len, sizeof(line) - 1 - len);
        BENCH_NEED(n > 0);
        len += (size_t)n;
    }
    line[len] = 0;
    ready_read(line, server);
}

void bench_server_start(struct bench_server *server) {
    server_start(server, NULL, NULL);
}

void bench_server_start_as(struct bench_server *server, const char *scenario) {
    char option[] = "--scenario", path[] = "/tmp/sandport-bench-XXXXXX";
    int fd = mkstemp(path);
    BENCH_NEED(fd >= 0 && write(fd, scenario, strlen(scenario)) == (ssize_t)strlen(scenario));
    close(fd);
    server_start(server, option, path);
    unlink(path);
}

void bench_server_stop(struct bench_server *server) {
    kill(server->pid, SIGTERM);
    close(server->out);
    bench_wait(server->pid);
}

/* ---- what it costs ---- */

static double clock_us(clockid_t clock) {
    struct timespec now = {0};
    BENCH_NEED(clock_gettime(clock, &now) == 0);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

double bench_wall_us(void) {
    return clock_us(CLOCK_MONOTONIC);
}

double bench_cpu_us(void) {
    struct rusage used;
    BENCH_NEED(getrusage(RUSAGE_SELF, &used) == 0);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

double bench_cpu_us_of(pid_t pid) {
    clockid_t clock;
    BENCH_NEED(clock_getcpuclockid(pid, &clock) == 0);
    return clock_us(clock);
}

int64_t bench_resident_kib(pid_t pid) {
    char path[64], line[256];
    long long kib = 0, sum = 0;
    snprintf(path, sizeof(path), pid ? "/proc/%d/status" : "/proc/self/status", (int)pid);
    FILE *f = fopen(path, "re");
    BENCH_NEED(f != NULL);
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "RssAnon: %lld", &kib) == 1 || sscanf(line, "RssFile: %lld", &kib) == 1) sum += kib;
    fclose(f);
    return sum;
}

/* ---- the table ---- */

static int by_size(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct bench_spread bench_spread_of(double *values, size_t n) {
    qsort(values, n, sizeof(*values), by_size);
    return (struct bench_spread){values[0], values[n / 2], values[n - 1]};
}

static int decimals(double value) {
    return value >= 1000 ? 0 : value >= 100 ? 1 : 2;
}

void bench_line(const char *what, struct bench_spread is, const char *unit, const char *target, const char *against) {
    int n = decimals(is.middle);
    printf("%-44s %9.*f %-6s (%.*f to %.*f), target %s; %s\n", what, n, is.middle, unit, n, is.least, n, is.most,
           target, against);
    fflush(stdout);
}

void bench_progress(const char *what) {
    if (isatty(STDERR_FILENO)) fprintf(stderr, "bench: %s\n", what);
}

/* ---- bytes ---- */

/* A block of noise over and over, of a length that fits no chunk, page or buffer: quick enough not to count. */
#define NOISE 1000003

static unsigned char noise[NOISE];

static void noise_make(void) {
    uint64_t x = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < sizeof(noise); i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        noise[i] = (unsigned char)(x >> 32);
    }
}

void bench_bytes(void *to, uint64_t pos, size_t len) {
    unsigned char *at = to;
    if (!noise[0] && !noise[1]) noise_make();
    while (len) {
        size_t off = (size_t)(pos % NOISE), n = NOISE - off < len ? NOISE - off : len;
        memcpy(at, noise + off, n);
        at += n;
        pos += n;
        len -= n;
    }
}
