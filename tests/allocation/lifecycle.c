/* Memory runs out during stop, start and destroy. Rows D4-D8, D16, P10, P12. */
#include "sweep.h"

/* A change whose request provably never left, or was refused, changed nothing. */
static int nothing_was_done(const struct sbx_error *err) {
    return err->outcome == SBX_OUTCOME_NOT_SENT || err->outcome == SBX_OUTCOME_REFUSED;
}

/* ---- stop ---- */

static enum sbx_status stop_run(struct sweep *s) {
    return sbx_sandbox_stop(s->w.sb, NULL, NULL, &s->w.err);
}

static void stop_after(struct sweep *s) {
    int32_t state = sweep_state(s);
    S_TRUE(s, state == SBX_STATE_RUNNING || state == SBX_STATE_STOPPING || state == SBX_STATE_STOPPED);
    if (!s->st) S_TRUE(s, state == SBX_STATE_STOPPED);
    if (s->st && nothing_was_done(&s->w.err)) S_TRUE(s, state == SBX_STATE_RUNNING);
    if (s->st && s->w.err.outcome == SBX_OUTCOME_DONE) S_TRUE(s, state != SBX_STATE_RUNNING);
    if (sbx_sandbox_stop(s->w.sb, NULL, NULL, NULL)) sweep_fail(s, "stop can be repeated", __FILE__, __LINE__);
    S_TRUE(s, sweep_state(s) == SBX_STATE_STOPPED);
    sweep_destroy(s);
}

static void stopping(void) {
    static const struct operation op = {
        .name = "stop", .requests_min = 40, .before = sweep_launched, .run = stop_run, .after = stop_after};
    sweep(&op);
}

/* ---- destroy ---- */

static enum sbx_status destroy_run(struct sweep *s) {
    return sbx_sandbox_destroy(s->w.sb, NULL, &s->w.err);
}

static void destroy_after(struct sweep *s) {
    int64_t live = sbx_sim_ledger_live(s->w.sim);
    if (!s->st) S_TRUE(s, live == 0 && sbx_sandbox_state(s->w.sb) == SBX_STATE_DESTROYED);
    if (s->st && nothing_was_done(&s->w.err)) S_TRUE(s, live == 1 && sweep_state(s) == SBX_STATE_RUNNING);
    sweep_destroy(s);
}

static void destroying(void) {
    static const struct operation op = {
        .name = "destroy", .requests_min = 30, .before = sweep_launched, .run = destroy_run, .after = destroy_after};
    sweep(&op);
}

/* ---- start ---- */

static enum sbx_status start_run(struct sweep *s) {
    return sbx_sandbox_start(s->w.sb, NULL, NULL, NULL, &s->w.err);
}

static void start_after(struct sweep *s) {
    int32_t state = sweep_state(s);
    if (!s->st) S_TRUE(s, state == SBX_STATE_RUNNING);
    if (s->st && nothing_was_done(&s->w.err)) S_TRUE(s, state == SBX_STATE_STOPPED);
    if (s->st && s->w.err.outcome == SBX_OUTCOME_DONE) S_TRUE(s, state != SBX_STATE_STOPPED);
    if (sbx_sandbox_start(s->w.sb, NULL, NULL, NULL, NULL)) sweep_fail(s, "start can be repeated", __FILE__, __LINE__);
    S_TRUE(s, strcmp(sweep_shell(s, "cat kept"), "kept\n") == 0);
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 1);
    sweep_destroy(s);
}

static void start_before(struct sweep *s) {
    sweep_launched(s);
    sweep_shell(s, "echo kept > kept");
    T_STATUS(sbx_sandbox_stop(s->w.sb, NULL, NULL, &s->w.err), SBX_OK);
}

static void starting(void) {
    static const struct operation op = {
        .name = "start", .requests_min = 80, .before = start_before, .run = start_run, .after = start_after};
    sweep(&op);
}

/* ---- start, and the toolbox comes back dead ---- */

struct replacement {
    struct sbx_start_result result;
    char old_id[SBX_ID_SIZE];
    char announced[SBX_ACQUISITION_SIZE];
};

static struct replacement replacement; /* of the run at hand */

static int on_replacing(void *ctx, const char *acquisition) {
    struct replacement *r = ctx;
    memcpy(r->announced, acquisition, sizeof(r->announced));
    return 0;
}

static void replace_before(struct sweep *s) {
    sweep_stopped(s);
    replacement = (struct replacement){.result = SBX_START_RESULT_INIT};
    sbx_sandbox_id(s->w.sb, replacement.old_id);
    world_fault(&s->w, "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'dead_toolbox',"
                       "'dialect':'502'}}");
}

static enum sbx_status replace_run(struct sweep *s) {
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    opt.on_replacing = on_replacing;
    opt.on_replacing_ctx = &replacement;
    return sbx_sandbox_start(s->w.sb, &opt, NULL, &replacement.result, &s->w.err);
}

static void replace_failed(struct sweep *s) {
    const struct sbx_error *err = &s->w.err;
    int64_t live = sbx_sim_ledger_live(s->w.sim);
    char now[SBX_ID_SIZE], found[SBX_ID_SIZE];
    sbx_sandbox_id(s->w.sb, now);
    S_TRUE(s, strcmp(now, replacement.old_id) == 0);
    S_TRUE(s, !replacement.result.replaced);
    S_TRUE(s, live == 1 || live == 2); /* the dead one is never deleted before another is proven */
    if (!replacement.announced[0]) S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 1);
    if (err->cleanup != SBX_CLEANUP_UNCONFIRMED) {
        S_TRUE(s, live == 1);
        return;
    }
    S_TRUE(s, strcmp(err->acquisition, replacement.announced) == 0);
    S_TRUE(s, sweep_found(s, err->acquisition, found) == (size_t)live - 1);
    if (live == 2) sweep_remove(s, found);
}

static void replace_after(struct sweep *s) {
    const struct sbx_start_result *result = &replacement.result;
    char now[SBX_ID_SIZE];
    if (s->st) {
        replace_failed(s);
        if (sbx_sandbox_start(s->w.sb, NULL, NULL, &replacement.result, NULL))
            sweep_fail(s, "start can be repeated", __FILE__, __LINE__);
    }
    sbx_sandbox_id(s->w.sb, now);
    S_TRUE(s, result->replaced == 1 && strcmp(now, replacement.old_id) != 0);
    S_TRUE(s, strcmp(result->old_id, replacement.old_id) == 0);
    if (result->old_deleted)
        S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 1);
    else if (sbx_sim_ledger_live(s->w.sim) == 2)
        sweep_remove(s, result->old_id);
    S_TRUE(s, strcmp(sweep_shell(s, "echo alive"), "alive\n") == 0);
    sweep_destroy(s);
}

static void starting_one_that_comes_back_dead(void) {
    static const struct operation op = {.name = "start, replaced",
                                        .requests_min = 300,
                                        .before = replace_before,
                                        .run = replace_run,
                                        .after = replace_after};
    sweep(&op);
}

T_CASES(T_CASE(stopping), T_CASE(destroying), T_CASE(starting), T_CASE(starting_one_that_comes_back_dead))
