/* The guards of admission by capacity: each in pairs that differ in one fact. Rows R14, R15. */
#include "routed.h"

#include <math.h>

static const char *const order[] = {"a", "b"};

static struct routed *ordered(void) {
    struct routed *r = routed_new();
    r->opt.capacity_order = order;
    r->opt.capacity_order_count = 2;
    return r;
}

static void went_to(struct routed *r, const char *told, int of_a, int of_b) {
    T_STATUS(routed_provision(r), SBX_OK);
    T_CONTAINS(r->told, told);
    T_EQ(r->a.launched, of_a);
    T_EQ(r->b.launched, of_b);
    routed_free(r);
}

static void used_of_a(double used, const char *told, int of_a, int of_b) {
    struct routed *r = ordered();
    r->used[0] = used;
    routed_open(r, NULL);
    went_to(r, told, of_a, of_b);
}

static void must_fire_no_room_no_launch__full(void) {
    used_of_a(10, "CAPACITY_SKIPPED a CAPACITY_EXHAUSTED", 0, 1);
}

static void must_not_fire_no_room_no_launch__room_for_one(void) {
    used_of_a(9, "ATTEMPT_STARTED a", 1, 0);
}

static void must_fire_every_dimension_fits__half_a_slot(void) {
    used_of_a(9.5, "CAPACITY_SKIPPED a CAPACITY_EXHAUSTED", 0, 1);
}

static void must_not_fire_every_dimension_fits__one(void) {
    used_of_a(9, "ATTEMPT_STARTED a", 1, 0);
}

static void must_fire_capacity_makes_sense__nan(void) {
    used_of_a((double)NAN, "CAPACITY_SKIPPED a CAPACITY_UNKNOWN", 0, 1);
}

static void must_fire_capacity_makes_sense__negative(void) {
    used_of_a(-1, "CAPACITY_SKIPPED a CAPACITY_UNKNOWN", 0, 1);
}

static void must_not_fire_capacity_makes_sense__none_used(void) {
    used_of_a(0, "ATTEMPT_STARTED a", 1, 0);
}

static void must_fire_room_for_the_greater_need__configured(void) {
    struct routed *r = ordered();
    r->used[0] = 8;
    r->required[0] = 3;
    routed_open(r, NULL);
    went_to(r, "CAPACITY_SKIPPED a CAPACITY_EXHAUSTED", 0, 1);
}

static void must_not_fire_room_for_the_greater_need__fits(void) {
    struct routed *r = ordered();
    r->used[0] = 7;
    r->required[0] = 3;
    routed_open(r, NULL);
    went_to(r, "ATTEMPT_STARTED a", 1, 0);
}

/* ---- readers of one's own ---- */

struct reader {
    struct routed *r;
    int32_t known;
    int64_t takes_ms;
    enum sbx_status st;
};

static enum sbx_status read_room(void *ctx, const struct sbx_call *call, struct sbx_capacity *out) {
    struct reader *reader = ctx;
    (void)call;
    sbx_sim_advance_ms(reader->r->sim, reader->takes_ms);
    out->known = reader->known;
    out->reason = reader->known ? SBX_CAPACITY_NONE : SBX_CAPACITY_LIMIT_NOT_CONFIGURED;
    out->room[SBX_RESOURCE_CPU].measured = 1;
    out->room[SBX_RESOURCE_CPU].limit = 10;
    out->room[SBX_RESOURCE_CPU].required = 1;
    return reader->st;
}

static void read_by(struct reader *reader, enum sbx_status due) {
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    struct routed *r = ordered();
    reader->r = r;
    fake_runtime(&r->a, r->env, &opt.runtime);
    opt.id = "a";
    opt.owns_runtime = SBX_YES;
    opt.capacity = read_room;
    opt.capacity_ctx = reader;
    T_STATUS(sbx_pool_create(&opt, &pool, &r->err), SBX_OK);
    T_STATUS(sbx_registry_memory_create(&pool, 1, &r->registry, &r->err), SBX_OK);
    T_STATUS(sbx_store_memory_create(r->env, &r->store, &r->err), SBX_OK);
    r->opt.store = r->store;
    r->opt.registry = r->registry;
    T_STATUS(sbx_router_create(&r->opt, r->env, &r->router, &r->err), SBX_OK);
    T_STATUS(routed_provision(r), due);
    T_EQ(r->a.launched, due == SBX_OK);
    if (due) T_CONTAINS(r->told, "CAPACITY_SKIPPED a CAPACITY_UNKNOWN");
    routed_free(r);
}

static void must_fire_unknown_is_no_room__unknown(void) {
    read_by(&(struct reader){.known = 0}, SBX_PROVIDER_CAPACITY_EXHAUSTED);
}

static void must_not_fire_unknown_is_no_room__known(void) {
    read_by(&(struct reader){.known = 1}, SBX_OK);
}

static void must_fire_capacity_late_is_unknown__late(void) {
    read_by(&(struct reader){.known = 1, .takes_ms = 5001}, SBX_PROVIDER_CAPACITY_EXHAUSTED);
}

static void must_fire_capacity_late_is_unknown__failed(void) {
    read_by(&(struct reader){.known = 1, .st = SBX_PROVIDER}, SBX_PROVIDER_CAPACITY_EXHAUSTED);
}

static void must_not_fire_capacity_late_is_unknown__in_time(void) {
    read_by(&(struct reader){.known = 1, .takes_ms = 4999}, SBX_OK);
}

T_CASES(T_CASE(must_fire_no_room_no_launch__full), T_CASE(must_not_fire_no_room_no_launch__room_for_one),
        T_CASE(must_fire_every_dimension_fits__half_a_slot), T_CASE(must_not_fire_every_dimension_fits__one),
        T_CASE(must_fire_capacity_makes_sense__nan), T_CASE(must_fire_capacity_makes_sense__negative),
        T_CASE(must_not_fire_capacity_makes_sense__none_used), T_CASE(must_fire_room_for_the_greater_need__configured),
        T_CASE(must_not_fire_room_for_the_greater_need__fits), T_CASE(must_fire_unknown_is_no_room__unknown),
        T_CASE(must_not_fire_unknown_is_no_room__known), T_CASE(must_fire_capacity_late_is_unknown__late),
        T_CASE(must_fire_capacity_late_is_unknown__failed), T_CASE(must_not_fire_capacity_late_is_unknown__in_time))
