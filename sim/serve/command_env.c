/* sandport-sim env: asks a running one where its clouds are and prints it for a shell. */
#include "sim/serve/serve.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define EX_UNAVAILABLE 69
#define USAGE_EXIT     64

/* http://127.x.y.z:PORT/_sim. @return 0 if it is not that */
static int url_read(const char *url, struct sockaddr_in *at, char host[64]) {
    int64_t port = 0;
    char number[8];
    if (strncmp(url, "http://", 7) != 0) return 0;
    const char *colon = strchr(url + 7, ':'), *slash = strchr(url + 7, '/');
    if (!colon || !slash || slash < colon || (size_t)(colon - url - 7) >= 48 || (size_t)(slash - colon) > 6) return 0;
    memcpy(host, url + 7, (size_t)(colon - url - 7));
    host[colon - url - 7] = 0;
    memcpy(number, colon + 1, (size_t)(slash - colon - 1));
    number[slash - colon - 1] = 0;
    memset(at, 0, sizeof(*at));
    at->sin_family = AF_INET;
    if (!sbx_text_int(number, 1, 65535, &port) || strcmp(slash, "/_sim") != 0) return 0;
    at->sin_port = htons((uint16_t)port);
    return inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &at->sin_addr) == 1;
}

static int ask(const struct sockaddr_in *at, const char *host, struct sbx_buf *answer) {
    const struct timeval patience = {5, 0};
    char request[160];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), ok = 0;
    int len =
        snprintf(request, sizeof(request), "GET /_sim/health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0 &&
        send(fd, request, (size_t)len, MSG_NOSIGNAL) == len) {
        for (ssize_t n = 1; n > 0;) {
            char *room = sbx_buf_reserve(answer, 4096);
            n = room ? recv(fd, room, 4096, 0) : -1;
            if (n > 0) answer->len += (size_t)n;
            ok = n == 0;
        }
    }
    if (fd >= 0) close(fd);
    return ok && strncmp(sbx_buf_text(answer), "HTTP/1.1 200 ", 13) == 0;
}

static void print_export(void *ctx, const char *name, const char *value) {
    struct sbx_buf line = SBX_BUF_INIT;
    int *failed = ctx;
    sbx_shell_quote(&line, value);
    if (line.failed)
        *failed = 1;
    else
        printf("export %s=%s\n", name, line.data);
    sbx_buf_finish(&line);
}

int serve_command_env(const struct serve_options *opt) {
    struct sockaddr_in at;
    struct sbx_buf answer = SBX_BUF_INIT;
    char host[64];
    int failed = 1;
    if (!url_read(opt->url, &at, host)) {
        fprintf(stderr, "sandport-sim: --url: expected http://127.0.0.1:PORT/_sim, found %s\n", opt->url);
        return USAGE_EXIT;
    }
    if (ask(&at, host, &answer)) {
        const char *body = strstr(answer.data, "\r\n\r\n");
        failed = 0;
        if (!body || !serve_variables(body + 4, strlen(body + 4), print_export, &failed)) failed = 1;
    }
    if (failed) fprintf(stderr, "sandport-sim: no simulator answers at %s\n", opt->url);
    sbx_buf_finish(&answer);
    return failed ? EX_UNAVAILABLE : 0;
}
