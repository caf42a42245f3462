/* Guards of reading answers: what may be taken for a refusal of a create. Rows D2, P11. */
#include "daytona_world.h"

#include <stdio.h>

static enum sbx_status launch_of(struct world *w, const char *snapshot) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.snapshot = snapshot;
    return sbx_runtime_launch(w->rt, &opt, NULL, &w->sb, &w->err);
}

/* ---- create_snapshot_missing: only a missing snapshot is one, and nothing else is used in its place ---- */

static void must_fire_create_snapshot_missing__no_such(void) {
    struct world w = world_new(SEED);
    T_STATUS(launch_of(&w, "nowhere"), SBX_SNAPSHOT_NOT_FOUND);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.http_status, 400);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_STR(w.err.detail, "snapshot: no such snapshot");
    T_TIMELINE(w.sim, "[     5] POST /sandbox -> 400\n");
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_create_snapshot_missing__inactive(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'before_commit','effect':{'kind':'snapshot_inactive'}}");
    T_STATUS(launch_of(&w, "daytona-large"), SBX_PROVIDER);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.http_status, 400);
    T_STR(w.err.detail, "snapshot: it is not active");
    T_TIMELINE(w.sim, "[     5] POST /sandbox -> 400\n");
    T_EQ(sbx_sim_ledger_made(w.sim), 0);
    world_finish(&w);
}

static void other_refusals_keep_their_names(void) {
    static const struct {
        const char *fault;
        int32_t status;
    } rows[] = {
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':401}}", SBX_UNAUTHORISED},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':403}}", SBX_FORBIDDEN},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':404,"
         "'body':'{\\\"message\\\":\\\"Region not found\\\"}'}}",
         SBX_INVALID_ARGUMENT},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'status','status':429}}", SBX_RATE_LIMITED},
        {"{'op':'daytona.sandbox.create','phase':'before_commit','effect':{'kind':'no_runners'}}", SBX_NO_CAPACITY},
        {"{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'html','status':502}}", SBX_PROVIDER},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w = world_new(SEED);
        world_fault(&w, rows[i].fault);
        T_STATUS(launch_of(&w, NULL), rows[i].status);
        T_EQ(sbx_sim_ledger_live(w.sim), 0);
        world_finish(&w);
    }
}

/* ---- create_unknown_answer: what is not documented as a refusal may have made a sandbox ---- */

static void create_answers(struct world *w, const char *status) {
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'status','status':%s}}", status);
    world_fault(w, fault);
}

static void looked_up_and_deleted(const char *status, int32_t http_status) {
    struct world w = world_new(SEED);
    create_answers(&w, status);
    T_STATUS(launch_of(&w, NULL), SBX_PROVIDER);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED); /* it was looked up by its name, and was there */
    T_EQ(w.err.http_status, http_status);
    T_TRUE(w.err.sandbox_id[0] != 0);
    T_CONTAINS(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1 -> 200");
    world_finish(&w);
}

static void must_fire_create_unknown_answer__500_and_418(void) {
    looked_up_and_deleted("500", 500);
    looked_up_and_deleted("418", 418);
}

/* A documented refusal is believed: nothing is looked for. (The simulated 403 lies, which Daytona's does not.) */
static void must_not_fire_create_unknown_answer__documented(void) {
    struct world w = world_new(SEED), other = world_new(SEED);
    create_answers(&w, "403");
    T_STATUS(launch_of(&w, NULL), SBX_FORBIDDEN);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_TIMELINE(w.sim, "[     5] POST /sandbox -> 403\n");
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    world_finish(&w);
    world_fault(&other, "{'op':'daytona.sandbox.create','phase':'before_commit','effect':{'kind':'no_runners'}}");
    T_STATUS(launch_of(&other, NULL), SBX_NO_CAPACITY);
    T_EQ(other.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(other.err.cleanup, SBX_CLEANUP_NONE);
    world_finish(&other);
}

T_CASES(T_CASE(must_fire_create_snapshot_missing__no_such), T_CASE(must_not_fire_create_snapshot_missing__inactive),
        T_CASE(other_refusals_keep_their_names), T_CASE(must_fire_create_unknown_answer__500_and_418),
        T_CASE(must_not_fire_create_unknown_answer__documented))
