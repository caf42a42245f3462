/* Guards of execution: no hop can send a command a second time. Rows D9, P11. */
#include "daytona_world.h"

#include <stdio.h>

#include <sandport/kit/wire.h>

#define REPLAYED "a hop replayed this request: the daemon sees it twice"

/* ---- exec_is_chunked: hops replay only what they hold whole ---- */

static void lines_of(struct world *w, const char *want) {
    struct sbx_exec_result *result = NULL;
    sbx_sim_faults_clear(w->sim);
    T_STATUS(sbx_sandbox_exec(w->sb, "cat lines", NULL, NULL, &result, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

/* @param fault NULL = none: no replay is seen either way */
static void ran_once(const char *fault) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    int64_t rule = fault ? world_fault(&w, fault) : 0;
    size_t len = 0;
    T_STATUS(sbx_sandbox_exec(w.sb, "echo ran >> count; cat count", NULL, NULL, &result, &w.err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "ran\n");
    T_EQ(sbx_exec_result_bytes_exact(result), 1);
    sbx_exec_result_free(result);
    if (rule) T_EQ(sbx_sim_fault_hits(w.sim, rule), 1);
    T_TRUE(strstr(sbx_sim_journal(w.sim, &len), REPLAYED) == NULL);
    world_finish(&w);
}

static void must_fire_exec_is_chunked__command(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = NULL;
    size_t len = 0;
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','effect':{'kind':'replay'}}");
    T_STATUS(sbx_sandbox_exec(w.sb, "echo line >>lines", NULL, NULL, &result, &w.err), SBX_OK);
    sbx_exec_result_free(result);
    if (strstr(sbx_sim_journal(w.sim, &len), REPLAYED)) T_FAIL("the daemon saw the command twice, expected once");
    lines_of(&w, "line\n");
    world_finish(&w);
    ran_once("{'op':'daytona.toolbox.execute','phase':'before','times':1,'effect':{'kind':'replay'}}");
}

/* The same hop, and a body of known length. */
static void must_not_fire_exec_is_chunked__known_length(void) {
    static const char body[] = "{\"command\":\"echo line >>lines\",\"timeout\":5}";
    static const struct sbx_header headers[] = {{"Authorization", "Bearer " SBX_SIM_DAYTONA_KEY},
                                                {"Content-Type", "application/json"}};
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_request req = {.size = sizeof(req), .method = "POST", .headers = headers, .header_count = 2};
    struct sbx_answer ans;
    char url[256], id[SBX_ID_SIZE];
    size_t len = 0;
    sbx_sandbox_id(w.sb, id);
    snprintf(url, sizeof(url), "http://daytona.sim/toolbox/%s/process/execute", id);
    req.url = url;
    req.body = body;
    req.body_len = sizeof(body) - 1;
    req.deadline_ms = w.env->now_ms(w.env) + 10000;
    world_fault(&w, "{'op':'daytona.toolbox.execute','phase':'before','effect':{'kind':'replay'}}");
    sbx_answer_init(&ans, sizeof(ans));
    sbx_exchange_collect(w.env, &req, &ans);
    T_EQ(ans.http_status, 200);
    sbx_answer_finish(&ans);
    T_CONTAINS(sbx_sim_journal(w.sim, &len), REPLAYED);
    lines_of(&w, "line\nline\n");
    world_finish(&w);
    ran_once(NULL);
}

/* ---- exec_code_not_made_up: what is no exit code is unknown, and never 0 ---- */

static struct sbx_exec_result *wired(struct world *w, const char *value) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.toolbox.execute','phase':'mid_reply','effect':{'kind':'mutate','path':'$.exitCode',"
             "'value':%s}}",
             value);
    world_fault(w, fault);
    opt.mode = SBX_EXEC_WIRE;
    T_STATUS(sbx_sandbox_exec(w->sb, "echo out", &opt, NULL, &result, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), "out\n");
    return result;
}

/* F050. -1 is what the daemon says of a command that a signal ended. */
static void must_fire_exec_code_not_made_up__no_code(void) {
    static const char *const values[] = {"null", "'0'", "-1", "256", "false", "[]"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct world w = world_with_running_sandbox(SEED);
        struct sbx_exec_result *result = wired(&w, values[i]);
        T_EQ(sbx_exec_result_exit_known(result), 0);
        T_EQ(sbx_exec_result_exit_code(result), -1);
        sbx_exec_result_free(result);
        world_finish(&w);
    }
}

static void must_not_fire_exec_code_not_made_up__a_code(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_exec_result *result = wired(&w, "0");
    T_EQ(sbx_exec_result_exit_known(result), 1);
    T_EQ(sbx_exec_result_exit_code(result), 0);
    sbx_exec_result_free(result);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_exec_is_chunked__command), T_CASE(must_not_fire_exec_is_chunked__known_length),
        T_CASE(must_fire_exec_code_not_made_up__no_code), T_CASE(must_not_fire_exec_code_not_made_up__a_code))
