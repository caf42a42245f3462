/* Traps: what runs when a signal comes, and when the shell ends. */
#include "sim/machine/sh/sh.h"
#include <ctype.h>
#include <string.h>

/* Signals that end bash by way of its exit trap. */
#define TRAP_ENDS_BASH                                                                                                 \
    ((1U << SIM_SIGHUP) | (1U << SIM_SIGINT) | (1U << SIM_SIGALRM) | (1U << SIM_SIGTERM) | (1U << SIM_SIGXCPU) |       \
     (1U << SIM_SIGUSR1) | (1U << SIM_SIGUSR2) | (1U << SIM_SIGPIPE))

int sim_sh_has_traps(const struct sh *sh) {
    for (int i = 0; i < SIM_SIGNAL_COUNT; i++)
        if (sh->traps[i] && *sh->traps[i]) return 1;
    return 0;
}

int sim_sh_signal(const struct sh *sh, const char *name) {
    char upper[16];
    size_t len = strlen(name);
    if (len >= sizeof upper) return -1;
    for (size_t i = 0; i <= len; i++) upper[i] = (char)toupper((unsigned char)name[i]);
    if (!sh->bash && strncmp(upper, "SIG", 3) == 0) return -1;
    return sim_signal_number(upper);
}

void sim_sh_trap_set(struct sh *sh, int signal, const char *text) {
    uint32_t bit = 1U << signal, old = sh->p->caught;
    if (signal && (sh->ignored_at_start & bit)) return; /* what was ignored at the start stays so */
    sim_drop(sh->p, sh->traps[signal]);
    sh->traps[signal] = text ? sim_keep_text(sh->p, text) : NULL;
    if (signal) sh->p->ignored &= ~bit;
    if (signal && text && !*text) sh->p->ignored |= bit;
    sh->p->caught = 0;
    for (int i = 1; i < SIM_SIGNAL_COUNT; i++)
        if (sh->traps[i] && *sh->traps[i]) sh->p->caught |= 1U << i;
    if (sh->bash && sh->traps[0] && *sh->traps[0]) sh->p->caught |= TRAP_ENDS_BASH & ~sh->p->ignored;
    sh->p->pending &= sh->p->caught | ~old;
}

static void trap_run(struct sh *sh, int signal) {
    int status = sh->status, tested = sh->tested;
    enum sh_skip skip = sh->skip;
    char *text = sim_strdup(sh->p, sh->traps[signal]); /* it may set itself anew */
    sh->skip = SH_SKIP_NONE;
    sh->in_trap++;
    if (!sh->bash) {
        sh->tested = 0;
        sh->trap_status = status;
    }
    sim_sh_run_text(sh, text, strlen(text), 0);
    sh->tested = tested;
    sh->in_trap--;
    if (sh->skip == SH_SKIP_NONE) {
        sh->skip = skip;
        sh->status = status;
    }
}

/* By the signal itself, when the exit trap has run. */
_Noreturn static void trap_die(struct sh *sh, int signal) {
    sh->traps[signal] = NULL;
    sim_sh_trap_end(sh, 128 + signal);
    sim_out_flush(sh->p);
    sim_proc_kill(sh->p, signal);
    sim_proc_check(sh->p);
    sim_proc_exit(sh->p, 128 + signal);
}

void sim_sh_run_traps(struct sh *sh) {
    for (int signal = 1; sh->p->pending && signal < SIM_SIGNAL_COUNT; signal++) {
        if (!(sh->p->pending & (1U << signal))) continue;
        sh->p->pending &= ~(1U << signal);
        if (sh->traps[signal] && *sh->traps[signal])
            trap_run(sh, signal);
        else if (sh->bash && (TRAP_ENDS_BASH & (1U << signal)))
            trap_die(sh, signal);
    }
}

void sim_sh_trap_end(struct sh *sh, int status) {
    if (sh->exiting) return;
    sh->exiting = 1;
    sh->status = sh->trap_status = status;
    sh->catches = NULL;
    sh->skip = SH_SKIP_NONE;
    sim_sh_leave_all(sh);
    if (!sh->traps[0] || !*sh->traps[0]) return;
    char *text = sh->traps[0];
    sh->traps[0] = NULL;
    sh->tested = 0;
    sh->in_trap++;
    sh->command = NULL;
    sim_sh_run_text(sh, text, strlen(text), 0);
}

_Noreturn void sim_sh_exit(struct sh *sh, int status) {
    sim_sh_trap_end(sh, status);
    sim_out_flush(sh->p);
    sim_proc_exit(sh->p, status);
}
