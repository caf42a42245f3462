/* The public face: sbx_sim_*, with Daytona in it. */
#include "t.h"

#include <sandport/sim.h>
#include <stdio.h>
#include <stdlib.h>

static struct sbx_sim *sim_of(const char *scenario, uint64_t seed) {
    struct sbx_sim_options opt;
    struct sbx_sim *sim = NULL;
    char why[200] = "";
    sbx_sim_options_init(&opt, sizeof(opt));
    opt.seed = seed;
    opt.scenario = scenario;
    opt.scenario_len = scenario ? strlen(scenario) : 0;
    enum sbx_status st = sbx_sim_create(&opt, &sim, why, sizeof(why));
    if (st) T_FAIL("%s: %s", sbx_status_name((int32_t)st), why);
    return sim;
}

static enum sbx_evidence get_health(struct sbx_sim *sim, struct sbx_exchange_info *info) {
    struct sbx_env *env = sbx_sim_env(sim);
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = "GET",
                                    .url = SBX_SIM_DAYTONA_ENDPOINT "/sandbox",
                                    .deadline_ms = env->now_ms(env) + 1000};
    info->size = sizeof(*info);
    return env->exchange(env, &req, NULL, info);
}

static void create__with_all_defaults(void) {
    struct sbx_sim *sim = NULL;
    struct sbx_exchange_info info = {0};
    T_STATUS(sbx_sim_create(NULL, &sim, NULL, 0), SBX_OK);
    T_EQ(get_health(sim, &info), SBX_EVIDENCE_DONE);
    T_EQ(info.http_status, 401); /* the cloud is there, and asks for a key */
    T_CONTAINS(sbx_sim_timeline(sim), "GET  /sandbox -> 401\n");
    T_CONTAINS(sbx_sim_state_json(sim), "\"daytona\":{");
    T_STR(sbx_sim_ledger_json(sim), "{\"entries\":[]}");
    sbx_sim_timeline_reset(sim);
    T_STR(sbx_sim_timeline(sim), "");
    sbx_sim_free(sim);
    sbx_sim_free(NULL);
}

static void create__refuses_what_is_no_scenario(void) {
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"", "scenario: "},
        {"[]", "scenario: expected an object"},
        {"{\"daytona\":7}", "$.daytona"},
        {"{\"daytonna\":{}}", "$.daytonna"},
        {"{\"daytona\":{\"boot_msec\":7}}", "$.daytona.boot_msec"},
        {"{\"daytona\":{\"boot_ms\":-7}}", "boot_ms"},
        {"{\"seed\":-1}", "$.seed"},
        {"{\"seed\":\"x\"}", "$.seed"},
        {"{\"faults\":{}}", "$.faults"},
        {"{\"faults\":[{\"op\":\"daytona.nope\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}]}", "op: "},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbx_sim_options opt;
        struct sbx_sim *sim = NULL;
        char why[200] = "";
        sbx_sim_options_init(&opt, sizeof(opt));
        opt.scenario = bad[i].json;
        opt.scenario_len = strlen(bad[i].json);
        enum sbx_status st = sbx_sim_create(&opt, &sim, why, sizeof(why));
        if (st != SBX_INVALID_ARGUMENT || sim) T_FAIL("%s: %s", bad[i].json, sbx_status_name((int32_t)st));
        if (!strstr(why, bad[i].why)) T_FAIL("%s: says '%s'", bad[i].json, why);
    }
}

static void create__refuses_bad_arguments(void) {
    struct sbx_sim_options opt = {0};
    struct sbx_sim *sim = NULL;
    T_STATUS(sbx_sim_create(&opt, &sim, NULL, 0), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sim_create(NULL, NULL, NULL, 0), SBX_INVALID_ARGUMENT);
}

static void seed_of(const char *scenario, uint64_t seed, unsigned char out[16]) {
    struct sbx_sim *sim = sim_of(scenario, seed);
    struct sbx_env *env = sbx_sim_env(sim);
    T_STATUS(env->random(env, out, 16), SBX_OK);
    sbx_sim_free(sim);
}

static void seed__from_the_options_or_else_the_scenario(void) {
    unsigned char a[16], b[16], c[16], d[16];
    seed_of(NULL, 9, a);
    seed_of("{\"seed\":9}", 0, b);
    seed_of("{\"seed\":9}", 8, c);
    seed_of(NULL, 8, d);
    T_MEM(a, 16, b, 16);
    T_MEM(c, 16, d, 16);
    T_TRUE(memcmp(a, c, 16) != 0);
}

static void faults__by_struct_and_by_json(void) {
    struct sbx_sim *sim = sim_of(NULL, 1);
    struct sbx_exchange_info info = {0};
    char why[120] = "";
    const struct sbx_fault rule = {
        .op = "daytona.sandbox.list", .phase = "before", .times = 1, .effect = {.kind = "status", .status = 503}};
    const char *json = "{\"op\":\"daytona.sandbox.list\",\"phase\":\"before\",\"effect\":{\"kind\":\"reset\"}}";
    int64_t one = sbx_sim_fault(sim, &rule), two = sbx_sim_fault_json(sim, json, strlen(json), why, sizeof(why));
    T_EQ(one, 1);
    T_EQ(two, 2);
    T_EQ(get_health(sim, &info), SBX_EVIDENCE_DONE);
    T_EQ(info.http_status, 503);
    T_EQ(get_health(sim, &info), SBX_EVIDENCE_SENT_NO_ANSWER);
    T_EQ(sbx_sim_fault_hits(sim, one), 1);
    T_EQ(sbx_sim_fault_hits(sim, two), 1);
    T_EQ(sbx_sim_fault_hits(sim, 3), -1);
    T_EQ(sbx_sim_fault_json(sim, "{", 1, why, sizeof(why)), 0);
    T_TRUE(why[0]);
    sbx_sim_faults_clear(sim);
    T_EQ(get_health(sim, &info), SBX_EVIDENCE_DONE);
    T_EQ(info.http_status, 401);
    sbx_sim_free(sim);
}

static void absent__arguments_do_no_harm(void) {
    struct sbx_sim *sim = sim_of(NULL, 1);
    size_t len = 7;
    char hash[65] = "x", why[40] = "";
    T_TRUE(!sbx_sim_env(NULL));
    T_EQ(sbx_sim_fault(NULL, NULL), 0);
    T_EQ(sbx_sim_fault(sim, NULL), 0);
    T_EQ(sbx_sim_fault_json(NULL, "{}", 2, why, sizeof(why)), 0);
    T_EQ(sbx_sim_fault_json(sim, NULL, 0, why, sizeof(why)), 0);
    T_STR(why, "json: expected one");
    T_EQ(sbx_sim_fault_hits(NULL, 1), -1);
    sbx_sim_faults_clear(NULL);
    T_STATUS(sbx_sim_spawn(sim, NULL, NULL), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sim_spawn(NULL, NULL, NULL), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_sim_run(NULL), SBX_INVALID_ARGUMENT);
    sbx_sim_advance_ms(NULL, 1);
    T_STR(sbx_sim_journal(NULL, &len), "");
    T_EQ(len, 0);
    sbx_sim_journal_hash(NULL, hash);
    T_STR(hash, "");
    sbx_sim_journal_hash(sim, NULL);
    T_STR(sbx_sim_timeline(NULL), "");
    sbx_sim_timeline_reset(NULL);
    T_EQ(sbx_sim_unsupported(NULL) + sbx_sim_ledger_made(NULL) + sbx_sim_ledger_live(NULL), 0);
    T_EQ(sbx_sim_ledger_cost(NULL), 0);
    T_STR(sbx_sim_ledger_json(NULL), "");
    T_STR(sbx_sim_state_json(NULL), "");
    sbx_sim_free(sim);
}

struct sleeper {
    struct sbx_env *env;
    int64_t woke_ms;
};

static void sleeper_run(void *arg) {
    struct sleeper *sleeper = arg;
    (void)sleeper->env->sleep_until(sleeper->env, 500, NULL);
    sleeper->woke_ms = sleeper->env->now_ms(sleeper->env);
}

static void callers__and_the_clock(void) {
    struct sbx_sim *sim = sim_of(NULL, 1);
    struct sleeper sleeper = {sbx_sim_env(sim), 0};
    T_STATUS(sbx_sim_spawn(sim, sleeper_run, &sleeper), SBX_OK);
    sbx_sim_advance_ms(sim, 100);
    T_EQ(sleeper.woke_ms, 0);
    T_STATUS(sbx_sim_run(sim), SBX_OK);
    T_EQ(sleeper.woke_ms, 500);
    sbx_sim_advance_ms(sim, -5);
    T_EQ(sleeper.env->now_ms(sleeper.env), 500);
    sbx_sim_free(sim);
}

T_CASES(T_CASE(create__with_all_defaults), T_CASE(create__refuses_what_is_no_scenario),
        T_CASE(create__refuses_bad_arguments), T_CASE(seed__from_the_options_or_else_the_scenario),
        T_CASE(faults__by_struct_and_by_json), T_CASE(absent__arguments_do_no_harm), T_CASE(callers__and_the_clock))
