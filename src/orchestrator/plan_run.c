/* Carrying out a plan: each process is a durable run of the sandbox, so whoever comes later, from whatever host, finds
 * it. Row R19. */
#include "src/orchestrator/manifest.h"

#include <stdio.h>
#include <string.h>

#define LOOK_MS     50
#define LOOK_MS_MAX 1000
#define TIMES_MAX   100000

/** One plan under way in one sandbox. */
struct carrying {
    const struct sbx_plan *plan;
    struct sbx_sandbox *sb;
    struct sbx_env *env;
    const struct sbx_call *call;
    struct sbx_error *err;
};

/** How the last run of a process stands. */
struct standing {
    int64_t times; /* 0 = it was never started */
    struct sbx_run_status run;
};

static void run_id(const struct plan_process *p, int64_t times, char out[SBX_RUN_ID_BYTES_MAX + 1]) {
    snprintf(out, SBX_RUN_ID_BYTES_MAX + 1, "sandport.process.%s.%lld", p->id, (long long)times);
}

static struct sbx_call call_within(const struct carrying *c, int64_t ms) {
    struct sbx_call call = *c->call;
    const int64_t due_ms = c->env->now_ms(c->env) + ms;
    if (!call.deadline_ms || due_ms < call.deadline_ms) call.deadline_ms = due_ms;
    return call;
}

static struct sbx_call call_of_verb(const struct carrying *c) {
    struct sbx_call call = *c->call;
    if (call.deadline_ms == SBX_NO_DEADLINE) call.deadline_ms = 0;
    return call;
}

static enum sbx_status of_process(const struct carrying *c, const struct plan_process *p, enum sbx_status st,
                                  const char *what) {
    (void)sbx_fail(c->err, st, (enum sbx_outcome)c->err->outcome, "%s: %s", p->id, what);
    return st;
}

/* The last run: the one whose next is not there. */
static enum sbx_status look(const struct carrying *c, const struct plan_process *p, struct standing *is) {
    const struct sbx_error before = *c->err;
    const struct sbx_call call = call_of_verb(c);
    memset(is, 0, sizeof(*is));
    for (int64_t times = 1; times < TIMES_MAX; times++) {
        struct sbx_run_status run = SBX_RUN_STATUS_INIT;
        char id[SBX_RUN_ID_BYTES_MAX + 1];
        run_id(p, times, id);
        enum sbx_status st = sbx_sandbox_poll(c->sb, id, &call, &run, c->err);
        if (st == SBX_RUN_NOT_FOUND) {
            *c->err = before;
            return SBX_OK;
        }
        if (st) return st;
        is->times = times;
        is->run = run;
    }
    return SBX_OK;
}

static enum sbx_status start(const struct carrying *c, const struct plan_process *p, int64_t times) {
    struct sbx_run_options opt = SBX_RUN_OPTIONS_INIT;
    const struct sbx_call call = call_of_verb(c);
    char id[SBX_RUN_ID_BYTES_MAX + 1];
    opt.cwd = p->cwd;
    opt.env = p->env;
    opt.env_count = p->env_count;
    opt.lifetime_ms = SBX_NO_LIFETIME;
    run_id(p, times, id);
    return sbx_sandbox_submit(c->sb, id, p->command, &opt, &call, NULL, c->err);
}

/* ---- pure ---- */

enum restart_verdict { RESTART_LEAVE, RESTART_AGAIN, RESTART_SPENT };

static int is_running(const struct standing *is) {
    return is->times && (is->run.state == SBX_RUN_RUNNING || is->run.state == SBX_RUN_UNDECIDED);
}

static int ended_well(const struct standing *is) {
    return is->run.state == SBX_RUN_EXITED && is->run.exit_code == 0;
}

/* One that was told to end has done so. */
static enum restart_verdict restart_verdict(const struct plan_process *p, const struct standing *is) {
    if (is_running(is) || is->run.kill_asked || p->restart == SBX_RESTART_NEVER) return RESTART_LEAVE;
    if (p->restart == SBX_RESTART_ON_FAILURE && ended_well(is)) return RESTART_LEAVE;
    return is->times <= p->restart_max ? RESTART_AGAIN : RESTART_SPENT; /* guard: restart_is_bounded */
}

/* ---- readiness ---- */

static enum sbx_status probe(const struct carrying *c, const struct plan_process *p, const struct sbx_call *call,
                             int *ready) {
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    opt.cwd = p->cwd;
    opt.env = p->env;
    opt.env_count = p->env_count;
    opt.lifetime_ms = p->ready_ms;
    enum sbx_status st = sbx_sandbox_exec(c->sb, p->probe, &opt, call, &result, c->err);
    *ready = !st && sbx_exec_result_exit_known(result) && sbx_exec_result_exit_code(result) == 0;
    sbx_exec_result_free(result);
    return st;
}

/* One look. */
static enum sbx_status ready_now(const struct carrying *c, const struct plan_process *p, const struct sbx_call *call,
                                 int *ready) {
    struct standing is;
    enum sbx_status st = look(c, p, &is);
    *ready = 0;
    if (st) return st;
    if (p->ready == SBX_READY_EXITED && ended_well(&is)) *ready = 1;
    if (*ready) return SBX_OK;
    if (!is_running(&is)) {
        if (restart_verdict(p, &is) == RESTART_AGAIN) return start(c, p, is.times + 1);
        return of_process(c, p, SBX_NOT_READY, "it has ended and is not ready");
    }
    return p->ready == SBX_READY_PROBE ? probe(c, p, call, ready) : SBX_OK;
}

static enum sbx_status await(const struct carrying *c, const struct plan_process *p) {
    const struct sbx_call call = call_within(c, p->ready_ms);
    struct sbx_backoff backoff;
    int ready = p->ready == SBX_READY_STARTED;
    sbx_backoff_init(&backoff, LOOK_MS, LOOK_MS_MAX);
    while (!ready) {
        enum sbx_status st = ready_now(c, p, &call, &ready);
        if (!st && !ready) st = sbx_backoff_sleep(&backoff, c->env, call.deadline_ms, sbx_cancel_event(call.cancel));
        if (st == SBX_DEADLINE) return of_process(c, p, st, "it is not ready in time");
        if (st) return st;
    }
    return SBX_OK;
}

static enum sbx_status start_once(const struct carrying *c, const struct plan_process *p) {
    struct standing is;
    enum sbx_status st = look(c, p, &is);
    if (st) return st;
    const int stays = is_running(&is) || (is.times && p->ready == SBX_READY_EXITED && ended_well(&is));
    return stays ? SBX_OK : start(c, p, is.times + 1); /* guard: running_is_not_started_again */
}

/* ---- stopping ---- */

static enum sbx_status flush(const struct carrying *c, const struct plan_process *p, int32_t force) {
    const struct sbx_call call = call_within(c, p->flush_ms);
    const struct sbx_error before = *c->err;
    struct sbx_exec_options opt = SBX_EXEC_OPTIONS_INIT;
    struct sbx_exec_result *result = NULL;
    struct standing is;
    enum sbx_status st = look(c, p, &is);
    if (!st && !is_running(&is)) return SBX_OK; /* there is nothing left to save */
    opt.cwd = p->cwd;
    opt.env = p->env;
    opt.env_count = p->env_count;
    opt.lifetime_ms = p->flush_ms;
    if (!st) st = sbx_sandbox_exec(c->sb, p->flush, &opt, &call, &result, c->err);
    if (!st && (!sbx_exec_result_exit_known(result) || sbx_exec_result_exit_code(result) != 0))
        st = of_process(c, p, SBX_CONFLICT, "its flush failed, so it is not stopped");
    sbx_exec_result_free(result);
    if (!st || force != SBX_YES) return st; /* guard: unflushed_is_not_stopped */
    *c->err = before;
    return SBX_OK;
}

static enum sbx_status stop(const struct carrying *c, const struct plan_process *p) {
    const struct sbx_call call = call_of_verb(c);
    struct standing is;
    char id[SBX_RUN_ID_BYTES_MAX + 1];
    enum sbx_status st = look(c, p, &is);
    if (st || !is_running(&is)) return st;
    run_id(p, is.times, id);
    return sbx_sandbox_kill_run(c->sb, id, &call, NULL, c->err);
}

/* ---- whole plans ---- */

static enum sbx_status carry_step(const struct carrying *c, const struct plan_step *step, int32_t force) {
    const struct plan_process *p = &c->plan->processes[step->process];
    switch ((enum sbx_plan_action)step->action) {
    case SBX_PLAN_START:
        return start_once(c, p);
    case SBX_PLAN_AWAIT:
        return await(c, p);
    case SBX_PLAN_FLUSH:
        return flush(c, p, force);
    case SBX_PLAN_STOP:
        break;
    }
    return stop(c, p);
}

static enum sbx_status keep_all(const struct carrying *c, size_t *restarted) {
    enum sbx_status st = SBX_OK;
    for (size_t i = 0; i < c->plan->count && !st; i++) {
        const struct plan_process *p = &c->plan->processes[i];
        struct standing is;
        st = look(c, p, &is);
        if (st || !is.times || restart_verdict(p, &is) != RESTART_AGAIN) continue;
        st = start(c, p, is.times + 1);
        if (!st) ++*restarted;
    }
    return st;
}

enum carrying_what { CARRY_START, CARRY_STOP, CARRY_KEEP };

static enum sbx_status carry(enum carrying_what what, const struct sbx_plan *plan, struct sbx_sandbox *sb,
                             int32_t force, const struct sbx_call *callers, size_t *restarted, struct sbx_error *to) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_call call = SBX_CALL_INIT;
    const struct carrying c = {plan, sb, sbx_sandbox_env(sb), &call, &err};
    enum sbx_status st = SBX_OK;
    if (to && to->size < sizeof(err)) return SBX_INVALID_ARGUMENT; /* it says no size for an answer */
    if (!plan || !sb || (callers && sbx_options_take(&call, sizeof(call), callers, sizeof(call)))) {
        st = SBX_INVALID_ARGUMENT;
        (void)sbx_fail(&err, st, SBX_OUTCOME_NOT_SENT, "plan, sb, call: expected each, with its size");
    } else if (what == CARRY_KEEP) {
        st = keep_all(&c, restarted);
    } else {
        const int teardown = what == CARRY_STOP;
        for (size_t i = 0; i < plan->step_count[teardown] && !st; i++)
            st = carry_step(&c, &plan->steps[teardown][i], force);
    }
    if (to && st) memcpy(to, &err, sizeof(err));
    if (to && !st) sbx_error_init(to, to->size);
    return st;
}

enum sbx_status sbx_plan_start(const struct sbx_plan *plan, struct sbx_sandbox *sb, const struct sbx_call *call,
                               struct sbx_error *err) {
    return carry(CARRY_START, plan, sb, SBX_NO, call, NULL, err);
}

enum sbx_status sbx_plan_stop(const struct sbx_plan *plan, struct sbx_sandbox *sb, int32_t force,
                              const struct sbx_call *call, struct sbx_error *err) {
    return carry(CARRY_STOP, plan, sb, force, call, NULL, err);
}

enum sbx_status sbx_plan_keep(const struct sbx_plan *plan, struct sbx_sandbox *sb, const struct sbx_call *call,
                              size_t *restarted, struct sbx_error *err) {
    size_t count = 0;
    enum sbx_status st = carry(CARRY_KEEP, plan, sb, SBX_NO, call, &count, err);
    if (restarted) *restarted = count;
    return st;
}
