/* The seam's conformance suite, first half: every way in which an exchange can end, and what is known then. Every env
 * passes it, whatever stands behind it. Rows P4, P8, P9. */
#include "face.h"
#include "seam.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>

#define SECONDS(n) ((n)*1000)
#define MIB        (UINT64_C(1) << 20)

/* ---- a whole answer ---- */

static void done__an_answer_comes_head_first_then_its_body(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 1000});
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_EQ(s.info.http_status, 200);
    T_EQ(s.info.got_bytes, 1000);
    T_EQ(s.info.stopped, 0);
    T_EQ(s.got.heads, 1);
    T_EQ(s.got.body_before_head, 0);
    T_EQ(s.got.bytes, 1000);
    T_EQ(s.got.wrong, 0);
    T_STR(s.got.header, "a b");
    seam_end(&s);
}

static void done__an_empty_answer_has_no_body(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_EQ(s.got.heads, 1);
    T_EQ(s.got.pieces, 0);
    seam_end(&s);
}

static void done__an_answer_without_a_length(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 50000, .chunked = 1});
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_EQ(s.got.bytes, 50000);
    T_EQ(s.got.wrong, 0);
    seam_end(&s);
}

static void done__receiver_and_info_may_be_absent(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 1000});
    const struct sbx_receiver deaf = {0};
    s.req.url = s.url;
    T_EQ(s.face->env->exchange(s.face->env, &s.req, NULL, NULL), SBX_EVIDENCE_DONE);
    T_EQ(s.face->env->exchange(s.face->env, &s.req, &deaf, NULL), SBX_EVIDENCE_DONE);
    T_EQ(s.face->seen(s.face).executions, 2);
    seam_end(&s);
}

/* ---- request bodies ---- */

static void seam_expect_sent(struct seam *s, uint64_t body_bytes) {
    struct seam_seen seen = s->face->seen(s->face);
    T_EQ(seen.executions, 1);
    T_EQ(seen.body_bytes, body_bytes);
    T_EQ(seen.body_wrong, 0);
    T_TRUE(s->info.sent_bytes > body_bytes);
    if (seen.request_bytes) T_EQ(s->info.sent_bytes, seen.request_bytes);
}

static void done__every_byte_of_a_request_is_counted(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 0);
    seam_end(&s);
}

static void done__a_body_from_memory(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_body(&s, 100000);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 100000);
    seam_end(&s);
}

static void done__a_post_without_a_body(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    s.req.method = "POST";
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 0);
    seam_end(&s);
}

static void done__a_chunked_body_from_memory(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_body(&s, 100000);
    s.req.flags = SBX_REQUEST_CHUNKED;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 100000);
    seam_end(&s);
}

static void done__a_chunked_body_that_is_empty(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    s.req.method = "POST";
    s.req.flags = SBX_REQUEST_CHUNKED;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 0);
    seam_end(&s);
}

static void done__a_reader_of_known_length(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_reader(&s, 300000, 300000);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 300000);
    seam_end(&s);
}

static void done__a_reader_of_unknown_length(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_reader(&s, 300000, -1);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 300000);
    seam_end(&s);
}

static void done__a_reader_that_has_nothing(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_reader(&s, 0, 0);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 0);
    seam_end(&s);
}

/* ---- streams ---- */

static void done__64_mib_down_in_constant_memory(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 64 * MIB});
    uint64_t before = seam_memory();
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_EQ(s.got.bytes, 64 * MIB);
    T_EQ(s.got.wrong, 0);
    seam_expect_memory(&s, before);
    seam_end(&s);
}

static void done__64_mib_up_in_constant_memory(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    uint64_t before = seam_memory();
    seam_reader(&s, 64 * MIB, -1);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 64 * MIB);
    seam_expect_memory(&s, before);
    seam_end(&s);
}

/* The sink waits in its first piece; a server that is not held back would be rid of everything by then. */
static void done__a_sink_that_blocks_holds_the_server_back(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 64 * MIB});
    s.got.block_ms = 10 * s.face->soon_ms;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_TRUE(s.got.server_was_at > 0);
    T_TRUE(s.got.server_was_at < 32 * MIB);
    T_EQ(s.got.bytes, 64 * MIB);
    seam_end(&s);
}

/* ---- no connection ---- */

static void resolve__a_host_without_an_address(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_NO_HOST});
    T_EQ(seam_go(&s), SBX_EVIDENCE_RESOLVE);
    T_EQ(s.info.sent_bytes, 0);
    T_EQ(s.got.heads, 0);
    seam_end(&s);
}

static void connect__nobody_listens(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_REFUSED});
    T_EQ(seam_go(&s), SBX_EVIDENCE_CONNECT);
    T_EQ(s.info.sent_bytes, 0);
    T_EQ(s.face->seen(s.face).requests, 0);
    seam_end(&s);
}

/* ---- cut off ---- */

static void seam_expect_no_answer(enum seam_kind kind) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = kind});
    seam_body(&s, 100);
    T_EQ(seam_go(&s), SBX_EVIDENCE_SENT_NO_ANSWER);
    T_EQ(s.info.http_status, 0);
    T_EQ(s.got.heads, 0);
    seam_expect_sent(&s, 100);
    seam_end(&s);
}

static void sent_no_answer__the_connection_is_closed(void) {
    seam_expect_no_answer(SEAM_CLOSE);
}

static void sent_no_answer__the_connection_is_reset(void) {
    seam_expect_no_answer(SEAM_RESET);
}

static void partial__the_body_is_cut(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_CUT, .body_bytes = 5000, .cut_bytes = 1234});
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.http_status, 200);
    T_EQ(s.info.stopped, 0);
    T_EQ(s.info.got_bytes, 1234);
    T_EQ(s.got.bytes, 1234);
    seam_end(&s);
}

static void partial__the_body_is_cut_before_its_first_byte(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_CUT, .body_bytes = 5000});
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.got_bytes, 0);
    T_EQ(s.got.heads, 1);
    seam_end(&s);
}

static void partial__a_chunked_body_is_cut(void) {
    struct seam s =
        seam_begin((struct seam_behaviour){.kind = SEAM_CUT, .body_bytes = 5000, .cut_bytes = 0, .chunked = 1});
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.http_status, 200);
    seam_end(&s);
}

/* ---- stopped by the caller's own callbacks ---- */

static void partial__the_receiver_stops_at_the_head(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 1000});
    s.got.stop_at_head = 1;
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.stopped, 1);
    T_EQ(s.info.http_status, 200);
    T_EQ(s.got.pieces, 0);
    seam_end(&s);
}

static void partial__the_receiver_stops_in_the_body(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 10 * MIB});
    s.got.stop_after = 100000;
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.stopped, 1);
    T_TRUE(s.got.bytes >= 100000);
    T_TRUE(s.got.bytes < 10 * MIB);
    seam_end(&s);
}

static void partial__the_reader_aborts(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_reader(&s, MIB, (int64_t)MIB);
    s.source.abort_after = 200000;
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.stopped, 2);
    T_EQ(s.info.http_status, 0);
    T_EQ(s.face->seen(s.face).executions, 0);
    seam_end(&s);
}

static void partial__the_reader_of_a_chunked_body_aborts(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_reader(&s, MIB, -1);
    s.source.abort_after = 200000;
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.stopped, 2);
    T_EQ(s.face->seen(s.face).executions, 0);
    seam_end(&s);
}

static void partial__the_reader_ends_before_the_length_it_named(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_reader(&s, 1000, 2000);
    T_EQ(seam_go(&s), SBX_EVIDENCE_PARTIAL);
    T_EQ(s.info.stopped, 2);
    T_EQ(s.face->seen(s.face).executions, 0);
    seam_end(&s);
}

static void done__a_reader_is_not_asked_for_more_than_the_length_it_named(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_reader(&s, 5000, 2000);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    seam_expect_sent(&s, 2000);
    T_EQ(s.source.given, 2000);
    seam_end(&s);
}

/* ---- limits ---- */

static void too_large__a_byte_more_than_the_limit(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 1001});
    s.req.answer_bytes_max = 1000;
    T_EQ(seam_go(&s), SBX_EVIDENCE_TOO_LARGE);
    T_EQ(s.info.http_status, 200);
    T_TRUE(s.got.bytes <= 1000);
    T_EQ(s.got.bytes, s.info.got_bytes);
    seam_end(&s);
}

static void done__exactly_the_limit(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 1000});
    s.req.answer_bytes_max = 1000;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_EQ(s.got.bytes, 1000);
    seam_end(&s);
}

static void too_large__headers_beyond_64_kib(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_BIG_HEADER, .body_bytes = 70000});
    T_EQ(seam_go(&s), SBX_EVIDENCE_TOO_LARGE);
    T_EQ(s.got.heads, 0);
    T_TRUE(s.info.sent_bytes > 0);
    seam_end(&s);
}

static void done__headers_within_64_kib(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_BIG_HEADER, .body_bytes = 60000});
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_EQ(s.got.heads, 1);
    seam_end(&s);
}

/* ---- not HTTP, and requests that are none ---- */

static void protocol__the_answer_is_no_http(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_GARBAGE});
    T_EQ(seam_go(&s), SBX_EVIDENCE_PROTOCOL);
    T_EQ(s.info.http_status, 0);
    T_TRUE(s.info.sent_bytes > 0);
    T_EQ(s.got.heads, 0);
    seam_end(&s);
}

static void seam_expect_malformed(struct seam *s, const char *what) {
    s->info = (struct sbx_exchange_info){.size = sizeof(s->info), .sent_bytes = 77, .http_status = 77};
    enum sbx_evidence evidence = s->face->env->exchange(s->face->env, &s->req, &s->to, &s->info);
    if (evidence != SBX_EVIDENCE_PROTOCOL) T_FAIL("%s: ended as %s", what, sbx_evidence_name((int32_t)evidence));
    T_EQ(s->info.sent_bytes, 0);
    T_EQ(s->info.http_status, 0);
}

static void protocol__a_malformed_request_is_not_sent(void) {
    static const struct {
        const char *what, *method, *url, *name, *value;
    } bad[] = {
        {"a line break in a header value", "GET", NULL, "X-A", "a\r\nX-Injected: 1"},
        {"a bare line feed in a header value", "GET", NULL, "X-A", "a\nb"},
        {"a line break in a header name", "GET", NULL, "X-A\r\nX-B", "a"},
        {"a colon in a header name", "GET", NULL, "X-A: b", "a"},
        {"an empty header name", "GET", NULL, "", "a"},
        {"a method with a space", "GET /evil HTTP/1.1", NULL, "X-A", "a"},
        {"no method", "", NULL, "X-A", "a"},
        {"a url without a scheme", "GET", "127.0.0.1/x", "X-A", "a"},
        {"another scheme", "GET", "file:///etc/passwd", "X-A", "a"},
        {"a url with credentials", "GET", "http://me:secret@127.0.0.1/x", "X-A", "a"},
        {"a url with a space", "GET", "http://127.0.0.1/a b", "X-A", "a"},
        {"a url with a line break", "GET", "http://127.0.0.1/x\r\nX-B: 1", "X-A", "a"},
        {"a url without a host", "GET", "http:///x", "X-A", "a"},
    };
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct sbx_header header = {bad[i].name, bad[i].value};
        s.req.method = bad[i].method;
        s.req.url = bad[i].url ? bad[i].url : s.url;
        s.req.headers = &header;
        s.req.header_count = 1;
        seam_expect_malformed(&s, bad[i].what);
    }
    T_EQ(s.face->seen(s.face).requests, 0);
    seam_end(&s);
}

/* ---- deadlines ---- */

static void seam_expect_late(struct seam *s, int64_t due_ms) {
    int64_t now = s->face->env->now_ms(s->face->env);
    T_TRUE(now >= due_ms);
    int64_t late_ms = s->face->late_ms(s->face);
    if (now - due_ms > late_ms)
        T_FAIL("ended %lld ms late, expected %lld at most", (long long)(now - due_ms), (long long)late_ms);
}

static void deadline__in_the_past_sends_nothing(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    s.req.deadline_ms = s.face->env->now_ms(s.face->env);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DEADLINE);
    s.req.deadline_ms = INT64_MIN;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DEADLINE);
    T_EQ(s.info.sent_bytes, 0);
    T_EQ(s.face->seen(s.face).requests, 0);
    seam_end(&s);
}

static void deadline__a_server_that_says_nothing(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_SILENT});
    int64_t due = s.face->env->now_ms(s.face->env) + 2 * s.face->soon_ms;
    s.req.deadline_ms = due;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DEADLINE);
    seam_expect_late(&s, due);
    T_TRUE(s.info.sent_bytes > 0);
    T_EQ(s.info.http_status, 0);
    seam_end(&s);
}

static void deadline__in_the_middle_of_a_body(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_STALL, .body_bytes = 5000, .cut_bytes = 1000});
    int64_t due = s.face->env->now_ms(s.face->env) + 2 * s.face->soon_ms;
    s.req.deadline_ms = due;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DEADLINE);
    seam_expect_late(&s, due);
    T_EQ(s.info.http_status, 200);
    T_EQ(s.got.bytes, 1000);
    seam_end(&s);
}

static void deadline__no_byte_for_the_stall_time(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_STALL, .body_bytes = 5000, .cut_bytes = 1000});
    int64_t due = s.face->env->now_ms(s.face->env) + 2 * s.face->soon_ms;
    s.req.stall_ms = 2 * s.face->soon_ms;
    s.req.deadline_ms = SBX_NO_DEADLINE;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DEADLINE);
    T_TRUE(s.face->env->now_ms(s.face->env) >= due);
    T_EQ(s.got.bytes, 1000);
    seam_end(&s);
}

/* What the caller's sink takes its time for is no stall of the server's. */
static void done__a_slow_sink_is_no_stall(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = MIB});
    s.req.stall_ms = 2 * s.face->soon_ms;
    s.got.block_ms = 6 * s.face->soon_ms;
    T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
    T_EQ(s.got.bytes, MIB);
    seam_end(&s);
}

/* ---- cancelling ---- */

static void cancelled__before_it_began_sends_nothing(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_cancel_now(&s);
    T_EQ(seam_go(&s), SBX_EVIDENCE_CANCELLED);
    T_EQ(s.info.sent_bytes, 0);
    T_EQ(s.face->seen(s.face).requests, 0);
    seam_end(&s);
}

static void cancelled__while_the_server_says_nothing(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_SILENT});
    seam_cancel_later(&s, s.face->soon_ms);
    T_EQ(seam_go(&s), SBX_EVIDENCE_CANCELLED);
    seam_expect_late(&s, s.fired_ms);
    T_TRUE(s.info.sent_bytes > 0);
    seam_end(&s);
}

static void cancelled__in_the_middle_of_a_body(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_STALL, .body_bytes = 5000, .cut_bytes = 1000});
    seam_cancel_later(&s, s.face->soon_ms);
    T_EQ(seam_go(&s), SBX_EVIDENCE_CANCELLED);
    seam_expect_late(&s, s.fired_ms);
    T_EQ(s.got.bytes, 1000);
    T_EQ(s.info.http_status, 200);
    seam_end(&s);
}

static void cancelled__from_within_the_receiver(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_STALL, .body_bytes = 5000, .cut_bytes = 1000});
    s.cancel = sbx_cancel_create(s.face->env);
    s.req.cancel = sbx_cancel_event(s.cancel);
    s.got.fire = s.cancel;
    T_EQ(seam_go(&s), SBX_EVIDENCE_CANCELLED);
    seam_end(&s);
}

static void the_first_that_applies__malformed_then_deadline_then_cancelled(void) {
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER});
    seam_cancel_now(&s);
    s.req.deadline_ms = s.face->env->now_ms(s.face->env);
    T_EQ(seam_go(&s), SBX_EVIDENCE_DEADLINE);
    s.req.url = "nonsense";
    T_EQ(seam_go(&s), SBX_EVIDENCE_PROTOCOL);
    seam_end(&s);
}

/* An exchange that ended badly leaves nothing behind that the next one could trip over. */
static void done__after_each_bad_end(void) {
    static const enum seam_kind kinds[] = {SEAM_CLOSE, SEAM_RESET, SEAM_CUT, SEAM_GARBAGE, SEAM_STALL};
    struct seam s = seam_begin((struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 10});
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        seam_arm(&s, (struct seam_behaviour){.kind = kinds[i], .body_bytes = 100, .cut_bytes = 10});
        s.req.deadline_ms = s.face->env->now_ms(s.face->env) + s.face->soon_ms;
        T_TRUE(seam_go(&s) != SBX_EVIDENCE_DONE);
        seam_arm(&s, (struct seam_behaviour){.kind = SEAM_ANSWER, .body_bytes = 10});
        s.req.deadline_ms = s.face->env->now_ms(s.face->env) + SECONDS(10);
        T_EQ(seam_go(&s), SBX_EVIDENCE_DONE);
        T_EQ(s.got.bytes, 10);
    }
    seam_end(&s);
}

T_CASES(T_CASE(done__an_answer_comes_head_first_then_its_body), T_CASE(done__an_empty_answer_has_no_body),
        T_CASE(done__an_answer_without_a_length), T_CASE(done__receiver_and_info_may_be_absent),
        T_CASE(done__every_byte_of_a_request_is_counted), T_CASE(done__a_body_from_memory),
        T_CASE(done__a_post_without_a_body), T_CASE(done__a_chunked_body_from_memory),
        T_CASE(done__a_chunked_body_that_is_empty), T_CASE(done__a_reader_of_known_length),
        T_CASE(done__a_reader_of_unknown_length), T_CASE(done__a_reader_that_has_nothing),
        T_CASE(done__64_mib_down_in_constant_memory), T_CASE(done__64_mib_up_in_constant_memory),
        T_CASE(done__a_sink_that_blocks_holds_the_server_back), T_CASE(resolve__a_host_without_an_address),
        T_CASE(connect__nobody_listens), T_CASE(sent_no_answer__the_connection_is_closed),
        T_CASE(sent_no_answer__the_connection_is_reset), T_CASE(partial__the_body_is_cut),
        T_CASE(partial__the_body_is_cut_before_its_first_byte), T_CASE(partial__a_chunked_body_is_cut),
        T_CASE(partial__the_receiver_stops_at_the_head), T_CASE(partial__the_receiver_stops_in_the_body),
        T_CASE(partial__the_reader_aborts), T_CASE(partial__the_reader_of_a_chunked_body_aborts),
        T_CASE(partial__the_reader_ends_before_the_length_it_named),
        T_CASE(done__a_reader_is_not_asked_for_more_than_the_length_it_named),
        T_CASE(too_large__a_byte_more_than_the_limit), T_CASE(done__exactly_the_limit),
        T_CASE(too_large__headers_beyond_64_kib), T_CASE(done__headers_within_64_kib),
        T_CASE(protocol__the_answer_is_no_http), T_CASE(protocol__a_malformed_request_is_not_sent),
        T_CASE(deadline__in_the_past_sends_nothing), T_CASE(deadline__a_server_that_says_nothing),
        T_CASE(deadline__in_the_middle_of_a_body), T_CASE(deadline__no_byte_for_the_stall_time),
        T_CASE(done__a_slow_sink_is_no_stall), T_CASE(cancelled__before_it_began_sends_nothing),
        T_CASE(cancelled__while_the_server_says_nothing), T_CASE(cancelled__in_the_middle_of_a_body),
        T_CASE(cancelled__from_within_the_receiver),
        T_CASE(the_first_that_applies__malformed_then_deadline_then_cancelled), T_CASE(done__after_each_bad_end))
