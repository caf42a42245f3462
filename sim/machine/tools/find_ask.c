/* find's tests and actions, asked about one path. */
#include "sim/machine/sh/sh.h"
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/find.h"
#include <ctype.h>
#include <string.h>

#define FIND_ARGUMENT_BYTES 120000 /* of paths on one command line */

static int find_compare(const struct find_node *node, int64_t value) {
    return node->sign > 0 ? value > node->number : node->sign < 0 ? value < node->number : value == node->number;
}

static char *find_lower(struct sim_proc *p, const char *text) {
    char *copy = sim_strdup(p, text);
    for (char *c = copy; *c; c++) *c = (char)tolower((unsigned char)*c);
    return copy;
}

static void find_let_go(void *node) {
    sim_fs_release(node);
}

static char **find_arguments(struct find *f, const struct find_node *node, const char *path) {
    struct sim_list args = {.p = f->p};
    for (int i = 0; i < node->argc; i++) {
        struct sim_text text = {.p = f->p};
        const char *at = node->argv[i], *hit;
        while ((hit = strstr(at, "{}")) != NULL) {
            sim_text_add(&text, at, (size_t)(hit - at));
            sim_text_str(&text, path);
            at = hit + 2;
        }
        sim_text_str(&text, at);
        sim_list_add(&args, sim_text_get(&text));
    }
    return sim_list_texts(&args);
}

static int find_run(struct find *f, const struct find_node *node, const char *path) {
    return sim_tool_run(f->p, find_arguments(f, node, path)) == 0;
}

/* -execdir: in the directory that the file is in. */
static int find_run_there(struct find *f, const struct find_node *node, const char *path) {
    const char *base = sim_base_name(path);
    struct sim_fs_node *back = sim_fs_hold(f->p->cwd);
    void *handle = sim_at_end(f->p, find_let_go, back);
    int status = -1;
    const char *dir = base == path ? "." : base == path + 1 ? "/" : sim_strndup(f->p, path, (size_t)(base - path - 1));
    if (!sim_sys_chdir(f->p, dir)) status = sim_tool_run(f->p, find_arguments(f, node, sim_format(f->p, "./%s", base)));
    sim_drop(f->p, handle);
    sim_fs_release(f->p->cwd);
    f->p->cwd = back;
    return status == 0;
}

/* The type of what a link leads to; its own where it leads nowhere. */
static int find_target_type(const struct find *f, const struct find_entry *e) {
    int type = e->node->type == 'l' ? sim_file_type(f->p, e->path, 1) : e->node->type;
    return type ? type : e->node->type == 'l' ? 'N' : e->node->type;
}

static int find_print_time(struct find *f, const struct sim_fs_node *node, char how) {
    if (how == '@') {
        sim_outf(f->p, "%lld.%09lld0", (long long)(node->mtime_ns / SIM_SEC), (long long)(node->mtime_ns % SIM_SEC));
        return 1;
    }
    const char *text = how ? sim_date_format(f->p, node->mtime_ns, (char[]){'%', how, '\0'}) : NULL;
    if (!text) return 0;
    sim_out_str(f->p, text);
    if (how == 'S') sim_outf(f->p, ".%09lld0", (long long)(node->mtime_ns % SIM_SEC));
    return 1;
}

static int find_printf(struct find *f, const char *format, const struct find_entry *e) {
    const char *base = sim_base_name(e->path);
    char mode[11];
    for (const char *at = format; *at; at++) {
        if (*at == '\\' && at[1]) {
            at++;
            if (*at == 'n')
                sim_out_char(f->p, '\n');
            else if (*at == 't')
                sim_out_char(f->p, '\t');
            else if (*at == '0')
                sim_out_char(f->p, '\0');
            else if (*at == '\\')
                sim_out_char(f->p, '\\');
            else
                return 0;
            continue;
        }
        if (*at != '%') {
            sim_out_char(f->p, *at);
            continue;
        }
        switch (*++at) {
        case 'p':
            sim_out_str(f->p, e->path);
            break;
        case 'f':
            sim_out_str(f->p, base);
            break;
        case 'P':
            sim_out_str(f->p, e->path + e->root_len + (e->path[e->root_len] == '/'));
            break;
        case 'h':
            sim_outf(f->p, "%.*s", base > e->path ? (int)(base - e->path - 1) : 1, base > e->path ? e->path : ".");
            break;
        case 's':
            sim_outf(f->p, "%lld", (long long)(e->node->type == 'd' ? SIM_FS_BLOCK : e->node->size));
            break;
        case 'm':
            sim_outf(f->p, "%o", e->node->mode);
            break;
        case 'y':
            sim_out_char(f->p, e->node->type);
            break;
        case 'Y':
            sim_out_char(f->p, (char)find_target_type(f, e));
            break;
        case 'M':
            sim_file_mode(e->node, mode);
            sim_out_str(f->p, mode);
            break;
        case 'n':
            sim_outf(f->p, "%lld", (long long)sim_fs_link_count(e->node));
            break;
        case 'i':
            sim_outf(f->p, "%llu", (unsigned long long)e->node->ino);
            break;
        case 'H':
            sim_outf(f->p, "%.*s", (int)e->root_len, e->path);
            break;
        case 'u':
        case 'g':
            sim_out_str(f->p, sim_user_name(f->p, *at == 'u' ? e->node->uid : e->node->gid));
            break;
        case 'U':
        case 'G':
            sim_outf(f->p, "%lld", (long long)(*at == 'U' ? e->node->uid : e->node->gid));
            break;
        case 'T':
            if (!find_print_time(f, e->node, *++at)) return 0;
            break;
        case 'd':
            sim_outf(f->p, "%lld", (long long)e->depth);
            break;
        case 'l':
            sim_out_str(f->p, e->node->type == 'l' ? e->node->target : "");
            break;
        case '%':
            sim_out_char(f->p, '%');
            break;
        default:
            return 0;
        }
    }
    return 1;
}

static void find_run_many(struct find *f, struct find_node *node) {
    struct sim_mark mark = sim_mark(f->p);
    struct sim_list args = {.p = f->p};
    if (!node->many_count) return;
    for (int k = 0; k < node->argc - 1; k++) sim_list_add(&args, node->argv[k]);
    for (size_t k = 0; k < node->many_count; k++) sim_list_add(&args, node->many[k]);
    if (sim_tool_run(f->p, sim_list_texts(&args))) f->status = 1;
    for (size_t k = 0; k < node->many_count; k++) sim_drop(f->p, node->many[k]);
    node->many_count = node->many_bytes = 0;
    sim_release(f->p, mark);
}

/* Paths for -exec {} +: run when there are as many as a command line takes. */
static void find_collect(struct find *f, struct find_node *node, const char *path) {
    if (node->many_count == node->many_cap) {
        size_t cap = node->many_cap ? node->many_cap * 2 : 64;
        char **many = sim_keep(f->p, cap * sizeof *many);
        if (node->many_count) memcpy(many, node->many, node->many_count * sizeof *many);
        sim_drop(f->p, node->many);
        node->many = many;
        node->many_cap = cap;
    }
    node->many[node->many_count++] = sim_keep_text(f->p, path);
    node->many_bytes += strlen(path) + 1;
    if (node->many_bytes > FIND_ARGUMENT_BYTES) find_run_many(f, node);
}

static int find_act(struct find *f, struct find_node *node, const struct find_entry *e) {
    int error;
    switch ((int)node->kind) {
    case FIND_PRINT:
        sim_out_str(f->p, e->path);
        sim_out_char(f->p, '\n');
        return 1;
    case FIND_PRINT0:
        sim_out_str(f->p, e->path);
        sim_out_char(f->p, '\0');
        return 1;
    case FIND_PRINTF:
        if (!find_printf(f, node->text, e)) {
            f->status = sim_unsupported(f->p, "find -printf %s", node->text);
            f->quit = 1;
        }
        return 1;
    case FIND_EXEC:
        return find_run(f, node, e->path);
    case FIND_EXEC_DIR:
        return find_run_there(f, node, e->path);
    case FIND_EXEC_MANY:
        find_collect(f, node, e->path);
        return 1;
    case FIND_PRUNE:
        f->prune = 1;
        return 1;
    case FIND_QUIT:
        f->quit = 1;
        return 1;
    case FIND_DELETE:
        if (strcmp(e->path, ".") == 0) return 1;
        error = e->node->type == 'd' ? sim_sys_rmdir(f->p, e->path) : sim_sys_unlink(f->p, e->path);
        if (!error) return 1;
        sim_errf(f->p, "find: cannot delete '%s': %s\n", e->path, sim_strerror(-error));
        f->status = 1;
        return 0;
    default:
        return 1;
    }
}

static int find_matches(const struct find_node *node, const char *path) {
    regmatch_t m;
    size_t len = strlen(path);
    return regexec(node->regex, path, 1, &m, 0) == 0 && m.rm_so == 0 && (size_t)m.rm_eo == len;
}

static int find_test(const struct find *f, const struct find_node *node, const struct find_entry *e) {
    const struct sim_fs_node *n = e->node;
    const char *base = strcmp(e->path, "/") == 0 ? e->path : sim_base_name(e->path);
    int64_t bytes = n->type == 'd' ? SIM_FS_BLOCK : n->size;
    int kind;
    switch ((int)node->kind) {
    case FIND_NAME:
        return sim_sh_match(node->text, base);
    case FIND_INAME:
        return sim_sh_match(find_lower(f->p, node->text), find_lower(f->p, base));
    case FIND_PATH:
        return sim_sh_match(node->text, e->path);
    case FIND_IPATH:
        return sim_sh_match(find_lower(f->p, node->text), find_lower(f->p, e->path));
    case FIND_REGEX:
        return find_matches(node, e->path);
    case FIND_LINK_NAME:
        return n->type == 'l' && sim_sh_match(node->text, n->target);
    case FIND_XTYPE:
        kind = find_target_type(f, e);
        return strchr(node->text, kind == 'N' ? 'l' : kind) != NULL;
    case FIND_SAME_FILE:
        return n == node->same;
    case FIND_INODE:
        return find_compare(node, (int64_t)n->ino);
    case FIND_ACCESS:
        return n->type == 'l' ? sim_sys_access(f->p, e->path, (unsigned)node->number) == 0
                              : sim_may(f->p->m, n, (unsigned)node->number);
    case FIND_GROUP:
        return n->gid == node->number;
    case FIND_TYPE:
        return strchr(node->text, n->type) != NULL;
    case FIND_SIZE:
        return find_compare(node, (bytes + node->unit - 1) / node->unit);
    case FIND_EMPTY:
        return n->type == 'd' ? n->entry_count == 0 : n->type == 'f' && n->size == 0;
    case FIND_NEWER:
        return n->mtime_ns > node->number;
    case FIND_PERM:
        if (node->sign < 0) return (n->mode & (uint32_t)node->number) == (uint32_t)node->number;
        if (node->sign > 0) return node->number == 0 || (n->mode & (uint32_t)node->number);
        return n->mode == (uint32_t)node->number;
    case FIND_USER:
        return n->uid == node->number;
    case FIND_MTIME:
        return find_compare(node, (sim_machine_wall_ns(f->p->m) - n->mtime_ns) / node->unit);
    case FIND_LINKS:
        return find_compare(node, sim_fs_link_count(n));
    case FIND_FALSE:
        return 0;
    default:
        return 1;
    }
}

int sim_find_ask(struct find *f, struct find_node *node, const struct find_entry *e) {
    switch (node->kind) {
    case FIND_COMMA:
        sim_find_ask(f, node->left, e);
        return !f->quit && sim_find_ask(f, node->right, e);
    case FIND_AND:
        return sim_find_ask(f, node->left, e) && !f->quit && sim_find_ask(f, node->right, e);
    case FIND_OR:
        return sim_find_ask(f, node->left, e) || (!f->quit && sim_find_ask(f, node->right, e));
    case FIND_NOT:
        return !sim_find_ask(f, node->left, e);
    case FIND_PRUNE:
    case FIND_PRINT:
    case FIND_PRINT0:
    case FIND_PRINTF:
    case FIND_DELETE:
    case FIND_EXEC:
    case FIND_EXEC_MANY:
    case FIND_EXEC_DIR:
    case FIND_QUIT:
        return find_act(f, node, e);
    case FIND_IPATH:
    case FIND_REGEX:
    case FIND_LINK_NAME:
    case FIND_XTYPE:
    case FIND_SAME_FILE:
    case FIND_INODE:
    case FIND_GROUP:
    case FIND_ACCESS:
    case FIND_NAME:
    case FIND_INAME:
    case FIND_PATH:
    case FIND_TYPE:
    case FIND_SIZE:
    case FIND_EMPTY:
    case FIND_NEWER:
    case FIND_PERM:
    case FIND_USER:
    case FIND_MTIME:
    case FIND_LINKS:
    case FIND_TRUE:
    case FIND_FALSE:
        return find_test(f, node, e);
    }
    return 0;
}

void sim_find_run_collected(struct find *f) {
    for (size_t i = 0; i < f->collecting_count; i++) find_run_many(f, f->collecting[i]);
}
