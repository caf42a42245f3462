/* Guards of debugging: an answer that repeats our key is shown without it. Row R12. */
#include "daytona_world.h"

#include <stdio.h>

#include <sandport/kit/text.h>

/* A key of which every encoding differs. */
#define KEY      "dtn_canary/\"+%\\key=="
#define SCENARIO "{\"daytona\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"dtn_canary/\\\"+%\\\\key==\"}]}}"

struct seen {
    char text[2048];
    int32_t http_status;
    int calls;
};

static void seen_take(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len) {
    struct seen *seen = ctx;
    T_STR(operation, "sandbox.create");
    T_TRUE(len < sizeof(seen->text));
    memcpy(seen->text, text, len);
    seen->text[len] = 0;
    seen->http_status = http_status;
    seen->calls++;
}

/* Launches where the create is answered 403 with that text, and keeps what the observer saw. */
static void create_says(const char *text, struct seen *seen) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    opt.api_key = KEY;
    opt.debug = seen_take;
    opt.debug_ctx = seen;
    struct world w = world_new_with(SEED, SCENARIO, &opt);
    const struct sbx_fault fault = {
        .op = "daytona.sandbox.create", .phase = "before", .effect = {.kind = "status", .status = 403, .body = text}};
    T_TRUE(sbx_sim_fault(w.sim, &fault) > 0);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_FORBIDDEN);
    T_TRUE(strstr(w.err.detail, "canary") == NULL);
    T_EQ(seen->calls, 1);
    T_EQ(seen->http_status, 403);
    world_finish(&w);
}

/* ---- debug_redacts ---- */

static void hidden(const char *form) {
    char text[512];
    struct seen seen = {0};
    snprintf(text, sizeof(text), "you sent '%s'.", form);
    create_says(text, &seen);
    T_STR(seen.text, "you sent '[redacted]'.");
}

static void hidden_as_it_is(void) {
    hidden(KEY);
}

static void hidden_percent(void) {
    struct sbx_buf form = SBX_BUF_INIT;
    sbx_percent_encode(&form, KEY);
    hidden(sbx_buf_text(&form));
    sbx_buf_finish(&form);
}

static void hidden_json(void) {
    hidden("dtn_canary/\\\"+%\\\\key==");
}

static void hidden_json_with_slashes(void) {
    hidden("dtn_canary\\/\\\"+%\\\\key==");
}

static void hidden_hex(void) {
    char form[2 * sizeof(KEY) + 1];
    sbx_hex(KEY, strlen(KEY), form);
    hidden(form);
    for (char *at = form; *at; at++)
        if (*at >= 'a') *at = (char)(*at - 'a' + 'A');
    hidden(form);
}

/* Base64 of "Bearer <key>", or of the key behind something of another length: a few letters at the seams may stay. */
static void hidden_base64(void) {
    static const char *const before[] = {"", "u", "u:", "Bearer "};
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        struct sbx_buf form = SBX_BUF_INIT;
        struct seen seen = {0};
        char plain[128], kept[128];
        snprintf(plain, sizeof(plain), "%s%s", before[i], KEY);
        sbx_base64_encode(&form, plain, strlen(plain));
        create_says(sbx_buf_text(&form), &seen);
        T_CONTAINS(seen.text, "[redacted]");
        T_TRUE(strlen(seen.text) < strlen("[redacted]") + 4 + (strlen(before[i]) + 2) / 3 * 4 + 4);
        snprintf(kept, sizeof(kept), "%.12s", sbx_buf_text(&form) + 12);
        T_TRUE(strstr(seen.text, kept) == NULL);
        sbx_buf_finish(&form);
    }
}

static void hidden_all_at_once(void) {
    struct sbx_buf coded = SBX_BUF_INIT, percent = SBX_BUF_INIT, text = SBX_BUF_INIT;
    struct seen seen = {0};
    sbx_base64_encode(&coded, "Bearer " KEY, strlen("Bearer " KEY));
    sbx_percent_encode(&percent, KEY);
    sbx_buf_printf(&text, "raw %s; url %s; base64 %s; json dtn_canary\\/\\\"+%%\\\\key==; twice %s%s", KEY,
                   sbx_buf_text(&percent), sbx_buf_text(&coded), KEY, KEY);
    create_says(sbx_buf_text(&text), &seen);
    T_TRUE(strstr(seen.text, "canary") == NULL);
    T_CONTAINS(seen.text, "raw [redacted]; url [redacted]");
    T_TRUE(strstr(seen.text, coded.data) == NULL);
    sbx_buf_finish(&coded);
    sbx_buf_finish(&percent);
    sbx_buf_finish(&text);
}

static void must_fire_debug_redacts__every_form(void) {
    hidden_as_it_is();
    hidden_percent();
    hidden_json();
    hidden_json_with_slashes();
    hidden_hex();
    hidden_base64();
    hidden_all_at_once();
}

static void must_not_fire_debug_redacts__no_key(void) {
    struct seen seen = {0};
    create_says("you sent 'dtn_canar'.", &seen);
    T_STR(seen.text, "you sent 'dtn_canar'.");
    memset(&seen, 0, sizeof(seen));
    create_says("an ordinary message", &seen);
    T_STR(seen.text, "an ordinary message");
}

T_CASES(T_CASE(must_fire_debug_redacts__every_form), T_CASE(must_not_fire_debug_redacts__no_key))
