/* The states of a Daytona sandbox: the transition table, what each verb answers in each state, and masking. Pure. */
#include "sim/daytona/states.h"

#include <string.h>

#define MINUTES(n) ((n)*INT64_C(60000))

const char *sim_day_state_name(enum sim_day_state state) {
#define DAY_STATE_NAME(name, text) [DAY_##name] = (text),
    static const char *const names[] = {DAY_STATE_LIST(DAY_STATE_NAME)};
#undef DAY_STATE_NAME
    return state < DAY_STATE_COUNT ? names[state] : "unknown";
}

const char *sim_day_want_name(enum sim_day_want want) {
    static const char *const names[] = {"destroyed", "started", "stopped", "archived"};
    return want < DAY_WANT_COUNT ? names[want] : "started";
}

int sim_day_state_parse(const char *text, enum sim_day_state *out) {
    for (int i = 0; i < DAY_STATE_COUNT; i++)
        if (strcmp(sim_day_state_name((enum sim_day_state)i), text) == 0) {
            *out = (enum sim_day_state)i;
            return 1;
        }
    return 0;
}

enum sim_day_state sim_day_state_shown(enum sim_day_state stored, enum sim_day_want want) {
    if (stored == DAY_STARTED && want == DAY_WANT_STOPPED) return DAY_STOPPING;
    if (stored == DAY_STARTED && want == DAY_WANT_DESTROYED) return DAY_DESTROYING;
    if (stored == DAY_STOPPED && want == DAY_WANT_STARTED) return DAY_STARTING;
    if (stored == DAY_STOPPED && want == DAY_WANT_DESTROYED) return DAY_DESTROYING;
    if (stored == DAY_STOPPED && want == DAY_WANT_ARCHIVED) return DAY_ARCHIVING;
    if (stored == DAY_UNKNOWN && want == DAY_WANT_STARTED) return DAY_CREATING;
    return stored;
}

static const unsigned state_is_settled = 1u << DAY_STARTED | 1u << DAY_STOPPED | 1u << DAY_ERROR |
                                         1u << DAY_BUILD_FAILED | 1u << DAY_ARCHIVED | 1u << DAY_PAUSED |
                                         1u << DAY_DESTROYED;

static const unsigned state_runs = 1u << DAY_STARTED | 1u << DAY_SNAPSHOTTING | 1u << DAY_RESIZING | 1u << DAY_FORKING;

static const unsigned state_holds_cpu =
    1u << DAY_CREATING | 1u << DAY_RESTORING | 1u << DAY_STARTED | 1u << DAY_STARTING | 1u << DAY_STOPPING |
    1u << DAY_PENDING_BUILD | 1u << DAY_BUILDING_SNAPSHOT | 1u << DAY_UNKNOWN | 1u << DAY_PULLING_SNAPSHOT |
    1u << DAY_FORKING | 1u << DAY_PAUSING | 1u << DAY_RESUMING | 1u << DAY_RESIZING | 1u << DAY_SNAPSHOTTING;

static const unsigned state_holds_disk_only = 1u << DAY_STOPPED | 1u << DAY_PAUSED | 1u << DAY_ARCHIVING;

int sim_day_state_moving(enum sim_day_state state) {
    return !(state_is_settled >> state & 1u);
}

int sim_day_state_hidden(enum sim_day_state stored, enum sim_day_want want) {
    return stored == DAY_ERROR && want == DAY_WANT_DESTROYED;
}

int sim_day_state_running(enum sim_day_state state) {
    return (int)(state_runs >> state & 1u);
}

int sim_day_state_holds_cpu(enum sim_day_state state) {
    return (int)(state_holds_cpu >> state & 1u);
}

int sim_day_state_holds_disk(enum sim_day_state state) {
    return (int)((state_holds_cpu | state_holds_disk_only) >> state & 1u);
}

int64_t sim_day_state_limit_ms(enum sim_day_state state, const char **reason) {
    static const struct {
        enum sim_day_state state;
        int64_t limit_ms;
        const char *reason;
    } limits[] = {
        {DAY_CREATING, MINUTES(15), "Timeout while creating sandbox"},
        {DAY_STARTING, MINUTES(5), "Timeout while starting sandbox"},
        {DAY_RESTORING, MINUTES(30), "Timeout while starting sandbox"},
        {DAY_PULLING_SNAPSHOT, MINUTES(30), "Timeout while pulling snapshot"},
        {DAY_BUILDING_SNAPSHOT, MINUTES(60), "Timeout while building snapshot"},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (limits[i].state == state) {
            *reason = limits[i].reason;
            return limits[i].limit_ms;
        }
    return 0;
}

static struct sim_day_verdict states_accept(void) {
    struct sim_day_verdict verdict = {DAY_ACCEPT, 0, NULL, NULL};
    return verdict;
}

static struct sim_day_verdict states_refuse(int status, const char *code, const char *message) {
    struct sim_day_verdict verdict = {DAY_REFUSE, status, code, message};
    return verdict;
}

/* What is left to say when no other change is in progress. */
static struct sim_day_verdict states_rule_settled(enum sim_day_verb verb, enum sim_day_state state,
                                                  const struct sim_day_situation *at) {
    switch (verb) {
    case DAY_START:
        if (state == DAY_STOPPED || state == DAY_ARCHIVED || state == DAY_ARCHIVING) return states_accept();
        return states_refuse(400, NULL, "Sandbox is not in valid state");
    case DAY_STOP:
        if (state == DAY_STARTED) return states_accept();
        return states_refuse(400, NULL, "Sandbox is not in a stoppable state");
    case DAY_ARCHIVE:
        if (state != DAY_STOPPED) return states_refuse(400, NULL, "Sandbox is not stopped");
        if (at->ephemeral) return states_refuse(400, NULL, "Ephemeral sandboxes cannot be archived");
        return states_accept();
    case DAY_RECOVER:
        if (state != DAY_ERROR) return states_refuse(400, NULL, "Sandbox must be in error state to recover");
        if (!at->recoverable) return states_refuse(400, NULL, "Sandbox is not in a recoverable state");
        return states_accept();
    case DAY_CREATE:
    case DAY_BUILD:
    case DAY_DELETE:
    case DAY_VERB_COUNT:
    default:
        return states_accept();
    }
}

struct sim_day_verdict sim_day_states_rule(enum sim_day_verb verb, const struct sim_day_situation *at) {
    const enum sim_day_state state = sim_day_state_shown(at->stored, at->want);
    const int errored = state == DAY_ERROR || state == DAY_BUILD_FAILED;
    if (verb == DAY_START && state == DAY_STARTED) {
        struct sim_day_verdict verdict = {DAY_NO_OP, 0, NULL, NULL};
        return verdict;
    }
    if (errored && (verb == DAY_START || verb == DAY_STOP || verb == DAY_ARCHIVE))
        return states_refuse(400, "SANDBOX_STATE_ERROR", "Sandbox is in an errored state");
    if (verb == DAY_DELETE && state == DAY_PENDING_BUILD) return states_accept();
    if (verb == DAY_START && state == DAY_ARCHIVING) return states_accept();
    if (at->pending) return states_refuse(409, "SANDBOX_STATE_CHANGE_IN_PROGRESS", "Sandbox state change in progress");
    return states_rule_settled(verb, state, at);
}

static struct sim_day_plan states_two(enum sim_day_want want, enum sim_day_pace pace, enum sim_day_state via,
                                      enum sim_day_pace then, enum sim_day_state to) {
    struct sim_day_plan plan = {want, 2, {{pace, via}, {then, to}}};
    return plan;
}

struct sim_day_plan sim_day_states_plan(enum sim_day_verb verb, enum sim_day_state from, int ephemeral) {
    static const struct sim_day_plan build = {
        DAY_WANT_STARTED,
        3,
        {{DAY_PACE_RUNNER, DAY_BUILDING_SNAPSHOT}, {DAY_PACE_BUILD, DAY_CREATING}, {DAY_PACE_BOOT, DAY_STARTED}}};
    static const struct sim_day_plan vanish = {DAY_WANT_DESTROYED, 1, {{DAY_PACE_NOW, DAY_DESTROYED}}};
    switch (verb) {
    case DAY_BUILD:
        return build;
    case DAY_START:
        if (from == DAY_ARCHIVED || from == DAY_ARCHIVING)
            return states_two(DAY_WANT_STARTED, DAY_PACE_NOW, DAY_RESTORING, DAY_PACE_RESTORE, DAY_STARTED);
        return states_two(DAY_WANT_STARTED, DAY_PACE_RUNNER, DAY_STARTING, DAY_PACE_START, DAY_STARTED);
    case DAY_RECOVER:
        return states_two(DAY_WANT_STARTED, DAY_PACE_NOW, DAY_STARTING, DAY_PACE_START, DAY_STARTED);
    case DAY_STOP:
        if (ephemeral)
            return states_two(DAY_WANT_DESTROYED, DAY_PACE_RUNNER, DAY_STOPPING, DAY_PACE_STOP, DAY_DESTROYED);
        return states_two(DAY_WANT_STOPPED, DAY_PACE_RUNNER, DAY_STOPPING, DAY_PACE_STOP, DAY_STOPPED);
    case DAY_ARCHIVE:
        return states_two(DAY_WANT_ARCHIVED, DAY_PACE_RUNNER, DAY_ARCHIVING, DAY_PACE_ARCHIVE, DAY_ARCHIVED);
    case DAY_DELETE:
        if (from == DAY_ARCHIVED || from == DAY_PENDING_BUILD) return vanish;
        return states_two(DAY_WANT_DESTROYED, DAY_PACE_RUNNER, DAY_DESTROYING, DAY_PACE_DESTROY, DAY_DESTROYED);
    case DAY_CREATE:
    case DAY_VERB_COUNT:
    default:
        return states_two(DAY_WANT_STARTED, DAY_PACE_RUNNER, DAY_CREATING, DAY_PACE_BOOT, DAY_STARTED);
    }
}
