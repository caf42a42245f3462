/* Registries: the table of one of somebody's own, and the reference in memory. Row R1. */
#include <sandport/kit/fail.h>
#include <sandport/kit/registry.h>
#include <stdlib.h>
#include <string.h>

struct sbx_registry {
    struct sbx_registry_ops ops;
    void *self;
};

static enum sbx_status wrong(struct sbx_error *err, const char *what, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", what, expected);
    return SBX_INVALID_ARGUMENT;
}

enum sbx_status sbx_registry_create(const struct sbx_registry_ops *ops, void *self, struct sbx_registry **out,
                                    struct sbx_error *err) {
    struct sbx_registry *registry = NULL;
    enum sbx_status st = SBX_INVALID_ARGUMENT;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!ops || ops->size < sizeof(*ops)) return wrong(err, "ops", "a table with its size");
    if (!ops->free || !ops->lend || !ops->give_back || !out) {
        (void)wrong(err, out ? "ops" : "out", out ? "every function" : "one");
        goto failed;
    }
    registry = calloc(1, sizeof(*registry));
    if (!registry) {
        st = SBX_NO_MEMORY;
        (void)sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
        goto failed;
    }
    memcpy(&registry->ops, ops, sizeof(registry->ops));
    registry->self = self;
    *out = registry;
    return SBX_OK;
failed:
    if (ops->free) ops->free(self);
    return st;
}

void sbx_registry_free(struct sbx_registry *registry) {
    if (!registry) return;
    registry->ops.free(registry->self);
    free(registry);
}

enum sbx_status sbx_registry_lend(struct sbx_registry *registry, const struct sbx_pool *const **pools, size_t *count,
                                  void **loan) {
    *pools = NULL;
    *count = 0;
    *loan = NULL;
    return registry->ops.lend(registry->self, pools, count, loan);
}

void sbx_registry_give_back(struct sbx_registry *registry, void *loan) {
    registry->ops.give_back(registry->self, loan);
}

/* ---- in memory ---- */

struct shelf {
    size_t count;
    struct sbx_pool *pools[];
};

static void shelf_free(void *self) {
    struct shelf *shelf = self;
    if (!shelf) return;
    for (size_t i = 0; i < shelf->count; i++) sbx_pool_free(shelf->pools[i]);
    free(shelf);
}

/* What never changes can be lent to anybody for any time. */
static enum sbx_status shelf_lend(void *self, const struct sbx_pool *const **pools, size_t *count, void **loan) {
    struct shelf *shelf = self;
    (void)loan;
    *pools = (const struct sbx_pool *const *)shelf->pools;
    *count = shelf->count;
    return SBX_OK;
}

static void shelf_give_back(void *self, void *loan) {
    (void)self, (void)loan;
}

static int id_compare(const void *a, const void *b) {
    return strcmp(sbx_pool_id(*(struct sbx_pool *const *)a), sbx_pool_id(*(struct sbx_pool *const *)b));
}

enum sbx_status sbx_registry_memory_create(struct sbx_pool *const *pools, size_t count, struct sbx_registry **out,
                                           struct sbx_error *err) {
    const struct sbx_registry_ops ops = {sizeof(ops), shelf_free, shelf_lend, shelf_give_back};
    enum sbx_status st = SBX_OK;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!out || (count && !pools)) return wrong(err, out ? "pools" : "out", out ? "as many as the count says" : "one");
    for (size_t i = 0; i < count; i++)
        if (!pools[i]) return wrong(err, "pools", "a pool in every place");
    struct shelf *shelf = calloc(1, sizeof(*shelf) + count * sizeof(shelf->pools[0]));
    if (!shelf) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    if (count) memcpy(shelf->pools, pools, count * sizeof(shelf->pools[0]));
    qsort(shelf->pools, count, sizeof(shelf->pools[0]), id_compare);
    for (size_t i = 1; i < count && !st; i++)
        if (strcmp(sbx_pool_id(shelf->pools[i - 1]), sbx_pool_id(shelf->pools[i])) == 0) /* guard: registry_id_once */
            st = wrong(err, "pools", "each id once");
    if (st) {
        free(shelf);
        return st;
    }
    /* The pools are the registry's only once it is there. */
    st = sbx_registry_create(&ops, shelf, out, err);
    if (!st) shelf->count = count;
    return st;
}
