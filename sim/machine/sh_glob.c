/* Patterns: matching texts, and names of files. A backslash in a pattern makes the next character ordinary. */
#include "sim/machine/sh.h"
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

/* A bracket expression behind its [. @return what follows it, NULL if it has no end (then [ is ordinary) */
static const char *glob_bracket(const char *p, unsigned char c, int *hit) {
    int negate = *p == '!' || *p == '^';
    *hit = 0;
    if (negate) p++;
    for (int first = 1; first || *p != ']'; first = 0) {
        if (!*p) return NULL;
        if (p[0] == '[' && p[1] == ':') {
            const char *end = strstr(p + 2, ":]");
            if (end) {
                *hit |= glob_class(p + 2, (size_t)(end - p - 2), c);
                p = end + 2;
                continue;
            }
        }
        if (*p == '\\' && p[1]) p++;
        unsigned char low = (unsigned char)*p++, high = low;
        if (p[0] == '-' && p[1] && p[1] != ']') {
            p++;
            if (*p == '\\' && p[1]) p++;
            high = (unsigned char)*p++;
        }
        *hit |= c >= low && c <= high;
    }
    if (negate) *hit = !*hit;
    return p + 1;
}

/* One pattern element other than * against a character. @return what follows it, NULL if it does not match */
static const char *glob_one(const char *p, unsigned char c) {
    if (*p == '?') return p + 1;
    if (*p == '[') {
        int hit;
        const char *after = glob_bracket(p + 1, c, &hit);
        if (after) return hit ? after : NULL;
    }
    if (*p == '\\' && p[1]) p++;
    return *p && (unsigned char)*p == c ? p + 1 : NULL;
}

int sim_sh_match_prefix(const char *pattern, const char *text, size_t len) {
    const char *star = NULL, *end = text + len, *star_text = NULL;
    for (;;) {
        if (*pattern == '*') {
            while (*pattern == '*') pattern++;
            star = pattern;
            star_text = text;
            continue;
        }
        if (text == end) return *pattern == '\0';
        const char *after = glob_one(pattern, (unsigned char)*text);
        if (after) {
            pattern = after;
            text++;
        } else if (star) {
            text = ++star_text; /* the last star takes one more; earlier ones need not */
            pattern = star;
        } else {
            return 0;
        }
        if (star_text && star_text > end) return 0;
    }
}

int sim_sh_match(const char *pattern, const char *text) {
    return sim_sh_match_prefix(pattern, text, strlen(text));
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
    if (sim_sys_list(p, *dir ? dir : ".", &names)) return;
    int hidden = part[0] == '.' || (part[0] == '\\' && part[1] == '.');
    if (hidden && !sh->bash) {
        sim_list_add(&names, sim_strdup(p, "."));
        sim_list_add(&names, sim_strdup(p, ".."));
    }
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.items[i];
        if ((name[0] == '.' && !hidden) || !sim_sh_match(part, name)) continue;
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
