/* How long a call may take and what ends it early. */
#ifndef SANDPORT_CALL_H
#define SANDPORT_CALL_H

#include <sandport/status.h>

struct sbx_env;
struct sbx_cancel;

#define SBX_NO_DEADLINE INT64_MAX /* in deadline_ms: wait for ever */
#define SBX_NO_CLEANUP  (-1)      /* in cleanup_ms: leave what was made, report it */

/** Goes with every operation that can wait. NULL, or a member of 0, takes the operation's documented default.
 *  Work ends at the deadline or within 100 ms of a cancel; then at most cleanup_ms of clean-up follows, which cannot be
 *  cancelled. */
struct sbx_call {
    size_t size;
    int64_t deadline_ms;       /* absolute, on the env's monotonic clock */
    struct sbx_cancel *cancel; /* lent; may be NULL */
    int64_t cleanup_ms;        /* 0 = 30,000 */
};

#define SBX_CALL_INIT                                                                                                  \
    { .size = sizeof(struct sbx_call) }

#ifdef __cplusplus
extern "C" {
#endif

/** All defaults. @param size sizeof(struct sbx_call) */
SBX_API void sbx_call_init(struct sbx_call *call, size_t size);

/** All defaults, with a deadline `ms` milliseconds from now; negative counts as 0. */
SBX_API void sbx_call_init_after(struct sbx_call *call, size_t size, struct sbx_env *env, int64_t ms);

/** A cancel token: serves many calls, from any thread, any number of times. NULL when memory runs out.
 *  @param env must outlive the token */
SBX_API struct sbx_cancel *sbx_cancel_create(struct sbx_env *env);

/** Ends the calls that carry the token, and those still to be made. May be called from any thread, again and again. */
SBX_API void sbx_cancel_fire(struct sbx_cancel *cancel);

/** Frees the token; no call may be using it. */
SBX_API void sbx_cancel_free(struct sbx_cancel *cancel);

#ifdef __cplusplus
}
#endif
#endif
