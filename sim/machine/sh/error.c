/* The shell's errors: how they are said, what they end, and what is put right on the way there.
 *
 * To dash nearly every error is one thing: it ends the shell, unless a builtin that is not special, or `command`, is
 * around it. To bash a builtin's error is that builtin's status, an expansion's gives up the command line that is
 * being run, and a parameter that had to be set ends the shell. */
#include "sim/machine/sh/sh.h"
#include <string.h>

/* ---- saying it ---- */

void sim_sh_warn_to(struct sh *sh, struct sim_proc *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    if (sh->bash)
        sim_errf(p, "%s: line %d: %s\n", sh->source_name ? sh->source_name : sh->arg0, sh->line, what);
    else if (sh->command)
        sim_errf(p, "%s: %d: %s: %s\n", sh->arg0, sh->line, sh->command, what);
    else
        sim_errf(p, "%s: %d: %s\n", sh->arg0, sh->line, what);
}

void sim_sh_warn(struct sh *sh, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    sim_out_flush(sh->p);
    sim_sh_warn_to(sh, sh->p, "%s", what);
}

/* ---- what is undone ---- */

void sim_sh_push(struct sh *sh, struct sh_frame *frame) {
    frame->below = sh->frames;
    sh->frames = frame;
}

void sim_sh_pop(struct sh *sh) {
    struct sh_frame *frame = sh->frames;
    sh->frames = frame->below;
    frame->leave(sh, frame);
}

/* The end from within: dash has left its functions and redirections by then, bash only the redirections of groups. */
void sim_sh_leave_all(struct sh *sh) {
    for (struct sh_frame *frame = sh->frames; frame; frame = frame->below) {
        if (frame->kind == SH_FRAME_CALL && !sh->bash) sh->args = frame->args;
        if (frame->kind == SH_FRAME_GROUP || (frame->kind == SH_FRAME_INSIDE && !sh->bash)) {
            sim_sh_redir_undo(sh, frame->undo);
            frame->undo = NULL;
        }
    }
}

/* ---- where it goes ---- */

struct sh_catch {
    struct sh_catch *outer;
    unsigned kinds;
    struct sh_frame *frames;
    jmp_buf jump;
    unsigned caught;
    /* as it was */
    struct sh_ast *ast;
    int depth, loop_depth, function_depth, dot_depth, eval_depth, tested, in_trap, trace_level;
    const char *command, *source_name;
};

_Noreturn void sim_sh_throw(struct sh *sh, enum sh_failure kind, int status) {
    struct sh_catch *to = sh->catches;
    sh->status = status;
    while (to && !(to->kinds & kind)) to = to->outer;
    if (!to) sim_sh_exit(sh, status);
    while (sh->frames != to->frames) sim_sh_pop(sh);
    to->caught = kind;
    longjmp(to->jump, 1);
}

static void catch_restore(struct sh *sh, const struct sh_catch *c) {
    sh->catches = c->outer;
    sh->p->depth = c->depth;
    sh->ast = c->ast;
    sh->loop_depth = c->loop_depth;
    sh->function_depth = c->function_depth;
    sh->dot_depth = c->dot_depth;
    sh->eval_depth = c->eval_depth;
    sh->tested = c->tested;
    sh->in_trap = c->in_trap;
    sh->trace_level = c->trace_level;
    sh->command = c->command;
    sh->source_name = c->source_name;
    sh->skip = SH_SKIP_NONE;
}

unsigned sim_sh_try(struct sh *sh, unsigned kinds, int (*run)(struct sh *sh, void *arg), void *arg, int *result) {
    struct sh_catch here = {.outer = sh->catches,
                            .kinds = kinds,
                            .frames = sh->frames,
                            .ast = sh->ast,
                            .depth = sh->p->depth,
                            .loop_depth = sh->loop_depth,
                            .function_depth = sh->function_depth,
                            .dot_depth = sh->dot_depth,
                            .eval_depth = sh->eval_depth,
                            .tested = sh->tested,
                            .in_trap = sh->in_trap,
                            .trace_level = sh->trace_level,
                            .command = sh->command,
                            .source_name = sh->source_name};
    sh->catches = &here;
    if (setjmp(here.jump) == 0) {
        *result = run(sh, arg);
        sh->catches = here.outer;
        return 0;
    }
    catch_restore(sh, &here);
    *result = sh->status;
    return here.caught;
}

_Noreturn void sim_sh_fail(struct sh *sh, int status, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    sim_sh_warn(sh, "%s", what);
    sim_sh_throw(sh, SH_FAIL_BUILTIN, sh->bash ? status : 2);
}

_Noreturn void sim_sh_give_up(struct sh *sh, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    sim_sh_warn(sh, "%s", what);
    sim_sh_throw(sh, sh->bash ? SH_FAIL_LINE : SH_FAIL_BUILTIN, sh->bash ? 1 : 2);
}

_Noreturn void sim_sh_fatal(struct sh *sh, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    sim_sh_warn(sh, "%s", what);
    int whole = sh->from_c && sh->p->pid == sh->shell_pid; /* bash -c says it with another number */
    sim_sh_throw(sh, sh->bash ? SH_FAIL_FATAL : SH_FAIL_BUILTIN, sh->bash ? whole ? 127 : 1 : 2);
}

_Noreturn void sim_sh_unsupported(struct sh *sh, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    char *what = sim_vformat(sh->p, fmt, args);
    va_end(args);
    int status = sim_unsupported(sh->p, "%s: %s", sh->bash ? "bash" : "sh", what);
    sim_sh_exit(sh, status);
}
