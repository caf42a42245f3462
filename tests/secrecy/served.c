/* The served simulator: an account's credential shows in none of its admin answers and not in the file of its journal,
 * but for the ready line and /health, which are there to tell the keys of its own accounts. Row R12. */
#include "canary.h"
#include "running.h"
#include "t.h"

#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/e2b.h>
#include <sandport/kit/json.h>
#include <sandport/router_sandbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECRET_DAYTONA "dtn_ca\"na\\ry/1+%&<~>?"
#define SECRET_E2B     "e2b_ca\"na\\ry/3+%&<~>?"

static const char scenario[] =
    "{\"daytona\":{\"accounts\":[{\"name\":\"one\",\"api_key\":\"dtn_ca\\\"na\\\\ry/1+%&<~>?\"}]},"
    "\"e2b\":{\"accounts\":[{\"name\":\"two\",\"api_key\":\"e2b_ca\\\"na\\\\ry/3+%&<~>?\"}]}}";

struct served {
    struct running r;
    char folder[64], scenario_file[96], journal_file[96];
    struct sbx_env *env;
    struct sbx_registry *registry;
    struct sbx_router *router;
    struct canary canary[2];
};

static void must_be_hidden(const struct served *s, const char *text, size_t len, const char *where) {
    for (int i = 0; i < 2; i++) canary_not_in(&s->canary[i], text, len, where);
}

/* The API's address of a cloud, out of the ready line. */
static void address(const struct served *s, const char *provider, char out[128]) {
    struct sbx_json *js = NULL;
    T_STATUS(sbx_json_parse(s->r.ready, strlen(s->r.ready), 0, &js), SBX_OK);
    const struct sbx_json_node *providers = sbx_json_object(js, sbx_json_root(js), "providers");
    snprintf(out, 128, "%s", sbx_json_string(js, sbx_json_object(js, providers, provider), "api_url"));
    T_STATUS(sbx_json_status(js), SBX_OK);
    sbx_json_free(js);
}

static void open_router(struct served *s) {
    struct sbx_daytona_options daytona = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_e2b_options e2b = SBX_E2B_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_router_options router = SBX_ROUTER_OPTIONS_INIT;
    struct sbx_pool *pools[2] = {NULL, NULL};
    char daytona_url[128], e2b_url[128];
    address(s, "daytona", daytona_url);
    address(s, "e2b", e2b_url);
    daytona.endpoint = daytona_url;
    daytona.api_key = SECRET_DAYTONA;
    e2b.endpoint = e2b.sandbox_url = e2b_url;
    e2b.api_key = SECRET_E2B;
    T_STATUS(sbx_curl_env_create(NULL, &s->env), SBX_OK);
    opt.id = "daytona";
    T_STATUS(sbx_daytona_pool(&daytona, &opt, s->env, &pools[0], NULL), SBX_OK);
    opt.id = "e2b";
    T_STATUS(sbx_e2b_pool(&e2b, &opt, s->env, &pools[1], NULL), SBX_OK);
    T_STATUS(sbx_registry_memory_create(pools, 2, &s->registry, NULL), SBX_OK);
    router.registry = s->registry;
    T_STATUS(sbx_router_create(&router, s->env, &s->router, NULL), SBX_OK);
}

static void served_begin(struct served *s) {
    memset(s, 0, sizeof(*s));
    snprintf(s->folder, sizeof(s->folder), "/tmp/sandport-secrecy-XXXXXX");
    T_TRUE(mkdtemp(s->folder) != NULL);
    snprintf(s->scenario_file, sizeof(s->scenario_file), "%s/scenario.json", s->folder);
    snprintf(s->journal_file, sizeof(s->journal_file), "%s/journal", s->folder);
    FILE *file = fopen(s->scenario_file, "w");
    T_TRUE(file && fputs(scenario, file) >= 0 && fclose(file) == 0);
    const char *const options[] = {"--scenario", s->scenario_file, "--journal", s->journal_file, NULL};
    s->r = running_start(options);
    canary_init(&s->canary[0], SECRET_DAYTONA);
    canary_init(&s->canary[1], SECRET_E2B);
    open_router(s);
}

static void admin_answers(const struct served *s) {
    static const char *const targets[] = {
        "/_sim/journal",  "/_sim/journal?kind=exchange", "/_sim/state", "/_sim/ledger", "/_sim/leaks", "/_sim/faults",
        "/_sim/programs", "/_sim/openapi.json",          "/_sim/none"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        char *answer = ask(s->r.admin, "GET", targets[i], "", NULL);
        must_be_hidden(s, answer, strlen(answer), targets[i]);
        free(answer);
    }
    char *health = NULL, *body = ask_ok(s->r.admin, "GET", "/_sim/health", "", NULL, 200, &health);
    T_STR(canary_in(&s->canary[0], body, strlen(body)), "JSON-escaped");
    free(health);
}

static void journal_file(const struct served *s) {
    FILE *file = fopen(s->journal_file, "r");
    char line[65536];
    int lines = 0;
    T_TRUE(file != NULL);
    for (; fgets(line, sizeof(line), file); lines++) must_be_hidden(s, line, strlen(line), "the journal's file");
    fclose(file);
    T_TRUE(lines > 4);
}

static void served_end(struct served *s) {
    sbx_router_free(s->router);
    sbx_registry_free(s->registry);
    sbx_env_free(s->env);
    T_EQ(running_stop(&s->r), 0);
    journal_file(s);
    unlink(s->scenario_file);
    unlink(s->journal_file);
    T_EQ(rmdir(s->folder), 0);
}

static void no_admin_answer_tells_a_credential(void) {
    static const char *const pools[] = {"daytona", "e2b"};
    struct served s;
    served_begin(&s);
    for (int round = 0; round < 2; round++) { /* healthy; with creates that fail */
        for (int i = 0; i < 2; i++) {
            struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
            struct sbx_exec_result *result = NULL;
            char locator[SBX_LOCATOR_SIZE];
            req.pool_id = pools[i];
            T_STATUS(sbx_router_provision(s.router, &req, NULL, NULL, locator, NULL, NULL),
                     round ? SBX_PROVIDER_PROVISIONING : SBX_OK);
            if (round) continue;
            T_STATUS(sbx_router_exec(s.router, locator, "env", NULL, NULL, &result, NULL), SBX_OK);
            must_be_hidden(&s, sbx_exec_result_stdout(result, NULL), strlen(sbx_exec_result_stdout(result, NULL)),
                           "a sandbox's environment");
            sbx_exec_result_free(result);
        }
        admin_answers(&s);
        fault(
            &s.r,
            "{\"op\":\"daytona.sandbox.create\",\"phase\":\"before\",\"effect\":{\"kind\":\"status\",\"status\":403}}");
        fault(&s.r,
              "{\"op\":\"e2b.sandbox.create\",\"phase\":\"before\",\"effect\":{\"kind\":\"status\",\"status\":401}}");
    }
    served_end(&s);
}

T_CASES(T_CASE(no_admin_answer_tells_a_credential))
