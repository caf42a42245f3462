/* What a caller needs of a sandbox and how pools are chosen for it. It holds no credential. A member of zero asks for
 * nothing. Rows R2-R5, R7, R8. */
#ifndef SANDPORT_ROUTER_REQUEST_H
#define SANDPORT_ROUTER_REQUEST_H

#include <sandport/router_profile.h>

#define SBX_ATTEMPT_COUNT_DEFAULT 3
#define SBX_ATTEMPT_COUNT_MAX     10

/** Who places the workload. Anything but a pool is refused: the router is no second scheduler. Stored as int32_t. */
enum sbx_placement { SBX_PLACEMENT_POOL = 0, SBX_PLACEMENT_NONE = 1, SBX_PLACEMENT_FLEET = 2 };

/** What decides among pools that meet the request. Stored as int32_t. */
enum sbx_strategy {
    SBX_STRATEGY_BALANCED = 0, /* 35 % cost, 25 % latency, 40 % completion, each from best to worst of those eligible */
    SBX_STRATEGY_COST = 1,
    SBX_STRATEGY_LATENCY = 2,
    SBX_STRATEGY_RELIABILITY = 3
};

/** Which latency counts. Stored as int32_t. */
enum sbx_latency { SBX_LATENCY_READY = 0, SBX_LATENCY_COLD_START = 1 };

struct sbx_route_request {
    size_t size;
    int32_t placement;         /* enum sbx_placement */
    const char *node_affinity; /* NULL; one that names a node is refused with SBX_ROUTING_NOT_APPLICABLE */

    /* needs: a pool that does not meet one is rejected with its reason */
    const char *pool_id;            /* this pool and no other, whatever happens; NULL = any. Never a mere preference */
    uint64_t capabilities_required; /* SBX_CAP_* and SBX_FEATURE_* */
    uint64_t capabilities_forbidden;
    double cpu; /* vCPU */
    int64_t memory_mib;
    int64_t disk_mib;
    int32_t gpu_count;
    const char *gpu_type; /* NULL = any */
    const char *image;    /* the pool's image must be this; NULL = any */
    const char *const *binaries;
    size_t binary_count;
    const char *const *regions; /* preferred; needed only with region_required */
    size_t region_count;
    int32_t region_required;         /* SBX_YES: one of them, or the pool is rejected */
    const char *const *restrictions; /* all of them must be imposed */
    size_t restriction_count;
    int32_t isolation_min;              /* enum sbx_isolation */
    int32_t durability_min;             /* enum sbx_durability */
    uint32_t egress;                    /* bits 1 << enum sbx_egress that are accepted; 0 = whatever */
    uint32_t timeout_semantics;         /* SBX_TIMEOUT_*, all of them */
    int64_t timeout_granularity_ms_max; /* 0 = whatever */
    int64_t lifetime_ms;          /* the sandbox must be able to live so long; SBX_UNBOUNDED = for ever; 0 = whatever */
    int64_t completion_budget_ms; /* a command must be able to run so long; 0 = whatever */
    int64_t ready_ms_max;         /* expected to be ready within it; 0 = whatever */

    /* choice */
    int32_t strategy;             /* enum sbx_strategy */
    int32_t latency;              /* enum sbx_latency: for the strategies that look at it */
    int32_t acquisition_fallback; /* SBX_NO: one launch, whatever a classifier says; SBX_DEFAULT = SBX_YES */
    int32_t attempt_count_max;    /* 1 to 10 launches; the initialisers set 3 */
};

#define SBX_ROUTE_REQUEST_INIT                                                                                         \
    { .size = sizeof(struct sbx_route_request), .attempt_count_max = SBX_ATTEMPT_COUNT_DEFAULT }

#ifdef __cplusplus
extern "C" {
#endif

/** Asks for nothing, with SBX_ATTEMPT_COUNT_DEFAULT. @param size sizeof(struct sbx_route_request) */
SBX_API void sbx_route_request_init(struct sbx_route_request *req, size_t size);

#ifdef __cplusplus
}
#endif
#endif
