/* What a provider says of a sandbox, as it was when it was read. Texts are lent by the info. */
#ifndef SANDPORT_INFO_H
#define SANDPORT_INFO_H

#include <sandport/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

SBX_API const char *sbx_info_id(const struct sbx_info *info);
SBX_API const char *sbx_info_name(const struct sbx_info *info);        /* "" if the provider has none */
SBX_API const char *sbx_info_snapshot(const struct sbx_info *info);    /* "" if not said */
SBX_API const char *sbx_info_target(const struct sbx_info *info);      /* region; "" if not said */
SBX_API int32_t sbx_info_state(const struct sbx_info *info);           /* enum sbx_state */
SBX_API const char *sbx_info_state_text(const struct sbx_info *info);  /* the provider's own word */
SBX_API const char *sbx_info_work_dir(const struct sbx_info *info);    /* where commands start; "" if not asked yet */
SBX_API const char *sbx_info_acquisition(const struct sbx_info *info); /* of its launch; "" if it has none of ours */
SBX_API double sbx_info_cpu(const struct sbx_info *info);              /* vCPU; 0 if not said */
SBX_API int64_t sbx_info_memory_mib(const struct sbx_info *info);
SBX_API int64_t sbx_info_disk_mib(const struct sbx_info *info);
SBX_API size_t sbx_info_label_count(const struct sbx_info *info);
SBX_API const char *sbx_info_label_name(const struct sbx_info *info, size_t index);
SBX_API const char *sbx_info_label_value(const struct sbx_info *info, size_t index);
/** The value of a label, NULL if it has no such. */
SBX_API const char *sbx_info_label(const struct sbx_info *info, const char *name);
/** What only this provider knows, by its adapter's documented names (Daytona: "sandboxClass", "warmPoolId",
 *  "autoDestroyAt", "autoPauseInterval", "spot", ...) as text; NULL if not said. */
SBX_API const char *sbx_info_extra(const struct sbx_info *info, const char *name);
/** The env's monotonic time of the read. */
SBX_API int64_t sbx_info_read_ms(const struct sbx_info *info);
SBX_API void sbx_info_free(struct sbx_info *info);

/** "RUNNING" for SBX_STATE_RUNNING. Static text. */
SBX_API const char *sbx_state_name(int32_t state);

#ifdef __cplusplus
}
#endif
#endif
