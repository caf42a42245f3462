/* A create on E2B, broken at each phase in each way, by both generations of the API: what is said of it is what the
 * table says and the ledger knows, and nothing is left that nobody knows of. Rows E1, P9, P11, P12. */
#include "e2b_world.h"

#include <stdio.h>

static const char *const phases[] = {"before", "before_commit", "after_commit", "mid_reply", "after"};

/* What comes of it at each phase: L launched; R REFUSED, and nothing was made; U UNKNOWN, and nothing is found; D DONE:
 * it was made, and is deleted; - cannot happen there: the answer has begun, or is whole, or a documented refusal would
 * have made something. */
struct effect {
    const char *kind;
    const char *json;
    enum sbx_status status; /* of what is not launched */
    const char *in_time;
    const char *early; /* within 5 s; NULL = the same */
};

#define STATUS(number, st, row)                                                                                        \
    { #number, "{'kind':'status','status':" #number "}", (st), (row), NULL }

static const struct effect effects[] = {
    STATUS(200, SBX_PROTOCOL, "UUD--"),
    STATUS(204, SBX_PROTOCOL, "UUD--"),
    STATUS(400, SBX_PROVIDER, "UUD--"), /* in other words than those that are known to refuse */
    STATUS(401, SBX_UNAUTHORISED, "RR---"),
    STATUS(403, SBX_FORBIDDEN, "RR---"),
    STATUS(404, SBX_PROTOCOL, "RR---"),
    STATUS(408, SBX_PROVIDER, "UUD--"),
    STATUS(409, SBX_PROVIDER, "UUD--"),
    STATUS(422, SBX_PROVIDER, "UUD--"),
    STATUS(429, SBX_RATE_LIMITED, "RR---"),
    STATUS(500, SBX_PROVIDER, "UUD--"),
    STATUS(503, SBX_NO_CAPACITY, "RR---"),
    {"slots", "{'kind':'concurrency'}", SBX_QUOTA, "R----", NULL},
    {"html 200", "{'kind':'html','status':200}", SBX_PROTOCOL, "UUD--", NULL},
    {"html 403", "{'kind':'html','status':403}", SBX_FORBIDDEN, "UUD--", NULL},
    {"html 502", "{'kind':'html','status':502}", SBX_PROVIDER, "UUD--", NULL},
    {"html 504", "{'kind':'html','status':504}", SBX_PROVIDER, "UUD--", NULL},
    {"redirect", "{'kind':'redirect'}", SBX_PROTOCOL, "DDD--", NULL},
    {"reset", "{'kind':'reset'}", SBX_CONNECTION_LOST, "UUDD-", NULL},
    {"close", "{'kind':'close'}", SBX_CONNECTION_LOST, "UUDD-", NULL},
    {"hang", "{'kind':'hang'}", SBX_DEADLINE, "UUDD-", NULL},
    {"late", "{'kind':'late','delay_ms':20000}", SBX_DEADLINE, "LLLL-", "DDDD-"},
    {"slow", "{'kind':'slow','delay_ms':100}", SBX_OK, "LLLL-", NULL},
    {"cut", "{'kind':'cut','at_bytes':40}", SBX_CONNECTION_LOST, "DDDD-", NULL},
    {"no id", "{'kind':'mutate','path':'$.sandboxID'}", SBX_PROTOCOL, "---D-", NULL},
    {"another id", "{'kind':'mutate','path':'$.sandboxID','value':7}", SBX_PROTOCOL, "---D-", NULL},
    {"held", "{'kind':'state','state':'pausing','delay_ms':2000}", SBX_OK, "--L-L", NULL},
    {"another token", "{'kind':'rotate_token'}", SBX_UNAUTHORISED, "--L-D", NULL},
    {"over", "{'kind':'expire'}", SBX_NOT_READY, "--D-D", NULL},
    {"lost before it ran", "{'kind':'lost'}", SBX_PROVIDER, "--U--", NULL},
    {"lost", "{'kind':'lost'}", SBX_NOT_READY, "----D", NULL},
};

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

/* The ledger knows what is true. */
static void is_as_expected(struct world *w, enum sbx_status st, const struct effect *effect, char expected,
                           const char *what) {
    static const struct {
        char letter;
        int32_t outcome;
        int may_have_made, must_have_made;
    } meanings[] = {{'R', SBX_OUTCOME_REFUSED, 0, 0}, {'U', SBX_OUTCOME_UNKNOWN, 1, 0}, {'D', SBX_OUTCOME_DONE, 1, 1}};
    const int64_t made = sbx_sim_ledger_made(w->sim), live = sbx_sim_ledger_live(w->sim);
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].letter != expected) continue;
        if (st != effect->status || w->err.outcome != meanings[i].outcome)
            T_FAIL("%s: %s, outcome %s", what, sbx_status_name((int32_t)st), sbx_outcome_name(w->err.outcome));
        if (made < meanings[i].must_have_made || made > meanings[i].may_have_made)
            T_FAIL("%s: %s, and %d were made", what, sbx_outcome_name(w->err.outcome), (int)made);
        if (w->sb || live) T_FAIL("%s: it lives\n%s", what, sbx_sim_timeline(w->sim));
        T_EQ(w->err.cleanup, expected == 'R'   ? SBX_CLEANUP_NONE
                             : expected == 'U' ? SBX_CLEANUP_UNCONFIRMED
                                               : SBX_CLEANUP_CONFIRMED);
        return;
    }
    if (expected != 'L' || st != SBX_OK || !w->sb || live != 1)
        T_FAIL("%s: %s, expected %c", what, sbx_status_name((int32_t)st), expected);
}

static const char *path_of(int32_t api) {
    return api == SBX_E2B_API_V1 ? "'target':'/sandboxes'" : "'target':'/v2/sandboxes'";
}

static void launch_with(int32_t api, size_t phase, const struct effect *effect, int64_t deadline_ms, char expected) {
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    opt.api = api;
    struct world w = world_new_with(SEED, NULL, &opt);
    struct sbx_call call;
    char fault[256], what[96];
    snprintf(what, sizeof(what), "v%d %s %s within %lld ms", (int)api, phases[phase], effect->kind,
             (long long)deadline_ms);
    snprintf(fault, sizeof(fault), "{'op':'e2b.sandbox.create','phase':'%s','effect':%s}", phases[phase], effect->json);
    const int64_t rule = world_fault(&w, fault);
    sbx_call_init_after(&call, sizeof(call), w.env, deadline_ms);
    enum sbx_status st = sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err);
    if (sbx_sim_fault_hits(w.sim, rule) != 1) T_FAIL("%s: the fault did not happen", what);
    is_as_expected(&w, st, effect, expected, what);
    if (st == SBX_OK)
        T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    else if (w.err.cleanup == SBX_CLEANUP_UNCONFIRMED)
        reconciles(&w, w.err.acquisition, what);
    sbx_sim_advance_ms(w.sim, 120000); /* what is late comes now */
    if (sbx_sim_ledger_live(w.sim) != 0) T_FAIL("%s: a sandbox nobody knows of\n%s", what, sbx_sim_timeline(w.sim));
    T_EQ(world_journalled(&w, "e2b.sandbox.create", ""), 1); /* never sent again */
    T_EQ(world_journalled(&w, "e2b.sandbox.create", path_of(api)), 1);
    world_finish(&w);
}

static void every_phase(int32_t api, int64_t deadline_ms) {
    int ran = 0;
    for (size_t e = 0; e < sizeof(effects) / sizeof(effects[0]); e++) {
        const struct effect *effect = &effects[e];
        const char *row = deadline_ms < 20000 && effect->early ? effect->early : effect->in_time;
        for (size_t p = 0; p < sizeof(phases) / sizeof(phases[0]); p++) {
            if (row[p] == '-') continue;
            launch_with(api, p, effect, deadline_ms, row[p]);
            ran++;
        }
    }
    T_EQ(ran, 81);
}

static void v1_answered_in_time(void) {
    every_phase(SBX_E2B_API_V1, 60000);
}
static void v1_given_up_early(void) {
    every_phase(SBX_E2B_API_V1, 5000);
}
static void v2_answered_in_time(void) {
    every_phase(SBX_E2B_API_V2, 60000);
}
static void v2_given_up_early(void) {
    every_phase(SBX_E2B_API_V2, 5000);
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

T_CASES(T_CASE(v1_answered_in_time), T_CASE(v1_given_up_early), T_CASE(v2_answered_in_time), T_CASE(v2_given_up_early),
        T_CASE(e2b8_06_a_lost_answer_leaves_nothing), T_CASE(f038_a_create_that_hangs),
        T_CASE(f040_a_step_after_the_create_fails), T_CASE(reconciled))
