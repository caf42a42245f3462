/* Guards of making a runtime: where it goes and as whom is the caller's to say, never a default. Row P6. */
#include "daytona_world.h"

/* ---- explicit_arguments ---- */

static void must_fire_explicit_arguments__missing_or_malformed(void) {
    static const char *const endpoints[] = {
        NULL, "", "daytona.sim/api", "ftp://a/api", "http://u:p@a/api", "http://a b/", "http://a/?x=1"};
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct world w = world_new(SEED);
    struct sbx_runtime *rt = NULL;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "endpoint: expected one, for example SBX_DAYTONA_ENDPOINT");
    opt.api_key = "canary";
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        opt.endpoint = endpoints[i];
        T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
        T_CONTAINS(w.err.detail, "endpoint");
    }
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = NULL;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    opt.api_key = "line\r\nbreak";
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "api_key");
    T_TRUE(strstr(w.err.detail, "break") == NULL);
    opt.api_key = "canary";
    T_STATUS(sbx_daytona_create(&opt, NULL, &rt, &w.err), SBX_INVALID_ARGUMENT);
    opt.size = 8;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_daytona_create(NULL, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_TRUE(rt == NULL);
    T_STR(sbx_sim_timeline(w.sim), "");
    world_finish(&w);
}

static void must_not_fire_explicit_arguments__endpoint_and_key(void) {
    struct world w = world_new(SEED);
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_OK);
    T_STR(sbx_runtime_provider(rt), "daytona");
    T_STR(sbx_runtime_provider(w.rt), "daytona");
    T_TIMELINE(w.sim, "");
    sbx_runtime_free(rt);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_explicit_arguments__missing_or_malformed),
        T_CASE(must_not_fire_explicit_arguments__endpoint_and_key))
