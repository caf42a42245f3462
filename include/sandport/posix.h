/* An env without a network: the system's clocks, its randomness, POSIX threads. For runtimes on this machine, which
 * send no requests. Row P6: it needs no libcurl. */
#ifndef SANDPORT_POSIX_H
#define SANDPORT_POSIX_H

#include <sandport/kit/env.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes the env. Every exchange ends as SBX_EVIDENCE_CONNECT with nothing sent, a malformed one as
 *  SBX_EVIDENCE_PROTOCOL.
 *  @param out yours: sbx_env_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_posix_env_create(struct sbx_env **out);

#ifdef __cplusplus
}
#endif
#endif
