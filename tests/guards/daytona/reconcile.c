/* Guards of reconciling: absent is proven, not assumed. Row P12. */
#include "daytona_world.h"

#define ACQUISITION "0123456789abcdef0123456789abcdef"

/* ---- absent_beyond_horizon ---- */

static void absent(int64_t sent_ms_ago, int64_t at_least_ms, int64_t at_most_ms) {
    struct world w = world_new(SEED);
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = -1;
    int64_t from_ms = w.env->now_ms(w.env);
    opt.acquisition = ACQUISITION;
    opt.sent_ms_ago = sent_ms_ago;
    T_STATUS(sbx_runtime_reconcile(w.rt, &opt, NULL, &verdict, &list, &w.err), SBX_OK);
    int64_t took_ms = w.env->now_ms(w.env) - from_ms;
    if (took_ms < at_least_ms || took_ms > at_most_ms)
        T_FAIL("absent after %lld ms, expected %lld to %lld", (long long)took_ms, (long long)at_least_ms,
               (long long)at_most_ms);
    T_EQ(verdict, SBX_RECONCILE_ABSENT);
    T_EQ(sbx_list_count(list), 0);
    sbx_list_free(list);
    world_finish(&w);
}

/* A create that takes effect after its caller gave up is found, not missed. */
static void a_late_create_is_found(void) {
    struct world w = world_new(SEED);
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    struct sbx_call call;
    int32_t verdict = -1;
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'late','delay_ms':50000}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 5000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(w.err.cleanup, SBX_CLEANUP_UNCONFIRMED);
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    opt.acquisition = w.err.acquisition;
    T_STATUS(sbx_runtime_reconcile(w.rt, &opt, NULL, &verdict, &list, NULL), SBX_OK);
    T_EQ(verdict, SBX_RECONCILE_FOUND);
    T_EQ(sbx_list_count(list), 1);
    T_STR(sbx_info_acquisition(sbx_list_at(list, 0)), w.err.acquisition);
    sbx_list_free(list);
    world_finish(&w);
}

static void must_fire_absent_beyond_horizon__sent_lately(void) {
    absent(0, 62000, 75000);
    absent(10000, 52000, 65000); /* the rest of 60 s, and 2 s between two looks */
    a_late_create_is_found();
}

static void one_that_is_there_is_found_at_once(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options launch = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = -1;
    launch.acquisition = opt.acquisition = ACQUISITION;
    T_STATUS(sbx_runtime_launch(w.rt, &launch, NULL, &w.sb, &w.err), SBX_OK);
    int64_t from_ms = w.env->now_ms(w.env);
    T_STATUS(sbx_runtime_reconcile(w.rt, &opt, NULL, &verdict, &list, &w.err), SBX_OK);
    T_TRUE(w.env->now_ms(w.env) - from_ms < 1000);
    T_EQ(verdict, SBX_RECONCILE_FOUND);
    T_EQ(sbx_list_count(list), 1);
    sbx_list_free(list);
    world_finish(&w);
}

static void must_not_fire_absent_beyond_horizon__sent_long_ago(void) {
    absent(60000, 2000, 3000);
    one_that_is_there_is_found_at_once();
}

T_CASES(T_CASE(must_fire_absent_beyond_horizon__sent_lately),
        T_CASE(must_not_fire_absent_beyond_horizon__sent_long_ago))
