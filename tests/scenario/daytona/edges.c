/* Edge cases of Daytona's control plane as its facts list them, by their number there (section 8): what the adapter
 * makes of each. Rows D1-D8, D15, D16, P9, P10, P12. */
#include "daytona_world.h"

#include <stdio.h>

#define DEAD "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':'dead_toolbox'}}"

static enum sbx_status launch(struct world *w) {
    return sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err);
}

static enum sbx_status start(struct world *w, struct sbx_start_result *result) {
    return sbx_sandbox_start(w->sb, NULL, NULL, result, &w->err);
}

static int count(struct world *w, const char *request) {
    int n = 0;
    for (const char *at = sbx_sim_timeline(w->sim); (at = strstr(at, request)); at++) n++;
    return n;
}

static int64_t now(struct world *w) {
    return w->env->now_ms(w->env);
}

/* All that was made is gone, and the error says so. */
static void cleaned_up(struct world *w) {
    T_EQ(w->err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w->err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(count(w, "POST /sandbox ->"), 1);
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    T_EQ(sbx_sim_ledger_live(w->sim), 0);
    world_finish(w);
}

static void day8_01_created_too_late_is_deleted(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    world_fault(&w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'state','state':'creating'}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 45000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    cleaned_up(&w);
}

static void day8_02_a_400_that_made_one(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'fail_boot'}}");
    T_STATUS(launch(&w), SBX_PROVIDER);
    T_EQ(w.err.http_status, 400);
    cleaned_up(&w);
}

static void day8_03_reset_after_the_commit(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'reset'}}");
    T_STATUS(launch(&w), SBX_CONNECTION_LOST);
    cleaned_up(&w);
}

static void day8_04_only_a_missing_snapshot_is_one(void) {
    static const struct {
        int http;
        const char *message;
        int32_t status;
    } rows[] = {
        {400, "Snapshot x not found. Did you add it through the Daytona Dashboard?", SBX_SNAPSHOT_NOT_FOUND},
        {404, "Snapshot x not found", SBX_SNAPSHOT_NOT_FOUND},
        {400, "Snapshot x is inactive", SBX_PROVIDER},
        {400, "Snapshot x is not available in region us", SBX_PROVIDER},
        {400, "Total CPU limit exceeded. Maximum allowed: 10.", SBX_QUOTA},
        {404, "Region not found", SBX_INVALID_ARGUMENT},
        {401, "Snapshot x not found", SBX_UNAUTHORISED},
        {403, "Snapshot x not found", SBX_FORBIDDEN},
        {429, "Snapshot x not found", SBX_RATE_LIMITED},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_new(SEED);
        char fault[512];
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':%d,"
                 "'body':'{\\\"message\\\":\\\"%s\\\"}'}}",
                 rows[i].http, rows[i].message);
        world_fault(&w, fault);
        T_STATUS(launch(&w), rows[i].status);
        T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
        T_EQ(count(&w, "->"), 1); /* nothing else was tried in its place */
        world_finish(&w);
    }
}

static void day8_05_started_at_once(void) {
    struct world w = world_new(SEED);
    struct sbx_info *info = NULL;
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'mid_reply','effect':{'kind':'mutate','path':'$.state',"
                    "'value':'started'}}");
    T_STATUS(launch(&w), SBX_OK);
    T_EQ(count(&w, "GET "), 0); /* nothing to wait for: the probe comes at once */
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_STR(sbx_info_extra(info, "sandboxClass"), "container");
    T_TRUE(sbx_info_extra(info, "warmPoolId") == NULL);
    sbx_info_free(info);
    world_finish(&w);
}

static void day8_06_two_kinds_of_409(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *first = NULL, *second = NULL;
    opt.name = "taken";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &first, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &second, &w.err), SBX_ALREADY_EXISTS);
    world_fault(&w, "{'op':'daytona.sandbox.start','phase':'before_commit','times':1,'effect':{'kind':'conflict',"
                    "'status':409,'delay_ms':3000}}");
    T_STATUS(start(&w, NULL), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "/start -> 409");
    sbx_sandbox_free(first);
    world_finish(&w);
}

static void day8_07_states_in_any_case_and_new_ones(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_info *info = NULL;
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'mid_reply','times':1,'effect':{'kind':'mutate',"
                    "'path':'$.state','value':'StArTeD'}}");
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_EQ(sbx_info_state(info), SBX_STATE_RUNNING);
    sbx_info_free(info);
    sbx_sim_faults_clear(w.sim);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'mid_reply','times':1,'effect':{'kind':'mutate',"
                    "'path':'$.state','value':'started_2'}}");
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_EQ(sbx_info_state(info), SBX_STATE_UNKNOWN);
    T_STR(sbx_info_state_text(info), "started_2");
    sbx_info_free(info);
    world_finish(&w);
}

static void day8_08_polls_may_fail(void) {
    struct world w = world_new(SEED);
    const int64_t rules[] = {
        world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'status',"
                        "'status':502}}"),
        world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'status',"
                        "'status':429,'retry_after':'3'}}"),
        world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'reset'}}"),
        world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'hang'}}"),
    };
    T_STATUS(launch(&w), SBX_OK);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) T_EQ(sbx_sim_fault_hits(w.sim, rules[i]), 1);
    T_TRUE(now(&w) >= 3000 && now(&w) < 20000); /* the 429 was heeded, and the hang did not take it all */
    world_finish(&w);
}

static void day8_09_build_failed_ends_at_once(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'fail_boot',"
                    "'state':'build_failed'}}");
    T_STATUS(launch(&w), SBX_PROVIDER);
    T_TRUE(now(&w) < 10000);
    cleaned_up(&w);
}

static void start_in_state(const char *state, int64_t lasts_ms, int32_t want) {
    struct world w = world_with_stopped_sandbox(SEED);
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.start','phase':'before','times':1,'effect':{'kind':'state','state':'%s',"
             "'delay_ms':%lld}}",
             state, (long long)lasts_ms);
    world_fault(&w, fault);
    enum sbx_status st = start(&w, NULL);
    if ((int32_t)st != want) T_FAIL("%s: %s\n%s", state, sbx_status_name((int32_t)st), sbx_sim_timeline(w.sim));
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

static void day8_10_start_in_every_state(void) {
    start_in_state("started", 0, SBX_OK);
    start_in_state("archived", 0, SBX_OK);
    start_in_state("error", 0, SBX_PROVIDER);
    start_in_state("destroying", 0, SBX_NOT_FOUND);
    start_in_state("destroyed", 0, SBX_NOT_FOUND);
}

static void day8_11_stop_of_a_stopped_one(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "/stop?force=false -> 400");
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_STOPPED);
    world_finish(&w);
}

static void day8_11_stop_beside_another(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.stop','phase':'after_commit','times':1,'effect':{'kind':'status',"
                    "'status':409}}"); /* the other one's took effect, ours is told of a change in progress */
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_EQ(count(&w, "/stop?force=false ->"), 1);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_STOPPED);
    world_finish(&w);
}

static void day8_12_deleted_twice(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_sandbox *other = NULL;
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w.sb, id);
    T_STATUS(sbx_runtime_attach(w.rt, id, NULL, &other, &w.err), SBX_OK);
    sbx_sandbox_adopt(other);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_destroy(other, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    sbx_sandbox_free(other);
    world_finish(&w);
}

static void day8_13_a_conflict_that_never_ends(void) {
    struct world w = world_with_running_sandbox(SEED);
    int64_t began = now(&w);
    world_fault(&w,
                "{'op':'daytona.sandbox.delete','phase':'before_commit','effect':{'kind':'conflict','status':409}}");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_CONFLICT);
    T_TRUE(now(&w) - began >= 30000 && now(&w) - began < 30500);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void day8_14_dead_is_replaced(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    world_fault(&w, DEAD);
    T_STATUS(start(&w, &result), SBX_OK);
    T_EQ(result.replaced, 1);
    T_EQ(result.old_deleted, 1);
    T_EQ(sbx_sim_ledger_made(w.sim), 2);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void day8_15_the_read_after_start_is_told(void) {
    static const struct {
        const char *effect;
        int32_t status;
    } rows[] = {
        {"'kind':'status','status':401", SBX_UNAUTHORISED},
        {"'kind':'status','status':429", SBX_RATE_LIMITED},
        {"'kind':'reset'", SBX_CONNECTION_LOST},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_stopped_sandbox(SEED);
        char fault[256];
        snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.get','phase':'before','nth':2,'effect':{%s}}",
                 rows[i].effect);
        world_fault(&w, fault);
        T_STATUS(start(&w, NULL), rows[i].status);
        T_EQ(count(&w, "process/execute"), 0);
        T_EQ(sbx_sim_ledger_made(w.sim), 1);
        T_EQ(sbx_sim_ledger_live(w.sim), 1);
        world_finish(&w);
    }
}

static void day8_16_the_replacement_has_a_name_of_its_own(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    struct sbx_info *info = NULL;
    opt.name = "workspace-7";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    world_fault(&w, DEAD);
    T_STATUS(start(&w, &result), SBX_OK);
    T_EQ(result.lost_name, 1);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_TRUE(strcmp(sbx_info_name(info), "workspace-7") != 0);
    T_STR(sbx_info_label(info, "sandport-replaces"), result.old_id);
    sbx_info_free(info);
    world_finish(&w);
}

static void day8_17_no_address_for_a_moment(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','times':4,'effect':{'kind':'status',"
                    "'status':400,'body':'{\\\"message\\\":\\\"bad request: no IP address found. Is the Sandbox "
                    "started?\\\"}'}}");
    T_STATUS(start(&w, &result), SBX_OK);
    T_EQ(result.replaced, 0);
    T_EQ(count(&w, "process/execute -> 400"), 4);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

static void a_detached_launch_is_not_held(void) {
    struct world w = world_new_with(SEED, "{\"daytona\":{\"boot_ms\":60000}}", NULL);
    T_STATUS(sbx_runtime_launch_detached(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_STARTING);
    T_TRUE(now(&w) >= 15000 && now(&w) < 16000);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sim_advance_ms(w.sim, 60000);
    T_EQ(count(&w, "POST /sandbox ->"), 1);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    world_finish(&w);
}

static void what_a_replacement_keeps(void) {
    struct world w = world_new(SEED);
    const struct sbx_pair labels[] = {{"team", "a&b"}}, env[] = {{"GREETING", "hello there"}};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_exec_result *said = NULL;
    struct sbx_info *info = NULL;
    size_t len = 0;
    opt.snapshot = "daytona-large";
    opt.labels = labels;
    opt.label_count = 1;
    opt.env = env;
    opt.env_count = 1;
    opt.ttl_min = 90;
    opt.auto_archive_min = 120;
    opt.network_allow_list = "10.0.0.0/8";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    world_fault(&w, DEAD);
    T_STATUS(start(&w, NULL), SBX_OK);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    T_STR(sbx_info_snapshot(info), "daytona-large");
    T_STR(sbx_info_label(info, "team"), "a&b");
    T_STR(sbx_info_extra(info, "autoArchiveInterval"), "120");
    T_STR(sbx_info_extra(info, "networkAllowList"), "10.0.0.0/8");
    T_TRUE(sbx_info_extra(info, "autoDestroyAt") != NULL); /* a time-to-live that was lost is one that is paid for */
    const char *asked = strstr(sbx_sim_journal(w.sim, &len), "\"ttlMinutes\":90");
    T_TRUE(asked && strstr(asked + 1, "\"ttlMinutes\":90")); /* of the launch, and of the replacement */
    sbx_info_free(info);
    T_STATUS(sbx_sandbox_exec(w.sb, "printf %s \"$GREETING\"", NULL, NULL, &said, &w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(said, NULL), "hello there");
    sbx_exec_result_free(said);
    world_finish(&w);
}

/* One that failed on its way out: Daytona hides it, and it counts as destroyed. */
static void day8_44_failed_while_being_destroyed(void) {
    struct world w = world_new_with(SEED, "{\"daytona\":{\"destroy_ms\":60000}}", NULL);
    struct sbx_sandbox *again = NULL;
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_info *info = NULL;
    struct sbx_call brief = SBX_CALL_INIT;
    char id[SBX_ID_SIZE];
    int64_t listed = -1;
    T_STATUS(launch(&w), SBX_OK);
    sbx_sandbox_id(w.sb, id);
    sbx_call_init_after(&brief, sizeof(brief), w.env, 1000);
    T_STATUS(sbx_sandbox_destroy(w.sb, &brief, &w.err), SBX_DEADLINE); /* it is wanted destroyed, and still there */
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_fault(&w,
                "{'op':'daytona.sandbox.get','phase':'before','times':1,'effect':{'kind':'state','state':'error'}}");
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_NOT_FOUND);
    T_STATUS(sbx_runtime_attach(w.rt, id, NULL, &again, &w.err), SBX_NOT_FOUND);
    sbx_sim_advance_ms(w.sim, 1000);
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &listed, &w.err), SBX_OK);
    T_EQ(listed, 0);
    T_STATUS(start(&w, NULL), SBX_NOT_FOUND);
    sbx_sim_timeline_reset(w.sim);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(count(&w, "GET  /sandbox/sb-1 -> 404"), 2); /* twice, 2 s apart */
    T_CONTAINS(sbx_sim_state_json(w.sim), "\"state\":\"error\"");
    world_finish(&w);
}

T_CASES(T_CASE(day8_01_created_too_late_is_deleted), T_CASE(day8_02_a_400_that_made_one),
        T_CASE(day8_03_reset_after_the_commit), T_CASE(day8_04_only_a_missing_snapshot_is_one),
        T_CASE(day8_05_started_at_once), T_CASE(day8_06_two_kinds_of_409),
        T_CASE(day8_07_states_in_any_case_and_new_ones), T_CASE(day8_08_polls_may_fail),
        T_CASE(day8_09_build_failed_ends_at_once), T_CASE(day8_10_start_in_every_state),
        T_CASE(day8_11_stop_of_a_stopped_one), T_CASE(day8_11_stop_beside_another), T_CASE(day8_12_deleted_twice),
        T_CASE(day8_13_a_conflict_that_never_ends), T_CASE(day8_14_dead_is_replaced),
        T_CASE(day8_15_the_read_after_start_is_told), T_CASE(day8_16_the_replacement_has_a_name_of_its_own),
        T_CASE(day8_17_no_address_for_a_moment), T_CASE(day8_44_failed_while_being_destroyed),
        T_CASE(a_detached_launch_is_not_held), T_CASE(what_a_replacement_keeps))
