/* Guards of the capacity read: no limit and no demand is inferred, and what is not known is never a number. Row R14. */
#include "toy_world.h"

#include <math.h>

static struct toy_world *rich_world(void) {
    struct toy_world *w = toy_world_new();
    sbx_runtime_free(w->rt);
    w->opt.rich = 1;
    T_STATUS(toy_create(&w->opt, w->env, &w->rt, &w->err), SBX_OK);
    return w;
}

static struct sbx_capacity_options bound(int32_t resource, double limit, double required) {
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    opt.bound[resource] = (struct sbx_bound){limit, required};
    return opt;
}

static struct sbx_capacity read_with(struct toy_world *w, const struct sbx_capacity_options *opt) {
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    T_STATUS(sbx_runtime_capacity(w->rt, opt, NULL, &out, &w->err), SBX_OK);
    if (!out.known)
        for (int i = 0; i < SBX_RESOURCE_COUNT; i++) T_EQ(out.room[i].measured, 0);
    return out;
}

static void is_unknown(const struct sbx_capacity *out, int32_t reason) {
    T_EQ(out->known, 0);
    T_STR(sbx_capacity_reason_name(out->reason), sbx_capacity_reason_name(reason));
}

/* ---- capacity_limit_not_inferred ---- */

static void must_fire_capacity_limit_not_inferred__none_given(void) {
    struct toy_world *w = rich_world();
    struct sbx_capacity out = read_with(w, NULL);
    is_unknown(&out, SBX_CAPACITY_LIMIT_NOT_CONFIGURED);
    const struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 0, 1);
    out = read_with(w, &opt);
    is_unknown(&out, SBX_CAPACITY_LIMIT_NOT_CONFIGURED);
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

static void must_not_fire_capacity_limit_not_inferred__given(void) {
    struct toy_world *w = rich_world();
    const struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 3, 1);
    T_STATUS(sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err), SBX_OK);
    const struct sbx_capacity out = read_with(w, &opt);
    T_EQ(out.known, 1);
    T_EQ(out.reason, SBX_CAPACITY_NONE);
    T_TRUE(out.read_ms > 0);
    const struct sbx_room *slots = &out.room[SBX_RESOURCE_SANDBOXES];
    T_TRUE(slots->measured && slots->used == 1 && slots->limit == 3 && slots->headroom == 2 && slots->required == 1);
    for (int i = 0; i < SBX_RESOURCE_SANDBOXES; i++) T_EQ(out.room[i].measured, 0);
    toy_world_finish(w);
}

/* ---- capacity_demand_not_inferred ---- */

static void must_fire_capacity_demand_not_inferred__of_cpu(void) {
    struct toy_world *w = rich_world();
    struct sbx_capacity_options opt = bound(SBX_RESOURCE_CPU, 8, 0);
    opt.bound[SBX_RESOURCE_SANDBOXES].limit = 3;
    const struct sbx_capacity out = read_with(w, &opt);
    is_unknown(&out, SBX_CAPACITY_DEMAND_NOT_CONFIGURED);
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

/* A launch takes a slot: that needs no configuration. */
static void must_not_fire_capacity_demand_not_inferred__of_slots(void) {
    struct toy_world *w = rich_world();
    const struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 3, 0);
    const struct sbx_capacity out = read_with(w, &opt);
    T_EQ(out.known, 1);
    T_EQ(out.room[SBX_RESOURCE_SANDBOXES].required, 1);
    toy_world_finish(w);
}

/* ---- capacity_unknown_is_not_zero ---- */

static void must_fire_capacity_unknown_is_not_zero__not_measured(void) {
    struct toy_world *w = rich_world();
    struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 3, 1);
    opt.bound[SBX_RESOURCE_DISK] = (struct sbx_bound){1000, 10};
    const struct sbx_capacity out = read_with(w, &opt);
    is_unknown(&out, SBX_CAPACITY_NOT_MEASURED);
    toy_world_finish(w);
}

static void must_not_fire_capacity_unknown_is_not_zero__measured(void) {
    struct toy_world *w = rich_world();
    struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 3, 1);
    opt.bound[SBX_RESOURCE_DISK] = (struct sbx_bound){0, 10};
    const struct sbx_capacity out = read_with(w, &opt);
    T_EQ(out.known, 1);
    T_EQ(out.room[SBX_RESOURCE_SANDBOXES].used, 0);
    toy_world_finish(w);
}

/* ---- beside them ---- */

static void more_in_use_than_allowed(void) {
    struct toy_world *w = rich_world();
    const struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 0.5, 1);
    T_STATUS(sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err), SBX_OK);
    const struct sbx_capacity out = read_with(w, &opt);
    T_EQ(out.known, 1);
    T_TRUE(out.room[SBX_RESOURCE_SANDBOXES].headroom == 0 && out.room[SBX_RESOURCE_SANDBOXES].used == 1);
    toy_world_finish(w);
}

static void what_fails_is_unknown_with_a_reason(void) {
    struct toy_world *w = rich_world();
    const struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 3, 1);
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    w->opt.mishap_of = "count";
    w->opt.mishap = TOY_BAD_GATEWAY;
    w->opt.mishap_times = 1;
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_PROVIDER);
    T_STR(w->err.operation, "capacity");
    is_unknown(&out, SBX_CAPACITY_READ_FAILED);
    w->opt.mishap = TOY_OVERSIZE;
    w->opt.mishap_times = 1;
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_TOO_LARGE);
    is_unknown(&out, SBX_CAPACITY_MALFORMED);
    call.deadline_ms = 1;
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, &call, &out, &w->err), SBX_DEADLINE);
    is_unknown(&out, SBX_CAPACITY_TIMED_OUT);
    struct sbx_cancel *cancel = sbx_cancel_create(w->env);
    sbx_call_init(&call, sizeof(call));
    call.cancel = cancel;
    sbx_cancel_fire(cancel);
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, &call, &out, &w->err), SBX_CANCELLED);
    is_unknown(&out, SBX_CAPACITY_CANCELLED);
    sbx_cancel_free(cancel);
    toy_world_finish(w);
}

static void a_runtime_without(void) {
    struct toy_world *w = toy_world_new();
    const struct sbx_capacity_options opt = bound(SBX_RESOURCE_SANDBOXES, 3, 1);
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_UNSUPPORTED);
    T_STR(w->err.detail, "toy does not declare CAPACITY");
    is_unknown(&out, SBX_CAPACITY_UNSUPPORTED);
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

static void bad_input(void) {
    struct toy_world *w = rich_world();
    const double amounts[] = {-1, (double)NAN, (double)INFINITY, -(double)INFINITY};
    struct sbx_capacity out = SBX_CAPACITY_INIT;
    out.known = 7;
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        struct sbx_capacity_options opt = bound(SBX_RESOURCE_MEMORY, amounts[i], 1);
        T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_INVALID_ARGUMENT);
        T_STR(w->err.detail, "bound[memory].limit: expected 0 or more");
        opt = bound(SBX_RESOURCE_MEMORY, 1, amounts[i]);
        T_STATUS(sbx_runtime_capacity(w->rt, &opt, NULL, &out, &w->err), SBX_INVALID_ARGUMENT);
        T_STR(w->err.detail, "bound[memory].required: expected 0 or more");
    }
    T_STATUS(sbx_runtime_capacity(w->rt, NULL, NULL, NULL, &w->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_runtime_capacity(NULL, NULL, NULL, &out, &w->err), SBX_INVALID_ARGUMENT);
    T_EQ(out.known, 7); /* untouched */
    out.size = 4;
    T_STATUS(sbx_runtime_capacity(w->rt, NULL, NULL, &out, &w->err), SBX_INVALID_ARGUMENT);
    T_STR(w->err.detail, "out.size: expected sizeof the struct");
    T_EQ(w->opt.calls, 0);
    toy_world_finish(w);
}

static void names(void) {
    T_STR(sbx_resource_name(SBX_RESOURCE_CPU), "cpu");
    T_STR(sbx_resource_unit(SBX_RESOURCE_CPU), "vCPU");
    T_STR(sbx_resource_name(SBX_RESOURCE_SANDBOXES), "sandboxes");
    T_STR(sbx_resource_unit(SBX_RESOURCE_DISK), "MiB");
    T_TRUE(!sbx_resource_name(-1) && !sbx_resource_name(SBX_RESOURCE_COUNT) && !sbx_resource_unit(-1));
    T_STR(sbx_capacity_reason_text(SBX_CAPACITY_LIMIT_NOT_CONFIGURED), "no verified limit was given");
    T_STR(sbx_capacity_reason_name(99), "UNKNOWN");
    T_STR(sbx_capacity_reason_text(99), "no reason of this release's");
}

T_CASES(T_CASE(must_fire_capacity_limit_not_inferred__none_given),
        T_CASE(must_not_fire_capacity_limit_not_inferred__given),
        T_CASE(must_fire_capacity_demand_not_inferred__of_cpu),
        T_CASE(must_not_fire_capacity_demand_not_inferred__of_slots),
        T_CASE(must_fire_capacity_unknown_is_not_zero__not_measured),
        T_CASE(must_not_fire_capacity_unknown_is_not_zero__measured), T_CASE(more_in_use_than_allowed),
        T_CASE(what_fails_is_unknown_with_a_reason), T_CASE(a_runtime_without), T_CASE(bad_input), T_CASE(names))
