/* A face over a simulated cloud, in-process on virtual time: all but its adapter, and which requests it sends. */
#include "face_sim.h"

#include <stdlib.h>
#include <string.h>

#define BESIDE_MS      2000 /* virtual: by then a command has begun, and a request is on its way */
#define OVERSIZE_BYTES (17u * 1024 * 1024)

struct sim_face {
    struct conformance_face face; /* first */
    const struct sim_face_request *requests;
    struct sbx_sim *sim;
    struct sbx_cancel *fire;
    int64_t rule;
    char *big;
};

static const struct conformance_cannot cannot[] = {
    {"download", OVERSIZE, "the answer is the file, of which any size is right"},
    {NULL, HAPPY, NULL},
};

static struct sim_face *self_of(struct conformance_face *face) {
    return (struct sim_face *)(void *)face;
}

static const char *big_body(struct sim_face *self) {
    self->big = calloc(1, OVERSIZE_BYTES + 1);
    T_TRUE(self->big);
    memset(self->big, ' ', OVERSIZE_BYTES);
    return self->big;
}

static void effect_of(struct sim_face *self, enum condition condition, struct sbx_fault_effect *effect) {
    static const char *const kinds[CONDITION_COUNT] = {
        [CANCEL] = "hang", [DEADLINE] = "hang",   [HTTP_502] = "html",
        [RESET] = "reset", [OVERSIZE] = "status", [NUL] = "status",
    };
    effect->kind = kinds[condition];
    if (condition == HTTP_502) effect->status = 502;
    if (condition == OVERSIZE || condition == NUL) effect->status = 200;
    if (condition == OVERSIZE) effect->body = big_body(self);
    if (condition == NUL) effect->body = "{\"name\":\"a\\u0000b\"}";
}

static void face_inject(struct conformance_face *face, const char *operation, enum condition condition) {
    struct sim_face *self = self_of(face);
    struct sbx_fault rule = {.times = condition == HTTP_502 ? 0 : 1};
    for (const struct sim_face_request *req = self->requests; req->operation; req++)
        if (strcmp(req->operation, operation) == 0) {
            rule.op = req->op;
            rule.phase = condition == HTTP_502 ? "before" : req->done;
        }
    effect_of(self, condition, &rule.effect);
    self->rule = sbx_sim_fault(self->sim, &rule);
    if (!self->rule) T_FAIL("%s: no such fault", operation);
}

static int64_t face_clear(struct conformance_face *face) {
    struct sim_face *self = self_of(face);
    int64_t hits = self->rule ? sbx_sim_fault_hits(self->sim, self->rule) : 0;
    sbx_sim_faults_clear(self->sim);
    return hits;
}

static void fire_later(void *arg) {
    struct sim_face *self = arg;
    struct sbx_env *env = self->face.env;
    (void)!env->sleep_until(env, env->now_ms(env) + BESIDE_MS, NULL);
    self->face.due_ms = env->now_ms(env);
    sbx_cancel_fire(self->fire);
}

static void face_cancel_while(struct conformance_face *face, enum waiting waiting, struct sbx_cancel *cancel) {
    struct sim_face *self = self_of(face);
    (void)waiting;
    self->fire = cancel;
    T_STATUS(sbx_sim_spawn(self->sim, fire_later, self), SBX_OK);
}

static void face_deadline_while(struct conformance_face *face, enum waiting waiting, struct sbx_call *call) {
    (void)waiting;
    face->due_ms = call->deadline_ms = face->env->now_ms(face->env) + BESIDE_MS;
}

static void face_join(struct conformance_face *face) {
    T_STATUS(sbx_sim_run(self_of(face)->sim), SBX_OK);
}

static int64_t face_requests(struct conformance_face *face) {
    int64_t n = 0;
    for (const char *c = sbx_sim_timeline(self_of(face)->sim); *c; c++) n += *c == '\n';
    return n;
}

static int64_t face_sandboxes(struct conformance_face *face) {
    return sbx_sim_ledger_live(self_of(face)->sim);
}

static int64_t face_strays(struct conformance_face *face) {
    return sbx_sim_unsupported(self_of(face)->sim);
}

static void face_close(struct conformance_face *face) {
    struct sim_face *self = self_of(face);
    sbx_sim_free(self->sim);
    free(self->big);
    free(self);
}

struct conformance_face *sim_face_open(const struct sim_face_request *requests) {
    struct sim_face *self = calloc(1, sizeof(*self));
    T_TRUE(self);
    T_STATUS(sbx_sim_create(NULL, &self->sim, NULL, 0), SBX_OK);
    self->requests = requests;
    self->face = (struct conformance_face){.env = sbx_sim_env(self->sim),
                                           .cannot = cannot,
                                           .inject = face_inject,
                                           .clear = face_clear,
                                           .cancel_while = face_cancel_while,
                                           .deadline_while = face_deadline_while,
                                           .join = face_join,
                                           .requests = face_requests,
                                           .sandboxes = face_sandboxes,
                                           .strays = face_strays,
                                           .close = face_close};
    return &self->face;
}
