/* What every store does, over the table alone. Rows R9, R21, R22. */
#include "stores.h"

#include <stdio.h>
#include <stdlib.h>

static void a_whole_life(void) {
    struct store_face f;
    store_face_open(&f);
    struct sbx_record *record = stores_bring(f.store, 7, ANN, SBX_RECORD_MAPPED);
    T_EQ(record->generation, 4);
    T_EQ(record->lease, 1);
    T_STR(record->sandbox_id, "sandbox-1");
    T_STR(record->locator, stores_locator(7));
    struct sbx_record *by_key = stores_read(f.store, stores_id(7)),
                      *by_locator = stores_read(f.store, stores_locator(7));
    stores_same(by_key, record);
    stores_same(by_locator, record);
    record = stores_to(f.store, record, SBX_RECORD_DESTROYING);
    record = stores_to(f.store, record, SBX_RECORD_DONE);
    T_STR(record->locator, stores_locator(7));
    struct sbx_record *ended = stores_read(f.store, stores_locator(7));
    T_EQ(ended->state, SBX_RECORD_DONE);
    struct sbx_store_change change = stores_change(record, ANN);
    T_STATUS(sbx_store_remove(f.store, &change, NULL, NULL), SBX_OK);
    T_STATUS(sbx_store_get(f.store, stores_id(7), NULL, &by_key, NULL), SBX_NOT_FOUND);
    T_STATUS(sbx_store_get(f.store, stores_locator(7), NULL, &by_key, NULL), SBX_NOT_FOUND);
    T_STATUS(sbx_store_remove(f.store, &change, NULL, NULL), SBX_OK);
    sbx_record_free(record);
    sbx_record_free(by_key);
    sbx_record_free(by_locator);
    sbx_record_free(ended);
    store_face_close(&f);
}

static void the_same_intent_again(void) {
    struct store_face f;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record draft = stores_draft(1, ANN), *first = NULL, *second = NULL;
    store_face_open(&f);
    T_STATUS(sbx_store_put_intent(f.store, &draft, NULL, &first, NULL), SBX_OK);
    T_EQ(first->state, SBX_RECORD_INTENT);
    T_STATUS(sbx_store_put_intent(f.store, &draft, NULL, &second, NULL), SBX_OK);
    stores_same(second, first);
    draft.attempt = 2;
    T_STATUS(sbx_store_put_intent(f.store, &draft, NULL, NULL, &err), SBX_ALREADY_EXISTS);
    T_EQ(err.outcome, SBX_OUTCOME_REFUSED);
    T_STR(err.acquisition, draft.acquisition);
    T_STR(err.operation, "put_intent");
    T_STR(err.provider, sbx_store_kind(f.store));
    first = stores_to(f.store, first, SBX_RECORD_SENT);
    draft.attempt = 1;
    T_STATUS(sbx_store_put_intent(f.store, &draft, NULL, NULL, NULL), SBX_ALREADY_EXISTS);
    sbx_record_free(first);
    sbx_record_free(second);
    store_face_close(&f);
}

/* What a text may hold comes back as it went, and what is longest fits. */
static void texts_come_back(void) {
    enum { LABELS = 64 };
    static char long_name[4097], long_value[4097], names[LABELS][16];
    struct sbx_pair labels[LABELS];
    struct store_face f;
    struct sbx_record draft = stores_draft(1, ANN), *made = NULL;
    char pool[SBX_POOL_SIZE];
    store_face_open(&f);
    memset(long_name, 'n', 4096);
    memset(long_value, 'v', 4096);
    memset(pool, 'p', sizeof(pool) - 1);
    pool[sizeof(pool) - 1] = 0;
    for (int i = 0; i < LABELS; i++) {
        snprintf(names[i], sizeof(names[i]), "name-%d", i);
        labels[i] = (struct sbx_pair){names[i], i % 2 ? "" : "it's \"so\"; DROP TABLE record; -- \\ $1 ?1 %s"};
    }
    labels[0] = (struct sbx_pair){long_name, long_value};
    labels[1] = (struct sbx_pair){"\xf0\x9f\x90\xa6 [a]", "\xc3\xa9\xe2\x80\xa8{}"};
    draft.labels = labels;
    draft.label_count = LABELS;
    draft.pool = pool;
    draft.request = "'); --\xc3\xa9";
    draft.attempt = INT32_MAX;
    T_STATUS(sbx_store_put_intent(f.store, &draft, NULL, &made, NULL), SBX_OK);
    struct sbx_record *read = stores_read(f.store, draft.acquisition), want = draft;
    want.locator = want.sandbox_id = "";
    want.state = SBX_RECORD_INTENT;
    want.generation = want.lease = 1;
    stores_same(read, &want);
    stores_same(made, &want);
    T_STR(sbx_record_label(read, long_name), long_value);
    T_TRUE(!sbx_record_label(read, "name-64"));
    sbx_record_free(read);
    sbx_record_free(made);
    store_face_close(&f);
}

/* The ids that a query finds, page after page, as "1 2 4 ". */
static void ids_of(struct sbx_store *store, struct sbx_store_query query, char *out, size_t cap) {
    char after[64] = "";
    out[0] = 0;
    do {
        struct sbx_records *page = NULL;
        query.after = after;
        T_STATUS(sbx_store_find(store, &query, NULL, &page, NULL), SBX_OK);
        for (size_t i = 0; i < sbx_records_count(page); i++) {
            const struct sbx_record *record = sbx_records_at(page, i);
            size_t len = strlen(out);
            snprintf(out + len, cap - len, "%ld ", strtol(record->acquisition, NULL, 16));
        }
        snprintf(after, sizeof(after), "%s", sbx_records_next(page));
        T_TRUE(query.max == 0 || sbx_records_count(page) <= (size_t)query.max);
        T_TRUE(!sbx_records_at(page, sbx_records_count(page)));
        sbx_records_free(page);
    } while (after[0]);
}

static void what_labels_find(void) {
    static const struct sbx_pair both[] = {{"team", "a"}, {"use", "test"}}, other[] = {{"team", "b"}};
    static const int32_t sent[] = {SBX_RECORD_SENT, SBX_RECORD_DONE};
    struct store_face f;
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    char ids[64];
    store_face_open(&f);
    for (int i = 9; i > 0; i--) {
        struct sbx_record draft = stores_draft(i, ANN), *record = NULL;
        draft.labels = i % 3 == 0 ? other : both;
        draft.label_count = i % 3 == 0 ? 1 : i % 2 ? 2 : 1;
        T_STATUS(sbx_store_put_intent(f.store, &draft, NULL, &record, NULL), SBX_OK);
        if (i > 4) record = stores_to(f.store, record, SBX_RECORD_SENT);
        sbx_record_free(record);
    }
    for (query.max = 0; query.max < 4; query.max++) {
        query.labels = both;
        query.label_count = 1;
        query.state_count = 0;
        ids_of(f.store, query, ids, sizeof(ids));
        T_STR(ids, "1 2 4 5 7 8 ");
        query.label_count = 2;
        ids_of(f.store, query, ids, sizeof(ids));
        T_STR(ids, "1 5 7 ");
        query.states = sent;
        query.state_count = 2;
        ids_of(f.store, query, ids, sizeof(ids));
        T_STR(ids, "5 7 ");
        query.label_count = 0;
        ids_of(f.store, query, ids, sizeof(ids));
        T_STR(ids, "5 6 7 8 9 ");
    }
    query.labels = other;
    query.label_count = 1;
    query.states = sent + 1;
    query.state_count = 1;
    ids_of(f.store, query, ids, sizeof(ids));
    T_STR(ids, "");
    store_face_close(&f);
}

static void what_is_unfinished(void) {
    struct store_face f;
    struct sbx_records *list = NULL;
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    store_face_open(&f);
    for (int32_t state = SBX_RECORD_INTENT; state <= SBX_RECORD_DONE; state++)
        sbx_record_free(stores_bring(f.store, (int)state, ANN, state));
    T_STATUS(sbx_store_list_unfinished(f.store, NULL, NULL, &list, NULL), SBX_OK);
    T_EQ(sbx_records_count(list), 4);
    for (size_t i = 0; i < 4; i++) T_TRUE(sbx_record_unfinished(sbx_records_at(list, i)->state));
    T_STR(sbx_records_next(list), "");
    T_EQ(sbx_records_broken(list), 0);
    sbx_records_free(list);
    query.max = 3;
    T_STATUS(sbx_store_list_unfinished(f.store, &query, NULL, &list, NULL), SBX_OK);
    T_EQ(sbx_records_count(list), 3);
    struct sbx_records *rest = NULL;
    query.after = sbx_records_next(list);
    T_STATUS(sbx_store_list_unfinished(f.store, &query, NULL, &rest, NULL), SBX_OK);
    T_EQ(sbx_records_count(rest), 1);
    T_EQ(sbx_records_at(rest, 0)->state, SBX_RECORD_DESTROYING);
    sbx_records_free(list);
    sbx_records_free(rest);
    store_face_close(&f);
}

/* A replacement takes the locator over in one step, or nothing changes. */
static void a_locator_moves(void) {
    struct store_face f;
    struct sbx_record *now = NULL;
    store_face_open(&f);
    struct sbx_record *old = stores_bring(f.store, 1, ANN, SBX_RECORD_MAPPED);
    struct sbx_record *fresh = stores_bring(f.store, 2, BOB, SBX_RECORD_ALLOCATED);
    struct sbx_store_change change = stores_change(fresh, BOB);
    change.locator = old->locator;
    change.replaces = old->acquisition;
    change.replaces_generation = old->generation - 1;
    change.replaces_state = SBX_RECORD_DESTROYING;
    T_STATUS(sbx_store_put_mapping(f.store, &change, NULL, &now, NULL), SBX_CONFLICT);
    struct sbx_record *read = stores_read(f.store, stores_locator(1));
    stores_same(read, old);
    sbx_record_free(read);
    read = stores_read(f.store, stores_id(2));
    stores_same(read, fresh);
    sbx_record_free(read);
    change.replaces_generation = old->generation;
    T_STATUS(sbx_store_put_mapping(f.store, &change, NULL, &now, NULL), SBX_OK);
    read = stores_read(f.store, stores_locator(1));
    stores_same(read, now);
    T_STR(read->acquisition, stores_id(2));
    sbx_record_free(read);
    read = stores_read(f.store, stores_id(1));
    T_EQ(read->state, SBX_RECORD_DESTROYING);
    T_STR(read->locator, "");
    T_STR(read->owner, BOB);
    T_EQ(read->generation, old->generation + 1);
    T_EQ(read->lease, 2);
    sbx_record_free(read);
    sbx_record_free(old);
    sbx_record_free(fresh);
    sbx_record_free(now);
    store_face_close(&f);
}

/* Another store over the same records sees at once what was acknowledged, and takes an owner's record over. */
static void another_store_sees_it(void) {
    struct store_face f;
    store_face_open(&f);
    struct sbx_store *other = store_face_again(&f, f.env);
    struct sbx_record *record = stores_bring(f.store, 3, ANN, SBX_RECORD_ALLOCATED), *taken = NULL;
    struct sbx_record *read = stores_read(other ? other : f.store, stores_id(3));
    stores_same(read, record);
    struct sbx_store_change claim = stores_change(read, BOB), renew = stores_change(record, ANN);
    T_STATUS(sbx_store_renew(f.store, &renew, NULL, NULL, NULL), SBX_OK);
    T_STATUS(sbx_store_claim(other ? other : f.store, &claim, NULL, NULL, NULL), SBX_CONFLICT);
    claim.lease++;
    T_STATUS(sbx_store_claim(other ? other : f.store, &claim, NULL, &taken, NULL), SBX_OK);
    T_STR(taken->owner, BOB);
    T_EQ(taken->lease, 3);
    T_EQ(taken->generation, record->generation + 1);
    T_STATUS(sbx_store_renew(f.store, &renew, NULL, NULL, NULL), SBX_CONFLICT);
    renew.locator = stores_locator(3);
    T_STATUS(sbx_store_put_mapping(f.store, &renew, NULL, NULL, NULL), SBX_CONFLICT);
    renew.generation = taken->generation;
    T_STATUS(sbx_store_put_mapping(f.store, &renew, NULL, NULL, NULL), SBX_CONFLICT);
    sbx_record_free(record);
    sbx_record_free(read);
    sbx_record_free(taken);
    sbx_store_free(other);
    store_face_close(&f);
}

static void a_call_that_is_over_does_nothing(void) {
    struct store_face f;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record draft = stores_draft(1, ANN), *record = NULL;
    store_face_open(&f);
    struct sbx_call call = SBX_CALL_INIT;
    call.cancel = sbx_cancel_create(f.env);
    call.deadline_ms = f.env->now_ms(f.env) - 1;
    T_STATUS(sbx_store_put_intent(f.store, &draft, &call, &record, &err), SBX_DEADLINE);
    T_EQ(err.outcome, SBX_OUTCOME_NOT_SENT);
    call.deadline_ms = 0;
    sbx_cancel_fire(call.cancel);
    T_STATUS(sbx_store_put_intent(f.store, &draft, &call, &record, &err), SBX_CANCELLED);
    T_STATUS(sbx_store_get(f.store, draft.acquisition, NULL, &record, &err), SBX_NOT_FOUND);
    T_TRUE(!record);
    sbx_cancel_free(call.cancel);
    store_face_close(&f);
}

T_CASES(T_CASE(a_whole_life), T_CASE(the_same_intent_again), T_CASE(texts_come_back), T_CASE(what_labels_find),
        T_CASE(what_is_unfinished), T_CASE(a_locator_moves), T_CASE(another_store_sees_it),
        T_CASE(a_call_that_is_over_does_nothing), T_CASE(every_step), T_CASE(every_other_change),
        T_CASE(two_callers_in_every_order), T_CASE(many_threads), T_CASE(claims_of_many_threads))
