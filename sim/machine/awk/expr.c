/* awk's expressions, by precedence. */
#include "sim/machine/awk/awk.h"
#include <string.h>

#define EXPR_LEVELS  12   /* of nesting on one stack */
#define EXPR_NESTING 1000 /* of nesting at all */

static struct awk_node *expr_unary(struct awk_parser *ps);
static struct awk_node *expr_ternary(struct awk_parser *ps);

struct awk_node *sim_awk_node(struct awk_parser *ps, enum awk_op op, struct awk_node *left, struct awk_node *right) {
    struct awk_node *n = sim_alloc_zero(ps->p, sizeof *n);
    n->op = op;
    n->line = ps->lx.line;
    n->a = left;
    n->b = right;
    return n;
}

static struct awk_node *expr_text(struct awk_parser *ps, const char *text, size_t len) {
    struct awk_node *n = sim_awk_node(ps, AWK_CONSTANT, NULL, NULL);
    sim_awk_set_text(ps->a, &n->value, text, len, 0);
    return n;
}

static struct awk_node *expr_regex(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_node(ps, AWK_REGEX, NULL, NULL);
    const char *why;
    int unsupported;
    if (!sim_awk_lex_regex(&ps->lx)) sim_awk_syntax(ps);
    n->regex = sim_awk_regex_new(ps->a, ps->lx.text, ps->lx.len, &why, &unsupported);
    if (!n->regex && unsupported) sim_proc_exit(ps->p, sim_unsupported(ps->p, "awk's /%s/: %s", ps->lx.text, why));
    if (!n->regex) sim_awk_fail(ps->a, "regular expression compile failed (%s): %s", why, ps->lx.text);
    sim_awk_lex(&ps->lx);
    return n;
}

/* A list up to its closing parenthesis. */
static struct awk_node *expr_list(struct awk_parser *ps, int *count) {
    struct awk_node *first = NULL, **link = &first;
    int no_in = ps->no_in, no_greater = ps->no_greater;
    ps->no_in = ps->no_greater = 0;
    *count = 0;
    sim_awk_skip_newlines(ps);
    while (!sim_awk_is(ps, ")")) {
        *link = expr_ternary(ps);
        link = &(*link)->next;
        ++*count;
        sim_awk_skip_newlines(ps);
        if (!sim_awk_take(ps, ",")) break;
        sim_awk_skip_newlines(ps);
    }
    ps->no_in = no_in;
    ps->no_greater = no_greater;
    sim_awk_need(ps, ")");
    return first;
}

static struct awk_node *expr_variable(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_node(ps, AWK_GLOBAL, NULL, NULL);
    for (int i = 0; i < ps->parameter_count; i++)
        if (strcmp(ps->parameters[i], ps->lx.text) == 0) {
            n->op = AWK_LOCAL;
            n->number = i;
        }
    if (n->op == AWK_GLOBAL) n->number = sim_awk_global_find(ps->a, ps->lx.text, 1);
    sim_awk_lex(&ps->lx);
    if (!sim_awk_take(ps, "[")) return n;
    struct awk_node *key = NULL, **link = &key;
    int count = 0, no_in = ps->no_in, no_greater = ps->no_greater;
    ps->no_in = ps->no_greater = 0;
    do {
        *link = expr_ternary(ps);
        link = &(*link)->next;
        count++;
    } while (sim_awk_take(ps, ","));
    ps->no_in = no_in;
    ps->no_greater = no_greater;
    sim_awk_need(ps, "]");
    if (count > 1) key = sim_awk_node(ps, AWK_GROUP, key, NULL);
    return sim_awk_node(ps, AWK_INDEX, n, key);
}

static struct awk_node *expr_call(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_node(ps, AWK_CALL, NULL, NULL);
    n->number = sim_awk_function_find(ps->a, ps->p, ps->lx.text, ps->lx.len);
    sim_awk_lex(&ps->lx);
    sim_awk_need(ps, "(");
    int count;
    n->a = expr_list(ps, &count);
    return n;
}

static struct awk_node *expr_builtin(struct awk_parser *ps) {
    static const signed char least[] = {
        [AWK_ATAN2] = 2,    [AWK_CLOSE] = 1,   [AWK_COS] = 1,    [AWK_EXP] = 1, [AWK_GSUB] = 2,
        [AWK_INDEX_OF] = 2, [AWK_INT] = 1,     [AWK_LOG] = 1,    [AWK_SIN] = 1, [AWK_MATCH_FUNCTION] = 2,
        [AWK_SPLIT] = 2,    [AWK_SPRINTF] = 1, [AWK_SQRT] = 1,   [AWK_SUB] = 2, [AWK_SUBSTR] = 2,
        [AWK_SYSTEM] = 1,   [AWK_TOLOWER] = 1, [AWK_TOUPPER] = 1};
    static const signed char most[] = {
        [AWK_ATAN2] = 2,          [AWK_CLOSE] = 1,    [AWK_COS] = 1, [AWK_EXP] = 1,    [AWK_FFLUSH] = 1,
        [AWK_GSUB] = 3,           [AWK_INDEX_OF] = 2, [AWK_INT] = 1, [AWK_LENGTH] = 1, [AWK_LOG] = 1,
        [AWK_MATCH_FUNCTION] = 2, [AWK_RAND] = 0,     [AWK_SIN] = 1, [AWK_SPLIT] = 3,  [AWK_SPRINTF] = 127,
        [AWK_SQRT] = 1,           [AWK_SRAND] = 1,    [AWK_SUB] = 3, [AWK_SUBSTR] = 3, [AWK_SYSTEM] = 1,
        [AWK_TOLOWER] = 1,        [AWK_TOUPPER] = 1};
    struct awk_node *n = sim_awk_node(ps, AWK_BUILTIN, NULL, NULL);
    int count = 0;
    n->number = ps->lx.which;
    sim_awk_lex(&ps->lx);
    if (sim_awk_take(ps, "("))
        n->a = expr_list(ps, &count);
    else if (n->number != AWK_LENGTH)
        sim_awk_syntax(ps);
    int fewest = (size_t)n->number < sizeof least ? least[n->number] : 0;
    if (count < fewest || count > most[n->number]) sim_awk_syntax(ps);
    return n;
}

static int expr_is_target(const struct awk_node *n) {
    return n->op == AWK_GLOBAL || n->op == AWK_LOCAL || n->op == AWK_INDEX || n->op == AWK_FIELD;
}

static struct awk_node *expr_paren(struct awk_parser *ps) {
    int count;
    sim_awk_lex(&ps->lx);
    struct awk_node *list = expr_list(ps, &count);
    if (!count) sim_awk_syntax(ps);
    struct awk_node *n = sim_awk_node(ps, AWK_GROUP, list, NULL);
    n->number = count;
    return n;
}

static struct awk_node *expr_primary(struct awk_parser *ps) {
    struct awk_lexer *lx = &ps->lx;
    struct awk_node *n;
    switch ((int)lx->token) {
    case AWK_T_NUMBER:
        n = sim_awk_node(ps, AWK_CONSTANT, NULL, NULL);
        sim_awk_set_number(ps->a, &n->value, lx->number);
        sim_awk_lex(lx);
        return n;
    case AWK_T_STRING:
        n = expr_text(ps, lx->text, lx->len);
        sim_awk_lex(lx);
        return n;
    case AWK_T_NAME:
        return expr_variable(ps);
    case AWK_T_CALL:
        return expr_call(ps);
    case AWK_T_BUILTIN:
        return expr_builtin(ps);
    default:
        break;
    }
    if (sim_awk_is(ps, "(")) return expr_paren(ps);
    if (sim_awk_is(ps, "/") || sim_awk_is(ps, "/=")) return expr_regex(ps);
    if (sim_awk_take(ps, "$")) {
        if (sim_awk_is(ps, "++") || sim_awk_is(ps, "--") || sim_awk_is(ps, "-") || sim_awk_is(ps, "+"))
            return sim_awk_node(ps, AWK_FIELD, expr_unary(ps), NULL);
        return sim_awk_node(ps, AWK_FIELD, expr_primary(ps), NULL);
    }
    sim_awk_syntax(ps);
}

static int expr_starts_target(const struct awk_parser *ps) {
    return ps->lx.token == AWK_T_NAME || sim_awk_is(ps, "$");
}

/* getline, its variable and where it reads from if that is a file. */
static struct awk_node *expr_getline(struct awk_parser *ps, struct awk_node *command) {
    struct awk_node *n = sim_awk_node(ps, AWK_GETLINE, command, NULL);
    n->number = command ? AWK_PIPE : AWK_MAIN;
    sim_awk_lex(&ps->lx);
    if (expr_starts_target(ps)) n->b = expr_primary(ps);
    if (!command && sim_awk_take(ps, "<")) {
        n->number = AWK_FILE;
        n->a = expr_primary(ps);
    }
    return n;
}

static struct awk_node *expr_postfix(struct awk_parser *ps) {
    if (sim_awk_is_keyword(ps, AWK_K_GETLINE)) return expr_getline(ps, NULL);
    struct awk_node *n = expr_primary(ps);
    if (!expr_is_target(n) || (!sim_awk_is(ps, "++") && !sim_awk_is(ps, "--"))) return n;
    struct awk_node *after = sim_awk_node(ps, AWK_AFTER, n, NULL);
    after->number = ps->lx.op[0] == '+' ? 1 : -1;
    sim_awk_lex(&ps->lx);
    return after;
}

static struct awk_node *expr_prefix(struct awk_parser *ps) {
    if (!sim_awk_is(ps, "++") && !sim_awk_is(ps, "--")) return expr_postfix(ps);
    int step = ps->lx.op[0] == '+' ? 1 : -1;
    sim_awk_lex(&ps->lx);
    struct awk_node *n = sim_awk_node(ps, AWK_BEFORE, expr_primary(ps), NULL);
    if (!expr_is_target(n->a)) sim_awk_syntax(ps);
    n->number = step;
    return n;
}

static struct awk_node *expr_power(struct awk_parser *ps) {
    struct awk_node *n = expr_prefix(ps);
    if (!sim_awk_take(ps, "^")) return n;
    return sim_awk_node(ps, AWK_POWER, n, expr_unary(ps)); /* binds to the right, and over a sign there */
}

struct expr_deeper {
    struct awk_parser *ps;
    struct awk_node *(*read)(struct awk_parser *ps);
    struct awk_node *result;
};

static int expr_deeper_main(struct sim_proc *p, void *arg) {
    struct expr_deeper *d = arg;
    (void)p;
    d->result = d->read(d->ps);
    return 0;
}

static struct awk_node *expr_unary_here(struct awk_parser *ps) {
    enum awk_op op = sim_awk_is(ps, "!")   ? AWK_NOT
                     : sim_awk_is(ps, "-") ? AWK_NEGATE
                     : sim_awk_is(ps, "+") ? AWK_PLUS
                                           : AWK_CALL;
    if (op == AWK_CALL) return expr_power(ps);
    sim_awk_lex(&ps->lx);
    return sim_awk_node(ps, op, expr_unary(ps), NULL);
}

/* Everything that nests comes by here. */
static struct awk_node *expr_unary(struct awk_parser *ps) {
    struct expr_deeper d = {ps, expr_unary_here, NULL};
    if (++ps->depth > EXPR_NESTING) sim_proc_exit(ps->p, sim_unsupported(ps->p, "awk: an expression so deep"));
    if (++ps->levels > EXPR_LEVELS) {
        int levels = ps->levels;
        ps->levels = 0;
        sim_proc_deeper(ps->p, expr_deeper_main, &d);
        ps->levels = levels;
    } else {
        d.result = expr_unary_here(ps);
    }
    ps->levels--;
    ps->depth--;
    return d.result;
}

static struct awk_node *expr_product(struct awk_parser *ps) {
    struct awk_node *n = expr_unary(ps);
    for (;;) {
        enum awk_op op = sim_awk_is(ps, "*")   ? AWK_MULTIPLY
                         : sim_awk_is(ps, "/") ? AWK_DIVIDE
                         : sim_awk_is(ps, "%") ? AWK_MODULO
                                               : AWK_CALL;
        if (op == AWK_CALL) return n;
        sim_awk_lex(&ps->lx);
        n = sim_awk_node(ps, op, n, expr_unary(ps));
    }
}

static struct awk_node *expr_sum(struct awk_parser *ps) {
    struct awk_node *n = expr_product(ps);
    for (;;) {
        enum awk_op op = sim_awk_is(ps, "+") ? AWK_ADD : sim_awk_is(ps, "-") ? AWK_SUBTRACT : AWK_CALL;
        if (op == AWK_CALL) return n;
        sim_awk_lex(&ps->lx);
        n = sim_awk_node(ps, op, n, expr_product(ps));
    }
}

/* Can an operand of a concatenation begin here? A sign cannot: it would have been taken as a sum's. */
static int expr_starts_operand(const struct awk_parser *ps) {
    switch ((int)ps->lx.token) {
    case AWK_T_NUMBER:
    case AWK_T_STRING:
    case AWK_T_NAME:
    case AWK_T_CALL:
    case AWK_T_BUILTIN:
        return 1;
    default:
        return sim_awk_is(ps, "$") || sim_awk_is(ps, "!") || sim_awk_is(ps, "(") || sim_awk_is(ps, "++") ||
               sim_awk_is(ps, "--");
    }
}

struct awk_node *sim_awk_parse_concat(struct awk_parser *ps) {
    struct awk_node *n = expr_sum(ps);
    while (expr_starts_operand(ps)) n = sim_awk_node(ps, AWK_CONCAT, n, expr_sum(ps));
    return n;
}

static struct awk_node *expr_piped(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_parse_concat(ps);
    while (sim_awk_is(ps, "|")) {
        struct awk_lexer before = ps->lx;
        sim_awk_lex(&ps->lx);
        if (!sim_awk_is_keyword(ps, AWK_K_GETLINE)) { /* print's */
            ps->lx = before;
            break;
        }
        n = expr_getline(ps, n);
    }
    return n;
}

static struct awk_node *expr_comparison(struct awk_parser *ps) {
    static const struct {
        const char *text;
        enum awk_op op;
    } ops[] = {{"<", AWK_LESS},       {"<=", AWK_LESS_EQUAL},    {"==", AWK_EQUAL},
               {"!=", AWK_NOT_EQUAL}, {">=", AWK_GREATER_EQUAL}, {">", AWK_GREATER}};
    struct awk_node *n = expr_piped(ps);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (!sim_awk_is(ps, ops[i].text) || (ops[i].op == AWK_GREATER && ps->no_greater)) continue;
        sim_awk_lex(&ps->lx);
        return sim_awk_node(ps, ops[i].op, n, expr_piped(ps));
    }
    return n;
}

static struct awk_node *expr_match(struct awk_parser *ps) {
    struct awk_node *n = expr_comparison(ps);
    while (sim_awk_is(ps, "~") || sim_awk_is(ps, "!~")) {
        int negate = ps->lx.op[0] == '!';
        sim_awk_lex(&ps->lx);
        n = sim_awk_node(ps, AWK_MATCH, n, expr_comparison(ps));
        n->negate = negate;
    }
    return n;
}

static struct awk_node *expr_in(struct awk_parser *ps) {
    struct awk_node *n = expr_match(ps);
    while (sim_awk_is_keyword(ps, AWK_K_IN) && !ps->no_in) {
        sim_awk_lex(&ps->lx);
        if (ps->lx.token != AWK_T_NAME) sim_awk_syntax(ps);
        n = sim_awk_node(ps, AWK_IN, n, expr_variable(ps));
        if (n->b->op != AWK_GLOBAL && n->b->op != AWK_LOCAL) sim_awk_syntax(ps);
    }
    return n;
}

static struct awk_node *expr_and(struct awk_parser *ps) {
    struct awk_node *n = expr_in(ps);
    while (sim_awk_take(ps, "&&")) {
        sim_awk_skip_newlines(ps);
        n = sim_awk_node(ps, AWK_AND, n, expr_in(ps));
    }
    return n;
}

static struct awk_node *expr_or(struct awk_parser *ps) {
    struct awk_node *n = expr_and(ps);
    while (sim_awk_take(ps, "||")) {
        sim_awk_skip_newlines(ps);
        n = sim_awk_node(ps, AWK_OR, n, expr_and(ps));
    }
    return n;
}

static enum awk_op expr_assigns(const struct awk_parser *ps) {
    static const struct {
        const char *text;
        enum awk_op op;
    } ops[] = {{"=", AWK_ASSIGN},  {"+=", AWK_ADD},    {"-=", AWK_SUBTRACT}, {"*=", AWK_MULTIPLY},
               {"/=", AWK_DIVIDE}, {"%=", AWK_MODULO}, {"^=", AWK_POWER}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (sim_awk_is(ps, ops[i].text)) return ops[i].op;
    return AWK_CALL;
}

/* The target of an assignment is what was read last: in `a && b = 1` it is b. */
static struct awk_node **expr_target(struct awk_node **n) {
    while (*n) {
        switch ((int)(*n)->op) {
        case AWK_GLOBAL:
        case AWK_LOCAL:
        case AWK_INDEX:
        case AWK_FIELD:
            return n;
        case AWK_OR:
        case AWK_AND:
        case AWK_MATCH:
        case AWK_LESS:
        case AWK_LESS_EQUAL:
        case AWK_EQUAL:
        case AWK_NOT_EQUAL:
        case AWK_GREATER:
        case AWK_GREATER_EQUAL:
        case AWK_CONCAT:
        case AWK_ADD:
        case AWK_SUBTRACT:
        case AWK_MULTIPLY:
        case AWK_DIVIDE:
        case AWK_MODULO:
            n = &(*n)->b;
            break;
        case AWK_NOT:
        case AWK_NEGATE:
        case AWK_PLUS:
            n = &(*n)->a;
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

static struct awk_node *expr_ternary(struct awk_parser *ps) {
    struct awk_node *n = expr_or(ps);
    enum awk_op op = expr_assigns(ps);
    if (op != AWK_CALL) {
        struct awk_node **target = expr_target(&n);
        if (!target) sim_awk_syntax(ps);
        sim_awk_lex(&ps->lx);
        sim_awk_skip_newlines(ps);
        struct awk_node *value = expr_ternary(ps);
        *target = sim_awk_node(ps, AWK_ASSIGN, *target, value);
        (*target)->number = (int)op;
        return n;
    }
    if (!sim_awk_take(ps, "?")) return n;
    sim_awk_skip_newlines(ps);
    n = sim_awk_node(ps, AWK_CONDITION, n, expr_ternary(ps));
    sim_awk_skip_newlines(ps);
    sim_awk_need(ps, ":");
    sim_awk_skip_newlines(ps);
    n->c = expr_ternary(ps);
    return n;
}

struct awk_node *sim_awk_parse_expression(struct awk_parser *ps) {
    return expr_ternary(ps);
}
