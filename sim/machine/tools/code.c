/* Tools about bytes as such: base64 od. */
#include "sim/machine/tools/tools.h"
#include <stdlib.h>
#include <string.h>

static const char code_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void code_encode(struct sim_proc *p, const unsigned char *in, size_t n, int64_t wrap, int64_t *column) {
    uint32_t v = (uint32_t)in[0] << 16 | (n > 1 ? (uint32_t)in[1] << 8 : 0) | (n > 2 ? in[2] : 0);
    char out[4] = {code_digits[v >> 18], code_digits[(v >> 12) & 63], n > 1 ? code_digits[(v >> 6) & 63] : '=',
                   n > 2 ? code_digits[v & 63] : '='};
    if (wrap == 0) {
        sim_out(p, out, 4);
        *column = 1;
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (*column == wrap) {
            sim_out_char(p, '\n');
            *column = 0;
        }
        sim_out_char(p, out[i]);
        ++*column;
    }
}

struct code_decoder {
    uint32_t v;
    int have, pad, ignore;
};

/* What has been gathered of a group of four. */
static void code_give(struct sim_proc *p, struct code_decoder *d) {
    uint32_t v = d->v << (6 * (4 - d->have));
    char out[3] = {(char)(v >> 16), (char)(v >> 8), (char)v};
    int n = d->have - 1 - d->pad;
    if (n > 0) sim_out(p, out, (size_t)n);
    d->v = 0;
    d->have = d->pad = 0;
}

/* @return 0 at what is no base64 */
static int code_decode(struct sim_proc *p, struct code_decoder *d, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        const char *at = text[i] ? strchr(code_digits, text[i]) : NULL;
        if (text[i] == '\n') continue;
        if (text[i] == '=' && d->have >= 2) {
            d->pad++;
            d->v <<= 6;
        } else if (at && !d->pad) {
            d->v = d->v << 6 | (uint32_t)(at - code_digits);
        } else if (d->ignore) {
            continue;
        } else {
            code_give(p, d);
            return 0;
        }
        if (++d->have == 4) code_give(p, d);
    }
    return 1;
}

static int code_decode_fd(struct sim_proc *p, int fd, const char *name, int ignore) {
    struct code_decoder d = {.ignore = ignore};
    char buf[12288];
    ptrdiff_t n;
    int good = 1;
    while (good && (n = sim_sys_read(p, fd, buf, sizeof buf)) > 0) {
        good = code_decode(p, &d, buf, (size_t)n);
        if (p->out_error) return 1;
    }
    if (good && n < 0) return sim_tool_fail(p, "base64", name, (int)n);
    if (good && !d.have) return 0;
    code_give(p, &d);
    sim_out_flush(p);
    sim_errf(p, "base64: invalid input\n");
    return 1;
}

static int tool_base64(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"decode", 'd'}, {"wrap", 'w'}, {"ignore-garbage", 'i'}, {NULL, 0}};
    struct sim_opts o;
    int decode = 0, ignore = 0;
    int64_t wrap = 76, column = 0;
    sim_opts_start(&o, p, argc, argv, "dDw:i", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'd')
            decode = 1;
        else if (opt == 'i')
            ignore = 1;
        else if (opt == 'w' && sim_tool_number(o.arg, &wrap))
            continue;
        else
            return sim_opts_bad(&o);
    }
    if (o.n > 1) {
        sim_errf(p, "base64: extra operand '%s'\n", o.operands[1]);
        return 1;
    }
    int fd = o.n ? sim_tool_open(p, "base64", o.operands[0]) : 0;
    if (fd < 0) return 1;
    if (decode) return code_decode_fd(p, fd, o.n ? o.operands[0] : "-", ignore);
    unsigned char group[3];
    size_t held = 0;
    char buf[12288];
    ptrdiff_t n;
    while ((n = sim_sys_read(p, fd, buf, sizeof buf)) > 0) {
        for (ptrdiff_t i = 0; i < n; i++) {
            group[held++] = (unsigned char)buf[i];
            if (held < 3) continue;
            code_encode(p, group, 3, wrap, &column);
            held = 0;
        }
        if (p->out_error) return 1;
    }
    if (n < 0) return sim_tool_fail(p, "base64", o.n ? o.operands[0] : "-", (int)n);
    if (held) code_encode(p, group, held, wrap, &column);
    if (wrap && column) sim_out_char(p, '\n');
    return 0;
}

/* ---- od ---- */

struct od {
    char radix;    /* o d x n */
    char types[8]; /* x o u d c a */
    int sizes[8];
    int n;
    int duplicates; /* -v */
    int width;
};

static int od_type(struct od *d, const char *at) {
    while (*at) {
        if (d->n == 8 || !strchr("xoudca", *at)) return 0;
        char type = *at++;
        int size = type == 'c' || type == 'a' ? 1 : 4;
        if (*at >= '1' && *at <= '8')
            size = *at++ - '0';
        else if (*at == 'C')
            size = 1, at++;
        else if (*at == 'S')
            size = 2, at++;
        else if (*at == 'I')
            size = 4, at++;
        else if (*at == 'L')
            size = 8, at++;
        if (size != 1 && size != 2 && size != 4 && size != 8) return 0;
        if (type == 'a') return 0;
        d->types[d->n] = type;
        d->sizes[d->n++] = size;
    }
    return 1;
}

static int od_digits(char type, int size) {
    static const int octal[] = {0, 3, 6, 0, 11, 0, 0, 0, 22}, unsigned_[] = {0, 3, 5, 0, 10, 0, 0, 0, 20},
                     signed_[] = {0, 4, 6, 0, 11, 0, 0, 0, 20};
    if (type == 'x') return size * 2;
    if (type == 'c') return 3;
    return type == 'o' ? octal[size] : type == 'u' ? unsigned_[size] : signed_[size];
}

/* Columns are as wide as the widest type makes them, so that several types line up. */
static int od_pad(const struct od *d, int i) {
    int most = 0;
    for (int k = 0; k < d->n; k++) {
        int all = (od_digits(d->types[k], d->sizes[k]) + 1) * (d->width / d->sizes[k]);
        if (all > most) most = all;
    }
    return most / (d->width / d->sizes[i]) - od_digits(d->types[i], d->sizes[i]);
}

static void od_char(struct sim_proc *p, unsigned char c) {
    static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
    const char *at = c ? strchr(from, c) : NULL;
    if (c == 0)
        sim_out_str(p, " \\0");
    else if (at)
        sim_outf(p, " \\%c", to[at - from]);
    else if (c >= 32 && c < 127)
        sim_outf(p, "  %c", c);
    else
        sim_outf(p, "%03o", c);
}

static void od_line(struct sim_proc *p, const struct od *d, int64_t offset, const unsigned char *data, size_t len) {
    for (int i = 0; i < d->n; i++) {
        if (d->radix == 'n')
            sim_out_str(p, "");
        else if (i)
            sim_outf(p, "%*s", d->radix == 'x' ? 6 : 7, "");
        else
            sim_outf(p, d->radix == 'o' ? "%07llo" : d->radix == 'd' ? "%07lld" : "%06llx", (unsigned long long)offset);
        int size = d->sizes[i], digits = od_digits(d->types[i], size), pad = od_pad(d, i);
        for (size_t at = 0; at < len; at += (size_t)size) {
            uint64_t v = 0;
            for (int b = size; b-- > 0;) v = v << 8 | (at + (size_t)b < len ? data[at + (size_t)b] : 0);
            sim_outf(p, "%*s", pad, "");
            if (d->types[i] == 'c')
                od_char(p, data[at]);
            else if (d->types[i] == 'x')
                sim_outf(p, "%0*llx", digits, (unsigned long long)v);
            else if (d->types[i] == 'o')
                sim_outf(p, "%0*llo", digits, (unsigned long long)v);
            else if (d->types[i] == 'u')
                sim_outf(p, "%*llu", digits, (unsigned long long)v);
            else {
                int shift = 64 - size * 8;
                sim_outf(p, "%*lld", digits, (long long)((int64_t)(v << shift) >> shift));
            }
        }
        sim_out_char(p, '\n');
    }
}

static int tool_od(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"address-radix", 'A'}, {"format", 't'}, {"read-bytes", 'N'}, {"skip-bytes", 'j'}, {"output-duplicates", 'v'},
        {"width", 'w'},         {NULL, 0}};
    struct od d = {.radix = 'o', .width = 16};
    struct sim_opts o;
    int64_t limit = INT64_MAX, skip = 0, width;
    sim_opts_start(&o, p, argc, argv, "A:t:N:j:vw:xcbdo", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        int good = 1;
        if (opt == 'A')
            d.radix = o.arg[0];
        else if (opt == 't')
            good = od_type(&d, o.arg);
        else if (opt == 'N')
            good = sim_tool_number(o.arg, &limit);
        else if (opt == 'j')
            good = sim_tool_number(o.arg, &skip);
        else if (opt == 'v')
            d.duplicates = 1;
        else if (opt == 'w' && sim_tool_number(o.arg, &width) && width > 0 && width <= 64)
            d.width = (int)width;
        else if (opt == 'x')
            good = od_type(&d, "x2");
        else if (opt == 'c')
            good = od_type(&d, "c");
        else if (opt == 'b')
            good = od_type(&d, "o1");
        else if (opt == 'd')
            good = od_type(&d, "u2");
        else if (opt == 'o')
            good = od_type(&d, "o2");
        else
            good = 0;
        if (!good || !strchr("odxn", d.radix)) return sim_opts_bad(&o);
    }
    if (!d.n) od_type(&d, "o2");
    struct sim_text all = {.p = p};
    int status = 0, opened = 0;
    static char dash[] = "-";
    char *standard[] = {dash, NULL};
    for (char **name = o.n ? o.operands : standard; *name; name++) {
        size_t len;
        int fd = sim_tool_open(p, "od", *name);
        size_t want = limit > INT64_MAX - skip ? SIZE_MAX : (size_t)(skip + limit);
        char *text = fd < 0 ? NULL : sim_tool_read_some(p, "od", *name, fd, want > all.len ? want - all.len : 0, &len);
        opened += text != NULL;
        if (text)
            sim_text_add(&all, text, len);
        else
            status = 1;
        if (fd > 0) sim_tool_close(p, fd);
    }
    if (!opened) return 1;
    const unsigned char *data = (const unsigned char *)sim_text_get(&all);
    int64_t at = skip < (int64_t)all.len ? skip : (int64_t)all.len, end = (int64_t)all.len;
    if (limit < end - at) end = at + limit;
    int starred = 0;
    int64_t start = at;
    for (; at < end; at += d.width) {
        size_t n = end - at < d.width ? (size_t)(end - at) : (size_t)d.width;
        int same =
            !d.duplicates && at > start && n == (size_t)d.width && memcmp(data + at, data + at - d.width, n) == 0;
        if (!same)
            od_line(p, &d, at, data + at, n);
        else if (!starred)
            sim_out_str(p, "*\n");
        starred = same;
    }
    if (d.radix != 'n')
        sim_outf(p, d.radix == 'o' ? "%07llo\n" : d.radix == 'd' ? "%07lld\n" : "%06llx\n", (unsigned long long)end);
    return status;
}

const struct sim_tool sim_tools_code[] = {{"base64", tool_base64}, {"od", tool_od}, {NULL, NULL}};
