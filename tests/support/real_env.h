/* An env over this machine's clock and threads, without requests: for tests of what is above the seam and needs none.
 */
#ifndef TESTS_SUPPORT_REAL_ENV_H
#define TESTS_SUPPORT_REAL_ENV_H

#include <sandport/kit/env.h>

/** NULL when memory runs out; sbx_env_free(). */
struct sbx_env *real_env_create(void);

#endif
