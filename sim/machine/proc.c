/* Processes: the table, birth, death, waiting. */
#include "sim/machine/proc.h"
#include "sim/machine/inside.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROC_STEPS_MAX    10000000 /* without waiting */
#define PROC_STEPS_A_GO   1024     /* then others may go */
#define PROC_STEPS_A_FORK 20
#define PROC_STEPS_A_TURN 65536 /* then time passes */
#define PROC_TURN_NS      (20 * SIM_MS)

static void proc_unref(struct sim_proc *p) {
    if (--p->refs > 0) return;
    sim_mem_finish(p);
    sim_fs_release(p->cwd);
    sim_fs_release(p->exe);
    free(p);
}

static void table_add(struct sim_proc *p) {
    struct sim_machine *m = p->m;
    if (m->procs_last)
        m->procs_last->next = p;
    else
        m->procs = p;
    m->procs_last = p;
    m->process_count++;
}

void sim_proc_reap(struct sim_proc *dead) {
    struct sim_machine *m = dead->m;
    if (dead->reaped) return;
    dead->reaped = 1;
    struct sim_proc **link = &m->procs, *before = NULL;
    while (*link != dead) {
        before = *link;
        link = &before->next;
    }
    *link = dead->next;
    if (m->procs_last == dead) m->procs_last = before;
    m->process_count--;
    if (dead->parent) {
        link = &dead->parent->children;
        while (*link != dead) link = &(*link)->next_sibling;
        *link = dead->next_sibling;
        dead->parent = NULL;
    }
    proc_unref(dead);
}

struct sim_proc *sim_proc_fork(struct sim_machine *m, struct sim_proc *parent, int *why) {
    *why = 0;
    m->forks++;
    if (m->process_count >= m->process_max || m->halted) {
        *why = -EAGAIN;
        return NULL;
    }
    struct sim_proc *p = calloc(1, sizeof *p);
    if (!p) {
        *why = -ENOMEM;
        return NULL;
    }
    p->m = m;
    p->pid = m->next_pid++;
    p->refs = 1;
    p->start_ns = sim_now(m->world);
    p->umask = 022;
    p->limits = (struct sim_limits){SIM_FD_MAX, SIM_FD_MAX, SIM_LIMIT_NONE, SIM_LIMIT_NONE, 0, SIM_LIMIT_NONE};
    if (!parent) {
        p->pgid = p->sid = p->pid;
        p->cwd = sim_fs_hold(m->home);
    } else {
        p->pgid = parent->pgid;
        p->sid = parent->sid;
        p->cwd = sim_fs_hold(parent->cwd);
        p->exe = parent->exe ? sim_fs_hold(parent->exe) : NULL;
        p->umask = parent->umask;
        p->limits = parent->limits;
        p->ignored = parent->ignored;
        memcpy(p->comm, parent->comm, sizeof p->comm);
        memcpy(p->fd_inherit, parent->fd_inherit, sizeof p->fd_inherit);
        for (int i = 0; i < SIM_FD_MAX; i++)
            if (parent->fds[i]) p->fds[i] = sim_open_hold(parent->fds[i]);
        p->parent = parent;
        p->next_sibling = parent->children;
        parent->children = p;
    }
    table_add(p);
    return p;
}

struct sim_proc *sim_proc_find(struct sim_machine *m, int32_t pid) {
    struct sim_proc *p = m->procs;
    while (p && p->pid != pid) p = p->next;
    return p;
}

/* Children of the dead belong to nobody; those that are dead too have been waited for, in effect. */
static void proc_orphan(struct sim_proc *p) {
    struct sim_proc *child = p->children;
    p->children = NULL;
    while (child) {
        struct sim_proc *next = child->next_sibling;
        child->parent = NULL;
        child->next_sibling = NULL;
        if (child->state == SIM_PROC_DEAD) sim_proc_reap(child);
        child = next;
    }
}

static void proc_die(struct sim_proc *p, int code, int signal) {
    if (p->state == SIM_PROC_DEAD) return;
    p->state = SIM_PROC_DEAD;
    p->code = code;
    p->signal = signal;
    p->refs++;
    for (int i = 0; i < SIM_FD_MAX; i++)
        if (p->fds[i]) sim_sys_close(p, i);
    proc_orphan(p);
    struct sim_run *run = p->run;
    p->run = NULL;
    if (run) sim_run_told(run, code, signal);
    if (p->parent) {
        sim_proc_signal(p->parent, SIM_SIGCHLD);
        sim_wake_all(p->m->world, &p->parent->child_end);
    }
    if (p->waiting) sim_wake_all(p->m->world, p->waiting);
    sim_wake_all(p->m->world, &p->child_end);
    if (!p->parent) sim_proc_reap(p);
    proc_unref(p);
}

void sim_proc_kill(struct sim_proc *p, int signal) {
    proc_die(p, 0, signal);
}

_Noreturn void sim_proc_exit(struct sim_proc *p, int code) {
    proc_die(p, code & 255, 0);
    longjmp(*p->unwind, 1);
}

_Noreturn void sim_proc_oom(struct sim_proc *p) {
    proc_die(p, 0, SIM_SIGKILL);
    longjmp(*p->unwind, 1);
}

void sim_proc_check(struct sim_proc *p) {
    while (p->state == SIM_PROC_STOPPED)
        if (sim_wait(p->m->world, &p->child_end, SIM_NEVER) == SIM_ENDING) proc_die(p, 0, SIM_SIGKILL);
    if (p->state == SIM_PROC_DEAD) longjmp(*p->unwind, 1);
}

void sim_proc_step(struct sim_proc *p) {
    sim_proc_steps(p, 1);
}

/* All that came to be since nobody has waited any more: what starts itself over and over has an end so. */
static void proc_end_storm(struct sim_machine *m) {
    for (struct sim_proc *p = m->procs; p;) {
        struct sim_proc *next = p->next;
        if (p->state != SIM_PROC_DEAD && p->start_ns >= m->steps_since_ns) {
            proc_die(p, 0, SIM_SIGXCPU);
            next = m->procs; /* the table may have changed: from the start */
        }
        p = next;
    }
}

static void proc_count_anew(struct sim_machine *m) {
    m->steps = 0;
    m->steps_at_ns = m->steps_since_ns = sim_now(m->world);
}

/* Who works without waiting takes time too, so that a timeout ends it and others get on. */
static void proc_takes_time(struct sim_proc *p) {
    struct sim_machine *m = p->m;
    int64_t steps = p->steps;
    sim_proc_wait(p, &p->child_end, sim_now(m->world) + PROC_TURN_NS);
    p->steps = steps;
    m->steps_at_ns = sim_now(m->world);
}

void sim_proc_steps(struct sim_proc *p, int64_t n) {
    struct sim_machine *m = p->m;
    int64_t before = m->steps;
    n += m->forks * PROC_STEPS_A_FORK;
    m->forks = 0;
    p->steps += n;
    m->steps += n;
    if (before / PROC_STEPS_A_GO != m->steps / PROC_STEPS_A_GO) {
        if (sim_now(m->world) != m->steps_at_ns) proc_count_anew(m);
        if (m->steps > PROC_STEPS_MAX || p->steps > PROC_STEPS_MAX) {
            sim_machine_unsupported(m, "%s takes more than %d steps without waiting", p->comm, PROC_STEPS_MAX);
            if (m->steps > PROC_STEPS_MAX) proc_end_storm(m);
            proc_die(p, 0, SIM_SIGXCPU);
            proc_count_anew(m);
        }
        if (before / PROC_STEPS_A_TURN != m->steps / PROC_STEPS_A_TURN && p->state == SIM_PROC_RUNNING)
            proc_takes_time(p);
        else
            sim_yield(m->world);
        if (sim_ending(m->world)) proc_die(p, 0, SIM_SIGKILL);
    }
    if (p->state != SIM_PROC_RUNNING) sim_proc_check(p);
}

int sim_proc_wait(struct sim_proc *p, struct sim_waitq *q, int64_t until_ns) {
    uint32_t before = p->pending;
    sim_proc_check(p);
    p->waiting = q;
    int64_t since = sim_now(p->m->world);
    enum sim_woken woken = sim_wait(p->m->world, q, until_ns);
    p->waiting = NULL;
    if (sim_now(p->m->world) != since) p->steps = 0;
    if (woken == SIM_ENDING) proc_die(p, 0, SIM_SIGKILL);
    sim_proc_check(p);
    if (p->pending & ~before) return -EINTR;
    return woken == SIM_TIMEOUT ? -ETIMEDOUT : 0;
}

int sim_sys_sleep(struct sim_proc *p, int64_t until_ns) {
    while (sim_now(p->m->world) < until_ns) {
        int e = sim_proc_wait(p, &p->child_end, until_ns);
        if (e == -EINTR) return e;
    }
    return 0;
}

struct sim_proc *sim_sys_wait(struct sim_proc *p, int32_t pid, int64_t until_ns, int *why) {
    for (;;) {
        int any = 0;
        struct sim_proc *oldest = NULL;
        for (struct sim_proc *child = p->children; child; child = child->next_sibling) {
            if (pid > 0 && child->pid != pid) continue;
            any = 1;
            if (child->state == SIM_PROC_DEAD) oldest = child;
        }
        *why = any ? 0 : -ECHILD;
        if (oldest || !any) return oldest;
        if (p->pending)
            *why = -EINTR;
        else
            *why = sim_proc_wait(p, &p->child_end, until_ns);
        if (*why) return NULL;
    }
}

int sim_proc_status(const struct sim_proc *dead) {
    return dead->signal ? 128 + dead->signal : dead->code;
}

int sim_sys_setsid(struct sim_proc *p) {
    if (p->pgid == p->pid) return -EPERM;
    p->pgid = p->sid = p->pid;
    return 0;
}

/* The stack of a process has been left for good. */
static void proc_unwound(struct sim_proc *p) {
    if (p->using) {
        sim_open_release(p->using);
        p->using = NULL;
    }
    sim_mem_finish(p);
    p->argv = p->env = NULL;
    p->out = NULL;
    proc_unref(p);
}

static void proc_enter(struct sim_proc *p, sim_main *run, void *arg) {
    jmp_buf unwind;
    p->unwind = &unwind;
    if (setjmp(unwind) == 0) {
        sim_proc_check(p);
        int code = run(p, arg);
        sim_out_flush(p);
        proc_die(p, code & 255, 0);
    }
    proc_die(p, 0, SIM_SIGKILL); /* where memory ran out for a child that was being made */
}

struct proc_birth {
    struct sim_proc *p;
    sim_main *run;
    void *arg;
};

static void proc_fiber(void *arg) {
    struct proc_birth birth = *(struct proc_birth *)arg;
    struct sim_machine *m = birth.p->m;
    free(arg);
    proc_enter(birth.p, birth.run, birth.arg);
    proc_unwound(birth.p);
    m->fibers--;
    sim_wake_all(m->world, &m->idle);
    sim_machine_release(m);
}

int sim_proc_start(struct sim_proc *child, sim_main *run, void *arg) {
    struct sim_machine *m = child->m;
    struct proc_birth *birth = malloc(sizeof *birth);
    if (birth) {
        *birth = (struct proc_birth){child, run, arg};
        if (sim_spawn(m->world, proc_fiber, birth) == SBX_OK) {
            child->refs++; /* the fiber's, from before it runs: its parent may reap it first */
            m->fibers++;
            sim_machine_hold(m);
            return 0;
        }
        free(birth);
    }
    child->refs++;
    proc_die(child, 0, SIM_SIGKILL);
    sim_proc_reap(child);
    proc_unwound(child);
    return -EAGAIN;
}

int sim_proc_call(struct sim_proc *parent, struct sim_proc *child, sim_main *run, void *arg) {
    child->depth = parent->depth + 2;
    child->refs++;
    proc_enter(child, run, arg);
    int status = sim_proc_status(child);
    assert(child->reaped || child->refs > 1); /* the table's, and ours until it has unwound */
    sim_proc_reap(child);
    proc_unwound(child);
    sim_proc_check(parent);
    return status;
}

/* A stack on top of a stack: both sides hold this, as either may be the last when the world ends. */
struct proc_deeper {
    int refs, done, unwound, result;
    struct sim_proc *p;
    sim_main *run;
    void *arg;
    struct sim_waitq q;
};

static void deeper_release(struct proc_deeper *d) {
    if (--d->refs == 0) free(d);
}

static void deeper_fiber(void *arg) {
    struct proc_deeper *d = arg;
    struct sim_proc *p = d->p;
    struct sim_machine *m = p->m;
    jmp_buf unwind;
    p->unwind = &unwind;
    if (setjmp(unwind) == 0) {
        sim_proc_check(p);
        d->result = d->run(p, d->arg);
    } else {
        d->unwound = 1;
    }
    d->done = 1;
    sim_wake_all(m->world, &d->q);
    deeper_release(d);
    proc_unref(p);
    m->fibers--;
    sim_wake_all(m->world, &m->idle);
    sim_machine_release(m);
}

int sim_proc_deeper(struct sim_proc *p, sim_main *run, void *arg) {
    jmp_buf *unwind = p->unwind;
    int depth = p->depth;
    struct proc_deeper *d = calloc(1, sizeof *d);
    if (!d) sim_proc_oom(p);
    *d = (struct proc_deeper){.refs = 2, .p = p, .run = run, .arg = arg};
    if (sim_spawn(p->m->world, deeper_fiber, d) != SBX_OK) {
        free(d);
        sim_proc_oom(p);
    }
    p->refs++;
    p->m->fibers++;
    sim_machine_hold(p->m);
    p->depth = 0;
    while (!d->done) {
        if (sim_wait(p->m->world, &d->q, SIM_NEVER) != SIM_ENDING) continue;
        proc_die(p, 0, SIM_SIGKILL);
        break;
    }
    int result = d->result, unwound = d->unwound || !d->done;
    deeper_release(d);
    p->depth = depth;
    p->unwind = unwind;
    if (unwound) longjmp(*unwind, 1);
    return result;
}
