/* The curl env against the scripted TCP server. It can behave in every way there is. */
#include "face.h"
#include "raw_server.h"
#include "t.h"
#include "witness.h"

#include <poll.h>
#include <pthread.h>
#include <sandport/curl.h>
#include <stdio.h>
#include <stdlib.h>

#define FACE_ANSWER_SIZE (256 * 1024)

struct face_curl {
    struct seam_face face;
    struct witness *witness;
    struct raw_server *server;
    char answer[FACE_ANSWER_SIZE];
    pthread_t later;
    int64_t later_ms;
    void (*later_run)(void *arg);
    void *later_arg;
    int later_started;
};

unsigned char seam_pattern(uint64_t at) {
    return raw_pattern(at);
}

/* ---- answers ---- */

static size_t face_put_chunks(char *out, size_t at, uint64_t len) {
    const uint64_t piece = 1000;
    for (uint64_t from = 0; from < len; from += piece) {
        uint64_t n = len - from < piece ? len - from : piece;
        at += (size_t)sprintf(out + at, "%llx\r\n", (unsigned long long)n);
        for (uint64_t i = 0; i < n; i++) out[at++] = (char)raw_pattern(from + i);
        at += (size_t)sprintf(out + at, "\r\n");
    }
    return at + (size_t)sprintf(out + at, "0\r\n\r\n");
}

static size_t face_put_big_header(char *out, uint64_t len) {
    size_t at = (size_t)sprintf(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
    while (len) {
        uint64_t n = len < 4000 ? len : 4000;
        at += (size_t)sprintf(out + at, "X-Much: ");
        memset(out + at, 'x', n);
        at += n;
        at += (size_t)sprintf(out + at, "\r\n");
        len -= n;
    }
    return at + (size_t)sprintf(out + at, "\r\n");
}

static size_t face_put_head(char *out, const struct seam_behaviour *b) {
    if (b->chunked)
        return (size_t)sprintf(out, "HTTP/1.1 200 OK\r\nX-Case: a b \r\nTransfer-Encoding: chunked\r\n\r\n");
    return (size_t)sprintf(out, "HTTP/1.1 200 OK\r\nX-Case: a b \r\nContent-Length: %llu\r\n\r\n",
                           (unsigned long long)b->body_bytes);
}

static struct raw_step face_step(struct face_curl *self, const struct seam_behaviour *b) {
    struct raw_step step = {.answer = self->answer, .answer_len = face_put_head(self->answer, b)};
    switch (b->kind) {
    case SEAM_ANSWER:
        if (b->chunked) step.answer_len = face_put_chunks(self->answer, step.answer_len, b->body_bytes);
        if (!b->chunked) step.fill = b->body_bytes;
        return step;
    case SEAM_CUT:
        step.fill = b->cut_bytes, step.end = RAW_CLOSE;
        return step;
    case SEAM_STALL:
        step.fill = b->cut_bytes, step.end = RAW_SILENT;
        return step;
    case SEAM_BIG_HEADER:
        step.answer_len = face_put_big_header(self->answer, b->body_bytes);
        return step;
    case SEAM_GARBAGE:
        return (struct raw_step){.answer = "+OK POP3 ready\r\n\r\n", .end = RAW_CLOSE};
    case SEAM_CLOSE:
        return (struct raw_step){.end = RAW_CLOSE};
    case SEAM_RESET:
        return (struct raw_step){.end = RAW_RESET};
    case SEAM_SILENT:
    case SEAM_NO_HOST:
    case SEAM_REFUSED:
        break;
    }
    return (struct raw_step){.end = RAW_SILENT};
}

/* A port that was free a moment ago, and that nobody can take meanwhile: port 1 of loopback is nobody's. */
static void face_arm(struct seam_face *face, const struct seam_behaviour *b, char *url, size_t cap) {
    struct face_curl *self = (struct face_curl *)face;
    struct raw_step step = face_step(self, b);
    raw_server_script(self->server, &step, 1);
    if (b->kind == SEAM_NO_HOST)
        snprintf(url, cap, "http://sandport.invalid/x");
    else if (b->kind == SEAM_REFUSED)
        snprintf(url, cap, "http://127.0.0.1:1/x");
    else
        snprintf(url, cap, "http://127.0.0.1:%d/x", raw_server_port(self->server));
}

static struct seam_seen face_seen(struct seam_face *face) {
    struct raw_counts is = raw_server_counts(((struct face_curl *)face)->server);
    return (struct seam_seen){is.heads, is.executions, is.request_bytes, is.body_bytes, is.body_wrong, is.sent_bytes};
}

/* ---- beside the test ---- */

static void *face_later_run(void *arg) {
    struct face_curl *self = arg;
    poll(NULL, 0, (int)self->later_ms);
    self->later_run(self->later_arg);
    return NULL;
}

static void face_later_join(struct seam_face *face) {
    struct face_curl *self = (struct face_curl *)face;
    if (self->later_started) pthread_join(self->later, NULL);
    self->later_started = 0;
}

static void face_later(struct seam_face *face, int64_t ms, void (*run)(void *arg), void *arg) {
    struct face_curl *self = (struct face_curl *)face;
    face_later_join(face);
    self->later_ms = ms;
    self->later_run = run;
    self->later_arg = arg;
    self->later_started = pthread_create(&self->later, NULL, face_later_run, self) == 0;
    T_TRUE(self->later_started);
}

static int64_t face_late_ms(struct seam_face *face) {
    return witness_late_ms(((struct face_curl *)face)->witness);
}

static void face_close(struct seam_face *face) {
    struct face_curl *self = (struct face_curl *)face;
    face_later_join(face);
    sbx_env_free(face->env);
    raw_server_stop(self->server);
    witness_end(self->witness);
    free(self);
}

struct seam_face *seam_face_open(void) {
    struct face_curl *self = calloc(1, sizeof(*self));
    T_TRUE(self);
    T_STATUS(sbx_curl_env_create(NULL, &self->face.env), SBX_OK);
    self->server = raw_server_start();
    self->face.soon_ms = 30;
    self->face.memory_bytes_max = 8u << 20;
    self->face.arm = face_arm;
    self->face.seen = face_seen;
    self->face.late_ms = face_late_ms;
    self->witness = witness_begin();
    self->face.later = face_later;
    self->face.later_join = face_later_join;
    self->face.close = face_close;
    return &self->face;
}
