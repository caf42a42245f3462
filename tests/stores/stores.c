/* How the suite writes records down and changes them. */
#include "stores.h"

#include <stdio.h>
#include <stdlib.h>

static char *ring(void) {
    static char buffers[16][SBX_LOCATOR_SIZE];
    static unsigned at;
    return buffers[at++ % 16];
}

const char *stores_id(int n) {
    char *out = ring();
    snprintf(out, SBX_ACQUISITION_SIZE, "%032x", (unsigned)n);
    return out;
}

const char *stores_locator(int n) {
    char *out = ring();
    snprintf(out, SBX_LOCATOR_SIZE, "sbx_%032x", (unsigned)n);
    return out;
}

struct sbx_record stores_draft(int n, const char *owner) {
    struct sbx_record draft = SBX_RECORD_INIT;
    draft.acquisition = stores_id(n);
    draft.provider = "toy";
    draft.pool = "toy-eu";
    draft.request = "build 7";
    draft.owner = owner;
    draft.attempt = 1;
    return draft;
}

struct sbx_store_change stores_change(const struct sbx_record *seen, const char *owner) {
    struct sbx_store_change change = SBX_STORE_CHANGE_INIT;
    change.acquisition = seen->acquisition;
    change.generation = seen->generation;
    change.lease = seen->lease;
    change.owner = owner;
    return change;
}

struct sbx_record *stores_to(struct sbx_store *store, struct sbx_record *seen, int32_t state) {
    struct sbx_store_change change = stores_change(seen, seen->owner);
    struct sbx_record *now = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    char locator[SBX_LOCATOR_SIZE];
    snprintf(locator, sizeof(locator), "sbx_%s", seen->acquisition);
    change.state = state;
    if (state == SBX_RECORD_ALLOCATED) change.sandbox_id = "sandbox-1";
    change.locator = locator;
    enum sbx_status st = state == SBX_RECORD_MAPPED ? sbx_store_put_mapping(store, &change, NULL, &now, &err)
                                                    : sbx_store_advance(store, &change, NULL, &now, &err);
    if (st)
        T_FAIL("%s to %s: %s: %s", sbx_record_state_name(seen->state), sbx_record_state_name(state),
               sbx_status_name((int32_t)st), err.detail);
    T_EQ(now->state, state);
    sbx_record_free(seen);
    return now;
}

struct sbx_record *stores_bring(struct sbx_store *store, int n, const char *owner, int32_t state) {
    struct sbx_record draft = stores_draft(n, owner);
    struct sbx_record *now = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    enum sbx_status st = sbx_store_put_intent(store, &draft, NULL, &now, &err);
    if (st) T_FAIL("put_intent: %s: %s", sbx_status_name((int32_t)st), err.detail);
    if (state == SBX_RECORD_INTENT) return now;
    if (state == SBX_RECORD_ABSENT) return stores_to(store, now, state);
    now = stores_to(store, now, SBX_RECORD_SENT);
    if (state == SBX_RECORD_SENT) return now;
    now = stores_to(store, now, SBX_RECORD_ALLOCATED);
    if (state == SBX_RECORD_ALLOCATED) return now;
    if (state == SBX_RECORD_MAPPED) return stores_to(store, now, state);
    now = stores_to(store, now, SBX_RECORD_DESTROYING);
    return state == SBX_RECORD_DESTROYING ? now : stores_to(store, now, SBX_RECORD_DONE);
}

struct sbx_record *stores_read(struct sbx_store *store, const char *key) {
    struct sbx_record *record = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    enum sbx_status st = sbx_store_get(store, key, NULL, &record, &err);
    if (st) T_FAIL("get %s: %s: %s", key, sbx_status_name((int32_t)st), err.detail);
    return record;
}

void stores_same(const struct sbx_record *got, const struct sbx_record *want) {
    T_STR(got->acquisition, want->acquisition);
    T_STR(got->locator, want->locator);
    T_STR(got->provider, want->provider);
    T_STR(got->pool, want->pool);
    T_STR(got->sandbox_id, want->sandbox_id);
    T_STR(got->request, want->request);
    T_STR(got->owner, want->owner);
    T_EQ(got->attempt, want->attempt);
    T_EQ(got->state, want->state);
    T_EQ(got->generation, want->generation);
    T_EQ(got->lease, want->lease);
    T_EQ(got->label_count, want->label_count);
    for (size_t i = 0; i < want->label_count; i++) {
        T_STR(got->labels[i].name, want->labels[i].name);
        T_STR(got->labels[i].value, want->labels[i].value);
    }
}
