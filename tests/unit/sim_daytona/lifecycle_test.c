/* Start, stop, delete, archive and the clock of a simulated Daytona sandbox. */
#include "ask.h"

static void started(struct ask *a, const char *scenario, const char *body) {
    ask_init(a, scenario);
    ask_create_started(a, body);
}

static int change(struct ask *a, const char *verb) {
    char path[64] = "/api/sandbox/%s/";
    strcat(path, verb);
    return ask(a, "POST", path, NULL);
}

static void stop_and_start_go_through_their_states(void) {
    struct ask a;
    started(&a, NULL, NULL);
    T_EQ(change(&a, "stop?force=false"), 200);
    T_STR(ask_text(&a, "state"), "stopping");
    T_STR(ask_text(&a, "desiredState"), "stopped");
    ask_pass_ms(&a, 500);
    T_STR(ask_state(&a), "stopped");
    T_EQ(change(&a, "start"), 200);
    T_STR(ask_text(&a, "state"), "started"); /* it was held */
    T_STR(ask_state(&a), "started");
    ask_finish(&a);
}

static void start_is_held_thirty_seconds_at_most(void) {
    struct ask a;
    started(&a, "{\"start_ms\":40000}", NULL);
    T_EQ(change(&a, "stop"), 200);
    ask_pass_ms(&a, 500);
    const int64_t before_ms = ask_now_ms(&a);
    T_EQ(change(&a, "start"), 200);
    T_STR(ask_text(&a, "state"), "starting");
    T_EQ((ask_now_ms(&a) - before_ms) / 100, 300);
    ask_finish(&a);
}

static void day8_10_start_in_every_state(void) {
    struct ask a;
    started(&a, NULL, NULL);
    T_EQ(change(&a, "start"), 200);
    T_STR(ask_text(&a, "state"), "started");
    T_EQ(change(&a, "stop"), 200);
    T_EQ(change(&a, "start"), 409);
    T_STR(ask_text(&a, "message"), "Sandbox state change in progress");
    ask_pass_ms(&a, 500);
    T_EQ(change(&a, "archive"), 200);
    T_STR(ask_text(&a, "state"), "archiving");
    ask_pass_ms(&a, 1000);
    T_STR(ask_state(&a), "archived");
    T_EQ(change(&a, "start"), 200);
    T_STR(ask_text(&a, "state"), "restoring");
    ask_pass_ms(&a, 3000);
    T_STR(ask_state(&a), "started");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 200);
    T_EQ(change(&a, "start"), 409);
    ask_pass_ms(&a, 1000);
    T_EQ(change(&a, "start"), 404);
    ask_finish(&a);
}

static void day8_11_stop_of_a_stopped_one_is_400(void) {
    struct ask a;
    started(&a, NULL, NULL);
    T_EQ(change(&a, "stop"), 200);
    T_EQ(change(&a, "stop"), 409);
    ask_pass_ms(&a, 500);
    T_EQ(change(&a, "stop"), 400);
    T_STR(ask_text(&a, "message"), "Sandbox is not in a stoppable state");
    ask_finish(&a);
}

static void day8_12_delete_twice(void) {
    struct ask a;
    started(&a, NULL, NULL);
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 200);
    T_STR(ask_text(&a, "state"), "destroying");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 409);
    T_STR(ask_state(&a), "destroying");
    ask_pass_ms(&a, 500);
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 404);
    T_EQ(sbx_sim_ledger_live(a.sim), 0);
    ask_finish(&a);
}

static void an_ephemeral_one_is_gone_after_stop(void) {
    struct ask a;
    started(&a, NULL, "{\"autoDeleteInterval\":0}");
    T_EQ(change(&a, "stop"), 200);
    ask_pass_ms(&a, 500);
    T_STR(ask_state(&a), "404");
    T_EQ(sbx_sim_ledger_live(a.sim), 0);
    ask_finish(&a);
}

static void containers_neither_pause_nor_fork(void) {
    struct ask a;
    started(&a, NULL, NULL);
    T_EQ(change(&a, "pause"), 422);
    T_STR(ask_text(&a, "message"), "Pausing is not supported for this sandbox");
    T_EQ(change(&a, "fork"), 422);
    ask_finish(&a);
}

static void an_idle_one_is_stopped_then_archived_then_deleted(void) {
    struct ask a;
    started(&a, NULL, "{\"autoStopInterval\":1,\"autoArchiveInterval\":2,\"autoDeleteInterval\":5}");
    ask_pass_ms(&a, 50000);
    T_STR(ask_state(&a), "started");
    ask_pass_ms(&a, 25000);
    T_STR(ask_state(&a), "stopped");
    ask_pass_ms(&a, 135000);
    T_STR(ask_state(&a), "archived");
    ask_finish(&a);
}

static void use_puts_the_auto_stop_off(void) {
    struct ask a;
    started(&a, NULL, "{\"autoStopInterval\":1}");
    ask_pass_ms(&a, 50000);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 200);
    ask_pass_ms(&a, 25000);
    T_STR(ask_state(&a), "started");
    ask_pass_ms(&a, 60000);
    T_STR(ask_state(&a), "stopped");
    ask_finish(&a);
}

static void reading_the_record_is_no_use(void) {
    struct ask a;
    started(&a, NULL, "{\"autoStopInterval\":1}");
    ask_pass_ms(&a, 50000);
    T_STR(ask_state(&a), "started");
    ask_pass_ms(&a, 25000);
    T_STR(ask_state(&a), "stopped");
    ask_finish(&a);
}

static void a_time_to_live_ends_it_in_any_state(void) {
    struct ask a;
    started(&a, NULL, "{\"ttlMinutes\":1,\"autoStopInterval\":0}");
    T_TRUE(*ask_text(&a, "autoDestroyAt"));
    ask_pass_ms(&a, 75000);
    T_STR(ask_state(&a), "404");
    T_EQ(sbx_sim_ledger_live(a.sim), 0);
    ask_finish(&a);
}

static void a_boot_beyond_the_servers_patience_ends_in_error(void) {
    struct ask a;
    ask_init(&a, "{\"boot_ms\":1000000}");
    ask_create(&a, NULL);
    ask_pass_ms(&a, 16 * 60000);
    T_STR(ask_state(&a), "error");
    T_STR(ask_text(&a, "errorReason"), "Timeout while creating sandbox");
    ask_finish(&a);
}

/* Reasons that tell of a timeout count as recoverable when there is a backup. */
static void a_timeout_can_be_recovered_from_a_backup(void) {
    struct ask a;
    started(&a, "{\"backups\":true,\"start_ms\":400000,\"accounts\":[]}", "{\"autoStopInterval\":0}");
    T_EQ(change(&a, "recover"), 400);
    T_EQ(change(&a, "stop"), 200);
    ask_pass_ms(&a, 1000);
    T_EQ(change(&a, "start"), 200);
    ask_pass_ms(&a, 301000);
    T_STR(ask_state(&a), "error");
    T_EQ(change(&a, "recover"), 200);
    T_STR(ask_text(&a, "state"), "starting");
    ask_finish(&a);
}

/* Running costs cores and memory, stopped the disk, archived nothing. */
static void the_ledger_knows_what_each_state_costs(void) {
    struct ask a;
    started(&a,
            "{\"accounts\":[{\"name\":\"a\",\"api_key\":\"" SBX_SIM_DAYTONA_KEY
            "\",\"price\":{\"cpu\":3600,\"memory_gib\":0,\"disk_gib\":0}}]}",
            "{\"autoStopInterval\":0}");
    const int64_t before = sbx_sim_ledger_cost(a.sim);
    ask_pass_ms(&a, 1000000);
    T_EQ(sbx_sim_ledger_cost(a.sim) - before, 1000);
    T_EQ(change(&a, "stop"), 200);
    ask_pass_ms(&a, 1000);
    const int64_t stopped = sbx_sim_ledger_cost(a.sim);
    ask_pass_ms(&a, 1000000);
    T_EQ(sbx_sim_ledger_cost(a.sim), stopped);
    ask_finish(&a);
}

T_CASES(T_CASE(stop_and_start_go_through_their_states), T_CASE(start_is_held_thirty_seconds_at_most),
        T_CASE(day8_10_start_in_every_state), T_CASE(day8_11_stop_of_a_stopped_one_is_400),
        T_CASE(day8_12_delete_twice), T_CASE(an_ephemeral_one_is_gone_after_stop),
        T_CASE(containers_neither_pause_nor_fork), T_CASE(an_idle_one_is_stopped_then_archived_then_deleted),
        T_CASE(use_puts_the_auto_stop_off), T_CASE(reading_the_record_is_no_use),
        T_CASE(a_time_to_live_ends_it_in_any_state), T_CASE(a_boot_beyond_the_servers_patience_ends_in_error),
        T_CASE(a_timeout_can_be_recovered_from_a_backup), T_CASE(the_ledger_knows_what_each_state_costs))
