/* The whole decision: its steps in their order, its words for people, arguments that are none. Rows R3, R6, R13, R15,
 * R17, R25. */
#include "pools.h"

#include <sandport/sandbox.h>
#include <stdio.h>

struct heard {
    char ids[256]; /* in the order of the calls */
    const char *bad;
    int32_t answer; /* for `bad`; 1 for the others */
};

static int32_t hear_ready(void *ctx, const char *id) {
    struct heard *h = ctx;
    const size_t at = strlen(h->ids);
    snprintf(h->ids + at, sizeof(h->ids) - at, "%s ", id);
    return h->bad && strcmp(h->bad, id) == 0 ? h->answer : 1;
}

static int hear_signals(void *ctx, const char *id, const struct sbx_route_request *req, struct sbx_signals *signals) {
    struct heard *h = ctx;
    const size_t at = strlen(h->ids);
    (void)req;
    snprintf(h->ids + at, sizeof(h->ids) - at, "%s ", id);
    if (h->bad && strcmp(h->bad, id) == 0) return h->answer;
    signals->cost = id[0] == 'c' ? 0 : signals->cost;
    return 0;
}

static struct pools *three_pools(void) {
    struct pools *p = pools_new();
    struct sbx_profile profile = SBX_PROFILE_INIT;
    profile.capabilities = SBX_CAP_EXEC | SBX_CAP_DETACHED_LAUNCH;
    pools_add(p, "c", &profile, NULL);
    pools_add(p, "a", &profile, NULL);
    pools_add(p, "b", NULL, NULL);
    return p;
}

static void later_steps_ask_survivors_alone(void) {
    struct pools *p = three_pools();
    struct heard ready = {.bad = "a", .answer = 0}, signals = {.bad = NULL};
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    opt.ready = hear_ready;
    opt.ready_ctx = &ready;
    opt.signals = hear_signals;
    opt.signals_ctx = &signals;
    opt.detached = SBX_YES;
    T_STATUS(pools_route(p, &req, &opt), SBX_OK);
    T_STR(pools_order(p), "c|a b");
    T_STR(ready.ids, "a c "); /* by id, and b was out */
    T_STR(signals.ids, "c ");
    T_EQ(pools_reasons(p, "a"), SBX_REASON_BIT(SBX_REASON_CREDENTIALS));
    T_EQ(pools_reasons(p, "b"), SBX_REASON_BIT(SBX_REASON_DETACHED_LAUNCH));
    pools_free(p);
}

static void no_provider_is_called(void) {
    struct pools *p = three_pools();
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    size_t len = 0;
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    req.image = "none-has-it";
    T_STATUS(pools_route(p, &req, NULL), SBX_NO_ELIGIBLE_POOL);
    T_EQ(p->account.launched + p->account.attaches + p->account.execs, 0);
    sbx_sim_journal(p->sim, &len);
    T_EQ(len, 0);
    pools_free(p);
}

static void the_same_however_they_are_registered(void) {
    static const char *const orders[] = {"abc", "acb", "bac", "bca", "cab", "cba"};
    for (size_t i = 0; i < 6; i++) {
        struct pools *p = pools_new();
        const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
        for (const char *c = orders[i]; *c; c++) {
            const char id[] = {*c, 0};
            pools_add(p, id, NULL, NULL);
        }
        T_STATUS(pools_route(p, &req, NULL), SBX_OK);
        T_STR(pools_order(p), "a b c|");
        pools_free(p);
    }
}

static void a_capacity_order_replaces_the_strategy(void) {
    static const char *const order[] = {"b", "nobody", "c"};
    struct pools *p = three_pools();
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    opt.pool_order = order;
    opt.pool_order_count = 3;
    T_STATUS(pools_route(p, &req, &opt), SBX_OK);
    T_STR(pools_order(p), "b c|a");
    T_EQ(pools_reasons(p, "a"), SBX_REASON_BIT(SBX_REASON_NOT_IN_ORDER));
    req.pool_id = "a"; /* demanded, and not listed: nothing spills */
    T_STATUS(pools_route(p, &req, &opt), SBX_NO_ELIGIBLE_POOL);
    T_EQ(pools_reasons(p, "a"), SBX_REASON_BIT(SBX_REASON_NOT_IN_ORDER));
    T_EQ(pools_reasons(p, "b"), SBX_REASON_BIT(SBX_REASON_POOL_ID));
    pools_free(p);
}

static void budgets_are_kept_by_measured_signals_alone(void) {
    struct pools *p = pools_new();
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_signals signals = SBX_SIGNALS_INIT;
    signals.ready_ms = 2000;
    pools_add(p, "just", NULL, &signals);
    signals.ready_ms = 2000.5;
    pools_add(p, "late", NULL, &signals);
    signals.unavailable = SBX_YES;
    pools_add(p, "off", NULL, &signals);
    pools_add(p, "unmeasured", NULL, NULL);
    req.ready_ms_max = 2000;
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STR(pools_order(p), "just|late off unmeasured");
    T_EQ(pools_reasons(p, "late"), SBX_REASON_BIT(SBX_REASON_READY_LATENCY));
    T_EQ(pools_reasons(p, "off"), SBX_REASON_BIT(SBX_REASON_READY_LATENCY) | SBX_REASON_BIT(SBX_REASON_UNAVAILABLE));
    T_EQ(pools_reasons(p, "unmeasured"), SBX_REASON_BIT(SBX_REASON_READY_LATENCY));
    pools_free(p);
}

static void an_explanation_that_people_can_read(void) {
    struct pools *p = three_pools();
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_signals signals = SBX_SIGNALS_INIT;
    char *text = NULL;
    signals.cost = 0.125;
    pools_add(p, "d", sbx_pool_profile(p->pool[0]), &signals);
    req.strategy = SBX_STRATEGY_COST;
    req.capabilities_required = SBX_CAP_DETACHED_LAUNCH;
    req.capabilities_forbidden = SBX_FEATURE_TAILNET;
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STATUS(sbx_route_explain(p->route, &text), SBX_OK);
    T_STR(text, "1. d: score 0.125 (cost 0.125, cold start 1000 ms, ready 1000 ms, completion 1)\n"
                "2. a: score 1 (cost 1, cold start 1000 ms, ready 1000 ms, completion 1)\n"
                "3. c: score 1 (cost 1, cold start 1000 ms, ready 1000 ms, completion 1)\n"
                "-  b: CAPABILITY_REQUIRED DETACHED_LAUNCH (it does not declare a required ability)\n");
    sbx_text_free(text);
    pools_free(p);
}

static void signals_are_told(void) {
    struct pools *p = three_pools();
    struct heard heard = {.bad = NULL};
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    struct sbx_signals got = SBX_SIGNALS_INIT;
    opt.signals = hear_signals;
    opt.signals_ctx = &heard;
    req.strategy = SBX_STRATEGY_COST;
    T_STATUS(pools_route(p, &req, &opt), SBX_OK);
    T_STR(pools_order(p), "c a b|");
    got.cost = 9;
    sbx_route_signals(p->route, 0, &got);
    T_EQ((int64_t)got.cost, 0);
    T_EQ(got.size, sizeof(got));
    sbx_route_signals(p->route, 3, &got); /* there is none: nothing is told */
    T_EQ((int64_t)got.cost, 0);
    pools_free(p);
}

static void arguments_that_are_none(void) {
    struct pools *p = three_pools();
    const struct sbx_pool *twice[] = {p->pool[0], p->pool[0]}, *hole[] = {p->pool[0], NULL};
    static const char *const again[] = {"a", "a"}, *const bad[] = {"a", ""};
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    T_STATUS(sbx_route_create(&req, twice, 2, NULL, &p->route, &p->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(p->err.detail, "each id once");
    T_STATUS(sbx_route_create(&req, hole, 2, NULL, &p->route, &p->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_route_create(&req, NULL, 2, NULL, &p->route, &p->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_route_create(&req, twice, 1, NULL, NULL, &p->err), SBX_INVALID_ARGUMENT);
    opt.pool_order = again;
    opt.pool_order_count = 2;
    T_STATUS(pools_route(p, &req, &opt), SBX_INVALID_ARGUMENT);
    T_CONTAINS(p->err.detail, "pool_order: expected each id once");
    opt.pool_order = bad;
    T_STATUS(pools_route(p, &req, &opt), SBX_INVALID_ARGUMENT);
    opt.pool_order_count = 0;
    opt.detached = 7;
    T_STATUS(pools_route(p, &req, &opt), SBX_INVALID_ARGUMENT);
    opt.detached = 0;
    req.size--;
    T_STATUS(pools_route(p, &req, &opt), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_route_create(NULL, NULL, 0, NULL, &p->route, &p->err), SBX_NO_ELIGIBLE_POOL);
    T_EQ(sbx_route_count(p->route) + sbx_route_rejected_count(p->route), 0);
    pools_free(p);
}

static void reasons_have_names_in_a_fixed_order(void) {
    const uint64_t set = SBX_REASON_BIT(SBX_REASON_REGION) | SBX_REASON_BIT(SBX_REASON_POOL_ID) | SBX_REASON_BIT(63);
    T_EQ(sbx_reason_next(set, 0), SBX_REASON_POOL_ID);
    T_EQ(sbx_reason_next(set, SBX_REASON_POOL_ID), SBX_REASON_REGION);
    T_EQ(sbx_reason_next(set, SBX_REASON_REGION), 0);
    T_STR(sbx_reason_name(SBX_REASON_SANDBOX_LIFETIME), "SANDBOX_LIFETIME");
    T_STR(sbx_reason_name(0), "UNKNOWN");
    T_STR(sbx_reason_text(63), "not a reason of this release");
}

T_CASES(T_CASE(later_steps_ask_survivors_alone), T_CASE(no_provider_is_called),
        T_CASE(the_same_however_they_are_registered), T_CASE(a_capacity_order_replaces_the_strategy),
        T_CASE(budgets_are_kept_by_measured_signals_alone), T_CASE(an_explanation_that_people_can_read),
        T_CASE(signals_are_told), T_CASE(arguments_that_are_none), T_CASE(reasons_have_names_in_a_fixed_order))
