/* How much room a pool's account has: read by whoever can, believed only if it makes sense. Rows R14, R16. */
#include "src/pool/pool.h"

#include <float.h>
#include <sandport/kit/options.h>
#include <string.h>

#define CAPACITY_MS 5000

static void unknown(struct sbx_capacity *capacity, int32_t reason) {
    sbx_capacity_init(capacity, sizeof(*capacity));
    capacity->reason = reason;
}

/* False for NaN too. */
static int is_amount(double value) {
    return value >= 0 && value <= DBL_MAX;
}

static int32_t reason_of(enum sbx_status st) {
    if (st == SBX_DEADLINE) return SBX_CAPACITY_TIMED_OUT;
    if (st == SBX_CANCELLED) return SBX_CAPACITY_CANCELLED;
    if (st == SBX_UNSUPPORTED) return SBX_CAPACITY_UNSUPPORTED;
    return st == SBX_PROTOCOL ? SBX_CAPACITY_MALFORMED : SBX_CAPACITY_READ_FAILED;
}

/* A room's headroom is worked out here, whatever its reader says of it. */
static int room_ok(struct sbx_room *room) {
    if (room->measured != 0 && room->measured != 1) return 0;
    if (!room->measured) return 1;
    if (!is_amount(room->used) || !is_amount(room->limit) || !is_amount(room->required)) return 0;
    room->headroom = room->limit > room->used ? room->limit - room->used : 0;
    return 1;
}

static void sense_check(struct sbx_capacity *capacity) {
    int measured = 0;
    if (capacity->known == 0) {
        if (capacity->reason <= SBX_CAPACITY_NONE || capacity->reason > SBX_CAPACITY_UNSUPPORTED)
            unknown(capacity, SBX_CAPACITY_MALFORMED);
        return;
    }
    for (int32_t r = 0; r < SBX_RESOURCE_COUNT; r++) {
        if (capacity->known != 1 || !room_ok(&capacity->room[r])) { /* guard: capacity_makes_sense */
            unknown(capacity, SBX_CAPACITY_MALFORMED);
            return;
        }
        measured += capacity->room[r].measured;
    }
    if (!measured) unknown(capacity, SBX_CAPACITY_LIMIT_NOT_CONFIGURED);
}

static void read_by_caller(const struct sbx_pool *pool, const struct sbx_call *call, struct sbx_capacity *out) {
    const enum sbx_status st = pool->capacity(pool->capacity_ctx, call, out);
    const enum sbx_status late = sbx_call_check(call, pool->env);
    if (st || late) /* guard: capacity_late_is_unknown */
        unknown(out, reason_of(st ? st : late));
    else
        sense_check(out);
}

void sbx_pool_capacity(const struct sbx_pool *pool, const struct sbx_call *call_from, struct sbx_capacity *out) {
    struct sbx_capacity capacity = SBX_CAPACITY_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    if (!pool || !out || out->size < sizeof(out->size)) return;
    unknown(&capacity, SBX_CAPACITY_MALFORMED);
    if (sbx_options_take(&call, sizeof(call), call_from, sizeof(call)) == SBX_OK) {
        if (!call.deadline_ms) call.deadline_ms = pool->env->now_ms(pool->env) + CAPACITY_MS;
        capacity.reason = SBX_CAPACITY_READ_FAILED;
        if (pool->capacity) {
            read_by_caller(pool, &call, &capacity);
        } else {
            const enum sbx_status st =
                sbx_runtime_capacity(pool->runtime, pool->has_limits ? &pool->limits : NULL, &call, &capacity, NULL);
            if (st && capacity.known) unknown(&capacity, reason_of(st));
        }
    }
    const size_t known = out->size < sizeof(capacity) ? out->size : sizeof(capacity);
    memcpy((char *)out + sizeof(out->size), (const char *)&capacity + sizeof(out->size), known - sizeof(out->size));
}
