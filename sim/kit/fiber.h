/* Fibers: stacks of their own that one thread switches between. Nothing here knows of time or of who goes next. */
#ifndef SIM_KIT_FIBER_H
#define SIM_KIT_FIBER_H

#include <stddef.h>

struct sim_fiber;
struct sim_fibers; /* the thread's side: where a fiber switches back to, and stacks kept for the next */

struct sim_fibers *sim_fibers_new(void);
/** No fiber may be alive. */
void sim_fibers_free(struct sim_fibers *fibers);

/** @return NULL when there is no memory for a stack */
struct sim_fiber *sim_fiber_new(struct sim_fibers *fibers, void (*run)(void *arg), void *arg);

/** Frees one that has never run. NULL is ignored. */
void sim_fiber_drop(struct sim_fiber *fiber);

/** Runs it until it pauses or returns. From outside of fibers only. @return 1 once it has returned: it is freed then */
int sim_fiber_resume(struct sim_fiber *fiber);

/** Back to whoever resumed it. From inside only. */
void sim_fiber_pause(struct sim_fiber *fiber);

#endif
