/* A store: a table of operations behind checks that are the same for every kind. Rows R9, R21. */
#include "src/store/store.h"

#include "src/port/port.h"

#include <stdlib.h>
#include <string.h>

#define STORE_MS 30000

void sbx_store_change_init(struct sbx_store_change *change, size_t size) {
    sbx_options_init(change, size);
}
void sbx_store_query_init(struct sbx_store_query *query, size_t size) {
    sbx_options_init(query, size);
}

/* ---- making one ---- */

/* The first op that the table lacks, NULL if it has all. */
static const char *missing_op(const struct sbx_store_ops *ops) {
    if (!ops->kind) return "kind";
    if (!ops->free) return "free";
    if (!ops->put_intent) return "put_intent";
    if (!ops->advance) return "advance";
    if (!ops->put_mapping) return "put_mapping";
    if (!ops->get) return "get";
    if (!ops->find) return "find";
    if (!ops->remove) return "remove";
    if (!ops->list_unfinished) return "list_unfinished";
    if (!ops->claim) return "claim";
    return ops->renew ? NULL : "renew";
}

enum sbx_status sbx_store_create(const struct sbx_store_ops *ops, void *self, struct sbx_env *env,
                                 struct sbx_store **out, struct sbx_error *err) {
    struct sbx_store *store = NULL;
    const char *missing = NULL;
    enum sbx_status st = SBX_INVALID_ARGUMENT;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!ops || ops->size < sizeof(ops->size))
        return sbx_fail(err, st, SBX_OUTCOME_NONE, "ops: expected a table with its size");
    store = calloc(1, sizeof(*store));
    if (!store) {
        st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
        goto failed;
    }
    memcpy(&store->ops, ops, ops->size < sizeof(store->ops) ? ops->size : sizeof(store->ops));
    store->self = self;
    store->env = env;
    missing = missing_op(&store->ops);
    if (missing || !env || !out) {
        sbx_fail(err, st, SBX_OUTCOME_NONE, "%s%s: expected one", missing ? "ops." : "",
                 missing ? missing
                 : env   ? "out"
                         : "env");
        goto failed;
    }
    *out = store;
    return SBX_OK;
failed:
    if (ops->size >= offsetof(struct sbx_store_ops, put_intent) && ops->free) ops->free(self);
    free(store);
    return st;
}

void sbx_store_free(struct sbx_store *store) {
    if (!store) return;
    store->ops.free(store->self);
    free(store);
}

const char *sbx_store_kind(const struct sbx_store *store) {
    return store ? store->ops.kind : "";
}

/* ---- entering and leaving ---- */

static enum sbx_status enter(struct port_entry *entry, const struct sbx_store *store, const char *operation,
                             const struct sbx_call *call, struct sbx_error *callers) {
    enum sbx_status st = sbx_port_entry_begin(entry, operation, callers);
    if (st) return st;
    if (!store) return sbx_port_missing(entry, "store");
    sbx_copy(entry->err.provider, sizeof(entry->err.provider), store->ops.kind);
    return sbx_port_call_take(call, store->env, STORE_MS, &entry->call, &entry->err);
}

static enum sbx_status refuse(struct port_entry *entry, const char *wrong) {
    return sbx_fail(&entry->err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "%s", wrong);
}

/* The record goes to a caller who wants it. */
static enum sbx_status leave_with(struct port_entry *entry, enum sbx_status st, struct sbx_record *record,
                                  struct sbx_record **out) {
    if (!st && out)
        *out = record;
    else
        sbx_record_free(record);
    return sbx_port_leave(entry, st);
}

/* ---- operations ---- */

enum sbx_status sbx_store_put_intent(struct sbx_store *store, const struct sbx_record *draft,
                                     const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_record taken = SBX_RECORD_INIT;
    struct sbx_record *record = NULL;
    const char *wrong = NULL;
    enum sbx_status st = enter(&entry, store, "put_intent", call, err);
    if (st) goto done;
    if (!draft)
        st = sbx_port_missing(&entry, "record");
    else if (sbx_options_take(&taken, sizeof(taken), draft, sizeof(taken)))
        st = sbx_port_size_wrong(&entry, "record");
    if (st) goto done;
    if (!taken.sandbox_id) taken.sandbox_id = "";
    if (!taken.request) taken.request = "";
    wrong = sbx_store_record_wrong(&taken, 0);
    if (wrong) {
        st = refuse(&entry, wrong);
        goto done;
    }
    sbx_copy(entry.err.acquisition, sizeof(entry.err.acquisition), taken.acquisition);
    st = store->ops.put_intent(store->self, &taken, &entry.call, &record, &entry.err);
done:
    return leave_with(&entry, st, record, out);
}

/* Enters, and takes and checks the change of any operation that has one. */
static enum sbx_status enter_change(struct port_entry *entry, const struct sbx_store *store, const char *operation,
                                    int32_t verb, const struct sbx_store_change *from, const struct sbx_call *call,
                                    struct sbx_store_change *change, struct sbx_error *err) {
    enum sbx_status st = enter(entry, store, operation, call, err);
    if (st) return st;
    if (!from) return sbx_port_missing(entry, "change");
    if (sbx_options_take(change, sizeof(*change), from, sizeof(*change))) return sbx_port_size_wrong(entry, "change");
    const char *wrong = sbx_store_change_wrong(change, verb);
    if (wrong) return refuse(entry, wrong);
    sbx_copy(entry->err.acquisition, sizeof(entry->err.acquisition), change->acquisition);
    return SBX_OK;
}

typedef enum sbx_status (*change_fn)(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                                     struct sbx_record **out, struct sbx_error *err);

static change_fn change_op(const struct sbx_store *store, int32_t verb) {
    if (verb == SBX_STORE_ADVANCE) return store->ops.advance;
    if (verb == SBX_STORE_PUT_MAPPING) return store->ops.put_mapping;
    return verb == SBX_STORE_CLAIM ? store->ops.claim : store->ops.renew;
}

static enum sbx_status change_by(struct sbx_store *store, const char *operation, int32_t verb,
                                 const struct sbx_store_change *change, const struct sbx_call *call,
                                 struct sbx_record **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_store_change taken = SBX_STORE_CHANGE_INIT;
    struct sbx_record *record = NULL;
    enum sbx_status st = enter_change(&entry, store, operation, verb, change, call, &taken, err);
    if (!st) st = change_op(store, verb)(store->self, &taken, &entry.call, &record, &entry.err);
    return leave_with(&entry, st, record, out);
}

enum sbx_status sbx_store_advance(struct sbx_store *store, const struct sbx_store_change *change,
                                  const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    return change_by(store, "advance", SBX_STORE_ADVANCE, change, call, out, err);
}

enum sbx_status sbx_store_put_mapping(struct sbx_store *store, const struct sbx_store_change *change,
                                      const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    return change_by(store, "put_mapping", SBX_STORE_PUT_MAPPING, change, call, out, err);
}

enum sbx_status sbx_store_claim(struct sbx_store *store, const struct sbx_store_change *change,
                                const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    return change_by(store, "claim", SBX_STORE_CLAIM, change, call, out, err);
}

enum sbx_status sbx_store_renew(struct sbx_store *store, const struct sbx_store_change *change,
                                const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    return change_by(store, "renew", SBX_STORE_RENEW, change, call, out, err);
}

enum sbx_status sbx_store_remove(struct sbx_store *store, const struct sbx_store_change *change,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_store_change taken = SBX_STORE_CHANGE_INIT;
    enum sbx_status st = enter_change(&entry, store, "remove", SBX_STORE_REMOVE, change, call, &taken, err);
    if (!st) st = store->ops.remove(store->self, &taken, &entry.call, &entry.err);
    return sbx_port_leave(&entry, st);
}

enum sbx_status sbx_store_get(struct sbx_store *store, const char *key, const struct sbx_call *call,
                              struct sbx_record **out, struct sbx_error *err) {
    struct port_entry entry;
    struct sbx_record *record = NULL;
    enum sbx_status st = enter(&entry, store, "get", call, err);
    if (st) goto done;
    if (!out)
        st = sbx_port_missing(&entry, "out");
    else if (!sbx_store_is_locator(key) && !sbx_is_hex(key, SBX_ACQUISITION_SIZE - 1))
        st = refuse(&entry, "key: expected an acquisition id or a locator");
    if (!st) st = store->ops.get(store->self, key, &entry.call, &record, &entry.err);
done:
    return leave_with(&entry, st, record, out);
}

typedef enum sbx_status (*list_fn)(void *self, const struct sbx_store_query *query, const struct sbx_call *call,
                                   struct sbx_records *into, struct sbx_error *err);

static enum sbx_status list_by(struct port_entry *entry, struct sbx_store *store, list_fn list,
                               const struct sbx_store_query *from, struct sbx_records **out) {
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    if (!out) return sbx_port_missing(entry, "out");
    if (sbx_options_take(&query, sizeof(query), from, sizeof(query))) return sbx_port_size_wrong(entry, "query");
    const char *wrong = sbx_store_query_wrong(&query);
    if (wrong) return refuse(entry, wrong);
    if (!query.after) query.after = "";
    if (!query.max) query.max = STORE_LIST_MAX;
    struct sbx_records *records = sbx_records_new();
    enum sbx_status st = SBX_NO_MEMORY;
    if (records) st = list(store->self, &query, &entry->call, records, &entry->err);
    if (st) {
        sbx_records_free(records);
        return st;
    }
    *out = records;
    return records->broken ? SBX_STORE_CORRUPT : SBX_OK;
}

enum sbx_status sbx_store_find(struct sbx_store *store, const struct sbx_store_query *query,
                               const struct sbx_call *call, struct sbx_records **out, struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = enter(&entry, store, "find", call, err);
    if (!st) st = list_by(&entry, store, store->ops.find, query, out);
    return sbx_port_leave(&entry, st);
}

enum sbx_status sbx_store_list_unfinished(struct sbx_store *store, const struct sbx_store_query *query,
                                          const struct sbx_call *call, struct sbx_records **out,
                                          struct sbx_error *err) {
    struct port_entry entry;
    enum sbx_status st = enter(&entry, store, "list_unfinished", call, err);
    if (!st) st = list_by(&entry, store, store->ops.list_unfinished, query, out);
    return sbx_port_leave(&entry, st);
}
