/* How many of the account's slots are in use. Rows R14, E1.
 *
 * E2B limits sandboxes at once, not cpu, memory or disk of an account, and says the limit nowhere but in a refusal. The
 * sandboxes that are not paused hold a slot each: a word for a state that is newer than this release counts as one. */
#include "adapters/e2b/verbs.h"

static enum sbx_status slot_take(void *ctx, struct sbx_json *js, const struct e2b_dto *dto) {
    struct sbx_usage *usage = ctx;
    (void)js;
    if (dto->state != SBX_STATE_PAUSED) usage->used[SBX_RESOURCE_SANDBOXES]++; /* guard: e2b_paused_holds_no_slot */
    return SBX_OK;
}

enum sbx_status e2b_capacity(void *self, uint32_t wanted, const struct sbx_call *call, struct sbx_usage *usage,
                             struct sbx_error *err) {
    const struct sbx_query query = SBX_QUERY_INIT;
    const uint32_t slots = UINT32_C(1) << SBX_RESOURCE_SANDBOXES;
    if (!(wanted & slots)) return SBX_OK;
    enum sbx_status st = e2b_each(self, &query, call, slot_take, usage, err);
    if (!st) usage->measured = slots;
    return st;
}
