/* Memory runs out in the parts themselves: JSON, multipart, texts, exact exec's answer, Daytona's answers. Each gives
 * what it gives with memory enough, or says that there was not enough; never half of it. */
#include "adapters/daytona/client.h"
#include "short_memory.h"
#include "src/port/port.h"
#include "src/work/exact_answer.h"
#include "t.h"

#include <sandport/kit/multipart.h>
#include <sandport/kit/text.h>
#include <sandport/transfer.h>
#include <stdio.h>

/* Runs `part` with each of its requests refused, both ways. It checks what it got itself, and says whether it got it.
 *  @param does_without it may manage although one was refused */
static void each_of(enum sbx_status (*part)(void), int64_t requests_min, int does_without) {
    for (int how = MEMORY_SHORT_ONCE; how <= MEMORY_SHORT_FROM_THEN_ON; how++) {
        int64_t nth = 0, refused = 1;
        short_memory_tree_max(0);
        while (refused) {
            short_memory_arm(++nth, (enum short_memory)how);
            enum sbx_status st = part();
            refused = short_memory_disarm();
            if (st != (refused ? SBX_NO_MEMORY : SBX_OK) && (st || !does_without))
                T_FAIL("request %lld refused%s: got %s", (long long)nth, how ? " and all after it" : "",
                       sbx_status_name((int32_t)st));
        }
        printf("%lld requests refused, %s\n", (long long)nth - 1, how ? "all from one on" : "one at a time");
        T_TRUE(nth > requests_min);
    }
}

static void each(enum sbx_status (*part)(void), int64_t requests_min) {
    each_of(part, requests_min, 0);
}

/* ---- JSON ---- */

static enum sbx_status json_read(void) {
    static const char text[] =
        "{\"a\":[1,2,{\"b\":\"text\"}],\"c\":{\"d\":null,\"e\":true,\"f\":\"\\u00e9\"},\"g\":1.5}";
    struct sbx_json *js = NULL;
    enum sbx_status st = sbx_json_parse(text, sizeof(text) - 1, 0, &js);
    if (!st) {
        T_EQ(sbx_json_count(sbx_json_root(js)), 3);
        T_STR(sbx_json_string(js, sbx_json_object(js, sbx_json_root(js), "c"), "f"), "\xc3\xa9");
        T_STATUS(sbx_json_status(js), SBX_OK);
    }
    sbx_json_free(js);
    return st;
}

static void reading_json(void) {
    each(json_read, 20);
}

static enum sbx_status json_write(void) {
    struct sbx_buf buf = SBX_BUF_INIT;
    sbx_json_begin_object(&buf, NULL);
    for (int i = 0; i < 200; i++) sbx_json_put_string(&buf, "name", "a value with \"quotes\" and\na line break");
    sbx_json_put_int(&buf, "n", INT64_MIN);
    sbx_json_end_object(&buf);
    enum sbx_status st = sbx_buf_status(&buf);
    if (!st) T_TRUE(buf.len > 200 * 40 && buf.data[buf.len - 1] == '}');
    sbx_buf_finish(&buf);
    return st;
}

static void writing_json(void) {
    each(json_write, 5);
}

/* ---- texts ---- */

static enum sbx_status texts(void) {
    struct sbx_buf buf = SBX_BUF_INIT, back = SBX_BUF_INIT;
    sbx_shell_quote(&buf, "it's");
    sbx_buf_char(&buf, '|');
    sbx_url_query(&buf, "path", "/tmp/a file with a long name that needs more room than a buffer begins with");
    sbx_buf_char(&buf, '|');
    sbx_base64_encode(&buf, "0123456789012345678901234567890123456789", 40);
    sbx_buf_printf(&buf, "|%080d", 7);
    T_TRUE(sbx_base64_decode(&back, "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5",
                             80));
    enum sbx_status st = sbx_buf_status(&buf) ? sbx_buf_status(&buf) : sbx_buf_status(&back);
    if (!st) T_CONTAINS(sbx_buf_text(&buf), "'it'\\''s'|?path=%2Ftmp%2Fa%20file%20with%20");
    if (!st) T_EQ(back.len, 60);
    sbx_buf_finish(&buf);
    sbx_buf_finish(&back);
    return st;
}

static void writing_texts(void) {
    each(texts, 4);
}

/* ---- multipart ---- */

#define B "DAYTONA-FILE-BOUNDARY"

static enum sbx_status no_chance(struct sbx_env *env, void *buf, size_t len) {
    (void)env;
    memset(buf, 7, len);
    return SBX_OK;
}

static enum sbx_status multipart_compose(void) {
    struct sbx_env env = {.size = sizeof(env), .random = no_chance};
    struct sbx_multipart_upload *up = NULL;
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "hello", 5);
    char body[1024];
    size_t len = 0;
    enum sbx_status st = sbx_multipart_upload_create(&env, "project/run.sh", &from, &up);
    if (st) return st;
    const struct sbx_reader reader = sbx_multipart_upload_reader(up);
    for (ptrdiff_t n = 1; n > 0; len += (size_t)n) n = reader.read(reader.ctx, body + len, sizeof(body) - 1 - len);
    body[len] = 0;
    T_CONTAINS(body, "project/run.sh\r\n");
    T_CONTAINS(body, "\r\n\r\nhello\r\n--");
    sbx_multipart_upload_free(up);
    return SBX_OK;
}

static void composing_multipart(void) {
    each(multipart_compose, 4);
}

static int parts_told;

static int told_part(void *ctx, const struct sbx_multipart_part *part) {
    (void)ctx;
    parts_told++;
    T_STR(part->name, "file-of-a-name-that-is-longer-than-a-buffer-begins-with-which-is-64-bytes");
    T_STR(part->filename, "\xc3\xa9t\xc3\xa9.txt");
    T_STR(part->content_type, "text/plain");
    return 0;
}

static int told_data(void *ctx, const void *data, size_t len) {
    (void)ctx;
    T_MEM(data, len, "data", 4);
    return 0;
}

static int told_end(void *ctx) {
    (void)ctx;
    return 0;
}

static enum sbx_status multipart_decode(void) {
    static const char body[] = "--" B "\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; size=\"12\"; "
                               "name=\"file-of-a-name-that-is-longer-than-a-buffer-begins-with-which-is-64-bytes\"; "
                               "filename=\"ete.txt\"; filename*=UTF-8''%C3%A9t%C3%A9.txt; last=x\r\n"
                               "Content-Length: 4\r\n\r\ndata\r\n--" B "--\r\n";
    const struct sbx_multipart_sink sink = {sizeof(sink), NULL, told_part, told_data, told_end};
    struct sbx_multipart_decoder *decoder = sbx_multipart_decoder_create(B, &sink);
    enum sbx_status st = SBX_NO_MEMORY;
    parts_told = 0;
    if (decoder && !(st = sbx_multipart_feed(decoder, body, sizeof(body) - 1))) st = sbx_multipart_finish(decoder);
    if (!st) T_EQ(parts_told, 1);
    sbx_multipart_decoder_free(decoder);
    return st;
}

static void taking_multipart_apart(void) {
    each(multipart_decode, 10);
}

static enum sbx_status multipart_boundary(void) {
    char boundary[SBX_MULTIPART_BOUNDARY_SIZE];
    T_TRUE(sbx_multipart_boundary("multipart/form-data; charset=\"utf-8\"; boundary=\"" B "\"", boundary));
    T_STR(boundary, B);
    return SBX_OK;
}

static void reading_a_boundary(void) {
    each(multipart_boundary, 0);
}

/* ---- results of commands ---- */

#define NONCE "00112233445566778899aabbccddeeff"
#define HEAD  "sbx1 " NONCE " "

static enum sbx_status exact_answer(const char *text) {
    struct exact_answer ans = {0};
    enum sbx_status st = sbx_exact_answer_read(text, strlen(text), NONCE, 100, &ans);
    if (!st) T_MEM(ans.out.data, ans.out.len, "hi\n", 3);
    if (!st) T_MEM(ans.err.data, ans.err.len, "e  'x'\n", 7);
    sbx_exact_answer_finish(&ans);
    return st;
}

static enum sbx_status exact_answer_b64(void) {
    return exact_answer(HEAD "3 3 7 b64 self\naGkK\n" HEAD "err\nZSAgJ3gnCg==\n" HEAD "end\nbye\n");
}

static enum sbx_status exact_answer_hex(void) {
    return exact_answer(HEAD "3 3 7 hex self\n 68 69 0a\n" HEAD "err\n 65 20 20 27\n 78 27 0a\n" HEAD "end\nbye\n");
}

static void reading_an_exact_answer(void) {
    each(exact_answer_b64, 3);
    each(exact_answer_hex, 3);
}

static enum sbx_status result_set(void) {
    const struct sbx_exec_draft first = {.size = sizeof(first), .exit_known = 1, .out = "one", .out_len = 3};
    const struct sbx_exec_draft second = {.size = sizeof(second), .exit_known = 1, .out = "two", .out_len = 3};
    struct sbx_exec_result *result = sbx_exec_result_create();
    enum sbx_status st = result ? sbx_exec_result_set(result, &first) : SBX_NO_MEMORY;
    if (!st) {
        st = sbx_exec_result_set(result, &second);
        T_STR(sbx_exec_result_stdout(result, NULL), st ? "one" : "two");
    }
    sbx_exec_result_free(result);
    return st;
}

static void keeping_a_result(void) {
    each(result_set, 5);
}

static enum sbx_status hash(void) {
    char once[SBX_SHA256_HEX], bit_by_bit[SBX_SHA256_HEX];
    struct sbx_sha256 *sha256 = sbx_sha256_create();
    enum sbx_status st = sha256 ? SBX_OK : SBX_NO_MEMORY;
    if (!st) {
        sbx_sha256_add(sha256, "ab", 2);
        sbx_sha256_add(sha256, "c", 1);
        sbx_sha256_hex(sha256, bit_by_bit);
        if (!sbx_sha256_of("abc", 3, once) || !bit_by_bit[0]) st = SBX_NO_MEMORY;
        if (!st) T_STR(bit_by_bit, once);
        if (!st) T_CONTAINS(once, "ba7816bf");
    }
    sbx_sha256_free(sha256);
    return st;
}

static void hashing(void) {
    char hex[SBX_SHA256_HEX];
    T_TRUE(sbx_sha256_of("", 0, hex)); /* what libcrypto sets up at its first hash is its own */
    each_of(hash, 4, 1);               /* some of libcrypto's requests are for what it can do without */
}

/* ---- what Daytona says of a failure: whole, or not at all. unreadable_answer ---- */

static struct daytona_evidence got;
static char body_502[512];

/* @return SBX_NO_MEMORY if what it says could not be read */
static enum sbx_status evidence(void) {
    static const char text[] =
        "{\"path\":\"/toolbox/2f1f3ac8-6f4f-4f0c-a8b0-0f4f1d3b8e1c/process/"
        "execute\",\"timestamp\":\"2026-06-01T10:00:00."
        "000Z\",\"statusCode\":502,\"error\":\"Bad Gateway\",\"code\":\"RUNNER_UNREACHABLE\",\"message\":\"runner "
        "unreachable: dial tcp 10.0.0.1:8080: connect: connection refused\",\"details\":{\"tries\":[1,2,3]}}";
    const struct sbx_answer ans = {.size = sizeof(ans),
                                   .evidence = SBX_EVIDENCE_DONE,
                                   .http_status = 502,
                                   .sent_bytes = 100,
                                   .body = {.data = body_502, .len = sizeof(text) - 1, .cap = sizeof(text)}};
    memcpy(body_502, text, sizeof(text));
    daytona_evidence_of(&ans, &got);
    return got.evidence == SBX_EVIDENCE_MEMORY ? SBX_NO_MEMORY : SBX_OK;
}

static void means(enum sbx_status want) {
    const struct daytona_meaning meaning = daytona_meaning_of(DAYTONA_EXECUTE, &got);
    T_STATUS(meaning.status, want);
    T_EQ(meaning.outcome, SBX_OUTCOME_UNKNOWN);
}

static enum sbx_status evidence_whole(void) {
    enum sbx_status st = evidence();
    if (!st) T_TRUE(got.is_json && strcmp(got.code, "RUNNER_UNREACHABLE") == 0);
    return st;
}

static void reading_what_daytona_says(void) {
    each(evidence_whole, 20);
}

static void must_fire_unreadable_answer__no_memory(void) {
    short_memory_arm(1, MEMORY_SHORT_FROM_THEN_ON);
    enum sbx_status st = evidence();
    T_TRUE(short_memory_disarm() > 0);
    T_STATUS(st, SBX_NO_MEMORY);
    means(SBX_NO_MEMORY);
}

static void must_not_fire_unreadable_answer__memory(void) {
    T_STATUS(evidence(), SBX_OK);
    means(SBX_PROVIDER);
}

T_CASES(T_CASE(reading_json), T_CASE(writing_json), T_CASE(writing_texts), T_CASE(composing_multipart),
        T_CASE(taking_multipart_apart), T_CASE(reading_a_boundary), T_CASE(reading_an_exact_answer),
        T_CASE(keeping_a_result), T_CASE(hashing), T_CASE(reading_what_daytona_says),
        T_CASE(must_fire_unreadable_answer__no_memory), T_CASE(must_not_fire_unreadable_answer__memory))
