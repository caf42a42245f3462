/* What every launch of a pool begins with. */
#ifndef SRC_POOL_LAUNCH_H
#define SRC_POOL_LAUNCH_H

#include <sandport/kit/pool.h>

/** @return SBX_INVALID_ARGUMENT for what belongs to one launch and not to a pool, with the member in err->detail */
enum sbx_status sbx_pool_launch_check(const struct sbx_launch_options *opt, struct sbx_error *err);

/** A copy with all that it points to. @return the memory that it is in; NULL when it runs out */
void *sbx_pool_launch_copy(struct sbx_launch_options *to, const struct sbx_launch_options *from);

#endif
