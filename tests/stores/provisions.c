/* kill -9 at any step of a process that provisions by a router: each locator that it was given leads to a sandbox, and
 * another process's reaping accounts for every sandbox that exists. Rows R21, R22. */
#include "keeper.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

enum { PROVISIONS = 3, KILLS = 64 };

/* ---- the process that is killed ---- */

enum word { BEGUN, ACKNOWLEDGED, FAILED, GOING, GONE, STEPS };

static int64_t steps_left; /* until it is killed; of a process that is let run: below 0, counting what it did */

static void step(void) {
    if (--steps_left == 0) raise(SIGKILL);
}

static const char *const pools[PROVISIONS] = {"day-1", "e2b", "day-1"};

/* The last is destroyed again by whoever made it. */
static int life(struct sbx_env *env, void *arg) {
    char locator[SBX_LOCATOR_SIZE];
    store_face_steps(step);
    struct keeper own = keeper_again(arg, env, env);
    for (int i = 0; i < PROVISIONS; i++) {
        distant_tell(env, BEGUN, i, "");
        const enum sbx_status st = keeper_provision(own.router, pools[i], locator);
        distant_tell(env, st ? FAILED : ACKNOWLEDGED, i, st ? "" : locator);
        if (st || i < PROVISIONS - 1) continue;
        distant_tell(env, GOING, i, "");
        if (sbx_router_destroy(own.router, locator, NULL, NULL)) return 5;
        distant_tell(env, GONE, i, "");
    }
    distant_tell(env, STEPS, (int32_t)-steps_left, "");
    keeper_finish(&own);
    return 0;
}

/* ---- what is there afterwards ---- */

struct told {
    char locators[PROVISIONS][SBX_LOCATOR_SIZE]; /* "" for one that nobody was given, or that may be gone */
    int begun;
    int failed;
    int32_t steps;
};

static void hear(struct told *told, const struct distant_word *word) {
    if (word->what == BEGUN) told->begun++;
    if (word->what == FAILED) told->failed++;
    if (word->what == ACKNOWLEDGED)
        memcpy(told->locators[word->number], word->text, sizeof(told->locators[word->number]));
    if (word->what == GOING) told->locators[word->number][0] = 0;
    if (word->what == STEPS) told->steps = word->number;
}

static struct told run_until(struct keeper *k, int64_t at) {
    struct told told = {0};
    struct distant d;
    struct distant_word word;
    steps_left = at;
    distant_start(&d, k->env, 1000000, step, life, k);
    while (distant_serve(&d, &word) == DISTANT_TOLD) hear(&told, &word);
    if (!(WIFEXITED(d.status) && WEXITSTATUS(d.status) == 0) &&
        !(WIFSIGNALED(d.status) && WTERMSIG(d.status) == SIGKILL))
        T_FAIL("killed at step %lld it ended with %x", (long long)at, (unsigned)d.status);
    store_face_settle(&k->face);
    return told;
}

static void acknowledged_is_mapped(struct keeper *k, const struct told *told, int64_t at) {
    struct sbx_description d = SBX_DESCRIPTION_INIT;
    for (int i = 0; i < PROVISIONS; i++) {
        if (!told->locators[i][0]) continue;
        if (sbx_router_describe(k->router, told->locators[i], NULL, &d, NULL, NULL))
            T_FAIL("step %lld: %s is lost", (long long)at, told->locators[i]);
        T_STR(d.pool_id, pools[i]);
    }
}

/* The seed is all that a run depends on. */
static uint64_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* In each second life the answer of a create is lost besides: what follows can be killed as well. */
static void lose_an_answer(struct keeper *k, int round) {
    static const struct sbx_fault fault = {
        .op = "daytona.sandbox.create", .phase = "after_commit", .nth = 2, .times = 1, .effect = {.kind = "reset"}};
    sbx_sim_faults_clear(k->sim);
    if (round % 2) T_TRUE(sbx_sim_fault(k->sim, &fault) > 0);
}

static void killed(uint64_t seed) {
    struct keeper k;
    int cut = 0, unfinished = 0, orphans = 0, mapped = 0;
    int64_t steps[2];
    keeper_open(&k);
    for (int i = 0; i < 2; i++) {
        lose_an_answer(&k, i);
        const struct told whole = run_until(&k, 0);
        T_EQ(whole.begun, PROVISIONS);
        T_EQ(whole.failed, i);
        T_TRUE(whole.steps > 100);
        steps[i] = whole.steps;
        T_EQ(keeper_reap(&k), 0);
        T_EQ(keeper_account(&k, 0), PROVISIONS - 1);
    }
    for (int i = 0; i < KILLS; i++) {
        const int64_t at = 1 + (int64_t)(draw(&seed) % (uint64_t)steps[i % 2]);
        lose_an_answer(&k, i);
        const struct told told = run_until(&k, at);
        const int there = (int)sbx_sim_ledger_live(k.sim);
        acknowledged_is_mapped(&k, &told, at);
        cut += told.begun < PROVISIONS;
        unfinished += keeper_reap(&k);
        acknowledged_is_mapped(&k, &told, at);
        orphans += there - (int)sbx_sim_ledger_live(k.sim);
        mapped += keeper_account(&k, at);
    }
    printf("%d kills among %lld and %lld steps: %d before the last provision; %d launches unfinished, %d sandboxes to "
           "reap, %d mapped\n",
           KILLS, (long long)steps[0], (long long)steps[1], cut, unfinished, orphans, mapped);
    T_TRUE(cut > KILLS / 4 && unfinished > KILLS / 4 && orphans > KILLS / 10 && mapped > KILLS / 4);
    keeper_close(&k);
}

static void killed_by_seed_1(void) {
    killed(1);
}
static void killed_by_seed_2(void) {
    killed(2);
}
static void killed_by_seed_3(void) {
    killed(3);
}
static void killed_by_seed_4(void) {
    killed(4);
}

T_CASES(T_CASE(killed_by_seed_1), T_CASE(killed_by_seed_2), T_CASE(killed_by_seed_3), T_CASE(killed_by_seed_4))
