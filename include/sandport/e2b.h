/* E2B. Rows E1-E8; docs/e2b.md says what goes over the wire and how the three lifetimes are told apart. */
#ifndef SANDPORT_E2B_H
#define SANDPORT_E2B_H

#include <sandport/kit/env.h>
#include <sandport/router_pool.h>
#include <sandport/sandbox.h>

/** The official endpoint; only a caller passes it. */
#define SBX_E2B_ENDPOINT "https://api.e2b.app"

/** Which generation of the API creates and resumes. It is told, and never found out by trying. Stored as int32_t. */
enum sbx_e2b_api {
    SBX_E2B_API_DEFAULT = 0, /* v2 */
    SBX_E2B_API_V1 = 1,      /* POST /sandboxes, where a lifetime left out means 15 s */
    SBX_E2B_API_V2 = 2       /* POST /v2/sandboxes */
};

struct sbx_e2b_options {
    size_t size;
    const char *endpoint; /* required: the API base, e.g. SBX_E2B_ENDPOINT */
    const char *api_key;  /* required; copied, and kept nowhere else */
    /** Where sandboxes are reached; "{id}" in it stands for a sandbox's id, e.g. "https://49983-{id}.e2b.app", or
     * "https://sandbox.e2b.app", where headers alone tell sandboxes apart. NULL = https://49983-{id}.<domain>: the
     * domain that E2B names for the sandbox, else what follows "api." in the endpoint. */
    const char *sandbox_url;
    const char *template_id;     /* for launches that name no snapshot; NULL = "base" */
    int32_t api;                 /* enum sbx_e2b_api */
    int64_t run_budget_ms;       /* lifetime of a durable run whose caller says none; 0 = 30 min */
    int64_t sync_run_budget_ms;  /* lifetime of a command whose caller says none; 0 = run_budget_ms */
    int64_t sandbox_lifetime_ms; /* of a sandbox from its create, start or last command on; 0 = run_budget_ms */
    int64_t probe_window_ms;     /* how long a probe tries, 0 = 30,000 */
    int64_t create_horizon_ms;   /* a create may still take effect for so long, 0 = 75,000 */
    /** Sees each answer that was an error, with credentials removed, for debugging; may be NULL. */
    void (*debug)(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len);
    void *debug_ctx;
};

#define SBX_E2B_OPTIONS_INIT                                                                                           \
    { .size = sizeof(struct sbx_e2b_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_e2b_options_init(struct sbx_e2b_options *opt, size_t size);

/** Makes a runtime for one account. Sends nothing.
 *  @param env lent for the runtime's life
 *  @param out yours: sbx_runtime_free()
 *  @return SBX_INVALID_ARGUMENT with err->detail naming the member that is missing or malformed */
SBX_API SBX_MUST_USE enum sbx_status sbx_e2b_create(const struct sbx_e2b_options *opt, struct sbx_env *env,
                                                    struct sbx_runtime **out, struct sbx_error *err);

/** A pool for one account, with its credential: what a router takes. Sends nothing.
 *  @param pool as for sbx_pool_create(), without a runtime
 *  @param out  yours: sbx_pool_free(), which frees the runtime too */
SBX_API SBX_MUST_USE enum sbx_status sbx_e2b_pool(const struct sbx_e2b_options *account,
                                                  const struct sbx_pool_options *pool, struct sbx_env *env,
                                                  struct sbx_pool **out, struct sbx_error *err);

/** A classifier for what E2B refuses by its documents: quota, room and rate of a create, said before anything was made.
 *  Used only where it is passed: sbx_pool_options.classify. @param ctx not used */
SBX_API int sbx_e2b_classify(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out);

#ifdef __cplusplus
}
#endif
#endif
