/* The reference store: records in memory, in the order of their keys, under one lock. Row R21. */
#include "src/store/store.h"

#include <sandport/kit/fail.h>
#include <stdlib.h>
#include <string.h>

/* Records in the order of one of their texts. */
struct order {
    struct sbx_record **items;
    size_t count;
    size_t cap;
    int by_locator;
};

struct memory {
    struct sbx_env *env;
    struct sbx_lock *lock;  /* guards both orders and what is in them; nothing waits under it */
    struct order all;       /* by acquisition; owns the records */
    struct order locatable; /* those that have a locator */
};

/* ---- orders ---- */

static const char *key_of(const struct order *order, const struct sbx_record *record) {
    return order->by_locator ? record->locator : record->acquisition;
}

/* Where `key` is, or would be. */
static size_t order_at(const struct order *order, const char *key) {
    size_t low = 0, high = order->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(key_of(order, order->items[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct sbx_record *order_find(const struct order *order, const char *key) {
    size_t at = order_at(order, key);
    if (at == order->count || strcmp(key_of(order, order->items[at]), key) != 0) return NULL;
    return order->items[at];
}

static int order_reserve(struct order *order) {
    if (order->count < order->cap) return 1;
    size_t cap = order->cap ? order->cap * 2 : 16;
    struct sbx_record **items = realloc(order->items, cap * sizeof(struct sbx_record *));
    if (!items) return 0;
    order->items = items;
    order->cap = cap;
    return 1;
}

/* There is room for it. */
static void order_put(struct order *order, struct sbx_record *record) {
    size_t at = order_at(order, key_of(order, record));
    memmove(order->items + at + 1, order->items + at, (order->count - at) * sizeof(struct sbx_record *));
    order->items[at] = record;
    order->count++;
}

static void order_drop(struct order *order, const char *key) {
    size_t at = order_at(order, key);
    if (at == order->count || strcmp(key_of(order, order->items[at]), key) != 0) return;
    order->count--;
    memmove(order->items + at, order->items + at + 1, (order->count - at) * sizeof(struct sbx_record *));
}

/* ---- writing ---- */

/* Takes the record of that acquisition out, and frees it. */
static void drop(struct memory *self, const char *acquisition) {
    struct sbx_record *old = order_find(&self->all, acquisition);
    if (!old) return;
    if (old->locator[0]) order_drop(&self->locatable, old->locator);
    order_drop(&self->all, acquisition);
    sbx_record_free(old);
}

/* Puts a record in the place of the one with its acquisition. There is room for it in both orders. */
static void put(struct memory *self, struct sbx_record *record) {
    drop(self, record->acquisition);
    order_put(&self->all, record);
    if (record->locator[0]) order_put(&self->locatable, record);
}

/* Everything that can fail comes first, so that a change is made as a whole or not at all. */
static enum sbx_status write_verdict(struct memory *self, const struct sbx_store_verdict *verdict,
                                     struct sbx_record **out) {
    struct sbx_record *kept = NULL, *replaced = NULL, *handed = sbx_record_create(&verdict->next);
    if (!handed) goto failed;
    if (verdict->write) {
        kept = sbx_record_create(&verdict->next);
        if (!kept || !order_reserve(&self->all) || !order_reserve(&self->locatable)) goto failed;
        if (verdict->has_replaced && !(replaced = sbx_record_create(&verdict->replaced))) goto failed;
        if (replaced) put(self, replaced);
        put(self, kept);
    }
    *out = handed;
    return SBX_OK;
failed:
    sbx_record_free(kept);
    sbx_record_free(handed);
    return SBX_NO_MEMORY;
}

static enum sbx_status memory_put_intent(void *ctx, const struct sbx_record *draft, const struct sbx_call *call,
                                         struct sbx_record **out, struct sbx_error *err) {
    struct memory *self = ctx;
    struct sbx_store_verdict verdict = SBX_STORE_VERDICT_INIT;
    (void)call;
    self->env->lock(self->env, self->lock);
    enum sbx_status st = sbx_store_decide_intent(draft, order_find(&self->all, draft->acquisition), &verdict, err);
    if (!st) st = write_verdict(self, &verdict, out);
    self->env->unlock(self->env, self->lock);
    return st == SBX_NO_MEMORY ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : st;
}

static enum sbx_status change_by(struct memory *self, int32_t verb, const struct sbx_store_change *change,
                                 struct sbx_record **out, struct sbx_error *err) {
    struct sbx_store_verdict verdict = SBX_STORE_VERDICT_INIT;
    const struct sbx_record *holder = NULL;
    self->env->lock(self->env, self->lock);
    if (verb == SBX_STORE_PUT_MAPPING) holder = order_find(&self->locatable, change->locator);
    enum sbx_status st =
        sbx_store_decide(verb, change, order_find(&self->all, change->acquisition), holder, &verdict, err);
    if (!st && verb == SBX_STORE_REMOVE)
        drop(self, change->acquisition);
    else if (!st)
        st = write_verdict(self, &verdict, out);
    self->env->unlock(self->env, self->lock);
    return st == SBX_NO_MEMORY ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL) : st;
}

static enum sbx_status memory_advance(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                      struct sbx_record **out, struct sbx_error *err) {
    (void)call;
    return change_by(ctx, SBX_STORE_ADVANCE, change, out, err);
}

static enum sbx_status memory_put_mapping(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                          struct sbx_record **out, struct sbx_error *err) {
    (void)call;
    return change_by(ctx, SBX_STORE_PUT_MAPPING, change, out, err);
}

static enum sbx_status memory_claim(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                    struct sbx_record **out, struct sbx_error *err) {
    (void)call;
    return change_by(ctx, SBX_STORE_CLAIM, change, out, err);
}

static enum sbx_status memory_renew(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                    struct sbx_record **out, struct sbx_error *err) {
    (void)call;
    return change_by(ctx, SBX_STORE_RENEW, change, out, err);
}

static enum sbx_status memory_remove(void *ctx, const struct sbx_store_change *change, const struct sbx_call *call,
                                     struct sbx_error *err) {
    (void)call;
    return change_by(ctx, SBX_STORE_REMOVE, change, NULL, err);
}

/* ---- reading ---- */

static enum sbx_status memory_get(void *ctx, const char *key, const struct sbx_call *call, struct sbx_record **out,
                                  struct sbx_error *err) {
    struct memory *self = ctx;
    (void)call;
    self->env->lock(self->env, self->lock);
    const struct sbx_record *found = order_find(sbx_store_is_locator(key) ? &self->locatable : &self->all, key);
    struct sbx_record *copy = found ? sbx_record_create(found) : NULL;
    self->env->unlock(self->env, self->lock);
    if (!found) return sbx_fail(err, SBX_NOT_FOUND, SBX_OUTCOME_NONE, "key: it has no record");
    if (!copy) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    *out = copy;
    return SBX_OK;
}

static enum sbx_status list_locked(const struct memory *self, const struct sbx_store_query *query, int unfinished,
                                   struct sbx_records *into) {
    size_t at = order_at(&self->all, query->after);
    for (; at < self->all.count; at++) {
        const struct sbx_record *record = self->all.items[at];
        if (strcmp(record->acquisition, query->after) == 0) continue;
        if (unfinished ? !sbx_record_unfinished(record->state) : !sbx_record_matches(record, query)) continue;
        if (into->count == (size_t)query->max)
            return sbx_records_set_next(into, into->items[into->count - 1]->acquisition);
        struct sbx_record *copy = sbx_record_create(record);
        enum sbx_status st = copy ? sbx_records_take(into, &copy) : SBX_NO_MEMORY;
        sbx_record_free(copy);
        if (st) return st;
    }
    return SBX_OK;
}

static enum sbx_status list_by(struct memory *self, const struct sbx_store_query *query, int unfinished,
                               struct sbx_records *into, struct sbx_error *err) {
    self->env->lock(self->env, self->lock);
    enum sbx_status st = list_locked(self, query, unfinished, into);
    self->env->unlock(self->env, self->lock);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NONE, NULL) : SBX_OK;
}

static enum sbx_status memory_find(void *ctx, const struct sbx_store_query *query, const struct sbx_call *call,
                                   struct sbx_records *into, struct sbx_error *err) {
    (void)call;
    return list_by(ctx, query, 0, into, err);
}

static enum sbx_status memory_list_unfinished(void *ctx, const struct sbx_store_query *query,
                                              const struct sbx_call *call, struct sbx_records *into,
                                              struct sbx_error *err) {
    (void)call;
    return list_by(ctx, query, 1, into, err);
}

/* ---- making one ---- */

static void memory_free(void *ctx) {
    struct memory *self = ctx;
    for (size_t i = 0; i < self->all.count; i++) sbx_record_free(self->all.items[i]);
    free(self->all.items);
    free(self->locatable.items);
    if (self->lock) self->env->lock_free(self->env, self->lock);
    free(self);
}

static const struct sbx_store_ops memory_ops = {
    .size = sizeof(struct sbx_store_ops),
    .kind = "memory",
    .free = memory_free,
    .put_intent = memory_put_intent,
    .advance = memory_advance,
    .put_mapping = memory_put_mapping,
    .get = memory_get,
    .find = memory_find,
    .remove = memory_remove,
    .list_unfinished = memory_list_unfinished,
    .claim = memory_claim,
    .renew = memory_renew,
};

enum sbx_status sbx_store_memory_create(struct sbx_env *env, struct sbx_store **out, struct sbx_error *err) {
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!env) return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "env: expected one");
    struct memory *self = calloc(1, sizeof(*self));
    if (!self) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    self->env = env;
    self->locatable.by_locator = 1;
    self->lock = env->lock_new(env);
    if (!self->lock) {
        memory_free(self);
        return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    }
    return sbx_store_create(&memory_ops, self, env, out, err);
}
