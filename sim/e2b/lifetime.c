/* How a sandbox changes on the world's clock: its start, its end or pause at endAt, pauses and resumes. Row V1. */
#include "sim/e2b/cloud.h"
#include "sim/e2b/process.h"
#include "sim/e2b/watch.h"

#define LIFETIME_DISK INT64_C(1073741824)

static void lifetime_due(void *arg);

static void lifetime_become(struct sim_e2b_sandbox *sb, enum sim_e2b_state state, const char *why) {
    if (sb->state == state) return;
    sim_journal_state(sim_journal(sb->e2b->sim), "e2b", sb->id, sim_e2b_state_name(sb->state),
                      sim_e2b_state_name(state), why);
    sb->state = state;
    sim_wake_all(sim_world(sb->e2b->sim), &sb->changed);
}

/* Without memory for a timer there is no sandbox either. */
static void lifetime_timer(struct sim_e2b_sandbox *sb, struct sim_timer *timer, int64_t when_ns,
                           void (*fire)(void *arg)) {
    if (sim_timer_set(sim_world(sb->e2b->sim), timer, when_ns, fire, sb)) sim_e2b_sandbox_end(sb, "no memory");
}

static void lifetime_step(struct sim_e2b_sandbox *sb, int64_t ms, void (*fire)(void *arg)) {
    lifetime_timer(sb, &sb->step, sim_e2b_now(sb->e2b) + sim_e2b_pace_ns(sb->e2b, ms), fire);
}

static void lifetime_price(struct sim_e2b_sandbox *sb, int64_t price) {
    sim_ledger_price(sim_ledger(sb->e2b->sim), sb->id, price);
}

/* ---- running ---- */

static void lifetime_run(struct sim_e2b_sandbox *sb, int64_t timeout_ns, const char *why) {
    sb->started_ns = sim_e2b_now(sb->e2b);
    lifetime_become(sb, E2B_RUNNING, why);
    sim_e2b_sandbox_set_end(sb, sb->started_ns + timeout_ns);
}

static void lifetime_booted(void *arg) {
    struct sim_e2b_sandbox *sb = arg;
    struct sim_e2b *e2b = sb->e2b;
    if (!e2b->shelf) e2b->shelf = sim_shelf_new();
    const struct sim_machine_options opt = {.hostname = "e2b.local",
                                            .user = "user",
                                            .home = "/home/user",
                                            .uid = 1000,
                                            .disk_bytes = LIFETIME_DISK,
                                            .shelf = e2b->shelf};
    sb->machine = sim_machine_new(e2b->sim, &opt);
    if (sb->machine)
        lifetime_run(sb, sb->timeout_ns, "create");
    else
        sim_e2b_sandbox_end(sb, "no memory");
}

void sim_e2b_sandbox_start(struct sim_e2b_sandbox *sb) {
    lifetime_step(sb, sb->e2b->config.boot_ms, lifetime_booted);
}

void sim_e2b_sandbox_set_end(struct sim_e2b_sandbox *sb, int64_t end_ns) {
    sb->end_ns = end_ns;
    lifetime_timer(sb, &sb->end, end_ns, lifetime_due);
}

int64_t sim_e2b_sandbox_end_max(const struct sim_e2b_sandbox *sb) {
    return sb->started_ns + sb->account->max_s * SIM_SEC;
}

static void lifetime_due(void *arg) {
    struct sim_e2b_sandbox *sb = arg;
    if (sb->auto_pause && sb->state == E2B_RUNNING)
        sim_e2b_sandbox_pause(sb, sb->auto_pause_memory, "timeout");
    else
        sim_e2b_sandbox_end(sb, "timeout");
}

/* ---- pauses ---- */

static void lifetime_paused(void *arg) {
    struct sim_e2b_sandbox *sb = arg;
    lifetime_become(sb, E2B_PAUSED, "pause");
}

void sim_e2b_sandbox_pause(struct sim_e2b_sandbox *sb, int memory, const char *why) {
    sim_timer_clear(sim_world(sb->e2b->sim), &sb->end);
    sb->paused_ns = sim_e2b_now(sb->e2b);
    sb->pause_memory = memory;
    lifetime_become(sb, E2B_PAUSING, why);
    sim_e2b_streams_cut(sb);
    lifetime_price(sb, sb->account->price_paused);
    lifetime_step(sb, sb->e2b->config.pause_ms, lifetime_paused);
    if (memory) {
        sim_machine_freeze(sb->machine);
        return;
    }
    sim_e2b_processes_lose(sb);
    (void)sim_e2b_sandbox_pin(sb);
    sim_machine_halt(sb->machine);
    sim_e2b_sandbox_unpin(sb);
}

static void lifetime_resumed(void *arg) {
    struct sim_e2b_sandbox *sb = arg;
    if (sb->pause_memory) sim_machine_thaw(sb->machine);
    lifetime_run(sb, sb->timeout_ns, "resume");
    sim_e2b_processes_awake(sb);
}

void sim_e2b_sandbox_resume(struct sim_e2b_sandbox *sb, int64_t timeout_ns) {
    sb->timeout_ns = timeout_ns;
    sim_e2b_sandbox_new_token(sb);
    lifetime_become(sb, E2B_RESUMING, "resume");
    lifetime_price(sb, sb->account->price_running);
    lifetime_step(sb, sb->e2b->config.resume_ms, lifetime_resumed);
}

/* ---- the end ---- */

void sim_e2b_sandbox_end(struct sim_e2b_sandbox *sb, const char *why) {
    struct sim *sim = sb->e2b->sim;
    if (sb->state == E2B_GONE) return;
    sim_timer_clear(sim_world(sim), &sb->step);
    sim_timer_clear(sim_world(sim), &sb->end);
    lifetime_become(sb, E2B_GONE, why);
    sim_ledger_close(sim_ledger(sim), sb->id, why, sb->ended_by);
    sim_e2b_streams_cut(sb);
    sim_e2b_processes_lose(sb);
    (void)sim_e2b_sandbox_pin(sb); /* halting waits, and a list may forget it meanwhile */
    if (sb->machine) sim_machine_wipe(sb->machine);
    sim_e2b_sandbox_unpin(sb);
}

static void lifetime_killed(void *arg) {
    struct sim_e2b_sandbox *sb = arg;
    sim_e2b_sandbox_end(sb, sb->ended_why);
}

void sim_e2b_sandbox_kill(struct sim_e2b_sandbox *sb, const char *why, int64_t request) {
    if (sb->state == E2B_KILLING || sb->state == E2B_GONE) return;
    sb->ended_by = request;
    sb->ended_why = why;
    sim_timer_clear(sim_world(sb->e2b->sim), &sb->end);
    lifetime_become(sb, E2B_KILLING, why);
    sim_e2b_streams_cut(sb);
    lifetime_step(sb, sb->e2b->config.kill_ms, lifetime_killed);
}

/* ---- effects, and waiting ---- */

/* What it was on the way to when it was held comes now, after the whole time that it takes. */
static void lifetime_go_on(struct sim_e2b_sandbox *sb) {
    const struct sim_e2b_config *config = &sb->e2b->config;
    if (sb->state == E2B_STARTING) lifetime_step(sb, config->boot_ms, lifetime_booted);
    if (sb->state == E2B_PAUSING) lifetime_step(sb, config->pause_ms, lifetime_paused);
    if (sb->state == E2B_RESUMING) lifetime_step(sb, config->resume_ms, lifetime_resumed);
    if (sb->state == E2B_KILLING) lifetime_step(sb, config->kill_ms, lifetime_killed);
}

static void lifetime_let_go(void *arg) {
    struct sim_e2b_sandbox *sb = arg;
    sb->held = 0;
    lifetime_become(sb, sb->held_was, "let go");
    lifetime_go_on(sb);
}

void sim_e2b_sandbox_hold(struct sim_e2b_sandbox *sb, enum sim_e2b_state state, int64_t for_ns) {
    if (sb->state == E2B_GONE) return;
    if (!sb->held) sb->held_was = sb->state;
    sb->held = 1;
    sim_timer_clear(sim_world(sb->e2b->sim), &sb->step);
    lifetime_become(sb, state, "effect");
    if (for_ns > 0) lifetime_timer(sb, &sb->step, sim_e2b_now(sb->e2b) + for_ns, lifetime_let_go);
}

static int lifetime_moves(enum sim_e2b_state state) {
    return state == E2B_STARTING || state == E2B_PAUSING || state == E2B_RESUMING || state == E2B_KILLING;
}

int sim_e2b_sandbox_settle(struct sim_e2b_sandbox *sb) {
    struct sim_world *world = sim_world(sb->e2b->sim);
    while (lifetime_moves(sb->state))
        if (sim_wait(world, &sb->changed, SIM_NEVER) == SIM_ENDING) return 0;
    return 1;
}
