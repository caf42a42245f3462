/* The evaluator: trees to processes. */
#include "sim/machine/sh/sh.h"
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
        for (const struct sh_redir *r = node->redirs; r; r = r->next) sh->stdin_given |= r->fd == 0;
        if (sim_sh_redirect(sh, p, sim_sh_redir_expand(sh, node->redirs), NULL)) sim_sh_exit(sh, sh->bash ? 1 : 2);
        node = node->left;
    }
    sim_sh_eval(sh, node, SH_EVAL_EXIT);
    sim_sh_exit(sh, sh->status);
}

_Noreturn static void eval_cannot_fork(struct sh *sh, int why) {
    if (!sh->bash) sim_sh_fail(sh, 2, "Cannot fork");
    sim_errf(sh->p, "%s: fork: %s\n", sh->arg0, sim_strerror(-why));
    sim_sh_throw(sh, SH_FAIL_FATAL, 254);
}

static struct sim_proc *eval_fork(struct sh *sh) {
    int why;
    struct sim_proc *child = sim_proc_fork(sh->p->m, sh->p, &why);
    for (int64_t pause_s = 1; !child && sh->bash && pause_s <= 8; pause_s *= 2) { /* bash waits for room */
        sim_errf(sh->p, "%s: fork: retry: %s\n", sh->arg0, sim_strerror(-why));
        sim_sys_sleep(sh->p, sim_now(sh->p->m->world) + pause_s * SIM_SEC);
        child = sim_proc_fork(sh->p->m, sh->p, &why);
    }
    if (!child) eval_cannot_fork(sh, why);
    return child;
}

/* What /proc shows of a subshell is the shell's. */
static char **eval_copy_argv(struct sim_proc *child, char **argv) {
    size_t n = 0, size = sizeof *argv;
    if (!argv) return NULL;
    for (; argv[n]; n++) size += sizeof *argv + strlen(argv[n]) + 1;
    char **copy = sim_keep(child, size), *at = (char *)(copy + n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(argv[i]) + 1;
        copy[i] = memcpy(at, argv[i], len);
        at += len;
    }
    copy[n] = NULL;
    return copy;
}

/* The shell as it is now, in the child, with a tree to evaluate. */
static struct eval_child *eval_child(struct sh *sh, struct sim_proc *child, const struct sh_node *node) {
    /* The clone is built with the child's memory by the parent's stack: where memory runs out it is the parent that
     * unwinds, so the child must not be left half made. */
    child->unwind = sh->p->unwind;
    struct eval_child *arg = sim_keep(child, sizeof *arg);
    arg->sh = sim_sh_clone(sh, child);
    arg->node = node;
    child->argv = eval_copy_argv(child, sh->p->argv);
    child->unwind = NULL;
    return arg;
}

static void eval_start(struct sh *sh, struct sim_proc *child, const struct sh_node *node) {
    struct eval_child *arg = eval_child(sh, child, node);
    if (sim_proc_start(child, eval_child_main, arg)) eval_cannot_fork(sh, -EAGAIN);
}

static int eval_call(struct sh *sh, struct sim_proc *child, const struct sh_node *node) {
    struct eval_child *arg = eval_child(sh, child, node);
    return sim_proc_call(sh->p, child, eval_child_main, arg);
}

char *sim_sh_capture(struct sh *sh, const struct sh_node *node, size_t *len) {
    int fds[2];
    struct sim_text text = {.p = sh->p};
    if (node) {
        if (sim_sys_pipe(sh->p, fds, (size_t)sh->p->m->memory_max)) sim_sh_fail(sh, 2, "Pipe call failed");
        sim_fd_get(sh->p, fds[0])->pipe->hoarder = sh->p->pid;
        struct sim_proc *child = eval_fork(sh);
        sim_sys_dup_to(child, fds[1], 1);
        sim_sys_close(child, fds[0]);
        if (fds[1] != 1) sim_sys_close(child, fds[1]);
        sim_sys_close(sh->p, fds[1]);
        struct eval_child *arg = eval_child(sh, child, node);
        if (!sh->bash) arg->sh->tested = 0;
        arg->sh->trace_level++;
        if (sh->bash) arg->sh->opt_e = 0;
        sh->substituted_status = sim_proc_call(sh->p, child, eval_child_main, arg);
        char buf[1024];
        ptrdiff_t n;
        while ((n = sim_sys_read(sh->p, fds[0], buf, sizeof buf)) != 0) {
            for (ptrdiff_t i = 0; i < n; i++)
                if (buf[i]) sim_text_char(&text, buf[i]); /* NULs are dropped */
        }
        sim_sys_close(sh->p, fds[0]);
    } else {
        sh->substituted_status = 0;
    }
    sh->substituted = 1;
    if (sh->bash) sh->status = sh->substituted_status; /* dash shows it only when the command is done */
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
        int fd = sh->stdin_given ? -1 : sim_sys_open(sh->p, "/dev/null", SIM_O_READ, 0);
        if (fd >= 0) {
            struct sim_open *file = sim_open_hold(sim_fd_get(sh->p, fd));
            sim_sys_close(sh->p, fd);
            sim_sys_close(child, 0);
            sim_fd_put(child, file, 0);
        }
    }
    sh->last_background = child->pid;
    sim_sh_job_add(sh, child->pid);
    int tested = sh->tested;
    sh->tested = 0;
    eval_start(sh, child, node->left);
    sh->tested = tested;
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
        int given = sh->stdin_given;
        if (in >= 0) {
            sh->stdin_given = sh->bash;
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
        sh->stdin_given = given;
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
    sim_sh_warn_to(sh, p, "%s: %s", argv[0], e == -ENOENT && !sh->bash ? "not found" : sim_strerror(-e));
    return e == -ENOENT ? 127 : 126;
}

static int eval_program_main(struct sim_proc *p, void *arg) {
    const struct eval_program *run = arg;
    p->ignored = run->sh->p->ignored;
    if (sim_sh_redirect(run->sh, p, run->redirs, NULL)) return run->sh->bash ? 1 : 2;
    return eval_become(run->sh, p, run->path, run->argv, run->env);
}

static int eval_is_directory(struct sh *sh, const char *name) {
    struct sim_where at;
    if (!strchr(name, '/') || sim_sys_stat(sh->p, name, 1, &at)) return 0;
    int directory = at.node->type == 'd';
    sim_where_finish(&at);
    return directory;
}

static int eval_not_found(struct sh *sh, const char *name, int why) {
    int absent = why == -ENOENT;
    if (sh->bash && absent && !strchr(name, '/'))
        sim_sh_warn(sh, "%s: command not found", name);
    else if (!sh->bash && absent)
        sim_sh_warn(sh, "%s: not found", name);
    else
        sim_sh_warn(sh, "%s: %s", name, sim_strerror(sh->bash && eval_is_directory(sh, name) ? EISDIR : -why));
    return absent ? 127 : 126;
}

static const char *eval_path(struct sh *sh, const char *name, int how, int *why) {
    static const char standard[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    if (how & SH_RUN_STANDARD_PATH) return sim_program_find(sh->p, name, standard, why);
    return sim_sh_find(sh, name, why);
}

int sim_sh_program(struct sh *sh, char **argv, const struct sh_redir_done *redirs, int how) {
    int why;
    if (!sh->bash && !strchr(argv[0], '/')) how |= SH_RUN_BY_PATH;
    if (how & SH_RUN_EXIT) {
        if (sim_sh_redirect(sh, sh->p, redirs, NULL)) return sh->bash ? 1 : 2;
        const char *path = eval_path(sh, argv[0], how, &why);
        if (!path) return eval_not_found(sh, argv[0], how & SH_RUN_BY_PATH ? -ENOENT : why);
        int code = eval_become(sh, sh->p, path, argv, sim_sh_env(sh, sh->p));
        sim_out_flush(sh->p);
        sim_proc_exit(sh->p, code);
    }
    const char *path = eval_path(sh, argv[0], how, &why);
    if (!path) {
        struct sh_undo *undo = NULL;
        int status = sim_sh_redirect(sh, sh->p, redirs, &undo)
                         ? sh->bash ? 1 : 2
                         : eval_not_found(sh, argv[0], how & SH_RUN_BY_PATH ? -ENOENT : why);
        sim_sh_redir_undo(sh, undo);
        return status;
    }
    struct sim_proc *child = eval_fork(sh);
    if (sh->opt_m) child->pgid = child->pid;
    struct eval_program run = {sh, path, argv, sim_sh_env(sh, sh->p), redirs};
    return sim_proc_call(sh->p, child, eval_program_main, &run);
}

#define EVAL_DASH_CALLS_MAX 1000

static void call_leave(struct sh *sh, struct sh_frame *frame) {
    sh->loop_depth = frame->loop_depth;
    sim_drop(sh->p, sh->args.owned);
    sh->args = frame->args;
    sh->getopts_at = frame->getopts_at;
    sim_sh_restore_vars(sh, frame->saved);
    sh->locals = frame->locals;
    sh->ast = frame->outer_ast;
    sh->source_name = frame->source_name;
    sim_sh_ast_unhold(sh->p, frame->handle, frame->ast);
}

int sim_sh_call(struct sh *sh, const struct sh_function *fn, int argc, char **argv) {
    struct sh_frame frame = {.kind = SH_FRAME_CALL,
                             .leave = call_leave,
                             .args = sh->args,
                             .locals = sh->locals,
                             .ast = fn->ast,
                             .outer_ast = sh->ast,
                             .loop_depth = sh->loop_depth,
                             .getopts_at = sh->getopts_at,
                             .source_name = sh->source_name};
    const struct sh_node *body = fn->body;
    if (!sh->bash && sh->function_depth >= EVAL_DASH_CALLS_MAX)
        sim_sh_fail(sh, 2, "Maximum function recursion depth (%d) reached", EVAL_DASH_CALLS_MAX);
    frame.handle = sim_sh_ast_hold(sh->p, fn->ast); /* it may be defined anew while it runs */
    sim_sh_push(sh, &frame);
    sh->args = (struct sh_args){argv + 1, argc - 1, NULL};
    sh->locals = &frame.saved;
    sh->ast = frame.ast;
    if (sh->from_c && !sh->source_name) sh->source_name = "environment"; /* bash */
    sh->loop_depth = 0;
    sh->function_depth++;
    sim_sh_eval(sh, body, 0);
    sh->function_depth--;
    if (sh->skip == SH_SKIP_RETURN) sh->skip = SH_SKIP_NONE;
    sim_sh_pop(sh);
    return sh->status;
}

/* ---- assignments ---- */

static void eval_assign(struct sh *sh, const struct sh_assign *a, struct sim_list *trace) {
    const char *value = sim_sh_expand_assign(sh, a->value), *shown = value;
    if (a->append) {
        const char *old = sim_sh_get(sh, a->name);
        value = sim_format(sh->p, "%s%s", old ? old : "", value);
    }
    if (sh->bash) sim_sh_trace_assign(sh, a->append ? sim_format(sh->p, "%s+", a->name) : a->name, shown, trace);
    sim_sh_set(sh, a->name, value);
    if (!sh->bash) sim_sh_trace_assign(sh, a->name, value, trace);
}

static void eval_assigns_only(struct sh *sh, const struct sh_node *node) {
    struct sh_undo *undo = NULL;
    struct sim_list trace = {.p = sh->p};
    struct sh_redir_done *redirs = sim_sh_redir_expand(sh, node->redirs);
    if (sim_sh_redirect(sh, sh->p, redirs, &undo)) {
        sim_sh_redir_undo(sh, undo);
        sh->status = sh->bash ? 1 : 2;
        return;
    }
    sim_sh_redir_undo(sh, undo);
    for (const struct sh_assign *a = node->assigns; a; a = a->next) eval_assign(sh, a, &trace);
    sim_sh_trace_words(sh, &trace, NULL, 0);
    sh->status = sh->substituted ? sh->substituted_status : 0;
}

/* Those in front of a command; `saved` NULL: they stay. */
static void eval_prefix(struct sh *sh, const struct sh_node *node, struct sh_saved **saved, int exported,
                        struct sim_list *trace) {
    for (const struct sh_assign *a = node->assigns; a; a = a->next) {
        if (sh->bash && sim_sh_is_readonly(sh, a->name)) {
            sim_sh_warn(sh, "%s: readonly variable", a->name);
            continue;
        }
        if (saved) sim_sh_save_var(sh, saved, a->name);
        eval_assign(sh, a, trace);
        if (exported) sim_sh_var_make(sh, a->name)->flags |= SH_VAR_EXPORT;
    }
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

/* ---- builtins ---- */

static void inside_leave(struct sh *sh, struct sh_frame *frame) {
    sim_sh_restore_vars(sh, frame->saved);
    sim_sh_redir_undo(sh, frame->undo);
}

/* In the shell itself: a function or a builtin, its redirections taken back and its assignments undone. */
static void eval_inside(struct sh *sh, const struct sh_node *node, const struct sh_redir_done *redirs, int argc,
                        char **argv, const struct sh_function *fn, const struct sh_builtin *builtin) {
    struct sh_frame frame = {.kind = SH_FRAME_INSIDE, .leave = inside_leave};
    struct sim_list trace = {.p = sh->p};
    int special = builtin && builtin->special, before = sh->status;
    int exec = special && strcmp(argv[0], "exec") == 0;
    sim_sh_trace_hold(sh, redirs);
    if (sim_sh_redirect(sh, sh->p, redirs, exec ? NULL : &frame.undo)) {
        sim_sh_redir_undo(sh, frame.undo);
        sim_sh_trace_drop(sh);
        if (special && !sh->bash) sim_sh_throw(sh, SH_FAIL_BUILTIN, 2);
        sh->status = sh->bash ? 1 : 2;
        return;
    }
    sim_sh_push(sh, &frame);
    int stays = special && !sh->bash;
    eval_prefix(sh, node, stays ? NULL : &frame.saved, !stays || exec, &trace);
    sim_sh_trace_words(sh, &trace, argv, argc);
    sim_sh_trace_drop(sh);
    if (!sh->substituted) sh->status = before; /* `return` and `exit` give the status before them */
    sh->status = fn ? sim_sh_call(sh, fn, argc, argv) : sim_sh_run_builtin(sh, builtin, argc, argv, 0);
    sim_sh_pop(sh);
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
    const struct sh_builtin *builtin = strchr(argv[0], '/') ? NULL : sim_sh_builtin(sh, argv[0]);
    const struct sh_function *fn = builtin && builtin->special && !sh->bash ? NULL : sim_sh_function(sh, argv[0]);
    if (fn) builtin = NULL;
    if (fn || builtin) {
        if (!sh->substituted) sh->status = before;
        eval_inside(sh, node, redirs, argc, argv, fn, builtin);
        return;
    }
    struct sh_frame frame = {.kind = SH_FRAME_INSIDE, .leave = inside_leave};
    struct sim_list trace = {.p = sh->p};
    sim_sh_push(sh, &frame);
    eval_prefix(sh, node, &frame.saved, 1, &trace);
    sim_sh_trace_words(sh, &trace, argv, argc);
    int exits = (flags & SH_EVAL_EXIT) && !sim_sh_has_traps(sh);
    sh->status = sim_sh_program(sh, argv, redirs, exits ? SH_RUN_EXIT : 0);
    sim_sh_pop(sh);
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
        if (sh->bash && sim_sh_is_readonly(sh, node->name)) {
            sim_sh_warn(sh, "%s: readonly variable", node->name);
            status = 1;
            break;
        }
        sim_sh_trace_for(sh, node);
        sim_sh_set(sh, node->name, v[i]);
        sim_sh_eval(sh, node->left, 0);
        status = sh->status;
        if (eval_loop_ends(sh)) break;
    }
    sh->loop_depth--;
    if (sh->skip != SH_SKIP_RETURN) sh->status = status;
}

static void eval_case(struct sh *sh, const struct sh_node *node, int flags) {
    sim_sh_trace_case(sh, node);
    const char *subject = sim_sh_expand_text(sh, node->words);
    unsigned mode = sim_sh_match_mode(sh);
    size_t len = strlen(subject);
    int fall = 0, status = 0;
    for (const struct sh_case *arm = node->cases; arm; arm = arm->next) {
        int hit = fall;
        for (const struct sh_word *word = arm->patterns; word && !hit; word = word->next)
            hit = sim_sh_match_prefix(mode, sim_sh_expand_pattern(sh, word), subject, len);
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

static void group_leave(struct sh *sh, struct sh_frame *frame) {
    sim_sh_redir_undo(sh, frame->undo);
}

/* Redirections around a compound command. */
static void eval_redirected(struct sh *sh, const struct sh_node *node, int flags) {
    struct sh_frame frame = {.kind = SH_FRAME_GROUP, .leave = group_leave};
    if (!node->redirs || node->kind == SH_SIMPLE || node->kind == SH_SUBSHELL) {
        eval_node(sh, node, flags);
        return;
    }
    sh->line = node->line;
    if (sim_sh_redirect(sh, sh->p, sim_sh_redir_expand(sh, node->redirs), &frame.undo)) {
        sim_sh_redir_undo(sh, frame.undo);
        sh->status = sh->bash ? 1 : 2;
        if (sh->opt_e && !sh->tested) sim_sh_exit(sh, sh->status);
        return;
    }
    sim_sh_push(sh, &frame);
    eval_node(sh, node, 0);
    sim_sh_pop(sh);
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

/* On another stack: an error must not leave it with a jump, so it is caught there and thrown again here. */
struct eval_deeper {
    struct sh *sh;
    const struct sh_node *node;
    int flags;
};

static int eval_deeper_run(struct sh *sh, void *arg) {
    const struct eval_deeper *deeper = arg;
    sim_sh_eval(sh, deeper->node, deeper->flags);
    return sh->status;
}

static int eval_deeper_main(struct sim_proc *p, void *arg) {
    struct eval_deeper *deeper = arg;
    int status;
    (void)p;
    return (int)sim_sh_try(deeper->sh, SH_FAIL_ANY, eval_deeper_run, deeper, &status);
}

#define EVAL_DEPTH_MAX 20000

void sim_sh_eval(struct sh *sh, const struct sh_node *node, int flags) {
    struct sim_proc *p = sh->p;
    if (!node) return;
    if (p->depth >= SIM_NICE_DEPTH) {
        struct eval_deeper deeper = {sh, node, flags};
        int failure = sim_proc_deeper(p, eval_deeper_main, &deeper);
        if (failure) sim_sh_throw(sh, (enum sh_failure)failure, sh->status);
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
