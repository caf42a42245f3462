/* Tools that make and remove files and change what is known of them: mkdir rmdir rm touch chmod mktemp mkfifo truncate.
 */
#include "sim/machine/date.h"
#include "sim/machine/tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- modes ---- */

/* A mode as chmod reads it, on top of `old`. @return 0 if it is none */
int sim_tool_mode(const char *text, uint32_t old, int is_dir, uint32_t umask, uint32_t *out) {
    if (*text && strspn(text, "01234567") == strlen(text) && strlen(text) < 6) {
        *out = (uint32_t)strtoul(text, NULL, 8);
        return *out <= 07777;
    }
    uint32_t mode = old;
    while (*text) {
        uint32_t who = 0;
        for (; *text && strchr("ugoa", *text); text++)
            who |= *text == 'u' ? 04700U : *text == 'g' ? 02070U : *text == 'o' ? 01007U : 07777U;
        uint32_t mask = who ? who : 07777 & ~umask;
        if (!*text || !strchr("+-=", *text)) return 0;
        while (*text && strchr("+-=", *text)) {
            char op = *text++;
            uint32_t perm = 0;
            for (; *text && strchr("rwxXst", *text); text++) {
                if (*text == 'r')
                    perm |= 0444;
                else if (*text == 'w')
                    perm |= 0222;
                else if (*text == 'x' || (*text == 'X' && (is_dir || (mode & 0111))))
                    perm |= 0111;
                else if (*text == 's')
                    perm |= 06000;
                else if (*text == 't')
                    perm |= 01000;
            }
            if (*text && strchr("ugo", *text)) {
                uint32_t from = *text == 'u' ? mode >> 6 : *text == 'g' ? mode >> 3 : mode;
                perm |= (from & 7) * 0111;
                text++;
            }
            perm &= mask;
            if (op == '=')
                mode = (mode & ~(mask & (is_dir ? 01777U : 07777U))) | perm;
            else
                mode = op == '+' ? mode | perm : mode & ~perm;
        }
        if (*text == ',')
            text++;
        else if (*text)
            return 0;
    }
    *out = mode;
    return 1;
}

/* ---- mkdir, rmdir ---- */

static int file_mkdir_parents(struct sim_proc *p, const char *path, int verbose, const char *mode_text) {
    char *copy = sim_strdup(p, path);
    for (char *at = copy + strspn(copy, "/"); *at;) {
        size_t len = strcspn(at, "/");
        char *end = at + len, kept = *end;
        *end = '\0';
        int last = end[kept ? 1 + strspn(end + 1, "/") : 0] == '\0';
        int e = sim_sys_mkdir(p, copy, 0777);
        if (!e && verbose) sim_outf(p, "mkdir: created directory '%s'\n", copy);
        if (!e && last && mode_text) {
            uint32_t mode;
            sim_tool_mode(mode_text, 0777, 1, 0, &mode);
            sim_sys_chmod(p, copy, mode);
        }
        if (e && !sim_file_is_dir(p, copy)) {
            if (e == -EEXIST && !last) e = -ENOTDIR;
            sim_errf(p, "mkdir: cannot create directory '%s': %s\n", copy, sim_strerror(-e));
            return 1;
        }
        *end = kept;
        at = end + strspn(end, "/");
    }
    return 0;
}

static int tool_mkdir(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"parents", 'p'}, {"mode", 'm'}, {"verbose", 'v'}, {NULL, 0}};
    struct sim_opts o;
    const char *mode_text = NULL;
    int parents = 0, verbose = 0, status = 0;
    sim_opts_start(&o, p, argc, argv, "pm:v", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'p')
            parents = 1;
        else if (opt == 'v')
            verbose = 1;
        else if (opt == 'm')
            mode_text = o.arg;
        else
            return sim_opts_bad(&o);
    }
    uint32_t mode = 0777;
    if (mode_text && !sim_tool_mode(mode_text, 0777, 1, 0, &mode)) {
        sim_errf(p, "mkdir: invalid mode '%s'\n", mode_text);
        return 1;
    }
    if (o.n == 0) {
        sim_errf(p, "mkdir: missing operand\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        if (parents) {
            status |= file_mkdir_parents(p, o.operands[i], verbose, mode_text);
            continue;
        }
        int e = sim_sys_mkdir(p, o.operands[i], mode);
        if (e) {
            sim_errf(p, "mkdir: cannot create directory '%s': %s\n", o.operands[i], sim_strerror(-e));
            status = 1;
            continue;
        }
        if (mode_text) sim_sys_chmod(p, o.operands[i], mode);
        if (verbose) sim_outf(p, "mkdir: created directory '%s'\n", o.operands[i]);
    }
    return status;
}

static int tool_rmdir(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"parents", 'p'}, {"ignore-fail-on-non-empty", 'I'}, {"verbose", 'v'}, {NULL, 0}};
    struct sim_opts o;
    int parents = 0, ignore = 0, verbose = 0, status = 0;
    sim_opts_start(&o, p, argc, argv, "pIv", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'p')
            parents = 1;
        else if (opt == 'I')
            ignore = 1;
        else if (opt == 'v')
            verbose = 1;
        else
            return sim_opts_bad(&o);
    }
    if (!o.n) {
        sim_errf(p, "rmdir: missing operand\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        char *path = sim_strdup(p, o.operands[i]);
        for (;;) {
            if (verbose) sim_outf(p, "rmdir: removing directory, '%s'\n", path);
            int e = sim_sys_rmdir(p, path);
            if (e) {
                if (ignore && e == -ENOTEMPTY) break;
                sim_errf(p, "rmdir: failed to remove '%s': %s\n", path, sim_strerror(-e));
                status = 1;
                break;
            }
            char *slash = parents ? strrchr(path, '/') : NULL;
            if (!slash || slash == path) break;
            *slash = '\0';
        }
    }
    return status;
}

/* ---- rm ---- */

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

/* ---- touch, chmod, mktemp, mkfifo, truncate ---- */

/* [[CC]YY]MMDDhhmm[.ss] */
static int touch_stamp(struct sim_proc *p, const char *text, int64_t *out) {
    size_t n = strspn(text, "0123456789");
    const char *seconds = text[n] == '.' ? text + n + 1 : "00";
    const char *year = sim_date_format(p, sim_machine_wall_ns(p->m), "%Y");
    if ((text[n] && text[n] != '.') || strlen(seconds) != 2 || (n != 8 && n != 10 && n != 12)) return 0;
    if (n == 12) year = sim_strndup(p, text, 4);
    if (n == 10)
        year = sim_format(p, "%s%.2s",
                          text[0] < '7' && text[0] != '6'   ? "20"
                          : text[0] == '6' && text[1] < '9' ? "20"
                                                            : "19",
                          text);
    const char *rest = text + n - 8;
    return sim_date_parse(
        p, sim_format(p, "%s-%.2s-%.2s %.2s:%.2s:%s", year, rest, rest + 2, rest + 4, rest + 6, seconds), 0, out);
}

static int tool_touch(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"no-create", 'c'}, {"reference", 'r'}, {"date", 'd'}, {NULL, 0}};
    struct sim_opts o;
    int create = 1, a = 0, m = 0, status = 0;
    int64_t when = sim_machine_wall_ns(p->m), atime = when;
    sim_opts_start(&o, p, argc, argv, "acmr:d:t:f", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'c')
            create = 0;
        else if (opt == 'a')
            a = 1;
        else if (opt == 'm')
            m = 1;
        else if (opt == 'f')
            continue;
        else if (opt == 'd') {
            if (!sim_date_parse(p, o.arg, when, &when)) return sim_unsupported(p, "touch -d %s", o.arg);
            atime = when;
        } else if (opt == 't') {
            if (!touch_stamp(p, o.arg, &when)) {
                sim_errf(p, "touch: invalid date format '%s'\n", o.arg);
                return 1;
            }
            atime = when;
        } else if (opt == 'r') {
            struct sim_where at;
            int e = sim_sys_stat(p, o.arg, 1, &at);
            if (e) return sim_tool_fail(p, "touch: failed to get attributes of", o.arg, e);
            when = at.node->mtime_ns;
            atime = at.node->atime_ns;
            sim_where_finish(&at);
        } else
            return sim_opts_bad(&o);
    }
    if (!o.n) {
        sim_errf(p, "touch: missing file operand\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        const char *path = o.operands[i];
        if (!sim_file_type(p, path, 1)) {
            if (!create) continue;
            int fd = sim_sys_open(p, path, SIM_O_WRITE | SIM_O_CREATE, 0666);
            if (fd < 0) {
                sim_errf(p, "touch: cannot touch '%s': %s\n", path, sim_strerror(-fd));
                status = 1;
                continue;
            }
            sim_sys_close(p, fd);
        }
        int e = sim_sys_utime(p, path, m && !a ? SIM_NEVER : atime, a && !m ? SIM_NEVER : when);
        if (!e) continue;
        sim_errf(p, "touch: cannot touch '%s': %s\n", path, sim_strerror(-e));
        status = 1;
    }
    return status;
}

struct chmod {
    const char *text; /* NULL: as `reference` */
    uint32_t reference;
    int recursive, quiet, verbose, changes, status;
};

static void chmod_say(struct sim_proc *p, const char *path, uint32_t old, uint32_t mode) {
    char was[11], is[11];
    struct sim_fs_node node = {.type = 'f', .mode = old};
    sim_file_mode(&node, was);
    node.mode = mode;
    sim_file_mode(&node, is);
    if (old == mode)
        sim_outf(p, "mode of '%s' retained as %04o (%s)\n", path, mode, is + 1);
    else
        sim_outf(p, "mode of '%s' changed from %04o (%s) to %04o (%s)\n", path, old, was + 1, mode, is + 1);
}

static void chmod_one(struct sim_proc *p, struct chmod *c, const char *path) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, 1, &at);
    if (e) {
        if (!c->quiet) sim_errf(p, "chmod: cannot access '%s': %s\n", path, sim_strerror(-e));
        c->status = 1;
        return;
    }
    uint32_t mode = c->reference, old = at.node->mode;
    int is_dir = at.node->type == 'd';
    if (c->text) sim_tool_mode(c->text, at.node->mode, is_dir, p->umask, &mode);
    if (c->text && is_dir && c->text[0] >= '0' && c->text[0] <= '7' && strlen(c->text) < 5)
        mode |= at.node->mode & 06000;
    sim_where_finish(&at);
    e = sim_sys_chmod(p, path, mode);
    if (e) {
        if (!c->quiet) sim_errf(p, "chmod: changing permissions of '%s': %s\n", path, sim_strerror(-e));
        c->status = 1;
    }
    if (!e && (c->verbose || (c->changes && mode != old))) chmod_say(p, path, old, mode);
    if (!c->recursive || !is_dir) return;
    struct sim_list names = {.p = p};
    if (p->depth > SIM_NICE_DEPTH * 2) {
        c->status = sim_unsupported(p, "chmod -R of a tree so deep");
        return;
    }
    p->depth++;
    if (!sim_sys_list(p, path, &names))
        for (size_t i = 0; i < names.n; i++) {
            const char *sub = sim_file_join(p, path, names.items[i]);
            if (sim_file_type(p, sub, 0) != 'l') chmod_one(p, c, sub);
        }
    p->depth--;
}

static int tool_chmod(struct sim_proc *p, int argc, char **argv) {
    struct chmod c = {0};
    int i = 1;
    int referred = 0;
    uint32_t mode;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] && !strchr("rwxst", argv[i][1]); i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        struct sim_where at;
        if (strcmp(argv[i], "-R") == 0 || strcmp(argv[i], "--recursive") == 0)
            c.recursive = 1;
        else if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0)
            c.verbose = 1;
        else if (strcmp(argv[i], "-c") == 0 || strcmp(argv[i], "--changes") == 0)
            c.changes = 1;
        else if (strcmp(argv[i], "-f") == 0 || strcmp(argv[i], "--silent") == 0 || strcmp(argv[i], "--quiet") == 0)
            c.quiet = 1;
        else if (strncmp(argv[i], "--reference=", 12) == 0) {
            int e = sim_sys_stat(p, argv[i] + 12, 1, &at);
            if (e) return sim_tool_fail(p, "chmod: failed to get attributes of", argv[i] + 12, e);
            c.reference = at.node->mode;
            referred = 1;
            sim_where_finish(&at);
        } else
            return sim_unsupported(p, "chmod %s", argv[i]);
    }
    if (argc - i < 2 - referred) {
        sim_errf(p, "chmod: missing operand\n");
        return 1;
    }
    if (!referred) c.text = argv[i++];
    if (i < argc && strcmp(argv[i], "--") == 0) i++;
    if (c.text && !sim_tool_mode(c.text, 0, 0, 0, &mode)) {
        sim_errf(p, "chmod: invalid mode: '%s'\n", c.text);
        return 1;
    }
    for (; i < argc; i++) chmod_one(p, &c, argv[i]);
    return c.status;
}

static int tool_mktemp(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"directory", 'd'}, {"quiet", 'q'},  {"tmpdir", 'p'},
                                                   {"dry-run", 'u'},   {"suffix", 'S'}, {NULL, 0}};
    struct sim_opts o;
    int dir = 0, quiet = 0, dry = 0, in_tmp = 0;
    const char *tmp = NULL, *suffix = "";
    sim_opts_start(&o, p, argc, argv, "dqp:utS:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'd')
            dir = 1;
        else if (opt == 'q')
            quiet = 1;
        else if (opt == 'u')
            dry = 1;
        else if (opt == 't')
            in_tmp = 1;
        else if (opt == 'S')
            suffix = o.arg;
        else if (opt == 'p') {
            tmp = o.arg;
            in_tmp = 1;
        } else
            return sim_opts_bad(&o);
    }
    const char *template = o.n ? o.operands[0] : "tmp.XXXXXXXXXX";
    if (!o.n) in_tmp = 1;
    size_t len = strlen(template), xs = 0;
    while (xs < len && template[len - 1 - xs] == 'X') xs++;
    if (xs < 3 && !*suffix) { /* tmp.XXXXXX.txt has its suffix behind */
        size_t end = len;
        while (end && template[end - 1] != 'X') end--;
        suffix = template + end;
        len = end;
        for (xs = 0; xs < len && template[len - 1 - xs] == 'X';) xs++;
    }
    if (xs < 3) {
        sim_errf(p, "mktemp: too few X's in template '%s'\n", template);
        return 1;
    }
    const char *env = sim_env_get(p->env, "TMPDIR");
    if (in_tmp && (!tmp || !*tmp)) tmp = env && *env ? env : "/tmp";
    for (int tries = 0; tries < 100; tries++) {
        char *random = sim_alloc(p, xs + 1);
        sim_draw_token(p->m->world, "machine.mktemp", random, xs);
        char *path = sim_format(p, "%.*s%s%s", (int)(len - xs), template, random, suffix);
        if (in_tmp) path = sim_file_join(p, tmp, path);
        int e = 0;
        if (dry)
            e = sim_file_type(p, path, 0) ? -EEXIST : 0;
        else if (dir)
            e = sim_sys_mkdir(p, path, 0700);
        else {
            int fd = sim_sys_open(p, path, SIM_O_WRITE | SIM_O_CREATE | SIM_O_EXCLUSIVE, 0600);
            if (fd >= 0) sim_sys_close(p, fd);
            e = fd < 0 ? fd : 0;
        }
        if (e == -EEXIST) continue;
        if (!e) {
            sim_outf(p, "%s\n", path);
            return 0;
        }
        if (!quiet)
            sim_errf(p, "mktemp: failed to create %s via template '%s': %s\n", dir ? "directory" : "file", template,
                     sim_strerror(-e));
        return 1;
    }
    return 1;
}

static int tool_mkfifo(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int status = 0;
    sim_opts_start(&o, p, argc, argv, "m:", NULL);
    uint32_t mode = 0666;
    for (int opt; (opt = sim_opts_next(&o)) != -1;)
        if (opt != 'm' || !sim_tool_mode(o.arg, 0666, 0, 0, &mode)) return sim_opts_bad(&o);
    for (int i = 0; i < o.n; i++) {
        int e = sim_sys_mkfifo(p, o.operands[i], mode);
        if (!e) continue;
        sim_errf(p, "mkfifo: cannot create fifo '%s': %s\n", o.operands[i], sim_strerror(-e));
        status = 1;
    }
    return status;
}

static int tool_truncate(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"size", 's'}, {"no-create", 'c'}, {NULL, 0}};
    struct sim_opts o;
    int create = SIM_O_CREATE, status = 0;
    int64_t size = -1;
    sim_opts_start(&o, p, argc, argv, "s:c", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'c')
            create = 0;
        else if (opt != 's' || !sim_tool_number(o.arg, &size))
            return sim_opts_bad(&o);
    }
    if (size < 0 || !o.n) {
        sim_errf(p, "truncate: you must specify either '--size' or '--reference'\n");
        return 1;
    }
    for (int i = 0; i < o.n; i++) {
        int fd = sim_sys_open(p, o.operands[i], SIM_O_WRITE | create, 0666);
        if (fd == -ENOENT && !create) continue;
        int e = fd < 0 ? -fd : sim_fs_truncate(sim_fd_get(p, fd)->node, size);
        if (fd >= 0) sim_sys_close(p, fd);
        if (!e) continue;
        sim_errf(p, "truncate: cannot open '%s' for writing: %s\n", o.operands[i], sim_strerror(e));
        status = 1;
    }
    return status;
}

const struct sim_tool sim_tools_file[] = {{"mkdir", tool_mkdir},   {"rmdir", tool_rmdir},       {"rm", tool_rm},
                                          {"touch", tool_touch},   {"chmod", tool_chmod},       {"mktemp", tool_mktemp},
                                          {"mkfifo", tool_mkfifo}, {"truncate", tool_truncate}, {NULL, NULL}};
