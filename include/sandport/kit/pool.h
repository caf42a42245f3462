/* What pools and requests are checked with: the words and bits that both use. For adapters with a pool of their own,
 * and for registries. */
#ifndef SANDPORT_KIT_POOL_H
#define SANDPORT_KIT_POOL_H

#include <sandport/router_pool.h>

#define SBX_TIMEOUT_ALL (SBX_TIMEOUT_REQUEST | SBX_TIMEOUT_COMMAND_LIFETIME | SBX_TIMEOUT_SANDBOX_LIFETIME)

#ifdef __cplusplus
extern "C" {
#endif

/** A pool over a runtime that was made for it: what an adapter's sbx_<provider>_pool() ends with.
 *  @param take_runtime owned by the pool from then on, and freed when there is to be none
 *  @param opt as for sbx_pool_create(), without a runtime */
SBX_API SBX_MUST_USE enum sbx_status sbx_pool_over(struct sbx_runtime **take_runtime,
                                                   const struct sbx_pool_options *opt, struct sbx_pool **out,
                                                   struct sbx_error *err);

/** Is it 1 to bytes_max bytes of UTF-8 without control characters? */
SBX_API int sbx_is_word(const char *text, size_t bytes_max);

/** A list that a profile or a request may hold: at most SBX_LIST_COUNT_MAX words of SBX_LIST_BYTES_MAX. */
SBX_API int sbx_is_word_list(const char *const *words, size_t count);

/** Has every bit that is set a name? */
SBX_API int sbx_features_known(uint64_t bits);

#ifdef __cplusplus
}
#endif
#endif
