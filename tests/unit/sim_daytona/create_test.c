/* POST /sandbox of the simulated Daytona: what it holds, what it answers, what it refuses and what then exists. */
#include "ask.h"

static void create_answers_what_was_before_the_wait(void) {
    struct ask a;
    ask_init(&a, NULL);
    const int64_t before_ms = ask_now_ms(&a);
    ask_create(&a, "{\"labels\":{\"a\":\"1\"},\"env\":{\"X\":\"y\"},\"target\":\"us\"}");
    T_STR(ask_text(&a, "state"), "creating");
    T_STR(ask_text(&a, "snapshot"), "daytonaio/sandbox:0.5.0");
    T_STR(ask_text(&a, "name"), a.id);
    T_TRUE(ask_now_ms(&a) - before_ms >= 400);
    T_STR(ask_state(&a), "started");
    T_EQ(sbx_sim_ledger_made(a.sim), 1);
    T_EQ(sbx_sim_ledger_live(a.sim), 1);
    ask_finish(&a);
}

static void create_is_held_thirty_seconds_at_most(void) {
    struct ask a;
    ask_init(&a, "{\"boot_ms\":60000}");
    ask_create(&a, NULL);
    T_EQ(ask_now_ms(&a) / 100, 300); /* and the way there */
    T_STR(ask_state(&a), "creating");
    ask_pass_ms(&a, 31000);
    T_STR(ask_state(&a), "started");
    ask_finish(&a);
}

static void a_name_is_unique_until_it_is_deleted(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, "{\"name\":\"n1\"}");
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"name\":\"n1\"}"), 409);
    T_STR(ask_text(&a, "message"), "Sandbox with name n1 already exists");
    T_EQ(ask(&a, "GET", "/api/sandbox/n1", NULL), 200);
    T_STR(ask_text(&a, "id"), a.id);
    T_EQ(ask(&a, "DELETE", "/api/sandbox/n1", NULL), 200);
    T_STR(ask_state(&a), "destroying");
    T_EQ(ask(&a, "GET", "/api/sandbox/n1", NULL), 404);
    ask_create(&a, "{\"name\":\"n1\"}");
    ask_finish(&a);
}

static void f014_a_name_can_be_held_while_it_is_destroyed(void) {
    struct ask a;
    ask_init(&a, "{\"name_until_gone\":true}");
    ask_create(&a, "{\"name\":\"n1\"}");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/n1", NULL), 200);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"name\":\"n1\"}"), 409);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"name\":\"n1\"}"), 200);
    ask_finish(&a);
}

static void refused(struct ask *a, const char *body, int status, const char *message) {
    T_EQ(ask(a, "POST", "/api/sandbox", body), status);
    T_STR(ask_text(a, "message"), message);
    T_EQ(ask_int(a, "statusCode"), status);
}

static void refusals_have_the_servers_words(void) {
    struct ask a;
    ask_init(&a, "{\"snapshots\":[{\"name\":\"base\"},{\"name\":\"old\",\"state\":\"inactive\"}]}");
    refused(&a, "{\"snapshot\":\"x\"}", 400, "Snapshot x not found. Did you add it through the Daytona Dashboard?");
    refused(&a, "{\"snapshot\":\"old\"}", 400, "Snapshot old is inactive");
    refused(&a, "{\"snapshot\":\"base\",\"cpu\":2}", 400, "Cannot specify Sandbox resources when using a snapshot");
    refused(&a, "{\"snapshot\":\"base\",\"buildInfo\":{\"dockerfileContent\":\"FROM a\"}}", 400,
            "Cannot specify a snapshot when using a build info entry");
    refused(&a, "{\"target\":\"mars\"}", 404, "Region not found");
    refused(&a, "{\"autoStopInterval\":-1}", 400, "Auto-stop interval must be non-negative");
    refused(&a, "{\"networkAllowList\":\"10.0.0.1\"}", 400,
            "Invalid network format: \"10.0.0.1\". Missing CIDR prefix length (e.g., /24)");
    refused(&a, "{\"volumes\":[{\"volumeId\":\"v\",\"mountPath\":\"/data\"}]}", 400,
            "Volume with ID or name v not found");
    refused(&a, "{\"name\":3,\"labels\":[],\"autoStopInterval\":1.5}", 400,
            "name must be a string, labels must be an object, autoStopInterval must be an integer number");
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_finish(&a);
}

static void a_body_that_is_no_object_is_refused(void) {
    struct ask a;
    ask_init(&a, NULL);
    T_EQ(ask(&a, "POST", "/api/sandbox", "[]"), 400);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{"), 400);
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_finish(&a);
}

/* The 400 that leaves a sandbox behind. */
static void day8_02_a_failed_boot_answers_400_and_the_sandbox_exists(void) {
    const struct sbx_fault fail = {
        .op = "daytona.sandbox.create", .phase = "before_commit", .times = 1, .effect = {.kind = "fail_boot"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &fail);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"name\":\"n1\"}"), 400);
    T_CONTAINS(ask_text(&a, "message"), "Sandbox failed to start: ");
    T_EQ(ask(&a, "GET", "/api/sandbox/n1", NULL), 200);
    T_STR(ask_text(&a, "state"), "error");
    T_EQ(sbx_sim_ledger_live(a.sim), 1);
    T_EQ(ask(&a, "POST", "/api/sandbox/n1/start", NULL), 400);
    T_STR(ask_text(&a, "message"), "Sandbox is in an errored state");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/n1", NULL), 200);
    ask_pass_ms(&a, 1000);
    T_EQ(sbx_sim_ledger_live(a.sim), 0);
    ask_finish(&a);
}

static void day8_09_a_build_that_fails_ends_as_build_failed(void) {
    const struct sbx_fault fail = {.op = "daytona.sandbox.create",
                                   .phase = "after_commit",
                                   .times = 1,
                                   .effect = {.kind = "fail_boot", .state = "build_failed"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &fail);
    ask_create(&a, "{\"buildInfo\":{\"dockerfileContent\":\"FROM debian:12.9\\n\"},\"cpu\":2,\"memory\":4,\"disk\":8}");
    T_STR(ask_text(&a, "state"), "pending_build");
    ask_pass_ms(&a, 100);
    T_STR(ask_state(&a), "building_snapshot");
    ask_pass_ms(&a, 3000);
    T_STR(ask_state(&a), "build_failed");
    ask_finish(&a);
}

/* Cut off after the commit: the sandbox is there, found by its name. */
static void day8_03_a_reset_after_the_commit_leaves_the_sandbox(void) {
    const struct sbx_fault reset = {
        .op = "daytona.sandbox.create", .phase = "after_commit", .times = 1, .effect = {.kind = "reset"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &reset);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"name\":\"n1\"}"), 0);
    T_EQ(a.evidence, SBX_EVIDENCE_SENT_NO_ANSWER);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "GET", "/api/sandbox/n1", NULL), 200);
    T_STR(ask_text(&a, "state"), "started");
    ask_finish(&a);
}

static void a_reset_before_the_commit_leaves_nothing(void) {
    const struct sbx_fault reset = {
        .op = "daytona.sandbox.create", .phase = "before_commit", .times = 1, .effect = {.kind = "reset"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &reset);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"name\":\"n1\"}"), 0);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "GET", "/api/sandbox/n1", NULL), 404);
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_finish(&a);
}

static void twisted(const char *kind, const char *message) {
    const struct sbx_fault fault = {
        .op = "daytona.sandbox.create", .phase = "before", .times = 1, .effect = {.kind = kind}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &fault);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{}"), 400);
    T_STR(ask_text(&a, "message"), message);
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_create(&a, NULL);
    ask_finish(&a);
}

static void a_snapshot_can_turn_inactive_for_one_create(void) {
    twisted("snapshot_inactive", "Snapshot daytonaio/sandbox:0.5.0 is inactive");
}

static void runners_can_run_out_for_one_create(void) {
    twisted("no_runners", "No available runners");
}

static void what_is_not_simulated_is_refused_as_such(void) {
    struct ask a;
    ask_init(&a, NULL);
    T_EQ(ask(&a, "POST", "/api/sandbox", "{\"secrets\":[{\"A\":\"b\"}]}"), 501);
    T_STR(ask_text(&a, "message"), "Not simulated: secrets");
    T_EQ(sbx_sim_unsupported(a.sim), 1);
    ask_finish(&a);
}

T_CASES(T_CASE(create_answers_what_was_before_the_wait), T_CASE(create_is_held_thirty_seconds_at_most),
        T_CASE(a_name_is_unique_until_it_is_deleted), T_CASE(f014_a_name_can_be_held_while_it_is_destroyed),
        T_CASE(refusals_have_the_servers_words), T_CASE(a_body_that_is_no_object_is_refused),
        T_CASE(day8_02_a_failed_boot_answers_400_and_the_sandbox_exists),
        T_CASE(day8_09_a_build_that_fails_ends_as_build_failed),
        T_CASE(day8_03_a_reset_after_the_commit_leaves_the_sandbox), T_CASE(a_reset_before_the_commit_leaves_nothing),
        T_CASE(a_snapshot_can_turn_inactive_for_one_create), T_CASE(runners_can_run_out_for_one_create),
        T_CASE(what_is_not_simulated_is_refused_as_such))
