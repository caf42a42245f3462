/* Arithmetic of $((...)): C's operators on 64-bit numbers, wrapping. */
#include "sim/machine/sh/sh.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct arith {
    struct sh *sh;
    const char *at;
    const char *all;
    const char *divisor; /* where it begins */
    int depth;
    int off; /* in a branch that is not taken: nothing is assigned, nothing divides */
};

static int64_t arith_assign(struct arith *a);

_Noreturn static void arith_fail(const struct arith *a, const char *what) {
    if (!a->sh->bash) sim_sh_give_up(a->sh, "arithmetic expression: %s: \"%s\"", what, a->all);
    if (strcmp(what, "division by zero") == 0)
        sim_sh_give_up(a->sh, "%s: division by 0 (error token is \"%s\")", a->all, a->divisor);
    sim_sh_give_up(a->sh, "%s: %s (error token is \"%s\")", a->all, what, a->at);
}

static void arith_space(struct arith *a) {
    while (isspace((unsigned char)*a->at)) a->at++;
}

/* Takes an operator, unless a longer one begins with it. */
static int arith_take(struct arith *a, const char *op, const char *not_before) {
    arith_space(a);
    size_t len = strlen(op);
    if (strncmp(a->at, op, len) != 0) return 0;
    if (a->at[len] && strchr(not_before, a->at[len])) return 0;
    a->at += len;
    return 1;
}

static int64_t arith_number(struct arith *a, const char *text, const char **end) {
    int base = 10;
    uint64_t value = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    } else if (text[0] == '0') {
        base = 8;
    }
    int decimal = base == 10;
    uint64_t limit = INT64_MAX;
    for (; isalnum((unsigned char)*text); text++) {
        int c = tolower((unsigned char)*text);
        int digit = isdigit(c) ? c - '0' : c - 'a' + 10;
        if (digit >= base) arith_fail(a, "expecting EOF");
        if (value > (limit - (uint64_t)digit) / (uint64_t)base)
            value = limit; /* as strtoimax */
        else
            value = value * (uint64_t)base + (uint64_t)digit;
    }
    (void)decimal;
    *end = text;
    return (int64_t)value;
}

/* A variable's value is a number, perhaps with a sign. */
static int64_t arith_value(struct arith *a, const char *name) {
    const char *text = sim_sh_get(a->sh, name), *end;
    if (!text) {
        if (a->sh->bash && a->sh->opt_u && !a->off) sim_sh_fatal(a->sh, "%s: unbound variable", name);
        return 0;
    }
    while (isspace((unsigned char)*text)) text++;
    int minus = *text == '-';
    if (*text == '-' || *text == '+') text++;
    if (!*text) return 0;
    if (!isdigit((unsigned char)*text)) {
        if (a->sh->bash && sim_sh_is_name(text, strlen(text)) && !minus && a->depth < SH_ARITH_MAX) {
            a->depth++;
            int64_t value = arith_value(a, text);
            a->depth--;
            return value;
        }
        sim_sh_give_up(a->sh, "Illegal number: %s", text);
    }
    int64_t value = arith_number(a, text, &end);
    while (isspace((unsigned char)*end)) end++;
    if (*end) sim_sh_give_up(a->sh, "Illegal number: %s", text);
    return minus ? (int64_t)(0 - (uint64_t)value) : value;
}

static void arith_set(struct arith *a, const char *name, int64_t value) {
    if (!a->off) sim_sh_set(a->sh, name, sim_number(a->sh->p, value));
}

static int64_t arith_binary(struct arith *a, const char *op, int64_t x, int64_t y) {
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    switch (op[0]) {
    case '+':
        return (int64_t)(ux + uy);
    case '-':
        return (int64_t)(ux - uy);
    case '*':
        return (int64_t)(ux * uy);
    case '/':
    case '%':
        if (y == 0) {
            if (a->off) return 0;
            arith_fail(a, "division by zero");
        }
        if (y == -1 && x == INT64_MIN && !a->sh->bash && !a->off) { /* the processor's trap */
            sim_proc_kill(a->sh->p, SIM_SIGFPE);
            sim_proc_check(a->sh->p);
        }
        if (y == -1) return op[0] == '/' ? (int64_t)(0 - ux) : 0;
        return op[0] == '/' ? x / y : x % y;
    case '<':
        if (op[1] == '<') return (int64_t)(ux << (uy & 63));
        return op[1] == '=' ? x <= y : x < y;
    case '>':
        if (op[1] == '>') return x >> (uy & 63);
        return op[1] == '=' ? x >= y : x > y;
    case '=':
        return x == y;
    case '!':
        return x != y;
    case '&':
        return x & y;
    case '^':
        return x ^ y;
    case '|':
        return x | y;
    default:
        return 0;
    }
}

static const char *arith_name(struct arith *a) {
    arith_space(a);
    size_t len = 0;
    if (isalpha((unsigned char)*a->at) || *a->at == '_')
        while (isalnum((unsigned char)a->at[len]) || a->at[len] == '_') len++;
    return len ? sim_strndup(a->sh->p, a->at, len) : NULL;
}

static int64_t arith_step(struct arith *a, const char *name, int by, int give_old) {
    int64_t old = arith_value(a, name);
    arith_set(a, name, old + by);
    return give_old ? old : old + by;
}

static int64_t arith_primary(struct arith *a) {
    arith_space(a);
    if (isdigit((unsigned char)*a->at)) {
        const char *end;
        int64_t value = arith_number(a, a->at, &end);
        a->at = end;
        return value;
    }
    const char *name = arith_name(a);
    if (name) {
        a->at += strlen(name);
        if (a->sh->bash && arith_take(a, "++", "")) return arith_step(a, name, 1, 1);
        if (a->sh->bash && arith_take(a, "--", "")) return arith_step(a, name, -1, 1);
        return arith_value(a, name);
    }
    if (arith_take(a, "(", "")) {
        int64_t value = arith_assign(a);
        if (!arith_take(a, ")", "")) arith_fail(a, "expecting ')'");
        return value;
    }
    arith_fail(a, a->sh->bash ? "syntax error: operand expected" : "expecting primary");
}

static int64_t arith_unary(struct arith *a) {
    if (++a->depth > SH_ARITH_MAX) arith_fail(a, "too deeply nested");
    int64_t value;
    if (a->sh->bash && (arith_take(a, "++", "") || arith_take(a, "--", ""))) {
        int by = a->at[-1] == '+' ? 1 : -1;
        const char *name = arith_name(a);
        if (!name) arith_fail(a, "expecting a name");
        a->at += strlen(name);
        value = arith_step(a, name, by, 0);
    } else if (arith_take(a, "+", ""))
        value = arith_unary(a);
    else if (arith_take(a, "-", ""))
        value = (int64_t)(0 - (uint64_t)arith_unary(a));
    else if (arith_take(a, "!", "="))
        value = !arith_unary(a);
    else if (arith_take(a, "~", ""))
        value = ~arith_unary(a);
    else
        value = arith_primary(a);
    a->depth--;
    return value;
}

/* Operators that bind alike, and what may not follow for it to be that operator. */
struct arith_level {
    const char *ops[5];
    const char *not_before[5];
};
static const struct arith_level arith_levels[] = {
    {{"|", NULL}, {"|="}},
    {{"^", NULL}, {"="}},
    {{"&", NULL}, {"&="}},
    {{"==", "!=", NULL}, {"", ""}},
    {{"<=", ">=", "<", ">", NULL}, {"", "", "<", ">"}},
    {{"<<", ">>", NULL}, {"=", "="}},
    {{"+", "-", NULL}, {"=", "="}},
    {{"*", "/", "%", NULL}, {"=", "=", "="}},
};
#define ARITH_LEVELS (sizeof arith_levels / sizeof arith_levels[0])

static int64_t arith_climb(struct arith *a, size_t level) {
    if (level == ARITH_LEVELS) return arith_unary(a);
    int64_t value = arith_climb(a, level + 1);
    for (;;) {
        const struct arith_level *l = &arith_levels[level];
        const char *op = NULL;
        for (int i = 0; l->ops[i] && !op; i++)
            if (arith_take(a, l->ops[i], l->not_before[i])) op = l->ops[i];
        if (!op) return value;
        arith_space(a);
        a->divisor = a->at;
        const char *divisor = a->at;
        int64_t other = arith_climb(a, level + 1);
        a->divisor = divisor;
        value = arith_binary(a, op, value, other);
    }
}

static int64_t arith_and(struct arith *a) {
    int64_t value = arith_climb(a, 0);
    while (arith_take(a, "&&", "")) {
        int skip = !value;
        a->off += skip;
        int64_t other = arith_climb(a, 0);
        a->off -= skip;
        value = value && other;
    }
    return value;
}

static int64_t arith_or(struct arith *a) {
    int64_t value = arith_and(a);
    while (arith_take(a, "||", "")) {
        int skip = value != 0;
        a->off += skip;
        int64_t other = arith_and(a);
        a->off -= skip;
        value = value || other;
    }
    return value;
}

static int64_t arith_choice(struct arith *a) {
    int64_t value = arith_or(a);
    if (!arith_take(a, "?", "")) return value;
    a->off += !value;
    int64_t yes = arith_assign(a);
    a->off -= !value;
    if (!arith_take(a, ":", "")) arith_fail(a, "expecting ':'");
    a->off += value != 0;
    int64_t no = arith_assign(a);
    a->off -= value != 0;
    return value ? yes : no;
}

static int64_t arith_assign(struct arith *a) {
    static const char *const ops[] = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="};
    if (++a->depth > SH_ARITH_MAX) arith_fail(a, "too deeply nested");
    const char *start = a->at, *name = arith_name(a);
    int64_t value;
    if (name) {
        a->at += strlen(name);
        for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
            if (!arith_take(a, ops[i], i ? "" : "=")) continue;
            const char *divisor = a->at;
            int64_t old =
                i && a->sh->bash ? arith_value(a, name) : 0; /* bash looks before what follows may change it */
            value = arith_assign(a);
            a->divisor = divisor;
            if (i) value = arith_binary(a, ops[i], a->sh->bash ? old : arith_value(a, name), value);
            arith_set(a, name, value);
            a->depth--;
            return value;
        }
    }
    a->at = start;
    value = arith_choice(a);
    a->depth--;
    return value;
}

int64_t sim_sh_arith(struct sh *sh, const char *text) {
    struct arith a = {.sh = sh, .at = text, .all = text};
    arith_space(&a);
    if (!*a.at) {
        if (!sh->bash) arith_fail(&a, "expecting primary");
        return 0;
    }
    int64_t value = arith_assign(&a);
    while (sh->bash && arith_take(&a, ",", "")) value = arith_assign(&a);
    arith_space(&a);
    if (*a.at) arith_fail(&a, sh->bash ? "syntax error in expression" : "expecting EOF");
    return value;
}
