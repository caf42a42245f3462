/* Builtins about variables and the directory: export, readonly, unset, local, read, getopts, cd, pwd, umask. */
#include "sim/machine/sh/sh.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As bash shows a variable to be read again. */
static void vars_declared(struct sh *sh, const struct sh_var *var) {
    const char *flags = var->flags & SH_VAR_READONLY ? var->flags & SH_VAR_EXPORT ? "rx" : "r" : "x";
    sim_outf(sh->p, "declare -%s %s", flags, var->name);
    for (const char *at = var->value; at && *at; at++) {
        if (at == var->value) sim_out_str(sh->p, "=\"");
        if (strchr("\"\\$`", *at)) sim_out_char(sh->p, '\\');
        sim_out_char(sh->p, *at);
    }
    if (var->value) sim_out_str(sh->p, *var->value ? "\"" : "=\"\"");
    sim_out_char(sh->p, '\n');
}

static int vars_declare(struct sh *sh, int argc, char **argv, unsigned flag) {
    int i = 1, print = argc == 1, status = 0;
    if (argc > 1 && strcmp(argv[1], "-p") == 0) {
        print = argc == 2;
        i++;
    } else if (argc > 1 && strcmp(argv[1], "--") == 0) {
        i++;
    } else if (argc > 1 && argv[1][0] == '-' && sh->bash) {
        sim_sh_unsupported(sh, "%s %s", argv[0], argv[1]);
    }
    if (print) {
        size_t n;
        struct sh_var **vars = sim_sh_var_list(sh, &n);
        for (size_t v = 0; v < n; v++) {
            if (!(vars[v]->flags & flag)) continue;
            if (sh->bash) {
                vars_declared(sh, vars[v]);
                continue;
            }
            sim_outf(sh->p, "%s %s", argv[0], vars[v]->name);
            if (vars[v]->value) sim_outf(sh->p, "=%s", sim_sh_quote(sh->p, vars[v]->value));
            sim_out_char(sh->p, '\n');
        }
        return 0;
    }
    for (; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t len = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        if (!sim_sh_is_name(argv[i], len) && sh->bash) {
            sim_sh_warn(sh, "%s: `%s': not a valid identifier", argv[0], argv[i]);
            status = 1;
            continue;
        }
        const char *name = sim_strndup(sh->p, argv[i], len);
        if (!sim_sh_is_name(argv[i], len)) sim_sh_fail(sh, 2, "%s: bad variable name", name);
        if (equals) sim_sh_put(sh, name, equals + 1);
        sim_sh_var_make(sh, name)->flags |= flag;
    }
    return status;
}

static int vars_export(struct sh *sh, int argc, char **argv) {
    return vars_declare(sh, argc, argv, SH_VAR_EXPORT);
}

static int vars_readonly(struct sh *sh, int argc, char **argv) {
    return vars_declare(sh, argc, argv, SH_VAR_READONLY);
}

static int vars_unset(struct sh *sh, int argc, char **argv) {
    int i = 1, functions = 0;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "-f") == 0)
            functions = 1;
        else if (strcmp(argv[i], "-v") != 0 && strcmp(argv[i], "--") != 0)
            sim_sh_fail(sh, 2, sh->bash ? "unset: %s: invalid option" : "Illegal option %s", argv[i]);
    }
    for (; i < argc; i++) {
        if (functions)
            sim_sh_undefine(sh, argv[i]);
        else if (!sh->bash && !sim_sh_is_name(argv[i], strlen(argv[i])))
            sim_sh_fail(sh, 2, "%s: bad variable name", argv[i]);
        else if (sh->bash && !sim_sh_var(sh, argv[i]))
            sim_sh_undefine(sh, argv[i]);
        else
            sim_sh_unset(sh, argv[i]);
    }
    return 0;
}

static int vars_local(struct sh *sh, int argc, char **argv) {
    if (!sh->locals) sim_sh_fail(sh, 1, sh->bash ? "local: can only be used in a function" : "not in a function");
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t len = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        if (argv[i][0] == '-' && sh->bash) sim_sh_unsupported(sh, "local %s", argv[i]);
        if (!sim_sh_is_name(argv[i], len))
            sim_sh_fail(sh, 1, sh->bash ? "local: `%s': not a valid identifier" : "%s: bad variable name", argv[i]);
        const char *name = sim_strndup(sh->p, argv[i], len);
        if (sh->bash && sim_sh_is_readonly(sh, name)) {
            sim_sh_warn(sh, "local: %s: readonly variable", name);
            continue;
        }
        const struct sh_saved *known = *sh->locals;
        while (known && strcmp(known->name, name) != 0) known = known->next;
        if (!known) {
            sim_sh_save_var(sh, sh->locals, name);
            if (sh->bash && !equals && sim_sh_var(sh, name)) sim_sh_unset(sh, name); /* dash lets the old value show */
        }
        if (equals) sim_sh_set(sh, name, equals + 1);
    }
    return 0;
}

/* ---- read ---- */

/* A line, without the byte behind it being touched; escaped characters are marked in `quoted`. @return 0 at its end */
static int vars_read_line(struct sh *sh, int raw, struct sim_text *line, struct sim_text *quoted) {
    char buf[256];
    int escape = 0;
    for (;;) {
        ptrdiff_t n = sim_sys_read_line(sh->p, 0, buf, sizeof buf);
        if (n == -EINTR) {
            if (sh->p->pending) return 1;
            continue;
        }
        if (n <= 0) return 1;
        for (ptrdiff_t i = 0; i < n; i++) {
            char c = buf[i];
            if (c == '\0') continue;
            if (escape) {
                escape = 0;
                if (c == '\n') continue;
                sim_text_char(line, c);
                sim_text_char(quoted, 1);
            } else if (c == '\\' && !raw) {
                escape = 1;
            } else if (c == '\n') {
                return 0;
            } else {
                sim_text_char(line, c);
                sim_text_char(quoted, 0);
            }
        }
    }
}

static int vars_is_ifs(const char *ifs, const struct sim_text *line, const struct sim_text *quoted, size_t i,
                       int blank) {
    char c = line->s[i];
    if (quoted->s[i] || !strchr(ifs, c)) return 0;
    return !blank || c == ' ' || c == '\t' || c == '\n';
}

/* Splits a line over the variables; the last takes the rest. */
static void vars_read_split(struct sh *sh, char **names, int n, const struct sim_text *line,
                            const struct sim_text *quoted) {
    const char *ifs = sim_sh_get(sh, "IFS");
    if (!ifs) ifs = " \t\n";
    size_t i = 0, len = line->len;
    while (i < len && vars_is_ifs(ifs, line, quoted, i, 1)) i++;
    for (int v = 0; v < n; v++) {
        size_t start = i, end;
        if (v == n - 1) {
            end = len;
            while (end > start && vars_is_ifs(ifs, line, quoted, end - 1, 1)) end--;
            /* One separator at the very end belongs to the last field alone if that is all there is. */
            if (end > start && vars_is_ifs(ifs, line, quoted, end - 1, 0)) {
                size_t other = start;
                while (other < end - 1 && !vars_is_ifs(ifs, line, quoted, other, 0)) other++;
                if (other == end - 1) end--;
            }
            i = len;
        } else {
            while (i < len && !vars_is_ifs(ifs, line, quoted, i, 0)) i++;
            end = i;
            while (i < len && vars_is_ifs(ifs, line, quoted, i, 1)) i++;
            if (i < len && vars_is_ifs(ifs, line, quoted, i, 0) && !vars_is_ifs(ifs, line, quoted, i, 1)) {
                i++;
                while (i < len && vars_is_ifs(ifs, line, quoted, i, 1)) i++;
            }
        }
        sim_sh_put(sh, names[v], sim_strndup(sh->p, line->s + start, end - start));
    }
}

static int vars_read(struct sh *sh, int argc, char **argv) {
    int i = 1, raw = 0;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        const char *c = argv[i] + 1;
        for (; *c == 'r'; c++) raw = 1;
        if (*c == 'p' && (c[1] || i + 1 < argc))
            i += !c[1]; /* a prompt is for a terminal, and there is none */
        else if (*c && (sh->bash || *c == 't'))
            sim_sh_unsupported(sh, "read %s", argv[i]);
        else if (*c)
            sim_sh_fail(sh, 2, "Illegal option -%c", *c);
    }
    char reply[] = "REPLY", *fallback[] = {reply, NULL};
    char **names = i < argc ? argv + i : fallback;
    int n = i < argc ? argc - i : 1;
    if (i >= argc && !sh->bash) sim_sh_fail(sh, 2, "arg count");
    for (int v = 0; v < n; v++)
        if (!sim_sh_is_name(names[v], strlen(names[v])))
            sim_sh_fail(sh, 1, sh->bash ? "read: `%s': not a valid identifier" : "%s: bad variable name", names[v]);
    struct sim_text line = {.p = sh->p}, quoted = {.p = sh->p};
    int status = vars_read_line(sh, raw, &line, &quoted);
    sim_text_get(&line);
    sim_text_get(&quoted);
    vars_read_split(sh, names, n, &line, &quoted);
    return status;
}

/* ---- getopts ---- */

static int vars_getopts_end(struct sh *sh, const char *name, int index) {
    sim_sh_set(sh, "OPTIND", sim_number(sh->p, index));
    sim_sh_set(sh, name, "?");
    return 1;
}

static void vars_getopts_complain(struct sh *sh, char c, int unknown) {
    if (sh->bash)
        sim_errf(sh->p, "%s: %s -- %c\n", sh->arg0, unknown ? "illegal option" : "option requires an argument", c);
    else
        sim_errf(sh->p, unknown ? "Illegal option -%c\n" : "No arg for -%c option\n", c);
}

static int vars_getopts(struct sh *sh, int argc, char **argv) {
    if (argc < 3 && sh->bash) sim_errf(sh->p, "getopts: usage: getopts optstring name [arg ...]\n");
    if (argc < 3 && sh->bash) return 2;
    if (argc < 3) sim_sh_fail(sh, 2, "Usage: getopts optstring var [arg...]");
    const char *spec = argv[1], *name = argv[2];
    char **args = argc > 3 ? argv + 3 : sh->args.v;
    int n = argc > 3 ? argc - 3 : sh->args.n, quiet = *spec == ':';
    const char *optind = sim_sh_get(sh, "OPTIND");
    int index = optind ? sim_digits(optind) : 1, at = sh->getopts_at;
    if (index < 1) index = 1;
    if (at && !sh->bash && index > 1) index--; /* dash has counted the word that it is in */
    if (index > n) return vars_getopts_end(sh, name, n + 1);
    const char *arg = args[index - 1];
    if (at == 0 || (size_t)at >= strlen(arg)) {
        if (arg[0] != '-' || !arg[1]) return vars_getopts_end(sh, name, index);
        if (strcmp(arg, "--") == 0) return vars_getopts_end(sh, name, index + 1);
        at = 1;
    }
    char c = arg[at++];
    const char *known = c == ':' ? NULL : strchr(spec + quiet, c);
    char found[2] = {c, 0};
    const char *result = found, *optarg = NULL;
    int last = !arg[at];
    if (!known) {
        result = "?";
        if (quiet)
            optarg = found;
        else
            vars_getopts_complain(sh, c, 1);
    } else if (known[1] == ':') {
        if (!last) {
            optarg = arg + at;
            last = 1;
        } else if (index < n) {
            optarg = args[index++];
        } else {
            result = quiet ? ":" : "?";
            if (quiet)
                optarg = found;
            else
                vars_getopts_complain(sh, c, 0);
        }
    }
    if (last || !sh->bash) index++;
    if (optarg)
        sim_sh_set(sh, "OPTARG", sim_strdup(sh->p, optarg));
    else if (!sh->bash)
        sim_sh_set(sh, "OPTARG", "");
    else if (sim_sh_var(sh, "OPTARG"))
        sim_sh_unset(sh, "OPTARG");
    sim_sh_set(sh, "OPTIND", sim_number(sh->p, index));
    sim_sh_set(sh, name, result);
    sh->getopts_at = last ? 0 : at;
    return 0;
}

/* ---- the directory ---- */

/* A path without . .. and double slashes, by its text alone. */
static char *vars_tidy(struct sim_proc *p, const char *path) {
    struct sim_text out = {.p = p};
    for (const char *at = path; *at;) {
        at += strspn(at, "/");
        size_t len = strcspn(at, "/");
        if (len == 2 && memcmp(at, "..", 2) == 0) {
            while (out.len && out.s[out.len - 1] != '/') out.len--;
            if (out.len) out.len--;
        } else if (len && !(len == 1 && *at == '.')) {
            sim_text_char(&out, '/');
            sim_text_add(&out, at, len);
        }
        at += len;
    }
    if (!out.len) sim_text_char(&out, '/');
    return sim_text_get(&out);
}

static const char *vars_physical(struct sh *sh) {
    char path[SIM_PATH_MAX];
    return sim_path_of(sh->p->cwd, path, sizeof path) ? sim_strdup(sh->p, path) : NULL;
}

static const char *vars_logical(struct sh *sh) {
    const char *pwd = sim_sh_get(sh, "PWD");
    struct sim_where at;
    if (pwd && *pwd == '/' && !sim_sys_stat(sh->p, pwd, 1, &at)) {
        int same = at.node == sh->p->cwd;
        sim_where_finish(&at);
        if (same) return sim_strdup(sh->p, pwd);
    }
    const char *path = vars_physical(sh);
    return path || !pwd ? path : sim_strdup(sh->p, pwd); /* of a directory that has gone its name is left */
}

static int vars_cd_to(struct sh *sh, const char *path, int physical) {
    const char *old = vars_logical(sh);
    const char *target = path;
    if (!physical && *path != '/' && old) target = sim_format(sh->p, "%s/%s", old, path);
    if (!physical && *target == '/') target = vars_tidy(sh->p, target);
    int e = sim_sys_chdir(sh->p, target);
    if (e && target != path) e = sim_sys_chdir(sh->p, path);
    if (e) return e;
    const char *now = !physical && *target == '/' ? target : vars_physical(sh);
    if (old) sim_sh_set(sh, "OLDPWD", old);
    if (old) sim_sh_var(sh, "OLDPWD")->flags |= SH_VAR_EXPORT;
    if (now) sim_sh_set(sh, "PWD", now);
    if (now) sim_sh_var(sh, "PWD")->flags |= SH_VAR_EXPORT;
    return 0;
}

static int vars_is_dotted(const char *path) {
    size_t dots = strspn(path, ".");
    return dots && dots < 3 && (path[dots] == '/' || !path[dots]);
}

/* The first directory of CDPATH that has it; one that was not the current is said. */
static int vars_cd_along(struct sh *sh, const char *list, const char *path, int physical, int *print) {
    for (const char *at = list; at;) {
        size_t len = strcspn(at, ":");
        const char *target = len ? sim_format(sh->p, "%.*s/%s", (int)len, at, path) : path;
        if (vars_cd_to(sh, target, physical) == 0) {
            *print = len > 0;
            return 0;
        }
        at = at[len] ? at + len + 1 : NULL;
    }
    return -ENOENT;
}

static int vars_cd(struct sh *sh, int argc, char **argv) {
    int i = 1, physical = 0, print = 0;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp(argv[i], "-P") == 0)
            physical = 1;
        else if (strcmp(argv[i], "-L") == 0)
            physical = 0;
        else
            sim_sh_fail(sh, 2, sh->bash ? "cd: %s: invalid option" : "Illegal option %s", argv[i]);
    }
    const char *path = i < argc ? argv[i] : sim_sh_get(sh, "HOME");
    if (i + 1 < argc && sh->bash) {
        sim_sh_warn(sh, "cd: too many arguments");
        return 1;
    }
    if (!path) {
        if (!sh->bash) return 0;
        sim_sh_warn(sh, "cd: HOME not set");
        return 1;
    }
    if (strcmp(path, "-") == 0) {
        path = sim_sh_get(sh, "OLDPWD");
        print = 1;
        if (!path) {
            if (sh->bash) sim_sh_warn(sh, "cd: OLDPWD not set");
            if (sh->bash) return 1;
            path = sim_strdup(sh->p, "");
        }
    }
    if (!*path) return 0;
    const char *cdpath = sim_sh_get(sh, "CDPATH");
    int e = -ENOENT;
    if (cdpath && *cdpath && i < argc && !print && *path != '/' && !vars_is_dotted(path))
        e = vars_cd_along(sh, cdpath, path, physical, &print);
    if (e) e = vars_cd_to(sh, path, physical);
    if (e) {
        if (sh->bash)
            sim_sh_warn(sh, "cd: %s: %s", path, sim_strerror(-e));
        else
            sim_sh_warn(sh, "can't cd to %s", path);
        return sh->bash ? 1 : 2;
    }
    if (print) sim_outf(sh->p, "%s\n", sim_sh_get(sh, "PWD"));
    return 0;
}

static int vars_pwd(struct sh *sh, int argc, char **argv) {
    int physical = argc > 1 && strcmp(argv[1], "-P") == 0;
    const char *path = physical ? vars_physical(sh) : vars_logical(sh);
    if (!path) {
        sim_sh_warn(sh, "getcwd() failed: No such file or directory");
        return 1;
    }
    sim_outf(sh->p, "%s\n", path);
    return 0;
}

static int vars_umask_symbolic(struct sh *sh, const char *text) {
    uint32_t allowed = ~sh->p->umask & 0777;
    while (*text) {
        uint32_t who = 0, perm = 0;
        for (; *text && strchr("ugoa", *text); text++)
            who |= *text == 'u' ? 0700U : *text == 'g' ? 0070U : *text == 'o' ? 0007U : 0777U;
        if (!who) who = 0777;
        char op = *text++;
        if (!op || !strchr("=+-", op)) return 0;
        for (; *text && strchr("rwx", *text); text++) perm |= *text == 'r' ? 0444U : *text == 'w' ? 0222U : 0111U;
        perm &= who;
        allowed = op == '=' ? (allowed & ~who) | perm : op == '+' ? allowed | perm : allowed & ~perm;
        if (*text == ',')
            text++;
        else if (*text)
            return 0;
    }
    sh->p->umask = ~allowed & 0777;
    return 1;
}

static int vars_umask(struct sh *sh, int argc, char **argv) {
    if (argc == 1) {
        sim_outf(sh->p, "%04o\n", sh->p->umask);
        return 0;
    }
    if (strcmp(argv[1], "-S") == 0) {
        static const char *const bits[] = {"", "x", "w", "wx", "r", "rx", "rw", "rwx"};
        uint32_t allowed = ~sh->p->umask & 0777;
        sim_outf(sh->p, "u=%s,g=%s,o=%s\n", bits[allowed >> 6], bits[(allowed >> 3) & 7], bits[allowed & 7]);
        return 0;
    }
    if (strspn(argv[1], "01234567") == strlen(argv[1]) && strlen(argv[1]) < 6) {
        sh->p->umask = (uint32_t)strtoul(argv[1], NULL, 8) & 0777;
        return 0;
    }
    int digits = argv[1][0] >= '0' && argv[1][0] <= '9';
    if (digits && sh->bash) sim_sh_fail(sh, 1, "umask: %s: octal number out of range", argv[1]);
    if (digits) sim_sh_fail(sh, 2, "Illegal number: %s", argv[1]);
    if (vars_umask_symbolic(sh, argv[1])) return 0;
    if (sh->bash) sim_sh_fail(sh, 1, "umask: `%c': invalid symbolic mode operator", argv[1][0]);
    sim_sh_fail(sh, 2, "Illegal mode: %s", argv[1]);
    return 0;
}

const struct sh_builtin sim_sh_builtins_vars[] = {
    {"export", vars_export, 1}, {"readonly", vars_readonly, 1}, {"unset", vars_unset, 1}, {"local", vars_local, 1},
    {"read", vars_read, 0},     {"getopts", vars_getopts, 0},   {"cd", vars_cd, 0},       {"chdir", vars_cd, 0},
    {"pwd", vars_pwd, 0},       {"umask", vars_umask, 0},       {NULL, NULL, 0}};
