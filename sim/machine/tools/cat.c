/* Tools that pass everything on: cat tac tee. */
#include "sim/machine/tools/tools.h"

#define TEXT_BUFFER 16384

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

const struct sim_tool sim_tools_cat[] = {{"cat", tool_cat}, {"tac", tool_tac}, {"tee", tool_tee}, {NULL, NULL}};
