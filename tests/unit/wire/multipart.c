/* Multipart bodies composed and taken apart: every split, every cut. Row P8. */
#include "t.h"

#include <sandport/kit/multipart.h>
#include <sandport/transfer.h>
#include <stdlib.h>

#define B "DAYTONA-FILE-BOUNDARY"

/* What a decoder told, as a text: "[name|filename|type|length]" for a part, its data, "." at its end. */
struct told {
    struct sbx_buf text;
    int stop_at; /* the n-th call that says stop, 0 = none */
    int calls;
};

static int told_stop(struct told *told) {
    return ++told->calls == told->stop_at;
}

static int told_part(void *ctx, const struct sbx_multipart_part *part) {
    struct told *told = ctx;
    sbx_buf_printf(&told->text, "[%s|%s|%s|%lld]", part->name, part->filename, part->content_type,
                   (long long)part->content_length);
    return told_stop(told);
}

static int told_data(void *ctx, const void *data, size_t len) {
    struct told *told = ctx;
    T_TRUE(len > 0);
    sbx_buf_append(&told->text, data, len);
    return told_stop(told);
}

static int told_end(void *ctx) {
    struct told *told = ctx;
    sbx_buf_char(&told->text, '.');
    return told_stop(told);
}

static enum sbx_status decode(const char *body, size_t len, size_t first, size_t piece, struct told *told) {
    const struct sbx_multipart_sink sink = {sizeof(sink), told, told_part, told_data, told_end};
    struct sbx_multipart_decoder *decoder = sbx_multipart_decoder_create(B, &sink);
    enum sbx_status st = SBX_OK;
    T_TRUE(decoder != NULL);
    for (size_t at = 0, n = first < len ? first : len; at < len && !st;
         at += n, n = len - at < piece ? len - at : piece) {
        char *exact = malloc(n + 1);
        T_TRUE(exact != NULL);
        memcpy(exact, body + at, n);
        st = sbx_multipart_feed(decoder, exact, n);
        free(exact);
    }
    enum sbx_status end = sbx_multipart_finish(decoder);
    if (st) T_STATUS(end, st);
    sbx_multipart_decoder_free(decoder);
    return end;
}

static void gives_len(const char *body, size_t len, const char *want, size_t want_len) {
    for (size_t first = 0; first <= len; first++) {
        struct told told = {0};
        T_STATUS(decode(body, len, first, len, &told), SBX_OK);
        T_MEM(told.text.data, told.text.len, want, want_len);
        sbx_buf_finish(&told.text);
    }
    for (size_t piece = 1; piece < 8; piece++) {
        struct told told = {0};
        T_STATUS(decode(body, len, piece, piece, &told), SBX_OK);
        T_MEM(told.text.data, told.text.len, want, want_len);
        sbx_buf_finish(&told.text);
    }
}
#define GIVES(body, want) gives_len(body, sizeof(body) - 1, want, sizeof(want) - 1)

#define FILE_HEAD(path, length)                                                                                        \
    "--" B "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" path "\"\r\nContent-Length: " length       \
    "\r\nContent-Type: text/plain\r\n\r\n"
#define LAST "\r\n--" B "--\r\n"

static void one_file(void) {
    GIVES(FILE_HEAD("/a.txt", "5") "hello" LAST, "[file|/a.txt|text/plain|5]hello.");
    GIVES(FILE_HEAD("/a.txt", "0") LAST, "[file|/a.txt|text/plain|0].");
    GIVES(FILE_HEAD("/a.txt", "5") "hello"
                                   "\r\n--" B "--",
          "[file|/a.txt|text/plain|5]hello."); /* no newline behind */
    GIVES("preamble\r\n" FILE_HEAD("/a", "1") "x" LAST "epilogue", "[file|/a|text/plain|1]x.");
    GIVES("--" B "  \t\r\n\r\nbare" LAST, "[|||-1]bare.");
    GIVES("--" B "\r\nContent-Disposition: form-data; name=file\r\n\r\n" LAST, "[file|||-1].");
}

static void data_may_look_like_a_boundary(void) {
    GIVES(FILE_HEAD("/b", "27") "\r\n--" B "--" LAST, "[file|/b|text/plain|27]\r\n--" B "--.");
    GIVES(FILE_HEAD("/b", "29") "\r\n--" B "--\r\n" LAST, "[file|/b|text/plain|29]\r\n--" B "--\r\n.");
    GIVES("--" B "\r\n\r\n\r\n--DAYTONA-FILE-BOUNDARX\r\r\n-" LAST, "[|||-1]\r\n--DAYTONA-FILE-BOUNDARX\r\r\n-.");
}

static void several_parts(void) {
    GIVES(FILE_HEAD("/a", "1") "x\r\n" FILE_HEAD("/b", "2") "yz" LAST,
          "[file|/a|text/plain|1]x.[file|/b|text/plain|2]yz.");
    GIVES("--" B
          "\r\nContent-Disposition: form-data; name=\"error\"; filename=\"/c\"\r\n\r\n{\"code\":1}\r\n" FILE_HEAD(
              "/b", "1") "\0" LAST,
          "[error|/c||-1]{\"code\":1}.[file|/b|text/plain|1]\0.");
}

static void names_are_decoded(void) {
    GIVES("--" B "\r\ncontent-disposition: form-data; name=\"file\"; filename=\"/q\\\"b\\\\s_\"; "
          "filename*=utf-8''%2Fq%22b%5Cs%C3%A9\r\n\r\n" LAST,
          "[file|/q\"b\\s\xc3\xa9||-1].");
    GIVES("--" B "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/q\\\"b\\\\s;x=y\"\r\n\r\n" LAST,
          "[file|/q\"b\\s;x=y||-1].");
    GIVES("--" B "\r\nX-Other: a: b\r\nCONTENT-DISPOSITION:form-data;name = file ;flag; filename=a.b\r\n\r\n" LAST,
          "[file|a.b||-1].");
}

/* A body that lacks its end, wherever it was cut, is a failure; so is a part shorter than it says. */
static void every_cut_is_a_failure(void) {
    static const char body[] = FILE_HEAD("/a", "5") "hello\r\n--" B "\r\n\r\nbare" LAST;
    for (size_t len = 0; len < sizeof(body) - 1 - 2; len++) {
        struct told told = {0};
        T_STATUS(decode(body, len, 3, 7, &told), SBX_PROTOCOL);
        sbx_buf_finish(&told.text);
    }
}

static void is_malformed(const char *body) {
    for (size_t piece = 1; piece < 200; piece += 33) {
        struct told told = {0};
        enum sbx_status st = decode(body, strlen(body), piece, piece, &told);
        if (st != SBX_PROTOCOL) T_FAIL("taken: %s", body);
        sbx_buf_finish(&told.text);
    }
}

static void what_is_malformed(void) {
    is_malformed("");
    is_malformed("{\"error\":\"no\"}");
    is_malformed(FILE_HEAD("/a", "6") "hello" LAST); /* shorter than it says */
    is_malformed(FILE_HEAD("/a", "4") "hello" LAST); /* longer */
    is_malformed(FILE_HEAD("/a", "-1") "hello" LAST);
    is_malformed(FILE_HEAD("/a", "5x") "hello" LAST);
    is_malformed(FILE_HEAD("/a", "99999999999999999999") "hello" LAST);
    is_malformed("--" B "\r\nno colon\r\n\r\n" LAST);
    is_malformed("--" B "\r\nContent-Disposition: form-data; filename*=broken\r\n\r\n" LAST);
    is_malformed("--" B "\r\nContent-Disposition: form-data; filename*=utf-8''%0\r\n\r\n" LAST);
    is_malformed("--" B "\r\nContent-Disposition: form-data; filename*=utf-8''%00\r\n\r\n" LAST);
    is_malformed("--" B "x\r\n\r\n" LAST);
}

static void headers_without_end_are_refused(void) {
    struct told told = {0};
    struct sbx_buf body = SBX_BUF_INIT;
    sbx_buf_text_append(&body, "--" B "\r\nX: ");
    for (int i = 0; i < 40000; i++) sbx_buf_char(&body, 'x');
    T_STATUS(decode(body.data, body.len, body.len, 1, &told), SBX_PROTOCOL);
    T_EQ(told.text.len, 0);
    sbx_buf_finish(&body);
    sbx_buf_finish(&told.text);
}

static void a_sink_may_stop_it(void) {
    static const char body[] = FILE_HEAD("/a", "5") "hello" LAST;
    for (int stop_at = 1; stop_at <= 3; stop_at++) {
        struct told told = {.stop_at = stop_at};
        T_STATUS(decode(body, sizeof(body) - 1, 1000, 1000, &told), SBX_STREAM);
        T_EQ(told.calls, stop_at);
        sbx_buf_finish(&told.text);
    }
}

static void a_large_part_goes_through_in_pieces(void) {
    const size_t size = 300000;
    struct told told = {0};
    struct sbx_buf body = SBX_BUF_INIT;
    sbx_buf_text_append(&body, "--" B "\r\n\r\n");
    for (size_t i = 0; i < size; i++) sbx_buf_char(&body, i % 3 ? '\r' : '-');
    sbx_buf_text_append(&body, LAST);
    T_STATUS(decode(body.data, body.len, body.len, 1, &told), SBX_OK);
    T_EQ(told.text.len, size + strlen("[|||-1]."));
    T_TRUE(told.calls > (int)(size / 16384));
    sbx_buf_finish(&body);
    sbx_buf_finish(&told.text);
}

static void boundaries_are_read(void) {
    char boundary[SBX_MULTIPART_BOUNDARY_SIZE];
    T_TRUE(sbx_multipart_boundary("multipart/form-data; boundary=" B, boundary));
    T_STR(boundary, B);
    T_TRUE(sbx_multipart_boundary("Multipart/Mixed;charset=x; BOUNDARY=\"a b\"; y=z", boundary));
    T_STR(boundary, "a b");
    T_TRUE(!sbx_multipart_boundary("application/json", boundary));
    T_TRUE(!sbx_multipart_boundary("multipart/form-data", boundary));
    T_TRUE(!sbx_multipart_boundary("multipart/form-data; boundary=", boundary));
    T_TRUE(!sbx_multipart_boundary("multipart/form-data; boundary=0123456789012345678901234567890123456789"
                                   "0123456789012345678901234567890",
                                   boundary));
}

/* ---- uploads ---- */

static enum sbx_status fixed_random(struct sbx_env *env, void *buf, size_t len) {
    (void)env;
    memset(buf, 0xab, len);
    return SBX_OK;
}

static struct sbx_env fixed_env = {.size = sizeof(struct sbx_env), .random = fixed_random};
#define RANDOM "abababababababababababababababab"

static void composed(const char *path, const char *filename, const void *file, size_t file_len, size_t cap) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, file, file_len);
    struct sbx_multipart_upload *upload = NULL;
    struct sbx_buf got = SBX_BUF_INIT, want = SBX_BUF_INIT;
    char piece[64];
    T_STATUS(sbx_multipart_upload_create(&fixed_env, path, &from, &upload), SBX_OK);
    T_STR(sbx_multipart_upload_content_type(upload), "multipart/form-data; boundary=" RANDOM);
    const struct sbx_reader body = sbx_multipart_upload_reader(upload);
    for (ptrdiff_t n = 1; n > 0;) {
        n = body.read(body.ctx, piece, cap);
        T_TRUE(n >= 0 && n <= (ptrdiff_t)cap);
        sbx_buf_append(&got, piece, (size_t)n);
    }
    T_EQ(body.read(body.ctx, piece, cap), 0);
    sbx_buf_printf(&want,
                   "--" RANDOM "\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n%s\r\n--" RANDOM
                   "\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"%s\"\r\n"
                   "Content-Type: application/octet-stream\r\n\r\n",
                   path, filename);
    sbx_buf_append(&want, file, file_len);
    sbx_buf_text_append(&want, "\r\n--" RANDOM "--\r\n");
    T_MEM(got.data, got.len, want.data, want.len);
    sbx_buf_finish(&got);
    sbx_buf_finish(&want);
    sbx_multipart_upload_free(upload);
}

static void an_upload_is_composed(void) {
    for (size_t cap = 1; cap <= 64; cap += 21) {
        composed("/tmp/x y/a.txt", "a.txt", "by\0tes\r\n--", 10, cap);
        composed("a", "a", "", 0, cap);
        composed("/q\"b\\s \xc3\xa9", "q_b_s___", "x", 1, cap);
    }
}

/* What is said of the one: a part for its path, a part for its bytes; whatever room there is to read into. */
static void many_files_are_composed_in_their_order(void) {
    static const char want[] =
        "--" RANDOM "\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\na\r\n"
        "--" RANDOM "\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"a\"\r\n"
        "Content-Type: application/octet-stream\r\n\r\nfirst\r\n"
        "--" RANDOM "\r\nContent-Disposition: form-data; name=\"files[1].path\"\r\n\r\nd/empty with a long name\r\n"
        "--" RANDOM
        "\r\nContent-Disposition: form-data; name=\"files[1].file\"; filename=\"empty_with_a_long_name\"\r\n"
        "Content-Type: application/octet-stream\r\n\r\n\r\n"
        "--" RANDOM "\r\nContent-Disposition: form-data; name=\"files[2].path\"\r\n\r\nz\r\n"
        "--" RANDOM "\r\nContent-Disposition: form-data; name=\"files[2].file\"; filename=\"z\"\r\n"
        "Content-Type: application/octet-stream\r\n\r\n--" RANDOM "\r\n--" RANDOM "--\r\n";
    for (size_t cap = 1; cap <= 64; cap++) {
        struct sbx_memory_reader memory[3];
        const struct sbx_reader readers[3] = {sbx_memory_reader_init(&memory[0], "first", 5),
                                              sbx_memory_reader_init(&memory[1], "", 0),
                                              sbx_memory_reader_init(&memory[2], "--" RANDOM, 34)};
        const struct sbx_multipart_file files[3] = {
            {"a", &readers[0]}, {"d/empty with a long name", &readers[1]}, {"z", &readers[2]}};
        struct sbx_multipart_upload *upload = NULL;
        struct sbx_buf got = SBX_BUF_INIT;
        char piece[64];
        T_STATUS(sbx_multipart_upload_create_many(&fixed_env, files, 3, &upload), SBX_OK);
        const struct sbx_reader body = sbx_multipart_upload_reader(upload);
        for (ptrdiff_t n = 1; n > 0;) {
            n = body.read(body.ctx, piece, cap);
            T_TRUE(n >= 0 && n <= (ptrdiff_t)cap);
            sbx_buf_append(&got, piece, (size_t)n);
        }
        T_MEM(got.data, got.len, want, sizeof(want) - 1);
        sbx_buf_finish(&got);
        sbx_multipart_upload_free(upload);
        upload = NULL;
        T_STATUS(sbx_multipart_upload_create_many(&fixed_env, files, 0, &upload), SBX_INVALID_ARGUMENT);
        T_TRUE(upload == NULL);
    }
}

/* The only part of a form: its path is told elsewhere, so any will do. */
static void a_form_of_one_part(void) {
    static const struct {
        const char *path, *filename;
    } rows[] = {{"/tmp/x y/a.txt", "a.txt"}, {" q\"b\\s\xc3\xa9 ", "_q_b_s___"}, {"d/", ""}, {"a\r\nX: y", "a__X:_y"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t cap = 1; cap <= 64; cap += 9) {
            struct sbx_memory_reader memory;
            const struct sbx_reader from = sbx_memory_reader_init(&memory, "by\0tes\r\n--", 10);
            struct sbx_multipart_upload *upload = NULL;
            struct sbx_buf got = SBX_BUF_INIT, want = SBX_BUF_INIT;
            char piece[64];
            T_STATUS(sbx_multipart_upload_create_part(&fixed_env, "file", rows[i].path, &from, &upload), SBX_OK);
            const struct sbx_reader body = sbx_multipart_upload_reader(upload);
            for (ptrdiff_t n = 1; (n = body.read(body.ctx, piece, cap)) > 0;) sbx_buf_append(&got, piece, (size_t)n);
            sbx_buf_printf(&want,
                           "--" RANDOM "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n"
                           "Content-Type: application/octet-stream\r\n\r\n",
                           rows[i].filename);
            sbx_buf_append(&want, "by\0tes\r\n--", 10);
            sbx_buf_text_append(&want, "\r\n--" RANDOM "--\r\n");
            T_MEM(got.data, got.len, want.data, want.len);
            sbx_buf_finish(&got);
            sbx_buf_finish(&want);
            sbx_multipart_upload_free(upload);
        }
    }
}

static void paths_that_a_server_would_change_are_refused(void) {
    static const char *const paths[] = {"", " a", "a ", "\ta", "a\n", "/tmp/"};
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, "", 0);
    struct sbx_multipart_upload *upload = NULL;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        T_STATUS(sbx_multipart_upload_create(&fixed_env, paths[i], &from, &upload), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_multipart_upload_create(&fixed_env, NULL, &from, &upload), SBX_INVALID_ARGUMENT);
    T_TRUE(upload == NULL);
    sbx_multipart_upload_free(NULL);
    sbx_multipart_decoder_free(NULL);
}

static ptrdiff_t aborting_read(void *ctx, void *buf, size_t cap) {
    int *left = ctx;
    (void)cap;
    *(char *)buf = 'x';
    return (*left)-- > 0 ? 1 : -1;
}

static void an_abort_of_the_file_is_handed_on(void) {
    int left = 2;
    const struct sbx_reader from = {&left, aborting_read};
    struct sbx_multipart_upload *upload = NULL;
    char piece[4096];
    T_STATUS(sbx_multipart_upload_create(&fixed_env, "a", &from, &upload), SBX_OK);
    const struct sbx_reader body = sbx_multipart_upload_reader(upload);
    T_TRUE(body.read(body.ctx, piece, sizeof(piece)) > 1);
    T_EQ(body.read(body.ctx, piece, sizeof(piece)), 1);
    T_EQ(body.read(body.ctx, piece, sizeof(piece)), 1);
    T_EQ(body.read(body.ctx, piece, sizeof(piece)), -1);
    sbx_multipart_upload_free(upload);
}

T_CASES(T_CASE(one_file), T_CASE(data_may_look_like_a_boundary), T_CASE(several_parts), T_CASE(names_are_decoded),
        T_CASE(every_cut_is_a_failure), T_CASE(what_is_malformed), T_CASE(headers_without_end_are_refused),
        T_CASE(a_sink_may_stop_it), T_CASE(a_large_part_goes_through_in_pieces), T_CASE(boundaries_are_read),
        T_CASE(an_upload_is_composed), T_CASE(many_files_are_composed_in_their_order),
        T_CASE(paths_that_a_server_would_change_are_refused), T_CASE(an_abort_of_the_file_is_handed_on),
        T_CASE(a_form_of_one_part))
