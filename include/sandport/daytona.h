/* Daytona. Source of provider facts: docs/providers/daytona.md. Rows D1-D22 as far as docs/requirements.md says. */
#ifndef SANDPORT_DAYTONA_H
#define SANDPORT_DAYTONA_H

#include <sandport/kit/env.h>
#include <sandport/router_pool.h>
#include <sandport/sandbox.h>

/** The official endpoint; only a caller passes it. */
#define SBX_DAYTONA_ENDPOINT "https://app.daytona.io/api"

struct sbx_daytona_options {
    size_t size;
    const char *endpoint;             /* required: the API base with its /api, e.g. SBX_DAYTONA_ENDPOINT */
    const char *api_key;              /* required; copied, and kept nowhere else */
    const char *organization_id;      /* required with a JWT as api_key, refused with an API key, which has its own */
    const char *snapshot;             /* for launches that name none; NULL = Daytona's default */
    const char *target;               /* region for launches that name none; NULL = the organisation's default */
    int32_t recreate_on_failed_start; /* SBX_DEFAULT = SBX_YES: start() may replace a sandbox proven dead */
    int64_t probe_window_ms;          /* how long a probe tries, 0 = 30,000 */
    int64_t create_horizon_ms;        /* a create may still take effect for so long, 0 = 60,000 */
    /** Sees each answer that was an error, with credentials removed, for debugging; may be NULL. */
    void (*debug)(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len);
    void *debug_ctx;
};

#define SBX_DAYTONA_OPTIONS_INIT                                                                                       \
    { .size = sizeof(struct sbx_daytona_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_daytona_options_init(struct sbx_daytona_options *opt, size_t size);

/** Makes a runtime for one account. Sends nothing.
 *  @param env lent for the runtime's life
 *  @param out yours: sbx_runtime_free()
 *  @return SBX_INVALID_ARGUMENT with err->detail naming the member that is missing or malformed */
SBX_API SBX_MUST_USE enum sbx_status sbx_daytona_create(const struct sbx_daytona_options *opt, struct sbx_env *env,
                                                        struct sbx_runtime **out, struct sbx_error *err);

/** A pool for one account, with its credential: what a router takes. Sends nothing.
 *  @param pool as for sbx_pool_create(), without a runtime
 *  @param out  yours: sbx_pool_free(), which frees the runtime too */
SBX_API SBX_MUST_USE enum sbx_status sbx_daytona_pool(const struct sbx_daytona_options *account,
                                                      const struct sbx_pool_options *pool, struct sbx_env *env,
                                                      struct sbx_pool **out, struct sbx_error *err);

/** A classifier for what Daytona refuses by its documents: quota, room and rate of a create, said before anything was
 * made. Used only where it is passed: sbx_pool_options.classify. @param ctx not used */
SBX_API int sbx_daytona_classify(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out);

#ifdef __cplusplus
}
#endif
#endif
