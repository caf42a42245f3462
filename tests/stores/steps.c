/* Every change from every state, by the owner and by another, against the tables that docs/stores.md has. */
#include "stores.h"

#include <stdio.h>

enum { STATES = SBX_RECORD_DONE };

/* Row: from; column: to. 'y' allowed, '.' no such step. */
static const char advances[STATES][STATES + 1] = {
    /*            I S A M - D F */
    /* INTENT */ ".yy.yy.",
    /* SENT */ "..y.yy.",
    /* ALLOCATED */ ".....y.",
    /* MAPPED */ ".....y.",
    /* ABSENT */ ".......",
    /* DESTROYING */ ".....yy",
    /* DONE */ ".......",
};

/* Of another's record: 'y' allowed, 'c' a conflict, '.' no such step. Claim, renew, put_mapping, remove. */
static const struct other {
    char claim, renew, renew_mine, map, map_mine, remove;
} others[STATES] = {
    /* INTENT */ {'y', 'c', 'y', '.', '.', '.'},
    /* SENT */ {'y', 'c', 'y', 'c', 'y', '.'},
    /* ALLOCATED */ {'y', 'c', 'y', 'c', 'y', '.'},
    /* MAPPED */ {'.', 'c', 'c', 'y', 'y', '.'},
    /* ABSENT */ {'.', 'c', 'c', '.', '.', 'y'},
    /* DESTROYING */ {'y', 'c', 'y', '.', '.', '.'},
    /* DONE */ {'.', 'c', 'c', '.', '.', 'y'},
};

static enum sbx_status due(char mark) {
    return mark == 'y' ? SBX_OK : mark == 'c' ? SBX_CONFLICT : SBX_INVALID_ARGUMENT;
}

/* What a refused change left: all as it was. */
static void unchanged(struct sbx_store *store, const struct sbx_record *before) {
    struct sbx_record *now = stores_read(store, before->acquisition);
    stores_same(now, before);
    sbx_record_free(now);
}

static void one_step(struct sbx_store *store, int n, int32_t from, int32_t to, const char *by) {
    struct sbx_record *before = stores_bring(store, n, ANN, from), *after = NULL;
    struct sbx_store_change change = stores_change(before, by);
    struct sbx_error err = SBX_ERROR_INIT;
    char mark = advances[from - 1][to - 1];
    int anothers = strcmp(by, ANN) != 0;
    if (mark == 'y' && anothers && sbx_record_unfinished(from)) mark = 'c';
    change.state = to;
    change.sandbox_id = "sandbox-2";
    enum sbx_status st = sbx_store_advance(store, &change, NULL, &after, &err);
    if (st != due(mark))
        T_FAIL("%s to %s by %s: got %s, expected %s", sbx_record_state_name(from), sbx_record_state_name(to), by,
               sbx_status_name((int32_t)st), sbx_status_name((int32_t)due(mark)));
    if (st) {
        T_EQ(err.outcome, SBX_OUTCOME_REFUSED);
        unchanged(store, before);
    } else {
        T_EQ(after->generation, before->generation + 1);
        T_EQ(after->lease, before->lease + anothers);
        T_STR(after->owner, by);
        T_STR(after->sandbox_id, "sandbox-2");
        T_STR(after->locator, before->locator);
        unchanged(store, after);
    }
    sbx_record_free(before);
    sbx_record_free(after);
}

void every_step(void) {
    struct store_face f;
    int n = 1;
    store_face_open(&f);
    for (int32_t from = 1; from <= STATES; from++)
        for (int32_t to = 1; to <= STATES; to++) {
            one_step(f.store, n++, from, to, ANN);
            one_step(f.store, n++, from, to, BOB);
        }
    T_EQ(n - 1, 2 * STATES * STATES);
    store_face_close(&f);
}

static void one_change(struct sbx_store *store, int n, int32_t from, int32_t verb, const char *by, char mark) {
    struct sbx_record *before = stores_bring(store, n, ANN, from), *after = NULL;
    struct sbx_store_change change = stores_change(before, by);
    enum sbx_status st = SBX_OK;
    change.locator = before->locator[0] ? before->locator : stores_locator(n);
    change.sandbox_id = "sandbox-2";
    if (verb == 'c') st = sbx_store_claim(store, &change, NULL, &after, NULL);
    if (verb == 'r') st = sbx_store_renew(store, &change, NULL, &after, NULL);
    if (verb == 'm') st = sbx_store_put_mapping(store, &change, NULL, &after, NULL);
    if (verb == 'd') st = sbx_store_remove(store, &change, NULL, NULL);
    if (st != due(mark))
        T_FAIL("%c from %s by %s: got %s, expected %s", verb, sbx_record_state_name(from), by,
               sbx_status_name((int32_t)st), sbx_status_name((int32_t)due(mark)));
    if (st) unchanged(store, before);
    if (!st && verb != 'd') unchanged(store, after);
    if (!st && verb == 'd') T_STATUS(sbx_store_get(store, before->acquisition, NULL, &after, NULL), SBX_NOT_FOUND);
    sbx_record_free(before);
    sbx_record_free(after);
}

void every_other_change(void) {
    struct store_face f;
    int n = 1;
    store_face_open(&f);
    for (int32_t from = 1; from <= STATES; from++) {
        const struct other *row = &others[from - 1];
        one_change(f.store, n++, from, 'c', BOB, row->claim);
        one_change(f.store, n++, from, 'r', BOB, row->renew);
        one_change(f.store, n++, from, 'r', ANN, row->renew_mine);
        one_change(f.store, n++, from, 'm', BOB, row->map);
        one_change(f.store, n++, from, 'm', ANN, row->map_mine);
        one_change(f.store, n++, from, 'd', CLEO, row->remove);
    }
    T_EQ(n, 43);
    store_face_close(&f);
}
