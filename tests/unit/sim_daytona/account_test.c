/* Keys, permissions, quotas, rates: an account of the simulated Daytona sees its own and no more than it may. */
#include "ask.h"

#define TWO                                                                                                            \
    "{\"accounts\":[{\"name\":\"a\",\"api_key\":\"key-canary-a\"},{\"name\":\"b\",\"api_key\":\"key-canary-b\"},"      \
    "{\"name\":\"old\",\"api_key\":\"key-canary-old\",\"expired\":true},"                                              \
    "{\"name\":\"shut\",\"api_key\":\"key-canary-shut\",\"suspended\":\"unpaid\"},"                                    \
    "{\"name\":\"reader\",\"api_key\":\"key-canary-reader\",\"permissions\":[]}]}"

static void a_wrong_key_is_401(void) {
    struct ask a;
    ask_init(&a, NULL);
    a.key = "wrong-canary";
    T_EQ(ask(&a, "GET", "/api/sandbox", NULL), 401);
    T_STR(ask_text(&a, "message"), "Invalid credentials");
    T_STR(ask_text(&a, "error"), "Unauthorized");
    a.key = NULL;
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 401);
    T_EQ(ask(&a, "GET", "/toolbox/x/version", NULL), 401);
    T_CONTAINS(ask_text(&a, "message"), "unauthorized: ");
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_finish(&a);
}

static void an_account_sees_its_own_sandboxes_alone(void) {
    struct ask a;
    ask_init(&a, TWO);
    a.key = "key-canary-a";
    ask_create_started(&a, "{\"name\":\"n1\"}");
    a.key = "key-canary-b";
    T_EQ(ask(&a, "GET", "/api/sandbox/%s", NULL), 404);
    T_EQ(ask(&a, "DELETE", "/api/sandbox/n1", NULL), 404);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 404);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"name\":\"n1\"}"), 200);
    ask_finish(&a);
}

static void expired_suspended_and_reading_keys(void) {
    struct ask a;
    ask_init(&a, TWO);
    a.key = "key-canary-old";
    T_EQ(ask(&a, "GET", "/api/sandbox", NULL), 401);
    T_STR(ask_text(&a, "message"), "This API key has expired");
    a.key = "key-canary-shut";
    T_EQ(ask(&a, "GET", "/api/sandbox", NULL), 200);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 403);
    T_STR(ask_text(&a, "message"), "Organization is suspended: unpaid");
    a.key = "key-canary-reader";
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 403);
    T_STR(ask_text(&a, "message"), "Access denied");
    T_EQ(ask(&a, "GET", "/api/api-keys/current", NULL), 200);
    ask_finish(&a);
}

static void quotas_count_what_is_held(void) {
    struct ask a;
    ask_init(&a, "{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_DAYTONA_KEY
                 "\",\"quota\":{\"cpu\":2,\"memory_gib\":10,\"disk_gib\":7}}]}");
    ask_create_started(&a, NULL);
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 400);
    T_CONTAINS(ask_text(&a, "message"), "Total CPU limit exceeded. Maximum allowed: 2.\n");
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), 200);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 400);
    T_CONTAINS(ask_text(&a, "message"), "Total disk limit exceeded. Maximum allowed: 7GiB.\n");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 200);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 200);
    ask_finish(&a);
}

static void one_sandbox_may_ask_for_so_much(void) {
    struct ask a;
    ask_init(&a, "{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_DAYTONA_KEY
                 "\",\"quota\":{\"cpu_each\":2,\"memory_gib_each\":4}}]}");
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"buildInfo\":{\"dockerfileContent\":\"FROM a\"},\"cpu\":4}"), 400);
    T_CONTAINS(ask_text(&a, "message"), "CPU request 4 exceeds maximum allowed per sandbox (2).\n");
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"buildInfo\":{\"dockerfileContent\":\"FROM a\"},\"memory\":8}"), 400);
    T_CONTAINS(ask_text(&a, "message"), "Memory request 8GB exceeds maximum allowed per sandbox (4GB).\n");
    ask_finish(&a);
}

static void a_spent_rate_is_429_until_the_next_minute(void) {
    struct ask a;
    ask_init(&a, "{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_DAYTONA_KEY "\",\"rate\":{\"create\":1}}]}");
    ask_create(&a, NULL);
    T_CONTAINS(sbx_buf_text(&a.headers), "X-RateLimit-Remaining-sandbox-create: 0");
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 429);
    T_STR(ask_text(&a, "message"), "ThrottlerException: Too Many Requests");
    T_CONTAINS(sbx_buf_text(&a.headers), "Retry-After-sandbox-create: 60");
    T_EQ(ask(&a, "GET", "/api/sandbox", NULL), 200);
    ask_pass_ms(&a, 60000);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 200);
    ask_finish(&a);
}

static void the_newer_dialect_has_codes(void) {
    struct ask a;
    ask_init(&a, "{\"dialect\":\"coded\"}");
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), 200);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), 409);
    T_STR(ask_text(&a, "code"), "SANDBOX_STATE_CHANGE_IN_PROGRESS");
    T_STR(ask_text(&a, "source"), "DAYTONA_API");
    ask_finish(&a);
}

/* A wrong base URL meets the dashboard, not an error. */
static void day8_41_outside_the_api_is_html(void) {
    struct ask a;
    ask_init(&a, NULL);
    T_EQ(ask(&a, "GET", "/sandbox", NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "<html>");
    T_EQ(ask(&a, "GET", "/api/nowhere", NULL), 404);
    T_STR(ask_text(&a, "message"), "Cannot GET /api/nowhere");
    T_EQ(sbx_sim_unsupported(a.sim), 1);
    ask_finish(&a);
}

static void a_scenario_is_read_strictly(void) {
    static const char *const bad[] = {"{\"daytona\":{\"dialect\":\"v3\"}}",
                                      "{\"daytona\":{\"boot_ms\":-1}}",
                                      "{\"daytona\":{\"list\":\"tree\"}}",
                                      "{\"daytona\":{\"accounts\":[{\"name\":\"a\"}]}}",
                                      "{\"daytona\":{\"snapshots\":[{\"name\":\"s\",\"state\":\"asleep\"}]}}",
                                      ("{\"daytona\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"k\"},"
                                       "{\"name\":\"b\",\"api_key\":\"k\"}]}}")};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct sbx_sim_options opt = {
            .size = sizeof(opt), .seed = 1, .scenario = bad[i], .scenario_len = strlen(bad[i])};
        struct sbx_sim *sim = NULL;
        char why[256] = "";
        T_STATUS(sbx_sim_create(&opt, &sim, why, sizeof(why)), SBX_INVALID_ARGUMENT);
        T_TRUE(*why);
    }
}

T_CASES(T_CASE(a_wrong_key_is_401), T_CASE(an_account_sees_its_own_sandboxes_alone),
        T_CASE(expired_suspended_and_reading_keys), T_CASE(quotas_count_what_is_held),
        T_CASE(one_sandbox_may_ask_for_so_much), T_CASE(a_spent_rate_is_429_until_the_next_minute),
        T_CASE(the_newer_dialect_has_codes), T_CASE(day8_41_outside_the_api_is_html),
        T_CASE(a_scenario_is_read_strictly))
