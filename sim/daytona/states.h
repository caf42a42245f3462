/* The states of a sandbox as pure questions: names, what a caller is shown, what a verb may do, which way it goes. */
#ifndef SIM_DAYTONA_STATES_H
#define SIM_DAYTONA_STATES_H

#include <stddef.h>
#include <stdint.h>

#define DAY_STATE_LIST(X)                                                                                              \
    X(CREATING, "creating")                                                                                            \
    X(RESTORING, "restoring")                                                                                          \
    X(DESTROYED, "destroyed")                                                                                          \
    X(DESTROYING, "destroying")                                                                                        \
    X(STARTED, "started")                                                                                              \
    X(STOPPED, "stopped")                                                                                              \
    X(STARTING, "starting")                                                                                            \
    X(STOPPING, "stopping")                                                                                            \
    X(ERROR, "error")                                                                                                  \
    X(BUILD_FAILED, "build_failed")                                                                                    \
    X(PENDING_BUILD, "pending_build")                                                                                  \
    X(BUILDING_SNAPSHOT, "building_snapshot")                                                                          \
    X(UNKNOWN, "unknown")                                                                                              \
    X(PULLING_SNAPSHOT, "pulling_snapshot")                                                                            \
    X(ARCHIVED, "archived")                                                                                            \
    X(ARCHIVING, "archiving")                                                                                          \
    X(RESIZING, "resizing")                                                                                            \
    X(SNAPSHOTTING, "snapshotting")                                                                                    \
    X(FORKING, "forking")                                                                                              \
    X(PAUSING, "pausing")                                                                                              \
    X(PAUSED, "paused")                                                                                                \
    X(RESUMING, "resuming")

#define DAY_STATE_ENUM(name, text) DAY_##name,
enum sim_day_state { DAY_STATE_LIST(DAY_STATE_ENUM) DAY_STATE_COUNT };
#undef DAY_STATE_ENUM

enum sim_day_want { DAY_WANT_DESTROYED, DAY_WANT_STARTED, DAY_WANT_STOPPED, DAY_WANT_ARCHIVED, DAY_WANT_COUNT };

enum sim_day_verb { DAY_CREATE, DAY_BUILD, DAY_START, DAY_STOP, DAY_ARCHIVE, DAY_DELETE, DAY_RECOVER, DAY_VERB_COUNT };

/** How long a step takes; the cloud's configuration says it in milliseconds. */
enum sim_day_pace {
    DAY_PACE_NOW,
    DAY_PACE_RUNNER, /* until the runner takes the job up */
    DAY_PACE_BUILD,
    DAY_PACE_BOOT,
    DAY_PACE_START,
    DAY_PACE_STOP,
    DAY_PACE_ARCHIVE,
    DAY_PACE_RESTORE,
    DAY_PACE_DESTROY,
    DAY_PACE_COUNT
};

struct sim_day_step {
    enum sim_day_pace pace; /* this long after the step before ... */
    enum sim_day_state to;  /* ... the stored state becomes this */
};

struct sim_day_plan {
    enum sim_day_want want;
    size_t count;
    struct sim_day_step step[3];
};

/** What a verb finds. */
struct sim_day_situation {
    enum sim_day_state stored;
    enum sim_day_want want;
    int pending; /* a change was accepted and its end has not been reported */
    int ephemeral;
    int recoverable;
};

enum sim_day_ruling { DAY_ACCEPT, DAY_NO_OP, DAY_REFUSE };

struct sim_day_verdict {
    enum sim_day_ruling ruling;
    int status; /* of the refusal, as are the following */
    const char *code;
    const char *message;
};

const char *sim_day_state_name(enum sim_day_state state);
const char *sim_day_want_name(enum sim_day_want want);
/** Exact and lower case. @return 0 if it is no state */
int sim_day_state_parse(const char *text, enum sim_day_state *out);
/** The stored state changes only when the runner acts; callers see where it is headed. */
enum sim_day_state sim_day_state_shown(enum sim_day_state stored, enum sim_day_want want);
/** On its way, as against settled. */
int sim_day_state_moving(enum sim_day_state state);
/** A deletion that failed: told to nobody, though it is still there. */
int sim_day_state_hidden(enum sim_day_state stored, enum sim_day_want want);
/** Does the container run, so that the toolbox can be reached? */
int sim_day_state_running(enum sim_day_state state);
int sim_day_state_holds_cpu(enum sim_day_state state);
int sim_day_state_holds_disk(enum sim_day_state state);
/** A state that lasts longer than this ends in `error`; 0 = no limit. @param reason set to the errorReason */
int64_t sim_day_state_limit_ms(enum sim_day_state state, const char **reason);

struct sim_day_verdict sim_day_states_rule(enum sim_day_verb verb, const struct sim_day_situation *at);
/** The way an accepted verb goes. */
struct sim_day_plan sim_day_states_plan(enum sim_day_verb verb, enum sim_day_state from, int ephemeral);

#endif
