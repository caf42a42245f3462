/* echo, printf and test: builtins of the shell that are programs too. */
#include "sim/machine/number.h"
#include "sim/machine/sh/sh.h"
#include "sim/machine/tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One escape behind its backslash. @return bytes taken; *stop set by \c; c = -1 where it is no escape */
static size_t echo_escape(const char *at, int zero_first, int *c, int *stop) {
    static const char from[] = "abefnrtv\\", to[] = "\a\b\033\f\n\r\t\v\\";
    const char *hit = *at ? strchr(from, *at) : NULL;
    *c = -1;
    if (hit) {
        *c = (unsigned char)to[hit - from];
        return 1;
    }
    if (*at == 'c') {
        *stop = 1;
        return 1;
    }
    if (*at >= '0' && *at <= '7' && (!zero_first || *at == '0')) {
        size_t n = 0, max = zero_first ? 4 : 3;
        int value = 0;
        while (n < max && at[n] >= '0' && at[n] <= '7') value = value * 8 + (at[n++] - '0');
        *c = value & 255;
        return n;
    }
    return 0;
}

static int echo_text(struct sim_proc *p, const char *text) {
    int stop = 0;
    for (; *text && !stop; text++) {
        int c = (unsigned char)*text;
        if (c == '\\') {
            size_t n = echo_escape(text + 1, 1, &c, &stop);
            if (stop) break;
            text += n;
            if (c < 0) c = '\\';
        }
        sim_out_char(p, (char)c);
    }
    return stop;
}

int sim_echo(struct sim_proc *p, int argc, char **argv, int escapes) {
    int i = 1, newline = 1, dash = escapes;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (dash ? strcmp(argv[i], "-n") != 0 : argv[i][1 + strspn(argv[i] + 1, "neE")] != '\0') break;
        for (const char *c = argv[i] + 1; *c; c++) {
            if (*c == 'n')
                newline = 0;
            else
                escapes = *c == 'e';
        }
        if (dash) {
            i++;
            break;
        }
    }
    for (int first = 1; i < argc; i++, first = 0) {
        if (!first) sim_out_char(p, ' ');
        if (!escapes)
            sim_out_str(p, argv[i]);
        else if (echo_text(p, argv[i]))
            return 0;
    }
    if (newline) sim_out_char(p, '\n');
    return 0;
}

/* ---- printf ---- */

struct format {
    struct sim_proc *p;
    const char *who;
    char **args;
    int n, at, status, stop;
};

static const char *format_arg(struct format *f) {
    return f->at < f->n ? f->args[f->at++] : NULL;
}

static void format_bad(struct format *f, const char *text, const char *what) {
    sim_errf(f->p, "%s: %s: %s\n", f->who, text, what);
    f->status = 1;
}

static int64_t format_int(struct format *f, int is_unsigned) {
    const char *text = format_arg(f);
    char *end;
    if (!text || !*text) return 0;
    if (*text == '"' || *text == '\'') return (unsigned char)text[1];
    errno = 0;
    int64_t value = is_unsigned && *text != '-' ? (int64_t)strtoull(text, &end, 0) : (int64_t)strtoll(text, &end, 0);
    if (errno)
        format_bad(f, text, "Numerical result out of range");
    else if (end == text)
        format_bad(f, text, "expected numeric value");
    else if (*end)
        format_bad(f, text, "not completely converted");
    return value;
}

static double format_double(struct format *f) {
    const char *text = format_arg(f);
    char *end;
    if (!text) return 0;
    double value = sim_double(text, &end);
    if (end == text)
        format_bad(f, text, "expected numeric value");
    else if (*end)
        format_bad(f, text, "not completely converted");
    return value;
}

static void format_pad(struct format *f, const char *text, size_t len, int width, int left) {
    int pad = width > (int)len ? width - (int)len : 0;
    for (int i = 0; !left && i < pad; i++) sim_out_char(f->p, ' ');
    sim_out(f->p, text, len);
    for (int i = 0; left && i < pad; i++) sim_out_char(f->p, ' ');
}

static void format_b(struct format *f, int width, int left) {
    struct sim_text out = {.p = f->p};
    const char *text = format_arg(f);
    for (; text && *text && !f->stop; text++) {
        int c = (unsigned char)*text;
        if (c == '\\') {
            size_t n = echo_escape(text + 1, text[1] == '0', &c, &f->stop);
            if (f->stop) break;
            text += n;
            if (c < 0) c = '\\';
        }
        sim_text_char(&out, (char)c);
    }
    format_pad(f, sim_text_get(&out), out.len, width, left);
}

/* A conversion whose flags, width and precision have been read into `spec`. */
static void format_convert(struct format *f, char *spec, size_t n, char c, int width, int precision, int left) {
    char out[512];
    int len = 0;
    if (c == 's') {
        const char *text = format_arg(f);
        size_t have = text ? strlen(text) : 0;
        if (precision >= 0 && (size_t)precision < have) have = (size_t)precision;
        format_pad(f, text ? text : "", have, width, left);
        return;
    }
    if (c == 'b') {
        format_b(f, width, left);
        return;
    }
    if (c == 'c') {
        const char *text = format_arg(f);
        format_pad(f, text ? text : "", text && *text ? 1 : 0, width, left);
        return;
    }
    if (width > 400 || precision > 400) {
        f->status = sim_unsupported(f->p, "printf with a width beyond 400");
        return;
    }
    if (strchr("diouxX", c)) {
        memcpy(spec + n, "ll", 2);
        spec[n + 2] = c;
        spec[n + 3] = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        len = snprintf(out, sizeof out, spec, (long long)format_int(f, c != 'd' && c != 'i'));
    } else {
        spec[n] = c;
        spec[n + 1] = '\0';
        len = snprintf(out, sizeof out, spec, format_double(f));
        len = len < 0 ? len : (int)strlen(sim_double_point(out));
#pragma GCC diagnostic pop
    }
    sim_out(f->p, out, len < 0 ? 0 : (size_t)len < sizeof out ? (size_t)len : sizeof out - 1);
}

/* One % directive. @return what follows it */
static const char *format_directive(struct format *f, const char *at) {
    char spec[64] = "%";
    size_t n = 1;
    int width = 0, precision = -1, left = 0;
    for (; *at && strchr("-+ #0", *at); at++) {
        left |= *at == '-';
        if (n < 8) spec[n++] = *at;
    }
    if (*at == '*') {
        width = (int)format_int(f, 0);
        if (width < 0) {
            left = 1;
            width = -width;
            spec[n++] = '-';
        }
        at++;
    } else {
        while (isdigit((unsigned char)*at) && width < 100000) width = width * 10 + (*at++ - '0');
    }
    if (*at == '.') {
        precision = 0;
        at++;
        if (*at == '*') {
            precision = (int)format_int(f, 0);
            at++;
        } else {
            while (isdigit((unsigned char)*at) && precision < 100000) precision = precision * 10 + (*at++ - '0');
        }
    }
    if (width) n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", width);
    if (precision >= 0) n += (size_t)snprintf(spec + n, sizeof spec - n, ".%d", precision);
    if (!*at || !strchr("diouxXsbceEfFgGaA", *at)) {
        sim_errf(f->p, "%s: %%%c: invalid directive\n", f->who, *at ? *at : ' ');
        f->status = strcmp(f->who, "printf") == 0 ? 2 : 1;
        f->stop = 1;
        return at;
    }
    format_convert(f, spec, n, *at, width, precision, left);
    return at + 1;
}

static void format_once(struct format *f, const char *at) {
    while (*at && !f->stop) {
        if (*at == '\\') {
            int c;
            size_t n = echo_escape(at + 1, 0, &c, &f->stop);
            if (f->stop) return;
            if (c < 0 && at[1] && strchr("\"'?", at[1])) {
                c = at[1];
                n = 1;
            }
            sim_out_char(f->p, c < 0 ? '\\' : (char)c);
            at += n + 1;
        } else if (at[0] == '%' && at[1] == '%') {
            sim_out_char(f->p, '%');
            at += 2;
        } else if (*at == '%') {
            at = format_directive(f, at + 1);
        } else {
            sim_out_char(f->p, *at++);
        }
    }
}

int sim_printf(struct sim_proc *p, const char *who, int argc, char **argv) {
    int i = 1;
    if (argc > 1 && strcmp(argv[1], "--") == 0) i++;
    if (i >= argc) {
        sim_errf(p, "%s: usage: printf format [arg ...]\n", who);
        return 2;
    }
    struct format f = {.p = p, .who = who, .args = argv + i + 1, .n = argc - i - 1};
    do {
        int before = f.at;
        format_once(&f, argv[i]);
        if (f.at == before) break;
    } while (f.at < f.n && !f.stop);
    return f.status;
}
