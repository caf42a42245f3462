/* Sandboxes by their locators: every call goes to the account that the sandbox was made in, and nowhere else. Rows R9,
 * R11, D6.
 *
 * All as in the port (sandbox.h, run.h), with a locator in the place of a handle; each attaches first, which is a read.
 * SBX_UNKNOWN_LOCATOR: nothing was ever known by it, or what was is destroyed. SBX_MAPPING_STORE: the store failed.
 * SBX_INVALID_ARGUMENT, SBX_UNSUPPORTED, SBX_NO_MEMORY with outcome NONE or NOT_SENT: as in the port. Every other
 * failure is SBX_PROVIDER_RUNTIME with the port's status in err->cause. */
#ifndef SANDPORT_ROUTER_SANDBOX_H
#define SANDPORT_ROUTER_SANDBOX_H

#include <sandport/router.h>

/** What the mapping says. The caller gives its size. */
struct sbx_description {
    size_t size;
    char pool_id[SBX_POOL_SIZE];
    char provider[24];
    char sandbox_id[SBX_ID_SIZE];
    char acquisition[SBX_ACQUISITION_SIZE];
    char request[SBX_POOL_SIZE];
};

#define SBX_DESCRIPTION_INIT                                                                                           \
    { .size = sizeof(struct sbx_description) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_description_init(struct sbx_description *description, size_t size);

/** Where it is. Sends nothing to the provider unless `info` is given.
 *  @param info what the provider says of it now, yours: sbx_info_free(); NULL = it is not asked */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_describe(struct sbx_router *router, const char *locator,
                                                         const struct sbx_call *call, struct sbx_description *out,
                                                         struct sbx_info **info, struct sbx_error *err);

SBX_API SBX_MUST_USE enum sbx_status sbx_router_exec(struct sbx_router *router, const char *locator,
                                                     const char *command, const struct sbx_exec_options *opt,
                                                     const struct sbx_call *call, struct sbx_exec_result **out,
                                                     struct sbx_error *err);

SBX_API SBX_MUST_USE enum sbx_status sbx_router_submit(struct sbx_router *router, const char *locator,
                                                       const char *run_id, const char *command,
                                                       const struct sbx_run_options *opt, const struct sbx_call *call,
                                                       struct sbx_run_status *status, struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_router_poll(struct sbx_router *router, const char *locator, const char *run_id,
                                                     const struct sbx_call *call, struct sbx_run_status *status,
                                                     struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_router_read_logs(struct sbx_router *router, const char *locator,
                                                          const char *run_id, const struct sbx_log_options *opt,
                                                          const struct sbx_call *call, struct sbx_log **out,
                                                          struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_router_kill_run(struct sbx_router *router, const char *locator,
                                                         const char *run_id, const struct sbx_call *call,
                                                         struct sbx_run_status *status, struct sbx_error *err);

SBX_API SBX_MUST_USE enum sbx_status sbx_router_upload(struct sbx_router *router, const char *locator, const char *path,
                                                       const struct sbx_reader *from,
                                                       const struct sbx_transfer_options *opt,
                                                       const struct sbx_call *call, struct sbx_transfer_result *result,
                                                       struct sbx_error *err);
SBX_API SBX_MUST_USE enum sbx_status sbx_router_download(struct sbx_router *router, const char *locator,
                                                         const char *path, const struct sbx_sink *to,
                                                         const struct sbx_transfer_options *opt,
                                                         const struct sbx_call *call,
                                                         struct sbx_transfer_result *result, struct sbx_error *err);

SBX_API SBX_MUST_USE enum sbx_status sbx_router_stop(struct sbx_router *router, const char *locator,
                                                     const struct sbx_stop_options *opt, const struct sbx_call *call,
                                                     struct sbx_error *err);

/** Starts it. One that is proven dead may be replaced, as the runtime's options say and opt->replace; the replacement
 * is written down before it is made, and the locator leads to it before this returns. If that cannot be stored, the
 *  replacement is deleted: SBX_MAPPING_STORE, with err->cleanup. */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_start(struct sbx_router *router, const char *locator,
                                                      const struct sbx_start_options *opt, const struct sbx_call *call,
                                                      struct sbx_start_result *result, struct sbx_error *err);

/** Deletes the sandbox. One that is gone already, or was destroyed before, is success. Never deletes in another
 * account. After a failure the next call, or a reaper, goes on with it; the locator leads nowhere from then on.
 * Credentials that are not ready (sbx_router_options.ready) never stand in the way. */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_destroy(struct sbx_router *router, const char *locator,
                                                        const struct sbx_call *call, struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
