/* Memory that runs out on demand, for the library's own code: the n-th request is refused, or every one from then on.
 *
 * A program that links this has malloc and its kin wrapped at link time, and cJSON's and libcrypto's allocators set.
 * Requests are counted only while armed and on that thread, and not while the mask is on: short_memory_env() masks what
 * an env does by itself, since a simulation in the same process must not be the one to run out. An env's own ways to
 * say that memory ran out count as requests too: lock_new, event_new, and an exchange twice, before it begins and once
 * it has ended. */
#ifndef TESTS_SUPPORT_SHORT_MEMORY_H
#define TESTS_SUPPORT_SHORT_MEMORY_H

#include <sandport/kit/env.h>

enum short_memory { MEMORY_SHORT_ONCE, MEMORY_SHORT_FROM_THEN_ON };

/** From now on request number `nth`, from 1, is refused; with 0 none is. */
void short_memory_arm(int64_t nth, enum short_memory how);

/** Of the requests that cJSON makes in a row for one tree only the first `max` count from now on; 0 = all. What happens
 * when one of them is refused is the same for each, and a tree has hundreds. */
void short_memory_tree_max(int64_t max);

/** Ends it. @return how many requests were refused */
int64_t short_memory_disarm(void);

/** From now on `freed` sees each block that library code gives back, on this thread and while the mask is off, before
 * it goes: by free, and by a realloc, which may move it. NULL ends it. */
void short_memory_watch(void (*freed)(const void *block, size_t size));

/** Puts the mask on or off, around what is not library code. @return as it was */
int short_memory_mask(int masked);

/** `inner` with the mask on during each of its functions, and off in what they call back. Frees with
 * sbx_env_free(), without `inner`. */
struct sbx_env *short_memory_env(struct sbx_env *inner);

#endif
