/* What tools share. */
#include "sim/machine/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TOOL_BUFFER 8192

/* ---- options ---- */

void sim_opts_start(struct sim_opts *o, struct sim_proc *p, int argc, char **argv, const char *spec,
                    const struct sim_long_option *longs) {
    memset(o, 0, sizeof *o);
    o->p = p;
    o->argc = argc;
    o->argv = argv;
    o->spec = spec;
    o->longs = longs;
    o->index = 1;
    o->operands = sim_alloc(p, ((size_t)argc + 1) * sizeof *o->operands);
    o->operands[0] = NULL;
}

static int opts_operand(struct sim_opts *o, char *text) {
    o->operands[o->n++] = text;
    o->operands[o->n] = NULL;
    if (*o->spec == '+') o->ended = 1;
    return 0;
}

static const char *opts_find(const struct sim_opts *o, char c) {
    return c != ':' && c != '+' ? strchr(o->spec, c) : NULL;
}

static int opts_long(struct sim_opts *o, const char *text) {
    size_t len = strcspn(text, "=");
    const char *value = text[len] ? text + len + 1 : NULL;
    const struct sim_long_option *hit = NULL;
    for (const struct sim_long_option *l = o->longs; l && l->name; l++)
        if (strncmp(l->name, text, len) == 0 && (!hit || !l->name[len])) hit = l;
    o->bad = o->argv[o->index - 1];
    if (!hit) return '?';
    const char *in_spec = opts_find(o, hit->c);
    int takes = in_spec && in_spec[1] == ':', may = takes && in_spec[2] == ':';
    if (!takes && value) return '?';
    if (takes && !may && !value && o->index < o->argc) value = o->argv[o->index++];
    if (takes && !may && !value) {
        o->missing = 1;
        return '?';
    }
    o->arg = value;
    return (unsigned char)hit->c;
}

static int opts_short(struct sim_opts *o) {
    char c = *o->cluster++;
    const char *in_spec = opts_find(o, c);
    o->bad = sim_format(o->p, "-%c", c);
    if (!in_spec) return '?';
    if (in_spec[1] == ':') {
        if (*o->cluster)
            o->arg = o->cluster;
        else if (in_spec[2] == ':')
            o->arg = NULL;
        else if (o->index < o->argc)
            o->arg = o->argv[o->index++];
        else {
            o->missing = 1;
            return '?';
        }
        o->cluster = NULL;
    }
    return (unsigned char)c;
}

int sim_opts_next(struct sim_opts *o) {
    if (o->cluster && *o->cluster) return opts_short(o);
    o->cluster = NULL;
    while (o->index < o->argc) {
        char *text = o->argv[o->index++];
        if (o->ended || text[0] != '-' || !text[1]) {
            opts_operand(o, text);
        } else if (strcmp(text, "--") == 0) {
            o->ended = 1;
        } else if (text[1] == '-') {
            return opts_long(o, text + 2);
        } else {
            o->cluster = text + 1;
            return opts_short(o);
        }
    }
    return -1;
}

int sim_opts_bad(struct sim_opts *o) {
    if (o->missing) {
        const char *who = sim_base_name(o->argv[0]);
        int two = strcmp(who, "grep") == 0 || strcmp(who, "diff") == 0 || strcmp(who, "sort") == 0 ||
                  strcmp(who, "ls") == 0 || strcmp(who, "tar") == 0;
        sim_errf(o->p, "%s: option requires an argument -- '%s'\n", who, o->bad + strspn(o->bad, "-"));
        return two ? 2 : strcmp(who, "env") == 0 || strcmp(who, "timeout") == 0 ? 125 : 1;
    }
    return sim_unsupported(o->p, "%s %s", sim_base_name(o->argv[0]), o->bad);
}

int sim_tool_number(const char *text, int64_t *out) {
    static const char units[] = "KMGT";
    int64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (value > (INT64_MAX - 9) / 10) return 0;
        value = value * 10 + (*at - '0');
    }
    if (at == text) return 0;
    if (*at) {
        char c = *at == 'k' ? 'K' : *at;
        const char *unit = strchr(units, c);
        int64_t step = strcmp(at + 1, "B") == 0 ? 1000 : 1024;
        if (strcmp(at, "b") == 0) {
            *out = value * 512;
            return value <= INT64_MAX / 512;
        }
        if (!unit || (at[1] && step != 1000 && strcmp(at + 1, "iB") != 0)) return 0;
        for (; unit >= units; unit--) {
            if (value > INT64_MAX / step) return 0;
            value *= step;
        }
    }
    *out = value;
    return 1;
}

/* ---- inputs ---- */

int sim_tool_fail(struct sim_proc *p, const char *who, const char *what, int e) {
    sim_errf(p, "%s: %s: %s\n", who, what, sim_strerror(-e));
    return 1;
}

int sim_tool_open(struct sim_proc *p, const char *who, const char *path) {
    if (strcmp(path, "-") == 0) return 0;
    int fd = sim_sys_open(p, path, SIM_O_READ, 0);
    if (fd >= 0) return fd;
    sim_tool_fail(p, who, path, fd);
    return -1;
}

void sim_tool_close(struct sim_proc *p, int fd) {
    if (fd > 0) sim_sys_close(p, fd);
}

char *sim_tool_read_all(struct sim_proc *p, const char *who, const char *name, int fd, size_t *len) {
    return sim_tool_read_some(p, who, name, fd, SIZE_MAX, len);
}

char *sim_tool_read_some(struct sim_proc *p, const char *who, const char *name, int fd, size_t max, size_t *len) {
    struct sim_text text = {.p = p};
    char buf[TOOL_BUFFER];
    ptrdiff_t n = 0;
    while (text.len < max &&
           (n = sim_sys_read(p, fd, buf, max - text.len < sizeof buf ? max - text.len : sizeof buf)) > 0)
        sim_text_add(&text, buf, (size_t)n);
    if (n < 0) {
        sim_tool_fail(p, who, name, (int)n);
        return NULL;
    }
    *len = text.len;
    return sim_text_get(&text);
}

int sim_tool_each(struct sim_opts *o, int (*one)(struct sim_opts *o, const char *name, int fd, void *ctx), void *ctx) {
    static char dash[] = "-";
    char *standard[] = {dash, NULL};
    char **names = o->n ? o->operands : standard;
    int status = 0;
    for (; *names; names++) {
        int fd = sim_tool_open(o->p, sim_base_name(o->argv[0]), *names);
        if (fd < 0) {
            status = 1;
            continue;
        }
        if (one(o, *names, fd, ctx)) status = 1;
        sim_tool_close(o->p, fd);
    }
    return status;
}

void sim_lines_start(struct sim_lines *l, struct sim_proc *p, int fd) {
    memset(l, 0, sizeof *l);
    l->p = p;
    l->fd = fd;
    l->separator = '\n';
    l->cap = TOOL_BUFFER;
    l->buf = sim_keep(p, l->cap + 1);
}

void sim_lines_finish(struct sim_lines *l) {
    sim_drop(l->p, l->buf);
    l->buf = NULL;
}

static void lines_fill(struct sim_lines *l) {
    size_t have = l->end - l->start;
    if (l->start && have) memmove(l->buf, l->buf + l->start, have);
    l->start = 0;
    l->end = have;
    if (l->cap - have < TOOL_BUFFER / 2) {
        char *grown = sim_keep(l->p, l->cap * 2 + 1);
        memcpy(grown, l->buf, have);
        sim_drop(l->p, l->buf);
        l->buf = grown;
        l->cap *= 2;
    }
    ptrdiff_t n = sim_sys_read(l->p, l->fd, l->buf + have, l->cap - have);
    if (n < 0) l->error = (int)n;
    if (n <= 0)
        l->eof = 1;
    else
        l->end += (size_t)n;
}

size_t sim_lines_peek(struct sim_lines *l, const char **data) {
    if (l->start == l->end && !l->eof) lines_fill(l);
    *data = l->buf + l->start;
    return l->end - l->start;
}

int sim_lines_next(struct sim_lines *l) {
    size_t seen = 0;
    for (;;) {
        size_t have = l->end - l->start;
        char *at = have > seen ? memchr(l->buf + l->start + seen, l->separator, have - seen) : NULL;
        if (at || (l->eof && have)) {
            l->line = l->buf + l->start;
            l->len = at ? (size_t)(at - l->line) : have;
            l->newline = at != NULL;
            l->start += l->len + (at ? 1 : 0);
            l->line[l->len] = '\0';
            return 1;
        }
        if (l->eof) return 0;
        seen = have;
        lines_fill(l);
    }
}

/* ---- paths ---- */

static void file_release(void *arg) {
    sim_fs_release(arg);
}

int sim_file_node(struct sim_proc *p, const char *path, int follow, struct sim_fs_node **out) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, follow, &at);
    if (e) return e;
    *out = sim_fs_hold(at.node);
    sim_at_end(p, file_release, *out);
    sim_where_finish(&at);
    return 0;
}

int sim_file_type(struct sim_proc *p, const char *path, int follow) {
    struct sim_where at;
    if (sim_sys_stat(p, path, follow, &at)) return 0;
    int type = at.node->type;
    sim_where_finish(&at);
    return type;
}

int sim_file_is_dir(struct sim_proc *p, const char *path) {
    return sim_file_type(p, path, 1) == 'd';
}

char *sim_file_join(struct sim_proc *p, const char *dir, const char *name) {
    size_t len = strlen(dir);
    return sim_format(p, len && dir[len - 1] == '/' ? "%s%s" : "%s/%s", dir, name);
}

/* The last component, without slashes at its end. */
char *sim_file_last(struct sim_proc *p, const char *path) {
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') len--;
    return sim_strdup(p, sim_base_name(sim_strndup(p, path, len)));
}

/* ---- other programs ---- */

const char *sim_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int sim_tool_become(struct sim_proc *p, const char *who, char **argv, char **env) {
    int why;
    const char *list = sim_env_get(env, "PATH");
    char *path = sim_program_find(p, argv[0], list ? list : "/usr/bin:/bin", &why);
    int e = why;
    sim_out_flush(p);
    if (path) e = sim_program_run(p, path, argv, env);
    if (e == -ENOEXEC) {
        struct sim_list args = {.p = p};
        sim_list_add(&args, sim_strdup(p, "sh"));
        sim_list_add(&args, path);
        for (char **arg = argv + 1; *arg; arg++) sim_list_add(&args, *arg);
        e = sim_program_run(p, "/bin/sh", sim_list_texts(&args), env);
    }
    if (e >= 0) return e;
    sim_errf(p, "%s: %s'%s': %s\n", who, strcmp(who, "env") == 0 ? "" : "failed to run command ", argv[0],
             sim_strerror(-e));
    return e == -ENOENT ? 127 : 126;
}

struct tool_child {
    const char *who;
    char **argv;
    char **env;
};

static int tool_child_main(struct sim_proc *p, void *arg) {
    const struct tool_child *child = arg;
    return sim_tool_become(p, child->who, child->argv, child->env);
}

int sim_tool_run(struct sim_proc *p, char **argv) {
    int why;
    struct tool_child arg = {sim_base_name(p->argv[0]), argv, p->env};
    sim_out_flush(p);
    struct sim_proc *child = sim_proc_fork(p->m, p, &why);
    if (!child) {
        sim_errf(p, "%s: cannot fork: %s\n", arg.who, sim_strerror(-why));
        return 126;
    }
    return sim_proc_call(p, child, tool_child_main, &arg);
}
