/* A router from inside: what its calls share. */
#ifndef SRC_ROUTER_ROUTER_H
#define SRC_ROUTER_ROUTER_H

#include <sandport/kit/fail.h>
#include <sandport/kit/ops.h>
#include <sandport/kit/options.h>
#include <sandport/kit/registry.h>
#include <sandport/kit/text.h>
#include <sandport/router.h>

/** An acquisition that a call of this router is at work on. On that call's stack. */
struct router_work {
    char acquisition[SBX_ACQUISITION_SIZE];
    struct router_work *next;
};

struct sbx_router {
    struct sbx_router_options opt; /* with an order of its own */
    struct sbx_env *env;
    struct sbx_store *store;
    int owns_store;
    char owner[SBX_OWNER_SIZE];
    struct sbx_lock *lock; /* guards `work`; never held across a call of the env */
    struct router_work *work;
};

/** One call of the router: a whole error of our own, given to the caller's at the end. */
struct router_entry {
    struct sbx_router *router;
    struct sbx_error *callers;
    struct sbx_error err;
    struct sbx_call call; /* with a deadline, and cleanup_ms 0 for none */
};

/** Begins a call. Anything but SBX_OK goes to sbx_router_leave() at once. */
enum sbx_status sbx_router_enter(struct router_entry *entry, struct sbx_router *router, const char *operation,
                                 const struct sbx_call *call, int64_t default_ms, struct sbx_error *callers);
/** Ends it. @return st */
enum sbx_status sbx_router_leave(struct router_entry *entry, enum sbx_status st);

/** SBX_INVALID_ARGUMENT for what is missing or wrong. Here, so that the analyzer sees that it is a failure. */
static inline enum sbx_status sbx_router_wrong(struct router_entry *entry, const char *what, const char *expected) {
    (void)sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", what, expected);
    return SBX_INVALID_ARGUMENT;
}

/** Takes over what is known of another's failure - never its words - under a status of the router's. @return st */
enum sbx_status sbx_router_blame(struct sbx_error *err, enum sbx_status st, const struct sbx_error *cause,
                                 const char *pool_id);

/** For what must still be done when the call is over: not cancellable. @return 0 if there is to be none */
int sbx_router_cleanup_call(const struct router_entry *entry, struct sbx_call *out);
/** For a step that may not be cut short by a cancel, though it is no clean-up: at least 30 s. */
struct sbx_call sbx_router_firm_call(const struct router_entry *entry);
/** For calls of others: cleanup_ms as they take it. */
struct sbx_call sbx_router_inner_call(const struct router_entry *entry, int64_t ms);

/** Tells the observer, if there is one. */
void sbx_router_tell(const struct sbx_router *router, const struct sbx_router_event *event);
/** An event with its texts "" and nothing said. */
struct sbx_router_event sbx_router_event_of(int32_t kind);

void sbx_router_work_begin(struct sbx_router *router, struct router_work *work, const char *acquisition);
/** Says, or reads, which acquisition it is. @param out SBX_ACQUISITION_SIZE bytes */
void sbx_router_work_name(struct sbx_router *router, struct router_work *work, const char *acquisition);
void sbx_router_work_read(struct sbx_router *router, const struct router_work *work, char *out);
void sbx_router_work_end(struct sbx_router *router, struct router_work *work);
int sbx_router_works_on(struct sbx_router *router, const char *acquisition);

#endif
