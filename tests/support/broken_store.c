/* A mapping store that fails on demand. Searches are not its business. */
#include "broken_store.h"

#include <sandport/kit/fail.h>

static enum sbx_status broken(struct sbx_error *err) {
    return sbx_fail(err, SBX_STORE_FAILED, SBX_OUTCOME_REFUSED, "broken on purpose");
}

static void broken_free(void *self) {
    (void)self;
}

static enum sbx_status broken_put_intent(void *self, const struct sbx_record *draft, const struct sbx_call *call,
                                         struct sbx_record **out, struct sbx_error *err) {
    struct broken_store *b = self;
    return b->fail_intent ? broken(err) : sbx_store_put_intent(b->inner, draft, call, out, err);
}

static enum sbx_status broken_advance(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                                      struct sbx_record **out, struct sbx_error *err) {
    struct broken_store *b = self;
    return b->fail_advance ? broken(err) : sbx_store_advance(b->inner, change, call, out, err);
}

static enum sbx_status broken_put_mapping(void *self, const struct sbx_store_change *change,
                                          const struct sbx_call *call, struct sbx_record **out, struct sbx_error *err) {
    struct broken_store *b = self;
    return b->fail_mapping ? broken(err) : sbx_store_put_mapping(b->inner, change, call, out, err);
}

static enum sbx_status broken_get(void *self, const char *key, const struct sbx_call *call, struct sbx_record **out,
                                  struct sbx_error *err) {
    return sbx_store_get(((struct broken_store *)self)->inner, key, call, out, err);
}

static enum sbx_status broken_search(void *self, const struct sbx_store_query *query, const struct sbx_call *call,
                                     struct sbx_records *into, struct sbx_error *err) {
    (void)self, (void)query, (void)call, (void)into;
    return broken(err);
}

static enum sbx_status broken_remove(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                                     struct sbx_error *err) {
    return sbx_store_remove(((struct broken_store *)self)->inner, change, call, err);
}

static enum sbx_status broken_claim(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                                    struct sbx_record **out, struct sbx_error *err) {
    return sbx_store_claim(((struct broken_store *)self)->inner, change, call, out, err);
}

static enum sbx_status broken_renew(void *self, const struct sbx_store_change *change, const struct sbx_call *call,
                                    struct sbx_record **out, struct sbx_error *err) {
    return sbx_store_renew(((struct broken_store *)self)->inner, change, call, out, err);
}

void broken_store_new(struct broken_store *b, struct sbx_env *env, struct sbx_store **out) {
    struct sbx_store *inner = NULL;
    T_STATUS(sbx_store_memory_create(env, &inner, NULL), SBX_OK);
    broken_store_over(b, inner, env, out);
}

void broken_store_over(struct broken_store *b, struct sbx_store *inner, struct sbx_env *env, struct sbx_store **out) {
    const struct sbx_store_ops ops = {.size = sizeof(ops),
                                      .kind = "broken",
                                      .free = broken_free,
                                      .put_intent = broken_put_intent,
                                      .advance = broken_advance,
                                      .put_mapping = broken_put_mapping,
                                      .get = broken_get,
                                      .find = broken_search,
                                      .remove = broken_remove,
                                      .list_unfinished = broken_search,
                                      .claim = broken_claim,
                                      .renew = broken_renew};
    b->inner = inner;
    T_STATUS(sbx_store_create(&ops, b, env, out, NULL), SBX_OK);
}
