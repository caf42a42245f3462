/* awk's printf and sprintf. */
#include "sim/machine/awk/awk.h"
#include "sim/machine/number.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_WIDTH_MAX 100000

struct format {
    struct awk *a;
    struct awk_value *args;
    size_t n, at;
    struct sim_text *out;
};

struct format_spec {
    char flags[8];
    int left, width, precision; /* -1: none */
    char conversion;
};

static struct awk_value *format_arg(struct format *f) {
    if (f->at == f->n) sim_awk_fail(f->a, "not enough arguments passed to printf");
    return &f->args[f->at++];
}

static void format_pad(struct format *f, const struct format_spec *s, const char *text, size_t len) {
    size_t pad = s->width > 0 && (size_t)s->width > len ? (size_t)s->width - len : 0;
    for (size_t i = 0; !s->left && i < pad; i++) sim_text_char(f->out, ' ');
    sim_text_add(f->out, text, len);
    for (size_t i = 0; s->left && i < pad; i++) sim_text_char(f->out, ' ');
}

static void format_char(struct format *f, const struct format_spec *s) {
    struct awk_value *v = format_arg(f);
    if (v->has == AWK_NUMBER) {
        char c = (char)(int)v->number;
        format_pad(f, s, &c, 1);
        return;
    }
    struct awk_string *text = sim_awk_text(f->a, v, AWK_V_CONVFMT);
    format_pad(f, s, text->text, text->len ? 1 : 0);
    sim_awk_string_drop(f->a, text);
}

static long long format_whole(double v) {
    if (isnan(v)) return 0;
    if (v >= 9223372036854775807.0) return INT64_MAX;
    if (v <= -9223372036854775808.0) return INT64_MIN;
    return (long long)v;
}

static void format_number(struct format *f, const struct format_spec *s) {
    char spec[64];
    double v = sim_awk_number(format_arg(f));
    char c = s->conversion == 'i' ? 'd' : s->conversion;
    int whole = strchr("doxXu", c) != NULL;
    if (whole && (isnan(v) || isinf(v))) {
        const char *text = isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
        format_pad(f, s, text, strlen(text));
        return;
    }
    size_t n = 0;
    spec[n++] = '%';
    n += (size_t)snprintf(spec + n, sizeof spec - n, "%s", s->flags);
    if (s->width >= 0) n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", s->width);
    if (s->precision >= 0) n += (size_t)snprintf(spec + n, sizeof spec - n, ".%d", s->precision);
    snprintf(spec + n, sizeof spec - n, whole ? "ll%c" : "%c", c);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (whole)
        sim_text_printf(f->out, spec, format_whole(v));
    else
        sim_text_str(f->out, sim_double_point(sim_format(f->a->p, spec, v)));
#pragma GCC diagnostic pop
}

static void format_put(struct format *f, const struct format_spec *s) {
    if (strchr("diouxXeEfFgG", s->conversion)) {
        format_number(f, s);
    } else if (s->conversion == 'c') {
        format_char(f, s);
    } else {
        struct awk_string *text = sim_awk_text(f->a, format_arg(f), AWK_V_CONVFMT);
        size_t len = s->precision >= 0 && (size_t)s->precision < text->len ? (size_t)s->precision : text->len;
        format_pad(f, s, text->text, len);
        sim_awk_string_drop(f->a, text);
    }
}

static int format_size(struct format *f, const char **at) {
    double v = 0;
    if (**at == '*') {
        v = sim_awk_number(format_arg(f));
        ++*at;
    } else {
        while (isdigit((unsigned char)**at) && v < FORMAT_WIDTH_MAX) v = v * 10 + (*(*at)++ - '0');
    }
    if (!(v > -FORMAT_WIDTH_MAX && v < FORMAT_WIDTH_MAX)) sim_awk_fail(f->a, "a width in printf is too large");
    return (int)v;
}

void sim_awk_format(struct awk *a, const struct awk_string *format, struct awk_value *args, size_t n,
                    struct sim_text *out) {
    struct format f = {.a = a, .args = args, .n = n, .out = out};
    const char *at = format->text, *end = at + format->len;
    while (at < end) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        if (!percent) percent = end;
        sim_text_add(out, at, (size_t)(percent - at));
        if (percent == end) break;
        at = percent + 1;
        if (*at == '%') {
            sim_text_char(out, '%');
            at++;
            continue;
        }
        struct format_spec s = {.width = -1, .precision = -1};
        for (size_t k = 0; *at && strchr("-+ #0", *at); at++) {
            s.left |= *at == '-';
            if (k < sizeof s.flags - 1) s.flags[k++] = *at;
        }
        if (*at == '*' || isdigit((unsigned char)*at)) s.width = format_size(&f, &at);
        if (s.width < -1) {
            s.left = 1;
            s.width = -s.width;
            size_t k = strlen(s.flags);
            if (k < sizeof s.flags - 1) s.flags[k] = '-';
        }
        if (*at == '.') {
            at++;
            s.precision = format_size(&f, &at);
        }
        while (*at == 'l' || *at == 'h') at++;
        if (!*at || !strchr("diouxXeEfFgGcs", *at)) sim_awk_fail(a, "bad conversion in printf(\"%s\")", format->text);
        s.conversion = *at++;
        format_put(&f, &s);
    }
}
