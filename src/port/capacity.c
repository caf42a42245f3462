/* How much room an account has: what is in use comes from the adapter, limits and demand from the caller, and what is
 * not known is never a number. Row R14. */
#include "src/port/port.h"

#include <math.h>
#include <string.h>

#define CAPACITY_MS 5000

/* ---- names ---- */

static const struct {
    const char *name;
    const char *unit;
} resources[SBX_RESOURCE_COUNT] = {{"cpu", "vCPU"}, {"memory", "MiB"}, {"disk", "MiB"}, {"sandboxes", "slots"}};

const char *sbx_resource_name(int32_t resource) {
    return resource >= 0 && resource < SBX_RESOURCE_COUNT ? resources[resource].name : NULL;
}
const char *sbx_resource_unit(int32_t resource) {
    return resource >= 0 && resource < SBX_RESOURCE_COUNT ? resources[resource].unit : NULL;
}

static const struct {
    int32_t number;
    const char *name;
    const char *text;
} reasons[] = {
#define REASON_ROW(name, number, text) {(number), #name, (text)},
    SBX_CAPACITY_REASON_LIST(REASON_ROW)
#undef REASON_ROW
};

const char *sbx_capacity_reason_name(int32_t reason) {
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].number == reason) return reasons[i].name;
    return "UNKNOWN";
}
const char *sbx_capacity_reason_text(int32_t reason) {
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].number == reason) return reasons[i].text;
    return "no reason of this release's";
}

/* ---- what is asked ---- */

static int is_amount(double amount) {
    return isfinite(amount) && amount >= 0;
}

static enum sbx_status check_bounds(const struct sbx_capacity_options *opt, struct sbx_error *err) {
    for (int i = 0; i < SBX_RESOURCE_COUNT; i++) {
        const struct sbx_bound *bound = &opt->bound[i];
        if (is_amount(bound->limit) && is_amount(bound->required)) continue;
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "bound[%s].%s: expected 0 or more",
                        resources[i].name, is_amount(bound->limit) ? "required" : "limit");
    }
    return SBX_OK;
}

/* Pure: which resources are to be measured, as bits. */
static uint32_t wanted(const struct sbx_capacity_options *opt) {
    uint32_t bits = 0;
    for (int i = 0; i < SBX_RESOURCE_COUNT; i++)
        if (opt->bound[i].limit > 0) bits |= UINT32_C(1) << i;
    return bits;
}

/* A launch takes a slot, whatever else it takes. */
static double required(const struct sbx_capacity_options *opt, int resource) {
    if (opt->bound[resource].required > 0) return opt->bound[resource].required;
    return resource == SBX_RESOURCE_SANDBOXES ? 1 : 0;
}

/* ---- what is answered ---- */

/* Pure: why it cannot be known, before anything is asked. */
static enum sbx_capacity_reason unknown_before(const struct sbx_capacity_options *opt) {
    if (!wanted(opt)) return SBX_CAPACITY_LIMIT_NOT_CONFIGURED; /* guard: capacity_limit_not_inferred */
    for (int i = 0; i < SBX_RESOURCE_COUNT; i++)
        if (opt->bound[i].limit > 0 && !(required(opt, i) > 0))
            return SBX_CAPACITY_DEMAND_NOT_CONFIGURED; /* guard: capacity_demand_not_inferred */
    return SBX_CAPACITY_NONE;
}

/* Pure: of what the adapter measured. */
static enum sbx_capacity_reason unknown_after(uint32_t bits, const struct sbx_usage *usage) {
    if (bits & ~usage->measured) return SBX_CAPACITY_NOT_MEASURED; /* guard: capacity_unknown_is_not_zero */
    for (int i = 0; i < SBX_RESOURCE_COUNT; i++)
        if ((bits & UINT32_C(1) << i) && !is_amount(usage->used[i])) return SBX_CAPACITY_MALFORMED;
    return SBX_CAPACITY_NONE;
}

/* Pure: of a read that failed. */
static enum sbx_capacity_reason unknown_for(enum sbx_status st) {
    switch ((int)st) {
    case SBX_PROTOCOL:
    case SBX_TOO_LARGE:
        return SBX_CAPACITY_MALFORMED;
    case SBX_DEADLINE:
        return SBX_CAPACITY_TIMED_OUT;
    case SBX_CANCELLED:
        return SBX_CAPACITY_CANCELLED;
    case SBX_UNSUPPORTED:
        return SBX_CAPACITY_UNSUPPORTED;
    default:
        return SBX_CAPACITY_READ_FAILED;
    }
}

static void rooms_fill(const struct sbx_capacity_options *opt, const struct sbx_usage *usage,
                       struct sbx_capacity *out) {
    for (int i = 0; i < SBX_RESOURCE_COUNT; i++) {
        if (!(opt->bound[i].limit > 0)) continue;
        const double left = opt->bound[i].limit - usage->used[i];
        out->room[i] = (struct sbx_room){.measured = 1,
                                         .used = usage->used[i],
                                         .limit = opt->bound[i].limit,
                                         .headroom = left > 0 ? left : 0,
                                         .required = required(opt, i)};
    }
}

static enum sbx_status capacity_in(struct port_entry *entry, const struct sbx_capacity_options *opt,
                                   struct sbx_capacity *ours) {
    struct sbx_usage usage = {.size = sizeof(usage)};
    const uint32_t bits = wanted(opt);
    ours->reason = (int32_t)unknown_before(opt);
    if (ours->reason) return SBX_OK;
    enum sbx_status st = entry->rt->ops.capacity(entry->rt->self, bits, &entry->call, &usage, &entry->err);
    ours->reason = (int32_t)(st ? unknown_for(st) : unknown_after(bits, &usage));
    if (ours->reason) return st;
    ours->known = 1;
    ours->read_ms = entry->rt->env->now_ms(entry->rt->env);
    rooms_fill(opt, &usage, ours);
    return SBX_OK;
}

static enum sbx_status options_in(struct port_entry *entry, const struct sbx_capacity_options *from,
                                  struct sbx_capacity_options *opt, const struct sbx_capacity *out) {
    if (!out) return sbx_port_missing(entry, "out");
    if (out->size < offsetof(struct sbx_capacity, room)) return sbx_port_size_wrong(entry, "out");
    if (sbx_options_take(opt, sizeof(*opt), from, sizeof(*opt))) return sbx_port_size_wrong(entry, "opt");
    return check_bounds(opt, &entry->err);
}

enum sbx_status sbx_runtime_capacity(struct sbx_runtime *rt, const struct sbx_capacity_options *from,
                                     const struct sbx_call *call, struct sbx_capacity *out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_capacity_options opt = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_capacity ours = SBX_CAPACITY_INIT;
    enum sbx_status entered = sbx_port_enter(&entry, rt, "capacity", SBX_CAP_CAPACITY, call, CAPACITY_MS, err);
    enum sbx_status st = entered == SBX_INVALID_ARGUMENT ? entered : options_in(&entry, from, &opt, out);
    if (st) return sbx_port_leave(&entry, st);
    if (entered) {
        st = entered;
        ours.reason = (int32_t)unknown_for(entered);
    } else {
        st = capacity_in(&entry, &opt, &ours);
    }
    sbx_port_give(out, &ours, sizeof(ours));
    return sbx_port_leave(&entry, st);
}
