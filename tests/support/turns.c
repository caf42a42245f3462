/* Callers that take turns over a simulated cloud. */
#include "turns.h"

#include "t.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>

enum stand { BUSY, WAITING, GONE };

struct caller {
    struct sbx_env env; /* first */
    struct turns *turns;
    enum stand stand;
    struct sbx_event *go; /* while it waits */
    void (*run)(void *arg);
    void *arg;
};

struct turns {
    struct sbx_sim *sim;
    struct sbx_env *inner;
    struct turns_order *order;
    struct caller callers[TURNS_CALLERS];
    struct turn taken[TURNS_MAX];
    int count;
};

int turns_order_next(struct turns_order *order) {
    int last = order->decided - 1;
    while (last >= 0 && order->choice[last]) last--;
    if (last < 0) return 0;
    order->choice[last] = 1;
    order->planned = last + 1;
    order->decided = 0;
    return 1;
}

/* ---- whose turn it is ---- */

static int choose(struct turns *t) {
    struct turns_order *o = t->order;
    if (t->callers[0].stand != WAITING) return 1;
    if (t->callers[1].stand != WAITING) return 0;
    if (o->decided >= TURNS_MAX) T_FAIL("more than %d choices", TURNS_MAX);
    if (o->decided >= o->planned) o->choice[o->decided] = 0;
    return o->choice[o->decided++];
}

static void give_turn(struct turns *t) {
    for (int i = 0; i < TURNS_CALLERS; i++)
        if (t->callers[i].stand == BUSY) return;
    const int next = choose(t);
    if (t->callers[next].stand == GONE) return;
    t->callers[next].stand = BUSY;
    t->inner->event_set(t->inner, t->callers[next].go);
}

static void wait_for_turn(struct caller *c) {
    struct sbx_env *inner = c->turns->inner;
    T_EQ(c->stand, BUSY); /* one exchange at a time */
    c->go = inner->event_new(inner);
    T_TRUE(c->go != NULL);
    c->stand = WAITING;
    give_turn(c->turns);
    T_STATUS(inner->event_wait(inner, c->go, SBX_NO_DEADLINE, NULL), SBX_OK);
    inner->event_free(inner, c->go);
    c->go = NULL;
}

static void write_down(struct caller *c, const struct sbx_request *req) {
    struct turns *t = c->turns;
    const char *host = strstr(req->url, "//"), *path = host ? strchr(host + 2, '/') : NULL;
    if (t->count >= TURNS_MAX) T_FAIL("more than %d exchanges", TURNS_MAX);
    struct turn *turn = &t->taken[t->count++];
    turn->caller = (int)(c - t->callers);
    snprintf(turn->request, sizeof(turn->request), "%s %s", req->method, path ? path : "/");
}

/* ---- the env ---- */

static struct caller *caller_of(struct sbx_env *env) {
    return (struct caller *)(void *)env;
}

static struct sbx_env *inner_of(struct sbx_env *env) {
    return caller_of(env)->turns->inner;
}

static enum sbx_evidence turn_exchange(struct sbx_env *env, const struct sbx_request *req,
                                       const struct sbx_receiver *to, struct sbx_exchange_info *info) {
    struct sbx_env *inner = inner_of(env);
    wait_for_turn(caller_of(env));
    write_down(caller_of(env), req);
    return inner->exchange(inner, req, to, info);
}
static void turn_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    struct sbx_env *inner = inner_of(env);
    inner->run_all(inner, tasks, n, width);
}
static int64_t turn_now_ms(struct sbx_env *env) {
    struct sbx_env *inner = inner_of(env);
    return inner->now_ms(inner);
}
static int64_t turn_wall_ms(struct sbx_env *env) {
    struct sbx_env *inner = inner_of(env);
    return inner->wall_ms(inner);
}
static enum sbx_status turn_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    struct sbx_env *inner = inner_of(env);
    return inner->sleep_until(inner, when_ms, cancel);
}
static enum sbx_status turn_random(struct sbx_env *env, void *buf, size_t len) {
    struct sbx_env *inner = inner_of(env);
    return inner->random(inner, buf, len);
}
static struct sbx_lock *turn_lock_new(struct sbx_env *env) {
    struct sbx_env *inner = inner_of(env);
    return inner->lock_new(inner);
}
static void turn_lock(struct sbx_env *env, struct sbx_lock *lock) {
    struct sbx_env *inner = inner_of(env);
    inner->lock(inner, lock);
}
static void turn_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    struct sbx_env *inner = inner_of(env);
    inner->unlock(inner, lock);
}
static void turn_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    struct sbx_env *inner = inner_of(env);
    inner->lock_free(inner, lock);
}
static struct sbx_event *turn_event_new(struct sbx_env *env) {
    struct sbx_env *inner = inner_of(env);
    return inner->event_new(inner);
}
static void turn_event_set(struct sbx_env *env, struct sbx_event *event) {
    struct sbx_env *inner = inner_of(env);
    inner->event_set(inner, event);
}
static enum sbx_status turn_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                       struct sbx_event *cancel) {
    struct sbx_env *inner = inner_of(env);
    return inner->event_wait(inner, event, deadline_ms, cancel);
}
static void turn_event_free(struct sbx_env *env, struct sbx_event *event) {
    struct sbx_env *inner = inner_of(env);
    inner->event_free(inner, event);
}

/* ---- a run ---- */

struct turns *turns_new(struct sbx_sim *sim, struct turns_order *order) {
    static const struct sbx_env ops = {.size = sizeof(ops),
                                       .exchange = turn_exchange,
                                       .run_all = turn_run_all,
                                       .now_ms = turn_now_ms,
                                       .wall_ms = turn_wall_ms,
                                       .sleep_until = turn_sleep_until,
                                       .random = turn_random,
                                       .lock_new = turn_lock_new,
                                       .lock = turn_lock,
                                       .unlock = turn_unlock,
                                       .lock_free = turn_lock_free,
                                       .event_new = turn_event_new,
                                       .event_set = turn_event_set,
                                       .event_wait = turn_event_wait,
                                       .event_free = turn_event_free};
    struct turns *t = calloc(1, sizeof(*t));
    T_TRUE(t != NULL);
    t->sim = sim;
    t->inner = sbx_sim_env(sim);
    t->order = order;
    order->decided = 0;
    for (int i = 0; i < TURNS_CALLERS; i++) t->callers[i] = (struct caller){.env = ops, .turns = t};
    return t;
}

struct sbx_env *turns_env(struct turns *turns, int caller) {
    return &turns->callers[caller].env;
}

static void caller_main(void *arg) {
    struct caller *c = arg;
    c->run(c->arg);
    c->stand = GONE;
    give_turn(c->turns);
}

void turns_run(struct turns *turns, void (*run)(void *arg), void *args[TURNS_CALLERS]) {
    for (int i = 0; i < TURNS_CALLERS; i++) {
        turns->callers[i].run = run;
        turns->callers[i].arg = args[i];
        T_STATUS(sbx_sim_spawn(turns->sim, caller_main, &turns->callers[i]), SBX_OK);
    }
    T_STATUS(sbx_sim_run(turns->sim), SBX_OK);
}

const struct turn *turns_taken(const struct turns *turns, int *count) {
    *count = turns->count;
    return turns->taken;
}

void turns_free(struct turns *turns) {
    free(turns);
}
