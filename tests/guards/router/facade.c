/* The guards of sandboxes by locator: each in pairs that differ in one fact. Rows R11, P10, D6. */
#include "broken_store.h"
#include "routed.h"

#include <sandport/router_sandbox.h>
#include <stdio.h>

static struct routed *one_in(const char *pool_id) {
    struct routed *r = routed_new();
    r->req.pool_id = pool_id;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    return r;
}

static void runs_in(const char *pool_id, int of_a, int of_b) {
    struct routed *r = one_in(pool_id);
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_router_exec(r->router, r->locator, "true", NULL, NULL, &result, &r->err), SBX_OK);
    sbx_exec_result_free(result);
    T_EQ(r->a.execs, of_a);
    T_EQ(r->b.execs, of_b);
    routed_free(r);
}

static void must_fire_never_rerouted__b(void) {
    runs_in("b", 0, 1);
}

static void must_not_fire_never_rerouted__a(void) {
    runs_in("a", 1, 0);
}

static void after_destroy(int destroyed, enum sbx_status due) {
    struct routed *r = one_in("a");
    if (destroyed) {
        r->a.fail_destroy = 1; /* it lives on, to be deleted */
        T_STATUS(sbx_router_destroy(r->router, r->locator, NULL, &r->err), SBX_PROVIDER_RUNTIME);
    }
    T_STATUS(sbx_router_stop(r->router, r->locator, NULL, NULL, &r->err), due);
    T_EQ(r->a.stops, due == SBX_OK);
    routed_free(r);
}

static void must_fire_destroyed_is_unknown__destroying(void) {
    after_destroy(1, SBX_UNKNOWN_LOCATOR);
}

static void must_not_fire_destroyed_is_unknown__mapped(void) {
    after_destroy(0, SBX_OK);
}

static void gone_by(int hidden, int attaches, int destroys) {
    struct routed *r = one_in("a");
    r->a.hidden_attaches = hidden;
    if (!hidden) r->a.sandboxes[0].lives = 0;
    T_STATUS(sbx_router_destroy(r->router, r->locator, NULL, &r->err), SBX_OK);
    T_EQ(r->a.attaches, attaches);
    T_EQ(r->a.destroys, destroys);
    T_EQ(fake_live(&r->a), 0);
    T_EQ(routed_state(r, r->locator), SBX_RECORD_DONE);
    routed_free(r);
}

static void must_fire_router_gone_twice__one_not_found(void) {
    gone_by(1, 2, 1);
}

static void must_not_fire_router_gone_twice__gone(void) {
    gone_by(0, 2, 0);
}

/* ---- with a store that fails ---- */

struct stored {
    struct routed *r;
    struct broken_store broken;
    struct sbx_start_options opt;
};

static struct stored *stored_new(struct stored *s) {
    sbx_start_options_init(&s->opt, sizeof(s->opt));
    s->opt.replace = SBX_YES;
    s->r = routed_new();
    broken_store_new(&s->broken, s->r->env, &s->r->store);
    s->r->inner = s->broken.inner;
    s->r->a.start_replaces = 1;
    routed_open(s->r, NULL);
    T_STATUS(routed_provision(s->r), SBX_OK);
    return s;
}

static void stored_free(struct stored *s) {
    routed_free(s->r);
}

static void must_fire_destroy_written_first__store_fails(void) {
    struct stored s = {0};
    stored_new(&s)->broken.fail_advance = 1;
    T_EQ(sbx_router_destroy(s.r->router, s.r->locator, NULL, &s.r->err) == SBX_OK, 0);
    T_EQ(s.r->a.destroys, 0);
    T_EQ(s.r->err.status, SBX_MAPPING_STORE);
    T_EQ(s.r->err.outcome, SBX_OUTCOME_NOT_SENT);
    stored_free(&s);
}

static void must_not_fire_destroy_written_first__store_works(void) {
    struct stored s = {0};
    stored_new(&s);
    T_STATUS(sbx_router_destroy(s.r->router, s.r->locator, NULL, &s.r->err), SBX_OK);
    T_EQ(s.r->a.destroys, 1);
    stored_free(&s);
}

static void must_fire_replacement_written_first__store_fails(void) {
    struct stored s = {0};
    stored_new(&s)->broken.fail_intent = 1;
    T_EQ(sbx_router_start(s.r->router, s.r->locator, &s.opt, NULL, NULL, &s.r->err) == SBX_OK, 0);
    T_EQ(s.r->a.made, 1); /* no replacement was made, and the old one is as it was */
    T_EQ(fake_live(&s.r->a), 1);
    T_EQ(s.r->err.status, SBX_MAPPING_STORE);
    T_EQ(s.r->err.cause, SBX_STORE_FAILED);
    stored_free(&s);
}

static void must_not_fire_replacement_written_first__store_works(void) {
    struct stored s = {0};
    stored_new(&s);
    T_STATUS(sbx_router_start(s.r->router, s.r->locator, &s.opt, NULL, NULL, &s.r->err), SBX_OK);
    T_EQ(s.r->a.made, 2);
    T_EQ(fake_live(&s.r->a), 1);
    stored_free(&s);
}

static void must_fire_replacement_stored__store_fails(void) {
    struct stored s = {0};
    stored_new(&s)->broken.fail_mapping = 1;
    T_EQ(sbx_router_start(s.r->router, s.r->locator, &s.opt, NULL, NULL, &s.r->err) == SBX_OK, 0);
    T_EQ(fake_live(&s.r->a), 0);
    T_EQ(s.r->err.status, SBX_MAPPING_STORE);
    T_EQ(s.r->err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(s.r->err.outcome, SBX_OUTCOME_DONE);
    stored_free(&s);
}

static void must_not_fire_replacement_stored__store_works(void) {
    struct stored s = {0};
    struct sbx_description d = SBX_DESCRIPTION_INIT;
    stored_new(&s);
    T_STATUS(sbx_router_start(s.r->router, s.r->locator, &s.opt, NULL, NULL, &s.r->err), SBX_OK);
    T_STATUS(sbx_router_describe(s.r->router, s.r->locator, NULL, &d, NULL, &s.r->err), SBX_OK);
    T_STR(d.sandbox_id, "fake-sandbox-2");
    T_EQ(fake_live(&s.r->a), 1);
    stored_free(&s);
}

/* Row R13: credentials that are not ready keep nobody from cleaning up. */
static int32_t not_ready(void *ctx, const char *id) {
    (void)id;
    return *(const int32_t *)ctx;
}

static void readiness_never_stands_before_a_cleanup(void) {
    struct routed *r = routed_new();
    int32_t ready = 1;
    r->opt.ready = not_ready;
    r->opt.ready_ctx = &ready;
    routed_open(r, NULL);
    T_STATUS(routed_provision(r), SBX_OK);
    ready = 0;
    T_STATUS(routed_provision(r), SBX_NO_ELIGIBLE_POOL);
    ready = 7;
    T_STATUS(routed_provision(r), SBX_PROVISIONING_AVAILABILITY);
    T_STATUS(sbx_router_destroy(r->router, r->locator, NULL, &r->err), SBX_OK);
    T_EQ(fake_live(&r->a), 0);
    routed_free(r);
}

T_CASES(T_CASE(must_fire_never_rerouted__b), T_CASE(must_not_fire_never_rerouted__a),
        T_CASE(must_fire_destroyed_is_unknown__destroying), T_CASE(must_not_fire_destroyed_is_unknown__mapped),
        T_CASE(must_fire_router_gone_twice__one_not_found), T_CASE(must_not_fire_router_gone_twice__gone),
        T_CASE(must_fire_destroy_written_first__store_fails), T_CASE(must_not_fire_destroy_written_first__store_works),
        T_CASE(must_fire_replacement_written_first__store_fails),
        T_CASE(must_not_fire_replacement_written_first__store_works), T_CASE(must_fire_replacement_stored__store_fails),
        T_CASE(must_not_fire_replacement_stored__store_works), T_CASE(readiness_never_stands_before_a_cleanup))
