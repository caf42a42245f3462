/* Fault effects of this cloud's own: a table of kinds, the operations they are for, and what each does. */
#include "sim/daytona/cloud.h"
#include "sim/daytona/session.h"

#include <sandport/kit/text.h>
#include <string.h>

/** What an effect has to work on: the exchange and the sandbox may each be missing. */
struct effect_scene {
    struct daytona *day;
    struct sim_day_call *call;
    struct sim_day_sandbox *sb;
    const struct sbx_fault_effect *is;
};

static int64_t effect_ns(const struct sbx_fault_effect *is) {
    return is->delay_ms > 0 ? is->delay_ms * SIM_MS : SIM_NEVER;
}

static int64_t effect_until(const struct effect_scene *s) {
    const int64_t for_ns = effect_ns(s->is);
    return for_ns == SIM_NEVER ? SIM_NEVER : sim_day_now(s->day) + for_ns;
}

static int effect_state(const struct effect_scene *s) {
    const int64_t for_ns = s->is->delay_ms > 0 ? s->is->delay_ms * SIM_MS : 0;
    enum sim_day_state state = DAY_ERROR;
    if (!s->is->state || !sim_day_state_parse(s->is->state, &state)) return 0;
    if (s->sb) {
        sim_day_sandbox_hold(s->sb, state, for_ns);
        return 1;
    }
    if (!s->call) return 0;
    s->call->twist.holds = 1;
    s->call->twist.hold_state = state;
    s->call->twist.hold_ns = for_ns;
    return 1;
}

/* A sandbox that runs loses its daemon now; another, or one that a create is about to make, at its next boot. */
static int effect_dead_toolbox(const struct effect_scene *s) {
    int coded = s->day->config.dialect == DAY_CODED;
    if (s->is->dialect) coded = strcmp(s->is->dialect, "coded") == 0;
    if (s->sb) {
        s->sb->dead_coded = coded;
        if (sim_day_sandbox_shown(s->sb) == DAY_STARTED)
            s->sb->dead_until_ns = effect_until(s);
        else
            s->sb->dead_boot_ns = effect_ns(s->is);
        return 1;
    }
    if (!s->call) return 0;
    s->call->twist.dead_coded = coded;
    s->call->twist.dead_ns = effect_ns(s->is);
    return 1;
}

/* Out of memory inside: the daemon dies at once, and only 150 s later the control plane finds the sandbox stopped. */
static int effect_oom(const struct effect_scene *s) {
    if (!s->sb || !s->sb->machine) return 0;
    sim_machine_halt(s->sb->machine);
    sim_day_sessions_lose(s->sb);
    s->sb->dead_until_ns = SIM_NEVER;
    s->sb->dead_coded = s->day->config.dialect == DAY_CODED;
    sim_day_sandbox_stop_later(s->sb,
                               sim_day_now(s->day) + (s->is->delay_ms > 0 ? s->is->delay_ms * SIM_MS : 150 * SIM_SEC));
    return 1;
}

static int effect_conflict(const struct effect_scene *s) {
    if (!s->sb) return 0;
    s->sb->conflict_until_ns = effect_until(s);
    s->sb->conflict_status = s->is->status ? s->is->status : 409;
    return 1;
}

static int effect_fail_boot(const struct effect_scene *s) {
    enum sim_day_state state = DAY_ERROR;
    if (s->is->state && !sim_day_state_parse(s->is->state, &state)) return 0;
    if (s->sb) {
        s->sb->fails = 1;
        s->sb->fail_to = state;
        s->sb->fail_early = state == DAY_BUILD_FAILED;
        s->sb->fail_reason = "the container exited while it was being started";
        return 1;
    }
    if (!s->call) return 0;
    s->call->twist.fails_boot = 1;
    s->call->twist.fail_boot = state;
    return 1;
}

static int effect_lost(const struct effect_scene *s) {
    if (!s->sb) return 0;
    s->sb->ended_why = "lost";
    sim_day_sandbox_become(s->sb, DAY_DESTROYED, "lost");
    return 1;
}

static int effect_lost_process(const struct effect_scene *s) {
    if (!s->sb || !s->sb->machine) return 0;
    sim_machine_halt(s->sb->machine);
    return 1;
}

/* What follows concerns one exchange only. */
static int effect_replay(const struct effect_scene *s) {
    if (s->call) s->call->twist.replay = 1;
    return s->call != NULL;
}

static int effect_snapshot_inactive(const struct effect_scene *s) {
    if (s->call) s->call->twist.snapshot_inactive = 1;
    return s->call != NULL;
}

static int effect_no_runners(const struct effect_scene *s) {
    if (s->call) s->call->twist.no_runners = 1;
    return s->call != NULL;
}

static int effect_list_lag(const struct effect_scene *s) {
    if (!s->call) return 0;
    s->call->twist.list_lags = 1;
    s->call->twist.list_lag_ns = s->is->delay_ms * SIM_MS;
    return 1;
}

static int effect_list_duplicate(const struct effect_scene *s) {
    if (s->call) s->call->twist.list_duplicate = 1;
    return s->call != NULL;
}

static int effect_list_missing(const struct effect_scene *s) {
    if (s->call) s->call->twist.list_missing = 1;
    return s->call != NULL;
}

static int effect_list_empty_page(const struct effect_scene *s) {
    if (s->call) s->call->twist.list_empty_page = 1;
    return s->call != NULL;
}

static int effect_list_loop(const struct effect_scene *s) {
    if (s->call) s->call->twist.list_loop = 1;
    return s->call != NULL;
}

static int effect_list_shape(const struct effect_scene *s) {
    if (!s->call || !s->is->value || !sim_day_list_shape_parse(s->is->value, &s->call->twist.list_shape)) return 0;
    s->call->twist.list_shaped = 1;
    return 1;
}

static int effect_exit_code_lost(const struct effect_scene *s) {
    if (s->call) s->call->twist.exit_code_lost = 1;
    return s->call != NULL;
}

static int effect_logs_empty(const struct effect_scene *s) {
    if (s->call) s->call->twist.logs_empty = 1;
    return s->call != NULL;
}

static int effect_split(const struct effect_scene *s) {
    if (s->call) s->call->twist.frame_bytes = s->is->at_bytes > 0 ? s->is->at_bytes : 1;
    return s->call != NULL;
}

/* 1011 is what a daemon says whose keepalive has failed. */
static int effect_close_frame(const struct effect_scene *s) {
    int64_t code = 1011;
    if (!s->call || (s->is->value && !sbx_text_int(s->is->value, 1000, 4999, &code))) return 0;
    s->call->twist.close_code = (int)code;
    s->call->twist.close_after = s->is->at_bytes;
    return 1;
}

/* `ops` is an operation, or the beginning of several when it ends with a dot: a list is none of them, having no
 * sandbox. */
static const struct {
    const char *kind;
    const char *ops;
    int (*apply)(const struct effect_scene *scene);
} effects[] = {
    {"state", "daytona.sandbox.", effect_state},
    {"state", "daytona.toolbox.", effect_state},
    {"dead_toolbox", "daytona.sandbox.", effect_dead_toolbox},
    {"dead_toolbox", "daytona.toolbox.", effect_dead_toolbox},
    {"oom", "daytona.toolbox.", effect_oom},
    {"conflict", "daytona.sandbox.", effect_conflict},
    {"fail_boot", "daytona.sandbox.create", effect_fail_boot},
    {"fail_boot", "daytona.sandbox.start", effect_fail_boot},
    {"fail_boot", "daytona.sandbox.recover", effect_fail_boot},
    {"lost", "daytona.sandbox.", effect_lost},
    {"lost", "daytona.toolbox.", effect_lost},
    {"lost_process", "daytona.sandbox.", effect_lost_process},
    {"lost_process", "daytona.toolbox.", effect_lost_process},
    {"replay", "daytona.toolbox.", effect_replay},
    {"exit_code_lost", "daytona.toolbox.session.exec", effect_exit_code_lost},
    {"logs_empty", "daytona.toolbox.session.logs", effect_logs_empty},
    {"split", "daytona.toolbox.session.follow", effect_split},
    {"close_frame", "daytona.toolbox.session.follow", effect_close_frame},
    {"snapshot_inactive", "daytona.sandbox.create", effect_snapshot_inactive},
    {"no_runners", "daytona.sandbox.create", effect_no_runners},
    {"list_lag", "daytona.sandbox.list", effect_list_lag},
    {"list_duplicate", "daytona.sandbox.list", effect_list_duplicate},
    {"list_missing", "daytona.sandbox.list", effect_list_missing},
    {"list_empty_page", "daytona.sandbox.list", effect_list_empty_page},
    {"list_loop", "daytona.sandbox.list", effect_list_loop},
    {"list_shape", "daytona.sandbox.list", effect_list_shape},
};

static int effect_is_for(size_t i, const char *op) {
    const size_t len = strlen(effects[i].ops);
    if (effects[i].ops[len - 1] != '.') return strcmp(effects[i].ops, op) == 0;
    return strncmp(effects[i].ops, op, len) == 0 && strcmp(op, "daytona.sandbox.list") != 0;
}

int sim_day_knows_effect(struct sim_cloud *cloud, const char *op, const char *kind) {
    (void)cloud;
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        if (strcmp(effects[i].kind, kind) == 0 && effect_is_for(i, op)) return 1;
    return 0;
}

int sim_day_effect(struct sim_cloud *cloud, const char *subject, const struct sim_effect *effect) {
    struct daytona *day = (struct daytona *)cloud;
    const struct effect_scene scene = {day, day->faulting, subject ? sim_day_sandbox_by_id(day, subject) : NULL,
                                       &effect->is};
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        if (strcmp(effects[i].kind, effect->is.kind) == 0) return effects[i].apply(&scene);
    return 0;
}
