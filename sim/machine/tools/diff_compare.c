/* Which lines of two files differ: Myers's way from both ends, halves by halves. */
#include "sim/machine/tools/diff.h"
#include <stdlib.h>
#include <string.h>

#define COMPARE_COST_MIN 4096 /* steps before it is content with a good answer for the best */

/** Lines that have a counterpart somewhere, by their classes. */
struct compare_side {
    int *class_;
    size_t *line; /* where each is in its file */
    ptrdiff_t n;
    char *changed;
};

struct compare {
    struct compare_side side[2];
    ptrdiff_t *forward, *backward; /* how far each diagonal got */
    ptrdiff_t cost_max;
};

struct compare_box {
    ptrdiff_t x0, x1, y0, y1;
};

static void compare_best_forward(const struct compare *c, const struct compare_box *b, ptrdiff_t least, ptrdiff_t most,
                                 ptrdiff_t *x_best, ptrdiff_t *sum_best) {
    *sum_best = -1;
    for (ptrdiff_t d = most; d >= least; d -= 2) {
        ptrdiff_t x = c->forward[d] < b->x1 ? c->forward[d] : b->x1, y = x - d;
        if (b->y1 < y) {
            x = b->y1 + d;
            y = b->y1;
        }
        if (*sum_best < x + y) {
            *sum_best = x + y;
            *x_best = x;
        }
    }
}

static void compare_best_backward(const struct compare *c, const struct compare_box *b, ptrdiff_t least, ptrdiff_t most,
                                  ptrdiff_t *x_best, ptrdiff_t *sum_best) {
    *sum_best = PTRDIFF_MAX;
    for (ptrdiff_t d = most; d >= least; d -= 2) {
        ptrdiff_t x = c->backward[d] > b->x0 ? c->backward[d] : b->x0, y = x - d;
        if (y < b->y0) {
            x = b->y0 + d;
            y = b->y0;
        }
        if (x + y < *sum_best) {
            *sum_best = x + y;
            *x_best = x;
        }
    }
}

/* A point on a shortest way through the box. */
static void compare_middle(const struct compare *c, const struct compare_box *b, ptrdiff_t *x_mid, ptrdiff_t *y_mid) {
    ptrdiff_t *fd = c->forward, *bd = c->backward;
    const int *xs = c->side[0].class_, *ys = c->side[1].class_;
    const ptrdiff_t d_min = b->x0 - b->y1, d_max = b->x1 - b->y0, f_mid = b->x0 - b->y0, b_mid = b->x1 - b->y1;
    ptrdiff_t f_min = f_mid, f_max = f_mid, b_min = b_mid, b_max = b_mid;
    const int odd = ((f_mid - b_mid) & 1) != 0;
    fd[f_mid] = b->x0;
    bd[b_mid] = b->x1;
    for (ptrdiff_t cost = 1;; cost++) {
        if (f_min > d_min)
            fd[--f_min - 1] = -1;
        else
            ++f_min;
        if (f_max < d_max)
            fd[++f_max + 1] = -1;
        else
            --f_max;
        for (ptrdiff_t d = f_max; d >= f_min; d -= 2) {
            ptrdiff_t low = fd[d - 1], high = fd[d + 1], x = low < high ? high : low + 1, y = x - d;
            for (; x < b->x1 && y < b->y1 && xs[x] == ys[y]; x++) y++;
            fd[d] = x;
            if (odd && b_min <= d && d <= b_max && bd[d] <= x) {
                *x_mid = x;
                *y_mid = y;
                return;
            }
        }
        if (b_min > d_min)
            bd[--b_min - 1] = PTRDIFF_MAX;
        else
            ++b_min;
        if (b_max < d_max)
            bd[++b_max + 1] = PTRDIFF_MAX;
        else
            --b_max;
        for (ptrdiff_t d = b_max; d >= b_min; d -= 2) {
            ptrdiff_t low = bd[d - 1], high = bd[d + 1], x = low < high ? low : high - 1, y = x - d;
            for (; b->x0 < x && b->y0 < y && xs[x - 1] == ys[y - 1]; x--) y--;
            bd[d] = x;
            if (!odd && f_min <= d && d <= f_max && x <= fd[d]) {
                *x_mid = x;
                *y_mid = y;
                return;
            }
        }
        if (cost < c->cost_max) continue;
        ptrdiff_t fx = 0, f_sum, bx = 0, b_sum;
        compare_best_forward(c, b, f_min, f_max, &fx, &f_sum);
        compare_best_backward(c, b, b_min, b_max, &bx, &b_sum);
        int ahead = b->x1 + b->y1 - b_sum < f_sum - (b->x0 + b->y0);
        *x_mid = ahead ? fx : bx;
        *y_mid = (ahead ? f_sum : b_sum) - *x_mid;
        return;
    }
}

/* Takes off what is equal at both ends. @return whether something is left to be looked into */
static int compare_trim(struct compare *c, struct compare_box *b) {
    const int *xs = c->side[0].class_, *ys = c->side[1].class_;
    for (; b->x0 < b->x1 && b->y0 < b->y1 && xs[b->x0] == ys[b->y0]; b->x0++) b->y0++;
    for (; b->x0 < b->x1 && b->y0 < b->y1 && xs[b->x1 - 1] == ys[b->y1 - 1]; b->x1--) b->y1--;
    if (b->x0 < b->x1 && b->y0 < b->y1) return 1;
    for (; b->x0 < b->x1; b->x0++) c->side[0].changed[c->side[0].line[b->x0]] = 1;
    for (; b->y0 < b->y1; b->y0++) c->side[1].changed[c->side[1].line[b->y0]] = 1;
    return 0;
}

static void compare_run(struct sim_proc *p, struct compare *c) {
    size_t cap = 64, n = 0;
    struct compare_box *stack = sim_keep(p, cap * sizeof *stack);
    stack[n++] = (struct compare_box){0, c->side[0].n, 0, c->side[1].n};
    while (n) {
        struct compare_box b = stack[--n];
        ptrdiff_t x, y;
        if (!compare_trim(c, &b)) continue;
        sim_proc_step(p);
        compare_middle(c, &b, &x, &y);
        if (n + 2 > cap) {
            struct compare_box *grown = sim_keep(p, cap * 2 * sizeof *grown);
            memcpy(grown, stack, n * sizeof *grown);
            sim_drop(p, stack);
            stack = grown;
            cap *= 2;
        }
        stack[n++] = (struct compare_box){x, b.x1, y, b.y1};
        stack[n++] = (struct compare_box){b.x0, x, b.y0, y};
    }
    sim_drop(p, stack);
}

/* Slides runs of changes so that they join others, or come to stand as late as they can. */
static void compare_shift(const struct diff_file *f, const struct diff_file *other) {
    char *changed = f->changed;
    const char *theirs = other->changed;
    size_t i = 0, j = 0, end = f->n;
    for (;;) {
        size_t length, together, start;
        while (i < end && !changed[i]) {
            while (theirs[j++]) continue;
            i++;
        }
        if (i == end) return;
        start = i;
        while (changed[++i]) continue;
        while (theirs[j]) j++;
        do {
            length = i - start;
            while (start && f->lines[start - 1].class_ == f->lines[i - 1].class_) {
                changed[--start] = 1;
                changed[--i] = 0;
                while (start && changed[start - 1]) start--;
                while (theirs[--j]) continue;
            }
            together = (theirs - 1)[j] ? i : end;
            while (i != end && f->lines[start].class_ == f->lines[i].class_) {
                changed[start++] = 0;
                changed[i++] = 1;
                while (changed[i]) i++;
                while (theirs[++j]) together = i;
            }
        } while (length != i - start);
        while (together < i) {
            changed[--start] = 1;
            changed[--i] = 0;
            while (theirs[--j]) continue;
        }
    }
}

void sim_diff_compare(struct sim_proc *p, struct diff_file f[2]) {
    struct compare c = {.cost_max = 1};
    int most = 0;
    for (int i = 0; i < 2; i++) {
        char *changed = sim_alloc_zero(p, f[i].n + 2);
        f[i].changed = changed + 1;
        for (size_t k = 0; k < f[i].n; k++)
            if (f[i].lines[k].class_ > most) most = f[i].lines[k].class_;
    }
    char *seen[2] = {sim_alloc_zero(p, (size_t)most + 1), sim_alloc_zero(p, (size_t)most + 1)};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < f[i].n; k++) seen[i][f[i].lines[k].class_] = 1;
    for (int i = 0; i < 2; i++) {
        struct compare_side *s = &c.side[i];
        s->class_ = sim_alloc(p, (f[i].n + 1) * sizeof *s->class_);
        s->line = sim_alloc(p, (f[i].n + 1) * sizeof *s->line);
        s->changed = f[i].changed;
        for (size_t k = 0; k < f[i].n; k++) {
            int class_ = f[i].lines[k].class_;
            if (!seen[1 - i][class_]) {
                s->changed[k] = 1; /* the other file has no such line at all */
                continue;
            }
            s->class_[s->n] = class_;
            s->line[s->n++] = k;
        }
    }
    ptrdiff_t diagonals = c.side[0].n + c.side[1].n + 3;
    ptrdiff_t *room = sim_alloc(p, 2 * (size_t)diagonals * sizeof *room);
    c.forward = room + c.side[1].n + 1;
    c.backward = c.forward + diagonals;
    for (ptrdiff_t d = diagonals; d; d >>= 2) c.cost_max <<= 1;
    if (c.cost_max < COMPARE_COST_MIN) c.cost_max = COMPARE_COST_MIN;
    compare_run(p, &c);
    compare_shift(&f[0], &f[1]);
    compare_shift(&f[1], &f[0]);
}

struct diff_change *sim_diff_changes(struct sim_proc *p, const struct diff_file f[2], size_t *n) {
    size_t a = 0, b = 0, cap = 0;
    struct diff_change *changes = NULL;
    *n = 0;
    while (a < f[0].n || b < f[1].n) {
        struct diff_change c = {.a = a, .b = b};
        while (f[0].changed[a]) a++;
        while (f[1].changed[b]) b++;
        c.deleted = a - c.a;
        c.inserted = b - c.b;
        if (!c.deleted && !c.inserted) {
            a++;
            b++;
            continue;
        }
        if (*n == cap) {
            struct diff_change *grown = sim_alloc(p, (cap ? cap * 2 : 64) * sizeof *grown);
            if (cap) memcpy(grown, changes, cap * sizeof *grown);
            changes = grown;
            cap = cap ? cap * 2 : 64;
        }
        changes[(*n)++] = c;
    }
    return changes;
}
