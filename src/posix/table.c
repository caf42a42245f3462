/* The part of an env's table that needs nothing of the env's own. Row P4. */
#include <sandport/kit/posix.h>

static int64_t env_now_ms(struct sbx_env *env) {
    (void)env;
    return sbx_posix_now_ms();
}

static int64_t env_wall_ms(struct sbx_env *env) {
    (void)env;
    return sbx_posix_wall_ms();
}

static enum sbx_status env_random(struct sbx_env *env, void *buf, size_t len) {
    (void)env;
    return sbx_posix_random(buf, len);
}

static struct sbx_lock *env_lock_new(struct sbx_env *env) {
    (void)env;
    return sbx_posix_lock_new();
}

static void env_lock(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    sbx_posix_lock(lock);
}

static void env_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    sbx_posix_unlock(lock);
}

static void env_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    sbx_posix_lock_free(lock);
}

void sbx_posix_env_fill(struct sbx_env *table) {
    table->now_ms = env_now_ms;
    table->wall_ms = env_wall_ms;
    table->random = env_random;
    table->lock_new = env_lock_new;
    table->lock = env_lock;
    table->unlock = env_unlock;
    table->lock_free = env_lock_free;
}
