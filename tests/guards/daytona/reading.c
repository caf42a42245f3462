/* Reading, deleting and finding again: what counts as gone, absent, running, ours. Rows D3, D16, P10, P12. */
#include "daytona_world.h"

#include <stdio.h>

static void must_fire_gone_twice__one_404(void) {
    struct world w = world_with_running_sandbox(SEED);
    int64_t before = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_TRUE(w.env->now_ms(w.env) - before >= 2000); /* two 404s, 2 s apart */
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_gone_twice__a_404_that_passes(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'status','status':404}}");
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK); /* an inner failure that looked like it */
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_fire_conflict_30_s__never_ends(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    world_fault(&w,
                "{'op':'daytona.sandbox.delete','phase':'before_commit','effect':{'kind':'conflict','status':409}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 300000);
    int64_t before = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, &call, &w.err), SBX_CONFLICT);
    int64_t took = w.env->now_ms(w.env) - before;
    T_TRUE(took >= 30000 && took < 34000);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_not_fire_conflict_30_s__passes(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.delete','phase':'before_commit','times':1,"
                    "'effect':{'kind':'conflict','status':400,'delay_ms':12000}}");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1 -> 400");
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_fire_delete_failure_is_told__each(void) {
    static const struct {
        const char *effect;
        int32_t status;
    } rows[] = {
        {"'effect':{'kind':'status','status':401}", SBX_UNAUTHORISED},
        {"'effect':{'kind':'status','status':403}", SBX_FORBIDDEN},
        {"'effect':{'kind':'status','status':429}", SBX_RATE_LIMITED},
        {"'effect':{'kind':'status','status':500}", SBX_PROVIDER},
        {"'effect':{'kind':'status','status':503}", SBX_PROVIDER},
        {"'effect':{'kind':'reset'}", SBX_CONNECTION_LOST},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        char fault[256], id[SBX_ID_SIZE], after[SBX_ID_SIZE];
        snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.delete','phase':'before',%s}", rows[i].effect);
        world_fault(&w, fault);
        sbx_sandbox_id(w.sb, id);
        T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), rows[i].status);
        T_STR(w.err.sandbox_id, id);
        T_EQ(sbx_sim_ledger_live(w.sim), 1);
        sbx_sim_faults_clear(w.sim); /* the handle is good for another try */
        sbx_sandbox_id(w.sb, after);
        T_STR(after, id);
        T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
        T_EQ(sbx_sim_ledger_live(w.sim), 0);
        world_finish(&w);
    }
}

static void must_not_fire_delete_failure_is_told__already_gone(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.delete','phase':'before','times':1,'effect':{'kind':'lost'}}");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1 -> 404");
    world_finish(&w);
}

static void must_fire_unknown_state_is_not_running__new_word(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'mid_reply','effect':{'kind':'mutate','path':'$.state','value'"
                    ":'\\\"startedish\\\"'}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 20000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    T_CONTAINS(w.err.detail, "UNKNOWN");
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "process/execute") == NULL);
    world_finish(&w);
}

static void must_not_fire_unknown_state_is_not_running__upper_case(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'mid_reply','where':{'state':'started'},"
                    "'effect':{'kind':'mutate','path':'$.state','value':'STARTED'}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    world_finish(&w);
}

static void launch_with_toolbox(const char *value, int32_t want) {
    struct world w = world_new(SEED);
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.create','phase':'mid_reply',"
             "'effect':{'kind':'mutate','path':'$.toolboxProxyUrl','value':'%s'}}",
             value);
    world_fault(&w, fault);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), want);
    T_EQ(sbx_sim_ledger_live(w.sim), want == SBX_OK ? 1 : 0);
    world_finish(&w);
}

static void must_fire_toolbox_downgrade__no_url(void) {
    launch_with_toolbox("ftp://elsewhere/", SBX_PROTOCOL);
    launch_with_toolbox("http://user:pass@elsewhere/toolbox", SBX_PROTOCOL);
}

static void must_not_fire_toolbox_downgrade__slash_at_the_end(void) {
    launch_with_toolbox("http://daytona.sim/toolbox/", SBX_OK);
}

static void must_fire_repeated_cursor__loop(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_list *list = NULL;
    sbx_sim_advance_ms(w.sim, 1000);
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before_commit','effect':{'kind':'list_loop'}}");
    query.page_size = 1;
    T_STATUS(sbx_runtime_find(w.rt, &query, NULL, &list, &w.err), SBX_PROTOCOL);
    T_CONTAINS(w.err.detail, "cursor");
    T_TRUE(list == NULL);
    world_finish(&w);
}

static void must_not_fire_repeated_cursor__pages(void) {
    struct world w = world_new(SEED);
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_list *list = NULL;
    for (int i = 0; i < 3; i++) {
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
        sbx_sandbox_free(w.sb);
        w.sb = NULL;
    }
    sbx_sim_advance_ms(w.sim, 1000);
    query.page_size = 1;
    T_STATUS(sbx_runtime_find(w.rt, &query, NULL, &list, &w.err), SBX_OK);
    T_EQ(sbx_list_count(list), 3);
    sbx_list_free(list);
    world_finish(&w);
}

static int32_t reconcile(struct world *w, int64_t sent_ms_ago, const char *acquisition, size_t *found) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = -1;
    opt.acquisition = acquisition;
    opt.sent_ms_ago = sent_ms_ago;
    T_STATUS(sbx_runtime_reconcile(w->rt, &opt, NULL, &verdict, &list, &w->err), SBX_OK);
    *found = sbx_list_count(list);
    sbx_list_free(list);
    return verdict;
}

static void must_fire_absent_beyond_horizon__too_early(void) {
    struct world w = world_new(SEED);
    size_t found = 9;
    int64_t before = w.env->now_ms(w.env);
    T_EQ(reconcile(&w, 10000, "0123456789abcdef0123456789abcdef", &found), SBX_RECONCILE_ABSENT);
    T_EQ(found, 0);
    T_TRUE(w.env->now_ms(w.env) - before >= 52000); /* the rest of 60 s, and 2 s between two looks */
    world_finish(&w);
}

static void must_not_fire_absent_beyond_horizon__it_is_there(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    size_t found = 0;
    opt.acquisition = "0123456789abcdef0123456789abcdef";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    int64_t before = w.env->now_ms(w.env);
    T_EQ(reconcile(&w, 0, opt.acquisition, &found), SBX_RECONCILE_FOUND);
    T_EQ(found, 1);
    T_TRUE(w.env->now_ms(w.env) - before < 1000);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_gone_twice__one_404), T_CASE(must_not_fire_gone_twice__a_404_that_passes),
        T_CASE(must_fire_conflict_30_s__never_ends), T_CASE(must_not_fire_conflict_30_s__passes),
        T_CASE(must_fire_delete_failure_is_told__each), T_CASE(must_not_fire_delete_failure_is_told__already_gone),
        T_CASE(must_fire_unknown_state_is_not_running__new_word),
        T_CASE(must_not_fire_unknown_state_is_not_running__upper_case), T_CASE(must_fire_toolbox_downgrade__no_url),
        T_CASE(must_not_fire_toolbox_downgrade__slash_at_the_end), T_CASE(must_fire_repeated_cursor__loop),
        T_CASE(must_not_fire_repeated_cursor__pages), T_CASE(must_fire_absent_beyond_horizon__too_early),
        T_CASE(must_not_fire_absent_beyond_horizon__it_is_there))
