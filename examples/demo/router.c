/* The third act: two Daytona accounts behind a router. The first is full, so requests go to the second; a create whose
 * answer is lost is looked up and handed out, one whose caller is gone is found by the reaper and deleted. */
#include "demo.h"

#include <sandport/daytona.h>
#include <sandport/router_reap.h>
#include <sandport/router_sandbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCATORS_MAX 3

/* two-accounts.json has the accounts, in this order. */
static const char *const accounts[] = {"first", "second"};
static const double cores[] = {1, 3};

struct act {
    struct demo *d;
    struct sbx_registry *registry;
    struct sbx_store *store;
    struct sbx_router *router;
    char locators[LOCATORS_MAX][SBX_LOCATOR_SIZE];
    size_t locator_count;
    int32_t verdict; /* of the last look-up */
};

/* ---- what the router tells ---- */

static void tell(void *ctx, const struct sbx_router_event *e) {
    struct act *act = ctx;
    if (e->kind == SBX_EVENT_RANKED) return; /* the order of the accounts never changes here */
    if (e->kind == SBX_EVENT_RECONCILED) act->verdict = e->verdict;
    demo_say("      router: %s: %s", sbx_router_event_name(e->kind), e->pool_id);
    if (e->kind == SBX_EVENT_CAPACITY_SKIPPED)
        demo_say(", %s", sbx_reason_name(sbx_reason_next(e->reasons, 0)));
    else if (e->kind == SBX_EVENT_ATTEMPT_STARTED)
        demo_say(", acquisition %s", e->acquisition);
    else if (e->kind == SBX_EVENT_ATTEMPT_FAILED)
        demo_say(", %s, outcome %s", sbx_status_name(e->status), sbx_outcome_name(e->outcome));
    else if (e->kind == SBX_EVENT_RECONCILED)
        demo_say(", %s", e->verdict == SBX_RECONCILE_FOUND ? "found" : "not found");
    else if (e->kind == SBX_EVENT_MAPPED || e->kind == SBX_EVENT_DESTROYED)
        demo_say(", %s", e->locator);
    else if (e->kind == SBX_EVENT_REAPED)
        demo_say(", %s", e->done ? "nothing is left of it" : "still open");
    demo_say("\n");
}

/* ---- the steps ---- */

static struct sbx_pool *pool_of(struct act *act, size_t which, const char *key) {
    struct sbx_daytona_options account = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_pool *pool = NULL;
    account.endpoint = getenv("DAYTONA_API_URL");
    account.api_key = key;
    limits.bound[SBX_RESOURCE_CPU].limit = cores[which];
    limits.bound[SBX_RESOURCE_CPU].required = 1;
    opt.id = accounts[which];
    opt.limits = &limits;
    demo_went_well(act->d, sbx_daytona_pool(&account, &opt, act->d->env, &pool, &err), &err);
    return pool;
}

static void open_router(struct act *act) {
    struct sbx_router_options opt = SBX_ROUTER_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_pool *pools[] = {pool_of(act, 0, getenv("DAYTONA_API_KEY")),
                                pool_of(act, 1, getenv("DEMO_SECOND_API_KEY"))};
    enum sbx_status st = SBX_OK;
    if (!act->d->failed) st = sbx_registry_memory_create(pools, 2, &act->registry, &err);
    if (!act->registry)
        for (size_t i = 0; i < 2; i++) sbx_pool_free(pools[i]);
    if (act->registry) st = sbx_store_memory_create(act->d->env, &act->store, &err);
    opt.registry = act->registry;
    opt.store = act->store;
    opt.capacity_order = accounts;
    opt.capacity_order_count = 2;
    opt.observer = tell;
    opt.observer_ctx = act;
    if (act->store) st = sbx_router_create(&opt, act->d->env, &act->router, &err);
    demo_went_well(act->d, st, &err);
}

static enum sbx_status provision(struct act *act, int32_t adopt, const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_provision_options opt = SBX_PROVISION_OPTIONS_INIT;
    opt.request = "demo";
    opt.adopt = adopt;
    enum sbx_status st =
        sbx_router_provision(act->router, NULL, &opt, call, act->locators[act->locator_count], NULL, err);
    demo_tell_requests(act->d);
    if (!st) act->locator_count++;
    return st;
}

/* Where the last one is, by its locator alone. */
static void want_in(struct act *act, const char *account) {
    struct sbx_description where = SBX_DESCRIPTION_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    const char *locator = act->locators[act->locator_count - 1];
    if (!demo_went_well(act->d, sbx_router_describe(act->router, locator, NULL, &where, NULL, &err), &err)) return;
    demo_say("      %s is in account \"%s\"\n", locator, where.pool_id);
    demo_want(act->d, strcmp(where.pool_id, account) == 0, "that is the first account with room");
}

static void fill_the_first(struct act *act) {
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("1. Make a sandbox. Accounts are tried in order, each after a fresh look at how much of it is in use.\n");
    if (demo_went_well(act->d, provision(act, SBX_NO, NULL, &err), &err)) want_in(act, "first");
}

static void spill(struct act *act) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_exec_result *result = NULL;
    demo_say("2. And another. The first account holds one core, which is taken: no create is sent to it.\n");
    if (!demo_went_well(act->d, provision(act, SBX_NO, NULL, &err), &err)) return;
    want_in(act, "second");
    enum sbx_status st =
        sbx_router_exec(act->router, act->locators[act->locator_count - 1], "echo here", NULL, NULL, &result, &err);
    demo_tell_requests(act->d);
    if (!demo_went_well(act->d, st, &err)) return;
    demo_want(act->d, strcmp(sbx_exec_result_stdout(result, NULL), "here\n") == 0, "it runs commands by its locator");
    sbx_exec_result_free(result);
}

static int fault(struct act *act, const char *phase, const char *effect) {
    char json[256];
    snprintf(json, sizeof(json),
             "{\"op\":\"daytona.sandbox.create\",\"phase\":\"%s\",\"times\":1,\"effect\":{\"kind\":\"%s\"}}", phase,
             effect);
    return demo_admin(act->d, "POST", "/faults", json, NULL);
}

static void lose_the_answer(struct act *act) {
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    demo_say("3. A third; its create makes the sandbox, and the connection dies in the middle of the answer.\n");
    if (!fault(act, "mid_reply", "reset")) return;
    act->verdict = SBX_RECONCILE_UNDECIDED;
    sbx_call_init_after(&call, sizeof(call), act->d->env, 30000);
    call.cleanup_ms = SBX_NO_CLEANUP; /* the launch leaves it alone; to decide is the router's */
    if (!demo_went_well(act->d, provision(act, SBX_YES, &call, &err), &err)) return;
    demo_want(act->d, act->verdict == SBX_RECONCILE_FOUND, "it was looked up by its acquisition id, and adopted");
    want_in(act, "second");
}

static void lose_the_caller(struct act *act) {
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_reap_result result = SBX_REAP_RESULT_INIT;
    demo_say("4. A fourth; no answer comes at all, and the caller is gone before he can look.\n");
    if (!fault(act, "after_commit", "hang")) return;
    sbx_call_init_after(&call, sizeof(call), act->d->env, 1000);
    call.cleanup_ms = SBX_NO_CLEANUP;
    enum sbx_status st = provision(act, SBX_NO, &call, &err);
    demo_want(act->d, st == SBX_PROVIDER_PROVISIONING && err.cleanup == SBX_CLEANUP_UNCONFIRMED,
              "the request ends, and says that something may be left");
    demo_want(act->d, err.acquisition[0] != 0, "the id that the create went out with was written down before");
    demo_say("5. Somebody reaps: what was written down and never ended is looked up, and deleted.\n");
    st = sbx_router_reap(act->router, NULL, NULL, &result, &err);
    demo_tell_requests(act->d);
    if (demo_went_well(act->d, st, &err))
        demo_want(act->d, result.seen == 1 && result.finished == 1, "one was unfinished, and nothing is left of it");
}

struct destroying {
    struct act *act;
    const char *locator;
    enum sbx_status st;
    struct sbx_error err;
};

static void destroy_one(void *arg) {
    struct destroying *one = arg;
    one->st = sbx_router_destroy(one->act->router, one->locator, NULL, &one->err);
}

/* Side by side: each is looked at twice, 2 s apart, before it is told to be gone. */
static void destroy_all(struct act *act) {
    struct destroying each[LOCATORS_MAX];
    struct sbx_task tasks[LOCATORS_MAX];
    demo_say("6. Destroy the others by their locators, and ask the simulator's ledger what is left.\n");
    for (size_t i = 0; i < act->locator_count; i++) {
        each[i] = (struct destroying){.act = act, .locator = act->locators[i], .err = SBX_ERROR_INIT};
        tasks[i] = (struct sbx_task){destroy_one, &each[i]};
    }
    act->d->env->run_all(act->d->env, tasks, act->locator_count, LOCATORS_MAX);
    for (size_t i = 0; i < act->locator_count; i++) demo_went_well(act->d, each[i].st, &each[i].err);
    demo_tell_requests(act->d);
    demo_audit(act->d, LOCATORS_MAX + 1);
}

void demo_router(struct demo *d) {
    static void (*const steps[])(struct act * act) = {open_router, fill_the_first, spill, lose_the_answer,
                                                      lose_the_caller};
    struct act act = {.d = d};
    demo_say("Third act: two accounts, the first full, and creates that die after they allocated.\n");
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !d->failed; i++) steps[i](&act);
    if (act.router) destroy_all(&act);
    sbx_router_free(act.router);
    sbx_store_free(act.store);
    sbx_registry_free(act.registry);
}
