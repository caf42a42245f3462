/* What went wrong with others who choose between accounts: tests by the failures' numbers. Rows R3, R7, R13, R22. */
#include "routed_world.h"

/* F032: a provider that is configured and fails is down. It is not absent, what it declares stays, and no other pool
 * takes its place where it was demanded, with or without its isolation. */
static void f032_down_is_not_absent(void) {
    struct routed_world *w = routed_world_new(3, 3, 3, 0);
    routed_world_open(w);
    w->req.pool_id = "e2b";
    routed_world_fault(w, "{'op':'e2b.sandbox.create','phase':'before','effect':{'kind':'status','status':503}}");
    for (int i = 0; i < 2; i++) { /* as it declares the second time, too */
        T_STATUS(routed_world_provision(w), SBX_PROVIDER_PROVISIONING);
        T_STR(w->err.provider, "e2b");
        T_EQ(w->err.http_status, 503);
        T_EQ(sbx_provision_rejected_count(w->report), 2); /* the two that were not demanded */
    }
    w->req.pool_id = "nobody";
    T_STATUS(routed_world_provision(w), SBX_NO_ELIGIBLE_POOL);
    T_EQ(sbx_provision_rejected_count(w->report), 3);
    T_EQ(sbx_sim_ledger_made(w->sim), 0);
    routed_world_free(w);
}

/* The same said by a credential's readiness: not ready is a reason, not known is an end. */
struct readiness {
    int32_t answer;
};

static int32_t ready(void *ctx, const char *pool_id) {
    return strcmp(pool_id, "day-1") == 0 ? ((struct readiness *)ctx)->answer : 1;
}

static void f032_not_known_is_not_no(void) {
    struct routed_world *w = routed_world_new(3, 3, 3, 1);
    struct readiness is = {0};
    w->opt.ready = ready;
    w->opt.ready_ctx = &is;
    routed_world_open(w);
    T_STATUS(routed_world_provision(w), SBX_OK);
    T_STR(routed_world_pool(w), "day-2");
    is.answer = -1;
    T_STATUS(routed_world_provision(w), SBX_PROVISIONING_AVAILABILITY);
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    routed_world_free(w);
}

/* F044: a command is over when it has ended, though a child in the background holds its output. */
static void f044_a_child_holds_the_output(void) {
    static const char *const pools[] = {"day-1", "e2b"};
    struct routed_world *w = routed_world_new(3, 3, 3, 1);
    routed_world_open(w);
    for (int i = 0; i < 2; i++) {
        struct sbx_exec_options exact = SBX_EXEC_OPTIONS_INIT;
        struct sbx_exec_result *said = NULL;
        exact.mode = SBX_EXEC_EXACT;
        w->req.pool_id = pools[i];
        T_STATUS(routed_world_provision(w), SBX_OK);
        const int64_t began = w->env->now_ms(w->env);
        T_STATUS(sbx_router_exec(w->router, w->locator, "(sleep 60; echo late; echo alive >after) & echo ok", &exact,
                                 NULL, &said, &w->err),
                 SBX_OK);
        T_STR(sbx_exec_result_stdout(said, NULL), "ok\n");
        T_TRUE(w->env->now_ms(w->env) - began < 10000);
        sbx_exec_result_free(said);
        said = NULL;
        sbx_sim_advance_ms(w->sim, 70000);
        T_STATUS(sbx_router_exec(w->router, w->locator, "cat after", NULL, NULL, &said, &w->err), SBX_OK);
        T_STR(sbx_exec_result_stdout(said, NULL), "alive\n");
        sbx_exec_result_free(said);
    }
    routed_world_free(w);
}

/* F142: a create whose answer is lost, and a classifier that would have it followed at once. Another follows only what
 * is proven: that it was never made, or that it was and is deleted, also where reads show it only later. */
static int yes(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out) {
    (void)ctx, (void)failure;
    out->retryable = 1;
    memcpy(out->code, "LOST", sizeof("LOST"));
    return 0;
}

/* @param hidden how many reads do not show it yet */
static void f142(const char *phase, int hidden, int made) {
    struct routed_world *w = routed_world_new(3, 3, 3, 0);
    struct sbx_fault fault = {.op = "daytona.sandbox.create", .times = 1, .effect = {.kind = "reset"}};
    fault.phase = phase;
    w->opt.classify = yes;
    routed_world_open(w);
    T_TRUE(sbx_sim_fault(w->sim, &fault) > 0);
    fault = (struct sbx_fault){
        .op = "daytona.sandbox.get", .phase = "before", .times = hidden, .effect = {.kind = "status", .status = 404}};
    if (hidden) T_TRUE(sbx_sim_fault(w->sim, &fault) > 0);
    T_STATUS(routed_world_provision(w), SBX_OK);
    T_EQ(sbx_provision_attempt_count(w->report), 2);
    T_EQ(sbx_sim_ledger_made(w->sim), made);
    T_EQ(sbx_sim_ledger_live(w->sim), 1);
    const char *again = strstr(sbx_sim_timeline(w->sim), "POST /sandbox -> 200");
    const char *gone = strstr(sbx_sim_timeline(w->sim), "DELETE /sandbox/sb-1 -> 200");
    T_TRUE(again && (made == 1 ? !gone : gone && gone < again));
    routed_world_free(w);
}

static void f142_dropped_before_it_took_effect(void) {
    f142("before_commit", 0, 1);
}
static void f142_made_and_its_answer_lost(void) {
    f142("after_commit", 0, 2);
}
static void f142_made_and_seen_later(void) {
    f142("after_commit", 5, 2);
}

T_CASES(T_CASE(f032_down_is_not_absent), T_CASE(f032_not_known_is_not_no), T_CASE(f044_a_child_holds_the_output),
        T_CASE(f142_dropped_before_it_took_effect), T_CASE(f142_made_and_its_answer_lost),
        T_CASE(f142_made_and_seen_later))
