/* Processes of the simulated E2B: what runs, what is told of it, how it ends. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>

static void a_command_says_what_it_prints_and_how_it_ended(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_run(&a, "echo hi; echo no >&2; exit 3", NULL), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_DONE);
    T_STR(ask_output(&a, "stdout"), "hi\n");
    T_STR(ask_output(&a, "stderr"), "no\n");
    T_CONTAINS(sbx_buf_text(&a.events), "0 {\"event\":{\"start\":{\"pid\":");
    T_CONTAINS(sbx_buf_text(&a.events),
               "0 {\"event\":{\"end\":{\"exitCode\":3,\"exited\":true,\"status\":\"exit status "
               "3\",\"error\":\"exit status 3\"}}}\n2 {}\n");
    T_EQ(ask_run(&a, "true", NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.events),
               "0 {\"event\":{\"end\":{\"exited\":true,\"status\":\"exit status 0\"}}}\n2 {}\n");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    T_EQ(sbx_sim_unsupported(a.sim), 0);
    ask_finish(&a);
}

static void it_has_the_environment_of_create_and_start(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"envVars\":{\"FOO\":\"bar\",\"BOTH\":\"1\"}}");
    T_EQ(ask_stream(&a, "process.Process/Start",
                    "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"echo $FOO $BOTH $HOME $USER $E2B_SANDBOX; "
                    "pwd\"],\"envs\":{\"BOTH\":\"2\"},\"cwd\":\"/tmp\"},\"stdin\":false}"),
         200);
    T_STR(ask_output(&a, "stdout"), "bar 2 /home/user user true\n/tmp\n");
    T_EQ(ask_stream(&a, "process.Process/Start", "{\"process\":{\"cmd\":\"pwd\"}}"), 200);
    T_STR(ask_output(&a, "stdout"), "/home/user\n");
    T_EQ(ask_stream(&a, "process.Process/Start", "{\"process\":{\"cmd\":\"pwd\",\"cwd\":\"/nope\"}}"), 200);
    T_STR(sbx_buf_text(&a.events),
          "2 {\"error\":{\"code\":\"invalid_argument\",\"message\":\"cwd '/nope' does not exist\"}}\n");
    ask_finish(&a);
}

static void a_program_that_is_not_there_is_an_exit_code(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask_stream(&a, "process.Process/Start", "{\"process\":{\"cmd\":\"nosuch\"},\"stdin\":false}"), 200);
    T_CONTAINS(sbx_buf_text(&a.events), "\"exitCode\":127,");
    T_CONTAINS(ask_output(&a, "stderr"), "nosuch");
    ask_finish(&a);
}

static void f055_input_reaches_it_until_it_is_closed(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    struct listener l = {.a = &a,
                         .method = "process.Process/Start",
                         .json = "{\"process\":{\"cmd\":\"cat\"},\"stdin\":true,\"tag\":\"t1\"}"};
    ask_listen(&l);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "{\"processes\":[{\"config\":{\"cmd\":\"cat\"},\"pid\":");
    T_CONTAINS(sbx_buf_text(&a.body), "\"tag\":\"t1\"}]}");
    T_EQ(ask_rpc(&a, "process.Process/SendInput", "{\"process\":{\"tag\":\"t1\"},\"input\":{\"stdin\":\"aGkK\"}}"),
         200);
    T_STR(sbx_buf_text(&a.body), "{}");
    T_EQ(ask_rpc(&a, "process.Process/CloseStdin", "{\"process\":{\"tag\":\"t1\"}}"), 200);
    ask_pass_ms(&a, 100);
    T_TRUE(l.ended_ms > 0);
    T_EQ(ask_rpc(&a, "process.Process/SendInput", "{\"process\":{\"tag\":\"t1\"},\"input\":{\"stdin\":\"aGkK\"}}"),
         404);
    T_STR(sbx_buf_text(&a.body), "{\"code\":\"not_found\",\"message\":\"process with tag t1 not found\"}");
    ask_listener_finish(&l);
    T_CONTAINS(sbx_buf_text(&l.events), "{\"event\":{\"data\":{\"stdout\":\"aGkK\"}}}");
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void a_kill_ends_the_leader_and_is_told(void) {
    struct ask a;
    char json[128];
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    struct listener l = {
        .a = &a, .method = "process.Process/Start", .json = "{\"process\":{\"cmd\":\"sleep\",\"args\":[\"100\"]}}"};
    ask_listen(&l);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    const char *pid = strstr(sbx_buf_text(&a.body), "\"pid\":");
    snprintf(json, sizeof(json), "{\"process\":{\"pid\":%d},\"signal\":\"SIGNAL_SIGKILL\"}", atoi(pid + 6));
    T_EQ(ask_rpc(&a, "process.Process/SendSignal", json), 200);
    T_EQ(ask_rpc(&a, "process.Process/SendSignal", json), 404);
    ask_listener_finish(&l);
    T_CONTAINS(sbx_buf_text(&l.events),
               "0 {\"event\":{\"end\":{\"exitCode\":-1,\"status\":\"signal: killed\",\"error\":\"signal: "
               "killed\"}}}\n2 {}\n");
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

T_CASES(T_CASE(a_command_says_what_it_prints_and_how_it_ended), T_CASE(it_has_the_environment_of_create_and_start),
        T_CASE(a_program_that_is_not_there_is_an_exit_code), T_CASE(f055_input_reaches_it_until_it_is_closed),
        T_CASE(a_kill_ends_the_leader_and_is_told))
