/* Memory runs out during what only E2B's adapter does. Rows P9, P11, P12, E1-E8. */
#include "sweep.h"

#include <stdio.h>

/* ---- launch ---- */

static enum sbx_status create_run(struct sweep *s) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL;
    opt.endpoint = SBX_SIM_E2B_ENDPOINT;
    opt.api_key = SBX_SIM_E2B_KEY;
    opt.sandbox_url = "http://sandbox.e2b.sim";
    enum sbx_status st = sbx_e2b_create(&opt, s->w.env, &rt, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (rt != NULL));
    if (st) memcpy(s->w.err.operation, "create", sizeof("create")); /* no call of a runtime: it has none to name */
    sbx_runtime_free(rt);
    return st;
}

static void create_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 0);
}

static void creating_a_runtime(void) {
    static const struct operation op = {.name = "create", .requests_min = 8, .run = create_run, .after = create_after};
    sweep(&op);
}

static enum sbx_status launch_run(struct sweep *s) {
    static const struct sbx_pair labels[] = {{"team", "blue"}}, vars[] = {{"LANG", "C"}};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.labels = labels;
    opt.label_count = 1;
    opt.env = vars;
    opt.env_count = 1;
    return sbx_runtime_launch(s->w.rt, &opt, NULL, &s->w.sb, &s->w.err);
}

/* Whatever a failed launch left is what reconcile finds by the acquisition id of the error, and nothing else. */
static void launch_failed(struct sweep *s) {
    const struct sbx_error *err = &s->w.err;
    int64_t made = sbx_sim_ledger_made(s->w.sim), live = sbx_sim_ledger_live(s->w.sim);
    char id[SBX_ID_SIZE];
    S_TRUE(s, s->w.sb == NULL && made <= 1 && err->outcome != SBX_OUTCOME_NONE);
    if (err->outcome == SBX_OUTCOME_NOT_SENT || err->outcome == SBX_OUTCOME_REFUSED) S_TRUE(s, made == 0);
    if (err->outcome == SBX_OUTCOME_DONE) S_TRUE(s, made == 1 && err->sandbox_id[0]);
    if (err->cleanup == SBX_CLEANUP_NONE) S_TRUE(s, made == 0);
    if (err->cleanup != SBX_CLEANUP_UNCONFIRMED) {
        S_TRUE(s, live == 0);
        return;
    }
    S_TRUE(s, sweep_found(s, err->acquisition, id) == (size_t)live);
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

/* ---- what changes one ---- */

static enum sbx_status start_run(struct sweep *s) {
    return sbx_sandbox_start(s->w.sb, NULL, NULL, NULL, &s->w.err);
}
static enum sbx_status stop_run(struct sweep *s) {
    return sbx_sandbox_stop(s->w.sb, NULL, NULL, &s->w.err);
}
static enum sbx_status destroy_run(struct sweep *s) {
    return sbx_sandbox_destroy(s->w.sb, NULL, &s->w.err);
}

/* Whatever it said, the handle is as good as before. */
static void change_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 1);
    T_STATUS(sbx_sandbox_start(s->w.sb, NULL, NULL, NULL, &s->w.err), SBX_OK);
    sweep_destroy(s);
}
static void destroy_after(struct sweep *s) {
    if (s->st == SBX_OK) S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 0);
    sweep_destroy(s);
}

static void starting(void) {
    static const struct operation op = {
        .name = "start", .requests_min = 15, .before = sweep_stopped, .run = start_run, .after = change_after};
    sweep(&op);
}
static void stopping(void) {
    static const struct operation op = {
        .name = "stop", .requests_min = 8, .before = sweep_launched, .run = stop_run, .after = change_after};
    sweep(&op);
}
static void destroying(void) {
    static const struct operation op = {
        .name = "destroy", .requests_min = 5, .before = sweep_launched, .run = destroy_run, .after = destroy_after};
    sweep(&op);
}

/* ---- commands ---- */

static void command_before(struct sweep *s) {
    sweep_launched(s);
    sbx_sim_advance_ms(s->w.sim, 600000); /* so that its life is to be extended */
}

static enum sbx_status command_run(struct sweep *s, int32_t mode) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.mode = mode;
    enum sbx_status st =
        sbx_sandbox_exec(s->w.sb, "echo x >>count; echo out; echo err >&2; exit 3", &opt, NULL, &result, &s->w.err);
    if (st == SBX_OK) {
        S_TRUE(s, result && sbx_exec_result_exit_code(result) == 3);
        S_TRUE(s, strcmp(sbx_exec_result_stdout(result, NULL), "out\n") == 0);
        S_TRUE(s, strcmp(sbx_exec_result_stderr(result, NULL), "err\n") == 0);
    } else if (result) {
        S_TRUE(s, s->w.err.outcome == SBX_OUTCOME_DONE);
    }
    sbx_exec_result_free(result);
    return st;
}
static enum sbx_status wire_run(struct sweep *s) {
    return command_run(s, SBX_EXEC_WIRE);
}
static enum sbx_status exact_run(struct sweep *s) {
    return command_run(s, SBX_EXEC_EXACT);
}

/* It ran at most once, and not at all where that is said. */
static void command_after(struct sweep *s) {
    const char *count = sweep_shell(s, "cat count 2>/dev/null; echo");
    int ran = strcmp(count, "x\n\n") == 0;
    S_TRUE(s, ran || strcmp(count, "\n") == 0);
    if (s->st == SBX_OK) S_TRUE(s, ran);
    if (s->w.err.outcome == SBX_OUTCOME_NOT_SENT || s->w.err.outcome == SBX_OUTCOME_REFUSED) S_TRUE(s, !ran);
    sweep_destroy(s);
}

static void running_a_command(void) {
    static const struct operation op = {
        .name = "exec", .requests_min = 25, .before = command_before, .run = wire_run, .after = command_after};
    sweep(&op);
}
static void running_a_command_exactly(void) {
    static const struct operation op = {
        .name = "exec, exact", .requests_min = 25, .before = command_before, .run = exact_run, .after = command_after};
    sweep(&op);
}

static enum sbx_status submit_run(struct sweep *s) {
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    return sbx_sandbox_submit(s->w.sb, "id", "echo x >>count", NULL, NULL, &status, &s->w.err);
}
static void submit_after(struct sweep *s) {
    struct sbx_error err = s->w.err;
    T_STATUS(sbx_sandbox_submit(s->w.sb, "id", "echo x >>count", NULL, NULL, NULL, &s->w.err), SBX_OK);
    sbx_sim_advance_ms(s->w.sim, 10000);
    s->w.err = err;
    S_TRUE(s, strcmp(sweep_shell(s, "cat count"), "x\n") == 0); /* once, however often it was asked for */
    sweep_destroy(s);
}
static void submitting(void) {
    static const struct operation op = {
        .name = "submit", .requests_min = 25, .before = command_before, .run = submit_run, .after = submit_after};
    sweep(&op);
}

/* ---- files and lists ---- */

static enum sbx_status upload_run(struct sweep *s) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "text", 4);
    return sbx_sandbox_upload(s->w.sb, "file", &from, NULL, NULL, NULL, &s->w.err);
}
static void upload_after(struct sweep *s) {
    if (s->st == SBX_OK) S_TRUE(s, strcmp(sweep_shell(s, "cat file"), "text") == 0);
    sweep_destroy(s);
}
static void uploading(void) {
    static const struct operation op = {
        .name = "upload", .requests_min = 5, .before = sweep_launched, .run = upload_run, .after = upload_after};
    sweep(&op);
}

static enum sbx_status find_run(struct sweep *s) {
    struct sbx_query query = SBX_QUERY_INIT;
    const int32_t running = SBX_STATE_RUNNING;
    struct sbx_list *list = NULL;
    query.states = &running;
    query.state_count = 1;
    enum sbx_status st = sbx_runtime_find(s->w.rt, &query, NULL, &list, &s->w.err);
    S_TRUE(s, (st == SBX_OK) == (list != NULL));
    if (list) S_TRUE(s, sbx_list_count(list) == 1);
    sbx_list_free(list);
    return st;
}
static void find_after(struct sweep *s) {
    S_TRUE(s, sweep_state(s) == SBX_STATE_RUNNING);
    sweep_destroy(s);
}
static void finding(void) {
    static const struct operation op = {.name = "find",
                                        .only_reads = 1,
                                        .whole_trees = 1,
                                        .requests_min = 25,
                                        .before = sweep_launched,
                                        .run = find_run,
                                        .after = find_after};
    sweep(&op);
}

static enum sbx_status capacity_run(struct sweep *s) {
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    opt.bound[SBX_RESOURCE_SANDBOXES].limit = 20;
    enum sbx_status st = sbx_runtime_capacity(s->w.rt, &opt, NULL, &out, &s->w.err);
    S_TRUE(s, out.known == (st == SBX_OK));
    S_TRUE(s, st ? out.reason == SBX_CAPACITY_READ_FAILED : out.room[SBX_RESOURCE_SANDBOXES].used == 1);
    return st;
}
static void measuring(void) {
    static const struct operation op = {.name = "capacity",
                                        .only_reads = 1,
                                        .requests_min = 8,
                                        .before = sweep_launched,
                                        .run = capacity_run,
                                        .after = find_after};
    sweep(&op);
}

T_CASES(T_CASE(creating_a_runtime), T_CASE(launching), T_CASE(starting), T_CASE(stopping), T_CASE(destroying),
        T_CASE(running_a_command), T_CASE(running_a_command_exactly), T_CASE(submitting), T_CASE(uploading),
        T_CASE(finding), T_CASE(measuring))
