/* An env over this machine, for tests that run real processes. */
#include "real_env.h"

#include "t.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct real_env {
    struct sbx_env ops;
    atomic_llong skipped_ms;
    void (*watch)(void *ctx, const void *bytes, size_t len);
    void *watch_ctx;
};

struct sbx_event {
    atomic_int set;
};

struct sbx_lock {
    pthread_mutex_t mutex;
};

static int64_t clock_ms(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t real_now_ms(struct sbx_env *env) {
    return clock_ms(CLOCK_MONOTONIC) + atomic_load(&((struct real_env *)env)->skipped_ms);
}

static int64_t real_wall_ms(struct sbx_env *env) {
    return clock_ms(CLOCK_REALTIME) + atomic_load(&((struct real_env *)env)->skipped_ms);
}

static enum sbx_status real_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    int64_t ahead_ms = when_ms - real_now_ms(env);
    if (cancel && atomic_load(&cancel->set)) return SBX_CANCELLED;
    if (ahead_ms > 0) atomic_fetch_add(&((struct real_env *)env)->skipped_ms, ahead_ms);
    return SBX_OK;
}

static enum sbx_status real_random(struct sbx_env *env, void *buf, size_t len) {
    struct real_env *real = (struct real_env *)env;
    if (getrandom(buf, len, 0) != (ssize_t)len) return SBX_PROVIDER;
    if (real->watch) real->watch(real->watch_ctx, buf, len);
    return SBX_OK;
}

static struct sbx_lock *real_lock_new(struct sbx_env *env) {
    struct sbx_lock *lock = malloc(sizeof(*lock));
    (void)env;
    if (lock) pthread_mutex_init(&lock->mutex, NULL);
    return lock;
}

static void real_lock(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    pthread_mutex_lock(&lock->mutex);
}

static void real_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    pthread_mutex_unlock(&lock->mutex);
}

static void real_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    if (lock) pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

static struct sbx_event *real_event_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_event));
}

static void real_event_set(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    atomic_store(&event->set, 1);
}

static enum sbx_status real_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                       struct sbx_event *cancel) {
    const struct timespec nap = {.tv_nsec = 1000000};
    while (!atomic_load(&event->set)) {
        if (cancel && atomic_load(&cancel->set)) return SBX_CANCELLED;
        if (real_now_ms(env) >= deadline_ms) return SBX_DEADLINE;
        nanosleep(&nap, NULL);
    }
    return SBX_OK;
}

static void real_event_free(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    free(event);
}

static void real_free(struct sbx_env *env) {
    free(env);
}

struct sbx_env *real_env_create(void) {
    struct real_env *real = calloc(1, sizeof(*real));
    if (!real) T_FAIL("out of memory");
    real->ops = (struct sbx_env){
        .size = sizeof(struct sbx_env),
        .now_ms = real_now_ms,
        .wall_ms = real_wall_ms,
        .sleep_until = real_sleep_until,
        .random = real_random,
        .lock_new = real_lock_new,
        .lock = real_lock,
        .unlock = real_unlock,
        .lock_free = real_lock_free,
        .event_new = real_event_new,
        .event_set = real_event_set,
        .event_wait = real_event_wait,
        .event_free = real_event_free,
        .free = real_free,
    };
    return &real->ops;
}

void real_env_watch_random(struct sbx_env *env, void (*watch)(void *ctx, const void *bytes, size_t len), void *ctx) {
    ((struct real_env *)env)->watch = watch;
    ((struct real_env *)env)->watch_ctx = ctx;
}
