/* Whatever becomes of a create, on either cloud, and whatever the router does about it: afterwards, and at the latest
 * after a reaping, no sandbox is left that nobody knows of. Rows R10, R22, D6; F142, F145. */
#include "routed_world.h"

#include <stdio.h>

struct fault {
    const char *phase;
    const char *effect;
};

static const struct fault faults[] = {{"before", "{'kind':'reset'}"},
                                      {"before", "{'kind':'hang'}"},
                                      {"before", "{'kind':'status','status':500}"},
                                      {"before_commit", "{'kind':'reset'}"},
                                      {"before_commit", "{'kind':'late','delay_ms':20000}"},
                                      {"after_commit", "{'kind':'reset'}"},
                                      {"after_commit", "{'kind':'hang'}"},
                                      {"after_commit", "{'kind':'late','delay_ms':20000}"},
                                      {"after_commit", "{'kind':'status','status':500}"},
                                      {"after_commit", "{'kind':'html','status':504}"},
                                      {"mid_reply", "{'kind':'cut','at_bytes':40}"},
                                      {"mid_reply", "{'kind':'reset'}"}};

static const char *name_of(const struct routed_world *w, const struct fault *fault, const char *pool) {
    static char name[200];
    snprintf(name, sizeof(name), "%s %s %s adopt %d", pool, fault->phase, fault->effect, (int)w->how.adopt);
    return name;
}

static void create_with(const char *pool, const struct fault *fault, int32_t adopt, int64_t deadline_ms) {
    struct routed_world *w = routed_world_new(3, 3, 3, 1);
    struct sbx_call call;
    char json[300];
    w->how.adopt = adopt;
    w->req.pool_id = pool;
    routed_world_open(w);
    snprintf(json, sizeof(json), "{'op':'%s.sandbox.create','phase':'%s','times':1,'effect':%s}",
             pool[0] == 'e' ? "e2b" : "daytona", fault->phase, fault->effect);
    routed_world_fault(w, json);
    sbx_call_init_after(&call, sizeof(call), w->env, deadline_ms);
    enum sbx_status st = sbx_router_provision(w->router, &w->req, &w->how, &call, w->locator, NULL, &w->err);
    sbx_sim_advance_ms(w->sim, 120000); /* what is late comes now */
    if (sbx_sim_ledger_made(w->sim) > 1) T_FAIL("%s: made twice", name_of(w, fault, pool));
    if (st && w->err.cleanup != SBX_CLEANUP_UNCONFIRMED && sbx_sim_ledger_live(w->sim))
        T_FAIL("%s: said to be clean\n%s", name_of(w, fault, pool), sbx_sim_timeline(w->sim));
    struct sbx_reap_result result = SBX_REAP_RESULT_INIT;
    T_STATUS(sbx_router_reap(w->router, NULL, NULL, &result, &w->err), SBX_OK);
    if (result.open) T_FAIL("%s: open\n%s", name_of(w, fault, pool), sbx_buf_text(&w->told));
    if (sbx_sim_ledger_live(w->sim) != (st == SBX_OK))
        T_FAIL("%s: %d live\n%s", name_of(w, fault, pool), (int)sbx_sim_ledger_live(w->sim), sbx_sim_timeline(w->sim));
    if (!st) T_STATUS(sbx_router_destroy(w->router, w->locator, NULL, &w->err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w->sim), 0);
    routed_world_free(w);
}

static void every_fault(const char *pool, int32_t adopt, int64_t deadline_ms) {
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) create_with(pool, &faults[i], adopt, deadline_ms);
}

static void daytona_deleted(void) {
    every_fault("day-1", SBX_NO, 300000);
}
static void daytona_adopted(void) {
    every_fault("day-1", SBX_YES, 300000);
}
static void daytona_given_up_early(void) {
    every_fault("day-1", SBX_NO, 5000);
}
static void e2b_deleted(void) {
    every_fault("e2b", SBX_NO, 300000);
}
static void e2b_adopted(void) {
    every_fault("e2b", SBX_YES, 300000);
}
static void e2b_given_up_early(void) {
    every_fault("e2b", SBX_NO, 5000);
}

/* F142: a create whose answer is lost is looked up by its label before anything may follow, and what is found is never
 * followed by another. */
static void f142_a_lost_create_is_looked_up(void) {
    struct routed_world *w = routed_world_new(3, 3, 3, 1);
    routed_world_open(w);
    routed_world_fault(w, "{'op':'daytona.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    T_STATUS(routed_world_provision(w), SBX_PROVIDER_PROVISIONING);
    T_EQ(w->err.cause, SBX_CONNECTION_LOST);
    T_EQ(w->err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_provision_attempt_count(w->report), 1);
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    T_EQ(sbx_sim_ledger_live(w->sim), 0);
    routed_world_free(w);
}

/* F145: the sandbox is made and never gets ready: its id is written down, and it is deleted by it. */
static void f145_made_and_never_ready(void) {
    struct routed_world *w = routed_world_new(3, 3, 3, 0);
    routed_world_open(w);
    routed_world_fault(w, "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'dead_toolbox'}}");
    T_STATUS(routed_world_provision(w), SBX_PROVIDER_PROVISIONING);
    T_EQ(w->err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_TRUE(w->err.sandbox_id[0] != 0);
    T_EQ(sbx_sim_ledger_made(w->sim), 1);
    T_EQ(sbx_sim_ledger_live(w->sim), 0);
    routed_world_free(w);
}

/* D6 through the router: the dead one is replaced, and the locator leads to the new one before start returns. */
static void a_replaced_sandbox_is_stored(void) {
    struct routed_world *w = routed_world_new(3, 3, 3, 0);
    struct sbx_start_result result = SBX_START_RESULT_INIT;
    struct sbx_exec_result *said = NULL;
    struct sbx_description d = SBX_DESCRIPTION_INIT;
    routed_world_open(w);
    T_STATUS(routed_world_provision(w), SBX_OK);
    T_STATUS(sbx_router_stop(w->router, w->locator, NULL, NULL, &w->err), SBX_OK);
    routed_world_fault(w, "{'op':'daytona.sandbox.start','phase':'after_commit','times':1,'effect':{'kind':"
                          "'dead_toolbox','dialect':'502'}}");
    T_STATUS(sbx_router_start(w->router, w->locator, NULL, NULL, &result, &w->err), SBX_OK);
    T_EQ(result.replaced, 1);
    T_STATUS(sbx_router_describe(w->router, w->locator, NULL, &d, NULL, &w->err), SBX_OK);
    T_TRUE(strcmp(d.sandbox_id, result.old_id) != 0);
    T_STATUS(sbx_router_exec(w->router, w->locator, "echo new", NULL, NULL, &said, &w->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(said, NULL), "new\n");
    sbx_exec_result_free(said);
    T_EQ(sbx_sim_ledger_made(w->sim), 2);
    T_EQ(sbx_sim_ledger_live(w->sim), 1);
    T_STATUS(sbx_router_destroy(w->router, w->locator, NULL, &w->err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w->sim), 0);
    routed_world_free(w);
}

T_CASES(T_CASE(daytona_deleted), T_CASE(daytona_adopted), T_CASE(daytona_given_up_early), T_CASE(e2b_deleted),
        T_CASE(e2b_adopted), T_CASE(e2b_given_up_early), T_CASE(f142_a_lost_create_is_looked_up),
        T_CASE(f145_made_and_never_ready), T_CASE(a_replaced_sandbox_is_stored))
