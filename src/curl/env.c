/* The production env: its table, and how it is made. Rows P4, P6. */
#include "room.h"

#include <assert.h>
#include <stdlib.h>

struct sbx_curl_env *sbx_curl_env_of(struct sbx_env *env) {
    return (struct sbx_curl_env *)env;
}

static enum sbx_evidence env_exchange(struct sbx_env *env, const struct sbx_request *req, const struct sbx_receiver *to,
                                      struct sbx_exchange_info *info) {
    return sbx_curl_exchange(sbx_curl_env_of(env), req, to, info);
}

static void env_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    assert(sbx_posix_locks_held() == 0);
    sbx_posix_run_all(tasks, n, sbx_curl_env_of(env)->settings.threads == SBX_NO ? 1 : width);
}

static enum sbx_status env_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    enum sbx_status st = sbx_curl_event_wait(&sbx_curl_env_of(env)->pool, NULL, when_ms, cancel);
    return st == SBX_CANCELLED ? st : SBX_OK;
}

static struct sbx_event *env_event_new(struct sbx_env *env) {
    (void)env;
    return sbx_curl_event_new();
}

static void env_event_set(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    sbx_curl_event_set(event);
}

static enum sbx_status env_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                      struct sbx_event *cancel) {
    return sbx_curl_event_wait(&sbx_curl_env_of(env)->pool, event, deadline_ms, cancel);
}

static void env_event_free(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    sbx_curl_event_free(event);
}

static void env_free(struct sbx_env *env) {
    struct sbx_curl_env *self = sbx_curl_env_of(env);
    sbx_curl_pool_finish(&self->pool);
    sbx_curl_settings_finish(&self->settings);
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

static pthread_once_t env_once = PTHREAD_ONCE_INIT;
static enum sbx_status env_ready = SBX_NO_MEMORY;

/* A libcurl without a resolver that runs beside us would make every cancel wait for DNS; one that is older than the
 * headers may lack what they promised. */
static int env_libcurl_will_do(void) {
    const curl_version_info_data *is = curl_version_info(CURLVERSION_NOW);
    return is->version_num >= 0x075700 && (is->features & CURL_VERSION_ASYNCHDNS) && (is->features & CURL_VERSION_SSL);
}

/* Never undone: a resolver thread that was left behind may outlive the last env. */
static void env_global(void) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return;
    env_ready = env_libcurl_will_do() ? SBX_OK : SBX_UNSUPPORTED;
}

enum sbx_status sbx_curl_env_create(const struct sbx_curl_options *opt, struct sbx_env **out) {
    if (!out) return SBX_INVALID_ARGUMENT;
    pthread_once(&env_once, env_global);
    if (env_ready) return env_ready;
    struct sbx_curl_env *env = calloc(1, sizeof(*env));
    if (!env) return SBX_NO_MEMORY;
    env->table = env_table;
    sbx_posix_env_fill(&env->table);
    enum sbx_status st = sbx_curl_settings_init(&env->settings, opt);
    if (!st && !sbx_curl_pool_init(&env->pool, env->settings.idle_connection_s * 1000)) st = SBX_NO_MEMORY;
    if (st) {
        sbx_curl_settings_finish(&env->settings);
        free(env);
        return st;
    }
    *out = &env->table;
    return SBX_OK;
}
