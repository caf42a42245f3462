/* The shell as a program: its options, its environment, running a script, errors, traps, the end. */
#include "sim/machine/sh.h"
#include "sim/machine/sh_cache.h"
#include <errno.h>
#include <string.h>

/* ---- errors ---- */

void sim_sh_warn_to(struct sh *sh, struct sim_proc *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    sim_errf(p, sh->bash ? "%s: line %d: %s\n" : "%s: %d: %s\n", sh->arg0, sh->line, what);
}

void sim_sh_warn(struct sh *sh, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    sim_out_flush(sh->p);
    sim_sh_warn_to(sh, sh->p, "%s", what);
}

_Noreturn void sim_sh_fail(struct sh *sh, int status, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    sim_sh_warn(sh, "%s", what);
    sh->status = status;
    if (sh->error) longjmp(*sh->error, 1);
    sim_sh_exit(sh, status);
}

_Noreturn void sim_sh_unsupported(struct sh *sh, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    int status = sim_unsupported(sh->p, "%s: %s", sh->bash ? "bash" : "sh", what);
    sim_sh_exit(sh, status);
}

/* ---- traps and the end ---- */

int sim_sh_has_traps(const struct sh *sh) {
    for (int i = 0; i < SIM_SIGNAL_COUNT; i++)
        if (sh->traps[i] && *sh->traps[i]) return 1;
    return 0;
}

static void sh_run_trap(struct sh *sh, int signal) {
    int status = sh->status;
    enum sh_skip skip = sh->skip;
    char *text = sim_strdup(sh->p, sh->traps[signal]); /* it may set itself anew */
    sh->skip = SH_SKIP_NONE;
    sh->in_trap++;
    sim_sh_run_text(sh, text, strlen(text), 0);
    sh->in_trap--;
    if (sh->skip == SH_SKIP_NONE) {
        sh->skip = skip;
        sh->status = status;
    }
}

void sim_sh_run_traps(struct sh *sh) {
    for (int signal = 1; sh->p->pending && signal < SIM_SIGNAL_COUNT; signal++) {
        if (!(sh->p->pending & (1U << signal))) continue;
        sh->p->pending &= ~(1U << signal);
        if (sh->traps[signal] && *sh->traps[signal]) sh_run_trap(sh, signal);
    }
}

_Noreturn void sim_sh_exit(struct sh *sh, int status) {
    if (!sh->exiting) {
        sh->exiting = 1;
        sh->status = status;
        sh->error = NULL;
        sh->skip = SH_SKIP_NONE;
        if (sh->traps[0] && *sh->traps[0]) {
            char *text = sh->traps[0];
            sh->traps[0] = NULL;
            sh->tested = 0;
            sh->opt_e = 0;
            sim_sh_run_text(sh, text, strlen(text), 0);
        }
    }
    sim_out_flush(sh->p);
    sim_proc_exit(sh->p, status);
}

/* ---- running ---- */

/* @return whether there was any command in it */
static int sh_run_source(struct sh *sh, struct sh_source *src, int last) {
    struct sh_ast *outer = sh->ast;
    void *script_handle;
    struct sh_script *script = sim_sh_script_open(sh, src, &script_handle);
    int any = 0, more = 1;
    for (size_t n = 0; more && !sh->skip; n++) {
        struct sh_ast *ast;
        struct sh_node *node;
        void *handle;
        more = sim_sh_script_parse(sh, script, n, src, &ast, &handle, &node);
        if (node && !sh->opt_n) sim_sh_eval(sh, node, last && sim_sh_source_spent(src) ? SH_EVAL_EXIT : 0);
        sim_sh_ast_unhold(sh->p, handle, ast);
        sh->ast = outer;
        any |= node != NULL;
    }
    sim_sh_script_close(sh, script, script_handle);
    return any;
}

static void sh_run_counted(struct sh *sh, const char *text, size_t len, int last) {
    struct sh_source src = {.text = text, .len = len, .fd = -1, .number = 1};
    if (!sh_run_source(sh, &src, last)) sh->status = 0;
}

/* bash goes on behind a syntax error in such a text, with status 2; dash ends. */
int sim_sh_run_text(struct sh *sh, const char *text, size_t len, int last) {
    jmp_buf here, *outer = sh->syntax;
    struct sh_ast *ast = sh->ast;
    const int line = sh->line, depth = sh->p->depth;
    if (!sh->bash) {
        sh_run_counted(sh, text, len, last);
    } else if (setjmp(here) == 0) {
        sh->syntax = &here;
        sh_run_counted(sh, text, len, last);
    } else {
        sh->ast = ast;
        sh->p->depth = depth;
        sh->status = 2;
    }
    sh->syntax = outer;
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
    copy->args = (struct sh_args){0};
    sim_sh_set_args(copy, sh->args.v, sh->args.n);
    if (sh->locals) {
        copy->locals = sim_keep(child, sizeof *copy->locals);
        *copy->locals = NULL;
    }
    if (sh->ast) sim_sh_ast_hold(child, sh->ast);
    copy->jobs = NULL;
    copy->error = copy->syntax = NULL;
    copy->in_trap = copy->exiting = 0;
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

static int *sh_option(struct sh *sh, char c) {
    switch (c) {
    case 'a':
        return &sh->opt_a;
    case 'b':
        return &sh->opt_b;
    case 'C':
        return &sh->opt_C;
    case 'e':
        return &sh->opt_e;
    case 'f':
        return &sh->opt_f;
    case 'm':
        return &sh->opt_m;
    case 'n':
        return &sh->opt_n;
    case 'u':
        return &sh->opt_u;
    case 'v':
        return &sh->opt_v;
    case 'x':
        return &sh->opt_x;
    default:
        return NULL;
    }
}

int sim_sh_set_option(struct sh *sh, char c, int on) {
    int *option = sh_option(sh, c);
    if (!option) return 0;
    if (c == 'm' && on && !sh->bash) { /* as dash without a terminal */
        sim_sh_warn(sh, "can't access tty; job control turned off");
        return 1;
    }
    *option = on;
    return 1;
}

int sim_sh_set_named_option(struct sh *sh, const char *name, int on) {
    static const struct {
        const char *name;
        char c;
    } names[] = {{"allexport", 'a'}, {"notify", 'b'}, {"noclobber", 'C'}, {"errexit", 'e'}, {"noglob", 'f'},
                 {"monitor", 'm'},   {"noexec", 'n'}, {"nounset", 'u'},   {"verbose", 'v'}, {"xtrace", 'x'}};
    if (strcmp(name, "pipefail") == 0 && sh->bash) {
        sh->opt_pipefail = on;
        return 1;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0) return sim_sh_set_option(sh, names[i].c, on);
    return 0;
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
                if (!sim_sh_set_named_option(sh, argv[++i], on)) sim_sh_fail(sh, 2, "Illegal option -o %s", argv[i]);
                break;
            } else if (*c == 'i')
                sim_sh_unsupported(sh, "option -i: nobody is at a terminal");
            else if (!sim_sh_set_option(sh, *c, on))
                sim_sh_fail(sh, 2, "Illegal option -%c", *c);
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
    if (e) {
        if (at.node) sim_where_finish(&at);
        sh->line = 0;
        sim_sh_warn(sh, sh->bash ? "%s: %s" : "cannot open %s: %s", path,
                    e == -ENOENT && !sh->bash ? "No such file" : sim_strerror(-e));
        return NULL;
    }
    *len = (size_t)at.node->size;
    char *text = sim_keep(p, *len + 1);
    sim_fs_read(at.node, 0, text, *len);
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
    int from_c = 0, from_stdin = 0;
    int i = sh_options(sh, argc, argv, &from_c, &from_stdin);
    struct sh_source src = {.fd = -1, .number = 1};
    if (from_c) {
        if (i >= argc) sim_sh_fail(sh, 2, "-c requires an argument");
        src.text = argv[i];
        src.len = strlen(argv[i++]);
        sh->from_c = 1;
    } else if (from_stdin || i >= argc) {
        src.fd = 0;
        sh->from_stdin = 1;
    } else {
        sh->arg0 = argv[i];
        char *text = sh_read_file(sh, argv[i], &src.len);
        if (!text) sim_sh_exit(sh, sh->bash ? 127 : 2);
        src.text = text;
        i++;
    }
    if (from_c && i < argc) sh->arg0 = argv[i++];
    if (i < argc) sim_sh_set_args(sh, argv + i, argc - i);
    sh_run_source(sh, &src, from_c);
    sim_sh_exit(sh, sh->status);
}
