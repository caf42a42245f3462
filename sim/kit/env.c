/* The in-process env: clocks, sleep, chance, locks that are counted, events. */
#include "sim/kit/env.h"

#include <stdio.h>
#include <stdlib.h>

struct sbx_lock {
    int held;
};

static struct sim_env *env_of(struct sbx_env *env) {
    return (struct sim_env *)(void *)env;
}

static struct sim_world *world_of(struct sbx_env *env) {
    return sim_world(env_of(env)->sim);
}

static int64_t ns_of(int64_t ms) {
    return ms >= SIM_NEVER / SIM_MS ? SIM_NEVER : ms <= 0 ? 0 : ms * SIM_MS;
}

void sim_env_may_wait(const struct sim_env *env, const char *where) {
    (void)where; /* for whoever looks at the core */
    if (env->locks_held) abort();
}

static int64_t env_now_ms(struct sbx_env *env) {
    int64_t now_ms = sim_now(world_of(env)) / SIM_MS;
    return now_ms > env_of(env)->ended_ms ? now_ms : env_of(env)->ended_ms;
}
static int64_t env_wall_ms(struct sbx_env *env) {
    return sim_wall_ms(world_of(env));
}

static enum sbx_status env_random(struct sbx_env *env, void *buf, size_t len) {
    sim_draw_bytes(world_of(env), "client", buf, len);
    return SBX_OK;
}

/* ---- locks ---- */

static struct sbx_lock *env_lock_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_lock));
}

static void env_lock(struct sbx_env *env, struct sbx_lock *lock) {
    if (lock->held) abort(); /* not recursive; and nobody can wait for it, since whoever holds it may not wait */
    lock->held = 1;
    env_of(env)->locks_held++;
}

static void env_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    if (!lock->held) abort();
    lock->held = 0;
    env_of(env)->locks_held--;
}

static void env_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    free(lock);
}

/* ---- events ---- */

void sim_event_listen(struct sbx_event *event, struct event_listener *listener, struct sim_waitq *queue) {
    if (!event) return;
    listener->queue = queue;
    listener->next = event->listeners;
    event->listeners = listener;
}

void sim_event_unlisten(struct sbx_event *event, struct event_listener *listener) {
    struct event_listener **at = event ? &event->listeners : NULL;
    while (at && *at && *at != listener) at = &(*at)->next;
    if (at && *at) *at = listener->next;
}

static struct sbx_event *env_event_new(struct sbx_env *env) {
    (void)env;
    return calloc(1, sizeof(struct sbx_event));
}

static void env_event_set(struct sbx_env *env, struct sbx_event *event) {
    event->set = 1;
    for (struct event_listener *at = event->listeners; at; at = at->next) sim_wake_all(world_of(env), at->queue);
}

static enum sbx_status event_outcome(const struct sbx_event *event, const struct sbx_event *cancel, int64_t now_ns,
                                     int64_t deadline_ns, int *known) {
    *known = 1;
    if (event && event->set) return SBX_OK;
    if (cancel && cancel->set) return SBX_CANCELLED;
    if (now_ns >= deadline_ns) return SBX_DEADLINE;
    *known = 0;
    return SBX_OK;
}

/* The clock of a world that ends stands still, but a caller who loops until a deadline must get there. */
static int64_t ended_by(int64_t now_ms, int64_t deadline_ms) {
    int64_t later = now_ms + 1000;
    return deadline_ms > later && deadline_ms != SBX_NO_DEADLINE ? deadline_ms : later;
}

static enum sbx_status env_event_wait(struct sbx_env *env, struct sbx_event *event, int64_t deadline_ms,
                                      struct sbx_event *cancel) {
    struct sim_world *w = world_of(env);
    struct sim_waitq queue = {0};
    struct event_listener listeners[2] = {0};
    int64_t deadline_ns = ns_of(deadline_ms);
    int known = 0;
    sim_env_may_wait(env_of(env), "event_wait");
    sim_event_listen(event, &listeners[0], &queue);
    sim_event_listen(cancel, &listeners[1], &queue);
    enum sbx_status st = event_outcome(event, cancel, sim_now(w), deadline_ns, &known);
    while (!known) {
        enum sim_woken how = sim_wait(w, &queue, deadline_ns);
        st = event_outcome(event, cancel, sim_now(w), deadline_ns, &known);
        if (known || how == SIM_WOKEN) continue;
        st = how == SIM_ENDING ? SBX_CANCELLED : SBX_DEADLINE;
        if (how == SIM_ENDING) env_of(env)->ended_ms = ended_by(env_now_ms(env), deadline_ms);
        known = 1;
    }
    sim_event_unlisten(event, &listeners[0]);
    sim_event_unlisten(cancel, &listeners[1]);
    return st;
}

static void env_event_free(struct sbx_env *env, struct sbx_event *event) {
    (void)env;
    free(event);
}

static enum sbx_status env_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    enum sbx_status st = env_event_wait(env, NULL, when_ms, cancel);
    return st == SBX_DEADLINE ? SBX_OK : st;
}

/* ---- tasks side by side ---- */

struct crowd {
    struct sim_world *w;
    const struct sbx_task *tasks;
    size_t n;
    size_t next;
    size_t running;
    struct sim_waitq done;
};

static void crowd_work(struct crowd *crowd) {
    while (crowd->next < crowd->n) {
        const struct sbx_task *task = &crowd->tasks[crowd->next++];
        task->run(task->arg);
    }
}

static void crowd_member(void *arg) {
    struct crowd *crowd = arg;
    crowd_work(crowd);
    crowd->running--;
    sim_wake_all(crowd->w, &crowd->done);
}

static void env_run_all(struct sbx_env *env, const struct sbx_task *tasks, size_t n, size_t width) {
    struct crowd crowd = {.w = world_of(env), .tasks = tasks, .n = n};
    sim_env_may_wait(env_of(env), "run_all");
    for (size_t i = 1; i < width && i < n; i++)
        if (sim_spawn(crowd.w, crowd_member, &crowd) == SBX_OK) crowd.running++;
    crowd_work(&crowd);
    while (crowd.running) {
        /* At the world's end the others are unwinding too: let them, since they use what stands on this stack. */
        if (sim_wait(crowd.w, &crowd.done, SIM_NEVER) == SIM_ENDING) sim_pause_ending(crowd.w);
    }
}

static void env_note(struct sbx_env *env, const char *text) {
    sim_journal_note(sim_journal(env_of(env)->sim), text);
}

static void env_free(struct sbx_env *env) {
    (void)env; /* the sim's: sbx_sim_free() */
}

struct sbx_env *sim_env_new(struct sim *sim) {
    struct sim_env *env = calloc(1, sizeof(*env));
    if (!env) return NULL;
    env->sim = sim;
    env->env = (struct sbx_env){.size = sizeof(env->env),
                                .exchange = sim_exchange_in_process,
                                .run_all = env_run_all,
                                .now_ms = env_now_ms,
                                .wall_ms = env_wall_ms,
                                .sleep_until = env_sleep_until,
                                .random = env_random,
                                .lock_new = env_lock_new,
                                .lock = env_lock,
                                .unlock = env_unlock,
                                .lock_free = env_lock_free,
                                .event_new = env_event_new,
                                .event_set = env_event_set,
                                .event_wait = env_event_wait,
                                .event_free = env_event_free,
                                .note = env_note,
                                .free = env_free};
    return &env->env;
}

void sim_env_free(struct sbx_env *env) {
    free(env);
}
