/* The pure part of the router: which pools meet a request, in which order, and why the others do not. No launch, no
 * I/O, nothing remembered. Rows R2-R6, R8, R13, R15, R17, R25.
 *
 * Order of the steps: the request is checked; pools are held against its needs; of those left the credentials must be
 * ready; then signals are resolved and held against availability and the ready budget; what is left is ranked, or put
 * in the capacity order. Pools rejected by one step are not asked by the next. */
#ifndef SANDPORT_ROUTER_ROUTE_H
#define SANDPORT_ROUTER_ROUTE_H

#include <sandport/error.h>
#include <sandport/router_pool.h>
#include <sandport/router_reason.h>
#include <sandport/router_request.h>

struct sbx_route;

/** Has the pool a credential that could be used now? Reads, and never creates an account.
 *  @return 1 or 0; anything else ends the routing with SBX_PROVISIONING_AVAILABILITY */
typedef int32_t (*sbx_ready_fn)(void *ctx, const char *pool_id);

/** Signals of a pool for this request, over those that the pool has: `signals` comes filled with them.
 *  @return anything but 0 = it failed: the pool is rejected, and the others go on */
typedef int (*sbx_signals_fn)(void *ctx, const char *pool_id, const struct sbx_route_request *req,
                              struct sbx_signals *signals);

/** What routing takes beside the request. All may be left out. Callbacks come on the caller's thread, one at a time, in
 *  the order of pool ids, and may not call back into the router. */
struct sbx_route_options {
    size_t size;
    sbx_ready_fn ready; /* NULL = every credential is */
    void *ready_ctx;
    sbx_signals_fn signals; /* NULL = those of the pools */
    void *signals_ctx;
    const char *const *pool_order; /* replaces the strategy; a pool that it does not name cannot be chosen */
    size_t pool_order_count;       /* 0 = there is no order */
    int32_t detached;              /* SBX_YES: only pools that declare SBX_CAP_DETACHED_LAUNCH */
    int32_t reattach;              /* SBX_YES: only pools whose runtime has SBX_CAP_REATTACH, as a locator needs */
};

#define SBX_ROUTE_OPTIONS_INIT                                                                                         \
    { .size = sizeof(struct sbx_route_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_route_options_init(struct sbx_route_options *opt, size_t size);

/** Chooses among pools. About 1 microsecond a pool, and no memory for each: one piece for all of them.
 *  @param pools must outlive the route; their order does not matter
 *  @param opt   may be NULL
 *  @param out   yours: sbx_route_free(). Set also with SBX_NO_ELIGIBLE_POOL, so that it can say why
 *  @return SBX_INVALID_REQUEST with err->detail naming the member; SBX_INVALID_ARGUMENT for a pool id that is there
 *          twice; SBX_ROUTING_NOT_APPLICABLE for a placement that is not the router's; SBX_NO_ELIGIBLE_POOL;
 *          SBX_PROVISIONING_AVAILABILITY when `ready` answers neither 0 nor 1 */
SBX_API SBX_MUST_USE enum sbx_status sbx_route_create(const struct sbx_route_request *req,
                                                      const struct sbx_pool *const *pools, size_t pool_count,
                                                      const struct sbx_route_options *opt, struct sbx_route **out,
                                                      struct sbx_error *err);

/* The pools that meet the request, best first. Pools are lent as they were given. */
SBX_API size_t sbx_route_count(const struct sbx_route *route);
/** NULL beyond the end. */
SBX_API const struct sbx_pool *sbx_route_pool(const struct sbx_route *route, size_t index);
/** What it was ranked by: 0 is best. Cost, latency in ms, 1 - completion rate, or the balanced sum, 0 to 1; its place
 *  in a capacity order. */
SBX_API double sbx_route_score(const struct sbx_route *route, size_t index);
/** What it was compared by: its own signals, or the resolver's. @param out of a size that its caller has set */
SBX_API void sbx_route_signals(const struct sbx_route *route, size_t index, struct sbx_signals *out);

/* Those that do not, by the bytes of their ids. */
SBX_API size_t sbx_route_rejected_count(const struct sbx_route *route);
/** NULL beyond the end. */
SBX_API const struct sbx_pool *sbx_route_rejected(const struct sbx_route *route, size_t index);
/** All that it was rejected for, as bits SBX_REASON_BIT(reason), to be gone through with sbx_reason_next(). */
SBX_API uint64_t sbx_route_reasons(const struct sbx_route *route, size_t index);

/** The whole decision for people, a line a pool:
 *      1. eu-1: score 0.350 (cost 1, ready 1000 ms, completion 1)
 *      -  us-1: REGION (it is in none of the required regions); CAPABILITY_REQUIRED PTY (...)
 *  @param out text, yours: sbx_text_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_route_explain(const struct sbx_route *route, char **out);

SBX_API void sbx_route_free(struct sbx_route *route);

#ifdef __cplusplus
}
#endif
#endif
