/* The multipart decoder's guards: a body that was cut off is never a whole file. Row P8. */
#include "t.h"

#include <sandport/kit/multipart.h>

#define HEAD "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/a\"\r\n"

static int part(void *ctx, const struct sbx_multipart_part *is) {
    (void)ctx;
    T_STR(is->filename, "/a");
    return 0;
}

static int data(void *ctx, const void *bytes, size_t len) {
    (void)bytes;
    *(size_t *)ctx += len;
    return 0;
}

static int end(void *ctx) {
    (void)ctx;
    return 0;
}

static enum sbx_status decoded(const char *body, size_t want) {
    size_t got = 0;
    const struct sbx_multipart_sink sink = {sizeof(sink), &got, part, data, end};
    struct sbx_multipart_decoder *decoder = sbx_multipart_decoder_create("B", &sink);
    T_TRUE(decoder != NULL);
    enum sbx_status fed = sbx_multipart_feed(decoder, body, strlen(body)), st = sbx_multipart_finish(decoder);
    T_TRUE(fed == SBX_OK || fed == st);
    sbx_multipart_decoder_free(decoder);
    T_EQ(got, want);
    return st;
}

static void must_fire_multipart_final_boundary__missing(void) {
    T_STATUS(decoded(HEAD "\r\nhello\r\n", 3), SBX_PROTOCOL);
}

static void must_not_fire_multipart_final_boundary__there(void) {
    T_STATUS(decoded(HEAD "\r\nhello\r\n--B--", 5), SBX_OK);
}

static void must_fire_multipart_part_length__no_delimiter_behind(void) {
    T_STATUS(decoded(HEAD "Content-Length: 5\r\n\r\nhelloXX--B--\r\n", 5), SBX_PROTOCOL);
}

static void a_part_shorter_than_it_says_is_a_failure(void) {
    T_STATUS(decoded(HEAD "Content-Length: 5\r\n\r\nhell\r\n--B--\r\n", 5), SBX_PROTOCOL);
}

static void must_not_fire_multipart_part_length__exact(void) {
    T_STATUS(decoded(HEAD "Content-Length: 5\r\n\r\nhello\r\n--B--\r\n", 5), SBX_OK);
}

T_CASES(T_CASE(must_fire_multipart_final_boundary__missing), T_CASE(must_not_fire_multipart_final_boundary__there),
        T_CASE(must_fire_multipart_part_length__no_delimiter_behind), T_CASE(a_part_shorter_than_it_says_is_a_failure),
        T_CASE(must_not_fire_multipart_part_length__exact))
