/* From script text to tokens, words and all. */
#ifndef SIM_MACHINE_SH_LEX_H
#define SIM_MACHINE_SH_LEX_H

#include "sim/machine/sh/sh.h"

enum sh_token {
    SH_TOK_EOF,
    SH_TOK_NEWLINE,
    SH_TOK_WORD,
    SH_TOK_SEMI,
    SH_TOK_DSEMI,
    SH_TOK_FALL, /* bash: ;& */
    SH_TOK_AMP,
    SH_TOK_AND,
    SH_TOK_PIPE,
    SH_TOK_OR,
    SH_TOK_OPEN,
    SH_TOK_CLOSE,
    SH_TOK_REDIR
};

/** A here-document whose body has not been read yet. */
struct sh_here {
    struct sh_here *next;
    struct sh_redir *redir;
    char *end;
    int strip, quoted;
};

struct sh_lexer {
    struct sh *sh;
    struct sim_proc *p;
    struct sh_source *src;
    struct sh_ast *ast;
    struct sh_here *heres, **heres_end;
    int nesting;
    struct sh_source *left; /* texts of aliases that have ended, until the next token */
    int alias_next;         /* an alias that ends in a blank has ended: the next word may be one too */
    /* the current token */
    enum sh_token token;
    int token_line;
    const char *raw; /* as it was written, if it is at hand */
    size_t raw_len;
    struct sh_word *word;
    const char *plain; /* the word if nothing of it was quoted or expanded; "" is never plain */
    enum sh_redir_op redir_op;
    int redir_fd; /* -1 = the usual */
    int redir_strip;
};

/** Reads the next token into `lx`, where a command may begin. */
void sim_sh_lex(struct sh_lexer *lx);
/** The same where no alias is looked for. */
void sim_sh_lex_plain(struct sh_lexer *lx);
/** One level deeper, in lists, substitutions and braces: there is an end to it, as the stack has one. */
void sim_sh_lex_enter(struct sh_lexer *lx);
int sim_sh_is_keyword(const char *word);
/** `wanted` may be NULL. */
_Noreturn void sim_sh_unexpected(struct sh_lexer *lx, const char *wanted);
/** The words inside [[ ]] are read with < > ( ) being ordinary tokens; NULL at ]]. */
_Noreturn void sim_sh_syntax(struct sh_lexer *lx, const char *fmt, ...) SBX_PRINTF(2, 3);
/** Something that was opened is not closed: what dash says, and what bash looks for. */
_Noreturn void sim_sh_unclosed(struct sh_lexer *lx, const char *dash, char bash);
const char *sim_sh_token_text(struct sh_lexer *lx);
int sim_sh_word_quoted(const struct sh_word *word);
/** A list of commands up to a token that ends it, in parse.c. */
struct sh_node *sim_sh_parse_list(struct sh_lexer *lx, int newline_ends);
struct sh_node *sim_sh_parse_inner(struct sh_lexer *lx); /* after $( : up to and with ) */

#endif
