/* Tools about room: du df. */
#include "sim/machine/tools/tools.h"
#include <string.h>

struct du {
    int summary, all, human, bytes, apparent, status;
    int64_t depth;
    char end;
    int64_t block;
};

static void du_print(struct sim_proc *p, const struct du *du, int64_t n, const char *path) {
    if (du->human)
        sim_outf(p, "%s\t%s%c", sim_tool_human(p, n), path, du->end);
    else
        sim_outf(p, "%lld\t%s%c", (long long)((n + du->block - 1) / du->block), path, du->end);
}

static int64_t du_walk(struct sim_proc *p, struct du *du, struct sim_fs_node *node, const char *path, int64_t level) {
    int64_t total = du->bytes || du->apparent ? sim_file_size_shown(node)
                    : node->type == 'd'       ? SIM_FS_BLOCK
                                              : node->blocks * SIM_FS_BLOCK;
    if (++p->depth > SIM_NICE_DEPTH * 2) du->status = sim_unsupported(p, "du of a tree so deep");
    if (node->type == 'd') sim_fs_sort(node);
    for (size_t i = 0; node->type == 'd' && !du->status && i < node->entry_count; i++)
        total += du_walk(p, du, node->entries[i].node, sim_file_join(p, path, node->entries[i].name), level + 1);
    p->depth--;
    if (level == 0 || (level <= du->depth && !du->summary && (node->type == 'd' || du->all)))
        du_print(p, du, total, path);
    return total;
}

static int tool_du(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"summarize", 's'}, {"all", 'a'},           {"human-readable", 'h'}, {"bytes", 'b'},      {"max-depth", 'd'},
        {"total", 'c'},     {"apparent-size", 'A'}, {"null", '0'},           {"block-size", 'B'}, {NULL, 0}};
    static char dot[] = ".";
    char *standard[] = {dot, NULL};
    struct du du = {.block = 1024, .depth = INT64_MAX, .end = '\n'};
    int64_t total = 0;
    int grand = 0;
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "sahbkmcd:A0B:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 's')
            du.summary = 1;
        else if (opt == 'a')
            du.all = 1;
        else if (opt == 'h')
            du.human = 1;
        else if (opt == 'b')
            du.bytes = (int)(du.block = 1);
        else if (opt == 'm')
            du.block = 1048576;
        else if (opt == 'c')
            grand = 1;
        else if (opt == 'A')
            du.apparent = 1;
        else if (opt == '0')
            du.end = '\0';
        else if ((opt == 'd' && sim_tool_number(o.arg, &du.depth)) ||
                 (opt == 'B' && sim_tool_number(o.arg, &du.block) && du.block > 0))
            continue;
        else if (opt != 'k')
            return sim_opts_bad(&o);
    }
    for (char **name = o.n ? o.operands : standard; *name; name++) {
        struct sim_where at;
        int e = sim_sys_stat(p, *name, 0, &at);
        if (!e) {
            total += du_walk(p, &du, at.node, *name, 0);
            sim_where_finish(&at);
        } else {
            sim_errf(p, "du: cannot access '%s': %s\n", *name, sim_strerror(-e));
            du.status = 1;
        }
    }
    if (grand) du_print(p, &du, total, "total");
    return du.status;
}

static int tool_df(struct sim_proc *p, int argc, char **argv) {
    const struct sim_machine *m = p->m;
    struct sim_opts o;
    int human = 0;
    sim_opts_start(&o, p, argc, argv, "hkP", NULL);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == '?') return sim_opts_bad(&o);
        human |= opt == 'h';
    }
    int64_t all = (m->fs.blocks_max - m->image_blocks) * SIM_FS_BLOCK,
            used = (m->fs.blocks_used - m->image_blocks) * SIM_FS_BLOCK;
    int64_t percent = all ? (used * 100 + all - 1) / all : 0;
    if (human)
        sim_outf(p, "Filesystem      Size  Used Avail Use%% Mounted on\noverlay         %4s  %4s %5s %3lld%% /\n",
                 sim_tool_human(p, all), sim_tool_human(p, used), sim_tool_human(p, all - used), (long long)percent);
    else
        sim_outf(
            p,
            "Filesystem     1K-blocks    Used Available Use%% Mounted on\noverlay        %9lld %7lld %9lld %3lld%% /\n",
            (long long)(all / 1024), (long long)(used / 1024), (long long)((all - used) / 1024), (long long)percent);
    return 0;
}

const struct sim_tool sim_tools_disk[] = {{"du", tool_du}, {"df", tool_df}, {NULL, NULL}};
