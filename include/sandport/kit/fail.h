/* How a failure is told: status, outcome and our own words, set in one place. */
#ifndef SANDPORT_KIT_FAIL_H
#define SANDPORT_KIT_FAIL_H

#include <sandport/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sets status, outcome and detail, and gives the status back. `err` NULL is harmless; `fmt` NULL leaves the detail.
 * The detail names the field, member or route that was wrong and what was expected; never a provider's text. */
SBX_API enum sbx_status sbx_fail(struct sbx_error *err, enum sbx_status status, enum sbx_outcome outcome,
                                 const char *fmt, ...) SBX_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif
#endif
