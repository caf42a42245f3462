/* The hands of the conformance suite: a receiver and a reader that do as told and take notes. */
#include "seam.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int seam_head(void *ctx, int http_status, const struct sbx_header *headers, size_t header_count) {
    struct seam_got *got = ctx;
    (void)http_status;
    got->heads++;
    for (size_t i = 0; i < header_count; i++)
        if (strcmp(headers[i].name, "X-Case") == 0) snprintf(got->header, sizeof(got->header), "%s", headers[i].value);
    return got->stop_at_head;
}

static void seam_first_piece(struct seam_got *got) {
    struct sbx_env *env = got->face->env;
    if (got->fire) sbx_cancel_fire(got->fire);
    if (!got->block_ms) return;
    T_STATUS(env->sleep_until(env, env->now_ms(env) + got->block_ms, NULL), SBX_OK);
    got->server_was_at = got->face->seen(got->face).answer_bytes;
}

static int seam_take(void *ctx, const void *data, size_t len) {
    struct seam_got *got = ctx;
    const unsigned char *bytes = data;
    if (got->heads == 0) got->body_before_head = 1;
    if (got->pieces++ == 0) seam_first_piece(got);
    for (size_t i = 0; i < len; i++) got->wrong += bytes[i] != seam_pattern(got->bytes + i);
    got->bytes += len;
    return got->stop_after && got->bytes >= got->stop_after;
}

static ptrdiff_t seam_give(void *ctx, void *buf, size_t cap) {
    struct seam_source *source = ctx;
    unsigned char *bytes = buf;
    uint64_t left = source->length - source->given;
    size_t n = left < cap ? (size_t)left : cap;
    if (source->abort_after && source->given >= source->abort_after) return -1;
    for (size_t i = 0; i < n; i++) bytes[i] = seam_pattern(source->given + i);
    source->given += n;
    return (ptrdiff_t)n;
}

void seam_arm(struct seam *s, struct seam_behaviour behaviour) {
    s->face->arm(s->face, &behaviour, s->url, sizeof(s->url));
}

struct seam seam_begin(struct seam_behaviour behaviour) {
    struct seam s = {.face = seam_face_open()};
    seam_arm(&s, behaviour);
    s.req.size = sizeof(s.req);
    s.req.method = "GET";
    s.req.deadline_ms = s.face->env->now_ms(s.face->env) + 10000;
    s.to.head = seam_head;
    s.to.body = seam_take;
    return s;
}

void seam_end(struct seam *s) {
    struct seam_face *face = s->face;
    struct sbx_cancel *cancel = s->cancel;
    free(s->body);
    if (cancel) face->later_join(face);
    sbx_cancel_free(cancel);
    face->close(face);
}

void seam_body(struct seam *s, size_t len) {
    unsigned char *body = malloc(len ? len : 1);
    T_TRUE(body);
    for (size_t i = 0; i < len; i++) body[i] = seam_pattern(i);
    s->body = body;
    s->req.method = "POST";
    s->req.body = body;
    s->req.body_len = len;
}

void seam_reader(struct seam *s, uint64_t length, int64_t named) {
    s->source.length = length;
    s->reader.read = seam_give;
    s->req.method = "POST";
    s->req.reader_len = named;
    s->req.reader = &s->reader;
}

static void seam_fire(void *arg) {
    struct seam *s = arg;
    s->fired_ms = s->face->env->now_ms(s->face->env);
    sbx_cancel_fire(s->cancel);
}

static void seam_cancel_new(struct seam *s) {
    s->cancel = sbx_cancel_create(s->face->env);
    T_TRUE(s->cancel);
    s->req.cancel = sbx_cancel_event(s->cancel);
}

void seam_cancel_now(struct seam *s) {
    seam_cancel_new(s);
    seam_fire(s);
}

void seam_cancel_later(struct seam *s, int64_t ms) {
    seam_cancel_new(s);
    s->face->later(s->face, ms, seam_fire, s);
}

/* The struct may have been returned by value since: what points into it is set here. */
enum sbx_evidence seam_go(struct seam *s) {
    if (!s->req.url) s->req.url = s->url;
    s->reader.ctx = &s->source;
    if (s->req.reader) s->req.reader = &s->reader;
    s->to.ctx = &s->got;
    s->got.face = s->face;
    s->got.heads = s->got.pieces = 0;
    s->got.bytes = s->got.wrong = 0;
    s->info = (struct sbx_exchange_info){.size = sizeof(s->info)};
    return s->face->env->exchange(s->face->env, &s->req, &s->to, &s->info);
}

uint64_t seam_memory(void) {
    struct rusage is = {0};
    getrusage(RUSAGE_SELF, &is);
    return (uint64_t)is.ru_maxrss * 1024;
}

void seam_expect_memory(const struct seam *s, uint64_t before) {
    uint64_t grown = seam_memory() - before;
    if (s->face->memory_bytes_max && grown > s->face->memory_bytes_max)
        T_FAIL("the process grew by %llu bytes", (unsigned long long)grown);
}
