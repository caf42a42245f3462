/* Texts, hashes, buffers, requests: small questions over their edges. */
#include "t.h"

#include <sandport/kit/env.h>
#include <sandport/kit/json.h>
#include <sandport/kit/ops.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>

static void hex_and_uuid(void) {
    char hex[33], uuid[SBX_UUID_SIZE];
    sbx_hex("\x00\x1f\xff", 3, hex);
    T_STR(hex, "001fff");
    T_TRUE(sbx_is_hex("001fff", 6));
    T_TRUE(!sbx_is_hex("001FFF", 6));
    T_TRUE(!sbx_is_hex("001fff", 5));
    T_TRUE(!sbx_is_hex(NULL, 6));
    sbx_uuid_from_hex("0123456789abcdef0123456789abcdef", uuid);
    T_STR(uuid, "01234567-89ab-cdef-0123-456789abcdef");
    T_TRUE(sbx_hex_from_uuid(uuid, hex));
    T_STR(hex, "0123456789abcdef0123456789abcdef");
    T_TRUE(!sbx_hex_from_uuid("01234567-89ab-cdef-0123-456789abcdeg", hex));
    T_TRUE(!sbx_hex_from_uuid("0123456789ab-cdef-0123-456789abcdef-", hex));
}

static void utf8(void) {
    struct sbx_buf shown = SBX_BUF_INIT;
    T_EQ(sbx_utf8_valid("caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80", 14), 14);
    T_EQ(sbx_utf8_valid("ab\xc3", 3), 2);
    T_EQ(sbx_utf8_valid("\xe0\x80\x80", 3), 0);
    T_EQ(sbx_utf8_valid("\xf4\x90\x80\x80", 4), 0);
    T_EQ(sbx_utf8_valid("a\0b", 3), 3);
    sbx_utf8_append(&shown, "\xc3\xa9\xff\xc3z\xe6", 6);
    T_STR(sbx_buf_text(&shown), "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd");
    sbx_buf_finish(&shown);
}

/* They are looked for eight bytes at a time. */
static void a_byte_that_matters_is_seen_wherever_it_stands(void) {
    static const char odd[] = {'"', '\\', '\n', 0x1f, 0x01};
    char text[40], rest[48];
    for (size_t len = 1; len < sizeof(text); len++) {
        for (size_t at = 0; at < len; at++) {
            memset(text, '~', len);
            text[at] = (char)0xff;
            T_EQ(sbx_utf8_valid(text, len), at);
            for (size_t i = 0; i < sizeof(odd); i++) {
                struct sbx_buf buf = SBX_BUF_INIT;
                struct sbx_json *js = NULL;
                text[at] = odd[i];
                sbx_json_put_text(&buf, NULL, text, len);
                T_EQ(buf.len > len + 2, 1);
                T_EQ(sbx_json_parse(buf.data, buf.len, 0, &js), SBX_OK);
                T_MEM(sbx_json_as_string(js, sbx_json_root(js)), len, text, len);
                sbx_json_free(js);
                sbx_buf_finish(&buf);
                snprintf(rest, sizeof(rest), "\"%.*s\"", (int)len, text);
                T_EQ(sbx_json_parse(rest, len + 2, 0, &js), SBX_PROTOCOL);
                sbx_json_free(js);
            }
        }
        memset(text, 0x7f, len);
        T_EQ(sbx_utf8_valid(text, len), len);
    }
}

static void quoting_survives_the_shell(void) {
    static const char *const rows[] = {"",   "a b",  "it's", "''",   "$HOME `x` \"q\" \\",
                                       "-n", "a\nb", "*?[]", "\xff", NULL};
    for (size_t i = 0; rows[i]; i++) {
        struct sbx_buf line = SBX_BUF_INIT;
        char got[64] = {0};
        sbx_buf_text_append(&line, "printf %s ");
        sbx_shell_quote(&line, rows[i]);
        FILE *p = popen(sbx_buf_text(&line), "r");
        T_TRUE(p != NULL);
        size_t n = fread(got, 1, sizeof(got), p);
        T_EQ(pclose(p), 0);
        T_MEM(got, n, rows[i], strlen(rows[i]));
        sbx_buf_finish(&line);
    }
}

static void percent(void) {
    struct sbx_buf buf = SBX_BUF_INIT;
    sbx_percent_encode(&buf, "a b/c?=&+%\xc3\xa9-._~");
    T_STR(sbx_buf_text(&buf), "a%20b%2Fc%3F%3D%26%2B%25%C3%A9-._~");
    sbx_buf_clear(&buf);
    T_TRUE(sbx_percent_decode(&buf, "a+b%20c%2f", 10, 1));
    T_STR(sbx_buf_text(&buf), "a b c/");
    T_TRUE(!sbx_percent_decode(&buf, "%2", 2, 0));
    T_TRUE(!sbx_percent_decode(&buf, "%zz", 3, 0));
    T_TRUE(!sbx_percent_decode(&buf, "%00", 3, 0));
    sbx_buf_finish(&buf);
}

static void base64_both_ways(void) {
    static const char *const bad[] = {
        "A", "AA", "AAA", "AA=A", "A===", "AB==", "AAB=", "AA==AA==", "AAA\n", "A*AA", NULL};
    unsigned char data[70];
    for (size_t i = 0; i < sizeof(data); i++) data[i] = (unsigned char)(i * 37 + 250);
    for (size_t len = 0; len <= sizeof(data); len++) {
        struct sbx_buf coded = SBX_BUF_INIT, back = SBX_BUF_INIT;
        sbx_base64_encode(&coded, data, len);
        T_TRUE(sbx_base64_decode(&back, sbx_buf_text(&coded), coded.len));
        T_MEM(sbx_buf_text(&back), back.len, data, len);
        sbx_buf_finish(&coded);
        sbx_buf_finish(&back);
    }
    for (size_t i = 0; bad[i]; i++) {
        struct sbx_buf back = SBX_BUF_INIT;
        T_TRUE(!sbx_base64_decode(&back, bad[i], strlen(bad[i])));
        sbx_buf_finish(&back);
    }
}

static void numbers(void) {
    int64_t n = 0;
    T_TRUE(sbx_text_int("-9223372036854775808", INT64_MIN, INT64_MAX, &n) && n == INT64_MIN);
    T_TRUE(sbx_text_int("9223372036854775807", INT64_MIN, INT64_MAX, &n) && n == INT64_MAX);
    T_TRUE(!sbx_text_int("9223372036854775808", INT64_MIN, INT64_MAX, &n));
    T_TRUE(!sbx_text_int("-9223372036854775809", INT64_MIN, INT64_MAX, &n));
    T_TRUE(!sbx_text_int("", 0, 9, &n));
    T_TRUE(!sbx_text_int("-", 0, 9, &n));
    T_TRUE(!sbx_text_int("1 ", 0, 9, &n));
    T_TRUE(!sbx_text_int("10", 0, 9, &n));
}

static void hashes(void) {
    char hex[SBX_SHA256_HEX];
    struct sbx_sha256 *hash = sbx_sha256_create();
    T_TRUE(hash != NULL);
    sbx_sha256_add(hash, "ab", 2);
    sbx_sha256_hex(hash, hex);
    sbx_sha256_add(hash, "c", 1);
    sbx_sha256_hex(hash, hex);
    T_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    T_TRUE(sbx_sha256_of("abc", 3, hex));
    T_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sbx_sha256_free(hash);
    sbx_sha256_free(NULL);
}

static void buffers_fail_once_and_say_so(void) {
    struct sbx_buf buf = SBX_BUF_INIT;
    T_STR(sbx_buf_text(&buf), "");
    sbx_buf_append(&buf, "a", 1);
    T_TRUE(sbx_buf_reserve(&buf, SIZE_MAX / 2) == NULL);
    sbx_buf_append(&buf, "b", 1);
    T_STATUS(sbx_buf_status(&buf), SBX_NO_MEMORY);
    T_STR(sbx_buf_text(&buf), "a");
    sbx_buf_finish(&buf);
}

static void buffers_print_what_fits_and_what_does_not(void) {
    for (int len = 0; len < 200; len++) {
        struct sbx_buf buf = SBX_BUF_INIT;
        sbx_buf_printf(&buf, "%*s", len, "");
        sbx_buf_printf(&buf, "%s%d", "end", len);
        T_EQ(buf.len, (size_t)len + 3 + (len < 10 ? 1 : len < 100 ? 2 : 3));
        T_EQ(strlen(sbx_buf_text(&buf)), buf.len);
        T_CONTAINS(sbx_buf_text(&buf), "end");
        sbx_buf_finish(&buf);
    }
}

static void requests_that_may_not_be_sent(void) {
    static const struct sbx_header length[] = {{"content-length", "7"}};
    static const struct sbx_header injected[] = {{"X-A", "1\r\nX-B: 2"}}, bad_name[] = {{"X A", "1"}},
                                   none[] = {{NULL, "1"}};
    const struct sbx_request rows[] = {
        {.method = "GET"},
        {.method = "GET", .url = "ftp://a/"},
        {.method = "GET", .url = "//a/"},
        {.method = "GET", .url = "http://"},
        {.method = "GET", .url = "http://:80/"},
        {.method = "GET", .url = "http://user:pw@a/"},
        {.method = "GET", .url = "http://a/ b"},
        {.method = "GET", .url = "http://a/\n"},
        {.method = "GET", .url = "http://a/#f"},
        {.method = "GE T", .url = "http://a/"},
        {.method = "", .url = "http://a/"},
        {.url = "http://a/"},
        {.method = "GET", .url = "http://a/", .headers = injected, .header_count = 1},
        {.method = "GET", .url = "http://a/", .headers = bad_name, .header_count = 1},
        {.method = "GET", .url = "http://a/", .headers = none, .header_count = 1},
        {.method = "GET", .url = "http://a/", .header_count = 1},
        {.method = "GET", .url = "http://a/", .headers = length, .header_count = 1},
        {.method = "PUT", .url = "http://a/", .body_len = 1},
    };
    const struct sbx_request good = {.method = "GET", .url = "https://a.b:1/c?d=@"};
    const char *why = NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        T_STATUS(sbx_request_check(&rows[i], &why), SBX_INVALID_ARGUMENT);
        T_TRUE(why != NULL);
    }
    T_STATUS(sbx_request_check(&good, &why), SBX_OK);
    T_STATUS(sbx_request_check(NULL, NULL), SBX_INVALID_ARGUMENT);
}

static void evidence_says_what_was_sent(void) {
    T_EQ(sbx_evidence_outcome(SBX_EVIDENCE_DEADLINE, 0), SBX_OUTCOME_NOT_SENT);
    T_EQ(sbx_evidence_outcome(SBX_EVIDENCE_DEADLINE, 1), SBX_OUTCOME_UNKNOWN);
    T_EQ(sbx_evidence_outcome(SBX_EVIDENCE_DONE, 9), SBX_OUTCOME_NONE);
    T_STATUS(sbx_evidence_status(SBX_EVIDENCE_SENT_NO_ANSWER), SBX_CONNECTION_LOST);
    T_STATUS(sbx_evidence_status(SBX_EVIDENCE_TLS), SBX_CONNECT_FAILED);
    T_STATUS(sbx_evidence_status(99), SBX_PROTOCOL);
    T_STR(sbx_evidence_name(SBX_EVIDENCE_MEMORY), "memory");
}

T_CASES(T_CASE(hex_and_uuid), T_CASE(utf8), T_CASE(a_byte_that_matters_is_seen_wherever_it_stands),
        T_CASE(quoting_survives_the_shell), T_CASE(percent), T_CASE(base64_both_ways), T_CASE(numbers), T_CASE(hashes),
        T_CASE(buffers_fail_once_and_say_so), T_CASE(buffers_print_what_fits_and_what_does_not),
        T_CASE(requests_that_may_not_be_sent), T_CASE(evidence_says_what_was_sent))
