/* Does a name fit a pattern with * ? [a-z] [^x], \ taking the next character as it is? Row D14.
 *
 * Tools differ about what is in brackets, and in a plain locale about what a character is, so they are asked a coarser
 * question and the answer is looked at here. */
#include "src/work/name_match.h"

#include <sandport/kit/text.h>
#include <stdint.h>
#include <string.h>

#define NO_CHARACTER 0x110000u /* and more: bytes that are no UTF-8 */

/* @return behind the character */
static const char *character(const char *at, uint32_t *out) {
    const unsigned char *b = (const unsigned char *)at;
    const size_t len = b[0] < 0x80 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
    *out = b[0];
    if (len == 1) return at + 1;
    if (strnlen(at, len) < len || sbx_utf8_valid(at, len) != len) {
        *out += NO_CHARACTER;
        return at + 1;
    }
    *out &= 0xffu >> (len + 1);
    for (size_t i = 1; i < len; i++) *out = *out << 6 | (b[i] & 0x3fu);
    return at + len;
}

/* One end of a range. @return NULL if there is none */
static const char *class_end(const char *at, uint32_t *out) {
    if (!*at || *at == '-' || *at == ']') return NULL;
    if (*at == '\\' && !*++at) return NULL;
    return character(at, out);
}

/* @param at behind the [ @return behind the ], NULL if it has no end */
static const char *class_step(const char *at, uint32_t c, int *fits) {
    const int negated = *at == '^';
    int in = 0;
    at += negated;
    do {
        uint32_t from = 0, to = 0;
        at = class_end(at, &from);
        to = from;
        if (at && *at == '-') at = class_end(at + 1, &to);
        if (!at) return NULL;
        in |= from <= c && c <= to;
    } while (*at != ']');
    *fits = in != negated;
    return at + 1;
}

/* One element other than *. @return behind it, NULL if it is none */
static const char *step(const char *pattern, uint32_t c, int *fits) {
    uint32_t own = 0;
    if (*pattern == '[') return class_step(pattern + 1, c, fits);
    const int any = *pattern == '?';
    if (*pattern == '\\' && !*++pattern) return NULL;
    pattern = character(pattern, &own);
    *fits = any || own == c;
    return pattern;
}

int sbx_name_pattern_ok(const char *pattern) {
    int fits = 0;
    while (pattern && *pattern) pattern = *pattern == '*' ? pattern + 1 : step(pattern, 0, &fits);
    return pattern != NULL;
}

int sbx_name_fits(const char *pattern, const char *name) {
    const char *star = NULL, *from = NULL; /* behind the last *, and what it has not taken yet */
    while (*name) {
        uint32_t c = 0;
        int fits = 0;
        const char *rest = character(name, &c);
        const char *next = *pattern && *pattern != '*' ? step(pattern, c, &fits) : NULL;
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (next && fits) {
            pattern = next;
            name = rest;
        } else if (star) {
            pattern = star;
            name = from = character(from, &c);
        } else {
            return 0;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

void sbx_name_pattern_coarse(struct sbx_buf *out, const char *pattern) {
    while (*pattern) {
        int fits = 0;
        const int plain = !strchr("*?[", *pattern);
        const char *next = *pattern == '*' ? pattern + 1 : step(pattern, 0, &fits);
        if (*pattern == '\\') pattern++;
        if (plain && strchr("*?[]\\", *pattern)) sbx_buf_char(out, '\\');
        if (plain)
            sbx_buf_append(out, pattern, (size_t)(next - pattern));
        else
            sbx_buf_char(out, '*');
        pattern = next;
    }
}
