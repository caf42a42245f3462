/* What a router decides and does, told as it happens. An observer never changes anything: what it returns is not looked
 * at. No event holds a credential or a provider's text. docs/router.md lists which members each kind has. Row R18. */
#ifndef SANDPORT_ROUTER_EVENT_H
#define SANDPORT_ROUTER_EVENT_H

#include <sandport/error.h>

/* Number (never reused), name, text. */
#define SBX_ROUTER_EVENT_LIST(X)                                                                                       \
    X(FILTERED, 1, "a pool was rejected")                                                                              \
    X(RANKED, 2, "a pool meets the request")                                                                           \
    X(CAPACITY_SKIPPED, 3, "a pool has no proven room, and was passed over without a launch")                          \
    X(ATTEMPT_STARTED, 4, "a launch is written down and begins")                                                       \
    X(ATTEMPT_SUCCEEDED, 5, "a launch made a sandbox")                                                                 \
    X(ATTEMPT_FAILED, 6, "a launch failed")                                                                            \
    X(RECONCILED, 7, "what became of a launch with an unknown outcome")                                                \
    X(NOT_RECONCILED, 8, "a launch with an unknown outcome cannot be looked up: the classifier's word stands")         \
    X(CLEANUP, 9, "a sandbox that was not handed out was to be deleted")                                               \
    X(MAPPED, 10, "a locator stands for a sandbox")                                                                    \
    X(STORE_FAILED, 11, "the mapping store failed")                                                                    \
    X(REPLACED, 12, "a start replaced the sandbox behind a locator")                                                   \
    X(DESTROYED, 13, "the sandbox behind a locator is gone")                                                           \
    X(CLAIMED, 14, "what another process left unfinished was taken over")                                              \
    X(REAPED, 15, "an unfinished launch was seen to")

#define SBX_ROUTER_EVENT_ENUM(name, number, text) SBX_EVENT_##name = (number),
enum sbx_router_event_kind { SBX_ROUTER_EVENT_LIST(SBX_ROUTER_EVENT_ENUM) };
#undef SBX_ROUTER_EVENT_ENUM

/** Texts are "" where they say nothing; all are lent for the call. */
struct sbx_router_event {
    size_t size;
    int32_t kind; /* enum sbx_router_event_kind */
    const char *pool_id;
    const char *provider;
    const char *request; /* the name that the caller gave to the request */
    const char *acquisition;
    const char *locator;
    const char *sandbox_id;
    const char *code;       /* ATTEMPT_FAILED: the classifier's */
    uint64_t reasons;       /* FILTERED, CAPACITY_SKIPPED: SBX_REASON_BIT()s */
    int64_t retry_after_ms; /* ATTEMPT_FAILED: -1 = not said */
    int32_t place;          /* RANKED: from 1 */
    int32_t attempt;        /* which launch of its request, from 1; 0 = none */
    int32_t status;         /* enum sbx_status of what failed */
    int32_t outcome;        /* enum sbx_outcome */
    int32_t http_status;
    int32_t retryable;       /* ATTEMPT_FAILED: 1 = another pool may be tried */
    int32_t capacity_reason; /* CAPACITY_SKIPPED: enum sbx_capacity_reason */
    int32_t verdict;         /* RECONCILED: enum sbx_reconcile_verdict */
    int32_t done;            /* CLEANUP, REAPED: 1 = nothing is left */
};

typedef void (*sbx_observer_fn)(void *ctx, const struct sbx_router_event *event);

#ifdef __cplusplus
extern "C" {
#endif

/** "ATTEMPT_FAILED" for SBX_EVENT_ATTEMPT_FAILED; "UNKNOWN" for a number that is none. Static text. */
SBX_API const char *sbx_router_event_name(int32_t kind);

#ifdef __cplusplus
}
#endif
#endif
