/* A router over an account of Daytona and one of E2B: a sandbox wherever there is room, used by its locator alone.
 *
 *     sandport-sim run -- ./router mappings.db
 *
 * The file has what was made and where: whoever opens it, now or after a crash, can use and end it. */
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/e2b.h>
#include <sandport/router_reap.h>
#include <sandport/router_sandbox.h>
#include <sandport/store_sqlite.h>

#include <stdio.h>
#include <stdlib.h>

struct parts {
    struct sbx_env *env;
    struct sbx_pool *pools[2];
    struct sbx_registry *registry;
    struct sbx_store *store;
    struct sbx_router *router;
};

static enum sbx_status make(struct parts *p, const char *path, struct sbx_error *err) {
    struct sbx_daytona_options daytona = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_e2b_options e2b = SBX_E2B_OPTIONS_INIT;
    struct sbx_pool_options first = SBX_POOL_OPTIONS_INIT, second = SBX_POOL_OPTIONS_INIT;
    struct sbx_store_sqlite_options file = SBX_STORE_SQLITE_OPTIONS_INIT;
    struct sbx_router_options options = SBX_ROUTER_OPTIONS_INIT;
    daytona.endpoint = getenv("DAYTONA_API_URL");
    daytona.api_key = getenv("DAYTONA_API_KEY");
    e2b.endpoint = getenv("E2B_API_URL");
    e2b.sandbox_url = getenv("E2B_SANDBOX_URL");
    e2b.api_key = getenv("E2B_API_KEY");
    first.id = "daytona-1";
    first.classify = sbx_daytona_classify; /* a documented refusal for want of room: the next account may be tried */
    second.id = "e2b-1";
    second.classify = sbx_e2b_classify;
    file.path = path;
    enum sbx_status st = sbx_curl_env_create(NULL, &p->env);
    if (!st) st = sbx_daytona_pool(&daytona, &first, p->env, &p->pools[0], err);
    if (!st) st = sbx_e2b_pool(&e2b, &second, p->env, &p->pools[1], err);
    if (!st) st = sbx_registry_memory_create(p->pools, 2, &p->registry, err);
    if (!st) st = sbx_store_sqlite_create(&file, p->env, NULL, &p->store, err);
    options.registry = p->registry;
    options.store = p->store;
    return st ? st : sbx_router_create(&options, p->env, &p->router, err);
}

static void finish(struct parts *p) {
    sbx_router_free(p->router);
    sbx_store_free(p->store);
    for (size_t i = 0; !p->registry && i < 2; i++) sbx_pool_free(p->pools[i]); /* else they are the registry's */
    sbx_registry_free(p->registry);
    sbx_env_free(p->env);
}

static enum sbx_status work(struct sbx_router *router, struct sbx_error *err) {
    struct sbx_route_request needs = SBX_ROUTE_REQUEST_INIT;
    struct sbx_exec_result *result = NULL;
    char locator[SBX_LOCATOR_SIZE];
    needs.capabilities_required = SBX_CAP_EXEC;
    enum sbx_status st = sbx_router_reap(router, NULL, NULL, NULL, err);
    if (!st) st = sbx_router_provision(router, &needs, NULL, NULL, locator, NULL, err);
    if (st) return st;
    printf("locator %s\n", locator);
    st = sbx_router_exec(router, locator, "echo hello from $(pwd)", NULL, NULL, &result, err);
    if (!st) printf("exit code %d: %s", sbx_exec_result_exit_code(result), sbx_exec_result_stdout(result, NULL));
    sbx_exec_result_free(result);
    const enum sbx_status gone = sbx_router_destroy(router, locator, NULL, st ? NULL : err);
    return st ? st : gone;
}

int main(int argc, char **argv) {
    struct parts parts = {NULL, {NULL, NULL}, NULL, NULL, NULL};
    struct sbx_error err = SBX_ERROR_INIT;
    char line[512];
    enum sbx_status st = make(&parts, argc > 1 ? argv[1] : "mappings.db", &err);
    if (!st) st = work(parts.router, &err);
    sbx_error_describe(&err, line, sizeof(line));
    if (st) fprintf(stderr, "router: %s\n", line);
    finish(&parts);
    return st != SBX_OK;
}
