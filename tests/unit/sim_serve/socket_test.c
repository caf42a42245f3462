/* WebSockets of the running program, over real sockets: a session's log followed by a client that says what it likes.
 */
#include "running.h"
#include "t.h"

#include <sandport/kit/buf.h>
#include <sandport/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HANDSHAKE                                                                                                      \
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"                                       \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

#define SWITCHED                                                                                                       \
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"                                \
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

struct followed {
    struct running r;
    char target[512];
};

/* A sandbox with a session in which the command runs. */
static void prepare(struct followed *f, const char *command) {
    char id[64], target[256], body[256], *answer = NULL;
    f->r = running_virtual();
    make_sandbox(&f->r, id);
    snprintf(target, sizeof(target), "/toolbox/%s/process/session", id);
    ask_ok(f->r.daytona, "POST", target, KEY_HEADER, "{\"sessionId\":\"s\"}", 201, &answer);
    free(answer);
    snprintf(target, sizeof(target), "/toolbox/%s/process/session/s/exec", id);
    snprintf(body, sizeof(body), "{\"command\":\"%s\",\"runAsync\":true}", command);
    char *said = ask_ok(f->r.daytona, "POST", target, KEY_HEADER, body, 202, &answer);
    const char *cmd = strstr(said, "\"cmdId\":\"");
    T_TRUE(cmd != NULL);
    snprintf(f->target, sizeof(f->target), "/toolbox/%s/process/session/s/command/%.36s/logs?follow=true", id, cmd + 9);
    free(answer);
}

static int follow(const struct followed *f, const char *more) {
    char request[1024];
    int fd = dial(f->r.daytona);
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: h\r\n" KEY_HEADER HANDSHAKE "%s\r\n", f->target, more);
    say(fd, request);
    return fd;
}

static void expect(int fd, const void *bytes, size_t len) {
    char *got = hear_bytes(fd, len);
    T_MEM(got, len, bytes, len);
    free(got);
}

#define EXPECT(fd, text) expect(fd, text, sizeof(text) - 1)
#define SAY(fd, text)    say_bytes(fd, text, sizeof(text) - 1)

static void expect_end(int fd, const void *bytes, size_t len) {
    enum heard how;
    char *got = hear_end(fd, &how);
    T_EQ(how, HEARD_FIN);
    T_MEM(got, len, bytes, len);
    T_EQ(got[len], 0);
    free(got);
}

#define EXPECT_END(fd, text) expect_end(fd, text, sizeof(text) - 1)

static void a_log_is_followed_to_its_end(void) {
    struct followed f;
    prepare(&f, "echo one; sleep 5; echo two");
    int fd = follow(&f, "X-Daytona-SDK-Version: 0.205.1\r\nSec-WebSocket-Extensions: permessage-deflate\r\n");
    EXPECT(fd, SWITCHED "\x82\x07\001\001\001one\n");
    T_TRUE(hear_nothing(fd));
    advance(&f.r, 5000);
    EXPECT(fd, "\x82\x07\001\001\001two\n");
    advance(&f.r, 1000);
    EXPECT(fd, "\x88\x02\x03\xe8");
    T_TRUE(hear_nothing(fd)); /* it waits for the client's goodbye */
    SAY(fd, "\x88\x82\0\0\0\0\x03\xe8");
    EXPECT_END(fd, "");
    T_EQ(running_stop(&f.r), 0);
}

static void a_client_that_says_no_goodbye_is_left_after_a_while(void) {
    struct followed f;
    prepare(&f, "true");
    int fd = follow(&f, "");
    EXPECT(fd, SWITCHED);
    advance(&f.r, 1000);
    EXPECT(fd, "\x88\x02\x03\xe8");
    advance(&f.r, 5000);
    EXPECT_END(fd, "");
    T_EQ(running_stop(&f.r), 0);
}

static void pings_are_answered_and_messages_thrown_away(void) {
    struct followed f;
    prepare(&f, "sleep 100");
    int fd = follow(&f, "");
    EXPECT(fd, SWITCHED);
    SAY(fd, "\x89\x82\0\0\0\0hi");
    EXPECT(fd, "\x8a\x02hi");
    SAY(fd, "\x82\x83\1\1\1\1abc\x89\x80\0\0\0\0");
    EXPECT(fd, "\x8a\x00");
    for (const char *p = "\x89\x81\0\0\0\0x", *end = p + 7; p < end; p++) say_bytes(fd, p, 1);
    EXPECT(fd, "\x8a\x01x");
    SAY(fd, "\x88\x82\0\0\0\0\x03\xe9");
    EXPECT_END(fd, "\x88\x02\x03\xe9");
    T_EQ(running_stop(&f.r), 0);
}

/* Whatever length a frame claims, nothing of that size is kept: it is refused by its head and its first byte. */
static void a_frame_of_four_gigabytes_is_refused_by_its_head(void) {
    struct followed f;
    prepare(&f, "sleep 100");
    const long before_kib = running_resident_kib(&f.r);
    int fd = follow(&f, "");
    EXPECT(fd, SWITCHED);
    SAY(fd, "\x82\xff\0\0\0\1\0\0\0\0\0\0\0\0x");
    EXPECT_END(fd, "\x88\x02\x03\xf1"); /* 1009 */
    T_TRUE(running_resident_kib(&f.r) - before_kib < 4096);
    T_EQ(running_stop(&f.r), 0);
}

static void refused(const char *frame, size_t len, const char *goodbye, size_t goodbye_len) {
    struct followed f;
    prepare(&f, "sleep 100");
    int fd = follow(&f, "");
    EXPECT(fd, SWITCHED);
    say_bytes(fd, frame, len);
    expect_end(fd, goodbye, goodbye_len);
    T_EQ(running_stop(&f.r), 0);
}
static void a_frame_without_a_mask_is_a_protocol_error(void) {
    refused("\x82\x01x", 3, "\x88\x02\x03\xea", 4);
}
static void an_unknown_opcode_is_a_protocol_error(void) {
    refused("\x83\x80\0\0\0\0", 6, "\x88\x02\x03\xea", 4);
}
static void a_length_beyond_63_bits_is_a_protocol_error(void) {
    refused("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14, "\x88\x00", 2); /* without a code */
}
static void a_long_ping_is_a_protocol_error(void) {
    refused("\x89\xfe\0\x7e\0\0\0\0", 8, "\x88\x00", 2);
}

static void a_client_that_goes_is_noticed(void) {
    struct followed f;
    prepare(&f, "sleep 100");
    int fd = follow(&f, "");
    EXPECT(fd, SWITCHED);
    close(fd);
    fd = follow(&f, "");
    EXPECT(fd, SWITCHED);
    SAY(fd, "\x82\xfe\x01"); /* in the middle of a frame's head */
    close(fd);
    T_EQ(running_stop(&f.r), 0);
}

static void a_rule_cuts_frames_and_resets(void) {
    struct followed f;
    enum heard how;
    prepare(&f, "echo one; sleep 100");
    fault(&f.r, "{\"op\":\"daytona.toolbox.session.follow\",\"phase\":\"mid_reply\",\"times\":1,"
                "\"effect\":{\"kind\":\"cut\",\"at_bytes\":3,\"value\":\"close\"}}");
    int fd = follow(&f, "");
    EXPECT_END(fd, SWITCHED "\x82\x04o");
    fault(&f.r, "{\"op\":\"daytona.toolbox.session.follow\",\"phase\":\"before_commit\",\"times\":1,"
                "\"effect\":{\"kind\":\"cut\",\"at_bytes\":0,\"value\":\"reset\"}}");
    fd = follow(&f, "");
    free(hear_end(fd, &how));
    T_EQ(how, HEARD_RESET);
    T_EQ(running_stop(&f.r), 0);
}

static void a_handshake_needs_its_connection_header(void) {
    struct followed f;
    char head[256], *answer = NULL;
    prepare(&f, "true");
    snprintf(head, sizeof(head),
             KEY_HEADER "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    ask_ok(f.r.daytona, "GET", f.target, head, "", 400, &answer);
    T_CONTAINS(answer, "Connection: Upgrade");
    free(answer);
    T_EQ(running_stop(&f.r), 0);
}

static void after_the_upgrade_there_is_no_next_request(void) {
    struct followed f;
    prepare(&f, "sleep 100");
    int fd = follow(&f, "");
    EXPECT(fd, SWITCHED);
    say(fd, "GET /api/config HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_END(fd, "\x88\x02\x03\xea");
    T_EQ(running_stop(&f.r), 0);
}

T_CASES(T_CASE(a_log_is_followed_to_its_end), T_CASE(a_client_that_says_no_goodbye_is_left_after_a_while),
        T_CASE(pings_are_answered_and_messages_thrown_away), T_CASE(a_frame_of_four_gigabytes_is_refused_by_its_head),
        T_CASE(a_frame_without_a_mask_is_a_protocol_error), T_CASE(an_unknown_opcode_is_a_protocol_error),
        T_CASE(a_length_beyond_63_bits_is_a_protocol_error), T_CASE(a_long_ping_is_a_protocol_error),
        T_CASE(a_client_that_goes_is_noticed), T_CASE(a_rule_cuts_frames_and_resets),
        T_CASE(a_handshake_needs_its_connection_header), T_CASE(after_the_upgrade_there_is_no_next_request))
