/* Open structs of callers of any release: how one begins, and how one is taken. Each starts with its size. */
#ifndef SANDPORT_KIT_OPTIONS_H
#define SANDPORT_KIT_OPTIONS_H

#include <sandport/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Zeroes `size` bytes and writes the size at their beginning. NULL, or fewer bytes than a size, is ignored. */
SBX_API void sbx_options_init(void *opt, size_t size);

/** Takes a caller's open struct of any release: copies the part that both know over the defaults in `to`.
 *  @return SBX_INVALID_ARGUMENT if it is smaller than the first release's, or has something set that this release does
 * not know */
SBX_API SBX_MUST_USE enum sbx_status sbx_options_take(void *to, size_t size, const void *from, size_t size_first);

#ifdef __cplusplus
}
#endif
#endif
