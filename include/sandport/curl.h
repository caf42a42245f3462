/* The production env: libcurl, the monotonic clock, getrandom, POSIX threads. Row P4. */
#ifndef SANDPORT_CURL_H
#define SANDPORT_CURL_H

#include <sandport/kit/env.h>

/** Zero is the default of every member. */
struct sbx_curl_options {
    size_t size;
    const char *ca_pem;        /* PEM text of the authorities to trust instead of the system's; NULL = the system's */
    const char *proxy;         /* e.g. "http://proxy:3128"; NULL = none. No environment variable is read */
    const char *connect_to;    /* curl's CONNECT_TO form, e.g. "::127.0.0.1:8080"; NULL = none. For tests and tunnels */
    int64_t connect_ms;        /* longest wait for one connection, 0 = 20,000 */
    int64_t idle_connection_s; /* a kept connection older than this is not used again, 0 = 50 */
    int32_t threads;           /* SBX_NO: run_all runs its tasks one after the other on the caller's thread */
    uint32_t header_bytes_max; /* 0 = 65,536 */
};

#define SBX_CURL_OPTIONS_INIT                                                                                          \
    { .size = sizeof(struct sbx_curl_options) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_curl_options_init(struct sbx_curl_options *opt, size_t size);

/** Makes the env. The first one calls curl_global_init(); docs/embedding.md says what follows for threads.
 *  @param opt may be NULL
 *  @param out yours: sbx_env_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_curl_env_create(const struct sbx_curl_options *opt, struct sbx_env **out);

#ifdef __cplusplus
}
#endif
#endif
