/* Messages of a process's stream: of the right shape, and of every wrong one. Rows E8, P7. */
#include "adapters/e2b/process.h"
#include "t.h"

#include <stdio.h>

static struct e2b_event event;

static enum sbx_status read_event(const char *text) {
    return e2b_event_read(text, strlen(text), &event);
}

static void finish(void) {
    sbx_buf_finish(&event.bytes);
}

static void a_process_begins(void) {
    T_STATUS(read_event("{\"event\":{\"start\":{\"pid\":1007}}}"), SBX_OK);
    T_EQ(event.kind, E2B_EVENT_BEGUN);
    T_EQ(event.pid, 1007);
    T_STATUS(read_event(" { \"event\" : {\"start\":{ \"pid\": \"4294967295\" , \"newer\":[]}} } "), SBX_OK);
    T_EQ(event.pid, 4294967295);
    finish();
}

/* ---- pid_is_one ---- */

static void must_fire_pid_is_one__negative_or_none(void) {
    static const char *const wrong[] = {"-1",        "0",    "4294967296", "1.5", "\"-7\"",
                                        "\"seven\"", "\"\"", "null",       "[]",  "true"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{\"event\":{\"start\":{\"pid\":%s}}}", wrong[i]);
        T_STATUS(read_event(text), SBX_PROTOCOL);
    }
    T_STATUS(read_event("{\"event\":{\"start\":{}}}"), SBX_PROTOCOL);
    finish();
}

static void must_not_fire_pid_is_one__one(void) {
    T_STATUS(read_event("{\"event\":{\"start\":{\"pid\":1}}}"), SBX_OK);
    T_EQ(event.pid, 1);
    finish();
}

static void output_is_bytes(void) {
    T_STATUS(read_event("{\"event\":{\"data\":{\"stdout\":\"AP8KYQ==\"}}}"), SBX_OK);
    T_EQ(event.kind, E2B_EVENT_DATA);
    T_EQ(event.stream, SBX_STDOUT);
    T_MEM(event.bytes.data, event.bytes.len, "\0\xff\na", 4);
    T_STATUS(read_event("{\"event\":{\"data\":{\"stderr\":\"YQ==\"}}}"), SBX_OK);
    T_EQ(event.stream, SBX_STDERR);
    T_MEM(event.bytes.data, event.bytes.len, "a", 1);
    T_STATUS(read_event("{\"event\":{\"data\":{\"stdout\":\"\"}}}"), SBX_OK);
    T_EQ(event.kind, E2B_EVENT_DATA);
    T_EQ(event.bytes.len, 0);
    finish();
}

static void output_that_is_no_base64_is_refused(void) {
    static const char *const wrong[] = {"\"YQ\"",   "\"YQ=\"", "\"Y Q==\"", "\"Y\\nQ==\"", "\"====\"", "\"YR==\"",
                                        "\"a-b_\"", "7",       "null",      "[\"YQ==\"]",  "{}",       "\"YQ==YQ==\""};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{\"event\":{\"data\":{\"stdout\":%s}}}", wrong[i]);
        T_STATUS(read_event(text), SBX_PROTOCOL);
    }
    T_STATUS(read_event("{\"event\":{\"data\":{\"stdout\":\"YQ==\",\"stderr\":\"YQ==\"}}}"), SBX_PROTOCOL);
    finish();
}

static void ended(const char *end, int known, int32_t code, int signalled) {
    char text[256];
    snprintf(text, sizeof(text), "{\"event\":{\"end\":%s}}", end);
    T_STATUS(read_event(text), SBX_OK);
    T_EQ(event.kind, E2B_EVENT_END);
    T_EQ(event.exit_known, known);
    T_EQ(event.exit_code, code);
    T_EQ(event.signalled, signalled);
}

static void e2b8_19_ends_are_told_in_numbers(void) {
    ended("{\"exited\":true,\"status\":\"exit status 0\"}", 1, 0, 0);
    ended("{\"exitCode\":3,\"exited\":true,\"status\":\"exit status 3\",\"error\":\"exit status 3\"}", 1, 3, 0);
    ended("{\"exitCode\":\"3\",\"exited\":true}", 1, 3, 0);
    ended("{\"exitCode\":255,\"exited\":true}", 1, 255, 0);
    ended("{\"exitCode\":null,\"exited\":true}", 1, 0, 0);
    finish();
}

static void e2b8_19_ends_by_a_signal_are_128_and_its_number(void) {
    ended("{\"exitCode\":-1,\"status\":\"signal: killed\",\"error\":\"signal: killed\"}", 1, 137, 1);
    ended("{\"exitCode\":-1,\"status\":\"signal: terminated\"}", 1, 143, 1);
    ended("{\"exitCode\":-1,\"status\":\"signal: segmentation fault (core dumped)\"}", 1, 139, 1);
    ended("{\"exitCode\":-1,\"status\":\"signal: user defined signal 2\"}", 1, 140, 1);
    ended("{\"exitCode\":-1,\"status\":\"signal: signal 40\"}", 1, 168, 1);
    ended("{\"exitCode\":-1,\"status\":\"signal: killedly\"}", 0, -1, 0);
    ended("{\"exitCode\":-1,\"status\":\"signal: signal 400\"}", 0, -1, 0);
    finish();
}

/* ---- e2b_code_not_made_up ---- */

static void must_fire_e2b_code_not_made_up__no_word_of_an_exit(void) {
    ended("{}", 0, -1, 0);
    ended("{\"exitCode\":-1}", 0, -1, 0);
    ended("{\"exitCode\":0}", 0, -1, 0);
    ended("{\"exitCode\":256,\"exited\":true}", 0, -1, 0);
    ended("{\"exitCode\":-1,\"exited\":true}", 0, -1, 0);
    finish();
}

static void must_not_fire_e2b_code_not_made_up__exited(void) {
    ended("{\"exited\":true}", 1, 0, 0);
    finish();
}

static void ends_of_another_shape_are_refused(void) {
    static const char *const wrong[] = {"{\"exitCode\":\"three\",\"exited\":true}",
                                        "{\"exitCode\":1.5,\"exited\":true}",
                                        "{\"exitCode\":[],\"exited\":true}",
                                        "{\"exitCode\":4294967296,\"exited\":true}",
                                        "{\"exitCode\":0,\"exited\":\"true\"}",
                                        "{\"exited\":true,\"status\":0}",
                                        "[]",
                                        "7",
                                        "null"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{\"event\":{\"end\":%s}}", wrong[i]);
        T_STATUS(read_event(text), SBX_PROTOCOL);
    }
    finish();
}

static void what_is_newer_is_passed_over(void) {
    static const char *const other[] = {"{\"event\":{\"keepalive\":{}}}",
                                        "{\"event\":{\"moved\":{\"to\":1}}}",
                                        "{\"event\":{}}",
                                        "{\"event\":null}",
                                        "{}",
                                        "{\"event\":{\"data\":{\"pty\":\"YQ==\"}}}",
                                        "{\"event\":{\"data\":{}}}"};
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        T_STATUS(read_event(other[i]), SBX_OK);
        T_EQ(event.kind, E2B_EVENT_OTHER);
    }
    finish();
}

static void what_is_no_event_is_refused(void) {
    static const char *const wrong[] = {"",
                                        "{",
                                        "[]",
                                        "null",
                                        "\"event\"",
                                        "{\"event\":[]}",
                                        "{\"event\":\"start\"}",
                                        "{\"event\":{\"start\":7}}",
                                        "{\"event\":{\"data\":\"YQ==\"}}",
                                        "{\"event\":{\"start\":{\"pid\":1},\"end\":{\"exited\":true}}}",
                                        "{\"event\":{\"start\":{\"pid\":1}}}{}"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) T_STATUS(read_event(wrong[i]), SBX_PROTOCOL);
    finish();
}

T_CASES(T_CASE(a_process_begins), T_CASE(must_fire_pid_is_one__negative_or_none), T_CASE(must_not_fire_pid_is_one__one),
        T_CASE(output_is_bytes), T_CASE(output_that_is_no_base64_is_refused), T_CASE(e2b8_19_ends_are_told_in_numbers),
        T_CASE(e2b8_19_ends_by_a_signal_are_128_and_its_number),
        T_CASE(must_fire_e2b_code_not_made_up__no_word_of_an_exit), T_CASE(must_not_fire_e2b_code_not_made_up__exited),
        T_CASE(ends_of_another_shape_are_refused), T_CASE(what_is_newer_is_passed_over),
        T_CASE(what_is_no_event_is_refused))
