/* sort's order: fields, keys and the ways to compare them. */
#include "sim/machine/number.h"
#include "sim/machine/tools/sort.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int sim_sort_bytes(const char *a, size_t a_len, const char *b, size_t b_len, int fold) {
    size_t n = a_len < b_len ? a_len : b_len;
    for (size_t i = 0; i < n; i++) {
        int x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (fold) {
            x = toupper(x);
            y = toupper(y);
        }
        if (x != y) return x < y ? -1 : 1;
    }
    return a_len < b_len ? -1 : a_len > b_len;
}

/* Where field `field` (from 1) begins. */
static size_t sort_field(const struct sort *s, const struct sort_line *l, int64_t field) {
    size_t i = 0;
    for (; field > 1 && i < l->len; field--) {
        if (s->separator >= 0) {
            const char *end = memchr(l->text + i, s->separator, l->len - i);
            if (!end) return l->len;
            i = (size_t)(end - l->text) + 1;
        } else {
            while (i < l->len && isspace((unsigned char)l->text[i])) i++;
            while (i < l->len && !isspace((unsigned char)l->text[i])) i++;
        }
    }
    return i;
}

static size_t sort_field_end(const struct sort *s, const struct sort_line *l, size_t i) {
    if (s->separator >= 0) {
        const char *end = i < l->len ? memchr(l->text + i, s->separator, l->len - i) : NULL;
        return end ? (size_t)(end - l->text) : l->len;
    }
    while (i < l->len && isspace((unsigned char)l->text[i])) i++;
    while (i < l->len && !isspace((unsigned char)l->text[i])) i++;
    return i;
}

static size_t sort_blanks(const struct sort_line *l, size_t i) {
    while (i < l->len && isspace((unsigned char)l->text[i])) i++;
    return i;
}

static struct sort_line sort_part(const struct sort *s, const struct sort_key *k, const struct sort_line *l) {
    size_t from = k->from ? sort_field(s, l, k->from) : 0, to = l->len;
    if (k->from_blanks) from = sort_blanks(l, from);
    if (k->from_char > 1) from = (int64_t)(l->len - from) > k->from_char - 1 ? from + (size_t)k->from_char - 1 : l->len;
    if (k->to) {
        size_t start = sort_field(s, l, k->to);
        if (k->to_char && k->to_blanks) start = sort_blanks(l, start);
        to = sort_field_end(s, l, sort_field(s, l, k->to));
        if (k->to_char) to = (int64_t)(l->len - start) > k->to_char ? start + (size_t)k->to_char : l->len;
    }
    if (to < from) to = from;
    return (struct sort_line){l->text + from, to - from};
}

/* A number and the unit behind it, from a part that ends where the next may begin. */
static double sort_number(const struct sort_line *l, char kind, int *unit, int *is_number) {
    static const char units[] = "KMGTPEZY";
    char copy[64] = "";
    size_t i = sort_blanks(l, 0), n = 0;
    while (i < l->len && n < sizeof copy - 1) copy[n++] = l->text[i++];
    copy[n] = '\0';
    char *end = copy;
    *unit = 0;
    if (kind == 'g') {
        double v = sim_double(copy, &end);
        *is_number = end != copy;
        return v;
    }
    if (*end == '-') end++;
    while (isdigit((unsigned char)*end)) end++;
    if (*end == '.') end++;
    while (isdigit((unsigned char)*end)) end++;
    char mark = *end;
    *end = '\0';
    *is_number = 1;
    double v = sim_double(copy, NULL);
    const char *at = kind == 'h' && mark ? strchr(units, toupper((unsigned char)mark)) : NULL;
    if (at) *unit = (int)(at - units) + 1;
    return v;
}

static int sort_numbers(const struct sort_line *a, const struct sort_line *b, char kind) {
    int a_unit, b_unit, a_is, b_is;
    double x = sort_number(a, kind, &a_unit, &a_is), y = sort_number(b, kind, &b_unit, &b_is);
    if (a_is != b_is) return a_is - b_is; /* -g: what is no number comes first */
    if (kind == 'h') {
        int x_sign = x < 0 ? -1 : x > 0, y_sign = y < 0 ? -1 : y > 0;
        if (x_sign != y_sign) return x_sign - y_sign;
        if (a_unit != b_unit) return (a_unit < b_unit ? -1 : 1) * (x_sign < 0 ? -1 : 1);
    }
    return x < y ? -1 : x > y;
}

static int sort_version_order(const struct sort_line *l, size_t i) {
    int c = i < l->len ? (unsigned char)l->text[i] : 0;
    if (i >= l->len || isdigit(c)) return 0;
    return isalpha(c) ? c : c == '~' ? -1 : c + 256;
}

/* Numbers in the text are compared as numbers. */
static int sort_versions(const struct sort_line *a, const struct sort_line *b) {
    size_t i = 0, k = 0;
    while (i < a->len || k < b->len) {
        while ((i < a->len && !isdigit((unsigned char)a->text[i])) ||
               (k < b->len && !isdigit((unsigned char)b->text[k]))) {
            int x = sort_version_order(a, i), y = sort_version_order(b, k);
            if (x != y) return x - y;
            i++;
            k++;
        }
        while (i < a->len && a->text[i] == '0') i++;
        while (k < b->len && b->text[k] == '0') k++;
        int first = 0;
        while (i < a->len && k < b->len && isdigit((unsigned char)a->text[i]) && isdigit((unsigned char)b->text[k])) {
            if (!first) first = a->text[i] - b->text[k];
            i++;
            k++;
        }
        if (i < a->len && isdigit((unsigned char)a->text[i])) return 1;
        if (k < b->len && isdigit((unsigned char)b->text[k])) return -1;
        if (first) return first;
    }
    return 0;
}

static int sort_month(const struct sort_line *l) {
    static const char months[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    size_t i = sort_blanks(l, 0);
    if (l->len - i < 3) return 0;
    for (int m = 0; m < 12; m++)
        if (sim_sort_bytes(l->text + i, 3, months + 3 * m, 3, 1) == 0) return m + 1;
    return 0;
}

static uint64_t sort_random(const struct sort *s, const struct sort_line *l) {
    uint64_t h = s->salt ^ UINT64_C(14695981039346656037);
    for (size_t i = 0; i < l->len; i++) h = (h ^ (unsigned char)l->text[i]) * UINT64_C(1099511628211);
    h ^= h >> 31;
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 29);
}

/* The next byte that -d and -i let count; the length where there is none. */
static size_t sort_counting(const struct sort_key *k, const struct sort_line *l, size_t i) {
    for (; i < l->len; i++) {
        unsigned char c = (unsigned char)l->text[i];
        if (k->dictionary && !isalnum(c) && !isblank(c)) continue;
        if (k->printable && !isprint(c)) continue;
        break;
    }
    return i;
}

static int sort_texts(const struct sort_key *k, const struct sort_line *a, const struct sort_line *b) {
    if (!k->dictionary && !k->printable) return sim_sort_bytes(a->text, a->len, b->text, b->len, k->fold);
    size_t i = sort_counting(k, a, 0), j = sort_counting(k, b, 0);
    while (i < a->len && j < b->len) {
        int order = sim_sort_bytes(a->text + i, 1, b->text + j, 1, k->fold);
        if (order) return order;
        i = sort_counting(k, a, i + 1);
        j = sort_counting(k, b, j + 1);
    }
    return i < a->len ? 1 : j < b->len ? -1 : 0;
}

static int sort_by_key(const struct sort *s, const struct sort_key *k, const struct sort_line *a,
                       const struct sort_line *b) {
    struct sort_line x = sort_part(s, k, a), y = sort_part(s, k, b);
    int order;
    uint64_t h, g;
    switch (k->kind) {
    case 'n':
    case 'g':
    case 'h':
        order = sort_numbers(&x, &y, k->kind);
        break;
    case 'V':
        order = sort_versions(&x, &y);
        break;
    case 'M':
        order = sort_month(&x) - sort_month(&y);
        break;
    case 'R':
        h = sort_random(s, &x);
        g = sort_random(s, &y);
        order = h < g ? -1 : h > g;
        break;
    default:
        order = sort_texts(k, &x, &y);
        break;
    }
    return k->reverse ? -order : order;
}

int sim_sort_compare(const struct sort *s, const struct sort_line *a, const struct sort_line *b) {
    for (size_t i = 0; i < s->n; i++) {
        int order = sort_by_key(s, &s->keys[i], a, b);
        if (order) return order;
    }
    if (s->n == 0) {
        int order = sort_by_key(s, &s->global, a, b);
        if (order) return order;
    }
    if (s->stable || s->unique) return 0;
    int order = sim_sort_bytes(a->text, a->len, b->text, b->len, 0);
    return s->global.reverse ? -order : order;
}
