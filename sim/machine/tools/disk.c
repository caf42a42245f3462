/* Tools about room: du df. */
#include "sim/machine/tools/tools.h"
#include <string.h>

struct du {
    int summary, all, human, bytes, apparent, follow, status;
    struct sim_list seen; /* files of several names, and what was given */
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

/* A file is counted under the first of its names. */
static int du_is_seen(struct du *du, struct sim_fs_node *node, int64_t level) {
    if (level > 0 && (node->type == 'd' || node->links < 2)) return 0;
    for (size_t i = 0; i < du->seen.n; i++)
        if (du->seen.items[i] == node) return 1;
    sim_list_add(&du->seen, node);
    return 0;
}

static int64_t du_walk(struct sim_proc *p, struct du *du, struct sim_fs_node *node, const char *path, int64_t level) {
    if (du_is_seen(du, node, level)) return 0;
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
    static const struct sim_long_option longs[] = {{"summarize", 's'},
                                                   {"all", 'a'},
                                                   {"human-readable", 'h'},
                                                   {"bytes", 'b'},
                                                   {"max-depth", 'd'},
                                                   {"total", 'c'},
                                                   {"apparent-size", 'A'},
                                                   {"null", '0'},
                                                   {"block-size", 'B'},
                                                   {"dereference-args", 'D'},
                                                   {NULL, 0}};
    static char dot[] = ".";
    char *standard[] = {dot, NULL};
    struct du du = {.block = 1024, .depth = INT64_MAX, .end = '\n'};
    int64_t total = 0;
    int grand = 0;
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "sahbkmcd:A0B:DH", longs);
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
        else if (opt == 'D' || opt == 'H')
            du.follow = 1;
        else if (opt == 'd' && !sim_tool_number(o.arg, &du.depth)) {
            sim_errf(p, "du: invalid maximum depth %s\n", sim_quote(p, o.arg));
            return sim_tool_hint(p, "du");
        } else if (opt == '0')
            du.end = '\0';
        else if (opt == 'd' || (opt == 'B' && sim_tool_number(o.arg, &du.block) && du.block > 0))
            continue;
        else if (opt != 'k')
            return sim_opts_bad(&o);
    }
    if (du.summary && du.all) {
        sim_errf(p, "du: cannot both summarize and show all entries\n");
        return sim_tool_hint(p, "du");
    }
    du.seen.p = p;
    for (char **name = o.n ? o.operands : standard; *name; name++) {
        struct sim_where at;
        int e = sim_sys_stat(p, *name, du.follow, &at);
        if (!e) {
            total += du_walk(p, &du, at.node, *name, 0);
            sim_where_finish(&at);
        } else {
            sim_errf(p, "du: cannot access %s: %s\n", sim_quote_name(p, *name, 1), sim_strerror(-e));
            du.status = 1;
        }
    }
    if (grand) du_print(p, &du, total, "total");
    return du.status;
}

/* ---- df ---- */

enum df_column { DF_SOURCE, DF_TYPE, DF_SIZE, DF_USED, DF_AVAILABLE, DF_PERCENT, DF_TARGET, DF_COLUMNS };

static const char *const df_names[] = {"source", "fstype", "size", "used", "avail", "pcent", "target"};

struct df {
    int human, portable;
    int64_t block;
    enum df_column shown[DF_COLUMNS];
    int n;
};

/* --output: names of columns between commas. */
static int df_choose(struct df *df, const char *text) {
    for (df->n = 0; text && *text;) {
        size_t len = strcspn(text, ","), i = 0;
        while (i < DF_COLUMNS && (strlen(df_names[i]) != len || strncmp(df_names[i], text, len) != 0)) i++;
        if (i == DF_COLUMNS || df->n == DF_COLUMNS) return 0;
        df->shown[df->n++] = (enum df_column)i;
        text += len + (text[len] == ',');
    }
    return df->n > 0;
}

static const char *df_title(struct sim_proc *p, const struct df *df, enum df_column column) {
    static const char *const titles[] = {"Filesystem", "Type", NULL, "Used", "Available", "Use%", "Mounted on"};
    if (column == DF_PERCENT && df->portable) return "Capacity";
    if (column == DF_AVAILABLE && df->human) return "Avail";
    if (titles[column]) return titles[column];
    if (df->human) return "Size";
    if (df->portable) return sim_format(p, "%lld-blocks", (long long)df->block);
    return df->block == 1048576 ? "1M-blocks" : "1K-blocks";
}

static const char *df_value(struct sim_proc *p, const struct df *df, enum df_column column) {
    const struct sim_machine *m = p->m;
    int64_t all = (m->fs.blocks_max - m->image_blocks) * SIM_FS_BLOCK;
    int64_t used = (m->fs.blocks_used - m->image_blocks) * SIM_FS_BLOCK, bytes = all;
    if (column == DF_SOURCE || column == DF_TYPE) return "overlay";
    if (column == DF_TARGET) return "/";
    if (column == DF_PERCENT) return sim_format(p, "%lld%%", (long long)(all ? (used * 100 + all - 1) / all : 0));
    if (column == DF_USED) bytes = used;
    if (column == DF_AVAILABLE) bytes = all - used;
    if (df->human) return sim_tool_human(p, bytes);
    return sim_format(p, "%lld", (long long)((bytes + df->block - 1) / df->block));
}

/* Columns as wide as what is widest in them, and as df likes them at least. */
static void df_table(struct sim_proc *p, const struct df *df, int rows) {
    static const int least[] = {14, 4, 5, 5, 5, 4, 0};
    for (int row = 0; row <= rows; row++) {
        for (int i = 0; i < df->n; i++) {
            enum df_column c = df->shown[i];
            const char *title = df_title(p, df, c), *value = df_value(p, df, c);
            int width = least[c];
            if ((int)strlen(title) > width) width = (int)strlen(title);
            if ((int)strlen(value) > width) width = (int)strlen(value);
            int is_left = c == DF_SOURCE || c == DF_TYPE || c == DF_TARGET, is_last = i == df->n - 1;
            sim_outf(p, "%s%*s", i ? " " : "", is_left ? is_last ? 0 : -width : width, row ? value : title);
        }
        sim_out_char(p, '\n');
    }
}

static int tool_df(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"human-readable", 'h'}, {"portability", 'P'}, {"print-type", 'T'}, {"output", 'O'}, {NULL, 0}};
    struct df df = {.block = 1024, .shown = {DF_SOURCE, DF_SIZE, DF_USED, DF_AVAILABLE, DF_PERCENT, DF_TARGET}, .n = 6};
    struct sim_opts o;
    int status = 0, rows = 0;
    sim_opts_start(&o, p, argc, argv, "hkmPTO:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'h')
            df.human = 1;
        else if (opt == 'k' || opt == 'm')
            df.block = opt == 'm' ? 1048576 : 1024;
        else if (opt == 'P')
            df.portable = 1;
        else if (opt == 'T')
            df_choose(&df, "source,fstype,size,used,avail,pcent,target");
        else if (opt != 'O' || !df_choose(&df, o.arg))
            return sim_opts_bad(&o);
    }
    for (int i = 0; i < o.n; i++) {
        struct sim_where at;
        int e = sim_sys_stat(p, o.operands[i], 1, &at);
        rows += !e;
        status |= e ? sim_tool_fail(p, "df", o.operands[i], e) : 0;
        if (!e) sim_where_finish(&at);
    }
    if (!o.n) rows = 1;
    if (rows) df_table(p, &df, rows);
    return status;
}

const struct sim_tool sim_tools_disk[] = {{"du", tool_du}, {"df", tool_df}, {NULL, NULL}};
