/* Both ends of a load over loopback. */
#include "serve_load.h"
#include "rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS     64
#define ANSWER_MAX 16384

/* Where an answer ends, 0 if it has not come so far. */
static size_t answer_length(char *text, size_t len) {
    text[len] = 0;
    const char *head_end = strstr(text, "\r\n\r\n"), *field = strstr(text, "Content-Length: ");
    if (!head_end) return 0;
    BENCH_NEED(field && field < head_end);
    size_t whole = (size_t)(head_end - text) + 4 + (size_t)strtoul(field + strlen("Content-Length: "), NULL, 10);
    return len >= whole ? whole : 0;
}

int load_connect(uint16_t port) {
    const struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    BENCH_NEED(fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

static void load_say(int fd, const char *request, size_t len) {
    BENCH_NEED(send(fd, request, len, MSG_NOSIGNAL) == (ssize_t)len);
}

size_t load_ask(int fd, const char *request, char *answer, size_t cap) {
    size_t len = 0, whole = 0;
    load_say(fd, request, strlen(request));
    while (!whole) {
        ssize_t n = recv(fd, answer + len, cap - 1 - len, 0);
        BENCH_NEED(n > 0);
        len += (size_t)n;
        whole = answer_length(answer, len);
    }
    return whole;
}

/* ---- the client ---- */

struct load_conn {
    int fd;
    size_t len;
    char answer[ANSWER_MAX];
};

/* @return 1 when the answer is whole */
static int load_hear(struct load_conn *c) {
    ssize_t n = recv(c->fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len, 0);
    BENCH_NEED(n > 0);
    c->len += (size_t)n;
    if (!answer_length(c->answer, c->len)) return 0;
    BENCH_NEED(strncmp(c->answer, "HTTP/1.1 200 ", 13) == 0);
    c->len = 0;
    return 1;
}

void load_run(uint16_t port, const char *request, size_t count, size_t width) {
    struct load_conn *conns = calloc(width, sizeof(*conns));
    struct epoll_event events[EVENTS];
    const size_t request_len = strlen(request);
    size_t asked = 0, answered = 0;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    BENCH_NEED(conns && epoll >= 0);
    for (size_t i = 0; i < width; i++, asked++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &conns[i]};
        conns[i].fd = load_connect(port);
        BENCH_NEED(epoll_ctl(epoll, EPOLL_CTL_ADD, conns[i].fd, &event) == 0);
        load_say(conns[i].fd, request, request_len);
    }
    while (answered < count) {
        int n = epoll_wait(epoll, events, EVENTS, 10000);
        BENCH_NEED(n > 0);
        for (int i = 0; i < n; i++) {
            struct load_conn *c = events[i].data.ptr;
            if (!load_hear(c)) continue;
            answered++;
            if (asked++ < count) load_say(c->fd, request, request_len);
        }
    }
    for (size_t i = 0; i < width; i++) close(conns[i].fd);
    close(epoll);
    free(conns);
}

/* ---- the least server ---- */

int load_listen(uint16_t *port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    BENCH_NEED(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 64) == 0);
    BENCH_NEED(getsockname(fd, (struct sockaddr *)&at, &len) == 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static void serve_one(int epoll, int fd, const char *answer, size_t len) {
    char request[ANSWER_MAX];
    ssize_t n = recv(fd, request, sizeof(request), 0);
    if (n > 4 && memcmp(request + n - 4, "\r\n\r\n", 4) == 0 && send(fd, answer, len, MSG_NOSIGNAL) == (ssize_t)len)
        return;
    epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
    close(fd);
}

void load_serve(int listener, const char *answer, size_t len) {
    const int one = 1;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[EVENTS];
    BENCH_NEED(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0);
    for (;;) {
        int n = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd != listener) {
                serve_one(epoll, events[i].data.fd, answer, len);
                continue;
            }
            event.data.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            BENCH_NEED(event.data.fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event) == 0);
            setsockopt(event.data.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        }
    }
}
