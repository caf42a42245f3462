/* Tools about processes: sleep timeout nohup setsid nice. */
#include "sim/machine/number.h"
#include "sim/machine/tools/tools.h"
#include <errno.h>
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

const struct sim_tool sim_tools_proc[] = {{"sleep", tool_sleep},   {"timeout", tool_timeout}, {"nohup", tool_nohup},
                                          {"setsid", tool_setsid}, {"nice", tool_nice},       {NULL, NULL}};
