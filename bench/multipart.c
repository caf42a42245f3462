/* Taking a multipart answer apart, against a loop that looks for the first byte of a delimiter and copies: the least
 * that any decoder does to the same bytes. */
#include "rig.h"

#include <sandport/kit/multipart.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS   9
#define BYTES    ((size_t)64 << 20)
#define PIECE    16384 /* what libcurl hands over at once */
#define BOUNDARY "DAYTONA-FILE-BOUNDARY"

static char *copied;
static size_t copied_len;

static int take_part(void *ctx, const struct sbx_multipart_part *part) {
    (void)ctx, (void)part;
    return 0;
}

static int take_data(void *ctx, const void *data, size_t len) {
    (void)ctx;
    memcpy(copied + copied_len % PIECE, data, len);
    copied_len += len;
    return 0;
}

static int take_end(void *ctx) {
    (void)ctx;
    return 0;
}

static char *body_make(size_t *len, int told) {
    char head[256], tail[] = "\r\n--" BOUNDARY "--\r\n";
    int n = snprintf(head, sizeof(head), "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"file\"\r\n");
    if (told) n += snprintf(head + n, sizeof(head) - (size_t)n, "Content-Length: %zu\r\n", BYTES);
    n += snprintf(head + n, sizeof(head) - (size_t)n, "\r\n");
    char *body = malloc((size_t)n + BYTES + sizeof(tail));
    BENCH_NEED(body != NULL);
    memcpy(body, head, (size_t)n);
    bench_bytes(body + n, 0, BYTES);
    memcpy(body + (size_t)n + BYTES, tail, sizeof(tail));
    *len = (size_t)n + BYTES + sizeof(tail) - 1;
    return body;
}

static double decode_us(const char *body, size_t len) {
    const struct sbx_multipart_sink sink = {sizeof(sink), NULL, take_part, take_data, take_end};
    struct sbx_multipart_decoder *decoder = sbx_multipart_decoder_create(BOUNDARY, &sink);
    BENCH_NEED(decoder != NULL);
    double began = bench_cpu_us();
    copied_len = 0;
    for (size_t at = 0; at < len; at += PIECE)
        BENCH_NEED(sbx_multipart_feed(decoder, body + at, len - at < PIECE ? len - at : PIECE) == SBX_OK);
    BENCH_NEED(sbx_multipart_finish(decoder) == SBX_OK);
    double took = bench_cpu_us() - began;
    BENCH_NEED(copied_len == BYTES);
    sbx_multipart_decoder_free(decoder);
    return took;
}

static double bare_us(const char *body, size_t len) {
    double began = bench_cpu_us();
    volatile size_t seen = 0;
    for (size_t at = 0; at < len; at += PIECE) {
        const char *piece = body + at, *end = piece + (len - at < PIECE ? len - at : PIECE);
        for (const char *cr = piece; (cr = memchr(cr, '\r', (size_t)(end - cr))); cr++) seen = seen + 1;
        memcpy(copied, piece, (size_t)(end - piece));
    }
    return bench_cpu_us() - began;
}

static void measure(int told, const char *what) {
    size_t len = 0;
    char *body = body_make(&len, told);
    double speeds[ROUNDS], rates[ROUNDS];
    bench_progress(what);
    for (size_t i = 0; i < ROUNDS; i++) {
        double bare = bare_us(body, len), decode = decode_us(body, len);
        speeds[i] = bare / decode;
        rates[i] = (double)BYTES / decode;
    }
    free(body);
    bench_line(what, bench_spread_of(speeds, ROUNDS), "x", "at least 0.5 x", "the speed of a memchr and memcpy loop");
    bench_line("  of it", bench_spread_of(rates, ROUNDS), "MB/s", "none", "for orientation");
}

int main(void) {
    copied = malloc(2 * PIECE + 4096);
    BENCH_NEED(copied != NULL);
    measure(0, "multipart decoding, parts without a length");
    measure(1, "multipart decoding, parts with a length");
    free(copied);
    return 0;
}
