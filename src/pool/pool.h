/* A pool from inside. */
#ifndef SRC_POOL_POOL_H
#define SRC_POOL_POOL_H

#include <sandport/kit/ops.h>
#include <sandport/kit/pool.h>

struct sbx_pool {
    char id[SBX_POOL_ID_SIZE];
    struct sbx_runtime *runtime;
    struct sbx_env *env; /* the runtime's */
    int owns_runtime;
    struct sbx_profile profile;
    void *lists; /* what the profile's texts are in */
    struct sbx_signals signals;
    int has_signals;
    struct sbx_launch_options launch;
    void *launch_texts; /* what its texts are in */
    struct sbx_capacity_options limits;
    int has_limits;
    sbx_capacity_fn capacity;
    void *capacity_ctx;
    sbx_classify_fn classify;
    void *classify_ctx;
};

#endif
