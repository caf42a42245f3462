/* Marks for what sandport exports, and the numbers that stand for a choice left to the library. */
#ifndef SANDPORT_API_H
#define SANDPORT_API_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SBX_API                __attribute__((visibility("default")))
#define SBX_MUST_USE           __attribute__((warn_unused_result))
#define SBX_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define SBX_API
#define SBX_MUST_USE
#define SBX_PRINTF(fmt, first)
#endif

#define SBX_VERSION_MAJOR                      0
#define SBX_VERSION_MINOR                      1
#define SBX_VERSION_PATCH                      0
#define SBX_VERSION_TEXT                       SBX_VERSION_JOIN(SBX_VERSION_MAJOR, SBX_VERSION_MINOR, SBX_VERSION_PATCH) /* "0.1.0" */
#define SBX_VERSION_JOIN(major, minor, patch)  SBX_VERSION_QUOTE(major, minor, patch)
#define SBX_VERSION_QUOTE(major, minor, patch) #major "." #minor "." #patch

/** A choice in an open struct: zero leaves it to the documented default. Stored as int32_t. */
#define SBX_DEFAULT 0
#define SBX_YES     1
#define SBX_NO      2

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is linked, "MAJOR.MINOR.PATCH". Static text. */
SBX_API const char *sbx_version(void);

#ifdef __cplusplus
}
#endif
#endif
