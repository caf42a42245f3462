/* sed scripts: addresses, commands, their arguments. */
#include "sim/machine/tools/sed.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void sed_regfree(void *arg) {
    regfree(arg);
    free(arg);
}

static regex_t *sed_regex(struct sed *s, const char *text, int fold) {
    if (!*text) return NULL;
    regex_t *re = calloc(1, sizeof *re);
    if (!re) sim_proc_oom(s->p);
    int e = regcomp(re, text, (s->extended ? REG_EXTENDED : 0) | (fold ? REG_ICASE : 0));
    if (e) {
        char why[128];
        regerror(e, re, why, sizeof why);
        s->wrong = sim_strdup(s->p, why);
        free(re);
        return NULL;
    }
    sim_at_end(s->p, sed_regfree, re);
    return re;
}

/* A character that an escape stands for, so that it means nothing but itself. */
static void sed_literal(const struct sed *s, struct sim_text *text, char c, int is_regex) {
    const char *special = !is_regex ? "&\\" : s->extended ? ".*[]^$\\+?(){}|" : ".*[]^$\\";
    if (c && strchr(special, c)) sim_text_char(text, '\\');
    sim_text_char(text, c);
}

/* Escapes that mean the same in a regular expression and in what replaces it. @return bytes taken, 0 for others */
static size_t sed_escape(const struct sed *s, struct sim_text *text, const char *c, int is_regex) {
    static const char from[] = "tfvar", to[] = "\t\f\v\a\r";
    const char *hit = strchr(from, *c);
    if (hit && *c) {
        sim_text_char(text, to[hit - from]);
        return 1;
    }
    if (*c != 'x' || !isxdigit((unsigned char)c[1])) return 0;
    char digits[3] = {c[1], isxdigit((unsigned char)c[2]) ? c[2] : '\0', '\0'};
    sed_literal(s, text, (char)strtol(digits, NULL, 16), is_regex);
    return 1 + strlen(digits);
}

/* A text up to a delimiter, behind it; \delimiter stands for the delimiter, \n for a newline. @return 0 if it does not
 * end */
static int sed_until(struct sed *s, const char **at, char delimiter, int is_regex, char **out) {
    struct sim_text text = {.p = s->p};
    const char *c = *at;
    int bracket = 0;
    for (; *c && (*c != delimiter || bracket); c++) {
        if (is_regex && *c == '[' && !bracket) {
            bracket = 1;
            sim_text_char(&text, *c);
            if (c[1] == '^') sim_text_char(&text, *++c);
            if (c[1] == ']') sim_text_char(&text, *++c);
            continue;
        }
        if (bracket && *c == ']') bracket = 0;
        if (*c == '\\' && c[1] && !(bracket && c[1] != 'n')) {
            c++;
            if (*c == delimiter && delimiter != '&')
                sim_text_char(&text, delimiter);
            else if (*c == 'n' && is_regex)
                sim_text_char(&text, '\n');
            else {
                size_t n = sed_escape(s, &text, c, is_regex);
                if (!n) {
                    sim_text_char(&text, '\\');
                    sim_text_char(&text, *c);
                }
                c += n ? n - 1 : 0;
            }
            continue;
        }
        sim_text_char(&text, *c);
    }
    if (!*c) return 0;
    *at = c + 1;
    *out = sim_text_get(&text);
    return 1;
}

static int sed_address(struct sed *s, const char **at, struct sed_address *a) {
    const char *c = *at;
    if (isdigit((unsigned char)*c)) {
        char *end;
        a->kind = SED_LINE;
        a->line = strtoll(c, &end, 10);
        if (*end == '~') {
            a->kind = SED_STEP;
            a->step = strtoll(end + 1, &end, 10);
        }
        *at = end;
    } else if (*c == '$') {
        a->kind = SED_LAST;
        *at = c + 1;
    } else if (*c == '/' || (*c == '\\' && c[1])) {
        char delimiter = *c == '/' ? '/' : *++c, *text;
        c++;
        if (!sed_until(s, &c, delimiter, 1, &text)) return s->wrong = "unterminated address regex", 0;
        int fold = *c == 'I';
        a->kind = SED_REGEX;
        a->re = sed_regex(s, text, fold);
        if (*text && !a->re) return 0;
        *at = c + fold;
    } else if (*c == '+' || *c == '~') {
        char *end;
        a->kind = *c == '+' ? SED_PLUS : SED_MULTIPLE;
        a->line = strtoll(c + 1, &end, 10);
        *at = end;
    }
    return 1;
}

static int sed_open_output(struct sed *s, const char *path) {
    for (size_t i = 0; i < s->n; i++) /* one file is opened once */
        if (s->commands[i].out > 0 && s->commands[i].text && strcmp(s->commands[i].text, path) == 0)
            return s->commands[i].out;
    if (strcmp(path, "/dev/stdout") == 0) return 1;
    int fd = sim_sys_open(s->p, path, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
    if (fd < 0) sim_tool_fail(s->p, "sed: couldn't open file", path, fd);
    return fd;
}

static int sed_substitute(struct sed *s, const char **at, struct sed_command *c) {
    char delimiter = **at, *pattern;
    int fold = 0;
    if (!delimiter || delimiter == '\n' || delimiter == '\\') return 0;
    ++*at;
    if (!sed_until(s, at, delimiter, 1, &pattern) || !sed_until(s, at, delimiter, 0, &c->text))
        return s->wrong = "unterminated `s' command", 0;
    for (; **at && !strchr(";}\n# ", **at); ++*at) {
        if (**at == 'g')
            c->global = 1;
        else if (**at == 'p')
            c->print = 1;
        else if (**at == 'I' || **at == 'i')
            fold = 1;
        else if (isdigit((unsigned char)**at)) {
            char *end;
            c->nth = (int)strtol(*at, &end, 10);
            *at = end - 1;
        } else if (**at == 'w') {
            const char *path = *at + 1 + strspn(*at + 1, " ");
            size_t len = strcspn(path, "\n");
            c->out = sed_open_output(s, sim_strndup(s->p, path, len));
            *at = path + len;
            if (c->out < 0) return 0;
            break;
        } else
            return 0;
    }
    c->re = sed_regex(s, pattern, fold);
    if (*pattern && !c->re) return 0;
    for (const char *t = c->text; *t; t++) {
        if (*t != '\\' || !t[1]) continue;
        t++;
        if (c->re && isdigit((unsigned char)*t) && (size_t)(*t - '0') > c->re->re_nsub)
            return s->wrong = "invalid reference on `s' command's RHS", 0;
        if (*t == 'c' || *t == 'd' || *t == 'o') return 0; /* characters by other numbers */
    }
    return 1;
}

static int sed_translate(struct sed *s, const char **at, struct sed_command *c) {
    char delimiter = **at, *from, *to;
    if (!delimiter) return 0;
    ++*at;
    if (!sed_until(s, at, delimiter, 1, &from) || !sed_until(s, at, delimiter, 1, &to))
        return s->wrong = "unterminated `y' command", 0;
    if (strlen(from) != strlen(to)) return s->wrong = "strings for `y' command are different lengths", 0;
    c->map = sim_alloc(s->p, 256);
    for (int i = 0; i < 256; i++) c->map[i] = (unsigned char)i;
    for (size_t i = 0; from[i]; i++) c->map[(unsigned char)from[i]] = (unsigned char)to[i];
    return 1;
}

/* Text of a, i, c: one line form or the classic one with a backslash and a newline. */
static char *sed_text(struct sed *s, const char **at) {
    struct sim_text text = {.p = s->p};
    const char *c = *at + strspn(*at, " \t");
    if (*c == '\\') {
        c++;
        const char *next = c + strspn(c, " \t");
        if (*next == '\n') c = next + 1;
    }
    for (; *c && *c != '\n'; c++) {
        if (*c == '\\' && c[1]) c++;
        sim_text_char(&text, *c);
    }
    sim_text_char(&text, '\n');
    *at = c;
    return sim_text_get(&text);
}

static struct sed_command *sed_new(struct sed *s) {
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 16;
        struct sed_command *grown = sim_alloc_zero(s->p, cap * sizeof *grown);
        if (s->n) memcpy(grown, s->commands, s->n * sizeof *grown);
        s->commands = grown;
        s->cap = cap;
    }
    struct sed_command *c = &s->commands[s->n];
    memset(c, 0, sizeof *c);
    return c;
}

static int sed_arguments(struct sed *s, const char **at, struct sed_command *c) {
    size_t len;
    switch (c->name) {
    case 's':
        return sed_substitute(s, at, c);
    case 'y':
        return sed_translate(s, at, c);
    case 'a':
    case 'i':
    case 'c':
        c->text = sed_text(s, at);
        return 1;
    case ':':
    case 'b':
    case 't':
    case 'T':
        *at += strspn(*at, " \t");
        len = strcspn(*at, c->name == ':' ? "\n" : ";}\n");
        if (c->name == ':') len = strcspn(*at, ";\n");
        while (len && isspace((unsigned char)(*at)[len - 1])) len--;
        c->text = sim_strndup(s->p, *at, len);
        *at += len;
        return 1;
    case 'w':
        *at += strspn(*at, " \t");
        len = strcspn(*at, "\n");
        c->text = sim_strndup(s->p, *at, len);
        c->out = sed_open_output(s, c->text);
        *at += len;
        return c->out >= 0;
    case 'q':
    case 'Q':
        *at += strspn(*at, " \t");
        len = strspn(*at, "0123456789");
        c->nth = len ? sim_digits(sim_strndup(s->p, *at, len)) : 0;
        *at += len;
        return c->nth >= 0;
    case 'W':
        *at += strspn(*at, " \t");
        len = strcspn(*at, "\n");
        c->text = sim_strndup(s->p, *at, len);
        c->out = sed_open_output(s, c->text);
        *at += len;
        return c->out >= 0;
    case 'r':
        *at += strspn(*at, " \t");
        len = strcspn(*at, "\n");
        c->text = sim_strndup(s->p, *at, len);
        *at += len;
        return 1;
    default:
        if (!strchr("pdDgGhHxnNP={}lzFeRvL", c->name)) s->wrong = "unknown command";
        return strchr("pdDgGhHxnNP={}lzF", c->name) != NULL;
    }
}

int sim_sed_compile(struct sed *s, const char *script) {
    size_t blocks[32], depth = 0;
    for (const char *at = script; *at;) {
        at += strspn(at, " \t\n;");
        if (!*at) break;
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
        struct sed_command *c = sed_new(s);
        if (!sed_address(s, &at, &c->from)) return 0;
        at += strspn(at, " \t");
        if (c->from.kind && *at == ',') {
            at++;
            at += strspn(at, " \t");
            if (!sed_address(s, &at, &c->to) || !c->to.kind) return 0;
        }
        at += strspn(at, " \t");
        while (*at == '!') {
            c->negate = 1;
            at++;
            at += strspn(at, " \t");
        }
        c->name = *at;
        if (!*at) return s->wrong = "missing command", 0;
        at++;
        if (!sed_arguments(s, &at, c)) return 0;
        if (c->name == '{') {
            if (depth == 32) return 0;
            blocks[depth++] = s->n;
        } else if (c->name == '}') {
            if (!depth) return s->wrong = "unexpected `}'", 0;
            s->commands[blocks[--depth]].jump = s->n;
        } else {
            at += strspn(at, " \t");
            if (*at && !strchr(";\n}#", *at)) return s->wrong = "extra characters after command", 0;
        }
        s->n++;
    }
    for (size_t i = 0; i < s->n; i++) {
        struct sed_command *c = &s->commands[i];
        if (!strchr("btT", c->name)) continue;
        size_t k = 0;
        while (*c->text && k < s->n && !(s->commands[k].name == ':' && strcmp(s->commands[k].text, c->text) == 0)) k++;
        if (*c->text && k == s->n) {
            s->wrong = "can't find label for jump";
            s->wrong_code = 4;
            return 0;
        }
        c->jump = *c->text ? k : s->n;
    }
    if (depth) s->wrong = "unmatched `{'";
    return depth == 0;
}
