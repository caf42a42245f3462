/* grep: lines that match, by the C library's regular expressions. */
#include "sim/machine/sh/sh.h"
#include "sim/machine/tools/tools.h"
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <sandport/kit/text.h>
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
    int fixed, extended, recursive, many, follow, skip_dirs;
    int offsets, null_data, null_names, text, no_binary;
    const char *label;
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
        int flags = (g->extended ? REG_EXTENDED : 0) | (g->fold ? REG_ICASE : 0) | (g->null_data ? 0 : REG_NEWLINE);
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

/* Where a line stands. */
struct grep_at {
    const char *name;
    int64_t number, offset;
};

static void grep_name(struct sim_proc *p, const struct grep *g, const char *name, char mark) {
    if (!g->names && (!g->many || g->no_names)) return;
    sim_out_str(p, name);
    sim_out_char(p, g->null_names ? '\0' : mark);
}

static void grep_prefix(struct sim_proc *p, const struct grep *g, const struct grep_at *at, char mark) {
    grep_name(p, g, at->name, mark);
    if (g->number) sim_outf(p, "%lld%c", (long long)at->number, mark);
    if (g->offsets) sim_outf(p, "%lld%c", (long long)at->offset, mark);
}

static void grep_line(struct sim_proc *p, const struct grep *g, const struct grep_at *at, const char *line, size_t len,
                      char mark) {
    grep_prefix(p, g, at, mark);
    sim_out(p, line, len);
    sim_out_char(p, g->null_data ? '\0' : '\n');
}

static void grep_only(struct sim_proc *p, const struct grep *g, const struct grep_at *at, const char *line,
                      size_t len) {
    regmatch_t m;
    for (size_t from = 0; from <= len && grep_find(g, line, len, from, &m);) {
        if (m.rm_eo > m.rm_so) {
            struct grep_at part = *at;
            part.offset += m.rm_so;
            grep_line(p, g, &part, line + m.rm_so, (size_t)(m.rm_eo - m.rm_so), ':');
        }
        from = m.rm_eo > m.rm_so ? (size_t)m.rm_eo : (size_t)m.rm_eo + 1;
    }
}

struct grep_kept {
    char *text; /* kept */
    size_t len;
    int64_t offset;
};

struct grep_context {
    struct grep_kept *lines; /* the last `before` lines, a ring */
    int64_t have, last_shown, after_left;
};

static void grep_before(struct sim_proc *p, const struct grep *g, struct grep_context *c, const struct grep_at *at) {
    int64_t from = at->number - c->have;
    if (from <= c->last_shown) from = c->last_shown + 1;
    if ((g->before || g->after) && c->last_shown && from > c->last_shown + 1) sim_out_str(p, "--\n");
    for (int64_t n = from; n < at->number; n++) {
        const struct grep_kept *kept = &c->lines[n % (g->before + 1)];
        struct grep_at before = {at->name, n, kept->offset};
        grep_line(p, g, &before, kept->text, kept->len, '-');
    }
}

static void grep_keep(struct sim_proc *p, const struct grep *g, struct grep_context *c, const struct grep_at *at,
                      const struct sim_lines *l) {
    struct grep_kept *kept = &c->lines[at->number % (g->before + 1)];
    sim_drop(p, kept->text);
    kept->text = sim_keep(p, l->len + 1);
    memcpy(kept->text, l->line, l->len + 1);
    kept->len = l->len;
    kept->offset = at->offset;
    if (c->have < g->before) c->have++;
}

/* NULs at the beginning make a file binary; so does a line that is no UTF-8, from there on. */
static int grep_is_binary(const struct grep *g, struct sim_lines *l) {
    const char *data;
    size_t n = sim_lines_peek(l, &data);
    return !g->text && !g->null_data && n && memchr(data, 0, n);
}

static void grep_fd(struct sim_proc *p, struct grep *g, const char *name, int fd) {
    struct sim_lines l;
    struct grep_context c = {.lines = sim_alloc_zero(p, (size_t)(g->before + 1) * sizeof *c.lines)};
    struct grep_at at = {.name = name};
    int64_t hits = 0, next_offset = 0;
    int quiet = g->quiet || g->count || g->list || g->list_without;
    sim_lines_start(&l, p, fd);
    if (g->null_data) l.separator = '\0';
    int binary = grep_is_binary(g, &l);
    while (!(binary && g->no_binary) && !p->out_error && (g->max < 0 || hits < g->max || c.after_left > 0) &&
           sim_lines_next(&l)) {
        regmatch_t m;
        at.number++;
        at.offset = next_offset;
        next_offset += (int64_t)l.len + 1;
        int full = g->max >= 0 && hits >= g->max;
        int shows = !full && grep_find(g, l.line, l.len, 0, &m) != g->invert;
        int odd = !g->text && (binary || sbx_utf8_valid(l.line, l.len) != l.len);
        if (shows) {
            hits++;
            g->hit = 1;
            if (g->quiet || g->list || g->list_without) break;
            if (!quiet && odd) {
                sim_out_flush(p);
                sim_errf(p, "grep: %s: binary file matches\n", name);
                break;
            }
            if (!quiet && g->only) {
                if (!g->invert) grep_only(p, g, &at, l.line, l.len);
            } else if (!quiet) {
                grep_before(p, g, &c, &at);
                grep_line(p, g, &at, l.line, l.len, ':');
            }
            c.last_shown = at.number;
            c.after_left = g->after;
        } else if (c.after_left > 0 && !quiet) {
            if (!g->only) grep_line(p, g, &at, l.line, l.len, '-');
            c.last_shown = at.number;
            c.after_left--;
        }
        if (g->before) grep_keep(p, g, &c, &at, &l);
    }
    for (int64_t i = 0; i <= g->before; i++) sim_drop(p, c.lines[i].text);
    sim_lines_finish(&l);
    if (l.error && l.error != -EISDIR) {
        if (!g->silent) sim_tool_fail(p, "grep", name, l.error);
        g->failed = 1;
    }
    if (l.error == -EISDIR) g->failed = 1;
    if (l.error == -EISDIR && !g->silent) sim_errf(p, "grep: %s: Is a directory\n", name);
    if (g->count) {
        grep_name(p, g, name, ':');
        sim_outf(p, "%lld\n", (long long)hits);
    }
    if ((!g->list || !hits) && (!g->list_without || hits)) return;
    sim_out_str(p, name);
    sim_out_char(p, g->null_names ? '\0' : '\n');
}

static int grep_listed(const struct sim_list *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (sim_sh_match(list->items[i], name)) return 1;
    return 0;
}

static void grep_path(struct sim_proc *p, struct grep *g, const char *path, int top);

struct grep_tree {
    struct grep *g;
    const char *path; /* "" is the working directory, that was not named */
};

static int grep_tree_main(struct sim_proc *p, void *arg) {
    const struct grep_tree *tree = arg;
    struct sim_mark mark = sim_mark(p);
    struct sim_list names = {.p = p};
    int e = sim_sys_list(p, *tree->path ? tree->path : ".", &names);
    if (e && !tree->g->silent) sim_tool_fail(p, "grep", tree->path, e);
    if (e) tree->g->failed = 1;
    for (size_t i = 0; !e && i < names.n && !p->out_error; i++)
        grep_path(p, tree->g, *tree->path ? sim_file_join(p, tree->path, names.items[i]) : names.items[i], 0);
    sim_release(p, mark);
    return 0;
}

static void grep_path(struct sim_proc *p, struct grep *g, const char *path, int top) {
    struct sim_where at;
    int type = 'f', standard_input = strcmp(path, "-") == 0;
    if (g->quiet && g->hit) return;
    int e = standard_input ? 0 : sim_sys_stat(p, path, top || g->follow, &at);
    if (e) {
        if (!g->silent) sim_tool_fail(p, "grep", path, e);
        g->failed = 1;
        return;
    }
    if (!standard_input) {
        type = at.node->type;
        sim_where_finish(&at);
    }
    if (type == 'l' || (type == 'd' && g->skip_dirs)) return;
    if (type == 'd' && g->recursive) {
        struct grep_tree tree = {g, path};
        if (!top && grep_listed(&g->exclude_dir, sim_base_name(path))) return;
        p->depth += 4;
        if (p->depth >= SIM_NICE_DEPTH)
            sim_proc_deeper(p, grep_tree_main, &tree);
        else
            grep_tree_main(p, &tree);
        p->depth -= 4;
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
    grep_fd(p, g, strcmp(path, "-") == 0 ? g->label : path, fd);
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
        g->text = 1;
        break;
    case 'U':
        break;
    case 'r':
    case 'R':
        g->recursive = 1;
        g->follow = opt == 'R';
        break;
    case 'b':
        g->offsets = 1;
        break;
    case 'z':
        g->null_data = 1;
        break;
    case 'Z':
        g->null_names = 1;
        break;
    case 'I':
        g->no_binary = 1;
        break;
    case 'd':
        g->skip_dirs = strcmp(o->arg, "skip") == 0;
        return g->skip_dirs || strcmp(o->arg, "read") == 0;
    case '5':
        g->label = o->arg;
        break;
    case '6': /* lines come as they are found anyway */
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

/* -5 is -C5 */
static char **grep_number(struct sim_proc *p, int argc, char **argv) {
    struct sim_list args = {.p = p};
    int ended = 0;
    for (int i = 0; i < argc; i++) {
        ended |= strcmp(argv[i], "--") == 0;
        int number = !ended && i && argv[i][0] == '-' && argv[i][1] && !argv[i][1 + strspn(argv[i] + 1, "0123456789")];
        sim_list_add(&args, number ? sim_format(p, "-C%s", argv[i] + 1) : argv[i]);
    }
    return sim_list_texts(&args);
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
                                                   {"label", '5'},
                                                   {"line-buffered", '6'},
                                                   {"null-data", 'z'},
                                                   {"null", 'Z'},
                                                   {"byte-offset", 'b'},
                                                   {"directories", 'd'},
                                                   {"dereference-recursive", 'R'},
                                                   {NULL, 0}};
    struct grep *g = sim_alloc_zero(p, sizeof *g);
    struct sim_list texts = {.p = p};
    struct sim_opts o;
    g->max = -1;
    g->label = "(standard input)";
    argv = grep_number(p, argc, argv);
    g->extended = extended;
    g->fixed = fixed;
    g->include.p = g->exclude.p = g->exclude_dir.p = p;
    sim_opts_start(&o, p, argc, argv, "EFGiyvclLnqhHoxwsaUrRbzZId:e:f:m:A:B:C:1:2:3:4::5:6", longs);
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
        grep_tree_main(p, &(struct grep_tree){g, ""});
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
