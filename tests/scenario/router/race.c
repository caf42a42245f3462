/* Two callers, room for one: every order of their exchanges. Capacity is no reservation, so that both may read room and
 * both launch; the provider refuses one, which ends its request without a classifier and moves on with one. Rows R7,
 * R15. */
#include "routed_world.h"
#include "turns.h"

#include <stdio.h>

static const char *const order[] = {"day-1", "e2b"};

struct racer {
    struct sbx_registry *registry;
    struct sbx_router *router;
    enum sbx_status st;
    char locator[SBX_LOCATOR_SIZE];
    struct sbx_provision *report;
    struct sbx_error err;
};

static void provision(void *arg) {
    struct racer *r = arg;
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    sbx_error_init(&r->err, sizeof(r->err));
    r->st = sbx_router_provision(r->router, &req, NULL, NULL, r->locator, &r->report, &r->err);
}

static void racer_open(struct racer *r, struct sbx_env *env, struct sbx_store *store, int classify) {
    struct sbx_router_options opt = SBX_ROUTER_OPTIONS_INIT;
    r->registry = routed_registry(env, 1, 1, 1, classify);
    opt.registry = r->registry;
    opt.store = store;
    opt.capacity_order = order;
    opt.capacity_order_count = 2;
    T_STATUS(sbx_router_create(&opt, env, &r->router, NULL), SBX_OK);
}

static void racer_close(struct racer *r) {
    sbx_provision_free(r->report);
    sbx_router_free(r->router);
    sbx_registry_free(r->registry);
}

/* ---- what an order means ---- */

static int is_read(const struct turn *turn) {
    return strncmp(turn->request, "GET /api/sandbox?", 17) == 0 ||
           strncmp(turn->request, "GET /api/sandbox/p", 18) == 0;
}
static int is_create(const struct turn *turn) {
    return strcmp(turn->request, "POST /api/sandbox") == 0;
}

/* The place of the first such exchange of a caller, -1 if there is none. */
static int place(const struct turn *turns, int count, int caller, int (*is)(const struct turn *turn)) {
    for (int i = 0; i < count; i++)
        if (turns[i].caller == caller && is(&turns[i])) return i;
    return -1;
}

static const char *pool_of(const struct racer *r) {
    static struct sbx_description d;
    sbx_description_init(&d, sizeof(d));
    if (r->st || sbx_router_describe(r->router, r->locator, NULL, &d, NULL, NULL)) return "";
    return d.pool_id;
}

static void show(const struct turn *turns, int count) {
    for (int i = 0; i < count; i++) fprintf(stderr, "%d: %s\n", turns[i].caller, turns[i].request);
}

/* @return did both launch where there was room for one? */
static int judge(const struct racer *racers, const struct turn *turns, int count, int classify) {
    const int creates[2] = {place(turns, count, 0, is_create), place(turns, count, 1, is_create)};
    const int winner = creates[1] < 0 || (creates[0] >= 0 && creates[0] < creates[1]) ? 0 : 1, loser = 1 - winner;
    const struct racer *lost = &racers[loser];
    const int raced = place(turns, count, loser, is_read) < creates[winner];
    const int spilled = classify || !raced;
    const size_t attempts = sbx_provision_attempt_count(lost->report);
    if (strcmp(pool_of(&racers[winner]), "day-1") != 0 || strcmp(pool_of(lost), spilled ? "e2b" : "") != 0 ||
        (creates[loser] >= 0) != raced || attempts != (raced && classify ? 2 : 1)) {
        show(turns, count);
        T_FAIL("%d has \"%s\", %d has \"%s\" after %d launches: %s", winner, pool_of(&racers[winner]), loser,
               pool_of(lost), (int)attempts, sbx_status_name((int32_t)lost->st));
    }
    if (!spilled) {
        T_STATUS(lost->st, SBX_PROVIDER_PROVISIONING);
        T_EQ(lost->err.cause, SBX_QUOTA);
        T_EQ(lost->err.outcome, SBX_OUTCOME_REFUSED);
    }
    return raced;
}

/* ---- every order ---- */

static int one_order(struct turns_order *o, int classify) {
    struct sbx_sim *sim = routed_sim(1, 1, 1);
    struct turns *turns = turns_new(sim, o);
    struct racer racers[TURNS_CALLERS] = {{.st = SBX_OK}, {.st = SBX_OK}};
    struct sbx_store *store = NULL;
    int count = 0;
    T_STATUS(sbx_store_memory_create(sbx_sim_env(sim), &store, NULL), SBX_OK);
    for (int i = 0; i < TURNS_CALLERS; i++) racer_open(&racers[i], turns_env(turns, i), store, classify);
    turns_run(turns, provision, (void *[]){&racers[0], &racers[1]});
    const struct turn *taken = turns_taken(turns, &count);
    const int raced = judge(racers, taken, count, classify);
    T_EQ(sbx_sim_ledger_made(sim), (racers[0].st == SBX_OK) + (racers[1].st == SBX_OK));
    for (int i = 0; i < TURNS_CALLERS; i++) racer_close(&racers[i]);
    turns_free(turns);
    sbx_store_free(store);
    sbx_sim_free(sim);
    return raced;
}

static void every_order(int classify) {
    struct turns_order o = {.decided = 0};
    int orders = 0, races = 0;
    do {
        races += one_order(&o, classify);
        orders++;
    } while (turns_order_next(&o));
    printf("%d orders, in %d of them both launched\n", orders, races);
    T_TRUE(races > 0 && races < orders);
}

static void every_order_without_a_classifier(void) {
    every_order(0);
}
static void every_order_with_one(void) {
    every_order(1);
}

T_CASES(T_CASE(every_order_without_a_classifier), T_CASE(every_order_with_one))
