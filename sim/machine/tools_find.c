/* find: walks trees and asks an expression of every path. */
#include "sim/machine/sh.h"
#include "sim/machine/tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIND_ARGUMENT_BYTES 120000 /* of paths on one command line */

enum find_kind {
    FIND_AND,
    FIND_OR,
    FIND_NOT,
    FIND_NAME,
    FIND_INAME,
    FIND_PATH,
    FIND_TYPE,
    FIND_SIZE,
    FIND_EMPTY,
    FIND_NEWER,
    FIND_PERM,
    FIND_USER,
    FIND_MTIME,
    FIND_LINKS,
    FIND_TRUE,
    FIND_FALSE,
    FIND_PRUNE,
    FIND_PRINT,
    FIND_PRINT0,
    FIND_PRINTF,
    FIND_DELETE,
    FIND_EXEC,
    FIND_EXEC_MANY,
    FIND_QUIT
};

struct find_node {
    enum find_kind kind;
    struct find_node *left, *right;
    const char *text;
    int64_t number, unit;
    int sign; /* + and - before a number */
    char **argv;
    int argc;
    char **many; /* -exec {} +: kept, as are the paths in it */
    size_t many_count, many_cap, many_bytes;
};

struct find {
    struct sim_proc *p;
    char **v;
    int n, at;
    int64_t max_depth, min_depth;
    int depth_first, follow, acts, quit, prune, status;
    struct find_node *expression;
    struct find_node *collecting[8];
    size_t collecting_count;
};

struct find_entry {
    const char *path;
    const struct sim_fs_node *node;
    int64_t depth;
    size_t root_len;
};

/* ---- the expression ---- */

static struct find_node *find_or(struct find *f);

static struct find_node *find_new(struct find *f, enum find_kind kind) {
    struct find_node *node = sim_alloc_zero(f->p, sizeof *node);
    node->kind = kind;
    return node;
}

static const char *find_arg(struct find *f) {
    return f->at < f->n ? f->v[f->at++] : NULL;
}

static int find_number(struct find_node *node, const char *text, int is_size) {
    char *end;
    node->sign = *text == '+' ? 1 : *text == '-' ? -1 : 0;
    if (node->sign) text++;
    node->number = strtoll(text, &end, 10);
    node->unit = 1;
    if (end == text) return 0;
    if (is_size) {
        static const char units[] = "cwbkMG";
        static const int64_t sizes[] = {1, 2, 512, 1024, 1 << 20, 1 << 30};
        const char *at = *end ? strchr(units, *end) : NULL;
        if (*end && (!at || end[1])) return 0;
        node->unit = at ? sizes[at - units] : 512;
        return 1;
    }
    return *end == '\0';
}

static int find_exec(struct find *f, struct find_node *node) {
    int start = f->at;
    for (; f->at < f->n; f->at++) {
        if (strcmp(f->v[f->at], ";") == 0) break;
        if (strcmp(f->v[f->at], "+") == 0 && f->at > start && strcmp(f->v[f->at - 1], "{}") == 0) {
            node->kind = FIND_EXEC_MANY;
            break;
        }
    }
    if (f->at == f->n || f->at == start) return 0;
    node->argv = f->v + start;
    node->argc = f->at - start;
    f->at++;
    f->acts = 1;
    if (node->kind == FIND_EXEC_MANY) {
        if (f->collecting_count == 8) return 0;
        f->collecting[f->collecting_count++] = node;
    }
    return 1;
}

static int find_perm(struct find_node *node, const char *text) {
    node->sign = *text == '-' ? -1 : *text == '/' ? 1 : 0;
    if (node->sign) text++;
    char *end;
    node->number = strtoll(text, &end, 8);
    return *text && !*end;
}

/* A primary that takes an argument. @return 0 if it is none or the argument is bad */
static int find_with_arg(struct find *f, struct find_node *node, const char *name) {
    static const struct {
        const char *name;
        enum find_kind kind;
    } kinds[] = {{"-name", FIND_NAME},    {"-iname", FIND_INAME}, {"-path", FIND_PATH},   {"-wholename", FIND_PATH},
                 {"-type", FIND_TYPE},    {"-size", FIND_SIZE},   {"-newer", FIND_NEWER}, {"-perm", FIND_PERM},
                 {"-user", FIND_USER},    {"-mtime", FIND_MTIME}, {"-mmin", FIND_MTIME},  {"-links", FIND_LINKS},
                 {"-printf", FIND_PRINTF}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        struct sim_where at;
        node->kind = kinds[i].kind;
        node->text = find_arg(f);
        if (!node->text) return 0;
        if (node->kind == FIND_SIZE) return find_number(node, node->text, 1);
        if (node->kind == FIND_LINKS) return find_number(node, node->text, 0);
        if (node->kind == FIND_PERM) return find_perm(node, node->text);
        if (node->kind == FIND_PRINTF) f->acts = 1;
        if (node->kind == FIND_TYPE) return strlen(node->text) == 1 && strchr("fdlpc", node->text[0]) != NULL;
        if (node->kind == FIND_MTIME) {
            if (!find_number(node, node->text, 0)) return 0;
            node->unit = (strcmp(name, "-mmin") == 0 ? 60 : 86400) * SIM_SEC;
        }
        if (node->kind == FIND_NEWER) {
            if (sim_sys_stat(f->p, node->text, 1, &at)) return 0;
            node->number = at.node->mtime_ns;
            sim_where_finish(&at);
        }
        return 1;
    }
    return 0;
}

static int find_alone(struct find *f, struct find_node *node, const char *name) {
    static const struct {
        const char *name;
        enum find_kind kind;
        int acts;
    } kinds[] = {{"-empty", FIND_EMPTY, 0},   {"-true", FIND_TRUE, 0},   {"-false", FIND_FALSE, 0},
                 {"-prune", FIND_PRUNE, 0},   {"-print", FIND_PRINT, 1}, {"-print0", FIND_PRINT0, 1},
                 {"-delete", FIND_DELETE, 1}, {"-quit", FIND_QUIT, 1},   {"-depth", FIND_TRUE, 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        node->kind = kinds[i].kind;
        f->acts |= kinds[i].acts;
        f->depth_first |= node->kind == FIND_DELETE || strcmp(name, "-depth") == 0;
        return 1;
    }
    return 0;
}

static struct find_node *find_primary(struct find *f) {
    const char *name = find_arg(f);
    struct find_node *node = find_new(f, FIND_TRUE);
    if (!name) return NULL;
    if (strcmp(name, "(") == 0) {
        node = find_or(f);
        const char *close = find_arg(f);
        return node && close && strcmp(close, ")") == 0 ? node : NULL;
    }
    if (strcmp(name, "!") == 0 || strcmp(name, "-not") == 0) {
        node->kind = FIND_NOT;
        node->left = find_primary(f);
        return node->left ? node : NULL;
    }
    if (strcmp(name, "-maxdepth") == 0 || strcmp(name, "-mindepth") == 0) {
        const char *text = find_arg(f);
        if (!text || !sim_tool_number(text, name[2] == 'a' ? &f->max_depth : &f->min_depth)) return NULL;
        return node;
    }
    if (strcmp(name, "-exec") == 0) {
        node->kind = FIND_EXEC;
        return find_exec(f, node) ? node : NULL;
    }
    return find_alone(f, node, name) || find_with_arg(f, node, name) ? node : NULL;
}

static int find_peek(const struct find *f, const char *a, const char *b) {
    return f->at < f->n && (strcmp(f->v[f->at], a) == 0 || strcmp(f->v[f->at], b) == 0);
}

static struct find_node *find_and(struct find *f) {
    struct find_node *left = find_primary(f);
    while (left && f->at < f->n && !find_peek(f, "-o", "-or") && !find_peek(f, ")", ")")) {
        if (find_peek(f, "-a", "-and")) f->at++;
        struct find_node *both = find_new(f, FIND_AND);
        both->left = left;
        both->right = find_primary(f);
        left = both->right ? both : NULL;
    }
    return left;
}

static struct find_node *find_or(struct find *f) {
    struct find_node *left = find_and(f);
    while (left && find_peek(f, "-o", "-or")) {
        f->at++;
        struct find_node *both = find_new(f, FIND_OR);
        both->left = left;
        both->right = find_and(f);
        left = both->right ? both : NULL;
    }
    return left;
}

/* ---- asking it ---- */

static int find_compare(const struct find_node *node, int64_t value) {
    return node->sign > 0 ? value > node->number : node->sign < 0 ? value < node->number : value == node->number;
}

static char *find_lower(struct sim_proc *p, const char *text) {
    char *copy = sim_strdup(p, text);
    for (char *c = copy; *c; c++) *c = (char)tolower((unsigned char)*c);
    return copy;
}

static int find_run(struct find *f, const struct find_node *node, const char *path) {
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
    return sim_tool_run(f->p, sim_list_texts(&args)) == 0;
}

static int find_printf(struct find *f, const char *format, const struct find_entry *e) {
    const char *base = sim_base_name(e->path);
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

static int find_ask(struct find *f, struct find_node *node, const struct find_entry *e);

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
        sim_outf(f->p, "%s\n", e->path);
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

static int find_test(const struct find *f, const struct find_node *node, const struct find_entry *e) {
    const struct sim_fs_node *n = e->node;
    const char *base = strcmp(e->path, "/") == 0 ? e->path : sim_base_name(e->path);
    int64_t bytes = n->type == 'd' ? SIM_FS_BLOCK : n->size;
    switch ((int)node->kind) {
    case FIND_NAME:
        return sim_sh_match(node->text, base);
    case FIND_INAME:
        return sim_sh_match(find_lower(f->p, node->text), find_lower(f->p, base));
    case FIND_PATH:
        return sim_sh_match(node->text, e->path);
    case FIND_TYPE:
        return n->type == node->text[0];
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
        return strcmp(node->text, n->uid ? f->p->m->user : "root") == 0;
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

static int find_ask(struct find *f, struct find_node *node, const struct find_entry *e) {
    switch (node->kind) {
    case FIND_AND:
        return find_ask(f, node->left, e) && !f->quit && find_ask(f, node->right, e);
    case FIND_OR:
        return find_ask(f, node->left, e) || (!f->quit && find_ask(f, node->right, e));
    case FIND_NOT:
        return !find_ask(f, node->left, e);
    case FIND_PRUNE:
    case FIND_PRINT:
    case FIND_PRINT0:
    case FIND_PRINTF:
    case FIND_DELETE:
    case FIND_EXEC:
    case FIND_EXEC_MANY:
    case FIND_QUIT:
        return find_act(f, node, e);
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

/* ---- walking ---- */

struct find_walk {
    struct find *f;
    const char *path;
    int64_t depth;
    size_t root_len;
};

static int find_walk_main(struct sim_proc *p, void *arg);

static void find_visit(struct find *f, const struct find_entry *e) {
    if (e->depth < f->min_depth || f->quit) return;
    if (find_ask(f, f->expression, e) && !f->acts) sim_outf(f->p, "%s\n", e->path);
}

static void find_path(struct find *f, const char *path, int64_t depth, size_t root_len) {
    struct sim_where at;
    struct sim_proc *p = f->p;
    int e = sim_sys_stat(p, path, f->follow, &at);
    if (e && f->follow) e = sim_sys_stat(p, path, 0, &at);
    if (e) {
        sim_errf(p, "find: '%s': %s\n", path, sim_strerror(-e));
        f->status = 1;
        return;
    }
    struct find_entry entry = {path, at.node, depth, root_len};
    f->prune = 0;
    if (!f->depth_first) find_visit(f, &entry);
    if (at.node->type == 'd' && !(f->prune && !f->depth_first) && !f->quit && depth < f->max_depth) {
        struct find_walk walk = {f, path, depth, root_len};
        p->depth += 3;
        if (p->depth >= SIM_NICE_DEPTH)
            sim_proc_deeper(p, find_walk_main, &walk);
        else
            find_walk_main(p, &walk);
        p->depth -= 3;
    }
    if (f->depth_first) find_visit(f, &entry);
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
        find_path(f, path, walk->depth + 1, walk->root_len);
        sim_release(p, mark);
        if (p->out_error) f->quit = 1;
    }
    sim_release(p, start);
    return 0;
}

static void find_run_collected(struct find *f) {
    for (size_t i = 0; i < f->collecting_count; i++) find_run_many(f, f->collecting[i]);
}

static int tool_find(struct sim_proc *p, int argc, char **argv) {
    static char dot[] = ".";
    char *standard[] = {dot, NULL};
    struct find *f = sim_alloc_zero(p, sizeof *f);
    int i = 1;
    f->p = p;
    f->max_depth = INT64_MAX;
    for (; i < argc && (strcmp(argv[i], "-L") == 0 || strcmp(argv[i], "-P") == 0 || strcmp(argv[i], "-H") == 0); i++)
        f->follow = argv[i][1] == 'L';
    int first = i;
    while (i < argc && argv[i][0] != '-' && strcmp(argv[i], "(") != 0 && strcmp(argv[i], "!") != 0) i++;
    char **paths = i > first ? argv + first : standard;
    int count = i > first ? i - first : 1;
    f->v = argv + i;
    f->n = argc - i;
    f->expression = f->n ? find_or(f) : find_new(f, FIND_TRUE);
    if (!f->expression || f->at < f->n) {
        const char *bad = f->at > 0 && f->at <= f->n ? f->v[f->at - 1] : "";
        return sim_unsupported(p, "find %s", bad);
    }
    for (int k = 0; k < count && !f->quit; k++) find_path(f, paths[k], 0, strlen(paths[k]));
    find_run_collected(f);
    return f->status;
}

const struct sim_tool sim_tools_find[] = {{"find", tool_find}, {NULL, NULL}};
