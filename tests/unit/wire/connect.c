/* Streams of the Connect protocol: cut anywhere, ended early, lied about, garbled. Row E8. */
#include "t.h"

#include <sandport/kit/connect.h>
#include <stdio.h>

/* ---- what a decoder hears, written down ---- */

struct heard {
    struct sbx_buf text; /* each message in brackets */
    int stop_at;         /* the message that the sink refuses, from 1; 0 = none */
    int messages;
};

static int hear(void *ctx, const char *data, size_t len) {
    struct heard *heard = ctx;
    T_EQ(data[len], 0);
    sbx_buf_char(&heard->text, '[');
    sbx_buf_append(&heard->text, data, len);
    sbx_buf_char(&heard->text, ']');
    return ++heard->messages == heard->stop_at;
}

struct stream {
    struct heard heard;
    struct sbx_connect_decoder *decoder;
};

static void stream_begin(struct stream *s, size_t message_max) {
    const struct sbx_connect_sink sink = {sizeof(sink), &s->heard, hear};
    s->decoder = sbx_connect_decoder_create(&sink, message_max);
    T_TRUE(s->decoder != NULL);
}

static void stream_end(struct stream *s) {
    sbx_connect_decoder_free(s->decoder);
    sbx_buf_finish(&s->heard.text);
}

/* Feeds all of it at once and wants that answer, again and again. */
static void all_at_once(const void *data, size_t len, enum sbx_status want, int32_t ending, const char *text) {
    struct stream s = {0};
    stream_begin(&s, 0);
    T_STATUS(sbx_connect_feed(s.decoder, data, len), want);
    if (want) T_STATUS(sbx_connect_feed(s.decoder, "", 1), want);
    T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_DONE), ending);
    T_STR(sbx_buf_text(&s.heard.text), text);
    stream_end(&s);
}

#define ALL(literal, want, ending, text) all_at_once((literal), sizeof(literal) - 1, (want), (ending), (text))

static const char whole[] = "\0\0\0\0\x0a{\"a\":\"b\"} "
                            "\0\0\0\0\0"
                            "\0\0\0\0\x02{}"
                            "\x02\0\0\0\x02{}";

/* ---- every split ---- */

static void every_split_gives_the_same(void) {
    for (size_t a = 0; a < sizeof(whole); a++)
        for (size_t b = a; b < sizeof(whole); b++) {
            struct stream s = {0};
            stream_begin(&s, 0);
            T_STATUS(sbx_connect_feed(s.decoder, whole, a), SBX_OK);
            T_STATUS(sbx_connect_feed(s.decoder, whole + a, b - a), SBX_OK);
            T_STATUS(sbx_connect_feed(s.decoder, whole + b, sizeof(whole) - 1 - b), SBX_OK);
            T_STR(sbx_buf_text(&s.heard.text), "[{\"a\":\"b\"} ][][{}]");
            T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_DONE), SBX_CONNECT_WELL);
            stream_end(&s);
        }
}

/* A reset and an end in good order are told apart wherever the stream is cut; neither is an end. */
static void every_truncation_is_no_end(void) {
    for (size_t cut = 0; cut + 1 < sizeof(whole); cut++) {
        struct stream s = {0};
        stream_begin(&s, 0);
        T_STATUS(sbx_connect_feed(s.decoder, whole, cut), SBX_OK);
        T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_DONE), SBX_CONNECT_SHORT);
        T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_PARTIAL), SBX_CONNECT_RESET);
        T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_DEADLINE), SBX_CONNECT_RESET);
        stream_end(&s);
    }
}

/* The end has come: that the connection is cut behind it takes nothing back. */
static void a_reset_behind_the_end_is_harmless(void) {
    struct stream s = {0};
    stream_begin(&s, 0);
    T_STATUS(sbx_connect_feed(s.decoder, whole, sizeof(whole) - 1), SBX_OK);
    T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_PARTIAL), SBX_CONNECT_WELL);
    stream_end(&s);
}

/* ---- ends ---- */

static void an_end_with_an_error_says_which(void) {
    static const char end[] =
        "\0\0\0\0\x02{}\x02\0\0\0\x5f{\"error\":{\"code\":\"deadline_exceeded\",\"message\":\"too "
        "late\",\"details\":[]},\"metadata\":{\"k\":[\"v\"]}}";
    for (size_t cut = 0; cut < sizeof(end); cut++) {
        struct stream s = {0};
        stream_begin(&s, 0);
        T_STATUS(sbx_connect_feed(s.decoder, end, cut), SBX_OK);
        T_STATUS(sbx_connect_feed(s.decoder, end + cut, sizeof(end) - 1 - cut), SBX_OK);
        T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_DONE), SBX_CONNECT_ERROR);
        T_STR(sbx_connect_error(s.decoder)->code, "deadline_exceeded");
        T_STR(sbx_connect_error(s.decoder)->message, "too late");
        T_STR(sbx_buf_text(&s.heard.text), "[{}]");
        stream_end(&s);
    }
}

static void ends_of_other_shapes(void) {
    ALL("\x02\0\0\0\x0c{\"error\":{}}", SBX_OK, SBX_CONNECT_ERROR, "");
    ALL("\x02\0\0\0\x0e{\"error\":null}", SBX_OK, SBX_CONNECT_WELL, "");
    ALL("\x02\0\0\0\x10{\"metadata\":{}} ", SBX_OK, SBX_CONNECT_WELL, "");
    ALL("\x02\0\0\0\x0e{\"error\":\"no\"}", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "");
    ALL("\x02\0\0\0\x02[]", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "");
    ALL("\x02\0\0\0\x01{", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "");
    ALL("\x02\0\0\0\0", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "");
}

static void nothing_may_follow_the_end(void) {
    ALL("\x02\0\0\0\x02{}\0", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "");
    ALL("\x02\0\0\0\x02{}\x02\0\0\0\x02{}", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "");
}

/* ---- flags and lengths ---- */

static void unknown_flags_are_refused(void) {
    for (int flags = 0; flags < 256; flags++) {
        char data[] = "\0\0\0\0\x02{}";
        data[0] = (char)flags;
        int known = flags == 0 || flags == 2;
        all_at_once(data, sizeof(data) - 1, known ? SBX_OK : SBX_PROTOCOL,
                    flags == 0   ? SBX_CONNECT_SHORT
                    : flags == 2 ? SBX_CONNECT_WELL
                                 : SBX_CONNECT_BROKEN,
                    flags == 0 ? "[{}]" : "");
    }
}

/* A length that lies is refused where it is read: nothing is set aside for it. */
static void a_length_beyond_the_limit_is_refused_at_once(void) {
    ALL("\0\xff\xff\xff\xff", SBX_TOO_LARGE, SBX_CONNECT_STOPPED, "");
    ALL("\x02\xff\xff\xff\xff{}", SBX_TOO_LARGE, SBX_CONNECT_STOPPED, "");
    ALL("\0\x01\0\0\x01", SBX_TOO_LARGE, SBX_CONNECT_STOPPED, "");
    ALL("\0\x01\0\0\0{}", SBX_OK, SBX_CONNECT_SHORT, ""); /* 16 MiB are allowed, and have not come */
    struct stream s = {0};
    stream_begin(&s, 3);
    T_STATUS(sbx_connect_feed(s.decoder, "\0\0\0\0\x03{ }", 8), SBX_OK);
    T_STATUS(sbx_connect_feed(s.decoder, "\0\0\0\0\x04", 5), SBX_TOO_LARGE);
    T_STR(sbx_buf_text(&s.heard.text), "[{ }]");
    stream_end(&s);
}

static void a_short_length_makes_the_rest_nonsense(void) {
    ALL("\0\0\0\0\x01{}\x02\0\0\0\x02{}", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "[{]"); /* "}" is read as flags */
}

static void a_large_message_comes_whole(void) {
    enum { SIZE = 300000 };
    static char big[SIZE];
    struct sbx_buf stream = SBX_BUF_INIT;
    struct stream s = {0};
    memset(big, 'x', sizeof(big));
    sbx_connect_envelope(&stream, big, sizeof(big));
    sbx_buf_append(&stream, "\x02\0\0\0\x02{}", 7);
    stream_begin(&s, 0);
    for (size_t at = 0; at < stream.len; at += 4096)
        T_STATUS(sbx_connect_feed(s.decoder, stream.data + at, stream.len - at < 4096 ? stream.len - at : 4096),
                 SBX_OK);
    T_EQ(s.heard.text.len, SIZE + 2);
    T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_DONE), SBX_CONNECT_WELL);
    stream_end(&s);
    sbx_buf_finish(&stream);
}

static void a_sink_that_stops_it_hears_no_more(void) {
    struct stream s = {0};
    stream_begin(&s, 0);
    s.heard.stop_at = 1;
    T_STATUS(sbx_connect_feed(s.decoder, whole, sizeof(whole) - 1), SBX_STREAM);
    T_STR(sbx_buf_text(&s.heard.text), "[{\"a\":\"b\"} ]");
    T_EQ(sbx_connect_ending(s.decoder, SBX_EVIDENCE_PARTIAL), SBX_CONNECT_STOPPED);
    stream_end(&s);
}

/* Whatever comes, the same bytes get the same answer however they are cut. */
static void garbage_is_decided_the_same_however_it_is_cut(void) {
    uint32_t random = 1;
    for (int round = 0; round < 300; round++) {
        unsigned char data[64];
        struct stream one = {0}, many = {0};
        for (size_t i = 0; i < sizeof(data); i++) {
            random = random * 1664525u + 1013904223u;
            data[i] = random >> 28 < 11 ? 0 : (unsigned char)(random >> 24 & 7);
        }
        stream_begin(&one, 0);
        stream_begin(&many, 0);
        enum sbx_status whole_st = sbx_connect_feed(one.decoder, data, sizeof(data)), st = SBX_OK;
        for (size_t i = 0; i < sizeof(data); i++) st = sbx_connect_feed(many.decoder, data + i, 1);
        T_STATUS(st, whole_st);
        T_EQ(one.heard.messages, many.heard.messages);
        T_EQ(sbx_connect_ending(one.decoder, SBX_EVIDENCE_DONE), sbx_connect_ending(many.decoder, SBX_EVIDENCE_DONE));
        stream_end(&one);
        stream_end(&many);
    }
}

/* ---- errors and content types ---- */

static void errors_are_read_in_both_dialects(void) {
    static const char word[] = "{\"code\":\"not_found\",\"message\":\"process with pid 4 not found\"}";
    static const char number[] = "{\"sandboxId\":\"i1\",\"message\":\"The sandbox was not found\",\"code\":502}";
    struct sbx_connect_error error = {.size = sizeof(error)};
    T_STATUS(sbx_connect_error_read(word, sizeof(word) - 1, &error), SBX_OK);
    T_STR(error.code, "not_found");
    T_EQ(error.number, 0);
    T_STATUS(sbx_connect_error_read(number, sizeof(number) - 1, &error), SBX_OK);
    T_STR(error.code, "");
    T_EQ(error.number, 502);
    T_STR(error.message, "The sandbox was not found");
    T_STATUS(sbx_connect_error_read("{\"code\":[],\"message\":7}", 23, &error), SBX_OK);
    T_STR(error.code, "");
    T_STR(error.message, "");
    T_STATUS(sbx_connect_error_read("<html>", 6, &error), SBX_PROTOCOL);
    T_STATUS(sbx_connect_error_read("[]", 2, &error), SBX_PROTOCOL);
}

static void streams_are_known_by_their_type(void) {
    T_TRUE(sbx_connect_is_stream("application/connect+json"));
    T_TRUE(sbx_connect_is_stream("Application/Connect+JSON; charset=utf-8"));
    T_TRUE(!sbx_connect_is_stream("application/json"));
    T_TRUE(!sbx_connect_is_stream("application/connect+proto"));
    T_TRUE(!sbx_connect_is_stream("text/html"));
    T_TRUE(!sbx_connect_is_stream(""));
}

static void a_request_is_one_envelope(void) {
    struct sbx_buf out = SBX_BUF_INIT;
    sbx_connect_envelope(&out, "{}", 2);
    T_MEM(out.data, out.len, "\0\0\0\0\x02{}", 7);
    sbx_buf_finish(&out);
}

/* ---- the guard end_is_explicit: only an end that can be read is one ---- */

static void must_fire_end_is_explicit__garbled(void) {
    ALL("\0\0\0\0\x02{}\x02\0\0\0\x0b{\"error\":1}", SBX_PROTOCOL, SBX_CONNECT_BROKEN, "[{}]");
}

static void must_not_fire_end_is_explicit__well(void) {
    ALL("\0\0\0\0\x02{}\x02\0\0\0\x0e{\"error\":null}", SBX_OK, SBX_CONNECT_WELL, "[{}]");
}

T_CASES(T_CASE(every_split_gives_the_same), T_CASE(every_truncation_is_no_end),
        T_CASE(a_reset_behind_the_end_is_harmless), T_CASE(an_end_with_an_error_says_which),
        T_CASE(ends_of_other_shapes), T_CASE(nothing_may_follow_the_end), T_CASE(unknown_flags_are_refused),
        T_CASE(a_length_beyond_the_limit_is_refused_at_once), T_CASE(a_short_length_makes_the_rest_nonsense),
        T_CASE(a_large_message_comes_whole), T_CASE(a_sink_that_stops_it_hears_no_more),
        T_CASE(garbage_is_decided_the_same_however_it_is_cut), T_CASE(errors_are_read_in_both_dialects),
        T_CASE(streams_are_known_by_their_type), T_CASE(a_request_is_one_envelope),
        T_CASE(must_fire_end_is_explicit__garbled), T_CASE(must_not_fire_end_is_explicit__well))
