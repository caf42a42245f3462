/* Edge cases of E2B's wire over the simulated cloud, by their number in the list of the wire's edge cases: creates,
 * lists, runs, who may reach whom. Rows E1-E8, P12. Its others are in edges.c, runs.c and beside the parts that they
 * are about. */
#include "e2b_world.h"

#include <sandport/kit/json.h>
#include <stdio.h>

#define ACCOUNT(members) "{\"e2b\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_E2B_KEY "\"," members "}]}}"

/* Somebody else's pause. */
static void pauses_without_memory(struct world *w) {
    static const char body[] = "{\"memory\":false}";
    char url[SBX_ID_SIZE + 128], id[SBX_ID_SIZE];
    const struct sbx_header headers[] = {{"X-API-Key", SBX_SIM_E2B_KEY}, {"Content-Type", "application/json"}};
    struct sbx_exchange_info info = {.size = sizeof(info)};
    const struct sbx_receiver nobody = {NULL, NULL, NULL};
    sbx_sandbox_id(w->sb, id);
    snprintf(url, sizeof(url), SBX_SIM_E2B_ENDPOINT "/sandboxes/%s/pause", id);
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = "POST",
                                    .url = url,
                                    .headers = headers,
                                    .header_count = 2,
                                    .body = body,
                                    .body_len = sizeof(body) - 1,
                                    .deadline_ms = w->env->now_ms(w->env) + 60000};
    T_EQ(w->env->exchange(w->env, &req, &nobody, &info), SBX_EVIDENCE_DONE);
    T_EQ(world_sent(w, "/pause -> 204"), 1);
}

/* ---- creates ---- */

/* An edge's own 504: nothing of it is JSON, nothing is known, and reconcile finds what became of it. */
static void e2b8_07_an_edges_504_proves_nothing(void) {
    static const char *const phases[] = {"before", "after_commit"};
    for (size_t i = 0; i < 2; i++) {
        struct world w = world_new(SEED);
        struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
        struct sbx_list *list = NULL;
        struct sbx_call call = SBX_CALL_INIT;
        char fault[200], acquisition[SBX_ACQUISITION_SIZE];
        int32_t verdict = SBX_RECONCILE_UNDECIDED;
        snprintf(fault, sizeof(fault), "{'op':'e2b.sandbox.create','phase':'%s','effect':{'kind':'html','status':504}}",
                 phases[i]);
        world_fault(&w, fault);
        call.cleanup_ms = SBX_NO_CLEANUP;
        T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_PROVIDER);
        T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
        T_EQ(w.err.http_status, 504);
        strcpy(acquisition, w.err.acquisition);
        opt.acquisition = acquisition;
        T_STATUS(sbx_runtime_reconcile(w.rt, &opt, NULL, &verdict, &list, &w.err), SBX_OK);
        T_EQ(verdict, i ? SBX_RECONCILE_FOUND : SBX_RECONCILE_ABSENT);
        T_EQ(sbx_list_count(list), sbx_sim_ledger_live(w.sim));
        sbx_list_free(list);
        world_finish(&w);
    }
}

/* ---- lists ---- */

static void e2b8_08_metadata_of_any_characters(void) {
    static const char *const values[] = {"a b", "50%", "a&b", "x=y", "a+b", "\xc3\xbc", "%41", "a/b?c#d", "\"q\"", ""};
    struct world w = world_new_with(SEED, ACCOUNT("\"concurrency\":100"), NULL);
    struct sbx_sandbox *sb[10] = {0};
    struct sbx_sandbox *bare = NULL;
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &bare, &w.err), SBX_OK);
    for (size_t i = 0; i < 10; i++) {
        const struct sbx_pair label = {"k&=%+ \xc3\xa9", values[i]};
        struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
        opt.labels = &label;
        opt.label_count = 1;
        T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &sb[i], &w.err), SBX_OK);
    }
    for (size_t i = 0; i < 10; i++) {
        const struct sbx_pair label = {"k&=%+ \xc3\xa9", values[i]};
        struct sbx_query query = SBX_QUERY_INIT;
        int64_t n = -1;
        query.labels = &label;
        query.label_count = 1;
        T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
        T_EQ(n, 1);
    }
    for (size_t i = 0; i < 10; i++) sbx_sandbox_free(sb[i]);
    sbx_sandbox_free(bare);
    world_finish(&w);
}

static int64_t counted(struct world *w, int page) {
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t n = -1;
    query.page_size = page;
    T_STATUS(sbx_runtime_count(w->rt, &query, NULL, &n, &w->err), SBX_OK);
    return n;
}

static void e2b8_09_pages_of_a_changing_list(void) {
    enum { MANY = 103 };
    static struct sbx_sandbox *sb[MANY];
    struct world w = world_new_with(SEED, ACCOUNT("\"concurrency\":200"), NULL);
    for (int i = 0; i < 100; i++) T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &sb[i], &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    T_EQ(counted(&w, 0), 100); /* as many as a page holds, and no next one */
    T_EQ(world_sent(&w, "GET  /v2/sandboxes?"), 1);
    for (int i = 100; i < MANY; i++) T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &sb[i], &w.err), SBX_OK);
    for (int i = 0; i < MANY; i += 10) T_STATUS(sbx_sandbox_stop(sb[i], NULL, NULL, &w.err), SBX_OK);
    T_EQ(counted(&w, 0), MANY);
    T_EQ(counted(&w, 10), MANY);
    static const char *const effects[] = {"list_missing", "list_duplicate", "list_empty_page"};
    static const int64_t seen[] = {MANY - 1, MANY, MANY - 10};
    for (size_t i = 0; i < 3; i++) {
        char fault[200];
        snprintf(fault, sizeof(fault),
                 "{'op':'e2b.sandbox.list','phase':'before','nth':2,'times':1,'effect':{'kind':'%s'}}", effects[i]);
        sbx_sim_faults_clear(w.sim);
        world_fault(&w, fault);
        T_EQ(counted(&w, 10), seen[i]);
    }
    for (int i = 0; i < MANY; i++) sbx_sandbox_free(sb[i]);
    world_finish(&w);
}

/* ---- lifetimes ---- */

/* Of no process, whatever it was started for. */
static void e2b8_22_no_lifetime_of_0_is_ever_sent(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.lifetime_ms = 1;
    T_STATUS(sbx_sandbox_exec(w.sb, "sleep 10", &opt, NULL, &result, &w.err), SBX_COMMAND_TIMEOUT);
    sbx_exec_result_free(result);
    result = NULL;
    opt.lifetime_ms = SBX_NO_LIFETIME;
    T_STATUS(sbx_sandbox_exec(w.sb, "true", &opt, NULL, &result, &w.err), SBX_OK);
    sbx_exec_result_free(result);
    world_prints(&w, "true", "");
    T_EQ(world_journalled(&w, "e2b.process.start", "'connect-timeout-ms':"),
         world_journalled(&w, "e2b.process.start", ""));
    T_EQ(world_journalled(&w, "e2b.process.start", "'connect-timeout-ms':'0'"), 0);
    world_finish(&w);
}

/* Its time is over while a command runs: what was said is had, and it is told that the sandbox is gone. */
static void e2b8_31_over_in_mid_command(void) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct sbx_info *info = NULL;
    opt.sandbox_lifetime_ms = 60000;
    opt.sync_run_budget_ms = 600000;
    struct world w = world_new_with(SEED, NULL, &opt);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_exec(w.sb, "echo begun; sleep 300", NULL, NULL, &result, &w.err), SBX_NOT_FOUND);
    T_STR(w.err.detail, "the sandbox is gone");
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(result, NULL), "begun\n");
    T_EQ(sbx_exec_result_exit_known(result), 0);
    T_EQ(sbx_exec_result_killed_confirmed(result), 1);
    sbx_exec_result_free(result);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_NOT_FOUND);
    world_finish(&w);
}

/* ---- runs ---- */

/* Who asked leaves right behind the start: it goes on, and its end can be read later. */
static void e2b8_23_nobody_waits_for_a_run(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_submitted(&w, "id", "sleep 100; echo done; exit 4");
    sbx_sandbox_free(w.sb);
    w.sb = NULL;
    sbx_sim_advance_ms(w.sim, 110000);
    struct sbx_list *list = NULL;
    T_STATUS(sbx_runtime_find(w.rt, NULL, NULL, &list, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_attach(w.rt, sbx_info_id(sbx_list_at(list, 0)), NULL, &w.sb, &w.err), SBX_OK);
    sbx_list_free(list);
    T_EQ(world_polled(&w, "id").exit_code, 4);
    world_finish(&w);
}

/* The number of what a run's start was is somebody else's by now: a run is known by more than that. */
static void e2b8_26_a_number_that_is_used_again(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_submitted(&w, "id", "echo x >>count; sleep 100; exit 6");
    world_fault(&w, "{'op':'e2b.process.start','phase':'before','times':1,'effect':{'kind':'pid_reuse'}}");
    (void)world_polled(&w, "id");
    T_EQ(world_submitted(&w, "id", "echo x >>count; sleep 100; exit 6").submitted, 0);
    sbx_sim_advance_ms(w.sim, 110000);
    T_EQ(world_polled(&w, "id").exit_code, 6);
    world_prints(&w, "cat count", "x\n");
    world_finish(&w);
}

#define ALL_END                                                                                                        \
    "for p in /proc/[0-9]*; do read -r line <$p/stat || continue; set -- $line; [ $1 = $$ ] || [ $1 = 1 ] || "         \
    "kill -9 $1; done 2>/dev/null; "

/* Gone without an exit file is 255; one that is there is believed, whatever became of the processes. */
static void e2b8_29_an_exit_file_is_believed(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_submitted(&w, "lost", "sleep 1000");
    world_submitted(&w, "ended", "exit 9");
    sbx_sim_advance_ms(w.sim, 5000);
    world_prints(&w, ALL_END "echo", "\n");
    T_EQ(world_polled(&w, "lost").state, SBX_RUN_LOST);
    T_EQ(world_polled(&w, "lost").exit_code, 255);
    T_EQ(world_polled(&w, "ended").state, SBX_RUN_EXITED);
    T_EQ(world_polled(&w, "ended").exit_code, 9);
    world_finish(&w);
}

/* Paused by somebody else without its memory: the processes are gone, the files are there, nothing runs twice. */
static void e2b8_33_a_pause_that_keeps_no_memory(void) {
    static const char job[] = "echo x >>count; sleep 1000";
    struct world w = world_with_running_sandbox(SEED);
    world_submitted(&w, "id", job);
    sbx_sim_advance_ms(w.sim, 5000);
    pauses_without_memory(&w);
    sbx_sim_advance_ms(w.sim, 5000);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    const struct sbx_run_status status = world_polled(&w, "id");
    T_EQ(status.state, SBX_RUN_LOST);
    T_EQ(status.exit_code, 255);
    T_EQ(world_submitted(&w, "id", job).state, SBX_RUN_LOST);
    world_prints(&w, "cat count", "x\n");
    world_finish(&w);
}

/* F136: from the second resume on, files written since the first pause are gone. Nothing of a disk is promised: a
 * caller who needs a file looks for it, and a run whose directory is gone is not there, rather than pending or started
 * anew. */
static void f136_a_disk_that_comes_back_older(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_prints(&w, "echo first >first", "");
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    world_prints(&w, "echo second >second; cat first second", "first\nsecond\n");
    world_submitted(&w, "id", "echo x >>/tmp/count");
    sbx_sim_advance_ms(w.sim, 5000);
    T_EQ(world_polled(&w, "id").state, SBX_RUN_EXITED);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    world_fault(&w, "{'op':'e2b.sandbox.connect','phase':'before','times':1,'effect':{'kind':'stale_disk'}}");
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    world_prints(&w, "cat first; cat second 2>/dev/null; cat /tmp/count", "first\nx\n");
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    enum sbx_status st = sbx_sandbox_poll(w.sb, "id", NULL, &status, &w.err);
    T_STATUS(st, SBX_RUN_NOT_FOUND);
    world_finish(&w);
}

/* ---- who may reach whom ---- */

struct caller {
    struct world *w;
    int done;
};

static void runs_beside(void *arg) {
    struct caller *c = arg;
    struct sbx_exec_result *result = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    if (sbx_sandbox_exec(c->w->sb, "sleep 30; echo out", NULL, NULL, &result, &err) == SBX_OK)
        c->done = strcmp(sbx_exec_result_stdout(result, NULL), "out\n") == 0;
    sbx_exec_result_free(result);
}

/* Each stream has a connection of its own, so that none waits for another's end. */
static void e2b8_44_many_streams_at_once(void) {
    enum { MANY = 120 };
    static struct caller callers[MANY];
    struct world w = world_with_running_sandbox(SEED);
    const int64_t begun_ms = w.env->now_ms(w.env);
    for (int i = 0; i < MANY; i++) {
        callers[i] = (struct caller){.w = &w};
        T_STATUS(sbx_sim_spawn(w.sim, runs_beside, &callers[i]), SBX_OK);
    }
    T_STATUS(sbx_sim_run(w.sim), SBX_OK);
    for (int i = 0; i < MANY; i++) T_EQ(callers[i].done, 1);
    T_TRUE(w.env->now_ms(w.env) - begun_ms < 60000); /* not one behind the other */
    world_finish(&w);
}

T_CASES(T_CASE(e2b8_07_an_edges_504_proves_nothing), T_CASE(e2b8_08_metadata_of_any_characters),
        T_CASE(e2b8_09_pages_of_a_changing_list), T_CASE(e2b8_22_no_lifetime_of_0_is_ever_sent),
        T_CASE(e2b8_31_over_in_mid_command), T_CASE(e2b8_23_nobody_waits_for_a_run),
        T_CASE(e2b8_26_a_number_that_is_used_again), T_CASE(e2b8_29_an_exit_file_is_believed),
        T_CASE(e2b8_33_a_pause_that_keeps_no_memory), T_CASE(f136_a_disk_that_comes_back_older),
        T_CASE(e2b8_44_many_streams_at_once))
