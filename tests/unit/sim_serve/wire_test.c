/* The running program on the wire: what a client may send, in what pieces, and what comes back. */
#include "running.h"
#include "t.h"

#include <sandport/kit/buf.h>
#include <sandport/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET_CONFIG  "GET /api/config HTTP/1.1\r\nHost: h\r\n\r\n"
#define GET_MISSING "GET /api/sandbox/none HTTP/1.1\r\nHost: h\r\n" KEY_HEADER "\r\n"

static void expect_answer(int fd, int head_only, const char *status, const char *part) {
    char *answer = hear_answer(fd, head_only);
    T_CONTAINS(answer, status);
    T_CONTAINS(answer, part);
    free(answer);
}

static void expect_end(int fd, const char *first, const char *part) {
    enum heard how;
    char *all = hear_end(fd, &how);
    if (strncmp(all, first, strlen(first)) != 0) T_FAIL("expected %s, got %s", first, all);
    T_CONTAINS(all, part);
    T_EQ(how, HEARD_FIN);
    free(all);
}

static void a_connection_serves_one_request_after_the_other(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    for (int i = 0; i < 3; i++) {
        say(fd, GET_CONFIG);
        expect_answer(fd, 0, "HTTP/1.1 200 OK", "\"environment\"");
        say(fd, GET_MISSING);
        expect_answer(fd, 0, "HTTP/1.1 404 Not Found", "none not found");
    }
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void pipelined_requests_are_answered_in_order(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, GET_MISSING GET_CONFIG GET_MISSING);
    expect_answer(fd, 0, "HTTP/1.1 404", "none not found");
    expect_answer(fd, 0, "HTTP/1.1 200", "\"environment\"");
    expect_answer(fd, 0, "HTTP/1.1 404", "none not found");
    T_TRUE(hear_nothing(fd));
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void a_request_byte_by_byte_is_a_request(void) {
    struct running r = running_virtual();
    static const char request[] = "POST /api/sandbox HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  "2\r\n{}\r\n0\r\n\r\n" GET_CONFIG;
    int fd = dial(r.daytona);
    for (size_t i = 0; i + 1 < sizeof(request); i++) say_bytes(fd, request + i, 1);
    expect_answer(fd, 0, "HTTP/1.1 401", "");
    expect_answer(fd, 0, "HTTP/1.1 200", "\"environment\"");
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void head_has_the_length_and_no_body(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "HEAD /api/config HTTP/1.1\r\nHost: h\r\n\r\n" GET_CONFIG);
    expect_answer(fd, 1, "HTTP/1.1 ", "Content-Length: ");
    expect_answer(fd, 0, "HTTP/1.1 200", "\"environment\"");
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void day8_46_unknown_methods_and_upgrades_reach_the_cloud(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "BREW /api/config HTTP/1.1\r\nHost: h\r\n\r\n");
    expect_answer(fd, 0, "HTTP/1.1 404", "");
    say(fd, "GET /api/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    expect_answer(fd, 0, "HTTP/1.1 404", "");
    say(fd, GET_CONFIG);
    expect_answer(fd, 0, "HTTP/1.1 200", "");
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void connection_close_is_kept(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "GET /api/config HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    expect_end(fd, "HTTP/1.1 200", "Connection: close\r\n");
    T_EQ(running_stop(&r), 0);
}

static void http_1_0_ends_with_its_answer_unless_asked_to_stay(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "GET /api/config HTTP/1.0\r\n\r\n");
    expect_end(fd, "HTTP/1.1 200", "Connection: close\r\n");
    fd = dial(r.daytona);
    say(fd, "GET /api/config HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    expect_answer(fd, 0, "HTTP/1.1 200", "Connection: keep-alive\r\n");
    say(fd, GET_CONFIG);
    expect_answer(fd, 0, "HTTP/1.1 200", "");
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void a_client_that_ends_its_half_gets_its_answer_and_then_the_end(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, GET_CONFIG);
    shutdown(fd, SHUT_WR);
    expect_end(fd, "HTTP/1.1 200", "\"environment\"");
    fd = dial(r.daytona); /* it ends its half while its answer waits for the clock */
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\n" KEY_HEADER "Content-Length: 2\r\n\r\n{}");
    shutdown(fd, SHUT_WR);
    T_TRUE(hear_nothing(fd));
    advance(&r, 30000);
    expect_end(fd, "HTTP/1.1 200", "\"id\"");
    T_EQ(running_stop(&r), 0);
}

static void a_request_cut_short_gets_no_answer(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "GET /api/config HTTP/1.1\r\nHos");
    shutdown(fd, SHUT_WR);
    expect_end(fd, "", "");
    T_EQ(running_stop(&r), 0);
}

/* More than the socket buffers hold lies unread behind what is refused: the refusal must arrive all the same, and not
 * be swept away by a reset. */
static void expect_refused(int port, const char *begin, size_t more, const char *first) {
    struct sbx_buf request = SBX_BUF_INIT;
    sbx_buf_text_append(&request, begin);
    for (size_t i = 0; i < more; i++) sbx_buf_char(&request, 'a');
    int fd = dial(port);
    say_bytes(fd, request.data, request.len);
    expect_end(fd, first, "Connection: close\r\n");
    sbx_buf_finish(&request);
}

static void malformed_requests_are_refused_and_end_the_connection(void) {
    struct running r = running_virtual();
    expect_refused(r.daytona, "\x16\x03\x01\x02", 0, "HTTP/1.1 400 ");
    expect_refused(r.daytona, "GET /api/config HTTP/1.1\r\n\r\n", 0, "HTTP/1.1 400 ");
    expect_refused(r.daytona, "GET /api/config HTTP/3.0\r\n", 0, "HTTP/1.1 505 ");
    expect_refused(r.daytona, "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n", 0, "HTTP/1.1 400 ");
    expect_refused(r.daytona, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
                   0, "HTTP/1.1 400 ");
    expect_refused(r.daytona, "GET /", 40000, "HTTP/1.1 414 ");
    expect_refused(r.daytona, "GET / HTTP/1.1\r\nHost: h\r\nX: ", 200000, "HTTP/1.1 431 ");
    T_EQ(running_stop(&r), 0);
}

static void a_body_that_nobody_reads_does_not_spoil_the_answer(void) {
    struct running r = running_virtual();
    struct sbx_buf request = SBX_BUF_INIT;
    int fd = dial(r.daytona);
    sbx_buf_printf(&request, "POST /api/nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", 300000);
    for (int i = 0; i < 300000; i++) sbx_buf_char(&request, 'x');
    say_bytes(fd, request.data, request.len);
    sbx_buf_finish(&request);
    expect_answer(fd, 0, "HTTP/1.1 404", "");
    say(fd, GET_CONFIG);
    expect_answer(fd, 0, "HTTP/1.1 200", "\"environment\"");
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void a_client_that_expects_100_is_told_to_go_on(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    char *told = hear_bytes(fd, 25);
    T_CONTAINS(told, "HTTP/1.1 100 Continue\r\n\r\n");
    free(told);
    say(fd, "{}");
    close(fd);
    T_EQ(running_stop(&r), 0);
}

static void malformed_chunks_end_the_connection(void) {
    struct running r = running_virtual();
    int fd = dial(r.daytona);
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\n" KEY_HEADER "Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX");
    enum heard how;
    free(hear_end(fd, &how));
    T_EQ(how, HEARD_FIN);
    T_EQ(running_stop(&r), 0);
}

/* A file goes up and comes down again through buffers that are much smaller. */
static void large_bodies_pass_in_constant_memory(void) {
    struct running r = running_virtual();
    char id[64], head[512], piece[65536];
    static const char form[] = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
    static const char tail[] = "\r\n--b--\r\n";
    const size_t pieces = 512; /* 32 MiB */
    make_sandbox(&r, id);
    int fd = dial(r.daytona);
    snprintf(head, sizeof(head),
             "POST /toolbox/%s/files/upload?path=/tmp/f HTTP/1.1\r\nHost: h\r\n" KEY_HEADER
             "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: %zu\r\n\r\n%s",
             id, strlen(form) + pieces * sizeof(piece) + strlen(tail), form);
    memset(piece, 'p', sizeof(piece));
    say(fd, head);
    long before = running_resident_kib(&r);
    for (size_t i = 0; i < pieces; i++) say_bytes(fd, piece, sizeof(piece));
    say(fd, tail);
    expect_answer(fd, 0, "HTTP/1.1 200", "");
    long kept = running_resident_kib(&r) - before;
    if (kept > 36 * 1024) T_FAIL("a file of 32 MiB takes %ld KiB", kept); /* the machine keeps it */
    snprintf(head, sizeof(head),
             "GET /toolbox/%s/files/download?path=/tmp/f HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" KEY_HEADER
             "\r\n",
             id);
    say(fd, head);
    char *all = hear_end(fd, NULL);
    const char *body = strstr(all, "\r\n\r\n") + 4;
    T_EQ(strspn(body, "p"), pieces * sizeof(piece));
    free(all);
    long grown = running_resident_kib(&r) - before - kept;
    if (grown > 4096) T_FAIL("going down took %ld KiB more", grown);
    T_EQ(running_stop(&r), 0);
}

static void a_client_that_leaves_does_not_end_what_it_asked_for(void) {
    struct running r = running_virtual();
    char *answer;
    int fd = dial(r.daytona);
    say(fd, "POST /api/sandbox HTTP/1.1\r\nHost: h\r\n" KEY_HEADER "Content-Length: 2\r\n\r\n{}");
    T_TRUE(hear_nothing(fd));
    close(fd);
    advance(&r, 30000);
    const char *body = ask_ok(r.admin, "GET", "/_sim/leaks", "", NULL, 200, &answer);
    T_CONTAINS(body, "\"count\":1");
    free(answer);
    T_EQ(running_stop(&r), 0);
}

static void idle_connections_hold_little(void) {
    struct running r = running_virtual();
    enum { COUNT = 500 };
    int fds[COUNT];
    for (int i = 0; i < COUNT; i++) {
        fds[i] = dial(r.daytona);
        say(fds[i], GET_CONFIG);
        expect_answer(fds[i], 0, "HTTP/1.1 200", "");
        if (i == COUNT / 10) free(ask(r.admin, "DELETE", "/_sim/journal", "", NULL));
    }
    free(ask(r.admin, "DELETE", "/_sim/journal", "", NULL));
    long many = running_resident_kib(&r);
    for (int i = 0; i < COUNT; i++) close(fds[i]);
    if (many > 12 * 1024) T_FAIL("%d idle connections: %ld KiB", COUNT, many);
    T_EQ(running_stop(&r), 0);
}

T_CASES(T_CASE(a_connection_serves_one_request_after_the_other), T_CASE(pipelined_requests_are_answered_in_order),
        T_CASE(a_request_byte_by_byte_is_a_request), T_CASE(head_has_the_length_and_no_body),
        T_CASE(day8_46_unknown_methods_and_upgrades_reach_the_cloud), T_CASE(connection_close_is_kept),
        T_CASE(http_1_0_ends_with_its_answer_unless_asked_to_stay),
        T_CASE(a_client_that_ends_its_half_gets_its_answer_and_then_the_end),
        T_CASE(a_request_cut_short_gets_no_answer), T_CASE(malformed_requests_are_refused_and_end_the_connection),
        T_CASE(a_body_that_nobody_reads_does_not_spoil_the_answer), T_CASE(a_client_that_expects_100_is_told_to_go_on),
        T_CASE(malformed_chunks_end_the_connection), T_CASE(large_bodies_pass_in_constant_memory),
        T_CASE(a_client_that_leaves_does_not_end_what_it_asked_for), T_CASE(idle_connections_hold_little))
