/* What the files of this cloud share: the cloud, an exchange with it, and the table of its routes. */
#ifndef SIM_DAYTONA_CLOUD_H
#define SIM_DAYTONA_CLOUD_H

#include "sim/daytona/account.h"
#include "sim/daytona/config.h"
#include "sim/daytona/daytona.h"
#include "sim/daytona/sandbox.h"
#include "sim/kit/http.h"

#define DAY_BODY_MAX (4u * 1024 * 1024)
#define DAY_INDEX    1024 /* a power of two */
#define DAY_ARGS_MAX 3

struct daytona {
    struct sim_cloud cloud; /* first, as the kit wants it */
    struct sim *sim;
    struct sim_day_config config;
    struct sim_day_account *accounts;
    char runner_id[37];
    struct sim_day_sandbox
        *first; /* by order of creation, gone ones included while the search index may still show them */
    struct sim_day_sandbox *last;
    struct sim_day_sandbox *by_id[DAY_INDEX];
    struct sim_day_sandbox *by_name[DAY_INDEX];
    int64_t gone_count;
    struct sim_shelf *shelf;       /* of all its machines, made with the first */
    struct sim_day_call *faulting; /* the exchange that is asking the fault rules now */
};

/** What effects have changed for one exchange only. */
struct sim_day_twist {
    enum sim_day_state fail_boot; /* create: the sandbox ends in this state */
    int fails_boot;
    int snapshot_inactive;
    int no_runners;
    int replay;      /* a hop sends the request to the daemon twice */
    int64_t dead_ns; /* the sandbox that this makes or starts has a dead toolbox for so long */
    int dead_coded;
    int holds; /* the sandbox that this makes is held in a state */
    enum sim_day_state hold_state;
    int64_t hold_ns;
    int64_t list_lag_ns;
    int exit_code_lost;  /* the command that this starts never gets an exit code */
    int logs_empty;      /* a snapshot of logs shows nothing */
    int64_t frame_bytes; /* of a followed log's frames, 0 = as it comes */
    int64_t close_after; /* bytes of a followed log before it is closed with ... */
    int close_code;      /* ... this code, 0 = not */
    int list_lags;
    int list_duplicate;
    int list_missing;
    int list_empty_page;
    int list_loop;
    int list_shaped;
    enum sim_day_list_shape list_shape;
};

struct sim_day_call {
    struct daytona *day;
    struct sim_http *x;
    const struct sim_day_route *route;
    struct sim_day_account *account; /* NULL until the credential was found good */
    struct sim_day_sandbox *sb;      /* the one that the path names, pinned; NULL if there is none */
    char *arg[DAY_ARGS_MAX];         /* decoded path segments that the pattern leaves open */
    size_t arg_count;
    struct sim_day_twist twist;
};

/** Which limits count a request, beside the one for all. */
enum sim_day_throttle { DAY_THROTTLE_NONE, DAY_THROTTLE_CREATE, DAY_THROTTLE_LIFECYCLE };

#define DAY_OPEN    1u  /* needs no credential */
#define DAY_SANDBOX 2u  /* its first argument names a sandbox, which must be there */
#define DAY_TOOLBOX 4u  /* goes through the proxy to the daemon */
#define DAY_WRITE   8u  /* needs the permission write:sandboxes */
#define DAY_ERASE   16u /* needs the permission delete:sandboxes */
#define DAY_FOLLOW  32u /* with follow=true it is the operation daytona.toolbox.session.follow */

struct sim_day_route {
    const char *method;
    const char *pattern; /* segments; "{}" stands for any one */
    const char *op;
    void (*serve)(struct sim_day_call *call);
    unsigned flags;
    enum sim_day_throttle throttle;
};

extern const struct sim_day_route sim_day_routes[];
extern const size_t sim_day_route_count;
extern const char *const sim_day_ops[];

/** Splits and matches a path. @return SBX_NO_MEMORY, or SBX_OK with *route NULL if none fits */
enum sbx_status sim_day_route_find(const char *method, const char *path, const struct sim_day_route **route,
                                   char *arg[DAY_ARGS_MAX], size_t *arg_count);
void sim_day_args_free(char *arg[DAY_ARGS_MAX]);

/** Asks the fault rules; effects of this cloud's own find the exchange through day->faulting.
 *  @return 1 if the exchange has been dealt with */
int sim_day_fault(struct sim_day_call *call, enum sim_phase phase);
/** Names the exchange's sandbox to the fault rules and the journal. */
void sim_day_subject(struct sim_day_call *call, const struct sim_day_sandbox *sb);

int64_t sim_day_now(const struct daytona *day);
int64_t sim_day_wall_ms(const struct daytona *day);
/** A configured duration in the world's nanoseconds. */
int64_t sim_day_pace_ns(const struct daytona *day, enum sim_day_pace pace);

int sim_day_effect(struct sim_cloud *cloud, const char *subject, const struct sim_effect *effect);
int sim_day_knows_effect(struct sim_cloud *cloud, const char *op, const char *kind);

#endif
