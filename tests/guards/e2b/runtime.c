/* Guards of the runtime's options and of its secrets. Rows P3, P5, R12. */
#include "e2b_script.h"

#include <stdio.h>

static enum sbx_status make(const struct sbx_e2b_options *opt, char *detail) {
    struct script *script = script_new(NULL, 0);
    struct sbx_runtime *rt = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    enum sbx_status st = sbx_e2b_create(opt, script_env(script), &rt, &err);
    strcpy(detail, err.detail);
    sbx_runtime_free(rt);
    script_free(script);
    return st;
}

static struct sbx_e2b_options good(void) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    opt.endpoint = SBX_E2B_ENDPOINT;
    opt.api_key = KEY;
    return opt;
}

/* ---- e2b_explicit_arguments ---- */

static void must_fire_e2b_explicit_arguments__missing(void) {
    struct sbx_e2b_options opt = good();
    char detail[256];
    opt.endpoint = NULL;
    T_STATUS(make(&opt, detail), SBX_INVALID_ARGUMENT);
    T_STR(detail, "endpoint: expected one, for example SBX_E2B_ENDPOINT");
    opt = good();
    opt.api_key = NULL;
    T_STATUS(make(&opt, detail), SBX_INVALID_ARGUMENT);
    T_STR(detail, "api_key: expected one");
}

static void must_not_fire_e2b_explicit_arguments__there(void) {
    const struct sbx_e2b_options opt = good();
    char detail[256];
    T_STATUS(make(&opt, detail), SBX_OK);
}

static void options_of_the_wrong_form(void) {
    const struct {
        const char *field;
        struct sbx_e2b_options opt;
    } cases[] = {
        {"endpoint", {.endpoint = "api.e2b.app", .api_key = KEY}},
        {"endpoint", {.endpoint = "https://u:p@api.e2b.app", .api_key = KEY}},
        {"api_key", {.endpoint = SBX_E2B_ENDPOINT, .api_key = "a b"}},
        {"api_key", {.endpoint = SBX_E2B_ENDPOINT, .api_key = ""}},
        {"sandbox_url", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .sandbox_url = "{id}"}},
        {"sandbox_url", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .sandbox_url = "http://{id}.e2b.app"}},
        {"template_id", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .template_id = ""}},
        {"api", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .api = 3}},
        {"run_budget_ms", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .run_budget_ms = -1}},
        {"sync_run_budget_ms", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .sync_run_budget_ms = -1}},
        {"sandbox_lifetime_ms", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .sandbox_lifetime_ms = -1}},
        {"probe_window_ms", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .probe_window_ms = -1}},
        {"create_horizon_ms", {.endpoint = SBX_E2B_ENDPOINT, .api_key = KEY, .create_horizon_ms = -1}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sbx_e2b_options opt = cases[i].opt;
        char detail[256];
        opt.size = sizeof(opt);
        T_STATUS(make(&opt, detail), SBX_INVALID_ARGUMENT);
        T_TRUE(strncmp(detail, cases[i].field, strlen(cases[i].field)) == 0);
    }
}

static void what_is_declared(void) {
    struct scripted w = scripted_new(NULL);
    uint64_t caps = sbx_runtime_capabilities(w.rt);
    T_STR(sbx_runtime_provider(w.rt), "e2b");
    T_EQ(sbx_runtime_isolation(w.rt), SBX_ISOLATION_VM);
    T_TRUE(caps & SBX_CAP_PAUSE_KEEPS_MEMORY);
    T_EQ(caps & (SBX_CAP_DETACHED_LAUNCH | SBX_CAP_PTY | SBX_CAP_SESSIONS | SBX_CAP_PORTS), 0);
    scripted_finish(&w);
}

/* ---- e2b_debug_redacts: the account's key, and the sandbox's token ---- */

struct seen {
    char text[512];
    int calls;
};

static void seen_take(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len) {
    struct seen *seen = ctx;
    T_STR(operation, "process.start");
    T_EQ(http_status, 403);
    snprintf(seen->text, sizeof(seen->text), "%.*s", (int)len, text);
    seen->calls++;
}

static void must_fire_e2b_debug_redacts__key_and_token(void) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct seen seen = {.calls = 0};
    struct sbx_exec_result *result = NULL;
    opt.debug = seen_take;
    opt.debug_ctx = &seen;
    struct scripted w = scripted_new(&opt);
    SCRIPT(w.script,
           {.request = "POST " API "/v2/sandboxes",
            JSON(201, "{\"sandboxID\":\"i1\",\"envdAccessToken\":\"token-canary\"}")},
           PROBED);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    SCRIPT(w.script, {.request = START_URL, JSON(403, "{\"code\":403,\"message\":\"" KEY " and token-canary\"}")});
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, NULL, &result, &w.err), SBX_FORBIDDEN);
    T_EQ(seen.calls, 1);
    T_STR(seen.text, "{\"code\":403,\"message\":\"[redacted] and [redacted]\"}");
    T_TRUE(strstr(w.err.detail, "canary") == NULL);
    scripted_finish(&w);
}

static void must_not_fire_e2b_debug_redacts__nothing_secret(void) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct seen seen = {.calls = 0};
    struct sbx_exec_result *result = NULL;
    opt.debug = seen_take;
    opt.debug_ctx = &seen;
    struct scripted w = scripted_launched(&opt);
    SCRIPT(w.script, {.request = START_URL, JSON(403, "{\"code\":403,\"message\":\"no\"}")});
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, NULL, &result, &w.err), SBX_FORBIDDEN);
    T_STR(seen.text, "{\"code\":403,\"message\":\"no\"}");
    scripted_finish(&w);
}

T_CASES(T_CASE(must_fire_e2b_explicit_arguments__missing), T_CASE(must_not_fire_e2b_explicit_arguments__there),
        T_CASE(options_of_the_wrong_form), T_CASE(what_is_declared), T_CASE(must_fire_e2b_debug_redacts__key_and_token),
        T_CASE(must_not_fire_e2b_debug_redacts__nothing_secret))
