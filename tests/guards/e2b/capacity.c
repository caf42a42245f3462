/* Guards of the capacity read on E2B: slots, counted by listing all of it. Row R14. */
#include "e2b_world.h"

#include <stdio.h>

#define ACCOUNT(members) "{\"e2b\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_E2B_KEY "\"," members "}]}}"

static struct sbx_capacity_options slots(double limit) {
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    opt.bound[SBX_RESOURCE_SANDBOXES].limit = limit;
    return opt;
}

static double used(struct world *w) {
    const struct sbx_capacity_options opt = slots(200);
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_OK);
    T_EQ(out.known, 1);
    T_TRUE(out.room[SBX_RESOURCE_SANDBOXES].headroom == 200 - out.room[SBX_RESOURCE_SANDBOXES].used);
    return out.room[SBX_RESOURCE_SANDBOXES].used;
}

/* ---- e2b_paused_holds_no_slot ---- */

static void must_fire_e2b_paused_holds_no_slot__paused(void) {
    struct world w = world_with_running_sandbox(SEED);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_EQ(used(&w), 0);
    world_finish(&w);
}

static void must_not_fire_e2b_paused_holds_no_slot__running(void) {
    struct world w = world_with_running_sandbox(SEED);
    T_EQ(used(&w), 1);
    world_finish(&w);
}

/* ---- beside them ---- */

/* All pages, and what shows twice counts once; nothing is changed, and nothing but lists is sent. */
static void of_many(void) {
    enum { MANY = 107 };
    static struct sbx_sandbox *sb[MANY];
    struct world w = world_new_with(SEED, ACCOUNT("\"concurrency\":200"), NULL);
    for (int i = 0; i < MANY; i++) T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &sb[i], &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_stop(sb[50], NULL, NULL, &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    world_fault(&w, "{'op':'e2b.sandbox.list','phase':'before','times':1,'effect':{'kind':'list_duplicate'}}");
    T_EQ(used(&w), MANY - 1);
    T_EQ(world_sent(&w, "GET  /v2/sandboxes?"), 2);
    T_EQ(world_sent(&w, "\n"), 2);
    for (int i = 0; i < MANY; i++) sbx_sandbox_free(sb[i]);
    world_finish(&w);
}

/* What is no inventory is no number. */
static void malformed(void) {
    static const char *const effects[] = {"'kind':'mutate','path':'$[0].state'",
                                          "'kind':'mutate','path':'$[0].sandboxID'",
                                          "'kind':'mutate','path':'$','value':'{}'", "'kind':'list_loop'"};
    const struct sbx_capacity_options opt = slots(20);
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_capacity out = SBX_CAPACITY_INIT;
        char fault[200];
        snprintf(fault, sizeof(fault), "{'op':'e2b.sandbox.list','phase':'before','effect':{%s}}", effects[i]);
        world_fault(&w, fault);
        T_STATUS(sbx_runtime_capacity(w.rt, &opt, NULL, &out, &w.err), SBX_PROTOCOL);
        T_EQ(out.known, 0);
        T_EQ(out.reason, SBX_CAPACITY_MALFORMED);
        world_finish(&w);
    }
}

/* A reader that hangs ends after 5 s. */
static void hangs(void) {
    struct world w = world_with_running_sandbox(SEED);
    const struct sbx_capacity_options opt = slots(20);
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    int64_t begun = w.env->now_ms(w.env);
    world_fault(&w, "{'op':'e2b.sandbox.list','phase':'before','effect':{'kind':'hang'}}");
    T_STATUS(sbx_runtime_capacity(w.rt, &opt, NULL, &out, &w.err), SBX_DEADLINE);
    T_EQ(w.env->now_ms(w.env) - begun, 5000);
    T_EQ(out.reason, SBX_CAPACITY_TIMED_OUT);
    world_finish(&w);
}

/* Resources that E2B does not limit by account are not measured, whatever a sandbox says that it has. */
static void of_cpu(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_capacity_options opt = slots(20);
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    opt.bound[SBX_RESOURCE_CPU] = (struct sbx_bound){8, 2};
    T_STATUS(sbx_runtime_capacity(w.rt, &opt, NULL, &out, &w.err), SBX_OK);
    T_EQ(out.known, 0);
    T_EQ(out.reason, SBX_CAPACITY_NOT_MEASURED);
    world_finish(&w);
}

/* Two read room for one, and both launch: one sandbox, and a refusal that proves itself. */
static void room_for_one_is_no_reservation(void) {
    struct world w = world_new_with(SEED, ACCOUNT("\"concurrency\":1"), NULL);
    const struct sbx_capacity_options opt = slots(1);
    struct sbx_capacity a = SBX_CAPACITY_INIT, b = SBX_CAPACITY_INIT;
    struct sbx_sandbox *second = NULL;
    T_STATUS(sbx_runtime_capacity(w.rt, &opt, NULL, &a, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_capacity(w.rt, &opt, NULL, &b, &w.err), SBX_OK);
    T_EQ(a.room[SBX_RESOURCE_SANDBOXES].headroom, 1);
    T_EQ(b.room[SBX_RESOURCE_SANDBOXES].headroom, 1);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &second, &w.err), SBX_QUOTA);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_e2b_paused_holds_no_slot__paused), T_CASE(must_not_fire_e2b_paused_holds_no_slot__running),
        T_CASE(of_many), T_CASE(malformed), T_CASE(hangs), T_CASE(of_cpu), T_CASE(room_for_one_is_no_reservation))
