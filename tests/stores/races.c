/* Two callers in every order of their steps, and many at once: one of them wins, and each knows whether it was he. */
#include "stores.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* ---- every order of two callers' steps ---- */

/* An owner that maps its launch and renews meanwhile, and a reaper that took the owner for dead. */
enum { OWNER_STEPS = 6, REAPER_STEPS = 4 };

struct play {
    struct sbx_store *store;
    int n;
    int64_t owners_generation;
    struct sbx_record *seen; /* by the reaper, when it looked */
    int owner_mapped;
    int owner_stopped; /* it was told of a conflict, and does no more */
    int reaper_claimed;
    int reaper_destroys;
};

static void owner_step(struct play *play, int step) {
    struct sbx_record draft = stores_draft(play->n, ANN), *now = NULL;
    struct sbx_store_change change = stores_change(&draft, ANN);
    enum sbx_status st = SBX_OK;
    change.generation = play->owners_generation;
    if (play->owner_stopped) return;
    if (step == 0) st = sbx_store_put_intent(play->store, &draft, NULL, &now, NULL);
    if (step == 2 || step == 4) st = sbx_store_renew(play->store, &change, NULL, &now, NULL);
    if (step == 1 || step == 3) {
        change.state = step == 1 ? SBX_RECORD_SENT : SBX_RECORD_ALLOCATED;
        change.sandbox_id = step == 1 ? NULL : "sandbox-1";
        st = sbx_store_advance(play->store, &change, NULL, &now, NULL);
    }
    if (step == 5) {
        change.locator = stores_locator(play->n);
        st = sbx_store_put_mapping(play->store, &change, NULL, &now, NULL);
        play->owner_mapped = st == SBX_OK;
    }
    if (st) T_STATUS(st, SBX_CONFLICT);
    play->owner_stopped = st != SBX_OK;
    if (now) play->owners_generation = now->generation;
    sbx_record_free(now);
}

static void reaper_step(struct play *play, int step) {
    struct sbx_record *now = NULL;
    enum sbx_status st = SBX_OK;
    if (step == 0) st = sbx_store_get(play->store, stores_id(play->n), NULL, &play->seen, NULL);
    if (step == 0 && st) T_STATUS(st, SBX_NOT_FOUND);
    if (!play->seen) return;
    struct sbx_store_change change = stores_change(play->seen, BOB);
    if (step == 1 && sbx_record_unfinished(play->seen->state)) {
        st = sbx_store_claim(play->store, &change, NULL, &now, NULL);
        if (st) T_STATUS(st, SBX_CONFLICT);
        play->reaper_claimed = st == SBX_OK;
    }
    if (step > 1 && play->reaper_claimed) {
        change.state = step == 2 ? SBX_RECORD_DESTROYING : SBX_RECORD_DONE;
        T_STATUS(sbx_store_advance(play->store, &change, NULL, &now, NULL), SBX_OK);
        play->reaper_destroys = 1;
    }
    if (!now) return;
    sbx_record_free(play->seen);
    play->seen = now;
}

/* @param order bit i set: step i of both is the owner's */
static void play_order(struct sbx_store *store, int n, unsigned order) {
    struct play play = {.store = store, .n = n};
    int owner = 0, reaper = 0;
    for (int i = 0; i < OWNER_STEPS + REAPER_STEPS; i++) {
        if (order >> i & 1)
            owner_step(&play, owner++);
        else
            reaper_step(&play, reaper++);
    }
    struct sbx_record *end = stores_read(store, stores_id(n));
    if (play.owner_mapped == play.reaper_destroys)
        T_FAIL("order %x: mapped %d, destroyed %d", order, play.owner_mapped, play.reaper_destroys);
    T_EQ(end->state, play.owner_mapped ? SBX_RECORD_MAPPED : SBX_RECORD_DONE);
    T_EQ(play.owner_stopped, play.reaper_claimed);
    sbx_record_free(end);
    sbx_record_free(play.seen);
}

static int bits(unsigned x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

void two_callers_in_every_order(void) {
    struct store_face f;
    int played = 0;
    store_face_open(&f);
    for (unsigned order = 0; order < 1u << (OWNER_STEPS + REAPER_STEPS); order++)
        if (bits(order) == OWNER_STEPS) play_order(f.store, ++played, order);
    T_EQ(played, 210);
    store_face_close(&f);
}

/* ---- many threads ---- */

enum { THREADS = 8, ROUNDS = 12 };

struct racer {
    struct sbx_store *store;
    atomic_int *ready;
    const struct sbx_record *seen; /* before the race */
    int number;
    int won;
    int lost;
    int other;
};

/* Each brings the same counter forward by steps that name the generation they were decided on. */
static void *race_steps(void *arg) {
    struct racer *me = arg;
    atomic_fetch_add(me->ready, 1);
    while (atomic_load(me->ready) < THREADS) continue;
    while (me->won < ROUNDS && !me->other) {
        struct sbx_record *seen = NULL;
        if (sbx_store_get(me->store, me->seen->acquisition, NULL, &seen, NULL)) {
            me->other++;
            break;
        }
        struct sbx_store_change change = stores_change(seen, ANN);
        char id[32];
        snprintf(id, sizeof(id), "sandbox-%d-%d", me->number, me->won);
        change.state = SBX_RECORD_DESTROYING;
        change.sandbox_id = id;
        enum sbx_status st = sbx_store_advance(me->store, &change, NULL, NULL, NULL);
        me->won += st == SBX_OK;
        me->lost += st == SBX_CONFLICT;
        me->other += st != SBX_OK && st != SBX_CONFLICT;
        sbx_record_free(seen);
    }
    return NULL;
}

static void *race_claim(void *arg) {
    struct racer *me = arg;
    char owner[SBX_OWNER_SIZE];
    snprintf(owner, sizeof(owner), "%032x", 0xb0u + (unsigned)me->number);
    struct sbx_store_change change = stores_change(me->seen, owner);
    atomic_fetch_add(me->ready, 1);
    while (atomic_load(me->ready) < THREADS) continue;
    enum sbx_status st = sbx_store_claim(me->store, &change, NULL, NULL, NULL);
    me->won = st == SBX_OK;
    me->lost = st == SBX_CONFLICT;
    me->other = st != SBX_OK && st != SBX_CONFLICT;
    return NULL;
}

static void race(struct racer *racers, struct store_face *f, const struct sbx_record *seen, void *(*run)(void *)) {
    pthread_t threads[THREADS];
    atomic_int ready = 0;
    struct sbx_store *other = store_face_again(f, f->env);
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (struct racer){other && i % 2 ? other : f->store, &ready, seen, i, 0, 0, 0};
        if (pthread_create(&threads[i], NULL, run, &racers[i])) T_FAIL("no thread");
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    sbx_store_free(other);
    for (int i = 0; i < THREADS; i++) T_EQ(racers[i].other, 0);
}

void many_threads(void) {
    struct store_face f;
    struct racer racers[THREADS];
    store_face_open(&f);
    struct sbx_record *record = stores_bring(f.store, 1, ANN, SBX_RECORD_DESTROYING);
    race(racers, &f, record, race_steps);
    struct sbx_record *end = stores_read(f.store, stores_id(1));
    T_EQ(end->generation, record->generation + (int64_t)THREADS * ROUNDS);
    sbx_record_free(record);
    sbx_record_free(end);
    store_face_close(&f);
}

void claims_of_many_threads(void) {
    struct store_face f;
    struct racer racers[THREADS];
    store_face_open(&f);
    for (int round = 1; round <= 10; round++) {
        struct sbx_record *record = stores_bring(f.store, round, ANN, SBX_RECORD_SENT);
        int winners = 0;
        race(racers, &f, record, race_claim);
        for (int i = 0; i < THREADS; i++) winners += racers[i].won;
        T_EQ(winners, 1);
        sbx_record_free(record);
    }
    store_face_close(&f);
}
