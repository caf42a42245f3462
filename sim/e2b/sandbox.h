/* A sandbox of this cloud: its record, its states and its clock. */
#ifndef SIM_E2B_SANDBOX_H
#define SIM_E2B_SANDBOX_H

#include "sim/e2b/map.h"
#include "sim/kit/world.h"
#include "sim/machine/machine.h"
#include <sandport/kit/buf.h>

struct sim_e2b;
struct sim_e2b_account;
struct sim_e2b_call;
struct sim_e2b_process;
struct sim_e2b_stream;
struct sim_e2b_watcher;

/** Moving ones end by themselves. */
enum sim_e2b_state {
    E2B_STARTING, /* of a create: nobody sees it yet */
    E2B_RUNNING,
    E2B_PAUSING,
    E2B_PAUSED,
    E2B_RESUMING,
    E2B_KILLING,
    E2B_GONE
};

#define E2B_ID_SIZE    22 /* "i" and twenty more, and a NUL */
#define E2B_TOKEN_SIZE 65

/** What a create asks for, checked. Texts are lent, maps are taken. */
struct sim_e2b_wish {
    const char *template_id, *alias;
    struct sim_e2b_map *metadata, *env;
    const char *network; /* JSON as sent; NULL = none */
    int64_t timeout_s;
    int secure, auto_pause, auto_pause_memory, auto_resume, public_traffic;
    int internet; /* 1, 0, or -1 when it was not said */
};

struct sim_e2b_sandbox {
    struct sim_e2b_sandbox *next, *prev, *next_by_id;
    struct sim_e2b *e2b;
    struct sim_e2b_account *account;
    int refs; /* the cloud's own, and one for each exchange or process that is at it */
    char id[E2B_ID_SIZE];
    char token[E2B_TOKEN_SIZE];         /* for envd; "" = none is needed */
    char traffic_token[E2B_TOKEN_SIZE]; /* for its other ports; "" = none is needed */
    char *template_id, *alias, *network;
    struct sim_e2b_map *metadata, *env; /* NULL = none was given */
    int auto_pause, auto_pause_memory, auto_resume, public_traffic, internet;

    enum sim_e2b_state state;
    int64_t started_ns, end_ns;  /* of the present run */
    int64_t timeout_ns;          /* as first asked for */
    int64_t paused_ns;           /* when the last pause began */
    int pause_memory;            /* it keeps the processes */
    struct sim_timer step, end;  /* what ends a moving state; endAt */
    struct sim_waitq changed;    /* woken at every change of state */
    int64_t first_pause_ns;      /* on the wall clock, 0 = never */
    int held;                    /* an effect keeps it in a moving state; then it goes back to ... */
    enum sim_e2b_state held_was; /* ... this one */
    int64_t ended_by;            /* the exchange that asked for its end, 0 = the cloud itself */
    const char *ended_why;

    struct sim_machine *machine;
    struct sim_e2b_process *processes; /* live ones, and ended ones that Connect still finds; newest first */
    struct sim_e2b_stream *streams;    /* that watch something else than a process */
    struct sim_e2b_watcher *watchers;
    int64_t watcher_count;
};

/* sandbox.c: records */
/** In the cloud's lists when it returns, starting. Takes the wish's maps. NULL = no memory, then they are still the
 *  caller's. */
struct sim_e2b_sandbox *sim_e2b_sandbox_new(struct sim_e2b *e2b, struct sim_e2b_account *account,
                                            struct sim_e2b_wish *wish);
struct sim_e2b_sandbox *sim_e2b_sandbox_pin(struct sim_e2b_sandbox *sb);
void sim_e2b_sandbox_unpin(struct sim_e2b_sandbox *sb); /* NULL is ignored */
/** NULL if there is none, or it has gone. */
struct sim_e2b_sandbox *sim_e2b_sandbox_find(const struct sim_e2b *e2b, const char *id);
/** Takes what has gone off the lists, or with `all` everything. */
void sim_e2b_sandboxes_purge(struct sim_e2b *e2b, int all);
const char *sim_e2b_state_name(enum sim_e2b_state state);
/** @return 0 if it is no state's name */
int sim_e2b_state_parse(const char *name, enum sim_e2b_state *out);
/** Does the control plane show it? As "running" or "paused". */
int sim_e2b_sandbox_visible(const struct sim_e2b_sandbox *sb);
const char *sim_e2b_sandbox_shown(const struct sim_e2b_sandbox *sb);
int sim_e2b_sandbox_takes_slot(const struct sim_e2b_sandbox *sb);

/* lifetime.c: how it changes */
/** Sets out on the start that a create has asked for. */
void sim_e2b_sandbox_start(struct sim_e2b_sandbox *sb);
/** @param memory the processes stand still and go on after the resume; else they end */
void sim_e2b_sandbox_pause(struct sim_e2b_sandbox *sb, int memory, const char *why);
/** From paused. @param timeout_ns of the new run */
void sim_e2b_sandbox_resume(struct sim_e2b_sandbox *sb, int64_t timeout_ns);
void sim_e2b_sandbox_kill(struct sim_e2b_sandbox *sb, const char *why, int64_t request);
/** Ends it for good, at once. @param why static text for the journal and the ledger */
void sim_e2b_sandbox_end(struct sim_e2b_sandbox *sb, const char *why);
/** Another endAt. */
void sim_e2b_sandbox_set_end(struct sim_e2b_sandbox *sb, int64_t end_ns);
/** The furthest that endAt may lie. */
int64_t sim_e2b_sandbox_end_max(const struct sim_e2b_sandbox *sb);
/** An effect: it is in a moving state for so long, then what it was. */
void sim_e2b_sandbox_hold(struct sim_e2b_sandbox *sb, enum sim_e2b_state state, int64_t for_ns);
/** Waits until it is in none of the moving states. @return 0 when the world is ending */
int sim_e2b_sandbox_settle(struct sim_e2b_sandbox *sb);
/** disk.c, an effect: what was written below the home directory since its first pause is gone. @return 0 if it was
 * never paused */
int sim_e2b_sandbox_roll_back(struct sim_e2b_sandbox *sb);
/** A new token for envd: the old one is nobody's. */
void sim_e2b_sandbox_new_token(struct sim_e2b_sandbox *sb);

/* dto.c: how it is told */
/** RFC 3339 with as many digits of a second as are not zero. @param out 40 bytes */
void sim_e2b_stamp(int64_t ns, char *out);
/** The answer of create, connect and resume. */
void sim_e2b_sandbox_reply(struct sim_e2b_call *call, int status, const struct sim_e2b_sandbox *sb);
/** An item of a list, or with `detail` all that is told. */
void sim_e2b_sandbox_write(const struct sim_e2b_sandbox *sb, int detail, struct sbx_buf *json);

#endif
