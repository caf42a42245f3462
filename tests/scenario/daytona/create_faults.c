/* Every way in which the answer of a create can go missing, before and after it took effect: whatever becomes of the
 * launch, no sandbox is left that nobody knows of. Rows P9, P12. */
#include "daytona_world.h"

#include <stdio.h>

static const char *const phases[] = {"before", "before_commit", "after_commit", "mid_reply", "after"};

struct effect {
    const char *kind;
    const char *json;
    const char *not_in; /* phases that it cannot happen in: the answer has begun, or is whole */
};

static const struct effect effects[] = {
    {"status", "{'kind':'status','status':500}", "mid_reply after"},
    {"reset", "{'kind':'reset'}", "after"},
    {"close", "{'kind':'close'}", "after"},
    {"hang", "{'kind':'hang'}", "after"},
    {"late", "{'kind':'late','delay_ms':20000}", "after"},
    {"cut", "{'kind':'cut','at_bytes':40}", "after"},
    {"html", "{'kind':'html','status':504}", "mid_reply after"},
    {"dead", "{'kind':'dead_toolbox'}", "before before_commit"},
    {"lost", "{'kind':'lost'}", "before before_commit mid_reply"},
    {"error", "{'kind':'state','state':'error'}", "before before_commit mid_reply"},
};

/* What the caller does about a launch that could not be cleaned up. */
static void reconciled(struct world *w, const char *acquisition, const char *what) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    opt.acquisition = acquisition;
    T_STATUS(sbx_runtime_reconcile(w->rt, &opt, NULL, &verdict, &list, NULL), SBX_OK);
    if (verdict == SBX_RECONCILE_UNDECIDED) T_FAIL("%s: undecided\n%s", what, sbx_sim_timeline(w->sim));
    T_EQ(sbx_list_count(list) > 0, verdict == SBX_RECONCILE_FOUND);
    for (size_t i = 0; i < sbx_list_count(list); i++) {
        struct sbx_sandbox *sb = NULL;
        T_STATUS(sbx_runtime_attach(w->rt, sbx_info_id(sbx_list_at(list, i)), NULL, &sb, NULL), SBX_OK);
        sbx_sandbox_adopt(sb);
        T_STATUS(sbx_sandbox_destroy(sb, NULL, NULL), SBX_OK);
        sbx_sandbox_free(sb);
    }
    sbx_list_free(list);
}

static void launch_with(const char *phase, const struct effect *effect, int64_t deadline_ms) {
    struct world w = world_new(SEED);
    struct sbx_call call;
    char fault[256], what[96];
    snprintf(what, sizeof(what), "%s %s within %lld ms", phase, effect->kind, (long long)deadline_ms);
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.create','phase':'%s','effect':%s}", phase, effect->json);
    const int64_t rule = world_fault(&w, fault);
    sbx_call_init_after(&call, sizeof(call), w.env, deadline_ms);
    enum sbx_status st = sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err);
    if (sbx_sim_fault_hits(w.sim, rule) != 1) T_FAIL("%s: the fault did not happen", what);
    if (st == SBX_OK) {
        if (!w.sb || sbx_sim_ledger_live(w.sim) != 1) T_FAIL("%s: launched, and not one is live", what);
        T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    } else {
        if (w.sb || w.err.outcome == SBX_OUTCOME_REFUSED || w.err.outcome == SBX_OUTCOME_NONE)
            T_FAIL("%s: %s, outcome %s", what, sbx_status_name((int32_t)st), sbx_outcome_name(w.err.outcome));
        if (w.err.cleanup != SBX_CLEANUP_CONFIRMED) reconciled(&w, w.err.acquisition, what);
    }
    sbx_sim_advance_ms(w.sim, 120000); /* what is late comes now */
    if (sbx_sim_ledger_live(w.sim) != 0) T_FAIL("%s: a sandbox nobody knows of\n%s", what, sbx_sim_timeline(w.sim));
    T_TRUE(sbx_sim_ledger_made(w.sim) <= 1);
    world_finish(&w);
}

static int has_word(const char *words, const char *word) {
    size_t len = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += len)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len])) return 1;
    return 0;
}

static void every_phase(int64_t deadline_ms) {
    int ran = 0;
    for (size_t p = 0; p < sizeof(phases) / sizeof(phases[0]); p++)
        for (size_t e = 0; e < sizeof(effects) / sizeof(effects[0]); e++) {
            if (has_word(effects[e].not_in, phases[p])) continue;
            launch_with(phases[p], &effects[e], deadline_ms);
            ran++;
        }
    T_EQ(ran, 33);
}

static void answered_in_time(void) {
    every_phase(60000);
}

static void given_up_early(void) {
    every_phase(5000);
}

T_CASES(T_CASE(answered_in_time), T_CASE(given_up_early))
