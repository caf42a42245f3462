/* What the production env puts on the wire, and what it makes of what comes back: HTTP/1.1 in its odd corners. */
#include "client.h"
#include "t.h"

#include <stdio.h>

#define OK_BODY "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello"

/* ---- what is sent ---- */

static void a_request_has_the_callers_headers_and_little_else(void) {
    const struct sbx_header headers[] = {{"Authorization", "Bearer canary"}, {"X-Empty", ""}, {"X-Tab", "a\tb"}};
    struct client *c = client_begin(NULL);
    char want[512];
    client_script_one(c, OK_BODY, RAW_KEEP);
    c->req.headers = headers;
    c->req.header_count = 3;
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    snprintf(want, sizeof(want),
             "GET /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\nAuthorization: Bearer canary\r\n"
             "X-Empty:\r\nX-Tab: a\tb\r\n\r\n",
             raw_server_port(c->server));
    T_STR(raw_server_head(c->server), want);
    client_end(c);
}

static void bodies_bring_no_expect_and_no_content_type(void) {
    static char body[2 << 20];
    struct client *c = client_begin(NULL);
    client_script_one(c, OK_BODY, RAW_KEEP);
    c->req.method = "POST";
    c->req.body = body;
    c->req.body_len = sizeof(body);
    for (uint32_t flags = 0; flags <= SBX_REQUEST_CHUNKED; flags += SBX_REQUEST_CHUNKED) {
        c->req.flags = flags;
        CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
        T_TRUE(!strstr(raw_server_head(c->server), "Expect"));
        T_TRUE(!strstr(raw_server_head(c->server), "Content-Type"));
        T_TRUE(!strstr(raw_server_head(c->server), "Content-Length") == (flags == SBX_REQUEST_CHUNKED));
        T_TRUE(!strstr(raw_server_head(c->server), "Transfer-Encoding: chunked") == !flags);
    }
    client_end(c);
}

static void a_post_without_a_body_has_a_length_and_a_delete_has_none(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, OK_BODY, RAW_KEEP);
    c->req.method = "POST";
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_CONTAINS(raw_server_head(c->server), "Content-Length: 0\r\n");
    c->req.method = "DELETE";
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_CONTAINS(raw_server_head(c->server), "DELETE /x HTTP/1.1\r\n");
    T_TRUE(!strstr(raw_server_head(c->server), "Content-Length"));
    client_end(c);
}

static void the_path_goes_as_it_is(void) {
    struct client *c = client_begin(NULL);
    char url[128];
    client_script_one(c, OK_BODY, RAW_KEEP);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/a/../b/./%%2e%%2F?q=[x]&%%00", raw_server_port(c->server));
    c->req.url = url;
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_CONTAINS(raw_server_head(c->server), "GET /a/../b/./%2e%2F?q=[x]&%00 HTTP/1.1\r\n");
    client_end(c);
}

static void a_head_request_has_no_body_to_wait_for(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", RAW_KEEP);
    c->req.method = "HEAD";
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_EQ(raw_server_counts(c->server).connections, 1);
    client_end(c);
}

/* ---- what comes back ---- */

static void a_redirect_is_an_answer_like_any_other(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", RAW_KEEP);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_EQ(c->info.http_status, 302);
    T_EQ(raw_server_counts(c->server).executions, 1);
    client_end(c);
}

static void heads_before_the_final_one_are_not_given(void) {
    struct client *c = client_begin(NULL);
    client_script_one(
        c, "HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" OK_BODY, RAW_KEEP);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_EQ(c->heads, 1);
    T_STR(c->headers, "X-A=1\nContent-Length=5\n");
    T_STR(c->body, "hello");
    client_end(c);
}

static void a_connection_that_ends_behind_100_continue_gave_no_answer(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, "HTTP/1.1 100 Continue\r\n\r\n", RAW_CLOSE);
    CLIENT_EXPECT(c, SBX_EVIDENCE_SENT_NO_ANSWER);
    T_EQ(c->info.http_status, 0);
    T_EQ(c->heads, 0);
    client_end(c);
}

static void odd_headers_are_read_as_the_standard_says(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c,
                      "HTTP/1.1 200 OK\r\nX-Folded: one\r\n  two\r\nX-Empty:\r\nX-Colons: a:b: c\r\n"
                      "X-Spaces: \t v \t\r\nContent-Length: 0\r\n\r\n",
                      RAW_KEEP);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_STR(c->headers, "X-Folded=one two\nX-Empty=\nX-Colons=a:b: c\nX-Spaces=v\nContent-Length=0\n");
    client_end(c);
}

static void trailers_are_no_second_head(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c,
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
                      "5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
                      RAW_KEEP);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_EQ(c->heads, 1);
    T_STR(c->headers, "Transfer-Encoding=chunked\nTrailer=X-T\n");
    T_STR(c->body, "hello");
    client_end(c);
}

static void a_body_without_length_ends_with_the_connection(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, "HTTP/1.1 200 OK\r\n\r\nhello", RAW_CLOSE);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_STR(c->body, "hello");
    client_end(c);
}

static void a_half_close_inside_a_body_is_partial(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", RAW_HALF_CLOSE);
    CLIENT_EXPECT(c, SBX_EVIDENCE_PARTIAL);
    T_EQ(c->info.got_bytes, 5);
    client_end(c);
}

static void an_answer_before_the_upload_is_over_is_an_answer(void) {
    static char body[8 << 20];
    const struct raw_step step = {.read = RAW_READ_HEAD,
                                  .answer =
                                      "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
                                  .end = RAW_HALF_CLOSE};
    struct client *c = client_begin(NULL);
    client_script(c, &step, 1);
    c->req.method = "POST";
    c->req.body = body;
    c->req.body_len = sizeof(body);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_EQ(c->info.http_status, 413);
    T_STR(c->body, "no");
    T_TRUE(c->info.sent_bytes < sizeof(body));
    client_end(c);
}

static void an_answer_in_single_bytes_is_the_same_answer(void) {
    const struct raw_step step = {.answer = OK_BODY, .piece = 1};
    struct client *c = client_begin(NULL);
    client_script(c, &step, 1);
    CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_STR(c->headers, "X-A=1\nContent-Length=5\n");
    T_STR(c->body, "hello");
    client_end(c);
}

/* Without a whole status line there is no answer, from there on it is partial, and only all of it is done. What libcurl
 * cannot read as the start of an answer is no HTTP; it stands between the two. */
static void cut_expect(struct client *c, size_t at, size_t len, enum raw_end end) {
    const size_t status_line = strlen("HTTP/1.1 200 OK\r\n");
    struct raw_step step = {.answer = OK_BODY, .cut = at, .end = end};
    if (at == 0) step.answer = NULL;
    client_script(c, &step, 1);
    enum sbx_evidence got = client_go(c);
    int ok = at == len             ? got == SBX_EVIDENCE_DONE
             : at == 0             ? got == SBX_EVIDENCE_SENT_NO_ANSWER
             : at < status_line    ? got == SBX_EVIDENCE_SENT_NO_ANSWER || got == SBX_EVIDENCE_PROTOCOL
             : c->info.http_status ? got == SBX_EVIDENCE_PARTIAL
                                   : got == SBX_EVIDENCE_SENT_NO_ANSWER;
    if (!ok) T_FAIL("cut at byte %zu of %zu: %s", at, len, sbx_evidence_name((int32_t)got));
    T_TRUE(c->info.sent_bytes > 0);
}

static void closed_at_every_byte(void) {
    struct client *c = client_begin(NULL);
    for (size_t at = 0; at <= strlen(OK_BODY); at++) cut_expect(c, at, strlen(OK_BODY), RAW_CLOSE);
    client_end(c);
}

static void half_closed_at_every_byte(void) {
    struct client *c = client_begin(NULL);
    for (size_t at = 0; at < strlen(OK_BODY); at++) cut_expect(c, at, strlen(OK_BODY), RAW_HALF_CLOSE);
    client_end(c);
}

/* A reset may overtake what was sent before it, so what has arrived varies; that it was sent never does. */
static void reset_at_every_byte(void) {
    struct client *c = client_begin(NULL);
    for (size_t at = 1; at < strlen(OK_BODY); at++) {
        const struct raw_step step = {.answer = OK_BODY, .cut = at, .end = RAW_RESET};
        client_script(c, &step, 1);
        enum sbx_evidence got = client_go(c);
        T_TRUE(got == SBX_EVIDENCE_SENT_NO_ANSWER || got == SBX_EVIDENCE_PARTIAL || got == SBX_EVIDENCE_PROTOCOL);
        T_TRUE(c->info.sent_bytes > 0);
    }
    client_end(c);
}

/* ---- limits ---- */

static void many_small_headers_add_up(void) {
    static char answer[80000];
    size_t at = (size_t)sprintf(answer, "HTTP/1.1 200 OK\r\n");
    while (at < 70000) at += (size_t)sprintf(answer + at, "X-Small: 1\r\n");
    sprintf(answer + at, "\r\n");
    struct client *c = client_begin(NULL);
    client_script_one(c, answer, RAW_KEEP);
    CLIENT_EXPECT(c, SBX_EVIDENCE_TOO_LARGE);
    T_EQ(c->heads, 0);
    client_end(c);
}

static void the_header_limit_is_an_option(void) {
    struct sbx_curl_options opt;
    sbx_curl_options_init(&opt, sizeof(opt));
    opt.header_bytes_max = 40;
    struct client *c = client_begin(&opt);
    client_script_one(c, OK_BODY, RAW_KEEP);
    CLIENT_EXPECT(c, SBX_EVIDENCE_TOO_LARGE);
    client_end(c);
}

/* Beyond libcurl's own buffer for a line; it calls that out of memory. */
static void one_endless_header_line_ends(void) {
    static char answer[400000];
    size_t at = (size_t)sprintf(answer, "HTTP/1.1 200 OK\r\nX-Long: ");
    memset(answer + at, 'x', sizeof(answer) - at - 1);
    struct client *c = client_begin(NULL);
    client_script_one(c, answer, RAW_SILENT);
    enum sbx_evidence got = client_go(c);
    T_TRUE(got == SBX_EVIDENCE_TOO_LARGE || got == SBX_EVIDENCE_MEMORY);
    T_EQ(c->heads, 0);
    client_end(c);
}

/* ---- connections ---- */

static void one_connection_serves_many_requests(void) {
    struct client *c = client_begin(NULL);
    client_script_one(c, OK_BODY, RAW_KEEP);
    for (int i = 0; i < 100; i++) CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    T_EQ(raw_server_counts(c->server).executions, 100);
    T_EQ(raw_server_counts(c->server).connections, 1);
    client_end(c);
}

static void two_hosts_keep_a_connection_each(void) {
    struct client *c = client_begin(NULL);
    struct raw_server *other = raw_server_start();
    const struct raw_step step = {.answer = OK_BODY};
    char url[64];
    raw_server_script(other, &step, 1);
    client_script(c, &step, 1);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/x", raw_server_port(other));
    for (int i = 0; i < 20; i++) {
        c->req.url = i % 2 ? url : c->url;
        CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
    }
    T_EQ(raw_server_counts(c->server).connections, 1);
    T_EQ(raw_server_counts(other).connections, 1);
    raw_server_stop(other);
    client_end(c);
}

/* F118: a connection that its server closes is used no more, whether it says so or goes while it is idle; and nothing
 * is asked twice. */
static void f118_a_connection_that_goes_is_used_no_more(void) {
    static const struct raw_step ends[] = {
        {.answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", .end = RAW_CLOSE},
        {.answer = OK_BODY, .end = RAW_CLOSE},
        {.answer = OK_BODY, .end = RAW_RESET}};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct client *c = client_begin(NULL);
        client_script(c, &ends[i], 1);
        for (uint64_t n = 1; n <= 5; n++) {
            CLIENT_EXPECT(c, SBX_EVIDENCE_DONE);
            raw_server_await_closed(c->server, n);
        }
        T_EQ(raw_server_counts(c->server).executions, 5);
        T_EQ(raw_server_counts(c->server).connections, 5);
        client_end(c);
    }
}

T_CASES(T_CASE(f118_a_connection_that_goes_is_used_no_more), T_CASE(a_request_has_the_callers_headers_and_little_else),
        T_CASE(bodies_bring_no_expect_and_no_content_type),
        T_CASE(a_post_without_a_body_has_a_length_and_a_delete_has_none), T_CASE(the_path_goes_as_it_is),
        T_CASE(a_head_request_has_no_body_to_wait_for), T_CASE(a_redirect_is_an_answer_like_any_other),
        T_CASE(heads_before_the_final_one_are_not_given),
        T_CASE(a_connection_that_ends_behind_100_continue_gave_no_answer),
        T_CASE(odd_headers_are_read_as_the_standard_says), T_CASE(trailers_are_no_second_head),
        T_CASE(a_body_without_length_ends_with_the_connection), T_CASE(a_half_close_inside_a_body_is_partial),
        T_CASE(an_answer_before_the_upload_is_over_is_an_answer), T_CASE(an_answer_in_single_bytes_is_the_same_answer),
        T_CASE(closed_at_every_byte), T_CASE(half_closed_at_every_byte), T_CASE(reset_at_every_byte),
        T_CASE(many_small_headers_add_up), T_CASE(the_header_limit_is_an_option), T_CASE(one_endless_header_line_ends),
        T_CASE(one_connection_serves_many_requests), T_CASE(two_hosts_keep_a_connection_each))
