/* Tools that give files other names or twins: cp mv ln. */
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

#define FILE_BUFFER 65536

struct cp {
    int recursive, force, preserve, preserve_mode, no_clobber, follow, no_follow, update, verbose, link;
    int status;
    const char *who;
};

static void cp_fail(struct sim_proc *p, struct cp *c, const char *what, const char *path, int e) {
    sim_errf(p, "%s: cannot %s %s: %s\n", c->who, what, sim_quote_name(p, path, 1), sim_strerror(-e));
    c->status = 1;
}

static void cp_attributes(struct sim_proc *p, const struct cp *c, const struct sim_fs_node *node, const char *to,
                          int made) {
    if (c->preserve || c->preserve_mode)
        sim_sys_chmod(p, to, node->mode);
    else if (made)
        sim_sys_chmod(p, to, node->mode & ~p->umask & 0777);
    if (c->preserve) sim_sys_utime(p, to, 1, node->atime_ns, node->mtime_ns);
}

/* Is what is at `path` as new as `node`? */
static int copy_is_newer(struct sim_proc *p, const char *path, const struct sim_fs_node *node) {
    struct sim_where at;
    if (sim_sys_stat(p, path, 1, &at)) return 0;
    int newer = at.node->mtime_ns >= node->mtime_ns;
    sim_where_finish(&at);
    return newer;
}

static void cp_file(struct sim_proc *p, struct cp *c, const struct sim_fs_node *node, const char *from,
                    const char *to) {
    struct sim_where at = {0};
    int there = !sim_sys_stat(p, to, 1, &at);
    int same = there && at.node == node;
    if (there) sim_where_finish(&at);
    if (same) {
        sim_errf(p, "%s: %s and %s are the same file\n", c->who, sim_quote_name(p, from, 1), sim_quote_name(p, to, 1));
        c->status = 1;
        return;
    }
    if (there && c->no_clobber) return;
    if (there && c->update && copy_is_newer(p, to, node)) return;
    if (c->link) {
        int e = sim_sys_link(p, from, to);
        if (e) cp_fail(p, c, "create hard link", to, e);
        return;
    }
    int in = sim_sys_open(p, from, SIM_O_READ, 0);
    if (in < 0) {
        sim_errf(p, "%s: cannot open %s for reading: %s\n", c->who, sim_quote_name(p, from, 1), sim_strerror(-in));
        c->status = 1;
        return;
    }
    int out = sim_sys_open(p, to, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
    if (out == -EACCES && c->force && !sim_sys_unlink(p, to))
        out = sim_sys_open(p, to, SIM_O_WRITE | SIM_O_CREATE, 0666);
    if (out < 0) {
        cp_fail(p, c, "create regular file", to, out);
        sim_sys_close(p, in);
        return;
    }
    char *buf = sim_keep(p, FILE_BUFFER);
    ptrdiff_t n;
    int e = 0;
    while (!e && (n = sim_sys_read(p, in, buf, FILE_BUFFER)) > 0) e = sim_sys_write(p, out, buf, (size_t)n);
    sim_drop(p, buf);
    sim_sys_close(p, in);
    sim_sys_close(p, out);
    if (e) {
        sim_errf(p, "%s: error writing %s: %s\n", c->who, sim_quote_name(p, to, 1), sim_strerror(-e));
        c->status = 1;
    }
    cp_attributes(p, c, node, to, !there);
}

static void cp_one(struct sim_proc *p, struct cp *c, const char *from, const char *to, int top);

struct cp_tree {
    struct cp *c;
    const char *from, *to;
};

static int cp_tree_main(struct sim_proc *p, void *arg) {
    const struct cp_tree *t = arg;
    struct sim_mark mark = sim_mark(p);
    struct sim_list names = {.p = p};
    int e = sim_sys_list(p, t->from, &names);
    if (e) cp_fail(p, t->c, "access", t->from, e);
    for (size_t i = 0; !e && i < names.n; i++)
        cp_one(p, t->c, sim_file_join(p, t->from, names.items[i]), sim_file_join(p, t->to, names.items[i]), 0);
    sim_release(p, mark);
    return 0;
}

static void cp_dir(struct sim_proc *p, struct cp *c, struct sim_fs_node *node, const char *from, const char *to) {
    struct sim_where at = {0};
    if (!c->recursive) {
        sim_errf(p, "%s: -r not specified; omitting directory %s\n", c->who, sim_quote_name(p, from, 1));
        c->status = 1;
        return;
    }
    int e = sim_sys_mkdir(p, to, node->mode | 0700);
    int made = !e;
    if (e == -EEXIST && sim_file_is_dir(p, to)) e = 0;
    if (e) {
        cp_fail(p, c, "create directory", to, e);
        return;
    }
    if (!sim_sys_stat(p, to, 1, &at)) {
        int inside = sim_fs_contains(node, at.node);
        sim_where_finish(&at);
        if (inside) {
            sim_errf(p, "%s: cannot copy a directory, %s, into itself, %s\n", c->who, sim_quote_name(p, from, 1),
                     sim_quote_name(p, to, 1));
            c->status = 1;
            if (made) sim_sys_rmdir(p, to);
            return;
        }
    }
    struct cp_tree tree = {c, from, to};
    p->depth += 4;
    if (p->depth >= SIM_NICE_DEPTH)
        sim_proc_deeper(p, cp_tree_main, &tree);
    else
        cp_tree_main(p, &tree);
    p->depth -= 4;
    cp_attributes(p, c, node, to, made);
}

static void cp_one(struct sim_proc *p, struct cp *c, const char *from, const char *to, int top) {
    struct sim_where at;
    int follow = c->follow || (top && !c->recursive && !c->no_follow);
    int e = sim_sys_stat(p, from, follow, &at);
    if (e) {
        cp_fail(p, c, "stat", from, e);
        return;
    }
    if (at.node->type != 'd' && sim_file_is_dir(p, to) && !top) {
        sim_errf(p, "%s: cannot overwrite directory %s with non-directory\n", c->who, sim_quote_name(p, to, 1));
        c->status = 1;
    } else if (at.node->type == 'd') {
        cp_dir(p, c, at.node, from, to);
    } else if (at.node->type == 'l') {
        int type = sim_file_type(p, to, 0);
        if (type && type != 'd') sim_sys_unlink(p, to);
        e = sim_sys_symlink(p, at.node->target, to);
        if (e) cp_fail(p, c, "create symbolic link", to, e);
    } else if (at.node->type == 'p') {
        e = sim_sys_mkfifo(p, to, at.node->mode);
        if (e) cp_fail(p, c, "create fifo", to, e);
    } else {
        cp_file(p, c, at.node, from, to);
    }
    if (c->verbose && !c->status) sim_outf(p, "%s -> %s\n", sim_quote_name(p, from, 1), sim_quote_name(p, to, 1));
    sim_where_finish(&at);
}

/* Where operand `from` goes when the last operand, or -t, is `target`. */
static char *file_target(struct sim_proc *p, const char *target, const char *from, int into_dir) {
    return into_dir ? sim_file_join(p, target, sim_file_last(p, from)) : sim_strdup(p, target);
}

/* Source and target operands of cp, mv, ln. @return number of sources, 0 after complaining */
static int file_operands(struct sim_opts *o, const char *target_dir, int no_target_dir, const char **target,
                         int *into_dir) {
    const char *who = sim_base_name(o->argv[0]);
    int n = o->n;
    *target = target_dir ? target_dir : n > 1 ? o->operands[--n] : NULL;
    if (n < 1 || !*target) {
        sim_errf(o->p, "%s: missing file operand\n", who);
        sim_tool_hint(o->p, who);
        return 0;
    }
    *into_dir = !no_target_dir && sim_file_is_dir(o->p, *target);
    if ((n > 1 || target_dir) && !*into_dir) {
        sim_errf(o->p, "%s: target %s: %s\n", who, sim_quote_name(o->p, *target, 1),
                 sim_strerror(sim_file_type(o->p, *target, 1) ? ENOTDIR : ENOENT));
        return 0;
    }
    return n;
}

static int tool_cp(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"recursive", 'r'},
                                                   {"archive", 'a'},
                                                   {"force", 'f'},
                                                   {"no-clobber", 'n'},
                                                   {"verbose", 'v'},
                                                   {"target-directory", 't'},
                                                   {"no-target-directory", 'T'},
                                                   {"dereference", 'L'},
                                                   {"update", 'u'},
                                                   {"link", 'l'},
                                                   {"preserve", '1'},
                                                   {"one-file-system", 'x'},
                                                   {"no-dereference", 'P'},
                                                   {NULL, 0}};
    struct cp c = {.who = "cp"};
    struct sim_opts o;
    const char *target_dir = NULL, *target;
    int no_target_dir = 0, into_dir;
    sim_opts_start(&o, p, argc, argv, "rRafpnvdPLt:Tulx1::", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'r' || opt == 'R')
            c.recursive = 1;
        else if (opt == 'a')
            c.recursive = c.preserve = 1;
        else if (opt == 'f')
            c.force = 1;
        else if (opt == 'p')
            c.preserve = 1;
        else if (opt == 'n')
            c.no_clobber = 1;
        else if (opt == 'v')
            c.verbose = 1;
        else if (opt == 'L')
            c.follow = 1;
        else if (opt == 'P' || opt == 'd')
            c.no_follow = 1;
        else if (opt == 'u')
            c.update = 1;
        else if (opt == 'l')
            c.link = 1;
        else if (opt == '1') {
            if (o.arg && strcmp(o.arg, "mode") == 0)
                c.preserve_mode = 1;
            else if (!o.arg || strcmp(o.arg, "all") == 0 || strstr(o.arg, "timestamps"))
                c.preserve = 1;
            else
                return sim_opts_bad(&o);
        } else if (opt == 't')
            target_dir = o.arg;
        else if (opt == 'T')
            no_target_dir = 1;
        else if (opt == '?')
            return sim_opts_bad(&o);
    }
    int n = file_operands(&o, target_dir, no_target_dir, &target, &into_dir);
    if (!n) return 1;
    for (int i = 0; i < n; i++) cp_one(p, &c, o.operands[i], file_target(p, target, o.operands[i], into_dir), 1);
    return c.status;
}

/* One file under two names, or under one. */
static int file_is_same(struct sim_proc *p, const char *a, const char *b) {
    struct sim_where at, there;
    if (sim_sys_stat(p, a, 0, &at)) return 0;
    int is_there = !sim_sys_stat(p, b, 0, &there);
    int is_same = is_there && there.node == at.node;
    if (is_there) sim_where_finish(&there);
    sim_where_finish(&at);
    return is_same;
}

static int tool_mv(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"force", 'f'},
                                                   {"no-clobber", 'n'},
                                                   {"verbose", 'v'},
                                                   {"target-directory", 't'},
                                                   {"no-target-directory", 'T'},
                                                   {"update", 'u'},
                                                   {NULL, 0}};
    struct sim_opts o;
    const char *target_dir = NULL, *target;
    int no_target_dir = 0, into_dir, no_clobber = 0, verbose = 0, status = 0, update = 0;
    sim_opts_start(&o, p, argc, argv, "fnvt:Tu", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'n')
            no_clobber = 1;
        else if (opt == 'f')
            no_clobber = 0;
        else if (opt == 'u')
            update = 1;
        else if (opt == 'v')
            verbose = 1;
        else if (opt == 't')
            target_dir = o.arg;
        else if (opt == 'T')
            no_target_dir = 1;
        else if (opt == '?')
            return sim_opts_bad(&o);
    }
    int n = file_operands(&o, target_dir, no_target_dir, &target, &into_dir);
    if (!n) return 1;
    for (int i = 0; i < n; i++) {
        const char *from = o.operands[i], *to = file_target(p, target, from, into_dir);
        int there = sim_file_type(p, to, 0);
        if (no_clobber && there) continue;
        struct sim_where at;
        if (update && there && !sim_sys_stat(p, from, 0, &at)) {
            int newer = copy_is_newer(p, to, at.node);
            sim_where_finish(&at);
            if (newer) continue;
        }
        if (!sim_file_type(p, from, 0)) {
            sim_errf(p, "mv: cannot stat %s: %s\n", sim_quote_name(p, from, 1), sim_strerror(ENOENT));
            status = 1;
            continue;
        }
        if (file_is_same(p, from, to)) {
            sim_errf(p, "mv: %s and %s are the same file\n", sim_quote_name(p, from, 1), sim_quote_name(p, to, 1));
            status = 1;
            continue;
        }
        int e = sim_sys_rename(p, from, to);
        if (e == -EINVAL)
            sim_errf(p, "mv: cannot move %s to a subdirectory of itself, %s\n", sim_quote_name(p, from, 1),
                     sim_quote_name(p, to, 1));
        else if (e == -ENOTDIR && sim_file_type(p, from, 0) == 'd' && there && there != 'd')
            sim_errf(p, "mv: cannot overwrite non-directory %s with directory %s\n", sim_quote_name(p, to, 1),
                     sim_quote_name(p, from, 1));
        else if (e == -EISDIR)
            sim_errf(p, "mv: cannot overwrite directory %s with non-directory\n", sim_quote_name(p, to, 1));
        else if (e)
            sim_errf(p, "mv: cannot move %s to %s: %s\n", sim_quote_name(p, from, 1), sim_quote_name(p, to, 1),
                     sim_strerror(-e));
        else if (verbose)
            sim_outf(p, "renamed %s -> %s\n", sim_quote_name(p, from, 1), sim_quote_name(p, to, 1));
        if (e) status = 1;
    }
    return status;
}

/* What a link at `to` must say to lead to `from`. */
static const char *ln_relative(struct sim_proc *p, const char *from, const char *to) {
    int e;
    size_t len = strlen(to);
    while (len > 0 && to[len - 1] != '/') len--;
    const char *dir = sim_file_real(p, len ? sim_strndup(p, to, len) : ".", PATH_ANY, 0, &e);
    const char *real = dir ? sim_file_real(p, from, PATH_ANY, 0, &e) : NULL;
    return real ? sim_file_relative(p, dir, real) : from;
}

static int tool_ln(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"symbolic", 's'},
                                                   {"force", 'f'},
                                                   {"no-dereference", 'n'},
                                                   {"verbose", 'v'},
                                                   {"no-target-directory", 'T'},
                                                   {"target-directory", 't'},
                                                   {"relative", 'r'},
                                                   {"logical", 'L'},
                                                   {"physical", 'P'},
                                                   {NULL, 0}};
    struct sim_opts o;
    const char *target_dir = NULL, *target;
    int relative = 0, logical = 0, symbolic = 0, force = 0, no_follow = 0, no_target_dir = 0, verbose = 0, into_dir,
        status = 0;
    sim_opts_start(&o, p, argc, argv, "sfnvTt:rLP", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 's')
            symbolic = 1;
        else if (opt == 'r')
            relative = 1;
        else if (opt == 'L' || opt == 'P')
            logical = opt == 'L';
        else if (opt == 'f')
            force = 1;
        else if (opt == 'n')
            no_follow = 1;
        else if (opt == 'v')
            verbose = 1;
        else if (opt == 'T')
            no_target_dir = 1;
        else if (opt == 't')
            target_dir = o.arg;
        else
            return sim_opts_bad(&o);
    }
    if (o.n == 1 && !target_dir) target_dir = ".";
    if (o.n == 2 && !target_dir && no_follow && sim_file_type(p, o.operands[1], 0) == 'l') no_target_dir = 1;
    int n = file_operands(&o, target_dir, no_target_dir, &target, &into_dir);
    if (!n) return 1;
    for (int i = 0; i < n; i++) {
        const char *from = o.operands[i], *to = file_target(p, target, from, into_dir);
        const char *source = NULL;
        int type = sim_file_type(p, to, 0);
        if (force && type && type != 'd') sim_sys_unlink(p, to);
        int e = 0;
        if (symbolic && relative) from = ln_relative(p, from, to);
        if (!symbolic && logical) source = sim_file_real(p, from, PATH_ALL, 0, &e);
        if (!e) e = symbolic ? sim_sys_symlink(p, from, to) : sim_sys_link(p, source ? source : from, to);
        if (!e && verbose)
            sim_outf(p, "%s %s %s\n", sim_quote_name(p, to, 1), symbolic ? "->" : "=>", sim_quote_name(p, from, 1));
        if (!e) continue;
        status = 1;
        if (!symbolic && e == -ENOENT && !sim_file_type(p, from, 0))
            sim_errf(p, "ln: failed to access %s: %s\n", sim_quote_name(p, from, 1), sim_strerror(-e));
        else if (!symbolic && e == -EPERM)
            sim_errf(p, "ln: %s: hard link not allowed for directory\n", from);
        else
            sim_errf(p, "ln: failed to create %s link %s%s%s: %s\n", symbolic ? "symbolic" : "hard",
                     sim_quote_name(p, to, 1),
                     e == -EEXIST ? ""
                     : symbolic   ? " -> "
                                  : " => ",
                     e == -EEXIST ? "" : sim_quote_name(p, from, 1), sim_strerror(-e));
    }
    return status;
}

const struct sim_tool sim_tools_copy[] = {{"cp", tool_cp}, {"mv", tool_mv}, {"ln", tool_ln}, {NULL, NULL}};
