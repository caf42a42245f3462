/* What is refused before anything is sent: whose credential goes with which organisation, and which intervals do not go
 * together. Rows D1, P3. */
#include "daytona_world.h"

#define JWT "head.body.canary"

static enum sbx_status create(struct world *w, const char *key, const char *organization) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_runtime *rt = NULL;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = key;
    opt.organization_id = organization;
    enum sbx_status st = sbx_daytona_create(&opt, w->env, &rt, &w->err);
    T_EQ(rt != NULL, st == SBX_OK);
    sbx_runtime_free(rt);
    T_TRUE(strstr(w->err.detail, "canary") == NULL);
    return st;
}

static void a_jwt_needs_its_organization(void) {
    struct world w = world_new(SEED);
    T_STATUS(create(&w, JWT, NULL), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "organization_id: expected one beside a JWT");
    T_STATUS(create(&w, JWT, ""), SBX_INVALID_ARGUMENT);
    T_STATUS(create(&w, JWT, "line\r\nbreak"), SBX_INVALID_ARGUMENT);
    T_STATUS(create(&w, JWT, "5b1e"), SBX_OK);
    T_TIMELINE(w.sim, "");
    world_finish(&w);
}

/* An API key has its organisation, and is told another is none of its. */
static void an_api_key_has_its_organization(void) {
    struct world w = world_new(SEED);
    T_STATUS(create(&w, SBX_SIM_DAYTONA_KEY, "5b1e"), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "organization_id: expected NULL unless api_key is a JWT");
    T_STATUS(create(&w, SBX_SIM_DAYTONA_KEY, NULL), SBX_OK);
    T_STATUS(create(&w, "two.parts", "5b1e"), SBX_INVALID_ARGUMENT);
    T_STATUS(create(&w, "a..b", "5b1e"), SBX_INVALID_ARGUMENT);
    T_STATUS(create(&w, "a.b.c.d", "5b1e"), SBX_INVALID_ARGUMENT);
    T_TIMELINE(w.sim, "");
    world_finish(&w);
}

/* Each request says whose it is, with a JWT and only then. */
static void the_organization_is_sent(const char *key, const char *organization, int headers) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_sandbox *sb = NULL;
    size_t len = 0;
    int sent = 0;
    opt.api_key = key;
    opt.organization_id = organization;
    struct world w = world_new_with(SEED, NULL, &opt);
    enum sbx_status st = sbx_runtime_attach(w.rt, "none", NULL, &sb, &w.err);
    T_STATUS(st, organization ? SBX_UNAUTHORISED : SBX_NOT_FOUND); /* no JWT is anybody's in the simulation */
    for (const char *at = sbx_sim_journal(w.sim, &len); (at = strstr(at, "x-daytona-organization-id\":\"5b1e\"")); at++)
        sent++;
    T_EQ(sent, headers);
    world_finish(&w);
}

static void the_organization_goes_with_a_jwt_only(void) {
    the_organization_is_sent(JWT, "5b1e", 1);
    the_organization_is_sent(SBX_SIM_DAYTONA_KEY, NULL, 0);
}

/* ---- intervals ---- */

/* @param option_stop_min as a provider option, NULL = none */
static enum sbx_status launch(struct world *w, int32_t stop_min, const char *option_stop_min, int32_t pause_min,
                              int32_t delete_min) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    const struct sbx_pair option = {"auto_stop_interval", option_stop_min};
    opt.provider_options = &option;
    opt.provider_option_count = option_stop_min != NULL;
    opt.auto_stop_min = stop_min;
    opt.auto_pause_min = pause_min;
    opt.auto_delete_min = delete_min;
    return sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err);
}

/* One that is deleted at its stop cannot be paused instead, nor can one be paused and stopped. */
static void pausing_goes_with_neither(void) {
    struct world w = world_new(SEED);
    T_STATUS(launch(&w, 0, NULL, 30, SBX_EPHEMERAL), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "auto_pause_min: expected 0 for one that is deleted at its stop");
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_STATUS(launch(&w, 30, NULL, 30, 0), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "auto_pause_min: expected 0 beside an auto_stop_min");
    T_STATUS(launch(&w, 0, "30", 30, 0), SBX_INVALID_ARGUMENT);
    T_STR(w.err.detail, "auto_pause_min: expected 0 beside an auto-stop interval");
    T_TIMELINE(w.sim, "");
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    world_finish(&w);
}

static void ephemeral_alone_is_taken(void) {
    struct world w = world_new(SEED);
    struct sbx_info *info = NULL;
    T_STATUS(launch(&w, 30, NULL, 0, SBX_EPHEMERAL), SBX_OK);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_STR(sbx_info_extra(info, "autoDeleteInterval"), "0");
    T_STR(sbx_info_extra(info, "autoStopInterval"), "30");
    sbx_info_free(info);
    world_finish(&w);
}

/* ---- networks ---- */

static enum sbx_status launch_with_lists(struct world *w, const char *cidrs, const char *hosts) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.network_allow_list = cidrs;
    opt.domain_allow_list = hosts;
    return sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err);
}

/* What Daytona could not enforce is refused before anything is sent. */
static void day8_34_networks_that_nobody_would_enforce(void) {
    struct world w = world_new(SEED);
    static const char *const cidrs[] = {"fd00::/8",
                                        "10.0.0.1",
                                        "10.0.0.0/33",
                                        "10.0.0.0/8,",
                                        "10.0.0.0/8,,10.1.0.0/16",
                                        "example.com",
                                        ("1.0.0.0/8,2.0.0.0/8,3.0.0.0/8,4.0.0.0/8,5.0.0.0/8,6.0.0.0/8,7.0.0.0/8,"
                                         "8.0.0.0/8,9.0.0.0/8,10.0.0.0/8,11.0.0.0/8")};
    T_STATUS(launch_with_lists(&w, "10.0.0.0/8", "example.com"), SBX_UNSUPPORTED);
    T_STR(w.err.detail, "domain_allow_list: expected no list of CIDR ranges beside it");
    for (size_t i = 0; i < sizeof(cidrs) / sizeof(cidrs[0]); i++) {
        enum sbx_status st = launch_with_lists(&w, cidrs[i], NULL);
        if (st != SBX_UNSUPPORTED) T_FAIL("'%s': %s", cidrs[i], sbx_status_name((int32_t)st));
        T_CONTAINS(w.err.detail, "network_allow_list: expected ");
    }
    T_STATUS(launch_with_lists(&w, NULL, "10.0.0.0/8"), SBX_UNSUPPORTED);
    T_CONTAINS(w.err.detail, "domain_allow_list: expected ");
    T_TIMELINE(w.sim, "");
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    world_finish(&w);
}

/* An empty list allows nothing: it is no missing list. */
static void day8_34_an_empty_list_blocks_all(void) {
    struct world w = world_new(SEED);
    struct sbx_info *info = NULL;
    T_STATUS(launch_with_lists(&w, "", NULL), SBX_OK);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_STR(sbx_info_extra(info, "networkBlockAll"), "true");
    sbx_info_free(info);
    world_finish(&w);
}

T_CASES(T_CASE(a_jwt_needs_its_organization), T_CASE(an_api_key_has_its_organization),
        T_CASE(the_organization_goes_with_a_jwt_only), T_CASE(pausing_goes_with_neither),
        T_CASE(ephemeral_alone_is_taken), T_CASE(day8_34_networks_that_nobody_would_enforce),
        T_CASE(day8_34_an_empty_list_blocks_all))
