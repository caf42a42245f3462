/* An env for tests of what runs real processes: the real clock, randomness, locks and events, and no exchange. A sleep
 * takes no time: the clock jumps. */
#ifndef TESTS_SUPPORT_REAL_ENV_H
#define TESTS_SUPPORT_REAL_ENV_H

#include <sandport/kit/env.h>

/** Free with sbx_env_free(). Fails the test when memory runs out. */
struct sbx_env *real_env_create(void);

/** Called with every run of random bytes that is given out. */
void real_env_watch_random(struct sbx_env *env, void (*watch)(void *ctx, const void *bytes, size_t len), void *ctx);

#endif
