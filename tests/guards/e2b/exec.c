/* Guards of commands: an end is told or there is none, and what was cut off is ended. Rows E3, E8, P7, P9, P11. */
#include "e2b_script.h"

#include <sandport/kit/connect.h>
#include <sandport/kit/text.h>
#include <stdio.h>

static void a_command_and_its_streams(void) {
    for (size_t piece = 1; piece < 300; piece += 7) {
        struct ran r = RUN({.request = START_URL,
                            .head = {"Content-Type: application/connect+json", "X-Access-Token: tok",
                                     "E2b-Sandbox-Id: i1", "!X-API-Key"},
                            .body = "\"stdin\":false",
                            .piece = piece,
                            STREAM(BEGUN ALIVE OUT_HI ERR_OH OUT_HI END_3 EOS)});
        T_STATUS(r.st, SBX_OK);
        T_EQ(sbx_exec_result_exit_code(r.result), 3);
        T_STR(sbx_exec_result_stdout(r.result, NULL), "hi\nhi\n");
        T_STR(sbx_exec_result_stderr(r.result, NULL), "oh\n");
        T_EQ(sbx_exec_result_bytes_exact(r.result), 1);
        T_EQ(sbx_exec_result_streams_merged(r.result), 0);
        ran_finish(&r);
    }
}

/* ---- cut_off_is_ended: F043, F046, F074; digest 8, 16 and 17 ---- */

static void lost(struct ran *r, enum sbx_status st) {
    T_STATUS(r->st, st);
    T_EQ(r->w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(r->result, NULL), "hi\n");
    T_EQ(sbx_exec_result_exit_known(r->result), 0);
    T_EQ(sbx_exec_result_exit_code(r->result), -1);
    T_EQ(sbx_exec_result_bytes_exact(r->result), 0);
    T_EQ(sbx_exec_result_killed_confirmed(r->result), 0);
    ran_finish(r);
}

static void must_fire_cut_off_is_ended__reset(void) {
    struct ran r =
        RUN({.request = START_URL, .evidence = SBX_EVIDENCE_PARTIAL, STREAM(BEGUN OUT_HI)}, STANDS("running"), ENDING);
    lost(&r, SBX_CONNECTION_LOST);
}

static void must_fire_cut_off_is_ended__timeout(void) {
    struct ran r = RUN({.request = START_URL, .takes_ms = 60000, STREAM(BEGUN OUT_HI EOS_DEADLINE)}, ENDING);
    lost(&r, SBX_COMMAND_TIMEOUT);
}

static void must_not_fire_cut_off_is_ended__ended(void) {
    struct ran r = RUN({.request = START_URL, .evidence = SBX_EVIDENCE_PARTIAL, STREAM(BEGUN OUT_HI END_0)});
    T_STATUS(r.st, SBX_OK); /* its end was told before the connection went */
    T_EQ(sbx_exec_result_exit_code(r.result), 0);
    T_EQ(sbx_exec_result_bytes_exact(r.result), 0); /* but whether all output had come was not */
    ran_finish(&r);
}

static void must_not_fire_cut_off_is_ended__refused(void) {
    struct ran r = RUN({.request = START_URL, STREAM(EOS_CWD)});
    T_STATUS(r.st, SBX_INVALID_ARGUMENT);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_REFUSED);
    T_CONTAINS(r.w.err.detail, "cwd");
    T_TRUE(r.result == NULL);
    ran_finish(&r);
}

/* F046: three ways to end without an end, none of them a success. */
static void f046_no_end_is_no_success(void) {
    struct ran r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI)}, STANDS("running"), ENDING);
    lost(&r, SBX_CONNECTION_LOST);
    r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI EOS)}, STANDS("running"), ENDING);
    lost(&r, SBX_PROTOCOL);
    r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI EOS_UNAVAILABLE)}, STANDS("running"), ENDING);
    lost(&r, SBX_CONNECTION_LOST);
}

/* Its beginning was not told: it is looked for by its tag, and ended if it is there. */
static void one_of_unknown_beginning_is_looked_for(void) {
    struct ran r = RUN({.request = START_URL, .evidence = SBX_EVIDENCE_SENT_NO_ANSWER}, STANDS("running"),
                       {.request = "POST " BOX "/process.Process/List", .body = "{}", JSON(200, "{}")});
    T_STATUS(r.st, SBX_CONNECTION_LOST);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_UNKNOWN);
    T_TRUE(r.result == NULL);
    ran_finish(&r);
}

/* F047: a command is sent once, whatever the answer. */
static void f047_a_command_is_sent_once(void) {
    struct ran r =
        RUN({.request = START_URL, .http_status = 502, .answer = "<html>502 Bad Gateway</html>"}, STANDS("running"),
            {.request = "POST " BOX "/process.Process/List", JSON(200, "{\"processes\":[]}")});
    T_STATUS(r.st, SBX_NOT_READY);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_UNKNOWN);
    ran_finish(&r);
    r = RUN({.request = START_URL, .evidence = SBX_EVIDENCE_CONNECT});
    T_STATUS(r.st, SBX_CONNECT_FAILED);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_NOT_SENT);
    ran_finish(&r);
}

/* ---- gone_is_told: F019, F074; a state read says so, not the wording ---- */

static void must_fire_gone_is_told__in_mid_command(void) {
    struct ran r = RUN({.request = START_URL, .evidence = SBX_EVIDENCE_PARTIAL, STREAM(BEGUN OUT_HI)}, GONE);
    T_STATUS(r.st, SBX_NOT_FOUND);
    T_STR(r.w.err.detail, "the sandbox is gone");
    T_EQ(r.w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(r.result, NULL), "hi\n");
    T_EQ(sbx_exec_result_killed_confirmed(r.result), 1); /* nobody lives on in what is gone */
    ran_finish(&r);
}

static void must_not_fire_gone_is_told__running(void) {
    struct ran r =
        RUN({.request = START_URL, .evidence = SBX_EVIDENCE_PARTIAL, STREAM(BEGUN OUT_HI)}, STANDS("running"), ENDING);
    lost(&r, SBX_CONNECTION_LOST);
}

/* Digest 8, 30: one status, three bodies. */
static void e2b8_30_three_kinds_of_502(void) {
    struct ran r = RUN({.request = START_URL,
                        JSON(502, "{\"sandboxId\":\"i1\",\"message\":\"The sandbox was not found\",\"code\":502}")},
                       STANDS("paused"));
    T_STATUS(r.st, SBX_NOT_READY);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_REFUSED);
    T_STR(r.w.err.detail, "the sandbox's state is PAUSED");
    ran_finish(&r);
    r = RUN({.request = START_URL,
             JSON(502, "{\"sandboxId\":\"i1\",\"message\":\"The sandbox is running but port is "
                       "not open\",\"port\":49983,\"code\":502}")},
            STANDS("running"));
    T_STATUS(r.st, SBX_NOT_READY);
    T_STR(r.w.err.detail, "the sandbox's daemon does not listen");
    ran_finish(&r);
}

/* F115: what is no stream is judged by its status. */
static void f115_plain_answers_where_a_stream_was_expected(void) {
    struct ran r = RUN({.request = START_URL, .http_status = 404, .answer = "404 page not found"}, STANDS("running"),
                       {.request = "POST " BOX "/process.Process/List", JSON(200, "{}")});
    T_STATUS(r.st, SBX_PROVIDER);
    ran_finish(&r);
    r = RUN({.request = START_URL, JSON(429, "{\"message\":\"too many\"}")});
    T_STATUS(r.st, SBX_RATE_LIMITED);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_REFUSED);
    ran_finish(&r);
    r = RUN({.request = START_URL, JSON(200, "{}")}, STANDS("running"),
            {.request = "POST " BOX "/process.Process/List", JSON(200, "{}")});
    T_STATUS(r.st, SBX_PROTOCOL);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_UNKNOWN);
    ran_finish(&r);
}

/* F061: silence for longer than signs of life are apart is a dead stream, and no deadline of the caller's. */
static void f061_silence_ends_it(void) {
    struct ran r =
        RUN({.request = START_URL, .evidence = SBX_EVIDENCE_DEADLINE, .takes_ms = 30000, STREAM(BEGUN OUT_HI)},
            STANDS("running"), ENDING);
    T_CONTAINS(r.w.err.detail, "sign of life");
    lost(&r, SBX_CONNECTION_LOST);
}

/* ---- e2b_kill_confirmed: proven by the answer of a group of its own, and by nothing else ---- */

static const char *words; /* behind the tag */

/* The answer carries the tag, which is drawn: so it is read from the request. */
static void end_says(const char *body, size_t len, struct sbx_buf *out) {
    const char *tag = memmem(body, len, "\"sbx\",\"7\",\"", 11);
    char text[128], json[256];
    struct sbx_buf coded = SBX_BUF_INIT;
    T_TRUE(tag != NULL);
    snprintf(text, sizeof(text), "e2b-end %.32s %s\n", tag + 11, words);
    sbx_base64_encode(&coded, text, strlen(text));
    snprintf(json, sizeof(json), "{\"event\":{\"data\":{\"stdout\":\"%s\"}}}", sbx_buf_text(&coded));
    sbx_buf_append(out, BEGUN, sizeof(BEGUN) - 1);
    sbx_connect_envelope(out, json, strlen(json));
    sbx_buf_append(out, END_0 EOS, sizeof(END_0 EOS) - 1);
    sbx_buf_finish(&coded);
}

static int confirmed(const char *said) {
    words = said;
    struct ran r = RUN({.request = START_URL, .takes_ms = 60000, STREAM(BEGUN EOS_DEADLINE)},
                       {.request = START_URL,
                        .http_status = 200,
                        .answer_head = "Content-Type: application/connect+json\n",
                        .answer_of = end_says});
    T_STATUS(r.st, SBX_COMMAND_TIMEOUT);
    int is = sbx_exec_result_killed_confirmed(r.result);
    ran_finish(&r);
    return is;
}

static void must_fire_e2b_kill_confirmed__not_proven(void) {
    T_EQ(confirmed("1 own"), 0); /* somebody is alive */
    T_EQ(confirmed("0"), 0);     /* it had no group of its own, so its children cannot be told from others */
    T_EQ(confirmed("0 own more"), 0);
}

static void must_not_fire_e2b_kill_confirmed__proven(void) {
    T_EQ(confirmed("0 own"), 1);
}

T_CASES(T_CASE(a_command_and_its_streams), T_CASE(must_fire_cut_off_is_ended__reset),
        T_CASE(must_fire_cut_off_is_ended__timeout), T_CASE(must_not_fire_cut_off_is_ended__ended),
        T_CASE(must_not_fire_cut_off_is_ended__refused), T_CASE(f046_no_end_is_no_success),
        T_CASE(one_of_unknown_beginning_is_looked_for), T_CASE(f047_a_command_is_sent_once),
        T_CASE(must_fire_gone_is_told__in_mid_command), T_CASE(must_not_fire_gone_is_told__running),
        T_CASE(e2b8_30_three_kinds_of_502), T_CASE(f115_plain_answers_where_a_stream_was_expected),
        T_CASE(f061_silence_ends_it), T_CASE(must_fire_e2b_kill_confirmed__not_proven),
        T_CASE(must_not_fire_e2b_kill_confirmed__proven))
