/* What a crash, a lost answer or a clean-up that failed has left, on whatever host: finished. Row R22. */
#ifndef SANDPORT_ROUTER_REAP_H
#define SANDPORT_ROUTER_REAP_H

#include <sandport/router.h>

#define SBX_REAP_LEASE_DEFAULT_MS 60000

struct sbx_reap_options {
    size_t size;
    int64_t lease_ms; /* an owner that shows no life for so long is taken for dead; 0 = SBX_REAP_LEASE_DEFAULT_MS */
};

/** What a reaping did. The caller gives its size. */
struct sbx_reap_result {
    size_t size;
    int64_t seen;     /* unfinished launches in the store */
    int64_t alive;    /* left alone: somebody is at work on them */
    int64_t finished; /* nothing of them is left */
    int64_t open;     /* could not be decided or deleted now */
};

#define SBX_REAP_OPTIONS_INIT                                                                                          \
    { .size = sizeof(struct sbx_reap_options) }
#define SBX_REAP_RESULT_INIT                                                                                           \
    { .size = sizeof(struct sbx_reap_result) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_reap_options_init(struct sbx_reap_options *opt, size_t size);
SBX_API void sbx_reap_result_init(struct sbx_reap_result *result, size_t size);

/** Finishes unfinished launches: looks them up, deletes what they made, and says so in the store.
 *
 *  Those of this router that no call of it works on are finished at once. Another's is taken over only if its lease has
 *  not moved for opt->lease_ms on this process's monotonic clock, by compare-and-swap; nobody's wall clock plays a
 *  part. Routers show life every 15 s while they launch, so a lease below 30 s is refused. What has a locator is never
 *  touched. Blocks for the lease, then as long as the look-ups take; default deadline 600 s.
 *  @param result may be NULL; filled also on failure with what was done
 *  @return SBX_OK also when some remain open; SBX_MAPPING_STORE if they could not be listed; SBX_DEADLINE and
 *          SBX_CANCELLED as they are */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_reap(struct sbx_router *router, const struct sbx_reap_options *opt,
                                                     const struct sbx_call *call, struct sbx_reap_result *result,
                                                     struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
