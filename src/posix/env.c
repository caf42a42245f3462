/* The env without a network. Rows P4, P6, L2.
 *
 * Its events share one mutex and one condition: setting any wakes every wait, which looks for itself. Few wait at a
 * time where there is no network to wait for. */
#include <sandport/kit/posix.h>
#include <sandport/posix.h>

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct posix_env {
    struct sbx_env table; /* first: a struct sbx_env * is one of these */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* on the monotonic clock */
};

struct sbx_event {
    int set;
};

static struct posix_env *self_of(struct sbx_env *env) {
    return (struct posix_env *)env;
}

static enum sbx_evidence env_exchange(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                      struct sbx_exchange_info *info) {
    (void)env, (void)to;
    if (info) {
        info->http_status = info->stopped = 0;
        info->sent_bytes = info->got_bytes = 0;
    }
    return sbx_request_check(req, NULL) ? SBX_EVIDENCE_PROTOCOL : SBX_EVIDENCE_CONNECT;
}

static void env_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    (void)env;
    assert(sbx_posix_locks_held() == 0);
    sbx_posix_run_all(tasks, n, width);
}

/* ---- events ---- */

static struct sbx_event *env_event_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_event));
}

static void env_event_free(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    free(event);
}

static void env_event_set(struct sbx_env *env, struct sbx_event *event) {
    struct posix_env *self = self_of(env);
    pthread_mutex_lock(&self->mutex);
    event->set = 1;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->mutex);
}

static void wait_a_turn(struct posix_env *self, int64_t deadline_ms) {
    const struct timespec when = {.tv_sec = (time_t)(deadline_ms / 1000), .tv_nsec = (deadline_ms % 1000) * 1000000};
    if (deadline_ms == SBX_NO_DEADLINE)
        pthread_cond_wait(&self->changed, &self->mutex);
    else
        pthread_cond_timedwait(&self->changed, &self->mutex, &when);
}

/* NULL is an event that is never set. */
static enum sbx_status env_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                      struct sbx_event *cancel) {
    struct posix_env *self = self_of(env);
    enum sbx_status st = SBX_OK;
    assert(sbx_posix_locks_held() == 0);
    pthread_mutex_lock(&self->mutex);
    for (;;) {
        if (event && event->set) break;
        st = cancel && cancel->set ? SBX_CANCELLED : sbx_posix_now_ms() >= deadline_ms ? SBX_DEADLINE : SBX_OK;
        if (st) break;
        wait_a_turn(self, deadline_ms);
    }
    pthread_mutex_unlock(&self->mutex);
    return st;
}

static enum sbx_status env_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    return env_event_wait(env, NULL, when_ms, cancel) == SBX_CANCELLED ? SBX_CANCELLED : SBX_OK;
}

/* ---- making one ---- */

static void env_free(struct sbx_env *env) {
    struct posix_env *self = self_of(env);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

static const struct sbx_env env_table = {
    .size = sizeof(struct sbx_env),
    .exchange = env_exchange,
    .run_all = env_run_all,
    .sleep_until = env_sleep_until,
    .event_new = env_event_new,
    .event_set = env_event_set,
    .event_wait = env_event_wait,
    .event_free = env_event_free,
    .free = env_free,
};

static int condition_init(pthread_cond_t *condition) {
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0) return 0;
    int ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 && pthread_cond_init(condition, &attr) == 0;
    pthread_condattr_destroy(&attr);
    return ok;
}

enum sbx_status sbx_posix_env_create(struct sbx_env **out) {
    if (!out) return SBX_INVALID_ARGUMENT;
    struct posix_env *self = calloc(1, sizeof(*self));
    if (!self) return SBX_NO_MEMORY;
    self->table = env_table;
    sbx_posix_env_fill(&self->table);
    if (!condition_init(&self->changed)) {
        free(self);
        return SBX_NO_MEMORY;
    }
    if (pthread_mutex_init(&self->mutex, NULL) != 0) {
        pthread_cond_destroy(&self->changed);
        free(self);
        return SBX_NO_MEMORY;
    }
    *out = &self->table;
    return SBX_OK;
}
