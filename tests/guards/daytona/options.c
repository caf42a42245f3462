/* Guards of launch options: what is not known is refused before anything is sent. Rows D1, P3. */
#include "daytona_world.h"

/* ---- unknown_provider_option ---- */

static enum sbx_status launch_option(struct world *w, const char *name, const char *value) {
    const struct sbx_pair pair = {name, value};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.provider_options = &pair;
    opt.provider_option_count = 1;
    return sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err);
}

static void must_fire_unknown_provider_option__name_and_value(void) {
    struct world w = world_new(SEED);
    T_STATUS(launch_option(&w, "snapshots", "daytona-large"), SBX_INVALID_OPTIONS);
    T_STR(w.err.detail, "provider_options: expected snapshot or auto_stop_interval");
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_STATUS(launch_option(&w, "auto_stop_interval", "soon"), SBX_INVALID_OPTIONS);
    T_CONTAINS(w.err.detail, "auto_stop_interval");
    T_STATUS(launch_option(&w, "auto_stop_interval", "-1"), SBX_INVALID_OPTIONS);
    T_STATUS(launch_option(&w, "snapshot", ""), SBX_INVALID_OPTIONS);
    T_TIMELINE(w.sim, "");
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    world_finish(&w);
}

static struct sbx_info *launched_with(struct world *w, const char *name, const char *value) {
    struct sbx_info *info = NULL;
    T_STATUS(launch_option(w, name, value), SBX_OK);
    T_STATUS(sbx_sandbox_info(w->sb, NULL, &info, &w->err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w->sim), 1);
    return info;
}

static void must_not_fire_unknown_provider_option__known(void) {
    struct world w = world_new(SEED), other = world_new(SEED);
    struct sbx_info *info = launched_with(&w, "snapshot", "daytona-large");
    T_STR(sbx_info_snapshot(info), "daytona-large");
    sbx_info_free(info);
    info = launched_with(&other, "auto_stop_interval", "30");
    T_STR(sbx_info_extra(info, "autoStopInterval"), "30");
    sbx_info_free(info);
    world_finish(&w);
    world_finish(&other);
}

T_CASES(T_CASE(must_fire_unknown_provider_option__name_and_value), T_CASE(must_not_fire_unknown_provider_option__known))
