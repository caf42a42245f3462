/* Tools that pass text on: cat tac head tail wc tee. */
#include "sim/machine/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BUFFER 16384

int sim_tool_each(struct sim_opts *o, int (*one)(struct sim_opts *o, const char *name, int fd, void *ctx), void *ctx) {
    static char dash[] = "-";
    char *standard[] = {dash, NULL};
    char **names = o->n ? o->operands : standard;
    int status = 0;
    for (; *names; names++) {
        int fd = sim_tool_open(o->p, sim_base_name(o->argv[0]), *names);
        if (fd < 0) {
            status = 1;
            continue;
        }
        if (one(o, *names, fd, ctx)) status = 1;
        sim_tool_close(o->p, fd);
    }
    return status;
}

/* ---- cat ---- */

struct cat {
    int number, number_full, ends, tabs, squeeze, visible;
    int64_t line;
    int at_start, empty_before;
};

static void cat_char(struct sim_proc *p, const struct cat *c, unsigned char ch) {
    if (ch == '\t' && c->tabs)
        sim_out_str(p, "^I");
    else if (!c->visible || ch == '\t' || ch == '\n')
        sim_out_char(p, (char)ch);
    else {
        if (ch >= 128) {
            sim_out_str(p, "M-");
            ch &= 127;
        }
        if (ch < 32 || ch == 127) {
            sim_out_char(p, '^');
            ch ^= 64;
        }
        sim_out_char(p, (char)ch);
    }
}

static void cat_formatted(struct sim_proc *p, struct cat *c, const char *buf, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (c->at_start) {
            int empty = buf[i] == '\n';
            if (empty && c->empty_before && c->squeeze) continue;
            c->empty_before = empty;
            if (c->number || (c->number_full && !empty)) sim_outf(p, "%6lld\t", (long long)++c->line);
        }
        c->at_start = buf[i] == '\n';
        if (c->at_start && c->ends) sim_out_char(p, '$');
        cat_char(p, c, (unsigned char)buf[i]);
    }
}

static int cat_one(struct sim_opts *o, const char *name, int fd, void *ctx) {
    struct cat *c = ctx;
    char buf[TEXT_BUFFER];
    ptrdiff_t n;
    int plain = !(c->number || c->number_full || c->ends || c->tabs || c->squeeze || c->visible);
    while ((n = sim_sys_read(o->p, fd, buf, sizeof buf)) > 0) {
        if (!plain) {
            cat_formatted(o->p, c, buf, (size_t)n);
            continue;
        }
        int e = sim_sys_write(o->p, 1, buf, (size_t)n); /* as it comes: cat holds nothing back */
        if (e) {
            sim_errf(o->p, "cat: write error: %s\n", sim_strerror(-e));
            return 1;
        }
    }
    return n < 0 ? sim_tool_fail(o->p, "cat", name, (int)n) : 0;
}

static int tool_cat(struct sim_proc *p, int argc, char **argv) {
    struct cat c = {.at_start = 1};
    struct sim_opts o;
    static const struct sim_long_option longs[] = {
        {"number", 'n'}, {"number-nonblank", 'b'}, {"show-all", 'A'}, {NULL, 0}};
    sim_opts_start(&o, p, argc, argv, "nbEeTtAvsu", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'n')
            c.number = 1;
        else if (opt == 'b')
            c.number_full = 1;
        else if (opt == 's')
            c.squeeze = 1;
        else if (opt == '?')
            return sim_opts_bad(&o);
        if (opt == 'E' || opt == 'e' || opt == 'A') c.ends = 1;
        if (opt == 'T' || opt == 't' || opt == 'A') c.tabs = 1;
        if (opt == 'v' || opt == 'e' || opt == 't' || opt == 'A') c.visible = 1;
    }
    if (c.number_full) c.number = 0;
    return sim_tool_each(&o, cat_one, &c);
}

static int tac_one(struct sim_opts *o, const char *name, int fd, void *ctx) {
    size_t len;
    char *text = sim_tool_read_all(o->p, "tac", name, fd, &len);
    (void)ctx;
    if (!text) return 1;
    while (len > 0) {
        size_t start = len - 1;
        while (start > 0 && text[start - 1] != '\n') start--;
        sim_out(o->p, text + start, len - start);
        len = start;
    }
    return 0;
}

static int tool_tac(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "", NULL);
    if (sim_opts_next(&o) != -1) return sim_opts_bad(&o);
    return sim_tool_each(&o, tac_one, NULL);
}

/* ---- head, tail ---- */

struct ends {
    int bytes, quiet, verbose, many, shown;
    int sign; /* head -n -5, tail -n +5 */
    char separator;
    int follow, fd_count;
    int *fds;
    int64_t count;
};

static void ends_title(struct sim_opts *o, struct ends *e, const char *name) {
    if (e->quiet || (!e->many && !e->verbose)) return;
    sim_outf(o->p, "%s==> %s <==\n", e->shown++ ? "\n" : "", strcmp(name, "-") == 0 ? "standard input" : name);
}

/* Bytes of `text` that make up its first `count` lines or bytes. */
static size_t ends_first(const char *text, size_t len, const struct ends *e, int64_t count) {
    if (e->bytes) return count < (int64_t)len ? (size_t)count : len;
    size_t at = 0;
    while (count > 0 && at < len) {
        const char *end = memchr(text + at, e->separator, len - at);
        at = end ? (size_t)(end - text) + 1 : len;
        count--;
    }
    return at;
}

static size_t ends_last(const char *text, size_t len, const struct ends *e, int64_t count) {
    if (e->bytes) return count < (int64_t)len ? len - (size_t)count : 0;
    if (count == 0) return len;
    size_t at = len;
    if (at && text[at - 1] == e->separator) at--;
    for (; at > 0; at--)
        if (text[at - 1] == e->separator && --count == 0) return at;
    return 0;
}

static int head_one(struct sim_opts *o, const char *name, int fd, void *ctx) {
    struct ends *e = ctx;
    char buf[4096];
    ptrdiff_t n = 0;
    int64_t left = e->count;
    ends_title(o, e, name);
    if (e->sign < 0) {
        size_t len;
        char *text = sim_tool_read_all(o->p, "head", name, fd, &len);
        if (!text) return 1;
        sim_out(o->p, text, ends_last(text, len, e, left));
        return 0;
    }
    while (left > 0 && (n = sim_sys_read(o->p, fd, buf, sizeof buf)) > 0) {
        size_t take = ends_first(buf, (size_t)n, e, left);
        if (e->bytes)
            left -= (int64_t)take;
        else
            for (size_t i = 0; i < take; i++) left -= buf[i] == e->separator;
        sim_out(o->p, buf, take);
        if (o->p->out_error) return 1;
    }
    return n < 0 ? sim_tool_fail(o->p, "head", name, (int)n) : 0;
}

/* From line or byte `count` on. */
static int tail_from(struct sim_proc *p, const struct ends *e, int fd) {
    char buf[TEXT_BUFFER];
    ptrdiff_t n;
    int64_t skip = e->count > 0 ? e->count - 1 : 0;
    if (e->bytes) skip -= sim_sys_skip(p, fd, skip);
    while ((n = sim_sys_read(p, fd, buf, sizeof buf)) > 0) {
        size_t at = ends_first(buf, (size_t)n, e, skip);
        if (e->bytes)
            skip -= (int64_t)at;
        else
            for (size_t i = 0; i < at; i++) skip -= buf[i] == e->separator;
        sim_out(p, buf + at, (size_t)n - at);
        if (p->out_error) break;
    }
    return n < 0 ? (int)n : 0;
}

/* The last lines or bytes: what can no longer be among them is let go of. */
static int tail_last(struct sim_proc *p, const struct ends *e, int fd) {
    size_t cap = TEXT_BUFFER * 2, len = 0;
    char *buf = sim_keep(p, cap);
    ptrdiff_t n;
    if (e->bytes) sim_sys_skip(p, fd, sim_sys_left(p, fd) - e->count);
    while ((n = sim_sys_read(p, fd, buf + len, cap - len)) > 0) {
        len += (size_t)n;
        if (len < cap) continue;
        size_t at = ends_last(buf, len, e, e->count);
        if (e->count == 0) at = len;
        memmove(buf, buf + at, len - at);
        len -= at;
        if (len <= cap / 2) continue;
        char *grown = sim_keep(p, cap * 2);
        memcpy(grown, buf, len);
        sim_drop(p, buf);
        buf = grown;
        cap *= 2;
    }
    size_t at = ends_last(buf, len, e, e->count);
    sim_out(p, buf + at, len - at);
    sim_drop(p, buf);
    return n < 0 ? (int)n : 0;
}

static int tail_one(struct sim_opts *o, const char *name, int fd, void *ctx) {
    struct ends *e = ctx;
    ends_title(o, e, name);
    int why = e->sign > 0 ? tail_from(o->p, e, fd) : tail_last(o->p, e, fd);
    if (why) return sim_tool_fail(o->p, "tail: error reading", name, why);
    if (e->follow && fd > 0) e->fds[e->fd_count++] = sim_sys_dup(o->p, fd, 0);
    return 0;
}

/* tail -f: looks once a second, for ever. */
static int tail_follow(struct sim_opts *o, struct ends *e) {
    char buf[TEXT_BUFFER];
    int last = e->fd_count - 1;
    for (;;) {
        for (int i = 0; i < e->fd_count; i++) {
            ptrdiff_t n = sim_sys_read(o->p, e->fds[i], buf, sizeof buf);
            if (n <= 0) continue;
            if (i != last && e->many && !e->quiet) sim_outf(o->p, "\n==> %s <==\n", o->operands[i]);
            last = i;
            do sim_out(o->p, buf, (size_t)n);
            while ((n = sim_sys_read(o->p, e->fds[i], buf, sizeof buf)) > 0);
        }
        if (sim_out_flush(o->p)) return 1;
        if (!e->fd_count) return 1;
        sim_sys_sleep(o->p, sim_now(o->p->m->world) + SIM_SEC);
    }
}

static int ends_main(struct sim_proc *p, int argc, char **argv, int is_tail) {
    static const struct sim_long_option longs[] = {{"lines", 'n'},   {"bytes", 'c'},  {"quiet", 'q'}, {"silent", 'q'},
                                                   {"verbose", 'v'}, {"follow", 'f'}, {"retry", 'r'}, {NULL, 0}};
    struct ends e = {.count = 10};
    struct sim_opts o;
    if (argc > 1 && argv[1][0] == '-' && argv[1][1] >= '0' && argv[1][1] <= '9') { /* head -5 */
        char **more = sim_alloc(p, ((size_t)argc + 2) * sizeof *more);
        memcpy(more + 1, argv, (size_t)(argc + 1) * sizeof *more);
        more[0] = argv[0];
        size_t digits = strspn(argv[1] + 1, "0123456789"); /* and letters that are options: -5q, -5c */
        const char *letters = argv[1] + 1 + digits;
        int bytes = strchr(letters, 'c') != NULL;
        more[1] = sim_format(p, "-%s%c",
                             strchr(letters, 'q')   ? "q"
                             : strchr(letters, 'v') ? "v"
                                                    : "",
                             bytes ? 'c' : 'n');
        more[2] = letters[strspn(letters, "cqv")] ? sim_strdup(p, argv[1] + 1) : sim_strndup(p, argv[1] + 1, digits);
        argv = more;
        argc++;
    }
    sim_opts_start(&o, p, argc, argv, is_tail ? "n:c:qvzfFr" : "n:c:qvz", longs);
    e.separator = '\n';
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'q')
            e.quiet = 1;
        else if (opt == 'v')
            e.verbose = 1;
        else if (opt == 'z')
            e.separator = '\0';
        else if (opt == 'f' || opt == 'F' || opt == 'r')
            e.follow = 1;
        else if (opt == '?')
            return sim_opts_bad(&o);
        else {
            const char *text = o.arg;
            e.bytes = opt == 'c';
            e.sign = *text == '-' ? -1 : *text == '+' ? 1 : 0;
            if (e.sign) text++;
            if (!sim_tool_number(text, &e.count)) {
                sim_errf(p, "%s: invalid number of %s: '%s'\n", argv[0], e.bytes ? "bytes" : "lines", o.arg);
                return 1;
            }
            if (is_tail && e.sign < 0) e.sign = 0;
            if (!is_tail && e.sign > 0) e.sign = 0;
        }
    }
    e.many = o.n > 1;
    e.fds = sim_alloc(p, ((size_t)o.n + 1) * sizeof *e.fds);
    int status = sim_tool_each(&o, is_tail ? tail_one : head_one, &e);
    return e.follow && o.n && !p->out_error ? tail_follow(&o, &e) : status;
}

static int tool_head(struct sim_proc *p, int argc, char **argv) {
    return ends_main(p, argc, argv, 0);
}

static int tool_tail(struct sim_proc *p, int argc, char **argv) {
    return ends_main(p, argc, argv, 1);
}

/* ---- wc ---- */

struct wc {
    int lines, words, bytes, chars, longest, width;
    int64_t total[5]; /* lines, words, chars, bytes, and the longest line */
};

/* A name with a newline is quoted, so that it stays one line. */
static void wc_name(struct sim_proc *p, const char *name) {
    if (!strchr(name, '\n')) {
        sim_outf(p, " %s", name);
        return;
    }
    sim_out_str(p, " '");
    for (; *name; name++) sim_out_str(p, *name == '\n' ? "'$'\\n''" : *name == '\'' ? "'\\''" : (char[]){*name, '\0'});
    sim_out_char(p, '\'');
}

static void wc_print(struct sim_proc *p, const struct wc *w, const int64_t *n, const char *name) {
    const int wanted[5] = {w->lines, w->words, w->chars, w->bytes, w->longest};
    const char *gap = "";
    for (int i = 0; i < 5; i++) {
        if (!wanted[i]) continue;
        sim_outf(p, "%s%*lld", gap, w->width, (long long)n[i]);
        gap = " ";
    }
    if (name) wc_name(p, name);
    sim_out_char(p, '\n');
}

static int wc_one(struct sim_opts *o, const char *name, int fd, void *ctx) {
    struct wc *w = ctx;
    char buf[TEXT_BUFFER];
    int64_t n[5] = {0}, column = 0;
    ptrdiff_t got;
    int in_word = 0;
    if (!(w->lines || w->words || w->chars || w->longest)) n[3] = sim_sys_skip(o->p, fd, INT64_MAX); /* size alone */
    while ((got = sim_sys_read(o->p, fd, buf, sizeof buf)) > 0) {
        n[3] += got;
        for (ptrdiff_t i = 0; i < got; i++) {
            unsigned char c = (unsigned char)buf[i];
            int space = c == ' ' || (c >= '\t' && c <= '\r');
            n[0] += c == '\n';
            n[1] += !space && !in_word;
            n[2] += (c & 0xC0) != 0x80;
            if (c == '\n' || c == '\r' || c == '\f')
                column = 0;
            else if (c == '\t')
                column += 8 - column % 8;
            else
                column += c >= 32 && (c & 0xC0) != 0x80;
            if (column > n[4]) n[4] = column;
            in_word = !space;
        }
    }
    for (int i = 0; i < 4; i++) w->total[i] += n[i];
    if (n[4] > w->total[4]) w->total[4] = n[4];
    int failed = got < 0 ? sim_tool_fail(o->p, "wc", name, (int)got) : 0;
    wc_print(o->p, w, n, o->n ? name : NULL);
    return failed;
}

/* As wide as the sizes of the files make it; 7 where a size is not known before it is read. */
static void wc_width(struct sim_opts *o, struct wc *w) {
    int64_t bytes = 0;
    int kinds = w->lines + w->words + w->bytes + w->chars + w->longest, least = 1;
    for (int i = 0; i < o->n; i++) {
        struct sim_where at;
        if (sim_sys_stat(o->p, o->operands[i], 1, &at)) continue;
        if (at.node->type == 'f')
            bytes += at.node->size;
        else
            least = 7;
        sim_where_finish(&at);
    }
    const struct sim_open *in = sim_fd_get(o->p, 0);
    if (o->n == 0) {
        if (in && in->node && in->node->type == 'f')
            bytes = in->node->size;
        else
            least = 7;
    }
    w->width = 1;
    for (; bytes >= 10; bytes /= 10) w->width++;
    if (w->width < least) w->width = least;
    if (kinds == 1 && o->n <= 1) w->width = 1;
}

/* Operands from a file, each with a NUL behind. */
static int wc_files_from(struct sim_opts *o, const char *path) {
    struct sim_list names = {.p = o->p};
    struct sim_lines l;
    int fd = sim_tool_open(o->p, "wc", path);
    if (fd < 0) return 0;
    sim_lines_start(&l, o->p, fd);
    l.separator = '\0';
    while (sim_lines_next(&l)) sim_list_add(&names, sim_strndup(o->p, l.line, l.len));
    sim_lines_finish(&l);
    sim_tool_close(o->p, fd);
    o->n = (int)names.n;
    o->operands = sim_list_texts(&names);
    return 1;
}

static int tool_wc(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"lines", 'l'}, {"words", 'w'},           {"bytes", 'c'},
                                                   {"chars", 'm'}, {"max-line-length", 'L'}, {"files0-from", '0'},
                                                   {NULL, 0}};
    struct wc w = {0};
    struct sim_opts o;
    const char *from = NULL;
    sim_opts_start(&o, p, argc, argv, "lwcmL0:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'l')
            w.lines = 1;
        else if (opt == 'w')
            w.words = 1;
        else if (opt == 'c')
            w.bytes = 1;
        else if (opt == 'm')
            w.chars = 1;
        else if (opt == 'L')
            w.longest = 1;
        else if (opt == '0')
            from = o.arg;
        else
            return sim_opts_bad(&o);
    }
    if (from && !wc_files_from(&o, from)) return 1;
    if (!(w.lines || w.words || w.bytes || w.chars || w.longest)) w.lines = w.words = w.bytes = 1;
    wc_width(&o, &w);
    int status = sim_tool_each(&o, wc_one, &w);
    if (o.n > 1) wc_print(p, &w, w.total, "total");
    return status;
}

/* ---- tee ---- */

static int tool_tee(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int append = 0, status = 0;
    static const struct sim_long_option longs[] = {{"append", 'a'}, {"ignore-interrupts", 'i'}, {NULL, 0}};
    sim_opts_start(&o, p, argc, argv, "aip", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'a')
            append = 1;
        else if (opt == 'i')
            p->ignored |= 1U << SIM_SIGINT;
        else if (opt != 'p')
            return sim_opts_bad(&o);
    }
    int *fds = sim_alloc(p, ((size_t)o.n + 1) * sizeof *fds);
    fds[0] = 1;
    for (int i = 0; i < o.n; i++) {
        fds[i + 1] =
            sim_sys_open(p, o.operands[i], SIM_O_WRITE | SIM_O_CREATE | (append ? SIM_O_APPEND : SIM_O_TRUNCATE), 0666);
        if (fds[i + 1] < 0) status = sim_tool_fail(p, "tee", o.operands[i], fds[i + 1]);
    }
    char buf[TEXT_BUFFER];
    ptrdiff_t n;
    while ((n = sim_sys_read(p, 0, buf, sizeof buf)) > 0) {
        for (int i = 0; i <= o.n; i++) {
            int e = fds[i] >= 0 ? sim_sys_write(p, fds[i], buf, (size_t)n) : 0;
            if (!e) continue;
            status = sim_tool_fail(p, "tee", i ? o.operands[i - 1] : "standard output", e);
            fds[i] = -1;
        }
    }
    return status;
}

const struct sim_tool sim_tools_text[] = {{"cat", tool_cat},   {"tac", tool_tac}, {"head", tool_head},
                                          {"tail", tool_tail}, {"wc", tool_wc},   {"tee", tool_tee},
                                          {NULL, NULL}};
