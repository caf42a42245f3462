/* A create on E2B, broken at each phase in each way: what is said of it is true. Rows P9, P11, P12. */
#include "e2b_world.h"

#include <stdio.h>

static const char *const phases[] = {"before", "before_commit", "after_commit", "mid_reply", "after"};

struct effect {
    const char *kind;
    const char *json;
    const char *not_in; /* phases that it cannot happen in: the answer has begun, or is whole; a refusal made nothing */
    int may_refuse;
};

static const struct effect effects[] = {
    {"400", "{'kind':'status','status':400}", "after_commit mid_reply after", 1},
    {"401", "{'kind':'status','status':401}", "after_commit mid_reply after", 1},
    {"429", "{'kind':'status','status':429}", "after_commit mid_reply after", 1},
    {"slots", "{'kind':'concurrency'}", "before_commit after_commit mid_reply after", 1},
    {"500", "{'kind':'status','status':500}", "mid_reply after", 0},
    {"503", "{'kind':'status','status':503}", "after_commit mid_reply after", 1},
    {"504", "{'kind':'html','status':504}", "mid_reply after", 0},
    {"502", "{'kind':'html','status':502}", "mid_reply after", 0},
    {"reset", "{'kind':'reset'}", "after", 0},
    {"close", "{'kind':'close'}", "after", 0},
    {"hang", "{'kind':'hang'}", "after", 0},
    {"late", "{'kind':'late','delay_ms':20000}", "after", 0},
    {"cut", "{'kind':'cut','at_bytes':40}", "after", 0},
    {"lost", "{'kind':'lost'}", "before before_commit mid_reply", 0},
    {"no id", "{'kind':'mutate','path':'$.sandboxID'}", "before before_commit after_commit after", 0},
    {"another id", "{'kind':'mutate','path':'$.sandboxID','value':7}", "before before_commit after_commit after", 0},
};

static int has_word(const char *words, const char *word) {
    size_t len = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += len)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len])) return 1;
    return 0;
}

/* What the caller does about a launch that could not be cleaned up. */
static void reconciles(struct world *w, const char *acquisition, const char *what) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    opt.acquisition = acquisition;
    T_STATUS(sbx_runtime_reconcile(w->rt, &opt, NULL, &verdict, &list, NULL), SBX_OK);
    if (verdict == SBX_RECONCILE_UNDECIDED) T_FAIL("%s: undecided\n%s", what, sbx_sim_timeline(w->sim));
    for (size_t i = 0; i < sbx_list_count(list); i++) {
        struct sbx_sandbox *sb = NULL;
        T_STATUS(sbx_runtime_attach(w->rt, sbx_info_id(sbx_list_at(list, i)), NULL, &sb, NULL), SBX_OK);
        sbx_sandbox_adopt(sb);
        T_STATUS(sbx_sandbox_destroy(sb, NULL, NULL), SBX_OK);
        sbx_sandbox_free(sb);
    }
    sbx_list_free(list);
}

static void what_is_said_is_true(struct world *w, enum sbx_status st, const struct effect *effect, const char *what) {
    int64_t made = sbx_sim_ledger_made(w->sim), live = sbx_sim_ledger_live(w->sim);
    if (w->sb || w->err.outcome == SBX_OUTCOME_NONE || (w->err.outcome == SBX_OUTCOME_REFUSED && !effect->may_refuse))
        T_FAIL("%s: %s, outcome %s", what, sbx_status_name((int32_t)st), sbx_outcome_name(w->err.outcome));
    if (made && (w->err.outcome == SBX_OUTCOME_REFUSED || w->err.outcome == SBX_OUTCOME_NOT_SENT))
        T_FAIL("%s: made, and outcome %s", what, sbx_outcome_name(w->err.outcome));
    if (!made && w->err.outcome == SBX_OUTCOME_DONE) T_FAIL("%s: done, and not made", what);
    if (live && w->err.cleanup != SBX_CLEANUP_UNCONFIRMED) T_FAIL("%s: lives, and is said to be gone", what);
}

static void launch_with(const char *phase, const struct effect *effect, int64_t deadline_ms) {
    struct world w = world_new(SEED);
    struct sbx_call call;
    char fault[256], what[96];
    snprintf(what, sizeof(what), "%s %s within %lld ms", phase, effect->kind, (long long)deadline_ms);
    snprintf(fault, sizeof(fault), "{'op':'e2b.sandbox.create','phase':'%s','effect':%s}", phase, effect->json);
    const int64_t rule = world_fault(&w, fault);
    sbx_call_init_after(&call, sizeof(call), w.env, deadline_ms);
    enum sbx_status st = sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err);
    if (sbx_sim_fault_hits(w.sim, rule) != 1) T_FAIL("%s: the fault did not happen", what);
    if (st == SBX_OK) {
        if (!w.sb || sbx_sim_ledger_live(w.sim) != 1) T_FAIL("%s: launched, and not one is live", what);
        T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    } else {
        what_is_said_is_true(&w, st, effect, what);
        if (w.err.cleanup == SBX_CLEANUP_UNCONFIRMED) reconciles(&w, w.err.acquisition, what);
    }
    sbx_sim_advance_ms(w.sim, 120000); /* what is late comes now */
    if (sbx_sim_ledger_live(w.sim) != 0) T_FAIL("%s: a sandbox nobody knows of\n%s", what, sbx_sim_timeline(w.sim));
    T_TRUE(sbx_sim_ledger_made(w.sim) <= 1);
    world_finish(&w);
}

static void every_phase(int64_t deadline_ms) {
    int ran = 0;
    for (size_t p = 0; p < sizeof(phases) / sizeof(phases[0]); p++)
        for (size_t e = 0; e < sizeof(effects) / sizeof(effects[0]); e++) {
            if (has_word(effects[e].not_in, phases[p])) continue;
            launch_with(phases[p], &effects[e], deadline_ms);
            ran++;
        }
    T_EQ(ran, 42);
}

static void answered_in_time(void) {
    every_phase(60000);
}

static void given_up_early(void) {
    every_phase(5000);
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

T_CASES(T_CASE(answered_in_time), T_CASE(given_up_early), T_CASE(e2b8_06_a_lost_answer_leaves_nothing),
        T_CASE(f038_a_create_that_hangs), T_CASE(f040_a_step_after_the_create_fails), T_CASE(reconciled))
