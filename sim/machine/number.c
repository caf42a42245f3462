/* Decimal numbers with a point, whatever the locale. The C library's own conversions do the work: what they take for a
 * decimal point is asked of them. */
#include "sim/machine/number.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 400
#define POINT_MAX  16

/* What the locale has for a point: one byte or more. */
static size_t point_read(char point[POINT_MAX]) {
    char half[POINT_MAX];
    const int n = snprintf(half, sizeof(half), "%.1f", 0.5);
    const size_t len = n > 2 && n < POINT_MAX ? (size_t)n - 2 : 0;
    memcpy(point, half + 1, len);
    point[len] = 0;
    return len;
}

double sim_double(const char *text, char **end) {
    char point[POINT_MAX], copy[NUMBER_MAX + POINT_MAX];
    char *behind = NULL;
    const size_t len = point_read(point), digits = strspn(text, " \t\n\v\f\r+-0123456789");
    if (strcmp(point, ".") == 0 || text[digits] != '.' || digits >= NUMBER_MAX / 2) {
        /* With the locale's own point it is no number of ours: cut off there. */
        snprintf(copy, sizeof(copy), "%.*s", NUMBER_MAX, text);
        char *foreign = strcmp(point, ".") != 0 && len ? strstr(copy, point) : NULL;
        if (foreign) *foreign = 0;
        const double value = strtod(copy, &behind);
        if (end) *end = (char *)(uintptr_t)text + (behind - copy);
        return value;
    }
    snprintf(copy, sizeof(copy), "%.*s%s%.*s", (int)digits, text, point, NUMBER_MAX / 2, text + digits + 1);
    char *foreign = strstr(copy + digits + len, point);
    if (foreign) *foreign = 0;
    const double value = strtod(copy, &behind);
    size_t used = (size_t)(behind - copy);
    if (used > digits) used = used - len + 1;
    if (end) *end = (char *)(uintptr_t)text + used;
    return value;
}

char *sim_double_point(char *text) {
    char point[POINT_MAX];
    const size_t len = point_read(point);
    char *at = len && strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
    if (!at) return text;
    *at = '.';
    memmove(at + 1, at + len, strlen(at + len) + 1);
    return text;
}
