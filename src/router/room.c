/* Has an account room for one more? What is not proven does not count. Row R15. */
#include "src/router/room.h"

#include <sandport/router_reason.h>

/* What one launch takes: what the account's owner says, or what the request needs, whichever is more. */
static double need(const struct sbx_room *room, int32_t resource, const struct sbx_route_request *req) {
    double asked = 1; /* slots: one sandbox */
    if (resource == SBX_RESOURCE_CPU) asked = req->cpu;
    if (resource == SBX_RESOURCE_MEMORY) asked = (double)req->memory_mib;
    if (resource == SBX_RESOURCE_DISK) asked = (double)req->disk_mib;
    return room->required > asked ? room->required : asked; /* guard: room_for_the_greater_need */
}

int32_t sbx_room_reason(const struct sbx_capacity *capacity, const struct sbx_route_request *req) {
    int measured = 0, full = 0;
    if (capacity->known != 1) return SBX_REASON_CAPACITY_UNKNOWN; /* guard: unknown_is_no_room */
    for (int32_t r = 0; r < SBX_RESOURCE_COUNT; r++) {
        const struct sbx_room *room = &capacity->room[r];
        if (!room->measured) continue;
        const double needed = need(room, r, req);
        if (!(needed > 0)) return SBX_REASON_CAPACITY_UNKNOWN; /* limited, and nobody says what a launch takes of it */
        measured++;
        full |= !(room->headroom >= needed); /* guard: every_dimension_fits */
    }
    if (!measured) return SBX_REASON_CAPACITY_UNKNOWN;
    return full ? SBX_REASON_CAPACITY_EXHAUSTED : 0;
}
