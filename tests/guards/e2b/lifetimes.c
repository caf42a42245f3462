/* Guards of the three lifetimes: a request's deadline, a command's lifetime and a sandbox's are different values, each
 * on the wire where it belongs. Rows E2-E4, E7; F016, F017, F041. */
#include "e2b_script.h"

#include <stdio.h>

static struct sbx_e2b_options budgets(int64_t sandbox_ms, int64_t sync_ms) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    opt.sandbox_lifetime_ms = sandbox_ms;
    opt.sync_run_budget_ms = sync_ms;
    return opt;
}

/* @param lifetime_ms 0 = none said */
static void runs(struct scripted *w, int64_t lifetime_ms) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.lifetime_ms = lifetime_ms;
    T_STATUS(sbx_sandbox_exec(w->sb, "true", &opt, NULL, &result, &w->err), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(result), 0);
    sbx_exec_result_free(result);
    script_done(w->script);
}

#define RUNS(timeout)                                                                                                  \
    { .request = START_URL, .head = {"Connect-Timeout-Ms: " timeout}, STREAM(BEGUN END_0 EOS) }
#define ARMS(seconds)                                                                                                  \
    { .request = "POST " API "/sandboxes/i1/timeout", .body = "{\"timeout\":" seconds "}", .http_status = 204 }

/* ---- create_lifetime_sent: E2; 15 s or 300 s would be the provider's own (digest 8, 1) ---- */

static void created(int32_t api, const char *url, const char *body) {
    struct sbx_e2b_options opt = budgets(90500, 0);
    opt.api = api;
    struct scripted w = scripted_new(&opt);
    const struct script_step steps[] = {{.request = url, .head = {"X-API-Key: " KEY}, .body = body, CREATED}, PROBED};
    script_play(w.script, steps, 2);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    script_done(w.script);
    scripted_finish(&w);
}

static void must_fire_create_lifetime_sent__both_generations(void) {
    created(SBX_E2B_API_V2, "POST " API "/v2/sandboxes", "\"timeout\":91,");
    created(SBX_E2B_API_V1, "POST " API "/sandboxes", "\"timeout\":91,");
}

static void must_not_fire_create_lifetime_sent__option_of_a_launch(void) {
    const struct sbx_pair pair = {"sandbox_lifetime_ms", "5000"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct scripted w = scripted_new(NULL);
    opt.provider_options = &pair;
    opt.provider_option_count = 1;
    SCRIPT(w.script, {.request = "POST " API "/v2/sandboxes", .body = "\"timeout\":5,", CREATED}, PROBED);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    scripted_finish(&w);
}

/* ---- start_lifetime_sent ---- */

#define PAUSED_1 STANDS("paused")
#define RESUMES(seconds)                                                                                               \
    { .request = "POST " API "/v2/sandboxes/i1/connect", .body = "{\"timeout\":" seconds "}", CREATED }

static void must_fire_start_lifetime_sent__resume(void) {
    const struct sbx_e2b_options opt = budgets(600000, 0);
    struct scripted w = scripted_launched(&opt);
    SCRIPT(w.script, RESUMES("600"), PROBED);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    scripted_finish(&w);
}

static void must_not_fire_start_lifetime_sent__default(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, RESUMES("1800"), PROBED);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    scripted_finish(&w);
}

/* ---- sync_run_is_capped: E3 ---- */

static void must_fire_sync_run_is_capped__budget(void) {
    const struct sbx_e2b_options opt = budgets(0, 45000);
    struct scripted w = scripted_launched(NULL), own = scripted_launched(&opt);
    SCRIPT(w.script, RUNS("1800000"));
    runs(&w, 0);
    SCRIPT(own.script, RUNS("45000"));
    runs(&own, 0);
    scripted_finish(&w);
    scripted_finish(&own);
}

static void must_not_fire_sync_run_is_capped__callers_own(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, RUNS("1234"));
    runs(&w, 1234);
    scripted_finish(&w);
}

/* ---- command_lifetime_sent: every process has one, whoever starts it ---- */

static void must_fire_command_lifetime_sent__every_process(void) {
    struct scripted w = scripted_new(NULL);
    char *home = NULL;
    SCRIPT(w.script, {.request = "POST " API "/v2/sandboxes", CREATED},
           {.request = START_URL, .head = {"Connect-Timeout-Ms: 5000"}, STREAM(BEGUN END_0 EOS)});
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    SCRIPT(w.script, {.request = START_URL,
                      .head = {"Connect-Timeout-Ms: 10000"},
                      STREAM(BEGUN "\000\000\000\000\060"
                                   "{\"event\":{\"data\":{\"stdout\":\"L2hvbWUvdXNlcg==\"}}}" END_0 EOS)});
    T_STATUS(sbx_sandbox_home_dir(w.sb, NULL, &home, &w.err), SBX_OK);
    T_STR(home, "/home/user");
    sbx_text_free(home);
    scripted_finish(&w);
}

static void must_not_fire_command_lifetime_sent__no_process(void) {
    struct scripted w = scripted_launched(NULL);
    struct sbx_info *info = NULL;
    SCRIPT(w.script, {.request = "GET " API "/sandboxes/i1",
                      .head = {"!Connect-Timeout-Ms"},
                      JSON(200, "{\"sandboxID\":\"i1\",\"state\":\"running\"}")});
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    sbx_info_free(info);
    scripted_finish(&w);
}

/* ---- lifetime_is_never_0 (digest 8, 22): the smallest there is, and the largest that fits ---- */

static void must_fire_lifetime_is_never_0__bounds(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, RUNS("1"));
    runs(&w, 1);
    SCRIPT(w.script, ARMS("2147483647"), RUNS("9999999999"));
    runs(&w, INT64_C(99999999999999));
    scripted_finish(&w);
}

static void must_not_fire_lifetime_is_never_0__between(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, RUNS("2"));
    runs(&w, 2);
    scripted_finish(&w);
}

/* ---- implicit_budget_never_extends: E4 ---- */

static void must_fire_implicit_budget_never_extends__longer_budget(void) {
    const struct sbx_e2b_options opt = budgets(300000, 3600000);
    struct scripted w = scripted_launched(&opt);
    SCRIPT(w.script, RUNS("3600000"));
    runs(&w, 0); /* no timeout is sent: the sandbox has its own five minutes and no more */
    T_STATUS(w.env->sleep_until(w.env, w.env->now_ms(w.env) + 100000, NULL), SBX_OK);
    SCRIPT(w.script, ARMS("300"), RUNS("3600000"));
    runs(&w, 0); /* and gets them again */
    scripted_finish(&w);
}

static void must_not_fire_implicit_budget_never_extends__explicit(void) {
    const struct sbx_e2b_options opt = budgets(300000, 3600000);
    struct scripted w = scripted_launched(&opt);
    SCRIPT(w.script, ARMS("3630"), RUNS("3600000"));
    runs(&w, 3600000);
    SCRIPT(w.script, RUNS("3600000")); /* and what was given is not taken back */
    runs(&w, 0);
    scripted_finish(&w);
}

/* ---- sandbox_rearmed: E2, synchronous use ---- */

static void must_fire_sandbox_rearmed__after_a_while(void) {
    struct scripted w = scripted_launched(NULL);
    T_STATUS(w.env->sleep_until(w.env, w.env->now_ms(w.env) + 600000, NULL), SBX_OK);
    SCRIPT(w.script, ARMS("1800"), RUNS("1800000"));
    runs(&w, 0);
    SCRIPT(w.script, RUNS("1800000"));
    runs(&w, 0);
    scripted_finish(&w);
}

static void must_not_fire_sandbox_rearmed__at_once(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, RUNS("1800000"));
    runs(&w, 0);
    scripted_finish(&w);
}

/* It may be set again, so one whose answer was lost is. */
static void a_new_end_whose_answer_was_lost(void) {
    struct scripted w = scripted_launched(NULL);
    T_STATUS(w.env->sleep_until(w.env, w.env->now_ms(w.env) + 600000, NULL), SBX_OK);
    SCRIPT(w.script, {.request = "POST " API "/sandboxes/i1/timeout", .evidence = SBX_EVIDENCE_SENT_NO_ANSWER},
           ARMS("1800"), RUNS("1800000"));
    runs(&w, 0);
    scripted_finish(&w);
}

/* An end that somebody else set later is known before it is set, and not brought forward (digest 8, 3). */
static void an_end_that_is_later_stays(void) {
    struct scripted w = scripted_new(NULL);
    script_wall(w.script, INT64_C(1790009600000));
    SCRIPT(w.script, {.request = "GET " API "/sandboxes/i1",
                      JSON(200, "{\"sandboxID\":\"i1\",\"state\":\"running\",\"envdAccessToken\":\"tok\","
                                "\"endAt\":\"2026-09-21T18:53:20Z\"}")});
    T_STATUS(sbx_runtime_attach(w.rt, "i1", NULL, &w.sb, &w.err), SBX_OK);
    SCRIPT(w.script, RUNS("60000"));
    runs(&w, 60000);
    SCRIPT(w.script, ARMS("10830"), RUNS("10800000"));
    runs(&w, 10800000);
    scripted_finish(&w);
}

/* A deadline bounds the request alone: nothing of it is on the wire (E7, F016). */
static void a_deadline_is_no_lifetime(void) {
    struct scripted w = scripted_launched(NULL);
    struct sbx_exec_result *result = NULL;
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), w.env, 7000);
    SCRIPT(w.script, RUNS("1800000"));
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, &call, &result, &w.err), SBX_OK);
    sbx_exec_result_free(result);
    scripted_finish(&w);
}

/* F017: 0 and less are refused before anything is sent. */
static void f017_no_lifetime_is_no_limit(void) {
    static const char *const values[] = {"0", "-1", "", "soon", "99999999999999999999"};
    struct scripted w = scripted_new(NULL);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        const struct sbx_pair pair = {"sandbox_lifetime_ms", values[i]};
        struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
        opt.provider_options = &pair;
        opt.provider_option_count = 1;
        T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_INVALID_OPTIONS);
        T_CONTAINS(w.err.detail, "sandbox_lifetime_ms");
    }
    scripted_finish(&w);
}

/* A paused sandbox is not resumed by a command, and says so (digest 8, 10). */
static void a_paused_one_is_told(void) {
    struct scripted w = scripted_launched(NULL);
    struct sbx_exec_result *result = NULL;
    T_STATUS(w.env->sleep_until(w.env, w.env->now_ms(w.env) + 600000, NULL), SBX_OK);
    SCRIPT(w.script,
           {.request = "POST " API "/sandboxes/i1/timeout",
            JSON(404, "{\"code\":404,\"message\":\"Sandbox \\\"i1\\\" doesn't exist\"}")},
           PAUSED_1);
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, NULL, &result, &w.err), SBX_NOT_READY);
    T_EQ(w.err.outcome, SBX_OUTCOME_NOT_SENT);
    T_STR(w.err.detail, "the sandbox's state is PAUSED");
    scripted_finish(&w);
}

T_CASES(T_CASE(must_fire_create_lifetime_sent__both_generations),
        T_CASE(must_not_fire_create_lifetime_sent__option_of_a_launch), T_CASE(must_fire_start_lifetime_sent__resume),
        T_CASE(must_not_fire_start_lifetime_sent__default), T_CASE(must_fire_sync_run_is_capped__budget),
        T_CASE(must_not_fire_sync_run_is_capped__callers_own), T_CASE(must_fire_command_lifetime_sent__every_process),
        T_CASE(must_not_fire_command_lifetime_sent__no_process), T_CASE(must_fire_lifetime_is_never_0__bounds),
        T_CASE(must_not_fire_lifetime_is_never_0__between),
        T_CASE(must_fire_implicit_budget_never_extends__longer_budget),
        T_CASE(must_not_fire_implicit_budget_never_extends__explicit), T_CASE(must_fire_sandbox_rearmed__after_a_while),
        T_CASE(must_not_fire_sandbox_rearmed__at_once), T_CASE(a_new_end_whose_answer_was_lost),
        T_CASE(an_end_that_is_later_stays), T_CASE(a_deadline_is_no_lifetime), T_CASE(f017_no_lifetime_is_no_limit),
        T_CASE(a_paused_one_is_told))
