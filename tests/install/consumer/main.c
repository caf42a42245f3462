/* Makes runtimes and asks nothing of them: enough to show that headers, libraries and their order are right. */
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/e2b.h>
#include <sandport/sandport.h>
#include <stdio.h>

int main(void) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_env *env = NULL;
    struct sbx_e2b_options e2b = SBX_E2B_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL, *other = NULL;
    opt.endpoint = SBX_DAYTONA_ENDPOINT;
    opt.api_key = "dtn_canary";
    e2b.endpoint = SBX_E2B_ENDPOINT;
    e2b.api_key = "e2b_canary";
    if (sbx_curl_env_create(NULL, &env) || sbx_daytona_create(&opt, env, &rt, &err)) return 1;
    if (sbx_e2b_create(&e2b, env, &other, &err)) return 1;
    printf("%s %s %s\n", sbx_version(), sbx_runtime_provider(rt), sbx_runtime_provider(other));
    sbx_runtime_free(other);
    sbx_runtime_free(rt);
    sbx_env_free(env);
    return 0;
}
