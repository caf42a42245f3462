/* awk's regular expressions, put into POSIX's terms for the C library: a backslash means something in brackets too. */
#include "sim/machine/awk/awk.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define REGEX_NESTING_MAX 100

struct regex_reader {
    struct awk *a;
    const char *at, *end;
    struct sim_text out;
    const char *why;
    int unsupported;
};

/* One escape behind its backslash; its character, or -1 for a backslash that stands before something else. */
static int regex_escape(struct regex_reader *r) {
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    if (r->at >= r->end) return '\\';
    const char *hit = *r->at ? strchr(from, *r->at) : NULL;
    if (hit) {
        r->at++;
        return (unsigned char)to[hit - from];
    }
    if (*r->at < '0' || *r->at > '7') return -1;
    int value = 0;
    for (int n = 0; n < 3 && r->at < r->end && *r->at >= '0' && *r->at <= '7'; n++)
        value = value * 8 + (*r->at++ - '0');
    return value & 255;
}

static int regex_class(struct regex_reader *r, char *set) {
    static const struct {
        const char *name;
        int (*is)(int c);
    } classes[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
                   {"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
                   {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        size_t n = strlen(classes[i].name);
        if ((size_t)(r->end - r->at) < n + 2 || memcmp(r->at, classes[i].name, n) != 0 ||
            memcmp(r->at + n, ":]", 2) != 0)
            continue;
        for (int c = 0; c < 128; c++)
            if (classes[i].is(c)) set[c] = 1;
        r->at += n + 2;
        return 1;
    }
    return 0;
}

static int regex_bracket_char(struct regex_reader *r) {
    int c = (unsigned char)*r->at++;
    if (c != '\\') return c;
    int escaped = regex_escape(r);
    return escaped >= 0 ? escaped : (unsigned char)*r->at++;
}

/* A set of characters in an order in which none of them has a meaning. */
static void regex_put_set(struct regex_reader *r, const char *set) {
    int n = 0, last = 0;
    for (int c = 1; c < 256; c++)
        if (set[c]) {
            n++;
            last = c;
        }
    if (n == 1 && last == '^') {
        sim_text_str(&r->out, "\\^");
        return;
    }
    sim_text_char(&r->out, '[');
    if (set[']']) sim_text_char(&r->out, ']');
    if (n == 2 && set['^'] && set['-']) sim_text_char(&r->out, '-');
    for (int c = 1; c < 256; c++)
        if (set[c] && !strchr("]^-[", c)) sim_text_char(&r->out, (char)c);
    if (set['[']) sim_text_char(&r->out, '[');
    if (set['^']) sim_text_char(&r->out, '^');
    if (set['-'] && !(n == 2 && set['^'])) sim_text_char(&r->out, '-');
    sim_text_char(&r->out, ']');
}

static int regex_bracket(struct regex_reader *r) {
    char set[256] = {0};
    int negate = 0, any = 0, first = 1;
    if (r->at < r->end && *r->at == '^') {
        negate = 1;
        r->at++;
    }
    for (;; first = 0) {
        if (r->at >= r->end) {
            r->why = "a [ without its ]";
            return 0;
        }
        if (*r->at == ']' && !first) break;
        if (*r->at == '[' && r->end - r->at > 1 && r->at[1] == ':') {
            r->at += 2;
            if (!regex_class(r, set)) {
                r->why = "an unknown character class";
                return 0;
            }
            continue;
        }
        int low = regex_bracket_char(r), high = low;
        if (r->end - r->at > 1 && *r->at == '-' && r->at[1] != ']') {
            r->at++;
            high = regex_bracket_char(r);
        }
        for (int c = low; c <= high; c++) set[c] = 1;
    }
    r->at++;
    for (int c = 1; c < 256; c++) {
        if (negate) set[c] = !set[c];
        any |= set[c];
    }
    if (!any) {
        r->why = "a set of no characters";
        return 0;
    }
    regex_put_set(r, set);
    return 1;
}

static void regex_put_char(struct regex_reader *r, int c) {
    if (c && strchr("\\^$.[]|()*+?{}", c)) sim_text_char(&r->out, '\\');
    sim_text_char(&r->out, (char)c);
}

/* @return 0 with what is wrong in `why` */
static int regex_translate(struct regex_reader *r) {
    int depth = 0;
    while (r->at < r->end) {
        char c = *r->at++;
        if (c == '[') {
            if (!regex_bracket(r)) return 0;
        } else if (c == '\\') {
            int escaped = regex_escape(r);
            if (escaped >= 0) {
                regex_put_char(r, escaped);
            } else if (isalnum((unsigned char)*r->at) || strchr("<>`'", *r->at)) {
                r->why = "an escape that awks understand differently";
                r->unsupported = 1;
                return 0;
            } else {
                regex_put_char(r, (unsigned char)*r->at++);
            }
        } else if (c == '{') {
            if (r->at < r->end && isdigit((unsigned char)*r->at)) {
                r->why = "{ as a count, which mawk takes as a character";
                r->unsupported = 1;
                return 0;
            }
            sim_text_str(&r->out, "\\{");
        } else {
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth > REGEX_NESTING_MAX) {
                r->why = "too many parentheses in one another";
                r->unsupported = 1;
                return 0;
            }
            sim_text_char(&r->out, c);
        }
    }
    return 1;
}

static void regex_release(void *arg) {
    regfree(arg);
}

struct awk_regex *sim_awk_regex_new(struct awk *a, const char *text, size_t len, const char **why, int *unsupported) {
    struct sim_mark mark = sim_mark(a->p);
    struct regex_reader r = {.a = a, .at = text, .end = text + len, .out = {.p = a->p}};
    struct awk_regex *regex = sim_keep(a->p, sizeof *regex);
    memset(regex, 0, sizeof *regex);
    if (regex_translate(&r) && regcomp(&regex->re, sim_text_get(&r.out), REG_EXTENDED))
        r.why = "it is no regular expression";
    sim_release(a->p, mark);
    *why = r.why;
    *unsupported = r.unsupported;
    if (r.why) {
        sim_drop(a->p, regex);
        return NULL;
    }
    regex->handle = sim_at_end(a->p, regex_release, &regex->re);
    regex->source = sim_awk_string_new(a, text, len);
    return regex;
}

void sim_awk_regex_free(struct awk *a, struct awk_regex *regex) {
    if (!regex) return;
    sim_drop(a->p, regex->handle);
    regfree(&regex->re);
    sim_awk_string_drop(a, regex->source);
    sim_drop(a->p, regex);
}

struct awk_regex *sim_awk_regex_of(struct awk *a, const char *text, size_t len) {
    size_t hash = len;
    for (size_t i = 0; i < len; i++) hash = hash * 31 + (unsigned char)text[i];
    struct awk_regex **slot = &a->cache[hash % AWK_REGEX_CACHE];
    if (*slot && (*slot)->source->len == len && memcmp((*slot)->source->text, text, len) == 0) return *slot;
    const char *why;
    int unsupported;
    struct awk_regex *regex = sim_awk_regex_new(a, text, len, &why, &unsupported);
    if (!regex && unsupported) {
        sim_awk_streams_flush(a);
        sim_proc_exit(a->p, sim_unsupported(a->p, "awk's /%s/: %s", text, why));
    }
    if (!regex) sim_awk_fail(a, "regular expression compile failed (%s): %s", why, text);
    sim_awk_regex_free(a, *slot);
    *slot = regex;
    return regex;
}

int sim_awk_regex_find(const struct awk_regex *regex, const char *text, size_t len, size_t from, regmatch_t *m) {
    m->rm_so = (regoff_t)from;
    m->rm_eo = (regoff_t)len;
    return regexec(&regex->re, text, 1, m, REG_STARTEND | (from ? REG_NOTBOL : 0)) == 0;
}
