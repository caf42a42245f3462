/* Timers in a heap by time, then by the order in which they were set. */
#ifndef SIM_KIT_TIMERS_H
#define SIM_KIT_TIMERS_H

#include "sim/kit/world.h"

struct sim_timers {
    struct sim_timer **heap; /* heap[1] is the next; slot 0 is not used, so that slot 0 says idle */
    size_t count;
    size_t cap;
    uint64_t seq;
    size_t kept; /* slots that only kept timers may take */
};

/** Keeps a slot, or gives one back: setting a timer that has one kept for it cannot fail. @return SBX_NO_MEMORY */
enum sbx_status sim_timers_keep(struct sim_timers *timers);
void sim_timers_unkeep(struct sim_timers *timers);
/** For a timer that a slot is kept for. */
void sim_timers_set_kept(struct sim_timers *timers, struct sim_timer *t, int64_t when_ns, void (*fire)(void *arg),
                         void *arg);

/** @return SBX_NO_MEMORY */
enum sbx_status sim_timers_set(struct sim_timers *timers, struct sim_timer *t, int64_t when_ns, void (*fire)(void *arg),
                               void *arg);
void sim_timers_clear(struct sim_timers *timers, struct sim_timer *t);
/** The next to fire, NULL if there is none. */
struct sim_timer *sim_timers_next(const struct sim_timers *timers);
void sim_timers_finish(struct sim_timers *timers);

#endif
