/* A create on E2B, broken at each phase in each way: what is said of it is true. Rows P9, P11, P12. */
#include "e2b_world.h"

#include <stdio.h>

static const char *const phases[] = {"before", "before_commit", "after_commit", "mid_reply"};
static const char *const effects[] = {
    "'kind':'status','status':400",
    "'kind':'status','status':401",
    "'kind':'status','status':429",
    "'kind':'status','status':500",
    "'kind':'status','status':503",
    "'kind':'html','status':502",
    "'kind':'html','status':504",
    "'kind':'reset'",
    "'kind':'close'",
    "'kind':'hang'",
    "'kind':'cut','at_bytes':10",
    "'kind':'redirect'",
    "'kind':'concurrency'",
    "'kind':'mutate','path':'$.sandboxID'",
    "'kind':'mutate','path':'$.sandboxID','value':7",
};

static void said_is_true(const char *phase, const char *effect) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    char fault[300], why[256], json[300];
    size_t n = 0;
    snprintf(fault, sizeof(fault), "{'op':'e2b.sandbox.create','phase':'%s','times':1,'effect':{%s}}", phase, effect);
    for (const char *c = fault; *c; c++) json[n++] = *c == '\'' ? '"' : *c;
    if (!sbx_sim_fault_json(w.sim, json, n, why, sizeof(why))) { /* not every effect is for every phase */
        world_finish(&w);
        return;
    }
    sbx_call_init_after(&call, sizeof(call), w.env, 120000);
    enum sbx_status st = sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err);
    int64_t made = sbx_sim_ledger_made(w.sim), live = sbx_sim_ledger_live(w.sim);
    if (made > 1) T_FAIL("%s: made %d sandboxes", fault, (int)made);
    if (st == SBX_OK) {
        if (live != 1) T_FAIL("%s: launched, and %d live", fault, (int)live);
    } else {
        if (w.err.outcome == SBX_OUTCOME_NOT_SENT && made) T_FAIL("%s: not sent, and made", fault);
        if (w.err.outcome == SBX_OUTCOME_REFUSED && made) T_FAIL("%s: refused, and made", fault);
        if (w.err.outcome == SBX_OUTCOME_DONE && !made) T_FAIL("%s: done, and not made", fault);
        if (live && w.err.cleanup != SBX_CLEANUP_UNCONFIRMED) T_FAIL("%s: lives, and is said to be gone", fault);
    }
    world_finish(&w);
}

static void every_phase_and_effect(void) {
    for (size_t p = 0; p < sizeof(phases) / sizeof(phases[0]); p++)
        for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) said_is_true(phases[p], effects[i]);
}

/* Digest 8, 6: the answer is lost behind the commit, and what was made is found and deleted. F038. */
static void e2b8_06_a_lost_answer_leaves_nothing(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'e2b.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_CONNECTION_LOST);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

/* F038: it never answers; bounded, not repeated, looked for and deleted. */
static void f038_a_create_that_hangs(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    world_fault(&w, "{'op':'e2b.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'hang'}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 20000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    world_finish(&w);
}

/* F040: a first command that never comes to run. */
static void f040_a_step_after_the_create_fails(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'e2b.process.start','phase':'before','effect':{'kind':'status','status':500}}");
    enum sbx_status st = sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err);
    T_TRUE(st != SBX_OK);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

/* What could not be cleaned up is found by reconcile. */
static void reconciled(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = -1;
    world_fault(&w, "{'op':'e2b.sandbox.create','phase':'after_commit','times':1,'effect':{'kind':'reset'}}");
    call.cleanup_ms = SBX_NO_CLEANUP;
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_CONNECTION_LOST);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    opt.acquisition = w.err.acquisition;
    char acquisition[SBX_ACQUISITION_SIZE];
    strcpy(acquisition, w.err.acquisition);
    opt.acquisition = acquisition;
    T_STATUS(sbx_runtime_reconcile(w.rt, &opt, NULL, &verdict, &list, &w.err), SBX_OK);
    T_EQ(verdict, SBX_RECONCILE_FOUND);
    T_EQ(sbx_list_count(list), 1);
    T_STATUS(sbx_runtime_attach(w.rt, sbx_info_id(sbx_list_at(list, 0)), NULL, &w.sb, &w.err), SBX_OK);
    sbx_list_free(list);
    sbx_sandbox_adopt(w.sb);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_reconcile(w.rt, &opt, NULL, &verdict, NULL, &w.err), SBX_OK);
    T_EQ(verdict, SBX_RECONCILE_ABSENT);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

T_CASES(T_CASE(every_phase_and_effect), T_CASE(e2b8_06_a_lost_answer_leaves_nothing), T_CASE(f038_a_create_that_hangs),
        T_CASE(f040_a_step_after_the_create_fails), T_CASE(reconciled))
