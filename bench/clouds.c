/* The clouds that are measured. */
#include "clouds.h"

#include <sandport/daytona.h>
#include <sandport/e2b.h>

static enum sbx_status daytona_open(const struct bench_server *server, struct sbx_env *env, struct sbx_runtime **out) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    opt.endpoint = server->api_url;
    opt.api_key = server->api_key;
    return sbx_daytona_create(&opt, env, out, NULL);
}

static enum sbx_status e2b_open(const struct bench_server *server, struct sbx_env *env, struct sbx_runtime **out) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    opt.endpoint = opt.sandbox_url = server->e2b_url;
    opt.api_key = server->e2b_key;
    return sbx_e2b_create(&opt, env, out, NULL);
}

const struct bench_cloud bench_clouds[BENCH_CLOUDS] = {{"Daytona", daytona_open}, {"E2B", e2b_open}};
