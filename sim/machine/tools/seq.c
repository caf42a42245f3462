/* seq: numbers one after another, whole ones and others. */
#include "sim/machine/number.h"
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct seq {
    const char *separator, *format;
    int wide;
    int places, width; /* of what is printed */
};

/* Reads a number and how it is written. @return 0 if it is none */
static int seq_number(const char *text, double *out, int *places, int *width) {
    char *end;
    errno = 0;
    *out = sim_double(text, &end);
    if (end == text || *end || isnan(*out) || strchr(" \t\n", *text)) return 0;
    const char *dot = strchr(text, '.');
    *places = dot ? (int)strlen(dot + 1) : 0;
    *width = (int)strlen(text) - (*text == '+') - (dot && !dot[1]) + (dot == text || (*text == '-' && dot == text + 1));
    if (strpbrk(text, "eExX") || isinf(*out)) *places = *places ? 20 : 0; /* no places to be told from it */
    return 1;
}

/* One conversion of a float, as -f wants it. */
static int seq_format_good(const char *format) {
    const char *at = format;
    int seen = 0;
    for (; *at; at++) {
        if (*at != '%') continue;
        if (at[1] == '%') {
            at++;
            continue;
        }
        at++;
        at += strspn(at, "-+ #0'");
        at += strspn(at, "0123456789");
        if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
        if (seen++ || !*at || !strchr("efgEFGaA", *at)) return 0;
    }
    return seen == 1;
}

static void seq_print(struct sim_proc *p, const struct seq *s, double v) {
    struct sim_mark mark = sim_mark(p);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (s->format)
        sim_out_str(p, sim_double_point(sim_format(p, s->format, v)));
    else
        sim_out_str(p, sim_double_point(sim_format(p, "%0*.*f", s->width, s->places, v)));
#pragma GCC diagnostic pop
    sim_release(p, mark);
}

static void seq_whole(struct sim_proc *p, const struct seq *s, int64_t from, int64_t step, int64_t to) {
    for (int64_t x = from; step > 0 ? x <= to : x >= to; x += step) {
        sim_outf(p, "%s%0*lld", x == from ? "" : s->separator, s->width, (long long)x);
        if (p->out_error) return;
        if (step > 0 ? x > INT64_MAX - step : x < INT64_MIN - step) break;
    }
    if (step > 0 ? from <= to : from >= to) sim_out_char(p, '\n');
}

static void seq_real(struct sim_proc *p, const struct seq *s, double from, double step, double to) {
    double limit = to + (step > 0 ? 1 : -1) * fabs(step) * 1e-9;
    int any = 0;
    for (double i = 0;; i++) {
        double x = from + i * step;
        if ((step > 0 ? x > limit : x < limit) || p->out_error) break;
        if (any) sim_out_str(p, s->separator);
        seq_print(p, s, x);
        any = 1;
    }
    if (any) sim_out_char(p, '\n');
}

static int seq_whole_number(const char *text, int64_t *out) {
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return !*end && !errno && end != text;
}

static int tool_seq(struct sim_proc *p, int argc, char **argv) {
    static const char one[] = "1";
    struct seq s = {.separator = "\n"};
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] && !strchr("0123456789.", argv[i][1]); i++) {
        const char *a = argv[i], *value = NULL;
        if (strcmp(a, "--") == 0) {
            i++;
            break;
        }
        if (strcmp(a, "-w") == 0 || strcmp(a, "--equal-width") == 0) {
            s.wide = 1;
            continue;
        }
        int is_format = a[1] == 'f' || strncmp(a, "--format", 8) == 0;
        if (!is_format && a[1] != 's' && strncmp(a, "--separator", 11) != 0) return sim_unsupported(p, "seq %s", a);
        value = a[1] == '-' ? strchr(a, '=') : a[2] ? a + 1 : NULL;
        if (value)
            value++;
        else if (i + 1 < argc)
            value = argv[++i];
        else
            return sim_errf(p, "seq: option requires an argument -- '%s'\n", a), 1;
        if (is_format)
            s.format = value;
        else
            s.separator = value;
    }
    int n = argc - i;
    if (n < 1 || n > 3) {
        sim_errf(p, "seq: %s operand\n", n < 1 ? "missing" : "extra");
        return 1;
    }
    const char *texts[3] = {n > 1 ? argv[i] : one, n > 2 ? argv[i + 1] : one, argv[i + n - 1]};
    double v[3];
    int places[3], width[3], whole = 1;
    int64_t w[3];
    for (int k = 0; k < 3; k++) {
        if (!seq_number(texts[k], &v[k], &places[k], &width[k])) {
            sim_errf(p, "seq: invalid floating point argument: '%s'\n", texts[k]);
            return 1;
        }
        whole &= seq_whole_number(texts[k], &w[k]);
    }
    if (v[1] == 0) {
        sim_errf(p, "seq: invalid Zero increment value: '%s'\n", texts[1]);
        return 1;
    }
    if (s.format && (!seq_format_good(s.format) || s.wide)) {
        sim_errf(p, "seq: format '%s' is not usable here\n", s.format);
        return 1;
    }
    s.places = places[0] > places[1] ? places[0] : places[1];
    if (s.wide) { /* as wide as the wider of the ends, with as many places as are printed */
        for (int k = 0; k < 3; k += 2) {
            int wide = width[k] + (s.places && !places[k] ? s.places + 1 : s.places - places[k]);
            if (k == 2 && !s.places && places[2]) wide = width[2] - places[2] - 1;
            if (wide > s.width) s.width = wide;
        }
    }
    if (s.places >= 20) return sim_unsupported(p, "seq %s", texts[0]);
    if (!whole && isinf(v[2]) && v[2] > 0 && !s.places && !s.format && seq_whole_number(texts[0], &w[0]) &&
        seq_whole_number(texts[1], &w[1])) {
        whole = 1;
        w[2] = INT64_MAX;
    }
    if (whole && !s.format)
        seq_whole(p, &s, w[0], w[1], w[2]);
    else
        seq_real(p, &s, v[0], v[1], v[2]);
    return 0;
}

const struct sim_tool sim_tools_seq[] = {{"seq", tool_seq}, {NULL, NULL}};
