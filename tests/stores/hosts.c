/* Two hosts with one database, one of them stopped for longer than a lease at any of its steps, and continued: no
 * sandbox in use is deleted, none is left, and the clock of neither matters. Rows R21, R22. */
#include "keeper.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

enum { PROVISIONS = 2, FAR_AHEAD_MS = 1000000000 };

/* ---- the host that is stopped ---- */

enum word { ACKNOWLEDGED, FAILED, STEPS };

static struct sbx_env *here;
static int64_t steps_left; /* until it is stopped; of one that is let run: below 0, counting what it did */

static void step(void) {
    if (--steps_left == 0) distant_stop(here);
}

static const char *const pools[PROVISIONS] = {"day-1", "e2b"};

static int use(struct keeper *own, const char *locator) {
    struct sbx_exec_result *said = NULL;
    struct sbx_call call = SBX_CALL_INIT;
    call.deadline_ms = SBX_NO_DEADLINE; /* it may be stopped while the command runs */
    const enum sbx_status st = sbx_router_exec(own->router, locator, "echo used", NULL, &call, &said, NULL);
    sbx_exec_result_free(said);
    return st == SBX_OK;
}

static int provision_and_use(struct sbx_env *env, void *arg) {
    char locators[PROVISIONS][SBX_LOCATOR_SIZE];
    int has[PROVISIONS];
    here = env;
    struct keeper own = keeper_again(arg, env, distant_calm(env));
    for (int i = 0; i < PROVISIONS; i++) {
        has[i] = keeper_provision(own.router, pools[i], locators[i]) == SBX_OK;
        distant_tell(env, has[i] ? ACKNOWLEDGED : FAILED, i, has[i] ? locators[i] : "");
    }
    for (int i = 0; i < PROVISIONS; i++)
        if (has[i] && !use(&own, locators[i])) return 5;
    distant_tell(env, STEPS, (int32_t)-steps_left, "");
    keeper_finish(&own);
    return 0;
}

static int reap(struct sbx_env *env, void *arg) {
    struct sbx_reap_options opt = SBX_REAP_OPTIONS_INIT;
    here = env;
    opt.lease_ms = KEEPER_LEASE_MS;
    struct keeper own = keeper_again(arg, env, distant_calm(env));
    if (sbx_router_reap(own.router, &opt, NULL, NULL, NULL)) return 5;
    distant_tell(env, STEPS, (int32_t)-steps_left, "");
    keeper_finish(&own);
    return 0;
}

/* ---- the other host ---- */

struct told {
    char locators[PROVISIONS][SBX_LOCATOR_SIZE];
    int failed;
    int was_stopped;
    int32_t steps;
};

static void in_use_is_there(struct keeper *k, const struct told *told, int64_t at) {
    struct sbx_description d = SBX_DESCRIPTION_INIT;
    struct sbx_info *info = NULL;
    for (int i = 0; i < PROVISIONS; i++) {
        if (!told->locators[i][0]) continue;
        if (sbx_router_describe(k->router, told->locators[i], NULL, &d, &info, NULL))
            T_FAIL("stopped at step %lld: %s is deleted\n%s", (long long)at, d.sandbox_id, sbx_sim_timeline(k->sim));
        T_EQ(sbx_info_state(info), SBX_STATE_RUNNING);
        sbx_info_free(info);
    }
}

/* @return launches that the other host took over */
static int beside(struct keeper *k, int64_t at, int (*life)(struct sbx_env *env, void *arg), struct told *told) {
    struct distant d;
    struct distant_word word;
    enum distant_event event;
    int taken = 0;
    steps_left = at;
    distant_start(&d, k->env, at % 2 ? FAR_AHEAD_MS : 0, step, life, k);
    while ((event = distant_serve(&d, &word)) != DISTANT_ENDED) {
        if (event == DISTANT_TOLD && word.what == ACKNOWLEDGED)
            memcpy(told->locators[word.number], word.text, sizeof(told->locators[word.number]));
        if (event == DISTANT_TOLD && word.what == STEPS && at == 0) told->steps = word.number;
        told->failed += event == DISTANT_TOLD && word.what == FAILED;
        if (event != DISTANT_STOPPED) continue;
        told->was_stopped = 1;
        taken += keeper_reap(k);
        in_use_is_there(k, told, at);
        distant_continue(&d);
    }
    if (!WIFEXITED(d.status) || WEXITSTATUS(d.status) != 0)
        T_FAIL("stopped at step %lld it ended with %x\n%s", (long long)at, (unsigned)d.status,
               sbx_sim_timeline(k->sim));
    return taken;
}

static void a_host_that_provisions_is_stopped(void) {
    struct keeper k;
    struct told whole = {0};
    int taken = 0, failed = 0, mapped = 0;
    keeper_open(&k);
    T_EQ(beside(&k, 0, provision_and_use, &whole), 0);
    T_EQ(keeper_account(&k, 0), PROVISIONS);
    for (int64_t at = 1; at <= whole.steps; at++) {
        struct told told = {0};
        sbx_sim_timeline_reset(k.sim);
        taken += beside(&k, at, provision_and_use, &told);
        T_EQ(told.was_stopped, 1);
        in_use_is_there(&k, &told, at);
        keeper_reap(&k);
        const int there = keeper_account(&k, at);
        T_EQ(there, PROVISIONS - told.failed);
        failed += told.failed;
        mapped += there;
    }
    printf("stopped at each of %d steps: %d launches taken over, %d provisions failed, %d did not\n", (int)whole.steps,
           taken, failed, mapped);
    T_TRUE(taken > 0 && failed > 0 && mapped > whole.steps);
    keeper_close(&k);
}

/* A sandbox that nobody has, by a router that has gone away: the answer of its create was lost, and it could not be
 * found, or not deleted. */
static void leave_one(struct keeper *k, int found) {
    static const char *const ops[] = {"daytona.sandbox.list", "daytona.sandbox.get", "daytona.sandbox.delete"};
    struct sbx_fault fault = {.op = "daytona.sandbox.create", .phase = "after_commit", .effect = {.kind = "reset"}};
    char locator[SBX_LOCATOR_SIZE];
    struct keeper gone = keeper_again(k, k->env, k->env);
    T_TRUE(sbx_sim_fault(k->sim, &fault) > 0);
    fault.phase = "before";
    fault.effect = (struct sbx_fault_effect){.kind = "status", .status = 500};
    for (int i = found ? 2 : 0; i < 3; i++) {
        fault.op = ops[i];
        T_TRUE(sbx_sim_fault(k->sim, &fault) > 0);
    }
    T_STATUS(keeper_provision(gone.router, "day-1", locator), SBX_PROVIDER_PROVISIONING);
    sbx_sim_faults_clear(k->sim);
    keeper_finish(&gone);
}

static void reaper_stopped(int found) {
    struct keeper k;
    struct told told = {0};
    int taken = 0;
    keeper_open(&k);
    T_STATUS(keeper_provision(k.router, "day-2", told.locators[0]), SBX_OK);
    for (int64_t at = 0; at <= told.steps; at += at ? 3 : 1 + found) { /* each third: a commit takes its time */
        leave_one(&k, found);
        T_EQ(sbx_sim_ledger_live(k.sim), 2);
        sbx_sim_timeline_reset(k.sim);
        taken += beside(&k, at, reap, &told);
        T_EQ(told.was_stopped, at > 0);
        T_EQ(keeper_reap(&k), 0);
        in_use_is_there(&k, &told, at);
        T_EQ(sbx_sim_ledger_live(k.sim), 1);
    }
    printf("stopped at each third of %d steps: %d launches taken over\n", (int)told.steps, taken);
    T_TRUE(taken > told.steps / 6);
    T_EQ(keeper_account(&k, 0), 1);
    keeper_close(&k);
}

static void a_host_that_reaps_is_stopped(void) {
    reaper_stopped(1);
    reaper_stopped(0);
}

T_CASES(T_CASE(a_host_that_provisions_is_stopped), T_CASE(a_host_that_reaps_is_stopped))
