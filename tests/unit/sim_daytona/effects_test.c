/* Fault effects that are the simulated Daytona's own. */
#include "ask.h"

static void armed(struct ask *a, const char *scenario, const struct sbx_fault *fault) {
    ask_init(a, scenario);
    ask_create_started(a, NULL);
    ask_fault(a, fault);
}

static void f004_stuck_in_creating_can_be_deleted(void) {
    const struct sbx_fault stuck = {.op = "daytona.sandbox.create",
                                    .phase = "after_commit",
                                    .times = 1,
                                    .effect = {.kind = "state", .state = "creating"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &stuck);
    ask_create(&a, NULL);
    ask_pass_ms(&a, 700000);
    T_STR(ask_state(&a), "creating");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 200);
    ask_pass_ms(&a, 500);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void f007_stuck_in_starting_refuses_deletion(void) {
    const struct sbx_fault stuck = {.op = "daytona.sandbox.get",
                                    .phase = "before",
                                    .times = 1,
                                    .effect = {.kind = "state", .state = "starting", .delay_ms = 60000}};
    struct ask a;
    armed(&a, NULL, &stuck);
    T_STR(ask_state(&a), "starting");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 409);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 400);
    ask_pass_ms(&a, 61000);
    T_STR(ask_state(&a), "started");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 200);
    ask_finish(&a);
}

static void a_boot_goes_on_when_a_state_is_let_go(void) {
    const struct sbx_fault stuck = {.op = "daytona.sandbox.create",
                                    .phase = "after_commit",
                                    .times = 1,
                                    .effect = {.kind = "state", .state = "pulling_snapshot", .delay_ms = 5000}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &stuck);
    ask_create(&a, NULL);
    T_TRUE(ask_now_ms(&a) >= 5400 && ask_now_ms(&a) < 6000);
    T_STR(ask_state(&a), "started");
    ask_finish(&a);
}

static void day8_17_a_stop_behind_the_back(void) {
    const struct sbx_fault stop = {
        .op = "daytona.sandbox.get", .phase = "before", .times = 1, .effect = {.kind = "state", .state = "stopped"}};
    struct ask a;
    armed(&a, NULL, &stop);
    T_STR(ask_state(&a), "stopped");
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 400);
    T_STR(ask_text(&a, "message"), "bad request: failed to resolve container IP after 3 attempts: no IP address found. "
                                   "Is the Sandbox started?");
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/start", NULL), 200);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 200);
    ask_finish(&a);
}

static void conflict(int status, int64_t after_ms, int want) {
    const struct sbx_fault fault = {.op = "daytona.sandbox.get",
                                    .phase = "before",
                                    .times = 1,
                                    .effect = {.kind = "conflict", .status = status, .delay_ms = 10000}};
    struct ask a;
    armed(&a, NULL, &fault);
    T_STR(ask_state(&a), "started");
    ask_pass_ms(&a, after_ms);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), want);
    if (want != 200) T_STR(ask_text(&a, "message"), "Sandbox state change in progress");
    ask_finish(&a);
}

static void f008_another_change_is_409(void) {
    conflict(0, 0, 409);
}
static void f008_another_change_was_400_once(void) {
    conflict(400, 9000, 400);
}
static void f008_another_change_ends(void) {
    conflict(0, 11000, 200);
}

/* The next start comes back started, and nobody answers inside. */
static void day8_14_started_with_a_dead_toolbox(void) {
    const struct sbx_fault dead = {
        .op = "daytona.sandbox.start", .phase = "before_commit", .times = 1, .effect = {.kind = "dead_toolbox"}};
    struct ask a;
    armed(&a, NULL, &dead);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), 200);
    ask_pass_ms(&a, 500);
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/start", NULL), 200);
    T_STR(ask_state(&a), "started");
    T_EQ(ask_execute(&a, "{\"command\":\"true\"}"), 502);
    T_EQ(a.body.len, 0);
    ask_pass_ms(&a, 3600000);
    T_EQ(ask_execute(&a, "{\"command\":\"true\"}"), 400); /* stopped by then: the fault is for ever, the sandbox idle */
    ask_finish(&a);
}

static void a_dead_toolbox_can_heal(void) {
    const struct sbx_fault dead = {.op = "daytona.toolbox.version",
                                   .phase = "before",
                                   .times = 1,
                                   .effect = {.kind = "dead_toolbox", .delay_ms = 5000}};
    struct ask a;
    armed(&a, NULL, &dead);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 502);
    ask_pass_ms(&a, 4000);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 502);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 200);
    ask_finish(&a);
}

static void a_dead_toolbox_in_the_newer_dialect(void) {
    const struct sbx_fault dead = {.op = "daytona.toolbox.version",
                                   .phase = "before",
                                   .times = 1,
                                   .effect = {.kind = "dead_toolbox", .dialect = "coded"}};
    struct ask a;
    armed(&a, NULL, &dead);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 400);
    T_STR(ask_text(&a, "code"), "SANDBOX_NOT_STARTED");
    T_STR(ask_text(&a, "source"), "DAYTONA_PROXY");
    T_CONTAINS(ask_text(&a, "message"), "sandbox daemon is not reachable");
    T_STR(ask_state(&a), "started");
    ask_finish(&a);
}

static void f002_created_with_a_dead_toolbox(void) {
    const struct sbx_fault dead = {
        .op = "daytona.sandbox.create", .phase = "before", .times = 1, .effect = {.kind = "dead_toolbox"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &dead);
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 502);
    ask_create_started(&a, NULL);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 200);
    ask_finish(&a);
}

static void f001_out_of_memory_kills_the_daemon(void) {
    const struct sbx_fault oom = {
        .op = "daytona.toolbox.execute", .phase = "after_commit", .times = 1, .effect = {.kind = "oom"}};
    struct ask a;
    armed(&a, NULL, &oom);
    T_EQ(ask_execute(&a, "{\"command\":\"sleep 100\"}"), 502);
    T_STR(ask_state(&a), "started");
    ask_pass_ms(&a, 149000);
    T_STR(ask_state(&a), "started");
    ask_pass_ms(&a, 2000);
    T_STR(ask_state(&a), "stopped");
    T_STR(ask_text(&a, "errorReason"), "");
    ask_finish(&a);
}

static void f028_a_sandbox_can_be_lost(void) {
    const struct sbx_fault lost = {
        .op = "daytona.toolbox.version", .phase = "before", .times = 1, .effect = {.kind = "lost"}};
    struct ask a;
    armed(&a, NULL, &lost);
    T_EQ(ask(&a, "GET", "/toolbox/%s/version", NULL), 404);
    T_STR(ask_state(&a), "404");
    T_EQ(sbx_sim_ledger_live(a.sim), 0);
    ask_finish(&a);
}

/* It is told to nobody, and it still costs. */
static void day8_44_a_deletion_can_fail(void) {
    const struct sbx_fault fail = {.op = "daytona.sandbox.delete",
                                   .phase = "after_commit",
                                   .times = 1,
                                   .effect = {.kind = "state", .state = "error"}};
    struct ask a;
    armed(&a, NULL, &fail);
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 200);
    T_STR(ask_state(&a), "404");
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "GET", "/api/sandbox", NULL), 200);
    T_EQ(sbx_json_count(sbx_json_member(sbx_json_root(a.js), "items")), 0);
    T_EQ(ask(&a, "GET", "/api/sandbox?includeErroredDeleted=true", NULL), 200);
    T_EQ(sbx_json_count(sbx_json_member(sbx_json_root(a.js), "items")), 1);
    T_EQ(sbx_sim_ledger_live(a.sim), 1);
    ask_finish(&a);
}

static void rules_are_checked_against_the_table(void) {
    const struct sbx_fault wrong[] = {
        {.op = "daytona.sandbox.get", .phase = "before", .effect = {.kind = "list_missing"}},
        {.op = "daytona.sandbox.create", .phase = "before", .effect = {.kind = "replay"}},
        {.op = "daytona.sandbox.create", .phase = "before", .effect = {.kind = "explode"}},
    };
    struct ask a;
    ask_init(&a, NULL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) T_EQ(sbx_sim_fault(a.sim, &wrong[i]), 0);
    ask_finish(&a);
}

T_CASES(T_CASE(f004_stuck_in_creating_can_be_deleted), T_CASE(f007_stuck_in_starting_refuses_deletion),
        T_CASE(a_boot_goes_on_when_a_state_is_let_go), T_CASE(day8_17_a_stop_behind_the_back),
        T_CASE(f008_another_change_is_409), T_CASE(f008_another_change_was_400_once), T_CASE(f008_another_change_ends),
        T_CASE(day8_14_started_with_a_dead_toolbox), T_CASE(a_dead_toolbox_can_heal),
        T_CASE(a_dead_toolbox_in_the_newer_dialect), T_CASE(f002_created_with_a_dead_toolbox),
        T_CASE(f001_out_of_memory_kills_the_daemon), T_CASE(f028_a_sandbox_can_be_lost),
        T_CASE(day8_44_a_deletion_can_fail), T_CASE(rules_are_checked_against_the_table))
