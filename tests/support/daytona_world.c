/* The world of Daytona tests. */
#include "daytona_world.h"

static struct sbx_daytona_options options_of(const struct sbx_daytona_options *opt) {
    struct sbx_daytona_options full = SBX_DAYTONA_OPTIONS_INIT;
    if (opt) full = *opt;
    if (!full.endpoint) full.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    if (!full.api_key) full.api_key = SBX_SIM_DAYTONA_KEY;
    return full;
}

struct world world_new_with(uint64_t seed, const char *scenario, const struct sbx_daytona_options *opt) {
    struct world w = world_bare(seed, scenario, SBX_SIM_DAYTONA_KEY);
    const struct sbx_daytona_options full = options_of(opt);
    T_STATUS(sbx_daytona_create(&full, w.env, &w.rt, &w.err), SBX_OK);
    return w;
}

struct world world_new(uint64_t seed) {
    return world_new_with(seed, NULL, NULL);
}

struct world world_with_stopped_sandbox(uint64_t seed) {
    struct world w = world_with_running_sandbox(seed);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

enum sbx_status world_runtime(struct sbx_env *env, struct sbx_runtime **rt, struct sbx_error *err) {
    const struct sbx_daytona_options opt = options_of(NULL);
    return sbx_daytona_create(&opt, env, rt, err);
}
