/* Starts the program, and speaks to it byte by byte. */
#include "running.h"

#include "t.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sandport/kit/json.h>
#include <sandport/sim.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 10000
#define QUIET_MS    50

/* ---- the program ---- */

static const char *program(void) {
    static char path[4096];
    const char *build = getenv("SANDPORT_BINARY_DIR");
    snprintf(path, sizeof(path), "%s/bin/sandport-sim", build ? build : "build/dev");
    return path;
}

/* The child ends with this process, also when a test fails in between. */
static pid_t start(const char *const *args, int out, int err) {
    const char *argv[24] = {program()};
    for (size_t i = 0; args[i] && i < 22; i++) argv[i + 1] = args[i];
    pid_t pid = fork();
    if (pid < 0) T_FAIL("no process");
    if (pid > 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, 1);
    if (err >= 0) dup2(err, 2);
    execv(argv[0], (char *const *)(void *)argv);
    _exit(127);
}

static int wait_end(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) T_FAIL("lost the program");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static size_t read_some(int fd, char *buf, size_t cap) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (poll(&one, 1, PATIENCE_MS) != 1) T_FAIL("nothing came within %d ms", PATIENCE_MS);
    ssize_t n = read(fd, buf, cap);
    return n < 0 ? 0 : (size_t)n;
}

static int port_of(const char *text, const char *behind) {
    const char *at = strstr(text, behind);
    const char *colon = at ? strstr(at, "127.0.0.1:") : NULL;
    if (!colon) T_FAIL("no %s in %s", behind, text);
    return (int)strtol(colon + 10, NULL, 10);
}

struct running running_start(const char *const *options) {
    struct running r = {0};
    const char *args[20] = {"serve"};
    int out[2];
    size_t len = 0;
    for (size_t i = 0; options[i] && i < 18; i++) args[i + 1] = options[i];
    if (pipe(out)) T_FAIL("no pipe");
    r.pid = start(args, out[1], -1);
    close(out[1]);
    while (!memchr(r.ready, '\n', len)) {
        size_t n = read_some(out[0], r.ready + len, sizeof(r.ready) - 1 - len);
        if (!n) T_FAIL("no ready line, but: %s", r.ready);
        len += n;
    }
    close(out[0]);
    r.admin = port_of(r.ready, "\"admin\"");
    r.daytona = port_of(r.ready, "\"api_url\"");
    return r;
}

struct running running_virtual(void) {
    static const char *const options[] = {"--time", "virtual", NULL};
    return running_start(options);
}

int running_stop(struct running *r) {
    kill(r->pid, SIGTERM);
    return wait_end(r->pid);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

long running_resident_kib(const struct running *r) {
    if (SANITIZED) return 0;
    char path[64], line[256];
    long kib = -1;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)r->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, "VmRSS:", 6) == 0) kib = strtol(line + 6, NULL, 10);
    if (f) fclose(f);
    return kib;
}

int program_run(const char *const *args, char out[16384], char err[16384]) {
    FILE *files[2] = {tmpfile(), tmpfile()};
    char *texts[2] = {out, err};
    if (!files[0] || !files[1]) T_FAIL("no temporary file");
    int status = wait_end(start(args, fileno(files[0]), fileno(files[1])));
    for (int i = 0; i < 2; i++) {
        rewind(files[i]);
        texts[i][fread(texts[i], 1, 16383, files[i])] = 0;
        fclose(files[i]);
    }
    return status;
}

/* ---- raw bytes ---- */

int dial(int port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int one = 1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at))) T_FAIL("cannot connect to %d", port);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

void say_bytes(int fd, const void *data, size_t len) {
    const char *bytes = data;
    while (len) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);
        if (n <= 0) T_FAIL("cannot send");
        bytes += n;
        len -= (size_t)n;
    }
}

void say(int fd, const char *text) {
    say_bytes(fd, text, strlen(text));
}

/* @return bytes put, 0 at the end, -1 on a reset */
static ssize_t hear_some(int fd, struct sbx_buf *heard) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (poll(&one, 1, PATIENCE_MS) != 1)
        T_FAIL("nothing more within %d ms, so far: %s", PATIENCE_MS, sbx_buf_text(heard));
    char *room = sbx_buf_reserve(heard, 65536);
    ssize_t n = recv(fd, room, 65536, 0);
    if (n > 0) heard->len += (size_t)n;
    if (n < 0 && errno != ECONNRESET) T_FAIL("cannot receive");
    return n;
}

char *hear_end(int fd, enum heard *how) {
    struct sbx_buf heard = SBX_BUF_INIT;
    ssize_t n = 1;
    while (n > 0) n = hear_some(fd, &heard);
    if (how) *how = n < 0 ? HEARD_RESET : HEARD_FIN;
    close(fd);
    return sbx_buf_take(&heard, NULL);
}

static size_t body_length(const char *head) {
    const char *at = strstr(head, "Content-Length: ");
    return at ? (size_t)strtoul(at + 16, NULL, 10) : 0;
}

/* Byte by byte up to the end of the head, so that nothing of a next answer is taken. */
char *hear_answer(int fd, int head_only) {
    struct sbx_buf heard = SBX_BUF_INIT;
    size_t left = SIZE_MAX;
    while (left) {
        char piece[4096];
        size_t want = left == SIZE_MAX ? 1 : left < sizeof(piece) ? left : sizeof(piece);
        size_t n = read_some(fd, piece, want);
        if (!n) T_FAIL("the connection ended within an answer: %s", sbx_buf_text(&heard));
        sbx_buf_append(&heard, piece, n);
        if (left != SIZE_MAX)
            left -= n;
        else if (heard.len >= 4 && memcmp(heard.data + heard.len - 4, "\r\n\r\n", 4) == 0)
            left = head_only ? 0 : body_length(heard.data);
    }
    return sbx_buf_take(&heard, NULL);
}

char *hear_bytes(int fd, size_t len) {
    struct sbx_buf heard = SBX_BUF_INIT;
    while (heard.len < len)
        if (hear_some(fd, &heard) <= 0) T_FAIL("ended after %zu bytes: %s", heard.len, sbx_buf_text(&heard));
    return sbx_buf_take(&heard, NULL);
}

int hear_nothing(int fd) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, QUIET_MS) == 0;
}

/* ---- exchanges ---- */

char *ask(int port, const char *method, const char *target, const char *head, const char *body) {
    struct sbx_buf request = SBX_BUF_INIT;
    sbx_buf_printf(&request, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s", method, target, port,
                   head);
    if (body) sbx_buf_printf(&request, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    if (!body) sbx_buf_text_append(&request, "\r\n");
    int fd = dial(port);
    say_bytes(fd, request.data, request.len);
    sbx_buf_finish(&request);
    return hear_end(fd, NULL);
}

char *ask_ok(int port, const char *method, const char *target, const char *head, const char *body, int status,
             char **answer) {
    char want[32];
    *answer = ask(port, method, target, head, body);
    snprintf(want, sizeof(want), "HTTP/1.1 %d ", status);
    if (strncmp(*answer, want, strlen(want)) != 0)
        T_FAIL("%s %s: expected %d, got %s", method, target, status, *answer);
    return strstr(*answer, "\r\n\r\n") + 4;
}

void fault(const struct running *r, const char *json) {
    char *answer;
    ask_ok(r->admin, "POST", "/_sim/faults", "", json, 201, &answer);
    free(answer);
}

void advance(const struct running *r, int ms) {
    char body[64], *answer;
    snprintf(body, sizeof(body), "{\"ms\":%d}", ms);
    ask_ok(r->admin, "POST", "/_sim/clock/advance", "", body, 200, &answer);
    free(answer);
}

/* The create answers when the sandbox has booted, on a clock that only moves when told to. */
void make_sandbox(const struct running *r, char id[64]) {
    static const char body[] = "{\"labels\":{\"suite\":\"serve\"}}";
    struct sbx_json *js = NULL;
    char request[512];
    snprintf(request, sizeof(request),
             "POST /api/sandbox HTTP/1.1\r\nHost: h\r\n" KEY_HEADER
             "Content-Type: application/json\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
             sizeof(body) - 1, body);
    int fd = dial(r->daytona);
    say(fd, request);
    for (struct pollfd one = {.fd = fd, .events = POLLIN}; poll(&one, 1, 1) == 0;) advance(r, 100);
    char *answer = hear_end(fd, NULL);
    const char *json = strstr(answer, "\r\n\r\n");
    T_CONTAINS(answer, "HTTP/1.1 200 ");
    T_STATUS(sbx_json_parse(json + 4, strlen(json + 4), 0, &js), SBX_OK);
    const char *found = sbx_json_string(js, sbx_json_root(js), "id");
    T_STATUS(sbx_json_status(js), SBX_OK);
    snprintf(id, 64, "%s", found);
    sbx_json_free(js);
    free(answer);
}
