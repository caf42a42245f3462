/* Tools about paths: readlink realpath basename dirname. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

/* The path without links. @param need 0 = anything may be missing, 1 = all but the last is there, 2 = all of it */
static char *tree_real(struct sim_proc *p, const char *path, int need, int *why) {
    struct sim_where at;
    char dir[SIM_PATH_MAX];
    *why = sim_path(p->m, p, p->cwd, path, 1, &at);
    if (*why) {
        if (need == 0 && *why == ENOENT) *why = -1;
        *why = -*why;
        return NULL;
    }
    char *result = NULL;
    if (!at.node && need == 2)
        *why = -ENOENT;
    else if (at.node && at.node->type == 'd')
        result = sim_path_of(at.node, dir, sizeof dir) ? sim_strdup(p, dir) : NULL;
    else
        result = sim_path_of(at.dir, dir, sizeof dir) ? sim_file_join(p, dir, at.name) : NULL;
    sim_where_finish(&at);
    return result;
}

static int tool_readlink(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int how = 0, newline = 1, status = 0, verbose = 0;
    sim_opts_start(&o, p, argc, argv, "fenmqsv", NULL);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'f' || opt == 'e')
            how = opt;
        else if (opt == 'n')
            newline = 0;
        else if (opt == 'v')
            verbose = 1;
        else if (opt != 'q' && opt != 's')
            return sim_opts_bad(&o);
    }
    for (int i = 0; i < o.n; i++) {
        struct sim_fs_node *node;
        int e = 0;
        const char *text = NULL;
        if (how)
            text = tree_real(p, o.operands[i], how == 'e' ? 2 : 1, &e);
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
        sim_outf(p, newline || o.n > 1 ? "%s\n" : "%s", text);
    }
    return status;
}

static int tool_realpath(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int need = 1, status = 0, quiet = 0;
    sim_opts_start(&o, p, argc, argv, "eq", NULL);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'e')
            need = 2;
        else if (opt == 'q')
            quiet = 1;
        else
            return sim_opts_bad(&o);
    }
    for (int i = 0; i < o.n; i++) {
        int e;
        const char *text = tree_real(p, o.operands[i], need, &e);
        if (text)
            sim_outf(p, "%s\n", text);
        else {
            if (!quiet) sim_tool_fail(p, "realpath", o.operands[i], e);
            status = 1;
        }
    }
    return status;
}

static int tool_basename(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"multiple", 'a'}, {"suffix", 's'}, {NULL, 0}};
    struct sim_opts o;
    const char *suffix = NULL;
    int many = 0;
    sim_opts_start(&o, p, argc, argv, "+as:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'a')
            many = 1;
        else if (opt == 's') {
            suffix = o.arg;
            many = 1;
        } else
            return sim_opts_bad(&o);
    }
    if (o.n == 0 || (!many && o.n > 2)) {
        sim_errf(p, "basename: %s operand\n", o.n ? "extra" : "missing");
        return 1;
    }
    if (!many && o.n == 2) suffix = o.operands[1];
    for (int i = 0; i < (many ? o.n : 1); i++) {
        size_t len = strlen(o.operands[i]);
        while (len > 1 && o.operands[i][len - 1] == '/') len--;
        char *path = sim_strndup(p, o.operands[i], len);
        char *base = strcmp(path, "/") == 0 ? path : sim_strdup(p, sim_base_name(path));
        size_t n = strlen(base), cut = suffix ? strlen(suffix) : 0;
        if (cut && cut < n && strcmp(base + n - cut, suffix) == 0) base[n - cut] = '\0';
        sim_outf(p, "%s\n", base);
    }
    return 0;
}

static int tool_dirname(struct sim_proc *p, int argc, char **argv) {
    if (argc < 2) {
        sim_errf(p, "dirname: missing operand\n");
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        size_t len = strlen(argv[i]);
        while (len > 1 && argv[i][len - 1] == '/') len--;
        while (len > 0 && argv[i][len - 1] != '/') len--;
        while (len > 1 && argv[i][len - 1] == '/') len--;
        if (len)
            sim_outf(p, "%.*s\n", (int)len, argv[i]);
        else
            sim_out_str(p, ".\n");
    }
    return 0;
}

const struct sim_tool sim_tools_paths[] = {{"readlink", tool_readlink},
                                           {"realpath", tool_realpath},
                                           {"basename", tool_basename},
                                           {"dirname", tool_dirname},
                                           {NULL, NULL}};
