/* Guards of making a runtime: where it goes and as whom is the caller's to say, never a default. Row P6. */
#include "daytona_world.h"

/* ---- explicit_arguments ---- */

static void must_fire_explicit_arguments__no_endpoint(void) {
    struct world w = world_new(SEED);
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "endpoint: expected one, for example SBX_DAYTONA_ENDPOINT");
    T_TRUE(rt == NULL);
    T_TIMELINE(w.sim, "");
    world_finish(&w);
}

static void must_not_fire_explicit_arguments__endpoint(void) {
    struct world w = world_new(SEED);
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_OK);
    T_STR(sbx_runtime_provider(rt), "daytona");
    T_TIMELINE(w.sim, "");
    sbx_runtime_free(rt);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_explicit_arguments__no_endpoint), T_CASE(must_not_fire_explicit_arguments__endpoint))
