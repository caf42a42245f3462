/* The env of a distant process: what it is asked for goes over the socket. */
#include "distant_inside.h"

#include <sandport/kit/text.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the socket ---- */

int distant_send(int socket, const void *data, size_t len) {
    for (size_t at = 0; at < len;) {
        const ssize_t n = send(socket, (const char *)data + at, len - at, MSG_NOSIGNAL);
        if (n <= 0) return 0;
        at += (size_t)n;
    }
    return 1;
}

int distant_read(int socket, void *data, size_t len) {
    return len == 0 || recv(socket, data, len, MSG_WAITALL) == (ssize_t)len;
}

void distant_add_text(struct sbx_buf *buf, const char *text) {
    sbx_buf_append(buf, text, strlen(text) + 1);
}

void distant_add_headers(struct sbx_buf *buf, const struct sbx_header *headers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        distant_add_text(buf, headers[i].name);
        distant_add_text(buf, headers[i].value);
    }
}

const char *distant_next_text(const char **at) {
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

void distant_take_headers(const char *at, struct sbx_header *headers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        headers[i].name = distant_next_text(&at);
        headers[i].value = distant_next_text(&at);
    }
}

/* ---- the env ---- */

struct sbx_lock {
    int held;
};
struct sbx_event {
    int set;
};

struct distant_env {
    struct sbx_env base;
    int socket;
    int64_t ahead_ms;
    void (*step)(void);
    atomic_int_least64_t *now_ms;
    struct distant_env *calm;
    int is_calm;
};

static struct distant_env *env_of(struct sbx_env *env) {
    return (struct distant_env *)(void *)env;
}

static void step_always(struct sbx_env *env) {
    if (env_of(env)->step) env_of(env)->step();
}
static void step(struct sbx_env *env) {
    if (!env_of(env)->is_calm) step_always(env);
}

enum { LOST = 7 }; /* how a process ends whose keeper is gone */

static void must(int ok) {
    if (!ok) _exit(LOST);
}

static int64_t there(struct sbx_env *env, int64_t when_ms) {
    return when_ms == SBX_NO_DEADLINE ? when_ms : when_ms - env_of(env)->ahead_ms;
}

static int64_t env_now_ms(struct sbx_env *env) {
    step(env);
    return atomic_load(env_of(env)->now_ms) + env_of(env)->ahead_ms;
}

static int64_t env_wall_ms(struct sbx_env *env) {
    return 7 * (atomic_load(env_of(env)->now_ms) + env_of(env)->ahead_ms);
}

static enum sbx_status env_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    const struct ask ask = {.what = ASK_SLEEP, .when_ms = there(env, when_ms)};
    struct answer answer;
    step(env);
    if (cancel && cancel->set) return SBX_CANCELLED;
    must(distant_send(env_of(env)->socket, &ask, sizeof(ask)) &&
         distant_read(env_of(env)->socket, &answer, sizeof(answer)));
    return (enum sbx_status)answer.result;
}

static enum sbx_status env_random(struct sbx_env *env, void *buf, size_t len) {
    const struct ask ask = {.what = ASK_RANDOM, .body_len = len};
    step(env);
    must(distant_send(env_of(env)->socket, &ask, sizeof(ask)) && distant_read(env_of(env)->socket, buf, len));
    return SBX_OK;
}

static struct sbx_lock *env_lock_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_lock));
}
static void env_lock(struct sbx_env *env, struct sbx_lock *lock) {
    step_always(env);
    if (lock->held++) abort();
}
static void env_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    lock->held = 0;
    step_always(env);
}
static void env_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    free(lock);
}

static struct sbx_event *env_event_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_event));
}
static void env_event_set(struct sbx_env *env, struct sbx_event *event) {
    step(env);
    event->set = 1;
}
/* With one thread nobody sets it meanwhile. */
static enum sbx_status env_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                      struct sbx_event *cancel) {
    if (event && event->set) return SBX_OK;
    const enum sbx_status st = env_sleep_until(env, deadline_ms, cancel);
    return st ? st : SBX_DEADLINE;
}
static void env_event_free(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    free(event);
}

static void env_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    (void)width;
    for (size_t i = 0; i < n; i++) {
        step(env);
        tasks[i].run(tasks[i].arg);
    }
}

static void env_ask(struct sbx_env *env, const struct sbx_request *req) {
    struct sbx_buf text = SBX_BUF_INIT;
    if (req->reader) abort();
    distant_add_text(&text, req->method);
    distant_add_text(&text, req->url);
    distant_add_headers(&text, req->headers, req->header_count);
    const struct ask ask = {.what = ASK_EXCHANGE,
                            .flags = req->flags,
                            .when_ms = there(env, req->deadline_ms),
                            .stall_ms = req->stall_ms,
                            .answer_bytes_max = req->answer_bytes_max,
                            .header_count = req->header_count,
                            .text_len = text.len,
                            .body_len = req->body_len};
    const int socket = env_of(env)->socket;
    must(distant_send(socket, &ask, sizeof(ask)) && distant_send(socket, text.data, text.len) &&
         distant_send(socket, req->body, req->body_len));
    sbx_buf_finish(&text);
}

/* @return was it stopped? */
static int env_give(const struct sbx_receiver *to, const struct answer *answer, const char *text, const char *body) {
    struct sbx_header headers[HEADERS_MAX];
    distant_take_headers(text, headers, answer->header_count);
    if (!to || !answer->info.http_status) return 0;
    if (to->head && to->head(to->ctx, answer->info.http_status, headers, answer->header_count)) return 1;
    return answer->body_len && to->body && to->body(to->ctx, body, answer->body_len);
}

static enum sbx_evidence env_exchange(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                      struct sbx_exchange_info *info) {
    const int socket = env_of(env)->socket;
    struct answer answer = {.result = SBX_EVIDENCE_PROTOCOL};
    step(env);
    if (sbx_request_check(req, NULL)) return SBX_EVIDENCE_PROTOCOL;
    env_ask(env, req);
    step(env);
    must(distant_read(socket, &answer, sizeof(answer)));
    char *text = malloc(answer.text_len + 1), *body = malloc(answer.body_len + 1);
    must(text && body && distant_read(socket, text, answer.text_len) && distant_read(socket, body, answer.body_len));
    step(env);
    if (env_give(to, &answer, text, body)) {
        answer.result = SBX_EVIDENCE_PARTIAL;
        answer.info.stopped = 1;
    }
    if (info) {
        answer.info.size = info->size;
        *info = answer.info;
    }
    free(text);
    free(body);
    return (enum sbx_evidence)answer.result;
}

void distant_tell(struct sbx_env *env, int32_t what, int32_t number, const char *text) {
    struct ask ask = {.what = ASK_WORD, .word = {.what = what, .number = number}};
    sbx_copy(ask.word.text, sizeof(ask.word.text), text);
    must(distant_send(env_of(env)->socket, &ask, sizeof(ask)));
}

void distant_stop(struct sbx_env *env) {
    const struct ask ask = {.what = ASK_STOP};
    must(distant_send(env_of(env)->socket, &ask, sizeof(ask)));
    raise(SIGSTOP);
}

struct sbx_env *distant_calm(struct sbx_env *env) {
    return &env_of(env)->calm->base;
}

static void env_init(struct distant_env *env) {
    env->base = (struct sbx_env){.size = sizeof(env->base),
                                 .exchange = env_exchange,
                                 .run_all = env_run_all,
                                 .now_ms = env_now_ms,
                                 .wall_ms = env_wall_ms,
                                 .sleep_until = env_sleep_until,
                                 .random = env_random,
                                 .lock_new = env_lock_new,
                                 .lock = env_lock,
                                 .unlock = env_unlock,
                                 .lock_free = env_lock_free,
                                 .event_new = env_event_new,
                                 .event_set = env_event_set,
                                 .event_wait = env_event_wait,
                                 .event_free = env_event_free};
}

_Noreturn void distant_live(int socket, atomic_int_least64_t *now_ms, int64_t ahead_ms, void (*step_fn)(void),
                            int (*life)(struct sbx_env *env, void *arg), void *arg) {
    struct distant_env own = {.socket = socket, .ahead_ms = ahead_ms, .step = step_fn, .now_ms = now_ms};
    struct distant_env calm = own;
    env_init(&own);
    env_init(&calm);
    own.calm = &calm;
    calm.is_calm = 1;
    _exit(life(&own.base, arg));
}
