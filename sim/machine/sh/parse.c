/* The shell's parser: tokens to a tree, by recursive descent over the grammar of the standard. */
#include "sim/machine/sh/lex.h"
#include <assert.h>
#include <string.h>

static struct sh_node *parse_and_or(struct sh_lexer *lx);

static struct sh_node *parse_node(struct sh_lexer *lx, enum sh_node_kind kind) {
    struct sh_node *node = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *node);
    node->kind = kind;
    node->line = lx->src->number;
    return node;
}

static int parse_is(const struct sh_lexer *lx, const char *word) {
    return lx->token == SH_TOK_WORD && strcmp(lx->plain, word) == 0;
}

static void parse_expect(struct sh_lexer *lx, const char *word) {
    if (!parse_is(lx, word)) sim_sh_unexpected(lx, word);
    sim_sh_lex(lx);
}

static void parse_newlines(struct sh_lexer *lx) {
    while (lx->token == SH_TOK_NEWLINE) sim_sh_lex(lx);
}

int sim_sh_is_keyword(const char *word) {
    static const char *const words[] = {"if",   "then",  "else",  "elif", "fi", "do", "done", "case",
                                        "esac", "while", "until", "for",  "{",  "}",  "!",    "in"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], word) == 0) return 1;
    return 0;
}

/* Words that end a list where a command would begin. */
static int parse_closes(const struct sh_lexer *lx) {
    static const char *const words[] = {"then", "else", "elif", "fi", "do", "done", "esac", "}"};
    if (lx->token == SH_TOK_EOF || lx->token == SH_TOK_CLOSE || lx->token == SH_TOK_DSEMI || lx->token == SH_TOK_FALL)
        return 1;
    if (lx->token != SH_TOK_WORD) return 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(lx->plain, words[i]) == 0) return 1;
    return 0;
}

struct sh_node *sim_sh_parse_list(struct sh_lexer *lx, int newline_ends) {
    struct sh_node *first = NULL, **tail = &first;
    sim_sh_lex_enter(lx);
    for (;;) {
        if (!newline_ends) parse_newlines(lx);
        if (parse_closes(lx) || (newline_ends && lx->token == SH_TOK_NEWLINE)) break;
        struct sh_node *node = parse_and_or(lx);
        int more = 1;
        if (lx->token == SH_TOK_AMP) {
            struct sh_node *background = parse_node(lx, SH_BACKGROUND);
            background->left = node;
            node = background;
        } else if (lx->token != SH_TOK_SEMI && (newline_ends || lx->token != SH_TOK_NEWLINE)) {
            more = 0;
        }
        if (*tail) { /* a chain to the right, so that evaluating a long list does not nest */
            struct sh_node *sequence = parse_node(lx, SH_SEQUENCE);
            sequence->left = *tail;
            sequence->right = node;
            *tail = sequence;
            tail = &sequence->right;
        } else {
            *tail = node;
        }
        if (!more) break;
        sim_sh_lex(lx);
    }
    lx->nesting--;
    return first;
}

/* A list that may not be empty, as between `then` and `fi`. */
static struct sh_node *parse_body(struct sh_lexer *lx) {
    struct sh_node *list = sim_sh_parse_list(lx, 0);
    if (!list) sim_sh_unexpected(lx, NULL);
    return list;
}

struct sh_node *sim_sh_parse_inner(struct sh_lexer *lx) {
    sim_sh_lex(lx);
    struct sh_node *list = sim_sh_parse_list(lx, 0);
    if (lx->token != SH_TOK_CLOSE) sim_sh_unexpected(lx, ")");
    return list;
}

static struct sh_redir *parse_redir(struct sh_lexer *lx, int aliases) {
    struct sh_redir *redir = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *redir);
    redir->op = lx->redir_op;
    redir->fd = lx->redir_fd;
    int strip = lx->redir_strip;
    sim_sh_lex_plain(lx);
    if (lx->token != SH_TOK_WORD) sim_sh_unexpected(lx, NULL);
    redir->word = lx->word;
    if (redir->op == SH_REDIR_HERE) {
        struct sh_here *here = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *here);
        struct sim_text end = {.p = lx->p};
        for (const struct sh_part *part = lx->word->parts; part; part = part->next) {
            if (part->kind == SH_PART_PARAM && part->op == SH_PARAM_PLAIN && !part->braced)
                sim_text_char(&end, '$'); /* nothing is expanded in it */
            else if (part->kind != SH_PART_TEXT)
                sim_sh_unsupported(lx->sh, "an expansion as the end of a here-document");
            sim_text_str(&end, part->text);
        }
        here->redir = redir;
        here->end = sim_sh_ast_text(lx->p, lx->ast, sim_text_get(&end), end.len);
        here->strip = strip;
        here->quoted = sim_sh_word_quoted(lx->word);
        *lx->heres_end = here;
        lx->heres_end = &here->next;
    }
    if (aliases)
        sim_sh_lex(lx);
    else
        sim_sh_lex_plain(lx);
    return redir;
}

static void parse_redirs(struct sh_lexer *lx, struct sh_node *node) {
    int aliases = node->kind == SH_SIMPLE && !node->words;
    struct sh_redir **tail = &node->redirs;
    while (*tail) tail = &(*tail)->next;
    while (lx->token == SH_TOK_REDIR) {
        *tail = parse_redir(lx, aliases);
        tail = &(*tail)->next;
    }
}

/* name=value, if the word is one: the value is the word without its beginning. */
static struct sh_assign *parse_assign(struct sh_lexer *lx, const struct sh_word *word) {
    const struct sh_part *part = word->parts;
    if (!part || part->kind != SH_PART_TEXT || part->quoted) return NULL;
    const char *equals = strchr(part->text, '=');
    if (!equals) return NULL;
    size_t len = (size_t)(equals - part->text);
    int append = lx->sh->bash && len && equals[-1] == '+';
    if (!sim_sh_is_name(part->text, len - (append ? 1 : 0))) return NULL;
    struct sh_assign *assign = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *assign);
    assign->name = sim_sh_ast_text(lx->p, lx->ast, part->text, len - (append ? 1 : 0));
    assign->append = append;
    assign->value = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *assign->value);
    assign->value->parts = part->next;
    if (equals[1]) {
        struct sh_part *rest = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *rest);
        rest->next = part->next;
        rest->kind = SH_PART_TEXT;
        rest->text = sim_sh_ast_text(lx->p, lx->ast, equals + 1, strlen(equals + 1));
        assign->value->parts = rest;
    }
    return assign;
}

static struct sh_node *parse_command(struct sh_lexer *lx);

static struct sh_node *parse_function(struct sh_lexer *lx, const char *name) {
    struct sh_node *node = parse_node(lx, SH_FUNCTION);
    const struct sh_builtin *builtin = sim_sh_builtin(lx->sh, name);
    if (!lx->sh->bash && ((builtin && builtin->special) || !sim_sh_is_name(name, strlen(name))))
        sim_sh_syntax(lx, "Bad function name");
    node->name = sim_sh_ast_text(lx->p, lx->ast, name, strlen(name));
    parse_newlines(lx);
    node->left = parse_command(lx);
    return node;
}

static struct sh_node *parse_simple(struct sh_lexer *lx) {
    struct sh_node *node = parse_node(lx, SH_SIMPLE);
    struct sh_word **word = &node->words;
    struct sh_assign **assign = &node->assigns;
    for (;;) {
        if (lx->token == SH_TOK_REDIR) {
            parse_redirs(lx, node);
        } else if (lx->token == SH_TOK_WORD) {
            struct sh_word *next = lx->word;
            assert(next);
            struct sh_assign *a = node->words ? NULL : parse_assign(lx, next);
            if (a) {
                *assign = a;
                assign = &a->next;
            } else {
                *word = next;
                word = &next->next;
            }
            const char *plain = lx->plain;
            if (node->words)
                sim_sh_lex_plain(lx);
            else
                sim_sh_lex(lx);
            int lone = node->words && !node->words->next && !node->assigns && !node->redirs;
            if (lx->token == SH_TOK_OPEN && lone && plain[0]) {
                sim_sh_lex(lx);
                if (lx->token != SH_TOK_CLOSE) sim_sh_unexpected(lx, ")");
                sim_sh_lex(lx);
                return parse_function(lx, plain);
            }
        } else {
            break;
        }
    }
    if (!node->words && !node->assigns && !node->redirs) sim_sh_unexpected(lx, NULL);
    return node;
}

static struct sh_node *parse_if(struct sh_lexer *lx) {
    struct sh_node *node = parse_node(lx, SH_IF);
    sim_sh_lex(lx);
    node->left = parse_body(lx);
    parse_expect(lx, "then");
    node->right = parse_body(lx);
    if (parse_is(lx, "elif")) {
        node->otherwise = parse_if(lx); /* takes the fi */
        return node;
    }
    if (parse_is(lx, "else")) {
        sim_sh_lex(lx);
        node->otherwise = parse_body(lx);
    }
    parse_expect(lx, "fi");
    return node;
}

static struct sh_node *parse_do(struct sh_lexer *lx) {
    parse_expect(lx, "do");
    struct sh_node *body = parse_body(lx);
    parse_expect(lx, "done");
    return body;
}

static struct sh_node *parse_loop(struct sh_lexer *lx, enum sh_node_kind kind) {
    struct sh_node *node = parse_node(lx, kind);
    sim_sh_lex(lx);
    node->left = parse_body(lx);
    node->right = parse_do(lx);
    return node;
}

/* bash shows these words as they were written. */
static void parse_raw(struct sh_lexer *lx) {
    if (lx->sh->bash && lx->raw) lx->word->raw = sim_sh_ast_text(lx->p, lx->ast, lx->raw, lx->raw_len);
}

static struct sh_node *parse_for(struct sh_lexer *lx) {
    struct sh_node *node = parse_node(lx, SH_FOR);
    sim_sh_lex_plain(lx);
    if (lx->sh->bash && lx->token == SH_TOK_OPEN) sim_sh_unsupported(lx->sh, "for ((...))");
    if (lx->token != SH_TOK_WORD || !sim_sh_is_name(lx->plain, strlen(lx->plain)))
        sim_sh_syntax(lx, "Bad for loop variable");
    node->name = sim_sh_ast_text(lx->p, lx->ast, lx->plain, strlen(lx->plain));
    sim_sh_lex_plain(lx);
    if (lx->token == SH_TOK_SEMI) sim_sh_lex_plain(lx);
    parse_newlines(lx);
    if (parse_is(lx, "in")) {
        struct sh_word **tail = &node->words;
        node->has_list = 1;
        sim_sh_lex_plain(lx);
        while (lx->token == SH_TOK_WORD) {
            *tail = lx->word;
            tail = &lx->word->next;
            parse_raw(lx);
            sim_sh_lex_plain(lx);
        }
        if (lx->token != SH_TOK_SEMI && lx->token != SH_TOK_NEWLINE) sim_sh_unexpected(lx, NULL);
        sim_sh_lex_plain(lx);
    }
    parse_newlines(lx);
    node->left = parse_do(lx);
    return node;
}

static struct sh_case *parse_case_arm(struct sh_lexer *lx) {
    struct sh_case *arm = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *arm);
    struct sh_word **tail = &arm->patterns;
    if (lx->token == SH_TOK_OPEN) sim_sh_lex_plain(lx);
    for (;;) {
        if (lx->token != SH_TOK_WORD) sim_sh_unexpected(lx, NULL);
        *tail = lx->word;
        tail = &lx->word->next;
        sim_sh_lex_plain(lx);
        if (lx->token != SH_TOK_PIPE) break;
        sim_sh_lex_plain(lx);
    }
    if (lx->token != SH_TOK_CLOSE) sim_sh_unexpected(lx, ")");
    sim_sh_lex(lx);
    arm->body = sim_sh_parse_list(lx, 0);
    return arm;
}

static struct sh_node *parse_case(struct sh_lexer *lx) {
    struct sh_node *node = parse_node(lx, SH_CASE);
    struct sh_case **tail = &node->cases;
    sim_sh_lex_plain(lx);
    if (lx->token != SH_TOK_WORD) sim_sh_unexpected(lx, NULL);
    node->words = lx->word;
    parse_raw(lx);
    sim_sh_lex_plain(lx);
    parse_newlines(lx);
    parse_expect(lx, "in");
    parse_newlines(lx);
    while (!parse_is(lx, "esac")) {
        *tail = parse_case_arm(lx);
        if (lx->token == SH_TOK_DSEMI || lx->token == SH_TOK_FALL) {
            (*tail)->falls = lx->token == SH_TOK_FALL;
            sim_sh_lex_plain(lx);
            parse_newlines(lx);
        } else if (!parse_is(lx, "esac")) {
            sim_sh_unexpected(lx, ";;");
        }
        tail = &(*tail)->next;
    }
    sim_sh_lex_plain(lx);
    return node;
}

static struct sh_node *parse_enclosed(struct sh_lexer *lx, enum sh_node_kind kind) {
    struct sh_node *node = parse_node(lx, kind);
    sim_sh_lex(lx);
    node->left = parse_body(lx);
    if (kind == SH_GROUP) {
        parse_expect(lx, "}");
    } else {
        if (lx->token != SH_TOK_CLOSE) sim_sh_unexpected(lx, ")");
        sim_sh_lex(lx);
    }
    return node;
}

/* What bash has beyond the standard: `function f { ... }`; the rest is refused by name. */
static struct sh_node *parse_bash(struct sh_lexer *lx) {
    static const char *const refused[] = {"[[",      "select",    "time",  "coproc", "declare", "typeset", "let",
                                          "mapfile", "readarray", "shopt", "pushd",  "popd",    "dirs"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (parse_is(lx, refused[i])) sim_sh_unsupported(lx->sh, "%s", refused[i]);
    if (lx->token == SH_TOK_OPEN && lx->src->pos < lx->src->len && lx->src->text[lx->src->pos] == '(')
        sim_sh_unsupported(lx->sh, "((...))");
    if (!parse_is(lx, "function")) return NULL;
    sim_sh_lex(lx);
    if (!lx->plain[0]) sim_sh_unexpected(lx, NULL);
    const char *name = lx->plain;
    sim_sh_lex(lx);
    if (lx->token == SH_TOK_OPEN) {
        sim_sh_lex(lx);
        if (lx->token != SH_TOK_CLOSE) sim_sh_unexpected(lx, ")");
        sim_sh_lex(lx);
    }
    return parse_function(lx, name);
}

static struct sh_node *parse_compound(struct sh_lexer *lx) {
    if (lx->token == SH_TOK_OPEN) return parse_enclosed(lx, SH_SUBSHELL);
    if (parse_is(lx, "{")) return parse_enclosed(lx, SH_GROUP);
    if (parse_is(lx, "if")) return parse_if(lx);
    if (parse_is(lx, "while")) return parse_loop(lx, SH_WHILE);
    if (parse_is(lx, "until")) return parse_loop(lx, SH_UNTIL);
    if (parse_is(lx, "for")) return parse_for(lx);
    if (parse_is(lx, "case")) return parse_case(lx);
    return NULL;
}

static struct sh_node *parse_command(struct sh_lexer *lx) {
    struct sh_node *node = lx->sh->bash ? parse_bash(lx) : NULL;
    if (node) return node;
    node = parse_compound(lx);
    if (!node) return parse_simple(lx);
    parse_redirs(lx, node);
    return node;
}

static struct sh_node *parse_pipe(struct sh_lexer *lx) {
    if (parse_is(lx, "!")) {
        struct sh_node *node = parse_node(lx, SH_NOT);
        sim_sh_lex(lx);
        if (!lx->sh->bash && parse_is(lx, "!")) sim_sh_unexpected(lx, NULL);
        node->left = parse_pipe(lx);
        return node;
    }
    if (parse_closes(lx)) sim_sh_unexpected(lx, NULL);
    struct sh_node *node = parse_command(lx);
    if (lx->token != SH_TOK_PIPE) return node;
    struct sh_node *pipe = parse_node(lx, SH_PIPE);
    struct sh_node **tail = &pipe->first;
    *tail = node;
    while (lx->token == SH_TOK_PIPE) {
        tail = &(*tail)->next;
        sim_sh_lex(lx);
        parse_newlines(lx);
        if (parse_closes(lx)) sim_sh_unexpected(lx, NULL);
        *tail = parse_command(lx);
    }
    return pipe;
}

static struct sh_node *parse_and_or(struct sh_lexer *lx) {
    struct sh_node *node = parse_pipe(lx);
    while (lx->token == SH_TOK_AND || lx->token == SH_TOK_OR) {
        struct sh_node *both = parse_node(lx, lx->token == SH_TOK_AND ? SH_AND : SH_OR);
        sim_sh_lex(lx);
        parse_newlines(lx);
        both->left = node;
        both->right = parse_pipe(lx);
        node = both;
    }
    return node;
}

int sim_sh_parse(struct sh *sh, struct sh_source *src, struct sh_ast *ast, struct sh_node **node) {
    struct sh_lexer lx = {.sh = sh, .p = sh->p, .src = src, .ast = ast};
    struct sim_mark mark = sim_mark(sh->p);
    lx.heres_end = &lx.heres;
    *node = NULL;
    sim_sh_lex(&lx);
    if (lx.token == SH_TOK_EOF) {
        sim_release(sh->p, mark);
        return 0;
    }
    *node = sim_sh_parse_list(&lx, 1);
    if (lx.token != SH_TOK_NEWLINE && lx.token != SH_TOK_EOF) sim_sh_unexpected(&lx, NULL);
    sim_release(sh->p, mark);
    return 1;
}

int sim_sh_source_spent(const struct sh_source *src) {
    for (size_t i = src->pos; i < src->len; i++)
        if (!strchr(" \t\n", src->text[i])) return 0;
    return src->fd < 0;
}
