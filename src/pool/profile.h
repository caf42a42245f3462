/* Profiles inside the room of pools. */
#ifndef SRC_POOL_PROFILE_H
#define SRC_POOL_PROFILE_H

#include <sandport/kit/pool.h>

/** Is all of it a claim that can be made, and no ability in it that the runtime lacks? Names what is wrong. */
enum sbx_status sbx_profile_check(const struct sbx_profile *profile, uint64_t runtime_caps, struct sbx_error *err);

/** A copy with its lists. @return the memory that they are in, to be freed; NULL when it runs out */
void *sbx_profile_copy(struct sbx_profile *to, const struct sbx_profile *from);

#endif
