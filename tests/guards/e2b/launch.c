/* Guards of launches: proven, cleaned up when they fail, found again when their answer was lost. Rows E1, E2, P9, P12,
 * D20; F038, F040, F121. */
#include "e2b_script.h"

#define ACQ     "00112233445566778899aabbccddeeff"
#define CREATES "POST " API "/v2/sandboxes"
#define LISTS   "GET " API "/v2/sandboxes?metadata=sandport-acq%3D" ACQ "&state=running%2Cpaused&limit=100"
#define LISTED  JSON(200, "[{\"sandboxID\":\"i1\",\"state\":\"running\",\"metadata\":{\"sandport-acq\":\"" ACQ "\"}}]")
#define DELETES                                                                                                        \
    { .request = "DELETE " API "/sandboxes/i1", .http_status = 204 }

static enum sbx_status launch(struct scripted *w, int64_t cleanup_ms) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    opt.acquisition = ACQ;
    call.cleanup_ms = cleanup_ms;
    enum sbx_status st = sbx_runtime_launch(w->rt, &opt, &call, &w->sb, &w->err);
    script_done(w->script);
    return st;
}

static void what_a_launch_asks_for(void) {
    const struct sbx_pair labels[] = {{"user", "ann"}, {"k&", "v=1"}}, env[] = {{"FOO", "bar"}};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct scripted w = scripted_new(NULL);
    opt.acquisition = ACQ;
    opt.name = "mine";
    opt.snapshot = "team/tmpl:2";
    opt.labels = labels;
    opt.label_count = 2;
    opt.env = env;
    opt.env_count = 1;
    SCRIPT(w.script,
           {.request = CREATES,
            .head = {"X-API-Key: " KEY, "Content-Type: application/json", "!Authorization"},
            .body = "{\"templateID\":\"team/tmpl:2\",\"timeout\":1800,\"metadata\":{\"user\":\"ann\",\"k&\":\"v=1\","
                    "\"sandport-acq\":\"" ACQ "\",\"sandport-name\":\"mine\"},\"envVars\":{\"FOO\":\"bar\"}}",
            CREATED},
           PROBED);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_RUNNING);
    scripted_finish(&w);
}

/* ---- e2b_launch_probe ---- */

static void must_fire_e2b_launch_probe__never_runs_a_command(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, CREATED}, {.request = START_URL, JSON(401, "{\"code\":401}")}, DELETES, GONE);
    T_STATUS(launch(&w, 0), SBX_UNAUTHORISED);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_STR(w.err.sandbox_id, "i1");
    scripted_finish(&w);
}

static void must_not_fire_e2b_launch_probe__runs_one_later(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, CREATED}, {.request = START_URL, .http_status = 502}, PROBED);
    T_STATUS(launch(&w, 0), SBX_OK);
    scripted_finish(&w);
}

/* ---- e2b_failed_create_deletes ---- */

static void must_fire_e2b_failed_create_deletes__answer_lost(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, .evidence = SBX_EVIDENCE_SENT_NO_ANSWER}, {.request = LISTS, LISTED}, DELETES,
           GONE);
    T_STATUS(launch(&w, 0), SBX_CONNECTION_LOST);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    scripted_finish(&w);
}

/* Digest 8, 7: a text of an edge. */
static void must_fire_e2b_failed_create_deletes__edge_timeout(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, .http_status = 504, .answer = "upstream request timeout"},
           {.request = LISTS, LISTED}, DELETES, GONE);
    T_STATUS(launch(&w, 0), SBX_PROVIDER);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    scripted_finish(&w);
}

static void must_not_fire_e2b_failed_create_deletes__refused(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, JSON(404, "{\"code\":404,\"message\":\"template 'x' not found\"}")});
    T_STATUS(launch(&w, 0), SBX_SNAPSHOT_NOT_FOUND);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    scripted_finish(&w);
}

/* ---- e2b_late_create: absent now is not absent ---- */

static void must_fire_e2b_late_create__listed_later(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, .evidence = SBX_EVIDENCE_SENT_NO_ANSWER}, {.request = LISTS, JSON(200, "[]")},
           {.request = LISTS, JSON(200, "null")}, {.request = LISTS, LISTED}, DELETES, GONE);
    T_STATUS(launch(&w, 0), SBX_CONNECTION_LOST);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    scripted_finish(&w);
}

/* What is never found is not proven absent. */
static void must_not_fire_e2b_late_create__time_over(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, .evidence = SBX_EVIDENCE_SENT_NO_ANSWER}, {.request = LISTS, JSON(200, "[]")},
           {.request = LISTS, JSON(200, "[]")}, {.request = LISTS, JSON(200, "[]"), .takes_ms = 1000});
    T_STATUS(launch(&w, 900), SBX_CONNECTION_LOST);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(w.err.cleanup, SBX_CLEANUP_UNCONFIRMED);
    T_STR(w.err.acquisition, ACQ);
    scripted_finish(&w);
}

/* Each way that a create can fail, and what it says of it. */
static void creates_of_every_outcome(void) {
    static const struct {
        struct script_step step;
        enum sbx_status st;
        enum sbx_outcome outcome;
    } cases[] = {
        {{.request = CREATES, .evidence = SBX_EVIDENCE_RESOLVE}, SBX_CONNECT_FAILED, SBX_OUTCOME_NOT_SENT},
        {{.request = CREATES, JSON(401, "{\"code\":401,\"message\":\"Invalid API key, please visit\\nx\"}")},
         SBX_UNAUTHORISED,
         SBX_OUTCOME_REFUSED},
        {{.request = CREATES, JSON(403, "{\"code\":403,\"message\":\"team is banned\"}")},
         SBX_FORBIDDEN,
         SBX_OUTCOME_REFUSED},
        {{.request = CREATES,
          JSON(429, "{\"code\":429,\"message\":\"you have reached the maximum number of concurrent E2B sandboxes\"}")},
         SBX_QUOTA,
         SBX_OUTCOME_REFUSED},
        {{.request = CREATES, .http_status = 302, .answer_head = "Location: http://evil.test/\n"},
         SBX_PROTOCOL,
         SBX_OUTCOME_UNKNOWN},
        {{.request = CREATES, JSON(201, "{\"sandboxID\":7}")}, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN},
        {{.request = CREATES, JSON(201, "{\"sandboxID\":")}, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN},
        {{.request = CREATES, .http_status = 201}, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN},
        {{.request = CREATES, JSON(500, "{\"code\":500,\"message\":\"Failed to create sandbox\"}")},
         SBX_PROVIDER,
         SBX_OUTCOME_UNKNOWN},
        {{.request = CREATES, .evidence = SBX_EVIDENCE_PARTIAL, JSON(201, "{\"sandboxID\":\"i1\"")},
         SBX_CONNECTION_LOST,
         SBX_OUTCOME_UNKNOWN},
        {{.request = CREATES, .evidence = SBX_EVIDENCE_DEADLINE}, SBX_DEADLINE, SBX_OUTCOME_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scripted w = scripted_new(NULL);
        script_play(w.script, &cases[i].step, 1);
        T_STATUS(launch(&w, SBX_NO_CLEANUP), cases[i].st);
        T_EQ(w.err.outcome, cases[i].outcome);
        T_EQ(w.err.cleanup, cases[i].outcome == SBX_OUTCOME_UNKNOWN ? SBX_CLEANUP_UNCONFIRMED : SBX_CLEANUP_NONE);
        scripted_finish(&w);
    }
}

/* ---- e2b_unknown_provider_option ---- */

static enum sbx_status launch_option(struct scripted *w, const char *name, const char *value) {
    const struct sbx_pair pair = {name, value};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.provider_options = &pair;
    opt.provider_option_count = 1;
    return sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err);
}

static void must_fire_e2b_unknown_provider_option__name(void) {
    struct scripted w = scripted_new(NULL);
    T_STATUS(launch_option(&w, "timeout", "300"), SBX_INVALID_OPTIONS);
    T_STR(w.err.detail, "provider_options: expected template or sandbox_lifetime_ms");
    T_STATUS(launch_option(&w, "template", ""), SBX_INVALID_OPTIONS);
    scripted_finish(&w);
}

static void must_not_fire_e2b_unknown_provider_option__known(void) {
    struct scripted w = scripted_new(NULL);
    SCRIPT(w.script, {.request = CREATES, .body = "\"templateID\":\"desktop\"", CREATED}, PROBED);
    T_STATUS(launch_option(&w, "template", "desktop"), SBX_OK);
    scripted_finish(&w);
}

static void what_e2b_cannot_do_is_refused(void) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct scripted w = scripted_new(NULL);
    struct sbx_sandbox *sb = NULL;
    opt.target = "eu";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_UNSUPPORTED);
    opt.target = NULL;
    opt.ttl_min = 5;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_UNSUPPORTED);
    T_STATUS(sbx_runtime_launch_detached(w.rt, NULL, NULL, &sb, &w.err), SBX_UNSUPPORTED);
    scripted_finish(&w);
}

T_CASES(T_CASE(what_a_launch_asks_for), T_CASE(must_fire_e2b_launch_probe__never_runs_a_command),
        T_CASE(must_not_fire_e2b_launch_probe__runs_one_later),
        T_CASE(must_fire_e2b_failed_create_deletes__answer_lost),
        T_CASE(must_fire_e2b_failed_create_deletes__edge_timeout),
        T_CASE(must_not_fire_e2b_failed_create_deletes__refused), T_CASE(must_fire_e2b_late_create__listed_later),
        T_CASE(must_not_fire_e2b_late_create__time_over), T_CASE(creates_of_every_outcome),
        T_CASE(must_fire_e2b_unknown_provider_option__name), T_CASE(must_not_fire_e2b_unknown_provider_option__known),
        T_CASE(what_e2b_cannot_do_is_refused))
