/* Turns: the one who ends hands over to the first in the queue, so that nobody can slip in between. */
#include "src/port/turn.h"

struct turn_waiter {
    struct turn_waiter *next;
    struct sbx_event *event;
    int granted;
};

static void turn_append(struct turn *turn, struct turn_waiter *waiter) {
    if (turn->last)
        turn->last->next = waiter;
    else
        turn->first = waiter;
    turn->last = waiter;
}

static void turn_remove(struct turn *turn, struct turn_waiter *waiter) {
    struct turn_waiter *before = NULL, *at = turn->first;
    while (at && at != waiter) {
        before = at;
        at = at->next;
    }
    if (!at) return;
    if (before)
        before->next = at->next;
    else
        turn->first = at->next;
    if (turn->last == at) turn->last = before;
}

static int turn_try(struct turn *turn, struct sbx_env *env, struct sbx_lock *lock, struct turn_waiter *waiter) {
    env->lock(env, lock);
    int got = !turn->taken;
    if (got)
        turn->taken = 1;
    else if (waiter)
        turn_append(turn, waiter);
    env->unlock(env, lock);
    return got;
}

enum sbx_status sbx_turn_take(struct turn *turn, struct sbx_env *env, struct sbx_lock *lock,
                              const struct sbx_call *call) {
    struct turn_waiter waiter = {0};
    if (turn_try(turn, env, lock, NULL)) return SBX_OK;
    waiter.event = env->event_new(env);
    if (!waiter.event) return SBX_NO_MEMORY;
    enum sbx_status st = SBX_OK;
    if (!turn_try(turn, env, lock, &waiter)) {
        st = env->event_wait(env, waiter.event, call->deadline_ms, sbx_cancel_event(call->cancel));
        env->lock(env, lock);
        int granted = waiter.granted;
        if (!granted) turn_remove(turn, &waiter);
        env->unlock(env, lock);
        if (granted && st) {
            /* It was given to us as we gave up. Who gave it may still be setting the event: wait for that, then pass
             * on. */
            (void)!env->event_wait(env, waiter.event, SBX_NO_DEADLINE, NULL);
            sbx_turn_give(turn, env, lock);
        }
    }
    env->event_free(env, waiter.event);
    return st;
}

void sbx_turn_give(struct turn *turn, struct sbx_env *env, struct sbx_lock *lock) {
    struct sbx_event *event = NULL;
    env->lock(env, lock);
    struct turn_waiter *next = turn->first;
    if (next) {
        turn->first = next->next;
        if (!turn->first) turn->last = NULL;
        next->granted = 1;
        event = next->event;
    } else {
        turn->taken = 0;
    }
    env->unlock(env, lock);
    if (event) env->event_set(env, event);
}
