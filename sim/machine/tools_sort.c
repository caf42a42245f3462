/* Tools that order lines: sort uniq comm. */
#include "sim/machine/number.h"
#include "sim/machine/tool.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct sort_key {
    int64_t from, from_char, to, to_char; /* fields from 1; to = 0: the end */
    int numeric, reverse, fold, blanks, version, human, own;
};

struct sort {
    struct sort_key keys[16];
    size_t n;
    struct sort_key global;
    int unique, stable;
    char separator; /* 0 = blanks */
    char **lines;
    size_t count;
};

/* Where field `field` (from 1) begins. */
static const char *sort_field(const struct sort *s, const char *line, int64_t field) {
    for (; field > 1 && *line; field--) {
        if (s->separator) {
            const char *end = strchr(line, s->separator);
            if (!end) return line + strlen(line);
            line = end + 1;
        } else {
            while (*line && isblank((unsigned char)*line)) line++;
            while (*line && !isblank((unsigned char)*line)) line++;
        }
    }
    return line;
}

static const char *sort_field_end(const struct sort *s, const char *line) {
    if (s->separator) return line + strcspn(line, (char[]){s->separator, 0});
    while (*line && isblank((unsigned char)*line)) line++;
    while (*line && !isblank((unsigned char)*line)) line++;
    return line;
}

static void sort_part(const struct sort *s, const struct sort_key *k, const char *line, const char **from,
                      const char **to) {
    const char *end = line + strlen(line);
    *from = k->from ? sort_field(s, line, k->from) : line;
    if (k->blanks || k->numeric)
        while (*from < end && isblank((unsigned char)**from)) ++*from;
    if (k->from_char > 1) *from += k->from_char - 1 < end - *from ? k->from_char - 1 : end - *from;
    *to = end;
    if (k->to) {
        const char *start = sort_field(s, line, k->to);
        const char *stop = sort_field_end(s, start);
        *to = k->to_char && k->to_char < stop - start ? start + k->to_char : stop;
    }
    if (*to < *from) *to = *from;
}

static double sort_number(const char *text, const char *end, int human) {
    char copy[64];
    size_t len = (size_t)(end - text) < sizeof copy - 1 ? (size_t)(end - text) : sizeof copy - 1;
    memcpy(copy, text, len);
    copy[len] = '\0';
    size_t digits = strspn(copy, " \t-0123456789.");
    char unit = copy[digits];
    copy[digits] = '\0';
    double v = sim_double(copy, NULL);
    static const char units[] = "KMGT";
    const char *at = human && unit ? strchr(units, toupper((unsigned char)unit)) : NULL;
    for (; at && at >= units; at--) v *= 1024;
    return v;
}

static int sort_text(const char *a, const char *a_end, const char *b, const char *b_end, int fold) {
    for (; a < a_end && b < b_end; a++, b++) {
        int x = (unsigned char)*a, y = (unsigned char)*b;
        if (fold) {
            x = toupper(x);
            y = toupper(y);
        }
        if (x != y) return x < y ? -1 : 1;
    }
    return a < a_end ? 1 : b < b_end ? -1 : 0;
}

static int sort_compare_key(const struct sort *s, const struct sort_key *k, const char *a, const char *b) {
    const char *af, *at, *bf, *bt;
    int order;
    sort_part(s, k, a, &af, &at);
    sort_part(s, k, b, &bf, &bt);
    if (k->numeric || k->human) {
        double x = sort_number(af, at, k->human), y = sort_number(bf, bt, k->human);
        order = x < y ? -1 : x > y;
    } else {
        order = sort_text(af, at, bf, bt, k->fold);
    }
    return k->reverse ? -order : order;
}

static int sort_compare(const struct sort *s, const char *a, const char *b) {
    for (size_t i = 0; i < s->n; i++) {
        int order = sort_compare_key(s, &s->keys[i], a, b);
        if (order) return order;
    }
    if (s->n == 0) {
        int order = sort_compare_key(s, &s->global, a, b);
        if (order) return order;
    }
    if (s->stable || s->unique) return 0;
    int order = strcmp(a, b);
    return s->global.reverse ? -order : order;
}

static void sort_merge(const struct sort *s, char **v, char **spare, size_t n) {
    if (n < 2) return;
    size_t half = n / 2;
    sort_merge(s, v, spare, half);
    sort_merge(s, v + half, spare, n - half);
    memcpy(spare, v, half * sizeof *v);
    size_t a = 0, b = half, to = 0;
    while (a < half) v[to++] = b < n && sort_compare(s, v[b], spare[a]) < 0 ? v[b++] : spare[a++];
}

static int sort_flag(struct sort_key *k, char c) {
    switch (c) {
    case 'n':
        k->numeric = 1;
        break;
    case 'r':
        k->reverse = 1;
        break;
    case 'f':
        k->fold = 1;
        break;
    case 'b':
        k->blanks = 1;
        break;
    case 'h':
        k->human = 1;
        break;
    default:
        return 0;
    }
    k->own = 1;
    return 1;
}

static int sort_key(struct sort *s, const char *text) {
    struct sort_key *k = &s->keys[s->n];
    char *end;
    if (s->n == 16) return 0;
    k->from = strtoll(text, &end, 10);
    if (end == text || k->from < 1) return 0;
    if (*end == '.') k->from_char = strtoll(end + 1, &end, 10);
    while (*end && *end != ',')
        if (!sort_flag(k, *end++)) return 0;
    if (*end == ',') {
        k->to = strtoll(end + 1, &end, 10);
        if (*end == '.') k->to_char = strtoll(end + 1, &end, 10);
        while (*end)
            if (!sort_flag(k, *end++)) return 0;
    }
    s->n++;
    return 1;
}

static int sort_read(struct sim_proc *p, struct sim_list *lines, const char *name) {
    struct sim_lines l;
    int fd = sim_tool_open(p, "sort", name);
    if (fd < 0) return 2;
    sim_lines_start(&l, p, fd);
    while (sim_lines_next(&l)) sim_list_add(lines, sim_strndup(p, l.line, l.len));
    sim_lines_finish(&l);
    sim_tool_close(p, fd);
    return l.error ? sim_tool_fail(p, "sort", name, l.error), 2 : 0;
}

static int tool_sort(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"numeric-sort", 'n'},
                                                   {"reverse", 'r'},
                                                   {"unique", 'u'},
                                                   {"key", 'k'},
                                                   {"field-separator", 't'},
                                                   {"output", 'o'},
                                                   {"check", 'c'},
                                                   {"stable", 's'},
                                                   {"ignore-case", 'f'},
                                                   {"human-numeric-sort", 'h'},
                                                   {NULL, 0}};
    static char dash[] = "-";
    char *standard[] = {dash, NULL};
    struct sort *s = sim_alloc_zero(p, sizeof *s);
    struct sim_opts o;
    const char *output = NULL;
    int check = 0;
    sim_opts_start(&o, p, argc, argv, "nrufbhk:t:o:cs", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'k' && sort_key(s, o.arg)) continue;
        if (opt == 't' && o.arg[0] && (!o.arg[1] || strcmp(o.arg, "\\0") == 0))
            s->separator = o.arg[0];
        else if (opt == 'u')
            s->unique = 1;
        else if (opt == 's')
            s->stable = 1;
        else if (opt == 'o')
            output = o.arg;
        else if (opt == 'c')
            check = 1;
        else if (opt == '?' || opt == 'k' || opt == 't' || !sort_flag(&s->global, (char)opt))
            return sim_opts_bad(&o);
    }
    for (size_t i = 0; i < s->n; i++) {
        if (s->keys[i].own) continue;
        struct sort_key k = s->global;
        k.from = s->keys[i].from, k.from_char = s->keys[i].from_char, k.to = s->keys[i].to,
        k.to_char = s->keys[i].to_char;
        s->keys[i] = k;
    }
    struct sim_list lines = {.p = p};
    for (char **name = o.n ? o.operands : standard; *name; name++)
        if (sort_read(p, &lines, *name)) return 2;
    char **v = sim_list_texts(&lines);
    size_t n = lines.n;
    if (check) {
        for (size_t i = 1; i < n; i++) {
            int order = sort_compare(s, v[i - 1], v[i]);
            if (order < 0 || (order == 0 && !s->unique)) continue;
            sim_errf(p, "sort: %s:%zu: disorder: %s\n", o.n ? o.operands[0] : "-", i + 1, v[i]);
            return 1;
        }
        return 0;
    }
    sort_merge(s, v, sim_alloc(p, (n / 2 + 1) * sizeof *v), n);
    if (output) {
        int fd = sim_sys_open(p, output, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
        if (fd < 0) return sim_tool_fail(p, "sort: open failed", output, fd), 2;
        sim_sys_dup_to(p, fd, 1);
    }
    for (size_t i = 0; i < n; i++) {
        if (s->unique && i && sort_compare(s, v[i - 1], v[i]) == 0) continue;
        sim_out_str(p, v[i]);
        sim_out_char(p, '\n');
    }
    return 0;
}

/* ---- uniq ---- */

static void uniq_print(struct sim_proc *p, const char *line, int64_t count, int show_count, int only_repeated,
                       int only_unique) {
    if ((only_repeated && count < 2) || (only_unique && count > 1)) return;
    if (show_count) sim_outf(p, "%7lld ", (long long)count);
    sim_outf(p, "%s\n", line);
}

static int tool_uniq(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"count", 'c'},       {"repeated", 'd'},   {"unique", 'u'}, {"ignore-case", 'i'},
        {"skip-fields", 'f'}, {"skip-chars", 's'}, {NULL, 0}};
    struct sim_opts o;
    int show_count = 0, repeated = 0, unique = 0, fold = 0;
    int64_t fields = 0, chars = 0, count = 0;
    sim_opts_start(&o, p, argc, argv, "cduif:s:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'c')
            show_count = 1;
        else if (opt == 'd')
            repeated = 1;
        else if (opt == 'u')
            unique = 1;
        else if (opt == 'i')
            fold = 1;
        else if (!(opt == 'f' && sim_tool_number(o.arg, &fields)) && !(opt == 's' && sim_tool_number(o.arg, &chars)))
            return sim_opts_bad(&o);
    }
    int fd = o.n ? sim_tool_open(p, "uniq", o.operands[0]) : 0;
    if (fd < 0) return 1;
    if (o.n > 1) {
        int out = sim_sys_open(p, o.operands[1], SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
        if (out < 0) return sim_tool_fail(p, "uniq", o.operands[1], out);
        sim_sys_dup_to(p, out, 1);
    }
    struct sim_lines l;
    char *last = NULL;
    const char *last_key = NULL;
    sim_lines_start(&l, p, fd);
    while (sim_lines_next(&l)) {
        const char *key = l.line;
        for (int64_t i = 0; i < fields; i++) {
            while (isblank((unsigned char)*key)) key++;
            while (*key && !isblank((unsigned char)*key)) key++;
        }
        key += chars < (int64_t)strlen(key) ? (size_t)chars : strlen(key);
        if (last && sort_text(key, key + strlen(key), last_key, last_key + strlen(last_key), fold) == 0) {
            count++;
            continue;
        }
        if (last) uniq_print(p, last, count, show_count, repeated, unique);
        sim_drop(p, last);
        last = sim_keep_text(p, l.line);
        last_key = last + (key - l.line);
        count = 1;
    }
    if (last) uniq_print(p, last, count, show_count, repeated, unique);
    sim_lines_finish(&l);
    return l.error ? sim_tool_fail(p, "uniq", o.operands[0], l.error) : 0;
}

/* ---- comm ---- */

static int tool_comm(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int hide[3] = {0};
    sim_opts_start(&o, p, argc, argv, "123", NULL);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == '?') return sim_opts_bad(&o);
        hide[opt - '1'] = 1;
    }
    if (o.n != 2) {
        sim_errf(p, "comm: missing or extra operand\n");
        return 1;
    }
    struct sim_lines l[2];
    int have[2];
    for (int i = 0; i < 2; i++) {
        int fd = sim_tool_open(p, "comm", o.operands[i]);
        if (fd < 0) return 1;
        sim_lines_start(&l[i], p, fd);
        have[i] = sim_lines_next(&l[i]);
    }
    while (have[0] || have[1]) {
        int order = !have[0] ? 1 : !have[1] ? -1 : strcmp(l[0].line, l[1].line);
        int column = order < 0 ? 0 : order > 0 ? 1 : 2;
        if (!hide[column]) {
            for (int i = 0; i < column; i++)
                if (!hide[i]) sim_out_char(p, '\t');
            sim_outf(p, "%s\n", l[order > 0].line);
        }
        if (order <= 0) have[0] = sim_lines_next(&l[0]);
        if (order >= 0) have[1] = sim_lines_next(&l[1]);
    }
    return 0;
}

const struct sim_tool sim_tools_sort[] = {{"sort", tool_sort}, {"uniq", tool_uniq}, {"comm", tool_comm}, {NULL, NULL}};
