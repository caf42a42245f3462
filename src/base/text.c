/* Small questions about texts: hex, UUIDs, UTF-8, quoting, percent-encoding, base64, numbers. Locale plays no part. */
#include <sandport/kit/text.h>

#include "src/base/bytes.h"

#include <stdlib.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

#define CREDENTIAL_BYTES_MAX 8192

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

void sbx_hex(const void *data, size_t len, char *out) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = hex_digits[bytes[i] >> 4];
        out[2 * i + 1] = hex_digits[bytes[i] & 15];
    }
    out[2 * len] = 0;
}

int sbx_is_hex(const char *text, size_t digits) {
    if (!text) return 0;
    size_t i = 0;
    while (text[i] && hex_value(text[i]) >= 0 && text[i] == lower(text[i])) i++;
    return i == digits && !text[i];
}

void sbx_uuid_from_hex(const char *hex32, char *out) {
    size_t at = 0;
    for (size_t i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20) out[at++] = '-';
        out[at++] = hex32[i];
    }
    out[at] = 0;
}

int sbx_hex_from_uuid(const char *uuid, char *out) {
    size_t at = 0;
    out[0] = 0;
    if (strlen(uuid) != SBX_UUID_SIZE - 1) return 0;
    for (size_t i = 0; i < SBX_UUID_SIZE - 1; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (uuid[i] != '-') return 0;
        } else {
            if (hex_value(uuid[i]) < 0) return 0;
            out[at++] = lower(uuid[i]);
        }
    }
    out[at] = 0;
    return 1;
}

int sbx_copy(char *out, size_t cap, const char *text) {
    size_t len = strlen(text);
    if (len >= cap) {
        out[0] = 0;
        return 0;
    }
    memcpy(out, text, len + 1);
    return 1;
}

/* Bytes of the sequence that starts at `s`, 0 if it is none: overlong forms, surrogates and what is beyond U+10FFFF are
 * refused (RFC 3629). */
static size_t utf8_sequence(const unsigned char *s, size_t left) {
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : (s[0] & 0xf0) == 0xe0       ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    if (n == 0 || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] > 0x9f) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
    return n;
}

size_t sbx_utf8_valid(const void *data, size_t len) {
    const unsigned char *s = data;
    size_t at = 0;
    for (;;) {
        at += bytes_ascii(s + at, len - at);
        size_t n = at < len ? utf8_sequence(s + at, len - at) : 0;
        if (n == 0) return at;
        at += n;
    }
}

void sbx_utf8_append(struct sbx_buf *out, const void *data, size_t len) {
    const char *text = data;
    for (size_t n = 0; len > 0; text += n, len -= n) {
        n = sbx_utf8_valid(text, len);
        sbx_buf_append(out, text, n);
        if (n == len) continue;
        sbx_buf_text_append(out, "\xef\xbf\xbd");
        n++;
    }
}

int sbx_is_env_name(const char *name) {
    if (!name || !(is_letter(name[0]) || name[0] == '_')) return 0;
    while (*name && (is_letter(*name) || is_digit(*name) || *name == '_')) name++;
    return !*name;
}

int sbx_text_equal_nocase(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return *a == *b;
}

void sbx_shell_quote(struct sbx_buf *buf, const char *text) {
    sbx_buf_char(buf, '\'');
    for (const char *end; (end = strchr(text, '\'')); text = end + 1) {
        sbx_buf_append(buf, text, (size_t)(end - text));
        sbx_buf_text_append(buf, "'\\''");
    }
    sbx_buf_text_append(buf, text);
    sbx_buf_char(buf, '\'');
}

void sbx_percent_encode(struct sbx_buf *buf, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (is_letter(*text) || is_digit(*text) || strchr("-._~", *text)) {
            sbx_buf_char(buf, *text);
        } else {
            char escape[3] = {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
            sbx_buf_append(buf, escape, sizeof(escape));
        }
    }
}

int sbx_percent_decode(struct sbx_buf *buf, const char *text, size_t len, int plus) {
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '%') {
            if (len - i < 3) return 0;
            int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
            if (high < 0 || low < 0 || (high == 0 && low == 0)) return 0;
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        sbx_buf_char(buf, c);
    }
    return 1;
}

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void sbx_base64_encode(struct sbx_buf *buf, const void *data, size_t len) {
    const unsigned char *s = data;
    char *out = sbx_buf_reserve(buf, (len + 2) / 3 * 4);
    if (!out) return;
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        uint32_t v = (uint32_t)s[i] << 16 | (left > 1 ? (uint32_t)s[i + 1] << 8 : 0) | (left > 2 ? s[i + 2] : 0);
        *out++ = base64_digits[v >> 18];
        *out++ = base64_digits[v >> 12 & 63];
        *out++ = left > 1 ? base64_digits[v >> 6 & 63] : '=';
        *out++ = left > 2 ? base64_digits[v & 63] : '=';
    }
    buf->len += (len + 2) / 3 * 4;
    buf->data[buf->len] = 0;
}

#define X (-1)
static const signed char base64_values[256] = {
    X,  X,  X,  X,  X,  X,  X,  X, X, X, X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X, X, X, X,  X,  X,  X,  62, X,  X,  X,  63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61,
    X,  X,  X,  X,  X,  X,  X,  0, 1, 2, 3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, X,  X,  X,  X, X, X, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
    45, 46, 47, 48, 49, 50, 51, X, X, X, X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X, X, X, X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X, X, X, X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X, X, X, X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X, X, X, X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X};
#undef X

/* Groups of four digits without padding, all of them whatever is found: quicker than asking after each. @return 0 if a
 * digit was none */
static int base64_groups(const unsigned char *text, size_t groups, char *out) {
    int all = 0;
    for (; groups; groups--, text += 4, out += 3) {
        const int a = base64_values[text[0]], b = base64_values[text[1]], c = base64_values[text[2]],
                  d = base64_values[text[3]];
        const uint32_t v = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | (uint32_t)d;
        all |= a | b | c | d;
        out[0] = (char)(v >> 16 & 0xff);
        out[1] = (char)(v >> 8 & 0xff);
        out[2] = (char)(v & 0xff);
    }
    return all >= 0;
}

/* The last group, `skip` digits of which are padding. @return 0 if a digit is none, or bits are left over */
static int base64_tail(const char *text, size_t skip, char *out) {
    uint32_t v = 0;
    for (size_t k = 0; k < 4; k++) {
        int digit = k >= 4 - skip ? 0 : base64_values[(unsigned char)text[k]];
        if (digit < 0) return 0;
        v = v << 6 | (uint32_t)digit;
    }
    if ((skip == 1 && (v & 0xff)) || (skip == 2 && (v & 0xffff))) return 0;
    for (size_t k = 0; k < 3 - skip; k++) out[k] = (char)(v >> (16 - 8 * k) & 0xff);
    return 1;
}

int sbx_base64_decode(struct sbx_buf *buf, const char *text, size_t len) {
    const size_t pad = len >= 2 && text[len - 1] == '=' ? (text[len - 2] == '=' ? 2 : 1) : 0;
    const size_t groups = len / 4 - (pad > 0);
    if (len % 4) return 0;
    char *out = sbx_buf_reserve(buf, len / 4 * 3);
    if (!out) return 1; /* the buffer says so itself */
    if (!base64_groups((const unsigned char *)text, groups, out)) return 0;
    if (pad && !base64_tail(text + 4 * groups, pad, out + 3 * groups)) return 0;
    buf->len += len / 4 * 3 - pad;
    buf->data[buf->len] = 0;
    return 1;
}

static const char *find_piece(const char *text, const char *piece, size_t len) {
    for (; *text; text++) {
        size_t i = 0;
        while (i < len && text[i] && lower(text[i]) == lower(piece[i])) i++;
        if (i == len) return text + len;
    }
    return NULL;
}

int sbx_text_has(const char *text, const char *pattern) {
    while (*pattern) {
        size_t len = strcspn(pattern, "*");
        if (len > 0 && !(text = find_piece(text, pattern, len))) return 0;
        pattern += len;
        pattern += *pattern == '*';
    }
    return 1;
}

int sbx_is_credential(const char *text) {
    size_t len = 0;
    for (; text[len]; len++)
        if ((unsigned char)text[len] <= 0x20 || (unsigned char)text[len] >= 0x7f) return 0;
    return len > 0 && len <= CREDENTIAL_BYTES_MAX;
}

int sbx_text_int(const char *text, int64_t min, int64_t max, int64_t *out) {
    int negative = text[0] == '-';
    const char *digits = text + negative;
    int64_t value = 0;
    if (!*digits) return 0;
    for (; *digits; digits++) {
        if (!is_digit(*digits)) return 0;
        int digit = *digits - '0';
        if (value < (INT64_MIN + digit) / 10) return 0;
        value = value * 10 - digit; /* below zero, since INT64_MIN has no positive twin */
    }
    if (!negative && value == INT64_MIN) return 0;
    if (!negative) value = -value;
    if (value < min || value > max) return 0;
    *out = value;
    return 1;
}

int sbx_is_one_name(const char *name) {
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 0;
    return !strchr(name, '/'); /* guard: file_name_stays_inside */
}
