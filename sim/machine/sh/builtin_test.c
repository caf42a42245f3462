/* test and [: expressions about texts, numbers and files. */
#include "sim/machine/sh/sh.h"
#include "sim/machine/tool.h"
#include <stdlib.h>
#include <string.h>

struct test {
    struct sim_proc *p;
    char **v;
    int n, at;
    int error;
    int dash; /* to it a file that is absent is neither older nor newer */
};

static int test_or(struct test *t);

static void test_fail(struct test *t, const char *text, const char *what) {
    if (!t->error) sim_errf(t->p, "test: %s: %s\n", text, what);
    t->error = 1;
}

static const char *test_peek(const struct test *t, int ahead) {
    return t->at + ahead < t->n ? t->v[t->at + ahead] : NULL;
}

static int64_t test_number(struct test *t, const char *text) {
    char *end;
    while (*text == ' ' || *text == '\t' || *text == '\n') text++;
    int64_t value = strtoll(text, &end, 10);
    while (*end == ' ' || *end == '\t' || *end == '\n') end++;
    if (end == text || *end) test_fail(t, text, "Illegal number");
    return value;
}

static int test_is_binary(const char *op) {
    static const char *const ops[] = {"=",   "!=",  "==",  "<",   ">",   "-eq", "-ne",
                                      "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    for (size_t i = 0; op && i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(op, ops[i]) == 0) return 1;
    return 0;
}

static int test_is_unary(const char *op) {
    return op && op[0] == '-' && op[1] && !op[2] && strchr("bcdefghknoprstuwxzGLNOSa", op[1]);
}

/* Two files' ages, or whether they are one. */
static int test_files(struct test *t, const char *a, const char *op, const char *b) {
    struct sim_where x = {0}, y = {0};
    int have_x = !sim_sys_stat(t->p, a, 1, &x), have_y = !sim_sys_stat(t->p, b, 1, &y), yes = 0;
    if (op[1] == 'e')
        yes = have_x && have_y && x.node == y.node;
    else if (t->dash && !(have_x && have_y))
        yes = 0;
    else if (op[1] == 'n')
        yes = have_x && (!have_y || x.node->mtime_ns > y.node->mtime_ns);
    else
        yes = have_y && (!have_x || x.node->mtime_ns < y.node->mtime_ns);
    if (have_x) sim_where_finish(&x);
    if (have_y) sim_where_finish(&y);
    return yes;
}

static int test_binary(struct test *t, const char *a, const char *op, const char *b) {
    if (op[0] == '=' || op[0] == '!') return (strcmp(a, b) == 0) == (op[0] == '=');
    if (op[0] == '<') return strcmp(a, b) < 0;
    if (op[0] == '>') return strcmp(a, b) > 0;
    if (strcmp(op, "-nt") == 0 || strcmp(op, "-ot") == 0 || strcmp(op, "-ef") == 0) return test_files(t, a, op, b);
    int64_t x = test_number(t, a), y = test_number(t, b);
    if (strcmp(op, "-eq") == 0) return x == y;
    if (strcmp(op, "-ne") == 0) return x != y;
    if (strcmp(op, "-lt") == 0) return x < y;
    if (strcmp(op, "-le") == 0) return x <= y;
    return strcmp(op, "-gt") == 0 ? x > y : x >= y;
}

static int test_unary(struct test *t, char op, const char *arg) {
    struct sim_where at;
    if (op == 'n') return *arg != '\0';
    if (op == 'z') return *arg == '\0';
    if (op == 't') return 0; /* nobody is at a terminal */
    if (op == 'o') return 0;
    if (sim_sys_stat(t->p, arg, op != 'h' && op != 'L', &at)) return 0;
    const struct sim_fs_node *node = at.node;
    int yes = 0;
    switch (op) {
    case 'e':
    case 'a':
        yes = 1;
        break;
    case 'f':
        yes = node->type == 'f';
        break;
    case 'd':
        yes = node->type == 'd';
        break;
    case 'h':
    case 'L':
        yes = node->type == 'l';
        break;
    case 'p':
        yes = node->type == 'p';
        break;
    case 'c':
        yes = node->type == 'c';
        break;
    case 's':
        yes = node->type == 'd' || node->size > 0;
        break;
    case 'r':
        yes = sim_may(t->p->m, node, 4);
        break;
    case 'w':
        yes = sim_may(t->p->m, node, 2);
        break;
    case 'x':
        yes = sim_may(t->p->m, node, 1);
        break;
    case 'u':
        yes = (node->mode & 04000) != 0;
        break;
    case 'g':
        yes = (node->mode & 02000) != 0;
        break;
    case 'k':
        yes = (node->mode & 01000) != 0;
        break;
    case 'O':
    case 'G':
        yes = node->uid == t->p->m->uid;
        break;
    case 'N':
        yes = node->mtime_ns > node->atime_ns;
        break;
    default:
        break;
    }
    sim_where_finish(&at);
    return yes;
}

static int test_primary(struct test *t) {
    const char *a = test_peek(t, 0);
    if (!a) {
        test_fail(t, t->n ? t->v[t->n - 1] : "", "argument expected");
        return 0;
    }
    if (test_is_binary(test_peek(t, 1)) && test_peek(t, 2)) {
        t->at += 3;
        return test_binary(t, a, t->v[t->at - 2], t->v[t->at - 1]);
    }
    if (strcmp(a, "!") == 0 && test_peek(t, 1)) {
        t->at++;
        return !test_primary(t);
    }
    if (strcmp(a, "(") == 0 && test_peek(t, 1)) {
        t->at++;
        int yes = test_or(t);
        if (!test_peek(t, 0) || strcmp(test_peek(t, 0), ")") != 0) test_fail(t, "(", "closing paren expected");
        t->at++;
        return yes;
    }
    if (test_is_unary(a) && test_peek(t, 1)) {
        t->at += 2;
        return test_unary(t, a[1], t->v[t->at - 1]);
    }
    t->at++;
    return *a != '\0';
}

static int test_and(struct test *t) {
    int yes = test_primary(t);
    while (test_peek(t, 0) && strcmp(test_peek(t, 0), "-a") == 0 && !t->error) {
        t->at++;
        yes = test_primary(t) && yes;
    }
    return yes;
}

static int test_or(struct test *t) {
    int yes = test_and(t);
    while (test_peek(t, 0) && strcmp(test_peek(t, 0), "-o") == 0 && !t->error) {
        t->at++;
        yes = test_and(t) || yes;
    }
    return yes;
}

/* The cases that the standard decides by the number of arguments alone. @return -1 where it does not */
static int test_by_count(struct test *t) {
    char **v = t->v;
    switch (t->n) {
    case 0:
        return 0;
    case 1:
        return *v[0] != '\0';
    case 2:
        if (strcmp(v[0], "!") == 0) return *v[1] == '\0';
        return test_is_unary(v[0]) ? test_unary(t, v[0][1], v[1]) : -1;
    case 3:
        if (test_is_binary(v[1])) return test_binary(t, v[0], v[1], v[2]);
        if (strcmp(v[0], "(") == 0 && strcmp(v[2], ")") == 0) return *v[1] != '\0';
        return -1;
    default:
        return -1;
    }
}

int sim_test_as(struct sim_proc *p, int argc, char **argv, int dash) {
    struct test t = {.p = p, .v = argv + 1, .n = argc - 1, .dash = dash};
    if (strcmp(sim_base_name(argv[0]), "[") == 0) {
        if (argc < 2 || strcmp(argv[argc - 1], "]") != 0) {
            sim_errf(p, "[: missing ]\n");
            return 2;
        }
        t.n--;
    }
    int yes = test_by_count(&t);
    if (yes < 0) {
        yes = test_or(&t);
        if (!t.error && t.at < t.n) test_fail(&t, t.v[t.at], "unexpected operator");
    }
    return t.error ? 2 : !yes;
}

int sim_test(struct sim_proc *p, int argc, char **argv) {
    return sim_test_as(p, argc, argv, 0);
}
