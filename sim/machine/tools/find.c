/* find: walks trees and asks an expression of every path. */
#include "sim/machine/tools/find.h"
#include <string.h>

struct find_walk {
    struct find *f;
    const char *path;
    int64_t depth;
    size_t root_len;
    const struct sim_fs_node *node;
    const struct find_walk *up;
};

static int find_walk_main(struct sim_proc *p, void *arg);

static void find_visit(struct find *f, const struct find_entry *e) {
    if (e->depth < f->min_depth || f->quit) return;
    if (!sim_find_ask(f, f->expression, e) || f->acts) return;
    sim_out_str(f->p, e->path);
    sim_out_char(f->p, '\n');
}

/* A link may lead back to a directory that is being walked. */
static int find_loops(struct find *f, const struct sim_fs_node *node, const char *path, const struct find_walk *up) {
    for (; f->follow && up; up = up->up) {
        if (up->node != node) continue;
        sim_errf(f->p, "find: File system loop detected; '%s' is part of the same file system loop as '%s'.\n", path,
                 up->path);
        f->status = 1;
        return 1;
    }
    return 0;
}

static void find_unhold(void *node) {
    sim_fs_release(node);
}

/* What is held while it is told of is let go of even when that ends find: who reads may have gone (SIGPIPE). */
static void find_path(struct find *f, const char *path, int64_t depth, size_t root_len, const struct find_walk *up) {
    struct sim_where at;
    struct sim_proc *p = f->p;
    int follow = f->follow || (f->follow_named && depth == 0);
    int e = sim_sys_stat(p, path, follow, &at);
    if (e && follow) e = sim_sys_stat(p, path, 0, &at);
    if (e) {
        sim_errf(p, "find: '%s': %s\n", path, sim_strerror(-e));
        f->status = 1;
        return;
    }
    if (at.node->type == 'd' && find_loops(f, at.node, path, up)) {
        sim_where_finish(&at);
        return;
    }
    void *dir_held = sim_at_end(p, find_unhold, at.dir), *node_held = sim_at_end(p, find_unhold, at.node);
    struct find_entry entry = {path, at.node, depth, root_len};
    f->prune = 0;
    if (!f->depth_first) find_visit(f, &entry);
    if (at.node->type == 'd' && !(f->prune && !f->depth_first) && !f->quit && depth < f->max_depth) {
        struct find_walk walk = {f, path, depth, root_len, at.node, up};
        p->depth += 3;
        if (p->depth >= SIM_NICE_DEPTH)
            sim_proc_deeper(p, find_walk_main, &walk);
        else
            find_walk_main(p, &walk);
        p->depth -= 3;
    }
    if (f->depth_first) find_visit(f, &entry);
    sim_drop(p, node_held);
    sim_drop(p, dir_held);
    sim_where_finish(&at);
}

static int find_walk_main(struct sim_proc *p, void *arg) {
    const struct find_walk *walk = arg;
    struct find *f = walk->f;
    struct sim_mark start = sim_mark(p);
    struct sim_list names = {.p = p};
    int e = sim_sys_list(p, walk->path, &names);
    if (e) {
        sim_errf(p, "find: '%s': %s\n", walk->path, sim_strerror(-e));
        f->status = 1;
        return 0;
    }
    for (size_t i = 0; i < names.n && !f->quit; i++) {
        struct sim_mark mark = sim_mark(p);
        size_t len = strlen(walk->path);
        const char *path =
            sim_format(p, walk->path[len - 1] == '/' ? "%s%s" : "%s/%s", walk->path, (char *)names.items[i]);
        find_path(f, path, walk->depth + 1, walk->root_len, walk);
        sim_release(p, mark);
        if (p->out_error) f->quit = 1;
    }
    sim_release(p, start);
    return 0;
}

static int tool_find(struct sim_proc *p, int argc, char **argv) {
    static char dot[] = ".";
    char *standard[] = {dot, NULL};
    struct find *f = sim_alloc_zero(p, sizeof *f);
    int i = 1;
    f->p = p;
    f->max_depth = INT64_MAX;
    for (; i < argc && (strcmp(argv[i], "-L") == 0 || strcmp(argv[i], "-P") == 0 || strcmp(argv[i], "-H") == 0); i++) {
        f->follow = argv[i][1] == 'L';
        f->follow_named = argv[i][1] == 'H';
    }
    if (i < argc && strcmp(argv[i], "--") == 0) i++;
    int first = i;
    while (i < argc && (argv[i][0] != '-' || !argv[i][1]) && strcmp(argv[i], "(") != 0 && strcmp(argv[i], "!") != 0)
        i++;
    char **paths = i > first ? argv + first : standard;
    int count = i > first ? i - first : 1;
    f->v = argv + i;
    f->n = argc - i;
    f->expression = sim_find_parse(f);
    if (!f->expression && f->wrong) {
        sim_errf(p, "find: %s\n", f->wrong);
        return 1;
    }
    if (!f->expression) {
        const char *bad = f->at > 0 && f->at <= f->n ? f->v[f->at - 1] : "";
        return sim_unsupported(p, "find %s", bad);
    }
    for (int k = 0; k < count && !f->quit; k++) find_path(f, paths[k], 0, strlen(paths[k]), NULL);
    sim_find_run_collected(f);
    return f->status;
}

const struct sim_tool sim_tools_find[] = {{"find", tool_find}, {NULL, NULL}};
