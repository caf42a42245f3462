/* awk's words. Whether / divides or begins a regular expression is the parser's to know. */
#include "sim/machine/awk/awk.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const lex_keywords[] = {[AWK_K_BEGIN] = "BEGIN",       [AWK_K_END] = "END",
                                           [AWK_K_FUNCTION] = "function", [AWK_K_IF] = "if",
                                           [AWK_K_ELSE] = "else",         [AWK_K_WHILE] = "while",
                                           [AWK_K_FOR] = "for",           [AWK_K_DO] = "do",
                                           [AWK_K_BREAK] = "break",       [AWK_K_CONTINUE] = "continue",
                                           [AWK_K_NEXT] = "next",         [AWK_K_NEXTFILE] = "nextfile",
                                           [AWK_K_EXIT] = "exit",         [AWK_K_RETURN] = "return",
                                           [AWK_K_DELETE] = "delete",     [AWK_K_IN] = "in",
                                           [AWK_K_GETLINE] = "getline",   [AWK_K_PRINT] = "print",
                                           [AWK_K_PRINTF] = "printf"};

static const char *const lex_builtins[] = {[AWK_ATAN2] = "atan2",
                                           [AWK_CLOSE] = "close",
                                           [AWK_COS] = "cos",
                                           [AWK_EXP] = "exp",
                                           [AWK_FFLUSH] = "fflush",
                                           [AWK_GSUB] = "gsub",
                                           [AWK_INDEX_OF] = "index",
                                           [AWK_INT] = "int",
                                           [AWK_LENGTH] = "length",
                                           [AWK_LOG] = "log",
                                           [AWK_MATCH_FUNCTION] = "match",
                                           [AWK_RAND] = "rand",
                                           [AWK_SIN] = "sin",
                                           [AWK_SPLIT] = "split",
                                           [AWK_SPRINTF] = "sprintf",
                                           [AWK_SQRT] = "sqrt",
                                           [AWK_SRAND] = "srand",
                                           [AWK_SUB] = "sub",
                                           [AWK_SUBSTR] = "substr",
                                           [AWK_SYSTEM] = "system",
                                           [AWK_TOLOWER] = "tolower",
                                           [AWK_TOUPPER] = "toupper"};

char *sim_awk_unescape(struct sim_proc *p, const char *text, size_t len, size_t *out_len) {
    static const char from[] = "abfnrtv\\\"/", to[] = "\a\b\f\n\r\t\v\\\"/";
    struct sim_text out = {.p = p};
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\\' || i + 1 == len) {
            sim_text_char(&out, text[i]);
            continue;
        }
        char c = text[++i];
        const char *hit = c ? strchr(from, c) : NULL;
        if (hit) {
            sim_text_char(&out, to[hit - from]);
        } else if (c >= '0' && c <= '7') {
            int value = 0;
            for (int n = 0; n < 3 && i < len && text[i] >= '0' && text[i] <= '7'; n++)
                value = value * 8 + (text[i++] - '0');
            i--;
            sim_text_char(&out, (char)value);
        } else if (c != '\n') { /* a line that goes on leaves nothing */
            sim_text_char(&out, '\\');
            sim_text_char(&out, c);
        }
    }
    *out_len = out.len;
    return sim_text_get(&out);
}

static void lex_string(struct awk_lexer *lx) {
    const char *start = lx->at;
    while (*lx->at && *lx->at != '"' && *lx->at != '\n') {
        if (*lx->at == '\\' && lx->at[1]) {
            lx->at++;
            lx->line += *lx->at == '\n';
        }
        lx->at++;
    }
    if (*lx->at != '"') {
        lx->token = AWK_T_BAD;
        return;
    }
    lx->text = sim_awk_unescape(lx->p, start, (size_t)(lx->at - start), &lx->len);
    lx->token = AWK_T_STRING;
    lx->at++;
}

static void lex_number(struct awk_lexer *lx) {
    const char *at = lx->at;
    while (isdigit((unsigned char)*at)) at++;
    if (*at == '.') at++;
    while (isdigit((unsigned char)*at)) at++;
    const char *mark = at;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        if (isdigit((unsigned char)*at))
            while (isdigit((unsigned char)*at)) at++;
        else
            at = mark;
    }
    lx->number = sim_awk_parse_number(sim_strndup(lx->p, lx->at, (size_t)(at - lx->at)), (size_t)(at - lx->at), NULL);
    lx->at = at;
    lx->token = AWK_T_NUMBER;
}

static int lex_find(const char *const *names, size_t n, const char *text) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], text) == 0) return (int)i;
    return -1;
}

static void lex_name(struct awk_lexer *lx) {
    const char *start = lx->at;
    while (isalnum((unsigned char)*lx->at) || *lx->at == '_') lx->at++;
    lx->len = (size_t)(lx->at - start);
    lx->text = sim_strndup(lx->p, start, lx->len);
    int which = lex_find(lex_keywords, sizeof lex_keywords / sizeof lex_keywords[0], lx->text);
    if (strcmp(lx->text, "func") == 0) which = AWK_K_FUNCTION;
    lx->token = AWK_T_KEYWORD;
    if (which < 0) {
        which = lex_find(lex_builtins, sizeof lex_builtins / sizeof lex_builtins[0], lx->text);
        lx->token = which >= 0 ? AWK_T_BUILTIN : *lx->at == '(' ? AWK_T_CALL : AWK_T_NAME;
    }
    lx->which = which;
}

static void lex_operator(struct awk_lexer *lx) {
    static const char *const longer[] = {
        "&&", "||", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "!~", ">>", NULL};
    size_t n = 1;
    for (size_t i = 0; longer[i]; i++)
        if (strncmp(lx->at, longer[i], 2) == 0) n = 2;
    lx->token = strchr("{}()[];,+-*/%^!<>|?:~$=", *lx->at) || n == 2 ? AWK_T_OPERATOR : AWK_T_BAD;
    memcpy(lx->op, lx->at, n);
    lx->op[n] = '\0';
    lx->at += n;
}

void sim_awk_lex(struct awk_lexer *lx) {
    for (;;) {
        lx->at += strspn(lx->at, " \t\r");
        if (lx->at[0] == '\\' && lx->at[1] == '\r' && lx->at[2] == '\n') lx->at++;
        if (lx->at[0] == '\\' && (lx->at[1] == '\n' || lx->at[1] == '\r')) {
            lx->at += 2;
            lx->line++;
            continue;
        }
        if (*lx->at == '#') lx->at += strcspn(lx->at, "\n");
        break;
    }
    char c = *lx->at;
    lx->start = lx->at;
    lx->op[0] = '\0';
    if (!c) {
        lx->token = AWK_T_END;
    } else if (c == '\n') {
        lx->token = AWK_T_NEWLINE;
        lx->line++;
        lx->at++;
    } else if (c == '"') {
        lx->at++;
        lex_string(lx);
    } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)lx->at[1]))) {
        lex_number(lx);
    } else if (isalpha((unsigned char)c) || c == '_') {
        lex_name(lx);
    } else {
        lex_operator(lx);
    }
}

int sim_awk_lex_regex(struct awk_lexer *lx) {
    struct sim_text text = {.p = lx->p};
    const char *at = lx->start + 1;
    for (int bracket = 0; *at && *at != '\n' && (*at != '/' || bracket); at++) {
        if (*at == '[' && !bracket) {
            bracket = 1;
            sim_text_char(&text, *at);
            if (at[1] == '^') sim_text_char(&text, *++at);
            if (at[1] == ']') sim_text_char(&text, *++at);
            continue;
        }
        if (*at == ']') bracket = 0;
        if (*at == '\\' && at[1] && at[1] != '\n') {
            if (at[1] != '/') sim_text_char(&text, *at);
            at++;
        }
        sim_text_char(&text, *at);
    }
    if (*at != '/') return 0;
    lx->at = at + 1;
    lx->text = sim_text_get(&text);
    lx->len = text.len;
    return 1;
}
