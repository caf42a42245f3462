/* expr. */
#include "sim/machine/tools/tools.h"
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct expr {
    struct sim_proc *p;
    char **v;
    int n, at, error;
};

static const char *expr_or(struct expr *x);

static int expr_is(struct expr *x, const char *op) {
    if (x->at >= x->n || strcmp(x->v[x->at], op) != 0) return 0;
    x->at++;
    return 1;
}

static int expr_number(const char *text, int64_t *out) {
    const char *digits = text + (*text == '-');
    if (!*digits || strspn(digits, "0123456789") != strlen(digits)) return 0;
    *out = strtoll(text, NULL, 10);
    return 1;
}

static int expr_truth(const char *text) {
    int64_t n;
    return *text && !(expr_number(text, &n) && n == 0);
}

static void expr_free(void *arg) {
    regfree(arg);
    free(arg);
}

static const char *expr_match(struct expr *x, const char *text, const char *pattern) {
    regex_t *re = calloc(1, sizeof *re);
    if (!re) sim_proc_oom(x->p);
    if (regcomp(re, sim_format(x->p, "^%s", pattern), 0)) {
        free(re);
        x->error = 2;
        return "0";
    }
    sim_at_end(x->p, expr_free, re);
    regmatch_t m[2];
    int hit = regexec(re, text, 2, m, 0) == 0;
    if (re->re_nsub)
        return hit && m[1].rm_so >= 0 ? sim_strndup(x->p, text + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so)) : "";
    return sim_format(x->p, "%d", hit ? (int)m[0].rm_eo : 0);
}

static const char *expr_primary(struct expr *x) {
    if (x->at >= x->n) {
        x->error = 2;
        return "";
    }
    if (expr_is(x, "(")) {
        const char *value = expr_or(x);
        if (!expr_is(x, ")")) x->error = 2;
        return value;
    }
    if (x->n - x->at >= 2 && strcmp(x->v[x->at], "length") == 0) {
        x->at += 2;
        return sim_format(x->p, "%zu", strlen(x->v[x->at - 1]));
    }
    if (x->n - x->at >= 4 && strcmp(x->v[x->at], "substr") == 0) {
        int64_t from, len, have = (int64_t)strlen(x->v[x->at + 1]);
        x->at += 4;
        if (!expr_number(x->v[x->at - 2], &from) || !expr_number(x->v[x->at - 1], &len) || from < 1 || len < 1 ||
            from > have)
            return "";
        if (len > have - from + 1) len = have - from + 1;
        return sim_strndup(x->p, x->v[x->at - 3] + from - 1, (size_t)len);
    }
    if (x->n - x->at >= 3 && strcmp(x->v[x->at], "index") == 0) {
        x->at += 3;
        const char *hit = strpbrk(x->v[x->at - 2], x->v[x->at - 1]);
        return sim_format(x->p, "%d", hit ? (int)(hit - x->v[x->at - 2]) + 1 : 0);
    }
    if (x->n - x->at >= 3 && strcmp(x->v[x->at], "match") == 0) {
        x->at += 3;
        return expr_match(x, x->v[x->at - 2], x->v[x->at - 1]);
    }
    return x->v[x->at++];
}

static const char *expr_colon(struct expr *x) {
    const char *a = expr_primary(x);
    while (!x->error && expr_is(x, ":")) a = expr_match(x, a, expr_primary(x));
    return a;
}

static const char *expr_calculate(struct expr *x, const char *a, char op, const char *b) {
    int64_t n, m;
    if (!expr_number(a, &n) || !expr_number(b, &m)) {
        if (!x->error) sim_errf(x->p, "expr: non-integer argument\n");
        x->error = 2;
        return "";
    }
    if ((op == '/' || op == '%') && m == 0) {
        sim_errf(x->p, "expr: division by zero\n");
        x->error = 2;
        return "";
    }
    uint64_t u = (uint64_t)n, w = (uint64_t)m;
    int64_t r = op == '+'   ? (int64_t)(u + w)
                : op == '-' ? (int64_t)(u - w)
                : op == '*' ? (int64_t)(u * w)
                : m == -1   ? (op == '/' ? (int64_t)(0 - u) : 0)
                : op == '/' ? n / m
                            : n % m;
    return sim_format(x->p, "%lld", (long long)r);
}

static const char *expr_product(struct expr *x) {
    const char *a = expr_colon(x);
    for (;;) {
        char op = expr_is(x, "*") ? '*' : expr_is(x, "/") ? '/' : expr_is(x, "%") ? '%' : 0;
        if (!op || x->error) return a;
        a = expr_calculate(x, a, op, expr_colon(x));
    }
}

static const char *expr_sum(struct expr *x) {
    const char *a = expr_product(x);
    for (;;) {
        char op = expr_is(x, "+") ? '+' : expr_is(x, "-") ? '-' : 0;
        if (!op || x->error) return a;
        a = expr_calculate(x, a, op, expr_product(x));
    }
}

static const char *expr_compare(struct expr *x) {
    static const char *const ops[] = {"<=", ">=", "!=", "==", "=", "<", ">"};
    const char *a = expr_sum(x);
    for (;;) {
        size_t i = 0;
        while (i < 7 && !expr_is(x, ops[i])) i++;
        if (i == 7 || x->error) return a;
        const char *b = expr_sum(x);
        int64_t n, m;
        int order = expr_number(a, &n) && expr_number(b, &m) ? (n < m ? -1 : n > m) : strcmp(a, b);
        int yes = i == 0   ? order <= 0
                  : i == 1 ? order >= 0
                  : i == 2 ? order != 0
                  : i <= 4 ? order == 0
                  : i == 5 ? order < 0
                           : order > 0;
        a = yes ? "1" : "0";
    }
}

static const char *expr_and(struct expr *x) {
    const char *a = expr_compare(x);
    while (!x->error && expr_is(x, "&")) {
        const char *b = expr_compare(x);
        if (!expr_truth(a) || !expr_truth(b)) a = "0";
    }
    return a;
}

static const char *expr_or(struct expr *x) {
    const char *a = expr_and(x);
    while (!x->error && expr_is(x, "|")) {
        const char *b = expr_and(x);
        if (!expr_truth(a)) a = expr_truth(b) ? b : "0";
    }
    return a;
}

static int tool_expr(struct sim_proc *p, int argc, char **argv) {
    struct expr x = {.p = p, .v = argv + 1, .n = argc - 1};
    if (x.n && strcmp(x.v[0], "--") == 0) {
        x.v++;
        x.n--;
    }
    const char *value = expr_or(&x);
    if (x.error || x.at < x.n) {
        sim_errf(p, "expr: syntax error\n");
        return 2;
    }
    sim_outf(p, "%s\n", value);
    return !expr_truth(value);
}

const struct sim_tool sim_tools_expr[] = {{"expr", tool_expr}, {NULL, NULL}};
