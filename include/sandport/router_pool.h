/* A pool: one account of one provider as a source of sandboxes - a runtime, what it is declared to be, what it is
 * compared by. Immutable once made, so that any thread may read it. Rows R1, R20.
 *
 * An adapter's library makes one with its credential (sbx_daytona_pool, ...); a caller who has a runtime makes one
 * here. */
#ifndef SANDPORT_ROUTER_POOL_H
#define SANDPORT_ROUTER_POOL_H

#include <sandport/capacity.h>
#include <sandport/router_classify.h>
#include <sandport/router_profile.h>
#include <sandport/router_signals.h>

#define SBX_POOL_ID_SIZE 64 /* with its NUL */

struct sbx_pool;

/** Reads how much room an account has, in place of its runtime: for accounts whose quota is known elsewhere. It must
 *  tell the whole account's use and what one launch really needs, end by call->deadline_ms and heed call->cancel; an
 *  answer that comes later, or makes no sense, counts as unknown.
 *  @param out comes unknown and with its size @return SBX_OK, or why it could not be read */
typedef enum sbx_status (*sbx_capacity_fn)(void *ctx, const struct sbx_call *call, struct sbx_capacity *out);

struct sbx_pool_options {
    size_t size;
    const char *id;              /* required: 1 to 63 bytes of UTF-8 without control characters; what ties break by */
    struct sbx_runtime *runtime; /* required; lent, unless owns_runtime says otherwise */
    int32_t owns_runtime;        /* SBX_YES: freed with the pool. Not when the pool cannot be made */
    /** NULL = commands and file transfer, as far as the runtime declares them, and no other claim. */
    const struct sbx_profile *profile;
    const struct sbx_signals *signals; /* NULL = placeholders */
    /** What every launch begins with: snapshot, target, intervals, network, provider options. Name, labels, environment
     *  and ports belong to a request and are refused here. NULL = the runtime's defaults. */
    const struct sbx_launch_options *launch;
    const struct sbx_capacity_options *limits; /* verified ones, and what a launch needs; NULL = nothing is known */
    sbx_capacity_fn capacity;                  /* in place of the runtime's own reader and of `limits`; may be NULL */
    void *capacity_ctx;
    sbx_classify_fn classify; /* may a failed launch be followed by another? NULL = as the router was told */
    void *classify_ctx;
};

#define SBX_POOL_OPTIONS_INIT                                                                                          \
    { .size = sizeof(struct sbx_pool_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_pool_options_init(struct sbx_pool_options *opt, size_t size);

/** Makes a pool; all that `opt` points to but the runtime is copied. Sends nothing.
 *  @param out yours: sbx_pool_free()
 *  @return SBX_INVALID_ARGUMENT with err->detail naming the member: a bad id, a number that is none (NaN, infinite,
 *          negative, overflowing), an ability that the runtime does not declare */
SBX_API SBX_MUST_USE enum sbx_status sbx_pool_create(const struct sbx_pool_options *opt, struct sbx_pool **out,
                                                     struct sbx_error *err);

/** Frees it, and its runtime if it owns it; its sandboxes must have been freed. Nothing happens remotely. NULL is
 *  ignored. */
SBX_API void sbx_pool_free(struct sbx_pool *pool);

/* Lent by the pool. */
SBX_API const char *sbx_pool_id(const struct sbx_pool *pool);
SBX_API struct sbx_runtime *sbx_pool_runtime(const struct sbx_pool *pool);
SBX_API const struct sbx_profile *sbx_pool_profile(const struct sbx_pool *pool);
SBX_API const struct sbx_signals *sbx_pool_signals(const struct sbx_pool *pool);
/** All members that belong to a launch are unset. */
SBX_API const struct sbx_launch_options *sbx_pool_launch(const struct sbx_pool *pool);
/** How it judges failed launches; NULL if it does not. @param ctx set to the judge's own */
SBX_API sbx_classify_fn sbx_pool_classifier(const struct sbx_pool *pool, void **ctx);
/** 1: somebody gave its signals; 0: they are placeholders. */
SBX_API int sbx_pool_has_signals(const struct sbx_pool *pool);

/** Reads how much room its account has, now: by its own reader, else by sbx_runtime_capacity() with its limits. Changes
 *  nothing. Default deadline 5 s.
 *  @param out of a size that its caller has set; always filled: unknown with a reason if anything was wrong - the
 * reader failed, answered after the deadline, or said what cannot be */
SBX_API void sbx_pool_capacity(const struct sbx_pool *pool, const struct sbx_call *call, struct sbx_capacity *out);

#ifdef __cplusplus
}
#endif
#endif
