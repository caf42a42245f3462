/* May a failed launch be followed by one from another pool? Only whoever knows the provider can say so, and nobody has
 * to: without a classifier every failure ends the request. Row R7. */
#ifndef SANDPORT_ROUTER_CLASSIFY_H
#define SANDPORT_ROUTER_CLASSIFY_H

#include <sandport/error.h>
#include <sandport/runtime.h>

#define SBX_CODE_SIZE 64 /* with its NUL */

/** A launch that failed. Lent for the call. */
struct sbx_launch_failure {
    size_t size;
    const char *pool_id;
    const char *provider;
    const struct sbx_error *error; /* the adapter's: status, outcome, HTTP status, retry-after; no provider's text */
};

/** What is made of it. It comes with its size, and says no. */
struct sbx_classification {
    size_t size;
    int32_t retryable;        /* 1: proven to have allocated nothing, so another pool may be tried */
    char code[SBX_CODE_SIZE]; /* an identifier: capital letters, digits and _, a letter first */
};

/** @return anything but 0 = it failed: the launch's failure ends the request, as with a code that is no identifier */
typedef int (*sbx_classify_fn)(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out);

#ifdef __cplusplus
extern "C" {
#endif

/** For classifiers of adapters: a failure of that provider that it REFUSED for lack of quota, of room, or for too many
 *  requests is retryable, as PROVIDER_QUOTA_REFUSED, PROVIDER_CAPACITY_REFUSED, PROVIDER_RATE_REFUSED; every other is
 *  PROVIDER_LAUNCH_FAILED and not.
 *  @return 0 */
SBX_API int sbx_classify_refusals(const char *provider, const struct sbx_launch_failure *failure,
                                  struct sbx_classification *out);

#ifdef __cplusplus
}
#endif
#endif
