/* A decision of the pure part, as its steps and its explanation see it. */
#ifndef SRC_ROUTER_ROUTE_H
#define SRC_ROUTER_ROUTE_H

#include "src/router/rank.h"

#include <sandport/router_route.h>

struct sbx_route {
    struct route_entry *entries; /* those that meet the request first */
    size_t count;
    size_t eligible;
    uint64_t required; /* of the request, for the explanation */
    uint64_t forbidden;
    int has_order;
    int32_t strategy;
};

/** The steps between filter and rank: credentials, then signals, then availability and the ready budget, each only for
 *  entries that are still in. @return SBX_PROVISIONING_AVAILABILITY */
enum sbx_status sbx_route_look(struct sbx_route *route, const struct sbx_route_request *req,
                               const struct sbx_route_options *opt, struct sbx_error *err);

#endif
