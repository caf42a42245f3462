/* Edge cases of a process's stream, by their number in the list of the wire's edge cases: 15-20, 40, 41. Rows E8, P7.
 */
#include "e2b_script.h"

#include <sandport/kit/connect.h>

/* Events of a kind that is newer than this release, an empty one, and every size of piece. */
#define NEWER                                                                                                          \
    "\000\0\0\000\034"                                                                                                 \
    "{\"event\":{\"moved\":{\"to\":7}}}"
#define NOTHING                                                                                                        \
    "\000\0\0\000\002"                                                                                                 \
    "{}"

static void e2b8_15_every_piece_of_a_stream(void) {
    for (size_t piece = 1; piece < 220; piece++) {
        struct ran r = RUN({.request = START_URL, .piece = piece, STREAM(BEGUN NEWER OUT_HI NOTHING ERR_OH END_3 EOS)});
        T_STATUS(r.st, SBX_OK);
        T_EQ(sbx_exec_result_exit_code(r.result), 3);
        T_STR(sbx_exec_result_stdout(r.result, NULL), "hi\n");
        T_STR(sbx_exec_result_stderr(r.result, NULL), "oh\n");
        ran_finish(&r);
    }
}

static void is_no_success(struct ran *r, enum sbx_status st) {
    T_STATUS(r->st, st);
    T_EQ(r->w.err.outcome, SBX_OUTCOME_DONE);
    T_STR(sbx_exec_result_stdout(r->result, NULL), "hi\n");
    T_EQ(sbx_exec_result_exit_known(r->result), 0);
    T_EQ(sbx_exec_result_exit_code(r->result), -1);
    ran_finish(r);
}

static void e2b8_16_no_end_of_the_stream(void) {
    struct ran r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI)}, STANDS("running"), ENDING);
    is_no_success(&r, SBX_CONNECTION_LOST);
    r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI "\002\0\0")}, STANDS("running"), ENDING);
    is_no_success(&r, SBX_CONNECTION_LOST);
}

static void e2b8_17_an_error_behind_output(void) {
    struct ran r = RUN({.request = START_URL, .takes_ms = 60000, STREAM(BEGUN OUT_HI EOS_DEADLINE)}, ENDING);
    is_no_success(&r, SBX_COMMAND_TIMEOUT);
    r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI EOS_UNAVAILABLE)}, STANDS("running"), ENDING);
    is_no_success(&r, SBX_CONNECTION_LOST);
}

static void e2b8_18_a_good_end_without_an_exit(void) {
    struct ran r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI EOS)}, STANDS("running"), ENDING);
    is_no_success(&r, SBX_PROTOCOL);
}

static void e2b8_19_exits_as_they_are_told(void) {
    struct ran r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI END_0 EOS)});
    T_STATUS(r.st, SBX_OK);
    T_EQ(sbx_exec_result_exit_known(r.result), 1);
    T_EQ(sbx_exec_result_exit_code(r.result), 0); /* an exit code that is left out beside "exited" */
    ran_finish(&r);
    r = RUN({.request = START_URL, STREAM(BEGUN OUT_HI END_KILLED EOS)});
    T_STATUS(r.st, SBX_OK);
    T_EQ(sbx_exec_result_exit_code(r.result), 137); /* -1 and a signal's name */
    ran_finish(&r);
}

/* Nobody of that name, told by a stream; a token that is none, told by plain HTTP: nothing ran in either case. */
#define EOS_NOBODY                                                                                                     \
    "\002\0\0\000\106"                                                                                                 \
    "{\"error\":{\"code\":\"unauthenticated\",\"message\":\"invalid username: 'x'\"}}"

static void e2b8_20_refused_by_a_stream_and_by_http(void) {
    struct ran r = RUN({.request = START_URL, STREAM(EOS_NOBODY)}, STANDS("running"));
    T_STATUS(r.st, SBX_UNAUTHORISED);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_REFUSED);
    T_TRUE(r.result == NULL);
    ran_finish(&r);
    r = RUN({.request = START_URL, JSON(401, "{\"code\":401,\"message\":\"unauthorized access\"}")}, STANDS("running"));
    T_STATUS(r.st, SBX_UNAUTHORISED);
    T_EQ(r.w.err.outcome, SBX_OUTCOME_REFUSED);
    T_TRUE(r.result == NULL);
    ran_finish(&r);
}

/* Spaces where there need be none, numbers as texts, members with the value of nothing left out or there. */
#define ODD_BEGUN                                                                                                      \
    "\000\0\0\000\052"                                                                                                 \
    "{ \"event\" : { \"start\" : {\"pid\" : \"7\"} } } "
#define ODD_END                                                                                                        \
    "\000\0\0\000\101"                                                                                                 \
    "{\"event\": {\"end\": {\"exitCode\": \"3\", \"exited\": true, \"error\":\"\"}}}"

static void e2b8_40_json_as_the_daemon_may_write_it(void) {
    struct ran r = RUN({.request = START_URL, STREAM(ODD_BEGUN OUT_HI ODD_END EOS)});
    T_STATUS(r.st, SBX_OK);
    T_EQ(sbx_exec_result_exit_code(r.result), 3);
    T_STR(sbx_exec_result_stdout(r.result, NULL), "hi\n");
    ran_finish(&r);
}

/* A character in two events, and bytes that are no text: both as they came. */
#define OUT_C3                                                                                                         \
    "\000\0\0\000\044"                                                                                                 \
    "{\"event\":{\"data\":{\"stdout\":\"ww==\"}}}"
#define OUT_BC                                                                                                         \
    "\000\0\0\000\044"                                                                                                 \
    "{\"event\":{\"data\":{\"stdout\":\"vA==\"}}}"
#define OUT_BINARY                                                                                                     \
    "\000\0\0\000\044"                                                                                                 \
    "{\"event\":{\"data\":{\"stdout\":\"AP+A\"}}}"

static void e2b8_41_a_character_in_two_events(void) {
    struct ran r = RUN({.request = START_URL, STREAM(BEGUN OUT_C3 OUT_BC OUT_BINARY END_0 EOS)});
    size_t len = 0;
    T_STATUS(r.st, SBX_OK);
    const char *out = sbx_exec_result_stdout(r.result, &len);
    T_MEM(out, len, "\xc3\xbc\0\xff\x80", 5);
    T_EQ(sbx_exec_result_bytes_exact(r.result), 1);
    ran_finish(&r);
}

T_CASES(T_CASE(e2b8_15_every_piece_of_a_stream), T_CASE(e2b8_16_no_end_of_the_stream),
        T_CASE(e2b8_17_an_error_behind_output), T_CASE(e2b8_18_a_good_end_without_an_exit),
        T_CASE(e2b8_19_exits_as_they_are_told), T_CASE(e2b8_20_refused_by_a_stream_and_by_http),
        T_CASE(e2b8_40_json_as_the_daemon_may_write_it), T_CASE(e2b8_41_a_character_in_two_events))
