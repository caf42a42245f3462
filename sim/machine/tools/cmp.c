/* cmp: where two files begin to differ. */
#include "sim/machine/tools/tools.h"
#include <string.h>

#define CMP_BUFFER 16384

struct cmp {
    struct sim_proc *p;
    const char *names[2];
    int fds[2];
    int silent, list, bytes;
    int64_t limit, skip[2];
    char *buf[2]; /* kept */
    size_t len[2], at[2];
    int64_t offset, line;
    int last; /* the last equal byte */
};

/* More of one side. @return 0 at its end, -1 after complaining */
static int cmp_fill(struct cmp *c, int i) {
    if (c->at[i] < c->len[i]) return 1;
    ptrdiff_t n = sim_sys_read(c->p, c->fds[i], c->buf[i], CMP_BUFFER);
    if (n < 0) {
        sim_tool_fail(c->p, "cmp", c->names[i], (int)n);
        return -1;
    }
    c->at[i] = 0;
    c->len[i] = (size_t)n;
    return n > 0;
}

static void cmp_char(struct sim_text *out, unsigned char c) {
    if (c >= 128) {
        sim_text_str(out, "M-");
        c &= 127;
    }
    if (c < 32 || c == 127) {
        sim_text_char(out, '^');
        c ^= 64;
    }
    sim_text_char(out, (char)c);
}

static void cmp_say(const struct cmp *c, unsigned char x, unsigned char y) {
    struct sim_mark mark = sim_mark(c->p);
    struct sim_text a = {.p = c->p}, b = {.p = c->p};
    cmp_char(&a, x);
    cmp_char(&b, y);
    if (c->list && c->bytes)
        sim_outf(c->p, "%lld %3o %-4s %3o %s\n", (long long)c->offset, x, sim_text_get(&a), y, sim_text_get(&b));
    else if (c->list)
        sim_outf(c->p, "%lld %3o %3o\n", (long long)c->offset, x, y);
    else if (c->bytes)
        sim_outf(c->p, "%s %s differ: byte %lld, line %lld is %3o %s %3o %s\n", c->names[0], c->names[1],
                 (long long)c->offset, (long long)c->line, x, sim_text_get(&a), y, sim_text_get(&b));
    else if (!c->silent)
        sim_outf(c->p, "%s %s differ: byte %lld, line %lld\n", c->names[0], c->names[1], (long long)c->offset,
                 (long long)c->line);
    sim_release(c->p, mark);
}

static void cmp_short(const struct cmp *c, int i) {
    if (c->silent) return;
    sim_out_flush(c->p);
    if (!c->offset)
        sim_errf(c->p, "cmp: EOF on %s which is empty\n", c->names[i]);
    else if (c->list)
        sim_errf(c->p, "cmp: EOF on %s after byte %lld\n", c->names[i], (long long)c->offset);
    else
        sim_errf(c->p, "cmp: EOF on %s after byte %lld, %sline %lld\n", c->names[i], (long long)c->offset,
                 c->last == '\n' ? "" : "in ", (long long)(c->line - (c->last == '\n')));
}

static int cmp_run(struct cmp *c) {
    int status = 0;
    c->line = 1;
    while (c->offset < c->limit) {
        int a = cmp_fill(c, 0), b = cmp_fill(c, 1);
        if (a < 0 || b < 0) return 2;
        if (!a && !b) break;
        if (!a || !b) {
            cmp_short(c, a ? 1 : 0);
            return 1;
        }
        unsigned char x = (unsigned char)c->buf[0][c->at[0]++], y = (unsigned char)c->buf[1][c->at[1]++];
        c->offset++;
        if (x != y) {
            cmp_say(c, x, y);
            status = 1;
            if (!c->list) return 1;
        }
        c->line += x == '\n';
        c->last = x;
    }
    return status;
}

static int cmp_skip(struct cmp *c, int i) {
    for (int64_t left = c->skip[i]; left > 0;) {
        int got = cmp_fill(c, i);
        if (got <= 0) return got;
        size_t n = c->len[i] - c->at[i];
        if ((int64_t)n > left) n = (size_t)left;
        c->at[i] += n;
        left -= (int64_t)n;
    }
    return 1;
}

/* SKIP or SKIP1:SKIP2 */
static int cmp_skips(struct cmp *c, const char *text) {
    const char *colon = strchr(text, ':');
    if (!sim_tool_number(colon ? sim_strndup(c->p, text, (size_t)(colon - text)) : text, &c->skip[0])) return 0;
    c->skip[1] = c->skip[0];
    return !colon || sim_tool_number(colon + 1, &c->skip[1]);
}

static int tool_cmp(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"silent", 's'}, {"quiet", 's'},          {"verbose", 'l'}, {"print-bytes", 'b'},
        {"bytes", 'n'},  {"ignore-initial", 'i'}, {NULL, 0}};
    struct cmp c = {.p = p, .limit = INT64_MAX};
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "slbn:i:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 's')
            c.silent = 1;
        else if (opt == 'l')
            c.list = 1;
        else if (opt == 'b')
            c.bytes = 1;
        else if (!(opt == 'n' && sim_tool_number(o.arg, &c.limit)) && !(opt == 'i' && cmp_skips(&c, o.arg)))
            return sim_opts_bad(&o);
    }
    if (o.n < 1 || o.n > 4) {
        sim_errf(p, o.n ? "cmp: extra operand '%s'\n" : "cmp: missing operand after 'cmp'\n", o.n ? o.operands[4] : "");
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        if (o.n > 2 + i && !sim_tool_number(o.operands[2 + i], &c.skip[i]))
            return sim_unsupported(p, "cmp %s", o.operands[2 + i]);
        c.names[i] = i < o.n ? o.operands[i] : "-";
        c.fds[i] = strcmp(c.names[i], "-") == 0 ? 0 : sim_sys_open(p, c.names[i], SIM_O_READ, 0);
        if (c.fds[i] < 0) {
            if (!c.silent) sim_tool_fail(p, "cmp", c.names[i], c.fds[i]);
            return 2;
        }
        c.buf[i] = sim_keep(p, CMP_BUFFER);
    }
    for (int i = 0; i < 2; i++)
        if (cmp_skip(&c, i) < 0) return 2;
    return cmp_run(&c);
}

const struct sim_tool sim_tools_cmp[] = {{"cmp", tool_cmp}, {NULL, NULL}};
