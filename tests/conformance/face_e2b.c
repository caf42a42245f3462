/* E2B's adapter over the simulated cloud, on virtual time. */
#include "face.h"
#include "t.h"

#include <sandport/e2b.h>
#include <sandport/sim.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE_MS      2000 /* virtual: by then a command has begun, and a request is on its way */
#define OVERSIZE_BYTES (17u * 1024 * 1024)

struct e2b_face {
    struct conformance_face face; /* first */
    struct sbx_sim *sim;
    struct sbx_cancel *fire;
    int64_t rule;
    char *big;
};

/* The request that decides an operation, and from where on it can be said to have done something. */
static const struct {
    const char *operation;
    const char *op;
    const char *done;
} requests[] = {
    {"launch", "e2b.sandbox.create", "after_commit"},
    {"attach", "e2b.sandbox.get", "before"},
    {"find", "e2b.sandbox.list", "before"},
    {"count", "e2b.sandbox.list", "before"},
    {"capacity", "e2b.sandbox.list", "before"},
    {"info", "e2b.sandbox.get", "before"},
    {"exec_exact", "e2b.process.start", "after_commit"},
    {"exec_wire", "e2b.process.start", "after_commit"},
    {"exec_streamed", "e2b.process.start", "after_commit"},
    {"submit", "e2b.process.start", "after_commit"},
    {"poll", "e2b.process.start", "after_commit"},
    {"read_logs", "e2b.process.start", "after_commit"},
    {"kill_run", "e2b.process.start", "after_commit"},
    {"run_read", "e2b.process.start", "after_commit"},
    {"upload", "e2b.files.write", "after_commit"},
    {"download", "e2b.files.read", "after_commit"},
    {"home_dir", "e2b.process.start", "after_commit"},
    {"start", "e2b.sandbox.connect", "after_commit"},
    {"stop", "e2b.sandbox.pause", "after_commit"},
    {"destroy", "e2b.sandbox.kill", "after_commit"},
    {"reconcile", "e2b.sandbox.list", "before"},
};

static const struct conformance_cannot cannot[] = {
    {"download", OVERSIZE, "the answer is the file, of which any size is right"},
    {NULL, HAPPY, NULL},
};

static struct e2b_face *self_of(struct conformance_face *face) {
    return (struct e2b_face *)(void *)face;
}

static void face_inject(struct conformance_face *face, const char *operation, enum condition condition) {
    struct e2b_face *self = self_of(face);
    struct sbx_fault rule = {.times = condition == HTTP_502 ? 0 : 1};
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        if (strcmp(requests[i].operation, operation) == 0) {
            rule.op = requests[i].op;
            rule.phase = condition == HTTP_502 ? "before" : requests[i].done;
        }
    rule.effect.kind = condition == HTTP_502   ? "html"
                       : condition == RESET    ? "reset"
                       : condition == OVERSIZE ? "status"
                                               : "hang";
    if (condition == HTTP_502) rule.effect.status = 502;
    if (condition == OVERSIZE) {
        self->big = calloc(1, OVERSIZE_BYTES + 1);
        T_TRUE(self->big);
        memset(self->big, ' ', OVERSIZE_BYTES);
        rule.effect.status = 200;
        rule.effect.body = self->big;
    }
    self->rule = sbx_sim_fault(self->sim, &rule);
    if (!self->rule) T_FAIL("%s: no such fault", operation);
}

static int64_t face_clear(struct conformance_face *face) {
    struct e2b_face *self = self_of(face);
    int64_t hits = self->rule ? sbx_sim_fault_hits(self->sim, self->rule) : 0;
    sbx_sim_faults_clear(self->sim);
    return hits;
}

static void fire_later(void *arg) {
    struct e2b_face *self = arg;
    struct sbx_env *env = self->face.env;
    (void)!env->sleep_until(env, env->now_ms(env) + BESIDE_MS, NULL);
    self->face.due_ms = env->now_ms(env);
    sbx_cancel_fire(self->fire);
}

static void face_cancel_while(struct conformance_face *face, enum waiting waiting, struct sbx_cancel *cancel) {
    struct e2b_face *self = self_of(face);
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
    struct e2b_face *self = self_of(face);
    sbx_sim_free(self->sim);
    free(self->big);
    free(self);
}

struct conformance_face *conformance_face_open(void) {
    struct e2b_face *self = calloc(1, sizeof(*self));
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    T_TRUE(self);
    T_STATUS(sbx_sim_create(NULL, &self->sim, NULL, 0), SBX_OK);
    opt.endpoint = SBX_SIM_E2B_ENDPOINT;
    opt.sandbox_url = SBX_SIM_E2B_SANDBOX_URL;
    opt.api_key = SBX_SIM_E2B_KEY;
    self->face = (struct conformance_face){.env = sbx_sim_env(self->sim),
                                           .cannot = cannot,
                                           .wire_exact = 1,
                                           .streamed_by_wire = 1,
                                           .wire_killed = 1,
                                           .inject = face_inject,
                                           .clear = face_clear,
                                           .cancel_while = face_cancel_while,
                                           .deadline_while = face_deadline_while,
                                           .join = face_join,
                                           .requests = face_requests,
                                           .sandboxes = face_sandboxes,
                                           .strays = face_strays,
                                           .close = face_close};
    T_STATUS(sbx_e2b_create(&opt, self->face.env, &self->face.rt, &err), SBX_OK);
    return &self->face;
}
