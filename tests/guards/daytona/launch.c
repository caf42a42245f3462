/* Guards of creating: what is adopted, what is proven, what is deleted. Rows D1, D2, D15, P9. */
#include "daytona_world.h"

#include <stdio.h>

static enum sbx_status launch_named(struct world *w, const char *name, struct sbx_sandbox **out) {
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    opt.name = name;
    return sbx_runtime_launch(w->rt, &opt, NULL, out, &w->err);
}

/* ---- adopt_only_ours: a sandbox of our name is ours only if it carries our acquisition ---- */

static void taken(const char *name, const char *first_name) {
    struct world w = world_new(SEED);
    struct sbx_sandbox *second = NULL;
    struct sbx_info *info = NULL;
    char taken_name[64];
    T_STATUS(launch_named(&w, first_name, &w.sb), SBX_OK);
    T_STATUS(sbx_sandbox_info(w.sb, NULL, &info, &w.err), SBX_OK);
    snprintf(taken_name, sizeof(taken_name), "%s", name ? name : sbx_info_name(info));
    sbx_info_free(info);
    sbx_sim_timeline_reset(w.sim);
    T_STATUS(launch_named(&w, taken_name, &second), SBX_ALREADY_EXISTS);
    T_TRUE(second == NULL);
    T_EQ(w.err.outcome, SBX_OUTCOME_REFUSED);
    T_EQ(w.err.http_status, 409);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_TIMELINE(w.sim, "[   440] POST /sandbox -> 409\n"
                      "[   445] GET  /sandbox/sb-1 -> 200\n");
    T_EQ(sbx_sim_ledger_live(w.sim), 1); /* and nobody deleted it */
    world_finish(&w);
}

static void must_fire_adopt_only_ours__taken_by_another(void) {
    taken("box", "box");
    taken(NULL, NULL); /* by its acquisition id, in UUID form */
}

/* The answer is lost, and who carries the name is not the one that was asked for: it stays. */
static void lost_and_taken_by_another(void) {
    struct world w = world_new(SEED);
    struct sbx_sandbox *second = NULL;
    T_STATUS(launch_named(&w, "box", &w.sb), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'reset'}}");
    T_STATUS(launch_named(&w, "box", &second), SBX_CONNECTION_LOST);
    T_TIMELINE(w.sim, "[   430] POST /sandbox -> reset\n"
                      "[   435] GET  /sandbox/sb-1 -> 200\n");
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

/* A hop sent our create twice, and the second is refused because of the first. */
static void sent_twice_by_a_hop(void) {
    struct world w = world_new(SEED);
    world_fault(&w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'status','status':409,'body':{"
                "'statusCode':409,'message':'Sandbox with name box already exists'}}}");
    T_STATUS(launch_named(&w, "box", &w.sb), SBX_OK);
    T_TIMELINE(w.sim, "[     5] POST /sandbox -> 409\n"
                      "[    10] GET  /sandbox/sb-1 -> 200\n"
                      "[    15] GET  /sandbox/sb-1 -> 200\n"
                      "[    70] GET  /sandbox/sb-1 -> 200\n"
                      "[   175] GET  /sandbox/sb-1 -> 200\n"
                      "[   380] GET  /sandbox/sb-1 -> 200\n"
                      "[   785] GET  /sandbox/sb-1 -> 200\n"
                      "[   790] POST /toolbox/sb-1/process/execute -> 200\n");
    T_EQ(sbx_sandbox_state(w.sb), SBX_STATE_RUNNING);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

/* The same, seen by the caller. */
static void sent_twice_by_the_caller(void) {
    struct world w = world_new(SEED);
    struct sbx_launch_options opt = SBX_LAUNCH_OPTIONS_INIT;
    struct sbx_sandbox *again = NULL;
    opt.acquisition = "0123456789abcdef0123456789abcdef";
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &w.sb, &w.err), SBX_OK);
    T_STATUS(sbx_runtime_launch(w.rt, &opt, NULL, &again, &w.err), SBX_OK);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    sbx_sandbox_free(again);
    world_finish(&w);
}

static void must_not_fire_adopt_only_ours__our_own(void) {
    sent_twice_by_a_hop();
    sent_twice_by_the_caller();
}

/* ---- launch_probe: started is not believed, a command must run ---- */

static void dead_for(struct world *w, const char *members) {
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'dead_toolbox'%s}}", members);
    world_fault(w, fault);
}

static void dead_is_deleted(const char *members) {
    struct world w = world_new(SEED);
    dead_for(&w, members);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_NOT_READY);
    T_TRUE(w.sb == NULL);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_STR(w.err.detail, "probe: the exec daemon is dead, or its runner unreachable");
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_fire_launch_probe__dead(void) {
    dead_is_deleted("");
    dead_is_deleted(",'dialect':'coded'");
}

static void healed_is_ready(const char *members) {
    struct world w = world_new(SEED);
    dead_for(&w, members);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_CONTAINS(sbx_sim_timeline(w.sim), "/process/execute -> 502");
    T_CONTAINS(sbx_sim_timeline(w.sim), "/process/execute -> 200");
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    world_finish(&w);
}

static void must_not_fire_launch_probe__heals(void) {
    healed_is_ready(",'delay_ms':3000");
    healed_is_ready(",'dialect':'502','delay_ms':4000");
}

/* ---- failed_create_deletes: what a failed launch made does not stay ---- */

static void boot_fails(const char *members) {
    struct world w = world_new(SEED);
    char fault[256];
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'fail_boot'%s}}", members);
    world_fault(&w, fault);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_PROVIDER);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(w.err.http_status, 400);
    T_TRUE(w.err.sandbox_id[0] != 0);
    T_TIMELINE(w.sim, "[   415] POST /sandbox -> 400\n"
                      "[   420] GET  /sandbox/sb-1 -> 200\n"
                      "[   425] DELETE /sandbox/sb-1 -> 200\n"
                      "[   430] GET  /sandbox/sb-1 -> 404\n"
                      "[  2435] GET  /sandbox/sb-1 -> 404\n");
    world_finish(&w);
}

static void boots_for_ever(void) {
    struct world w = world_new(SEED);
    struct sbx_call call = SBX_CALL_INIT;
    world_fault(&w,
                "{'op':'daytona.sandbox.create','phase':'after_commit','effect':{'kind':'state','state':'creating'}}");
    sbx_call_init_after(&call, sizeof(call), w.env, 45000);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_DEADLINE);
    T_CONTAINS(w.err.detail, "STARTING");
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_fire_failed_create_deletes__never_started(void) {
    boot_fails("");
    boot_fails(",'state':'error'");
    boots_for_ever();
}

static void must_not_fire_failed_create_deletes__boots(void) {
    struct world w = world_new(SEED);
    T_STATUS(sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err), SBX_OK);
    T_EQ(w.err.cleanup, SBX_CLEANUP_NONE);
    T_EQ(sbx_sim_ledger_live(w.sim), 1);
    T_TIMELINE(w.sim, "[   415] POST /sandbox -> 200\n"
                      "[   420] GET  /sandbox/sb-1 -> 200\n"
                      "[   425] POST /toolbox/sb-1/process/execute -> 200\n");
    world_finish(&w);
}

/* ---- late_create_is_awaited: a create that nobody finds may still take effect, so it is looked for again ---- */

#define LATE_DEADLINE_MS 5000

/* A create of which nothing is heard, and which takes effect so much later. @return how long the clean-up took */
static int64_t launch_late(struct world *w, int64_t late_ms, int64_t cleanup_ms) {
    char fault[256];
    struct sbx_call call;
    snprintf(fault, sizeof(fault),
             "{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'late','delay_ms':%lld}}",
             (long long)late_ms);
    world_fault(w, fault);
    sbx_call_init_after(&call, sizeof(call), w->env, LATE_DEADLINE_MS);
    call.cleanup_ms = cleanup_ms;
    int64_t from_ms = w->env->now_ms(w->env);
    T_STATUS(sbx_runtime_launch(w->rt, NULL, &call, &w->sb, &w->err), SBX_DEADLINE);
    T_TRUE(w->sb == NULL);
    return w->env->now_ms(w->env) - from_ms - LATE_DEADLINE_MS;
}

/* It stays for reconcile to find. */
static void left_unconfirmed(struct world *w) {
    T_EQ(w->err.outcome, SBX_OUTCOME_UNKNOWN);
    T_EQ(w->err.cleanup, SBX_CLEANUP_UNCONFIRMED);
    T_EQ(strlen(w->err.acquisition), SBX_ACQUISITION_SIZE - 1);
    T_STR(w->err.sandbox_id, "");
    T_EQ(sbx_sim_ledger_made(w->sim), 0);
    world_finish(w);
}

static void must_fire_late_create_is_awaited__within_the_clean_up(void) {
    struct world w = world_new(SEED);
    int64_t took_ms = launch_late(&w, 25000, 0);
    T_TRUE(took_ms >= 20000 && took_ms <= 30000);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(w.err.outcome, SBX_OUTCOME_DONE);
    T_TRUE(w.err.sandbox_id[0] != 0);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    world_finish(&w);
}

static void must_not_fire_late_create_is_awaited__beyond_the_clean_up(void) {
    struct world w = world_new(SEED);
    T_EQ(launch_late(&w, 50000, 0), 30000);
    left_unconfirmed(&w);
}

static void a_shorter_clean_up_ends_earlier(void) {
    struct world w = world_new(SEED);
    T_EQ(launch_late(&w, 25000, 7000), 7000);
    left_unconfirmed(&w);
}

static void without_clean_up_nothing_is_looked_for(void) {
    struct world w = world_new(SEED);
    T_EQ(launch_late(&w, 25000, SBX_NO_CLEANUP), 0);
    T_TRUE(strstr(sbx_sim_timeline(w.sim), "GET") == NULL);
    left_unconfirmed(&w);
}

/* A look-up that will never be answered otherwise ends the looking. */
static void a_forbidden_look_is_the_last(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','effect':{'kind':'status','status':403}}");
    T_EQ(launch_late(&w, 25000, 0), 5);
    left_unconfirmed(&w);
}

/* Nor is one asked again that wants to be left alone for longer than there is time. */
static void a_throttled_look_is_the_last(void) {
    struct world w = world_new(SEED);
    world_fault(&w, "{'op':'daytona.sandbox.get','phase':'before','effect':{'kind':'status','status':429,"
                    "'retry_after':'60'}}");
    T_EQ(launch_late(&w, 25000, 0), 5);
    left_unconfirmed(&w);
}

/* The cancel ends the launch, not its clean-up, and stays what the caller is told. */
static void a_cancel_does_not_end_the_clean_up(void) {
    struct world w = world_new(SEED);
    struct world_cancel plan;
    const struct sbx_call call = world_call_cancelled(&w, 1000, &plan);
    world_fault(&w, "{'op':'daytona.sandbox.create','phase':'before','effect':{'kind':'late','delay_ms':10000}}");
    T_STATUS(sbx_runtime_launch(w.rt, NULL, &call, &w.sb, &w.err), SBX_CANCELLED);
    T_TRUE(w.env->now_ms(w.env) >= 10000);
    T_EQ(w.err.cleanup, SBX_CLEANUP_CONFIRMED);
    T_EQ(sbx_sim_ledger_made(w.sim), 1);
    T_EQ(sbx_sim_ledger_live(w.sim), 0);
    sbx_cancel_free(plan.cancel);
    world_finish(&w);
}

T_CASES(T_CASE(must_fire_adopt_only_ours__taken_by_another), T_CASE(lost_and_taken_by_another),
        T_CASE(must_not_fire_adopt_only_ours__our_own), T_CASE(must_fire_launch_probe__dead),
        T_CASE(must_not_fire_launch_probe__heals), T_CASE(must_fire_failed_create_deletes__never_started),
        T_CASE(must_not_fire_failed_create_deletes__boots),
        T_CASE(must_fire_late_create_is_awaited__within_the_clean_up),
        T_CASE(must_not_fire_late_create_is_awaited__beyond_the_clean_up), T_CASE(a_shorter_clean_up_ends_earlier),
        T_CASE(without_clean_up_nothing_is_looked_for), T_CASE(a_forbidden_look_is_the_last),
        T_CASE(a_throttled_look_is_the_last), T_CASE(a_cancel_does_not_end_the_clean_up))
