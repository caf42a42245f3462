/* find's expression: tests, actions and what joins them. */
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/find.h"
#include <stdlib.h>
#include <string.h>

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
            if (node->kind == FIND_EXEC) node->kind = FIND_EXEC_MANY;
            break;
        }
    }
    if (f->at == f->n || f->at == start) return f->wrong = "missing argument to `-exec'", 0;
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
    uint32_t mode = 0;
    node->sign = *text == '-' ? -1 : *text == '/' ? 1 : 0;
    if (node->sign) text++;
    if (!sim_tool_mode(text, 0, 0, 0, &mode)) return 0;
    node->number = mode;
    return 1;
}

static void find_regex_free(void *arg) {
    regfree(arg);
}

/* Emacs's syntax is find's own: groups and alternatives with a backslash, + and ? without. */
static const char *find_emacs(struct find *f, const char *text) {
    struct sim_text out = {.p = f->p};
    for (; *text; text++) {
        if (*text == '\\' && text[1] && strchr("()|", text[1])) {
            sim_text_char(&out, *++text);
        } else if (*text == '\\' && text[1]) {
            sim_text_char(&out, *text);
            sim_text_char(&out, *++text);
        } else if (*text == '[') {
            const char *end = text + 1;
            if (*end == '^') end++;
            if (*end == ']') end++;
            while (*end && *end != ']') end++;
            sim_text_add(&out, text, (size_t)(end - text));
            text = *end ? end : end - 1;
            if (*end) sim_text_char(&out, ']');
        } else {
            if (strchr("(){}|", *text)) sim_text_char(&out, '\\');
            sim_text_char(&out, *text);
        }
    }
    return sim_text_get(&out);
}

static int find_regex(struct find *f, struct find_node *node, int fold) {
    const char *type = f->regex_type ? f->regex_type : "emacs", *text = node->text;
    int extended = strcmp(type, "posix-basic") != 0 && strcmp(type, "sed") != 0 && strcmp(type, "grep") != 0;
    if (strcmp(type, "emacs") == 0 || strcmp(type, "findutils-default") == 0)
        text = find_emacs(f, text);
    else if (extended && strcmp(type, "posix-extended") != 0 && strcmp(type, "egrep") != 0)
        return 0;
    node->regex = sim_keep(f->p, sizeof *node->regex);
    if (regcomp(node->regex, text, (extended ? REG_EXTENDED : 0) | (fold ? REG_ICASE : 0)))
        return f->wrong = "an invalid regular expression", 0;
    sim_at_end(f->p, find_regex_free, node->regex);
    return 1;
}

static void find_release(void *node) {
    sim_fs_release(node);
}

/* Times and nodes of a file that is named. */
static int find_file(struct find *f, struct find_node *node) {
    struct sim_where at;
    int e = sim_sys_stat(f->p, node->text, node->kind != FIND_SAME_FILE || f->follow, &at);
    if (e) {
        f->wrong = sim_format(f->p, "'%s': %s", node->text, sim_strerror(-e));
        return 0;
    }
    node->number = at.node->mtime_ns;
    node->same = sim_fs_hold(at.node);
    sim_at_end(f->p, find_release, at.node);
    sim_where_finish(&at);
    return 1;
}

static int find_types(struct find *f, const char *text) {
    for (const char *at = text; *at; at++) {
        if (!strchr("bcdpfls", *at) || (at[1] && at[1] != ',')) return f->wrong = "an unknown argument to -type", 0;
        if (at[1] && !*++at) return f->wrong = "an unknown argument to -type", 0;
    }
    return *text != 0;
}

static int find_owner(struct find *f, struct find_node *node) {
    node->number = sim_user_id(f->p, node->text);
    if (node->number < 0) node->number = sim_digits(node->text);
    if (node->number < 0) f->wrong = sim_format(f->p, "'%s' is not the name of a known user", node->text);
    return node->number >= 0;
}

/* A primary that takes an argument. @return 0 if it is none or the argument is bad */
static int find_with_arg(struct find *f, struct find_node *node, const char *name) {
    static const struct {
        const char *name;
        enum find_kind kind;
    } kinds[] = {{"-name", FIND_NAME},      {"-iname", FIND_INAME},   {"-path", FIND_PATH},
                 {"-wholename", FIND_PATH}, {"-ipath", FIND_IPATH},   {"-iwholename", FIND_IPATH},
                 {"-regex", FIND_REGEX},    {"-iregex", FIND_REGEX},  {"-lname", FIND_LINK_NAME},
                 {"-type", FIND_TYPE},      {"-xtype", FIND_XTYPE},   {"-size", FIND_SIZE},
                 {"-newer", FIND_NEWER},    {"-newermt", FIND_NEWER}, {"-samefile", FIND_SAME_FILE},
                 {"-perm", FIND_PERM},      {"-user", FIND_USER},     {"-uid", FIND_USER},
                 {"-group", FIND_GROUP},    {"-gid", FIND_GROUP},     {"-mtime", FIND_MTIME},
                 {"-mmin", FIND_MTIME},     {"-links", FIND_LINKS},   {"-inum", FIND_INODE},
                 {"-printf", FIND_PRINTF},  {"-regextype", FIND_TRUE}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        node->kind = kinds[i].kind;
        node->text = find_arg(f);
        if (!node->text) return f->wrong = sim_format(f->p, "missing argument to `%s'", name), 0;
        switch ((int)node->kind) {
        case FIND_SIZE:
            return find_number(node, node->text, 1);
        case FIND_LINKS:
        case FIND_INODE:
            return find_number(node, node->text, 0);
        case FIND_PERM:
            return find_perm(node, node->text);
        case FIND_PRINTF:
            f->acts = 1;
            return 1;
        case FIND_TYPE:
        case FIND_XTYPE:
            return find_types(f, node->text);
        case FIND_USER:
        case FIND_GROUP:
            return find_owner(f, node);
        case FIND_REGEX:
            return find_regex(f, node, name[1] == 'i');
        case FIND_TRUE:
            f->regex_type = node->text;
            return 1;
        case FIND_MTIME:
            node->unit = 0;
            if (!find_number(node, node->text, 0)) return 0;
            node->unit = (strcmp(name, "-mmin") == 0 ? 60 : 86400) * SIM_SEC;
            return 1;
        case FIND_NEWER:
            if (strcmp(name, "-newermt") == 0)
                return sim_date_parse(f->p, node->text, sim_machine_wall_ns(f->p->m), &node->number);
            return find_file(f, node);
        case FIND_SAME_FILE:
            return find_file(f, node);
        default:
            return 1;
        }
    }
    return 0;
}

static int find_alone(struct find *f, struct find_node *node, const char *name) {
    static const struct {
        const char *name;
        enum find_kind kind;
        int acts;
    } kinds[] = {{"-empty", FIND_EMPTY, 0},     {"-true", FIND_TRUE, 0},         {"-false", FIND_FALSE, 0},
                 {"-prune", FIND_PRUNE, 0},     {"-print", FIND_PRINT, 1},       {"-print0", FIND_PRINT0, 1},
                 {"-delete", FIND_DELETE, 1},   {"-quit", FIND_QUIT, 0},         {"-depth", FIND_TRUE, 0},
                 {"-xdev", FIND_TRUE, 0},       {"-mount", FIND_TRUE, 0},        {"-noleaf", FIND_TRUE, 0},
                 {"-nouser", FIND_FALSE, 0},    {"-nogroup", FIND_FALSE, 0},     {"-readable", FIND_ACCESS, 0},
                 {"-writable", FIND_ACCESS, 0}, {"-executable", FIND_ACCESS, 0}, {"-ignore_readdir_race", FIND_TRUE, 0},
                 {"-d", FIND_TRUE, 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        node->kind = kinds[i].kind;
        f->acts |= kinds[i].acts;
        f->depth_first |= node->kind == FIND_DELETE || strcmp(name, "-depth") == 0 || strcmp(name, "-d") == 0;
        node->number = name[1] == 'r' ? 4 : name[1] == 'w' ? 2 : 1;
        return 1;
    }
    return 0;
}

/* What find has beside what is here. */
static int find_known(const char *name) {
    static const char *const names[] = {
        "-amin",     "-anewer",      "-atime",  "-cmin",   "-cnewer",  "-ctime",   "-context",
        "-daystart", "-files0-from", "-fls",    "-follow", "-fprint",  "-fprint0", "-fprintf",
        "-fstype",   "-help",        "-ilname", "-ls",     "-ok",      "-okdir",   "-show-control-chars",
        "-used",     "-version",     "-warn",   "-nowarn", "-newerat", "-newerct", "-size",
        "-perm",     "-mtime",       "-mmin",   "-links",  "-inum",    "-newermt", "-maxdepth",
        "-mindepth", "-regex",       "-iregex", "-exec",   "-execdir", NULL};
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return 0;
}

static struct find_node *find_primary(struct find *f) {
    const char *name = find_arg(f);
    struct find_node *node = find_new(f, FIND_TRUE);
    if (!name) return NULL;
    if (strcmp(name, "(") == 0) {
        node = find_or(f);
        const char *close = find_arg(f);
        if (node && !close) f->wrong = "expected to see a ')'";
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
    if (strcmp(name, "-exec") == 0 || strcmp(name, "-execdir") == 0) {
        node->kind = name[5] ? FIND_EXEC_DIR : FIND_EXEC;
        return find_exec(f, node) ? node : NULL;
    }
    if (find_alone(f, node, name) || find_with_arg(f, node, name)) return node;
    if (!f->wrong && !find_known(name)) f->wrong = sim_format(f->p, "unknown predicate `%s'", name);
    return NULL;
}

static int find_peek(const struct find *f, const char *a, const char *b) {
    return f->at < f->n && (strcmp(f->v[f->at], a) == 0 || strcmp(f->v[f->at], b) == 0);
}

static struct find_node *find_and(struct find *f) {
    struct find_node *left = find_primary(f);
    while (left && f->at < f->n && !find_peek(f, "-o", "-or") && !find_peek(f, ")", ",")) {
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

struct find_node *sim_find_parse(struct find *f) {
    struct find_node *left = f->n ? find_or(f) : find_new(f, FIND_TRUE);
    while (left && find_peek(f, ",", ",")) {
        f->at++;
        struct find_node *both = find_new(f, FIND_COMMA);
        both->left = left;
        both->right = find_or(f);
        left = both->right ? both : NULL;
    }
    return left && f->at == f->n ? left : NULL;
}
