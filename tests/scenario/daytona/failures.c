/* Failures that were met in the field, one case each, by their number in the list of failures. Rows D1-D6, D15, D16,
 * P7, P9, P10, R12. */
#include "daytona_world.h"

#include <stdio.h>

static void fault_status(struct world *w, const char *op, const char *phase, int times, int status, const char *body) {
    char fault[512];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.%s','phase':'%s','times':%d,'effect':{'kind':'status','status':%d%s%s%s}}", op, phase,
             times, status, body ? ",'body':{'message':'" : "", body ? body : "", body ? "'}" : "");
    world_fault(w, fault);
}

static int64_t now(struct world *w) {
    return w->env->now_ms(w->env);
}

static int sent(struct world *w, const char *request) {
    int n = 0;
    for (const char *at = sbx_sim_timeline(w->sim); (at = strstr(at, request)); at++) n++;
    return n;
}

static enum sbx_status launch(struct world *w) {
    return sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err);
}

static enum sbx_status exec(struct world *w, const char *command) {
    struct sbx_exec_result *result = NULL;
    enum sbx_status st = sbx_sandbox_exec(w->sb, command, NULL, NULL, &result, &w->err);
    sbx_exec_result_free(result);
    return st;
}

static int32_t state_read(struct world *w) {
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_info(w->sb, NULL, &info, &w->err), SBX_OK);
    int32_t state = sbx_info_state(info);
    sbx_info_free(info);
    return state;
}

/* The daemon dies under a command; Daytona calls the sandbox started for minutes. */
static void f001_daemon_dies_of_memory(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before_commit','times':1,'effect':{'kind':'oom'}}");
    enum sbx_status st = exec(&w, "echo once >>ran; sleep 1");
    T_TRUE(st != SBX_OK);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(state_read(&w), SBX_STATE_RUNNING);
    sbx_sim_advance_ms(w.sim, 160000);
    T_EQ(state_read(&w), SBX_STATE_STOPPED);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(exec(&w, "test $(cat ran 2>/dev/null | wc -l) -le 1"), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

static void f002_created_without_a_daemon(void) {
    struct world w = world_new(SEED);
    world_fault(&w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'dead_toolbox','dialect':'502'"
                "}}");
    T_STATUS(launch(&w), SBX_NOT_READY);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void f004_creating_for_ever(void) {
    struct world w = world_new_with(SEED, "{\"daytona\":{\"boot_ms\":600000}}", NULL);
    T_STATUS(launch(&w), SBX_DEADLINE);
    T_STR(w.err.detail, "the last state seen was STARTING");
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_UNCONFIRMED); /* Daytona refuses to delete it while it is being created */
    T_TRUE(w.err.sandbox_id[0] != 0);
    T_TRUE(now(&w) <= 151000);
    world_finish(&w);
}

static void f005_one_502_on_a_read(void) {
    struct world w = world_new(SEED);
    fault_status(&w, "sandbox.get", "before", 1, 502, NULL);
    T_STATUS(launch(&w), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

static void f005_stuck_while_it_starts_is_kept(void) {
    struct world w = world_with_stopped_sandbox(SEED);
    world_fault(&w,
                "{'op':'daytona.sandbox.get','phase':'mid_reply','effect':{'kind':'mutate','path':'$.state','value':'"
                "restoring'}}");
    int64_t from_ms = now(&w);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_DEADLINE);
    T_STR(w.err.detail, "the last state seen was STARTING");
    T_TRUE(now(&w) - from_ms <= 180000);
    T_EQ(sent(&w, "DELETE"), 0);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void f007_delete_refused_while_starting(void) {
    struct world w = world_with_running_sandbox(SEED);
    char id[SBX_ID_SIZE], still[SBX_ID_SIZE];
    int64_t from_ms = now(&w);
    sbx_sandbox_id(w.sb, id);
    fault_status(&w, "sandbox.delete", "before", 0, 400, "Sandbox is in an invalid state");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_CONFLICT);
    T_TRUE(now(&w) - from_ms >= 30000 && now(&w) - from_ms < 33000);
    T_TRUE(sent(&w, "DELETE") > 4);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sandbox_id(w.sb, still);
    T_STR(still, id);
    sbx_sim_faults_clear(w.sim);
    fault_status(&w, "sandbox.delete", "before", 3, 500, NULL);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void stop_during_change(int status, int64_t ms, enum sbx_status want) {
    struct world w = world_with_running_sandbox(SEED);
    char fault[256];
    snprintf(
        fault, sizeof(fault),
        "{'op':'daytona.sandbox.stop','phase':'before_commit','times':1,'effect':{'kind':'conflict','status':%d,'delay_"
        "ms':%lld}}",
        status, (long long)ms);
    int64_t from_ms = now(&w);
    world_fault(&w, fault);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), want);
    T_TRUE(now(&w) - from_ms < 33000);
    T_EQ(state_read(&w), want ? SBX_STATE_RUNNING : SBX_STATE_STOPPED);
    world_finish(&w);
}

static void f008_change_in_progress_400_or_409(void) {
    stop_during_change(409, 20000, SBX_OK);
    stop_during_change(400, 20000, SBX_OK);
    stop_during_change(409, 40000, SBX_CONFLICT);
    stop_during_change(400, 40000, SBX_CONFLICT);
}

static void f010_state_is_not_the_one_of_creation(void) {
    struct world w = world_with_running_sandbox(SEED);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_RUNNING);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_STOPPED);
    T_EQ(state_read(&w), SBX_STATE_STOPPED);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_DESTROYED);
    world_finish(&w);
}

/* The first use died before it kept the id. The second asks once who has the name, and has its own sandbox again; to
 * anybody else the name is taken. */
static void f011_a_taken_name_is_looked_up_once(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.acquisition = "0123456789abcdef0123456789abcdef";
    opt.name = "job-7";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    sbx_sandbox_free(w.sb);
    sbx_sim_timeline_reset(w.sim);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_STATUS(exec(&w, "true"), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    struct sbx_sandbox *none = NULL;
    opt.acquisition = "fedcba9876543210fedcba9876543210";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &none, &w.err), SBX_ALREADY_EXISTS);
    T_TRUE(none == NULL);
    T_EQ(sent(&w, "GET  /sandbox/"), 1);
    T_EQ(sent(&w, "POST /sandbox "), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void f013_names_are_unique_unless_given(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *second = NULL, *third = NULL, *fourth = NULL;
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &second, &w.err), SBX_OK);
    opt.name = "mine";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &third, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &fourth, &w.err), SBX_ALREADY_EXISTS);
    T_TRUE(fourth == NULL);
    T_EQ(sbx_sim_ledger_live(w.sim), 3);
    sbx_sandbox_free(second);
    sbx_sandbox_free(third);
    world_finish(&w);
}

static void f014_name_is_free_once_destroyed(void) {
    struct world w = world_new_with(SEED, "{\"daytona\":{\"destroy_ms\":8000,\"name_until_gone\":true}}", NULL);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.name = "mine";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    sbx_sandbox_free(w.sb);
    w.sb = NULL;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 2);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void f022_leftovers_are_found_by_label(void) {
    struct world w = world_new(SEED);
    const struct sbx_pair label = {"owner", "worker-1"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_list *list = NULL;
    opt.labels = &label;
    opt.label_count = 1;
    opt.auto_stop_min = 30;
    opt.auto_archive_min = 60;
    opt.auto_delete_min = 120;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    sbx_sandbox_free(w.sb); /* the worker dies */
    w.sb = NULL;
    sbx_sim_advance_ms(w.sim, 10000);
    query.labels = &label;
    query.label_count = 1;
    T_STATUS(sbx_runtime_find(w.rt, &query, NULL, &list, &w.err), SBX_OK);
    T_EQ(sbx_list_count(list), 1);
    T_STR(sbx_info_label(sbx_list_at(list, 0), "owner"), "worker-1");
    T_STR(sbx_info_extra(sbx_list_at(list, 0), "autoStopInterval"), "30");
    T_STR(sbx_info_extra(sbx_list_at(list, 0), "autoArchiveInterval"), "60");
    T_STR(sbx_info_extra(sbx_list_at(list, 0), "autoDeleteInterval"), "120");
    sbx_list_free(list);
    world_finish(&w);
}

static void f023_ephemeral_is_gone_when_stopped(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.auto_delete_min = SBX_EPHEMERAL;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_DESTROYED);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void f028_a_burst_of_losses(void) {
    struct world w = world_new(SEED);
    struct sbx_sandbox *all[5] = {0};
    for (size_t i = 0; i < 5; i++) T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &all[i], &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','effect':{'kind':'lost'}}");
    for (size_t i = 0; i < 5; i++) {
        struct sbx_exec_result *result = NULL;
        T_STATUS(sbx_sandbox_exec(all[i], "true", NULL, NULL, &result, &w.err), SBX_NOT_FOUND);
        T_TRUE(result == NULL);
        T_STATUS(sbx_sandbox_destroy(all[i], NULL, &w.err), SBX_OK);
        sbx_sandbox_free(all[i]);
    }
    T_EQ(sent(&w, "POST /sandbox "), 0);
    T_EQ(sbx_sim_ledger_made(w.sim), 5);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void f035_stopped_by_itself(void) {
    static const struct {
        const char *text;
        enum sbx_status want;
        int outcome;
    } rows[] = {
        {"bad request: failed to resolve container IP: no IP address found. Is the Sandbox started?", SBX_NOT_READY,
         SBX_OUTCOME_REFUSED},
        {"bad request: failed to get runner info: Sandbox does not have a runner", SBX_NOT_READY, SBX_OUTCOME_REFUSED},
        {"bad request: words that nobody has seen yet", SBX_NOT_READY, SBX_OUTCOME_UNKNOWN}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_with_stopped_sandbox(SEED);
        fault_status(&w, "toolbox.execute", "before", 1, 400, rows[i].text);
        T_STATUS(exec(&w, "true"), rows[i].want);
        T_EQ(w.err.outcome, rows[i].outcome);
        T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
        T_STATUS(exec(&w, "true"), SBX_OK);
        T_EQ(sbx_sim_ledger_made(w.sim), 1);
        world_finish(&w);
    }
}

static void f037_stopped_gone_or_unknown(void) {
    char before[SBX_ID_SIZE], after[SBX_ID_SIZE];
    struct world w = world_with_stopped_sandbox(SEED);
    sbx_sandbox_id(w.sb, before);
    fault_status(&w, "sandbox.start", "before", 0, 503, NULL);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_PROVIDER);
    T_EQ(w.err.http_status, 503);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sim_faults_clear(w.sim);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_OK);
    sbx_sandbox_id(w.sb, after);
    T_STR(after, before);
    world_fault(&w, "{'op':'daytona.sandbox.start','phase':'before_commit','effect':{'kind':'lost'}}");
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_sandbox_start(w.sb, NULL, NULL, NULL, &w.err), SBX_NOT_FOUND);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

static void f089_list_is_late_and_flaps(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t count = -1;
    sbx_sim_advance_ms(w.sim, 5000);
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_OK);
    T_EQ(count, 1);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    world_fault(&w, "{'op':'daytona.sandbox.list','phase':'before','effect':{'kind':'list_lag','delay_ms':3000}}");
    sbx_sim_timeline_reset(w.sim);
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "GET  /sandbox/sb-1 -> 404"); /* it was listed, and asked for */
    T_EQ(count, 0);
    world_finish(&w);
}

static void f092_every_page_is_read(void) {
    struct world w = world_new(SEED);
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    const struct sbx_pair label = {"wanted", "yes"};
    int64_t count = 0;
    for (int i = 0; i < 5; i++) {
        struct sbx_sandbox *sb = NULL;
        opt.labels = &label;
        opt.label_count = i == 0;
        T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &sb, &w.err), SBX_OK);
        sbx_sandbox_free(sb);
    }
    sbx_sim_advance_ms(w.sim, 5000);
    query.page_size = 2;
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &count, &w.err), SBX_OK);
    T_EQ(count, 5);
    query.labels = &label;
    query.label_count = 1;
    T_STATUS(sbx_runtime_find(w.rt, &query, NULL, &list, &w.err), SBX_OK);
    T_EQ(sbx_list_count(list), 1);
    sbx_list_free(list);
    world_finish(&w);
}

/* One refusal of a create: its status, and that nothing was made, looked for or tried again. */
static void refused(int http, const char *text, enum sbx_status want) {
    struct world w = world_new(SEED);
    fault_status(&w, "sandbox.create", "before", 0, http, text);
    T_STATUS(launch(&w), want);
    T_EQ(w.err.http_status, http);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_EQ(sent(&w, "sandbox"), 1);
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    world_finish(&w);
}

static void f098_quota_in_words(void) {
    refused(403, "Total CPU limit exceeded. Maximum allowed: 10.", SBX_QUOTA);
    refused(400, "Total memory limit exceeded. Maximum allowed: 10GiB.", SBX_QUOTA);
    refused(400, "CPU request 8 exceeds maximum allowed per sandbox (4)", SBX_QUOTA);
    refused(403, "Access denied", SBX_FORBIDDEN);
}

static void f100_no_runners_then_some(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'before_commit','times':1,'effect':{'kind':'no_runners'}}");
    T_STATUS(launch(&w), SBX_NO_CAPACITY);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_STATUS(launch(&w), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
    refused(503, "No available runners", SBX_NO_CAPACITY);
}

static void f107_bad_key_or_missing_scope(void) {
    struct world w = world_new_with(SEED,
                                    "{\"daytona\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_DAYTONA_KEY
                                    "\",\"permissions\":[\"delete:sandboxes\"]}]}}",
                                    NULL);
    T_STATUS(launch(&w), SBX_FORBIDDEN);
    T_EQ(w.err.http_status, 403);
    T_STR(w.err.operation, "launch");
    world_finish(&w);
    refused(401, "Invalid credentials", SBX_UNAUTHORISED);
}

static void f110_errors_carry_no_providers_text(void) {
    struct world w = world_new(SEED);
    char line[512];
    fault_status(&w, "sandbox.create", "before", 0, 403, "you sent Bearer " SBX_SIM_DAYTONA_KEY);
    T_STATUS(launch(&w), SBX_FORBIDDEN);
    sbx_error_describe(&w.err, line, sizeof(line));
    T_TRUE(strstr(line, "canary") == NULL && strstr(line, "you sent") == NULL);
    world_finish(&w);
}

/* What could not be asked is not empty. */
static void f124_a_list_that_failed_is_an_error(void) {
    static const char *const kinds[] = {"reset", "close", "hang"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_list *list = NULL;
        int64_t count = -1;
        char fault[128];
        snprintf(fault, sizeof(fault),
                 "{'op':'daytona.sandbox.list','phase':'before','times':1000,'effect':{'kind':'%s'}}", kinds[i]);
        world_fault(&w, fault);
        T_TRUE(sbx_runtime_find(w.rt, NULL, NULL, &list, &w.err) != SBX_OK);
        T_TRUE(list == NULL);
        T_TRUE(sbx_runtime_count(w.rt, NULL, NULL, &count, &w.err) != SBX_OK);
        T_EQ(count, -1);
        world_finish(&w);
    }
}

static void f127_503_until_it_is_ready(void) {
    struct world w = world_new(SEED);
    fault_status(&w, "toolbox.execute", "before", 3, 503, NULL);
    T_STATUS(launch(&w), SBX_OK);
    T_EQ(sent(&w, "execute -> 503"), 3);
    world_finish(&w);
}

static void f127_401_ends_it_at_once(void) {
    struct world w = world_new(SEED);
    fault_status(&w, "toolbox.execute", "before", 0, 401, NULL);
    T_STATUS(launch(&w), SBX_UNAUTHORISED);
    T_EQ(sent(&w, "execute"), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void f131_no_sizes_beside_a_snapshot(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.snapshot = "daytona-large";
    opt.cpu = 2;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_UNSUPPORTED);
    T_TIMELINE(w.sim, "");
    opt.cpu = 0;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    world_finish(&w);
}

static void f133_build_failed_ends_the_wait(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'fail_boot','state':'build_"
                    "failed'}}");
    T_STATUS(launch(&w), SBX_PROVIDER);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_TRUE(now(&w) < 10000);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void f139_a_missing_snapshot_is_nothing_else(void) {
    refused(400, "Snapshot x not found. Did you add it through the Daytona Dashboard?", SBX_SNAPSHOT_NOT_FOUND);
    refused(404, "Snapshot x not found", SBX_SNAPSHOT_NOT_FOUND);
    refused(404, "Region not found", SBX_INVALID_ARGUMENT);
    refused(401, "Snapshot x not found", SBX_UNAUTHORISED);
    refused(403, "Total disk limit exceeded. Maximum allowed: 10GiB.", SBX_QUOTA);
    refused(429, "Snapshot x not found", SBX_RATE_LIMITED);
}

static void f143_a_late_create_is_not_left(void) {
    struct world w = world_new(SEED);
    struct sbx_call call;
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'late','delay_ms':35000}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 5000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    sbx_sim_advance_ms(w.sim, 60000);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void destroy_fails(const char *effect, enum sbx_status want) {
    struct world w = world_with_running_sandbox(SEED);
    char fault[256];
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.delete','phase':'before','effect':%s}", effect);
    world_fault(&w, fault);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), want);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sim_faults_clear(w.sim);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void f146_only_gone_is_destroyed(void) {
    destroy_fails("{'kind':'status','status':401}", SBX_UNAUTHORISED);
    destroy_fails("{'kind':'status','status':403}", SBX_FORBIDDEN);
    destroy_fails("{'kind':'status','status':409}", SBX_CONFLICT);
    destroy_fails("{'kind':'status','status':429}", SBX_RATE_LIMITED);
    destroy_fails("{'kind':'status','status':500}", SBX_PROVIDER);
    destroy_fails("{'kind':'status','status':503}", SBX_PROVIDER);
    destroy_fails("{'kind':'reset'}", SBX_CONNECTION_LOST);
    destroy_fails("{'kind':'hang'}", SBX_DEADLINE);
}

T_CASES(T_CASE(f001_daemon_dies_of_memory), T_CASE(f002_created_without_a_daemon), T_CASE(f004_creating_for_ever),
        T_CASE(f005_one_502_on_a_read), T_CASE(f005_stuck_while_it_starts_is_kept),
        T_CASE(f007_delete_refused_while_starting), T_CASE(f008_change_in_progress_400_or_409),
        T_CASE(f010_state_is_not_the_one_of_creation), T_CASE(f011_a_taken_name_is_looked_up_once),
        T_CASE(f013_names_are_unique_unless_given), T_CASE(f014_name_is_free_once_destroyed),
        T_CASE(f022_leftovers_are_found_by_label), T_CASE(f023_ephemeral_is_gone_when_stopped),
        T_CASE(f028_a_burst_of_losses), T_CASE(f035_stopped_by_itself), T_CASE(f037_stopped_gone_or_unknown),
        T_CASE(f089_list_is_late_and_flaps), T_CASE(f092_every_page_is_read), T_CASE(f098_quota_in_words),
        T_CASE(f100_no_runners_then_some), T_CASE(f107_bad_key_or_missing_scope),
        T_CASE(f110_errors_carry_no_providers_text), T_CASE(f124_a_list_that_failed_is_an_error),
        T_CASE(f127_503_until_it_is_ready), T_CASE(f127_401_ends_it_at_once), T_CASE(f131_no_sizes_beside_a_snapshot),
        T_CASE(f133_build_failed_ends_the_wait), T_CASE(f139_a_missing_snapshot_is_nothing_else),
        T_CASE(f143_a_late_create_is_not_left), T_CASE(f146_only_gone_is_destroyed))
