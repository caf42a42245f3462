/* Whose turn it is: callers of one thing, one after the other, in the order they came, without a lock held meanwhile.
 */
#ifndef SRC_PORT_TURN_H
#define SRC_PORT_TURN_H

#include <sandport/kit/env.h>

struct turn_waiter;

/** Zeroed is free. Guarded by the lock that is given to each function. */
struct turn {
    int taken;
    struct turn_waiter *first;
    struct turn_waiter *last;
};

/** Waits for the turn. @return SBX_OK when it is the caller's, SBX_DEADLINE, SBX_CANCELLED, SBX_NO_MEMORY */
enum sbx_status sbx_turn_take(struct turn *turn, struct sbx_env *env, struct sbx_lock *lock,
                              const struct sbx_call *call);
void sbx_turn_give(struct turn *turn, struct sbx_env *env, struct sbx_lock *lock);

#endif
