/* awk's values: texts that are counted, numbers, and what turns one into the other. */
#include "sim/machine/awk/awk.h"
#include "sim/machine/number.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct awk_string *sim_awk_string_new(struct awk *a, const char *text, size_t len) {
    struct awk_string *s = sim_keep(a->p, sizeof *s + len + 1);
    s->refs = 1;
    s->len = len;
    if (len) memcpy(s->text, text, len);
    s->text[len] = '\0';
    return s;
}

struct awk_string *sim_awk_string_hold(struct awk_string *s) {
    s->refs++;
    return s;
}

void sim_awk_string_drop(struct awk *a, struct awk_string *s) {
    if (s && --s->refs == 0) sim_drop(a->p, s);
}

void sim_awk_drop(struct awk *a, struct awk_value *v) {
    sim_awk_string_drop(a, v->string);
    *v = (struct awk_value){0};
}

void sim_awk_copy(struct awk *a, struct awk_value *to, const struct awk_value *from) {
    struct awk_value copy = *from;
    if (copy.string) sim_awk_string_hold(copy.string);
    sim_awk_drop(a, to);
    *to = copy;
}

void sim_awk_set_number(struct awk *a, struct awk_value *v, double number) {
    sim_awk_drop(a, v);
    v->has = AWK_NUMBER;
    v->number = number;
}

void sim_awk_set_text(struct awk *a, struct awk_value *v, const char *text, size_t len, unsigned more) {
    struct awk_string *s = sim_awk_string_new(a, text, len); /* before the drop: it may be a part of the old one */
    sim_awk_drop(a, v);
    v->has = AWK_STRING | more;
    v->string = s;
}

void sim_awk_set_global(struct awk *a, int slot, double number) {
    sim_awk_set_number(a, &a->globals[slot].value, number);
}

double sim_awk_parse_number(const char *text, size_t len, int *whole) {
    size_t i = 0;
    while (i < len && isspace((unsigned char)text[i])) i++;
    size_t start = i, digits = 0;
    if (i < len && (text[i] == '-' || text[i] == '+')) i++;
    for (; i < len && isdigit((unsigned char)text[i]); i++) digits++;
    if (i < len && text[i] == '.')
        for (i++; i < len && isdigit((unsigned char)text[i]); i++) digits++;
    if (!digits) {
        if (whole) *whole = 0;
        return 0;
    }
    size_t mark = i;
    if (i < len && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < len && (text[i] == '-' || text[i] == '+')) i++;
        size_t from = i;
        while (i < len && isdigit((unsigned char)text[i])) i++;
        if (i == from) i = mark;
    }
    size_t end = i;
    while (i < len && isspace((unsigned char)text[i])) i++;
    if (whole) *whole = i == len;
    if (end - start <= 15 && mark == end && memchr(text + start, '.', end - start) == NULL) {
        double value = 0; /* a short whole number, as most are */
        int negative = text[start] == '-';
        for (size_t k = start + (negative || text[start] == '+'); k < end; k++) value = value * 10 + (text[k] - '0');
        return negative ? -value : value;
    }
    char small[64];
    if (end - start < sizeof small) {
        memcpy(small, text + start, end - start);
        small[end - start] = '\0';
        return sim_double(small, NULL);
    }
    return sim_double(text + start, NULL); /* every text of awk's has a NUL behind */
}

/* Decides what a text from outside is. */
static void value_look(struct awk_value *v) {
    int whole;
    if (!(v->has & AWK_INPUT)) return;
    v->has &= ~(unsigned)AWK_INPUT;
    double number = sim_awk_parse_number(v->string->text, v->string->len, &whole);
    if (!whole) return;
    v->number = number;
    v->has |= AWK_NUMBER;
}

double sim_awk_number(struct awk_value *v) {
    value_look(v);
    if (v->has & AWK_NUMBER) return v->number;
    return v->has ? sim_awk_parse_number(v->string->text, v->string->len, NULL) : 0;
}

int sim_awk_truth(struct awk_value *v) {
    value_look(v);
    if (v->has & AWK_NUMBER) return v->number != 0;
    return v->has && v->string->len > 0;
}

int sim_awk_compare(struct awk *a, struct awk_value *x, struct awk_value *y) {
    value_look(x);
    value_look(y);
    int x_number = !x->has || (x->has & AWK_NUMBER), y_number = !y->has || (y->has & AWK_NUMBER);
    if (x_number && y_number) {
        double n = x->has ? x->number : 0, m = y->has ? y->number : 0;
        return n < m ? -1 : n > m;
    }
    struct awk_string *s = sim_awk_text(a, x, AWK_V_CONVFMT), *t = sim_awk_text(a, y, AWK_V_CONVFMT);
    size_t least = s->len < t->len ? s->len : t->len;
    int order = memcmp(s->text, t->text, least);
    if (!order) order = s->len < t->len ? -1 : s->len > t->len;
    sim_awk_string_drop(a, s);
    sim_awk_string_drop(a, t);
    return order;
}

struct awk_string *sim_awk_text(struct awk *a, const struct awk_value *v, int format) {
    if (v->has & AWK_STRING) return sim_awk_string_hold(v->string);
    if (!v->has) return sim_awk_string_new(a, "", 0);
    struct sim_mark mark = sim_mark(a->p);
    struct sim_text text = {.p = a->p};
    if (isnan(v->number) || isinf(v->number)) {
        sim_text_str(&text, isnan(v->number) ? "nan" : v->number < 0 ? "-inf" : "inf");
    } else if (v->number == floor(v->number) && fabs(v->number) < 1e16) {
        sim_text_printf(&text, "%lld", (long long)v->number);
    } else {
        struct awk_string *how = sim_awk_text(a, &a->globals[format].value, AWK_V_CONVFMT);
        struct awk_value arg = *v;
        if (strcmp(how->text, "%.6g") == 0)
            sim_text_str(&text, sim_double_point(sim_format(a->p, "%.6g", v->number)));
        else
            sim_awk_format(a, how, &arg, 1, &text);
        sim_awk_string_drop(a, how);
    }
    struct awk_string *s = sim_awk_string_new(a, sim_text_get(&text), text.len);
    sim_release(a->p, mark);
    return s;
}
