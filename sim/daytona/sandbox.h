/* A sandbox of this cloud: its record, its clock, how it is found, and what others are told of it. */
#ifndef SIM_DAYTONA_SANDBOX_H
#define SIM_DAYTONA_SANDBOX_H

#include "sim/daytona/stamp.h"
#include "sim/daytona/states.h"
#include "sim/kit/world.h"
#include "sim/machine/machine.h"
#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>

struct daytona;
struct sim_day_account;
struct sim_day_call;
struct sim_day_session;

#define DAY_VERSIONS 24 /* past states of a sandbox that the search index can still show */

struct sim_day_pair {
    char *name;
    char *value;
};

/** Names and values in the order given; shared, never changed once made. */
struct sim_day_map {
    int refs;
    size_t count;
    struct sim_day_pair *pair;
};

struct sim_day_map *sim_day_map_new(void);
enum sbx_status sim_day_map_add(struct sim_day_map *map, const char *name, const char *value);
const char *sim_day_map_get(const struct sim_day_map *map, const char *name);
struct sim_day_map *sim_day_map_share(struct sim_day_map *map);
void sim_day_map_drop(struct sim_day_map *map);
void sim_day_map_write(const struct sim_day_map *map, struct sbx_buf *json, const char *key);
/** "a=1\nb=2\n" */
void sim_day_map_text(const struct sim_day_map *map, struct sbx_buf *out);

/** What the search index knew of a sandbox from `since_ns` on. */
struct sim_day_version {
    int64_t since_ns;
    enum sim_day_state stored;
    enum sim_day_want want;
    struct sim_day_map *labels;
    const char *name; /* lent by the sandbox */
};

/** What a create asks for, checked. Texts are lent by whoever fills it; maps are shared. */
struct sim_day_wish {
    const char *name, *snapshot, *user, *target, *dockerfile, *allow_cidrs, *allow_domains;
    struct sim_day_map *env, *labels;
    const char *volumes; /* a JSON array */
    int64_t cpu, memory, disk;
    int64_t auto_stop, auto_archive, auto_delete, ttl;
    int is_public, block_all;
};

struct sim_day_sandbox {
    struct sim_day_sandbox *next, *prev, *next_by_id, *next_by_name;
    struct daytona *day;
    struct sim_day_account *account;
    int refs; /* the cloud's own, and one for each exchange that is at it */
    char id[37];
    char *name, *snapshot, *user, *target, *dockerfile, *allow_cidrs, *allow_domains, *volumes;
    char *name_before; /* NULL, or what it was called before its name was let go */
    struct sim_day_map *env, *labels;
    int64_t cpu, memory, disk;
    int64_t auto_stop, auto_archive, auto_delete;                           /* minutes */
    int64_t created_ms, updated_ms, activity_ms, stopped_ms, destroy_at_ms; /* wall; the last 0 = never */
    int is_public, block_all;

    enum sim_day_state stored;
    enum sim_day_want want;
    int pending;
    const char *error_reason; /* static text or NULL */
    int recoverable;
    struct sim_day_plan plan; /* where it is going */
    size_t plan_at;
    enum sim_day_state told; /* the state last written into the journal */
    int fails;               /* it ends in fail_to where it would be started, or with fail_early at its next step */
    int fail_early;
    enum sim_day_state fail_to;
    const char *fail_reason; /* then its errorReason; static text */
    int held;                /* an effect keeps it in a state; what it was and was becoming: */
    enum sim_day_state held_was;
    enum sim_day_want held_want;
    int held_pending;
    struct sim_timer step_timer, hold_timer, sweep_timer;
    struct sim_waitq changed; /* woken at every change of state */
    int gone;
    int64_t gone_ns;
    int64_t ended_by; /* the exchange that asked for its end, 0 = the cloud itself */
    const char *ended_why;

    int64_t conflict_until_ns; /* an effect: changes are refused until then, with ... */
    int conflict_status;       /* ... 409, or 400 as before April 2026 */
    int64_t dead_until_ns;     /* the daemon does not answer until then */
    int64_t dead_boot_ns;      /* for so long from the next boot on; 0 = it will be well */
    int dead_coded;

    struct sim_machine *machine; /* from the first boot on */
    struct sim_day_session *sessions;
    struct sim_day_version version[DAY_VERSIONS];
    size_t version_count;
};

/* sandbox.c: records */
/** Copies the wish; it is in the cloud's lists when it returns. NULL = no memory. */
struct sim_day_sandbox *sim_day_sandbox_new(struct daytona *day, struct sim_day_account *account,
                                            const struct sim_day_wish *wish);
struct sim_day_sandbox *sim_day_sandbox_pin(struct sim_day_sandbox *sb);
void sim_day_sandbox_unpin(struct sim_day_sandbox *sb); /* NULL is ignored */
/** Lets its name go, as a delete does at once: the row goes on under another. */
void sim_day_sandbox_free_name(struct sim_day_sandbox *sb);
/** Ends it for good: 404 from now on. */
void sim_day_sandbox_end(struct sim_day_sandbox *sb);
/** Forgets what the search index cannot show any more, or with `all` everything. */
void sim_day_sandboxes_purge(struct daytona *day, int all);
/** One that is there for its account, by id or name; NULL if none. */
struct sim_day_sandbox *sim_day_sandbox_find(const struct daytona *day, const struct sim_day_account *account,
                                             const char *id_or_name);
struct sim_day_sandbox *sim_day_sandbox_by_id(const struct daytona *day, const char *id);
enum sim_day_state sim_day_sandbox_shown(const struct sim_day_sandbox *sb);
struct sim_day_situation sim_day_sandbox_situation(const struct sim_day_sandbox *sb);
/** Something that the search index carries has changed. */
void sim_day_sandbox_note_version(struct sim_day_sandbox *sb);
/** What the index shows when it is `lag_ns` behind; NULL if the sandbox is not in it. */
const struct sim_day_version *sim_day_sandbox_version(const struct sim_day_sandbox *sb, int64_t now_ns, int64_t lag_ns);

/* dto.c: how it is told */
void sim_day_sandbox_write(const struct sim_day_sandbox *sb, struct sbx_buf *json, const char *key);
/** An item of the cursor list: less, and as the search index has it. */
void sim_day_sandbox_write_item(const struct sim_day_sandbox *sb, const struct sim_day_version *version,
                                struct sbx_buf *json);
/** Answers with the full DTO. */
void sim_day_sandbox_reply(struct sim_day_call *call, int status, const struct sim_day_sandbox *sb);

/* clock.c: how it changes */
/** Sets out on what the verb does. @param why "delete", "ttl" ...: static text for the journal and the ledger
 *  @param request number of the exchange that asked, 0 = the cloud itself */
void sim_day_sandbox_go(struct sim_day_sandbox *sb, enum sim_day_verb verb, const char *why, int64_t request);
/** Moves the stored state now, with all that hangs on it. */
void sim_day_sandbox_become(struct sim_day_sandbox *sb, enum sim_day_state state, const char *why);
/** Holds it in a state for so long, 0 = for ever; then it goes on as it would have. */
void sim_day_sandbox_hold(struct sim_day_sandbox *sb, enum sim_day_state state, int64_t for_ns);
/** It is found stopped at that time, whatever it does now. */
void sim_day_sandbox_stop_later(struct sim_day_sandbox *sb, int64_t when_ns);
/** When the cloud would act by itself, wall ms; INT64_MAX = never. @param verb set to what it would do */
int64_t sim_day_sandbox_due_ms(const struct sim_day_sandbox *sb, enum sim_day_verb *verb, const char **why);
/** Sets the next look at its intervals. */
void sim_day_sandbox_sweep_later(struct sim_day_sandbox *sb);
/** Waits until the state is none of the moving ones, or the time has come. */
void sim_day_sandbox_settle(struct sim_day_sandbox *sb, int64_t deadline_ns);
void sim_day_sandbox_touch(struct sim_day_sandbox *sb); /* activity */

/* toolbox.c */
int sim_day_sandbox_toolbox_dead(const struct sim_day_sandbox *sb);
/** Is there no daemon to talk to, for whatever reason? */
int sim_day_sandbox_toolbox_gone(const struct sim_day_sandbox *sb);

#endif
