/* Memory runs out in a store: a change is made as a whole or not at all, and says which. */
#include "stores.h"
#include "real_env.h"
#include "scratch.h"
#include "short_memory.h"

#include <sandport/kit/text.h>
#include <sandport/store_sqlite.h>
#include <stdio.h>

static const struct sbx_pair labels[] = {{"team", "a"},
                                         {"use", "a value that is longer than what a buffer begins with, 64"}};

enum what { INTENT, ADVANCE, MAP, CLAIM, RENEW, REMOVE, GET, FIND };

static struct sbx_record *prepare(struct sbx_store *store, enum what what, int n) {
    if (what == INTENT) return NULL;
    return stores_bring(store, n, ANN, what == REMOVE ? SBX_RECORD_DONE : SBX_RECORD_ALLOCATED);
}

static enum sbx_status act(struct sbx_store *store, enum what what, int n, const struct sbx_record *seen,
                           struct sbx_error *err) {
    struct sbx_record draft = stores_draft(n, ANN), *out = NULL;
    struct sbx_records *list = NULL;
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    struct sbx_store_change change = stores_change(seen ? seen : &draft, what == CLAIM ? BOB : ANN);
    enum sbx_status st = SBX_OK;
    draft.labels = query.labels = labels;
    draft.label_count = query.label_count = 2;
    change.state = SBX_RECORD_DESTROYING;
    change.locator = stores_locator(n);
    switch (what) {
    case INTENT:
        st = sbx_store_put_intent(store, &draft, NULL, &out, err);
        break;
    case ADVANCE:
        st = sbx_store_advance(store, &change, NULL, &out, err);
        break;
    case MAP:
        st = sbx_store_put_mapping(store, &change, NULL, &out, err);
        break;
    case CLAIM:
        st = sbx_store_claim(store, &change, NULL, &out, err);
        break;
    case RENEW:
        st = sbx_store_renew(store, &change, NULL, &out, err);
        break;
    case REMOVE:
        st = sbx_store_remove(store, &change, NULL, err);
        break;
    case GET:
        st = sbx_store_get(store, draft.acquisition, NULL, &out, err);
        break;
    case FIND:
        st = sbx_store_find(store, &query, NULL, &list, err);
        break;
    }
    sbx_record_free(out);
    sbx_records_free(list);
    return st;
}

/* What a call that was short of memory left. */
static void check_unchanged(struct sbx_store *store, int n, const struct sbx_record *seen) {
    struct sbx_record *now = NULL;
    if (!seen) {
        T_STATUS(sbx_store_get(store, stores_id(n), NULL, &now, NULL), SBX_NOT_FOUND);
        return;
    }
    now = stores_read(store, seen->acquisition);
    stores_same(now, seen);
    sbx_record_free(now);
}

static void sweep(struct sbx_store *store, enum what what, int *n, int64_t requests_min) {
    for (int how = MEMORY_SHORT_ONCE; how <= MEMORY_SHORT_FROM_THEN_ON; how++) {
        int64_t nth = 0, refused = 1;
        while (refused) {
            struct sbx_error err = SBX_ERROR_INIT;
            struct sbx_record *seen = prepare(store, what, ++*n);
            short_memory_arm(++nth, (enum short_memory)how);
            enum sbx_status st = act(store, what, *n, seen, &err);
            refused = short_memory_disarm();
            /* libcrypto does without some of what it asks for. */
            if (st && (!refused || st != SBX_NO_MEMORY))
                T_FAIL("operation %d, request %lld refused: got %s", (int)what, (long long)nth,
                       sbx_status_name((int32_t)st));
            if (st) check_unchanged(store, *n, seen);
            if (st) T_TRUE(err.outcome != SBX_OUTCOME_UNKNOWN && err.outcome != SBX_OUTCOME_DONE);
            sbx_record_free(seen);
        }
        if (nth <= requests_min) T_FAIL("operation %d: %lld requests", (int)what, (long long)nth - 1);
    }
}

static void sweep_all(struct sbx_store *store) {
    char warm[SBX_SHA256_HEX];
    int n = 0;
    short_memory_tree_max(0);
    /* libcrypto, refused while it loads what it hashes with, is never the same again. */
    T_TRUE(sbx_sha256_of("", 0, warm));
    for (enum what what = INTENT; what <= FIND; what++) sweep(store, what, &n, what == REMOVE ? 0 : 1);
}

static void in_memory(void) {
    struct sbx_env *env = real_env_create();
    struct sbx_store *store = NULL;
    T_STATUS(sbx_store_memory_create(env, &store, NULL), SBX_OK);
    sweep_all(store);
    sbx_store_free(store);
    sbx_env_free(env);
}

static void in_a_file(void) {
    struct sbx_env *env = real_env_create();
    struct scratch *scratch = scratch_create();
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    struct sbx_store *store = NULL;
    char path[SCRATCH_PATH_SIZE];
    opt.path = scratch_path(scratch, "store.db", path);
    T_STATUS(sbx_store_sqlite_create(&opt, env, NULL, &store, NULL), SBX_OK);
    sweep_all(store);
    sbx_store_free(store);
    scratch_free(scratch);
    sbx_env_free(env);
}

static void making_one(void) {
    struct sbx_env *env = real_env_create();
    struct scratch *scratch = scratch_create();
    struct sbx_store_sqlite_options opt = SBX_STORE_SQLITE_OPTIONS_INIT;
    char path[SCRATCH_PATH_SIZE];
    opt.path = scratch_path(scratch, "store.db", path);
    for (int kind = 0; kind < 2; kind++) {
        int64_t nth = 0, refused = 1;
        while (refused) {
            struct sbx_store *store = NULL;
            short_memory_arm(++nth, MEMORY_SHORT_ONCE);
            enum sbx_status st = kind ? sbx_store_sqlite_create(&opt, env, NULL, &store, NULL)
                                      : sbx_store_memory_create(env, &store, NULL);
            refused = short_memory_disarm();
            T_STATUS(st, refused ? SBX_NO_MEMORY : SBX_OK);
            sbx_store_free(store);
        }
        T_TRUE(nth > 2);
    }
    scratch_free(scratch);
    sbx_env_free(env);
}

T_CASES(T_CASE(in_memory), T_CASE(in_a_file), T_CASE(making_one))
