/* The router: makes a sandbox in one of several accounts, hands out a locator, and leads every later call back to where
 * the sandbox is. It never risks a second allocation, never loses a sandbox, and says for every refusal why.
 * docs/router.md is its page. Rows R7-R18, R20, R22, R24, R26.
 *
 * Every function may be called from any thread. `opt`, `call` and `err` may be NULL. err->status is one of the router's
 * (INVALID_REQUEST to UNKNOWN_LOCATOR), err->cause the status that it stands for; provider, operation, outcome, HTTP
 * status and retry-after are the failed call's; err->detail is the router's own and never a provider's text. */
#ifndef SANDPORT_ROUTER_H
#define SANDPORT_ROUTER_H

#include <sandport/kit/store.h>
#include <sandport/router_event.h>
#include <sandport/router_registry.h>
#include <sandport/router_route.h>
#include <sandport/run.h>
#include <sandport/sandbox.h>

#define SBX_CAPACITY_TIMEOUT_MS 5000

struct sbx_router;
struct sbx_provision;

/** All but `registry` may be left out. */
struct sbx_router_options {
    size_t size;
    struct sbx_registry *registry; /* required; lent for the router's life */
    struct sbx_store *store;       /* lent for the router's life; NULL = one in memory, gone with the router */
    sbx_ready_fn ready;            /* as in struct sbx_route_options */
    void *ready_ctx;
    sbx_signals_fn signals;
    void *signals_ctx;
    sbx_classify_fn classify; /* for pools without one of their own; NULL = a failed launch ends the request */
    void *classify_ctx;
    sbx_observer_fn
        observer; /* called by the call that it is about, on its thread or one that works for it, one at a time */
    void *observer_ctx;
    /** Admission by capacity: pools in this order alone, each only after a fresh read that shows room; copied. NULL =
     * by strategy, and nothing is read. */
    const char *const *capacity_order;
    size_t capacity_order_count;
    int64_t capacity_timeout_ms; /* of each read; 0 = SBX_CAPACITY_TIMEOUT_MS */
};

/** What to launch, beside what the request needs. */
struct sbx_provision_options {
    size_t size;
    const char *request; /* a name for the request, for events and records: at most 127 bytes; NULL = "" */
    const char *name;    /* the sandbox's; NULL = the acquisition id */
    const struct sbx_pair *labels;
    size_t label_count; /* at most 64 */
    const struct sbx_pair *env;
    size_t env_count;
    int64_t create_ms; /* as in struct sbx_launch_options */
    int32_t adopt;     /* SBX_YES: a sandbox found after an unknown outcome is handed out, if it runs; else deleted */
};

/** How a launch of a request ended. Texts are lent by the report. */
struct sbx_attempt {
    size_t size;
    const char *pool_id;
    const char *provider;
    const char *acquisition;
    const char *code; /* the classifier's; "" if it was not asked, or is not believed */
    int32_t retryable;
    int32_t status; /* enum sbx_status */
    int32_t outcome;
    int32_t cleanup; /* enum sbx_cleanup, after what the router did itself */
    int32_t http_status;
    int64_t retry_after_ms;
};

#define SBX_ROUTER_OPTIONS_INIT                                                                                        \
    { .size = sizeof(struct sbx_router_options) }
#define SBX_PROVISION_OPTIONS_INIT                                                                                     \
    { .size = sizeof(struct sbx_provision_options) }
#define SBX_ATTEMPT_INIT                                                                                               \
    { .size = sizeof(struct sbx_attempt) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_router_options_init(struct sbx_router_options *opt, size_t size);
SBX_API void sbx_provision_options_init(struct sbx_provision_options *opt, size_t size);

/** Makes a router. Sends nothing, asks nothing. @param env lent for its life @param out yours: sbx_router_free()
 *  @return SBX_INVALID_ARGUMENT with err->detail naming the member */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_create(const struct sbx_router_options *opt, struct sbx_env *env,
                                                       struct sbx_router **out, struct sbx_error *err);

/** Frees it; no call may be using it. Sandboxes, registry and store stay as they are. NULL is ignored. */
SBX_API void sbx_router_free(struct sbx_router *router);

/** Makes a sandbox and hands out its locator.
 *
 *  Each launch is written to the store before it is sent. A failed one ends the request, unless a classifier says that
 *  another may follow, the outcome allows it and attempts are left; one whose outcome is unknown is looked up first.
 *  Blocks until ready, the deadline (default 300 s for all of it, of which each launch takes at most 120 s) or a
 * cancel; then at most call->cleanup_ms more.
 *  @param locator SBX_LOCATOR_SIZE bytes
 *  @param report  how it went, yours: sbx_provision_free(). Set whatever is returned, but for SBX_INVALID_ARGUMENT and
 *                 SBX_NO_MEMORY. May be NULL
 *  @return those of sbx_route_create(); SBX_PROVIDER_CAPACITY_EXHAUSTED: no launch was made; SBX_PROVIDER_PROVISIONING:
 *          a launch failed and nothing may follow; SBX_ACQUISITION_EXHAUSTED: something might follow, and nothing is
 *          left; SBX_MAPPING_STORE: before a launch with outcome NOT_SENT, after one with what became of its sandbox in
 *          err->cleanup. SBX_CLEANUP_UNCONFIRMED: sbx_router_reap() will see to it */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_provision(struct sbx_router *router,
                                                          const struct sbx_route_request *req,
                                                          const struct sbx_provision_options *opt,
                                                          const struct sbx_call *call, char *locator,
                                                          struct sbx_provision **report, struct sbx_error *err);

/** The same with launches that return before the sandbox is ready: only pools that declare SBX_CAP_DETACHED_LAUNCH. */
SBX_API SBX_MUST_USE enum sbx_status
sbx_router_provision_detached(struct sbx_router *router, const struct sbx_route_request *req,
                              const struct sbx_provision_options *opt, const struct sbx_call *call, char *locator,
                              struct sbx_provision **report, struct sbx_error *err);

/** The launches, in their order. @param out of a size that its caller has set @return 0 beyond the last */
SBX_API int sbx_provision_attempt(const struct sbx_provision *report, size_t index, struct sbx_attempt *out);
SBX_API size_t sbx_provision_attempt_count(const struct sbx_provision *report);
/** The pools that were rejected, or passed over for lack of room: an id, and SBX_REASON_BIT()s. NULL beyond the last.
 */
SBX_API const char *sbx_provision_rejected(const struct sbx_provision *report, size_t index, uint64_t *reasons);
SBX_API size_t sbx_provision_rejected_count(const struct sbx_provision *report);
/** The choice in words, as sbx_route_explain(); "" if it was never made. Lent. */
SBX_API const char *sbx_provision_explanation(const struct sbx_provision *report);
SBX_API void sbx_provision_free(struct sbx_provision *report);

#ifdef __cplusplus
}
#endif
#endif
