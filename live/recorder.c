/* An env that records: it asks the env below for everything, keeps a copy of what passes, and refuses a create that
 * would be one too many. */
#include "live/recorder.h"

#include <string.h>

/* The table is the first member, so the env that was passed on is the recorder. */
static struct live_recorder *recorder_of(struct sbx_env *env) {
    return (struct live_recorder *)(void *)env;
}

static struct sbx_env *below(struct sbx_env *env) {
    return recorder_of(env)->under;
}

static void count_sent(struct live_recorder *r, const char *op) {
    for (size_t i = 0; i < LIVE_OPS_MAX; i++) {
        if (r->sent[i].op && strcmp(r->sent[i].op, op) != 0) continue;
        r->sent[i].op = op;
        r->sent[i].count++;
        return;
    }
}

/* ---- copies of what passes ---- */

struct passing {
    struct live_exchange x;
    const struct sbx_receiver *to;
};

static void keep(struct passing *p, struct sbx_buf *copy, const void *data, size_t len) {
    size_t room = LIVE_BODY_MAX - copy->len;
    if (len > room) p->x.cut = 1;
    sbx_buf_append(copy, data, len < room ? len : room);
}

static ptrdiff_t passing_read(void *ctx, void *buf, size_t cap) {
    struct passing *p = ctx;
    const ptrdiff_t n = p->x.req->reader->read(p->x.req->reader->ctx, buf, cap);
    if (n > 0) keep(p, &p->x.sent, buf, (size_t)n);
    return n;
}

static int passing_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct passing *p = ctx;
    p->x.http_status = http_status;
    for (size_t i = 0; i < header_count; i++) sbx_buf_printf(&p->x.head, "%s: %s\n", headers[i].name, headers[i].value);
    return p->to && p->to->head ? p->to->head(p->to->ctx, http_status, headers, header_count) : 0;
}

static int passing_body(void *ctx, const void *data, size_t len) {
    struct passing *p = ctx;
    keep(p, &p->x.got, data, len);
    return p->to && p->to->body ? p->to->body(p->to->ctx, data, len) : 0;
}

static enum sbx_evidence exchange_pass(struct live_recorder *r, const struct sbx_request *req,
                                       const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    struct passing p = {.x = {.req = req, .api_url = r->api_url}, .to = to};
    const struct sbx_reader reader = {&p, passing_read};
    const struct sbx_receiver receiver = {&p, passing_head, passing_body};
    struct sbx_request mine = *req;
    if (req->reader)
        mine.reader = &reader;
    else
        keep(&p, &p.x.sent, req->body, req->body_len);
    const int64_t began_ms = r->under->now_ms(r->under);
    const enum sbx_evidence evidence = r->under->exchange(r->under, &mine, &receiver, info);
    p.x.evidence = (int32_t)evidence;
    p.x.took_ms = r->under->now_ms(r->under) - began_ms;
    if (p.x.sent.failed || p.x.head.failed || p.x.got.failed)
        r->to->lost = 1;
    else
        live_transcript_write(r->to, &p.x);
    sbx_buf_finish(&p.x.sent);
    sbx_buf_finish(&p.x.head);
    sbx_buf_finish(&p.x.got);
    return evidence;
}

static enum sbx_evidence recorder_exchange(struct sbx_env *env, const struct sbx_request *req,
                                           const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    struct live_recorder *r = recorder_of(env);
    const char *op = live_operation(req->method, req->url, r->api_url);
    if (strcmp(op, "daytona.sandbox.create") == 0) {
        if (r->creates >= r->creates_max) {
            if (info) *info = (struct sbx_exchange_info){.size = info->size};
            return SBX_EVIDENCE_PROTOCOL;
        }
        r->creates++;
    }
    count_sent(r, strrchr(op, '.') + 1);
    return exchange_pass(r, req, to, info);
}

/* ---- the rest of the table ---- */

static void recorder_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    (void)env;
    (void)width;
    for (size_t i = 0; i < n; i++) tasks[i].run(tasks[i].arg);
}

static int64_t recorder_now_ms(struct sbx_env *env) {
    return below(env)->now_ms(below(env));
}

static int64_t recorder_wall_ms(struct sbx_env *env) {
    return below(env)->wall_ms(below(env));
}

static enum sbx_status recorder_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    return below(env)->sleep_until(below(env), when_ms, cancel);
}

static enum sbx_status recorder_random(struct sbx_env *env, void *buf, size_t len) {
    return below(env)->random(below(env), buf, len);
}

static struct sbx_lock *recorder_lock_new(struct sbx_env *env) {
    return below(env)->lock_new(below(env));
}

static void recorder_lock(struct sbx_env *env, struct sbx_lock *lock) {
    below(env)->lock(below(env), lock);
}

static void recorder_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    below(env)->unlock(below(env), lock);
}

static void recorder_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    below(env)->lock_free(below(env), lock);
}

static struct sbx_event *recorder_event_new(struct sbx_env *env) {
    return below(env)->event_new(below(env));
}

static void recorder_event_set(struct sbx_env *env, struct sbx_event *event) {
    below(env)->event_set(below(env), event);
}

static enum sbx_status recorder_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                           struct sbx_event *cancel) {
    return below(env)->event_wait(below(env), event, deadline_ms, cancel);
}

static void recorder_event_free(struct sbx_env *env, struct sbx_event *event) {
    below(env)->event_free(below(env), event);
}

static void recorder_free(struct sbx_env *env) {
    (void)env; /* whoever made it has it */
}

void live_recorder_init(struct live_recorder *recorder, struct sbx_env *under, struct live_transcript *to,
                        const char *api_url, int creates_max) {
    *recorder = (struct live_recorder){.env = {.size = sizeof(struct sbx_env),
                                               .exchange = recorder_exchange,
                                               .run_all = recorder_run_all,
                                               .now_ms = recorder_now_ms,
                                               .wall_ms = recorder_wall_ms,
                                               .sleep_until = recorder_sleep_until,
                                               .random = recorder_random,
                                               .lock_new = recorder_lock_new,
                                               .lock = recorder_lock,
                                               .unlock = recorder_unlock,
                                               .lock_free = recorder_lock_free,
                                               .event_new = recorder_event_new,
                                               .event_set = recorder_event_set,
                                               .event_wait = recorder_event_wait,
                                               .event_free = recorder_event_free,
                                               .free = recorder_free},
                                       .under = under,
                                       .to = to,
                                       .api_url = api_url,
                                       .creates_max = creates_max};
}

void live_recorder_step(struct live_recorder *recorder, const char *step) {
    memset(recorder->sent, 0, sizeof(recorder->sent));
    recorder->to->step = step;
}

void live_recorder_tell(const struct live_recorder *recorder, struct sbx_buf *out) {
    size_t i = 0;
    for (; i < LIVE_OPS_MAX && recorder->sent[i].op; i++)
        sbx_buf_printf(out, "%s%s %d", i ? ", " : "", recorder->sent[i].op, recorder->sent[i].count);
    if (i == 0) sbx_buf_text_append(out, "nothing");
}
