/* Thousands of damaged requests, drawn from a fixed seed: however the bytes are split, the parser says the same of
 * them, and never reads beyond them (the sanitizers watch). */
#include "parse_split.h"
#include "t.h"

#include <stdint.h>
#include <stdlib.h>

#define ROUNDS    20000
#define BYTES_MAX 512

static const char *const seeds[] = {
    "GET /api/sandbox?limit=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k\r\n\r\n",
    "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "PUT /y HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: 1\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
};
static const char *const pieces[] = {"\r\n",
                                     "\n",
                                     "\r",
                                     " ",
                                     ":",
                                     "\r\n ",
                                     "0\r\n\r\n",
                                     "HTTP/1.",
                                     "fff",
                                     "Host: h\r\n",
                                     "\xff",
                                     "http://",
                                     "chunked",
                                     "\t",
                                     "Content-Length: 3\r\n",
                                     "Transfer-Encoding: chunked\r\n"};

static uint64_t state;

static size_t draw(size_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(state >> 33) % below;
}

static size_t insert(char *bytes, size_t len, size_t at, const char *piece, size_t n) {
    if (len + n > BYTES_MAX) return len;
    memmove(bytes + at + n, bytes + at, len - at);
    memcpy(bytes + at, piece, n);
    return len + n;
}

static size_t damage(char *bytes, size_t len) {
    size_t at = draw(len), kind = draw(4), n = 1 + draw(8);
    const char *piece = pieces[draw(sizeof(pieces) / sizeof(pieces[0]))];
    if (kind == 0) bytes[at] = (char)draw(256);
    if (kind == 1) return insert(bytes, len, at, piece, strlen(piece));
    if (kind == 2 && at + n < len) {
        memmove(bytes + at, bytes + at + n, len - at - n);
        return len - n;
    }
    if (kind == 3) return at ? at : len; /* cut off */
    return len;
}

static void check(const char *bytes, size_t len, unsigned round) {
    size_t cuts[3] = {draw(len + 1), 0, 0};
    cuts[1] = cuts[0] + draw(len - cuts[0] + 1);
    cuts[2] = cuts[1] + draw(len - cuts[1] + 1);
    char *whole = parse_render(bytes, len, NULL, 0), *split = parse_render(bytes, len, cuts, 3);
    char *bytewise = parse_render_bytewise(bytes, len);
    if (strcmp(whole, split) != 0) T_FAIL("round %u, split: got\n%s\nexpected\n%s", round, split, whole);
    if (strcmp(whole, bytewise) != 0) T_FAIL("round %u, bytewise: got\n%s\nexpected\n%s", round, bytewise, whole);
    free(whole);
    free(split);
    free(bytewise);
}

static void damaged_requests_read_the_same_however_split(void) {
    char bytes[BYTES_MAX];
    for (unsigned round = 0; round < ROUNDS; round++) {
        state = round;
        const char *seed = seeds[draw(sizeof(seeds) / sizeof(seeds[0]))];
        size_t len = strlen(seed);
        memcpy(bytes, seed, len);
        for (size_t times = 1 + draw(4); times; times--) len = damage(bytes, len);
        check(bytes, len, round);
    }
}

T_CASES(T_CASE(damaged_requests_read_the_same_however_split))
