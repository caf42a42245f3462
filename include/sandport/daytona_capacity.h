/* A Daytona organisation's room for people: totals against limits, with thresholds, and the idle sandboxes of one's own
 * workspace. For display alone: what decides about launches is sbx_runtime_capacity(), which takes nothing on trust.
 * Row R16. */
#ifndef SANDPORT_DAYTONA_CAPACITY_H
#define SANDPORT_DAYTONA_CAPACITY_H

#include <sandport/capacity.h>
#include <sandport/daytona.h>

struct sbx_daytona_summary_options {
    size_t size;
    const struct sbx_capacity_options *limits; /* verified ones; NULL = none, and every level is "unknown" */
    const char *limits_source; /* where they are from, for people: "contract of May"; NULL = "not said" */
    int32_t warning_percent;   /* of a limit in use; 0 = 80 */
    int32_t critical_percent;  /* 0 = 95; more than warning_percent */
    /** Whose sandboxes are one's own: those that carry it are told one by one when they are idle. NULL = nobody's, and
     *  of others nothing but the sum is told. */
    const struct sbx_pair *workspace;
};

#define SBX_DAYTONA_SUMMARY_OPTIONS_INIT                                                                               \
    { .size = sizeof(struct sbx_daytona_summary_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_daytona_summary_options_init(struct sbx_daytona_summary_options *opt, size_t size);

/** Reads limits as people keep them, in Daytona's own units:
 *      {"cpu": 250, "memory_gib": 500, "disk_gib": 2000, "demand": {"cpu": 2, "memory_gib": 4, "disk_gib": 8}}
 *  Every member may be left out but not all limits; a demand needs its limit. Strict: anything else is refused.
 *  @param out of a size that its caller has set: what sbx_pool_options.limits takes, in MiB; untouched on failure
 *  @return SBX_INVALID_ARGUMENT with err->detail naming the member */
SBX_API SBX_MUST_USE enum sbx_status sbx_daytona_limits_parse(const char *json, size_t len,
                                                              struct sbx_capacity_options *out, struct sbx_error *err);

/** Sums the organisation's list, and says it in JSON:
 *      {"level": "warning", "thresholds": {"warning": 80, "critical": 95},
 *       "limits": {"source": "contract of May"},
 *       "totals": {"sandboxes": 12, "running": 9, "coerced": 0,
 *                  "cpu": {"used": 21, "limit": 25, "percent": 84, "level": "warning"}, "memory_mib": .., "disk_mib":
 * ..}, "workspace": {"label": "team=blue", "sandboxes": 2, "idle": [{"id": "..", "name": "..", "state": "stopped",
 * "last_activity": ".."}]}, "provisioning_check": "not_covered"} An amount that the list does not give as a number is
 * taken as the number that its text is, else as 0, and counted in "coerced". Idle is what is stopped, paused or
 * archived. "level" is the worst of the three; "unknown" where there is no limit. Whether a sandbox could be made now
 * is not checked.
 *
 *  Reads and changes nothing. Default deadline 10 s.
 *  @param rt   a runtime of Daytona's
 *  @param opt  may be NULL
 *  @param json text, yours: sbx_text_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_daytona_capacity_summary(struct sbx_runtime *rt,
                                                                  const struct sbx_daytona_summary_options *opt,
                                                                  const struct sbx_call *call, char **json,
                                                                  struct sbx_error *err);

#ifdef __cplusplus
}
#endif
#endif
