/* The shell as a program: its options, its environment, running a script, errors, traps, the end. */
#include "sim/machine/sh/cache.h"
#include "sim/machine/sh/sh.h"
#include <errno.h>
#include <string.h>

/* ---- running ---- */

/** A command of a source, as it is run under a catch. */
struct sh_command {
    const struct sh_node *node;
    int flags;
};

static int sh_run_command(struct sh *sh, void *arg) {
    const struct sh_command *command = arg;
    sim_sh_eval(sh, command->node, command->flags);
    return sh->status;
}

static void source_leave(struct sh *sh, struct sh_frame *frame) {
    sim_sh_ast_unhold(sh->p, frame->handle, frame->ast);
    sh->ast = frame->outer_ast;
}

/* set -v: what was read, as it was. */
static void sh_show_source(struct sh *sh, const struct sh_source *src, size_t from) {
    if (src->is_text) return;
    if (src->line) sim_sh_unsupported(sh, "set -v of standard input");
    sim_sys_write(sh->p, 2, src->text + from, src->pos - from);
}

/* @return whether there was any command in it */
static int sh_run_source(struct sh *sh, struct sh_source *src, int last) {
    void *script_handle;
    struct sh_script *script = sim_sh_script_open(sh, src, &script_handle);
    int any = 0, more = 1;
    for (size_t n = 0; more && !sh->skip; n++) {
        struct sh_frame frame = {.kind = SH_FRAME_SOURCE, .leave = source_leave, .outer_ast = sh->ast};
        struct sh_command command = {0};
        struct sh_node *node;
        size_t from = src->pos;
        more = sim_sh_script_parse(sh, script, n, src, &frame.ast, &frame.handle, &node);
        sim_sh_push(sh, &frame);
        if (sh->opt_v) sh_show_source(sh, src, from);
        if (node && !sh->opt_n) {
            command.node = node;
            command.flags = last && sim_sh_source_spent(src) ? SH_EVAL_EXIT : 0;
            /* bash goes on with the next command, but not in a subshell. */
            if (sh->bash && sh->p->pid == sh->shell_pid)
                sim_sh_try(sh, SH_FAIL_LINE, sh_run_command, &command, &sh->status);
            else
                sh_run_command(sh, &command);
        }
        sim_sh_pop(sh);
        any |= node != NULL;
    }
    sim_sh_script_close(sh, script, script_handle);
    return any;
}

int sim_sh_run_text(struct sh *sh, const char *text, size_t len, int last) {
    struct sh_source src = {.text = text, .len = len, .fd = -1, .number = 1, .is_text = 1};
    int line = sh->line;
    if (!sh_run_source(sh, &src, last)) sh->status = 0;
    sh->line = line;
    return sh->status;
}

struct sh *sim_sh_clone(const struct sh *sh, struct sim_proc *child) {
    struct sh *copy = sim_keep(child, sizeof *copy);
    *copy = *sh;
    copy->p = child;
    copy->arg0 = sim_keep_text(child, sh->arg0);
    memset(copy->vars, 0, sizeof copy->vars);
    copy->functions = NULL;
    sim_sh_vars_clone(copy, sh);
    sim_sh_alias_clone(copy, sh);
    copy->args = (struct sh_args){0};
    sim_sh_set_args(copy, sh->args.v, sh->args.n);
    if (sh->locals) {
        copy->locals = sim_keep(child, sizeof *copy->locals);
        *copy->locals = NULL;
    }
    if (sh->ast) sim_sh_ast_hold(child, sh->ast);
    copy->jobs = NULL;
    copy->hashed = NULL;
    if (sh->bash) sim_sh_jobs_clone(copy, sh);
    copy->catches = NULL;
    copy->frames = NULL;
    copy->in_trap = copy->exiting = 0;
    if (sh->bash) copy->loop_depth = 0; /* to dash a subshell in a loop is in the loop */
    copy->opt_m = 0;
    for (int i = 0; i < SIM_SIGNAL_COUNT; i++)
        if (sh->traps[i]) copy->traps[i] = *sh->traps[i] ? NULL : sim_keep_text(child, "");
    return copy;
}

/* ---- the beginning ---- */

static void sh_import(struct sh *sh, char **env) {
    for (; env && *env; env++) {
        const char *equals = strchr(*env, '=');
        if (!equals || !sim_sh_is_name(*env, (size_t)(equals - *env))) continue;
        const char *name = sim_strndup(sh->p, *env, (size_t)(equals - *env));
        struct sh_var *var = sim_sh_var_make(sh, name);
        sim_drop(sh->p, var->value);
        var->value = sim_keep_text(sh->p, equals + 1);
        var->flags = SH_VAR_EXPORT;
    }
}

static void sh_set_pwd(struct sh *sh) {
    char path[SIM_PATH_MAX];
    struct sim_where at;
    const char *pwd = sim_sh_get(sh, "PWD");
    if (pwd && *pwd == '/' && !sim_sys_stat(sh->p, pwd, 1, &at)) {
        int same = at.node == sh->p->cwd;
        sim_where_finish(&at);
        if (same) return;
    }
    if (sim_path_of(sh->p->cwd, path, sizeof path)) sim_sh_set(sh, "PWD", path);
}

static void sh_start(struct sh *sh, struct sim_proc *p, const char *arg0) {
    const char *base = strrchr(arg0, '/');
    base = base ? base + 1 : arg0;
    if (*base == '-') base++;
    sh->p = p;
    sh->bash = strcmp(base, "bash") == 0 || strcmp(base, "zsh") == 0;
    sh->arg0 = arg0;
    sh->shell_pid = p->pid;
    sh->line = 1;
    sh->trace_level = 1;
    sh->ignored_at_start = p->ignored;
    sh_import(sh, p->env);
    sim_sh_set(sh, "IFS", " \t\n");
    sim_sh_var(sh, "IFS")->flags = 0;
    if (!sim_sh_var(sh, "OPTIND")) sim_sh_set(sh, "OPTIND", "1");
    if (!sim_sh_get(sh, "PS4")) sim_sh_set(sh, "PS4", "+ ");
    if (!sim_sh_get(sh, "PATH")) sim_sh_set(sh, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    sim_sh_set(sh, "PPID", sim_number(p, p->parent ? p->parent->pid : 1));
    if (sh->bash) {
        sim_sh_set(sh, "BASH_VERSION", "5.2.15(1)-release");
        sim_sh_set(sh, "BASH", "/bin/bash");
    }
    sh_set_pwd(sh);
}

_Noreturn static void sh_bad_option(struct sh *sh, const char *how, const char *name) {
    sh->line = 0;
    if (sh->bash)
        sim_errf(sh->p, "%s: %s%s: invalid option\n", sh->arg0, how, name);
    else
        sim_sh_warn(sh, "Illegal option %s%s", how, name);
    sim_sh_exit(sh, 2);
}

/* Options before the operands. @return index of the first operand */
static int sh_options(struct sh *sh, int argc, char **argv, int *from_c, int *from_stdin) {
    int i = 1;
    for (; i < argc && (argv[i][0] == '-' || argv[i][0] == '+') && argv[i][1]; i++) {
        int on = argv[i][0] == '-';
        if (strcmp(argv[i], "--") == 0) return i + 1;
        if (argv[i][1] == '-') {
            static const char *const harmless[] = {"--login", "--norc", "--noprofile", "--posix"};
            size_t n = 0;
            while (n < 4 && strcmp(argv[i], harmless[n]) != 0) n++;
            if (!sh->bash || n == 4) sim_sh_unsupported(sh, "option %s", argv[i]);
            continue;
        }
        for (const char *c = argv[i] + 1; *c; c++) {
            if (*c == 'c')
                *from_c = 1;
            else if (*c == 's')
                *from_stdin = 1;
            else if (*c == 'l')
                continue;
            else if (*c == 'o' && i + 1 < argc) {
                if (!sim_sh_set_named_option(sh, argv[++i], on)) sh_bad_option(sh, "-o ", argv[i]);
                break;
            } else if (*c == 'i')
                sim_sh_unsupported(sh, "option -i: nobody is at a terminal");
            else if (!sim_sh_set_option(sh, *c, on))
                sh_bad_option(sh, "-", (char[]){*c, '\0'});
        }
    }
    return i;
}

static char *sh_read_file(struct sh *sh, const char *path, size_t *len) {
    struct sim_where at;
    struct sim_proc *p = sh->p;
    int e = sim_sys_stat(p, path, 1, &at);
    if (!e && at.node->type == 'd') e = -EISDIR;
    if (!e && !sim_may(p->m, at.node, 4)) e = -EACCES;
    *len = e ? 0 : (size_t)at.node->size;
    char *text = e ? NULL : sim_keep(p, *len + 1);
    if (text && sim_fs_read(at.node, 0, text, *len) < 0) e = -EIO;
    if (e) {
        if (at.node) sim_where_finish(&at);
        if (!sh->bash)
            sim_sh_warn(sh, "cannot open %s: %s", path, e == -ENOENT ? "No such file" : sim_strerror(-e));
        else if (sh->dot_depth)
            sim_sh_warn(sh, "%s: %s", path, sim_strerror(-e));
        else
            sim_errf(p, "%s: %s: %s\n", sh->arg0, path, sim_strerror(-e));
        return NULL;
    }
    sim_where_finish(&at);
    return text;
}

int sim_sh_source_file(struct sh *sh, const char *path) {
    size_t len;
    char *text = sh_read_file(sh, path, &len);
    if (!text) return -1;
    int status = sim_sh_run_text(sh, text, len, 0);
    sim_drop(sh->p, text);
    return status;
}

int sim_sh_main(struct sim_proc *p, int argc, char **argv) {
    struct sh *sh = sim_keep(p, sizeof *sh);
    memset(sh, 0, sizeof *sh);
    sh_start(sh, p, argc ? argv[0] : "sh");
    sh->line = 0;
    int from_c = 0, from_stdin = 0;
    int i = sh_options(sh, argc, argv, &from_c, &from_stdin);
    struct sh_source src = {.fd = -1, .number = 1};
    if (from_c) {
        if (i >= argc && sh->bash) sim_errf(p, "%s: -c: option requires an argument\n", sh->arg0);
        if (i >= argc && !sh->bash) sim_errf(p, "%s: 0: -c requires an argument\n", sh->arg0);
        if (i >= argc) sim_sh_exit(sh, 2);
        src.text = argv[i];
        src.len = strlen(argv[i++]);
        src.is_text = !sh->bash;
        sh->from_c = 1;
    } else if (from_stdin || i >= argc) {
        src.fd = 0;
        sh->from_stdin = 1;
    } else {
        char *text = sh_read_file(sh, argv[i], &src.len);
        if (!text) sim_sh_exit(sh, sh->bash ? 127 : 2);
        sh->arg0 = argv[i];
        src.text = text;
        i++;
    }
    if (from_c && i < argc) sh->arg0 = argv[i++];
    if (i < argc) sim_sh_set_args(sh, argv + i, argc - i);
    sh->line = 1;
    sh_run_source(sh, &src, from_c);
    sim_sh_exit(sh, sh->status);
}
