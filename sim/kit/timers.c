/* A binary heap whose timers know their own slot, so that one can be moved or cleared in place. */
#include "sim/kit/timers.h"

#include <stdlib.h>

static int timer_before(const struct sim_timer *a, const struct sim_timer *b) {
    return a->when_ns != b->when_ns ? a->when_ns < b->when_ns : a->seq < b->seq;
}

static void heap_put(struct sim_timers *timers, size_t slot, struct sim_timer *t) {
    timers->heap[slot] = t;
    t->slot = slot;
}

static void heap_up(struct sim_timers *timers, struct sim_timer *t) {
    size_t slot = t->slot;
    while (slot > 1 && timer_before(t, timers->heap[slot / 2])) {
        heap_put(timers, slot, timers->heap[slot / 2]);
        slot /= 2;
    }
    heap_put(timers, slot, t);
}

static void heap_down(struct sim_timers *timers, struct sim_timer *t) {
    size_t slot = t->slot;
    for (;;) {
        size_t child = slot * 2;
        if (child > timers->count) break;
        if (child < timers->count && timer_before(timers->heap[child + 1], timers->heap[child])) child++;
        if (!timer_before(timers->heap[child], t)) break;
        heap_put(timers, slot, timers->heap[child]);
        slot = child;
    }
    heap_put(timers, slot, t);
}

/* Slots for all that are set, `more` others, and those kept, which counts a kept timer that is set twice. */
static int heap_room(struct sim_timers *timers, size_t more) {
    size_t need = timers->count + timers->kept + more + 1;
    if (need <= timers->cap) return 1;
    size_t cap = need < 64 ? 64 : need * 2;
    struct sim_timer **heap = realloc(timers->heap, cap * sizeof(*heap));
    if (!heap) return 0;
    timers->heap = heap;
    timers->cap = cap;
    return 1;
}

enum sbx_status sim_timers_keep(struct sim_timers *timers) {
    if (!heap_room(timers, 1)) return SBX_NO_MEMORY;
    timers->kept++;
    return SBX_OK;
}

void sim_timers_unkeep(struct sim_timers *timers) {
    timers->kept--;
}

void sim_timers_set_kept(struct sim_timers *timers, struct sim_timer *t, int64_t when_ns, void (*fire)(void *arg),
                         void *arg) {
    t->when_ns = when_ns;
    t->seq = ++timers->seq;
    t->fire = fire;
    t->arg = arg;
    if (!t->slot) heap_put(timers, ++timers->count, t);
    heap_up(timers, t);
    heap_down(timers, t);
}

enum sbx_status sim_timers_set(struct sim_timers *timers, struct sim_timer *t, int64_t when_ns, void (*fire)(void *arg),
                               void *arg) {
    if (!t->slot && !heap_room(timers, 1)) return SBX_NO_MEMORY;
    sim_timers_set_kept(timers, t, when_ns, fire, arg);
    return SBX_OK;
}

void sim_timers_clear(struct sim_timers *timers, struct sim_timer *t) {
    size_t slot = t->slot;
    if (!slot) return;
    struct sim_timer *last = timers->heap[timers->count--];
    t->slot = 0;
    if (last == t) return;
    heap_put(timers, slot, last);
    heap_up(timers, last);
    heap_down(timers, last);
}

struct sim_timer *sim_timers_next(const struct sim_timers *timers) {
    return timers->count ? timers->heap[1] : NULL;
}

void sim_timers_finish(struct sim_timers *timers) {
    free(timers->heap);
}
