/* Guards of the capacity read on this machine: slots of sandboxes that run. Row R14. */
#include "local_world.h"

static double used(struct local_world *w) {
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    opt.bound[SBX_RESOURCE_SANDBOXES].limit = 3;
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_OK);
    T_EQ(out.known, 1);
    T_TRUE(out.room[SBX_RESOURCE_SANDBOXES].headroom == 3 - out.room[SBX_RESOURCE_SANDBOXES].used);
    return out.room[SBX_RESOURCE_SANDBOXES].used;
}

/* ---- local_stopped_holds_no_slot ---- */

static void must_fire_local_stopped_holds_no_slot__stopped(void) {
    struct local_world *w = local_world_launched(0);
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
    T_EQ(used(w), 0);
    local_world_finish(w);
}

static void must_not_fire_local_stopped_holds_no_slot__running(void) {
    struct local_world *w = local_world_launched(0);
    T_EQ(used(w), 1);
    local_world_finish(w);
}

T_CASES(T_CASE(must_fire_local_stopped_holds_no_slot__stopped),
        T_CASE(must_not_fire_local_stopped_holds_no_slot__running))
