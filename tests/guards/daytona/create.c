/* Creating: what is refused, what is unknown, what is cleaned up. Rows D2, D15, D20, P3, P9, P12. */
#include "daytona_world.h"

static void launch_with_snapshot(struct world *w, const char *snapshot, int32_t want) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.snapshot = snapshot;
    T_STATUS(sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err), want);
}

static void must_fire_create_snapshot_missing__by_name(void) {
    struct world w = world_new(SEED);
    launch_with_snapshot(&w, "no-such-snapshot", SBX_SNAPSHOT_NOT_FOUND);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.http_status, 400);
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    T_TRUE(strchr(strchr(sbx_sim_timeline(w.sim), '\n') + 1, '\n') == NULL); /* one request: no second try without it */
    world_finish(&w);
}

static void must_not_fire_create_snapshot_missing__other_refusals(void) {
    static const struct {
        const char *fault;
        int32_t status;
    } rows[] = {
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':401}}", SBX_UNAUTHORISED},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':403}}", SBX_FORBIDDEN},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':404,"
         "'body':'{\\\"message\\\":\\\"Region not found\\\"}'}}",
         SBX_INVALID_ARGUMENT},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':429}}", SBX_RATE_LIMITED},
        {"{'op':'daytona.sandbox.create','phase':'before_commit','effect':{'kind':'no_runners'}}", SBX_NO_CAPACITY},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'html','status':502}}", SBX_PROVIDER},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_new(SEED);
        world_fault(&w, rows[i].fault);
        launch_with_snapshot(&w, NULL, rows[i].status);
        T_EQ(sbx_sim_ledger_live(w.sim), 0);
        world_finish(&w);
    }
}

static void must_fire_create_unknown_answer__teapot(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'status','status':418}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_PROVIDER);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED); /* it was looked up by its name, and was there */
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_create_unknown_answer__documented(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'before_commit','effect':{'kind':'no_runners'}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_NO_CAPACITY);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    world_finish(&w);
}

static void must_fire_adopt_only_ours__somebody_elses(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *other = NULL;
    struct sbx_info *info = NULL;
    char name[64];
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    strcpy(name, sbx_info_name(info));
    sbx_info_free(info);
    opt.name = name;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &other, &w.err), SBX_ALREADY_EXISTS);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(sbx_sim_ledger_live(w.sim), 1); /* and nobody deleted it */
    world_finish(&w);
}

static void must_not_fire_adopt_only_ours__our_own(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *again = NULL;
    opt.acquisition = "0123456789abcdef0123456789abcdef";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &again, &w.err), SBX_OK); /* as if a hop had sent it twice */
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    sbx_sandbox_free(again);
    world_finish(&w);
}

static void must_fire_launch_probe__dead(void) {
    struct world w = world_new(SEED);
    world_fault(
        &w,
        "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'dead_toolbox','dialect':'coded'}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_NOT_READY);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_launch_probe__late(void) {
    struct world w = world_new(SEED);
    world_fault(&w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'dead_toolbox','dialect':'502',"
                "'delay_ms':4000}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "process/execute -> 502");
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_fire_failed_create_deletes__boot_failed(void) {
    struct world w = world_new(SEED);
    world_fault(&w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'fail_boot','state':'error'}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_PROVIDER);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_TRUE(w.err.sandbox_id[0] != 0);
    world_finish(&w);
}

static void must_fire_failed_create_deletes__deadline(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    world_fault(&w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'state','state':'creating'}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 45000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    T_CONTAINS(w.err.detail, "STARTING");
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_failed_create_deletes__healthy(void) {
    struct world w = world_with_running_sandbox(SEED);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void launch_with_option(struct world *w, const char *name, const char *value, int32_t want) {
    const struct sbx_pair pair = {name, value};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.provider_options = &pair;
    opt.provider_option_count = 1;
    T_STATUS(sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err), want);
}

static void must_fire_unknown_provider_option__name_and_type(void) {
    struct world w = world_new(SEED);
    launch_with_option(&w, "snapshots", "x", SBX_INVALID_OPTIONS);
    launch_with_option(&w, "auto_stop_interval", "soon", SBX_INVALID_OPTIONS);
    T_CONTAINS(w.err.detail, "auto_stop_interval");
    launch_with_option(&w, "auto_stop_interval", "-1", SBX_INVALID_OPTIONS);
    launch_with_option(&w, "snapshot", "", SBX_INVALID_OPTIONS);
    T_STR(sbx_sim_timeline(w.sim), "");
    world_finish(&w);
}

static void must_not_fire_unknown_provider_option__known(void) {
    struct world w = world_new(SEED);
    struct sbx_info *info = NULL;
    launch_with_option(&w, "auto_stop_interval", "30", SBX_OK);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_STR(sbx_info_extra(info, "autoStopInterval"), "30");
    sbx_info_free(info);
    world_finish(&w);
}

static void must_fire_explicit_arguments__missing_or_malformed(void) {
    static const char *const endpoints[] = {
        NULL, "", "daytona.sim/api", "ftp://a/api", "http://u:p@a/api", "http://a b/", "http://a/?x=1"};
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct world w = world_new(SEED);
    struct sbx_runtime *rt = NULL;
    opt.api_key = "canary";
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        opt.endpoint = endpoints[i];
        T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
        T_CONTAINS(w.err.detail, "endpoint");
    }
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = NULL;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    opt.api_key = "line\r\nbreak";
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(w.err.detail, "api_key");
    T_TRUE(strstr(w.err.detail, "break") == NULL);
    opt.api_key = "canary";
    T_STATUS(sbx_daytona_create(&opt, NULL, &rt, &w.err), SBX_INVALID_ARGUMENT);
    opt.size = 8;
    T_STATUS(sbx_daytona_create(&opt, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_daytona_create(NULL, w.env, &rt, &w.err), SBX_INVALID_ARGUMENT);
    T_TRUE(rt == NULL);
    T_STR(sbx_sim_timeline(w.sim), "");
    world_finish(&w);
}

static void must_not_fire_explicit_arguments__endpoint_and_key(void) {
    struct world w = world_new(SEED);
    T_STR(sbx_runtime_provider(w.rt), "daytona");
    T_STR(sbx_sim_timeline(w.sim), "");
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_create_snapshot_missing__by_name),
        T_CASE(must_not_fire_create_snapshot_missing__other_refusals), T_CASE(must_fire_create_unknown_answer__teapot),
        T_CASE(must_not_fire_create_unknown_answer__documented), T_CASE(must_fire_adopt_only_ours__somebody_elses),
        T_CASE(must_not_fire_adopt_only_ours__our_own), T_CASE(must_fire_launch_probe__dead),
        T_CASE(must_not_fire_launch_probe__late), T_CASE(must_fire_failed_create_deletes__boot_failed),
        T_CASE(must_fire_failed_create_deletes__deadline), T_CASE(must_not_fire_failed_create_deletes__healthy),
        T_CASE(must_fire_unknown_provider_option__name_and_type), T_CASE(must_not_fire_unknown_provider_option__known),
        T_CASE(must_fire_explicit_arguments__missing_or_malformed),
        T_CASE(must_not_fire_explicit_arguments__endpoint_and_key))
