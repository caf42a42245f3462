/* Texts looked through eight bytes at a time: nearly all of what is read, written and hashed here is plain ASCII. */
#ifndef SANDPORT_BASE_BYTES_H
#define SANDPORT_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BYTES_EACH(c) (UINT64_C(0x0101010101010101) * (c))

static inline uint64_t bytes_load(const void *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Is one of them zero? */
static inline int bytes_zero(uint64_t word) {
    return ((word - BYTES_EACH(1)) & ~word & BYTES_EACH(0x80)) != 0;
}

/* How many bytes from the beginning are surely ASCII; a multiple of eight. */
static inline size_t bytes_ascii(const void *data, size_t len) {
    const char *at = data;
    size_t n = 0;
    while (len - n >= 8 && !(bytes_load(at + n) & BYTES_EACH(0x80))) n += 8;
    return n;
}

/* How many surely stand for themselves in a JSON string: no control character, quote or backslash. */
static inline size_t bytes_plain(const void *data, size_t len) {
    const char *at = data;
    size_t n = 0;
    for (; len - n >= 8; n += 8) {
        uint64_t word = bytes_load(at + n);
        if ((word - BYTES_EACH(0x20)) & ~word & BYTES_EACH(0x80)) break;
        if (bytes_zero(word ^ BYTES_EACH('"')) || bytes_zero(word ^ BYTES_EACH('\\'))) break;
    }
    return n;
}

#endif
