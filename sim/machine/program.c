/* Starting programs: finding them along PATH, #! lines, and what a file in /usr/bin stands for. */
#include "sim/machine/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_HEAD        256
#define PROGRAM_SCRIPTS_MAX 4 /* interpreters of interpreters */

const char *sim_env_get(char **env, const char *name) {
    size_t len = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=') return *env + len + 1;
    return NULL;
}

int sim_unsupported(struct sim_proc *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(p, fmt, args);
    va_end(args);
    sim_out_flush(p);
    sim_errf(p, "sandport-sim: not simulated: %s\n", what);
    sim_machine_unsupported(p->m, "%s", what);
    return 2;
}

const struct sim_tool *sim_tool_find(const char *name) {
    for (size_t g = 0; sim_tool_groups[g]; g++)
        for (const struct sim_tool *tool = sim_tool_groups[g]; tool->name; tool++)
            if (strcmp(tool->name, name) == 0) return tool;
    return NULL;
}

static int program_usable(struct sim_proc *p, const char *path) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, 1, &at);
    if (e) return e;
    e = at.node->type == 'f' && sim_may(p->m, at.node, 1) ? 0 : -EACCES;
    sim_where_finish(&at);
    return e;
}

static char *program_path(struct sim_proc *p, const char *dir, size_t len, const char *name) {
    size_t size = strlen(name) + 1;
    char *path = sim_alloc(p, len + 1 + size);
    memcpy(path, dir, len);
    path[len] = '/';
    memcpy(path + len + 1, name, size);
    return path;
}

char *sim_program_find(struct sim_proc *p, const char *name, const char *path_list, int *why) {
    if (strchr(name, '/')) {
        *why = program_usable(p, name);
        return *why ? NULL : sim_strdup(p, name);
    }
    int denied = 0;
    for (const char *at = path_list; at && *name;) {
        size_t len = strcspn(at, ":");
        char *path = len ? program_path(p, at, len, name) : sim_strdup(p, name);
        int e = program_usable(p, path);
        if (!e) {
            *why = 0;
            return path;
        }
        denied |= e == -EACCES;
        at = at[len] ? at + len + 1 : NULL;
    }
    *why = denied ? -EACCES : -ENOENT;
    return NULL;
}

static void program_rename(struct sim_proc *p, struct sim_fs_node *node, const char *name) {
    const char *base = strrchr(name, '/');
    base = base ? base + 1 : name;
    size_t len = strlen(base) < sizeof p->comm - 1 ? strlen(base) : sizeof p->comm - 1;
    memcpy(p->comm, base, len);
    p->comm[len] = '\0';
    sim_fs_hold(node);
    sim_fs_release(p->exe);
    p->exe = node;
}

static void program_close_private(struct sim_proc *p) {
    for (int fd = 0; fd < SIM_FD_MAX; fd++)
        if (p->fds[fd] && (p->fd_inherit[fd / 8] & (1U << (fd % 8)))) sim_sys_close(p, fd);
}

/* Standard output that could not be written is what most tools end on. */
static int program_tool(struct sim_proc *p, const char *name, char **argv) {
    const struct sim_tool *tool = sim_tool_find(name);
    struct sim_program *played = sim_played_find(p, name, argv);
    if (played) return sim_played_run(p, played);
    if (!tool) return sim_unsupported(p, "program %s", name);
    int argc = 0;
    while (argv[argc]) argc++;
    int code = tool->main(p, argc, argv);
    int e = sim_out_flush(p);
    if (!e) return code;
    sim_errf(p, "%s: write error: %s\n", name, sim_strerror(e));
    return code ? code : 1;
}

/* #!interpreter [one argument]: the new argument list. */
static char **program_script(struct sim_proc *p, char *head, const char *path, char **argv) {
    struct sim_list list = {.p = p};
    char *interpreter = head + 2 + strspn(head + 2, " \t");
    interpreter[strcspn(interpreter, "\n")] = '\0';
    char *end = interpreter + strcspn(interpreter, " \t");
    char *arg = end + strspn(end, " \t");
    for (size_t len = strlen(arg); len && strchr(" \t\r", arg[len - 1]); len--) arg[len - 1] = '\0';
    if (*end) *end = '\0';
    if (!*interpreter) return NULL;
    sim_list_add(&list, sim_strdup(p, interpreter));
    if (*arg) sim_list_add(&list, sim_strdup(p, arg));
    sim_list_add(&list, sim_strdup(p, path));
    for (char **more = argv[0] ? argv + 1 : argv; *more; more++) sim_list_add(&list, *more);
    return sim_list_texts(&list);
}

int sim_program_run(struct sim_proc *p, const char *path, char **argv, char **env) {
    static const char magic[] = SIM_TOOL_MAGIC;
    char head[PROGRAM_HEAD];
    for (int scripts = 0;; scripts++) {
        struct sim_where at;
        int e = sim_sys_stat(p, path, 1, &at);
        if (e) return e;
        if (at.node->type != 'f' || !sim_may(p->m, at.node, 1)) e = -EACCES;
        size_t len = e ? 0 : (size_t)sim_fs_read(at.node, 0, head, sizeof head - 1);
        head[len] = '\0';
        int is_tool = len > sizeof magic - 1 && memcmp(head, magic, sizeof magic - 1) == 0;
        int is_script = len > 2 && head[0] == '#' && head[1] == '!';
        if (!e && !is_tool && !is_script) e = -ENOEXEC;
        if (!e && scripts > PROGRAM_SCRIPTS_MAX) e = -ELOOP;
        if (!e && is_tool) program_rename(p, at.node, path);
        sim_where_finish(&at);
        if (e) return e;
        if (is_tool) break;
        argv = program_script(p, head, path, argv);
        if (!argv) return -ENOEXEC;
        path = argv[0];
    }
    char *name = sim_strdup(p, head + sizeof magic - 1);
    name[strcspn(name, "\n")] = '\0';
    program_close_private(p);
    p->argv = argv;
    p->env = env;
    p->caught = 0;
    p->pending = 0;
    return program_tool(p, name, argv);
}
