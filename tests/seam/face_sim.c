/* The in-process env against a cloud that behaves as told. It can do all but cost memory that is worth measuring: the
 * suite's own limit is for processes that stream, and there is one process here. */
#include "face.h"
#include "t.h"

#include "sim/kit/http.h"
#include "sim/kit/sim.h"

#include <stdio.h>
#include <stdlib.h>

struct face_sim {
    struct sim_cloud cloud; /* first */
    struct seam_face face;
    struct sim *sim;
    struct seam_behaviour behaviour;
    struct seam_seen seen;
    struct sim_timer later;
    void (*later_run)(void *arg);
    void *later_arg;
    char header[70001];
};

static struct face_sim *face_of(struct seam_face *face) {
    return (struct face_sim *)(void *)((char *)face - offsetof(struct face_sim, face));
}

unsigned char seam_pattern(uint64_t at) {
    return (unsigned char)(at * 7 + at / 251);
}

/* ---- the cloud ---- */

static int cloud_read(struct face_sim *self, struct sim_http *x) {
    unsigned char piece[10000];
    for (;;) {
        ptrdiff_t n = sim_http_read(x, piece, sizeof(piece));
        if (n <= 0) return n == 0;
        for (ptrdiff_t i = 0; i < n; i++)
            self->seen.body_wrong += piece[i] != seam_pattern(self->seen.body_bytes + (uint64_t)i);
        self->seen.body_bytes += (uint64_t)n;
    }
}

static int cloud_fill(struct face_sim *self, struct sim_http *x, uint64_t len) {
    unsigned char piece[8192];
    for (uint64_t at = 0; at < len;) {
        uint64_t n = len - at < sizeof(piece) ? len - at : sizeof(piece);
        for (uint64_t i = 0; i < n; i++) piece[i] = seam_pattern(at + i);
        if (sim_http_write(x, piece, (size_t)n)) return -1;
        self->seen.answer_bytes += n;
        at += n;
    }
    return 0;
}

static void cloud_answer(struct face_sim *self, struct sim_http *x, uint64_t len) {
    const struct seam_behaviour *b = &self->behaviour;
    sim_http_header_add(x, "X-Case", "a b");
    if (sim_http_begin(x, 200, NULL, b->chunked ? -1 : (int64_t)b->body_bytes)) return;
    if (cloud_fill(self, x, len)) return;
    if (b->kind == SEAM_ANSWER)
        sim_http_end(x);
    else
        sim_http_abort(x, b->kind == SEAM_STALL ? SIM_ABORT_HANG : SIM_ABORT_CLOSE);
}

static void cloud_serve(struct sim_cloud *cloud, struct sim_http *x) {
    struct face_sim *self = (struct face_sim *)(void *)cloud;
    self->seen.requests++;
    if (!cloud_read(self, x)) return;
    self->seen.executions++;
    switch (self->behaviour.kind) {
    case SEAM_CLOSE:
        sim_http_abort(x, SIM_ABORT_CLOSE);
        return;
    case SEAM_RESET:
        sim_http_abort(x, SIM_ABORT_RESET);
        return;
    case SEAM_SILENT:
    case SEAM_NO_HOST:
    case SEAM_REFUSED:
        sim_http_abort(x, SIM_ABORT_HANG);
        return;
    case SEAM_GARBAGE:
        sim_http_raw(x, "+OK POP3 ready\r\n\r\n", 18);
        return;
    case SEAM_BIG_HEADER:
        memset(self->header, 'x', self->behaviour.body_bytes);
        sim_http_header_add(x, "X-Much", self->header);
        sim_http_reply(x, 200, NULL, NULL, 0);
        return;
    case SEAM_ANSWER:
        cloud_answer(self, x, self->behaviour.body_bytes);
        return;
    case SEAM_CUT:
    case SEAM_STALL:
        cloud_answer(self, x, self->behaviour.cut_bytes);
        return;
    }
}

static void cloud_free(struct sim_cloud *cloud) {
    (void)cloud; /* the face's own */
}

/* ---- the face ---- */

static void face_arm(struct seam_face *face, const struct seam_behaviour *behaviour, char *url, size_t cap) {
    struct face_sim *self = face_of(face);
    self->behaviour = *behaviour;
    self->seen = (struct seam_seen){0};
    memset(self->header, 0, sizeof(self->header));
    snprintf(url, cap, "http://%s/x",
             behaviour->kind == SEAM_NO_HOST   ? "else.where"
             : behaviour->kind == SEAM_REFUSED ? "face.sim:1"
                                               : "face.sim");
}

static struct seam_seen face_seen(struct seam_face *face) {
    return face_of(face)->seen;
}

static int64_t face_late_ms(struct seam_face *face) {
    (void)face;
    return 0;
}

static void face_later_fire(void *arg) {
    struct face_sim *self = arg;
    self->later_run(self->later_arg);
}

static void face_later(struct seam_face *face, int64_t ms, void (*run)(void *arg), void *arg) {
    struct face_sim *self = face_of(face);
    struct sim_world *w = sim_world(self->sim);
    self->later_run = run;
    self->later_arg = arg;
    T_STATUS(sim_timer_set(w, &self->later, sim_now(w) + ms * SIM_MS, face_later_fire, self), SBX_OK);
}

static void face_later_join(struct seam_face *face) {
    struct face_sim *self = face_of(face);
    if (self->later.slot) sim_advance_to(sim_world(self->sim), self->later.when_ns);
}

static void face_close(struct seam_face *face) {
    struct face_sim *self = face_of(face);
    sim_free(self->sim);
    free(self);
}

struct seam_face *seam_face_open(void) {
    struct face_sim *self = calloc(1, sizeof(*self));
    T_TRUE(self);
    self->sim = sim_new(1);
    T_TRUE(self->sim);
    self->cloud.provider = "face";
    self->cloud.serve = cloud_serve;
    self->cloud.free = cloud_free;
    T_STATUS(sim_add_cloud(self->sim, &self->cloud), SBX_OK);
    self->face.env = sim_env(self->sim);
    self->face.soon_ms = 30;
    self->face.arm = face_arm;
    self->face.seen = face_seen;
    self->face.late_ms = face_late_ms;
    self->face.later = face_later;
    self->face.later_join = face_later_join;
    self->face.close = face_close;
    return &self->face;
}
