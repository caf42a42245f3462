/* Memory runs out in the router: while it is made, while it chooses, launches, leads back, destroys and reaps. Whatever
 * it says, no sandbox is left that a reaping with memory enough does not end. Rows R7, R9, R10, R22. */
#include "sweep.h"

#include <sandport/router_reap.h>
#include <sandport/router_sandbox.h>

static struct sbx_registry *registry;
static struct sbx_store *store;
static struct sbx_router *router;
static char locator[SBX_LOCATOR_SIZE];

static enum sbx_status make_router(struct sweep *s) {
    struct sbx_pool_options pool_opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_router_options opt = SBX_ROUTER_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    registry = NULL;
    store = NULL;
    router = NULL;
    pool_opt.id = "only";
    pool_opt.runtime = s->w.rt;
    enum sbx_status st = sbx_pool_create(&pool_opt, &pool, &s->w.err);
    if (!st) st = sbx_registry_memory_create(&pool, 1, &registry, &s->w.err);
    if (st) {
        sbx_pool_free(pool);
        return st;
    }
    st = sbx_store_memory_create(s->w.env, &store, &s->w.err);
    opt.registry = registry;
    opt.store = store;
    return st ? st : sbx_router_create(&opt, s->w.env, &router, &s->w.err);
}

static void free_router(void) {
    sbx_router_free(router);
    sbx_store_free(store);
    sbx_registry_free(registry);
}

static enum sbx_status making_run(struct sweep *s) {
    const enum sbx_status st = make_router(s);
    S_TRUE(s, (st == SBX_OK) == (router != NULL));
    free_router();
    if (st) memcpy(s->w.err.operation, "create", sizeof("create")); /* no call of a router: it has none to name */
    return st;
}

static void making_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) == 0);
}

static void making_a_router(void) {
    static const struct operation op = {.name = "router", .requests_min = 9, .run = making_run, .after = making_after};
    sweep(&op);
}

/* ---- with a router that is there ---- */

static void routed_before(struct sweep *s) {
    T_STATUS(make_router(s), SBX_OK);
}

static void provisioned_before(struct sweep *s) {
    routed_before(s);
    T_STATUS(sbx_router_provision(router, NULL, NULL, NULL, locator, NULL, &s->w.err), SBX_OK);
}

/* A status of the router's that stands for no memory is no memory. */
static enum sbx_status told(struct sweep *s, enum sbx_status st) {
    if (!st || s->w.err.cause != SBX_NO_MEMORY) return st;
    s->w.err.status = SBX_NO_MEMORY;
    return SBX_NO_MEMORY;
}

/* With memory enough again, everything that is not behind a locator is ended. */
static void reap_all(struct sweep *s) {
    struct sbx_reap_result result = SBX_REAP_RESULT_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    if (sbx_router_reap(router, NULL, NULL, &result, &err)) sweep_fail(s, "a reaping that works", __FILE__, __LINE__);
    S_TRUE(s, result.open == 0);
}

static enum sbx_status provision_run(struct sweep *s) {
    struct sbx_provision *report = NULL;
    locator[0] = 0;
    const enum sbx_status st = sbx_router_provision(router, NULL, NULL, NULL, locator, &report, &s->w.err);
    sbx_provision_free(report);
    return told(s, st);
}

static void provision_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_made(s->w.sim) <= 1);
    S_TRUE(s, (s->st == SBX_OK) == (locator[0] != 0));
    if (s->w.err.cleanup != SBX_CLEANUP_UNCONFIRMED) S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == (s->st == SBX_OK));
    reap_all(s);
    S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == (s->st == SBX_OK));
    if (s->st == SBX_OK && sbx_router_destroy(router, locator, NULL, NULL))
        sweep_fail(s, "it can be destroyed", __FILE__, __LINE__);
    free_router();
}

static void provisioning(void) {
    static const struct operation op = {.name = "provision",
                                        .requests_min = 40,
                                        .before = routed_before,
                                        .run = provision_run,
                                        .after = provision_after};
    sweep(&op);
}

static enum sbx_status exec_run(struct sweep *s) {
    struct sbx_exec_result *result = NULL;
    const enum sbx_status st = sbx_router_exec(router, locator, "true", NULL, NULL, &result, &s->w.err);
    sbx_exec_result_free(result);
    return told(s, st);
}

static void still_there_after(struct sweep *s) {
    S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 1);
    if (sbx_router_destroy(router, locator, NULL, NULL)) sweep_fail(s, "it can be destroyed", __FILE__, __LINE__);
    free_router();
}

static void running_a_command(void) {
    static const struct operation op = {.name = "exec by locator",
                                        .requests_min = 20,
                                        .before = provisioned_before,
                                        .run = exec_run,
                                        .after = still_there_after};
    sweep(&op);
}

static enum sbx_status destroy_run(struct sweep *s) {
    return told(s, sbx_router_destroy(router, locator, NULL, &s->w.err));
}

static void destroy_after(struct sweep *s) {
    if (s->st == SBX_OK) S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 0);
    if (sbx_router_destroy(router, locator, NULL, NULL)) sweep_fail(s, "it can be destroyed", __FILE__, __LINE__);
    reap_all(s);
    S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 0);
    free_router();
}

static void destroying(void) {
    static const struct operation op = {.name = "destroy by locator",
                                        .requests_min = 15,
                                        .before = provisioned_before,
                                        .run = destroy_run,
                                        .after = destroy_after};
    sweep(&op);
}

/* A create whose answer is lost and that could not be cleaned up in its time, for a reaper that is short of memory. */
static void lost_before(struct sweep *s) {
    struct sbx_call call;
    routed_before(s);
    world_fault(&s->w, "{'op':'daytona.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'late',"
                       "'delay_ms':20000}}");
    sbx_call_init_after(&call, sizeof(call), s->w.env, 1000);
    call.cleanup_ms = SBX_NO_CLEANUP;
    T_STATUS(sbx_router_provision(router, NULL, NULL, &call, locator, NULL, &s->w.err), SBX_PROVIDER_PROVISIONING);
    sbx_sim_advance_ms(s->w.sim, 120000);
    T_EQ(sbx_sim_ledger_live(s->w.sim), 1);
}

static enum sbx_status reap_run(struct sweep *s) {
    struct sbx_reap_result result = SBX_REAP_RESULT_INIT;
    const enum sbx_status st = sbx_router_reap(router, NULL, NULL, &result, &s->w.err);
    if (!st) S_TRUE(s, result.open || sbx_sim_ledger_live(s->w.sim) == 0);
    return told(s, st);
}

static void reap_after(struct sweep *s) {
    reap_all(s);
    S_TRUE(s, sbx_sim_ledger_live(s->w.sim) == 0);
    free_router();
}

static void reaping(void) {
    static const struct operation op = {
        .name = "reap", .requests_min = 20, .before = lost_before, .run = reap_run, .after = reap_after};
    sweep(&op);
}

T_CASES(T_CASE(making_a_router), T_CASE(provisioning), T_CASE(running_a_command), T_CASE(destroying), T_CASE(reaping))
