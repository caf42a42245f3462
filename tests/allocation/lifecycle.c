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
        .name = "stop", .requests_min = 25, .before = sweep_launched, .run = stop_run, .after = stop_after};
    sweep(&op);
}

/* The first try may have done it or not: what a later one did not do does not undo that. */
static void stop_lost_before(struct sweep *s) {
    sweep_launched(s);
    world_fault(&s->w, "{'op':'daytona.sandbox.stop','phase':'before','times':1,'effect':{'kind':'reset'}}");
}

static void stopping_at_the_second_try(void) {
    static const struct operation op = {.name = "stop, tried twice",
                                        .requests_min = 50,
                                        .also = SBX_CONNECTION_LOST,
                                        .before = stop_lost_before,
                                        .run = stop_run,
                                        .after = stop_after};
    sweep(&op);
}

static void stop_answer_lost_before(struct sweep *s) {
    sweep_launched(s);
    world_fault(&s->w, "{'op':'daytona.sandbox.stop','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
}

static void stopping_and_the_answer_is_lost(void) {
    static const struct operation op = {.name = "stop, answer lost",
                                        .requests_min = 30,
                                        .also = SBX_CONNECTION_LOST,
                                        .before = stop_answer_lost_before,
                                        .run = stop_run,
                                        .after = stop_after};
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

static void destroy_lost_before(struct sweep *s) {
    sweep_launched(s);
    world_fault(&s->w, "{'op':'daytona.sandbox.delete','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
}

static void destroying_and_the_answer_is_lost(void) {
    static const struct operation op = {.name = "destroy, answer lost",
                                        .requests_min = 30,
                                        .also = SBX_CONNECTION_LOST,
                                        .before = destroy_lost_before,
                                        .run = destroy_run,
                                        .after = destroy_after};
    sweep(&op);
}

/* ---- two at a time: who has to wait for a turn needs an event to wait with ---- */

static struct sweep *two;
static enum sbx_status two_first, two_second;

static void two_destroy(void *arg) {
    (void)arg;
    two_first = sbx_sandbox_destroy(two->w.sb, NULL, NULL);
}

static void two_stop(void *arg) {
    (void)arg;
    short_memory_arm(1, MEMORY_SHORT_ONCE);
    two_second = sbx_sandbox_stop(two->w.sb, NULL, NULL, &two->w.err);
    T_EQ(short_memory_disarm(), 1);
}

static enum sbx_status two_run(struct sweep *s) {
    two = s;
    short_memory_disarm(); /* the second caller alone is short, of the first thing that it asks for */
    T_STATUS(sbx_sim_spawn(s->w.sim, two_destroy, NULL), SBX_OK);
    sbx_sim_advance_ms(s->w.sim, 1);
    T_STATUS(sbx_sim_spawn(s->w.sim, two_stop, NULL), SBX_OK);
    T_STATUS(sbx_sim_run(s->w.sim), SBX_OK);
    S_TRUE(s, two_first == SBX_OK && two_second == SBX_NO_MEMORY);
    S_TRUE(s, s->w.err.outcome == SBX_OUTCOME_NOT_SENT);
    sbx_error_init(&s->w.err, sizeof(s->w.err));
    short_memory_arm(0, MEMORY_SHORT_ONCE); /* one run is all */
    return SBX_OK;
}

static void waiting_for_a_turn(void) {
    static const struct operation op = {
        .name = "turn", .before = sweep_launched, .run = two_run, .after = destroy_after};
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
        .name = "start", .requests_min = 20, .before = start_before, .run = start_run, .after = start_after};
    sweep(&op);
}

static void start_lost_before(struct sweep *s) {
    start_before(s);
    world_fault(&s->w, "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
}

static void starting_and_the_answer_is_lost(void) {
    static const struct operation op = {.name = "start, answer lost",
                                        .requests_min = 50,
                                        .also = SBX_CONNECTION_LOST,
                                        .before = start_lost_before,
                                        .run = start_run,
                                        .after = start_after};
    sweep(&op);
}

/* An answer that says why is never taken for the silence of a dead daemon because it could not be read: nothing is
 * replaced. */
static void unreachable_before(struct sweep *s) {
    start_before(s);
    world_fault(&s->w, "{'op':'daytona.toolbox.execute','phase':'before','times':4,'effect':{'kind':'status','status':"
                       "502,'body':{'statusCode':502,'code':'RUNNER_UNREACHABLE','message':'runner unreachable'}}}");
}

static enum sbx_status unreachable_run(struct sweep *s) {
    struct sbx_start_options opt = SBX_START_OPTIONS_INIT;
    opt.probe_window_ms = 1;
    return sbx_sandbox_start(s->w.sb, &opt, NULL, NULL, &s->w.err);
}

static void unreachable_after(struct sweep *s) {
    sbx_sim_faults_clear(s->w.sim);
    start_after(s);
}

static void starting_behind_a_runner_that_cannot_be_reached(void) {
    static const struct operation op = {.name = "start, runner unreachable",
                                        .requests_min = 50,
                                        .due = SBX_PROVIDER,
                                        .before = unreachable_before,
                                        .run = unreachable_run,
                                        .after = unreachable_after};
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
    opt.probe_window_ms = 1; /* four answers then prove it dead */
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
        S_TRUE(s, replace_run(s) == SBX_OK);
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
                                        .requests_min = 95,
                                        .before = replace_before,
                                        .run = replace_run,
                                        .after = replace_after};
    sweep(&op);
}

T_CASES(T_CASE(stopping), T_CASE(stopping_at_the_second_try), T_CASE(stopping_and_the_answer_is_lost),
        T_CASE(destroying), T_CASE(destroying_and_the_answer_is_lost), T_CASE(waiting_for_a_turn), T_CASE(starting),
        T_CASE(starting_and_the_answer_is_lost), T_CASE(starting_behind_a_runner_that_cannot_be_reached),
        T_CASE(starting_one_that_comes_back_dead))
