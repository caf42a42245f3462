/* rm. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

struct rm {
    int recursive, force, dirs, verbose;
    int status;
};

static void rm_fail(struct sim_proc *p, struct rm *r, const char *path, int e) {
    sim_errf(p, "rm: cannot remove '%s': %s\n", path, sim_strerror(-e));
    r->status = 1;
}

static int rm_tree_main(struct sim_proc *p, void *arg);

struct rm_tree {
    struct rm *r;
    const char *path;
};

static void rm_one(struct sim_proc *p, struct rm *r, const char *path) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, 0, &at);
    if (e) {
        if (!(r->force && (e == -ENOENT || e == -ENOTDIR))) rm_fail(p, r, path, e);
        return;
    }
    int is_dir = at.node->type == 'd';
    sim_where_finish(&at);
    if (!is_dir) {
        e = sim_sys_unlink(p, path);
        if (e)
            rm_fail(p, r, path, e);
        else if (r->verbose)
            sim_outf(p, "removed '%s'\n", path);
        return;
    }
    if (!r->recursive && !r->dirs) {
        rm_fail(p, r, path, -EISDIR);
        return;
    }
    if (r->recursive) {
        struct rm_tree tree = {r, path};
        p->depth += 4;
        if (p->depth >= SIM_NICE_DEPTH)
            sim_proc_deeper(p, rm_tree_main, &tree);
        else
            rm_tree_main(p, &tree);
        p->depth -= 4;
    }
    e = sim_sys_rmdir(p, path);
    if (e && !(e == -ENOTEMPTY && r->status))
        rm_fail(p, r, path, e);
    else if (!e && r->verbose)
        sim_outf(p, "removed directory '%s'\n", path);
}

static int rm_tree_main(struct sim_proc *p, void *arg) {
    const struct rm_tree *tree = arg;
    struct sim_mark mark = sim_mark(p);
    struct sim_list names = {.p = p};
    int e = sim_sys_list(p, tree->path, &names);
    if (e) rm_fail(p, tree->r, tree->path, e);
    for (size_t i = 0; !e && i < names.n; i++) rm_one(p, tree->r, sim_file_join(p, tree->path, names.items[i]));
    sim_release(p, mark);
    return 0;
}

static int tool_rm(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"recursive", 'r'}, {"force", 'f'}, {"dir", 'd'}, {"verbose", 'v'}, {NULL, 0}};
    struct rm r = {0};
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "rRfdv", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'r' || opt == 'R')
            r.recursive = 1;
        else if (opt == 'f')
            r.force = 1;
        else if (opt == 'd')
            r.dirs = 1;
        else if (opt == 'v')
            r.verbose = 1;
        else
            return sim_opts_bad(&o);
    }
    if (o.n == 0 && !r.force) {
        sim_errf(p, "rm: missing operand\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        const char *last = sim_file_last(p, o.operands[i]);
        if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0) {
            sim_errf(p, "rm: refusing to remove '.' or '..' directory: skipping '%s'\n", o.operands[i]);
            r.status = 1;
        } else if (r.recursive && strcmp(o.operands[i], "/") == 0) {
            sim_errf(p, "rm: it is dangerous to operate recursively on '/'\n");
            r.status = 1;
        } else {
            rm_one(p, &r, o.operands[i]);
        }
    }
    return r.status;
}

const struct sim_tool sim_tools_rm[] = {{"rm", tool_rm}, {NULL, NULL}};
