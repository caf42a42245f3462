/* The request parser: what it takes, what it refuses, and that no split of the bytes changes either. */
#include "parse_split.h"
#include "sim/serve/http_parse.h"
#include "t.h"

#include <sandport/kit/buf.h>
#include <stdio.h>
#include <stdlib.h>

#define HOST "Host: h\r\n"

/* Whole, in two pieces cut at every place, and byte by byte: always `want`. */
static void check_len(const char *bytes, size_t len, const char *want) {
    char *whole = parse_render(bytes, len, NULL, 0);
    T_STR(whole, want);
    for (size_t cut = 0; cut <= len; cut++) {
        char *split = parse_render(bytes, len, &cut, 1);
        if (strcmp(split, whole) != 0) T_FAIL("cut at %zu gives\n%s\nexpected\n%s", cut, split, whole);
        free(split);
    }
    char *bytewise = parse_render_bytewise(bytes, len);
    T_STR(bytewise, whole);
    free(bytewise);
    free(whole);
}

static void check(const char *bytes, const char *want) {
    check_len(bytes, strlen(bytes), want);
}

static void a_get_with_headers(void) {
    check("GET /api/sandbox?labels=%7B%7D HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-Empty:\r\nX-Pad: \t a b \t\r\n\r\n",
          "GET /api/sandbox?labels=%7B%7D 1.1 keep\n  Host: 127.0.0.1:8080\n  X-Empty: \n  X-Pad: a b\n  body 0: \n");
}

static void a_body_by_length(void) {
    check("POST /x HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
          "POST /x 1.1 keep\n  Host: h\n  Content-Length: 5\n  body 5: hello\n");
}

static void a_body_in_chunks(void) {
    check("POST /x HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0A\r\n 0123\r\n567\r\n"
          "0\r\nX-Sum: 1\r\n\r\n",
          "POST /x 1.1 keep\n  Host: h\n  Transfer-Encoding: Chunked\n  body 15: hello 0123\r\n567\n");
}

static void pipelined_requests_in_order(void) {
    check("GET /1 HTTP/1.1\r\n" HOST "\r\nPOST /2 HTTP/1.1\r\n" HOST
          "Content-Length: 2\r\n\r\nokGET /3 HTTP/1.1\r\n" HOST "\r\n",
          "GET /1 1.1 keep\n  Host: h\n  body 0: \nPOST /2 1.1 keep\n  Host: h\n  Content-Length: 2\n  body 2: ok\n"
          "GET /3 1.1 keep\n  Host: h\n  body 0: \n");
}

static void keep_alive_by_version_and_header(void) {
    check("GET / HTTP/1.0\r\n\r\n", "GET / 1.0 close\n  body 0: \n");
    check("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / 1.0 keep\n  Connection: Keep-Alive\n  body 0: \n");
    check("GET / HTTP/1.1\r\n" HOST "Connection: upgrade, CLOSE\r\n\r\n",
          "GET / 1.1 close\n  Host: h\n  Connection: upgrade, CLOSE\n  body 0: \n");
    check("GET / HTTP/1.1\r\n" HOST "Connection: keep-alive, close\r\n\r\n",
          "GET / 1.1 close\n  Host: h\n  Connection: keep-alive, close\n  body 0: \n");
}

static void target_forms(void) {
    check("GET http://daytona.sim/api/x HTTP/1.1\r\n" HOST "\r\n", "GET /api/x 1.1 keep\n  Host: h\n  body 0: \n");
    check("OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "OPTIONS * 1.1 keep\n  Host: h\n  body 0: \n");
    check("GET * HTTP/1.1\r\n" HOST "\r\n", "bad 400: malformed request target\n");
    check("GET x HTTP/1.1\r\n" HOST "\r\n", "bad 400: malformed request target\n");
    check("GET /a#b HTTP/1.1\r\n" HOST "\r\n", "bad 400: malformed request target\n");
    check("GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n", "bad 400: malformed request target\n");
    check("GET http://h HTTP/1.1\r\n" HOST "\r\n", "bad 400: malformed request target\n");
    check("CONNECT h:443 HTTP/1.1\r\n" HOST "\r\n", "bad 400: malformed request target\n");
}

static void unknown_methods_pass(void) {
    check("PROPFIND /x HTTP/1.1\r\n" HOST "\r\n", "PROPFIND /x 1.1 keep\n  Host: h\n  body 0: \n");
}

static void one_empty_line_before_a_request_is_forgiven(void) {
    check("\r\nGET / HTTP/1.1\r\n" HOST "\r\n", "GET / 1.1 keep\n  Host: h\n  body 0: \n");
    check("\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n", "bad 400: no method\n");
}

static void malformed_request_lines(void) {
    check("GET / HTTP/2.0\r\n", "bad 505: only HTTP/1.0 and HTTP/1.1 are served\n");
    check("GET / HTTP/1.2\r\n", "bad 505: only HTTP/1.0 and HTTP/1.1 are served\n");
    check("GET / http/1.1\r\n", "bad 400: not an HTTP version\n");
    check("GET / HTTP/1.1 \r\n", "bad 400: not an HTTP version\n");
    check("GET /\r\n", "bad 400: no request target\n");
    check("GET\r\n", "bad 400: no method\n");
    check("GET  / HTTP/1.1\r\n", "bad 400: malformed request target\n");
    check(" GET / HTTP/1.1\r\n", "bad 400: no method\n");
    check("GET / HTTP/1.1\n", "bad 400: a line not ended by CRLF\n");
    check("\n", "bad 400: a line not ended by CRLF\n");
    check("\x16\x03\x01\x02", "bad 400: no method\n");
    check("AVERYLONGMETHODNAMETHATNOBODYEVERUSES / HTTP/1.1\r\n", "bad 400: no method\n");
    check_len("GET /\0 HTTP/1.1\r\n", 17, "bad 400: no request target\n");
    check_len("G\0T / HTTP/1.1\r\n", 16, "bad 400: no method\n");
}

static void malformed_headers(void) {
    check("GET / HTTP/1.1\r\n" HOST "X: a\r\n b\r\n\r\n", "bad 400: folded header\n");
    check("GET / HTTP/1.1\r\n" HOST "X : a\r\n\r\n", "bad 400: malformed header name\n");
    check("GET / HTTP/1.1\r\n" HOST ": a\r\n\r\n", "bad 400: malformed header name\n");
    check("GET / HTTP/1.1\r\n" HOST "no colon\r\n\r\n", "bad 400: malformed header name\n");
    check("GET / HTTP/1.1\r\n" HOST "X: a\rb\r\n\r\n", "bad 400: malformed header value\n");
    check("GET / HTTP/1.1\r\n" HOST "X: \x01\r\n\r\n", "bad 400: malformed header value\n");
    check("GET / HTTP/1.1\r\n" HOST "X: \xff\r\n\r\n", "bad 400: malformed header value\n");
    check("GET / HTTP/1.1\r\n" HOST "X: a\n\r\n", "bad 400: a line not ended by CRLF\n");
    check_len("GET / HTTP/1.1\r\nX: a\0b\r\n\r\n", 26, "bad 400: malformed header value\n");
}

static void framing_conflicts(void) {
    check("GET / HTTP/1.1\r\n\r\n", "bad 400: not exactly one Host\n");
    check("GET / HTTP/1.1\r\n" HOST HOST "\r\n", "bad 400: not exactly one Host\n");
    check("POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
          "bad 400: both Content-Length and Transfer-Encoding\n");
    check("POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
          "bad 400: more than one Content-Length\n");
    check("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
          "bad 400: more than one Transfer-Encoding\n");
    check("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "bad 400: Transfer-Encoding in HTTP/1.0\n");
    check("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", "bad 501: unknown transfer coding\n");
}

static void content_lengths_that_are_none(void) {
    static const char *const values[] = {
        "", "-1", "-0", "+1", "1,1", "1 1", "0x10", "1.0", "9223372036854775808", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "POST / HTTP/1.1\r\n" HOST "Content-Length: %s\r\n\r\n", values[i]);
        check(text, "bad 400: malformed Content-Length\n");
    }
}

static void malformed_chunks(void) {
    static const char *const bodies[] = {"\r\n",
                                         "g\r\n",
                                         "-1\r\n",
                                         " 5\r\nhello\r\n",
                                         "5\nhello",
                                         "5\r\nhelloX",
                                         "5\r\nhello\n",
                                         "5\r\nhello\rX",
                                         "1 \r\n",
                                         "1;\x01\r\n",
                                         "0\r\n X: 1\r\n",
                                         "0\r\nX\r\n\r\n",
                                         "0\r\nX: \x01\r\n",
                                         "0\r\n\rX",
                                         "0\r\nX: 1\r\r",
                                         "1000000000000000\r\n"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n%s", bodies[i]);
        check(text, "POST / 1.1 keep\n  Host: h\n  Transfer-Encoding: chunked\nbad 400: body\n");
    }
}

static void expectations(void) {
    check("POST / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
          "POST / 1.1 keep expects\n  Host: h\n  Expect: 100-Continue\n  Content-Length: 1\n  body 1: x\n");
    check("POST / HTTP/1.1\r\n" HOST "Expect: a-miracle\r\n\r\n", "bad 417: unknown expectation\n");
    check("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
          "POST / 1.0 close\n  Expect: 100-continue\n  Content-Length: 1\n  body 1: x\n");
}

/* Every prefix of a good stream is good as far as it goes. */
static void every_truncation_asks_for_more(void) {
    static const char stream[] =
        "POST /x HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n3;e\r\nabc\r\n0\r\nT: 1\r\n\r\n";
    for (size_t len = 1; len + 1 < sizeof(stream); len++) {
        char *got = parse_render(stream, len, NULL, 0);
        size_t end = strlen(got);
        if (end < 5 || strcmp(got + end - 5, "more\n") != 0 || strstr(got, "bad")) T_FAIL("prefix %zu: %s", len, got);
        free(got);
    }
}

static char *line_of(size_t target_len, size_t *len) {
    struct sbx_buf b = SBX_BUF_INIT;
    sbx_buf_text_append(&b, "GET /");
    for (size_t i = 1; i < target_len; i++) sbx_buf_char(&b, 'a');
    sbx_buf_text_append(&b, " HTTP/1.1\r\n" HOST "\r\n");
    return sbx_buf_take(&b, len);
}

static void expect_end(char *bytes, size_t len, const char *want) {
    char *whole = parse_render(bytes, len, NULL, 0), *bytewise = parse_render_bytewise(bytes, len);
    T_STR(bytewise, whole);
    T_CONTAINS(whole, want);
    free(whole);
    free(bytewise);
    free(bytes);
}

static void request_line_limit_is_exact(void) {
    size_t len = 0;
    char *bytes = line_of(SERVE_LINE_MAX - strlen("GET  HTTP/1.1"), &len);
    expect_end(bytes, len, "body 0: \n");
    bytes = line_of(SERVE_LINE_MAX - strlen("GET  HTTP/1.1") + 1, &len);
    expect_end(bytes, len, "bad 414: request line too long\n");
}

static char *headers_of(size_t count, size_t value_len, size_t *len) {
    struct sbx_buf b = SBX_BUF_INIT;
    sbx_buf_text_append(&b, "GET / HTTP/1.1\r\n" HOST);
    for (size_t i = 0; i < count; i++) {
        sbx_buf_text_append(&b, "X: ");
        for (size_t k = 0; k < value_len; k++) sbx_buf_char(&b, 'v');
        sbx_buf_text_append(&b, "\r\n");
    }
    sbx_buf_text_append(&b, "\r\n");
    return sbx_buf_take(&b, len);
}

static void header_limits(void) {
    size_t len = 0;
    char *bytes = headers_of(SERVE_FIELDS_MAX - 1, 1, &len);
    expect_end(bytes, len, "body 0: \n");
    bytes = headers_of(SERVE_FIELDS_MAX, 1, &len);
    expect_end(bytes, len, "bad 431: too many headers\n");
    bytes = headers_of(1, SERVE_LINE_MAX - 3, &len);
    expect_end(bytes, len, "body 0: \n");
    bytes = headers_of(1, SERVE_LINE_MAX - 2, &len);
    expect_end(bytes, len, "bad 431: headers too long\n");
    bytes = headers_of(5, SERVE_LINE_MAX - 10, &len);
    expect_end(bytes, len, "bad 431: headers too long\n");
}

static void a_header_is_found_in_any_case(void) {
    char bytes[] = "GET / HTTP/1.1\r\nHost: h\r\nX-Test: one\r\nx-test: two\r\n\r\n";
    struct serve_head head;
    memset(&head, 0, sizeof(head));
    T_EQ(serve_head_read(&head, bytes, sizeof(bytes) - 1), SERVE_DONE);
    T_STR(serve_head_field(&head, bytes, "x-TEST"), "one");
    T_TRUE(serve_head_field(&head, bytes, "absent") == NULL);
}

T_CASES(T_CASE(a_get_with_headers), T_CASE(a_body_by_length), T_CASE(a_body_in_chunks),
        T_CASE(pipelined_requests_in_order), T_CASE(keep_alive_by_version_and_header), T_CASE(target_forms),
        T_CASE(unknown_methods_pass), T_CASE(one_empty_line_before_a_request_is_forgiven),
        T_CASE(malformed_request_lines), T_CASE(malformed_headers), T_CASE(framing_conflicts),
        T_CASE(content_lengths_that_are_none), T_CASE(malformed_chunks), T_CASE(expectations),
        T_CASE(every_truncation_asks_for_more), T_CASE(request_line_limit_is_exact), T_CASE(header_limits),
        T_CASE(a_header_is_found_in_any_case))
