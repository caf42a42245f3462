/* kill -9 at any step of a process that writes launches down: what was acknowledged is there, and every launch is
 * accounted for, so that a reaper finds whatever may have been made. Row R21. */
#include "stores.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAUNCHES = 3, KILLS = 104 };

/* ---- the process that is killed ---- */

static int64_t steps_left; /* until it is; of a process that is let run: below 0, counting what it did */

static void step(void) {
    if (--steps_left == 0) raise(SIGKILL);
}

/* An env around another whose every call is a step. */
static struct sbx_env stepping, *under;

static int64_t step_now_ms(struct sbx_env *env) {
    (void)env;
    step();
    return under->now_ms(under);
}
static enum sbx_status step_sleep_until(struct sbx_env *env, int64_t when_ms, struct sbx_event *cancel) {
    (void)env;
    step();
    return under->sleep_until(under, when_ms, cancel);
}
static enum sbx_status step_random(struct sbx_env *env, void *buf, size_t len) {
    (void)env;
    step();
    return under->random(under, buf, len);
}
static struct sbx_lock *step_lock_new(struct sbx_env *env) {
    (void)env;
    return under->lock_new(under);
}
static void step_lock(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    step();
    under->lock(under, lock);
}
static void step_unlock(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    under->unlock(under, lock);
    step();
}
static void step_lock_free(struct sbx_env *env, struct sbx_lock *lock) {
    (void)env;
    under->lock_free(under, lock);
}

/* What the process did, told before and after: the cloud's part needs no store. */
enum deed { BEGUN, INTENT, SENT, ALLOCATED, MAPPED, DESTROYING, DONE, REMOVED, DEEDS };

struct told {
    int launch;
    int deed;
};

static void tell(int out, int launch, enum deed deed) {
    const struct told told = {launch, (int)deed};
    if (write(out, &told, sizeof(told)) != (ssize_t)sizeof(told)) _exit(3);
}

static void child_steps(struct sbx_store *store, int out, int launch) {
    static const int32_t states[DEEDS] = {[SENT] = SBX_RECORD_SENT,
                                          [ALLOCATED] = SBX_RECORD_ALLOCATED,
                                          [DESTROYING] = SBX_RECORD_DESTROYING,
                                          [DONE] = SBX_RECORD_DONE};
    static const struct sbx_pair label = {"use", "crash"};
    struct sbx_record draft = stores_draft(launch, ANN), *now = NULL;
    int last = launch % 3 == 0 ? REMOVED : launch % 3 == 1 ? MAPPED : DONE;
    draft.labels = &label;
    draft.label_count = 1;
    tell(out, launch, BEGUN);
    if (sbx_store_put_intent(store, &draft, NULL, &now, NULL)) _exit(4);
    tell(out, launch, INTENT);
    for (int deed = SENT; deed <= last; deed++) {
        struct sbx_store_change change = stores_change(now, ANN);
        struct sbx_record *next = NULL;
        enum sbx_status st = SBX_OK;
        change.state = states[deed];
        change.sandbox_id = deed == ALLOCATED ? "sandbox-1" : NULL;
        change.locator = stores_locator(launch);
        if (deed == MAPPED) st = sbx_store_renew(store, &change, NULL, NULL, NULL);
        if (deed == MAPPED && !st) st = sbx_store_put_mapping(store, &change, NULL, &next, NULL);
        if (states[deed]) st = sbx_store_advance(store, &change, NULL, &next, NULL);
        if (deed == REMOVED) st = sbx_store_remove(store, &change, NULL, NULL);
        if (st) _exit(5);
        tell(out, launch, (enum deed)deed);
        if (next) {
            sbx_record_free(now);
            now = next;
        }
    }
    sbx_record_free(now);
}

/* @param at the step to be killed at; 0 = let it run and tell how many there were */
static _Noreturn void child(struct store_face *f, int out, int first, int64_t at) {
    under = f->env;
    stepping = (struct sbx_env){.size = sizeof(stepping),
                                .now_ms = step_now_ms,
                                .sleep_until = step_sleep_until,
                                .random = step_random,
                                .lock_new = step_lock_new,
                                .lock = step_lock,
                                .unlock = step_unlock,
                                .lock_free = step_lock_free};
    steps_left = at;
    store_face_steps(step);
    struct sbx_store *store = store_face_again(f, &stepping);
    for (int i = 0; i < LAUNCHES; i++) child_steps(store, out, first + i);
    sbx_store_free(store);
    if (at == 0) tell(out, (int)-steps_left, DEEDS);
    _exit(0);
}

/* ---- what is there afterwards ---- */

/* The furthest deed that each launch told, -1 for one that never began. @return the steps, if they were told */
static int64_t run_child(struct store_face *f, int first, int64_t at, int deeds[LAUNCHES]) {
    int pipes[2], status = 0;
    int64_t steps = 0;
    struct told told;
    for (int i = 0; i < LAUNCHES; i++) deeds[i] = -1;
    T_EQ(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) child(f, pipes[1], first, at);
    T_TRUE(pid > 0);
    close(pipes[1]);
    while (read(pipes[0], &told, sizeof(told)) == (ssize_t)sizeof(told)) {
        if (told.deed == DEEDS)
            steps = told.launch;
        else
            deeds[told.launch - first] = told.deed;
    }
    close(pipes[0]);
    T_EQ(waitpid(pid, &status, 0), pid);
    if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0) && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
        T_FAIL("killed at step %lld it ended with %x", (long long)at, (unsigned)status);
    return steps;
}

static int32_t state_of(struct sbx_store *store, int launch) {
    struct sbx_record *record = NULL;
    enum sbx_status st = sbx_store_get(store, stores_id(launch), NULL, &record, NULL);
    if (st == SBX_NOT_FOUND) return 0;
    T_STATUS(st, SBX_OK);
    int32_t state = record->state;
    sbx_record_free(record);
    return state;
}

/* The store is where the last acknowledged step left it, or one step further. */
static void check_launch(struct sbx_store *store, int launch, int deed, int64_t at) {
    static const int32_t after[DEEDS + 1] = {0,
                                             SBX_RECORD_INTENT,
                                             SBX_RECORD_SENT,
                                             SBX_RECORD_ALLOCATED,
                                             SBX_RECORD_MAPPED,
                                             SBX_RECORD_DESTROYING,
                                             SBX_RECORD_DONE,
                                             0,
                                             0};
    int32_t state = state_of(store, launch);
    int32_t acknowledged = deed < 0 ? 0 : after[deed], next = deed < 0 ? 0 : after[deed + 1];
    if (state != acknowledged && state != next)
        T_FAIL("step %lld: launch %d told %d and its record is %s", (long long)at, launch, deed,
               sbx_record_state_name(state));
    if (deed != MAPPED || state != SBX_RECORD_MAPPED) return;
    struct sbx_record *record = stores_read(store, stores_locator(launch));
    T_STR(record->acquisition, stores_id(launch));
    T_STR(record->sandbox_id, "sandbox-1");
    T_STR(sbx_record_label(record, "use"), "crash");
    sbx_record_free(record);
}

/* A reaper takes over what is unfinished, and then nothing is. */
static int reap(struct sbx_store *store) {
    struct sbx_records *list = NULL;
    T_STATUS(sbx_store_list_unfinished(store, NULL, NULL, &list, NULL), SBX_OK);
    int found = (int)sbx_records_count(list);
    for (int i = 0; i < found; i++) {
        const struct sbx_record *seen = sbx_records_at(list, (size_t)i);
        struct sbx_store_change change = stores_change(seen, BOB);
        struct sbx_record *now = NULL;
        T_STATUS(sbx_store_claim(store, &change, NULL, &now, NULL), SBX_OK);
        if (now->state != SBX_RECORD_DESTROYING) now = stores_to(store, now, SBX_RECORD_DESTROYING);
        sbx_record_free(stores_to(store, now, SBX_RECORD_DONE));
    }
    sbx_records_free(list);
    T_STATUS(sbx_store_list_unfinished(store, NULL, NULL, &list, NULL), SBX_OK);
    T_EQ(sbx_records_count(list), 0);
    sbx_records_free(list);
    return found;
}

/* The seed is all that a run depends on. */
static uint64_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void killed(uint64_t seed) {
    struct store_face f;
    int deeds[LAUNCHES], reaped = 0, cut = 0, first = 1;
    store_face_open(&f);
    int64_t steps = run_child(&f, first, 0, deeds);
    T_TRUE(steps > 60);
    for (int i = 0; i < LAUNCHES; i++) check_launch(f.store, first + i, deeds[i], 0);
    for (int i = 0; i < KILLS; i++) {
        int64_t at = 1 + (int64_t)(draw(&seed) % (uint64_t)steps);
        first += LAUNCHES;
        run_child(&f, first, at, deeds);
        store_face_settle(&f);
        for (int k = 0; k < LAUNCHES; k++) check_launch(f.store, first + k, deeds[k], at);
        cut += deeds[LAUNCHES - 1] < 0;
        reaped += reap(f.store);
    }
    printf("%d kills among %lld steps: %d before the last launch, %d launches unfinished\n", KILLS, (long long)steps,
           cut, reaped);
    T_TRUE(cut > KILLS / 4 && reaped > KILLS / 4);
    store_face_close(&f);
}

static void killed_by_seed_1(void) {
    killed(1);
}
static void killed_by_seed_2(void) {
    killed(2);
}
static void killed_by_seed_3(void) {
    killed(3);
}
static void killed_by_seed_4(void) {
    killed(4);
}
static void killed_by_seed_5(void) {
    killed(5);
}

T_CASES(T_CASE(killed_by_seed_1), T_CASE(killed_by_seed_2), T_CASE(killed_by_seed_3), T_CASE(killed_by_seed_4),
        T_CASE(killed_by_seed_5))
