/* Tools about processes: sleep timeout nohup setsid env kill nice; and the builtins that are programs too. */
#include "sim/machine/number.h"
#include "sim/machine/sh.h"
#include "sim/machine/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A duration as sleep and timeout read it. @return -1 if it is none */
static int64_t proc_duration(const char *text) {
    char *end;
    if (strcmp(text, "infinity") == 0 || strcmp(text, "inf") == 0) return SIM_NEVER;
    if (!*text || !strchr("0123456789.", *text)) return -1;
    double value = sim_double(text, &end);
    double unit = 1;
    if (end == text || value < 0) return -1;
    if (*end) {
        if (end[1]) return -1;
        if (*end == 'm')
            unit = 60;
        else if (*end == 'h')
            unit = 3600;
        else if (*end == 'd')
            unit = 86400;
        else if (*end != 's')
            return -1;
    }
    double ns = value * unit * (double)SIM_SEC;
    return ns > 9e18 ? SIM_NEVER : (int64_t)(ns + 0.5);
}

static int64_t proc_after(struct sim_proc *p, int64_t ns) {
    int64_t now = sim_now(p->m->world);
    return ns > SIM_NEVER - now ? SIM_NEVER : now + ns;
}

static int tool_sleep(struct sim_proc *p, int argc, char **argv) {
    int64_t total = 0;
    int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    if (argc <= first) {
        sim_errf(p, "sleep: missing operand\n");
        return 1;
    }
    for (int i = first; i < argc; i++) {
        int64_t ns = proc_duration(argv[i]);
        if (ns < 0) {
            sim_errf(p, "sleep: invalid time interval '%s'\n", argv[i]);
            return 1;
        }
        total = ns > SIM_NEVER - total ? SIM_NEVER : total + ns;
    }
    sim_sys_sleep(p, proc_after(p, total));
    return 0;
}

struct proc_command {
    const char *who;
    char **argv;
};

static int proc_command_main(struct sim_proc *p, void *arg) {
    const struct proc_command *c = arg;
    return sim_tool_become(p, c->who, c->argv, p->env);
}

/* A child on a fiber of its own, with copies of what it needs. NULL after complaining. */
static struct sim_proc *proc_spawn(struct sim_proc *p, const char *who, char **argv) {
    int why;
    struct sim_proc *child = sim_proc_fork(p->m, p, &why);
    if (!child) {
        sim_errf(p, "%s: fork system call failed: %s\n", who, sim_strerror(-why));
        return NULL;
    }
    child->unwind = p->unwind; /* while it is being made, running out of memory is ours */
    struct proc_command *c = sim_keep(child, sizeof *c);
    struct sim_list list = {.p = child}, env = {.p = child};
    for (char **arg = argv; *arg; arg++) sim_list_add(&list, sim_strdup(child, *arg));
    for (char **entry = p->env; entry && *entry; entry++) sim_list_add(&env, sim_strdup(child, *entry));
    c->who = who;
    c->argv = sim_list_texts(&list);
    child->env = sim_list_texts(&env);
    child->unwind = NULL;
    if (sim_proc_start(child, proc_command_main, c)) {
        sim_errf(p, "%s: fork system call failed\n", who);
        return NULL;
    }
    return child;
}

static int tool_timeout(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"signal", 's'}, {"kill-after", 'k'}, {"preserve-status", 'P'}, {"foreground", 'F'}, {NULL, 0}};
    struct sim_opts o;
    int signal = SIM_SIGTERM, preserve = 0, foreground = 0;
    int64_t kill_after = 0;
    sim_opts_start(&o, p, argc, argv, "+s:k:PFv", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 's')
            signal = sim_signal_number(o.arg);
        else if (opt == 'k')
            kill_after = proc_duration(o.arg);
        else if (opt == 'P')
            preserve = 1;
        else if (opt == 'F')
            foreground = 1;
        else if (opt != 'v')
            return sim_opts_bad(&o);
    }
    int64_t limit = o.n > 0 ? proc_duration(o.operands[0]) : -1;
    if (o.n < 2 || limit < 0 || kill_after < 0 || signal < 0) {
        sim_errf(p, o.n < 2 ? "timeout: missing operand\n" : "timeout: invalid time interval or signal\n");
        return 125;
    }
    if (!foreground) p->pgid = p->pid; /* so that the command's children die with it */
    struct sim_proc *child = proc_spawn(p, "timeout", o.operands + 1);
    if (!child) return 125;
    int32_t pid = child->pid;
    int why, timed_out = 0, killed = 0;
    int64_t until = limit ? proc_after(p, limit) : SIM_NEVER;
    struct sim_proc *dead;
    while (!(dead = sim_sys_wait(p, pid, until, &why))) {
        if (why != -ETIMEDOUT) return 125;
        int sent = timed_out ? SIM_SIGKILL : signal;
        killed = sent == SIM_SIGKILL;
        timed_out = 1;
        until = kill_after && !killed ? proc_after(p, kill_after) : SIM_NEVER;
        sim_proc_signal(sim_proc_find(p->m, pid), sent);
        if (!foreground) {
            uint32_t ignored = p->ignored;
            if (sent != SIM_SIGKILL) p->ignored |= 1U << sent;
            if (sent != SIM_SIGKILL) sim_sys_kill(p, 0, sent);
            p->ignored = ignored;
        }
    }
    int status = sim_proc_status(dead);
    sim_proc_reap(dead);
    if (killed) {
        sim_out_flush(p);
        sim_proc_kill(p, SIM_SIGKILL); /* it tells its own parent of a kill by dying of one */
        sim_proc_check(p);
    }
    return timed_out && !preserve ? 124 : status;
}

static int tool_nohup(struct sim_proc *p, int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--") == 0) {
        argv++;
        argc--;
    }
    if (argc < 2) {
        sim_errf(p, "nohup: missing operand\n");
        return 125;
    }
    p->ignored |= 1U << SIM_SIGHUP;
    return sim_tool_become(p, "nohup", argv + 1, p->env);
}

static int tool_setsid(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"wait", 'w'}, {"fork", 'f'}, {"ctty", 'c'}, {NULL, 0}};
    struct sim_opts o;
    int wait = 0, fork = 0;
    sim_opts_start(&o, p, argc, argv, "+wfc", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'w')
            wait = 1;
        else if (opt == 'f')
            fork = 1;
        else
            return sim_opts_bad(&o);
    }
    if (!o.n) {
        sim_errf(p, "setsid: no command specified\n");
        return 1;
    }
    if (!fork && sim_sys_setsid(p) == 0) return sim_tool_become(p, "setsid", o.operands, p->env);
    struct sim_proc *child = proc_spawn(p, "setsid", o.operands); /* a group's leader cannot: its child can */
    if (!child) return 1;
    child->pgid = child->sid = child->pid;
    if (!wait) return 0;
    int why;
    struct sim_proc *dead = sim_sys_wait(p, child->pid, SIM_NEVER, &why);
    int status = dead ? sim_proc_status(dead) : 1;
    if (dead) sim_proc_reap(dead);
    return status;
}

static int tool_nice(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    sim_opts_start(&o, p, argc, argv, "+n:", NULL);
    for (int opt; (opt = sim_opts_next(&o)) != -1;)
        if (opt != 'n') return sim_opts_bad(&o);
    if (!o.n) {
        sim_outf(p, "0\n");
        return 0;
    }
    return sim_tool_become(p, "nice", o.operands, p->env);
}

/* ---- env ---- */

/* -S: words of one text, so that a #! line can have several. NULL where quotes or the like would matter. */
static char **env_split(struct sim_proc *p, int *argc, char **argv) {
    struct sim_list args = {.p = p};
    if (*argc < 2 || (strncmp(argv[1], "-S", 2) != 0 && strcmp(argv[1], "--split-string") != 0)) return argv;
    int joined = strncmp(argv[1], "-S", 2) == 0 && argv[1][2], next = joined ? 2 : 3;
    const char *text = joined ? argv[1] + 2 : *argc > 2 ? argv[2] : "";
    if (strpbrk(text, "\"'\\$#")) return NULL;
    sim_list_add(&args, argv[0]);
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        size_t n = strcspn(text, " \t");
        sim_list_add(&args, sim_strndup(p, text, n));
        text += n;
    }
    for (; next < *argc; next++) sim_list_add(&args, argv[next]);
    *argc = (int)args.n;
    return sim_list_texts(&args);
}

static int tool_env(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"ignore-environment", 'i'}, {"unset", 'u'}, {"null", '0'}, {"chdir", 'C'}, {"split-string", 'S'}, {NULL, 0}};
    struct sim_opts o;
    struct sim_list env = {.p = p}, unset = {.p = p};
    int empty = 0, i = 0;
    char end = '\n';
    argv = env_split(p, &argc, argv);
    if (!argv) return sim_unsupported(p, "env -S with quotes");
    sim_opts_start(&o, p, argc, argv, "+iu:0C:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'i')
            empty = 1;
        else if (opt == 'u')
            sim_list_add(&unset, sim_strdup(p, o.arg));
        else if (opt == '0')
            end = '\0';
        else if (opt == 'C') {
            int e = sim_sys_chdir(p, o.arg);
            if (e) return sim_tool_fail(p, "env: cannot change directory to", o.arg, e), 125;
        } else
            return sim_opts_bad(&o);
    }
    if (o.n && strcmp(o.operands[0], "-") == 0) {
        empty = 1;
        i++;
    }
    for (char **entry = p->env; !empty && entry && *entry; entry++) {
        int gone = 0;
        for (size_t u = 0; u < unset.n; u++) {
            size_t len = strlen(unset.items[u]);
            gone |= strncmp(*entry, unset.items[u], len) == 0 && (*entry)[len] == '=';
        }
        if (!gone) sim_list_add(&env, *entry);
    }
    for (; i < o.n && strchr(o.operands[i], '='); i++) {
        size_t len = (size_t)(strchr(o.operands[i], '=') - o.operands[i]) + 1, at = 0;
        while (at < env.n && strncmp(env.items[at], o.operands[i], len) != 0) at++;
        if (at < env.n)
            env.items[at] = o.operands[i];
        else
            sim_list_add(&env, o.operands[i]);
    }
    char **result = sim_list_texts(&env);
    if (i < o.n) return sim_tool_become(p, "env", o.operands + i, result);
    for (; *result; result++) {
        sim_out_str(p, *result);
        sim_out_char(p, end);
    }
    return 0;
}

static int tool_printenv(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    int status = 0;
    char end = '\n';
    static const struct sim_long_option longs[] = {{"null", '0'}, {NULL, 0}};
    sim_opts_start(&o, p, argc, argv, "+0", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt != '0') return sim_opts_bad(&o);
        end = '\0';
    }
    for (char **entry = p->env; !o.n && entry && *entry; entry++) {
        sim_out_str(p, *entry);
        sim_out_char(p, end);
    }
    for (int i = 0; i < o.n; i++) {
        const char *value = strchr(o.operands[i], '=') ? NULL : sim_env_get(p->env, o.operands[i]);
        if (value) {
            sim_out_str(p, value);
            sim_out_char(p, end);
        } else
            status = 1;
    }
    return status;
}

/* ---- kill ---- */

static int kill_list(struct sim_proc *p, int argc, char **argv) {
    if (argc > 2) {
        int n = sim_digits(argv[2]);
        const char *name = sim_signal_name(n > 128 ? n - 128 : n);
        if (name)
            sim_outf(p, "%s\n", name);
        else if (sim_signal_number(argv[2]) > 0)
            sim_outf(p, "%d\n", sim_signal_number(argv[2]));
        else
            return 1;
        return 0;
    }
    for (int i = 1; i < SIM_SIGNAL_COUNT; i++) sim_outf(p, "%s\n", sim_signal_name(i));
    return 0;
}

int sim_kill_tool(struct sim_proc *p, int argc, char **argv) {
    int i = 1, signal = SIM_SIGTERM, status = 0;
    if (argc > 1 && (strcmp(argv[1], "-l") == 0 || strcmp(argv[1], "-L") == 0)) return kill_list(p, argc, argv);
    if (argc > 2 && (strcmp(argv[1], "-s") == 0 || strcmp(argv[1], "-n") == 0)) {
        signal = sim_signal_number(argv[2]);
        i = 3;
    } else if (argc > 1 && argv[1][0] == '-' && argv[1][1] && strcmp(argv[1], "--") != 0) {
        signal = sim_signal_number(argv[1] + 1);
        i = 2;
    }
    if (signal < 0) {
        sim_errf(p, "kill: invalid signal number or name: %s\n", argv[i - 1]);
        return p->argv && strcmp(sim_base_name(argv[0]), "kill") == 0 ? 1 : 2;
    }
    if (i < argc && strcmp(argv[i], "--") == 0) i++;
    if (i >= argc) {
        sim_errf(p, "kill: usage: kill [-s sigspec | -signum | -sigspec] [pid | job]...\n");
        return 2;
    }
    for (; i < argc; i++) {
        int negative = argv[i][0] == '-';
        int32_t pid = sim_digits(argv[i] + negative);
        if (pid < 0) {
            sim_errf(p, "kill: Illegal number: %s\n", argv[i]);
            status = 2;
            continue;
        }
        sim_out_flush(p);
        int e = sim_sys_kill(p, negative ? -pid : pid, signal);
        if (!e) continue;
        sim_errf(p, "kill: (%s) - %s\n", argv[i], sim_strerror(-e));
        status = 1;
    }
    return status;
}

/* ---- builtins as programs ---- */

static int tool_true(struct sim_proc *p, int argc, char **argv) {
    (void)p, (void)argc, (void)argv;
    return 0;
}

static int tool_false(struct sim_proc *p, int argc, char **argv) {
    (void)p, (void)argc, (void)argv;
    return 1;
}

static int tool_echo(struct sim_proc *p, int argc, char **argv) {
    return sim_echo(p, argc, argv, 0);
}

static int tool_printf(struct sim_proc *p, int argc, char **argv) {
    return sim_printf(p, "printf", argc, argv);
}

static int tool_yes(struct sim_proc *p, int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--") == 0) {
        argv++;
        argc--;
    }
    for (;;) {
        for (int i = 1; i < argc; i++) sim_outf(p, "%s%s", i > 1 ? " " : "", argv[i]);
        sim_out_str(p, argc > 1 ? "\n" : "y\n");
        if (p->out_error) return 1;
    }
}

const struct sim_tool sim_tools_proc[] = {
    {"sleep", tool_sleep}, {"timeout", tool_timeout}, {"nohup", tool_nohup},       {"setsid", tool_setsid},
    {"nice", tool_nice},   {"env", tool_env},         {"printenv", tool_printenv}, {"kill", sim_kill_tool},

    {"true", tool_true},   {"false", tool_false},     {"echo", tool_echo},         {"printf", tool_printf},
    {"test", sim_test},    {"[", sim_test},           {"yes", tool_yes},           {NULL, NULL}};
