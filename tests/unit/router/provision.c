/* Provisioning: what is launched, written down and told, as the accounts answer. Rows R7, R9, R15, R17, R18, R24, R26.
 */
#include "routed.h"

#include <stdio.h>

static void a_locator_and_its_record(void) {
    struct routed *r = routed_new();
    static const struct sbx_pair labels[] = {{"team", "blue"}}, vars[] = {{"LANG", "C"}};
    struct sbx_record *record = NULL;
    struct sbx_attempt attempt = SBX_ATTEMPT_INIT;
    r->how.request = "job-42";
    r->how.labels = labels;
    r->how.label_count = 1;
    r->how.env = vars;
    r->how.env_count = 1;
    r->how.name = "my-sandbox";
    r->how.create_ms = 4000;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    T_TRUE(strncmp(r->locator, "sbx_", 4) == 0 && strlen(r->locator) == 36);
    T_STR(r->told, "RANKED a 1\nRANKED b 2\nATTEMPT_STARTED a\nATTEMPT_SUCCEEDED a\nMAPPED a\n");
    T_STATUS(sbx_store_get(r->store, r->locator, NULL, &record, &r->err), SBX_OK);
    T_EQ(record->state, SBX_RECORD_MAPPED);
    T_STR(record->sandbox_id, r->a.sandboxes[0].id);
    T_STR(record->pool, "a");
    T_STR(record->provider, "fake");
    T_STR(record->request, "job-42");
    T_STR(sbx_record_label(record, "team"), "blue");
    T_STR(record->acquisition, r->a.acquisition);
    sbx_record_free(record);
    T_STR(r->a.name, "my-sandbox");
    T_STR(r->a.label, "blue");
    T_STR(r->a.env_value, "C");
    T_EQ(r->a.create_ms, 4000);
    T_EQ(r->a.launched + r->b.launched, 1);
    T_EQ(sbx_provision_attempt_count(r->report), 1);
    T_TRUE(sbx_provision_attempt(r->report, 0, &attempt));
    T_STR(attempt.pool_id, "a");
    T_EQ(attempt.status, SBX_OK);
    T_TRUE(!sbx_provision_attempt(r->report, 1, &attempt));
    T_CONTAINS(sbx_provision_explanation(r->report), "1. a: score");
    routed_free(r);
}

static void resources_go_where_they_are_taken(void) {
    struct sbx_profile profile = SBX_PROFILE_INIT;
    profile.cpu = 8;
    for (int takes = 0; takes < 2; takes++) {
        struct routed *r = routed_new();
        profile.capabilities = SBX_CAP_EXEC | (takes ? SBX_CAP_LAUNCH_RESOURCES : 0);
        r->req.cpu = 2;
        routed_open(r, &profile);
        T_STATUS(routed_provision(r), SBX_OK);
        T_EQ((int64_t)r->a.cpu, takes ? 2 : 0);
        routed_free(r);
    }
}

static void detached_only_where_it_is_declared(void) {
    struct sbx_profile profile = SBX_PROFILE_INIT;
    struct routed *r = routed_new();
    profile.capabilities = SBX_CAP_DETACHED_LAUNCH;
    routed_open(r, &profile);
    T_STATUS(sbx_router_provision_detached(r->router, &r->req, NULL, NULL, r->locator, NULL, &r->err), SBX_OK);
    T_EQ(r->a.detached, 1);
    routed_free(r);
    r = routed_new();
    routed_open(r, NULL);
    T_STATUS(sbx_router_provision_detached(r->router, &r->req, NULL, NULL, r->locator, &r->report, &r->err),
             SBX_NO_ELIGIBLE_POOL);
    uint64_t reasons = 0;
    T_STR(sbx_provision_rejected(r->report, 0, &reasons), "a");
    T_EQ(reasons, SBX_REASON_BIT(SBX_REASON_DETACHED_LAUNCH));
    T_EQ(sbx_provision_rejected_count(r->report), 2);
    T_EQ(r->a.launched, 0);
    routed_free(r);
}

static void a_runtime_that_cannot_find_it_again_is_not_routed(void) {
    struct routed *r = routed_new();
    r->a.caps = SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    T_CONTAINS(r->told, "FILTERED a REATTACH\n");
    T_EQ(r->b.launched, 1);
    routed_free(r);
}

static void errors_carry_the_facts_and_no_words(void) {
    struct routed *r = routed_new();
    r->a.launches[0] = (struct fake_launch){SBX_FORBIDDEN, SBX_OUTCOME_REFUSED, 0, 403, 0};
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_PROVIDER_PROVISIONING);
    T_EQ(r->err.status, SBX_PROVIDER_PROVISIONING);
    T_EQ(r->err.cause, SBX_FORBIDDEN);
    T_EQ(r->err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(r->err.http_status, 403);
    T_STR(r->err.provider, "fake");
    T_STR(r->err.operation, "launch");
    T_STR(r->err.detail, "pool a: FORBIDDEN");
    T_STR(r->told, "RANKED a 1\nRANKED b 2\nATTEMPT_STARTED a\nATTEMPT_FAILED a FORBIDDEN REFUSED - retryable 0\n");
    T_EQ(routed_state(r, r->a.acquisition), SBX_RECORD_ABSENT);
    routed_free(r);
}

static void every_pool_refuses(void) {
    struct routed *r = routed_new();
    r->opt.classify = routed_classify;
    r->opt.classify_ctx = r;
    r->verdict = 1;
    r->a.launches[0] = r->b.launches[0] = (struct fake_launch){SBX_NO_CAPACITY, SBX_OUTCOME_REFUSED, 0, 503, 0};
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_ACQUISITION_EXHAUSTED);
    T_EQ(r->err.cause, SBX_NO_CAPACITY);
    T_EQ(sbx_provision_attempt_count(r->report), 2);
    T_CONTAINS(r->told, "ATTEMPT_FAILED b NO_CAPACITY REFUSED NO_ROOM retryable 1\n");
    T_EQ(fake_live(&r->a) + fake_live(&r->b), 0);
    routed_free(r);
}

/* Row R15's own cases. */
static void full_accounts_are_passed_over(void) {
    static const char *const order[] = {"b", "a"};
    struct routed *r = routed_new();
    r->opt.capacity_order = order;
    r->opt.capacity_order_count = 2;
    r->used[1] = 10;
    r->req.attempt_count_max = 1; /* a pool passed over spends none */
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    T_CONTAINS(r->told, "CAPACITY_SKIPPED b CAPACITY_EXHAUSTED\nATTEMPT_STARTED a\n");
    T_EQ(r->capacity_reads, 2);
    r->used[0] = 10;
    T_STATUS(routed_provision(r), SBX_PROVIDER_CAPACITY_EXHAUSTED);
    T_EQ(r->err.outcome, SBX_OUTCOME_NONE);
    T_EQ(sbx_provision_rejected_count(r->report), 2);
    T_EQ(r->a.launched + r->b.launched, 1);
    routed_free(r);
}

static void an_exact_pool_never_spills(void) {
    static const char *const order[] = {"b", "a"};
    struct routed *r = routed_new();
    r->opt.capacity_order = order;
    r->opt.capacity_order_count = 2;
    r->used[1] = 10;
    r->req.pool_id = "b";
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_PROVIDER_CAPACITY_EXHAUSTED);
    T_EQ(r->a.launched + r->b.launched, 0);
    T_EQ(r->capacity_reads, 1);
    routed_free(r);
}

static void without_an_order_nothing_is_read(void) {
    struct routed *r = routed_new();
    r->used[0] = 10;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    T_EQ(r->capacity_reads, 0);
    T_EQ(r->a.launched, 1);
    routed_free(r);
}

static void an_adopted_sandbox_is_success(void) {
    struct routed *r = routed_new();
    r->a.launches[0] = (struct fake_launch){SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, SBX_CLEANUP_UNCONFIRMED, 0, 1};
    r->how.adopt = SBX_YES;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    T_CONTAINS(r->told, "RECONCILED a 1\nMAPPED a\n");
    T_EQ(routed_state(r, r->locator), SBX_RECORD_MAPPED);
    T_EQ(fake_live(&r->a), 1);
    T_EQ(r->a.launched + r->b.launched, 1);
    routed_free(r);
}

static void routers_that_are_none(void) {
    struct routed *r = routed_new();
    static const char *const again[] = {"a", "a"}, *const bad[] = {""};
    struct sbx_router *router = NULL;
    routed_open(r, NULL);
    struct sbx_router_options opt = r->opt;
    T_STATUS(sbx_router_create(NULL, r->env, &router, &r->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_router_create(&opt, NULL, &router, &r->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_router_create(&opt, r->env, NULL, &r->err), SBX_INVALID_ARGUMENT);
    opt.registry = NULL;
    T_STATUS(sbx_router_create(&opt, r->env, &router, &r->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(r->err.detail, "registry");
    opt = r->opt;
    opt.capacity_order = again;
    opt.capacity_order_count = 2;
    T_STATUS(sbx_router_create(&opt, r->env, &router, &r->err), SBX_INVALID_ARGUMENT);
    opt.capacity_order = bad;
    opt.capacity_order_count = 1;
    T_STATUS(sbx_router_create(&opt, r->env, &router, &r->err), SBX_INVALID_ARGUMENT);
    opt.capacity_order_count = 0;
    opt.capacity_timeout_ms = -1;
    T_STATUS(sbx_router_create(&opt, r->env, &router, &r->err), SBX_INVALID_ARGUMENT);
    r->req.attempt_count_max = 0;
    T_STATUS(routed_provision(r), SBX_INVALID_REQUEST);
    T_STATUS(sbx_router_provision(r->router, NULL, NULL, NULL, NULL, NULL, &r->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_router_provision(NULL, NULL, NULL, NULL, r->locator, NULL, &r->err), SBX_INVALID_ARGUMENT);
    T_EQ(r->a.launched + r->b.launched, 0);
    routed_free(r);
}

static void a_call_that_is_over_launches_nothing(void) {
    struct routed *r = routed_new();
    struct sbx_call call = SBX_CALL_INIT;
    routed_open(r, NULL);
    sbx_sim_advance_ms(r->sim, 10);
    call.deadline_ms = 5;
    T_STATUS(sbx_router_provision(r->router, &r->req, NULL, &call, r->locator, NULL, &r->err), SBX_DEADLINE);
    T_EQ(r->err.outcome, SBX_OUTCOME_NOT_SENT);
    call.deadline_ms = 0;
    call.cancel = sbx_cancel_create(r->env);
    sbx_cancel_fire(call.cancel);
    T_STATUS(sbx_router_provision(r->router, &r->req, NULL, &call, r->locator, NULL, &r->err), SBX_CANCELLED);
    sbx_cancel_free(call.cancel);
    T_EQ(r->a.launched + r->b.launched, 0);
    routed_free(r);
}

T_CASES(T_CASE(a_locator_and_its_record), T_CASE(resources_go_where_they_are_taken),
        T_CASE(detached_only_where_it_is_declared), T_CASE(a_runtime_that_cannot_find_it_again_is_not_routed),
        T_CASE(errors_carry_the_facts_and_no_words), T_CASE(every_pool_refuses), T_CASE(full_accounts_are_passed_over),
        T_CASE(an_exact_pool_never_spills), T_CASE(without_an_order_nothing_is_read),
        T_CASE(an_adopted_sandbox_is_success), T_CASE(routers_that_are_none),
        T_CASE(a_call_that_is_over_launches_nothing))
