/* How a sandbox changes on the world's clock: its steps, states an effect holds it in, and its intervals. */
#include "sim/daytona/cloud.h"
#include "sim/daytona/session.h"

#include <stdint.h>
#include <string.h>

#define MINUTE_MS INT64_C(60000)

static void clock_next(struct sim_day_sandbox *sb);

static void clock_set(struct sim_day_sandbox *sb, struct sim_timer *timer, int64_t when_ns, void (*fire)(void *arg)) {
    if (sim_timer_set(sim_world(sb->day->sim), timer, when_ns, fire, sb)) {
        sb->pending = 0;
        sb->error_reason = "No memory for the simulation's timer";
        sim_day_sandbox_become(sb, DAY_ERROR, "no memory");
    }
}

/* The journal has what a caller would be shown. */
static void clock_tell(struct sim_day_sandbox *sb, const char *why) {
    const enum sim_day_state shown = sim_day_sandbox_shown(sb);
    if (shown == sb->told) return;
    sim_journal_state(sim_journal(sb->day->sim), "daytona", sb->id, sim_day_state_name(sb->told),
                      sim_day_state_name(shown), why);
    sb->told = shown;
}

static void clock_boot(struct sim_day_sandbox *sb) {
    if (!sb->day->shelf) sb->day->shelf = sim_shelf_new();
    const struct sim_machine_options opt = {.hostname = sb->id,
                                            .user = sb->user,
                                            .home = "/home/daytona",
                                            .uid = 1000,
                                            .disk_bytes = sb->disk * INT64_C(1073741824),
                                            .shelf = sb->day->shelf,
                                            .no_network = sb->block_all};
    if (!sb->machine) sb->machine = sim_machine_new(sb->day->sim, &opt);
    if (sb->dead_boot_ns) {
        sb->dead_until_ns = sb->dead_boot_ns == SIM_NEVER ? SIM_NEVER : sim_day_now(sb->day) + sb->dead_boot_ns;
        sb->dead_boot_ns = 0;
    }
    if (!sb->machine) {
        sb->stored = DAY_ERROR;
        sb->error_reason = "No memory for the simulation's machine";
    }
}

void sim_day_sandbox_become(struct sim_day_sandbox *sb, enum sim_day_state state, const char *why) {
    const int ran = sim_day_state_running(sb->stored);
    sb->stored = state;
    sb->updated_ms = sim_day_wall_ms(sb->day);
    if (state == DAY_STOPPED) sb->stopped_ms = sb->updated_ms;
    if (ran && !sim_day_state_running(state) && sb->machine) {
        sim_machine_halt(sb->machine);
        sim_day_sessions_lose(sb);
    }
    if (!ran && sim_day_state_running(state)) {
        clock_boot(sb);
        sb->activity_ms = sb->updated_ms;
    }
    clock_tell(sb, why);
    if (state == DAY_DESTROYED) {
        if (!sb->ended_why) sb->ended_why = why;
        sim_day_sandbox_end(sb);
        return;
    }
    sim_day_sandbox_note_version(sb);
    sim_ledger_price(sim_ledger(sb->day->sim), sb->id, sim_day_account_price(sb->account, sb));
    sim_day_sandbox_sweep_later(sb);
    sim_wake_all(sim_world(sb->day->sim), &sb->changed);
}

static void clock_fail(struct sim_day_sandbox *sb) {
    sb->plan_at = sb->plan.count;
    sb->pending = 0;
    sb->fails = sb->fail_early = 0;
    sb->error_reason = sb->fail_reason;
    sb->recoverable = sb->day->config.backups && strncmp(sb->fail_reason, "Timeout", 7) == 0;
    sim_day_sandbox_become(sb, sb->fail_to, "failed");
}

static void clock_step(void *arg) {
    struct sim_day_sandbox *sb = arg;
    const enum sim_day_state to = sb->plan.step[sb->plan_at].to;
    if (sb->fails && (to == DAY_STARTED || (sb->fail_early && sb->plan_at > 0))) {
        clock_fail(sb);
        return;
    }
    sb->plan_at++;
    if (sb->plan_at == sb->plan.count) sb->pending = 0;
    sim_day_sandbox_become(sb, to, sb->ended_why ? sb->ended_why : "clock");
    if (!sb->gone) clock_next(sb);
}

/* The server gives a state only so long: what takes longer ends in `error`. */
static void clock_next(struct sim_day_sandbox *sb) {
    const char *reason = NULL;
    if (sb->plan_at >= sb->plan.count) return;
    int64_t wait_ns = sim_day_pace_ns(sb->day, sb->plan.step[sb->plan_at].pace);
    const int64_t limit_ns = sim_day_state_limit_ms(sb->stored, &reason) * SIM_MS;
    if (limit_ns && wait_ns > limit_ns) {
        wait_ns = limit_ns;
        sb->fails = sb->fail_early = 1;
        sb->fail_to = DAY_ERROR;
        sb->fail_reason = reason;
    }
    clock_set(sb, &sb->step_timer, sim_day_now(sb->day) + wait_ns, clock_step);
}

void sim_day_sandbox_go(struct sim_day_sandbox *sb, enum sim_day_verb verb, const char *why, int64_t request) {
    struct sim_world *world = sim_world(sb->day->sim);
    sim_timer_clear(world, &sb->step_timer);
    sim_timer_clear(world, &sb->hold_timer);
    sb->held = 0;
    sb->plan = sim_day_states_plan(verb, sb->stored, sb->auto_delete == 0);
    sb->plan_at = 0;
    sb->want = sb->plan.want;
    sb->pending = 1;
    sb->updated_ms = sim_day_wall_ms(sb->day);
    if (verb == DAY_START || verb == DAY_RECOVER) {
        sb->activity_ms = sb->updated_ms;
        sb->error_reason = NULL;
        sb->recoverable = 0;
    }
    if (verb == DAY_DELETE && !sb->day->config.name_until_gone) sim_day_sandbox_free_name(sb);
    if (sb->want == DAY_WANT_DESTROYED) {
        sb->ended_why = why;
        sb->ended_by = request;
    }
    clock_tell(sb, why);
    if (sb->plan.step[0].pace == DAY_PACE_NOW) {
        clock_step(sb);
        return;
    }
    sim_day_sandbox_note_version(sb);
    clock_next(sb);
}

/* Nothing of a sandbox exists on a runner before it is created there, so nothing is in the way of a delete. */
static int clock_hold_blocks(enum sim_day_state state) {
    return sim_day_state_moving(state) && state != DAY_CREATING && state != DAY_UNKNOWN &&
           state != DAY_PULLING_SNAPSHOT && state != DAY_PENDING_BUILD && state != DAY_BUILDING_SNAPSHOT;
}

static void clock_release(void *arg) {
    struct sim_day_sandbox *sb = arg;
    sb->held = 0;
    sb->want = sb->held_want;
    sb->pending = sb->held_pending;
    sim_day_sandbox_become(sb, sb->held_was, "released");
    if (!sb->gone) clock_next(sb);
}

void sim_day_sandbox_hold(struct sim_day_sandbox *sb, enum sim_day_state state, int64_t for_ns) {
    struct sim_world *world = sim_world(sb->day->sim);
    sim_timer_clear(world, &sb->step_timer);
    sim_timer_clear(world, &sb->hold_timer);
    if (!sb->held) {
        sb->held_was = sb->stored;
        sb->held_want = sb->want;
        sb->held_pending = sb->pending;
    }
    sb->held = 1;
    sb->pending = clock_hold_blocks(state);
    if (state == DAY_STARTED) sb->want = DAY_WANT_STARTED;
    if (state == DAY_STOPPED) sb->want = DAY_WANT_STOPPED;
    if (state == DAY_DESTROYED) sb->ended_why = "lost";
    sim_day_sandbox_become(sb, state, "effect");
    if (for_ns && !sb->gone) clock_set(sb, &sb->hold_timer, sim_day_now(sb->day) + for_ns, clock_release);
}

static void clock_found_stopped(void *arg) {
    struct sim_day_sandbox *sb = arg;
    sb->want = DAY_WANT_STOPPED;
    sb->pending = 0;
    sb->dead_until_ns = 0; /* the next boot brings a daemon of its own */
    sim_day_sandbox_become(sb, DAY_STOPPED, "found stopped");
}

void sim_day_sandbox_stop_later(struct sim_day_sandbox *sb, int64_t when_ns) {
    clock_set(sb, &sb->hold_timer, when_ns, clock_found_stopped);
}

static void clock_consider(int64_t when_ms, enum sim_day_verb verb, const char *why, int64_t *due_ms,
                           enum sim_day_verb *do_verb, const char **do_why) {
    if (when_ms >= *due_ms) return;
    *due_ms = when_ms;
    *do_verb = verb;
    *do_why = why;
}

int64_t sim_day_sandbox_due_ms(const struct sim_day_sandbox *sb, enum sim_day_verb *verb, const char **why) {
    int64_t due_ms = INT64_MAX;
    if (sb->destroy_at_ms) clock_consider(sb->destroy_at_ms, DAY_DELETE, "ttl", &due_ms, verb, why);
    if (sb->pending || sb->held) return due_ms;
    if (sb->stored == DAY_STARTED && sb->auto_stop > 0)
        clock_consider(sb->activity_ms + sb->auto_stop * MINUTE_MS, DAY_STOP, "auto-stop", &due_ms, verb, why);
    if (sb->stored == DAY_STOPPED && sb->auto_delete >= 0)
        clock_consider(sb->stopped_ms + sb->auto_delete * MINUTE_MS, DAY_DELETE, "auto-delete", &due_ms, verb, why);
    if (sb->stored == DAY_STOPPED)
        clock_consider(sb->stopped_ms + sb->auto_archive * MINUTE_MS, DAY_ARCHIVE, "auto-archive", &due_ms, verb, why);
    return due_ms;
}

static void clock_sweep(void *arg) {
    struct sim_day_sandbox *sb = arg;
    enum sim_day_verb verb = DAY_DELETE;
    const char *why = NULL;
    if (sim_day_sandbox_due_ms(sb, &verb, &why) <= sim_day_wall_ms(sb->day)) sim_day_sandbox_go(sb, verb, why, 0);
    if (!sb->gone) sim_day_sandbox_sweep_later(sb);
}

/* The server looks every sweep_ms, so what is due waits for the next look. */
void sim_day_sandbox_sweep_later(struct sim_day_sandbox *sb) {
    struct sim_world *world = sim_world(sb->day->sim);
    const int64_t sweep_ms = sb->day->config.sweep_ms;
    enum sim_day_verb verb = DAY_DELETE;
    const char *why = NULL;
    const int64_t due_ms = sim_day_sandbox_due_ms(sb, &verb, &why);
    if (due_ms == INT64_MAX || (verb == DAY_DELETE && sb->want == DAY_WANT_DESTROYED)) {
        sim_timer_clear(world, &sb->sweep_timer);
        return;
    }
    int64_t look_ms = (due_ms - SIM_EPOCH_MS + sweep_ms - 1) / sweep_ms * sweep_ms;
    if (look_ms * SIM_MS <= sim_day_now(sb->day)) look_ms = (sim_day_now(sb->day) / SIM_MS / sweep_ms + 1) * sweep_ms;
    clock_set(sb, &sb->sweep_timer, look_ms * SIM_MS, clock_sweep);
}

void sim_day_sandbox_settle(struct sim_day_sandbox *sb, int64_t deadline_ns) {
    struct sim_world *world = sim_world(sb->day->sim);
    while (!sb->gone && sim_day_state_moving(sim_day_sandbox_shown(sb)) && sim_now(world) < deadline_ns)
        if (sim_wait(world, &sb->changed, deadline_ns) != SIM_WOKEN) return;
}

void sim_day_sandbox_touch(struct sim_day_sandbox *sb) {
    sb->activity_ms = sim_day_wall_ms(sb->day);
}
