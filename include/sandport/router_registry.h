/* Where a router finds its pools. The one in memory is the reference: its pools are those that it was made with. One of
 * another kind is made with kit/registry.h. Row R1. */
#ifndef SANDPORT_ROUTER_REGISTRY_H
#define SANDPORT_ROUTER_REGISTRY_H

#include <sandport/router_pool.h>

struct sbx_registry;

#ifdef __cplusplus
extern "C" {
#endif

/** A registry of these pools, which it owns from then on: they are freed with it. When it cannot be made they remain
 *  the caller's.
 *  @param out yours: sbx_registry_free()
 *  @return SBX_INVALID_ARGUMENT for an id that is there twice, a pool that is NULL */
SBX_API SBX_MUST_USE enum sbx_status sbx_registry_memory_create(struct sbx_pool *const *pools, size_t count,
                                                                struct sbx_registry **out, struct sbx_error *err);

/** Frees it; no router may be using it. NULL is ignored. */
SBX_API void sbx_registry_free(struct sbx_registry *registry);

#ifdef __cplusplus
}
#endif
#endif
