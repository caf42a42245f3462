/* One router, 16 threads: provisions, commands and ends side by side, with a reaper among them. Nothing is lost,
 * nothing is shared that must not be, and no lock is held while a provider is asked. */
#include "t.h"

#include <pthread.h>
#include <sandport/kit/ops.h>
#include <sandport/kit/posix.h>
#include <sandport/kit/text.h>
#include <sandport/posix.h>
#include <sandport/router_reap.h>
#include <sandport/router_sandbox.h>
#include <stdatomic.h>

#define THREADS 16
#define ROUNDS  25

/* An account that only counts. */
static atomic_int made, ended, told, locked;

static void count_free(void *self) {
    (void)self;
}

static enum sbx_status count_launch(void *self, const struct sbx_launch_options *opt, const struct sbx_call *call,
                                    struct sbx_identity *out, struct sbx_error *err) {
    (void)self, (void)call, (void)err;
    if (sbx_posix_locks_held()) locked++;
    made++;
    sbx_copy(out->id, sizeof(out->id), opt->acquisition);
    return SBX_OK;
}

static enum sbx_status count_info(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                  struct sbx_info **out, struct sbx_error *err) {
    const struct sbx_info_draft draft = {.size = sizeof(draft), .id = who->id, .state = SBX_STATE_RUNNING};
    (void)self, (void)call, (void)err;
    *out = sbx_info_create(&draft);
    return *out ? SBX_OK : SBX_NO_MEMORY;
}

static enum sbx_status count_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                     struct sbx_error *err) {
    (void)self, (void)who, (void)call, (void)err;
    if (sbx_posix_locks_held()) locked++;
    ended++;
    return SBX_OK;
}

static enum sbx_status count_attach(void *self, const char *id, const struct sbx_call *call, struct sbx_identity *out,
                                    struct sbx_error *err) {
    (void)self, (void)call, (void)err;
    sbx_copy(out->id, sizeof(out->id), id);
    return SBX_OK;
}

static void count_event(void *ctx, const struct sbx_router_event *event) {
    (void)ctx, (void)event;
    told++;
}

static struct sbx_router *router;

static void *live(void *arg) {
    atomic_int *failures = arg;
    for (int i = 0; i < ROUNDS; i++) {
        char locator[SBX_LOCATOR_SIZE];
        struct sbx_info *info = NULL;
        *failures += sbx_router_provision(router, NULL, NULL, NULL, locator, NULL, NULL) != SBX_OK;
        *failures += sbx_router_describe(router, locator, NULL, NULL, &info, NULL) != SBX_OK;
        sbx_info_free(info);
        if (i % 5 == 0) *failures += sbx_router_reap(router, NULL, NULL, NULL, NULL) != SBX_OK;
        *failures += sbx_router_destroy(router, locator, NULL, NULL) != SBX_OK;
    }
    return NULL;
}

static void sixteen_threads(void) {
    const struct sbx_runtime_ops ops = {.size = sizeof(ops),
                                        .provider = "count",
                                        .caps = SBX_CAP_REATTACH,
                                        .free = count_free,
                                        .launch = count_launch,
                                        .info = count_info,
                                        .destroy = count_destroy,
                                        .attach = count_attach};
    struct sbx_router_options opt = SBX_ROUTER_OPTIONS_INIT;
    struct sbx_pool_options pool_opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    struct sbx_env *env = NULL;
    pthread_t threads[THREADS];
    atomic_int failures = 0;
    T_STATUS(sbx_posix_env_create(&env), SBX_OK);
    T_STATUS(sbx_runtime_create(&ops, NULL, env, &pool_opt.runtime, NULL), SBX_OK);
    pool_opt.id = "count";
    pool_opt.owns_runtime = SBX_YES;
    T_STATUS(sbx_pool_create(&pool_opt, &pool, NULL), SBX_OK);
    T_STATUS(sbx_registry_memory_create(&pool, 1, &opt.registry, NULL), SBX_OK);
    opt.observer = count_event;
    T_STATUS(sbx_router_create(&opt, env, &router, NULL), SBX_OK);
    for (int i = 0; i < THREADS; i++) T_EQ(pthread_create(&threads[i], NULL, live, &failures), 0);
    for (int i = 0; i < THREADS; i++) T_EQ(pthread_join(threads[i], NULL), 0);
    T_EQ(failures, 0);
    T_EQ(made, THREADS * ROUNDS);
    T_TRUE(ended >= made); /* a reaper may have deleted a second time what was being deleted */
    T_EQ(locked, 0);
    T_TRUE(told >= 4 * made);
    sbx_router_free(router);
    sbx_registry_free(opt.registry);
    sbx_env_free(env);
}

T_CASES(T_CASE(sixteen_threads))
