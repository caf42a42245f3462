/* Tools that show the tree: ls stat readlink realpath basename dirname. */
#include "sim/machine/date.h"
#include "sim/machine/number.h"
#include "sim/machine/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a node looks like ---- */

void sim_file_mode(const struct sim_fs_node *node, char out[11]) {
    static const char bits[] = "rwxrwxrwx";
    out[0] = node->type == 'f' ? '-' : node->type;
    for (int i = 0; i < 9; i++) out[i + 1] = node->mode & (0400U >> i) ? bits[i] : '-';
    if (node->mode & 04000) out[3] = node->mode & 0100 ? 's' : 'S';
    if (node->mode & 02000) out[6] = node->mode & 0010 ? 's' : 'S';
    if (node->mode & 01000) out[9] = node->mode & 0001 ? 't' : 'T';
    out[10] = '\0';
}

int64_t sim_file_size_shown(const struct sim_fs_node *node) {
    return node->type == 'd' ? SIM_FS_BLOCK : node->size;
}

/* ---- ls ---- */

struct ls_entry {
    const char *name;
    struct sim_fs_node *node; /* held */
};

struct ls {
    int all, almost, longer, recursive, as_is, human, by_time, by_size, reverse, unsorted, inode, classify, numeric,
        blocks;
    const char *style; /* of times; NULL = the usual */
    int no_owner, no_group, follow, full_time, slash;
    int status, titled, shown;
};

static void ls_release(void *arg) {
    sim_fs_release(arg);
}

static int ls_before(const struct ls *ls, const struct ls_entry *a, const struct ls_entry *b) {
    int order = 0;
    if (ls->by_time)
        order = a->node->mtime_ns > b->node->mtime_ns ? -1 : a->node->mtime_ns < b->node->mtime_ns;
    else if (ls->by_size)
        order = sim_file_size_shown(a->node) > sim_file_size_shown(b->node)
                    ? -1
                    : sim_file_size_shown(a->node) < sim_file_size_shown(b->node);
    if (!order) order = strcmp(a->name, b->name);
    return ls->reverse ? order > 0 : order < 0;
}

static void ls_sort(const struct ls *ls, struct ls_entry *v, size_t n) {
    for (size_t gap = n / 2; gap && !ls->unsorted; gap /= 2)
        for (size_t i = gap; i < n; i++)
            for (size_t j = i; j >= gap && ls_before(ls, &v[j], &v[j - gap]); j -= gap) {
                struct ls_entry swap = v[j];
                v[j] = v[j - gap];
                v[j - gap] = swap;
            }
}

const char *sim_tool_human(struct sim_proc *p, int64_t bytes) {
    static const char units[] = "KMGT";
    if (bytes < 1024) return sim_format(p, "%lld", (long long)bytes);
    double v = (double)bytes / 1024;
    int unit = 0;
    while (v >= 1024 && unit < 3) {
        v /= 1024;
        unit++;
    }
    double up = v < 10 ? (double)(int64_t)(v * 10 + 0.999999) / 10 : (double)(int64_t)(v + 0.999999);
    if (up >= 10) return sim_format(p, "%.0f%c", v < 10 ? up : (double)(int64_t)(v + 0.999999), units[unit]);
    return sim_double_point(sim_format(p, "%.1f%c", up, units[unit]));
}

static const char *ls_mark(const struct ls *ls, const struct sim_fs_node *node) {
    if (!ls->classify && !ls->slash) return "";
    if (node->type == 'd') return "/";
    if (!ls->classify) return "";
    if (node->type == 'l') return "@";
    if (node->type == 'p') return "|";
    return node->type == 'f' && (node->mode & 0111) ? "*" : "";
}

static const char *ls_when(struct sim_proc *p, const struct ls *ls, const struct sim_fs_node *node) {
    if (ls->full_time)
        return sim_format(p, "%s.%09lld +0000", sim_date_format(p, node->mtime_ns, "%Y-%m-%d %H:%M:%S"),
                          (long long)(node->mtime_ns % SIM_SEC));
    if (ls->style) return sim_date_format(p, node->mtime_ns, ls->style);
    int64_t age = sim_machine_wall_ns(p->m) - node->mtime_ns;
    int recent = age >= 0 && age < INT64_C(15778476) * SIM_SEC; /* half a year */
    return sim_date_format(p, node->mtime_ns, recent ? "%b %e %H:%M" : "%b %e  %Y");
}

static void ls_print(struct sim_proc *p, struct ls *ls, const struct ls_entry *v, size_t n) {
    int links = 0, owner = 0, group = 0, size = 0;
    for (size_t i = 0; ls->longer && i < n; i++) {
        const struct sim_fs_node *node = v[i].node;
        int w = (int)strlen(sim_format(p, "%lld", (long long)sim_fs_link_count(node)));
        if (w > links) links = w;
        w = (int)strlen(ls->numeric ? sim_format(p, "%lld", (long long)node->uid) : sim_user_name(p, node->uid));
        if (w > owner) owner = w;
        w = (int)strlen(ls->numeric ? sim_format(p, "%lld", (long long)node->gid) : sim_user_name(p, node->gid));
        if (w > group) group = w;
        w = (int)strlen(ls->human ? sim_tool_human(p, sim_file_size_shown(node))
                                  : sim_format(p, "%lld", (long long)sim_file_size_shown(node)));
        if (w > size) size = w;
    }
    for (size_t i = 0; i < n; i++) {
        struct sim_mark mark = sim_mark(p);
        const struct sim_fs_node *node = v[i].node;
        if (ls->inode) sim_outf(p, "%llu ", (unsigned long long)node->ino);
        if (ls->longer) {
            char mode[11];
            sim_file_mode(node, mode);
            sim_outf(p, "%s %*lld ", mode, links, (long long)sim_fs_link_count(node));
            if (!ls->no_owner)
                sim_outf(p, "%-*s ", owner,
                         ls->numeric ? sim_format(p, "%lld", (long long)node->uid) : sim_user_name(p, node->uid));
            if (!ls->no_group)
                sim_outf(p, "%-*s ", group,
                         ls->numeric ? sim_format(p, "%lld", (long long)node->gid) : sim_user_name(p, node->gid));
            sim_outf(p, "%*s %s ", size,
                     ls->human ? sim_tool_human(p, sim_file_size_shown(node))
                               : sim_format(p, "%lld", (long long)sim_file_size_shown(node)),
                     ls_when(p, ls, node));
        }
        sim_outf(p, "%s", v[i].name);
        if (ls->longer && node->type == 'l')
            sim_outf(p, " -> %s", node->target);
        else
            sim_out_str(p, ls_mark(ls, node));
        sim_out_char(p, '\n');
        sim_release(p, mark);
    }
}

static int ls_hold(struct sim_proc *p, const char *path, int follow, struct ls_entry *out) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, follow, &at);
    if (e) return e;
    out->node = sim_fs_hold(at.node);
    sim_at_end(p, ls_release, out->node);
    sim_where_finish(&at);
    return 0;
}

static void ls_dir(struct sim_proc *p, struct ls *ls, const char *path) {
    struct sim_list names = {.p = p};
    int e = sim_sys_list(p, path, &names);
    if (e) {
        sim_errf(p, "ls: cannot open directory '%s': %s\n", path, sim_strerror(-e));
        ls->status = ls->status ? ls->status : 2;
        return;
    }
    if (ls->titled) sim_outf(p, "%s%s:\n", ls->shown ? "\n" : "", path);
    ls->shown = 1;
    struct ls_entry *v = sim_alloc(p, (names.n + 2) * sizeof *v);
    size_t n = 0;
    if (ls->all) {
        v[n].name = ".";
        if (!ls_hold(p, path, 1, &v[n])) n++;
        v[n].name = "..";
        if (!ls_hold(p, sim_file_join(p, path, ".."), 1, &v[n])) n++;
    }
    int64_t blocks = 0;
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.items[i];
        if (name[0] == '.' && !ls->all && !ls->almost) continue;
        v[n].name = name;
        if (!ls_hold(p, sim_file_join(p, path, name), ls->follow, &v[n])) n++;
    }
    for (size_t i = 0; i < n; i++) blocks += v[i].node->type == 'd' ? 1 : v[i].node->blocks;
    if (ls->longer || ls->blocks) {
        if (ls->human)
            sim_outf(p, "total %s\n", sim_tool_human(p, blocks * SIM_FS_BLOCK));
        else
            sim_outf(p, "total %lld\n", (long long)(blocks * (SIM_FS_BLOCK / 1024)));
    }
    ls_sort(ls, v, n);
    ls_print(p, ls, v, n);
    if (!ls->recursive) return;
    if (++p->depth > SIM_NICE_DEPTH * 2) {
        ls->status = sim_unsupported(p, "ls -R of a tree so deep");
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (v[i].node->type == 'd' && strcmp(v[i].name, ".") != 0 && strcmp(v[i].name, "..") != 0)
            ls_dir(p, ls, sim_file_join(p, path, v[i].name));
    p->depth--;
}

/* --time-style; NULL for one that is not known. */
static const char *ls_style(const char *text) {
    if (text[0] == '+') return text + 1;
    return strcmp(text, "long-iso") == 0   ? "%Y-%m-%d %H:%M"
           : strcmp(text, "full-iso") == 0 ? "%Y-%m-%d %H:%M:%S.%N %z"
                                           : NULL;
}

static int ls_option(struct ls *ls, int opt) {
    switch (opt) {
    case 'a':
        ls->all = 1;
        break;
    case 'A':
        ls->almost = 1;
        break;
    case 'l':
        ls->longer = 1;
        break;
    case 'R':
        ls->recursive = 1;
        break;
    case 'd':
        ls->as_is = 1;
        break;
    case 'h':
        ls->human = 1;
        break;
    case 't':
        ls->by_time = 1;
        break;
    case 'S':
        ls->by_size = 1;
        break;
    case 'r':
        ls->reverse = 1;
        break;
    case 'U':
        ls->unsorted = 1;
        break;
    case 'i':
        ls->inode = 1;
        break;
    case 'F':
        ls->classify = 1;
        break;
    case 'p':
        ls->slash = 1;
        break;
    case 'n':
        ls->numeric = ls->longer = 1;
        break;
    case 'g':
        ls->no_owner = ls->longer = 1;
        break;
    case 'o':
        ls->no_group = ls->longer = 1;
        break;
    case 'G':
        ls->no_group = 1;
        break;
    case 'L':
        ls->follow = 1;
        break;
    case 'Z':
        ls->full_time = ls->longer = 1;
        break;
    case 'f':
        ls->all = ls->unsorted = 1;
        break;
    case '1':
    case '2':
    case 'N':
    case 'q':
        break;
    default:
        return 0;
    }
    return 1;
}

static int tool_ls(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"all", 'a'},       {"almost-all", 'A'},     {"recursive", 'R'},
                                                   {"directory", 'd'}, {"human-readable", 'h'}, {"reverse", 'r'},
                                                   {"inode", 'i'},     {"classify", 'F'},       {"full-time", 'Z'},
                                                   {"color", '2'},     {"time-style", '3'},     {NULL, 0}};
    static char dot[] = ".";
    char *standard[] = {dot, NULL};
    struct ls ls = {0};
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "aAlRdhtSrUiFpngoGL1Z2::qNf3:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;)
        if (opt == '3' ? !(ls.style = ls_style(o.arg)) : !ls_option(&ls, opt)) return sim_opts_bad(&o);
    char **names = o.n ? o.operands : standard;
    size_t count = o.n ? (size_t)o.n : 1, files = 0, dirs = 0;
    struct ls_entry *file = sim_alloc(p, count * sizeof *file), *dir = sim_alloc(p, count * sizeof *dir);
    for (size_t i = 0; i < count; i++) {
        struct ls_entry entry = {names[i], NULL};
        int follow = ls.follow || (!ls.longer && !ls.classify && !ls.as_is);
        int e = ls_hold(p, names[i], follow, &entry);
        if (e == -ENOENT && follow) e = ls_hold(p, names[i], 0, &entry);
        if (e) {
            sim_errf(p, "ls: cannot access '%s': %s\n", names[i], sim_strerror(-e));
            ls.status = 2;
        } else if (entry.node->type == 'd' && !ls.as_is)
            dir[dirs++] = entry;
        else
            file[files++] = entry;
    }
    ls_sort(&ls, file, files);
    ls_sort(&ls, dir, dirs);
    ls_print(p, &ls, file, files);
    ls.shown = files > 0;
    ls.titled = count > 1 || ls.recursive;
    for (size_t i = 0; i < dirs; i++) ls_dir(p, &ls, dir[i].name);
    return ls.status;
}

/* ---- stat ---- */

static const char *stat_type(const struct sim_fs_node *node) {
    switch (node->type) {
    case 'd':
        return "directory";
    case 'l':
        return "symbolic link";
    case 'c':
        return "character special file";
    case 'p':
        return "fifo";
    default:
        return node->size ? "regular file" : "regular empty file";
    }
}

static unsigned stat_raw_mode(const struct sim_fs_node *node) {
    unsigned type = node->type == 'd'   ? 040000U
                    : node->type == 'l' ? 0120000U
                    : node->type == 'c' ? 020000U
                    : node->type == 'p' ? 010000U
                                        : 0100000U;
    return type | node->mode;
}

/* @return 0 for a directive that is not known */
static int stat_directive(struct sim_proc *p, const struct sim_fs_node *node, const char *path, char c) {
    char mode[11];
    int64_t when;
    switch (c) {
    case 'n':
        sim_outf(p, "%s", path);
        break;
    case 'N':
        sim_outf(p, "'%s'", path);
        if (node->type == 'l') sim_outf(p, " -> '%s'", node->target);
        break;
    case 's':
        sim_outf(p, "%lld", (long long)sim_file_size_shown(node));
        break;
    case 'a':
        sim_outf(p, "%o", node->mode);
        break;
    case 'A':
        sim_file_mode(node, mode);
        sim_out_str(p, mode);
        break;
    case 'f':
        sim_outf(p, "%x", stat_raw_mode(node));
        break;
    case 'F':
        sim_out_str(p, stat_type(node));
        break;
    case 'h':
        sim_outf(p, "%lld", (long long)sim_fs_link_count(node));
        break;
    case 'i':
        sim_outf(p, "%llu", (unsigned long long)node->ino);
        break;
    case 'u':
        sim_outf(p, "%lld", (long long)node->uid);
        break;
    case 'g':
        sim_outf(p, "%lld", (long long)node->gid);
        break;
    case 'U':
        sim_out_str(p, sim_user_name(p, node->uid));
        break;
    case 'G':
        sim_out_str(p, sim_user_name(p, node->gid));
        break;
    case 'Y':
        sim_outf(p, "%lld", (long long)(node->mtime_ns / SIM_SEC));
        break;
    case 'X':
        sim_outf(p, "%lld", (long long)(node->atime_ns / SIM_SEC));
        break;
    case 'Z':
        sim_outf(p, "%lld", (long long)(node->ctime_ns / SIM_SEC));
        break;
    case 'W':
        sim_out_str(p, "0");
        break;
    case 'x':
    case 'y':
    case 'z':
        when = c == 'x' ? node->atime_ns : c == 'y' ? node->mtime_ns : node->ctime_ns;
        sim_outf(p, "%s.%09lld +0000", sim_date_format(p, when, "%Y-%m-%d %H:%M:%S"), (long long)(when % SIM_SEC));
        break;
    case 'b':
        sim_outf(p, "%lld", (long long)(node->blocks * 8));
        break;
    case 'B':
        sim_out_str(p, "512");
        break;
    case 't':
    case 'T':
        sim_outf(p, "%x", node->type != 'c' ? 0U : c == 't' ? 1U : (unsigned)node->device * 2 + 3);
        break;
    case 'o':
        sim_outf(p, "%d", SIM_FS_BLOCK);
        break;
    case '%':
        sim_out_char(p, '%');
        break;
    default:
        return 0;
    }
    return 1;
}

static int tool_stat(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"format", 'c'}, {"dereference", 'L'}, {"printf", 'P'}, {NULL, 0}};
    struct sim_opts o;
    const char *format = NULL;
    int follow = 0, status = 0, newline = 1;
    sim_opts_start(&o, p, argc, argv, "c:LP:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'L')
            follow = 1;
        else if (opt == '?')
            return sim_opts_bad(&o);
        else {
            format = o.arg;
            newline = opt == 'c';
        }
    }
    if (!o.n) {
        sim_errf(p, "stat: missing operand\n");
        return 1;
    }
    if (!format)
        format = "  File: %N\n  Size: %s\t\tBlocks: %b\tIO Block: %o\t%F\nInode: %i\tLinks: %h\nAccess: (0%a/%A)  Uid: "
                 "(%u/%U)   Gid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: -";
    for (int i = 0; i < o.n; i++) {
        struct ls_entry entry;
        int e = ls_hold(p, o.operands[i], follow, &entry);
        if (e) {
            sim_errf(p, "stat: cannot statx '%s': %s\n", o.operands[i], sim_strerror(-e));
            status = 1;
            continue;
        }
        for (const char *at = format; *at; at++) {
            if (*at == '\\' && !newline && at[1] && strchr("nt0\\", at[1])) {
                at++;
                sim_out_char(p, *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == '0' ? '\0' : '\\');
            } else if (*at != '%')
                sim_out_char(p, *at);
            else if (!at[1] || !stat_directive(p, entry.node, o.operands[i], *++at))
                return sim_unsupported(p, "stat format %s", format);
        }
        if (newline) sim_out_char(p, '\n');
    }
    return status;
}

/* ---- paths ---- */

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
        struct ls_entry entry;
        int e = 0;
        const char *text = NULL;
        if (how)
            text = tree_real(p, o.operands[i], how == 'e' ? 2 : 1, &e);
        else if (!(e = ls_hold(p, o.operands[i], 0, &entry))) {
            if (entry.node->type == 'l')
                text = entry.node->target;
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

const struct sim_tool sim_tools_tree[] = {{"ls", tool_ls},
                                          {"stat", tool_stat},
                                          {"readlink", tool_readlink},
                                          {"realpath", tool_realpath},
                                          {"basename", tool_basename},
                                          {"dirname", tool_dirname},
                                          {NULL, NULL}};
