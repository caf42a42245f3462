/* Whatever becomes of a create, on either cloud, and whatever the router does about it: afterwards, and at the latest
 * after a reaping, no sandbox is left that nobody knows of. Rows R10, R22, D6; F142, F145. */
#include "broken_store.h"
#include "routed_world.h"

#include <sandport/kit/text.h>
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

/* What the router makes of it, and what else goes wrong on the way. */
struct course {
    const char *name;
    int64_t deadline_ms;
    int64_t cleanup_ms; /* 0 = as by default */
    int32_t adopt;
    int yes;           /* a classifier that would have any failure followed by another launch */
    int unseen;        /* what exists cannot be looked up */
    int undeletable;   /* what exists cannot be deleted */
    int store_fails;   /* no mapping can be stored */
    int cancels_at_ms; /* 0 = never */
    int detached;
};

static const struct course deleted = {.name = "deleted", .deadline_ms = 300000};
static const struct course adopted = {.name = "adopted", .deadline_ms = 300000, .adopt = SBX_YES};
static const struct course early = {.name = "given up early", .deadline_ms = 5000};
static const struct course others[] = {
    {.name = "given up early, without clean-up", .deadline_ms = 5000, .cleanup_ms = SBX_NO_CLEANUP},
    {.name = "adopted early", .deadline_ms = 5000, .adopt = SBX_YES},
    {.name = "spilled", .deadline_ms = 300000, .yes = 1},
    {.name = "spilled or adopted", .deadline_ms = 300000, .yes = 1, .adopt = SBX_YES},
    {.name = "unseen", .deadline_ms = 300000, .unseen = 1},
    {.name = "unseen, and a yes", .deadline_ms = 300000, .unseen = 1, .yes = 1},
    {.name = "undeletable", .deadline_ms = 300000, .undeletable = 1},
    {.name = "undeletable, and a yes", .deadline_ms = 300000, .undeletable = 1, .yes = 1},
    {.name = "not stored", .deadline_ms = 300000, .store_fails = 1},
    {.name = "adopted, not stored", .deadline_ms = 300000, .store_fails = 1, .adopt = SBX_YES},
    {.name = "not stored, undeletable", .deadline_ms = 300000, .store_fails = 1, .undeletable = 1},
    {.name = "cancelled at once", .deadline_ms = 300000, .cancels_at_ms = 2},
    {.name = "cancelled", .deadline_ms = 300000, .cancels_at_ms = 150},
    {.name = "detached", .deadline_ms = 300000, .detached = 1},
};

struct creation {
    const char *pool;
    const struct fault *fault;
    const struct course *course;
    struct routed_world *w;
    struct broken_store broken;
    struct sbx_router *reaper; /* another process's */
    struct sbx_cancel *cancel;
    enum sbx_status st;
};

static void say(const struct creation *c, const char *what) {
    T_FAIL("%s %s %s, %s: %s: %s (%s)\n%s%s", c->pool, c->fault->phase, c->fault->effect, c->course->name, what,
           sbx_status_name((int32_t)c->st), sbx_status_name(c->w->err.cause), sbx_sim_timeline(c->w->sim),
           sbx_buf_text(&c->w->told));
}

static int yes(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out) {
    (void)ctx, (void)failure;
    out->retryable = 1;
    sbx_copy(out->code, sizeof(out->code), "ANY");
    return 0;
}

static void fault_on(const struct creation *c, const char *op, const char *phase, const char *times,
                     const char *effect) {
    char json[300];
    snprintf(json, sizeof(json), "{'op':'%s.sandbox.%s','phase':'%s'%s,'effect':%s}",
             c->pool[0] == 'e' ? "e2b" : "daytona", op, phase, times, effect);
    routed_world_fault(c->w, json);
}

static void creation_open(struct creation *c) {
    struct routed_world *w = c->w = routed_world_new(3, 3, 3, 0);
    const struct course *course = c->course;
    w->how.adopt = course->adopt;
    /* The other one of Daytona's may follow; no other is like E2B's. */
    if (!course->yes || c->pool[0] == 'e') w->req.pool_id = c->pool;
    if (course->yes) w->opt.classify = yes;
    T_STATUS(sbx_router_create(&w->opt, w->env, &c->reaper, NULL), SBX_OK);
    if (course->store_fails) broken_store_over(&c->broken, w->store, w->env, &w->opt.store);
    c->broken.fail_mapping = course->store_fails;
    routed_world_open(w);
    fault_on(c, "create", c->fault->phase, ",'times':1", c->fault->effect);
    if (course->unseen) fault_on(c, "list", "before", "", "{'kind':'status','status':500}");
    if (course->unseen) fault_on(c, "get", "before", "", "{'kind':'status','status':500}");
    if (course->undeletable)
        fault_on(c, c->pool[0] == 'e' ? "kill" : "delete", "before", "", "{'kind':'status','status':500}");
    c->cancel = sbx_cancel_create(w->env);
    T_TRUE(c->cancel != NULL);
}

static void cancel_it(void *arg) {
    struct creation *c = arg;
    T_STATUS(c->w->env->sleep_until(c->w->env, c->course->cancels_at_ms, NULL), SBX_OK);
    sbx_cancel_fire(c->cancel);
}

static void provision_it(void *arg) {
    struct creation *c = arg;
    struct routed_world *w = c->w;
    struct sbx_call call;
    sbx_call_init_after(&call, sizeof(call), w->env, c->course->deadline_ms);
    call.cleanup_ms = c->course->cleanup_ms;
    call.cancel = c->cancel;
    c->st = c->course->detached
                ? sbx_router_provision_detached(w->router, &w->req, &w->how, &call, w->locator, NULL, &w->err)
                : sbx_router_provision(w->router, &w->req, &w->how, &call, w->locator, NULL, &w->err);
}

static void creation_run(struct creation *c) {
    T_STATUS(sbx_sim_spawn(c->w->sim, provision_it, c), SBX_OK);
    if (c->course->cancels_at_ms) T_STATUS(sbx_sim_spawn(c->w->sim, cancel_it, c), SBX_OK);
    T_STATUS(sbx_sim_run(c->w->sim), SBX_OK);
    sbx_sim_faults_clear(c->w->sim);
    sbx_sim_advance_ms(c->w->sim, 60000); /* what is late comes now */
}

/* @return did the router leave something to the reaper? */
static int creation_check(struct creation *c) {
    struct routed_world *w = c->w;
    struct sbx_reap_result result = SBX_REAP_RESULT_INIT;
    const int given = c->st == SBX_OK, left = (int)sbx_sim_ledger_live(w->sim) - given;
    if (sbx_sim_ledger_made(w->sim) > 1 && !c->course->yes) say(c, "made twice");
    if (!given && w->err.cleanup != SBX_CLEANUP_UNCONFIRMED && left) say(c, "said to be clean");
    T_STATUS(sbx_router_reap(c->reaper, NULL, NULL, &result, NULL), SBX_OK);
    if (result.open) say(c, "open");
    if (sbx_sim_ledger_live(w->sim) != given) say(c, "left over");
    if (given) T_STATUS(sbx_router_destroy(w->router, w->locator, NULL, NULL), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w->sim), 0);
    return left;
}

static int create_with(const char *pool, const struct fault *fault, const struct course *course) {
    struct creation c = {.pool = pool, .fault = fault, .course = course};
    creation_open(&c);
    creation_run(&c);
    const int left = creation_check(&c);
    sbx_cancel_free(c.cancel);
    sbx_router_free(c.reaper);
    sbx_router_free(c.w->router);
    c.w->router = NULL;
    if (course->store_fails) sbx_store_free(c.w->opt.store);
    routed_world_free(c.w);
    return left;
}

/* @return how often something was left to the reaper */
static int every_fault(const char *pool, const struct course *course) {
    int left = 0;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) left += create_with(pool, &faults[i], course);
    return left;
}

static void every_other_course(const char *pool) {
    int left = 0;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!others[i].detached || pool[0] == 'd') left += every_fault(pool, &others[i]);
    printf("%s: %d sandboxes were left to the reaper\n", pool, left);
    T_TRUE(left > 10);
}

static void daytona_deleted(void) {
    every_fault("day-1", &deleted);
}
static void daytona_adopted(void) {
    every_fault("day-1", &adopted);
}
static void daytona_given_up_early(void) {
    every_fault("day-1", &early);
}
static void daytona_otherwise(void) {
    every_other_course("day-1");
}
static void e2b_deleted(void) {
    every_fault("e2b", &deleted);
}
static void e2b_adopted(void) {
    every_fault("e2b", &adopted);
}
static void e2b_given_up_early(void) {
    every_fault("e2b", &early);
}
static void e2b_otherwise(void) {
    every_other_course("e2b");
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

T_CASES(T_CASE(daytona_deleted), T_CASE(daytona_adopted), T_CASE(daytona_given_up_early), T_CASE(daytona_otherwise),
        T_CASE(e2b_deleted), T_CASE(e2b_adopted), T_CASE(e2b_given_up_early), T_CASE(e2b_otherwise),
        T_CASE(f142_a_lost_create_is_looked_up), T_CASE(f145_made_and_never_ready),
        T_CASE(a_replaced_sandbox_is_stored))
