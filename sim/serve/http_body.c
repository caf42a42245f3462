/* The body of an HTTP/1.1 request: by length, or in chunks. Row V1. */
#include "sim/serve/http_parse.h"

#include <string.h>

enum body_state {
    BODY_LENGTH,    /* `left` bytes, then the end */
    BODY_SIZE,      /* hex digits of a chunk's length */
    BODY_EXTENSION, /* what may stand behind them */
    BODY_SIZE_LF,
    BODY_CHUNK, /* `left` bytes of it */
    BODY_CHUNK_CR,
    BODY_CHUNK_LF,
    BODY_TRAILER_START, /* a line behind the last chunk, or the empty one that ends all */
    BODY_TRAILER_NAME,
    BODY_TRAILER_VALUE,
    BODY_TRAILER_LF,
    BODY_END_LF,
    BODY_END,
    BODY_MALFORMED
};

void serve_body_begin(struct serve_body *b, int64_t length) {
    memset(b, 0, sizeof(*b));
    b->state = length < 0 ? BODY_SIZE : BODY_LENGTH;
    b->left = length < 0 ? 0 : length;
}

int serve_body_whole(const struct serve_body *b) {
    return b->state == BODY_END || (b->state == BODY_LENGTH && b->left == 0);
}

static int body_hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* A length of more than 15 digits would not fit, whatever its value. */
static int body_size(struct serve_body *b, char c) {
    int digit = body_hex(c);
    if (digit >= 0) {
        if (++b->digits > 15) return BODY_MALFORMED;
        b->left = b->left * 16 + digit;
        return BODY_SIZE;
    }
    if (b->digits == 0) return BODY_MALFORMED;
    if (c == '\r') return BODY_SIZE_LF;
    return c == ';' ? BODY_EXTENSION : BODY_MALFORMED;
}

static int body_text(char c) {
    return ((unsigned char)c >= 0x20 && c != 0x7f) || c == '\t';
}

static int body_extension(struct serve_body *b, char c) {
    if (c == '\r') return BODY_SIZE_LF;
    return body_text(c) && ++b->line <= SERVE_CHUNK_LINE_MAX ? BODY_EXTENSION : BODY_MALFORMED;
}

/* The length has ended: what comes is a chunk, or behind the last one the trailers. */
static int body_chunk(struct serve_body *b) {
    b->digits = 0;
    b->line = 0;
    return b->left ? BODY_CHUNK : BODY_TRAILER_START;
}

static int body_trailer(struct serve_body *b, char c) {
    if (++b->line > SERVE_TRAILER_MAX) return BODY_MALFORMED;
    if (b->state == BODY_TRAILER_START) {
        if (c == '\r') return BODY_END_LF;
        return body_text(c) && c != ' ' && c != '\t' && c != ':' ? BODY_TRAILER_NAME : BODY_MALFORMED;
    }
    if (b->state == BODY_TRAILER_NAME) {
        if (c == ':') return BODY_TRAILER_VALUE;
        return body_text(c) && c != ' ' && c != '\t' ? BODY_TRAILER_NAME : BODY_MALFORMED;
    }
    if (c == '\r') return BODY_TRAILER_LF;
    return body_text(c) ? BODY_TRAILER_VALUE : BODY_MALFORMED;
}

static int body_expect(char c, char want, int then) {
    return c == want ? then : BODY_MALFORMED;
}

/* One byte of framing. */
static int body_step(struct serve_body *b, char c) {
    switch ((enum body_state)b->state) {
    case BODY_SIZE:
        return body_size(b, c);
    case BODY_EXTENSION:
        return body_extension(b, c);
    case BODY_SIZE_LF:
        return c == '\n' ? body_chunk(b) : BODY_MALFORMED;
    case BODY_CHUNK_CR:
        return body_expect(c, '\r', BODY_CHUNK_LF);
    case BODY_CHUNK_LF:
        return body_expect(c, '\n', BODY_SIZE);
    case BODY_TRAILER_START:
    case BODY_TRAILER_NAME:
    case BODY_TRAILER_VALUE:
        return body_trailer(b, c);
    case BODY_TRAILER_LF:
        return body_expect(c, '\n', BODY_TRAILER_START);
    case BODY_END_LF:
        return body_expect(c, '\n', BODY_END);
    case BODY_LENGTH:
    case BODY_CHUNK:
    case BODY_END:
    case BODY_MALFORMED:
        break;
    }
    return BODY_MALFORMED;
}

static size_t body_take(struct serve_body *b, size_t len) {
    size_t n = (uint64_t)b->left < len ? (size_t)b->left : len;
    b->left -= (int64_t)n;
    if (b->state == BODY_CHUNK && b->left == 0) b->state = BODY_CHUNK_CR;
    return n;
}

enum serve_parse serve_body_read(struct serve_body *b, const char *in, size_t len, size_t *used, const char **piece,
                                 size_t *piece_len) {
    size_t at = 0;
    while (b->state != BODY_MALFORMED && !serve_body_whole(b) && at < len) {
        if (b->state == BODY_LENGTH || b->state == BODY_CHUNK) {
            *piece = in + at;
            *piece_len = body_take(b, len - at);
            *used = at + *piece_len;
            return SERVE_DATA;
        }
        b->state = body_step(b, in[at++]);
    }
    *used = at;
    if (b->state == BODY_MALFORMED) return SERVE_BAD;
    return serve_body_whole(b) ? SERVE_DONE : SERVE_MORE;
}
