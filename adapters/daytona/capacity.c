/* What the organisation has in use. Row R14.
 *
 * Its own usage endpoint takes no API key on the versions seen, so the list is summed. Every sandbox that is listed
 * counts whole, whatever its state: a stopped one holds disk, an archived one nothing, and which states hold what has
 * changed between versions, so the sum errs on the side of too much. Memory and disk are in GiB there. */
#include "adapters/daytona/verbs.h"

#define MIB_A_GIB 1024

static const struct {
    const char *member;
    int resource; /* enum sbx_resource */
    double unit;
} amounts[] = {
    {"cpu", SBX_RESOURCE_CPU, 1}, {"memory", SBX_RESOURCE_MEMORY, MIB_A_GIB}, {"disk", SBX_RESOURCE_DISK, MIB_A_GIB}};
#define AMOUNTS (sizeof(amounts) / sizeof(amounts[0]))

struct sum {
    uint32_t wanted;
    struct sbx_usage *usage;
};

/* An item that does not say what it holds makes the sum unknown: left out it would be taken for nothing. */
static enum sbx_status sum_take(void *ctx, struct sbx_json *js, const struct daytona_dto *item) {
    const struct sum *sum = ctx;
    for (size_t i = 0; i < AMOUNTS; i++) {
        if (!(sum->wanted & UINT32_C(1) << amounts[i].resource)) continue;
        const double amount = sbx_json_opt_number(js, item->node, amounts[i].member, -1);
        if (!(amount >= 0)) /* guard: amount_is_one */
            sbx_json_complain(js, item->node, amounts[i].member, "0 or more");
        sum->usage->used[amounts[i].resource] += amount * amounts[i].unit;
    }
    return sbx_json_status(js) ? SBX_PROTOCOL : SBX_OK;
}

enum sbx_status daytona_capacity(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                                 struct sbx_error *err) {
    struct sum sum = {0, usage};
    for (size_t i = 0; i < AMOUNTS; i++) sum.wanted |= wanted & UINT32_C(1) << amounts[i].resource;
    if (!sum.wanted) return SBX_OK;
    enum sbx_status st = daytona_each_listed(self, call, sum_take, &sum, err);
    if (!st) usage->measured = sum.wanted;
    return st;
}
