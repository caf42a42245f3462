/* Guards of changes: a delete is proven, a busy sandbox is asked for 30 s, a pause is seen. Rows P10, E1; F152. */
#include "e2b_script.h"

#define DELETES                                                                                                        \
    { .request = "DELETE " API "/sandboxes/i1", .http_status = 204 }
#define RESUMING                                                                                                       \
    {                                                                                                                  \
        .request = "DELETE " API "/sandboxes/i1",                                                                      \
        JSON(409, "{\"code\":409,\"message\":\"Sandbox i1 is resuming; retry the delete once it is running\"}")        \
    }

static enum sbx_status destroy(struct scripted *w) {
    enum sbx_status st = sbx_sandbox_destroy(w->sb, NULL, &w->err);
    script_done(w->script);
    return st;
}

/* ---- delete_is_confirmed ---- */

#define STILL  STANDS("running")
#define STILLS STILL, STILL, STILL, STILL, STILL, STILL, STILL, STILL, STILL

/* 204 without effect, once (F152). */
static void must_fire_delete_is_confirmed__first_did_nothing(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, DELETES, STILLS, DELETES, GONE);
    T_STATUS(destroy(&w), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_DESTROYED);
    scripted_finish(&w);
}

/* For ever: it is not called destroyed, and the handle can be tried again. */
static void must_fire_delete_is_confirmed__never_does_anything(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, DELETES, STILLS, DELETES, STILLS, DELETES, STILLS);
    T_STATUS(destroy(&w), SBX_PROVIDER);
    SCRIPT(w.script, DELETES, GONE);
    T_STATUS(destroy(&w), SBX_OK);
    scripted_finish(&w);
}

static void must_not_fire_delete_is_confirmed__gone(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, DELETES, GONE);
    T_STATUS(destroy(&w), SBX_OK);
    scripted_finish(&w);
}

/* Digest 8, 11. */
static void e2b8_11_deleted_before(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = "DELETE " API "/sandboxes/i1", JSON(404, GONE_TEXT)}, GONE);
    T_STATUS(destroy(&w), SBX_OK);
    T_STATUS(destroy(&w), SBX_OK); /* and again: nothing is sent */
    scripted_finish(&w);
}

/* A 404 of an edge says nothing. */
static void a_404_without_a_code_is_none(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, {.request = "DELETE " API "/sandboxes/i1", .http_status = 404, .answer = "404 page not found"});
    T_STATUS(destroy(&w), SBX_PROVIDER);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    scripted_finish(&w);
}

/* ---- e2b_conflict_30_s ---- */

static void must_fire_e2b_conflict_30_s__resuming(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, RESUMING, RESUMING, RESUMING, RESUMING, RESUMING, RESUMING, DELETES, GONE);
    T_STATUS(destroy(&w), SBX_OK);
    scripted_finish(&w);
}

static void must_not_fire_e2b_conflict_30_s__no_longer(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script, RESUMING,
           {.request = "DELETE " API "/sandboxes/i1",
            .takes_ms = 31000,
            JSON(409, "{\"code\":409,\"message\":\"Sandbox i1 is resuming\"}")});
    T_STATUS(destroy(&w), SBX_CONFLICT);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    scripted_finish(&w);
}

/* ---- pauses (digest 8, 14) ---- */

#define PAUSE "POST " API "/sandboxes/i1/pause"

static void e2b8_14_paused_already_and_busy(void) {
    struct scripted w = scripted_launched(NULL);
    SCRIPT(w.script,
           {.request = PAUSE,
            JSON(503, "{\"code\":503,\"message\":\"Sandbox 'i1' cannot be paused right now because "
                      "its node is busy, please retry\"}")},
           {.request = PAUSE,
            .body = "{}",
            JSON(409, "{\"code\":409,\"message\":\"Error pausing sandbox - sandbox 'i1' is already paused\"}")},
           STANDS("paused"));
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_PAUSED);
    scripted_finish(&w);
}

/* Digest 8, 12: the token of before is worth nothing. */
static void e2b8_12_a_resume_brings_a_new_token(void) {
    struct scripted w = scripted_launched(NULL);
    struct sbx_exec_result *result = NULL;
    SCRIPT(w.script,
           {.request = "POST " API "/v2/sandboxes/i1/connect",
            JSON(201, "{\"sandboxID\":\"i1\",\"templateID\":\"t\",\"envdAccessToken\":\"new\"}")},
           {.request = START_URL, .head = {"X-Access-Token: new"}, STREAM(BEGUN END_0 EOS)});
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    SCRIPT(w.script, {.request = START_URL, .head = {"X-Access-Token: new"}, STREAM(BEGUN END_0 EOS)});
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, NULL, &result, &w.err), SBX_OK);
    sbx_exec_result_free(result);
    scripted_finish(&w);
}

/* And so it is when the start itself fails behind the resume. */
static void e2b8_12_also_when_the_start_fails(void) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.probe_window_ms = 1;
    struct scripted w = scripted_launched(&opt);
    SCRIPT(w.script,
           {.request = "POST " API "/v2/sandboxes/i1/connect",
            JSON(201, "{\"sandboxID\":\"i1\",\"templateID\":\"t\",\"envdAccessToken\":\"new\"}")},
           {.request = START_URL, .http_status = 500, .takes_ms = 5}, );
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_PROVIDER);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    SCRIPT(w.script, {.request = START_URL, .head = {"X-Access-Token: new"}, STREAM(BEGUN END_0 EOS)});
    T_STATUS(sbx_sandbox_exec(w.sb, "true", NULL, NULL, &result, &w.err), SBX_OK);
    sbx_exec_result_free(result);
    scripted_finish(&w);
}

/* Digest 8, 13. */
static void e2b8_13_starts_that_are_refused(void) {
    static const struct {
        struct script_step step;
        enum sbx_status st;
    } cases[] = {
        {{.request = "POST " API "/v2/sandboxes/i1/connect",
          JSON(409, "{\"code\":409,\"message\":\"Sandbox \\\"i1\\\" is being killed\"}")},
         SBX_NOT_FOUND},
        {{.request = "POST " API "/v2/sandboxes/i1/connect", JSON(404, GONE_TEXT)}, SBX_NOT_FOUND},
        {{.request = "POST " API "/v2/sandboxes/i1/connect",
          JSON(429, "{\"code\":429,\"message\":\"you have reached the maximum number of concurrent E2B sandboxes\"}")},
         SBX_QUOTA},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scripted w = scripted_launched(NULL);
        script_play(w.script, &cases[i].step, 1);
        T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), cases[i].st);
        T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
        scripted_finish(&w);
    }
}

T_CASES(T_CASE(must_fire_delete_is_confirmed__first_did_nothing),
        T_CASE(must_fire_delete_is_confirmed__never_does_anything), T_CASE(must_not_fire_delete_is_confirmed__gone),
        T_CASE(e2b8_11_deleted_before), T_CASE(a_404_without_a_code_is_none),
        T_CASE(must_fire_e2b_conflict_30_s__resuming), T_CASE(must_not_fire_e2b_conflict_30_s__no_longer),
        T_CASE(e2b8_14_paused_already_and_busy), T_CASE(e2b8_12_a_resume_brings_a_new_token),
        T_CASE(e2b8_12_also_when_the_start_fails), T_CASE(e2b8_13_starts_that_are_refused))
