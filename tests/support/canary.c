/* The forms of a credential. What writes them is the tests' own, so that no mistake of the library's hides its work. */
#include "canary.h"

#include "t.h"
#include <stdio.h>

static const char *const names[CANARY_FORMS] = {"raw",
                                                "base64",
                                                "base64",
                                                "base64",
                                                "base64 for URLs",
                                                "base64 for URLs",
                                                "base64 for URLs",
                                                "lower hex",
                                                "capital hex",
                                                "percent-encoded",
                                                "percent-encoded in lower case",
                                                "JSON-escaped",
                                                "JSON-escaped with slashes"};

static void put(struct canary *c, size_t form, char byte) {
    T_TRUE(c->len[form] < CANARY_FORM_BYTES);
    c->form[form][c->len[form]++] = byte;
}

/* Of a secret that begins `shift` bytes into a group of three: the characters that it alone decides. */
static void base64(struct canary *c, size_t form, size_t shift, const char *last_two) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const size_t bits = 8 * strlen(c->secret), first = shift ? 6 - shift * 8 % 6 : 0;
    for (size_t at = first; at + 6 <= bits; at += 6) {
        const size_t byte = at / 8, off = at % 8;
        const unsigned two = (unsigned)(unsigned char)c->secret[byte] << 8 | (unsigned char)c->secret[byte + 1];
        const unsigned six = two >> (10 - off) & 63;
        put(c, form, six < 62 ? alphabet[six] : last_two[six - 62]);
    }
}

static void hex(struct canary *c, size_t form, const char *digits) {
    for (const char *at = c->secret; *at; at++) {
        put(c, form, digits[(unsigned char)*at >> 4]);
        put(c, form, digits[(unsigned char)*at & 15]);
    }
}

static int is_unreserved(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           (byte && strchr("-._~", byte));
}

static void percent(struct canary *c, size_t form, const char *digits) {
    for (const char *at = c->secret; *at; at++) {
        if (is_unreserved(*at)) {
            put(c, form, *at);
            continue;
        }
        put(c, form, '%');
        put(c, form, digits[(unsigned char)*at >> 4]);
        put(c, form, digits[(unsigned char)*at & 15]);
    }
}

static void json(struct canary *c, size_t form, const char *escaped) {
    for (const char *at = c->secret; *at; at++) {
        if (strchr(escaped, *at)) put(c, form, '\\');
        put(c, form, *at);
    }
}

void canary_init(struct canary *c, const char *secret) {
    const char *const lower = "0123456789abcdef", *const capital = "0123456789ABCDEF";
    memset(c, 0, sizeof(*c));
    T_TRUE(strlen(secret) >= 8 && strlen(secret) <= CANARY_BYTES_MAX);
    c->secret = secret;
    json(c, 0, "");
    for (size_t shift = 0; shift < 3; shift++) {
        base64(c, 1 + shift, shift, "+/");
        base64(c, 4 + shift, shift, "-_");
    }
    hex(c, 7, lower);
    hex(c, 8, capital);
    percent(c, 9, capital);
    percent(c, 10, lower);
    json(c, 11, "\"\\");
    json(c, 12, "\"\\/");
}

const char *canary_in(const struct canary *c, const void *data, size_t len) {
    for (size_t i = 0; i < CANARY_FORMS; i++)
        if (len >= c->len[i] && memmem(data, len, c->form[i], c->len[i])) return names[i];
    return NULL;
}

void canary_not_in(const struct canary *c, const void *data, size_t len, const char *where) {
    const char *form = canary_in(c, data, len);
    if (form) T_FAIL("a credential shows in %s, %s", where, form);
}
