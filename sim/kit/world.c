/* The world: clock, timers, ready fibers, waits. */
#include "sim/kit/world.h"

#include "sim/kit/chance.h"
#include "sim/kit/fiber.h"
#include "sim/kit/timers.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

/* A fiber of the world, or a wait outside of fibers: what can be woken. */
struct sim_waiter {
    struct sim_waiter *next; /* in a wait queue */
    struct sim_waiter *prev;
    struct sim_waitq *queue; /* the one it stands in, NULL if none */
    struct sim_fiber *fiber; /* NULL outside of fibers */
    struct sim_world *world;
    struct sim_timer timer;
    enum sim_woken how;
    int done;
};

struct member {
    struct sim_waiter waiter; /* a fiber waits for one thing at a time */
    void (*run)(void *arg);
    void *arg;
    size_t index; /* among all members */
};

struct sim_world {
    int64_t now_ns;
    int ending;
    struct sim_fibers *fibers;
    struct sim_timers timers;
    struct chance chance;
    struct sim_waiter **ready; /* in the order they became ready */
    size_t ready_count;
    size_t ready_cap;
    struct member **members; /* all that have not returned */
    size_t member_count;
    size_t member_cap;
    struct member *running;
};

/* ---- growing lists ---- */

static int list_room(void **list, size_t *cap, size_t count, size_t item) {
    if (count < *cap) return 1;
    size_t more = *cap ? *cap * 2 : 64;
    void *bigger = realloc(*list, more * item);
    if (!bigger) return 0;
    *list = bigger;
    *cap = more;
    return 1;
}

/* The ready list and the timers have room for every member from the moment it is spawned: waiting and waking cannot
 * fail. */
static int members_room(struct sim_world *w) {
    void *members = w->members, *ready = w->ready;
    int ok = list_room(&members, &w->member_cap, w->member_count, sizeof(*w->members));
    w->members = members;
    if (!ok) return 0;
    ok = list_room(&ready, &w->ready_cap, w->member_count, sizeof(*w->ready));
    w->ready = ready;
    return ok;
}

/* ---- waiting and waking ---- */

static void queue_append(struct sim_waitq *q, struct sim_waiter *waiter) {
    waiter->queue = q;
    waiter->next = NULL;
    waiter->prev = q->last;
    if (q->last)
        q->last->next = waiter;
    else
        q->first = waiter;
    q->last = waiter;
}

static void queue_remove(struct sim_waiter *waiter) {
    struct sim_waitq *q = waiter->queue;
    if (!q) return;
    if (waiter->prev)
        waiter->prev->next = waiter->next;
    else
        q->first = waiter->next;
    if (waiter->next)
        waiter->next->prev = waiter->prev;
    else
        q->last = waiter->prev;
    waiter->queue = NULL;
}

static void waiter_wake(struct sim_waiter *waiter, enum sim_woken how) {
    struct sim_world *w = waiter->world;
    if (waiter->done) return;
    waiter->done = 1;
    waiter->how = how;
    queue_remove(waiter);
    sim_timers_clear(&w->timers, &waiter->timer);
    if (waiter->fiber) w->ready[w->ready_count++] = waiter;
}

static void waiter_timeout(void *arg) {
    waiter_wake(arg, SIM_TIMEOUT);
}

void sim_wake_all(struct sim_world *w, struct sim_waitq *q) {
    (void)w;
    while (q->first) waiter_wake(q->first, SIM_WOKEN);
}

static int world_step(struct sim_world *w, int64_t until_ns);

enum sim_woken sim_wait(struct sim_world *w, struct sim_waitq *q, int64_t deadline_ns) {
    struct sim_waiter outside = {.world = w};
    struct sim_waiter *waiter = w->running ? &w->running->waiter : &outside;
    if (w->ending) return SIM_ENDING;
    if (deadline_ns <= w->now_ns && q) return SIM_TIMEOUT;
    waiter->done = 0;
    if (deadline_ns != SIM_NEVER) sim_timers_set_kept(&w->timers, &waiter->timer, deadline_ns, waiter_timeout, waiter);
    if (q) queue_append(q, waiter);
    if (w->running) {
        sim_fiber_pause(waiter->fiber);
        return waiter->how;
    }
    while (!outside.done)
        if (!world_step(w, SIM_NEVER)) waiter_wake(&outside, SIM_TIMEOUT); /* nothing can ever wake it */
    return outside.how;
}

enum sim_woken sim_sleep_until(struct sim_world *w, int64_t when_ns) {
    if (when_ns <= w->now_ns) return w->ending ? SIM_ENDING : SIM_TIMEOUT;
    return sim_wait(w, NULL, when_ns);
}

void sim_yield(struct sim_world *w) {
    if (!w->running || w->ending) return;
    struct sim_waiter *waiter = &w->running->waiter;
    waiter->done = 0;
    waiter_wake(waiter, SIM_WOKEN);
    sim_fiber_pause(waiter->fiber);
}

void sim_pause_ending(struct sim_world *w) {
    if (!w->running) return;
    w->running->waiter.done = 0;
    sim_fiber_pause(w->running->waiter.fiber); /* the next round of sim_world_end resumes it */
}

/* ---- running ---- */

static void member_main(void *arg) {
    struct member *m = arg;
    m->run(m->arg);
}

static void member_remove(struct sim_world *w, struct member *m) {
    struct member *last = w->members[--w->member_count];
    w->members[m->index] = last;
    last->index = m->index;
    sim_timers_unkeep(&w->timers);
    free(m);
}

static void run_one_ready(struct sim_world *w) {
    size_t pick = w->ready_count > 1 ? (size_t)sim_chance_below(&w->chance, "schedule", w->ready_count) : 0;
    struct sim_waiter *waiter = w->ready[pick];
    memmove(&w->ready[pick], &w->ready[pick + 1], (--w->ready_count - pick) * sizeof(struct sim_waiter *));
    struct member *m = (struct member *)(void *)waiter; /* its first member */
    w->running = m;
    int returned = sim_fiber_resume(waiter->fiber);
    w->running = NULL;
    if (returned) member_remove(w, m);
}

/* One thing: a ready fiber, or else the next timer if it is due by `until_ns`, moving the clock to it. */
static int world_step(struct sim_world *w, int64_t until_ns) {
    if (w->ready_count) {
        run_one_ready(w);
        return 1;
    }
    struct sim_timer *t = sim_timers_next(&w->timers);
    if (!t || t->when_ns > until_ns) return 0;
    if (t->when_ns > w->now_ns) w->now_ns = t->when_ns;
    sim_timers_clear(&w->timers, t);
    t->fire(t->arg);
    return 1;
}

size_t sim_run_ready(struct sim_world *w) {
    size_t ran = 0;
    while (world_step(w, w->now_ns)) ran++;
    return ran;
}

int64_t sim_next_ns(const struct sim_world *w) {
    const struct sim_timer *t = sim_timers_next(&w->timers);
    return w->ready_count ? w->now_ns : t ? t->when_ns : SIM_NEVER;
}

void sim_advance_to(struct sim_world *w, int64_t ns) {
    while (world_step(w, ns)) continue;
    if (ns > w->now_ns) w->now_ns = ns;
}

size_t sim_fiber_count(const struct sim_world *w) {
    return w->member_count;
}

enum sbx_status sim_spawn(struct sim_world *w, void (*run)(void *arg), void *arg) {
    if (w->ending || !members_room(w)) return SBX_NO_MEMORY;
    struct member *m = calloc(1, sizeof(*m));
    if (!m) return SBX_NO_MEMORY;
    m->run = run;
    m->arg = arg;
    m->waiter.world = w;
    m->waiter.fiber = sim_fiber_new(w->fibers, member_main, m);
    if (!m->waiter.fiber || sim_timers_keep(&w->timers)) {
        sim_fiber_drop(m->waiter.fiber);
        free(m);
        return SBX_NO_MEMORY;
    }
    m->index = w->member_count;
    w->members[w->member_count++] = m;
    waiter_wake(&m->waiter, SIM_WOKEN);
    return SBX_OK;
}

int sim_ending(const struct sim_world *w) {
    return w->ending;
}

/* ---- the life of a world ---- */

struct sim_world *sim_world_new(uint64_t seed) {
    struct sim_world *w = calloc(1, sizeof(*w));
    if (!w) return NULL;
    w->chance.seed = seed;
    w->fibers = sim_fibers_new();
    if (w->fibers && sim_timers_keep(&w->timers) == SBX_OK) return w; /* one is kept for a wait outside of fibers */
    sim_fibers_free(w->fibers);
    free(w);
    return NULL;
}

void sim_world_end(struct sim_world *w) {
    w->ending = 1;
    while (w->member_count) {
        for (size_t i = 0; i < w->member_count; i++) waiter_wake(&w->members[i]->waiter, SIM_ENDING);
        while (w->ready_count) run_one_ready(w);
    }
}

void sim_world_free(struct sim_world *w) {
    if (!w) return;
    sim_world_end(w);
    sim_fibers_free(w->fibers);
    sim_timers_finish(&w->timers);
    free(w->ready);
    free(w->members);
    free(w);
}

int64_t sim_now(const struct sim_world *w) {
    return w->now_ns;
}
int64_t sim_wall_ms(const struct sim_world *w) {
    return SIM_EPOCH_MS + w->now_ns / SIM_MS;
}

enum sbx_status sim_timer_set(struct sim_world *w, struct sim_timer *t, int64_t when_ns, void (*fire)(void *arg),
                              void *arg) {
    return sim_timers_set(&w->timers, t, when_ns < w->now_ns ? w->now_ns : when_ns, fire, arg);
}

void sim_timer_clear(struct sim_world *w, struct sim_timer *t) {
    sim_timers_clear(&w->timers, t);
}

/* ---- chance ---- */

uint64_t sim_draw(struct sim_world *w, const char *stream) {
    return sim_chance_draw(&w->chance, stream);
}

uint64_t sim_draw_below(struct sim_world *w, const char *stream, uint64_t n) {
    return n > 1 ? sim_chance_below(&w->chance, stream, n) : 0;
}

double sim_draw_unit(struct sim_world *w, const char *stream) {
    return (double)(sim_chance_draw(&w->chance, stream) >> 11) * 0x1.0p-53;
}

void sim_draw_bytes(struct sim_world *w, const char *stream, void *buf, size_t len) {
    unsigned char *out = buf;
    for (size_t at = 0; at < len;) {
        uint64_t drawn = sim_chance_draw(&w->chance, stream);
        for (size_t k = 0; k < 8 && at < len; k++) out[at++] = (unsigned char)(drawn >> (8 * k));
    }
}

void sim_draw_uuid(struct sim_world *w, const char *stream, char out[37]) {
    unsigned char bytes[16];
    char hex[33];
    sim_draw_bytes(w, stream, bytes, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    sbx_hex(bytes, sizeof(bytes), hex);
    sbx_uuid_from_hex(hex, out);
}

void sim_draw_token(struct sim_world *w, const char *stream, char *out, size_t len) {
    for (size_t i = 0; i < len; i++)
        out[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[sim_chance_below(&w->chance, stream, 36)];
    out[len] = 0;
}
