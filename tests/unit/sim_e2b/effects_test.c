/* Fault effects that are the simulated E2B's own, and the failures of others by their numbers. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>

#define HELLO "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"echo one; sleep 1; echo two\"]},\"stdin\":false}"
#define END   "0 {\"event\":{\"end\":{\"exited\":true,\"status\":\"exit status 0\"}}}\n"

static void armed(struct ask *a, const struct sbx_fault *fault) {
    ask_init(a, NULL);
    ask_create(a, NULL);
    ask_fault(a, fault);
}

static void f019_it_vanishes_long_before_its_time(void) {
    const struct sbx_fault gone = {
        .op = "e2b.process.start", .phase = "before", .times = 1, .effect = {.kind = "expire", .delay_ms = 500}};
    struct ask a;
    armed(&a, &gone);
    T_EQ(ask_stream(&a, "process.Process/Start", HELLO), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
    T_STR(ask_output(&a, "stdout"), "one\n");
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void f038_a_create_that_never_answers_is_found_by_its_metadata(void) {
    const struct sbx_fault hang = {.op = "e2b.sandbox.create", .phase = "after_commit", .effect = {.kind = "hang"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &hang);
    a.deadline_ms = 3000;
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\",\"metadata\":{\"acq\":\"x\"}}"), 0);
    T_EQ(a.evidence, SBX_EVIDENCE_DEADLINE);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=acq%3Dx", NULL), 200);
    T_EQ(sbx_json_count(sbx_json_root(a.js)), 1);
    ask_finish(&a);
}

static void f046_a_stream_without_an_end_is_no_success(void) {
    const struct sbx_fault faults[] = {
        {.op = "e2b.process.start", .phase = "before", .effect = {.kind = "no_end"}},
        {.op = "e2b.process.start", .phase = "before", .effect = {.kind = "no_eos"}},
    };
    struct ask a;
    armed(&a, &faults[0]);
    T_EQ(ask_stream(&a, "process.Process/Start", HELLO), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_DONE);
    T_TRUE(!strstr(sbx_buf_text(&a.events), "\"end\""));
    T_CONTAINS(sbx_buf_text(&a.events), "\n2 {}\n");
    ask_finish(&a);
    armed(&a, &faults[1]);
    T_EQ(ask_stream(&a, "process.Process/Start", HELLO), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_PARTIAL);
    T_CONTAINS(sbx_buf_text(&a.events), END);
    T_TRUE(!strstr(sbx_buf_text(&a.events), "\n2 "));
    ask_finish(&a);
}

static void f058_the_list_is_empty_while_it_runs(void) {
    const struct sbx_fault empty = {
        .op = "e2b.process.list", .phase = "before", .times = 1, .effect = {.kind = "list_empty"}};
    struct ask a;
    armed(&a, &empty);
    struct listener l = {
        .a = &a, .method = "process.Process/Start", .json = "{\"process\":{\"cmd\":\"cat\"},\"stdin\":true}"};
    ask_listen(&l);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"cmd\":\"cat\"");
    ask_listener_finish(&l);
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void f061_the_stream_is_silent_for_ever(void) {
    const struct sbx_fault silent = {
        .op = "e2b.process.start", .phase = "mid_reply", .effect = {.kind = "hang", .at_bytes = 40}};
    struct ask a;
    armed(&a, &silent);
    a.deadline_ms = 60000;
    T_EQ(ask_stream(&a, "process.Process/Start", HELLO), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_DEADLINE);
    T_EQ(a.body.len, 40);
    ask_finish(&a);
}

static void f076_what_nobody_hears_is_lost(void) {
    struct ask a;
    char json[64];
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    a.deadline_ms = 100;
    T_EQ(ask_stream(&a, "process.Process/Start",
                    "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"sleep 1; echo lost; sleep 1; echo "
                    "heard\"]},\"tag\":\"t\"}"),
         200);
    a.deadline_ms = 0;
    ask_pass_ms(&a, 1200);
    snprintf(json, sizeof(json), "{\"process\":{\"tag\":\"t\"}}");
    T_EQ(ask_stream(&a, "process.Process/Connect", json), 200);
    T_STR(ask_output(&a, "stdout"), "heard\n");
    ask_finish(&a);
}

static void f091_filters_are_ignored(void) {
    const struct sbx_fault all = {.op = "e2b.sandbox.list", .phase = "before", .effect = {.kind = "list_all"}};
    struct ask a;
    armed(&a, &all);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=no%3Dsuch&state=paused", NULL), 200);
    T_EQ(sbx_json_count(sbx_json_root(a.js)), 1);
    ask_finish(&a);
}

static void f097_a_slot_limit_has_no_time_to_wait(void) {
    const struct sbx_fault full = {
        .op = "e2b.sandbox.create", .phase = "before", .times = 1, .effect = {.kind = "concurrency"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &full);
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\"}"), 429);
    T_CONTAINS(ask_text(&a, "message"), "maximum number of concurrent E2B sandboxes (20)");
    T_TRUE(!strstr(sbx_buf_text(&a.headers), "Retry-After"));
    T_EQ(sbx_sim_ledger_made(a.sim), 0);
    ask_finish(&a);
}

static void f106_and_f115_the_edge_answers_in_its_own_ways(void) {
    const struct sbx_fault faults[] = {
        {.op = "e2b.process.list", .phase = "before", .times = 1, .effect = {.kind = "status", .status = 429}},
        {.op = "e2b.process.list", .phase = "before", .times = 1, .effect = {.kind = "html", .status = 502}},
        {.op = "e2b.process.list",
         .phase = "before",
         .times = 1,
         .effect = {.kind = "status", .status = 404, .body = "not here"}},
    };
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    for (size_t i = 0; i < 3; i++) ask_fault(&a, &faults[i]);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 429);
    T_STR(ask_text(&a, "code"), "resource_exhausted");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 502);
    T_CONTAINS(sbx_buf_text(&a.headers), "text/html");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 404);
    T_CONTAINS(sbx_buf_text(&a.headers), "text/plain");
    ask_finish(&a);
}

static void f121_a_create_that_redirects_has_made_one(void) {
    const struct sbx_fault away = {.op = "e2b.sandbox.create",
                                   .phase = "before",
                                   .times = 1,
                                   .effect = {.kind = "redirect", .value = "https://elsewhere.invalid/"}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &away);
    T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\"}"), 302);
    T_EQ(a.body.len, 0);
    T_CONTAINS(sbx_buf_text(&a.headers), "Location: https://elsewhere.invalid/");
    T_EQ(sbx_sim_ledger_live(a.sim), 1);
    ask_finish(&a);
}

static void f152_a_delete_that_deletes_nothing(void) {
    const struct sbx_fault not = {
        .op = "e2b.sandbox.kill", .phase = "before", .times = 1, .effect = {.kind = "no_delete"}};
    struct ask a;
    armed(&a, &not );
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 204);
    T_STR(ask_state(&a), "running");
    T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 204);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

static void a_process_is_lost_without_a_record(void) {
    const struct sbx_fault lost = {
        .op = "e2b.sandbox.get", .phase = "before", .times = 1, .effect = {.kind = "lost_process"}};
    struct ask a;
    armed(&a, &lost);
    struct listener l = {
        .a = &a, .method = "process.Process/Start", .json = "{\"process\":{\"cmd\":\"cat\"},\"tag\":\"t\"}"};
    ask_listen(&l);
    T_STR(ask_state(&a), "running");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_STR(sbx_buf_text(&a.body), "{}");
    T_EQ(ask_stream(&a, "process.Process/Connect", "{\"process\":{\"tag\":\"t\"}}"), 200);
    T_CONTAINS(sbx_buf_text(&a.events), "not_found");
    ask_listener_finish(&l);
    T_EQ(l.evidence, SBX_EVIDENCE_PARTIAL);
    T_TRUE(!strstr(sbx_buf_text(&l.events), "\"end\""));
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void a_number_is_used_again(void) {
    const struct sbx_fault reuse = {
        .op = "e2b.process.list", .phase = "before", .nth = 2, .times = 1, .effect = {.kind = "pid_reuse"}};
    struct ask a;
    armed(&a, &reuse);
    struct listener l = {
        .a = &a, .method = "process.Process/Start", .json = "{\"process\":{\"cmd\":\"cat\"},\"tag\":\"t\"}"};
    ask_listen(&l);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    const long pid = strtol(strstr(sbx_buf_text(&a.body), "\"pid\":") + 6, NULL, 10);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"cmd\":\"sleep\"");
    T_EQ(strtol(strstr(sbx_buf_text(&a.body), "\"pid\":") + 6, NULL, 10), pid);
    ask_listener_finish(&l);
    sbx_buf_finish(&l.events);
    ask_finish(&a);
}

static void the_end_overtakes_the_last_data(void) {
    const struct sbx_fault early = {.op = "e2b.process.start", .phase = "before", .effect = {.kind = "end_early"}};
    struct ask a;
    armed(&a, &early);
    T_EQ(ask_stream(&a, "process.Process/Start", HELLO), 200);
    T_CONTAINS(sbx_buf_text(&a.events), END "0 {\"event\":{\"data\":{\"stdout\":\"dHdvCg==\"}}}\n2 {}\n");
    ask_finish(&a);
}

static int pieces;
static int piece_body(void *ctx, const void *data, size_t len) {
    pieces++;
    sbx_buf_append(ctx, data, len);
    return 0;
}

/* At every byte: what arrives is the same. */
static void envelopes_are_split_anywhere(void) {
    struct sbx_fault split = {
        .op = "e2b.process.start", .phase = "before", .times = 1, .effect = {.kind = "split", .at_bytes = 1}};
    struct ask a;
    armed(&a, &split);
    T_EQ(ask_stream(&a, "process.Process/Start", HELLO), 200);
    T_EQ(a.evidence, SBX_EVIDENCE_DONE);
    T_STR(ask_output(&a, "stdout"), "one\ntwo\n");
    T_CONTAINS(sbx_buf_text(&a.events), END "2 {}\n");
    struct sbx_env *env = sbx_sim_env(a.sim);
    struct sbx_buf got = SBX_BUF_INIT;
    static const char body[] = "\0\0\0\0\x1b{\"process\":{\"cmd\":\"true\"}} ";
    const struct sbx_header headers[] = {{"Content-Type", "application/connect+json"},
                                         {"E2b-Sandbox-Id", a.id},
                                         {"E2b-Sandbox-Port", "49983"},
                                         {"X-Access-Token", a.token}};
    const struct sbx_request req = {.size = sizeof(req),
                                    .method = "POST",
                                    .url = SBX_SIM_E2B_SANDBOX_URL "/process.Process/Start",
                                    .headers = headers,
                                    .header_count = 4,
                                    .body = body,
                                    .body_len = sizeof(body) - 1,
                                    .deadline_ms = SBX_NO_DEADLINE};
    const struct sbx_receiver to = {&got, NULL, piece_body};
    ask_fault(&a, &split);
    T_EQ(env->exchange(env, &req, &to, NULL), SBX_EVIDENCE_DONE);
    T_TRUE(got.len > 40);
    T_TRUE(pieces > 40);
    sbx_buf_finish(&got);
    ask_finish(&a);
}

static void a_token_is_changed_under_the_client(void) {
    const struct sbx_fault rotate = {
        .op = "e2b.process.list", .phase = "after", .times = 1, .effect = {.kind = "rotate_token"}};
    struct ask a;
    armed(&a, &rotate);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 401);
    T_EQ(ask(&a, "GET", "/sandboxes/%s", NULL), 200);
    T_TRUE(sbx_copy(a.token, sizeof(a.token), ask_text(&a, "envdAccessToken")));
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    ask_finish(&a);
}

static void moving_states_are_held(void) {
    static const struct {
        const char *state;
        int connect, pause, kill, envd;
        const char *shown;
    } held[] = {{"pausing", 200, 409, 204, 409, "paused"},
                {"resuming", 200, 409, 409, 409, "paused"},
                {"killing", 409, 409, 204, 502, "404"}};
    for (size_t i = 0; i < 3; i++) {
        const struct sbx_fault hold = {.op = "e2b.sandbox.get",
                                       .phase = "after",
                                       .times = 1,
                                       .effect = {.kind = "state", .state = held[i].state, .delay_ms = 5000}};
        struct ask a;
        armed(&a, &hold);
        T_STR(ask_state(&a), "running");
        T_STR(ask_state(&a), held[i].shown);
        T_EQ(ask_envd(&a, "GET", "/health", NULL, NULL, 0), held[i].envd);
        T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), held[i].pause);
        if (held[i].kill == 409) T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 409);
        T_EQ(ask(&a, "POST", "/v2/sandboxes/%s/connect", "{}"), held[i].connect); /* waits, but for a kill */
        ask_pass_ms(&a, 6000);
        T_EQ(ask(&a, "DELETE", "/sandboxes/%s", NULL), 204);
        ask_finish(&a);
    }
}

/* Held while it boots, it boots once it is let go. */
static void one_held_on_its_way_goes_on(void) {
    const struct sbx_fault hold = {.op = "e2b.sandbox.create",
                                   .phase = "after_commit",
                                   .times = 1,
                                   .effect = {.kind = "state", .state = "pausing", .delay_ms = 5000}};
    struct ask a;
    ask_init(&a, NULL);
    ask_fault(&a, &hold);
    int64_t begun_ms = ask_now_ms(&a);
    ask_create(&a, NULL);
    T_TRUE(ask_now_ms(&a) - begun_ms > 5000);
    T_STR(ask_state(&a), "running");
    T_EQ(ask_rpc(&a, "process.Process/List", "{}"), 200);
    ask_finish(&a);
}

T_CASES(T_CASE(f019_it_vanishes_long_before_its_time),
        T_CASE(f038_a_create_that_never_answers_is_found_by_its_metadata),
        T_CASE(f046_a_stream_without_an_end_is_no_success), T_CASE(f058_the_list_is_empty_while_it_runs),
        T_CASE(f061_the_stream_is_silent_for_ever), T_CASE(f076_what_nobody_hears_is_lost),
        T_CASE(f091_filters_are_ignored), T_CASE(f097_a_slot_limit_has_no_time_to_wait),
        T_CASE(f106_and_f115_the_edge_answers_in_its_own_ways), T_CASE(f121_a_create_that_redirects_has_made_one),
        T_CASE(f152_a_delete_that_deletes_nothing), T_CASE(a_process_is_lost_without_a_record),
        T_CASE(a_number_is_used_again), T_CASE(the_end_overtakes_the_last_data), T_CASE(envelopes_are_split_anywhere),
        T_CASE(a_token_is_changed_under_the_client), T_CASE(moving_states_are_held),
        T_CASE(one_held_on_its_way_goes_on))
