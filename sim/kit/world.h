/* The world: one virtual clock, one event queue with a stable tie order, fibers, and seeded chance with a stream per
 * purpose.
 *
 * Order: among fibers that are ready, the stream "schedule" draws who goes next; timers fire by time, then by the order
 * in which they were set. Nothing here knows of clouds or HTTP. Everything belongs to one thread. Whoever waits may do
 * so in a fiber or outside of one; outside, waiting runs the queue forward. */
#ifndef SIM_KIT_WORLD_H
#define SIM_KIT_WORLD_H

#include <sandport/status.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_MS       INT64_C(1000000)
#define SIM_SEC      (1000 * SIM_MS)
#define SIM_NEVER    INT64_MAX
#define SIM_EPOCH_MS INT64_C(1780315200000) /* wall time at virtual zero: 2026-06-01T12:00:00Z */

struct sim_world;
struct sim_waiter;

/** How a wait ended. */
enum sim_woken {
    SIM_WOKEN,
    SIM_TIMEOUT,
    SIM_ENDING /* the world is being freed: unwind and return, do not wait again */
};

/** Waiters in the order they came. Zeroed is empty; yours. */
struct sim_waitq {
    struct sim_waiter *first;
    struct sim_waiter *last;
};

/** A timer of yours: zeroed is idle. It must be cleared before its memory goes. */
struct sim_timer {
    int64_t when_ns;
    uint64_t seq;
    size_t slot; /* in the heap, 0 = idle */
    void (*fire)(void *arg);
    void *arg;
};

struct sim_world *sim_world_new(uint64_t seed);
/** Wakes every fiber with SIM_ENDING until all have returned. Timers and the clock stand still from then on. */
void sim_world_end(struct sim_world *w);
/** Ends the world if that has not been done, and frees it. */
void sim_world_free(struct sim_world *w);

int64_t sim_now(const struct sim_world *w); /* ns since the world began */
int64_t sim_wall_ms(const struct sim_world *w);

/** Starts a fiber; it runs when the scheduler picks it. */
enum sbx_status sim_spawn(struct sim_world *w, void (*run)(void *arg), void *arg);
int sim_ending(const struct sim_world *w);
/** Lets the other ready fibers go first. */
void sim_yield(struct sim_world *w);

/** While the world ends: lets the other fibers unwind, so that one can wait for those that use its stack. */
void sim_pause_ending(struct sim_world *w);

enum sim_woken sim_sleep_until(struct sim_world *w, int64_t when_ns);
enum sim_woken sim_wait(struct sim_world *w, struct sim_waitq *q, int64_t deadline_ns);
void sim_wake_all(struct sim_world *w, struct sim_waitq *q);

/** Setting a set timer moves it. A time in the past fires at once, in turn. @return SBX_NO_MEMORY */
enum sbx_status sim_timer_set(struct sim_world *w, struct sim_timer *t, int64_t when_ns, void (*fire)(void *arg),
                              void *arg);
void sim_timer_clear(struct sim_world *w, struct sim_timer *t);

/* Driving, from outside of fibers. */
/** Runs what is ready now, without moving the clock. @return how much ran */
size_t sim_run_ready(struct sim_world *w);
/** The next timer's time, SIM_NEVER if there is none. */
int64_t sim_next_ns(const struct sim_world *w);
/** Moves the clock to `ns`, firing on the way what is due, each at its own time. Never backwards. */
void sim_advance_to(struct sim_world *w, int64_t ns);
/** Fibers that have not returned. */
size_t sim_fiber_count(const struct sim_world *w);

/* Chance. A stream's draws depend on the seed and on the stream's own earlier draws alone. `stream` is a literal. */
uint64_t sim_draw(struct sim_world *w, const char *stream);
uint64_t sim_draw_below(struct sim_world *w, const char *stream, uint64_t n);
double sim_draw_unit(struct sim_world *w, const char *stream); /* [0, 1) */
void sim_draw_bytes(struct sim_world *w, const char *stream, void *buf, size_t len);
void sim_draw_uuid(struct sim_world *w, const char *stream, char out[37]); /* version 4 */
/** `len` lower-case letters and digits, and a NUL. */
void sim_draw_token(struct sim_world *w, const char *stream, char *out, size_t len);

#endif
