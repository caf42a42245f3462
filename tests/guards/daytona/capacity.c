/* Guards of the capacity read on Daytona: all that is listed counts, in every state, and only as it says. Row R14. */
#include "daytona_world.h"

#include <stdio.h>

static struct sbx_capacity_options all_three(void) {
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    opt.bound[SBX_RESOURCE_CPU] = (struct sbx_bound){10, 1};
    opt.bound[SBX_RESOURCE_MEMORY] = (struct sbx_bound){20480, 1024};
    opt.bound[SBX_RESOURCE_DISK] = (struct sbx_bound){30720, 3072};
    return opt;
}

static struct world world_of(int count) {
    struct world w = world_new(SEED);
    for (int i = 0; i < count; i++) {
        struct sbx_sandbox *sb = NULL;
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &sb, &w.err), SBX_OK);
        sbx_sandbox_free(w.sb);
        w.sb = sb;
    }
    sbx_sim_advance_ms(w.sim, 10000);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

static struct sbx_capacity measured(struct world *w) {
    const struct sbx_capacity_options opt = all_three();
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_OK);
    T_EQ(out.known, 1);
    return out;
}

/* ---- amount_is_one ---- */

static enum sbx_status with(const char *effect, struct sbx_capacity *out) {
    const struct sbx_capacity_options opt = all_three();
    struct world w = world_of(2);
    char fault[200];
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.list','phase':'before','effect':{%s}}", effect);
    world_fault(&w, fault);
    enum sbx_status st = sbx_runtime_capacity(w.rt, &opt, NULL, out, &w.err);
    world_finish(&w);
    return st;
}

/* One item that does not say what it holds, and nothing is known. */
static void must_fire_amount_is_one__missing(void) {
    static const char *const effects[] = {"'kind':'mutate','path':'$.items[1].memory'",
                                          "'kind':'mutate','path':'$.items[0].cpu','value':-1",
                                          "'kind':'mutate','path':'$.items[1].disk','value':'3'",
                                          "'kind':'mutate','path':'$.items[0].disk','value':null"};
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
        struct sbx_capacity out = SBX_CAPACITY_INIT;
        T_STATUS(with(effects[i], &out), SBX_PROTOCOL);
        T_EQ(out.known, 0);
        T_EQ(out.reason, SBX_CAPACITY_MALFORMED);
        T_EQ(out.room[SBX_RESOURCE_MEMORY].measured, 0);
    }
}

static void must_not_fire_amount_is_one__zero(void) {
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    T_STATUS(with("'kind':'mutate','path':'$.items[1].memory','value':0", &out), SBX_OK);
    T_EQ(out.known, 1);
}

/* ---- beside them ---- */

/* A stopped one holds what it held. GiB there, MiB here. */
static void every_state_counts(void) {
    struct world w = world_of(1);
    const struct sbx_capacity running = measured(&w);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 10000);
    const struct sbx_capacity stopped = measured(&w);
    T_EQ(running.room[SBX_RESOURCE_CPU].used, 1);
    T_EQ(running.room[SBX_RESOURCE_MEMORY].used, 1024);
    T_EQ(running.room[SBX_RESOURCE_DISK].used, 3072);
    for (int i = 0; i < SBX_RESOURCE_SANDBOXES; i++) T_TRUE(running.room[i].used == stopped.room[i].used);
    world_finish(&w);
}

/* By lists alone, page after page. */
static void of_many(void) {
    struct world w = world_of(7);
    const struct sbx_capacity out = measured(&w);
    T_EQ(out.room[SBX_RESOURCE_DISK].used, 7 * 3072);
    T_EQ(out.room[SBX_RESOURCE_DISK].headroom, 30720 - 7 * 3072);
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "GET  /sandbox?") != NULL);
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "GET  /sandbox/") == NULL);
    world_finish(&w);
}

static void slots_are_not_limited_there(void) {
    struct world w = world_of(1);
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    opt.bound[SBX_RESOURCE_SANDBOXES].limit = 5;
    T_STATUS(sbx_runtime_capacity(w.rt, &opt, NULL, &out, &w.err), SBX_OK);
    T_EQ(out.reason, SBX_CAPACITY_NOT_MEASURED);
    T_STR(sbx_sim_timeline(w.sim), "");
    world_finish(&w);
}

/* What the snapshot takes is not known unless it is said. */
static void without_the_snapshots_demand(void) {
    struct world w = world_of(1);
    struct sbx_capacity_options opt = all_three();
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    opt.bound[SBX_RESOURCE_DISK].required = 0;
    T_STATUS(sbx_runtime_capacity(w.rt, &opt, NULL, &out, &w.err), SBX_OK);
    T_EQ(out.known, 0);
    T_EQ(out.reason, SBX_CAPACITY_DEMAND_NOT_CONFIGURED);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_amount_is_one__missing), T_CASE(must_not_fire_amount_is_one__zero), T_CASE(every_state_counts),
        T_CASE(of_many), T_CASE(slots_are_not_limited_there), T_CASE(without_the_snapshots_demand))
