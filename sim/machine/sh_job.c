/* The shell's children: jobs in the background, and waiting for one that runs in the foreground. */
#include "sim/machine/sh.h"
#include <errno.h>

void sim_sh_job_add(struct sh *sh, int32_t pid) {
    struct sh_job **tail = &sh->jobs, *job = sim_keep(sh->p, sizeof *job);
    *job = (struct sh_job){.pid = pid};
    while (*tail) tail = &(*tail)->next;
    *tail = job;
}

static struct sh_job *job_find(const struct sh *sh, int32_t pid) {
    struct sh_job *job = sh->jobs;
    while (job && job->pid != pid) job = job->next;
    return job;
}

static void job_forget(struct sh *sh, struct sh_job *job) {
    struct sh_job **link = &sh->jobs;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    sim_drop(sh->p, job);
}

/* A child that has ended: its job keeps the status until it is asked for. */
static void job_ended(struct sh *sh, struct sim_proc *dead) {
    struct sh_job *job = job_find(sh, dead->pid);
    if (job) {
        job->done = 1;
        job->status = sim_proc_status(dead);
    }
    sim_proc_reap(dead);
}

int sim_sh_child_wait(struct sh *sh, int32_t pid) {
    for (;;) {
        int why;
        struct sim_proc *dead = sim_sys_wait(sh->p, pid, SIM_NEVER, &why);
        if (dead) {
            int status = sim_proc_status(dead);
            sim_proc_reap(dead);
            return status;
        }
        if (why == -ECHILD) return 127;
        uint32_t pending = sh->p->pending; /* a trap waits until the foreground is done */
        sh->p->pending = 0;
        dead = sim_sys_wait(sh->p, pid, SIM_NEVER, &why);
        sh->p->pending |= pending;
        if (!dead) continue;
        int status = sim_proc_status(dead);
        sim_proc_reap(dead);
        return status;
    }
}

/* One more child has ended. @return 0, -ECHILD, or -EINTR when a trap is due */
static int job_wait_any(struct sh *sh) {
    int why;
    struct sim_proc *dead = sim_sys_wait(sh->p, -1, SIM_NEVER, &why);
    if (!dead) return why;
    job_ended(sh, dead);
    return 0;
}

static int job_interrupted(const struct sh *sh) {
    int signal = 1;
    while (signal < SIM_SIGNAL_COUNT && !(sh->p->pending & (1U << signal))) signal++;
    return 128 + signal;
}

int sim_sh_job_wait(struct sh *sh, int32_t pid, int interruptible) {
    struct sh_job *job = job_find(sh, pid);
    if (!job) return 127;
    while (!job->done) {
        int e = job_wait_any(sh);
        if (e == -ECHILD) return 127;
        if (e == -EINTR && interruptible) return job_interrupted(sh);
    }
    int status = job->status;
    job_forget(sh, job);
    return status;
}
