/* gzip, gunzip, zcat. */
#include "sim/machine/tools/gz.h"
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

#define GZIP_BUFFER 16384

struct gzip {
    struct sim_proc *p;
    int decompress, to_stdout, keep, force, quiet, verbose, test, no_name, recursive, level;
    const char *suffix;
    int status;
};

static void gzip_warn(struct gzip *g, const char *name, const char *what) {
    if (!g->quiet) sim_errf(g->p, "gzip: %s%s\n", name, what);
    if (!g->status && !strstr(what, "unchanged")) g->status = 2;
}

static void gzip_fail(struct gzip *g, const char *name, const char *why) {
    sim_errf(g->p, "gzip: %s: %s\n", name, why);
    g->status = 1;
}

/* What is in it is wrong: said behind an empty line. */
static void gzip_bad(struct gzip *g, const char *name, const char *why) {
    sim_errf(g->p, "\ngzip: %s: %s\n", name, why);
    g->status = 1;
}

/* Copies one descriptor to another through zlib. @return whether it went well */
static int gzip_pack(struct gzip *g, const char *name, int in, int out, const char *kept_name, int64_t mtime_s) {
    char *buf = sim_keep(g->p, GZIP_BUFFER);
    struct sim_gz *z = sim_gz_writer(g->p, out, g->level, kept_name, mtime_s);
    ptrdiff_t n;
    int e = 0;
    while (!e && (n = sim_sys_read(g->p, in, buf, GZIP_BUFFER)) > 0) e = sim_gz_write(z, buf, (size_t)n);
    if (!e && n < 0) e = (int)n;
    int finish = sim_gz_finish(z);
    if (!e) e = finish;
    sim_drop(g->p, buf);
    if (e) gzip_fail(g, name, sim_strerror(-e));
    return !e;
}

static int gzip_unpack(struct gzip *g, const char *name, int in, int out) {
    char *buf = sim_keep(g->p, GZIP_BUFFER);
    char head[2];
    size_t have = 0;
    ptrdiff_t n;
    int e = 0;
    while (have < 2 && (n = sim_sys_read(g->p, in, head + have, 2 - have)) > 0) have += (size_t)n;
    int plain = have < 2 || head[0] != '\037' || head[1] != '\213';
    if (plain && have && g->force && g->to_stdout) { /* zcat -f passes it on */
        e = sim_sys_write(g->p, out, head, have);
        while (!e && (n = sim_sys_read(g->p, in, buf, GZIP_BUFFER)) > 0) e = sim_sys_write(g->p, out, buf, (size_t)n);
        sim_drop(g->p, buf);
        return !e;
    }
    if (plain) {
        gzip_bad(g, name, have ? "not in gzip format" : "unexpected end of file");
        sim_drop(g->p, buf);
        return 0;
    }
    struct sim_gz *z = sim_gz_reader(g->p, in, head, have);
    while (!e && (n = sim_gz_read(z, buf, GZIP_BUFFER)) > 0)
        if (out >= 0) e = sim_sys_write(g->p, out, buf, (size_t)n);
    const char *why = e ? sim_strerror(-e) : n < -1 ? sim_strerror((int)-n) : n < 0 ? sim_gz_why(z) : NULL;
    if (why && !e && n == -1)
        gzip_bad(g, name, why);
    else if (why)
        gzip_fail(g, name, why);
    else if (*sim_gz_why(z))
        gzip_warn(g, name, ": decompression OK, trailing garbage ignored");
    sim_gz_finish(z);
    sim_drop(g->p, buf);
    return !why;
}

/* The name without .gz; NULL if it has no suffix that is known. */
static const char *gzip_plain_name(const struct gzip *g, const char *name) {
    size_t len = strlen(name), n = strlen(g->suffix);
    if (len > n && strcmp(name + len - n, g->suffix) == 0) return sim_strndup(g->p, name, len - n);
    if (len > 4 && strcmp(name + len - 4, ".tgz") == 0) return sim_format(g->p, "%.*s.tar", (int)len - 4, name);
    if (len > 2 && (strcmp(name + len - 2, "-z") == 0 || strcmp(name + len - 2, ".Z") == 0))
        return sim_strndup(g->p, name, len - 2);
    return NULL;
}

static void gzip_replace(struct gzip *g, const char *name, const char *target, int in, const struct sim_fs_node *node) {
    if (sim_file_type(g->p, target, 0)) {
        if (!g->force) {
            sim_errf(g->p, "gzip: %s already exists;\tnot overwritten\n", target);
            if (!g->status) g->status = 2;
            return;
        }
        sim_sys_unlink(g->p, target);
    }
    int out = sim_sys_open(g->p, target, SIM_O_WRITE | SIM_O_CREATE | SIM_O_EXCLUSIVE, 0600);
    if (out < 0) {
        gzip_fail(g, target, sim_strerror(-out));
        return;
    }
    int64_t mtime = node->mtime_ns, atime = node->atime_ns;
    uint32_t mode = node->mode;
    int good = g->decompress ? gzip_unpack(g, name, in, out)
                             : gzip_pack(g, name, in, out, g->no_name ? NULL : sim_base_name(name), mtime / SIM_SEC);
    sim_sys_close(g->p, out);
    if (!good) {
        sim_sys_unlink(g->p, target);
        return;
    }
    sim_sys_utime(g->p, target, atime, mtime);
    sim_sys_chmod(g->p, target, mode & 0777);
    if (g->verbose) sim_errf(g->p, "%s:\t -- %s %s\n", name, g->keep ? "created" : "replaced with", target);
    if (!g->keep) sim_sys_unlink(g->p, name);
}

static void gzip_file(struct gzip *g, const char *name);

static void gzip_dir(struct gzip *g, const char *name) {
    struct sim_list names = {.p = g->p};
    if (!g->recursive) {
        gzip_warn(g, name, " is a directory -- ignored");
        return;
    }
    if (++g->p->depth > SIM_NICE_DEPTH * 2)
        g->status = sim_unsupported(g->p, "gzip -r of a tree so deep");
    else if (!sim_sys_list(g->p, name, &names))
        for (size_t i = 0; i < names.n; i++) gzip_file(g, sim_file_join(g->p, name, names.items[i]));
    g->p->depth--;
}

static void gzip_file(struct gzip *g, const char *name) {
    struct sim_where at;
    const char *plain = g->decompress ? gzip_plain_name(g, name) : NULL;
    int e = sim_sys_stat(g->p, name, 1, &at);
    if (e == -ENOENT && g->decompress && !plain) { /* gunzip f finds f.gz */
        const char *with = sim_format(g->p, "%s%s", name, g->suffix);
        if (!sim_sys_stat(g->p, with, 1, &at)) {
            plain = name;
            name = with;
            e = 0;
        }
    }
    if (e) {
        gzip_fail(g, name, sim_strerror(-e));
        return;
    }
    struct sim_fs_node *node = at.node;
    int in = -1, is_link = sim_file_type(g->p, name, 0) == 'l';
    if (node->type == 'd')
        gzip_dir(g, name);
    else if (!g->to_stdout && !g->force && is_link && !g->test)
        gzip_fail(g, name, sim_strerror(ELOOP));
    else if (g->decompress && !plain && !g->to_stdout && !g->test)
        gzip_warn(g, name, ": unknown suffix -- ignored");
    else if (!g->decompress && !g->to_stdout && !g->force && gzip_plain_name(g, name))
        gzip_warn(
            g, name,
            sim_format(g->p, " already has %s suffix -- unchanged", strrchr(name, '.') ? strrchr(name, '.') : ""));
    else if ((in = sim_sys_open(g->p, name, SIM_O_READ, 0)) < 0)
        gzip_fail(g, name, sim_strerror(-in));
    else if (g->test || (g->to_stdout && g->decompress))
        gzip_unpack(g, name, in, g->test ? -1 : 1);
    else if (g->to_stdout)
        gzip_pack(g, name, in, 1, g->no_name ? NULL : sim_base_name(name), node->mtime_ns / SIM_SEC);
    else
        gzip_replace(g, name, g->decompress ? plain : sim_format(g->p, "%s%s", name, g->suffix), in, node);
    if (in >= 0) sim_sys_close(g->p, in);
    sim_where_finish(&at);
}

static int gzip_main(struct sim_proc *p, int argc, char **argv, int decompress, int to_stdout) {
    static const struct sim_long_option longs[] = {
        {"decompress", 'd'}, {"uncompress", 'd'}, {"stdout", 'c'}, {"to-stdout", 'c'}, {"keep", 'k'}, {"force", 'f'},
        {"quiet", 'q'},      {"verbose", 'v'},    {"test", 't'},   {"no-name", 'n'},   {"name", 'N'}, {"fast", '1'},
        {"best", '9'},       {"recursive", 'r'},  {"suffix", 'S'}, {NULL, 0}};
    struct gzip g = {.p = p, .decompress = decompress, .to_stdout = to_stdout, .level = 6, .suffix = ".gz"};
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "dckfqvtnr123456789S:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'd')
            g.decompress = 1;
        else if (opt == 'c')
            g.to_stdout = 1;
        else if (opt == 'k')
            g.keep = 1;
        else if (opt == 'f')
            g.force = 1;
        else if (opt == 'q')
            g.quiet = 1;
        else if (opt == 'v')
            g.verbose = 1;
        else if (opt == 't')
            g.test = g.decompress = 1;
        else if (opt == 'n')
            g.no_name = 1;
        else if (opt == 'r')
            g.recursive = 1;
        else if (opt == 'S')
            g.suffix = o.arg;
        else if (opt >= '1' && opt <= '9')
            g.level = opt - '0';
        else
            return sim_opts_bad(&o);
    }
    if (!o.n || (o.n == 1 && strcmp(o.operands[0], "-") == 0)) {
        if (g.decompress)
            gzip_unpack(&g, "stdin", 0, g.test ? -1 : 1);
        else
            gzip_pack(&g, "stdin", 0, 1, NULL, 0);
        return g.status;
    }
    for (int i = 0; i < o.n; i++) gzip_file(&g, o.operands[i]);
    return g.status;
}

static int tool_gzip(struct sim_proc *p, int argc, char **argv) {
    return gzip_main(p, argc, argv, 0, 0);
}

static int tool_gunzip(struct sim_proc *p, int argc, char **argv) {
    return gzip_main(p, argc, argv, 1, 0);
}

static int tool_zcat(struct sim_proc *p, int argc, char **argv) {
    return gzip_main(p, argc, argv, 1, 1);
}

const struct sim_tool sim_tools_gzip[] = {
    {"gzip", tool_gzip}, {"gunzip", tool_gunzip}, {"zcat", tool_zcat}, {NULL, NULL}};
