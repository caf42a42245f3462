/* awk's programs: rules, functions, statements. */
#include "sim/machine/awk/awk.h"
#include <string.h>

#define PARSE_LEVELS 30

static struct awk_node *parse_statement(struct awk_parser *ps);

/* ---- tokens ---- */

_Noreturn void sim_awk_syntax(struct awk_parser *ps) {
    const char *near = ps->lx.token == AWK_T_END ? "the end"
                       : ps->lx.token == AWK_T_NEWLINE
                           ? "the end of a line"
                           : sim_strndup(ps->p, ps->lx.start, (size_t)(ps->lx.at - ps->lx.start));
    sim_errf(ps->p, "awk: line %d: syntax error at or near %s\n", ps->lx.line - (ps->lx.token == AWK_T_NEWLINE), near);
    sim_proc_exit(ps->p, 2);
}

int sim_awk_is(const struct awk_parser *ps, const char *op) {
    return ps->lx.token == AWK_T_OPERATOR && strcmp(ps->lx.op, op) == 0;
}

int sim_awk_take(struct awk_parser *ps, const char *op) {
    if (!sim_awk_is(ps, op)) return 0;
    sim_awk_lex(&ps->lx);
    return 1;
}

void sim_awk_need(struct awk_parser *ps, const char *op) {
    if (!sim_awk_take(ps, op)) sim_awk_syntax(ps);
}

int sim_awk_is_keyword(const struct awk_parser *ps, enum awk_keyword k) {
    return ps->lx.token == AWK_T_KEYWORD && ps->lx.which == (int)k;
}

static int parse_keyword(struct awk_parser *ps, enum awk_keyword k) {
    if (!sim_awk_is_keyword(ps, k)) return 0;
    sim_awk_lex(&ps->lx);
    return 1;
}

void sim_awk_skip_newlines(struct awk_parser *ps) {
    while (ps->lx.token == AWK_T_NEWLINE) sim_awk_lex(&ps->lx);
}

static void parse_skip_ends(struct awk_parser *ps) {
    while (ps->lx.token == AWK_T_NEWLINE || sim_awk_is(ps, ";")) sim_awk_lex(&ps->lx);
}

/* ---- names ---- */

int sim_awk_global_find(struct awk *a, const char *name, int make) {
    for (size_t i = 0; i < a->name_count; i++)
        if (strcmp(a->names[i], name) == 0) return (int)i;
    if (!make) return -1;
    if (a->name_count == a->name_cap) {
        a->name_cap = a->name_cap ? a->name_cap * 2 : 64;
        char **names = sim_alloc(a->p, a->name_cap * sizeof *names);
        if (a->name_count) memcpy(names, a->names, a->name_count * sizeof *names);
        a->names = names;
    }
    a->names[a->name_count] = sim_strdup(a->p, name);
    return (int)a->name_count++;
}

int sim_awk_function_find(struct awk *a, struct sim_proc *p, const char *name, size_t len) {
    for (size_t i = 0; i < a->function_count; i++)
        if (strcmp(a->functions[i].name.s, name) == 0) return (int)i;
    if (a->function_count == a->function_cap) {
        a->function_cap = a->function_cap ? a->function_cap * 2 : 16;
        struct awk_function *functions = sim_alloc_zero(p, a->function_cap * sizeof *functions);
        if (a->function_count) memcpy(functions, a->functions, a->function_count * sizeof *functions);
        a->functions = functions;
    }
    struct awk_function *f = &a->functions[a->function_count];
    memset(f, 0, sizeof *f);
    f->name.p = p;
    sim_text_add(&f->name, name, len);
    return (int)a->function_count++;
}

/* ---- statements ---- */

/* A statement that stands alone ends with ; or a newline, or before a }. */
static void parse_end(struct awk_parser *ps) {
    if (sim_awk_is(ps, "}") || ps->lx.token == AWK_T_END) return;
    if (ps->lx.token != AWK_T_NEWLINE && !sim_awk_is(ps, ";")) sim_awk_syntax(ps);
    sim_awk_lex(&ps->lx);
}

static struct awk_node *parse_print(struct awk_parser *ps, enum awk_op op) {
    struct awk_node *n = sim_awk_node(ps, op, NULL, NULL), **link = &n->a;
    ps->no_greater = 1;
    while (ps->lx.token != AWK_T_NEWLINE && ps->lx.token != AWK_T_END && !sim_awk_is(ps, ";") && !sim_awk_is(ps, "}") &&
           !sim_awk_is(ps, ">") && !sim_awk_is(ps, ">>") && !sim_awk_is(ps, "|")) {
        *link = sim_awk_parse_expression(ps);
        link = &(*link)->next;
        if (!sim_awk_take(ps, ",")) break;
        sim_awk_skip_newlines(ps);
    }
    ps->no_greater = 0;
    if (n->a && n->a->op == AWK_GROUP && !n->a->next && n->a->number > 0) n->a = n->a->a; /* print (a, b) */
    if (op == AWK_PRINTF && !n->a) sim_awk_syntax(ps);
    n->number = sim_awk_is(ps, ">")    ? AWK_FILE
                : sim_awk_is(ps, ">>") ? AWK_APPEND
                : sim_awk_is(ps, "|")  ? AWK_PIPE
                                       : AWK_MAIN;
    if (n->number == AWK_MAIN) return n;
    sim_awk_lex(&ps->lx);
    n->b = sim_awk_parse_concat(ps);
    return n;
}

static struct awk_node *parse_delete(struct awk_parser *ps) {
    if (ps->lx.token != AWK_T_NAME) sim_awk_syntax(ps);
    struct awk_node *n = sim_awk_node(ps, AWK_DELETE, NULL, NULL);
    n->a = sim_awk_parse_expression(ps);
    if (n->a->op != AWK_INDEX && n->a->op != AWK_GLOBAL && n->a->op != AWK_LOCAL) sim_awk_syntax(ps);
    return n;
}

/* What may stand between the semicolons of a for, too. */
static struct awk_node *parse_simple(struct awk_parser *ps) {
    if (parse_keyword(ps, AWK_K_PRINT)) return parse_print(ps, AWK_PRINT);
    if (parse_keyword(ps, AWK_K_PRINTF)) return parse_print(ps, AWK_PRINTF);
    if (parse_keyword(ps, AWK_K_DELETE)) return parse_delete(ps);
    struct awk_node *value = sim_awk_parse_expression(ps);
    if (value->op == AWK_GROUP && value->number > 1) sim_awk_syntax(ps);
    return sim_awk_node(ps, AWK_EXPRESSION, value, NULL);
}

static struct awk_node *parse_condition(struct awk_parser *ps) {
    sim_awk_need(ps, "(");
    struct awk_node *n = sim_awk_parse_expression(ps);
    sim_awk_need(ps, ")");
    return n;
}

static struct awk_node *parse_body(struct awk_parser *ps) {
    sim_awk_skip_newlines(ps);
    if (sim_awk_take(ps, ";")) return sim_awk_node(ps, AWK_BLOCK, NULL, NULL);
    return parse_statement(ps);
}

static struct awk_node *parse_loop_body(struct awk_parser *ps) {
    ps->loops++;
    struct awk_node *n = parse_body(ps);
    ps->loops--;
    return n;
}

static struct awk_node *parse_if(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_node(ps, AWK_IF, parse_condition(ps), NULL);
    n->b = parse_body(ps);
    struct awk_lexer before = ps->lx;
    parse_skip_ends(ps);
    if (parse_keyword(ps, AWK_K_ELSE))
        n->c = parse_body(ps);
    else
        ps->lx = before;
    return n;
}

static struct awk_node *parse_for_in(struct awk_parser *ps, struct awk_node *name) {
    struct awk_node *n = sim_awk_node(ps, AWK_FOR_IN, name, NULL);
    sim_awk_lex(&ps->lx);
    if (ps->lx.token != AWK_T_NAME) sim_awk_syntax(ps);
    n->b = sim_awk_parse_expression(ps);
    if (n->b->op != AWK_GLOBAL && n->b->op != AWK_LOCAL) sim_awk_syntax(ps);
    sim_awk_need(ps, ")");
    n->c = parse_loop_body(ps);
    return n;
}

static struct awk_node *parse_for(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_node(ps, AWK_FOR, NULL, NULL);
    sim_awk_need(ps, "(");
    if (!sim_awk_is(ps, ";")) {
        ps->no_in = ps->lx.token == AWK_T_NAME;
        n->a = parse_simple(ps);
        ps->no_in = 0;
        if (sim_awk_is_keyword(ps, AWK_K_IN) && n->a->op == AWK_EXPRESSION &&
            (n->a->a->op == AWK_GLOBAL || n->a->a->op == AWK_LOCAL))
            return parse_for_in(ps, n->a->a);
    }
    sim_awk_need(ps, ";");
    sim_awk_skip_newlines(ps);
    if (!sim_awk_is(ps, ";")) n->b = sim_awk_parse_expression(ps);
    sim_awk_need(ps, ";");
    sim_awk_skip_newlines(ps);
    if (!sim_awk_is(ps, ")")) n->c = parse_simple(ps);
    sim_awk_need(ps, ")");
    n->d = parse_loop_body(ps);
    return n;
}

static struct awk_node *parse_do(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_node(ps, AWK_DO, NULL, NULL);
    n->b = parse_loop_body(ps);
    parse_skip_ends(ps);
    if (!parse_keyword(ps, AWK_K_WHILE)) sim_awk_syntax(ps);
    n->a = parse_condition(ps);
    parse_end(ps);
    return n;
}

static struct awk_node *parse_block(struct awk_parser *ps) {
    struct awk_node *n = sim_awk_node(ps, AWK_BLOCK, NULL, NULL), **link = &n->a;
    sim_awk_need(ps, "{");
    parse_skip_ends(ps);
    while (!sim_awk_is(ps, "}")) {
        *link = parse_statement(ps);
        link = &(*link)->next;
        parse_skip_ends(ps);
    }
    sim_awk_lex(&ps->lx);
    return n;
}

/* next, exit and their like. NULL where it is none of them. */
static struct awk_node *parse_leave(struct awk_parser *ps) {
    static const struct {
        enum awk_keyword keyword;
        enum awk_op op;
    } leaves[] = {{AWK_K_BREAK, AWK_BREAK},        {AWK_K_CONTINUE, AWK_CONTINUE}, {AWK_K_NEXT, AWK_NEXT},
                  {AWK_K_NEXTFILE, AWK_NEXT_FILE}, {AWK_K_EXIT, AWK_EXIT},         {AWK_K_RETURN, AWK_RETURN}};
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        if (!sim_awk_is_keyword(ps, leaves[i].keyword)) continue;
        enum awk_op op = leaves[i].op;
        if ((op == AWK_RETURN && !ps->in_function) || ((op == AWK_BREAK || op == AWK_CONTINUE) && !ps->loops))
            sim_awk_syntax(ps);
        sim_awk_lex(&ps->lx);
        struct awk_node *n = sim_awk_node(ps, op, NULL, NULL);
        if ((op == AWK_EXIT || op == AWK_RETURN) && ps->lx.token != AWK_T_NEWLINE && ps->lx.token != AWK_T_END &&
            !sim_awk_is(ps, ";") && !sim_awk_is(ps, "}"))
            n->a = sim_awk_parse_expression(ps);
        return n;
    }
    return NULL;
}

static struct awk_node *parse_statement_here(struct awk_parser *ps) {
    if (sim_awk_is(ps, "{")) return parse_block(ps);
    if (parse_keyword(ps, AWK_K_IF)) return parse_if(ps);
    if (parse_keyword(ps, AWK_K_FOR)) return parse_for(ps);
    if (parse_keyword(ps, AWK_K_DO)) return parse_do(ps);
    if (parse_keyword(ps, AWK_K_WHILE)) {
        struct awk_node *n = sim_awk_node(ps, AWK_WHILE, parse_condition(ps), NULL);
        n->b = parse_loop_body(ps);
        return n;
    }
    struct awk_node *n = parse_leave(ps);
    if (!n) n = parse_simple(ps);
    parse_end(ps);
    return n;
}

struct parse_deeper {
    struct awk_parser *ps;
    struct awk_node *result;
};

static int parse_deeper_main(struct sim_proc *p, void *arg) {
    struct parse_deeper *d = arg;
    (void)p;
    d->result = parse_statement_here(d->ps);
    return 0;
}

static struct awk_node *parse_statement(struct awk_parser *ps) {
    struct parse_deeper d = {ps, NULL};
    if (++ps->depth > 1000) sim_proc_exit(ps->p, sim_unsupported(ps->p, "awk: statements so deep"));
    if (++ps->p->depth > PARSE_LEVELS)
        sim_proc_deeper(ps->p, parse_deeper_main, &d);
    else
        d.result = parse_statement_here(ps);
    ps->p->depth--;
    ps->depth--;
    return d.result;
}

/* ---- the program ---- */

static void parse_function(struct awk_parser *ps) {
    char *parameters[64];
    if (ps->lx.token != AWK_T_NAME && ps->lx.token != AWK_T_CALL) sim_awk_syntax(ps);
    int which = sim_awk_function_find(ps->a, ps->p, ps->lx.text, ps->lx.len);
    if (ps->a->functions[which].defined) sim_awk_syntax(ps);
    sim_awk_lex(&ps->lx);
    sim_awk_need(ps, "(");
    sim_awk_skip_newlines(ps);
    ps->parameters = parameters;
    ps->parameter_count = 0;
    while (!sim_awk_is(ps, ")")) {
        if (ps->lx.token != AWK_T_NAME || ps->parameter_count == 64) sim_awk_syntax(ps);
        parameters[ps->parameter_count++] = ps->lx.text;
        sim_awk_lex(&ps->lx);
        sim_awk_skip_newlines(ps);
        if (!sim_awk_take(ps, ",")) break;
        sim_awk_skip_newlines(ps);
    }
    sim_awk_need(ps, ")");
    sim_awk_skip_newlines(ps);
    ps->in_function = 1;
    struct awk_node *body = parse_block(ps);
    ps->in_function = 0;
    struct awk_function *f = &ps->a->functions[which]; /* the table may have grown */
    f->body = body;
    f->defined = 1;
    f->parameter_count = ps->parameter_count;
    ps->parameter_count = 0;
}

static void parse_append(struct awk_node **first, struct awk_node **last, struct awk_node *block) {
    if (*last)
        (*last)->next = block;
    else
        *first = block;
    *last = block;
}

static void parse_rule(struct awk_parser *ps) {
    struct awk *a = ps->a;
    if (a->rule_count == a->rule_cap) {
        a->rule_cap = a->rule_cap ? a->rule_cap * 2 : 16;
        struct awk_rule *rules = sim_alloc_zero(a->p, a->rule_cap * sizeof *rules);
        if (a->rule_count) memcpy(rules, a->rules, a->rule_count * sizeof *rules);
        a->rules = rules;
    }
    struct awk_rule *rule = &a->rules[a->rule_count++];
    memset(rule, 0, sizeof *rule);
    if (!sim_awk_is(ps, "{")) rule->from = sim_awk_parse_expression(ps);
    if (sim_awk_take(ps, ",")) {
        sim_awk_skip_newlines(ps);
        rule->is_range = 1;
        rule->to = sim_awk_parse_expression(ps);
    }
    if (sim_awk_is(ps, "{")) rule->body = parse_block(ps);
}

static void parse_item(struct awk_parser *ps) {
    struct awk *a = ps->a;
    if (parse_keyword(ps, AWK_K_FUNCTION))
        parse_function(ps);
    else if (parse_keyword(ps, AWK_K_BEGIN))
        parse_append(&a->begin, &a->begin_last, parse_block(ps));
    else if (parse_keyword(ps, AWK_K_END))
        parse_append(&a->end, &a->end_last, parse_block(ps));
    else
        parse_rule(ps);
}

/* Names that gawk or mawk knows as functions, and POSIX does not. */
static int parse_known_elsewhere(const char *name) {
    static const char *const names[] = {"gensub", "systime", "strftime", "mktime",  "asort",  "asorti",   "and",
                                        "or",     "xor",     "compl",    "lshift",  "rshift", "strtonum", "patsplit",
                                        "typeof", "isarray", "toascii",  "srandom", NULL};
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return 0;
}

int sim_awk_parse(struct awk *a, const char *text) {
    static const char *const special[] = {"NF",       "NR",      "FNR",     "FS",   "OFS",    "RS",
                                          "ORS",      "SUBSEP",  "CONVFMT", "OFMT", "RSTART", "RLENGTH",
                                          "FILENAME", "ENVIRON", "ARGC",    "ARGV"};
    struct awk_parser ps = {.a = a, .p = a->p, .lx = {.p = a->p, .at = text, .line = 1}};
    for (int i = 0; i < AWK_V_COUNT; i++) sim_awk_global_find(a, special[i], 1);
    sim_awk_lex(&ps.lx);
    parse_skip_ends(&ps);
    while (ps.lx.token != AWK_T_END) {
        parse_item(&ps);
        parse_skip_ends(&ps);
    }
    for (size_t i = 0; i < a->function_count; i++) {
        const char *name = a->functions[i].name.s;
        if (a->functions[i].defined) continue;
        if (parse_known_elsewhere(name)) return sim_unsupported(a->p, "awk's function %s", name);
        sim_errf(a->p, "awk: function %s never defined\n", name);
        return 2;
    }
    return 0;
}
