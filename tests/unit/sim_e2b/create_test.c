/* Creates of the simulated E2B, in both versions of the control plane. */
#include "ask.h"

#include <stdio.h>

static void the_first_version_gives_fifteen_seconds(void) {
    struct ask a;
    ask_init(&a, NULL);
    T_EQ(ask(&a, "POST", "/sandboxes", "{\"templateID\":\"base\"}"), 201);
    T_TRUE(sbx_copy(a.id, sizeof(a.id), ask_text(&a, "sandboxID")));
    T_EQ(strlen(a.id), 21);
    T_STR(ask_text(&a, "envdAccessToken"), "");
    T_STR(ask_text(&a, "envdVersion"), "0.6.13");
    ask_pass_ms(&a, 14000);
    T_STR(ask_state(&a), "running");
    ask_pass_ms(&a, 1100);
    T_STR(ask_state(&a), "404");
    T_EQ(sbx_sim_ledger_live(a.sim), 0);
    ask_finish(&a);
}

static void the_second_gives_five_minutes_and_a_token(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(strlen(a.token), 64);
    T_TRUE(!strstr(sbx_sim_journal(a.sim, NULL), a.token));
    ask_pass_ms(&a, 299000);
    T_STR(ask_state(&a), "running");
    T_TRUE(!strstr(sbx_sim_journal(a.sim, NULL), a.token));
    ask_pass_ms(&a, 1100);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void sdks_of_both_generations_are_understood(void) {
    static const char *const bodies[] = {
        "{\"templateID\":\"base\",\"timeout\":300,\"secure\":true,\"allow_internet_access\":true,\"autoPause\":false}",
        ("{\"templateID\":\"base\",\"timeout\":300,\"secure\":true,\"allow_internet_access\":true,\"autoPause\":false,"
         "\"autoResume\":{\"enabled\":false}}"),
        "{\"templateID\":\"base\",\"timeout\":300,\"secure\":true,\"allow_internet_access\":true}"};
    struct ask a;
    ask_init(&a, NULL);
    for (size_t i = 0; i < 3; i++) {
        T_EQ(ask(&a, "POST", "/sandboxes", bodies[i]), 201);
        T_EQ(strlen(ask_text(&a, "envdAccessToken")), 64);
    }
    T_EQ(ask(&a, "POST", "/v2/sandboxes",
             "{\"templateID\":\"base\",\"metadata\":{\"k\":\"v\",\"a b\":\"c=d&e\"},\"envVars\":{\"FOO\":\"bar\"},"
             "\"timeout\":91,\"allow_internet_access\":false,\"network\":{\"allowOut\":[\"1.1.1.1\"],\"denyOut\":[\"0."
             "0.0.0/0\"],\"allowPublicTraffic\":false},\"autoPause\":true,\"autoResume\":{\"enabled\":true}}"),
         201);
    T_EQ(strlen(ask_text(&a, "trafficAccessToken")), 64);
    T_TRUE(sbx_copy(a.id, sizeof(a.id), ask_text(&a, "sandboxID")));
    T_EQ(ask(&a, "GET", "/sandboxes/%s", NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"lifecycle\":{\"onTimeout\":\"pause\",\"autoResume\":true}");
    T_CONTAINS(sbx_buf_text(&a.body), "\"metadata\":{\"k\":\"v\",\"a b\":\"c=d&e\"}");
    T_CONTAINS(sbx_buf_text(&a.body), "\"allowInternetAccess\":false");
    T_TRUE(!strstr(sbx_sim_journal(a.sim, NULL), "\"unread\""));
    T_TRUE(!strstr(sbx_sim_journal(a.sim, NULL), "bar"));
    T_EQ(sbx_sim_ledger_made(a.sim), 4);
    ask_finish(&a);
}

struct refusal {
    const char *path, *body;
    int status;
    const char *says;
};

static void what_is_wrong_is_said_and_makes_nothing(void) {
    static const struct refusal refusals[] = {
        {"/sandboxes", "{", 400, "validation error: error in openapi3filter.RequestError: "},
        {"/sandboxes", "[]", 400, "validation error"},
        {"/sandboxes", "{}", 400, "templateID"},
        {"/sandboxes", "{\"templateID\":7}", 400, "templateID"},
        {"/sandboxes", "{\"templateID\":\"base\",\"metadata\":{\"a\":1}}", 400, "metadata"},
        {"/sandboxes", "{\"templateID\":\"nope\"}", 404, "template 'nope' not found"},
        {"/sandboxes", "{\"templateID\":\"base:v9\"}", 404, "tag 'v9' does not exist for template 'base'"},
        {"/sandboxes", "{\"templateID\":\"b@se\"}", 400, "Invalid template reference: b@se"},
        {"/sandboxes", "{\"templateID\":\"base\",\"timeout\":0}", 400, "Timeout must be greater than 0"},
        {"/v2/sandboxes", "{\"templateID\":\"base\",\"timeout\":0}", 400, "number must be at least 1"},
        {"/v2/sandboxes", "{\"templateID\":\"base\",\"timeout\":3601}", 400, "Timeout cannot be greater than 1 hours"},
        {"/v2/sandboxes", "{\"templateID\":\"base\",\"autoPauseMemory\":false}", 400,
         "autoPauseMemory=false only applies when autoPause is true."},
        {"/v2/sandboxes", "{\"templateID\":\"base\",\"volumeMounts\":[{\"name\":\"a\",\"path\":\"/a\"}]}", 400,
         "Volume mounts are not enabled."},
        {"/sandboxes", "{\"templateID\":\"base\",\"network\":{\"allowPublicTraffic\":false}}", 400,
         "You cannot create a sandbox without public access"},
    };
    struct ask a;
    ask_init(&a, NULL);
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        T_EQ(ask(&a, "POST", refusals[i].path, refusals[i].body), refusals[i].status);
        T_EQ(ask_int(&a, "code"), refusals[i].status);
        T_CONTAINS(ask_text(&a, "message"), refusals[i].says);
    }
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_finish(&a);
}

static void names_of_templates_are_trimmed_and_lowered(void) {
    struct ask a;
    ask_init(&a, "{\"templates\":[\"base\",\"mine\"]}");
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\" My-Team/MINE:latest \"}"), 201);
    T_STR(ask_text(&a, "alias"), "mine");
    T_EQ(ask(&a, "GET", "/templates/aliases/mine", NULL), 200);
    T_EQ(ask(&a, "GET", "/templates/aliases/other", NULL), 404);
    T_EQ(ask(&a, "GET", "/templates", NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"names\":[\"mine\"]");
    ask_finish(&a);
}

static void a_lifetime_may_be_clamped_or_be_the_default_by_a_switch(void) {
    struct ask a;
    ask_init(&a, "{\"over_max\":\"clamped\",\"zero_timeout\":\"default\"}");
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":7200}");
    ask_pass_ms(&a, 3599000);
    T_STR(ask_state(&a), "running");
    ask_pass_ms(&a, 2000);
    T_STR(ask_state(&a), "404");
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":0}");
    ask_pass_ms(&a, 299000);
    T_STR(ask_state(&a), "running");
    ask_finish(&a);
}

static void it_is_seen_only_when_it_runs(void) {
    const struct sbx_fault cut = {
        .op = "e2b.sandbox.create", .phase = "after_commit", .times = 1, .effect = {.kind = "reset"}};
    struct ask a;
    ask_init(&a, "{\"boot_ms\":3000}");
    ask_fault(&a, &cut);
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\",\"metadata\":{\"m\":\"1\"}}"), 0);
    T_EQ(a.evidence, SBX_EVIDENCE_SENT_NO_ANSWER);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=m%3D1", NULL), 200);
    T_STR(sbx_buf_text(&a.body), "[]");
    ask_pass_ms(&a, 3100);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=m%3D1", NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"metadata\":{\"m\":\"1\"}");
    ask_finish(&a);
}

static void a_key_that_is_heeded_makes_one_sandbox(void) {
    struct ask a;
    char first[64];
    ask_init(&a, "{\"idempotency\":true}");
    ask_header(&a, "Idempotency-Key", "once");
    ask_create(&a, NULL);
    T_TRUE(sbx_copy(first, sizeof(first), a.id));
    ask_create(&a, NULL);
    T_STR(a.id, first);
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\",\"timeout\":9}"), 409);
    T_STR(ask_text(&a, "error_code"), "idempotency_request_mismatch");
    T_EQ(sbx_sim_ledger_made(a.sim), 1);
    ask_finish(&a);
}

T_CASES(T_CASE(the_first_version_gives_fifteen_seconds), T_CASE(the_second_gives_five_minutes_and_a_token),
        T_CASE(sdks_of_both_generations_are_understood), T_CASE(what_is_wrong_is_said_and_makes_nothing),
        T_CASE(names_of_templates_are_trimmed_and_lowered),
        T_CASE(a_lifetime_may_be_clamped_or_be_the_default_by_a_switch), T_CASE(it_is_seen_only_when_it_runs),
        T_CASE(a_key_that_is_heeded_makes_one_sandbox))
