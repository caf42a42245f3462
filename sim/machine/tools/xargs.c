/* xargs: items of its input as arguments, run as soon as there are enough. */
#include "sim/machine/tools/tools.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>

#define XARGS_BYTES 130000 /* of a command line */
#define XARGS_ITEMS 5000

struct xargs {
    struct sim_proc *p;
    const char *replace, *end;
    int64_t max, lines, bytes;
    int delimiter; /* -1: blanks and quotes */
    int no_empty, trace, status, ran;
    char **command;
    int n;
    size_t command_bytes;
    /* items that wait: kept */
    char **items;
    size_t count, cap, item_bytes;
    int64_t line_count;
    /* the input */
    int fd;
    char *buf;
    size_t at, have;
};

static void xargs_start(struct xargs *x, struct sim_list *args) {
    if (x->trace) {
        struct sim_text line = {.p = x->p};
        for (size_t i = 0; i < args->n; i++) sim_text_printf(&line, "%s%s", i ? " " : "", (char *)args->items[i]);
        sim_errf(x->p, "%s\n", sim_text_get(&line));
    }
    int status = sim_tool_run(x->p, sim_list_texts(args));
    x->ran = 1;
    if (status == 127 || status == 126)
        x->status = status;
    else if (status == 255)
        x->status = 124;
    else if (status > 128)
        x->status = 125;
    else if (status && !x->status)
        x->status = 123;
}

static void xargs_run(struct xargs *x) {
    struct sim_mark mark = sim_mark(x->p);
    struct sim_list args = {.p = x->p};
    for (int i = 0; i < x->n; i++) sim_list_add(&args, x->command[i]);
    for (size_t i = 0; i < x->count; i++) sim_list_add(&args, x->items[i]);
    xargs_start(x, &args);
    for (size_t i = 0; i < x->count; i++) sim_drop(x->p, x->items[i]);
    x->count = x->item_bytes = 0;
    x->line_count = 0;
    sim_release(x->p, mark);
}

static void xargs_replaced(struct xargs *x, const char *item) {
    struct sim_mark mark = sim_mark(x->p);
    struct sim_list args = {.p = x->p};
    for (int i = 0; i < x->n; i++) {
        struct sim_text text = {.p = x->p};
        const char *at = x->command[i], *hit;
        while (i && (hit = strstr(at, x->replace)) != NULL) {
            sim_text_add(&text, at, (size_t)(hit - at));
            sim_text_str(&text, item);
            at = hit + strlen(x->replace);
        }
        sim_text_str(&text, at);
        sim_list_add(&args, sim_text_get(&text));
    }
    xargs_start(x, &args);
    sim_release(x->p, mark);
}

/* @return 0 when no more is wanted */
static int xargs_item(struct xargs *x, const char *item) {
    if (x->replace) {
        item += x->delimiter < 0 ? strspn(item, " \t") : 0;
        if (*item || x->delimiter >= 0) xargs_replaced(x, item);
        return x->status < 124;
    }
    size_t size = strlen(item) + 1;
    if (x->count && (int64_t)(x->command_bytes + x->item_bytes + size) > x->bytes) xargs_run(x);
    if (x->count == x->cap) {
        size_t cap = x->cap ? x->cap * 2 : 64;
        char **items = sim_keep(x->p, cap * sizeof *items);
        if (x->count) memcpy(items, x->items, x->count * sizeof *items);
        sim_drop(x->p, x->items);
        x->items = items;
        x->cap = cap;
    }
    x->items[x->count++] = sim_keep_text(x->p, item);
    x->item_bytes += size;
    if ((int64_t)x->count >= (x->max ? x->max : XARGS_ITEMS)) xargs_run(x);
    return x->status < 124;
}

/* The next byte, -1 at the end. */
static int xargs_byte(struct xargs *x) {
    if (x->at == x->have) {
        ptrdiff_t n = sim_sys_read(x->p, x->fd, x->buf, 4096);
        if (n <= 0) return -1;
        x->at = 0;
        x->have = (size_t)n;
    }
    return (unsigned char)x->buf[x->at++];
}

/* One item. @return 1 with it in `item`, 0 at the end, -1 for an unmatched quote; *line_ends if its line does */
static int xargs_next(struct xargs *x, struct sim_text *item, int *line_ends) {
    int started = 0, quote = 0, c;
    item->len = 0;
    *line_ends = 0;
    while ((c = xargs_byte(x)) >= 0) {
        if (x->delimiter >= 0) {
            if (c == x->delimiter) return 1;
            started = 1;
            sim_text_char(item, (char)c);
            continue;
        }
        int blank = x->replace ? c == '\n' : isspace(c) != 0;
        if (!quote && blank) {
            *line_ends = c == '\n';
            if (started) return 1;
            continue;
        }
        started = 1;
        if (quote && c == '\n') return -1;
        if (quote && c != quote) {
            sim_text_char(item, (char)c);
        } else if (quote) {
            quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '\\') {
            c = xargs_byte(x);
            if (c >= 0) sim_text_char(item, (char)c);
        } else {
            sim_text_char(item, (char)c);
        }
    }
    return quote ? -1 : started;
}

static int xargs_all(struct xargs *x) {
    int got = 0, line_ends;
    for (;;) {
        struct sim_mark mark = sim_mark(x->p);
        struct sim_text item = {.p = x->p};
        got = xargs_next(x, &item, &line_ends);
        int more = got > 0 && !(x->end && strcmp(sim_text_get(&item), x->end) == 0);
        if (more) more = xargs_item(x, sim_text_get(&item));
        if (more && line_ends && x->lines && ++x->line_count == x->lines) xargs_run(x);
        sim_release(x->p, mark);
        if (!more) break;
    }
    if (got < 0) {
        if (x->count) xargs_run(x);
        sim_errf(x->p, "xargs: unmatched quote; by default quotes are special to xargs unless you use the -0 option\n");
        return 1;
    }
    if (x->status < 124 && (x->count || (!x->ran && !x->no_empty && !x->replace))) xargs_run(x);
    return x->status;
}

static int xargs_delimiter(const char *text) {
    static const char from[] = "abfnrtv0\\", to[] = "\a\b\f\n\r\t\v\0\\";
    const char *hit = text[0] == '\\' && text[1] ? strchr(from, text[1]) : NULL;
    if (hit && !text[2]) return (unsigned char)to[hit - from];
    return text[0] && !text[1] ? (unsigned char)text[0] : -1;
}

static int tool_xargs(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"null", '0'},     {"max-args", 'n'},  {"replace", 'i'},   {"no-run-if-empty", 'r'},
        {"verbose", 't'},  {"max-procs", 'P'}, {"delimiter", 'd'}, {"max-lines", 'L'},
        {"arg-file", 'a'}, {"exit", 'x'},      {"max-chars", 's'}, {NULL, 0}};
    static char echo[] = "echo";
    char *standard[] = {echo, NULL};
    struct xargs *x = sim_alloc_zero(p, sizeof *x);
    struct sim_opts o;
    int64_t parallel;
    const char *file = NULL;
    x->p = p;
    x->delimiter = -1;
    x->bytes = XARGS_BYTES;
    sim_opts_start(&o, p, argc, argv, "+0n:I:i::rtP:d:L:a:xs:E:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        int good = opt != '?';
        if (opt == '0')
            x->delimiter = 0;
        else if (opt == 'd')
            good = (x->delimiter = xargs_delimiter(o.arg)) >= 0;
        else if (opt == 'n')
            good = sim_tool_number(o.arg, &x->max) && x->max > 0;
        else if (opt == 'L')
            good = sim_tool_number(o.arg, &x->lines) && x->lines > 0;
        else if (opt == 's')
            good = sim_tool_number(o.arg, &x->bytes) && x->bytes > 0;
        else if (opt == 'P')
            good = sim_tool_number(o.arg, &parallel);
        else if (opt == 'I')
            x->replace = o.arg;
        else if (opt == 'i')
            x->replace = o.arg ? o.arg : "{}";
        else if (opt == 'r')
            x->no_empty = 1;
        else if (opt == 't')
            x->trace = 1;
        else if (opt == 'a')
            file = o.arg;
        else if (opt == 'E')
            x->end = o.arg;
        if (!good) return sim_opts_bad(&o);
    }
    x->command = o.n ? o.operands : standard;
    x->n = o.n ? o.n : 1;
    for (int i = 0; i < x->n; i++) x->command_bytes += strlen(x->command[i]) + 1;
    x->buf = sim_keep(p, 4096);
    x->fd = file ? sim_tool_open(p, "xargs", file) : sim_sys_dup(p, 0, 3);
    if (x->fd < 0) return 1;
    p->fd_inherit[x->fd / 8] |= (uint8_t)(1U << (x->fd % 8)); /* commands do not get it */
    int null = file ? -1 : sim_sys_open(p, "/dev/null", SIM_O_READ, 0);
    if (null > 0) {
        sim_sys_dup_to(p, null, 0);
        sim_sys_close(p, null);
    }
    return xargs_all(x);
}

const struct sim_tool sim_tools_xargs[] = {{"xargs", tool_xargs}, {NULL, NULL}};
