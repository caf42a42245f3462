/* Pieces of an env on a POSIX system, for whoever writes one: the clocks, randomness, counted locks, tasks on threads.
 * The production env over libcurl and the one of sandport/posix.h are made of them. Row P4. */
#ifndef SANDPORT_KIT_POSIX_H
#define SANDPORT_KIT_POSIX_H

#include <sandport/kit/env.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Milliseconds of the monotonic clock, and since 1970. */
SBX_API int64_t sbx_posix_now_ms(void);
SBX_API int64_t sbx_posix_wall_ms(void);

/** Milliseconds from now to `when_ms` as poll takes them: 0 if it has come, at most a minute. */
SBX_API int sbx_posix_poll_ms(int64_t when_ms);

/** Fills `buf` from the system's source. @return SBX_OK or SBX_PROVIDER */
SBX_API enum sbx_status sbx_posix_random(void *buf, size_t len);

/** Locks, counted for each thread. NULL when memory runs out. */
SBX_API struct sbx_lock *sbx_posix_lock_new(void);
SBX_API void sbx_posix_lock_free(struct sbx_lock *lock);
SBX_API void sbx_posix_lock(struct sbx_lock *lock);
SBX_API void sbx_posix_unlock(struct sbx_lock *lock);

/** Sets what of an env's table needs nothing of the env's own: now_ms, wall_ms, random and the locks, by the above. */
SBX_API void sbx_posix_env_fill(struct sbx_env *table);

/** How many of them this thread holds. Must be 0 wherever it may wait. */
SBX_API int sbx_posix_locks_held(void);

/** Runs the tasks on the caller's thread and up to `width` - 1 others, which end before it returns. */
SBX_API void sbx_posix_run_all(const struct sbx_task *tasks, size_t n, size_t width);

#ifdef __cplusplus
}
#endif
#endif
