/* Builtins that steer the shell: loops, functions, scripts within scripts, options, traps. */
#include "sim/machine/sh.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int control_number(struct sh *sh, const char *text) {
    int32_t n = sim_digits(text);
    if (n < 0) sim_sh_fail(sh, 2, sh->bash ? "%s: numeric argument required" : "Illegal number: %s", text);
    return n;
}

static int control_leave(struct sh *sh, int argc, char **argv, enum sh_skip skip) {
    int levels = argc > 1 ? control_number(sh, argv[1]) : 1;
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
    int status = argc > 1 ? control_number(sh, argv[1]) : sh->status;
    sh->skip = SH_SKIP_RETURN;
    return status & (sh->bash ? 255 : -1);
}

static int control_exit(struct sh *sh, int argc, char **argv) {
    sim_sh_exit(sh, argc > 1 ? control_number(sh, argv[1]) : sh->status);
}

static int control_true(struct sh *sh, int argc, char **argv) {
    (void)sh, (void)argc, (void)argv;
    return 0;
}

static int control_false(struct sh *sh, int argc, char **argv) {
    (void)sh, (void)argc, (void)argv;
    return 1;
}

static int control_eval(struct sh *sh, int argc, char **argv) {
    struct sim_text text = {.p = sh->p};
    for (int i = 1; i < argc; i++) {
        if (i > 1) sim_text_char(&text, ' ');
        sim_text_str(&text, argv[i]);
    }
    return argc > 1 ? sim_sh_run_text(sh, sim_text_get(&text), text.len, 0) : 0;
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

static int control_dot(struct sh *sh, int argc, char **argv) {
    if (argc < 2) return sh->bash ? 2 : 0;
    const char *path = control_dot_path(sh, argv[1]);
    if (!path) sim_sh_fail(sh, 2, ".: %s: not found", argv[1]);
    struct sh_args args = sh->args;
    int replaced = sh->bash && argc > 2, loops = sh->loop_depth;
    if (replaced) sh->args = (struct sh_args){argv + 2, argc - 2, NULL};
    sh->loop_depth = 0;
    sh->dot_depth++;
    int status = sim_sh_source_file(sh, path);
    sh->dot_depth--;
    sh->loop_depth = loops;
    if (replaced) {
        sim_drop(sh->p, sh->args.owned);
        sh->args = args;
    }
    if (sh->skip == SH_SKIP_RETURN) sh->skip = SH_SKIP_NONE;
    if (status >= 0) return status;
    if (sh->bash) return 1;
    sim_sh_exit(sh, 2);
}

static int control_exec(struct sh *sh, int argc, char **argv) {
    int at = 1;
    if (argc > 1 && strcmp(argv[1], "--") == 0)
        at++;
    else if (argc > 1 && argv[1][0] == '-')
        sim_sh_unsupported(sh, "exec %s", argv[1]);
    if (at >= argc) return 0;
    sh->traps[0] = NULL;
    sim_sh_exit(sh, sim_sh_program(sh, argv + at, NULL, SH_RUN_EXIT));
}

static int control_shift(struct sh *sh, int argc, char **argv) {
    int n = argc > 1 ? control_number(sh, argv[1]) : 1;
    if (n > sh->args.n) {
        if (sh->bash) return 1;
        sim_sh_fail(sh, 2, "can't shift that many");
    }
    sh->args.v += n;
    sh->args.n -= n;
    return 0;
}

/* ---- command, type ---- */

static const char *control_keyword(const char *name) {
    static const char *const words[] = {"if",   "then",  "else",  "elif", "fi", "do", "done", "case",
                                        "esac", "while", "until", "for",  "{",  "}",  "!",    "in"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0) return words[i];
    return NULL;
}

/* command -v: what would run. */
static int control_describe(struct sh *sh, const char *name, int words) {
    int why;
    if (control_keyword(name))
        sim_outf(sh->p, words ? "%s is a shell keyword\n" : "%s\n", name);
    else if (sim_sh_function(sh, name))
        sim_outf(sh->p, words ? sh->bash ? "%s is a function\n" : "%s is a shell function\n" : "%s\n", name);
    else if (!strchr(name, '/') && sim_sh_builtin(sh, name)) {
        int special = !sh->bash && sim_sh_builtin(sh, name)->special;
        sim_outf(sh->p, words ? special ? "%s is a special shell builtin\n" : "%s is a shell builtin\n" : "%s\n", name);
    } else {
        const char *path = sim_program_find(sh->p, name, sim_sh_get(sh, "PATH"), &why);
        if (!path) {
            if (words && !sh->bash) sim_outf(sh->p, "%s: not found\n", name);
            if (words && sh->bash) sim_sh_warn(sh, "type: %s: not found", name);
            return sh->bash ? 1 : 127;
        }
        if (words)
            sim_outf(sh->p, "%s is %s\n", name, path);
        else
            sim_outf(sh->p, "%s\n", path);
    }
    return 0;
}

/* An error of a builtin under `command` does not end the shell. */
static int control_guarded(struct sh *sh, const struct sh_builtin *builtin, int argc, char **argv) {
    jmp_buf error, *outer = sh->error;
    int depth = sh->p->depth, eval_depth = sh->eval_depth;
    if (setjmp(error) == 0) {
        sh->error = &error;
        int status = builtin->run(sh, argc, argv);
        sh->error = outer;
        return status;
    }
    sh->error = outer;
    sh->p->depth = depth;
    sh->eval_depth = eval_depth;
    return sh->status;
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
                sim_sh_fail(sh, 2, "Illegal option -%c", *c);
        }
    }
    if (i >= argc) return 0;
    if (describe) return control_describe(sh, argv[i], describe == 2);
    const struct sh_builtin *builtin = strchr(argv[i], '/') ? NULL : sim_sh_builtin(sh, argv[i]);
    if (builtin) return control_guarded(sh, builtin, argc - i, argv + i);
    return sim_sh_program(sh, argv + i, NULL, how);
}

static int control_type(struct sh *sh, int argc, char **argv) {
    int status = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && sh->bash) sim_sh_unsupported(sh, "type %s", argv[i]);
        int one = control_describe(sh, argv[i], 1);
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
                if (i + 1 >= argc) sim_sh_unsupported(sh, "set -o without a name");
                if (!sim_sh_set_named_option(sh, argv[++i], on))
                    sim_sh_fail(sh, 2, "set: Illegal option -o %s", argv[i]);
                break;
            }
            if (sh->bash && strchr("hBEHTkptP", *c)) sim_sh_unsupported(sh, "set -%c", *c);
            if (!sim_sh_set_option(sh, *c, on)) sim_sh_fail(sh, 2, "set: Illegal option -%c", *c);
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
        sim_outf(sh->p, "trap -- %s %s%s\n", sim_sh_quote(sh->p, sh->traps[i]), sig, sim_signal_name(i));
    }
}

static void control_trap_set(struct sh *sh, int signal, const char *text) {
    uint32_t bit = 1U << signal;
    if (signal && (sh->ignored_at_start & bit)) return; /* what was ignored at the start stays so */
    sim_drop(sh->p, sh->traps[signal]);
    sh->traps[signal] = text ? sim_keep_text(sh->p, text) : NULL;
    if (!signal) return;
    sh->p->caught &= ~bit;
    sh->p->ignored &= ~bit;
    if (text && *text)
        sh->p->caught |= bit;
    else if (text)
        sh->p->ignored |= bit;
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
        int signal = sim_signal_number(argv[i]);
        if (signal < 0) {
            if (sh->bash &&
                (strcmp(argv[i], "ERR") == 0 || strcmp(argv[i], "DEBUG") == 0 || strcmp(argv[i], "RETURN") == 0))
                sim_sh_unsupported(sh, "trap %s", argv[i]);
            sim_sh_warn(sh, "trap: %s: bad trap", argv[i]);
            status = 1;
        } else {
            control_trap_set(sh, signal, text);
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
    static const struct sh_builtin *const groups[] = {sim_sh_builtins_text, sim_sh_builtins_control,
                                                      sim_sh_builtins_vars, sim_sh_builtins_jobs};
    const struct sh_builtin *found = NULL;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0] && !found; i++) found = control_find(groups[i], name);
    return found && !sh->bash && strcmp(name, "source") == 0 ? NULL : found;
}
