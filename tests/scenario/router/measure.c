/* All accounts measured in one call: side by side, without a side effect. Row R14. */
#include "routed_world.h"

static void all_accounts_at_once(void) {
    struct routed_world *w = routed_world_new(4, 3, 2, 0);
    struct sbx_capacity_report *report = NULL;
    struct sbx_capacity one = SBX_CAPACITY_INIT;
    routed_world_open(w);
    w->req.pool_id = "day-1";
    T_STATUS(routed_world_provision(w), SBX_OK);
    sbx_sim_timeline_reset(w->sim);
    const int64_t began = w->env->now_ms(w->env);
    T_STATUS(sbx_router_capacity(w->router, NULL, &report, &w->err), SBX_OK);
    T_TRUE(w->env->now_ms(w->env) - began < 100); /* virtual: three reads in the time of one */
    T_EQ(sbx_capacity_report_count(report), 3);
    T_STR(sbx_capacity_report_pool(report, 0), "day-1");
    T_STR(sbx_capacity_report_pool(report, 2), "e2b");
    T_TRUE(sbx_capacity_report_pool(report, 3) == NULL);
    const struct sbx_room *first = &sbx_capacity_report_at(report, 0)->room[SBX_RESOURCE_CPU];
    T_EQ(sbx_capacity_report_at(report, 0)->known, 1);
    T_EQ((int64_t)first->used, 1);
    T_EQ((int64_t)first->headroom, 3);
    T_EQ((int64_t)sbx_capacity_report_at(report, 1)->room[SBX_RESOURCE_CPU].used, 0);
    T_EQ((int64_t)sbx_capacity_report_at(report, 2)->room[SBX_RESOURCE_SANDBOXES].headroom, 2);
    T_TRUE(strstr(sbx_sim_timeline(w->sim), "POST") == NULL);
    T_STATUS(sbx_router_capacity_of(w->router, "day-1", NULL, &one, &w->err), SBX_OK);
    T_EQ((int64_t)one.room[SBX_RESOURCE_CPU].headroom, 3);
    T_STATUS(sbx_router_capacity_of(w->router, "nobody", NULL, &one, &w->err), SBX_NOT_FOUND);
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    sbx_capacity_report_free(report);
    routed_world_free(w);
}

/* One that hangs keeps none of the others, and is unknown after its own 5 s. */
static void one_that_hangs_is_unknown(void) {
    struct routed_world *w = routed_world_new(4, 3, 2, 0);
    struct sbx_capacity_report *report = NULL;
    routed_world_open(w);
    routed_world_fault(w, "{'op':'e2b.sandbox.list','phase':'before','effect':{'kind':'hang'}}");
    const int64_t began = w->env->now_ms(w->env);
    T_STATUS(sbx_router_capacity(w->router, NULL, &report, &w->err), SBX_OK);
    T_TRUE(w->env->now_ms(w->env) - began <= 5100);
    T_EQ(sbx_capacity_report_at(report, 0)->known, 1);
    T_EQ(sbx_capacity_report_at(report, 1)->known, 1);
    T_EQ(sbx_capacity_report_at(report, 2)->known, 0);
    T_EQ(sbx_capacity_report_at(report, 2)->reason, SBX_CAPACITY_TIMED_OUT);
    sbx_capacity_report_free(report);
    routed_world_free(w);
}

static void a_cancel_reaches_the_readers(void) {
    struct routed_world *w = routed_world_new(4, 3, 2, 0);
    struct sbx_capacity_report *report = NULL;
    struct sbx_call call = SBX_CALL_INIT;
    routed_world_open(w);
    call.cancel = sbx_cancel_create(w->env);
    sbx_cancel_fire(call.cancel);
    T_STATUS(sbx_router_capacity(w->router, &call, &report, &w->err), SBX_CANCELLED);
    T_TRUE(report == NULL);
    sbx_cancel_free(call.cancel);
    routed_world_free(w);
}

T_CASES(T_CASE(all_accounts_at_once), T_CASE(one_that_hangs_is_unknown), T_CASE(a_cancel_reaches_the_readers))
