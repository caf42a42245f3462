/* Tools about paths: readlink realpath basename dirname. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_LINKS_MAX 40

/* The path up to the last slash is dropped from the one that is being made. */
static void path_up(struct sim_text *real) {
    while (real->len > 0 && real->s[real->len - 1] != '/') real->len--;
    if (real->len > 0) real->len--;
}

char *sim_file_real(struct sim_proc *p, const char *path, enum path_need need, int keeps_links, int *why) {
    struct sim_text real = {.p = p};
    char dir[SIM_PATH_MAX];
    int links = 0;
    *why = *path ? 0 : -ENOENT;
    if (!*why && *path != '/' && !sim_path_of(p->cwd, dir, sizeof dir)) *why = -ENOENT;
    if (*why) return NULL;
    if (*path != '/' && strcmp(dir, "/") != 0) sim_text_add(&real, dir, strlen(dir));
    for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
        struct sim_fs_node *node = NULL;
        size_t n = strcspn(path, "/");
        const char *rest = path + n;
        int is_last = !rest[strspn(rest, "/")];
        if ((n == 1 && *path == '.') || (n == 2 && path[0] == '.' && path[1] == '.')) {
            if (n == 2) path_up(&real);
            path = rest;
            continue;
        }
        size_t before = real.len;
        sim_text_char(&real, '/');
        sim_text_add(&real, path, n);
        path = rest;
        int e = sim_file_node(p, sim_text_get(&real), 0, &node);
        if (!e && node->type == 'l' && !keeps_links) {
            if (++links > PATH_LINKS_MAX) {
                *why = -ELOOP;
                return NULL;
            }
            path = sim_format(p, "%s%s", node->target, rest);
            real.len = *node->target == '/' ? 0 : before;
            path += strspn(path, "/");
            continue;
        }
        if (!e && *rest && node->type != 'd' && !(keeps_links && node->type == 'l')) e = -ENOTDIR;
        if (!e || need == PATH_ANY || (need == PATH_ALL_BUT_LAST && is_last && e == -ENOENT)) continue;
        *why = e;
        return NULL;
    }
    if (!real.len) sim_text_char(&real, '/');
    return sim_text_get(&real);
}

static int tool_readlink(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"canonicalize", 'f'},
                                                   {"canonicalize-existing", 'e'},
                                                   {"canonicalize-missing", 'm'},
                                                   {"no-newline", 'n'},
                                                   {"quiet", 'q'},
                                                   {"silent", 's'},
                                                   {"verbose", 'v'},
                                                   {"zero", 'z'},
                                                   {NULL, 0}};
    struct sim_opts o;
    int how = 0, newline = 1, status = 0, verbose = 0;
    char end = '\n';
    sim_opts_start(&o, p, argc, argv, "fenmqsvz", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'f' || opt == 'e' || opt == 'm')
            how = opt;
        else if (opt == 'n')
            newline = 0;
        else if (opt == 'z')
            end = '\0';
        else if (opt == 'v')
            verbose = 1;
        else if (opt == 'q' || opt == 's')
            verbose = 0;
        else
            return sim_opts_bad(&o);
    }
    if (!o.n) {
        sim_errf(p, "readlink: missing operand\n");
        return sim_tool_hint(p, "readlink");
    }
    if (!newline && o.n > 1) {
        sim_errf(p, "readlink: ignoring --no-newline with multiple arguments\n");
        newline = 1;
    }
    for (int i = 0; i < o.n; i++) {
        struct sim_fs_node *node;
        int e = 0;
        const char *text = NULL;
        if (how)
            text = sim_file_real(p, o.operands[i],
                                 how == 'e'   ? PATH_ALL
                                 : how == 'm' ? PATH_ANY
                                              : PATH_ALL_BUT_LAST,
                                 0, &e);
        else if (!(e = sim_file_node(p, o.operands[i], 0, &node))) {
            if (node->type == 'l')
                text = node->target;
            else
                e = -EINVAL;
        }
        if (!text) {
            if (verbose) sim_tool_fail(p, "readlink", o.operands[i], e);
            status = 1;
            continue;
        }
        sim_out_str(p, text);
        if (newline) sim_out_char(p, end);
    }
    return status;
}

static int path_is_below(const char *path, const char *dir) {
    size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);
    return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

char *sim_file_relative(struct sim_proc *p, const char *from, const char *to) {
    struct sim_text out = {.p = p};
    size_t same = 0, i = 0;
    for (; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') same = i;
    if ((!from[i] || from[i] == '/') && (!to[i] || to[i] == '/')) same = i;
    for (const char *at = from + same; *at; at++)
        if (*at == '/' && at[1]) sim_text_printf(&out, "%s..", out.len ? "/" : "");
    const char *rest = to + same + strspn(to + same, "/");
    if (*rest) sim_text_printf(&out, "%s%s", out.len ? "/" : "", rest);
    if (!out.len) sim_text_char(&out, '.');
    return sim_text_get(&out);
}

struct realpath {
    enum path_need need;
    int quiet, strips, logical;
    char end;
    const char *relative_to, *relative_base;
};

static char *realpath_of(struct sim_proc *p, const struct realpath *r, const char *path) {
    int e;
    char *real = sim_file_real(p, path, r->need, r->strips || r->logical, &e);
    if (real && r->logical) real = sim_file_real(p, real, r->need, 0, &e);
    if (!real && !r->quiet) sim_tool_fail(p, "realpath", path, e);
    return real;
}

static int realpath_options(struct sim_opts *o, struct realpath *r) {
    for (int opt; (opt = sim_opts_next(o)) != -1;) {
        if (opt == 'e')
            r->need = PATH_ALL;
        else if (opt == 'm')
            r->need = PATH_ANY;
        else if (opt == 'q')
            r->quiet = 1;
        else if (opt == 's')
            r->strips = 1;
        else if (opt == 'L')
            r->logical = 1;
        else if (opt == 'P')
            r->strips = r->logical = 0;
        else if (opt == 'z')
            r->end = '\0';
        else if (opt == 'T')
            r->relative_to = o->arg;
        else if (opt == 'B')
            r->relative_base = o->arg;
        else
            return sim_opts_bad(o);
    }
    return 0;
}

static int tool_realpath(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"canonicalize-existing", 'e'},
                                                   {"canonicalize-missing", 'm'},
                                                   {"quiet", 'q'},
                                                   {"strip", 's'},
                                                   {"no-symlinks", 's'},
                                                   {"logical", 'L'},
                                                   {"physical", 'P'},
                                                   {"zero", 'z'},
                                                   {"relative-to", 'T'},
                                                   {"relative-base", 'B'},
                                                   {NULL, 0}};
    struct sim_opts o;
    struct realpath r = {.need = PATH_ALL_BUT_LAST, .end = '\n'};
    int status = 0;
    sim_opts_start(&o, p, argc, argv, "emqsLPzT:B:", longs);
    int bad = realpath_options(&o, &r);
    if (bad) return bad;
    if (!o.n) {
        sim_errf(p, "realpath: missing operand\n");
        return sim_tool_hint(p, "realpath");
    }
    const char *base = r.relative_base ? realpath_of(p, &r, r.relative_base) : NULL;
    const char *from = r.relative_to ? realpath_of(p, &r, r.relative_to) : base;
    if ((r.relative_base && !base) || (r.relative_to && !from)) return 1;
    if (base && from && !path_is_below(from, base)) base = from = NULL;
    for (int i = 0; i < o.n; i++) {
        const char *text = realpath_of(p, &r, o.operands[i]);
        if (!text) {
            status = 1;
            continue;
        }
        if (from && (!base || path_is_below(text, base))) text = sim_file_relative(p, from, text);
        sim_out_str(p, text);
        sim_out_char(p, r.end);
    }
    return status;
}

static int tool_basename(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"multiple", 'a'}, {"suffix", 's'}, {"zero", 'z'}, {NULL, 0}};
    struct sim_opts o;
    const char *suffix = NULL;
    int many = 0;
    char end = '\n';
    sim_opts_start(&o, p, argc, argv, "+as:z", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'a')
            many = 1;
        else if (opt == 'z')
            end = '\0';
        else if (opt == 's') {
            suffix = o.arg;
            many = 1;
        } else
            return sim_opts_bad(&o);
    }
    if (o.n == 0 || (!many && o.n > 2)) {
        if (o.n)
            sim_errf(p, "basename: extra operand %s\n", sim_quote(p, o.operands[2]));
        else
            sim_errf(p, "basename: missing operand\n");
        return sim_tool_hint(p, "basename");
    }
    if (!many && o.n == 2) suffix = o.operands[1];
    for (int i = 0; i < (many ? o.n : 1); i++) {
        size_t len = strlen(o.operands[i]);
        while (len > 1 && o.operands[i][len - 1] == '/') len--;
        char *path = sim_strndup(p, o.operands[i], len);
        char *base = strcmp(path, "/") == 0 ? path : sim_strdup(p, sim_base_name(path));
        size_t n = strlen(base), cut = suffix ? strlen(suffix) : 0;
        if (cut && cut < n && strcmp(base + n - cut, suffix) == 0) base[n - cut] = '\0';
        sim_out_str(p, base);
        sim_out_char(p, end);
    }
    return 0;
}

static int tool_dirname(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"zero", 'z'}, {NULL, 0}};
    struct sim_opts o;
    char end = '\n';
    sim_opts_start(&o, p, argc, argv, "z", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt != 'z') return sim_opts_bad(&o);
        end = '\0';
    }
    if (!o.n) {
        sim_errf(p, "dirname: missing operand\n");
        return sim_tool_hint(p, "dirname");
    }
    for (int i = 0; i < o.n; i++) {
        const char *path = o.operands[i];
        size_t len = strlen(path);
        while (len > 1 && path[len - 1] == '/') len--;
        while (len > 0 && path[len - 1] != '/') len--;
        while (len > 1 && path[len - 1] == '/') len--;
        if (len)
            sim_outf(p, "%.*s", (int)len, path);
        else
            sim_out_char(p, '.');
        sim_out_char(p, end);
    }
    return 0;
}

const struct sim_tool sim_tools_paths[] = {{"readlink", tool_readlink},
                                           {"realpath", tool_realpath},
                                           {"basename", tool_basename},
                                           {"dirname", tool_dirname},
                                           {NULL, NULL}};
