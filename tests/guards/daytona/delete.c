/* Guards of deleting: how long a refusal is put up with, and what is told. Rows P10, D16. */
#include "daytona_world.h"

#include <stdio.h>

/* ---- conflict_30_s: a refusal because of another change is tried again for 30 s, and not longer ---- */

static void delete_conflicts(struct world *w, const char *members) {
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.delete','phase':'before_commit','times':1,'effect':{'kind':'conflict'%s}}",
             members);
    world_fault(w, fault);
}

static void conflict_is_told(const char *members) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_call call;
    delete_conflicts(&w, members);
    sbx_call_init_after(&call, sizeof(call), w.env, 300000);
    int64_t from_ms = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, &call, &w.err), SBX_CONFLICT);
    int64_t took_ms = w.env->now_ms(w.env) - from_ms;
    T_TRUE(took_ms >= 30000 && took_ms < 33000);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.http_status, 409);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_fire_conflict_30_s__too_long(void) {
    conflict_is_told(",'delay_ms':40000");
    conflict_is_told(",'status':409"); /* it never ends */
}

static void conflict_passes(const char *members, const char *answer) {
    struct world w = world_with_running_sandbox(SEED);
    delete_conflicts(&w, members);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), answer);
    T_CONTAINS(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1 -> 200");
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_conflict_30_s__passes(void) {
    conflict_passes(",'delay_ms':20000", "DELETE /sandbox/sb-1 -> 409");
    conflict_passes(",'delay_ms':12000,'status':400", "DELETE /sandbox/sb-1 -> 400");
}

/* ---- delete_failure_is_told: only 404 is as good as a success, and the handle can be tried again ---- */

struct failure {
    const char *effect;
    int32_t http_status;
    int32_t status;
    int32_t outcome;
    int requests;
};

static void is_told(const struct failure *failure) {
    struct world w = world_with_running_sandbox(SEED);
    char fault[256], id[SBX_ID_SIZE], still[SBX_ID_SIZE];
    int sent = 0;
    sbx_sandbox_id(w.sb, id);
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.delete','phase':'before','effect':%s}", failure->effect);
    world_fault(&w, fault);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), failure->status);
    T_EQ(w.err.http_status, failure->http_status);
    T_EQ(w.err.outcome, failure->outcome);
    T_STR(w.err.sandbox_id, id);
    for (const char *at = sbx_sim_timeline(w.sim); (at = strstr(at, "DELETE")); at++) sent++;
    T_EQ(sent, failure->requests);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sandbox_id(w.sb, still);
    T_STR(still, id);
    sbx_sim_faults_clear(w.sim); /* the handle is good for another try */
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_fire_delete_failure_is_told__each(void) {
    static const struct failure failures[] = {
        {"{'kind':'status','status':401}", 401, SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED, 1},
        {"{'kind':'status','status':403}", 403, SBX_FORBIDDEN, SBX_OUTCOME_REFUSED, 1},
        {"{'kind':'status','status':429}", 429, SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED, 4},
        {"{'kind':'status','status':500}", 500, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, 4},
        {"{'kind':'status','status':503}", 503, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, 4},
        {"{'kind':'reset'}", 0, SBX_CONNECTION_LOST, SBX_OUTCOME_UNKNOWN, 4},
    };
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) is_told(&failures[i]);
}

static void gone_is_a_success(const char *phase) {
    struct world w = world_with_running_sandbox(SEED);
    char fault[160];
    snprintf(fault, sizeof(fault), "{'op':'daytona.sandbox.delete','phase':'%s','times':1,'effect':{'kind':'lost'}}",
             phase);
    world_fault(&w, fault);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_TIMELINE(w.sim, "[   430] DELETE /sandbox/sb-1 -> 404\n"
                      "[   435] GET  /sandbox/sb-1 -> 404\n"
                      "[  2440] GET  /sandbox/sb-1 -> 404\n");
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_delete_failure_is_told__gone(void) {
    gone_is_a_success("before_commit");
    gone_is_a_success("before");
}

/* ---- between two tries ---- */

static void throttled_for(const char *seconds, enum sbx_status want, int64_t took_ms) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_call call;
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.delete','phase':'before','times':1,'effect':{'kind':'status','status':429,"
             "'retry_after':'%s'}}",
             seconds);
    world_fault(&w, fault);
    sbx_call_init_after(&call, sizeof(call), w.env, 20000);
    int64_t from_ms = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, &call, &w.err), want);
    T_TRUE(w.env->now_ms(w.env) - from_ms >= took_ms && w.env->now_ms(w.env) - from_ms < took_ms + 4000);
    T_EQ(sbx_sim_ledger_live(w.sim), want != SBX_OK);
    world_finish(&w);
}

/* As long as the provider asks for; not at all when the call does not last so long. */
static void waits_as_long_as_it_is_asked_to(void) {
    throttled_for("7", SBX_OK, 7000);
    throttled_for("60", SBX_RATE_LIMITED, 0);
}

/* A request that is never answered uses up its own time, not the call's. */
static void one_that_hangs_is_sent_again(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_call call;
    world_fault(&w, "{'op':'daytona.sandbox.delete','phase':'before','times':1,'effect':{'kind':'hang'}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 60000);
    T_STATUS(sbx_sandbox_destroy(w.sb, &call, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void one_that_always_hangs_is_lost(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    call.deadline_ms = SBX_NO_DEADLINE;
    world_fault(&w, "{'op':'daytona.sandbox.delete','phase':'before','effect':{'kind':'hang'}}");
    T_STATUS(sbx_sandbox_destroy(w.sb, &call, &w.err), SBX_CONNECTION_LOST);
    T_EQ(w.err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

/* The call's end is its status; what was refused until then is said beside it. */
static void a_deadline_among_refusals(void) {
    struct world w = world_with_running_sandbox(SEED);
    struct sbx_call call;
    delete_conflicts(&w, ",'delay_ms':40000");
    sbx_call_init_after(&call, sizeof(call), w.env, 5000);
    int64_t from_ms = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, &call, &w.err), SBX_DEADLINE);
    T_EQ(w.env->now_ms(w.env) - from_ms, 5000);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.http_status, 409);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_conflict_30_s__too_long), T_CASE(must_not_fire_conflict_30_s__passes),
        T_CASE(must_fire_delete_failure_is_told__each), T_CASE(must_not_fire_delete_failure_is_told__gone),
        T_CASE(waits_as_long_as_it_is_asked_to), T_CASE(one_that_hangs_is_sent_again),
        T_CASE(one_that_always_hangs_is_lost), T_CASE(a_deadline_among_refusals))
