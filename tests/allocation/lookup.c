/* Memory runs out during what only reads: find, count, capacity, attach, info, home, reconcile. Rows D3, D21, D22, P12.
 */
#include "sweep.h"

/* Two of one team and one of another. */
static struct sbx_sandbox *others[2];
static char id[SBX_ID_SIZE];

static void three_before(struct sweep *s) {
    static const struct sbx_pair blue[] = {{"team", "blue"}};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    sweep_launched(s);
    opt.labels = blue;
    opt.label_count = 1;
    for (size_t i = 0; i < 2; i++) T_STATUS(sbx_runtime_launch(s->w.rt, &opt, NULL, &others[i], NULL), SBX_OK);
    sbx_sim_advance_ms(s->w.sim, 10000); /* the list lags */
}

static void three_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 3 && sbx_sim_ledger_live(s->w.sim) == 3);
    for (size_t i = 0; i < 2; i++) {
        T_STATUS(sbx_sandbox_destroy(others[i], NULL, NULL), SBX_OK);
        sbx_sandbox_free(others[i]);
    }
    sweep_destroy(s);
}

static struct sbx_query blue_query(void) {
    static const struct sbx_pair blue[] = {{"team", "blue"}};
    struct sbx_query query = SBX_QUERY_INIT;
    query.labels = blue;
    query.label_count = 1;
    query.page_size = 1; /* so that there is a cursor to keep */
    return query;
}

static enum sbx_status find_run(struct sweep *s) {
    const struct sbx_query query = blue_query();
    struct sbx_list *list = NULL;
    enum sbx_status st = sbx_runtime_find(s->w.rt, &query, NULL, &list, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (list != NULL));
    if (!st) S_TRUE(s, sbx_list_count(list) == 2 && strcmp(sbx_info_label(sbx_list_at(list, 1), "team"), "blue") == 0);
    sbx_list_free(list);
    return st;
}

static void finding(void) {
    static const struct operation op = {.name = "find",
                                        .only_reads = 1,
                                        .whole_trees = 1,
                                        .requests_min = 220,
                                        .before = three_before,
                                        .run = find_run,
                                        .after = three_after};
    sweep(&op);
}

static enum sbx_status count_run(struct sweep *s) {
    const struct sbx_query query = blue_query();
    int64_t n = -1;
    enum sbx_status st = sbx_runtime_count(s->w.rt, &query, NULL, &n, &s->w.err);
    S_TRUE(s, n == (st ? -1 : 2));
    return st;
}

static void counting(void) {
    static const struct operation op = {.name = "count",
                                        .only_reads = 1,
                                        .requests_min = 29,
                                        .before = three_before,
                                        .run = count_run,
                                        .after = three_after};
    sweep(&op);
}

static enum sbx_status capacity_run(struct sweep *s) {
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    opt.bound[SBX_RESOURCE_CPU] = (struct sbx_bound){10, 1};
    enum sbx_status st = sbx_runtime_capacity(s->w.rt, &opt, NULL, &out, &s->w.err);
    S_TRUE(s, out.known == (st == SBX_OK));
    S_TRUE(s, st ? out.reason == SBX_CAPACITY_READ_FAILED : out.room[SBX_RESOURCE_CPU].used == 3);
    return st;
}

static void measuring(void) {
    static const struct operation op = {.name = "capacity",
                                        .only_reads = 1,
                                        .requests_min = 10,
                                        .before = three_before,
                                        .run = capacity_run,
                                        .after = three_after};
    sweep(&op);
}

/* ---- one sandbox ---- */

static void one_before(struct sweep *s) {
    sweep_launched(s);
    sbx_sandbox_id(s->w.sb, id);
}

static void one_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 1 && sweep_state(s) == SBX_STATE_RUNNING);
    sweep_destroy(s);
}

static enum sbx_status attach_run(struct sweep *s) {
    struct sbx_sandbox *sb = NULL;
    enum sbx_status st = sbx_runtime_attach(s->w.rt, id, NULL, &sb, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (sb != NULL));
    if (sb) S_TRUE(s, sbx_sandbox_state(sb) == SBX_STATE_RUNNING && !sbx_sandbox_owned(sb));
    sbx_sandbox_free(sb);
    return st;
}

static void attaching(void) {
    static const struct operation op = {.name = "attach",
                                        .only_reads = 1,
                                        .whole_trees = 1,
                                        .requests_min = 50,
                                        .before = one_before,
                                        .run = attach_run,
                                        .after = one_after};
    sweep(&op);
}

static enum sbx_status info_run(struct sweep *s) {
    struct sbx_info *info = NULL;
    enum sbx_status st = sbx_sandbox_info(s->w.sb, NULL, &info, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (info != NULL));
    if (info) {
        S_TRUE(s, strcmp(sbx_info_id(info), id) == 0 && sbx_info_state(info) == SBX_STATE_RUNNING);
        S_TRUE(s, sbx_info_extra(info, "sandboxClass") && *sbx_info_extra(info, "sandboxClass"));
        S_TRUE(s, !*sbx_info_work_dir(info) || strcmp(sbx_info_work_dir(info), "/home/daytona") == 0);
    }
    sbx_info_free(info);
    return st;
}

static void reading_one(void) {
    static const struct operation op = {
        .name = "info", .only_reads = 1, .requests_min = 16, .before = one_before, .run = info_run, .after = one_after};
    sweep(&op);
}

static enum sbx_status home_run(struct sweep *s) {
    char *home = NULL;
    enum sbx_status st = sbx_sandbox_home_dir(s->w.sb, NULL, &home, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (home != NULL));
    if (home) S_TRUE(s, strcmp(home, "/home/daytona") == 0);
    sbx_text_free(home);
    return st;
}

static void asking_for_its_home(void) {
    static const struct operation op = {
        .name = "home_dir", .requests_min = 8, .before = one_before, .run = home_run, .after = one_after};
    sweep(&op);
}

/* ---- reconcile ---- */

static char acquisition[SBX_ACQUISITION_SIZE];
static int32_t verdict_due;

static enum sbx_status reconcile_run(struct sweep *s) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = -1;
    opt.acquisition = acquisition;
    enum sbx_status st = sbx_runtime_reconcile(s->w.rt, &opt, NULL, &verdict, &list, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (list != NULL));
    S_TRUE(s, verdict == (st ? -1 : verdict_due));
    if (!st) S_TRUE(s, sbx_list_count(list) == (verdict_due == SBX_RECONCILE_FOUND ? 1u : 0u));
    sbx_list_free(list);
    return st;
}

/* A create whose answer was lost, and which nobody was to clean up after. */
static void lost_before(struct sweep *s) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_sandbox *sb = NULL;
    T_STATUS(sbx_acquisition_new(s->w.env, acquisition), SBX_OK);
    world_fault(&s->w, "{'op':'daytona.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    opt.acquisition = acquisition;
    call.cleanup_ms = SBX_NO_CLEANUP;
    T_STATUS(sbx_runtime_launch(s->w.rt, &opt, &call, &sb, NULL), SBX_CONNECTION_LOST);
    verdict_due = SBX_RECONCILE_FOUND;
}

static void lost_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 1);
    S_TRUE(s, sweep_found(s, acquisition, id) == 1);
    sweep_remove(s, id);
}

static void reconciling_what_was_made(void) {
    static const struct operation op = {.name = "reconcile, found",
                                        .only_reads = 1,
                                        .requests_min = 30,
                                        .before = lost_before,
                                        .run = reconcile_run,
                                        .after = lost_after};
    sweep(&op);
}

static void never_before(struct sweep *s) {
    T_STATUS(sbx_acquisition_new(s->w.env, acquisition), SBX_OK);
    verdict_due = SBX_RECONCILE_ABSENT;
}

static void never_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 0);
}

static void reconciling_what_never_was(void) {
    static const struct operation op = {.name = "reconcile, absent",
                                        .only_reads = 1,
                                        .requests_min = 200,
                                        .before = never_before,
                                        .run = reconcile_run,
                                        .after = never_after};
    sweep(&op);
}

T_CASES(T_CASE(finding), T_CASE(counting), T_CASE(measuring), T_CASE(attaching), T_CASE(reading_one),
        T_CASE(asking_for_its_home), T_CASE(reconciling_what_was_made), T_CASE(reconciling_what_never_was))
