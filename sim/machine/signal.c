/* Signals: their names, who gets them, what they do. */
#include "sim/machine/inside.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const signal_names[SIM_SIGNAL_COUNT] = {
    "EXIT", "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1",
    "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN",
    "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS"};

const char *sim_signal_name(int signal) {
    return signal >= 0 && signal < SIM_SIGNAL_COUNT ? signal_names[signal] : NULL;
}

int sim_signal_number(const char *name) {
    if (*name && strspn(name, "0123456789") == strlen(name)) {
        long n = strlen(name) > 4 ? 9999 : strtol(name, NULL, 10);
        return n < SIM_SIGNAL_COUNT ? (int)n : -1;
    }
    if (strncmp(name, "SIG", 3) == 0) name += 3;
    for (int i = 0; i < SIM_SIGNAL_COUNT; i++)
        if (strcmp(signal_names[i], name) == 0) return i;
    return -1;
}

static int signal_ignored_by_default(int signal) {
    return signal == SIM_SIGCHLD || signal == 23 /* URG */ || signal == 28 /* WINCH */ || signal == SIM_SIGCONT;
}

static int signal_stops(int signal) {
    return signal >= SIM_SIGSTOP && signal <= 22 /* TTOU */;
}

static void signal_wake(struct sim_proc *p) {
    if (p->waiting) sim_wake_all(p->m->world, p->waiting);
}

void sim_proc_signal(struct sim_proc *p, int signal) {
    uint32_t bit = 1U << signal;
    if (p->state == SIM_PROC_DEAD || signal <= 0) return;
    if (p->state == SIM_PROC_STOPPED && (signal == SIM_SIGCONT || signal == SIM_SIGKILL)) {
        p->state = SIM_PROC_RUNNING;
        sim_wake_all(p->m->world, &p->child_end);
        signal_wake(p);
    }
    int sure = signal == SIM_SIGKILL || signal == SIM_SIGSTOP;
    if (!sure && (p->ignored & bit)) return;
    if (!sure && (p->caught & bit)) {
        p->pending |= bit;
        signal_wake(p);
        sim_wake_all(p->m->world, &p->child_end);
        return;
    }
    if (signal_ignored_by_default(signal)) return;
    if (signal_stops(signal))
        p->state = SIM_PROC_STOPPED;
    else
        sim_proc_kill(p, signal);
}

static int signal_matches(const struct sim_proc *from, const struct sim_proc *p, int32_t pid) {
    if (pid > 0) return p->pid == pid;
    if (pid == 0) return p->pgid == from->pgid;
    if (pid == -1) return p != from;
    return p->pgid == -pid;
}

int sim_sys_kill(struct sim_proc *from, int32_t pid, int signal) {
    int found = 0;
    if (signal < 0 || signal >= SIM_SIGNAL_COUNT) return -EINVAL;
    if (pid == 1) return -EPERM;
    /* A death may take others out of the table (children of it that are dead): the hit are collected by number first.
     */
    for (struct sim_proc *p = from->m->procs; p; p = p->next) {
        p->hit = signal_matches(from, p, pid);
        found |= p->hit;
    }
    for (int more = 1; more;) {
        more = 0;
        for (struct sim_proc *p = from->m->procs; p; p = p->next) {
            if (!p->hit) continue;
            p->hit = 0;
            more = 1;
            if (p != from) {
                sim_proc_signal(p, signal);
                break;
            }
            from->hit_self = 1;
        }
    }
    if (from->hit_self) {
        from->hit_self = 0;
        sim_proc_signal(from, signal);
    }
    sim_proc_check(from);
    return found ? 0 : -ESRCH;
}
