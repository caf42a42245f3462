/* Memory runs out while a runtime is made and while a sandbox is launched. Rows P1, P9, P12, D1, D15. */
#include "sweep.h"

static enum sbx_status create_run(struct sweep *s) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    opt.snapshot = "some-snapshot";
    opt.target = "eu";
    enum sbx_status st = sbx_daytona_create(&opt, s->w.env, &rt, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (rt != NULL));
    if (st) memcpy(s->w.err.operation, "create", sizeof("create")); /* no call of a runtime: it has none to name */
    sbx_runtime_free(rt);
    return st;
}

static void create_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 0);
}

static void creating_a_runtime(void) {
    static const struct operation op = {.name = "create", .requests_min = 9, .run = create_run, .after = create_after};
    sweep(&op);
}

/* ---- launch ---- */

static const struct sbx_pair labels[] = {{"team", "blue"}, {"job", "42"}};
static const struct sbx_pair vars[] = {{"LANG", "C"}};

static enum sbx_status launch_run(struct sweep *s) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.labels = labels;
    opt.label_count = 2;
    opt.env = vars;
    opt.env_count = 1;
    return sbx_runtime_launch(s->w.rt, &opt, NULL, &s->w.sb, &s->w.err);
}

static enum sbx_status launch_detached_run(struct sweep *s) {
    return sbx_runtime_launch_detached(s->w.rt, NULL, NULL, &s->w.sb, &s->w.err);
}

/* Whatever a failed launch left is what reconcile finds by the acquisition id of the error, and nothing else. */
static void launch_failed(struct sweep *s) {
    const struct sbx_error *err = &s->w.err;
    int64_t made = sbx_sim_ledger_made(s->w.sim), live = sbx_sim_ledger_live(s->w.sim);
    char id[SBX_ID_SIZE];
    S_TRUE(s, s->w.sb == NULL);
    S_TRUE(s, made <= 1);
    S_TRUE(s, err->outcome != SBX_OUTCOME_NONE);
    if (err->outcome == SBX_OUTCOME_NOT_SENT || err->outcome == SBX_OUTCOME_REFUSED) S_TRUE(s, made == 0);
    if (err->outcome == SBX_OUTCOME_DONE) S_TRUE(s, made == 1 && err->sandbox_id[0]);
    if (err->cleanup == SBX_CLEANUP_NONE) S_TRUE(s, made == 0);
    if (err->cleanup != SBX_CLEANUP_UNCONFIRMED) {
        S_TRUE(s, live == 0);
        return;
    }
    S_TRUE(s, err->acquisition[0]);
    S_TRUE(s, sweep_found(s, err->acquisition, id) == (size_t)live);
    if (err->sandbox_id[0] && live) S_TRUE(s, strcmp(id, err->sandbox_id) == 0);
    if (live) sweep_remove(s, id);
}

static void launch_after(struct sweep *s) {
    if (s->st) {
        launch_failed(s);
        return;
    }
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 1 && sbx_sim_ledger_live(s->w.sim) == 1);
    sweep_destroy(s);
}

static void launching(void) {
    static const struct operation op = {.name = "launch", .requests_min = 20, .run = launch_run, .after = launch_after};
    sweep(&op);
}

static void launching_detached(void) {
    static const struct operation op = {.name = "launch_detached",
                                        .whole_trees = 1,
                                        .requests_min = 50,
                                        .run = launch_detached_run,
                                        .after = launch_after};
    sweep(&op);
}

/* ---- launches that fail by themselves: the reason that was given stands, or memory ran out; nothing else is said ----
 */

static enum sbx_status launch_named_run(struct sweep *s) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.name = "taken";
    opt.snapshot = "no-such-snapshot";
    return sbx_runtime_launch(s->w.rt, &opt, NULL, &s->w.sb, &s->w.err);
}

static void launching_from_no_snapshot(void) {
    static const struct operation op = {.name = "launch, no snapshot",
                                        .whole_trees = 1,
                                        .requests_min = 10,
                                        .due = SBX_SNAPSHOT_NOT_FOUND,
                                        .run = launch_named_run,
                                        .after = launch_after};
    sweep(&op);
}

static struct sbx_sandbox *holder; /* of the name */

static void taken_before(struct sweep *s) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.name = "taken";
    T_STATUS(sbx_runtime_launch(s->w.rt, &opt, NULL, &holder, NULL), SBX_OK);
}

static enum sbx_status taken_run(struct sweep *s) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.name = "taken";
    return sbx_runtime_launch(s->w.rt, &opt, NULL, &s->w.sb, &s->w.err);
}

/* Whatever ran out, it is not taken for ours and deleted. */
static void taken_after(struct sweep *s) {
    S_TRUE(s, s->w.sb == NULL);
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 1 && sbx_sim_ledger_live(s->w.sim) == 1);
    T_STATUS(sbx_sandbox_destroy(holder, NULL, NULL), SBX_OK);
    sbx_sandbox_free(holder);
}

static void launching_by_a_name_in_use(void) {
    static const struct operation op = {.name = "launch, name in use",
                                        .requests_min = 15,
                                        .due = SBX_ALREADY_EXISTS,
                                        .before = taken_before,
                                        .run = taken_run,
                                        .after = taken_after};
    sweep(&op);
}

static void lost_before(struct sweep *s) {
    world_fault(&s->w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'reset'}}");
}

static void launching_and_the_answer_is_lost(void) {
    static const struct operation op = {.name = "launch, answer lost",
                                        .requests_min = 50,
                                        .due = SBX_CONNECTION_LOST,
                                        .before = lost_before,
                                        .run = launch_run,
                                        .after = launch_after};
    sweep(&op);
}

static void fail_before(struct sweep *s) {
    world_fault(&s->w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'fail_boot'}}");
}

static void launching_what_fails_to_start(void) {
    static const struct operation op = {.name = "launch, fails to start",
                                        .requests_min = 30,
                                        .due = SBX_PROVIDER,
                                        .before = fail_before,
                                        .run = launch_run,
                                        .after = launch_after};
    sweep(&op);
}

/* ---- cancel tokens ---- */

static enum sbx_status cancel_run(struct sweep *s) {
    struct sbx_cancel *cancel = sbx_cancel_create(s->w.env);
    s->w.err.status = cancel ? SBX_OK : SBX_NO_MEMORY;
    memcpy(s->w.err.operation, "cancel", sizeof("cancel"));
    sbx_cancel_free(cancel);
    return (enum sbx_status)s->w.err.status;
}

static void making_a_cancel_token(void) {
    static const struct operation op = {.name = "cancel", .requests_min = 2, .run = cancel_run, .after = create_after};
    sweep(&op);
}

T_CASES(T_CASE(creating_a_runtime), T_CASE(launching), T_CASE(launching_detached), T_CASE(launching_from_no_snapshot),
        T_CASE(launching_by_a_name_in_use), T_CASE(launching_and_the_answer_is_lost),
        T_CASE(launching_what_fails_to_start), T_CASE(making_a_cancel_token))
