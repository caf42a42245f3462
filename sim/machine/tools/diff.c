/* diff: its command line, files and trees. */
#include "sim/machine/tools/diff.h"
#include "sim/machine/sh/sh.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>

#define DIFF_CONTEXT_MAX 1000000

static void diff_trouble(struct diff *d, const char *name, int e) {
    sim_out_flush(d->p);
    sim_errf(d->p, "diff: %s: %s\n", name, sim_strerror(-e));
    d->status = 2;
}

static void diff_differs(struct diff *d) {
    if (!d->status) d->status = 1;
}

/* ---- lines ---- */

/* The next character that counts of a line, -1 at its end. */
static int diff_next(const struct diff *d, const char **at, const char *end) {
    while (*at < end) {
        unsigned char c = (unsigned char)*(*at)++;
        if (isspace(c) && d->ignore_space) continue;
        if (isspace(c) && d->ignore_amount) {
            while (*at < end && isspace((unsigned char)**at)) ++*at;
            return *at == end ? -1 : ' ';
        }
        return d->fold ? tolower(c) : c;
    }
    return -1;
}

static int diff_same(const struct diff *d, const struct diff_line *x, const struct diff_line *y) {
    const char *a = x->text, *b = y->text;
    int loose = d->ignore_space || d->ignore_amount;
    if (!loose && x->newline != y->newline) return 0;
    if (!loose && !d->fold) return x->len == y->len && memcmp(a, b, x->len) == 0;
    for (;;) {
        int c = diff_next(d, &a, x->text + x->len), e = diff_next(d, &b, y->text + y->len);
        if (c != e) return 0;
        if (c < 0) return 1;
    }
}

static uint64_t diff_hash(const struct diff *d, const struct diff_line *l) {
    uint64_t h = UINT64_C(14695981039346656037);
    const char *at = l->text;
    for (int c; (c = diff_next(d, &at, l->text + l->len)) >= 0;) h = (h ^ (uint64_t)c) * UINT64_C(1099511628211);
    return h ^ (h >> 32);
}

struct diff_class {
    struct diff_class *next;
    uint64_t hash;
    const struct diff_line *line;
};

/* Gives equal lines equal numbers. */
static void diff_classify(const struct diff *d, struct diff_file f[2]) {
    size_t buckets = 64, count = 0;
    while (buckets < f[0].n + f[1].n) buckets *= 2;
    struct diff_class **table = sim_alloc_zero(d->p, buckets * sizeof(struct diff_class *));
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < f[i].n; k++) {
            struct diff_line *line = &f[i].lines[k];
            uint64_t hash = diff_hash(d, line);
            struct diff_class **slot = &table[hash & (buckets - 1)], *c = *slot;
            while (c && !(c->hash == hash && diff_same(d, c->line, line))) c = c->next;
            if (!c) {
                c = sim_alloc(d->p, sizeof *c);
                *c = (struct diff_class){*slot, hash, line};
                *slot = c;
                line->class_ = (int)++count;
            } else {
                line->class_ = c->line->class_;
            }
        }
    }
}

static void diff_lines(struct sim_proc *p, struct diff_file *f, const char *text, size_t len) {
    size_t most = 1;
    for (size_t i = 0; i < len; i++) most += text[i] == '\n';
    f->lines = sim_alloc_zero(p, most * sizeof *f->lines);
    for (size_t i = 0; i < len; f->n++) {
        const char *end = memchr(text + i, '\n', len - i);
        size_t n = end ? (size_t)(end - text) - i : len - i;
        f->lines[f->n] = (struct diff_line){.text = text + i, .len = n, .newline = end != NULL};
        i += n + 1;
    }
}

/* ---- a pair of files ---- */

static char *diff_read(struct diff *d, const struct diff_file *f, size_t *len) {
    *len = 0;
    if (!f->type) return sim_strdup(d->p, "");
    int fd = strcmp(f->name, "-") == 0 ? 0 : sim_sys_open(d->p, f->name, SIM_O_READ, 0);
    if (fd < 0) {
        diff_trouble(d, f->name, fd);
        return NULL;
    }
    char *text = sim_tool_read_all(d->p, "diff", f->name, fd, len);
    sim_tool_close(d->p, fd);
    if (!text) d->status = 2;
    return text;
}

static void diff_same_files(const struct diff *d, const struct diff_file f[2]) {
    if (d->report_same) sim_outf(d->p, "Files %s and %s are identical\n", f[0].name, f[1].name);
}

static void diff_texts(struct diff *d, struct diff_file f[2], const char *title) {
    char *text[2];
    size_t len[2], n;
    for (int i = 0; i < 2; i++)
        if (!(text[i] = diff_read(d, &f[i], &len[i]))) return;
    if (len[0] == len[1] && memcmp(text[0], text[1], len[0]) == 0) {
        diff_same_files(d, f);
        return;
    }
    int loose = d->fold || d->ignore_space || d->ignore_amount;
    int binary = !d->text && (memchr(text[0], 0, len[0]) || memchr(text[1], 0, len[1]));
    if (binary || (d->style == DIFF_BRIEF && !loose)) {
        sim_outf(d->p, d->style == DIFF_BRIEF ? "Files %s and %s differ\n" : "Binary files %s and %s differ\n",
                 f[0].name, f[1].name);
        diff_differs(d);
        return;
    }
    for (int i = 0; i < 2; i++) diff_lines(d->p, &f[i], text[i], len[i]);
    diff_classify(d, f);
    sim_diff_compare(d->p, f);
    const struct diff_change *changes = sim_diff_changes(d->p, f, &n);
    if (!n) {
        diff_same_files(d, f);
        return;
    }
    diff_differs(d);
    if (d->style == DIFF_BRIEF) {
        sim_outf(d->p, "Files %s and %s differ\n", f[0].name, f[1].name);
        return;
    }
    if (title) sim_outf(d->p, "%s\n", title);
    if (d->style == DIFF_UNIFIED)
        sim_diff_print_unified(d->p, f, changes, n, d->context);
    else
        sim_diff_print_normal(d->p, f, changes, n);
}

/* ---- trees ---- */

static const char *diff_kind(int type) {
    return type == 'd' ? "directory" : type == 'p' ? "fifo" : type == 'c' ? "character special file" : "regular file";
}

static int diff_find(struct diff *d, struct diff_file *f) {
    struct sim_where at;
    if (strcmp(f->name, "-") == 0) {
        f->type = 'f';
        f->mtime_ns = sim_machine_wall_ns(d->p->m);
        return 0;
    }
    int e = sim_sys_stat(d->p, f->name, 1, &at);
    f->type = 0;
    f->mtime_ns = 0;
    if (e) return e;
    f->type = at.node->type;
    f->mtime_ns = at.node->mtime_ns;
    sim_where_finish(&at);
    return 0;
}

static void diff_trees(struct diff *d, const char *a, const char *b);

/* One name of a tree; `in` says in which of the two it is. */
static void diff_entry(struct diff *d, const char *const dirs[2], const char *name, unsigned in) {
    struct diff_file f[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        f[i].name = sim_file_join(d->p, dirs[i], name);
        if (in & (1U << i)) diff_find(d, &f[i]);
    }
    if (in != 3 && !d->new_file) {
        sim_outf(d->p, "Only in %s: %s\n", dirs[in == 1 ? 0 : 1], name);
        diff_differs(d);
        return;
    }
    int dirs_both = (f[0].type == 'd' || !f[0].type) && (f[1].type == 'd' || !f[1].type);
    if (dirs_both && d->recursive) {
        diff_trees(d, f[0].name, f[1].name);
    } else if (dirs_both) {
        sim_outf(d->p, "Common subdirectories: %s and %s\n", f[0].name, f[1].name);
    } else if (f[0].type && f[1].type && (f[0].type != f[1].type || f[0].type != 'f')) {
        sim_outf(d->p, "File %s is a %s while file %s is a %s\n", f[0].name, diff_kind(f[0].type), f[1].name,
                 diff_kind(f[1].type));
        diff_differs(d);
    } else {
        for (int i = 0; i < 2; i++) f[i].label = i < d->label_count ? d->labels[i] : NULL;
        diff_texts(d, f, sim_format(d->p, "diff%s %s %s", d->options, f[0].name, f[1].name));
    }
}

static int diff_skips(const struct diff *d, const char *name) {
    for (size_t i = 0; i < d->exclude.n; i++)
        if (sim_sh_match(d->exclude.items[i], name)) return 1;
    return 0;
}

struct diff_pair {
    struct diff *d;
    const char *dirs[2];
};

static int diff_trees_main(struct sim_proc *p, void *arg) {
    const struct diff_pair *pair = arg;
    struct sim_mark mark = sim_mark(p);
    struct sim_list names[2] = {{.p = p}, {.p = p}};
    for (int i = 0; i < 2; i++) {
        int e = sim_sys_list(p, pair->dirs[i], &names[i]);
        if (e && !(e == -ENOENT && pair->d->new_file)) diff_trouble(pair->d, pair->dirs[i], e);
    }
    for (size_t a = 0, b = 0; a < names[0].n || b < names[1].n;) {
        int order = a == names[0].n ? 1 : b == names[1].n ? -1 : strcmp(names[0].items[a], names[1].items[b]);
        const char *name = order <= 0 ? names[0].items[a] : names[1].items[b];
        struct sim_mark one = sim_mark(p);
        if (!diff_skips(pair->d, name)) diff_entry(pair->d, pair->dirs, name, order < 0 ? 1U : order > 0 ? 2U : 3U);
        sim_release(p, one);
        a += order <= 0;
        b += order >= 0;
    }
    sim_release(p, mark);
    return 0;
}

static void diff_trees(struct diff *d, const char *a, const char *b) {
    struct diff_pair pair = {d, {a, b}};
    d->p->depth += 5;
    if (d->p->depth >= SIM_NICE_DEPTH)
        sim_proc_deeper(d->p, diff_trees_main, &pair);
    else
        diff_trees_main(d->p, &pair);
    d->p->depth -= 5;
}

static void diff_operands(struct diff *d, const char *a, const char *b) {
    struct diff_file f[2] = {{.name = a}, {.name = b}};
    for (int i = 0; i < 2; i++) {
        int e = diff_find(d, &f[i]);
        if (e && !(e == -ENOENT && d->new_file)) diff_trouble(d, f[i].name, e);
    }
    if (d->status) return;
    if (!f[0].type && !f[1].type) {
        diff_trouble(d, a, -ENOENT);
        diff_trouble(d, b, -ENOENT);
        return;
    }
    if (f[0].type == 'd' && f[1].type == 'd') {
        diff_trees(d, a, b);
        return;
    }
    for (int i = 0; i < 2; i++) { /* a file and a directory: the file of that name in it */
        if (f[i].type != 'd') continue;
        f[i].name = sim_file_join(d->p, f[i].name, sim_file_last(d->p, f[1 - i].name));
        int e = diff_find(d, &f[i]);
        if (e) {
            diff_trouble(d, f[i].name, e);
            return;
        }
    }
    for (int i = 0; i < 2; i++) f[i].label = i < d->label_count ? d->labels[i] : NULL;
    diff_texts(d, f, NULL);
}

/* ---- the command line ---- */

/* @return 0 for what is not known */
static int diff_option(struct diff *d, int opt, const char *arg) {
    switch (opt) {
    case 'u':
        d->style = d->style == DIFF_BRIEF ? DIFF_BRIEF : DIFF_UNIFIED;
        return 1;
    case 'U':
        d->style = d->style == DIFF_BRIEF ? DIFF_BRIEF : DIFF_UNIFIED;
        return sim_tool_number(arg, &d->context) && d->context <= DIFF_CONTEXT_MAX;
    case 'q':
        d->style = DIFF_BRIEF;
        return 1;
    case 'r':
        d->recursive = 1;
        return 1;
    case 'N':
        d->new_file = 1;
        return 1;
    case 's':
        d->report_same = 1;
        return 1;
    case 'i':
        d->fold = 1;
        return 1;
    case 'w':
        d->ignore_space = 1;
        return 1;
    case 'b':
        d->ignore_amount = 1;
        return 1;
    case 'a':
        d->text = 1;
        return 1;
    case 'x':
        sim_list_add(&d->exclude, sim_strdup(d->p, arg));
        return 1;
    case 'L':
        if (d->label_count < 2) d->labels[d->label_count++] = arg;
        return 1;
    case 'n': /* --normal */
        return 1;
    default:
        return 0;
    }
}

static int tool_diff(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"unified", 'u'},
                                                   {"brief", 'q'},
                                                   {"recursive", 'r'},
                                                   {"new-file", 'N'},
                                                   {"report-identical-files", 's'},
                                                   {"ignore-case", 'i'},
                                                   {"ignore-all-space", 'w'},
                                                   {"ignore-space-change", 'b'},
                                                   {"text", 'a'},
                                                   {"exclude", 'x'},
                                                   {"label", 'L'},
                                                   {NULL, 0}};
    struct diff *d = sim_alloc_zero(p, sizeof *d);
    struct sim_text options = {.p = p};
    struct sim_opts o;
    d->p = d->exclude.p = p;
    d->context = 3;
    sim_opts_start(&o, p, argc, argv, "uU:qrNsiwbax:L:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;)
        if (!diff_option(d, opt, o.arg)) return sim_opts_bad(&o);
    for (int i = 1; i < argc; i++) { /* for titles: all that is no operand */
        int operand = 0;
        for (int k = 0; k < o.n; k++) operand |= argv[i] == o.operands[k];
        if (operand) continue;
        const char *plain =
            argv[i] + strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@%");
        sim_text_printf(&options, *plain ? " '%s'" : " %s", argv[i]);
    }
    d->options = sim_text_get(&options);
    if (o.n != 2) {
        sim_errf(p, o.n < 2 ? "diff: missing operand\n" : "diff: extra operand '%s'\n", o.n > 2 ? o.operands[2] : "");
        return 2;
    }
    diff_operands(d, o.operands[0], o.operands[1]);
    return d->status;
}

const struct sim_tool sim_tools_diff[] = {{"diff", tool_diff}, {NULL, NULL}};
