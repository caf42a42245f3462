/* Connections of a store that nobody is using. The lock is held for a few instructions, never while one is in use. */
#include <sandport/kit/store_rules.h>

#include <stdlib.h>

#define KEPT_MAX 8

struct sbx_store_pool {
    struct sbx_env *env;
    struct sbx_lock *lock; /* guards all below */
    void (*close)(void *connection);
    void *kept[KEPT_MAX];
    size_t count;
};

struct sbx_store_pool *sbx_store_pool_create(struct sbx_env *env, void (*close)(void *connection)) {
    struct sbx_store_pool *pool = calloc(1, sizeof(*pool));
    if (!pool) return NULL;
    pool->env = env;
    pool->close = close;
    pool->lock = env->lock_new(env);
    if (pool->lock) return pool;
    free(pool);
    return NULL;
}

void *sbx_store_pool_take(struct sbx_store_pool *pool) {
    void *connection = NULL;
    pool->env->lock(pool->env, pool->lock);
    if (pool->count) connection = pool->kept[--pool->count];
    pool->env->unlock(pool->env, pool->lock);
    return connection;
}

void sbx_store_pool_give(struct sbx_store_pool *pool, void *connection) {
    int kept = 0;
    pool->env->lock(pool->env, pool->lock);
    if (pool->count < KEPT_MAX) {
        pool->kept[pool->count++] = connection;
        kept = 1;
    }
    pool->env->unlock(pool->env, pool->lock);
    if (!kept) pool->close(connection);
}

void sbx_store_pool_free(struct sbx_store_pool *pool) {
    if (!pool) return;
    for (size_t i = 0; i < pool->count; i++) pool->close(pool->kept[i]);
    pool->env->lock_free(pool->env, pool->lock);
    free(pool);
}
