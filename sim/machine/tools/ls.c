/* ls, and how a file's rights and size are shown. */
#include "sim/machine/number.h"
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/tools.h"
#include <errno.h>
#include <string.h>

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
        if (!sim_file_node(p, path, 1, &v[n].node)) n++;
        v[n].name = "..";
        if (!sim_file_node(p, sim_file_join(p, path, ".."), 1, &v[n].node)) n++;
    }
    int64_t blocks = 0;
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.items[i];
        if (name[0] == '.' && !ls->all && !ls->almost) continue;
        v[n].name = name;
        if (!sim_file_node(p, sim_file_join(p, path, name), ls->follow, &v[n].node)) n++;
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
        int e = sim_file_node(p, names[i], follow, &entry.node);
        if (e == -ENOENT && follow) e = sim_file_node(p, names[i], 0, &entry.node);
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

const struct sim_tool sim_tools_ls[] = {{"ls", tool_ls}, {NULL, NULL}};
