/* Pools for tests of the pure part: over one runtime, with whatever profile and signals. */
#ifndef TESTS_SUPPORT_POOLS_H
#define TESTS_SUPPORT_POOLS_H

#include "fake.h"

#include <sandport/router_route.h>
#include <sandport/sim.h>

#define POOLS_MAX 16

struct pools {
    struct sbx_sim *sim;
    struct fake account;
    struct sbx_runtime *rt;
    struct sbx_pool *pool[POOLS_MAX];
    size_t count;
    struct sbx_route *route; /* of the last pools_route() */
    struct sbx_error err;
};

struct pools *pools_new(void);
void pools_add(struct pools *p, const char *id, const struct sbx_profile *profile, const struct sbx_signals *signals);
/** Routes over all of them. */
enum sbx_status pools_route(struct pools *p, const struct sbx_route_request *req, const struct sbx_route_options *opt);
/** "a b|c": those that meet the request, best first, then those that do not. Until the next call. */
const char *pools_order(const struct pools *p);
/** Why that pool was rejected. */
uint64_t pools_reasons(const struct pools *p, const char *id);
void pools_free(struct pools *p);

#endif
