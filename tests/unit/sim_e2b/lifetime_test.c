/* Lifetimes of the simulated E2B: timeouts, pauses, resumes, the state machine. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>

static void a_timeout_may_shorten_and_a_connect_only_extends(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":300}");
    T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", "{\"timeout\":10}"), 200);
    T_STR(ask_text(&a, "sandboxID"), a.id);
    ask_pass_ms(&a, 20000);
    T_STR(ask_state(&a), "running");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/timeout", "{\"timeout\":5}"), 204);
    T_EQ(a.body.len, 0);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/connect", "{\"timeout\":30}"), 200);
    ask_pass_ms(&a, 20000);
    T_STR(ask_state(&a), "running");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/refreshes", "{\"duration\":60}"), 204);
    ask_pass_ms(&a, 40000);
    T_STR(ask_state(&a), "running");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/timeout", "{\"timeout\":0}"), 204);
    ask_pass_ms(&a, 10);
    T_STR(ask_state(&a), "404");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/timeout", "{\"timeout\":9}"), 404);
    ask_finish(&a);
}

static void the_longest_run_is_the_accounts(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/timeout", "{\"timeout\":99999}"), 204);
    ask_pass_ms(&a, 3590000);
    T_STR(ask_state(&a), "running");
    T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", "{\"timeout\":3601}"), 400);
    T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", "{\"timeout\":3600}"), 200);
    ask_pass_ms(&a, 20000);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void a_pause_keeps_processes_and_gives_a_new_token(void) {
    struct ask a;
    char old[80];
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    struct listener l = {
        .a = &a, .method = "process.Process/Start", .json = "{\"process\":{\"cmd\":\"sleep\",\"args\":[\"1000\"]}}"};
    ask_listen(&l);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    T_STR(ask_state(&a), "paused");
    ask_pass_ms(&a, 20);
    T_TRUE(l.ended_ms > 0);
    T_EQ(l.evidence, SBX_EVIDENCE_PARTIAL);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 409);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 409);
    ask_pass_ms(&a, 1000);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 502);
    T_STR(ask_text(&a, "message"), "The sandbox was not found");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 409);
    T_CONTAINS(ask_text(&a, "message"), "is already paused");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/timeout", "{\"timeout\":9}"), 404);
    T_TRUE(sbx_copy(old, sizeof(old), a.token));
    T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", NULL), 201);
    T_TRUE(sbx_copy(a.token, sizeof(a.token), ask_text(&a, "envdAccessToken")));
    T_TRUE(strcmp(a.token, old) != 0);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"args\":[\"1000\"]");
    T_TRUE(sbx_copy(a.token, sizeof(a.token), old));
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 401);
    ask_listener_finish(&l);
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void e2b8_33_a_pause_without_memory_keeps_the_files_alone(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_run(&a, "echo kept >f; sleep 1000 >/dev/null 2>&1 </dev/null & exit 0", NULL), 200);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{\"memory\":false}"), 204);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/connect", "{\"timeout\":300}"), 201);
    T_TRUE(sbx_copy(a.token, sizeof(a.token), ask_text(&a, "envdAccessToken")));
    T_EQ(ask_run(&a, "cat f; ps -e | grep -c sleep", NULL), 200);
    T_STR(ask_output(&a, "stdout"), "kept\n0\n");
    ask_finish(&a);
}

static void what_stood_still_goes_on_after_the_resume(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_run(&a, "(for i in 1 2 3 4 5 6; do sleep 1; echo $i >>log; done) >/dev/null 2>&1 </dev/null & exit 0",
                 NULL),
         200);
    ask_pass_ms(&a, 2500);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    ask_pass_ms(&a, 60000);
    T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", "{}"), 201);
    T_TRUE(sbx_copy(a.token, sizeof(a.token), ask_text(&a, "envdAccessToken")));
    T_EQ(ask_run(&a, "wc -l <log", NULL), 200);
    T_TRUE(strtol(ask_output(&a, "stdout"), NULL, 10) < 4);
    ask_pass_ms(&a, 6000);
    T_EQ(ask_run(&a, "cat log", NULL), 200);
    T_STR(ask_output(&a, "stdout"), "1\n2\n3\n4\n5\n6\n");
    ask_finish(&a);
}

static void it_pauses_by_itself_and_wakes_by_traffic_if_it_was_made_so(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":10,\"autoPause\":true,\"autoResume\":{\"enabled\":true}}");
    ask_pass_ms(&a, 11000);
    T_STR(ask_state(&a), "paused");
    T_EQ(ask_envd(&a, "GET", "/health", NULL, NULL, 0), 204);
    T_STR(ask_state(&a), "running");
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 204);
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":10,\"autoPause\":true}");
    ask_pass_ms(&a, 11000);
    T_EQ(ask_envd(&a, "GET", "/health", NULL, NULL, 0), 502);
    T_STR(ask_state(&a), "paused");
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 204);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void a_delete_twice_is_a_404(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 204);
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 404);
    T_EQ(ask_int(&a, "code"), 404);
    T_EQ(ask_envd(&a, "GET", "/health", NULL, NULL, 0), 502);
    T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", "{}"), 404);
    ask_finish(&a);
}

static void the_old_resume_wants_a_body(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/resume", "{\"timeout\":30}"), 409);
    T_CONTAINS(ask_text(&a, "message"), "is already running");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", NULL), 204);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/resume", "{}"), 409);
    ask_pass_ms(&a, 1000);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/resume", NULL), 400);
    T_CONTAINS(ask_text(&a, "message"), "value is required but missing");
    T_EQ(ask(&a, "POST", "/sandboxes/%s/resume", "{\"timeout\":30}"), 201);
    ask_pass_ms(&a, 31000);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void ids_of_old_clients_are_understood(void) {
    struct ask a;
    char path[96];
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    snprintf(path, sizeof(path), "/sandboxes/%s-6532622b", a.id);
    T_EQ(ask(&a, "GET", path, NULL), 200);
    T_EQ(ask(&a, "GET", "/sandboxes/a-b-c", NULL), 400);
    T_STR(ask_text(&a, "message"), "Invalid sandbox ID");
    T_EQ(ask(&a, "GET", "/sandboxes/UPPER", NULL), 400);
    ask_finish(&a);
}

/* No lifetime is no limit: refused by a create of either version, and over at once by a timeout. */
static void e2b8_04_a_lifetime_of_nothing(void) {
    struct ask a;
    ask_init(&a, NULL);
    T_EQ(ask(&a, "POST", "/sandboxes", "{\"templateID\":\"base\",\"timeout\":0}"), 400);
    T_CONTAINS(ask_text(&a, "message"), "Timeout must be greater than 0");
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\",\"timeout\":0}"), 400);
    T_CONTAINS(ask_text(&a, "message"), "validation error");
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/timeout", "{\"timeout\":0}"), 204);
    ask_pass_ms(&a, 100);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

T_CASES(T_CASE(e2b8_04_a_lifetime_of_nothing), T_CASE(a_timeout_may_shorten_and_a_connect_only_extends),
        T_CASE(the_longest_run_is_the_accounts), T_CASE(a_pause_keeps_processes_and_gives_a_new_token),
        T_CASE(e2b8_33_a_pause_without_memory_keeps_the_files_alone), T_CASE(what_stood_still_goes_on_after_the_resume),
        T_CASE(it_pauses_by_itself_and_wakes_by_traffic_if_it_was_made_so), T_CASE(a_delete_twice_is_a_404),
        T_CASE(the_old_resume_wants_a_body), T_CASE(ids_of_old_clients_are_understood))
