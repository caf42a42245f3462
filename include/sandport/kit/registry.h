/* A registry of pools of one's own: a table that somebody else's database, or configuration that changes, stands
 * behind. Row R1. */
#ifndef SANDPORT_KIT_REGISTRY_H
#define SANDPORT_KIT_REGISTRY_H

#include <sandport/router_registry.h>

/** `self` is what sbx_registry_create() was given. Each op may be called from any thread. */
struct sbx_registry_ops {
    size_t size;
    void (*free)(void *self);
    /** Lends all pools: until they are given back none of them may be freed, whoever takes it out of the registry.
     *  @param loan for give_back(); may stay NULL
     *  @return SBX_OK, or why they cannot be told: the request then ends with nothing launched */
    enum sbx_status (*lend)(void *self, const struct sbx_pool *const **pools, size_t *count, void **loan);
    void (*give_back)(void *self, void *loan);
};

#ifdef __cplusplus
extern "C" {
#endif

/** @param self handed to each op; freed by ops->free, also when this fails
 *  @return SBX_INVALID_ARGUMENT if an op is missing */
SBX_API SBX_MUST_USE enum sbx_status sbx_registry_create(const struct sbx_registry_ops *ops, void *self,
                                                         struct sbx_registry **out, struct sbx_error *err);

/** Lends the pools of a registry. Give them back with sbx_registry_give_back(), also if there are none. */
SBX_API SBX_MUST_USE enum sbx_status
sbx_registry_lend(struct sbx_registry *registry, const struct sbx_pool *const **pools, size_t *count, void **loan);
SBX_API void sbx_registry_give_back(struct sbx_registry *registry, void *loan);

#ifdef __cplusplus
}
#endif
#endif
