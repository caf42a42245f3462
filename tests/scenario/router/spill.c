/* A router over two clouds and three accounts: full ones, refusals, races. Rows R7, R14, R15, R16, R20, R12. */
#include "routed_world.h"

#include <stdio.h>

static int attempts(const struct routed_world *w) {
    return (int)sbx_provision_attempt_count(w->report);
}

static void a_life_by_its_locator(void) {
    struct routed_world *w = routed_world_new(2, 2, 2, 0);
    struct sbx_exec_result *result = NULL;
    struct sbx_run_status status = SBX_RUN_STATUS_INIT;
    struct sbx_log *log = NULL;
    static const struct sbx_pair labels[] = {{"team", "blue"}};
    w->how.labels = labels;
    w->how.label_count = 1;
    w->how.request = "job-1";
    routed_world_open(w);
    for (int i = 0; i < 2; i++) { /* one on each cloud */
        w->req.pool_id = i ? "e2b" : "day-1";
        T_STATUS(routed_world_provision(w), SBX_OK);
        T_STR(routed_world_pool(w), w->req.pool_id);
        T_STATUS(sbx_router_exec(w->router, w->locator, "echo hello", NULL, NULL, &result, &w->err), SBX_OK);
        T_STR(sbx_exec_result_stdout(result, NULL), "hello\n");
        sbx_exec_result_free(result);
        T_STATUS(sbx_router_submit(w->router, w->locator, "run-1", "echo done", NULL, NULL, &status, &w->err), SBX_OK);
        sbx_sim_advance_ms(w->sim, 1000);
        T_STATUS(sbx_router_poll(w->router, w->locator, "run-1", NULL, &status, &w->err), SBX_OK);
        T_EQ(status.state, SBX_RUN_EXITED);
        T_STATUS(sbx_router_read_logs(w->router, w->locator, "run-1", NULL, NULL, &log, &w->err), SBX_OK);
        T_STR(sbx_log_bytes(log, SBX_STDOUT, NULL), "done\n");
        sbx_log_free(log);
        T_STATUS(sbx_router_stop(w->router, w->locator, NULL, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_router_start(w->router, w->locator, NULL, NULL, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_router_destroy(w->router, w->locator, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_router_destroy(w->router, w->locator, NULL, &w->err), SBX_OK);
        T_STATUS(sbx_router_stop(w->router, w->locator, NULL, NULL, &w->err), SBX_UNKNOWN_LOCATOR);
    }
    T_EQ(sbx_sim_ledger_made(w->sim), 2);
    T_EQ(sbx_sim_ledger_live(w->sim), 0);
    routed_world_free(w);
}

/* Three sandboxes in three accounts with room for one each, then nowhere. */
static void refusals_spill_with_the_ready_made_classifiers(void) {
    struct routed_world *w = routed_world_new(1, 1, 1, 1);
    static const char *const pools[] = {"day-1", "day-2", "e2b"};
    routed_world_open(w);
    for (int i = 0; i < 3; i++) {
        T_STATUS(routed_world_provision(w), SBX_OK);
        T_STR(routed_world_pool(w), pools[i]);
        T_EQ(attempts(w), i + 1);
    }
    T_STATUS(routed_world_provision(w), SBX_ACQUISITION_EXHAUSTED);
    T_EQ(w->err.cause, SBX_QUOTA);
    T_STR(w->err.detail, "pool e2b: QUOTA");
    T_EQ(attempts(w), 3);
    T_EQ(sbx_sim_ledger_made(w->sim), 3);
    routed_world_free(w);
}

/* F140: a wish and a demand are two things. A demand is kept, whatever a classifier says; without one a refusal that
 * is classified moves on. */
static void f140_a_demand_never_spills_and_a_wish_does(void) {
    struct routed_world *w = routed_world_new(1, 1, 1, 1);
    routed_world_open(w);
    w->req.pool_id = "day-1";
    T_STATUS(routed_world_provision(w), SBX_OK); /* and now it is full */
    T_STATUS(routed_world_provision(w), SBX_ACQUISITION_EXHAUSTED);
    T_EQ(attempts(w), 1);
    w->req.pool_id = NULL;
    T_STATUS(routed_world_provision(w), SBX_OK);
    T_STR(routed_world_pool(w), "day-2");
    T_EQ(attempts(w), 2);
    routed_world_free(w);
}

static void without_a_classifier_a_refusal_ends_it(void) {
    struct routed_world *w = routed_world_new(1, 1, 1, 0);
    routed_world_open(w);
    T_STATUS(routed_world_provision(w), SBX_OK); /* and now the first is full */
    T_STATUS(routed_world_provision(w), SBX_PROVIDER_PROVISIONING);
    T_EQ(w->err.cause, SBX_QUOTA);
    T_EQ(w->err.outcome, SBX_OUTCOME_REFUSED);
    T_STR(w->err.provider, "daytona");
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    routed_world_free(w);
}

/* ---- by capacity ---- */

static const char *const order[] = {"day-1", "e2b", "day-2"};

static void capacity_is_read_before_each_launch(void) {
    struct routed_world *w = routed_world_new(1, 1, 1, 0);
    w->opt.capacity_order = order;
    w->opt.capacity_order_count = 3;
    w->req.acquisition_fallback = SBX_NO; /* a full pool passed over is no launch */
    routed_world_open(w);
    for (int i = 0; i < 3; i++) {
        T_STATUS(routed_world_provision(w), SBX_OK);
        T_STR(routed_world_pool(w), order[i]);
        T_EQ(attempts(w), 1);
    }
    T_STATUS(routed_world_provision(w), SBX_PROVIDER_CAPACITY_EXHAUSTED);
    T_EQ(attempts(w), 0);
    T_EQ(sbx_provision_rejected_count(w->report), 3);
    T_EQ(sbx_sim_ledger_made(w->sim), 3);
    routed_world_free(w);
}

static void a_reader_that_fails_is_passed_over(void) {
    struct routed_world *w = routed_world_new(1, 1, 1, 0);
    uint64_t reasons = 0;
    w->opt.capacity_order = order;
    w->opt.capacity_order_count = 3;
    routed_world_open(w);
    routed_world_fault(w, "{'op':'daytona.sandbox.list','phase':'before','effect':{'kind':'hang'}}");
    const int64_t began = w->env->now_ms(w->env);
    T_STATUS(routed_world_provision(w), SBX_OK);
    T_STR(routed_world_pool(w), "e2b");
    T_STR(sbx_provision_rejected(w->report, 0, &reasons), "day-1");
    T_EQ(reasons, SBX_REASON_BIT(SBX_REASON_CAPACITY_UNKNOWN));
    T_TRUE(w->env->now_ms(w->env) - began < 5000 + 10000);
    routed_world_free(w);
}

/* ---- two callers at once ---- */

struct caller {
    struct routed_world *w;
    int64_t waits_ms;
    enum sbx_status st;
    char locator[SBX_LOCATOR_SIZE];
    struct sbx_error err;
};

static void call_it(void *arg) {
    struct caller *c = arg;
    sbx_error_init(&c->err, sizeof(c->err));
    (void)!c->w->env->sleep_until(c->w->env, c->w->env->now_ms(c->w->env) + c->waits_ms, NULL);
    c->st = sbx_router_provision(c->w->router, &c->w->req, &c->w->how, NULL, c->locator, NULL, &c->err);
}

/* Both read room for one, both launch: one sandbox there. The loser ends, or spills if a classifier says so. */
static void race(int64_t apart_ms, int classify) {
    struct routed_world *w = routed_world_new(1, 1, 1, classify);
    struct caller callers[] = {{.w = w}, {.w = w, .waits_ms = apart_ms}};
    w->opt.capacity_order = order;
    w->opt.capacity_order_count = 2;
    routed_world_open(w);
    for (int i = 0; i < 2; i++) T_STATUS(sbx_sim_spawn(w->sim, call_it, &callers[i]), SBX_OK);
    T_STATUS(sbx_sim_run(w->sim), SBX_OK);
    const int won = (callers[0].st == SBX_OK) + (callers[1].st == SBX_OK);
    /* Far enough apart the second reads that it is full, and moves on without a launch. */
    const int raced = !strstr(sbx_buf_text(&w->told), "CAPACITY_SKIPPED");
    if (won != (classify || !raced ? 2 : 1)) T_FAIL("%lld ms apart: %d of 2", (long long)apart_ms, won);
    T_EQ(sbx_sim_ledger_made(w->sim), won);
    for (int i = 0; i < 2; i++)
        if (callers[i].st) T_EQ(callers[i].err.cause, SBX_QUOTA);
    routed_world_free(w);
}

static void two_callers_whenever_the_second_comes(void) {
    for (int64_t apart_ms = 0; apart_ms <= 60; apart_ms++) {
        race(apart_ms, 0);
        race(apart_ms, 1);
    }
}

T_CASES(T_CASE(a_life_by_its_locator), T_CASE(refusals_spill_with_the_ready_made_classifiers),
        T_CASE(f140_a_demand_never_spills_and_a_wish_does), T_CASE(without_a_classifier_a_refusal_ends_it),
        T_CASE(capacity_is_read_before_each_launch), T_CASE(a_reader_that_fails_is_passed_over),
        T_CASE(two_callers_whenever_the_second_comes))
