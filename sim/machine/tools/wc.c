/* wc. */
#include "sim/machine/tools/tools.h"
#include <string.h>

#define TEXT_BUFFER 16384

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

const struct sim_tool sim_tools_wc[] = {{"wc", tool_wc}, {NULL, NULL}};
