/* An env that plays a list of exchanges. */
#include "script_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct script {
    struct sbx_env env; /* first: one is the other */
    const struct script_step *steps;
    size_t count, at;
    int64_t now_ms, wall_ms;
    uint32_t random;
    struct sbx_buf body;
};

struct sbx_event {
    int set;
};
struct sbx_lock {
    int held;
};

static struct script *of(struct sbx_env *env) {
    return (struct script *)(void *)env;
}

/* ---- what was asked ---- */

static const char *header_of(const struct sbx_request *req, const char *name, size_t len) {
    for (size_t i = 0; i < req->header_count; i++)
        if (strlen(req->headers[i].name) == len && strncasecmp(req->headers[i].name, name, len) == 0)
            return req->headers[i].value;
    return NULL;
}

static void check_head(const struct sbx_request *req, const char *want) {
    if (*want == '!') {
        const char *value = header_of(req, want + 1, strlen(want + 1));
        if (value) T_FAIL("%s %s: header %s is there, with %s", req->method, req->url, want + 1, value);
        return;
    }
    const char *colon = strchr(want, ':');
    T_TRUE(colon != NULL);
    const char *value = header_of(req, want, (size_t)(colon - want));
    if (!value || strcmp(value, colon + 2) != 0)
        T_FAIL("%s %s: expected header %s, found %s", req->method, req->url, want, value ? value : "none");
}

static void take_body(struct script *script, const struct sbx_request *req) {
    char piece[1000];
    sbx_buf_clear(&script->body);
    if (!req->reader) {
        sbx_buf_append(&script->body, req->body, req->body_len);
        return;
    }
    for (ptrdiff_t n; (n = req->reader->read(req->reader->ctx, piece, sizeof(piece))) > 0;)
        sbx_buf_append(&script->body, piece, (size_t)n);
}

static void check_request(struct script *script, const struct sbx_request *req, const struct script_step *step) {
    char line[2048];
    const char *why = "";
    if (sbx_request_check(req, &why)) T_FAIL("%s: %s", req->url, why);
    snprintf(line, sizeof(line), "%s %s", req->method, req->url);
    T_STR(line, step->request);
    for (size_t i = 0; i < 4 && step->head[i]; i++) check_head(req, step->head[i]);
    take_body(script, req);
    if (step->body && !memmem(script->body.data, script->body.len, step->body, strlen(step->body)))
        T_FAIL("%s: expected %s in the body %.*s", line, step->body, (int)script->body.len,
               sbx_buf_text(&script->body));
}

/* ---- what is answered ---- */

static int give_head(const struct script_step *step, const struct sbx_receiver *to) {
    struct sbx_header headers[8];
    char text[1024];
    size_t n = 0;
    if (!to || !to->head) return 0;
    snprintf(text, sizeof(text), "%s", step->answer_head ? step->answer_head : "");
    for (char *line = text; *line && n < 8;) {
        char *end = strchr(line, '\n'), *colon = strchr(line, ':');
        T_TRUE(end != NULL && colon != NULL && colon < end);
        *end = *colon = 0;
        headers[n++] = (struct sbx_header){line, colon + 2};
        line = end + 1;
    }
    return to->head(to->ctx, step->http_status, headers, n);
}

static int give_bytes(const struct script_step *step, const char *answer, size_t len, const struct sbx_receiver *to,
                      struct sbx_exchange_info *info) {
    size_t piece = step->piece ? step->piece : len;
    for (size_t at = 0; at < len; at += piece) {
        size_t n = len - at < piece ? len - at : piece;
        if (to && to->body && to->body(to->ctx, answer + at, n)) return 1;
        info->got_bytes += n;
    }
    return 0;
}

static int give_body(const struct script *script, const struct script_step *step, const struct sbx_receiver *to,
                     struct sbx_exchange_info *info) {
    struct sbx_buf made = SBX_BUF_INIT;
    size_t len = !step->answer ? 0 : step->answer_len ? step->answer_len : strlen(step->answer);
    if (!step->answer_of) return give_bytes(step, step->answer, len, to, info);
    step->answer_of(sbx_buf_text(&script->body), script->body.len, &made);
    int stopped = give_bytes(step, sbx_buf_text(&made), made.len, to, info);
    sbx_buf_finish(&made);
    return stopped;
}

static enum sbx_evidence exchange(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                  struct sbx_exchange_info *info) {
    struct script *script = of(env);
    struct sbx_exchange_info none = {.size = sizeof(none)};
    if (!info) info = &none;
    if (script->at == script->count) T_FAIL("%s %s: nothing was to be asked any more", req->method, req->url);
    const struct script_step *step = &script->steps[script->at++];
    check_request(script, req, step);
    script->now_ms += step->takes_ms;
    script->wall_ms += step->takes_ms;
    int refused = step->evidence == SBX_EVIDENCE_CONNECT || step->evidence == SBX_EVIDENCE_RESOLVE;
    info->sent_bytes = refused ? 0 : 100 + script->body.len;
    info->http_status = step->http_status;
    if (step->http_status && (give_head(step, to) || give_body(script, step, to, info))) {
        info->stopped = 1;
        return SBX_EVIDENCE_PARTIAL;
    }
    return (enum sbx_evidence)step->evidence;
}

/* ---- the rest of an env ---- */

static void run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    (void)env;
    (void)width;
    for (size_t i = 0; i < n; i++) tasks[i].run(tasks[i].arg);
}
static int64_t now_ms(struct sbx_env *env) {
    return of(env)->now_ms;
}
static int64_t wall_ms(struct sbx_env *env) {
    return of(env)->wall_ms;
}
static enum sbx_status sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    struct script *script = of(env);
    if (cancel && cancel->set) return SBX_CANCELLED;
    if (when_ms > script->now_ms) {
        script->wall_ms += when_ms - script->now_ms;
        script->now_ms = when_ms;
    }
    return SBX_OK;
}
static enum sbx_status draw(struct sbx_env *env, void *buf, size_t len) {
    unsigned char *out = buf;
    for (size_t i = 0; i < len; i++) {
        of(env)->random = of(env)->random * 1664525u + 1013904223u;
        out[i] = (unsigned char)(of(env)->random >> 24);
    }
    return SBX_OK;
}
static struct sbx_lock *lock_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_lock));
}
static void lock(struct sbx_env *env, struct sbx_lock *held) {
    (void)env;
    T_EQ(held->held, 0);
    held->held = 1;
}
static void unlock(struct sbx_env *env, struct sbx_lock *held) {
    (void)env;
    held->held = 0;
}
static void lock_free(struct sbx_env *env, struct sbx_lock *held) {
    (void)env;
    free(held);
}
static struct sbx_event *event_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_event));
}
static void event_set(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    event->set = 1;
}
static enum sbx_status event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                  struct sbx_event *cancel) {
    if (event->set) return SBX_OK;
    enum sbx_status st = sleep_until(env, deadline_ms, cancel);
    return st ? st : SBX_DEADLINE;
}
static void event_free(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    free(event);
}
static void env_free(struct sbx_env *env) {
    (void)env;
}

struct script *script_new(const struct script_step *steps, size_t n) {
    struct script *script = calloc(1, sizeof(*script));
    T_TRUE(script != NULL);
    script->env = (struct sbx_env){.size = sizeof(struct sbx_env),
                                   .exchange = exchange,
                                   .run_all = run_all,
                                   .now_ms = now_ms,
                                   .wall_ms = wall_ms,
                                   .sleep_until = sleep_until,
                                   .random = draw,
                                   .lock_new = lock_new,
                                   .lock = lock,
                                   .unlock = unlock,
                                   .lock_free = lock_free,
                                   .event_new = event_new,
                                   .event_set = event_set,
                                   .event_wait = event_wait,
                                   .event_free = event_free,
                                   .free = env_free};
    script->now_ms = 1000;
    script->wall_ms = INT64_C(1790000000000);
    script_play(script, steps, n);
    return script;
}

struct sbx_env *script_env(struct script *script) {
    return &script->env;
}

void script_wall(struct script *script, int64_t wall) {
    script->wall_ms = wall;
}

void script_play(struct script *script, const struct script_step *steps, size_t n) {
    script_done(script);
    script->steps = steps;
    script->count = n;
    script->at = 0;
}

void script_done(const struct script *script) {
    if (script->at < script->count) T_FAIL("%s: was not asked", script->steps[script->at].request);
}

const char *script_body(const struct script *script, size_t *len) {
    if (len) *len = script->body.len;
    return sbx_buf_text(&script->body);
}

void script_free(struct script *script) {
    script_done(script);
    sbx_buf_finish(&script->body);
    free(script);
}
