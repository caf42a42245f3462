/* The pure part's guards: each in pairs that differ in one fact. Rows R2-R6, R8, R13, R15. */
#include "pools.h"

#include <math.h>

/* Two pools, "a" before "b" if nothing decides. */
static struct pools *two_pools(const struct sbx_profile *of_a, const struct sbx_signals *signals_of_a) {
    struct pools *p = pools_new();
    pools_add(p, "a", of_a, signals_of_a);
    pools_add(p, "b", NULL, NULL);
    return p;
}

static void bound_is(int32_t bound, enum sbx_status due) {
    struct pools *p = two_pools(NULL, NULL);
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    req.attempt_count_max = bound;
    T_STATUS(pools_route(p, &req, NULL), due);
    pools_free(p);
}

static void must_fire_attempt_bound_checked__eleven(void) {
    bound_is(11, SBX_INVALID_REQUEST);
}

static void must_not_fire_attempt_bound_checked__ten(void) {
    bound_is(10, SBX_OK);
}

static void placed_by(int32_t placement, const char *node, enum sbx_status due) {
    struct pools *p = two_pools(NULL, NULL);
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    req.placement = placement;
    req.node_affinity = node;
    T_STATUS(pools_route(p, &req, NULL), due);
    T_EQ(p->route == NULL, due != SBX_OK);
    pools_free(p);
}

static void must_fire_no_second_scheduler__fleet(void) {
    placed_by(SBX_PLACEMENT_FLEET, NULL, SBX_ROUTING_NOT_APPLICABLE);
}

static void must_fire_no_second_scheduler__none(void) {
    placed_by(SBX_PLACEMENT_NONE, NULL, SBX_ROUTING_NOT_APPLICABLE);
}

static void must_fire_no_second_scheduler__node(void) {
    placed_by(SBX_PLACEMENT_POOL, "node-7", SBX_ROUTING_NOT_APPLICABLE);
}

static void must_not_fire_no_second_scheduler__pool(void) {
    placed_by(SBX_PLACEMENT_POOL, NULL, SBX_OK);
}

static void image_of_a(const char *image, const char *order) {
    struct sbx_profile profile = SBX_PROFILE_INIT;
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    profile.image = image;
    struct pools *p = two_pools(&profile, NULL);
    req.image = "agent-v4";
    const enum sbx_status st = pools_route(p, &req, NULL);
    T_STR(pools_order(p), order);
    T_STATUS(st, order[0] == '|' ? SBX_NO_ELIGIBLE_POOL : SBX_OK);
    pools_free(p);
}

static void must_fire_needs_filter__other_image(void) {
    image_of_a("agent-v3", "|a b");
}

static void must_not_fire_needs_filter__that_image(void) {
    image_of_a("agent-v4", "a|b");
}

static void demanded(const char *id, const char *order) {
    struct pools *p = two_pools(NULL, NULL);
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    req.pool_id = id;
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STR(pools_order(p), order);
    pools_free(p);
}

static void must_fire_exact_pool__by_id(void) {
    demanded("b", "b|a");
}

static void must_not_fire_exact_pool__any(void) {
    demanded(NULL, "a b|");
}

static void lifetime_of_a(int64_t ceiling_ms, const char *order) {
    struct sbx_profile profile = SBX_PROFILE_INIT;
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    profile.lifetime_ms_max = ceiling_ms;
    struct pools *p = two_pools(&profile, NULL);
    req.lifetime_ms = 1800000;
    T_EQ(pools_route(p, &req, NULL) == SBX_OK, order[0] == 'a');
    T_STR(pools_order(p), order);
    if (order[0] == '|') T_EQ(pools_reasons(p, "a"), SBX_REASON_BIT(SBX_REASON_SANDBOX_LIFETIME));
    pools_free(p);
}

static void must_fire_lifetime_is_correctness__unknown(void) {
    lifetime_of_a(0, "|a b");
}

static void must_fire_lifetime_is_correctness__shorter(void) {
    lifetime_of_a(1799999, "|a b");
}

static void must_not_fire_lifetime_is_correctness__ceiling(void) {
    lifetime_of_a(1800000, "a|b");
}

static void must_not_fire_lifetime_is_correctness__unbounded(void) {
    lifetime_of_a(SBX_UNBOUNDED, "a|b");
}

static void must_not_fire_lifetime_is_correctness__not_asked(void) {
    struct pools *p = two_pools(NULL, NULL);
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STR(pools_order(p), "a b|");
    pools_free(p);
}

static void twice(const char *second, enum sbx_status due) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    pools_add(p, "a", NULL, NULL);
    pools_add(p, second, NULL, NULL);
    T_STATUS(pools_route(p, &req, NULL), due);
    pools_free(p);
}

static void must_fire_pool_id_once__twice(void) {
    twice("a", SBX_INVALID_ARGUMENT);
}

static void must_not_fire_pool_id_once__another(void) {
    twice("a2", SBX_OK);
}

/* ---- ranking ---- */

static struct sbx_signals signals(double cost, double ready_ms, double rate) {
    struct sbx_signals s = SBX_SIGNALS_INIT;
    s.cost = cost;
    s.ready_ms = ready_ms;
    s.completion_rate = rate;
    return s;
}

/* Of "cheap" and "sure" the weights decide: 35 for cost against 40 for completion, and with the latency it turns. */
static void cheap_or_sure(double ready_of_sure_ms, const char *order) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    const struct sbx_signals cheap = signals(1, 1000, 0.5), sure = signals(2, ready_of_sure_ms, 1);
    pools_add(p, "cheap", NULL, &cheap);
    pools_add(p, "sure", NULL, &sure);
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STR(pools_order(p), order);
    pools_free(p);
}

static void must_fire_balanced_weights__completion_beats_cost(void) {
    cheap_or_sure(1000, "sure cheap|");
}

static void must_not_fire_balanced_weights__latency_tips_it(void) {
    cheap_or_sure(2000, "cheap sure|");
}

/* A rejected pool far away would press the others together, so that cost no longer counts. */
static void beside_a_pool_that_is(int32_t unavailable, double score) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    const struct sbx_signals near = signals(1, 1000, 1), next = signals(2, 1000, 1);
    struct sbx_signals far = signals(1001, 1000, 1);
    far.unavailable = unavailable;
    pools_add(p, "near", NULL, &near);
    pools_add(p, "next", NULL, &next);
    pools_add(p, "zfar", NULL, &far);
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_EQ((int64_t)(sbx_route_score(p->route, 1) * 1e6 + 0.5), (int64_t)(score * 1e6 + 0.5));
    pools_free(p);
}

static void must_fire_normalised_over_eligible__rejected(void) {
    beside_a_pool_that_is(SBX_YES, 0.35);
}

static void must_not_fire_normalised_over_eligible__eligible(void) {
    beside_a_pool_that_is(SBX_NO, 0.00035);
}

static void cost_of_z(double cost, const char *order) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    const struct sbx_signals of_z = signals(cost, 1000, 1), others = signals(1, 1000, 1);
    pools_add(p, "z", NULL, &of_z);
    pools_add(p, "m", NULL, &others);
    pools_add(p, "a", NULL, &others);
    T_STATUS(pools_route(p, &req, NULL), SBX_OK);
    T_STR(pools_order(p), order);
    pools_free(p);
}

static void must_fire_ties_by_id__three_alike(void) {
    cost_of_z(1, "a m z|");
}

static void must_not_fire_ties_by_id__one_cheaper(void) {
    cost_of_z(0.5, "z a m|");
}

/* ---- credentials and signals ---- */

struct teller {
    int32_t answer; /* for "a" */
    double cost;    /* of "a" */
    int calls;
};

static int32_t tell_ready(void *ctx, const char *id) {
    struct teller *t = ctx;
    t->calls++;
    return id[0] == 'a' ? t->answer : 1;
}

static int tell_signals(void *ctx, const char *id, const struct sbx_route_request *req, struct sbx_signals *s) {
    struct teller *t = ctx;
    (void)req;
    t->calls++;
    s->cost = id[0] == 'a' ? t->cost : 1;
    return id[0] == 'a' ? t->answer : 0;
}

static void told_ready(int32_t answer, const char *pool_id, enum sbx_status due, const char *order, int calls) {
    struct pools *p = two_pools(NULL, NULL);
    struct teller teller = {answer, 1, 0};
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    opt.ready = tell_ready;
    opt.ready_ctx = &teller;
    req.pool_id = pool_id;
    T_STATUS(pools_route(p, &req, &opt), due);
    T_STR(pools_order(p), order);
    T_EQ(teller.calls, calls);
    pools_free(p);
}

static void must_fire_ready_credentials__not_ready(void) {
    told_ready(0, NULL, SBX_OK, "b|a", 2);
}

static void must_not_fire_ready_credentials__ready(void) {
    told_ready(1, NULL, SBX_OK, "a b|", 2);
}

static void must_fire_ready_is_boolean__error(void) {
    told_ready(-1, NULL, SBX_PROVISIONING_AVAILABILITY, "|", 1);
}

static void must_fire_ready_is_boolean__two(void) {
    told_ready(2, NULL, SBX_PROVISIONING_AVAILABILITY, "|", 1);
}

static void must_not_fire_ready_is_boolean__no(void) {
    told_ready(0, NULL, SBX_OK, "b|a", 2);
}

static void must_fire_ready_only_survivors__other_demanded(void) {
    told_ready(-1, "b", SBX_OK, "b|a", 1);
}

static void must_not_fire_ready_only_survivors__any(void) {
    told_ready(-1, NULL, SBX_PROVISIONING_AVAILABILITY, "|", 1);
}

static void told_signals(int32_t answer, double cost, const char *pool_id, const char *order, uint64_t reasons,
                         int calls) {
    struct pools *p = two_pools(NULL, NULL);
    struct teller teller = {answer, cost, 0};
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    opt.signals = tell_signals;
    opt.signals_ctx = &teller;
    req.pool_id = pool_id;
    T_STATUS(pools_route(p, &req, &opt), SBX_OK);
    T_STR(pools_order(p), order);
    T_EQ(pools_reasons(p, "a"), reasons);
    T_EQ(teller.calls, calls);
    pools_free(p);
}

static void must_fire_signals_failure_excludes__failed(void) {
    told_signals(-1, 1, NULL, "b|a", SBX_REASON_BIT(SBX_REASON_SIGNALS_FAILED), 2);
}

static void must_not_fire_signals_failure_excludes__told(void) {
    told_signals(0, 1, NULL, "a b|", 0, 2);
}

static void must_fire_signals_nonsense__nan(void) {
    told_signals(0, (double)NAN, NULL, "b|a", SBX_REASON_BIT(SBX_REASON_SIGNALS_INVALID), 2);
}

static void must_fire_signals_nonsense__negative(void) {
    told_signals(0, -1, NULL, "b|a", SBX_REASON_BIT(SBX_REASON_SIGNALS_INVALID), 2);
}

static void must_not_fire_signals_nonsense__dear(void) {
    told_signals(0, 2, NULL, "b a|", 0, 2);
}

static void must_fire_signals_only_survivors__other_demanded(void) {
    told_signals(0, 1, "b", "b|a", SBX_REASON_BIT(SBX_REASON_POOL_ID), 1);
}

static void must_not_fire_signals_only_survivors__any(void) {
    told_signals(0, 1, NULL, "a b|", 0, 2);
}

/* ---- the capacity order ---- */

static void ordered(size_t count, const char *order) {
    static const char *const ids[] = {"b", "a"};
    struct pools *p = two_pools(NULL, NULL);
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    opt.pool_order = ids;
    opt.pool_order_count = count;
    T_STATUS(pools_route(p, &req, &opt), SBX_OK);
    T_STR(pools_order(p), order);
    pools_free(p);
}

static void must_fire_only_pools_of_the_order__not_named(void) {
    ordered(1, "b|a");
}

static void must_not_fire_only_pools_of_the_order__named(void) {
    ordered(2, "b a|");
}

T_CASES(T_CASE(must_fire_attempt_bound_checked__eleven), T_CASE(must_not_fire_attempt_bound_checked__ten),
        T_CASE(must_fire_no_second_scheduler__fleet), T_CASE(must_fire_no_second_scheduler__none),
        T_CASE(must_fire_no_second_scheduler__node), T_CASE(must_not_fire_no_second_scheduler__pool),
        T_CASE(must_fire_needs_filter__other_image), T_CASE(must_not_fire_needs_filter__that_image),
        T_CASE(must_fire_exact_pool__by_id), T_CASE(must_not_fire_exact_pool__any),
        T_CASE(must_fire_lifetime_is_correctness__unknown), T_CASE(must_fire_lifetime_is_correctness__shorter),
        T_CASE(must_not_fire_lifetime_is_correctness__ceiling),
        T_CASE(must_not_fire_lifetime_is_correctness__unbounded),
        T_CASE(must_not_fire_lifetime_is_correctness__not_asked), T_CASE(must_fire_pool_id_once__twice),
        T_CASE(must_not_fire_pool_id_once__another), T_CASE(must_fire_balanced_weights__completion_beats_cost),
        T_CASE(must_not_fire_balanced_weights__latency_tips_it), T_CASE(must_fire_normalised_over_eligible__rejected),
        T_CASE(must_not_fire_normalised_over_eligible__eligible), T_CASE(must_fire_ties_by_id__three_alike),
        T_CASE(must_not_fire_ties_by_id__one_cheaper), T_CASE(must_fire_ready_credentials__not_ready),
        T_CASE(must_not_fire_ready_credentials__ready), T_CASE(must_fire_ready_is_boolean__error),
        T_CASE(must_fire_ready_is_boolean__two), T_CASE(must_not_fire_ready_is_boolean__no),
        T_CASE(must_fire_ready_only_survivors__other_demanded), T_CASE(must_not_fire_ready_only_survivors__any),
        T_CASE(must_fire_signals_failure_excludes__failed), T_CASE(must_not_fire_signals_failure_excludes__told),
        T_CASE(must_fire_signals_nonsense__nan), T_CASE(must_fire_signals_nonsense__negative),
        T_CASE(must_not_fire_signals_nonsense__dear), T_CASE(must_fire_signals_only_survivors__other_demanded),
        T_CASE(must_not_fire_signals_only_survivors__any), T_CASE(must_fire_only_pools_of_the_order__not_named),
        T_CASE(must_not_fire_only_pools_of_the_order__named))
