/* The world of E2B tests. */
#include "e2b_world.h"

static struct sbx_e2b_options options_of(const struct sbx_e2b_options *opt) {
    struct sbx_e2b_options full = SBX_E2B_OPTIONS_INIT;
    if (opt) full = *opt;
    if (!full.endpoint) full.endpoint = SBX_SIM_E2B_ENDPOINT;
    if (!full.sandbox_url) full.sandbox_url = SBX_SIM_E2B_ENDPOINT;
    if (!full.api_key) full.api_key = SBX_SIM_E2B_KEY;
    return full;
}

struct world world_new_with(uint64_t seed, const char *scenario, const struct sbx_e2b_options *opt) {
    struct world w = world_bare(seed, scenario, SBX_SIM_E2B_KEY);
    const struct sbx_e2b_options full = options_of(opt);
    T_STATUS(sbx_e2b_create(&full, w.env, &w.rt, &w.err), SBX_OK);
    return w;
}

struct world world_new(uint64_t seed) {
    return world_new_with(seed, NULL, NULL);
}

enum sbx_status world_runtime(struct sbx_env *env, struct sbx_runtime **rt, struct sbx_error *err) {
    const struct sbx_e2b_options opt = options_of(NULL);
    return sbx_e2b_create(&opt, env, rt, err);
}
