/* Guards of the rules that every store has, by the reference store; each pair differs in one fact. Rows R9, R21, R22.
 */
#include "real_env.h"
#include "stores.h"

#include <sandport/kit/store_rules.h>

static struct sbx_store *begin(struct sbx_env **env) {
    struct sbx_store *store = NULL;
    *env = real_env_create();
    T_STATUS(sbx_store_memory_create(*env, &store, NULL), SBX_OK);
    return store;
}

static void end(struct sbx_store *store, struct sbx_env *env) {
    sbx_store_free(store);
    sbx_env_free(env);
}

enum verb { ADVANCE, MAP, CLAIM, RENEW, REMOVE };

/* One change of one record, and whether it is made. */
struct scene {
    int32_t from;
    enum verb verb;
    int32_t to;
    int by_another;         /* not by its owner */
    int64_t generation_off; /* how far the caller's is from the record's */
    int renewed;            /* the owner renewed since the caller looked */
    int locator_of_another; /* another record has the locator */
    int replaces;           /* the caller says so */
    int64_t replaces_off;   /* how far that one's generation is off */
};

static void play(struct scene s, enum sbx_status due) {
    struct sbx_env *env = NULL;
    struct sbx_store *store = begin(&env);
    struct sbx_record *seen = stores_bring(store, 1, ANN, s.from), *other = NULL, *now = NULL;
    struct sbx_store_change change = stores_change(seen, s.by_another ? BOB : ANN), renewal = stores_change(seen, ANN);
    change.generation += s.generation_off;
    change.state = s.to;
    change.sandbox_id = "sandbox-1";
    change.locator = stores_locator(1);
    if (s.renewed) T_STATUS(sbx_store_renew(store, &renewal, NULL, NULL, NULL), SBX_OK);
    if (s.locator_of_another) {
        other = stores_bring(store, 2, ANN, SBX_RECORD_MAPPED);
        change.locator = other->locator;
    }
    if (other && s.replaces) {
        change.replaces = other->acquisition;
        change.replaces_generation = other->generation + s.replaces_off;
        change.replaces_state = SBX_RECORD_DESTROYING;
    }
    enum sbx_status st = s.verb == ADVANCE ? sbx_store_advance(store, &change, NULL, &now, NULL)
                         : s.verb == MAP   ? sbx_store_put_mapping(store, &change, NULL, &now, NULL)
                         : s.verb == CLAIM ? sbx_store_claim(store, &change, NULL, &now, NULL)
                         : s.verb == RENEW ? sbx_store_renew(store, &change, NULL, &now, NULL)
                                           : sbx_store_remove(store, &change, NULL, NULL);
    T_STATUS(st, due);
    sbx_record_free(seen);
    sbx_record_free(other);
    sbx_record_free(now);
    end(store, env);
}

#define SCENE(...) ((struct scene){__VA_ARGS__})
#define PAIR(name, fires, what, because, rests, otherwise)                                                             \
    static void must_fire_##name##__##fires(void) {                                                                    \
        play(what, because);                                                                                           \
    }                                                                                                                  \
    static void must_not_fire_##name##__##rests(void) {                                                                \
        play(otherwise, SBX_OK);                                                                                       \
    }

PAIR(store_step, backwards, SCENE(.from = SBX_RECORD_SENT, .to = SBX_RECORD_INTENT), SBX_INVALID_ARGUMENT, forwards,
     SCENE(.from = SBX_RECORD_SENT, .to = SBX_RECORD_ALLOCATED))
PAIR(store_owner_advances, another, SCENE(.from = SBX_RECORD_SENT, .to = SBX_RECORD_DESTROYING, .by_another = 1),
     SBX_CONFLICT, owner, SCENE(.from = SBX_RECORD_SENT, .to = SBX_RECORD_DESTROYING))
PAIR(store_generation, changed_since, SCENE(.from = SBX_RECORD_SENT, .to = SBX_RECORD_DESTROYING, .generation_off = -1),
     SBX_CONFLICT, as_seen, SCENE(.from = SBX_RECORD_SENT, .to = SBX_RECORD_DESTROYING))
PAIR(store_owner_maps, another, SCENE(.from = SBX_RECORD_ALLOCATED, .verb = MAP, .by_another = 1), SBX_CONFLICT, owner,
     SCENE(.from = SBX_RECORD_ALLOCATED, .verb = MAP))
PAIR(store_locator_once, taken, SCENE(.from = SBX_RECORD_ALLOCATED, .verb = MAP, .locator_of_another = 1),
     SBX_ALREADY_EXISTS, free, SCENE(.from = SBX_RECORD_ALLOCATED, .verb = MAP))
PAIR(store_replaces_generation, changed_since,
     SCENE(.from = SBX_RECORD_ALLOCATED, .verb = MAP, .locator_of_another = 1, .replaces = 1, .replaces_off = -1),
     SBX_CONFLICT, as_seen, SCENE(.from = SBX_RECORD_ALLOCATED, .verb = MAP, .locator_of_another = 1, .replaces = 1))
PAIR(store_lease_unchanged, renewed, SCENE(.from = SBX_RECORD_SENT, .verb = CLAIM, .by_another = 1, .renewed = 1),
     SBX_CONFLICT, silent, SCENE(.from = SBX_RECORD_SENT, .verb = CLAIM, .by_another = 1))
PAIR(store_owner_renews, another, SCENE(.from = SBX_RECORD_SENT, .verb = RENEW, .by_another = 1), SBX_CONFLICT, owner,
     SCENE(.from = SBX_RECORD_SENT, .verb = RENEW))
PAIR(store_remove_finished, mapped, SCENE(.from = SBX_RECORD_MAPPED, .verb = REMOVE), SBX_INVALID_ARGUMENT, done,
     SCENE(.from = SBX_RECORD_DONE, .verb = REMOVE))

/* ---- intents ---- */

static void intent_again(const char *pool, enum sbx_status due) {
    struct sbx_env *env = NULL;
    struct sbx_store *store = begin(&env);
    struct sbx_record draft = stores_draft(1, ANN);
    T_STATUS(sbx_store_put_intent(store, &draft, NULL, NULL, NULL), SBX_OK);
    draft.pool = pool;
    T_STATUS(sbx_store_put_intent(store, &draft, NULL, NULL, NULL), due);
    end(store, env);
}

static void must_fire_store_intent_once__another_pool(void) {
    intent_again("toy-us", SBX_ALREADY_EXISTS);
}
static void must_not_fire_store_intent_once__the_same(void) {
    intent_again("toy-eu", SBX_OK);
}

/* ---- rows ---- */

static void row(int32_t state, enum sbx_status due) {
    struct sbx_record columns = stores_draft(1, ANN), *record = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    columns.sandbox_id = columns.locator = "";
    columns.generation = columns.lease = 1;
    columns.state = state;
    T_STATUS(sbx_store_row_read(&columns, "[]", &record, &err), due);
    if (due) T_STR(err.detail, "row 00000000000000000000000000000001: state: expected one that this release knows");
    sbx_record_free(record);
}

static void must_fire_store_corrupt_row__state_8(void) {
    row(8, SBX_STORE_CORRUPT);
}
static void must_not_fire_store_corrupt_row__state_7(void) {
    row(7, SBX_OK);
}

/* ---- arguments ---- */

static void bad_drafts(void) {
    static const struct sbx_pair twice[] = {{"a", "1"}, {"a", "2"}}, nameless[] = {{"", "1"}}, null[] = {{"a", NULL}};
    struct sbx_env *env = NULL;
    struct sbx_store *store = begin(&env);
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record good = stores_draft(1, ANN), bad[14];
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) bad[i] = good;
    bad[0].acquisition = "1";
    bad[1].acquisition = NULL;
    bad[2].acquisition = "0000000000000000000000000000000A";
    bad[3].provider = "";
    bad[4].provider = "a-provider-of-24-bytes..";
    bad[5].pool = NULL;
    bad[6].pool = "a\nb";
    bad[7].owner = "ann";
    bad[8].attempt = 0;
    bad[9].request = "\xff";
    bad[10].labels = twice;
    bad[10].label_count = 2;
    bad[11].labels = nameless;
    bad[11].label_count = 1;
    bad[12].labels = null;
    bad[12].label_count = 1;
    bad[13].size = 8;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        T_STATUS(sbx_store_put_intent(store, &bad[i], NULL, NULL, &err), SBX_INVALID_ARGUMENT);
        T_CONTAINS(err.detail, ": expected");
        T_EQ(err.outcome == SBX_OUTCOME_NOT_SENT || err.outcome == SBX_OUTCOME_NONE, 1);
    }
    T_STATUS(sbx_store_put_intent(store, NULL, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_store_put_intent(NULL, &good, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_store_put_intent(store, &good, NULL, NULL, &err), SBX_OK);
    end(store, env);
}

static void bad_changes(void) {
    struct sbx_env *env = NULL;
    struct sbx_store *store = begin(&env);
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_record *record = stores_bring(store, 1, ANN, SBX_RECORD_SENT), *got = NULL;
    struct sbx_records *list = NULL;
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    static const int32_t states[] = {0};
    struct sbx_store_change good = stores_change(record, ANN), change = good;
    change.state = 8;
    T_STATUS(sbx_store_advance(store, &change, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err.detail, "state");
    change.state = SBX_RECORD_ALLOCATED;
    T_STATUS(sbx_store_advance(store, &change, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err.detail, "sandbox_id");
    change.sandbox_id = "";
    T_STATUS(sbx_store_advance(store, &change, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    change = good;
    change.generation = 0;
    T_STATUS(sbx_store_remove(store, &change, NULL, &err), SBX_INVALID_ARGUMENT);
    change = good;
    change.locator = "sbx_1";
    T_STATUS(sbx_store_put_mapping(store, &change, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    change.locator = stores_locator(1);
    change.replaces = record->acquisition;
    T_STATUS(sbx_store_put_mapping(store, &change, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    change.replaces = stores_id(2);
    change.replaces_state = SBX_RECORD_MAPPED;
    T_STATUS(sbx_store_put_mapping(store, &change, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_store_claim(store, NULL, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_store_get(store, "everything", NULL, &got, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_store_get(store, NULL, NULL, &got, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_store_get(store, stores_id(1), NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    query.max = 1001;
    T_STATUS(sbx_store_find(store, &query, NULL, &list, &err), SBX_INVALID_ARGUMENT);
    query.max = 0;
    query.states = states;
    query.state_count = 1;
    T_STATUS(sbx_store_find(store, &query, NULL, &list, &err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_store_find(store, NULL, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    err.size = 1;
    T_STATUS(sbx_store_renew(store, &good, NULL, NULL, &err), SBX_INVALID_ARGUMENT);
    sbx_record_free(record);
    end(store, env);
}

static int freed;
static void count_free(void *self) {
    (void)self;
    freed++;
}

static void tables_that_lack_an_op(void) {
    struct sbx_env *env = real_env_create();
    struct sbx_store *store = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_store_ops ops = {.size = sizeof(ops), .kind = "own", .free = count_free};
    T_STATUS(sbx_store_create(&ops, NULL, env, &store, &err), SBX_INVALID_ARGUMENT);
    T_STR(err.detail, "ops.put_intent: expected one");
    T_EQ(freed, 1);
    T_STATUS(sbx_store_create(NULL, NULL, env, &store, &err), SBX_INVALID_ARGUMENT);
    T_STR(sbx_store_kind(NULL), "");
    sbx_store_free(NULL);
    sbx_records_free(NULL);
    sbx_env_free(env);
}

static void names_of_states(void) {
    T_STR(sbx_record_state_name(SBX_RECORD_DESTROYING), "DESTROYING");
    T_STR(sbx_record_state_name(0), "?");
    T_STR(sbx_record_state_name(8), "?");
    T_TRUE(!sbx_record_unfinished(SBX_RECORD_MAPPED) && !sbx_record_unfinished(99));
}

T_CASES(T_CASE(must_fire_store_step__backwards), T_CASE(must_not_fire_store_step__forwards),
        T_CASE(must_fire_store_owner_advances__another), T_CASE(must_not_fire_store_owner_advances__owner),
        T_CASE(must_fire_store_generation__changed_since), T_CASE(must_not_fire_store_generation__as_seen),
        T_CASE(must_fire_store_owner_maps__another), T_CASE(must_not_fire_store_owner_maps__owner),
        T_CASE(must_fire_store_locator_once__taken), T_CASE(must_not_fire_store_locator_once__free),
        T_CASE(must_fire_store_replaces_generation__changed_since),
        T_CASE(must_not_fire_store_replaces_generation__as_seen), T_CASE(must_fire_store_lease_unchanged__renewed),
        T_CASE(must_not_fire_store_lease_unchanged__silent), T_CASE(must_fire_store_owner_renews__another),
        T_CASE(must_not_fire_store_owner_renews__owner), T_CASE(must_fire_store_remove_finished__mapped),
        T_CASE(must_not_fire_store_remove_finished__done), T_CASE(must_fire_store_intent_once__another_pool),
        T_CASE(must_not_fire_store_intent_once__the_same), T_CASE(must_fire_store_corrupt_row__state_8),
        T_CASE(must_not_fire_store_corrupt_row__state_7), T_CASE(bad_drafts), T_CASE(bad_changes),
        T_CASE(tables_that_lack_an_op), T_CASE(names_of_states))
