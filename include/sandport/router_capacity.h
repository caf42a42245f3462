/* How much room every account has, read at once. Side-effect free: nothing is created, started or remembered. Row R14.
 */
#ifndef SANDPORT_ROUTER_CAPACITY_H
#define SANDPORT_ROUTER_CAPACITY_H

#include <sandport/router.h>

struct sbx_capacity_report;

#ifdef __cplusplus
extern "C" {
#endif

/** Reads all pools of the registry side by side, each for at most sbx_router_options.capacity_timeout_ms. Default
 *  deadline for all of them 30 s. Works without a capacity order too.
 *  @param out yours: sbx_capacity_report_free(); by the bytes of the pools' ids. An account that cannot be read is in
 * it as unknown with the reason */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_capacity(struct sbx_router *router, const struct sbx_call *call,
                                                         struct sbx_capacity_report **out, struct sbx_error *err);

/** The same for one pool. @param out of a size that its caller has set @return SBX_NOT_FOUND if none has that id */
SBX_API SBX_MUST_USE enum sbx_status sbx_router_capacity_of(struct sbx_router *router, const char *pool_id,
                                                            const struct sbx_call *call, struct sbx_capacity *out,
                                                            struct sbx_error *err);

SBX_API size_t sbx_capacity_report_count(const struct sbx_capacity_report *report);
/** NULL beyond the end. Lent by the report. */
SBX_API const char *sbx_capacity_report_pool(const struct sbx_capacity_report *report, size_t index);
SBX_API const struct sbx_capacity *sbx_capacity_report_at(const struct sbx_capacity_report *report, size_t index);
SBX_API void sbx_capacity_report_free(struct sbx_capacity_report *report);

#ifdef __cplusplus
}
#endif
#endif
