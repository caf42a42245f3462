/* The shell's children: jobs in the background, and waiting for one that runs in the foreground. */
#include "sim/machine/sh/sh.h"
#include <errno.h>

#define JOB_BASH_REMEMBERED 32 /* statuses of jobs that have been waited for */

static void job_forget(struct sh *sh, struct sh_job *job) {
    struct sh_job **link = &sh->jobs;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    sim_drop(sh->p, job);
}

/* dash remembers one that was waited for until the next begins, bash some of them. */
static void job_forget_old(struct sh *sh) {
    int waited = 0;
    for (const struct sh_job *job = sh->jobs; job; job = job->next) waited += job->waited;
    for (struct sh_job *job = sh->jobs; job && waited > (sh->bash ? JOB_BASH_REMEMBERED : 0);) {
        struct sh_job *next = job->next;
        if (job->waited) {
            job_forget(sh, job);
            waited--;
        }
        job = next;
    }
}

void sim_sh_job_add(struct sh *sh, int32_t pid) {
    job_forget_old(sh);
    struct sh_job **tail = &sh->jobs, *job = sim_keep(sh->p, sizeof *job);
    *job = (struct sh_job){.pid = pid};
    while (*tail) tail = &(*tail)->next;
    *tail = job;
}

void sim_sh_jobs_clone(struct sh *to, const struct sh *from) {
    struct sh_job **tail = &to->jobs;
    for (const struct sh_job *job = from->jobs; job; job = job->next) {
        if (job->waited) continue;
        *tail = sim_keep(to->p, sizeof **tail);
        **tail = (struct sh_job){.pid = job->pid, .done = job->done, .status = job->status, .foreign = 1};
        tail = &(*tail)->next;
    }
}

static struct sh_job *job_find(const struct sh *sh, int32_t pid) {
    struct sh_job *job = sh->jobs;
    while (job && job->pid != pid) job = job->next;
    return job;
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
    if (!job || job->foreign) {
        if (sh->bash) sim_sh_warn(sh, "wait: pid %d is not a child of this shell", pid);
        return 127;
    }
    while (!job->done) {
        int e = job_wait_any(sh);
        if (e == -ECHILD) return 127;
        if (e == -EINTR && interruptible) return job_interrupted(sh);
    }
    job->waited = 1;
    return job->status;
}

int sim_sh_job_wait_all(struct sh *sh) {
    for (;;) {
        struct sh_job *job = sh->jobs;
        while (job && (job->waited || job->foreign)) job = job->next;
        if (!job || sh->p->pending) break;
        int status = sim_sh_job_wait(sh, job->pid, 1);
        if (sh->p->pending && status > 128) return status;
        if (!job->done) break;
    }
    for (struct sh_job *job = sh->jobs, *next; job; job = next) {
        next = job->next;
        if (job->waited) job_forget(sh, job);
    }
    return 0;
}
