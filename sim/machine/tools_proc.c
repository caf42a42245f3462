/* Tools about processes: sleep timeout nohup setsid env kill ps xargs nice; and the builtins that are programs too. */
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
    if (argc < 2) {
        sim_errf(p, "sleep: missing operand\n");
        return 1;
    }
    for (int i = 1; i < argc; i++) {
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
        else
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

static int tool_env(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"ignore-environment", 'i'}, {"unset", 'u'}, {"null", '0'}, {"chdir", 'C'}, {"split-string", 'S'}, {NULL, 0}};
    struct sim_opts o;
    struct sim_list env = {.p = p}, unset = {.p = p};
    int empty = 0, i = 0;
    char end = '\n';
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
    int status = 0;
    for (char **entry = p->env; argc == 1 && entry && *entry; entry++) sim_outf(p, "%s\n", *entry);
    for (int i = 1; i < argc; i++) {
        const char *value = sim_env_get(p->env, argv[i]);
        if (value)
            sim_outf(p, "%s\n", value);
        else
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

/* ---- ps ---- */

static int tool_ps(struct sim_proc *p, int argc, char **argv) {
    int full = 0, all = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "aux") == 0 || strcmp(argv[i], "-ef") == 0 || strcmp(argv[i], "ax") == 0)
            full = all = 1;
        else if (strcmp(argv[i], "-e") == 0 || strcmp(argv[i], "-A") == 0)
            all = 1;
        else
            return sim_unsupported(p, "ps %s", argv[i]);
    }
    sim_outf(p, full ? "UID          PID    PPID CMD\n" : "    PID TTY          TIME CMD\n");
    for (const struct sim_proc *q = p->m->procs; q; q = q->next) {
        int dead = q->state == SIM_PROC_DEAD;
        if (!all && q->sid != p->sid) continue;
        if (!full) {
            sim_outf(p, "%7d ?        00:00:00 %s%s\n", q->pid, q->comm, dead ? " <defunct>" : "");
            continue;
        }
        sim_outf(p, "%-8s %7d %7d ", p->m->user, q->pid, q->parent ? q->parent->pid : 1);
        if (dead || !q->argv || !q->argv[0])
            sim_outf(p, "[%s]%s", q->comm, dead ? " <defunct>" : "");
        else
            for (char **arg = q->argv; *arg; arg++) sim_outf(p, "%s%s", arg == q->argv ? "" : " ", *arg);
        sim_out_char(p, '\n');
    }
    return 0;
}

/* ---- xargs ---- */

struct xargs {
    const char *replace;
    int64_t max, parallel;
    int no_empty, trace, status;
    char **command;
    int n;
};

static void xargs_run(struct sim_proc *p, struct xargs *x, struct sim_list *args) {
    if (x->trace) {
        struct sim_text line = {.p = p};
        for (size_t i = 0; i < args->n; i++) sim_text_printf(&line, "%s%s", i ? " " : "", (char *)args->items[i]);
        sim_errf(p, "%s\n", sim_text_get(&line));
    }
    int status = sim_tool_run(p, sim_list_texts(args));
    if (status == 127 || status == 126)
        x->status = status;
    else if (status == 255)
        x->status = 124;
    else if (status > 128)
        x->status = 125;
    else if (status && !x->status)
        x->status = 123;
}

static void xargs_batch(struct sim_proc *p, struct xargs *x, char **items, size_t n) {
    struct sim_mark mark = sim_mark(p);
    struct sim_list args = {.p = p};
    for (int i = 0; i < x->n; i++) sim_list_add(&args, x->command[i]);
    for (size_t i = 0; i < n; i++) sim_list_add(&args, items[i]);
    xargs_run(p, x, &args);
    sim_release(p, mark);
}

static void xargs_replace(struct sim_proc *p, struct xargs *x, const char *item) {
    struct sim_mark mark = sim_mark(p);
    struct sim_list args = {.p = p};
    for (int i = 0; i < x->n; i++) {
        struct sim_text text = {.p = p};
        const char *at = x->command[i], *hit;
        while (i && (hit = strstr(at, x->replace)) != NULL) {
            sim_text_add(&text, at, (size_t)(hit - at));
            sim_text_str(&text, item);
            at = hit + strlen(x->replace);
        }
        sim_text_str(&text, at);
        sim_list_add(&args, sim_text_get(&text));
    }
    xargs_run(p, x, &args);
    sim_release(p, mark);
}

/* Items apart: by a delimiter, by lines for -I, or by blanks with quotes. @return 0 for an unmatched quote */
static int xargs_split(struct sim_proc *p, const char *text, size_t len, int delimiter, struct sim_list *items) {
    struct sim_text item = {.p = p};
    int started = 0;
    char quote = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        int ends = delimiter >= 0 ? c == (char)delimiter : !quote && (c == ' ' || c == '\t' || c == '\n');
        if (ends) {
            if (started || delimiter >= 0) sim_list_add(items, sim_strdup(p, sim_text_get(&item)));
            item.len = 0;
            started = 0;
            continue;
        }
        started = 1;
        if (delimiter >= 0)
            sim_text_char(&item, c);
        else if (quote) {
            if (c == '\n') return 0;
            if (c == quote)
                quote = 0;
            else
                sim_text_char(&item, c);
        } else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '\\' && i + 1 < len)
            sim_text_char(&item, text[++i]);
        else
            sim_text_char(&item, c);
    }
    if (quote) return 0;
    if (started) sim_list_add(items, sim_strdup(p, sim_text_get(&item)));
    return 1;
}

static int tool_xargs(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"null", '0'},    {"max-args", 'n'},  {"replace", 'I'},   {"no-run-if-empty", 'r'},
        {"verbose", 't'}, {"max-procs", 'P'}, {"delimiter", 'd'}, {"max-lines", 'L'},
        {NULL, 0}};
    static char echo[] = "echo";
    char *standard[] = {echo, NULL};
    struct xargs x = {0};
    struct sim_opts o;
    int delimiter = -1;
    sim_opts_start(&o, p, argc, argv, "+0n:I:rtP:d:L:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == '0')
            delimiter = 0;
        else if (opt == 'd')
            delimiter = o.arg[0] == '\\' && o.arg[1] == 'n' ? '\n' : o.arg[0] == '\\' && o.arg[1] == '0' ? 0 : o.arg[0];
        else if (opt == 'n' && sim_tool_number(o.arg, &x.max) && x.max > 0)
            continue;
        else if (opt == 'L' && sim_tool_number(o.arg, &x.max) && x.max == 1)
            delimiter = '\n';
        else if (opt == 'P' && sim_tool_number(o.arg, &x.parallel))
            continue;
        else if (opt == 'I')
            x.replace = o.arg;
        else if (opt == 'r')
            x.no_empty = 1;
        else if (opt == 't')
            x.trace = 1;
        else
            return sim_opts_bad(&o);
    }
    x.command = o.n ? o.operands : standard;
    x.n = o.n ? o.n : 1;
    size_t len;
    char *text = sim_tool_read_all(p, "xargs", "-", 0, &len);
    if (!text) return 1;
    struct sim_list items = {.p = p};
    if (!xargs_split(p, text, len, x.replace && delimiter < 0 ? '\n' : delimiter, &items)) {
        sim_errf(p, "xargs: unmatched quote; by default quotes are special to xargs unless you use the -0 option\n");
        return 1;
    }
    int null = sim_sys_open(p, "/dev/null", SIM_O_READ, 0);
    if (null >= 0) sim_sys_dup_to(p, null, 0);
    if (x.replace) {
        for (size_t i = 0; i < items.n && x.status < 124; i++) {
            const char *item = items.items[i];
            item += strspn(item, " \t");
            if (*item) xargs_replace(p, &x, item);
        }
        return x.status;
    }
    size_t step = x.max ? (size_t)x.max : 5000;
    if (items.n == 0 && !x.no_empty) xargs_batch(p, &x, NULL, 0);
    for (size_t i = 0; i < items.n && x.status < 124; i += step)
        xargs_batch(p, &x, (char **)items.items + i, items.n - i < step ? items.n - i : step);
    return x.status;
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
    for (;;) {
        for (int i = 1; i < argc; i++) sim_outf(p, "%s%s", i > 1 ? " " : "", argv[i]);
        sim_out_str(p, argc > 1 ? "\n" : "y\n");
        if (p->out_error) return 1;
    }
}

const struct sim_tool sim_tools_proc[] = {{"sleep", tool_sleep},
                                          {"timeout", tool_timeout},
                                          {"nohup", tool_nohup},
                                          {"setsid", tool_setsid},
                                          {"nice", tool_nice},
                                          {"env", tool_env},
                                          {"printenv", tool_printenv},
                                          {"kill", sim_kill_tool},
                                          {"ps", tool_ps},
                                          {"xargs", tool_xargs},
                                          {"true", tool_true},
                                          {"false", tool_false},
                                          {"echo", tool_echo},
                                          {"printf", tool_printf},
                                          {"test", sim_test},
                                          {"[", sim_test},
                                          {"yes", tool_yes},
                                          {NULL, NULL}};
