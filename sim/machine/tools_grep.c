/* grep: lines that match, by the C library's regular expressions. */
#include "sim/machine/sh.h"
#include "sim/machine/tool.h"
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct grep_pattern {
    regex_t re;
    char *fixed; /* NULL: `re` is it */
};

struct grep {
    struct grep_pattern *patterns;
    size_t n;
    int invert, count, list, list_without, number, quiet, no_names, names, only, whole_line, whole_word, fold, silent;
    int fixed, extended, recursive, many;
    int64_t max, before, after;
    int hit, failed;
    struct sim_list include, exclude, exclude_dir;
};

static void grep_regfree(void *arg) {
    regfree(arg);
}

static int grep_add_pattern(struct sim_proc *p, struct grep *g, const char *text, size_t len) {
    struct grep_pattern *pattern = &g->patterns[g->n];
    char *copy = sim_strndup(p, text, len);
    if (g->fixed) {
        pattern->fixed = copy;
        if (g->fold)
            for (char *c = copy; *c; c++) *c = (char)tolower((unsigned char)*c);
    } else {
        int flags = (g->extended ? REG_EXTENDED : 0) | (g->fold ? REG_ICASE : 0) | REG_NEWLINE;
        char why[128];
        int e = regcomp(&pattern->re, copy, flags);
        if (e) {
            regerror(e, &pattern->re, why, sizeof why);
            sim_errf(p, "grep: %s\n", why);
            return 0;
        }
        sim_at_end(p, grep_regfree, &pattern->re);
    }
    g->n++;
    return 1;
}

static int grep_word_char(unsigned char c) {
    return isalnum(c) || c == '_';
}

static int grep_find_fixed(const struct grep *g, const char *needle, const char *line, size_t from, size_t len,
                           regmatch_t *m) {
    size_t n = strlen(needle);
    for (size_t i = from; i + n <= len; i++) {
        size_t k = 0;
        while (k < n && (g->fold ? tolower((unsigned char)line[i + k]) : line[i + k]) == needle[k]) k++;
        if (k < n) continue;
        m->rm_so = (regoff_t)i;
        m->rm_eo = (regoff_t)(i + n);
        return 1;
    }
    return 0;
}

/* The first match of one pattern from `from` on that is a whole word or line where that is asked for. */
static int grep_find_one(const struct grep *g, const struct grep_pattern *pattern, const char *line, size_t len,
                         size_t from, regmatch_t *m) {
    while (from <= len) {
        if (pattern->fixed) {
            if (!grep_find_fixed(g, pattern->fixed, line, from, len, m)) return 0;
        } else {
            m->rm_so = (regoff_t)from;
            m->rm_eo = (regoff_t)len;
            if (regexec(&pattern->re, line, 1, m, REG_STARTEND | (from ? REG_NOTBOL : 0))) return 0;
        }
        size_t so = (size_t)m->rm_so, eo = (size_t)m->rm_eo;
        int good = 1;
        if (g->whole_line) good = so == 0 && eo == len;
        if (g->whole_word)
            good = (so == 0 || !grep_word_char((unsigned char)line[so - 1])) &&
                   (eo == len || !grep_word_char((unsigned char)line[eo]));
        if (good) return 1;
        from = so + 1;
    }
    return 0;
}

static int grep_find(const struct grep *g, const char *line, size_t len, size_t from, regmatch_t *best) {
    int found = 0;
    for (size_t i = 0; i < g->n; i++) {
        regmatch_t m;
        if (!grep_find_one(g, &g->patterns[i], line, len, from, &m)) continue;
        if (!found || m.rm_so < best->rm_so || (m.rm_so == best->rm_so && m.rm_eo > best->rm_eo)) *best = m;
        found = 1;
    }
    return found;
}

static void grep_prefix(struct sim_proc *p, const struct grep *g, const char *name, int64_t number, char mark) {
    if (g->names || (g->many && !g->no_names)) sim_outf(p, "%s%c", name, mark);
    if (g->number) sim_outf(p, "%lld%c", (long long)number, mark);
}

static void grep_line(struct sim_proc *p, const struct grep *g, const char *name, int64_t number, const char *line,
                      size_t len, char mark) {
    grep_prefix(p, g, name, number, mark);
    sim_out(p, line, len);
    sim_out_char(p, '\n');
}

static void grep_only(struct sim_proc *p, const struct grep *g, const char *name, int64_t number, const char *line,
                      size_t len) {
    regmatch_t m;
    for (size_t from = 0; from <= len && grep_find(g, line, len, from, &m);) {
        if (m.rm_eo > m.rm_so) {
            grep_prefix(p, g, name, number, ':');
            sim_out(p, line + m.rm_so, (size_t)(m.rm_eo - m.rm_so));
            sim_out_char(p, '\n');
        }
        from = m.rm_eo > m.rm_so ? (size_t)m.rm_eo : (size_t)m.rm_eo + 1;
    }
}

struct grep_context {
    char **lines; /* the last `before` lines, a ring */
    int64_t have, last_shown, after_left;
};

static void grep_before(struct sim_proc *p, const struct grep *g, struct grep_context *c, const char *name,
                        int64_t number) {
    int64_t from = number - c->have;
    if (from <= c->last_shown) from = c->last_shown + 1;
    if ((g->before || g->after) && c->last_shown && from > c->last_shown + 1) sim_out_str(p, "--\n");
    for (int64_t n = from; n < number; n++) {
        const char *line = c->lines[n % (g->before + 1)];
        grep_line(p, g, name, n, line, strlen(line), '-');
    }
}

static void grep_fd(struct sim_proc *p, struct grep *g, const char *name, int fd) {
    struct sim_lines l;
    struct grep_context c = {.lines = sim_alloc_zero(p, (size_t)(g->before + 1) * sizeof(char *))};
    int64_t number = 0, hits = 0;
    int quiet = g->quiet || g->count || g->list || g->list_without;
    sim_lines_start(&l, p, fd);
    while ((g->max < 0 || hits < g->max || c.after_left > 0) && sim_lines_next(&l)) {
        regmatch_t m;
        number++;
        int full = g->max >= 0 && hits >= g->max;
        if (!full && grep_find(g, l.line, l.len, 0, &m) != g->invert) {
            hits++;
            g->hit = 1;
            if (g->quiet || g->list) break;
            if (!quiet && g->only) {
                if (!g->invert) grep_only(p, g, name, number, l.line, l.len);
            } else if (!quiet) {
                grep_before(p, g, &c, name, number);
                grep_line(p, g, name, number, l.line, l.len, ':');
            }
            c.last_shown = number;
            c.after_left = g->after;
        } else if (c.after_left > 0 && !quiet) {
            grep_line(p, g, name, number, l.line, l.len, '-');
            c.last_shown = number;
            c.after_left--;
        }
        if (g->before) {
            c.lines[number % (g->before + 1)] = sim_strndup(p, l.line, l.len);
            if (c.have < g->before) c.have++;
        }
    }
    sim_lines_finish(&l);
    if (l.error && l.error != -EISDIR) {
        if (!g->silent) sim_tool_fail(p, "grep", name, l.error);
        g->failed = 1;
    }
    if (l.error == -EISDIR) sim_errf(p, "grep: %s: Is a directory\n", name);
    if (g->count) {
        if (g->names || (g->many && !g->no_names)) sim_outf(p, "%s:", name);
        sim_outf(p, "%lld\n", (long long)hits);
    }
    if ((g->list && hits) || (g->list_without && !hits)) sim_outf(p, "%s\n", name);
}

static int grep_listed(const struct sim_list *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (sim_sh_match(list->items[i], name)) return 1;
    return 0;
}

static void grep_path(struct sim_proc *p, struct grep *g, const char *path, int top) {
    struct sim_where at;
    int type = 'f', standard_input = strcmp(path, "-") == 0;
    if (g->quiet && g->hit) return;
    int e = standard_input ? 0 : sim_sys_stat(p, path, top, &at);
    if (e) {
        if (!g->silent) sim_tool_fail(p, "grep", path, e);
        g->failed = 1;
        return;
    }
    if (!standard_input) {
        type = at.node->type;
        sim_where_finish(&at);
    }
    if (type == 'l') return;
    if (type == 'd' && g->recursive) {
        struct sim_list names = {.p = p};
        if (!top && grep_listed(&g->exclude_dir, sim_base_name(path))) return;
        if (++p->depth > SIM_NICE_DEPTH * 2)
            g->failed = sim_unsupported(p, "grep -r in a tree so deep");
        else if (!sim_sys_list(p, path, &names))
            for (size_t i = 0; i < names.n; i++)
                grep_path(p, g,
                          sim_format(p, path[strlen(path) - 1] == '/' ? "%s%s" : "%s/%s", path, (char *)names.items[i]),
                          0);
        p->depth--;
        return;
    }
    const char *base = sim_base_name(path);
    if (!top && ((g->include.n && !grep_listed(&g->include, base)) || grep_listed(&g->exclude, base))) return;
    int fd = strcmp(path, "-") == 0 ? 0 : sim_sys_open(p, path, SIM_O_READ, 0);
    if (fd < 0) {
        if (!g->silent) sim_tool_fail(p, "grep", path, fd);
        g->failed = 1;
        return;
    }
    grep_fd(p, g, strcmp(path, "-") == 0 ? "(standard input)" : path, fd);
    sim_tool_close(p, fd);
}

static int grep_patterns(struct sim_proc *p, struct grep *g, const struct sim_list *texts) {
    size_t most = 1;
    for (size_t i = 0; i < texts->n; i++)
        for (const char *at = texts->items[i]; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) most++;
    g->patterns = sim_alloc_zero(p, most * sizeof *g->patterns);
    for (size_t i = 0; i < texts->n; i++)
        for (const char *at = texts->items[i]; at;) {
            size_t len = strcspn(at, "\n");
            if (!grep_add_pattern(p, g, at, len)) return 0;
            at = at[len] ? at + len + 1 : NULL;
        }
    return 1;
}

static int grep_file_patterns(struct sim_proc *p, const char *path, struct sim_list *texts) {
    size_t len;
    int fd = sim_tool_open(p, "grep", path);
    char *text = fd < 0 ? NULL : sim_tool_read_all(p, "grep", path, fd, &len);
    if (!text) return 0;
    if (len && text[len - 1] == '\n') text[len - 1] = '\0';
    if (len) sim_list_add(texts, text);
    sim_tool_close(p, fd);
    return 1;
}

static int grep_option(struct sim_proc *p, struct grep *g, struct sim_opts *o, int opt, struct sim_list *texts) {
    switch (opt) {
    case 'E':
        g->extended = 1;
        break;
    case 'F':
        g->fixed = 1;
        break;
    case 'G':
        g->fixed = g->extended = 0;
        break;
    case 'i':
    case 'y':
        g->fold = 1;
        break;
    case 'v':
        g->invert = 1;
        break;
    case 'c':
        g->count = 1;
        break;
    case 'l':
        g->list = 1;
        break;
    case 'L':
        g->list_without = 1;
        break;
    case 'n':
        g->number = 1;
        break;
    case 'q':
        g->quiet = 1;
        break;
    case 'h':
        g->no_names = 1;
        break;
    case 'H':
        g->names = 1;
        break;
    case 'o':
        g->only = 1;
        break;
    case 'x':
        g->whole_line = 1;
        break;
    case 'w':
        g->whole_word = 1;
        break;
    case 's':
        g->silent = 1;
        break;
    case 'a':
    case 'U':
        break;
    case 'r':
    case 'R':
        g->recursive = 1;
        break;
    case 'e':
        sim_list_add(texts, sim_strdup(p, o->arg));
        break;
    case 'f':
        return grep_file_patterns(p, o->arg, texts);
    case 'm':
        return sim_tool_number(o->arg, &g->max);
    case 'A':
        return sim_tool_number(o->arg, &g->after);
    case 'B':
        return sim_tool_number(o->arg, &g->before);
    case 'C':
        return sim_tool_number(o->arg, &g->after) && sim_tool_number(o->arg, &g->before);
    case '1':
        sim_list_add(&g->include, sim_strdup(p, o->arg));
        break;
    case '2':
        sim_list_add(&g->exclude, sim_strdup(p, o->arg));
        break;
    case '3':
        sim_list_add(&g->exclude_dir, sim_strdup(p, o->arg));
        break;
    case '4':
        break;
    default:
        return 0;
    }
    return 1;
}

static int grep_main(struct sim_proc *p, int argc, char **argv, int extended, int fixed) {
    static const struct sim_long_option longs[] = {{"extended-regexp", 'E'},
                                                   {"fixed-strings", 'F'},
                                                   {"ignore-case", 'i'},
                                                   {"invert-match", 'v'},
                                                   {"count", 'c'},
                                                   {"files-with-matches", 'l'},
                                                   {"files-without-match", 'L'},
                                                   {"line-number", 'n'},
                                                   {"quiet", 'q'},
                                                   {"silent", 'q'},
                                                   {"no-filename", 'h'},
                                                   {"with-filename", 'H'},
                                                   {"only-matching", 'o'},
                                                   {"line-regexp", 'x'},
                                                   {"word-regexp", 'w'},
                                                   {"no-messages", 's'},
                                                   {"text", 'a'},
                                                   {"recursive", 'r'},
                                                   {"regexp", 'e'},
                                                   {"file", 'f'},
                                                   {"max-count", 'm'},
                                                   {"after-context", 'A'},
                                                   {"before-context", 'B'},
                                                   {"context", 'C'},
                                                   {"include", '1'},
                                                   {"exclude", '2'},
                                                   {"exclude-dir", '3'},
                                                   {"color", '4'},
                                                   {"colour", '4'},
                                                   {NULL, 0}};
    struct grep *g = sim_alloc_zero(p, sizeof *g);
    struct sim_list texts = {.p = p};
    struct sim_opts o;
    g->max = -1;
    g->extended = extended;
    g->fixed = fixed;
    g->include.p = g->exclude.p = g->exclude_dir.p = p;
    sim_opts_start(&o, p, argc, argv, "EFGiyvclLnqhHoxwsaUrRe:f:m:A:B:C:1:2:3:4", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;)
        if (!grep_option(p, g, &o, opt, &texts)) return opt == 'f' ? 2 : sim_opts_bad(&o);
    int i = 0;
    if (!texts.n) {
        if (!o.n) {
            sim_errf(p, "Usage: grep [OPTION]... PATTERNS [FILE]...\n");
            return 2;
        }
        sim_list_add(&texts, o.operands[i++]);
    }
    if (!grep_patterns(p, g, &texts)) return 2;
    g->many = o.n - i > 1 || g->recursive;
    if (i == o.n && g->recursive)
        grep_path(p, g, ".", 1);
    else if (i == o.n)
        grep_path(p, g, "-", 1);
    for (; i < o.n; i++) grep_path(p, g, o.operands[i], 1);
    if (g->failed && !(g->quiet && g->hit)) return 2;
    return !g->hit;
}

static int tool_grep(struct sim_proc *p, int argc, char **argv) {
    return grep_main(p, argc, argv, 0, 0);
}

static int tool_egrep(struct sim_proc *p, int argc, char **argv) {
    return grep_main(p, argc, argv, 1, 0);
}

static int tool_fgrep(struct sim_proc *p, int argc, char **argv) {
    return grep_main(p, argc, argv, 0, 1);
}

const struct sim_tool sim_tools_grep[] = {
    {"grep", tool_grep}, {"egrep", tool_egrep}, {"fgrep", tool_fgrep}, {NULL, NULL}};
