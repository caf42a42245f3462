/* Inside a sandbox: a command that a hop sends twice, and errors that echo our key. Rows P11, R12. */
#include "daytona_world.h"

#include <sandport/kit/text.h>

static void exec_counts(int expect_replay) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    int64_t rule = 0;
    if (expect_replay)
        rule =
            world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','times':1,'effect':{'kind':'replay'}}");
    T_STATUS(sbx_sandbox_exec(w.sb, "echo ran >> count; cat count", NULL, NULL, &result, &w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "ran\n");
    T_EQ(sbx_exec_result_bytes_exact(result), 1);
    sbx_exec_result_free(result);
    if (rule) T_EQ(sbx_sim_fault_hits(w.sim, rule), 1);
    size_t len = 0;
    T_TRUE(strstr(sbx_sim_journal(w.sim, &len), "a hop replayed this request") == NULL);
    world_finish(&w);
}

static void must_fire_exec_is_chunked__replaying_hop(void) {
    exec_counts(1);
}
static void must_not_fire_exec_is_chunked__healthy(void) {
    exec_counts(0);
}

struct shown {
    struct sbx_buf text;
    int calls;
};

static void show(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len) {
    struct shown *shown = ctx;
    (void)operation;
    (void)http_status;
    shown->calls++;
    sbx_buf_append(&shown->text, text, len);
}

#define KEY "dtn_canary/with+odd=chars"

/* An error that echoes what it was sent, in five ways. */
static void debugged(const char *body, struct shown *shown) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct world w = world_new(SEED);
    struct sbx_runtime *rt = NULL;
    struct sbx_sandbox *sb = NULL;
    struct sbx_fault fault = {
        .op = "daytona.sandbox.get", .phase = "before", .effect = {.kind = "status", .status = 400}};
    fault.effect.body = body;
    T_TRUE(sbx_sim_fault(w.sim, &fault) > 0);
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = KEY;
    opt.debug = show;
    opt.debug_ctx = shown;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_OK);
    T_TRUE(sbx_runtime_attach(rt, "x", NULL, &sb, &w.err) != SBX_OK);
    T_TRUE(strstr(w.err.detail, "canary") == NULL);
    sbx_runtime_free(rt);
    world_finish(&w);
}

static void must_fire_debug_redacts__five_encodings(void) {
    struct shown shown = {SBX_BUF_INIT, 0};
    struct sbx_buf coded = SBX_BUF_INIT, body = SBX_BUF_INIT, percent = SBX_BUF_INIT;
    sbx_base64_encode(&coded, "Bearer " KEY, strlen("Bearer " KEY));
    sbx_percent_encode(&percent, KEY);
    sbx_buf_printf(&body, "raw " KEY "; url %s; base64 %s; json dtn_canary\\/with+odd=chars; twice " KEY KEY,
                   sbx_buf_text(&percent), sbx_buf_text(&coded));
    debugged(sbx_buf_text(&body), &shown);
    T_EQ(shown.calls, 1);
    T_TRUE(strstr(sbx_buf_text(&shown.text), "canary") == NULL);
    T_CONTAINS(sbx_buf_text(&shown.text), "raw [redacted]; url [redacted]");
    T_TRUE(strstr(sbx_buf_text(&shown.text), coded.data) == NULL);
    sbx_buf_finish(&coded);
    sbx_buf_finish(&percent);
    sbx_buf_finish(&body);
    sbx_buf_finish(&shown.text);
}

static void must_not_fire_debug_redacts__nothing_to_hide(void) {
    struct shown shown = {SBX_BUF_INIT, 0};
    debugged("an ordinary message", &shown);
    T_STR(sbx_buf_text(&shown.text), "an ordinary message");
    sbx_buf_finish(&shown.text);
}

T_CASES(T_CASE(must_fire_exec_is_chunked__replaying_hop), T_CASE(must_not_fire_exec_is_chunked__healthy),
        T_CASE(must_fire_debug_redacts__five_encodings), T_CASE(must_not_fire_debug_redacts__nothing_to_hide))
