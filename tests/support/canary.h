/* A credential that must not show, and the search for it in every form in which it could: raw, base64, hex, URL and
 * JSON-escaped. A search asks for no memory. */
#ifndef TESTS_SUPPORT_CANARY_H
#define TESTS_SUPPORT_CANARY_H

#include <stddef.h>

#define CANARY_FORMS      13
#define CANARY_BYTES_MAX  128
#define CANARY_FORM_BYTES (3 * CANARY_BYTES_MAX + 1)

struct canary {
    const char *secret;
    char form[CANARY_FORMS][CANARY_FORM_BYTES];
    size_t len[CANARY_FORMS];
};

/** @param secret lent; 8 to CANARY_BYTES_MAX bytes */
void canary_init(struct canary *canary, const char *secret);

/** @return the form in which it is there, e.g. "base64"; NULL if it is in none */
const char *canary_in(const struct canary *canary, const void *data, size_t len);

/** Fails the test if it is there, naming the place. */
void canary_not_in(const struct canary *canary, const void *data, size_t len, const char *where);

#endif
