/* sort: its command line, and lines read, ordered and written. */
#include "sim/machine/tools/sort.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sort_lines {
    struct sort_line *v; /* kept */
    size_t n, cap;
};

static void sort_merge(const struct sort *s, struct sort_line *v, struct sort_line *spare, size_t n) {
    if (n < 2) return;
    size_t half = n / 2;
    sort_merge(s, v, spare, half);
    sort_merge(s, v + half, spare, n - half);
    memcpy(spare, v, half * sizeof *v);
    size_t a = 0, b = half, to = 0;
    while (a < half) v[to++] = b < n && sim_sort_compare(s, &v[b], &spare[a]) < 0 ? v[b++] : spare[a++];
}

/* @return 0 for a letter that is none; `end` for those behind a key's end */
static int sort_flag(struct sort_key *k, char c, int end) {
    switch (c) {
    case 'n':
    case 'g':
    case 'h':
    case 'V':
    case 'M':
    case 'R':
        k->kind = c;
        if (c != 'V' && c != 'R') k->from_blanks = 1;
        break;
    case 'r':
        k->reverse = 1;
        break;
    case 'f':
        k->fold = 1;
        break;
    case 'd':
        k->dictionary = 1;
        break;
    case 'i':
        k->printable = 1;
        break;
    case 'b':
        if (end)
            k->to_blanks = 1;
        else
            k->from_blanks = 1;
        break;
    default:
        return 0;
    }
    k->own = 1;
    return 1;
}

static int sort_key_read(struct sort *s, const char *text) {
    struct sort_key *k = &s->keys[s->n];
    char *end;
    if (s->n == 16) return 0;
    k->from = strtoll(text, &end, 10);
    if (end == text || k->from < 1) return 0;
    if (*end == '.') k->from_char = strtoll(end + 1, &end, 10);
    while (*end && *end != ',')
        if (!sort_flag(k, *end++, 0)) return 0;
    if (*end == ',') {
        k->to = strtoll(end + 1, &end, 10);
        if (k->to < 1) return 0;
        if (*end == '.') k->to_char = strtoll(end + 1, &end, 10);
        while (*end)
            if (!sort_flag(k, *end++, 1)) return 0;
    }
    s->n++;
    return 1;
}

static int sort_read(struct sim_proc *p, struct sort_lines *lines, const char *name, char separator) {
    struct sim_lines l;
    int fd = strcmp(name, "-") == 0 ? 0 : sim_sys_open(p, name, SIM_O_READ, 0);
    if (fd < 0) return sim_tool_fail(p, "sort: cannot read", name, fd), 2;
    sim_lines_start(&l, p, fd);
    l.separator = separator;
    while (sim_lines_next(&l)) {
        if (lines->n == lines->cap) {
            size_t cap = lines->cap ? lines->cap * 2 : 1024;
            struct sort_line *v = sim_keep(p, cap * sizeof *v);
            if (lines->n) memcpy(v, lines->v, lines->n * sizeof *v);
            sim_drop(p, lines->v);
            lines->v = v;
            lines->cap = cap;
        }
        lines->v[lines->n++] = (struct sort_line){sim_strndup(p, l.line, l.len), l.len};
    }
    sim_lines_finish(&l);
    sim_tool_close(p, fd);
    return l.error ? sim_tool_fail(p, "sort: read failed", name, l.error), 2 : 0;
}

static int sort_check(struct sim_proc *p, const struct sort *s, const struct sort_lines *lines, const char *name,
                      int quiet) {
    for (size_t i = 1; i < lines->n; i++) {
        int order = sim_sort_compare(s, &lines->v[i - 1], &lines->v[i]);
        if (order < 0 || (order == 0 && !s->unique)) continue;
        if (!quiet) sim_errf(p, "sort: %s:%zu: disorder: %s\n", name, i + 1, lines->v[i].text);
        return 1;
    }
    return 0;
}

static int sort_write(struct sim_proc *p, const struct sort *s, const struct sort_lines *lines, char separator) {
    for (size_t i = 0; i < lines->n && !p->out_error; i++) {
        if (s->unique && i && sim_sort_compare(s, &lines->v[i - 1], &lines->v[i]) == 0) continue;
        sim_out(p, lines->v[i].text, lines->v[i].len);
        sim_out_char(p, separator);
    }
    return 0;
}

/* -t: a character, or \0. @return 0 if it is neither */
static int sort_separator(struct sim_proc *p, struct sort *s, const char *text) {
    if (text[0] && !text[1])
        s->separator = (unsigned char)text[0];
    else if (strcmp(text, "\\0") == 0)
        s->separator = 0;
    else {
        sim_errf(p, text[0] ? "sort: multi-character tab '%s'\n" : "sort: empty tab\n", text);
        return 0;
    }
    return 1;
}

static char sort_word(const char *text) {
    static const struct {
        const char *name;
        char flag;
    } words[] = {{"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'},
                 {"numeric", 'n'},         {"random", 'R'},        {"version", 'V'}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].name, text) == 0) return words[i].flag;
    return 0;
}

/* Keys without letters of their own have the letters that stand alone. */
static void sort_inherit(struct sort *s) {
    for (size_t i = 0; i < s->n; i++) {
        if (s->keys[i].own) continue;
        struct sort_key k = s->global;
        k.from = s->keys[i].from;
        k.from_char = s->keys[i].from_char;
        k.to = s->keys[i].to;
        k.to_char = s->keys[i].to_char;
        k.to_blanks = k.from_blanks;
        s->keys[i] = k;
    }
}

static int tool_sort(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"numeric-sort", 'n'},
                                                   {"general-numeric-sort", 'g'},
                                                   {"human-numeric-sort", 'h'},
                                                   {"version-sort", 'V'},
                                                   {"month-sort", 'M'},
                                                   {"random-sort", 'R'},
                                                   {"sort", '1'},
                                                   {"reverse", 'r'},
                                                   {"unique", 'u'},
                                                   {"key", 'k'},
                                                   {"field-separator", 't'},
                                                   {"output", 'o'},
                                                   {"check", 'c'},
                                                   {"stable", 's'},
                                                   {"merge", 'm'},
                                                   {"ignore-case", 'f'},
                                                   {"ignore-leading-blanks", 'b'},
                                                   {"ignore-nonprinting", 'i'},
                                                   {"dictionary-order", 'd'},
                                                   {"zero-terminated", 'z'},
                                                   {"parallel", '2'},
                                                   {"buffer-size", 'S'},
                                                   {"temporary-directory", 'T'},
                                                   {NULL, 0}};
    static char dash[] = "-";
    char *standard[] = {dash, NULL};
    struct sort *s = sim_alloc_zero(p, sizeof *s);
    struct sort_lines lines = {0};
    struct sim_opts o;
    const char *output = NULL;
    int check = 0;
    char separator = '\n';
    s->separator = -1;
    sim_opts_start(&o, p, argc, argv, "nghVMR1:rufbidk:t:o:cCsmz2:S:T:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'k') {
            if (sort_key_read(s, o.arg)) continue;
            sim_errf(p, "sort: invalid field specification '%s'\n", o.arg);
            return 2;
        } else if (opt == 't') {
            if (!sort_separator(p, s, o.arg)) return 2;
        } else if (opt == '1') {
            if (!sort_flag(&s->global, sort_word(o.arg), 0)) return sim_opts_bad(&o);
        } else if (opt == 'u')
            s->unique = 1;
        else if (opt == 's')
            s->stable = 1;
        else if (opt == 'o')
            output = o.arg;
        else if (opt == 'c' || opt == 'C')
            check = opt;
        else if (opt == 'z')
            separator = '\0';
        else if (opt == '?' || (!strchr("m2ST", opt) && !sort_flag(&s->global, (char)opt, 0)))
            return sim_opts_bad(&o);
    }
    sort_inherit(s);
    sim_draw_bytes(p->m->world, "machine.sort", &s->salt, sizeof s->salt);
    for (char **name = o.n ? o.operands : standard; *name; name++)
        if (sort_read(p, &lines, *name, separator)) return 2;
    if (check) return sort_check(p, s, &lines, o.n ? o.operands[0] : "-", check == 'C');
    sort_merge(s, lines.v, sim_keep(p, (lines.n / 2 + 1) * sizeof *lines.v), lines.n);
    if (output) {
        int fd = sim_sys_open(p, output, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
        if (fd < 0) return sim_tool_fail(p, "sort: open failed", output, fd), 2;
        sim_sys_dup_to(p, fd, 1);
    }
    return sort_write(p, s, &lines, separator);
}

const struct sim_tool sim_tools_sort[] = {{"sort", tool_sort}, {NULL, NULL}};
