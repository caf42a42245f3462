/* The course of a workload: each phase once, the teardown whatever came before. Row P2. */
#include "src/orchestrator/room.h"

#include <string.h>

#define DESTROY_TRIES 3
#define CLEANUP_MS    30000
#define WAIT_MS       250
#define WAIT_MS_MAX   2000

int sbx_work_cleanup(const struct course *c, struct sbx_call *out) {
    const int64_t now_ms = c->env->now_ms(c->env), ms = c->call.cleanup_ms ? c->call.cleanup_ms : CLEANUP_MS;
    sbx_call_init(out, sizeof(*out));
    if (ms < 0) return 0;
    out->deadline_ms = ms < SBX_NO_DEADLINE - now_ms ? now_ms + ms : SBX_NO_DEADLINE;
    return 1;
}

static enum sbx_status begin(struct course *c) {
    struct sbx_launch_options launch = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_workload_result *result = c->result;
    if (c->work->is.launch &&
        sbx_options_take(&launch, sizeof(launch), c->work->is.launch, offsetof(struct sbx_launch_options, name)))
        return sbx_fail(c->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "launch: expected options with their size");
    if (!launch.acquisition) {
        enum sbx_status st = sbx_acquisition_new(c->env, result->acquisition);
        if (st) return sbx_fail(c->err, st, SBX_OUTCOME_NOT_SENT, "no random bytes for an acquisition id");
        launch.acquisition = result->acquisition;
    } else {
        (void)!sbx_copy(result->acquisition, sizeof(result->acquisition), launch.acquisition);
    }
    enum sbx_status st = sbx_runtime_launch(c->rt, &launch, &c->call, &c->sb, c->err);
    if (!st) sbx_sandbox_id(c->sb, result->sandbox_id);
    if (st) {
        (void)!sbx_copy(result->sandbox_id, sizeof(result->sandbox_id), c->err->sandbox_id);
        result->cleanup = c->err->cleanup;
    }
    return st;
}

static enum sbx_status steps(struct course *c) {
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < c->work->is.step_count && !st && c->result->failed_step < 0; i++) st = sbx_work_step(c, i);
    return st;
}

/* What cannot be cancelled any more, and has the time for clean-up: a failed delete leaves the handle usable. */
static void teardown(struct course *c) {
    struct sbx_workload_result *result = c->result;
    struct sbx_call cleanup;
    struct sbx_backoff backoff;
    if (!c->sb) return;
    result->cleanup = SBX_CLEANUP_UNCONFIRMED;
    if (!sbx_work_cleanup(c, &cleanup)) {
        (void)sbx_fail(&result->teardown, SBX_CANCELLED, SBX_OUTCOME_NOT_SENT, "cleanup_ms: no clean-up was wanted");
        return;
    }
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (int i = 0; i < DESTROY_TRIES; i++) {
        sbx_error_init(&result->teardown, sizeof(result->teardown));
        if (sbx_sandbox_destroy(c->sb, &cleanup, &result->teardown) == SBX_OK) {
            result->cleanup = SBX_CLEANUP_CONFIRMED;
            return;
        }
        if (sbx_backoff_sleep(&backoff, c->env, cleanup.deadline_ms, NULL)) return;
    }
}

/* In order; the first that fails is the last, but for the teardown. */
static enum sbx_status play(struct course *c) {
    static const struct {
        int32_t phase;
        enum sbx_status (*run)(struct course *c);
    } phases[] = {{SBX_PHASE_LAUNCH, begin},
                  {SBX_PHASE_UPLOAD, sbx_work_upload},
                  {SBX_PHASE_STEPS, steps},
                  {SBX_PHASE_COLLECT, sbx_work_collect}};
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]) && !st; i++) {
        st = phases[i].run(c);
        if (st) c->result->phase = phases[i].phase;
    }
    teardown(c); /* guard: teardown_always */
    if (!st && c->result->teardown.status) {
        st = (enum sbx_status)c->result->teardown.status;
        c->result->phase = SBX_PHASE_TEARDOWN;
        *c->err = c->result->teardown;
    }
    sbx_sandbox_free(c->sb);
    return st;
}

static enum sbx_status tell(struct sbx_error *to, const struct sbx_error *err, enum sbx_status st) {
    if (!to) return st;
    if (st)
        memcpy(to, err, sizeof(*err));
    else
        sbx_error_init(to, to->size);
    return st;
}

static enum sbx_status wrong(struct sbx_error *err, const char *what, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "%s: expected %s", what, expected);
    return SBX_INVALID_ARGUMENT;
}

static enum sbx_status run(struct course *c, const struct sbx_workload *from, struct work *work,
                           struct sbx_workload_result **out) {
    enum sbx_status st = sbx_work_take(from, work, c->err);
    if (!st) st = sbx_work_check_caps(sbx_runtime_capabilities(c->rt), sbx_work_caps(work), c->err);
    if (st) return st;
    c->result = sbx_work_result_create(work);
    if (!c->result) {
        (void)sbx_fail(c->err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
        return SBX_NO_MEMORY;
    }
    st = play(c);
    *out = c->result;
    return st;
}

enum sbx_status sbx_workload_run(struct sbx_runtime *rt, const struct sbx_workload *from, const struct sbx_call *call,
                                 struct sbx_workload_result **out, struct sbx_error *callers) {
    struct work work = {0};
    struct sbx_error err = SBX_ERROR_INIT;
    struct course c = {.rt = rt, .env = sbx_runtime_env(rt), .work = &work, .call = SBX_CALL_INIT, .err = &err};
    if (callers && callers->size < sizeof(err)) return SBX_INVALID_ARGUMENT; /* it says no size for an answer */
    (void)!sbx_copy(err.operation, sizeof(err.operation), "workload");
    if (!rt) return tell(callers, &err, wrong(&err, "rt", "one"));
    if (!out) return tell(callers, &err, wrong(&err, "out", "one"));
    if (call && sbx_options_take(&c.call, sizeof(c.call), call, sizeof(c.call)))
        return tell(callers, &err, wrong(&err, "call", "one with its size"));
    enum sbx_status st = run(&c, from, &work, out);
    sbx_work_drop(&work);
    return tell(callers, &err, st);
}
