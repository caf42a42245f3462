/* Tools that pass the beginning or the end on: head tail. */
#include "sim/machine/tools/tools.h"
#include <string.h>

#define TEXT_BUFFER 16384

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

const struct sim_tool sim_tools_ends[] = {{"head", tool_head}, {"tail", tool_tail}, {NULL, NULL}};
