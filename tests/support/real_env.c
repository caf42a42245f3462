/* The smallest env that is true: mutexes, condition variables, the monotonic clock. Its exchange always ends as
 * resolve. */
#include "real_env.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

struct sbx_lock {
    pthread_mutex_t mutex;
};

struct sbx_event {
    int set;
};

/* One mutex and one condition for all events: simple, and enough for tests. */
static pthread_mutex_t event_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t event_cond = PTHREAD_COND_INITIALIZER;

static int64_t clock_ms(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t real_now_ms(struct sbx_env *env) {
    (void)env;
    return clock_ms(CLOCK_MONOTONIC);
}

static int64_t real_wall_ms(struct sbx_env *env) {
    (void)env;
    return clock_ms(CLOCK_REALTIME);
}

static enum sbx_evidence real_exchange(struct sbx_env *env, const struct sbx_request *req,
                                       const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    (void)env;
    (void)req;
    (void)to;
    if (info) info->sent_bytes = 0;
    return SBX_EVIDENCE_RESOLVE;
}

static void real_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    (void)env;
    (void)width;
    for (size_t i = 0; i < n; i++) tasks[i].run(tasks[i].arg);
}

static enum sbx_status real_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                       struct sbx_event *cancel) {
    enum sbx_status st = SBX_OK;
    pthread_mutex_lock(&event_mutex);
    for (;;) {
        if (event && event->set) break;
        if (cancel && cancel->set) {
            st = SBX_CANCELLED;
            break;
        }
        int64_t left = deadline_ms - real_now_ms(env);
        if (left <= 0) {
            st = SBX_DEADLINE;
            break;
        }
        int64_t until = clock_ms(CLOCK_REALTIME) + (left < 1000 ? left : 1000);
        const struct timespec when = {.tv_sec = (time_t)(until / 1000), .tv_nsec = (long)(until % 1000) * 1000000};
        pthread_cond_timedwait(&event_cond, &event_mutex, &when);
    }
    pthread_mutex_unlock(&event_mutex);
    return st;
}

static enum sbx_status real_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    enum sbx_status st = real_event_wait(env, NULL, when_ms, cancel);
    return st == SBX_DEADLINE ? SBX_OK : st;
}

static enum sbx_status real_random(struct sbx_env *env, void *buf, size_t len) {
    (void)env;
    return getrandom(buf, len, 0) == (ssize_t)len ? SBX_OK : SBX_PROVIDER;
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
    if (!lock) return;
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

static struct sbx_event *real_event_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_event));
}

static void real_event_set(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    pthread_mutex_lock(&event_mutex);
    event->set = 1;
    pthread_cond_broadcast(&event_cond);
    pthread_mutex_unlock(&event_mutex);
}

static void real_event_free(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    pthread_mutex_lock(&event_mutex); /* whoever set it has let go by now */
    pthread_mutex_unlock(&event_mutex);
    free(event);
}

static void real_free(struct sbx_env *env) {
    free(env);
}

struct sbx_env *real_env_create(void) {
    struct sbx_env *env = malloc(sizeof(*env));
    if (!env) return NULL;
    *env = (struct sbx_env){.size = sizeof(*env),
                            .exchange = real_exchange,
                            .run_all = real_run_all,
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
                            .free = real_free};
    return env;
}
