/* Failures that were met in the field, one case each, by their number in the list of failures. Rows E1-E8, P7, P9-P11.
 */
#include "e2b_world.h"

#include <stdio.h>

static enum sbx_status exec(struct world *w, const char *command, struct sbx_exec_result **result) {
    return sbx_sandbox_exec(w->sb, command, NULL, NULL, result, &w->err);
}

static int32_t state_read(struct world *w) {
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_info(w->sb, NULL, &info, &w->err), SBX_OK);
    int32_t state = sbx_info_state(info);
    sbx_info_free(info);
    return state;
}

/* A deadline of 30 s for the launch; the sandbox lives its half hour. */
static void f016_a_requests_deadline_is_no_lifetime(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), w.env, 30000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_OK);
    sbx_sim_advance_ms(w.sim, 29 * 60000);
    T_EQ(state_read(&w), SBX_STATE_RUNNING);
    sbx_sim_advance_ms(w.sim, 60000);
    struct sbx_info *info = NULL;
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_NOT_FOUND);
    world_finish(&w);
}

/* Gone without a word: a read says so. */
static void f019_gone_in_mid_command(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    world_fault(
        &w, "{'op':'e2b.process.start','phase':'after_commit','times':1,'effect':{'kind':'expire','delay_ms':5000}}");
    T_STATUS(exec(&w, "echo one; sleep 1000", &result), SBX_NOT_FOUND);
    T_STR(w.err.detail, "the sandbox is gone");
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(result, NULL), "one\n");
    sbx_exec_result_free(result);
    result = NULL;
    T_STATUS(exec(&w, "true", &result), SBX_NOT_FOUND);
    T_EQ(sbx_sim_ledger_made(w.sim), 1); /* nothing was made in its place */
    world_finish(&w);
}

/* Beyond what the account allows: refused before anything is made, or shortened in silence. */
static void f020_longer_than_the_account_allows(void) {
    const struct sbx_pair pair = {"sandbox_lifetime_ms", "864000000"};
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct world w = world_new(SEED);
    opt.provider_options = &pair;
    opt.provider_option_count = 1;
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_INVALID_ARGUMENT);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(w.err.detail, "sandbox_lifetime_ms");
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    world_finish(&w);
}

/* All slots used: no waiting, no second try. */
static void f097_no_slot_is_no_rate(void) {
    struct world w = world_new_with(
        SEED, "{\"e2b\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_E2B_KEY "\",\"concurrency\":1}]}}",
        NULL);
    struct sbx_sandbox *second = NULL;
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &second, &w.err), SBX_QUOTA);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.retry_after_ms, -1);
    T_EQ(world_sent(&w, "POST"), 1);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
}

/* The stream dies in each of its ways behind the start: never a success, and the command ran once. */
static void f046_streams_that_die(void) {
    static const char *const effects[] = {"'kind':'no_end'", "'kind':'no_eos'", "'kind':'reset'", "'kind':'close'",
                                          "'kind':'cut','at_bytes':45"};
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_exec_result *result = NULL;
        char fault[200];
        const char *phase = i < 2 ? "before" : i == 4 ? "mid_reply" : "after_commit";
        snprintf(fault, sizeof(fault), "{'op':'e2b.process.start','phase':'%s','times':1,'effect':{%s}}", phase,
                 effects[i]);
        world_fault(&w, fault);
        enum sbx_status st = exec(&w, "echo ran >>count; echo out", &result);
        if (i == 1) {
            T_STATUS(st, SBX_OK); /* its end was told */
            T_EQ(sbx_exec_result_bytes_exact(result), 0);
        } else {
            T_TRUE(st == SBX_PROTOCOL || st == SBX_CONNECTION_LOST);
            T_TRUE(w.err.outcome == SBX_OUTCOME_DONE || w.err.outcome == SBX_OUTCOME_UNKNOWN);
            if (result) T_EQ(sbx_exec_result_exit_known(result), 0);
        }
        sbx_exec_result_free(result);
        world_prints(&w, "cat count", "ran\n");
        world_finish(&w);
    }
}

/* A lost reply of exact exec is recovered: the true result. */
static void f046_exact_has_the_result_all_the_same(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.mode = SBX_EXEC_EXACT;
    world_fault(&w, "{'op':'e2b.process.start','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    T_STATUS(sbx_sandbox_exec(w.sb, "echo ran >>count; echo out; exit 5", &opt, NULL, &result, &w.err), SBX_OK);
    T_EQ(sbx_exec_result_exit_code(result), 5);
    T_STR(sbx_exec_result_stdout(result, NULL), "out\n");
    sbx_exec_result_free(result);
    world_prints(&w, "cat count", "ran\n");
    world_finish(&w);
}

/* Nothing more comes, and the connection stays: within two minutes that is noticed. */
static void f061_a_stream_that_falls_silent(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    int64_t begun = w.env->now_ms(w.env);
    world_fault(&w, "{'op':'e2b.process.start','phase':'after_commit','times':1,'effect':{'kind':'hang'}}");
    T_STATUS(exec(&w, "sleep 1000", &result), SBX_CONNECTION_LOST);
    T_TRUE(w.env->now_ms(w.env) - begun < 200000);
    sbx_exec_result_free(result);
    world_finish(&w);
}

/* Both planes, one taxonomy. */
static void f106_rates_of_both_planes(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    world_fault(&w, "{'op':'e2b.process.start','phase':'before','effect':{'kind':'status','status':429}}");
    T_STATUS(exec(&w, "true", &result), SBX_RATE_LIMITED);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    world_fault(&w, "{'op':'e2b.files.read','phase':'before','effect':{'kind':'status','status':429}}");
    T_STATUS(sbx_sandbox_download(w.sb, "/etc/hostname", &to, NULL, NULL, NULL, &w.err), SBX_RATE_LIMITED);
    sbx_buf_finish(&got);
    world_finish(&w);
}

/* A 204 that did nothing: once, and for ever. */
static void f152_a_delete_that_does_nothing(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'e2b.sandbox.kill','phase':'before','times':1,'effect':{'kind':'no_delete'}}");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
    w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'e2b.sandbox.kill','phase':'before','effect':{'kind':'no_delete'}}");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_PROVIDER);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sim_faults_clear(w.sim);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

/* A server that takes no notice of filters. */
static void f091_strangers_are_not_ours(void) {
    const struct sbx_pair label = {"user", "nobody"};
    struct sbx_query query = SBX_QUERY_INIT;
    struct world w = world_with_running_sandbox(SEED);
    int64_t n = -1;
    query.labels = &label;
    query.label_count = 1;
    world_fault(&w, "{'op':'e2b.sandbox.list','phase':'before','effect':{'kind':'list_all'}}");
    T_STATUS(sbx_runtime_count(w.rt, &query, NULL, &n, &w.err), SBX_OK);
    T_EQ(n, 0);
    world_finish(&w);
}

static void f121_a_redirect_is_not_followed(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'e2b.sandbox.create','phase':'before','times':1,'effect':{'kind':'redirect'}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_PROTOCOL);
    T_TRUE(w.err.outcome == SBX_OUTCOME_DONE || w.err.outcome == SBX_OUTCOME_UNKNOWN); /* it may have been made */
    T_EQ(world_sent(&w, "POST /v2/sandboxes"), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

/* What is not there is told as such, and what is declared is done or refused: a pause that the server does not know is
 * no pause, and a sandbox that goes on running holds its slot. */
static void f034_a_pause_that_is_not_there(void) {
    struct world w = world_new_with(
        SEED, "{\"e2b\":{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_E2B_KEY "\",\"concurrency\":1}]}}",
        NULL);
    struct sbx_sandbox *second = NULL;
    T_TRUE((sbx_runtime_capabilities(w.rt) & SBX_CAP_LIFECYCLE) != 0);
    T_TRUE((sbx_runtime_capabilities(w.rt) & SBX_CAP_PTY) == 0);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    static const char *const answers[] = {"404", "405"};
    for (size_t i = 0; i < 2; i++) {
        char fault[200];
        snprintf(fault, sizeof(fault),
                 "{'op':'e2b.sandbox.pause','phase':'before','times':1,'effect':{'kind':'html','status':%s}}",
                 answers[i]);
        world_fault(&w, fault);
        enum sbx_status st = sbx_sandbox_stop(w.sb, NULL, NULL, &w.err);
        T_TRUE(st != SBX_OK && st != SBX_NOT_FOUND);
        T_EQ(state_read(&w), SBX_STATE_RUNNING);
        T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &second, &w.err), SBX_QUOTA);
    }
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &second, &w.err), SBX_OK);
    sbx_sandbox_free(second);
    world_finish(&w);
}

/* No command has an input that stays open: it is told with its start that there is none. */
static void f055_no_command_waits_for_input(void) {
    struct world w = world_with_running_sandbox(SEED);
    const int64_t begun = w.env->now_ms(w.env);
    world_prints(&w, "cat; read x; echo done", "done\n");
    T_TRUE(w.env->now_ms(w.env) - begun < 1000);
    T_EQ(world_journalled(&w, "e2b.process.start", "'stdin':false"), world_journalled(&w, "e2b.process.start", ""));
    T_EQ(world_journalled(&w, "e2b.process.close_stdin", ""), 0);
    world_finish(&w);
}

/* Cut behind three frames, without a word: whether the sandbox is still there is read, and told in our own terms. */
static void f074_a_cut_is_looked_into(void) {
    for (int gone = 0; gone < 2; gone++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_exec_result *result = NULL;
        world_fault(&w,
                    "{'op':'e2b.process.start','phase':'mid_reply','times':1,'effect':{'kind':'reset','at_bytes':90}}");
        if (gone) world_fault(&w, "{'op':'e2b.sandbox.get','phase':'before','times':1,'effect':{'kind':'lost'}}");
        T_STATUS(exec(&w, "echo out; sleep 1000", &result), gone ? SBX_NOT_FOUND : SBX_CONNECTION_LOST);
        T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
        T_STR(sbx_exec_result_stdout(result, NULL), "out\n");
        T_EQ(sbx_exec_result_exit_known(result), 0);
        T_EQ(sbx_exec_result_killed_confirmed(result), 1);
        sbx_exec_result_free(result);
        world_finish(&w);
    }
}

/* A page where JSON or a stream was expected is an answer like another, and none is asked for: we are no browser. */
static void f116_a_page_is_never_parsed(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    struct sbx_buf got = SBX_BUF_INIT;
    const struct sbx_sink to = sbx_buf_sink(&got);
    world_fault(&w, "{'op':'e2b.process.start','phase':'before','times':1,'effect':{'kind':'html','status':502}}");
    T_STATUS(exec(&w, "true", &result), SBX_NOT_READY);
    T_EQ(w.err.http_status, 502);
    world_fault(&w, "{'op':'e2b.files.read','phase':'before','effect':{'kind':'html','status':502}}");
    T_STATUS(sbx_sandbox_download(w.sb, "/etc/hostname", &to, NULL, NULL, NULL, &w.err), SBX_NOT_READY);
    T_EQ(got.len, 0);
    sbx_buf_finish(&got);
    T_EQ(world_journalled(&w, "e2b.process.start", "'user-agent':'sandport/"),
         world_journalled(&w, "e2b.process.start", ""));
    T_EQ(world_journalled(&w, "e2b.process.start", "'accept':'application/connect+json'"),
         world_journalled(&w, "e2b.process.start", ""));
    world_finish(&w);
}

T_CASES(T_CASE(f034_a_pause_that_is_not_there), T_CASE(f055_no_command_waits_for_input),
        T_CASE(f074_a_cut_is_looked_into), T_CASE(f116_a_page_is_never_parsed),
        T_CASE(f016_a_requests_deadline_is_no_lifetime), T_CASE(f019_gone_in_mid_command),
        T_CASE(f020_longer_than_the_account_allows), T_CASE(f097_no_slot_is_no_rate), T_CASE(f046_streams_that_die),
        T_CASE(f046_exact_has_the_result_all_the_same), T_CASE(f061_a_stream_that_falls_silent),
        T_CASE(f106_rates_of_both_planes), T_CASE(f152_a_delete_that_does_nothing), T_CASE(f091_strangers_are_not_ours),
        T_CASE(f121_a_redirect_is_not_followed))
