/* Expansion of words: tilde, parameters, commands, arithmetic; then splitting into fields and names of files.
 *
 * A field grows as a pattern: what was quoted and would mean something in a pattern has a backslash before it. At the
 * end it is either matched against the tree or has its backslashes taken away. */
#include "sim/machine/sh/sh.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct expand {
    struct sh *sh;
    struct sim_proc *p;
    struct sim_text field;
    struct sim_list fields;
    int started;  /* there is a field, perhaps an empty one */
    int magic;    /* with an unquoted * ? [ in it */
    int splits;   /* unquoted results are split and matched */
    int by_blank; /* the last field was ended by blanks: a separator that follows belongs to them */
    const char *ifs;
    int after_equals; /* ~ counts after : too */
};

static void expand_parts(struct expand *x, const struct sh_part *parts, int quoted, int split_text);

/* ---- fields ---- */

static void field_end(struct expand *x) {
    if (!x->started) return;
    char *text = sim_strndup(x->p, sim_text_get(&x->field), x->field.len);
    size_t before = x->fields.n;
    if (x->splits && x->magic && !x->sh->opt_f) sim_sh_glob(x->sh, text, &x->fields);
    if (x->fields.n == before) {
        sim_sh_unescape(text);
        sim_list_add(&x->fields, text);
    }
    x->field.len = 0;
    x->started = x->magic = 0;
}

static void field_char(struct expand *x, char c, int quoted) {
    static const char meaning[] = "*?[]\\!-^";
    if ((quoted || c == '\\') && c && strchr(meaning, c))
        sim_text_char(&x->field, '\\');
    else if (c == '*' || c == '?' || c == '[')
        x->magic = 1;
    sim_text_char(&x->field, c);
    x->started = 1;
}

static void field_text(struct expand *x, const char *text, int quoted) {
    while (*text) {
        size_t plain = strcspn(text, "*?[]\\!-^");
        if (!plain) {
            field_char(x, *text++, quoted);
            continue;
        }
        sim_text_add(&x->field, text, plain);
        x->started = 1;
        text += plain;
    }
}

/* The result of an unquoted expansion, split at IFS. */
static void field_split(struct expand *x, const char *text) {
    for (; *text; text++) {
        if (!strchr(x->ifs, *text)) {
            field_char(x, *text, 0);
            x->by_blank = 0;
        } else if (strchr(" \t\n", *text)) {
            if (x->started) {
                field_end(x);
                x->by_blank = 1;
            }
        } else if (x->started || !x->by_blank) {
            x->started = 1;
            field_end(x);
        } else {
            x->by_blank = 0;
        }
    }
}

static void field_result(struct expand *x, const char *text, int quoted) {
    if (quoted || !x->splits)
        field_text(x, text, quoted);
    else
        field_split(x, text);
}

/* ---- parameters ---- */

static const char *expand_special(struct sh *sh, char c) {
    switch (c) {
    case '?':
        return sim_number(sh->p, sh->status);
    case '$':
        return sim_number(sh->p, sh->shell_pid);
    case '!':
        return sh->last_background ? sim_number(sh->p, sh->last_background) : NULL;
    case '#':
        return sim_number(sh->p, sh->args.n);
    case '-':
        return sim_sh_option_letters(sh);
    default:
        return NULL;
    }
}

/* The value of a parameter that is one text; NULL if unset. */
static const char *expand_value(struct sh *sh, const char *name) {
    if (isdigit((unsigned char)name[0])) {
        long n = strlen(name) > 6 ? 999999 : strtol(name, NULL, 10);
        if (n == 0) return sh->arg0;
        return n <= sh->args.n ? sh->args.v[n - 1] : NULL;
    }
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') return expand_special(sh, name[0]);
    if (sh->bash && strcmp(name, "LINENO") == 0) return sim_number(sh->p, sh->line);
    if (sh->bash && strcmp(name, "RANDOM") == 0)
        return sim_format(sh->p, "%llu", (unsigned long long)sim_draw_below(sh->p->m->world, "machine.random", 32768));
    return sim_sh_get(sh, name);
}

static char *expand_joined(const struct expand *x, char separator) {
    struct sim_text text = {.p = x->p};
    for (int i = 0; i < x->sh->args.n; i++) {
        if (i && separator) sim_text_char(&text, separator);
        sim_text_str(&text, x->sh->args.v[i]);
    }
    return sim_text_get(&text);
}

/* $@ and $*. */
static void expand_all(struct expand *x, char which, int quoted) {
    struct sh *sh = x->sh;
    if (!x->splits || (quoted && which == '*')) {
        char separator = which == '@' && !x->splits ? ' ' : x->ifs[0];
        field_text(x, expand_joined(x, separator), quoted);
        if (quoted && x->splits) x->started = 1;
        return;
    }
    for (int i = 0; i < sh->args.n; i++) {
        if (i) {
            if (quoted) x->started = 1;
            field_end(x);
        }
        if (quoted) {
            field_text(x, sh->args.v[i], 1);
            x->started = 1;
        } else {
            field_split(x, sh->args.v[i]);
        }
    }
}

_Noreturn static void expand_unset(struct expand *x, const struct sh_part *part) {
    sim_sh_fatal(x->sh, x->sh->bash ? "%s: unbound variable" : "%s: parameter not set", part->text);
}

static char *expand_sub(struct expand *x, const struct sh_word *word, int pattern) {
    return pattern ? sim_sh_expand_pattern(x->sh, word) : sim_sh_expand_text(x->sh, word);
}

/* Is the byte one in the middle of a character? */
static int expand_is_inside(unsigned mode, char byte) {
    return (mode & SH_MATCH_UTF8) && ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t expand_length(const struct expand *x, const char *value) {
    size_t n = 0;
    unsigned mode = sim_sh_match_mode(x->sh);
    for (; *value; value++) n += !expand_is_inside(mode, *value);
    return n;
}

static const char *expand_cut(struct expand *x, const char *value, const struct sh_part *part) {
    const char *pattern = expand_sub(x, part->word, 1);
    size_t len = strlen(value);
    int suffix = part->op == SH_PARAM_CUT_SUFFIX || part->op == SH_PARAM_CUT_SUFFIX_LONG;
    int longest = part->op == SH_PARAM_CUT_SUFFIX_LONG || part->op == SH_PARAM_CUT_PREFIX_LONG;
    unsigned mode = sim_sh_match_mode(x->sh);
    for (size_t i = 0; i <= len; i++) {
        size_t n = longest ? len - i : i; /* how much is cut */
        if (expand_is_inside(mode, value[suffix ? len - n : n])) continue;
        if (suffix ? sim_sh_match_prefix(mode, pattern, value + len - n, n)
                   : sim_sh_match_prefix(mode, pattern, value, n))
            return suffix ? sim_strndup(x->p, value, len - n) : value + n;
    }
    return value;
}

static const char *expand_slice(struct expand *x, const char *value, const struct sh_part *part) {
    int64_t len = (int64_t)strlen(value);
    if (expand_length(x, value) != (size_t)len) sim_sh_unsupported(x->sh, "${x:...} of characters beyond ASCII");
    int64_t from = sim_sh_arith(x->sh, expand_sub(x, part->word, 0));
    if (from < 0) from += len;
    if (from < 0 || from > len) return "";
    int64_t n = len - from;
    if (part->word2) {
        int64_t want = sim_sh_arith(x->sh, expand_sub(x, part->word2, 0));
        if (want < 0) want = len + want - from;
        if (want < 0) sim_sh_give_up(x->sh, "%s: substring expression < 0", part->text);
        if (want < n) n = want;
    }
    return sim_strndup(x->p, value + from, (size_t)n);
}

static const char *expand_replace(struct expand *x, const char *value, const struct sh_part *part) {
    const char *pattern = expand_sub(x, part->word, 1), *with = part->word2 ? expand_sub(x, part->word2, 0) : "";
    int anchor = *pattern == '#' || *pattern == '%' ? *pattern : 0;
    if (anchor) pattern++;
    struct sim_text out = {.p = x->p};
    size_t len = strlen(value), i = 0;
    unsigned mode = sim_sh_match_mode(x->sh);
    if (!*pattern) return value;
    while (i <= len) {
        size_t n = len - i;
        int hit = 0;
        for (;; n--) {
            if (n && expand_is_inside(mode, value[i + n])) continue;
            hit = (anchor != '%' || i + n == len) && sim_sh_match_prefix(mode, pattern, value + i, n);
            if (hit || n == 0) break;
        }
        if (anchor == '#' && i > 0) hit = 0;
        if (hit && (n || len == 0)) {
            sim_text_str(&out, with);
            i += n;
            if (part->op == SH_PARAM_REPLACE || len == 0) break;
        } else {
            if (i < len) sim_text_char(&out, value[i]);
            i++;
        }
    }
    if (i < len) sim_text_str(&out, value + i);
    return sim_text_get(&out);
}

static int expand_is_set(struct expand *x, const struct sh_part *part, const char **value) {
    if (part->text[0] == '@' || part->text[0] == '*') {
        *value = expand_joined(x, ' ');
        return x->sh->args.n > 0 || !x->sh->bash; /* to dash $@ is always set */
    }
    *value = expand_value(x->sh, part->text);
    return *value != NULL;
}

/* ${x-word} and its kin. */
static void expand_conditional(struct expand *x, const struct sh_part *part, int quoted) {
    const char *value;
    int use = expand_is_set(x, part, &value) && !(part->colon && !*value);
    int many = part->text[0] == '@' || part->text[0] == '*';
    if (part->op == SH_PARAM_ALTERNATE) {
        if (use) expand_parts(x, part->word->parts, quoted, 1);
        if (quoted && x->splits && (use ? !part->word->parts : !many)) x->started = 1;
        return;
    }
    if (use) {
        if (many)
            expand_all(x, part->text[0], quoted);
        else
            field_result(x, value, quoted);
    } else if (part->op == SH_PARAM_DEFAULT) {
        expand_parts(x, part->word->parts, quoted, 1);
    } else if (part->op == SH_PARAM_ASSIGN) {
        if (!sim_sh_is_name(part->text, strlen(part->text)))
            sim_sh_give_up(x->sh, x->sh->bash ? "$%s: cannot assign in this way" : "%s: bad variable name", part->text);
        char *text = expand_sub(x, part->word, 0);
        sim_sh_set(x->sh, part->text, text);
        field_result(x, text, quoted);
    } else {
        const char *text = expand_sub(x, part->word, 0);
        const char *null = x->sh->bash ? "parameter null or not set" : "parameter not set or null";
        if (!*text) text = part->colon ? null : "parameter not set";
        sim_sh_fatal(x->sh, "%s: %s", part->text, text);
    }
    if (quoted && x->splits && (!many || (use && x->sh->args.n == 0))) x->started = 1;
}

static void expand_param(struct expand *x, const struct sh_part *part, int quoted) {
    const char *value = NULL;
    int many = part->text[0] == '@' || part->text[0] == '*';
    switch (part->op) {
    case SH_PARAM_DEFAULT:
    case SH_PARAM_ASSIGN:
    case SH_PARAM_ERROR:
    case SH_PARAM_ALTERNATE:
        expand_conditional(x, part, quoted);
        return;
    case SH_PARAM_BAD:
        sim_sh_give_up(x->sh, x->sh->bash ? "${%s}: bad substitution" : "Bad substitution", part->text);
    case SH_PARAM_PLAIN:
    case SH_PARAM_LENGTH:
    case SH_PARAM_CUT_SUFFIX:
    case SH_PARAM_CUT_SUFFIX_LONG:
    case SH_PARAM_CUT_PREFIX:
    case SH_PARAM_CUT_PREFIX_LONG:
    case SH_PARAM_SLICE:
    case SH_PARAM_REPLACE:
    case SH_PARAM_REPLACE_ALL:
        break;
    }
    if (part->op == SH_PARAM_PLAIN && many) {
        expand_all(x, part->text[0], quoted);
        return;
    }
    if (many && part->op >= SH_PARAM_SLICE) sim_sh_unsupported(x->sh, "${@...} with bash's operators");
    int set = expand_is_set(x, part, &value);
    if (!set && x->sh->opt_u && !many) expand_unset(x, part);
    if (!value) value = "";
    if (part->op == SH_PARAM_LENGTH) {
        if (many && x->sh->bash)
            value = sim_number(x->p, x->sh->args.n);
        else
            value = sim_number(x->p, (int64_t)expand_length(x, value));
    } else if (part->op == SH_PARAM_SLICE)
        value = expand_slice(x, value, part);
    else if (part->op == SH_PARAM_REPLACE || part->op == SH_PARAM_REPLACE_ALL)
        value = expand_replace(x, value, part);
    else if (part->op != SH_PARAM_PLAIN)
        value = expand_cut(x, value, part);
    field_result(x, value, quoted);
    if (quoted && x->splits) x->started = 1;
}

/* ---- the other parts ---- */

/* ~ and ~user at the beginning of a text. @return what follows it */
static const char *expand_tilde(struct expand *x, const char *text, int more_parts) {
    size_t len = strcspn(text, x->after_equals ? "/:" : "/");
    if (text[len] == '\0' && more_parts) return text;
    const char *home = NULL;
    struct sim_machine *m = x->p->m;
    if (len == 1) {
        home = sim_sh_get(x->sh, "HOME");
    } else {
        char *user = sim_strndup(x->p, text + 1, len - 1);
        if (strcmp(user, m->user) == 0)
            home = m->home_path;
        else if (strcmp(user, "root") == 0)
            home = "/root";
    }
    if (!home) return text;
    field_text(x, home, 1);
    x->started = 1;
    return text + len;
}

static void expand_literal(struct expand *x, const struct sh_part *part, int first, int quoted, int split_text) {
    const char *text = part->text;
    int q = part->quoted || quoted;
    if (!q && first && *text == '~') text = expand_tilde(x, text, part->next != NULL);
    if (part->quoted) x->started = 1;
    if (!q && split_text && x->splits) {
        field_split(x, text);
        return;
    }
    if (q || !x->after_equals) {
        field_text(x, text, q);
        return;
    }
    for (; *text; text++) {
        field_char(x, *text, q);
        if (text[1] == '~' && (*text == ':' || (x->splits && *text == '=')))
            text = expand_tilde(x, text + 1, part->next != NULL) - 1;
    }
}

static void expand_command(struct expand *x, const struct sh_part *part, int quoted) {
    size_t len;
    char *text = sim_sh_capture(x->sh, part->command, &len);
    while (len && text[len - 1] == '\n') text[--len] = '\0';
    field_result(x, text, quoted);
    if (quoted && x->splits) x->started = 1;
}

static void expand_parts(struct expand *x, const struct sh_part *parts, int quoted, int split_text) {
    for (const struct sh_part *part = parts; part; part = part->next) {
        int q = quoted || part->quoted;
        switch (part->kind) {
        case SH_PART_TEXT:
            expand_literal(x, part, part == parts, quoted, split_text);
            break;
        case SH_PART_PARAM:
            expand_param(x, part, q);
            break;
        case SH_PART_COMMAND:
            expand_command(x, part, q);
            break;
        case SH_PART_ARITH:
            field_result(x, sim_number(x->p, sim_sh_arith(x->sh, sim_sh_expand_text(x->sh, part->word))), q);
            break;
        }
    }
}

static void expand_start(struct expand *x, struct sh *sh, int splits) {
    memset(x, 0, sizeof *x);
    x->sh = sh;
    x->p = sh->p;
    x->field.p = x->fields.p = sh->p;
    x->splits = splits;
    x->ifs = sim_sh_get(sh, "IFS");
    if (!x->ifs) x->ifs = " \t\n";
}

/* bash takes name=~ for an assignment wherever it stands. */
static int expand_looks_assigned(const struct sh_part *part) {
    const char *equals = part && part->kind == SH_PART_TEXT && !part->quoted ? strchr(part->text, '=') : NULL;
    return equals && sim_sh_is_name(part->text, (size_t)(equals - part->text));
}

char **sim_sh_expand_words(struct sh *sh, const struct sh_word *words, int *n) {
    struct expand x;
    expand_start(&x, sh, 1);
    for (; words; words = words->next) {
        const struct sh_part *part = words->parts;
        x.by_blank = 0;
        if (part && !part->next && part->kind == SH_PART_TEXT && (part->quoted || !strpbrk(part->text, "*?[~\\"))) {
            if (sh->bash && !part->quoted && strchr(part->text, '{') && strpbrk(strchr(part->text, '{'), ",.") &&
                strchr(part->text, '}'))
                sim_sh_unsupported(sh, "brace expansion");
            sim_list_add(&x.fields, part->text); /* most words are plain, and are not changed by anybody */
            continue;
        }
        x.after_equals = sh->bash && expand_looks_assigned(part);
        expand_parts(&x, part, 0, 0);
        x.after_equals = 0;
        field_end(&x);
    }
    *n = (int)x.fields.n;
    return sim_list_texts(&x.fields);
}

static char *expand_whole(struct sh *sh, const struct sh_word *word, int after_equals) {
    struct expand x;
    expand_start(&x, sh, 0);
    x.after_equals = after_equals;
    expand_parts(&x, word->parts, 0, 0);
    return sim_text_get(&x.field);
}

char *sim_sh_expand_pattern(struct sh *sh, const struct sh_word *word) {
    return expand_whole(sh, word, 0);
}

char *sim_sh_expand_text(struct sh *sh, const struct sh_word *word) {
    const struct sh_part *part = word->parts;
    if (!part) return sim_strdup(sh->p, "");
    if (!part->next && part->kind == SH_PART_TEXT && part->text[0] != '~') return sim_strdup(sh->p, part->text);
    char *text = expand_whole(sh, word, 0);
    sim_sh_unescape(text);
    return text;
}

char *sim_sh_expand_assign(struct sh *sh, const struct sh_word *word) {
    char *text = expand_whole(sh, word, 1);
    sim_sh_unescape(text);
    return text;
}

char *sim_sh_expand_string(struct sh *sh, const char *text) {
    if (!strpbrk(text, "$`\\")) return sim_strdup(sh->p, text);
    struct sh_ast *ast = sim_sh_ast_new(sh->p);
    void *handle = sim_sh_ast_hold(sh->p, ast);
    char *result = sim_sh_expand_text(sh, sim_sh_lex_text(sh, ast, text));
    sim_sh_ast_unhold(sh->p, handle, ast);
    return result;
}

char *sim_sh_quote(struct sim_proc *p, const char *text) {
    struct sim_text out = {.p = p};
    if (!*text) return sim_strdup(p, "''");
    while (*text) {
        size_t plain = strcspn(text, "'");
        if (plain) {
            sim_text_char(&out, '\'');
            sim_text_add(&out, text, plain);
            sim_text_char(&out, '\'');
            text += plain;
        }
        size_t quotes = strspn(text, "'");
        if (quotes) {
            sim_text_char(&out, '"');
            sim_text_add(&out, text, quotes);
            sim_text_char(&out, '"');
            text += quotes;
        }
    }
    return sim_text_get(&out);
}
