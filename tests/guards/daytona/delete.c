/* Guards of deleting: how long a refusal is put up with, and what is told. Rows P10, D16. */
#include "daytona_world.h"

#include <stdio.h>

/* ---- conflict_30_s: a refusal because of another change is tried again for 30 s, and not longer ---- */

static void delete_conflicts_for(struct world *w, int64_t ms) {
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.delete','phase':'before_commit','times':1,'effect':{'kind':'conflict','delay_ms':%"
             "lld}}",
             (long long)ms);
    world_fault(w, fault);
}

static void must_fire_conflict_30_s__too_long(void) {
    struct world w = world_with_running_sandbox(SEED);
    delete_conflicts_for(&w, 40000);
    int64_t from_ms = w.env->now_ms(w.env);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_CONFLICT);
    int64_t took_ms = w.env->now_ms(w.env) - from_ms;
    T_TRUE(took_ms >= 30000 && took_ms < 33000);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.http_status, 409);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_not_fire_conflict_30_s__passes(void) {
    struct world w = world_with_running_sandbox(SEED);
    delete_conflicts_for(&w, 20000);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1 -> 409");
    T_CONTAINS(sbx_sim_timeline(w.sim), "DELETE /sandbox/sb-1 -> 200");
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

/* ---- delete_failure_is_told: only 404 is as good as a success, and the handle can be tried again ---- */

static void delete_answers(struct world *w, int status) {
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.delete','phase':'before','effect':{'kind':'status','status':%d}}", status);
    world_fault(w, fault);
}

static void delete_told(int http, enum sbx_status want, int outcome, int requests) {
    struct world w = world_with_running_sandbox(SEED);
    char id[SBX_ID_SIZE], still[SBX_ID_SIZE];
    int sent = 0;
    sbx_sandbox_id(w.sb, id);
    delete_answers(&w, http);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), want);
    T_EQ(w.err.http_status, http);
    T_EQ(w.err.outcome, outcome);
    for (const char *at = sbx_sim_timeline(w.sim); (at = strstr(at, "DELETE")); at++) sent++;
    T_EQ(sent, requests);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    sbx_sandbox_id(w.sb, still);
    T_STR(still, id);
    sbx_sim_faults_clear(w.sim);
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_fire_delete_failure_is_told__forbidden(void) {
    delete_told(403, SBX_FORBIDDEN, SBX_OUTCOME_REFUSED, 1);
}

static void must_fire_delete_failure_is_told__unauthorised(void) {
    delete_told(401, SBX_UNAUTHORISED, SBX_OUTCOME_REFUSED, 1);
}

static void must_fire_delete_failure_is_told__throttled(void) {
    delete_told(429, SBX_RATE_LIMITED, SBX_OUTCOME_REFUSED, 4);
}

static void must_fire_delete_failure_is_told__server_error(void) {
    delete_told(500, SBX_PROVIDER, SBX_OUTCOME_UNKNOWN, 4);
}

static void must_not_fire_delete_failure_is_told__gone(void) {
    struct world w = world_with_running_sandbox(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.delete','phase':'before_commit','effect':{'kind':'lost'}}");
    T_STATUS(sbx_sandbox_destroy(w.sb, NULL, &w.err), SBX_OK);
    T_TIMELINE(w.sim, "[   430] DELETE /sandbox/sb-1 -> 404\n"
                      "[   435] GET  /sandbox/sb-1 -> 404\n"
                      "[  2440] GET  /sandbox/sb-1 -> 404\n");
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
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
    delete_conflicts_for(&w, 40000);
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
        T_CASE(must_fire_delete_failure_is_told__forbidden), T_CASE(must_fire_delete_failure_is_told__unauthorised),
        T_CASE(must_fire_delete_failure_is_told__throttled), T_CASE(must_fire_delete_failure_is_told__server_error),
        T_CASE(must_not_fire_delete_failure_is_told__gone), T_CASE(waits_as_long_as_it_is_asked_to),
        T_CASE(one_that_hangs_is_sent_again), T_CASE(one_that_always_hangs_is_lost), T_CASE(a_deadline_among_refusals))
