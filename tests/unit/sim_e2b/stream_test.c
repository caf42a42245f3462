/* Streams of processes of the simulated E2B: deadlines, who listens, what is lost, how they are cut. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>

#define SLEEP_ECHO                                                                                                     \
    "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"echo one; sleep 10; echo two; sleep 10\"]},\"stdin\":false}"
#define FOREVER  "{\"process\":{\"cmd\":\"sleep\",\"args\":[\"100000\"]}}"
#define KILLED   "{\"event\":{\"end\":{\"exitCode\":-1,\"status\":\"signal: killed\",\"error\":\"signal: killed\"}}}\n"
#define TOO_LATE "2 {\"error\":{\"code\":\"deadline_exceeded\",\"message\":\"context deadline exceeded\"}}\n"

static void begin(struct ask *a, const char *scenario) {
    ask_init(a, scenario);
    ask_create(a, "{\"templateID\":\"base\",\"timeout\":3600}");
}

static int pid_of(struct ask *a) {
    T_EQ(ask_rpc(a, "process.Process/List", "{}"), 200);
    const char *at = strstr(sbx_buf_text(&a->body), "\"pid\":");
    return at ? (int)strtol(at + 6, NULL, 10) : 0;
}

static void e2b8_21_a_deadline_kills_the_leader_alone(void) {
    struct ask a;
    begin(&a, NULL);
    ask_header(&a, "Connect-Timeout-Ms", "5000");
    const int64_t from_ms = ask_now_ms(&a);
    T_EQ(ask_stream(&a, "process.Process/Start", SLEEP_ECHO), 200);
    T_STR(ask_output(&a, "stdout"), "one\n");
    T_CONTAINS(sbx_buf_text(&a.events), TOO_LATE);
    T_TRUE(!strstr(sbx_buf_text(&a.events), "\"end\""));
    T_TRUE(ask_now_ms(&a) - from_ms < 5100);
    T_EQ(pid_of(&a), 0);
    T_EQ(ask_run(&a, "ps -e | grep -c sleep", NULL), 200); /* its child is alive */
    T_STR(ask_output(&a, "stdout"), "1\n");
    ask_finish(&a);
}

static void a_deadline_may_show_the_end_by_a_switch(void) {
    struct ask a;
    begin(&a, "{\"timeout\":\"end\"}");
    ask_header(&a, "Connect-Timeout-Ms", "5000");
    T_EQ(ask_stream(&a, "process.Process/Start", FOREVER), 200);
    T_CONTAINS(sbx_buf_text(&a.events), KILLED);
    ask_finish(&a);
}

static void without_a_deadline_it_runs_on_with_keepalives(void) {
    struct ask a;
    begin(&a, NULL);
    ask_header(&a, "Keepalive-Ping-Interval", "50");
    T_EQ(ask_run(&a, "sleep 170", NULL), 200);
    int count = 0;
    for (const char *at = sbx_buf_text(&a.events); (at = strstr(at, "0 {\"event\":{\"keepalive\":{}}}\n")); at++)
        count++;
    T_EQ(count, 3);
    T_CONTAINS(sbx_buf_text(&a.events), "\"status\":\"exit status 0\"");
    a.more_count = 0;
    ask_header(&a, "Keepalive-Ping-Interval", "0");
    T_EQ(ask_run(&a, "true", NULL), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
    ask_finish(&a);
}

static void a_standard_deadline_by_a_switch(void) {
    struct ask a;
    begin(&a, "{\"default_timeout_ms\":60000}");
    T_EQ(ask_run(&a, "sleep 170", NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.events), TOO_LATE);
    ask_finish(&a);
}

static void e2b8_22_zero_is_over_at_once_and_the_process_runs_on(void) {
    struct ask a;
    begin(&a, NULL);
    ask_header(&a, "Connect-Timeout-Ms", "0");
    T_EQ(ask_stream(&a, "process.Process/Start", FOREVER), 200);
    T_CONTAINS(sbx_buf_text(&a.events), TOO_LATE);
    a.more_count = 0;
    ask_pass_ms(&a, 100000);
    T_TRUE(pid_of(&a) > 0);
    ask_header(&a, "Connect-Timeout-Ms", "12345678901");
    T_EQ(ask_stream(&a, "process.Process/Start", FOREVER), 200);
    T_CONTAINS(sbx_buf_text(&a.events), "has >10 digits");
    ask_finish(&a);
}

static void e2b8_23_who_leaves_leaves_the_process_alone(void) {
    struct ask a;
    begin(&a, NULL);
    a.deadline_ms = 100;
    T_EQ(ask_run(&a, "echo out; sleep 5; echo done >f", NULL), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_DEADLINE);
    a.deadline_ms = 0;
    T_TRUE(pid_of(&a) > 0);
    ask_pass_ms(&a, 6000);
    T_EQ(ask_run(&a, "cat f", NULL), 200);
    T_STR(ask_output(&a, "stdout"), "done\n");
    ask_finish(&a);
}

static void e2b8_25_an_end_is_kept_for_thirty_seconds(void) {
    struct ask a;
    char json[64];
    begin(&a, NULL);
    struct listener first = {.a = &a, .method = "process.Process/Start", .json = SLEEP_ECHO};
    ask_listen(&first);
    ask_pass_ms(&a, 1000);
    snprintf(json, sizeof(json), "{\"process\":{\"pid\":%d}}", pid_of(&a));
    struct listener later = {.a = &a, .method = "process.Process/Connect", .json = json};
    ask_listen(&later);
    ask_pass_ms(&a, 30000);
    T_TRUE(first.ended_ms && later.ended_ms);
    T_EQ(ask_stream(&a, "process.Process/Connect", json), 200); /* its end is still kept */
    T_CONTAINS(sbx_buf_text(&a.events), "\"status\":\"exit status 0\"}}}\n2 {}\n");
    ask_pass_ms(&a, 30000);
    T_EQ(ask_stream(&a, "process.Process/Connect", json), 200);
    T_CONTAINS(sbx_buf_text(&a.events), "2 {\"error\":{\"code\":\"not_found\",\"message\":\"process with pid ");
    ask_listener_finish(&first);
    ask_listener_finish(&later);
    T_CONTAINS(sbx_buf_text(&first.events), "b25lCg==");
    T_CONTAINS(sbx_buf_text(&first.events), "dHdvCg==");
    T_TRUE(!strstr(sbx_buf_text(&later.events), "b25lCg=="));
    T_CONTAINS(sbx_buf_text(&later.events), "dHdvCg==");
    sbx_buf_finish(&first.events);
    sbx_buf_finish(&later.events);
    ask_finish(&a);
}

static void older_daemons_keep_no_ends(void) {
    struct ask a;
    char json[64];
    begin(&a, "{\"exit_retention_ms\":0}");
    T_EQ(ask_run(&a, "true", NULL), 200);
    snprintf(json, sizeof(json), "{\"process\":{\"pid\":%d}}",
             (int)strtol(strstr(a.events.data, "\"pid\":") + 6, NULL, 10));
    T_EQ(ask_stream(&a, "process.Process/Connect", json), 200);
    T_CONTAINS(sbx_buf_text(&a.events), "not_found");
    ask_finish(&a);
}

static void the_deadline_of_a_later_listener_is_its_own(void) {
    struct ask a;
    char json[64];
    begin(&a, NULL);
    struct listener l = {.a = &a, .method = "process.Process/Start", .json = FOREVER};
    ask_listen(&l);
    snprintf(json, sizeof(json), "{\"process\":{\"pid\":%d}}", pid_of(&a));
    ask_header(&a, "Connect-Timeout-Ms", "1000");
    T_EQ(ask_stream(&a, "process.Process/Connect", json), 200);
    T_CONTAINS(sbx_buf_text(&a.events), TOO_LATE);
    T_TRUE(pid_of(&a) > 0);
    ask_listener_finish(&l);
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void a_child_that_holds_the_output_holds_the_stream(void) {
    struct ask a;
    begin(&a, NULL);
    const int64_t from_ms = ask_now_ms(&a);
    T_EQ(ask_run(&a, "sleep 7 & echo shell", NULL), 200);
    T_TRUE(ask_now_ms(&a) - from_ms >= 7000);
    T_EQ(ask_run(&a, "sleep 7 >/dev/null 2>&1 </dev/null & echo shell", NULL), 200);
    T_TRUE(ask_now_ms(&a) - from_ms < 7500);
    ask_finish(&a);
}

static void groups_are_the_daemons_unless_made(void) {
    struct ask a;
    begin(&a, NULL);
    T_EQ(ask_run(&a, "kill -0 -- -$$ 2>/dev/null; echo $?; setsid sh -c 'kill -0 -- -$$; echo $?'", NULL), 200);
    T_STR(ask_output(&a, "stdout"), "1\n0\n");
    ask_finish(&a);
}

static void an_end_of_the_sandbox_cuts_the_stream(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":10}");
    T_EQ(ask_run(&a, "echo out; sleep 100", NULL), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
    T_STR(ask_output(&a, "stdout"), "out\n");
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
    ask_init(&a, "{\"cut\":\"unavailable\"}");
    ask_create(&a, "{\"templateID\":\"base\",\"timeout\":10}");
    T_EQ(ask_run(&a, "echo out; sleep 100", NULL), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_DONE);
    T_CONTAINS(sbx_buf_text(&a.events),
               "2 {\"error\":{\"code\":\"unavailable\",\"message\":\"the connection to sandbox ");
    ask_finish(&a);
}

static void much_output_comes_whole_and_in_pieces(void) {
    struct ask a;
    begin(&a, NULL);
    T_EQ(ask_run(&a, "head -c 300000 /dev/zero | tr '\\0' x", NULL), 200);
    T_EQ(strlen(ask_output(&a, "stdout")), 300000);
    T_CONTAINS(sbx_buf_text(&a.events), "\"status\":\"exit status 0\"");
    ask_finish(&a);
}

static void journal_of_a_life(char hash[65]) {
    struct ask a;
    begin(&a, NULL);
    struct listener l = {.a = &a, .method = "process.Process/Start", .json = SLEEP_ECHO};
    ask_listen(&l);
    T_EQ(ask_run(&a, "echo hi >f; cat f; date", NULL), 200);
    ask_pass_ms(&a, 30000);
    ask_listener_finish(&l);
    sbx_sim_journal_hash(a.sim, hash);
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void the_same_seed_writes_the_same_journal(void) {
    char one[65], two[65];
    journal_of_a_life(one);
    journal_of_a_life(two);
    T_EQ(strlen(one), 64);
    T_STR(one, two);
}

static int reads_nothing(void *ctx, const void *data, size_t len) {
    struct sbx_env *env = sbx_sim_env(((struct ask *)ctx)->sim);
    (void)data;
    (void)len;
    return env->sleep_until(env, env->now_ms(env) + 60000, NULL) != SBX_OK;
}

static void listen_without_reading(void *arg) {
    struct ask *a = arg;
    struct sbx_env *env = sbx_sim_env(a->sim);
    static const char body[] = "\0\0\0\0\27{\"process\":{\"tag\":\"t\"}}";
    const struct sbx_header headers[] = {{"Content-Type", "application/connect+json"},
                                         {"E2b-Sandbox-Id", a->id},
                                         {"E2b-Sandbox-Port", "49983"},
                                         {"X-Access-Token", a->token}};
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = "POST",
                                    .url = SBX_SIM_E2B_SANDBOX_URL "/process.Process/Connect",
                                    .headers = headers,
                                    .header_count = 4,
                                    .body = body,
                                    .body_len = sizeof(body) - 1,
                                    .deadline_ms = env->now_ms(env) + 60000};
    const struct sbx_receiver to = {a, NULL, reads_nothing};
    (void)env->exchange(env, &req, &to, NULL);
}

/* F073: until the one leaves, nobody hears anything, and the process stands still. */
static void f073_one_who_does_not_read_keeps_all_waiting(void) {
    struct ask a;
    begin(&a, NULL);
    struct listener l = {.a = &a,
                         .method = "process.Process/Start",
                         .json = "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"sleep 1; head -c 1000000 "
                                 "/dev/zero\"]},\"stdin\":false,\"tag\":\"t\"}"};
    ask_listen(&l);
    T_STATUS(sbx_sim_spawn(a.sim, listen_without_reading, &a), SBX_OK);
    ask_pass_ms(&a, 30000);
    T_EQ(l.ended_ms, 0);
    T_TRUE(l.raw.len > 0 && l.raw.len < 700000);
    ask_pass_ms(&a, 60000);
    T_TRUE(l.ended_ms > 0);
    ask_listener_finish(&l);
    T_CONTAINS(sbx_buf_text(&l.events), "\"status\":\"exit status 0\"");
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void input_comes_as_a_stream_too(void) {
    static const char messages[] = "\0\0\0\0\41"
                                   "{\"start\":{\"process\":{\"tag\":\"t\"}}}"
                                   "\0\0\0\0\43"
                                   "{\"data\":{\"input\":{\"stdin\":\"aGkK\"}}}"
                                   "\0\0\0\0\20"
                                   "{\"keepalive\":{}}";
    struct ask a;
    begin(&a, NULL);
    struct listener l = {
        .a = &a, .method = "process.Process/Start", .json = "{\"process\":{\"cmd\":\"cat\"},\"tag\":\"t\"}"};
    ask_listen(&l);
    T_EQ(ask_envd(&a, "POST", "/process.Process/StreamInput", "application/connect+json", messages,
                  sizeof(messages) - 1),
         200);
    T_MEM(a.body.data, a.body.len, "\0\0\0\0\x02{}\2\0\0\0\x02{}", 14);
    T_EQ(ask_rpc(&a, "process.Process/CloseStdin", "{\"process\":{\"tag\":\"t\"}}"), 200);
    ask_pass_ms(&a, 50);
    ask_listener_finish(&l);
    T_CONTAINS(sbx_buf_text(&l.events), "aGkK");
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

T_CASES(T_CASE(e2b8_21_a_deadline_kills_the_leader_alone), T_CASE(a_deadline_may_show_the_end_by_a_switch),
        T_CASE(without_a_deadline_it_runs_on_with_keepalives), T_CASE(a_standard_deadline_by_a_switch),
        T_CASE(e2b8_22_zero_is_over_at_once_and_the_process_runs_on),
        T_CASE(e2b8_23_who_leaves_leaves_the_process_alone), T_CASE(e2b8_25_an_end_is_kept_for_thirty_seconds),
        T_CASE(older_daemons_keep_no_ends), T_CASE(the_deadline_of_a_later_listener_is_its_own),
        T_CASE(a_child_that_holds_the_output_holds_the_stream), T_CASE(groups_are_the_daemons_unless_made),
        T_CASE(an_end_of_the_sandbox_cuts_the_stream), T_CASE(much_output_comes_whole_and_in_pieces),
        T_CASE(the_same_seed_writes_the_same_journal), T_CASE(f073_one_who_does_not_read_keeps_all_waiting),
        T_CASE(input_comes_as_a_stream_too))
