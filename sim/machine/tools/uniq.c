/* Tools about equal lines: uniq comm. */
#include "sim/machine/tools/sort.h"
#include <ctype.h>
#include <string.h>

struct uniq {
    struct sim_proc *p;
    int count, repeated, unique, all, fold;
    int64_t fields, chars, width;
    char separator;
};

/* The part of a line that counts. */
static struct sort_line uniq_key(const struct uniq *u, const char *text, size_t len) {
    size_t i = 0;
    for (int64_t f = 0; f < u->fields; f++) {
        while (i < len && isblank((unsigned char)text[i])) i++;
        while (i < len && !isblank((unsigned char)text[i])) i++;
    }
    i += u->chars < (int64_t)(len - i) ? (size_t)u->chars : len - i;
    size_t n = len - i;
    if (u->width >= 0 && u->width < (int64_t)n) n = (size_t)u->width;
    return (struct sort_line){text + i, n};
}

static void uniq_put(const struct uniq *u, const char *text, size_t len) {
    sim_out(u->p, text, len);
    sim_out_char(u->p, u->separator);
}

static void uniq_print(const struct uniq *u, const struct sort_line *l, int64_t count) {
    if (u->all || (u->repeated && count < 2) || (u->unique && count > 1)) return;
    if (u->count) sim_outf(u->p, "%7lld ", (long long)count);
    uniq_put(u, l->text, l->len);
}

static int uniq_run(const struct uniq *u, int fd, const char *name) {
    struct sim_lines l;
    struct sort_line last = {NULL, 0};
    char *kept = NULL;
    int64_t count = 0;
    sim_lines_start(&l, u->p, fd);
    l.separator = u->separator;
    while (!u->p->out_error && sim_lines_next(&l)) {
        struct sort_line key = uniq_key(u, l.line, l.len), old = uniq_key(u, last.text, last.len);
        if (kept && sim_sort_bytes(key.text, key.len, old.text, old.len, u->fold) == 0) {
            if (u->all && count == 1) uniq_put(u, last.text, last.len);
            if (u->all) uniq_put(u, l.line, l.len);
            count++;
            continue;
        }
        if (kept) uniq_print(u, &last, count);
        sim_drop(u->p, kept);
        kept = sim_keep(u->p, l.len + 1);
        memcpy(kept, l.line, l.len + 1);
        last = (struct sort_line){kept, l.len};
        count = 1;
    }
    if (kept) uniq_print(u, &last, count);
    sim_lines_finish(&l);
    return l.error ? sim_tool_fail(u->p, "uniq: error reading", name, l.error) : 0;
}

static int tool_uniq(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"count", 'c'},           {"repeated", 'd'},
                                                   {"unique", 'u'},          {"ignore-case", 'i'},
                                                   {"skip-fields", 'f'},     {"skip-chars", 's'},
                                                   {"check-chars", 'w'},     {"all-repeated", 'D'},
                                                   {"zero-terminated", 'z'}, {NULL, 0}};
    struct uniq u = {.p = p, .width = -1, .separator = '\n'};
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "cduDizf:s:w:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'c')
            u.count = 1;
        else if (opt == 'd')
            u.repeated = 1;
        else if (opt == 'u')
            u.unique = 1;
        else if (opt == 'D')
            u.all = 1;
        else if (opt == 'i')
            u.fold = 1;
        else if (opt == 'z')
            u.separator = '\0';
        else if (!(opt == 'f' && sim_tool_number(o.arg, &u.fields)) &&
                 !(opt == 's' && sim_tool_number(o.arg, &u.chars)) && !(opt == 'w' && sim_tool_number(o.arg, &u.width)))
            return sim_opts_bad(&o);
    }
    if (o.n > 2) {
        sim_errf(p, "uniq: extra operand '%s'\n", o.operands[2]);
        return 1;
    }
    int fd = o.n ? sim_tool_open(p, "uniq", o.operands[0]) : 0;
    if (fd < 0) return 1;
    if (o.n > 1 && strcmp(o.operands[1], "-") != 0) {
        int out = sim_sys_open(p, o.operands[1], SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
        if (out < 0) return sim_tool_fail(p, "uniq", o.operands[1], out);
        sim_sys_dup_to(p, out, 1);
    }
    return uniq_run(&u, fd, o.n ? o.operands[0] : "-");
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

const struct sim_tool sim_tools_uniq[] = {{"uniq", tool_uniq}, {"comm", tool_comm}, {NULL, NULL}};
