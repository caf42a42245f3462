/* What the files of this cloud share: the cloud, an exchange with it, and the tables of its operations. */
#ifndef SIM_E2B_CLOUD_H
#define SIM_E2B_CLOUD_H

#include "sim/e2b/account.h"
#include "sim/e2b/config.h"
#include "sim/e2b/e2b.h"
#include "sim/e2b/sandbox.h"
#include "sim/kit/http.h"

#define E2B_BODY_MAX  (4u * 1024 * 1024)
#define E2B_INDEX     1024 /* a power of two */
#define E2B_ENVD_PORT 49983

/** What a key of an idempotent create stands for. */
struct sim_e2b_replay {
    struct sim_e2b_replay *next;
    const struct sim_e2b_account *account;
    char *key;
    char body_hash[65];
    int status;   /* 0 = nothing recorded yet */
    char *answer; /* the sandbox that it made */
};

struct sim_e2b {
    struct sim_cloud cloud; /* first, as the kit wants it */
    struct sim *sim;
    struct sim_e2b_config config;
    struct sim_e2b_account *accounts;
    struct sim_e2b_sandbox *first, *last; /* by order of creation */
    struct sim_e2b_sandbox *by_id[E2B_INDEX];
    struct sim_e2b_replay *replays;
    struct sim_shelf *shelf;       /* of all its machines, made with the first */
    struct sim_e2b_call *faulting; /* the exchange that is asking the fault rules now */
};

/** What effects have changed for one exchange only. */
struct sim_e2b_twist {
    int no_delete;
    int no_slots;
    const char *redirect; /* where to; lent by the rule */
    int list_all, list_duplicate, list_missing, list_empty_page, list_loop;
    int list_empty;
    int no_end, no_eos, end_early;
    int64_t piece_bytes; /* of a stream, 0 = envelope by envelope */
    int expires;
    int64_t expire_ns;
    int holds;
    enum sim_e2b_state hold_state;
    int64_t hold_ns;
};

struct sim_e2b_call {
    struct sim_e2b *e2b;
    struct sim_http *x;
    const struct sim_e2b_route *route; /* of the control plane; NULL with envd */
    struct sim_e2b_account *account;   /* NULL until the key was found good */
    struct sim_e2b_sandbox *sb;        /* the one that is named, pinned; NULL if there is none */
    char *id;                          /* as it is named; NULL if the path names none */
    const char *user;                  /* of envd: who it is done for */
    int on_stream;                     /* refusals of envd go into an envelope */
    struct sim_e2b_twist twist;
};

#define E2B_OPEN    1u /* needs no key */
#define E2B_SANDBOX 2u /* names a sandbox */
#define E2B_READS   4u /* a blocked team may */
#define E2B_V2      8u

struct sim_e2b_route {
    const char *method;
    const char *pattern; /* segments; "{}" stands for any one */
    const char *op;
    void (*serve)(struct sim_e2b_call *call);
    unsigned flags;
    enum sim_e2b_meter_kind meter;
};

/** Finds the route, and the segment that "{}" stands for, decoded: free it. @return SBX_NO_MEMORY, or SBX_OK with
 *  *route NULL if none fits */
enum sbx_status sim_e2b_route_find(const char *method, const char *path, const struct sim_e2b_route **route,
                                   char **segment);
extern const char *const sim_e2b_ops[];

/** Asks the fault rules; effects of this cloud's own find the exchange through e2b->faulting.
 *  @return 1 if the exchange has been dealt with */
int sim_e2b_fault(struct sim_e2b_call *call, enum sim_phase phase);
/** Names the exchange's sandbox to the fault rules and the journal. */
void sim_e2b_subject(struct sim_e2b_call *call, const struct sim_e2b_sandbox *sb);

int64_t sim_e2b_now(const struct sim_e2b *e2b);
/** A configured duration in the world's nanoseconds. */
int64_t sim_e2b_pace_ns(const struct sim_e2b *e2b, int64_t ms);

int sim_e2b_effect(struct sim_cloud *cloud, const char *subject, const struct sim_effect *effect);
int sim_e2b_knows_effect(struct sim_cloud *cloud, const char *op, const char *kind);

/* errors.c */
/** The control plane says no. @param error_code newer servers' short word, NULL = none */
void sim_e2b_refuse(struct sim_e2b_call *call, int status, const char *error_code, const char *fmt, ...)
    SBX_PRINTF(4, 5);
/** 500, as when something broke inside. */
void sim_e2b_broken(struct sim_e2b_call *call);
/** 404 for a sandbox that is not there. */
void sim_e2b_refuse_missing(struct sim_e2b_call *call);
/** 501 for what is not simulated, marked in the journal. `what` is a literal. */
void sim_e2b_refuse_unknown(struct sim_e2b_call *call, const char *what);
/** The body that goes with an error status, for faults that name none. */
void sim_e2b_error_body(struct sim_cloud *cloud, struct sim_http *x, int status, struct sbx_buf *json);

#endif
