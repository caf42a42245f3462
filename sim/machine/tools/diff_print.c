/* How diff shows changes: its own way, and the unified one. */
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/diff.h"

static void print_line(struct sim_proc *p, const char *mark, const struct diff_line *line) {
    sim_out_str(p, mark);
    sim_out(p, line->text, line->len);
    sim_out_str(p, line->newline ? "\n" : "\n\\ No newline at end of file\n");
}

static void print_range(struct sim_proc *p, size_t from, size_t count) {
    if (count > 1)
        sim_outf(p, "%zu,%zu", from + 1, from + count);
    else
        sim_outf(p, "%zu", from + count);
}

void sim_diff_print_normal(struct sim_proc *p, const struct diff_file f[2], const struct diff_change *c, size_t n) {
    for (; n && !p->out_error; n--, c++) {
        print_range(p, c->a, c->deleted);
        sim_out_char(p, !c->deleted ? 'a' : !c->inserted ? 'd' : 'c');
        print_range(p, c->b, c->inserted);
        sim_out_char(p, '\n');
        for (size_t i = 0; i < c->deleted; i++) print_line(p, "< ", &f[0].lines[c->a + i]);
        if (c->deleted && c->inserted) sim_out_str(p, "---\n");
        for (size_t i = 0; i < c->inserted; i++) print_line(p, "> ", &f[1].lines[c->b + i]);
    }
}

static void print_title(struct sim_proc *p, const char *mark, const struct diff_file *f) {
    if (f->label) {
        sim_outf(p, "%s %s\n", mark, f->label);
        return;
    }
    sim_outf(p, "%s %s\t%s.%09lld +0000\n", mark, f->name, sim_date_format(p, f->mtime_ns, "%Y-%m-%d %H:%M:%S"),
             (long long)(f->mtime_ns % SIM_SEC));
}

static void print_span(struct sim_proc *p, size_t from, size_t end) {
    if (end == from)
        sim_outf(p, "%zu,0", from);
    else if (end == from + 1)
        sim_outf(p, "%zu", end);
    else
        sim_outf(p, "%zu,%zu", from + 1, end - from);
}

/* One piece: changes with little between them, and lines around. */
static void print_hunk(struct sim_proc *p, const struct diff_file f[2], const struct diff_change *c, size_t n,
                       size_t context) {
    const struct diff_change *last = &c[n - 1];
    size_t before = c->a < context ? c->a : context;
    if (c->b < before) before = c->b;
    size_t a = c->a - before, a_end = last->a + last->deleted, b_end = last->b + last->inserted;
    size_t after = f[0].n - a_end < context ? f[0].n - a_end : context;
    sim_out_str(p, "@@ -");
    print_span(p, a, a_end + after);
    sim_out_str(p, " +");
    print_span(p, c->b - before, b_end + after);
    sim_out_str(p, " @@\n");
    for (; n; n--, c++) {
        for (; a < c->a; a++) print_line(p, " ", &f[0].lines[a]);
        for (; a < c->a + c->deleted; a++) print_line(p, "-", &f[0].lines[a]);
        for (size_t i = 0; i < c->inserted; i++) print_line(p, "+", &f[1].lines[c->b + i]);
    }
    for (; a < a_end + after; a++) print_line(p, " ", &f[0].lines[a]);
}

void sim_diff_print_unified(struct sim_proc *p, const struct diff_file f[2], const struct diff_change *c, size_t n,
                            int64_t context) {
    print_title(p, "---", &f[0]);
    print_title(p, "+++", &f[1]);
    while (n && !p->out_error) {
        size_t k = 1;
        while (k < n && c[k].a - (c[k - 1].a + c[k - 1].deleted) <= 2 * (size_t)context) k++;
        print_hunk(p, f, c, k, (size_t)context);
        c += k;
        n -= k;
    }
}
