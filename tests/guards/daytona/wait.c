/* Guards of waiting: one 404 proves nothing. Rows D16, P10. */
#include "daytona_world.h"

#define SLOW_TO_GO "{\"daytona\":{\"destroy_ms\":10000}}"

/* ---- gone_twice ---- */

static struct world going_slowly(void) {
    struct world w = world_new_with(SEED, SLOW_TO_GO, NULL);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

/* An inner failure of Daytona's reads as a 404; the sandbox is still there. */
static void once_404_while_it_goes(void) {
    struct world w = going_slowly();
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'status','status':404}}");
    int64_t from_ms = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_TRUE(w.env->now_ms(w.env) - from_ms >= 12000);
    T_CONTAINS(sbx_sim_timeline(w.sim), "GET  /sandbox/sb-1 -> 404\n");
    world_finish(&w);
}

static void once_404_while_it_starts(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'status','status':404}}");
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_fire_gone_twice__once_404(void) {
    once_404_while_it_goes();
    once_404_while_it_starts();
}

static void gone_after_2_s(struct world w) {
    int64_t from_ms = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    int64_t took_ms = w.env->now_ms(w.env) - from_ms;
    T_TRUE(took_ms >= 2000 && took_ms < 5000);
}

static void must_not_fire_gone_twice__404_for_2_s(void) {
    struct world w = going_slowly(), gone = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','effect':{'kind':'status','status':404}}");
    gone_after_2_s(w);
    gone_after_2_s(gone);
    T_EQ(sbx_sim_ledger_live(gone.sim), 0);
    world_finish(&w);
    world_finish(&gone);
}

T_CASES(T_CASE(must_fire_gone_twice__once_404), T_CASE(must_not_fire_gone_twice__404_for_2_s))
