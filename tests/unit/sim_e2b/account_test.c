/* Keys, teams, slots and rates of the simulated E2B. */
#include "ask.h"

static void a_key_is_asked_for_and_looked_at(void) {
    struct ask a;
    ask_init(&a, NULL);
    a.key = NULL;
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 401);
    T_STR(ask_text(&a, "message"), "authorization header is missing");
    a.key = "sk_123";
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 401);
    T_STR(ask_text(&a, "message"), "authorization header is malformed");
    a.key = "e2b_abc";
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 401);
    T_CONTAINS(ask_text(&a, "message"), "\nInvalid API key format");
    a.key = "e2b_00112233445566778899aabbccddeeff00112233";
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 401);
    T_CONTAINS(ask_text(&a, "message"), "\nCannot get the team for the given API key");
    T_EQ(ask_int(&a, "code"), 401);
    T_EQ(ask(&a, "GET", "/health", NULL), 200);
    T_STR(sbx_buf_text(&a.body), "Health check successful");
    ask_finish(&a);
}

#define ONE "e2b_1111111111111111111111111111111111111111"
#define TWO "e2b_2222222222222222222222222222222222222222"

static void state_belongs_to_the_keys_team(void) {
    struct ask a;
    ask_init(&a,
             "{\"accounts\":[{\"name\":\"one\",\"api_key\":\"" ONE "\"},{\"name\":\"two\",\"api_key\":\"" TWO "\"}]}");
    a.key = ONE;
    ask_create(&a, NULL);
    a.key = TWO;
    T_EQ(ask(&a, "GET", "/sandboxes/%s", NULL), 404);
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 404);
    T_CONTAINS(ask_text(&a, "message"), "doesn't exist or you don't have access to it");
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 200);
    T_STR(sbx_buf_text(&a.body), "[]");
    a.key = ONE;
    T_STR(ask_state(&a), "running");
    ask_finish(&a);
}

static void slots_are_those_that_run(void) {
    struct ask a;
    char first[64];
    ask_init(&a, "{\"accounts\":[{\"name\":\"one\",\"api_key\":\"" ONE "\",\"concurrency\":2}]}");
    a.key = ONE;
    ask_create(&a, NULL);
    T_TRUE(sbx_copy(first, sizeof(first), a.id));
    ask_create(&a, NULL);
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\"}"), 429);
    T_STR(ask_text(&a, "message"), "you have reached the maximum number of concurrent E2B sandboxes (2). If you need "
                                   "more, please visit 'https://e2b.dev/docs/billing'");
    T_TRUE(!strstr(sbx_buf_text(&a.headers), "Retry-After"));
    T_EQ(sbx_sim_ledger_made(a.sim), 2);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    ask_create(&a, NULL);
    T_TRUE(sbx_copy(a.id, sizeof(a.id), first));
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    ask_pass_ms(&a, 1000);
    ask_create(&a, NULL);
    T_TRUE(sbx_copy(a.id, sizeof(a.id), first));
    T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", "{}"), 429);
    ask_finish(&a);
}

static void rates_say_when_to_come_back(void) {
    struct ask a;
    ask_init(&a, "{\"accounts\":[{\"name\":\"one\",\"api_key\":\"" ONE "\",\"rate\":{\"create\":1}}]}");
    a.key = ONE;
    ask_create(&a, NULL);
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\"}"), 429);
    T_STR(ask_text(&a, "message"), "Rate limit exceeded");
    T_CONTAINS(sbx_buf_text(&a.headers), "Retry-After: 1\n");
    T_CONTAINS(sbx_buf_text(&a.headers), "RateLimit-Limit: 1\n");
    ask_pass_ms(&a, 1000);
    ask_create(&a, NULL);
    ask_finish(&a);
}

static void teams_can_be_banned_or_blocked(void) {
    struct ask a;
    ask_init(&a, "{\"accounts\":[{\"name\":\"one\",\"api_key\":\"" ONE "\",\"banned\":true},{\"name\":\"two\","
                 "\"api_key\":\"" TWO "\",\"blocked\":\"unpaid\"}]}");
    a.key = ONE;
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 403);
    T_STR(ask_text(&a, "message"), "team is banned");
    a.key = TWO;
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 200);
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\"}"), 403);
    T_STR(ask_text(&a, "message"), "team is blocked: unpaid");
    ask_finish(&a);
}

static void what_runs_costs_and_what_is_paused_does_not(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":3600}");
    ask_pass_ms(&a, 1000000);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    const int64_t cost = sbx_sim_ledger_cost(a.sim);
    T_TRUE(cost > 0);
    ask_pass_ms(&a, 1000000);
    T_EQ(sbx_sim_ledger_cost(a.sim), cost);
    T_EQ(sbx_sim_ledger_live(a.sim), 1);
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 204);
    T_EQ(sbx_sim_ledger_live(a.sim), 0);
    ask_finish(&a);
}

T_CASES(T_CASE(a_key_is_asked_for_and_looked_at), T_CASE(state_belongs_to_the_keys_team),
        T_CASE(slots_are_those_that_run), T_CASE(rates_say_when_to_come_back), T_CASE(teams_can_be_banned_or_blocked),
        T_CASE(what_runs_costs_and_what_is_paused_does_not))
