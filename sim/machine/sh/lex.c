/* The shell's lexer: characters, words with their quotes and expansions, operators, here-documents. */
#include "sim/machine/sh/lex.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEX_BLOCK 8192

enum lex_mode {
    LEX_WORD,     /* to a metacharacter */
    LEX_BRACE,    /* to a character of `stop`, unquoted */
    LEX_BRACE_DQ, /* the same inside double quotes */
    LEX_DQUOTE,
    LEX_HERE, /* to the end of the text */
    LEX_ARITH /* to )) */
};

/** A word as it grows. */
struct lex_word {
    struct sh_lexer *lx;
    struct sh_word *word;
    struct sh_part **tail;
    struct sim_text text;
    int text_quoted;
    int plain; /* nothing quoted, nothing expanded so far */
};

static void lex_until(struct lex_word *w, enum lex_mode mode, const char *stop);

/* ---- characters ---- */

/* More text behind what has not been taken yet. bash takes no byte beyond the line, so that a command may read the
 * rest; dash takes what there is. */
static int lex_refill(struct sh_lexer *lx) {
    struct sh_source *src = lx->src;
    size_t before = src->len - src->pos, want = LEX_BLOCK;
    int by_line = lx->sh->bash;
    if (before) memmove(src->line, src->text + src->pos, before);
    src->pos = 0;
    src->len = before;
    while (src->fd >= 0) {
        if (src->len + want >= src->line_cap) {
            size_t cap = (src->line_cap + want) * 2;
            char *line = sim_keep(lx->p, cap);
            if (src->len) memcpy(line, src->line, src->len);
            sim_drop(lx->p, src->line);
            src->line = line;
            src->line_cap = cap;
        }
        char *to = src->line + src->len;
        ptrdiff_t n = by_line ? sim_sys_read_line(lx->p, src->fd, to, want) : sim_sys_read(lx->p, src->fd, to, want);
        if (n == -EINTR) continue; /* a trap waits, and is run between commands */
        if (n <= 0)
            src->fd = -1;
        else
            src->len += (size_t)n;
        if (n > 0 && (!by_line || src->line[src->len - 1] == '\n')) break;
    }
    src->text = src->line;
    return src->len > before;
}

/* At the end of an alias the text goes on behind its name. */
static int lex_leave_alias(struct sh_lexer *lx) {
    struct sh_source *src = lx->src;
    if (!src->outer) return 0;
    struct sh_source **tail = &src->left;
    while (*tail) tail = &(*tail)->left;
    *tail = lx->left;
    lx->left = src;
    lx->alias_next = src->len && (src->text[src->len - 1] == ' ' || src->text[src->len - 1] == '\t');
    lx->src = src->outer;
    return 1;
}

static int lex_peek(struct sh_lexer *lx) {
    while (lx->src->pos >= lx->src->len) {
        if (lex_leave_alias(lx)) continue;
        if (lx->src->fd < 0 || !lex_refill(lx)) return -1;
    }
    return (unsigned char)lx->src->text[lx->src->pos];
}

/* The character after the next, within the line. */
static int lex_peek2(struct sh_lexer *lx) {
    struct sh_source *src = lx->src;
    if (lex_peek(lx) < 0) return -1;
    if (src->pos + 1 >= src->len && (src->text[src->pos] == '\n' || src->fd < 0 || !lex_refill(lx))) return -1;
    return (unsigned char)src->text[src->pos + 1];
}

static int lex_get(struct sh_lexer *lx) {
    int c = lex_peek(lx);
    if (c < 0) return c;
    lx->src->pos++;
    if (c == '\n') lx->src->number++;
    return c;
}

/* Takes the `len` characters at hand. */
static void lex_take(struct sh_lexer *lx, size_t len) {
    struct sh_source *src = lx->src;
    const char *at = src->text + src->pos, *end = at + len;
    for (; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) src->number++;
    src->pos += len;
}

static int lex_continuation(struct sh_lexer *lx) {
    if (lex_peek(lx) != '\\' || lex_peek2(lx) != '\n') return 0;
    lex_get(lx);
    lex_get(lx);
    return 1;
}

static int lex_accept(struct sh_lexer *lx, int c) {
    while (lex_continuation(lx)) {
    }
    if (lex_peek(lx) != c) return 0;
    lex_get(lx);
    return 1;
}

/* ---- words ---- */

static void word_start(struct sh_lexer *lx, struct lex_word *w) {
    memset(w, 0, sizeof *w);
    w->lx = lx;
    w->text.p = lx->p;
    w->word = sim_sh_ast_alloc(lx->p, lx->ast, sizeof *w->word);
    w->tail = &w->word->parts;
    w->plain = 1;
}

static struct sh_part *word_part(struct lex_word *w, enum sh_part_kind kind, int quoted) {
    struct sh_part *part = sim_sh_ast_alloc(w->lx->p, w->lx->ast, sizeof *part);
    part->kind = kind;
    part->quoted = quoted;
    *w->tail = part;
    w->tail = &part->next;
    return part;
}

static void word_flush(struct lex_word *w) {
    if (w->text.len == 0) return;
    struct sh_part *part = word_part(w, SH_PART_TEXT, w->text_quoted);
    part->text = sim_sh_ast_text(w->lx->p, w->lx->ast, w->text.s, w->text.len);
    w->text.len = 0;
}

static void word_char(struct lex_word *w, int c, int quoted) {
    if (w->text.len && w->text_quoted != quoted) word_flush(w);
    w->text_quoted = quoted;
    if (quoted) w->plain = 0;
    if (c) sim_text_char(&w->text, (char)c); /* a NUL in a script is dropped, as by real shells */
}

/* Several at once, as far as they are at hand: quoted text up to `end`, or characters that are ordinary wherever they
 * stand. Scripts are mostly made of such runs. @return how many were taken, 0 if the next needs a closer look */
static size_t word_run(struct lex_word *w, int end, int quoted) {
    const struct sh_source *src = w->lx->src;
    const char *text = src->text + src->pos;
    size_t left = src->len - src->pos, len = 0;
    if (end) {
        const char *at = memchr(text, end, left);
        len = at ? (size_t)(at - text) : left;
        if (memchr(text, 0, len)) return 0;
    } else {
        while (len < left && (isalnum((unsigned char)text[len]) || text[len] == '_' || text[len] == '-' ||
                              text[len] == '.' || text[len] == ','))
            len++;
    }
    if (len == 0) return 0;
    if (w->text.len && w->text_quoted != quoted) word_flush(w);
    w->text_quoted = quoted;
    if (quoted) w->plain = 0;
    sim_text_add(&w->text, text, len);
    lex_take(w->lx, len);
    return len;
}

/* Quotes with nothing in them are a word all the same. */
static void word_empty(struct lex_word *w) {
    word_flush(w);
    word_part(w, SH_PART_TEXT, 1)->text = sim_sh_ast_text(w->lx->p, w->lx->ast, "", 0);
    w->plain = 0;
}

static struct sh_part *word_expansion(struct lex_word *w, enum sh_part_kind kind, int quoted) {
    word_flush(w);
    w->plain = 0;
    return word_part(w, kind, quoted);
}

static struct sh_word *word_end(struct lex_word *w) {
    word_flush(w);
    return w->word;
}

static struct sh_word *lex_sub_word(struct sh_lexer *lx, enum lex_mode mode, const char *stop) {
    struct lex_word w;
    sim_sh_lex_enter(lx);
    word_start(lx, &w);
    lex_until(&w, mode, stop);
    lx->nesting--;
    return word_end(&w);
}

static void lex_single_quotes(struct lex_word *w) {
    int c, any = 0;
    while ((c = lex_peek(w->lx)) != '\'') {
        if (c < 0) sim_sh_unclosed(w->lx, "Unterminated quoted string", '\'');
        if (!word_run(w, '\'', 1)) word_char(w, lex_get(w->lx), 1);
        any = 1;
    }
    lex_get(w->lx);
    if (!any) word_empty(w);
}

static void lex_double_quotes(struct lex_word *w) {
    struct sh_part **before = w->tail;
    size_t len = w->text.len;
    lex_until(w, LEX_DQUOTE, "\"");
    lex_get(w->lx);
    if (before == w->tail && len == w->text.len) word_empty(w);
}

static int lex_number_escape(struct sh_lexer *lx, int base, int digits) {
    int value = 0;
    while (digits-- > 0) {
        int c = lex_peek(lx);
        int d = c >= '0' && c <= '9' ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : 99;
        if (c < 0 || d >= base) break;
        value = value * base + d;
        lex_get(lx);
    }
    return value & 255;
}

/* bash's $'...' */
static void lex_ansi_quotes(struct lex_word *w) {
    static const char from[] = "abefnrtvE\\'\"?", to[] = "\a\b\033\f\n\r\t\v\033\\'\"?";
    int c, any = 0;
    while ((c = lex_get(w->lx)) != '\'') {
        if (c < 0) sim_sh_unclosed(w->lx, "Unterminated quoted string", '\'');
        if (c == '\\') {
            int e = lex_peek(w->lx);
            const char *at = e > 0 ? strchr(from, e) : NULL;
            if (e == 'u' || e == 'U' || e == 'c') sim_sh_unsupported(w->lx->sh, "$'\\%c'", e);
            if (e >= '0' && e <= '7')
                c = lex_number_escape(w->lx, 8, 3);
            else if (e == 'x')
                c = (lex_get(w->lx), lex_number_escape(w->lx, 16, 2));
            else if (at)
                c = (lex_get(w->lx), to[at - from]);
        }
        word_char(w, c & 255, 1);
        any = 1;
    }
    if (!any) word_empty(w);
}

static void lex_backquotes(struct lex_word *w, int quoted) {
    struct sh_lexer *lx = w->lx;
    struct sim_text text = {.p = lx->p};
    int number = lx->src->number, c;
    while ((c = lex_get(lx)) != '`') {
        if (c < 0) sim_sh_unclosed(lx, "EOF in backquote substitution", '`');
        if (c == '\\') {
            int e = lex_peek(lx);
            if (e == '\n') {
                lex_get(lx);
                continue;
            }
            if (e == '\\' || e == '`' || e == '$' || (quoted && e == '"')) c = lex_get(lx);
        }
        sim_text_char(&text, (char)c);
    }
    struct sh_source sub = {.text = sim_text_get(&text), .len = text.len, .fd = -1, .number = number};
    struct sh_lexer inner = {.sh = lx->sh, .p = lx->p, .src = &sub, .ast = lx->ast, .nesting = lx->nesting + 1};
    inner.heres_end = &inner.heres;
    struct sh_part *part = word_expansion(w, SH_PART_COMMAND, quoted);
    sim_sh_lex(&inner);
    part->command = sim_sh_parse_list(&inner, 0);
    if (inner.token != SH_TOK_EOF) sim_sh_unexpected(&inner, NULL);
}

static void lex_command(struct lex_word *w, int quoted) {
    struct sh_lexer *lx = w->lx;
    struct sh_part *part = word_expansion(w, SH_PART_COMMAND, quoted);
    struct sh_lexer inner = {.sh = lx->sh, .p = lx->p, .src = lx->src, .ast = lx->ast, .nesting = lx->nesting + 1};
    inner.heres_end = &inner.heres;
    part->command = sim_sh_parse_inner(&inner);
    lx->src = inner.src;
}

static void lex_arith(struct lex_word *w, int quoted) {
    struct sh_part *part = word_expansion(w, SH_PART_ARITH, quoted);
    part->word = lex_sub_word(w->lx, LEX_ARITH, "");
    lex_get(w->lx);
    lex_get(w->lx);
}

static int lex_is_special(int c) {
    return c > 0 && strchr("@*#?$!-", c) != NULL;
}

static char *lex_param_name(struct sh_lexer *lx) {
    struct sim_text name = {.p = lx->p};
    int c = lex_peek(lx);
    if (isdigit(c))
        while (isdigit(lex_peek(lx))) sim_text_char(&name, (char)lex_get(lx));
    else if (isalpha(c) || c == '_')
        while (isalnum(lex_peek(lx)) || lex_peek(lx) == '_') sim_text_char(&name, (char)lex_get(lx));
    else if (lex_is_special(c))
        sim_text_char(&name, (char)lex_get(lx));
    return sim_sh_ast_text(lx->p, lx->ast, sim_text_get(&name), name.len);
}

/* bash's own operators; what is left of them is said to be unsupported. */
static int lex_bash_op(struct sh_lexer *lx, struct sh_part *part, enum lex_mode mode) {
    int c = lex_peek(lx);
    if (part->colon) {
        part->op = SH_PARAM_SLICE;
        part->word = lex_sub_word(lx, mode, ":}");
        if (lex_accept(lx, ':')) part->word2 = lex_sub_word(lx, mode, "}");
        return 1;
    }
    if (c == '/') {
        lex_get(lx);
        part->op = lex_accept(lx, '/') ? SH_PARAM_REPLACE_ALL : SH_PARAM_REPLACE;
        part->word = lex_sub_word(lx, LEX_BRACE, "/}");
        if (lex_accept(lx, '/')) part->word2 = lex_sub_word(lx, mode, "}");
        return 1;
    }
    if (c == '[' || c == '^' || c == ',' || c == '@' || part->text[0] == '!' || !part->text[0])
        sim_sh_unsupported(lx->sh, "${%s%c...}", part->text, c);
    return 0;
}

static void lex_param_op(struct sh_lexer *lx, struct sh_part *part, int quoted) {
    enum lex_mode mode = quoted ? LEX_BRACE_DQ : LEX_BRACE;
    part->colon = lex_accept(lx, ':');
    int c = lex_peek(lx);
    static const char signs[] = "-=?+";
    const char *at = c > 0 ? strchr(signs, c) : NULL;
    if (at) {
        static const enum sh_param_op ops[] = {SH_PARAM_DEFAULT, SH_PARAM_ASSIGN, SH_PARAM_ERROR, SH_PARAM_ALTERNATE};
        lex_get(lx);
        part->op = ops[at - signs];
        part->word = lex_sub_word(lx, mode, "}");
    } else if (!part->colon && (c == '%' || c == '#')) {
        lex_get(lx);
        int twice = lex_accept(lx, c);
        if (c == '%')
            part->op = twice ? SH_PARAM_CUT_SUFFIX_LONG : SH_PARAM_CUT_SUFFIX;
        else
            part->op = twice ? SH_PARAM_CUT_PREFIX_LONG : SH_PARAM_CUT_PREFIX;
        part->word = lex_sub_word(lx, LEX_BRACE, "}");
    } else if (!lx->sh->bash || !lex_bash_op(lx, part, mode)) {
        part->op = SH_PARAM_BAD;
        lex_sub_word(lx, mode, "}");
    }
}

static void lex_braced(struct lex_word *w, int quoted) {
    struct sh_lexer *lx = w->lx;
    struct sh_part *part = word_expansion(w, SH_PART_PARAM, quoted);
    part->braced = 1;
    int c2 = lex_peek2(lx);
    if (lex_peek(lx) == '#' && c2 > 0 && c2 != '}' && (isalnum(c2) || c2 == '_' || lex_is_special(c2))) {
        /* ${#-x} is $# with an operator; ${#-} is the length of $- */
        int operator_follows = 0;
        if (strchr("-?#", c2) && lx->src->pos + 2 < lx->src->len)
            operator_follows = lx->src->text[lx->src->pos + 2] != '}';
        if (!operator_follows) {
            lex_get(lx);
            part->op = SH_PARAM_LENGTH;
        }
    }
    part->text = lex_param_name(lx);
    if (lex_peek(lx) != '}') {
        if (part->op == SH_PARAM_LENGTH) {
            if (lx->sh->bash) sim_sh_unsupported(lx->sh, "${#%s%c...}", part->text, lex_peek(lx));
            part->op = SH_PARAM_BAD;
            lex_sub_word(lx, quoted ? LEX_BRACE_DQ : LEX_BRACE, "}");
        } else {
            lex_param_op(lx, part, quoted);
        }
    } else if (!part->text[0]) {
        part->op = SH_PARAM_BAD;
    }
    if (!lex_accept(lx, '}')) sim_sh_unclosed(lx, "Missing '}'", '}');
}

static void lex_dollar(struct lex_word *w, int quoted) {
    struct sh_lexer *lx = w->lx;
    while (lex_continuation(lx)) {
    }
    int c = lex_peek(lx);
    if (c == '(') {
        lex_get(lx);
        if (lex_accept(lx, '('))
            lex_arith(w, quoted);
        else
            lex_command(w, quoted);
    } else if (c == '{') {
        lex_get(lx);
        lex_braced(w, quoted);
    } else if (isalpha(c) || c == '_') {
        word_expansion(w, SH_PART_PARAM, quoted)->text = lex_param_name(lx);
    } else if (isdigit(c) || lex_is_special(c)) {
        char name = (char)lex_get(lx);
        word_expansion(w, SH_PART_PARAM, quoted)->text = sim_sh_ast_text(lx->p, lx->ast, &name, 1);
    } else if (lx->sh->bash && !quoted && c == '\'') {
        lex_get(lx);
        lex_ansi_quotes(w);
    } else if (lx->sh->bash && !quoted && c == '"') {
        return; /* a translated string, of which there are no translations */
    } else {
        word_char(w, '$', quoted);
    }
}

static void lex_backslash(struct lex_word *w, enum lex_mode mode, int quoted) {
    struct sh_lexer *lx = w->lx;
    int c = lex_peek(lx);
    if (c == '\n') {
        lex_get(lx);
        return;
    }
    if (!quoted) {
        if (c < 0)
            word_char(w, '\\', 0);
        else
            word_char(w, lex_get(lx), 1);
        return;
    }
    int escapes = c == '$' || c == '`' || c == '\\' || (c == '"' && mode != LEX_HERE && mode != LEX_ARITH) ||
                  (c == '}' && mode == LEX_BRACE_DQ);
    word_char(w, escapes ? lex_get(lx) : '\\', 1);
}

static void lex_check_bash(struct lex_word *w, int c) {
    if (c != '(' || !w->text.len) return;
    char last = w->text.s[w->text.len - 1];
    if (last == '=') sim_sh_unsupported(w->lx->sh, "arrays");
    if (strchr("@?*+!", last)) sim_sh_unsupported(w->lx->sh, "extended patterns");
}

/* Is this where the word, the quotes or the braces end? */
static int lex_at_end(struct lex_word *w, enum lex_mode mode, const char *stop, int c, int *depth) {
    switch (mode) {
    case LEX_WORD:
        if (!strchr(" \t\n;&|<>()", c)) return 0;
        if (w->lx->sh->bash) lex_check_bash(w, c);
        return 1;
    case LEX_BRACE:
    case LEX_BRACE_DQ:
    case LEX_DQUOTE:
        return strchr(stop, c) != NULL;
    case LEX_ARITH:
        if (c == '(') ++*depth;
        if (c == ')' && *depth == 0) {
            int next = lex_peek2(w->lx);
            if (next != ')' && next >= 0 && w->lx->sh->bash)
                sim_sh_unsupported(w->lx->sh, "$((...) that begins with a subshell");
            if (next != ')') sim_sh_unclosed(w->lx, "Missing '))'", ')');
            return 1;
        }
        if (c == ')') --*depth;
        return 0;
    case LEX_HERE:
        break;
    }
    return 0;
}

static void lex_until(struct lex_word *w, enum lex_mode mode, const char *stop) {
    struct sh_lexer *lx = w->lx;
    int quoted = mode != LEX_WORD && mode != LEX_BRACE;
    int depth = 0;
    for (;;) {
        int c = lex_peek(lx);
        if (c < 0 && (mode == LEX_WORD || mode == LEX_HERE)) return;
        if (c < 0 && mode == LEX_DQUOTE) sim_sh_unclosed(lx, "Unterminated quoted string", '"');
        if (c < 0 && mode == LEX_ARITH) sim_sh_unclosed(lx, "Missing '))'", ')');
        if (c < 0) sim_sh_unclosed(lx, "Missing '}'", '}');
        if (word_run(w, 0, quoted)) continue;
        if (c && lex_at_end(w, mode, stop, c, &depth)) return;
        lex_get(lx);
        if (c == '\\')
            lex_backslash(w, mode, quoted);
        else if (c == '\'' && !quoted)
            lex_single_quotes(w);
        else if (c == '"' && !quoted)
            lex_double_quotes(w);
        else if (c == '"' && (mode == LEX_BRACE_DQ || (mode == LEX_ARITH && lx->sh->bash)))
            continue;
        else if (c == '$')
            lex_dollar(w, quoted);
        else if (c == '`')
            lex_backquotes(w, quoted);
        else
            word_char(w, c, quoted);
    }
}

/* ---- here-documents ---- */

static void lex_here_body(struct sh_lexer *lx, const struct sh_here *here) {
    struct sim_text body = {.p = lx->p}, line = {.p = lx->p};
    int number = lx->src->number;
    for (;;) {
        line.len = 0;
        int c;
        while (here->strip && lex_peek(lx) == '\t') lex_get(lx);
        while ((c = lex_get(lx)) >= 0 && c != '\n') sim_text_char(&line, (char)c);
        if (strcmp(sim_text_get(&line), here->end) == 0) break;
        sim_text_add(&body, sim_text_get(&line), line.len);
        if (c < 0) break;
        sim_text_char(&body, '\n');
    }
    if (here->quoted) {
        struct lex_word w;
        word_start(lx, &w);
        w.text = body;
        w.text_quoted = 1;
        here->redir->word = word_end(&w);
        return;
    }
    struct sh_source sub = {.text = sim_text_get(&body), .len = body.len, .fd = -1, .number = number};
    struct sh_source *src = lx->src;
    lx->src = &sub;
    here->redir->word = lex_sub_word(lx, LEX_HERE, "");
    lx->src = src;
}

static void lex_heres(struct sh_lexer *lx) {
    for (struct sh_here *here = lx->heres; here; here = here->next) lex_here_body(lx, here);
    lx->heres = NULL;
    lx->heres_end = &lx->heres;
}

/* ---- tokens ---- */

static enum sh_token lex_redir(struct sh_lexer *lx, int c) {
    lx->redir_strip = 0;
    if (lx->sh->bash && lex_peek(lx) == '(') sim_sh_unsupported(lx->sh, "process substitution");
    if (c == '<') {
        lx->redir_op = SH_REDIR_READ;
        if (lex_accept(lx, '&'))
            lx->redir_op = SH_REDIR_DUP;
        else if (lex_accept(lx, '>'))
            lx->redir_op = SH_REDIR_READ_WRITE;
        else if (lex_accept(lx, '<')) {
            lx->redir_op = SH_REDIR_HERE;
            if (lex_accept(lx, '-'))
                lx->redir_strip = 1;
            else if (lx->sh->bash && lex_accept(lx, '<'))
                lx->redir_op = SH_REDIR_HERE_STRING;
        }
        if (lx->redir_fd < 0) lx->redir_fd = 0;
    } else {
        lx->redir_op = SH_REDIR_WRITE;
        if (lex_accept(lx, '&'))
            lx->redir_op = SH_REDIR_DUP;
        else if (lex_accept(lx, '>'))
            lx->redir_op = SH_REDIR_APPEND;
        else if (lex_accept(lx, '|'))
            lx->redir_op = SH_REDIR_CLOBBER;
        if (lx->redir_fd < 0) lx->redir_fd = 1;
    }
    return SH_TOK_REDIR;
}

static enum sh_token lex_operator(struct sh_lexer *lx, int c) {
    switch (c) {
    case '\n':
        lex_heres(lx);
        return SH_TOK_NEWLINE;
    case '(':
        return SH_TOK_OPEN;
    case ')':
        return SH_TOK_CLOSE;
    case ';':
        if (lex_accept(lx, ';')) {
            if (lx->sh->bash && lex_peek(lx) == '&') sim_sh_unsupported(lx->sh, ";;&");
            return SH_TOK_DSEMI;
        }
        return lx->sh->bash && lex_accept(lx, '&') ? SH_TOK_FALL : SH_TOK_SEMI;
    case '&':
        if (lx->sh->bash && lex_peek(lx) == '>') {
            lex_get(lx);
            lx->redir_fd = 1;
            lx->redir_op = lex_accept(lx, '>') ? SH_REDIR_BOTH_APPEND : SH_REDIR_BOTH;
            return SH_TOK_REDIR;
        }
        return lex_accept(lx, '&') ? SH_TOK_AND : SH_TOK_AMP;
    case '|':
        if (lx->sh->bash && lex_peek(lx) == '&') sim_sh_unsupported(lx->sh, "|&");
        return lex_accept(lx, '|') ? SH_TOK_OR : SH_TOK_PIPE;
    default:
        return lex_redir(lx, c);
    }
}

static int lex_skip_blanks(struct sh_lexer *lx) {
    for (;;) {
        int c = lex_peek(lx);
        if (c == ' ' || c == '\t')
            lex_get(lx);
        else if (lex_continuation(lx))
            continue;
        else if (c == '#')
            while ((c = lex_peek(lx)) >= 0 && c != '\n') lex_get(lx);
        else
            return c;
    }
}

/* Puts the text of an alias in the place of the word. */
static int lex_alias(struct sh_lexer *lx) {
    struct sh_alias *alias = sim_sh_alias_use(lx->sh, lx->plain);
    if (!alias) return 0;
    struct sh_source *src = sim_alloc_zero(lx->p, sizeof *src);
    src->text = sim_strdup(lx->p, alias->value);
    src->len = strlen(src->text);
    src->fd = -1;
    src->number = lx->src->number;
    src->outer = lx->src;
    src->alias = alias;
    src->left = lx->left;
    lx->left = NULL;
    alias->in_use = 1;
    lx->src = src;
    return 1;
}

static void lex_token(struct sh_lexer *lx) {
    for (; lx->left; lx->left = lx->left->left) lx->left->alias->in_use = 0;
    lx->plain = "";
    lx->word = NULL;
    lx->redir_fd = -1;
    int c = lex_skip_blanks(lx);
    lx->token_line = lx->src->number;
    if (c < 0) {
        lex_heres(lx);
        lx->token = SH_TOK_EOF;
        return;
    }
    if (c && strchr("\n;&|<>()", c)) {
        lex_get(lx);
        lx->token = lex_operator(lx, c);
        return;
    }
    struct lex_word w;
    struct sh_source *src = lx->src;
    const char *text = src->text;
    size_t from = src->pos;
    word_start(lx, &w);
    lex_until(&w, LEX_WORD, "");
    int plain = w.plain;
    lx->word = word_end(&w);
    lx->raw = lx->src == src && src->text == text && src->pos >= from && src->fd < 0 ? text + from : NULL;
    lx->raw_len = lx->raw ? src->pos - from : 0;
    lx->token = SH_TOK_WORD;
    if (plain && lx->word->parts) lx->plain = lx->word->parts->text;
    int next = lex_peek(lx);
    if ((next == '<' || next == '>') && lx->plain[0] && sim_digits(lx->plain) >= 0) {
        lx->redir_fd = sim_digits(lx->plain);
        lx->plain = "";
        lx->token = lex_operator(lx, lex_get(lx));
    }
}

void sim_sh_lex(struct sh_lexer *lx) {
    do lex_token(lx);
    while (lx->sh->aliases && !lx->sh->bash && lx->token == SH_TOK_WORD && lx->plain[0] &&
           !sim_sh_is_keyword(lx->plain) && lex_alias(lx));
    lx->alias_next = 0;
}

void sim_sh_lex_plain(struct sh_lexer *lx) {
    lx->alias_next = 0;
    lex_token(lx);
    while (lx->alias_next && lx->sh->aliases && !lx->sh->bash && lx->token == SH_TOK_WORD && lx->plain[0] &&
           lex_alias(lx))
        lex_token(lx);
}

struct sh_word *sim_sh_lex_text(struct sh *sh, struct sh_ast *ast, const char *text) {
    struct sh_source src = {.text = text, .len = strlen(text), .fd = -1, .number = sh->line};
    struct sh_lexer lx = {.sh = sh, .p = sh->p, .src = &src, .ast = ast};
    lx.heres_end = &lx.heres;
    return lex_sub_word(&lx, LEX_HERE, "");
}
