/* Fault rules: what each effect does to an exchange, which exchange a rule is for, and which rules are none. */
#include "echo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
    struct echo_cloud echo;
    struct sim *sim;
    struct echo_answer ans;
};

static struct scene *scene_new(void) {
    struct scene *s = calloc(1, sizeof(*s));
    T_TRUE(s);
    s->sim = echo_sim(7, &s->echo);
    return s;
}

static void scene_free(struct scene *s) {
    echo_answer_finish(&s->ans);
    sim_free(s->sim);
    free(s);
}

#define MAKE "{\"name\":\"thing\"}"

/* ---- effects ---- */

static void status__before_is_answered_in_place_of_the_cloud(void) {
    struct scene *s = scene_new();
    int64_t rule = echo_fault(s->sim, "{\"op\":\"echo.make\",\"phase\":\"before\",\"times\":1,"
                                      "\"effect\":{\"kind\":\"status\",\"status\":429,\"retry_after\":\"7\"}}");
    echo_ask(s->sim, "/v1/make", MAKE, &s->ans);
    T_EQ(s->ans.evidence, SBX_EVIDENCE_DONE);
    T_EQ(s->ans.info.http_status, 429);
    T_CONTAINS(sbx_buf_text(&s->ans.head), "Retry-After: 7\n");
    T_STR(sbx_buf_text(&s->ans.body), "{\"echo_error\":429}");
    T_EQ(s->echo.made, 0);
    T_EQ(sim_faults_hits(sim_faults(s->sim), rule), 1);
    echo_ask(s->sim, "/v1/make", MAKE, &s->ans);
    T_EQ(s->ans.info.http_status, 200);
    T_EQ(sim_faults_hits(sim_faults(s->sim), rule), 1);
    scene_free(s);
}

static void status__with_a_body_of_the_rule(void) {
    struct scene *s = scene_new();
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"before\",\"times\":1,"
                       "\"effect\":{\"kind\":\"status\",\"status\":500,\"body\":{\"a\":[1]}}}");
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"before\","
                       "\"effect\":{\"kind\":\"status\",\"status\":500,\"body\":\"{broken\"}}");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_STR(sbx_buf_text(&s->ans.body), "{\"a\":[1]}");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_STR(sbx_buf_text(&s->ans.body), "{broken");
    scene_free(s);
}

static void html__is_a_page_of_the_edge(void) {
    struct scene *s = scene_new();
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"before\",\"effect\":{\"kind\":\"html\"}}");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_EQ(s->ans.info.http_status, 502);
    T_CONTAINS(sbx_buf_text(&s->ans.head), "text/html");
    T_CONTAINS(sbx_buf_text(&s->ans.body), "<html>");
    scene_free(s);
}

/* Each phase up to the commit leaves nothing, each after it leaves the thing that was made. */
static void ends_without_an_answer(const char *kind, enum sbx_evidence evidence) {
    static const struct {
        const char *phase;
        int64_t made;
    } phases[] = {{"before", 0}, {"before_commit", 0}, {"after_commit", 1}};
    for (size_t i = 0; i < 3; i++) {
        struct scene *s = scene_new();
        char rule[160], line[64];
        snprintf(rule, sizeof(rule), "{\"op\":\"echo.make\",\"phase\":\"%s\",\"effect\":{\"kind\":\"%s\"}}",
                 phases[i].phase, kind);
        echo_fault(s->sim, rule);
        echo_ask(s->sim, "/v1/make", MAKE, &s->ans);
        T_EQ(s->ans.evidence, evidence);
        T_EQ(s->ans.info.http_status, 0);
        T_TRUE(s->ans.info.sent_bytes > 0);
        T_EQ(s->echo.made, phases[i].made);
        T_EQ(sim_ledger_live(sim_ledger(s->sim)), phases[i].made);
        snprintf(line, sizeof(line), "POST /make -> %s\n", kind);
        T_CONTAINS(sim_journal_timeline(sim_journal(s->sim)), line);
        scene_free(s);
    }
}

static void reset__ends_without_an_answer(void) {
    ends_without_an_answer("reset", SBX_EVIDENCE_SENT_NO_ANSWER);
}
static void close__ends_without_an_answer(void) {
    ends_without_an_answer("close", SBX_EVIDENCE_SENT_NO_ANSWER);
}
static void hang__ends_at_the_deadline(void) {
    ends_without_an_answer("hang", SBX_EVIDENCE_DEADLINE);
}

static void mid_reply__cuts_the_answer_where_it_says(const char *effect, enum sbx_evidence evidence, uint64_t bytes) {
    struct scene *s = scene_new();
    char rule[200];
    snprintf(rule, sizeof(rule), "{\"op\":\"echo.make\",\"phase\":\"mid_reply\",\"effect\":%s}", effect);
    echo_fault(s->sim, rule);
    echo_ask(s->sim, "/v1/make", MAKE, &s->ans);
    T_EQ(s->ans.evidence, evidence);
    T_EQ(s->ans.info.http_status, 200);
    T_EQ(s->ans.info.got_bytes, bytes);
    T_EQ(s->echo.made, 1);
    T_CONTAINS(sim_journal_timeline(sim_journal(s->sim)), "POST /make -> cut\n");
    scene_free(s);
}

static void cut__ends_within_the_body(void) {
    mid_reply__cuts_the_answer_where_it_says("{\"kind\":\"cut\",\"at_bytes\":5}", SBX_EVIDENCE_PARTIAL, 5);
    mid_reply__cuts_the_answer_where_it_says("{\"kind\":\"cut\",\"at_bytes\":9,\"value\":\"reset\"}",
                                             SBX_EVIDENCE_PARTIAL, 9);
    mid_reply__cuts_the_answer_where_it_says("{\"kind\":\"reset\"}", SBX_EVIDENCE_PARTIAL, 0);
    mid_reply__cuts_the_answer_where_it_says("{\"kind\":\"hang\",\"at_bytes\":3}", SBX_EVIDENCE_DEADLINE, 3);
}

static void late__the_change_is_at_once_and_its_answer_later(void) {
    struct scene *s = scene_new();
    echo_fault(s->sim,
               "{\"op\":\"echo.make\",\"phase\":\"after_commit\",\"effect\":{\"kind\":\"late\",\"delay_ms\":3000}}");
    echo_ask_by(s->sim, "/v1/make", MAKE, 1000, &s->ans);
    T_EQ(s->ans.evidence, SBX_EVIDENCE_DEADLINE);
    T_EQ(s->echo.made, 1);
    echo_ask(s->sim, "/v1/make", MAKE, &s->ans);
    T_EQ(s->ans.info.http_status, 200);
    T_EQ(sim_now(sim_world(s->sim)) / SIM_MS, 4005);
    T_CONTAINS(sim_journal_timeline(sim_journal(s->sim)), "[  3005] POST /make -> gone\n[  4005] POST /make -> 200\n");
    scene_free(s);
}

static void slow__trickles(void) {
    struct scene *s = scene_new();
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"effect\":{\"kind\":\"slow\",\"delay_ms\":800}}");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_EQ(s->ans.evidence, SBX_EVIDENCE_DONE);
    T_EQ(sim_now(sim_world(s->sim)) / SIM_MS, 805);
    T_CONTAINS(sbx_buf_text(&s->ans.body), "\"state\":\"ready\"");
    scene_free(s);
}

static void mutate__changes_or_removes_a_member(void) {
    struct scene *s = scene_new();
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"times\":1,"
                       "\"effect\":{\"kind\":\"mutate\",\"path\":\"$.state\",\"value\":17}}");
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"times\":1,"
                       "\"effect\":{\"kind\":\"mutate\",\"path\":\"$.env.TOKEN\"}}");
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"times\":1,"
                       "\"effect\":{\"kind\":\"mutate\",\"path\":\"$.id\",\"value\":null}}");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_CONTAINS(sbx_buf_text(&s->ans.body), "\"state\":17");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_CONTAINS(sbx_buf_text(&s->ans.body), "\"env\":{}");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_CONTAINS(sbx_buf_text(&s->ans.body), "{\"id\":null,");
    scene_free(s);
}

static void an_effect_of_the_clouds_own_happens_and_the_exchange_goes_on(void) {
    struct scene *s = scene_new();
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"before\",\"times\":1,"
                       "\"effect\":{\"kind\":\"state\",\"state\":\"stopped\"}}");
    echo_fault(s->sim, "{\"op\":\"echo.get\",\"phase\":\"after\",\"nth\":2,"
                       "\"effect\":{\"kind\":\"state\",\"state\":\"gone\"}}");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_EQ(s->ans.info.http_status, 200);
    T_EQ(s->echo.effects, 1);
    T_STR(s->echo.last_state, "stopped");
    echo_ask(s->sim, "/v1/things/x", NULL, &s->ans);
    T_EQ(s->ans.info.http_status, 200);
    T_EQ(s->echo.effects, 2);
    T_STR(s->echo.last_state, "gone");
    scene_free(s);
}

/* ---- which exchange ---- */

static int64_t ask_rules(struct sim *sim, const char *state, const char *labels) {
    const struct sim_fault_subject subject = {"echo.get", "id-1", "name-1", "sb-1", state, labels};
    const struct sim_effect *effect = sim_faults_ask(sim_faults(sim), SIM_PHASE_BEFORE, &subject);
    return effect ? effect->rule : 0;
}

#define RULE(rest) "{\"op\":\"echo.get\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}" rest "}"

static void matching__nth_and_times(void) {
    struct scene *s = scene_new();
    int64_t third = echo_fault(s->sim, RULE(",\"nth\":3,\"times\":2"));
    static const int fires[] = {0, 0, 1, 1, 0, 0};
    for (size_t i = 0; i < 6; i++) T_EQ(ask_rules(s->sim, "ready", ""), fires[i] ? third : 0);
    T_EQ(sim_faults_hits(sim_faults(s->sim), third), 2);
    scene_free(s);
}

/* An exchange that an earlier rule took still counts for the later ones. */
static void matching__the_first_that_is_not_spent(void) {
    struct scene *s = scene_new();
    int64_t first = echo_fault(s->sim, RULE(",\"times\":1")), second = echo_fault(s->sim, RULE(",\"nth\":2"));
    T_EQ(ask_rules(s->sim, "ready", ""), first);
    T_EQ(ask_rules(s->sim, "ready", ""), second);
    T_EQ(ask_rules(s->sim, "ready", ""), second);
    scene_free(s);
}

static void matching__where(void) {
    static const struct {
        const char *where;
        int fires;
    } cases[] = {
        {"\"label\":\"a=1\"", 1},      {"\"label\":\"a=2\"", 0},
        {"\"label\":\"a=\"", 0},       {"\"label\":\"b=x=y\"", 1},
        {"\"label\":\"b=x\"", 0},      {"\"state\":\"ready\"", 1},
        {"\"state\":\"stopped\"", 0},  {"\"sandbox\":\"id-1\"", 1},
        {"\"sandbox\":\"name-1\"", 1}, {"\"sandbox\":\"sb-1\"", 1},
        {"\"sandbox\":\"sb-2\"", 0},   {"\"after_ms\":100", 0},
        {"\"after_ms\":0", 1},         {"\"state\":\"ready\",\"label\":\"a=2\"", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene *s = scene_new();
        char rule[200];
        snprintf(rule, sizeof(rule), RULE(",\"where\":{%s}"), cases[i].where);
        int64_t number = echo_fault(s->sim, rule);
        if (ask_rules(s->sim, "ready", "a=1\nb=x=y\n") != (cases[i].fires ? number : 0)) T_FAIL("%s", cases[i].where);
        sim_advance_to(sim_world(s->sim), 200 * SIM_MS);
        if (strstr(cases[i].where, "after_ms")) T_EQ(ask_rules(s->sim, "ready", ""), number);
        scene_free(s);
    }
}

static void matching__what_is_unknown_matches_no_condition(void) {
    struct scene *s = scene_new();
    echo_fault(s->sim, RULE(",\"where\":{\"state\":\"ready\"}"));
    echo_fault(s->sim, RULE(",\"where\":{\"label\":\"a=1\"}"));
    T_EQ(ask_rules(s->sim, NULL, NULL), 0);
    scene_free(s);
}

static void matching__a_rate_is_the_seeds(void) {
    int64_t hits[2] = {0};
    for (int run = 0; run < 2; run++) {
        struct scene *s = scene_new();
        int64_t rule = echo_fault(s->sim, RULE(",\"rate\":0.25"));
        for (int i = 0; i < 1000; i++) ask_rules(s->sim, "ready", "");
        hits[run] = sim_faults_hits(sim_faults(s->sim), rule);
        scene_free(s);
    }
    T_TRUE(hits[0] > 200 && hits[0] < 300);
    T_EQ(hits[0], hits[1]);
}

static void removing__one_and_all(void) {
    struct scene *s = scene_new();
    struct sim_faults *faults = sim_faults(s->sim);
    int64_t one = echo_fault(s->sim, RULE("")), two = echo_fault(s->sim, RULE(""));
    T_EQ(sim_faults_remove(faults, one), 1);
    T_EQ(sim_faults_remove(faults, one), 0);
    T_EQ(sim_faults_remove(faults, 99), 0);
    T_EQ(sim_faults_hits(faults, one), -1);
    T_EQ(ask_rules(s->sim, "ready", ""), two);
    T_EQ(sim_faults_remove(faults, 0), 1);
    T_EQ(ask_rules(s->sim, "ready", ""), 0);
    T_EQ(echo_fault(s->sim, RULE("")), 3); /* a number is never used twice */
    scene_free(s);
}

static void listing__says_what_was_added(void) {
    struct scene *s = scene_new();
    struct sbx_buf json = SBX_BUF_INIT;
    echo_fault(s->sim,
               "{\"op\":\"echo.get\",\"phase\":\"before\",\"nth\":2,\"times\":3,\"rate\":0.5,\"where\":{\"label\":"
               "\"a=1\",\"after_ms\":5},\"effect\":{\"kind\":\"mutate\",\"path\":\"$.a\",\"value\":{\"b\":1}}}");
    sim_faults_json(sim_faults(s->sim), &json, NULL);
    T_STR(sbx_buf_text(&json),
          "[{\"rule\":1,\"hits\":0,\"op\":\"echo.get\",\"phase\":\"before\",\"nth\":2,\"times\":3,\"rate\":0.500000,"
          "\"where\":{\"label\":\"a=1\",\"after_ms\":5},\"effect\":{\"kind\":\"mutate\",\"path\":\"$.a\",\"value\":"
          "{\"b\":1}}}]");
    sbx_buf_finish(&json);
    scene_free(s);
}

/* ---- what is no rule ---- */

static void refused__every_bad_member_by_name(void) {
#define GOOD(effect) "{\"op\":\"echo.get\",\"phase\":\"before\",\"effect\":" effect "}"
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"[]", "object"},
        {"{}", "effect"},
        {"{\"op\":\"echo.get\",\"phase\":\"before\"}", "effect"},
        {"{\"op\":\"echo.nope\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}", "op: "},
        {"{\"op\":\"daytona.sandbox.create\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}", "op: "},
        {"{\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}", "op"},
        {"{\"op\":7,\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}", "op"},
        {"{\"op\":\"echo.get\",\"phase\":\"during\",\"effect\":{\"kind\":\"reset\"}}", "phase: "},
        {"{\"op\":\"echo.get\",\"effect\":{\"kind\":\"reset\"}}", "phase"},
        {RULE(",\"nth\":-1"), "nth: "},
        {RULE(",\"times\":-1"), "times: "},
        {RULE(",\"times\":1.5"), "times"},
        {RULE(",\"rate\":1.5"), "rate: "},
        {RULE(",\"rate\":-0.5"), "rate: "},
        {RULE(",\"extra\":1"), "extra: "},
        {RULE(",\"where\":{\"colour\":\"red\"}"), "where.colour: "},
        {RULE(",\"where\":{\"label\":\"red\"}"), "where.label: "},
        {RULE(",\"where\":{\"label\":\"=red\"}"), "where.label: "},
        {RULE(",\"where\":{\"after_ms\":-5}"), "where.after_ms: "},
        {RULE(",\"where\":7"), "where"},
        {GOOD("{}"), "effect.kind"},
        {GOOD("{\"kind\":\"explode\"}"), "effect.kind: "},
        {GOOD("{\"kind\":\"reset\",\"when\":1}"), "effect.when: "},
        {GOOD("{\"kind\":\"reset\",\"status\":500}"), "effect.status: "},
        {GOOD("{\"kind\":\"reset\",\"at_bytes\":5}"), "effect.at_bytes: "},
        {GOOD("{\"kind\":\"status\"}"), "effect.status: "},
        {GOOD("{\"kind\":\"status\",\"status\":99}"), "effect.status: "},
        {GOOD("{\"kind\":\"status\",\"status\":600}"), "effect.status: "},
        {GOOD("{\"kind\":\"status\",\"status\":99999999999}"), "effect.status: "},
        {GOOD("{\"kind\":\"status\",\"status\":500,\"path\":\"$\"}"), "effect.path: "},
        {GOOD("{\"kind\":\"status\",\"status\":500,\"retry_after\":\"1\\r\\nX: y\"}"), "effect.retry_after: "},
        {GOOD("{\"kind\":\"html\",\"body\":\"x\"}"), "effect.body: "},
        {GOOD("{\"kind\":\"late\"}"), "effect.delay_ms: "},
        {GOOD("{\"kind\":\"late\",\"delay_ms\":-1}"), "effect.delay_ms: "},
        {GOOD("{\"kind\":\"slow\",\"delay_ms\":9007199254740991}"), "effect.delay_ms: "},
        {GOOD("{\"kind\":\"cut\",\"at_bytes\":-1}"), "effect.at_bytes: "},
        {GOOD("{\"kind\":\"cut\",\"value\":\"explode\"}"), "effect.value: "},
        {GOOD("{\"kind\":\"mutate\",\"value\":1}"), "effect.path: "},
        {GOOD("{\"kind\":\"mutate\",\"path\":\"state\"}"), "effect.path: "},
        {GOOD("{\"kind\":\"mutate\",\"path\":\"$.\"}"), "effect.path: "},
        {GOOD("{\"kind\":\"mutate\",\"path\":\"$[x]\"}"), "effect.path: "},
        {GOOD("{\"kind\":\"mutate\",\"path\":\"$[0\"}"), "effect.path: "},
        {"{\"op\":\"echo.get\",\"phase\":\"mid_reply\",\"effect\":{\"kind\":\"status\",\"status\":500}}", "phase: "},
        {"{\"op\":\"echo.get\",\"phase\":\"after\",\"effect\":{\"kind\":\"reset\"}}", "phase: "},
        {"{\"op\":\"echo.file\",\"phase\":\"before\",\"effect\":{\"kind\":\"state\",\"state\":\"x\"}}",
         "effect.kind: "},
    };
    struct scene *s = scene_new();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbx_json *js = NULL;
        char why[160] = "";
        T_STATUS(sbx_json_parse(bad[i].json, strlen(bad[i].json), 0, &js), SBX_OK);
        if (sim_faults_add_json(sim_faults(s->sim), js, sbx_json_root(js), why, sizeof(why)))
            T_FAIL("taken: %s", bad[i].json);
        if (!strstr(why, bad[i].why)) T_FAIL("%s: says '%s'", bad[i].json, why);
        sbx_json_free(js);
    }
    T_EQ(ask_rules(s->sim, "ready", ""), 0);
    scene_free(s);
}

static void refused__a_struct_of_another_size(void) {
    struct scene *s = scene_new();
    struct sbx_fault rule = {.op = "echo.get", .phase = "before", .effect = {.kind = "reset"}};
    char why[80] = "";
    T_TRUE(sim_faults_add(sim_faults(s->sim), &rule, why, sizeof(why)) == 1);
    rule.size = sizeof(rule);
    T_TRUE(sim_faults_add(sim_faults(s->sim), &rule, NULL, 0) == 2);
    rule.size = 8;
    T_EQ(sim_faults_add(sim_faults(s->sim), &rule, why, sizeof(why)), 0);
    T_CONTAINS(why, "size: ");
    T_EQ(sim_faults_add(sim_faults(s->sim), NULL, why, sizeof(why)), 0);
    scene_free(s);
}

T_CASES(T_CASE(status__before_is_answered_in_place_of_the_cloud), T_CASE(status__with_a_body_of_the_rule),
        T_CASE(html__is_a_page_of_the_edge), T_CASE(reset__ends_without_an_answer),
        T_CASE(close__ends_without_an_answer), T_CASE(hang__ends_at_the_deadline), T_CASE(cut__ends_within_the_body),
        T_CASE(late__the_change_is_at_once_and_its_answer_later), T_CASE(slow__trickles),
        T_CASE(mutate__changes_or_removes_a_member),
        T_CASE(an_effect_of_the_clouds_own_happens_and_the_exchange_goes_on), T_CASE(matching__nth_and_times),
        T_CASE(matching__the_first_that_is_not_spent), T_CASE(matching__where),
        T_CASE(matching__what_is_unknown_matches_no_condition), T_CASE(matching__a_rate_is_the_seeds),
        T_CASE(removing__one_and_all), T_CASE(listing__says_what_was_added), T_CASE(refused__every_bad_member_by_name),
        T_CASE(refused__a_struct_of_another_size))
