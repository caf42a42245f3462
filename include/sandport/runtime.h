/* The runtime port: one set of verbs over every cloud. A runtime is made by an adapter (sbx_daytona_create, ...).
 *
 * Every function may be called from any thread; freeing a thing during a call on it is the caller's bug. `opt`, `call`
 * and `err` may be NULL. On failure `out` is untouched unless its comment says otherwise. Rows P1, P3, P5, P9, P10,
 * P12. */
#ifndef SANDPORT_RUNTIME_H
#define SANDPORT_RUNTIME_H

#include <sandport/call.h>
#include <sandport/capability.h>
#include <sandport/error.h>

struct sbx_runtime;
struct sbx_sandbox;
struct sbx_info;
struct sbx_list;

/** A name and a value: a label, an environment entry, a provider option. */
struct sbx_pair {
    const char *name;
    const char *value;
};

struct sbx_volume {
    size_t size;
    const char *volume; /* the provider's id or name of it */
    const char *mount_path;
    const char *subpath; /* NULL = all of it */
};

/** States of a sandbox in every provider's place. Stored as int32_t. */
enum sbx_state {
    SBX_STATE_UNKNOWN = 0, /* a state that this release does not know; never taken for running */
    SBX_STATE_STARTING = 1,
    SBX_STATE_RUNNING = 2, /* by the provider's word; only a probe proves that commands run */
    SBX_STATE_STOPPING = 3,
    SBX_STATE_STOPPED = 4,
    SBX_STATE_PAUSED = 5,
    SBX_STATE_ARCHIVED = 6,
    SBX_STATE_FAILED = 7,
    SBX_STATE_DESTROYING = 8,
    SBX_STATE_DESTROYED = 9
};

/** What to launch. Nothing here is required: zero is the provider's own default, or as said. */
struct sbx_launch_options {
    size_t size;
    const char *acquisition; /* 32 lower-case hex digits, fresh for each launch; NULL = made by the library */
    const char *name;        /* NULL = the acquisition id in UUID form */
    const char *snapshot;    /* NULL = the runtime's, else the provider's default */
    const struct sbx_pair *labels;
    size_t label_count; /* names starting with "sandport-" are the library's own and refused */
    const struct sbx_pair *env;
    size_t env_count;
    const char *target; /* region; NULL = the runtime's, else the provider's default */
    const struct sbx_volume *volumes;
    size_t volume_count;
    int64_t create_ms;        /* longest wait for the create to be ready; 0 = the call's deadline alone */
    int32_t auto_stop_min;    /* minutes idle; 0 = never, which is the default: mind ttl_min */
    int32_t auto_archive_min; /* 0 = the provider's default */
    int32_t auto_delete_min; /* minutes after a stop; 0 = the provider's default, -1 = never, SBX_EPHEMERAL = at stop */
    int32_t auto_pause_min;  /* 0 = off */
    int32_t ttl_min;         /* the sandbox's whole lifetime in minutes; 0 = none */
    int32_t network_block_all;      /* SBX_YES: nothing leaves the sandbox */
    const char *network_allow_list; /* comma-separated CIDR ranges, applied before it starts; NULL = no list */
    const char *domain_allow_list;  /* comma-separated hosts, *.x allowed; not together with CIDR ranges */
    const int32_t *ports;
    size_t port_count; /* needs SBX_CAP_PORTS */
    double cpu;
    int64_t memory_mib;
    int64_t disk_mib;                        /* these three need SBX_CAP_LAUNCH_RESOURCES */
    const struct sbx_pair *provider_options; /* what only this provider takes; unknown ones are refused */
    size_t provider_option_count;
};
#define SBX_EPHEMERAL INT32_MIN

struct sbx_query {
    size_t size;
    const struct sbx_pair *labels; /* all must match; none = every sandbox of the account */
    size_t label_count;
    const int32_t *states; /* enum sbx_state; none = every state */
    size_t state_count;
    const char *const *exclude_ids;
    size_t exclude_count;
    int32_t page_size; /* 0 = the provider's largest useful */
    int32_t max;       /* stop after so many; 0 = all */
};

struct sbx_reconcile_options {
    size_t size;
    const char *acquisition; /* required */
    const char *name;        /* the name given to that launch, if any */
    int64_t sent_ms_ago;     /* how long ago its request was sent; 0 = counted from this call */
};

/** What became of a launch whose outcome is unknown. Stored as int32_t. */
enum sbx_reconcile_verdict {
    SBX_RECONCILE_UNDECIDED = 0, /* the deadline came first, or the provider could not say */
    SBX_RECONCILE_FOUND = 1,     /* the list has one or more */
    SBX_RECONCILE_ABSENT = 2     /* proven: looked up twice beyond the provider's create horizon, and not listed */
};

#define SBX_LAUNCH_OPTIONS_INIT                                                                                        \
    { .size = sizeof(struct sbx_launch_options) }
#define SBX_VOLUME_INIT                                                                                                \
    { .size = sizeof(struct sbx_volume) }
#define SBX_QUERY_INIT                                                                                                 \
    { .size = sizeof(struct sbx_query) }
#define SBX_RECONCILE_OPTIONS_INIT                                                                                     \
    { .size = sizeof(struct sbx_reconcile_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_launch_options_init(struct sbx_launch_options *opt, size_t size);
SBX_API void sbx_volume_init(struct sbx_volume *volume, size_t size);
SBX_API void sbx_query_init(struct sbx_query *query, size_t size);
SBX_API void sbx_reconcile_options_init(struct sbx_reconcile_options *opt, size_t size);

/** The provider's name, e.g. "daytona". Valid while the runtime lives. */
SBX_API const char *sbx_runtime_provider(const struct sbx_runtime *rt);
/** SBX_CAP_* bits. */
SBX_API uint64_t sbx_runtime_capabilities(const struct sbx_runtime *rt);
/** enum sbx_isolation. */
SBX_API int32_t sbx_runtime_isolation(const struct sbx_runtime *rt);

/** Frees the runtime; its sandboxes must have been freed. Nothing happens remotely. NULL is ignored. */
SBX_API void sbx_runtime_free(struct sbx_runtime *rt);

/** A fresh acquisition id. @param out SBX_ACQUISITION_SIZE bytes */
SBX_API SBX_MUST_USE enum sbx_status sbx_acquisition_new(struct sbx_env *env, char *out);

/** Creates a sandbox and waits until it has been proven to run commands.
 *
 *  Blocks until ready, the deadline (default 120 s) or a cancel; whenever it fails, what was created is deleted within
 *  call->cleanup_ms and err->cleanup says whether that is confirmed. A create whose answer was lost is looked for as
 *  long as that, since it may take effect late. With SBX_CLEANUP_UNCONFIRMED, err->acquisition is for
 *  sbx_runtime_reconcile().
 *  @param out a new owned sandbox, yours: sbx_sandbox_free()
 *  @return SBX_SNAPSHOT_NOT_FOUND if the snapshot does not exist: nothing else is ever used in its place;
 *          SBX_ALREADY_EXISTS if the name is in use; SBX_NOT_READY if it never ran a command */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_launch(struct sbx_runtime *rt, const struct sbx_launch_options *opt,
                                                        const struct sbx_call *call, struct sbx_sandbox **out,
                                                        struct sbx_error *err);

/** Creates a sandbox and returns at once, with its true state, which is mostly SBX_STATE_STARTING. Default deadline
 *  30 s. Otherwise like sbx_runtime_launch(). Needs SBX_CAP_DETACHED_LAUNCH. */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_launch_detached(struct sbx_runtime *rt,
                                                                 const struct sbx_launch_options *opt,
                                                                 const struct sbx_call *call, struct sbx_sandbox **out,
                                                                 struct sbx_error *err);

/** A handle on a sandbox that exists. A read: costs nothing, wakes nothing. Default deadline 30 s.
 *  @param out an attached sandbox, yours: destroying it never deletes anything remotely
 *  @return SBX_NOT_FOUND if there is none; every other failure keeps its own status */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_attach(struct sbx_runtime *rt, const char *id,
                                                        const struct sbx_call *call, struct sbx_sandbox **out,
                                                        struct sbx_error *err);

/** The sandboxes that match, each confirmed by a read of its own. Default deadline 10 s for all of it. The provider's
 *  list may lag: one that was made, or whose state changed, a moment ago may be missing.
 *  @param out yours: sbx_list_free(); empty when none matches */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_find(struct sbx_runtime *rt, const struct sbx_query *query,
                                                      const struct sbx_call *call, struct sbx_list **out,
                                                      struct sbx_error *err);

/** How many match, counted up to query->max when that is given. Default deadline 10 s. */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_count(struct sbx_runtime *rt, const struct sbx_query *query,
                                                       const struct sbx_call *call, int64_t *out,
                                                       struct sbx_error *err);

/** What became of a launch with an unknown outcome. Sleeps on the env until the provider's create horizon has passed.
 *  Default deadline 120 s; at the deadline the verdict is UNDECIDED and the status SBX_OK.
 *  @param verdict enum sbx_reconcile_verdict
 *  @param out what was found, yours; may be NULL. Set (maybe empty) whenever the call answers SBX_OK */
SBX_API SBX_MUST_USE enum sbx_status sbx_runtime_reconcile(struct sbx_runtime *rt,
                                                           const struct sbx_reconcile_options *opt,
                                                           const struct sbx_call *call, int32_t *verdict,
                                                           struct sbx_list **out, struct sbx_error *err);

SBX_API size_t sbx_list_count(const struct sbx_list *list);
/** Lent by the list; NULL beyond the end. */
SBX_API const struct sbx_info *sbx_list_at(const struct sbx_list *list, size_t index);
SBX_API void sbx_list_free(struct sbx_list *list);

#ifdef __cplusplus
}
#endif
#endif
