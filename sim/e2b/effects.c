/* Fault effects of this cloud's own: a table of kinds, the operations they are for, and what each does. Row V2. */
#include "sim/e2b/cloud.h"
#include "sim/e2b/process.h"

#include <string.h>

/** What an effect has to work on: the exchange and the sandbox may each be missing. */
struct effect_scene {
    struct sim_e2b *e2b;
    struct sim_e2b_call *call;
    struct sim_e2b_sandbox *sb;
    const struct sbx_fault_effect *is;
};

static int64_t effect_ns(const struct sbx_fault_effect *is) {
    return is->delay_ms > 0 ? is->delay_ms * SIM_MS : 0;
}

static int effect_state(const struct effect_scene *s) {
    enum sim_e2b_state state = E2B_PAUSING;
    if (!s->is->state || !sim_e2b_state_parse(s->is->state, &state) || state == E2B_GONE) return 0;
    if (s->sb) {
        sim_e2b_sandbox_hold(s->sb, state, effect_ns(s->is));
        return 1;
    }
    if (!s->call) return 0;
    s->call->twist.holds = 1;
    s->call->twist.hold_state = state;
    s->call->twist.hold_ns = effect_ns(s->is);
    return 1;
}

static int effect_lost(const struct effect_scene *s) {
    if (s->sb) sim_e2b_sandbox_end(s->sb, "lost");
    return s->sb != NULL;
}

/* As if its lifetime were over then. */
static int effect_expire(const struct effect_scene *s) {
    if (s->sb && s->sb->state == E2B_RUNNING) {
        sim_e2b_sandbox_set_end(s->sb, sim_e2b_now(s->e2b) + effect_ns(s->is));
        return 1;
    }
    if (!s->call) return 0;
    s->call->twist.expires = 1;
    s->call->twist.expire_ns = effect_ns(s->is);
    return 1;
}

/* Dead without a word: no end event now or later, and the process list does not have it. */
static void effect_lose(struct sim_e2b_process *p) {
    (void)sim_e2b_process_hold(p);
    if (p->run) sim_run_signal(p->run, 9);
    sim_e2b_process_lose(p);
    sim_e2b_process_release(p);
}

static int effect_lost_process(const struct effect_scene *s) {
    if (!s->sb || !s->sb->machine) return 0;
    while (s->sb->processes) effect_lose(s->sb->processes);
    return 1;
}

/* The number goes to somebody who has nothing to do with it. */
static int effect_pid_reuse(const struct effect_scene *s) {
    static const char *const argv[] = {"sleep", "86400", NULL};
    struct sim_e2b_process *newest = s->sb ? sim_e2b_process_hold_newest(s->sb) : NULL;
    if (!newest) return 0;
    if (sim_machine_is_real(s->sb->machine)) {
        sim_e2b_process_release(newest);
        return 0;
    }
    const int32_t pid = newest->pid;
    effect_lose(newest);
    sim_e2b_process_release(newest);
    const int32_t next = sim_machine_next_pid(s->sb->machine, pid);
    const struct sim_e2b_start start = {
        .argv = argv, .config = "{\"cmd\":\"sleep\",\"args\":[\"86400\"]}", .timeout_ms = -1};
    sim_errno why = 0;
    struct sim_e2b_process *made = sim_e2b_process_new(s->sb, &start, &why);
    (void)sim_machine_next_pid(s->sb->machine, next);
    sim_e2b_process_release(made);
    return made != NULL;
}

static int effect_rotate_token(const struct effect_scene *s) {
    if (s->sb) sim_e2b_sandbox_new_token(s->sb);
    return s->sb != NULL;
}

static int effect_stale_disk(const struct effect_scene *s) {
    return s->sb && sim_e2b_sandbox_roll_back(s->sb);
}

/* What follows concerns one exchange only. */
#define EFFECT_TWIST(kind, member)                                                                                     \
    static int effect_##kind(const struct effect_scene *s) {                                                           \
        if (s->call) s->call->twist.member = 1;                                                                        \
        return s->call != NULL;                                                                                        \
    }
EFFECT_TWIST(no_delete, no_delete)
EFFECT_TWIST(concurrency, no_slots)
EFFECT_TWIST(list_all, list_all)
EFFECT_TWIST(list_duplicate, list_duplicate)
EFFECT_TWIST(list_missing, list_missing)
EFFECT_TWIST(list_empty_page, list_empty_page)
EFFECT_TWIST(list_loop, list_loop)
EFFECT_TWIST(list_empty, list_empty)
EFFECT_TWIST(no_end, no_end)
EFFECT_TWIST(no_eos, no_eos)
EFFECT_TWIST(end_early, end_early)
#undef EFFECT_TWIST

static int effect_redirect(const struct effect_scene *s) {
    if (s->call) s->call->twist.redirect = s->is->value ? s->is->value : "https://elsewhere.invalid/";
    return s->call != NULL;
}

static int effect_split(const struct effect_scene *s) {
    if (s->call) s->call->twist.piece_bytes = s->is->at_bytes > 0 ? s->is->at_bytes : 1;
    return s->call != NULL;
}

/* `ops` is an operation, or the beginning of several when it ends with a dot. A list of sandboxes has none to work on.
 */
static const struct {
    const char *kind;
    const char *ops;
    int (*apply)(const struct effect_scene *scene);
} effects[] = {
    {"state", "e2b.", effect_state},
    {"lost", "e2b.", effect_lost},
    {"expire", "e2b.", effect_expire},
    {"lost_process", "e2b.", effect_lost_process},
    {"pid_reuse", "e2b.", effect_pid_reuse},
    {"rotate_token", "e2b.", effect_rotate_token},
    {"stale_disk", "e2b.sandbox.connect", effect_stale_disk},
    {"stale_disk", "e2b.sandbox.resume", effect_stale_disk},
    {"no_delete", "e2b.sandbox.kill", effect_no_delete},
    {"concurrency", "e2b.sandbox.create", effect_concurrency},
    {"concurrency", "e2b.sandbox.connect", effect_concurrency},
    {"concurrency", "e2b.sandbox.resume", effect_concurrency},
    {"redirect", "e2b.sandbox.create", effect_redirect},
    {"list_all", "e2b.sandbox.list", effect_list_all},
    {"list_duplicate", "e2b.sandbox.list", effect_list_duplicate},
    {"list_missing", "e2b.sandbox.list", effect_list_missing},
    {"list_empty_page", "e2b.sandbox.list", effect_list_empty_page},
    {"list_loop", "e2b.sandbox.list", effect_list_loop},
    {"list_empty", "e2b.process.list", effect_list_empty},
    {"no_end", "e2b.process.start", effect_no_end},
    {"no_end", "e2b.process.connect", effect_no_end},
    {"no_eos", "e2b.process.start", effect_no_eos},
    {"no_eos", "e2b.process.connect", effect_no_eos},
    {"end_early", "e2b.process.start", effect_end_early},
    {"end_early", "e2b.process.connect", effect_end_early},
    {"split", "e2b.process.start", effect_split},
    {"split", "e2b.process.connect", effect_split},
    {"split", "e2b.filesystem.watch_dir", effect_split},
};

static int effect_is_for(size_t i, const char *op) {
    const size_t len = strlen(effects[i].ops);
    if (effects[i].ops[len - 1] != '.') return strcmp(effects[i].ops, op) == 0;
    return strncmp(effects[i].ops, op, len) == 0 && strcmp(op, "e2b.sandbox.list") != 0 &&
           strcmp(op, "e2b.health") != 0 && strncmp(op, "e2b.template.", 13) != 0;
}

int sim_e2b_knows_effect(struct sim_cloud *cloud, const char *op, const char *kind) {
    (void)cloud;
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        if (strcmp(effects[i].kind, kind) == 0 && effect_is_for(i, op)) return 1;
    return 0;
}

int sim_e2b_effect(struct sim_cloud *cloud, const char *subject, const struct sim_effect *effect) {
    struct sim_e2b *e2b = (struct sim_e2b *)cloud;
    const struct effect_scene scene = {e2b, e2b->faulting, subject ? sim_e2b_sandbox_find(e2b, subject) : NULL,
                                       &effect->is};
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        if (strcmp(effects[i].kind, effect->is.kind) == 0) return effects[i].apply(&scene);
    return 0;
}
