/* Who keeps the simulation that distant processes reach: does what they ask for. */
#include "distant.h"

#include "distant_inside.h"
#include "t.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void clock_show(struct distant *d) {
    atomic_store((atomic_int_least64_t *)d->clock, d->env->now_ms(d->env));
}

void distant_start(struct distant *d, struct sbx_env *env, int64_t ahead_ms, void (*step_fn)(void),
                   int (*life)(struct sbx_env *env, void *arg), void *arg) {
    int sockets[2];
    T_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    d->clock = mmap(NULL, sizeof(atomic_int_least64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    T_TRUE(d->clock != MAP_FAILED);
    d->env = env;
    d->socket = sockets[0];
    clock_show(d);
    d->pid = fork();
    T_TRUE(d->pid >= 0);
    if (d->pid == 0) {
        close(sockets[0]);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL)) _exit(1); /* also while it is stopped */
        distant_live(sockets[1], d->clock, ahead_ms, step_fn, life, arg);
    }
    close(sockets[1]);
}

struct collected {
    struct answer answer;
    struct sbx_buf text;
    struct sbx_buf body;
};

static int collect_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct collected *c = ctx;
    (void)http_status;
    if (header_count > HEADERS_MAX) return 1;
    c->answer.header_count = header_count;
    distant_add_headers(&c->text, headers, header_count);
    return 0;
}

static int collect_body(void *ctx, const void *data, size_t len) {
    sbx_buf_append(&((struct collected *)ctx)->body, data, len);
    return 0;
}

static void serve_exchange(struct distant *d, const struct ask *ask, const char *text, const char *body) {
    struct sbx_header headers[HEADERS_MAX];
    struct collected c = {.answer = {.info = {.size = sizeof(c.answer.info)}}};
    const struct sbx_receiver to = {&c, collect_head, collect_body};
    struct sbx_request req = {.size = sizeof(req),
                              .headers = headers,
                              .header_count = ask->header_count,
                              .body = body,
                              .body_len = ask->body_len,
                              .flags = ask->flags,
                              .deadline_ms = ask->when_ms,
                              .stall_ms = ask->stall_ms,
                              .answer_bytes_max = ask->answer_bytes_max};
    T_TRUE(ask->header_count <= HEADERS_MAX);
    req.method = distant_next_text(&text);
    req.url = distant_next_text(&text);
    distant_take_headers(text, headers, ask->header_count);
    c.answer.result = (int32_t)d->env->exchange(d->env, &req, &to, &c.answer.info);
    c.answer.text_len = c.text.len;
    c.answer.body_len = c.body.len;
    clock_show(d);
    if (distant_send(d->socket, &c.answer, sizeof(c.answer)) && distant_send(d->socket, c.text.data, c.text.len))
        (void)distant_send(d->socket, c.body.data, c.body.len);
    sbx_buf_finish(&c.text);
    sbx_buf_finish(&c.body);
}

static void serve_sleep(struct distant *d, const struct ask *ask) {
    const struct answer answer = {.result = (int32_t)d->env->sleep_until(d->env, ask->when_ms, NULL)};
    clock_show(d);
    (void)distant_send(d->socket, &answer, sizeof(answer));
}

static void serve_random(struct distant *d, const struct ask *ask) {
    char bytes[256];
    T_TRUE(ask->body_len <= sizeof(bytes));
    T_STATUS(d->env->random(d->env, bytes, ask->body_len), SBX_OK);
    (void)distant_send(d->socket, bytes, ask->body_len);
}

static enum distant_event ended(struct distant *d) {
    close(d->socket);
    T_EQ(waitpid(d->pid, &d->status, 0), d->pid);
    munmap(d->clock, sizeof(atomic_int_least64_t));
    return DISTANT_ENDED;
}

static enum distant_event stopped(struct distant *d) {
    int status = 0;
    T_EQ(waitpid(d->pid, &status, WUNTRACED), d->pid);
    T_TRUE(WIFSTOPPED(status));
    return DISTANT_STOPPED;
}

enum distant_event distant_serve(struct distant *d, struct distant_word *word) {
    struct ask ask;
    while (distant_read(d->socket, &ask, sizeof(ask))) {
        if (ask.what == ASK_WORD) {
            *word = ask.word;
            return DISTANT_TOLD;
        }
        if (ask.what == ASK_STOP) return stopped(d);
        if (ask.what == ASK_SLEEP) serve_sleep(d, &ask);
        if (ask.what == ASK_RANDOM) serve_random(d, &ask);
        if (ask.what != ASK_EXCHANGE) continue;
        char *bytes = malloc(ask.text_len + ask.body_len + 1);
        T_TRUE(bytes != NULL);
        if (distant_read(d->socket, bytes, ask.text_len + ask.body_len))
            serve_exchange(d, &ask, bytes, bytes + ask.text_len);
        free(bytes);
    }
    return ended(d);
}

void distant_continue(struct distant *d) {
    clock_show(d);
    T_EQ(kill(d->pid, SIGCONT), 0);
}
