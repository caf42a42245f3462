/* Patterns: matching texts, and names of files. A backslash in a pattern makes the next character ordinary. */
#include "sim/machine/sh/sh.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>

static int glob_class(const char *name, size_t len, unsigned char c) {
    static const struct {
        const char *name;
        int (*is)(int);
    } classes[] = {{"alpha", isalpha}, {"digit", isdigit}, {"alnum", isalnum}, {"upper", isupper},
                   {"lower", islower}, {"space", isspace}, {"blank", isblank}, {"punct", ispunct},
                   {"print", isprint}, {"graph", isgraph}, {"cntrl", iscntrl}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strlen(classes[i].name) == len && memcmp(classes[i].name, name, len) == 0) return classes[i].is(c) != 0;
    return 0;
}

/* The character at a text: how many bytes it has, and which it is. A byte that is none is one of its own kind. */
static size_t glob_char(unsigned mode, const char *text, const char *end, uint32_t *c) {
    const unsigned char *at = (const unsigned char *)text;
    size_t n = at[0] < 0xc2 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 1;
    *c = at[0];
    if (!(mode & SH_MATCH_UTF8) || n == 1 || (size_t)(end - text) < n) return 1;
    uint32_t value = at[0] & (0xffU >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | (at[i] & 0x3f);
    }
    *c = value;
    return n;
}

/* An end of a range, with the backslash that makes it ordinary. */
static const char *glob_end_of_range(unsigned mode, const char *p, uint32_t *c) {
    if (*p == '\\' && p[1]) p++;
    return p + glob_char(mode, p, p + strlen(p), c);
}

/* A bracket expression behind its [. @return what follows it, NULL if it has no end (then [ is ordinary) */
static const char *glob_bracket(unsigned mode, const char *p, uint32_t c, int *hit) {
    int negate = *p == '!' || (*p == '^' && (mode & SH_MATCH_CARET));
    *hit = 0;
    if (negate) p++;
    for (int first = 1; first || *p != ']'; first = 0) {
        if (!*p) return NULL;
        if (p[0] == '[' && p[1] == ':') {
            const char *end = strstr(p + 2, ":]");
            if (end) {
                *hit |= c < 0x80 && glob_class(p + 2, (size_t)(end - p - 2), (unsigned char)c);
                p = end + 2;
                continue;
            }
        }
        uint32_t low, high;
        p = glob_end_of_range(mode, p, &low);
        high = low;
        if (p[0] == '-' && p[1] && p[1] != ']') p = glob_end_of_range(mode, p + 1, &high);
        *hit |= c >= low && c <= high;
    }
    if (negate) *hit = !*hit;
    return p + 1;
}

/* One pattern element other than * against a character of `n` bytes. @return what follows it, NULL if it does not
 * match */
static const char *glob_one(unsigned mode, const char *p, const char *text, size_t n, uint32_t c) {
    if (*p == '?') return p + 1;
    if (*p == '[') {
        int hit;
        const char *after = glob_bracket(mode, p + 1, c, &hit);
        if (after) return hit ? after : NULL;
    }
    if (*p == '\\' && p[1]) p++;
    return *p && strncmp(p, text, n) == 0 ? p + n : NULL;
}

int sim_sh_match_prefix(unsigned mode, const char *pattern, const char *text, size_t len) {
    const char *star = NULL, *end = text + len, *star_text = NULL;
    uint32_t c;
    for (;;) {
        if (*pattern == '*') {
            while (*pattern == '*') pattern++;
            star = pattern;
            star_text = text;
            continue;
        }
        if (text == end) return *pattern == '\0';
        size_t n = glob_char(mode, text, end, &c);
        const char *after = glob_one(mode, pattern, text, n, c);
        if (after) {
            pattern = after;
            text += n;
        } else if (star) {
            star_text += glob_char(mode, star_text, end, &c);
            text = star_text; /* the last star takes one more; earlier ones need not */
            pattern = star;
        } else {
            return 0;
        }
    }
}

int sim_sh_match(const char *pattern, const char *text) {
    return sim_sh_match_prefix(SH_MATCH_CARET, pattern, text, strlen(text));
}

unsigned sim_sh_match_mode(const struct sh *sh) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    if (!sh->bash) return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = sim_sh_get(sh, names[i]);
        if (!value || !*value) continue;
        return strstr(value, "UTF-8") || strstr(value, "utf8") ? SH_MATCH_CARET | SH_MATCH_UTF8 : SH_MATCH_CARET;
    }
    return SH_MATCH_CARET;
}

void sim_sh_unescape(char *pattern) {
    char *to = pattern;
    for (const char *from = pattern; *from; from++) {
        if (*from == '\\' && from[1]) from++;
        *to++ = *from;
    }
    *to = '\0';
}

static int glob_has_magic(const char *p, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (p[i] == '\\')
            i++;
        else if (strchr("*?[", p[i]))
            return 1;
    }
    return 0;
}

static int glob_exists(struct sim_proc *p, const char *path) {
    struct sim_where at;
    if (sim_sys_stat(p, path, 0, &at)) return 0;
    sim_where_finish(&at);
    return 1;
}

/* All paths that begin with `base` (which is there) and go on as the pattern says. */
static void glob_walk(struct sh *sh, const char *base, const char *pattern, struct sim_list *out) {
    struct sim_proc *p = sh->p;
    size_t slashes = strspn(pattern, "/");
    const char *dir = sim_format(p, "%s%.*s", base, (int)slashes, pattern);
    pattern += slashes;
    size_t len = strcspn(pattern, "/");
    if (len == 0) {
        if (glob_exists(p, dir)) sim_list_add(out, sim_strdup(p, dir));
        return;
    }
    char *part = sim_strndup(p, pattern, len);
    const char *rest = pattern + len;
    if (!glob_has_magic(part, len)) {
        sim_sh_unescape(part);
        const char *path = sim_format(p, "%s%s", dir, part);
        if (*rest)
            glob_walk(sh, path, rest, out);
        else if (glob_exists(p, path))
            sim_list_add(out, sim_strdup(p, path));
        return;
    }
    struct sim_list names = {.p = p};
    unsigned mode = sim_sh_match_mode(sh);
    if (sim_sys_list(p, *dir ? dir : ".", &names)) return;
    int hidden = part[0] == '.' || (part[0] == '\\' && part[1] == '.');
    if (hidden && !sh->bash) {
        sim_list_add(&names, sim_strdup(p, "."));
        sim_list_add(&names, sim_strdup(p, ".."));
    }
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.items[i];
        if ((name[0] == '.' && !hidden) || !sim_sh_match_prefix(mode, part, name, strlen(name))) continue;
        const char *path = sim_format(p, "%s%s", dir, name);
        if (!*rest) {
            sim_list_add(out, sim_strdup(p, path));
            continue;
        }
        struct sim_where at;
        if (sim_sys_stat(p, path, 1, &at)) continue;
        int is_dir = at.node->type == 'd';
        sim_where_finish(&at);
        if (is_dir) glob_walk(sh, path, rest, out);
    }
}

static void glob_sort(char **v, size_t n) {
    for (size_t gap = n / 2; gap; gap /= 2)
        for (size_t i = gap; i < n; i++)
            for (size_t j = i; j >= gap && strcmp(v[j - gap], v[j]) > 0; j -= gap) {
                char *swap = v[j];
                v[j] = v[j - gap];
                v[j - gap] = swap;
            }
}

void sim_sh_glob(struct sh *sh, const char *pattern, struct sim_list *out) {
    size_t before = out->n;
    glob_walk(sh, "", pattern, out);
    if (out->n > before) glob_sort((char **)out->items + before, out->n - before);
}
