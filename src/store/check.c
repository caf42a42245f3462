/* Of what form records, changes and queries are: arguments of callers, and rows that came from a disk. */
#include "src/store/store.h"

#include <string.h>

int sbx_store_is_locator(const char *text) {
    return text && strncmp(text, "sbx_", 4) == 0 && sbx_is_hex(text + 4, SBX_LOCATOR_SIZE - 5);
}

static int is_acquisition(const char *text) {
    return sbx_is_hex(text, SBX_ACQUISITION_SIZE - 1);
}

/* `min` to `max` bytes of UTF-8 without control characters. */
static int is_text(const char *text, size_t min, size_t max) {
    if (!text) return 0;
    size_t len = strlen(text);
    if (len < min || len > max || sbx_utf8_valid(text, len) != len) return 0;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) return 0;
    return 1;
}

static const char *labels_wrong(const struct sbx_pair *labels, size_t n) {
    if (n > STORE_LABELS_MAX) return "labels: expected at most 64";
    if (n && !labels) return "labels: expected as many as the count says";
    for (size_t i = 0; i < n; i++) {
        if (!is_text(labels[i].name, 1, STORE_LABEL_BYTES_MAX) || !is_text(labels[i].value, 0, STORE_LABEL_BYTES_MAX))
            return "labels: expected names of 1 and values of 0 to 4096 bytes of UTF-8 without control characters";
        for (size_t k = 0; k < i; k++)
            if (strcmp(labels[i].name, labels[k].name) == 0) return "labels: expected each name once";
    }
    return NULL;
}

/* What only a row has. */
static const char *row_wrong(const struct sbx_record *record) {
    if (record->state < SBX_RECORD_INTENT || record->state > SBX_RECORD_DONE)
        return "state: expected one that this release knows";
    if (!record->locator || (record->locator[0] && !sbx_store_is_locator(record->locator)))
        return "locator: expected sbx_ and 32 lower-case hex digits, or nothing";
    if (record->state == SBX_RECORD_MAPPED && !record->locator[0]) return "locator: expected one, it is MAPPED";
    if (!record->sandbox_id[0] && (record->state == SBX_RECORD_ALLOCATED || record->state == SBX_RECORD_MAPPED))
        return "sandbox_id: expected one in this state";
    if (record->generation < 1 || record->generation > INT64_MAX / 2) return "generation: expected 1 or more";
    if (record->lease < 1 || record->lease > INT64_MAX / 2) return "lease: expected 1 or more";
    return NULL;
}

const char *sbx_store_record_wrong(const struct sbx_record *record, int whole) {
    if (!is_acquisition(record->acquisition)) return "acquisition: expected 32 lower-case hex digits";
    if (!is_text(record->provider, 1, sizeof(((struct sbx_error *)0)->provider) - 1))
        return "provider: expected 1 to 23 bytes of UTF-8";
    if (!is_text(record->pool, 1, SBX_POOL_SIZE - 1)) return "pool: expected 1 to 127 bytes of UTF-8";
    if (!is_text(record->sandbox_id, 0, SBX_ID_SIZE - 1)) return "sandbox_id: expected at most 127 bytes of UTF-8";
    if (!is_text(record->request, 0, SBX_POOL_SIZE - 1)) return "request: expected at most 127 bytes of UTF-8";
    if (!sbx_is_hex(record->owner, SBX_OWNER_SIZE - 1)) return "owner: expected 32 lower-case hex digits";
    if (record->attempt < 1) return "attempt: expected 1 or more";
    const char *wrong = labels_wrong(record->labels, record->label_count);
    if (wrong || !whole) return wrong;
    return row_wrong(record);
}

static const char *mapping_wrong(const struct sbx_store_change *change) {
    if (!sbx_store_is_locator(change->locator)) return "locator: expected sbx_ and 32 lower-case hex digits";
    if (!change->replaces) return NULL;
    if (!is_acquisition(change->replaces) || strcmp(change->replaces, change->acquisition) == 0)
        return "replaces: expected the acquisition of another record";
    if (change->replaces_state != SBX_RECORD_DESTROYING && change->replaces_state != SBX_RECORD_DONE)
        return "replaces_state: expected DESTROYING or DONE";
    return NULL;
}

const char *sbx_store_change_wrong(const struct sbx_store_change *change, int32_t verb) {
    if (!is_acquisition(change->acquisition)) return "acquisition: expected 32 lower-case hex digits";
    if (verb != SBX_STORE_RENEW && change->generation < 1) return "generation: expected 1 or more";
    if (verb == SBX_STORE_REMOVE) return NULL;
    if (!sbx_is_hex(change->owner, SBX_OWNER_SIZE - 1)) return "owner: expected 32 lower-case hex digits";
    if (verb == SBX_STORE_CLAIM || verb == SBX_STORE_RENEW) return NULL;
    if (change->sandbox_id && !is_text(change->sandbox_id, 1, SBX_ID_SIZE - 1))
        return "sandbox_id: expected 1 to 127 bytes of UTF-8, or NULL";
    if (verb == SBX_STORE_PUT_MAPPING) return mapping_wrong(change);
    if (change->state < SBX_RECORD_INTENT || change->state > SBX_RECORD_DONE) return "state: expected a state";
    return NULL;
}

const char *sbx_store_query_wrong(const struct sbx_store_query *query) {
    const char *wrong = labels_wrong(query->labels, query->label_count);
    if (wrong) return wrong;
    if (query->state_count && !query->states) return "states: expected as many as the count says";
    for (size_t i = 0; i < query->state_count; i++)
        if (query->states[i] < SBX_RECORD_INTENT || query->states[i] > SBX_RECORD_DONE)
            return "states: expected states";
    if (query->after && !is_text(query->after, 0, STORE_LABEL_BYTES_MAX)) return "after: expected what a list gave";
    if (query->max < 0 || query->max > STORE_LIST_MAX) return "max: expected 0 to 1000";
    return NULL;
}
