/* A pool's profile held against a request: all that it lacks. */
#ifndef SRC_ROUTER_FILTER_H
#define SRC_ROUTER_FILTER_H

#include <sandport/router_pool.h>
#include <sandport/router_request.h>

/** @return the reasons as bits, 0 if it meets every need. Calls nobody. */
uint64_t sbx_filter_reasons(const struct sbx_pool *pool, const struct sbx_route_request *req, int detached,
                            int reattach);

#endif
