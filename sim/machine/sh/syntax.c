/* Syntax errors: dash says what it did not expect, bash also where it reads. */
#include "sim/machine/sh/lex.h"
#include <string.h>

#define LEX_NESTING_MAX 100

const char *sim_sh_token_text(struct sh_lexer *lx) {
    static const char *const texts[] = {"end of file", "newline", "word",   "\";\"", "\";;\"", "\";&\"",     "\"&\"",
                                        "\"&&\"",      "\"|\"",   "\"||\"", "\"(\"", "\")\"",  "redirection"};
    if (lx->token == SH_TOK_WORD && lx->plain[0]) return sim_format(lx->p, "\"%s\"", lx->plain);
    return texts[lx->token];
}

/* bash names the text that it reads, and shows the line. */
_Noreturn static void lex_syntax_bash(struct sh_lexer *lx, const char *what, int with_line) {
    struct sh *sh = lx->sh;
    const struct sh_source *src = lx->src;
    const char *of = sh->eval_depth && sh->trace_level > 1 ? "eval: " : sh->from_c ? "-c: " : "";
    int at_end = src->pos >= src->len && src->fd < 0 && !with_line;
    int number = with_line ? lx->token_line : src->number + (at_end && src->len && src->text[src->len - 1] != '\n');
    const char *name = sh->source_name && strcmp(sh->source_name, "environment") != 0 ? sh->source_name : sh->arg0;
    sim_out_flush(sh->p);
    sim_errf(sh->p, "%s: %sline %d: %s\n", name, of, number, what);
    if (with_line && src->pos <= src->len) {
        size_t start = src->pos, end = src->pos;
        if (start && lx->token == SH_TOK_NEWLINE) start = end = start - 1;
        while (start && src->text[start - 1] != '\n') start--;
        while (end < src->len && src->text[end] != '\n') end++;
        sim_errf(sh->p, "%s: %sline %d: `%.*s'\n", name, of, number, (int)(end - start), src->text + start);
    }
    sim_sh_throw(sh, SH_FAIL_SYNTAX, 2);
}

_Noreturn void sim_sh_syntax(struct sh_lexer *lx, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(lx->p, fmt, args);
    va_end(args);
    lx->sh->line = lx->src->number;
    if (lx->sh->bash) lex_syntax_bash(lx, what, 0);
    sim_sh_fail(lx->sh, 2, "Syntax error: %s", what);
}

_Noreturn void sim_sh_unexpected(struct sh_lexer *lx, const char *wanted) {
    static const char *const bash[] = {"end of file", "newline", "word", ";", ";;", ";&",         "&",
                                       "&&",          "|",       "||",   "(", ")",  "redirection"};
    lx->sh->line = lx->token_line;
    if (lx->sh->bash && lx->token == SH_TOK_EOF) lex_syntax_bash(lx, "syntax error: unexpected end of file", 0);
    if (lx->sh->bash) {
        const char *token = lx->token == SH_TOK_WORD && lx->plain[0] ? lx->plain : bash[lx->token];
        lex_syntax_bash(lx, sim_format(lx->p, "syntax error near unexpected token `%s'", token), 1);
    }
    if (wanted) sim_sh_fail(lx->sh, 2, "Syntax error: %s unexpected (expecting \"%s\")", sim_sh_token_text(lx), wanted);
    sim_sh_fail(lx->sh, 2, "Syntax error: %s unexpected", sim_sh_token_text(lx));
}

void sim_sh_lex_enter(struct sh_lexer *lx) {
    if (++lx->nesting > LEX_NESTING_MAX)
        sim_sh_unsupported(lx->sh, "a script nested more than %d deep", LEX_NESTING_MAX);
}

/* Something that was opened is not closed. */
_Noreturn void sim_sh_unclosed(struct sh_lexer *lx, const char *dash, char bash) {
    if (lx->sh->bash) sim_sh_syntax(lx, "unexpected EOF while looking for matching `%c'", bash);
    sim_sh_syntax(lx, "%s", dash);
}

int sim_sh_word_quoted(const struct sh_word *word) {
    for (const struct sh_part *part = word->parts; part; part = part->next)
        if (part->quoted) return 1;
    return 0;
}
