/* What a crash has left: finished by whoever comes, and never another's live work. Row R22. */
#include "routed.h"

#include <sandport/router_reap.h>

/* Another router over the same store and accounts: another process, on another host. */
struct reapers {
    struct routed *r;
    struct sbx_router *other;
    struct sbx_reap_result result;
};

static void reapers_open(struct reapers *p, const struct fake_launch *how, int undecided) {
    p->r = routed_new();
    p->r->a.launches[0] = *how;
    p->r->a.fail_reconcile = undecided;
    sbx_reap_result_init(&p->result, sizeof(p->result));
    routed_open(p->r, NULL);
    T_STATUS(sbx_router_create(&p->r->opt, p->r->env, &p->other, &p->r->err), SBX_OK);
}

static void reapers_free(struct reapers *p) {
    sbx_router_free(p->other);
    routed_free(p->r);
}

static const struct fake_launch left = {SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, SBX_CLEANUP_UNCONFIRMED, 0, 1};
static const struct fake_launch nothing = {SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, SBX_CLEANUP_UNCONFIRMED, 0, 0};

static void a_sandbox_that_nobody_knows_of_is_deleted(void) {
    struct reapers p;
    reapers_open(&p, &left, 1);
    T_STATUS(routed_provision(p.r), SBX_PROVIDER_PROVISIONING);
    T_EQ(p.r->err.cleanup, SBX_CLEANUP_UNCONFIRMED);
    T_EQ(fake_live(&p.r->a), 1);
    p.r->told[0] = 0;
    const int64_t began = p.r->env->now_ms(p.r->env);
    T_STATUS(sbx_router_reap(p.other, NULL, NULL, &p.result, &p.r->err), SBX_OK);
    T_TRUE(p.r->env->now_ms(p.r->env) - began >= 60000);
    T_EQ(p.result.seen, 1);
    T_EQ(p.result.finished, 1);
    T_EQ(fake_live(&p.r->a), 0);
    T_EQ(routed_state(p.r, p.r->a.acquisition), SBX_RECORD_DONE);
    T_STR(p.r->told, "CLAIMED a\nREAPED a done 1\n");
    T_STATUS(sbx_router_reap(p.other, NULL, NULL, &p.result, &p.r->err), SBX_OK);
    T_EQ(p.result.seen, 0);
    reapers_free(&p);
}

static void ones_own_is_finished_at_once(void) {
    struct reapers p;
    reapers_open(&p, &nothing, 1);
    T_STATUS(routed_provision(p.r), SBX_PROVIDER_PROVISIONING);
    const int64_t began = p.r->env->now_ms(p.r->env);
    T_STATUS(sbx_router_reap(p.r->router, NULL, NULL, &p.result, &p.r->err), SBX_OK);
    T_TRUE(p.r->env->now_ms(p.r->env) - began < 60000);
    T_EQ(p.result.finished, 1);
    T_EQ(routed_state(p.r, p.r->a.acquisition), SBX_RECORD_ABSENT);
    reapers_free(&p);
}

static void what_has_a_locator_is_never_touched(void) {
    struct reapers p;
    static const struct fake_launch well = {0};
    reapers_open(&p, &well, 0);
    T_STATUS(routed_provision(p.r), SBX_OK);
    sbx_sim_advance_ms(p.r->sim, 24 * 3600 * 1000);
    T_STATUS(sbx_router_reap(p.other, NULL, NULL, &p.result, &p.r->err), SBX_OK);
    T_EQ(p.result.seen, 0);
    T_EQ(fake_live(&p.r->a), 1);
    T_EQ(routed_state(p.r, p.r->locator), SBX_RECORD_MAPPED);
    reapers_free(&p);
}

/* An intent of a process that died before it sent anything, and one after. */
static void written_by_the_dead(struct routed *r, const char *acquisition, int sent) {
    struct sbx_record draft = SBX_RECORD_INIT;
    draft.acquisition = acquisition;
    draft.locator = draft.sandbox_id = draft.request = "";
    draft.provider = "fake";
    draft.pool = "a";
    draft.owner = "dddddddddddddddddddddddddddddddd";
    draft.attempt = 1;
    T_STATUS(sbx_store_put_intent(r->store, &draft, NULL, NULL, &r->err), SBX_OK);
    if (!sent) return;
    struct sbx_store_change change = SBX_STORE_CHANGE_INIT;
    change.acquisition = acquisition;
    change.generation = 1;
    change.owner = draft.owner;
    change.state = SBX_RECORD_SENT;
    T_STATUS(sbx_store_advance(r->store, &change, NULL, NULL, &r->err), SBX_OK);
}

static void an_intent_that_was_never_sent_costs_no_request(void) {
    struct reapers p;
    reapers_open(&p, &nothing, 0);
    written_by_the_dead(p.r, "11111111111111111111111111111111", 0);
    written_by_the_dead(p.r, "22222222222222222222222222222222", 1);
    T_STATUS(sbx_router_reap(p.other, NULL, NULL, &p.result, &p.r->err), SBX_OK);
    T_EQ(p.result.finished, 2);
    T_EQ(p.r->a.reconciles, 1);
    T_EQ(routed_state(p.r, "11111111111111111111111111111111"), SBX_RECORD_ABSENT);
    T_EQ(routed_state(p.r, "22222222222222222222222222222222"), SBX_RECORD_ABSENT);
    reapers_free(&p);
}

static void a_pool_that_is_gone_stays_open(void) {
    struct reapers p;
    reapers_open(&p, &nothing, 0);
    struct sbx_record draft = SBX_RECORD_INIT;
    draft.acquisition = "33333333333333333333333333333333";
    draft.locator = draft.request = "";
    draft.sandbox_id = "somewhere";
    draft.provider = "gone";
    draft.pool = "a";
    draft.owner = "dddddddddddddddddddddddddddddddd";
    draft.attempt = 1;
    T_STATUS(sbx_store_put_intent(p.r->store, &draft, NULL, NULL, &p.r->err), SBX_OK);
    struct sbx_store_change change = SBX_STORE_CHANGE_INIT;
    change.acquisition = draft.acquisition;
    change.generation = 1;
    change.owner = draft.owner;
    change.state = SBX_RECORD_SENT;
    T_STATUS(sbx_store_advance(p.r->store, &change, NULL, NULL, &p.r->err), SBX_OK);
    T_STATUS(sbx_router_reap(p.other, NULL, NULL, &p.result, &p.r->err), SBX_OK);
    T_EQ(p.result.open, 1);
    T_EQ(p.r->a.attaches, 0);
    T_EQ(routed_state(p.r, draft.acquisition), SBX_RECORD_SENT);
    reapers_free(&p);
}

/* ---- guards ---- */

struct busy {
    struct reapers p;
    int64_t takes_ms;
    int is_own; /* the router that reaps is the one that launches */
    struct sbx_sim *sim;
};

static void launch_takes_long(void *ctx, struct fake *fake) {
    struct busy *b = ctx;
    (void)!fake->env->sleep_until(fake->env, fake->env->now_ms(fake->env) + b->takes_ms, NULL);
}

static void provision_now(void *arg) {
    struct busy *b = arg;
    T_STATUS(routed_provision(b->p.r), SBX_OK);
}

static void reap_meanwhile(void *arg) {
    struct busy *b = arg;
    struct sbx_env *env = b->p.r->env;
    (void)!env->sleep_until(env, env->now_ms(env) + 1000, NULL);
    T_STATUS(sbx_router_reap(b->is_own ? b->p.r->router : b->p.other, NULL, NULL, &b->p.result, NULL), SBX_OK);
}

static void while_one_launches(int is_own) {
    struct busy b = {.takes_ms = 100000, .is_own = is_own};
    static const struct fake_launch well = {0};
    reapers_open(&b.p, &well, 0);
    b.p.r->a.on_launch = launch_takes_long;
    b.p.r->a.on_launch_ctx = &b;
    T_STATUS(sbx_sim_spawn(b.p.r->sim, provision_now, &b), SBX_OK);
    T_STATUS(sbx_sim_spawn(b.p.r->sim, reap_meanwhile, &b), SBX_OK);
    T_STATUS(sbx_sim_run(b.p.r->sim), SBX_OK);
    T_EQ(b.p.result.alive, 1);
    T_EQ(fake_live(&b.p.r->a), 1);
    T_EQ(b.p.r->a.destroys, 0);
    T_EQ(routed_state(b.p.r, b.p.r->locator), SBX_RECORD_MAPPED);
    reapers_free(&b.p);
}

static void must_fire_reap_the_silent_alone__at_work(void) {
    while_one_launches(0);
}

static void must_not_fire_reap_the_silent_alone__dead(void) {
    a_sandbox_that_nobody_knows_of_is_deleted();
}

static void must_fire_reap_not_what_we_work_on__at_work(void) {
    while_one_launches(1);
}

static void must_not_fire_reap_not_what_we_work_on__left(void) {
    ones_own_is_finished_at_once();
}

static void undecided_then(int undecided, int32_t state, int64_t open) {
    struct reapers p;
    reapers_open(&p, &nothing, 1 + undecided);
    T_STATUS(routed_provision(p.r), SBX_PROVIDER_PROVISIONING);
    T_STATUS(sbx_router_reap(p.r->router, NULL, NULL, &p.result, &p.r->err), SBX_OK);
    T_EQ(routed_state(p.r, p.r->a.acquisition), state);
    T_EQ(p.result.open, open);
    reapers_free(&p);
}

static void must_fire_reap_undecided_stays__undecided(void) {
    undecided_then(1, SBX_RECORD_SENT, 1);
}

static void must_not_fire_reap_undecided_stays__absent(void) {
    undecided_then(0, SBX_RECORD_ABSENT, 0);
}

static void lease_is(int64_t lease_ms, enum sbx_status due) {
    struct reapers p;
    struct sbx_reap_options opt = SBX_REAP_OPTIONS_INIT;
    reapers_open(&p, &nothing, 0);
    opt.lease_ms = lease_ms;
    T_STATUS(sbx_router_reap(p.other, &opt, NULL, &p.result, &p.r->err), due);
    reapers_free(&p);
}

static void must_fire_lease_outlives_a_beat__29_s(void) {
    lease_is(29999, SBX_INVALID_ARGUMENT);
}

static void must_not_fire_lease_outlives_a_beat__30_s(void) {
    lease_is(30000, SBX_OK);
}

T_CASES(T_CASE(a_sandbox_that_nobody_knows_of_is_deleted), T_CASE(ones_own_is_finished_at_once),
        T_CASE(what_has_a_locator_is_never_touched), T_CASE(an_intent_that_was_never_sent_costs_no_request),
        T_CASE(a_pool_that_is_gone_stays_open), T_CASE(must_fire_reap_the_silent_alone__at_work),
        T_CASE(must_not_fire_reap_the_silent_alone__dead), T_CASE(must_fire_reap_not_what_we_work_on__at_work),
        T_CASE(must_not_fire_reap_not_what_we_work_on__left), T_CASE(must_fire_reap_undecided_stays__undecided),
        T_CASE(must_not_fire_reap_undecided_stays__absent), T_CASE(must_fire_lease_outlives_a_beat__29_s),
        T_CASE(must_not_fire_lease_outlives_a_beat__30_s))
