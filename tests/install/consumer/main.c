/* Makes runtimes and stores and asks nothing of them: enough to show that headers, libraries and their order are right.
 */
#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/e2b.h>
#include <sandport/sandport.h>
#include <sandport/store_postgres.h>
#include <sandport/store_sqlite.h>
#include <stdio.h>

static int print_stores(struct sbx_env *env, const char *path) {
    struct sbx_store *memory = NULL, *sqlite = NULL, *postgres = NULL;
    struct sbx_store_sqlite_options in_file = SBX_STORE_SQLITE_OPTIONS_INIT;
    struct sbx_store_postgres_options in_database = SBX_STORE_POSTGRES_OPTIONS_INIT;
    in_file.path = path;
    in_database.connection = "host=/nowhere";
    if (sbx_store_memory_create(env, &memory, NULL) || sbx_store_sqlite_create(&in_file, env, NULL, &sqlite, NULL) ||
        sbx_store_postgres_create(&in_database, env, &postgres, NULL))
        return 1;
    printf(" %s %s %s\n", sbx_store_kind(memory), sbx_store_kind(sqlite), sbx_store_kind(postgres));
    sbx_store_free(memory);
    sbx_store_free(sqlite);
    sbx_store_free(postgres);
    return 0;
}

int main(int argc, char **argv) {
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
    printf("%s %s %s", sbx_version(), sbx_runtime_provider(rt), sbx_runtime_provider(other));
    if (argc != 2 || print_stores(env, argv[1])) return 1;
    sbx_runtime_free(other);
    sbx_runtime_free(rt);
    sbx_env_free(env);
    return 0;
}
