/* The evaluator: trees to processes. */
#include "sim/machine/sh.h"
#include <errno.h>
#include <string.h>

/* ---- children ---- */

/** What a child evaluates; in its own kept memory. */
struct eval_child {
    struct sh *sh;
    const struct sh_node *node;
};

static int eval_child_main(struct sim_proc *p, void *arg) {
    const struct eval_child *child = arg;
    struct sh *sh = child->sh;
    const struct sh_node *node = child->node;
    if (node->kind == SH_SUBSHELL) { /* this process is the subshell already */
        if (sim_sh_redirect(sh, p, sim_sh_redir_expand(sh, node->redirs), NULL)) sim_sh_exit(sh, sh->bash ? 1 : 2);
        node = node->left;
    }
    sim_sh_eval(sh, node, SH_EVAL_EXIT);
    sim_sh_exit(sh, sh->status);
}

static struct sim_proc *eval_fork(struct sh *sh) {
    int why;
    struct sim_proc *child = sim_proc_fork(sh->p->m, sh->p, &why);
    if (!child) sim_sh_fail(sh, 2, "Cannot fork");
    return child;
}

/* The shell as it is now, in the child, with a tree to evaluate. */
static struct eval_child *eval_child(struct sh *sh, struct sim_proc *child, const struct sh_node *node) {
    /* The clone is built with the child's memory by the parent's stack: where memory runs out it is the parent that
     * unwinds, so the child must not be left half made. */
    child->unwind = sh->p->unwind;
    struct eval_child *arg = sim_keep(child, sizeof *arg);
    arg->sh = sim_sh_clone(sh, child);
    arg->node = node;
    child->argv = sh->p->argv ? (char **)sim_keep(child, sizeof(char *)) : NULL;
    if (child->argv) child->argv[0] = NULL;
    child->unwind = NULL;
    return arg;
}

static void eval_start(struct sh *sh, struct sim_proc *child, const struct sh_node *node) {
    struct eval_child *arg = eval_child(sh, child, node);
    if (sim_proc_start(child, eval_child_main, arg)) sim_sh_fail(sh, 2, "Cannot fork");
}

static int eval_call(struct sh *sh, struct sim_proc *child, const struct sh_node *node) {
    struct eval_child *arg = eval_child(sh, child, node);
    return sim_proc_call(sh->p, child, eval_child_main, arg);
}

char *sim_sh_capture(struct sh *sh, const struct sh_node *node, size_t *len) {
    int fds[2];
    struct sim_text text = {.p = sh->p};
    if (node) {
        if (sim_sys_pipe(sh->p, fds, SIZE_MAX / 4)) sim_sh_fail(sh, 2, "Pipe call failed");
        struct sim_proc *child = eval_fork(sh);
        sim_sys_dup_to(child, fds[1], 1);
        sim_sys_close(child, fds[0]);
        if (fds[1] != 1) sim_sys_close(child, fds[1]);
        sim_sys_close(sh->p, fds[1]);
        sh->status = eval_call(sh, child, node);
        sh->substituted = 1;
        char buf[1024];
        ptrdiff_t n;
        while ((n = sim_sys_read(sh->p, fds[0], buf, sizeof buf)) != 0) {
            for (ptrdiff_t i = 0; i < n; i++)
                if (buf[i]) sim_text_char(&text, buf[i]); /* NULs are dropped */
        }
        sim_sys_close(sh->p, fds[0]);
    } else {
        sh->status = 0;
        sh->substituted = 1;
    }
    *len = text.len;
    return sim_text_get(&text);
}

static void eval_subshell(struct sh *sh, const struct sh_node *node) {
    sh->status = eval_call(sh, eval_fork(sh), node);
}

static void eval_background(struct sh *sh, const struct sh_node *node) {
    struct sim_proc *child = eval_fork(sh);
    if (sh->opt_m) {
        child->pgid = child->pid;
    } else {
        child->ignored |= (1U << SIM_SIGINT) | (1U << SIM_SIGQUIT);
        int fd = sim_sys_open(sh->p, "/dev/null", SIM_O_READ, 0);
        if (fd >= 0) {
            struct sim_open *file = sim_open_hold(sim_fd_get(sh->p, fd));
            sim_sys_close(sh->p, fd);
            sim_sys_close(child, 0);
            sim_fd_put(child, file, 0);
        }
    }
    sh->last_background = child->pid;
    sim_sh_job_add(sh, child->pid);
    eval_start(sh, child, node->left);
    sh->status = 0;
}

static void eval_pipe(struct sh *sh, const struct sh_node *node) {
    size_t n = 0, i = 0;
    for (const struct sh_node *part = node->first; part; part = part->next) n++;
    int32_t *pids = sim_alloc(sh->p, n * sizeof *pids);
    int in = -1, status = 0, failed = 0;
    int32_t pgid = 0;
    for (const struct sh_node *part = node->first; part; part = part->next, i++) {
        int fds[2] = {-1, -1};
        if (part->next && sim_sys_pipe(sh->p, fds, SIM_PIPE_BYTES)) sim_sh_fail(sh, 2, "Pipe call failed");
        struct sim_proc *child = eval_fork(sh);
        pids[i] = child->pid;
        if (sh->opt_m) child->pgid = pgid = pgid ? pgid : child->pid;
        if (in >= 0) {
            sim_sys_dup_to(child, in, 0);
            if (in != 0) sim_sys_close(child, in);
            sim_sys_close(sh->p, in);
        }
        if (part->next) {
            sim_sys_close(child, fds[0]);
            sim_sys_dup_to(child, fds[1], 1);
            if (fds[1] != 1) sim_sys_close(child, fds[1]);
            sim_sys_close(sh->p, fds[1]);
            in = fds[0];
            eval_start(sh, child, part);
        } else {
            status = eval_call(sh, child, part); /* the last one on our stack: we have nothing else to do */
        }
    }
    for (i = 0; i + 1 < n; i++) {
        int other = sim_sh_child_wait(sh, pids[i]);
        if (other) failed = other;
    }
    sh->status = sh->opt_pipefail && !status ? failed : status;
}

/* ---- simple commands ---- */

/** What a program's process needs; lent by the shell, which waits. */
struct eval_program {
    struct sh *sh;
    const char *path;
    char **argv;
    char **env;
    const struct sh_redir_done *redirs;
};

/* Becomes the program, in this process or a child. A text that is no program is a script. */
static int eval_become(struct sh *sh, struct sim_proc *p, const char *path, char **argv, char **env) {
    int e = sim_program_run(p, path, argv, env);
    if (e == -ENOEXEC) {
        struct sim_list list = {.p = p};
        sim_list_add(&list, sim_strdup(p, sh->bash ? "bash" : "sh"));
        sim_list_add(&list, sim_strdup(p, path));
        for (char **arg = argv + 1; *arg; arg++) sim_list_add(&list, *arg);
        e = sim_program_run(p, sh->bash ? "/bin/bash" : "/bin/sh", sim_list_texts(&list), env);
    }
    if (e >= 0) return e;
    if (sh->bash)
        sim_errf(p, "%s: line %d: %s: %s\n", sh->arg0, sh->line, argv[0], sim_strerror(-e));
    else
        sim_errf(p, "%s: %d: %s: %s\n", sh->arg0, sh->line, argv[0], e == -ENOENT ? "not found" : sim_strerror(-e));
    return e == -ENOENT ? 127 : 126;
}

static int eval_program_main(struct sim_proc *p, void *arg) {
    const struct eval_program *run = arg;
    p->ignored = run->sh->p->ignored;
    if (sim_sh_redirect(run->sh, p, run->redirs, NULL)) return run->sh->bash ? 1 : 2;
    return eval_become(run->sh, p, run->path, run->argv, run->env);
}

static int eval_not_found(struct sh *sh, const char *name, int why) {
    int absent = why == -ENOENT;
    if (sh->bash && absent && !strchr(name, '/'))
        sim_sh_warn(sh, "%s: command not found", name);
    else if (!sh->bash && absent)
        sim_sh_warn(sh, "%s: not found", name);
    else
        sim_sh_warn(sh, "%s: %s", name, sim_strerror(-why));
    return absent ? 127 : 126;
}

int sim_sh_program(struct sh *sh, char **argv, const struct sh_redir_done *redirs, int how) {
    static const char standard[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    const char *list = how & SH_RUN_STANDARD_PATH ? standard : sim_sh_get(sh, "PATH");
    int why;
    if (how & SH_RUN_EXIT) {
        if (sim_sh_redirect(sh, sh->p, redirs, NULL)) return sh->bash ? 1 : 2;
        char *path = sim_program_find(sh->p, argv[0], list, &why);
        if (!path) return eval_not_found(sh, argv[0], why);
        int code = eval_become(sh, sh->p, path, argv, sim_sh_env(sh, sh->p));
        sim_out_flush(sh->p);
        sim_proc_exit(sh->p, code);
    }
    char *path = sim_program_find(sh->p, argv[0], list, &why);
    if (!path) {
        struct sh_undo *undo = NULL;
        int status = sim_sh_redirect(sh, sh->p, redirs, &undo) ? 2 : eval_not_found(sh, argv[0], why);
        sim_sh_redir_undo(sh, undo);
        return status;
    }
    struct sim_proc *child = eval_fork(sh);
    if (sh->opt_m) child->pgid = child->pid;
    struct eval_program run = {sh, path, argv, sim_sh_env(sh, sh->p), redirs};
    return sim_proc_call(sh->p, child, eval_program_main, &run);
}

int sim_sh_call(struct sh *sh, const struct sh_function *fn, int argc, char **argv) {
    struct sh_args args = sh->args;
    struct sh_saved *locals = NULL, **outer = sh->locals;
    struct sh_ast *ast = fn->ast, *outer_ast = sh->ast;
    const struct sh_node *body = fn->body;
    int loops = sh->loop_depth, getopts_at = sh->getopts_at;
    void *handle = sim_sh_ast_hold(sh->p, ast); /* it may be defined anew while it runs */
    sh->args = (struct sh_args){argv + 1, argc - 1, NULL};
    sh->locals = &locals;
    sh->ast = ast;
    sh->loop_depth = 0;
    sh->function_depth++;
    sim_sh_eval(sh, body, 0);
    sh->function_depth--;
    sh->loop_depth = loops;
    if (sh->skip == SH_SKIP_RETURN) sh->skip = SH_SKIP_NONE;
    sim_drop(sh->p, sh->args.owned);
    sh->args = args;
    sh->getopts_at = getopts_at;
    sim_sh_restore_vars(sh, locals);
    sh->locals = outer;
    sh->ast = outer_ast;
    sim_sh_ast_unhold(sh->p, handle, ast);
    return sh->status;
}

static void eval_trace(struct sh *sh, const struct sh_assign *assigns, char **argv, int argc) {
    if (!sh->opt_x) return;
    struct sim_text line = {.p = sh->p};
    const char *ps4 = sim_sh_get(sh, "PS4"), *gap = "";
    sim_text_str(&line, ps4 ? ps4 : "+ ");
    for (const struct sh_assign *a = assigns; a; a = a->next, gap = " ")
        sim_text_printf(&line, "%s%s=%s", gap, a->name, sim_sh_get(sh, a->name));
    for (int i = 0; i < argc; i++, gap = " ") sim_text_printf(&line, "%s%s", gap, argv[i]);
    sim_text_char(&line, '\n');
    sim_sys_write(sh->p, 2, line.s, line.len);
}

static void eval_assign(struct sh *sh, const struct sh_assign *a) {
    const char *value = sim_sh_expand_assign(sh, a->value);
    if (a->append) {
        const char *old = sim_sh_get(sh, a->name);
        value = sim_format(sh->p, "%s%s", old ? old : "", value);
    }
    sim_sh_set(sh, a->name, value);
}

static void eval_assigns_only(struct sh *sh, const struct sh_node *node) {
    struct sh_undo *undo = NULL;
    struct sh_redir_done *redirs = sim_sh_redir_expand(sh, node->redirs);
    if (sim_sh_redirect(sh, sh->p, redirs, &undo)) {
        sim_sh_redir_undo(sh, undo);
        sh->status = sh->bash ? 1 : 2;
        return;
    }
    sim_sh_redir_undo(sh, undo);
    for (const struct sh_assign *a = node->assigns; a; a = a->next) eval_assign(sh, a);
    eval_trace(sh, node->assigns, NULL, 0);
    if (!sh->substituted) sh->status = 0;
}

/* export x=~/a and the like expand as assignments do. */
static char **eval_declaration(struct sh *sh, const struct sh_word *words, int *n) {
    struct sim_list list = {.p = sh->p};
    for (const struct sh_word *word = words; word; word = word->next) {
        const struct sh_part *part = word->parts;
        const char *equals = part && part->kind == SH_PART_TEXT && !part->quoted ? strchr(part->text, '=') : NULL;
        if (equals && sim_sh_is_name(part->text, (size_t)(equals - part->text))) {
            struct sh_part rest = *part;
            struct sh_word value = {.parts = equals[1] ? &rest : part->next};
            rest.text = sim_strdup(sh->p, equals + 1);
            sim_list_add(&list, sim_format(sh->p, "%.*s=%s", (int)(equals - part->text), part->text,
                                           sim_sh_expand_assign(sh, &value)));
        } else {
            struct sh_word one = {.parts = word->parts};
            int some;
            char **v = sim_sh_expand_words(sh, &one, &some);
            for (int i = 0; i < some; i++) sim_list_add(&list, v[i]);
        }
    }
    *n = (int)list.n;
    return sim_list_texts(&list);
}

static char **eval_words(struct sh *sh, const struct sh_word *words, int *n) {
    const struct sh_part *first = words->parts;
    if (first && !first->next && first->kind == SH_PART_TEXT &&
        (strcmp(first->text, "export") == 0 || strcmp(first->text, "readonly") == 0 ||
         strcmp(first->text, "local") == 0))
        return eval_declaration(sh, words, n);
    return sim_sh_expand_words(sh, words, n);
}

static int eval_builtin(struct sh *sh, const struct sh_builtin *builtin, int argc, char **argv) {
    int status = builtin->run(sh, argc, argv);
    int e = sim_out_flush(sh->p);
    if (!e) return status;
    sh->p->out_error = 0;
    sim_sh_warn(sh, "%s: I/O error", argv[0]);
    return status ? status : 1;
}

/* In the shell itself: a function or a builtin, its redirections taken back and its assignments undone. */
static void eval_inside(struct sh *sh, const struct sh_node *node, const struct sh_redir_done *redirs, int argc,
                        char **argv, const struct sh_function *fn, const struct sh_builtin *builtin) {
    struct sh_undo *undo = NULL;
    struct sh_saved *saved = NULL;
    int special = builtin && builtin->special;
    int keeps = special && strcmp(argv[0], "exec") == 0;
    if (sim_sh_redirect(sh, sh->p, redirs, keeps ? NULL : &undo)) {
        sim_sh_redir_undo(sh, undo);
        if (special && !sh->bash) sim_sh_exit(sh, 2);
        sh->status = sh->bash ? 1 : 2;
        return;
    }
    for (const struct sh_assign *a = node->assigns; a; a = a->next) {
        if (!special || sh->bash) sim_sh_save_var(sh, &saved, a->name);
        eval_assign(sh, a);
        if (!special || sh->bash) sim_sh_var_make(sh, a->name)->flags |= SH_VAR_EXPORT;
    }
    sh->status = fn ? sim_sh_call(sh, fn, argc, argv) : eval_builtin(sh, builtin, argc, argv);
    sim_sh_restore_vars(sh, saved);
    sim_sh_redir_undo(sh, undo);
}

static void eval_simple(struct sh *sh, const struct sh_node *node, int flags) {
    int argc = 0, before = sh->status;
    sh->line = node->line;
    sh->substituted = 0;
    if (!node->words) {
        eval_assigns_only(sh, node);
        return;
    }
    char **argv = eval_words(sh, node->words, &argc);
    if (argc == 0) {
        eval_assigns_only(sh, node);
        return;
    }
    struct sh_redir_done *redirs = sim_sh_redir_expand(sh, node->redirs);
    eval_trace(sh, NULL, argv, argc);
    const struct sh_builtin *builtin = strchr(argv[0], '/') ? NULL : sim_sh_builtin(sh, argv[0]);
    const struct sh_function *fn = builtin && builtin->special ? NULL : sim_sh_function(sh, argv[0]);
    if (fn) builtin = NULL;
    if (fn || builtin) {
        if (!sh->substituted) sh->status = before; /* `return` and `exit` give the status before them */
        eval_inside(sh, node, redirs, argc, argv, fn, builtin);
        return;
    }
    struct sh_saved *saved = NULL;
    for (const struct sh_assign *a = node->assigns; a; a = a->next) {
        sim_sh_save_var(sh, &saved, a->name);
        eval_assign(sh, a);
        sim_sh_var_make(sh, a->name)->flags |= SH_VAR_EXPORT;
    }
    int exits = (flags & SH_EVAL_EXIT) && !sim_sh_has_traps(sh);
    sh->status = sim_sh_program(sh, argv, redirs, exits ? SH_RUN_EXIT : 0);
    sim_sh_restore_vars(sh, saved);
}

/* ---- compound commands ---- */

/* After a body: is the loop to be left? */
static int eval_loop_ends(struct sh *sh) {
    if (sh->skip == SH_SKIP_NONE) return 0;
    if (sh->skip == SH_SKIP_RETURN) return 1;
    if (--sh->skip_levels > 0) return 1;
    int leave = sh->skip == SH_SKIP_BREAK;
    sh->skip = SH_SKIP_NONE;
    return leave;
}

static int eval_tested(struct sh *sh, const struct sh_node *node) {
    sh->tested++;
    sim_sh_eval(sh, node, 0);
    sh->tested--;
    return sh->status;
}

static void eval_loop(struct sh *sh, const struct sh_node *node) {
    int status = 0;
    sh->loop_depth++;
    for (;;) {
        int cond = eval_tested(sh, node->left);
        if (sh->skip) {
            if (eval_loop_ends(sh)) break;
            continue;
        }
        if ((cond != 0) == (node->kind == SH_WHILE)) break;
        sim_sh_eval(sh, node->right, 0);
        status = sh->status;
        if (eval_loop_ends(sh)) break;
    }
    sh->loop_depth--;
    if (sh->skip != SH_SKIP_RETURN) sh->status = status;
}

static void eval_for(struct sh *sh, const struct sh_node *node) {
    int n = sh->args.n, status = 0;
    char **v;
    if (node->has_list) {
        v = sim_sh_expand_words(sh, node->words, &n);
    } else {
        v = sim_alloc(sh->p, ((size_t)n + 1) * sizeof *v);
        for (int i = 0; i < n; i++) v[i] = sim_strdup(sh->p, sh->args.v[i]);
    }
    sh->loop_depth++;
    for (int i = 0; i < n; i++) {
        sim_sh_set(sh, node->name, v[i]);
        sim_sh_eval(sh, node->left, 0);
        status = sh->status;
        if (eval_loop_ends(sh)) break;
    }
    sh->loop_depth--;
    if (sh->skip != SH_SKIP_RETURN) sh->status = status;
}

static void eval_case(struct sh *sh, const struct sh_node *node, int flags) {
    const char *subject = sim_sh_expand_text(sh, node->words);
    int fall = 0, status = 0;
    for (const struct sh_case *arm = node->cases; arm; arm = arm->next) {
        int hit = fall;
        for (const struct sh_word *word = arm->patterns; word && !hit; word = word->next)
            hit = sim_sh_match(sim_sh_expand_pattern(sh, word), subject);
        if (!hit) continue;
        sh->status = 0;
        if (arm->body) sim_sh_eval(sh, arm->body, arm->falls ? 0 : flags);
        status = sh->status;
        fall = arm->falls;
        if (!fall || sh->skip) break;
    }
    sh->status = status;
}

static void eval_if(struct sh *sh, const struct sh_node *node, int flags) {
    int cond = eval_tested(sh, node->left);
    if (sh->skip) return;
    const struct sh_node *branch = cond == 0 ? node->right : node->otherwise;
    if (branch)
        sim_sh_eval(sh, branch, flags);
    else
        sh->status = 0;
}

static void eval_and_or(struct sh *sh, const struct sh_node *node, int flags) {
    int left = eval_tested(sh, node->left);
    if (!sh->skip && (left == 0) == (node->kind == SH_AND)) sim_sh_eval(sh, node->right, flags);
}

static void eval_node(struct sh *sh, const struct sh_node *node, int flags) {
    switch (node->kind) {
    case SH_SIMPLE:
        eval_simple(sh, node, flags);
        break;
    case SH_PIPE:
        eval_pipe(sh, node);
        break;
    case SH_NOT:
        sh->status = !eval_tested(sh, node->left);
        break;
    case SH_AND:
    case SH_OR:
        eval_and_or(sh, node, flags);
        break;
    case SH_BACKGROUND:
        eval_background(sh, node);
        break;
    case SH_SUBSHELL:
        eval_subshell(sh, node);
        break;
    case SH_GROUP:
        sim_sh_eval(sh, node->left, flags);
        break;
    case SH_IF:
        eval_if(sh, node, flags);
        break;
    case SH_WHILE:
    case SH_UNTIL:
        eval_loop(sh, node);
        break;
    case SH_FOR:
        eval_for(sh, node);
        break;
    case SH_CASE:
        eval_case(sh, node, flags);
        break;
    case SH_FUNCTION:
        sim_sh_define(sh, node->name, node->left, sh->ast);
        sh->status = 0;
        break;
    case SH_SEQUENCE:
    case SH_CONDITION:
        break;
    }
}

/* Redirections around a compound command. */
static void eval_redirected(struct sh *sh, const struct sh_node *node, int flags) {
    struct sh_undo *undo = NULL;
    if (!node->redirs || node->kind == SH_SIMPLE || node->kind == SH_SUBSHELL) {
        eval_node(sh, node, flags);
        return;
    }
    sh->line = node->line;
    if (sim_sh_redirect(sh, sh->p, sim_sh_redir_expand(sh, node->redirs), &undo))
        sh->status = sh->bash ? 1 : 2;
    else
        eval_node(sh, node, 0);
    sim_sh_redir_undo(sh, undo);
}

/* set -e: a command that failed ends the shell, unless something looks at its status. */
static void eval_errexit(struct sh *sh, const struct sh_node *node) {
    if (!sh->opt_e || sh->tested || sh->status == 0 || sh->skip) return;
    switch (node->kind) {
    case SH_SIMPLE:
    case SH_PIPE:
    case SH_SUBSHELL:
        sim_sh_exit(sh, sh->status);
    case SH_NOT:
    case SH_AND:
    case SH_OR:
    case SH_SEQUENCE:
    case SH_BACKGROUND:
    case SH_GROUP:
    case SH_IF:
    case SH_WHILE:
    case SH_UNTIL:
    case SH_FOR:
    case SH_CASE:
    case SH_FUNCTION:
    case SH_CONDITION:
        break;
    }
}

struct eval_deeper {
    struct sh *sh;
    const struct sh_node *node;
    int flags;
};

static int eval_deeper_main(struct sim_proc *p, void *arg) {
    const struct eval_deeper *deeper = arg;
    (void)p;
    sim_sh_eval(deeper->sh, deeper->node, deeper->flags);
    return 0;
}

#define EVAL_DEPTH_MAX 20000

void sim_sh_eval(struct sh *sh, const struct sh_node *node, int flags) {
    struct sim_proc *p = sh->p;
    if (!node) return;
    if (p->depth >= SIM_NICE_DEPTH) {
        struct eval_deeper deeper = {sh, node, flags};
        sim_proc_deeper(p, eval_deeper_main, &deeper);
        return;
    }
    if (++sh->eval_depth > EVAL_DEPTH_MAX) sim_proc_kill(p, SIM_SIGSEGV); /* as a real shell without stack */
    p->depth++;
    while (node && !sh->skip) {
        const struct sh_node *one = node->kind == SH_SEQUENCE ? node->left : node;
        node = node->kind == SH_SEQUENCE ? node->right : NULL;
        struct sim_mark mark = sim_mark(p);
        sim_proc_step(p);
        eval_redirected(sh, one, node ? 0 : flags);
        sim_release(p, mark);
        if (p->pending) sim_sh_run_traps(sh);
        eval_errexit(sh, one);
    }
    p->depth--;
    sh->eval_depth--;
}
