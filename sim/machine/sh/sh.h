/* The shell: its state, and what its parts ask of one another. dash when it is called sh, with bash's ways where they
 * differ when it is called bash. */
#ifndef SIM_MACHINE_SH_SH_H
#define SIM_MACHINE_SH_SH_H

#include "sim/machine/inside.h"
#include "sim/machine/sh/ast.h"

#define SH_VAR_BUCKETS 64
#define SH_ARITH_MAX   64 /* levels of an expression */

enum { SH_VAR_EXPORT = 1, SH_VAR_READONLY = 2 };

struct sh_var {
    struct sh_var *next;
    char *value; /* kept; NULL = unset, but exported or read-only when set */
    unsigned flags;
    char name[];
};

struct sh_function {
    struct sh_function *next;
    struct sh_node *body;
    struct sh_ast *ast;
    void *handle;
    char name[];
};

struct sh_alias {
    struct sh_alias *next;
    char *value; /* kept */
    int in_use;  /* it is being expanded */
    char name[];
};

/** A variable as it was before `local` or a prefix assignment. */
struct sh_saved {
    struct sh_saved *next;
    char *value;
    unsigned flags;
    char name[];
};

struct sh_job {
    struct sh_job *next;
    int32_t pid;
    int done, status;
    int waited;  /* its status was asked for: it is not listed any more */
    int foreign; /* bash: of the parent's */
};

struct sh;

struct sh_args {
    char **v;
    int n;
    void *owned; /* kept block behind v; NULL = somebody else's */
};

/** A redirection with its word expanded. */
struct sh_redir_done {
    struct sh_redir_done *next;
    enum sh_redir_op op;
    int fd;
    char *text;
    size_t len;
};

/** Descriptors as they were. */
struct sh_undo {
    struct sh_undo *next;
    int fd, saved; /* -1 = was closed */
};

/** What an error is to the shell; bits, since a catch takes some of them. */
enum sh_failure {
    SH_FAIL_BUILTIN = 1, /* of a builtin; to dash every error */
    SH_FAIL_LINE = 2,    /* bash: the command line is given up */
    SH_FAIL_SYNTAX = 4,  /* bash */
    SH_FAIL_FATAL = 8,   /* bash */
    SH_FAIL_ANY = 15
};
struct sh_catch;

enum sh_frame_kind { SH_FRAME_CALL, SH_FRAME_GROUP, SH_FRAME_INSIDE, SH_FRAME_SOURCE };

/** What is put right when a function, a redirected command or a source is left, whether by its end or by an error. It
 *  is on the stack of what pushes it. */
struct sh_frame {
    struct sh_frame *below;
    enum sh_frame_kind kind;
    void (*leave)(struct sh *sh, struct sh_frame *frame);
    struct sh_args args;
    struct sh_saved *saved, **locals;
    struct sh_undo *undo;
    struct sh_ast *ast, *outer_ast;
    void *handle;
    int loop_depth, getopts_at, status;
    const char *source_name;
};

enum sh_skip { SH_SKIP_NONE, SH_SKIP_BREAK, SH_SKIP_CONTINUE, SH_SKIP_RETURN };

struct sh {
    struct sim_proc *p;
    int bash;
    const char *arg0;
    struct sh_args args;
    struct sh_var *vars[SH_VAR_BUCKETS];
    struct sh_function *functions;
    struct sh_hashed *hashed; /* where programs were found */
    struct sh_alias *aliases; /* in the order of their making */
    struct sh_saved **locals; /* of the running function; NULL outside */
    struct sh_ast *ast;       /* of the command that runs */
    int line;
    int status;
    int32_t shell_pid; /* $$ */
    int32_t last_background;
    struct sh_job *jobs;
    /* set -o */
    int opt_e, opt_u, opt_x, opt_f, opt_n, opt_a, opt_m, opt_C, opt_v, opt_b, opt_pipefail;
    int opt_ignoreeof;
    int from_stdin, from_c;
    /* control flow */
    enum sh_skip skip;
    int skip_levels;
    int loop_depth;
    int function_depth, dot_depth, eval_depth;
    int tested; /* in a condition: set -e does not apply */
    int substituted_status;
    int substituted; /* the status of a command substitution stands for a command of assignments */
    /* traps: text, "" = ignored, NULL = default */
    char *traps[SIM_SIGNAL_COUNT];
    uint32_t ignored_at_start;
    int trace_fd;    /* where set -x writes; 0 = standard error */
    int trace_level; /* bash: within how many substitutions, evals and sources */
    int stdin_given; /* bash: in a subshell whose input was redirected, what runs in the background keeps it */
    int in_trap, exiting;
    int trap_status;          /* what a bare `exit` in a trap ends with */
    struct sh_catch *catches; /* where an error may go instead of ending the shell */
    struct sh_frame *frames;
    const char *command;     /* dash: the builtin that runs, for what is said */
    const char *source_name; /* bash: what stands for the shell's name in what is said; NULL = arg0 */
    /* getopts */
    int getopts_at;
};

/* main.c */
int sim_sh_main(struct sim_proc *p, int argc, char **argv);
/** Runs text as commands. @param last the shell ends with it: its last command may take the shell's place */
int sim_sh_run_text(struct sh *sh, const char *text, size_t len, int last);
/** The shell as a forked child sees it, in the child's memory. */
struct sh *sim_sh_clone(const struct sh *sh, struct sim_proc *child);
int sim_sh_source_file(struct sh *sh, const char *path); /* -1 = it could not be read, and that was said */

/* option.c */
int sim_sh_set_option(struct sh *sh, char c, int on); /* 0 = there is none such */
int sim_sh_set_named_option(struct sh *sh, const char *name, int on);
const char *sim_sh_option_letters(struct sh *sh); /* $- */
/** set -o, or as commands: set +o. */
void sim_sh_show_options(struct sh *sh, int commands);

/* hash.c */
/** The path of a program by its name. @return NULL with *why as by sim_program_find */
const char *sim_sh_find(struct sh *sh, const char *name, int *why);
void sim_sh_hash_forget(struct sh *sh);

/* alias.c */
const char *sim_sh_alias(const struct sh *sh, const char *name);          /* NULL: there is none */
struct sh_alias *sim_sh_alias_use(const struct sh *sh, const char *name); /* NULL also while it is being expanded */
void sim_sh_alias_put(struct sh *sh, const char *name, const char *value);
int sim_sh_alias_drop(struct sh *sh, const char *name); /* 0 = there was none */
void sim_sh_alias_clone(struct sh *to, const struct sh *from);

/* trap.c */
/** A signal by name or number, as this shell takes it; -1 */
int sim_sh_signal(const struct sh *sh, const char *name);
int sim_sh_has_traps(const struct sh *sh);
/** text: "" ignores, NULL is the default. */
void sim_sh_trap_set(struct sh *sh, int signal, const char *text);
void sim_sh_run_traps(struct sh *sh);
/** The end: once, the exit trap. */
void sim_sh_trap_end(struct sh *sh, int status);
_Noreturn void sim_sh_exit(struct sh *sh, int status);

/* error.c */
void sim_sh_warn(struct sh *sh, const char *fmt, ...) SBX_PRINTF(2, 3);
/** On the standard error of a child that has its own. */
void sim_sh_warn_to(struct sh *sh, struct sim_proc *p, const char *fmt, ...) SBX_PRINTF(3, 4);
/** A builtin's error: said, then its status is 2 in dash and `status` in bash. */
_Noreturn void sim_sh_fail(struct sh *sh, int status, const char *fmt, ...) SBX_PRINTF(3, 4);
/** An error of an expansion or an assignment. */
_Noreturn void sim_sh_give_up(struct sh *sh, const char *fmt, ...) SBX_PRINTF(2, 3);
/** A parameter that had to be set. */
_Noreturn void sim_sh_fatal(struct sh *sh, const char *fmt, ...) SBX_PRINTF(2, 3);
/** A construct that the real shell has. */
_Noreturn void sim_sh_unsupported(struct sh *sh, const char *fmt, ...) SBX_PRINTF(2, 3);
_Noreturn void sim_sh_throw(struct sh *sh, enum sh_failure kind, int status);
/** Runs it. @return 0, or the failure that was caught; *result is its status in either case */
unsigned sim_sh_try(struct sh *sh, unsigned kinds, int (*run)(struct sh *sh, void *arg), void *arg, int *result);
void sim_sh_push(struct sh *sh, struct sh_frame *frame);
void sim_sh_pop(struct sh *sh);
void sim_sh_leave_all(struct sh *sh);

/* var.c */
const char *sim_sh_get(const struct sh *sh, const char *name); /* NULL if unset */
void sim_sh_set(struct sh *sh, const char *name, const char *value);
/** The same for a builtin, whose error it is when the variable may not be set. */
void sim_sh_put(struct sh *sh, const char *name, const char *value);
int sim_sh_is_readonly(const struct sh *sh, const char *name);
struct sh_var *sim_sh_var(const struct sh *sh, const char *name);
struct sh_var *sim_sh_var_make(struct sh *sh, const char *name);
void sim_sh_unset(struct sh *sh, const char *name);
char **sim_sh_env(struct sh *sh, struct sim_proc *into);
void sim_sh_save_var(struct sh *sh, struct sh_saved **list, const char *name);
void sim_sh_restore_vars(struct sh *sh, struct sh_saved *list);
void sim_sh_vars_clone(struct sh *to, const struct sh *from);
/** All variables by name. */
struct sh_var **sim_sh_var_list(struct sh *sh, size_t *n);
struct sh_function *sim_sh_function(const struct sh *sh, const char *name);
void sim_sh_define(struct sh *sh, const char *name, struct sh_node *body, struct sh_ast *ast);
void sim_sh_undefine(struct sh *sh, const char *name);
void sim_sh_set_args(struct sh *sh, char **v, int n);
int sim_sh_is_name(const char *text, size_t len);

/* expand.c: results are in scratch memory */
char **sim_sh_expand_words(struct sh *sh, const struct sh_word *words, int *n);
char *sim_sh_expand_text(struct sh *sh, const struct sh_word *word); /* no splitting, no names of files */
char *sim_sh_expand_assign(struct sh *sh, const struct sh_word *word);
char *sim_sh_expand_pattern(struct sh *sh, const struct sh_word *word);
char *sim_sh_expand_string(struct sh *sh, const char *text); /* of a variable: as in double quotes */
char *sim_sh_quote(struct sim_proc *p, const char *text);    /* as dash prints values */

/* trace.c */
char *sim_sh_quote_bash(struct sim_proc *p, const char *text);
char *sim_sh_quote_single(struct sim_proc *p, const char *text); /* bash's other way: always in single quotes */
/** An assignment: bash says it at once, dash in front of the command; `later` keeps it. */
void sim_sh_trace_assign(struct sh *sh, const char *name, const char *value, struct sim_list *later);
void sim_sh_trace_words(struct sh *sh, const struct sim_list *assigns, char **argv, int argc);
/** Standard error as it is before these redirections; -1: they leave it alone. */
void sim_sh_trace_hold(struct sh *sh, const struct sh_redir_done *redirs);
void sim_sh_trace_drop(struct sh *sh);
void sim_sh_trace_for(struct sh *sh, const struct sh_node *node);
void sim_sh_trace_case(struct sh *sh, const struct sh_node *node);

/* glob.c */
/** Does the pattern (quoted characters behind backslashes) match all of the text? */
int sim_sh_match(const char *pattern, const char *text);
enum { SH_MATCH_CARET = 1, SH_MATCH_UTF8 = 2 }; /* [^a] is [!a]; characters are not bytes */
unsigned sim_sh_match_mode(const struct sh *sh);
int sim_sh_match_prefix(unsigned mode, const char *pattern, const char *text, size_t len); /* of `len` bytes */
void sim_sh_glob(struct sh *sh, const char *pattern, struct sim_list *out);
void sim_sh_unescape(char *pattern);

/* arith.c */
int64_t sim_sh_arith(struct sh *sh, const char *text);

/* eval.c */
enum { SH_EVAL_EXIT = 1 }; /* the process ends with it */
void sim_sh_eval(struct sh *sh, const struct sh_node *node, int flags);
char *sim_sh_capture(struct sh *sh, const struct sh_node *node, size_t *len);
/** Runs a command line that is expanded: function, builtin or program. `how` bits: */
enum { SH_RUN_NO_FUNCTION = 1, SH_RUN_EXIT = 2, SH_RUN_STANDARD_PATH = 4, SH_RUN_BY_PATH = 8 };
int sim_sh_program(struct sh *sh, char **argv, const struct sh_redir_done *redirs, int how);
int sim_sh_call(struct sh *sh, const struct sh_function *fn, int argc, char **argv);

/* redir.c */
struct sh_redir_done *sim_sh_redir_expand(struct sh *sh, const struct sh_redir *redirs);
/** @return 0, or 1 after saying why. @param undo where the old descriptors go; NULL: they are not wanted back */
int sim_sh_redirect(struct sh *sh, struct sim_proc *p, const struct sh_redir_done *list, struct sh_undo **undo);
void sim_sh_redir_undo(struct sh *sh, struct sh_undo *undo);

/* job.c */
void sim_sh_job_add(struct sh *sh, int32_t pid);
/** bash: a child lists its parent's. */
void sim_sh_jobs_clone(struct sh *to, const struct sh *from);
int sim_sh_job_wait(struct sh *sh, int32_t pid, int interruptible);
int sim_sh_job_wait_all(struct sh *sh);
/** Waits for one child that is no job. */
int sim_sh_child_wait(struct sh *sh, int32_t pid);

/* builtins */
struct sh_builtin {
    const char *name;
    int (*run)(struct sh *sh, int argc, char **argv);
    int special;
};
const struct sh_builtin *sim_sh_builtin(const struct sh *sh, const char *name);
/** guarded: its errors are not the shell's, whatever it is */
int sim_sh_run_builtin(struct sh *sh, const struct sh_builtin *builtin, int argc, char **argv, int guarded);
extern const struct sh_builtin sim_sh_builtins_control[], sim_sh_builtins_vars[], sim_sh_builtins_jobs[],
    sim_sh_builtins_alias[], sim_sh_builtins_hash[], sim_sh_builtins_ulimit[], sim_sh_builtins_text[];
/* shared with tools of the same name */
int sim_test(struct sim_proc *p, int argc, char **argv);
int sim_test_as(struct sim_proc *p, int argc, char **argv, int dash);
int sim_printf(struct sim_proc *p, const char *who, int argc, char **argv);
int sim_echo(struct sim_proc *p, int argc, char **argv, int escapes);
int sim_kill_tool(struct sim_proc *p, int argc, char **argv);

#endif
