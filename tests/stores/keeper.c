/* The process that keeps the simulated clouds while others provision there. */
#include "keeper.h"

static void open_router(struct keeper *k) {
    struct sbx_router_options opt = SBX_ROUTER_OPTIONS_INIT;
    k->registry = routed_registry(k->env, KEEPER_ROOM, KEEPER_ROOM, KEEPER_ROOM, 1);
    opt.registry = k->registry;
    opt.store = k->store;
    T_STATUS(sbx_router_create(&opt, k->env, &k->router, NULL), SBX_OK);
}

void keeper_open(struct keeper *k) {
    memset(k, 0, sizeof(*k));
    store_face_open(&k->face);
    k->sim = routed_sim(KEEPER_ROOM, KEEPER_ROOM, KEEPER_ROOM);
    k->env = sbx_sim_env(k->sim);
    k->store = store_face_stay(&k->face, k->env);
    open_router(k);
}

struct keeper keeper_again(const struct keeper *k, struct sbx_env *env, struct sbx_env *store_env) {
    struct keeper own = {.face = k->face, .env = env};
    own.store = store_face_again(&own.face, store_env);
    open_router(&own);
    return own;
}

void keeper_finish(struct keeper *k) {
    sbx_router_free(k->router);
    sbx_registry_free(k->registry);
    sbx_store_free(k->store);
}

void keeper_close(struct keeper *k) {
    keeper_finish(k);
    sbx_sim_free(k->sim);
    store_face_close(&k->face);
}

enum sbx_status keeper_provision(struct sbx_router *router, const char *pool, char *locator) {
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    req.pool_id = pool;
    return sbx_router_provision(router, &req, NULL, NULL, locator, NULL, NULL);
}

int keeper_reap(struct keeper *k) {
    struct sbx_reap_options opt = SBX_REAP_OPTIONS_INIT;
    struct sbx_reap_result result = SBX_REAP_RESULT_INIT;
    struct sbx_records *left = NULL;
    opt.lease_ms = KEEPER_LEASE_MS;
    T_STATUS(sbx_router_reap(k->router, &opt, NULL, &result, NULL), SBX_OK);
    if (result.open || result.finished != result.seen)
        T_FAIL("of %d launches %d are finished\n%s", (int)result.seen, (int)result.finished, sbx_sim_timeline(k->sim));
    T_STATUS(sbx_store_list_unfinished(k->store, NULL, NULL, &left, NULL), SBX_OK);
    T_EQ(sbx_records_count(left), 0);
    sbx_records_free(left);
    return (int)result.seen;
}

static void runs(struct keeper *k, const char *locator, int64_t when) {
    struct sbx_exec_result *said = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    if (sbx_router_exec(k->router, locator, "echo here", NULL, NULL, &said, &err))
        T_FAIL("step %lld: %s: %s\n%s", (long long)when, locator, err.detail, sbx_sim_timeline(k->sim));
    T_STR(sbx_exec_result_stdout(said, NULL), "here\n");
    sbx_exec_result_free(said);
}

int keeper_account(struct keeper *k, int64_t when) {
    static const int32_t mapped = SBX_RECORD_MAPPED;
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    struct sbx_records *records = NULL;
    query.states = &mapped;
    query.state_count = 1;
    T_STATUS(sbx_store_find(k->store, &query, NULL, &records, NULL), SBX_OK);
    const int count = (int)sbx_records_count(records);
    if (sbx_sim_ledger_live(k->sim) != count)
        T_FAIL("step %lld: %d sandboxes, of which %d are mapped\n%s", (long long)when, (int)sbx_sim_ledger_live(k->sim),
               count, sbx_sim_timeline(k->sim));
    for (int i = 0; i < count; i++) {
        const char *locator = sbx_records_at(records, (size_t)i)->locator;
        runs(k, locator, when);
        T_STATUS(sbx_router_destroy(k->router, locator, NULL, NULL), SBX_OK);
        T_EQ(sbx_sim_ledger_live(k->sim), count - 1 - i);
    }
    sbx_records_free(records);
    return count;
}
