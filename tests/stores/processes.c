/* Several processes with one store: one makes the tables, one wins each race, and none waits for one that sleeps. */
#include "stores.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 4, CLAIMS = 25, STEPS = 25 };

struct outcome {
    int won;
    int lost;
    int other; /* what came besides, as a status */
};

typedef struct outcome (*part_fn)(struct sbx_store *store, int number);

static struct outcome claim_all(struct sbx_store *store, int number) {
    struct outcome o = {0, 0, 0};
    char owner[SBX_OWNER_SIZE];
    snprintf(owner, sizeof(owner), "%032x", 0xc0u + (unsigned)number);
    for (int i = 1; i <= CLAIMS; i++) {
        struct sbx_record seen = stores_draft(i, ANN);
        struct sbx_store_change change = stores_change(&seen, owner);
        change.generation = 2;
        change.lease = 1;
        enum sbx_status st = sbx_store_claim(store, &change, NULL, NULL, NULL);
        o.won += st == SBX_OK;
        o.lost += st == SBX_CONFLICT;
        if (st && st != SBX_CONFLICT) o.other = (int)st;
    }
    return o;
}

static struct outcome step_on(struct sbx_store *store, int number) {
    struct outcome o = {0, 0, 0};
    char id[32];
    while (o.won < STEPS && !o.other) {
        struct sbx_record *seen = NULL;
        enum sbx_status st = sbx_store_get(store, stores_id(1), NULL, &seen, NULL);
        if (st) {
            o.other = (int)st;
            break;
        }
        struct sbx_store_change change = stores_change(seen, ANN);
        snprintf(id, sizeof(id), "sandbox-%d-%d", number, o.won);
        change.state = SBX_RECORD_DESTROYING;
        change.sandbox_id = id;
        st = sbx_store_advance(store, &change, NULL, NULL, NULL);
        o.won += st == SBX_OK;
        o.lost += st == SBX_CONFLICT;
        if (st && st != SBX_CONFLICT) o.other = (int)st;
        sbx_record_free(seen);
    }
    return o;
}

static struct outcome put_own(struct sbx_store *store, int number) {
    struct outcome o = {0, 0, 0};
    struct sbx_record draft = stores_draft(100 + number, ANN);
    struct sbx_error err = SBX_ERROR_INIT;
    o.other = (int)sbx_store_put_intent(store, &draft, NULL, NULL, &err);
    if (o.other) fprintf(stderr, "process %d: %s\n", number, err.detail);
    o.won = o.other == SBX_OK;
    return o;
}

/* Each process opens the store itself, when all are there. */
static void together(struct store_face *f, part_fn part, struct outcome outcomes[PROCESSES]) {
    int go[2], answers[PROCESSES][2];
    char byte = 0;
    pid_t pids[PROCESSES];
    T_EQ(pipe(go), 0);
    for (int i = 0; i < PROCESSES; i++) {
        T_EQ(pipe(answers[i]), 0);
        pids[i] = fork();
        T_TRUE(pids[i] >= 0);
        if (pids[i] > 0) continue;
        close(go[1]);
        if (read(go[0], &byte, 1) != 0) _exit(2); /* it ends for all at once */
        struct sbx_store *store = store_face_again(f, f->env);
        struct outcome o = part(store, i);
        _exit(write(answers[i][1], &o, sizeof(o)) == (ssize_t)sizeof(o) ? 0 : 3);
    }
    close(go[0]);
    close(go[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        T_EQ(waitpid(pids[i], &status, 0), pids[i]);
        T_EQ(status, 0);
        T_EQ(read(answers[i][0], &outcomes[i], sizeof(outcomes[i])), sizeof(outcomes[i]));
        T_STATUS(outcomes[i].other, SBX_OK);
        close(answers[i][0]);
        close(answers[i][1]);
    }
}

static void one_claims_each(void) {
    struct store_face f;
    struct outcome outcomes[PROCESSES];
    int won = 0, lost = 0;
    store_face_open(&f);
    for (int i = 1; i <= CLAIMS; i++) sbx_record_free(stores_bring(f.store, i, ANN, SBX_RECORD_SENT));
    together(&f, claim_all, outcomes);
    for (int i = 0; i < PROCESSES; i++) {
        won += outcomes[i].won;
        lost += outcomes[i].lost;
    }
    T_EQ(won, CLAIMS);
    T_EQ(lost, CLAIMS * (PROCESSES - 1));
    store_face_close(&f);
}

static void no_step_is_lost(void) {
    struct store_face f;
    struct outcome outcomes[PROCESSES];
    store_face_open(&f);
    struct sbx_record *record = stores_bring(f.store, 1, ANN, SBX_RECORD_DESTROYING);
    together(&f, step_on, outcomes);
    struct sbx_record *end = stores_read(f.store, stores_id(1));
    T_EQ(end->generation, record->generation + (int64_t)PROCESSES * STEPS);
    sbx_record_free(record);
    sbx_record_free(end);
    store_face_close(&f);
}

static void the_tables_are_made_once(void) {
    struct store_face f;
    struct outcome outcomes[PROCESSES];
    store_face_open(&f);
    store_face_blank(&f);
    together(&f, put_own, outcomes);
    struct sbx_store *store = store_face_again(&f, f.env);
    for (int i = 0; i < PROCESSES; i++) {
        struct sbx_record *record = stores_read(store, stores_id(100 + i));
        T_EQ(record->state, SBX_RECORD_INTENT);
        sbx_record_free(record);
    }
    sbx_store_free(store);
    store_face_close(&f);
}

/* An owner that is stopped for longer than its lease, and goes on afterwards: by the counter alone. */
static void an_owner_that_slept_is_told(void) {
    struct store_face f;
    int answer[2], status = 0;
    enum sbx_status told = SBX_OK;
    store_face_open(&f);
    T_EQ(pipe(answer), 0);
    pid_t pid = fork();
    T_TRUE(pid >= 0);
    if (pid == 0) {
        struct sbx_store *store = store_face_again(&f, f.env);
        struct sbx_record *mine = stores_bring(store, 1, ANN, SBX_RECORD_ALLOCATED);
        struct sbx_store_change change = stores_change(mine, ANN);
        change.locator = stores_locator(1);
        raise(SIGSTOP);
        told = sbx_store_put_mapping(store, &change, NULL, NULL, NULL);
        _exit(write(answer[1], &told, sizeof(told)) == (ssize_t)sizeof(told) ? 0 : 3);
    }
    T_EQ(waitpid(pid, &status, WUNTRACED), pid);
    T_TRUE(WIFSTOPPED(status));
    struct sbx_record *seen = stores_read(f.store, stores_id(1)), *taken = NULL;
    struct sbx_store_change change = stores_change(seen, BOB);
    T_STATUS(sbx_store_claim(f.store, &change, NULL, &taken, NULL), SBX_OK);
    T_EQ(kill(pid, SIGCONT), 0);
    T_EQ(waitpid(pid, &status, 0), pid);
    T_EQ(status, 0);
    T_EQ(read(answer[0], &told, sizeof(told)), sizeof(told));
    T_STATUS(told, SBX_CONFLICT);
    struct sbx_record *end = stores_read(f.store, stores_id(1));
    stores_same(end, taken);
    close(answer[0]);
    close(answer[1]);
    sbx_record_free(seen);
    sbx_record_free(taken);
    sbx_record_free(end);
    store_face_close(&f);
}

T_CASES(T_CASE(one_claims_each), T_CASE(no_step_is_lost), T_CASE(the_tables_are_made_once),
        T_CASE(an_owner_that_slept_is_told))
