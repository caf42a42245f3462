/* Tools that change lines piece by piece: cut. */
#include "sim/machine/tools/tools.h"
#include <stdlib.h>
#include <string.h>

struct cut {
    char by; /* b c f */
    char delimiter;
    const char *output;
    int only, complement;
    char separator;
    int between; /* --output-delimiter was given */
    int64_t from[64], to[64];
    size_t n;
};

static int cut_list(struct cut *c, const char *at) {
    while (*at) {
        char *end;
        int64_t from = 1, to;
        if (c->n == 64) return 0;
        if (*at != '-') {
            from = strtoll(at, &end, 10);
            if (end == at || from < 1) return 0;
            at = end;
        }
        to = from;
        if (*at == '-') {
            to = strtoll(at + 1, &end, 10);
            if (end == at + 1) to = INT64_MAX;
            at = end;
        }
        if (to < from || (*at && *at != ',')) return 0;
        if (*at) at++;
        c->from[c->n] = from;
        c->to[c->n++] = to;
    }
    return c->n > 0;
}

static int cut_has(const struct cut *c, int64_t i) {
    int in = 0;
    for (size_t k = 0; k < c->n && !in; k++) in = i >= c->from[k] && i <= c->to[k];
    return in != c->complement;
}

static void cut_fields(struct sim_proc *p, const struct cut *c, const char *line, size_t len) {
    if (!memchr(line, c->delimiter, len)) {
        if (!c->only) {
            sim_out(p, line, len);
            sim_out_char(p, c->separator);
        }
        return;
    }
    int any = 0;
    int64_t field = 1;
    for (size_t at = 0; at <= len; field++) {
        const char *end = at < len ? memchr(line + at, c->delimiter, len - at) : NULL;
        size_t n = end ? (size_t)(end - line) - at : len - at;
        if (cut_has(c, field)) {
            if (any) sim_out_str(p, c->output);
            sim_out(p, line + at, n);
            any = 1;
        }
        if (!end) break;
        at += n + 1;
    }
    sim_out_char(p, c->separator);
}

static int cut_one(struct sim_opts *o, const char *name, int fd, void *ctx) {
    const struct cut *c = ctx;
    struct sim_lines l;
    (void)name;
    sim_lines_start(&l, o->p, fd);
    l.separator = c->separator;
    while (!o->p->out_error && sim_lines_next(&l)) {
        if (c->by == 'f') {
            cut_fields(o->p, c, l.line, l.len);
            continue;
        }
        int any = 0, in = 0;
        for (size_t i = 0; i < l.len; i++) {
            int has = cut_has(c, (int64_t)i + 1);
            if (has && !in && any && c->between) sim_out_str(o->p, c->output);
            if (has) sim_out_char(o->p, l.line[i]);
            any |= has;
            in = has;
        }
        sim_out_char(o->p, c->separator);
    }
    sim_lines_finish(&l);
    return l.error ? sim_tool_fail(o->p, "cut", name, l.error) : 0;
}

static int tool_cut(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"delimiter", 'd'},        {"fields", 'f'},          {"bytes", 'b'},
        {"characters", 'c'},       {"only-delimited", 's'},  {"complement", 'C'},
        {"output-delimiter", 'O'}, {"zero-terminated", 'z'}, {NULL, 0}};
    struct cut *c = sim_alloc_zero(p, sizeof *c);
    struct sim_opts o;
    c->delimiter = '\t';
    sim_opts_start(&o, p, argc, argv, "b:c:f:d:snCO:z", longs);
    c->separator = '\n';
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'b' || opt == 'c' || opt == 'f') {
            if (c->by) {
                sim_errf(p, "cut: only one list may be specified\n");
                return 1;
            }
            c->by = (char)opt;
            if (!cut_list(c, o.arg)) {
                sim_errf(p, "cut: invalid list: %s\n", o.arg);
                return 1;
            }
        } else if (opt == 'd') {
            if (strlen(o.arg) > 1) {
                sim_errf(p, "cut: the delimiter must be a single character\n");
                return 1;
            }
            c->delimiter = o.arg[0];
        } else if (opt == 's')
            c->only = 1;
        else if (opt == 'C')
            c->complement = 1;
        else if (opt == 'O')
            c->output = o.arg, c->between = 1;
        else if (opt == 'z')
            c->separator = '\0';
        else if (opt == '?')
            return sim_opts_bad(&o);
    }
    if (!c->by) {
        sim_errf(p, "cut: you must specify a list of bytes, characters, or fields\n");
        return 1;
    }
    if (!c->output) c->output = sim_strndup(p, &c->delimiter, 1);
    return sim_tool_each(&o, cut_one, c);
}

const struct sim_tool sim_tools_cut[] = {{"cut", tool_cut}, {NULL, NULL}};
