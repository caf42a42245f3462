/* Builtins that steer the shell: loops, functions, scripts within scripts, options, traps. */
#include "sim/machine/sh/lex.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int control_number(struct sh *sh, const char *who, const char *text, int bash_status) {
    int minus = sh->bash && text[0] == '-';
    int32_t n = sim_digits(text + minus);
    if (n >= 0) return minus ? -n : n;
    if (!sh->bash) sim_sh_fail(sh, 2, "Illegal number: %s", text);
    sim_sh_fail(sh, bash_status, "%s: %s: numeric argument required", who, text);
}

/* bash's break and exit end it over a number that is none, and a function is left by its return. */
static int control_number_or_exit(struct sh *sh, const char *who, const char *text, int status) {
    if (sh->bash && sim_digits(text + (text[0] == '-')) < 0) {
        sim_sh_warn(sh, "%s: %s: numeric argument required", who, text);
        sim_sh_exit(sh, status);
    }
    return control_number(sh, who, text, status);
}

static int control_leave(struct sh *sh, int argc, char **argv, enum sh_skip skip) {
    if (sh->bash && sh->loop_depth == 0) {
        sim_sh_warn(sh, "%s: only meaningful in a `for', `while', or `until' loop", argv[0]);
        return 0;
    }
    int levels = argc > 1 ? control_number_or_exit(sh, argv[0], argv[1], 128) : 1;
    if (levels < 1 && sh->bash) {
        sim_sh_warn(sh, "%s: %s: loop count out of range", argv[0], argv[1]);
        sh->skip = SH_SKIP_BREAK;
        sh->skip_levels = sh->loop_depth;
        return 1;
    }
    if (levels < 1) sim_sh_fail(sh, 2, "Illegal number: %s", argv[1]);
    if (sh->loop_depth == 0) return 0;
    sh->skip = skip;
    sh->skip_levels = levels < sh->loop_depth ? levels : sh->loop_depth;
    return 0;
}

static int control_break(struct sh *sh, int argc, char **argv) {
    return control_leave(sh, argc, argv, SH_SKIP_BREAK);
}

static int control_continue(struct sh *sh, int argc, char **argv) {
    return control_leave(sh, argc, argv, SH_SKIP_CONTINUE);
}

static int control_return(struct sh *sh, int argc, char **argv) {
    int status = sh->status;
    if (sh->bash && sh->function_depth == 0 && sh->dot_depth == 0) {
        sim_sh_warn(sh, "return: can only `return' from a function or sourced script");
        return argc > 1 && sim_digits(argv[1]) < 0 ? 2 : 1;
    }
    if (argc > 1 && sh->bash && sim_digits(argv[1] + (argv[1][0] == '-')) < 0) {
        sim_sh_warn(sh, "return: %s: numeric argument required", argv[1]);
        status = 2;
    } else if (argc > 1) {
        status = control_number(sh, argv[0], argv[1], 2);
    }
    sh->skip = SH_SKIP_RETURN;
    return status & (sh->bash ? 255 : -1);
}

static int control_exit(struct sh *sh, int argc, char **argv) {
    int status = sh->in_trap && (!sh->bash || sh->exiting) ? sh->trap_status : sh->status;
    sim_sh_exit(sh, argc > 1 ? control_number_or_exit(sh, argv[0], argv[1], 2) : status);
}

static int control_true(struct sh *sh, int argc, char **argv) {
    (void)sh, (void)argc, (void)argv;
    return 0;
}

static int control_false(struct sh *sh, int argc, char **argv) {
    (void)sh, (void)argc, (void)argv;
    return 1;
}

/** Commands within a command: a text, or a file by its path. */
struct control_text {
    const char *text, *path;
    size_t len;
};

static int control_run_caught(struct sh *sh, void *arg) {
    const struct control_text *run = arg;
    return run->path ? sim_sh_source_file(sh, run->path) : sim_sh_run_text(sh, run->text, run->len, 0);
}

/* A syntax error in them is their status in bash. */
static int control_run(struct sh *sh, struct control_text *run) {
    int status;
    sh->trace_level++;
    if (sh->bash)
        sim_sh_try(sh, SH_FAIL_SYNTAX, control_run_caught, run, &status);
    else
        status = control_run_caught(sh, run);
    sh->trace_level--;
    return status;
}

static int control_eval(struct sh *sh, int argc, char **argv) {
    struct sim_text text = {.p = sh->p};
    for (int i = 1; i < argc; i++) {
        if (i > 1) sim_text_char(&text, ' ');
        sim_text_str(&text, argv[i]);
    }
    if (argc == 1) return 0;
    struct control_text run = {.text = sim_text_get(&text), .len = text.len};
    return control_run(sh, &run);
}

static const char *control_dot_path(struct sh *sh, const char *name) {
    if (strchr(name, '/')) return name;
    const char *at = sim_sh_get(sh, "PATH");
    while (at) {
        size_t len = strcspn(at, ":");
        const char *path = len ? sim_format(sh->p, "%.*s/%s", (int)len, at, name) : name;
        if (!sim_sys_access(sh->p, path, 4)) return path;
        at = at[len] ? at + len + 1 : NULL;
    }
    return sh->bash ? name : NULL;
}

static void dot_leave(struct sh *sh, struct sh_frame *frame) {
    sh->dot_depth--;
    sh->source_name = frame->source_name;
    if (frame->status) { /* it had parameters of its own */
        sim_drop(sh->p, sh->args.owned);
        sh->args = frame->args;
    }
}

static int control_dot(struct sh *sh, int argc, char **argv) {
    struct sh_frame frame = {.kind = SH_FRAME_SOURCE,
                             .leave = dot_leave,
                             .args = sh->args,
                             .source_name = sh->source_name,
                             .status = sh->bash && argc > 2};
    if (argc < 2 && sh->bash) sim_sh_fail(sh, 2, "%s: filename argument required", argv[0]);
    if (argc < 2) return 0;
    const char *path = control_dot_path(sh, argv[1]);
    if (!path) sim_sh_fail(sh, 2, "%s: not found", argv[1]);
    int tested = sh->tested;
    sim_sh_push(sh, &frame);
    if (frame.status) sh->args = (struct sh_args){argv + 2, argc - 2, NULL};
    sh->dot_depth++;
    if (!sh->bash) sh->tested = 0;
    struct control_text run = {.path = path};
    int status = control_run(sh, &run);
    sh->tested = tested;
    sim_sh_pop(sh);
    if (sh->skip == SH_SKIP_RETURN) sh->skip = SH_SKIP_NONE;
    if (status >= 0) return status;
    if (sh->bash) return 1;
    sim_sh_throw(sh, SH_FAIL_BUILTIN, 2);
}

static int control_exec(struct sh *sh, int argc, char **argv) {
    int at = 1;
    if (argc > 1 && strcmp(argv[1], "--") == 0)
        at++;
    else if (argc > 1 && argv[1][0] == '-')
        sim_sh_unsupported(sh, "exec %s", argv[1]);
    if (at >= argc) return 0;
    sh->traps[0] = NULL;
    sh->command = NULL;
    if (!strchr(argv[at], '/')) {
        int why;
        const char *path = sim_sh_find(sh, argv[at], &why);
        if (!path) sim_sh_warn(sh, "exec: %s: not found", argv[at]);
        if (!path) sim_sh_exit(sh, 127);
    }
    sim_sh_exit(sh, sim_sh_program(sh, argv + at, NULL, SH_RUN_EXIT));
}

static int control_shift(struct sh *sh, int argc, char **argv) {
    int n = argc > 1 ? control_number(sh, argv[0], argv[1], 1) : 1;
    if (n < 0) sim_sh_fail(sh, 1, "shift: %s: shift count out of range", argv[1]);
    if (n > sh->args.n) {
        if (sh->bash) return 1;
        sim_sh_fail(sh, 2, "can't shift that many");
    }
    sh->args.v += n;
    sh->args.n -= n;
    return 0;
}

/* ---- command, type ---- */

/* command -v: what would run. */
static int control_describe(struct sh *sh, const char *who, const char *name, int words) {
    int why;
    const char *alias = sh->bash ? NULL : sim_sh_alias(sh, name);
    if (alias && words)
        sim_outf(sh->p, "%s is an alias for %s\n", name, alias);
    else if (alias)
        sim_outf(sh->p, "alias %s=%s\n", name, sim_sh_quote(sh->p, alias));
    else if (sim_sh_is_keyword(name))
        sim_outf(sh->p, words ? "%s is a shell keyword\n" : "%s\n", name);
    else if (sim_sh_function(sh, name)) {
        if (words && sh->bash) sim_sh_unsupported(sh, "%s of a function", who);
        sim_outf(sh->p, words ? "%s is a shell function\n" : "%s\n", name);
    } else if (!strchr(name, '/') && sim_sh_builtin(sh, name)) {
        int special = !sh->bash && sim_sh_builtin(sh, name)->special;
        sim_outf(sh->p, words ? special ? "%s is a special shell builtin\n" : "%s is a shell builtin\n" : "%s\n", name);
    } else {
        const char *path = sim_sh_find(sh, name, &why);
        if (!path) {
            if (words && !sh->bash) sim_outf(sh->p, "%s: not found\n", name);
            if (words && sh->bash) sim_sh_warn(sh, "%s: %s: not found", who, name);
            return sh->bash ? 1 : 127;
        }
        if (words)
            sim_outf(sh->p, "%s is %s\n", name, path);
        else
            sim_outf(sh->p, "%s\n", path);
    }
    return 0;
}

static int control_command(struct sh *sh, int argc, char **argv) {
    int i = 1, how = SH_RUN_NO_FUNCTION, describe = 0;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        for (const char *c = argv[i] + 1; *c; c++) {
            if (*c == 'v')
                describe = 1;
            else if (*c == 'V')
                describe = 2;
            else if (*c == 'p')
                how |= SH_RUN_STANDARD_PATH;
            else
                sim_sh_fail(sh, 2, sh->bash ? "command: -%c: invalid option" : "Illegal option -%c", *c);
        }
    }
    if (i >= argc) return 0;
    if (describe) {
        int status = 1;
        for (int first = i; i < argc && (sh->bash || i == first); i++) {
            int one = control_describe(sh, argv[0], argv[i], describe == 2);
            if (!one || !sh->bash) status = one;
        }
        return status;
    }
    const struct sh_builtin *builtin = strchr(argv[i], '/') ? NULL : sim_sh_builtin(sh, argv[i]);
    if (builtin) return sim_sh_run_builtin(sh, builtin, argc - i, argv + i, 1);
    const char *outer = sh->command;
    sh->command = NULL;
    int status = sim_sh_program(sh, argv + i, NULL, how);
    sh->command = outer;
    return status;
}

static int control_type(struct sh *sh, int argc, char **argv) {
    int status = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && sh->bash) sim_sh_unsupported(sh, "type %s", argv[i]);
        int one = control_describe(sh, argv[0], argv[i], 1);
        if (one) status = one;
    }
    return status;
}

/* ---- set ---- */

static void control_show_vars(struct sh *sh) {
    size_t n;
    struct sh_var **vars = sim_sh_var_list(sh, &n);
    for (size_t i = 0; i < n; i++) {
        if (!vars[i]->value) continue;
        int plain = sh->bash && *vars[i]->value && !strpbrk(vars[i]->value, " \t\n'\"\\$`*?[]{}()<>|&;#~!^");
        sim_outf(sh->p, "%s=", vars[i]->name);
        sim_out_str(sh->p,
                    plain || (sh->bash && !*vars[i]->value) ? vars[i]->value : sim_sh_quote(sh->p, vars[i]->value));
        sim_out_char(sh->p, '\n');
    }
}

static int control_set(struct sh *sh, int argc, char **argv) {
    int i = 1;
    if (argc == 1) {
        control_show_vars(sh);
        return 0;
    }
    for (; i < argc && (argv[i][0] == '-' || argv[i][0] == '+'); i++) {
        int on = argv[i][0] == '-';
        if (strcmp(argv[i], "--") == 0) {
            sim_sh_set_args(sh, argv + i + 1, argc - i - 1);
            return 0;
        }
        if (!argv[i][1]) {
            if (on) sh->opt_x = sh->opt_v = 0;
            i += on;
            break;
        }
        for (const char *c = argv[i] + 1; *c; c++) {
            if (*c == 'o') {
                if (i + 1 >= argc) {
                    sim_sh_show_options(sh, !on);
                    return 0;
                }
                if (!sim_sh_set_named_option(sh, argv[++i], on)) {
                    if (!sh->bash) sim_sh_fail(sh, 2, "Illegal option -o %s", argv[i]);
                    sim_sh_fail(sh, 2, "set: %s: invalid option name", argv[i]);
                }
                break;
            }
            if (sh->bash && strchr("hBEHTkptP", *c)) sim_sh_unsupported(sh, "set -%c", *c);
            if (sim_sh_set_option(sh, *c, on)) continue;
            if (!sh->bash) sim_sh_fail(sh, 2, "Illegal option -%c", *c);
            sim_sh_fail(sh, 2, "set: -%c: invalid option", *c);
        }
    }
    if (i < argc) sim_sh_set_args(sh, argv + i, argc - i);
    return 0;
}

/* ---- trap ---- */

static void control_trap_show(struct sh *sh) {
    for (int i = 0; i < SIM_SIGNAL_COUNT; i++) {
        if (!sh->traps[i]) continue;
        const char *sig = sh->bash && i ? "SIG" : "";
        const char *text = sh->traps[i];
        sim_outf(sh->p, "trap -- %s %s%s\n", sh->bash ? sim_sh_quote_single(sh->p, text) : sim_sh_quote(sh->p, text),
                 sig, sim_signal_name(i));
    }
}

static int control_trap(struct sh *sh, int argc, char **argv) {
    int i = 1, status = 0;
    if (argc > 1 && strcmp(argv[1], "--") == 0) i++;
    if (i >= argc) {
        control_trap_show(sh);
        return 0;
    }
    if (argv[i][0] == '-' && argv[i][1]) sim_sh_unsupported(sh, "trap %s", argv[i]);
    const char *text = argv[i];
    int all_signals = isdigit((unsigned char)text[0]) || argc - i == 1; /* trap 2 15: back to the default */
    if (all_signals || strcmp(text, "-") == 0) text = NULL;
    if (!all_signals) i++;
    for (; i < argc; i++) {
        int signal = sim_sh_signal(sh, argv[i]);
        if (signal < 0) {
            if (sh->bash &&
                (strcmp(argv[i], "ERR") == 0 || strcmp(argv[i], "DEBUG") == 0 || strcmp(argv[i], "RETURN") == 0))
                sim_sh_unsupported(sh, "trap %s", argv[i]);
            if (sh->bash)
                sim_sh_warn(sh, "trap: %s: invalid signal specification", argv[i]);
            else
                sim_errf(sh->p, "trap: %s: bad trap\n", argv[i]);
            status = 1;
        } else {
            sim_sh_trap_set(sh, signal, text);
        }
    }
    return status;
}

const struct sh_builtin sim_sh_builtins_control[] = {{"break", control_break, 1},
                                                     {"continue", control_continue, 1},
                                                     {"return", control_return, 1},
                                                     {"exit", control_exit, 1},
                                                     {":", control_true, 1},
                                                     {"true", control_true, 0},
                                                     {"false", control_false, 0},
                                                     {"eval", control_eval, 1},
                                                     {".", control_dot, 1},
                                                     {"source", control_dot, 1},
                                                     {"exec", control_exec, 1},
                                                     {"shift", control_shift, 1},
                                                     {"command", control_command, 0},
                                                     {"type", control_type, 0},
                                                     {"set", control_set, 1},
                                                     {"trap", control_trap, 1},
                                                     {NULL, NULL, 0}};

static const struct sh_builtin *control_find(const struct sh_builtin *list, const char *name) {
    for (; list->name; list++)
        if (list->name[0] == name[0] && strcmp(list->name, name) == 0) return list;
    return NULL;
}

const struct sh_builtin *sim_sh_builtin(const struct sh *sh, const char *name) {
    static const struct sh_builtin *const groups[] = {
        sim_sh_builtins_text,  sim_sh_builtins_control, sim_sh_builtins_vars,  sim_sh_builtins_jobs,
        sim_sh_builtins_alias, sim_sh_builtins_hash,    sim_sh_builtins_ulimit};
    const struct sh_builtin *found = NULL;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0] && !found; i++) found = control_find(groups[i], name);
    if (found && strcmp(name, sh->bash ? "chdir" : "source") == 0) return NULL; /* each has one of its own */
    return found;
}
