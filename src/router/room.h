/* Has an account room for one more? */
#ifndef SRC_ROUTER_ROOM_H
#define SRC_ROUTER_ROOM_H

#include <sandport/router_pool.h>
#include <sandport/router_request.h>

/** Pure. @return 0 if one more fits, else SBX_REASON_CAPACITY_UNKNOWN or _EXHAUSTED */
int32_t sbx_room_reason(const struct sbx_capacity *capacity, const struct sbx_route_request *req);

#endif
