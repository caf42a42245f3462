/* Records as they are handed out - one block of memory each, texts behind the struct - and lists of them. */
#include "src/store/store.h"

#include "src/port/port.h"

#include <sandport/kit/fail.h>
#include <sandport/kit/json.h>
#include <sandport/kit/options.h>
#include <stdlib.h>
#include <string.h>

void sbx_record_init(struct sbx_record *record, size_t size) {
    sbx_options_init(record, size);
}

struct sbx_record *sbx_record_create(const struct sbx_record *from) {
    size_t texts = sbx_port_text_size(from->acquisition) + sbx_port_text_size(from->locator) +
                   sbx_port_text_size(from->provider) + sbx_port_text_size(from->pool) +
                   sbx_port_text_size(from->sandbox_id) + sbx_port_text_size(from->request) +
                   sbx_port_text_size(from->owner);
    for (size_t i = 0; i < from->label_count; i++)
        texts += sbx_port_text_size(from->labels[i].name) + sbx_port_text_size(from->labels[i].value);
    struct sbx_record *record = malloc(sizeof(*record) + from->label_count * sizeof(struct sbx_pair) + texts);
    if (!record) return NULL;
    struct sbx_pair *labels = (struct sbx_pair *)(void *)(record + 1);
    char *at = (char *)(labels + from->label_count);
    *record = *from;
    record->size = sizeof(*record);
    record->acquisition = sbx_port_text_put(&at, from->acquisition);
    record->locator = sbx_port_text_put(&at, from->locator);
    record->provider = sbx_port_text_put(&at, from->provider);
    record->pool = sbx_port_text_put(&at, from->pool);
    record->sandbox_id = sbx_port_text_put(&at, from->sandbox_id);
    record->request = sbx_port_text_put(&at, from->request);
    record->owner = sbx_port_text_put(&at, from->owner);
    record->labels = labels;
    for (size_t i = 0; i < from->label_count; i++) {
        labels[i].name = sbx_port_text_put(&at, from->labels[i].name);
        labels[i].value = sbx_port_text_put(&at, from->labels[i].value);
    }
    return record;
}

void sbx_record_free(struct sbx_record *record) {
    free(record);
}

const char *sbx_record_label(const struct sbx_record *record, const char *name) {
    for (size_t i = 0; name && i < record->label_count; i++)
        if (strcmp(record->labels[i].name, name) == 0) return record->labels[i].value;
    return NULL;
}

int sbx_record_matches(const struct sbx_record *record, const struct sbx_store_query *query) {
    int in_state = query->state_count == 0;
    for (size_t i = 0; i < query->label_count; i++) {
        const char *value = sbx_record_label(record, query->labels[i].name);
        if (!value || strcmp(value, query->labels[i].value) != 0) return 0;
    }
    for (size_t i = 0; i < query->state_count; i++) in_state |= query->states[i] == record->state;
    return in_state;
}

enum sbx_status sbx_locator_new(struct sbx_env *env, char *out) {
    char hex[SBX_ACQUISITION_SIZE];
    enum sbx_status st = out ? sbx_acquisition_new(env, hex) : SBX_INVALID_ARGUMENT;
    if (st) return st;
    memcpy(out, "sbx_", 4);
    memcpy(out + 4, hex, sizeof(hex));
    return SBX_OK;
}

/* ---- rows ---- */

void sbx_store_labels_write(struct sbx_buf *buf, const struct sbx_record *record) {
    sbx_json_begin_array(buf, NULL);
    for (size_t i = 0; i < record->label_count; i++) {
        sbx_json_begin_array(buf, NULL);
        sbx_json_put_string(buf, NULL, record->labels[i].name);
        sbx_json_put_string(buf, NULL, record->labels[i].value);
        sbx_json_end_array(buf);
    }
    sbx_json_end_array(buf);
}

enum sbx_status sbx_store_label_key(const struct sbx_pair *label, char *out) {
    struct sbx_buf both = SBX_BUF_INIT;
    sbx_buf_text_append(&both, label->name);
    sbx_buf_char(&both, 0);
    sbx_buf_text_append(&both, label->value);
    enum sbx_status st = sbx_buf_status(&both);
    if (!st && !sbx_sha256_of(both.data, both.len, out)) st = SBX_NO_MEMORY;
    sbx_buf_finish(&both);
    return st;
}

/* The pairs of [["name","value"],...], lent by the document. @return 0 if it is anything else */
static int labels_read(struct sbx_json *js, struct sbx_pair *pairs, size_t *count) {
    const struct sbx_json_node *root = sbx_json_root(js);
    if (sbx_json_type(root) != SBX_JSON_ARRAY || sbx_json_count(root) > STORE_LABELS_MAX) return 0;
    for (const struct sbx_json_node *at = sbx_json_first(root); at; at = sbx_json_next(at)) {
        if (sbx_json_type(at) != SBX_JSON_ARRAY || sbx_json_count(at) != 2) return 0;
        pairs[*count].name = sbx_json_as_string(js, sbx_json_first(at));
        pairs[*count].value = sbx_json_as_string(js, sbx_json_next(sbx_json_first(at)));
        ++*count;
    }
    return sbx_json_status(js) == SBX_OK;
}

enum sbx_status sbx_store_row_read(const struct sbx_record *columns, const char *labels, struct sbx_record **out,
                                   struct sbx_error *err) {
    struct sbx_pair pairs[STORE_LABELS_MAX];
    struct sbx_record row = *columns;
    struct sbx_json *js = NULL;
    const char *key = columns->acquisition, *wrong = NULL;
    row.labels = pairs;
    row.label_count = 0;
    enum sbx_status st = labels ? sbx_json_parse(labels, strlen(labels), 0, &js) : SBX_PROTOCOL;
    if (st == SBX_NO_MEMORY) goto done;
    if (st || !labels_read(js, pairs, &row.label_count)) {
        wrong = "labels: expected an array of names and values";
        row.label_count = 0;
    }
    st = SBX_OK;
    if (!wrong) wrong = sbx_store_record_wrong(&row, 1);
    if (wrong) { /* guard: store_corrupt_row */
        size_t shown = key ? sbx_utf8_valid(key, strlen(key)) : 0;
        st = sbx_fail(err, SBX_STORE_CORRUPT, SBX_OUTCOME_REFUSED, "row %.*s: %s", shown < 40 ? (int)shown : 40,
                      key ? key : "", wrong);
        goto done;
    }
    *out = sbx_record_create(&row);
    if (!*out) st = SBX_NO_MEMORY;
done:
    sbx_json_free(js);
    return st;
}

/* ---- lists ---- */

struct sbx_records *sbx_records_new(void) {
    return calloc(1, sizeof(struct sbx_records));
}

enum sbx_status sbx_records_take(struct sbx_records *records, struct sbx_record **record) {
    if (records->count == records->cap) {
        size_t cap = records->cap ? records->cap * 2 : 8;
        struct sbx_record **items = realloc(records->items, cap * sizeof(struct sbx_record *));
        if (!items) return SBX_NO_MEMORY;
        records->items = items;
        records->cap = cap;
    }
    records->items[records->count++] = *record;
    *record = NULL;
    return SBX_OK;
}

enum sbx_status sbx_records_take_row(struct sbx_records *records, const struct sbx_record *columns, const char *labels,
                                     struct sbx_error *err) {
    struct sbx_record *record = NULL;
    enum sbx_status st = sbx_store_row_read(columns, labels, &record, records->broken ? NULL : err);
    if (st == SBX_STORE_CORRUPT) {
        records->broken++;
        return SBX_OK;
    }
    if (!st) st = sbx_records_take(records, &record);
    sbx_record_free(record);
    return st;
}

enum sbx_status sbx_records_set_next(struct sbx_records *records, const char *key) {
    char *next = strdup(key);
    if (!next) return SBX_NO_MEMORY;
    free(records->next);
    records->next = next;
    return SBX_OK;
}

size_t sbx_records_count(const struct sbx_records *records) {
    return records ? records->count : 0;
}

const struct sbx_record *sbx_records_at(const struct sbx_records *records, size_t index) {
    return records && index < records->count ? records->items[index] : NULL;
}

const char *sbx_records_next(const struct sbx_records *records) {
    return records && records->next ? records->next : "";
}

size_t sbx_records_broken(const struct sbx_records *records) {
    return records ? records->broken : 0;
}

void sbx_records_free(struct sbx_records *records) {
    if (!records) return;
    for (size_t i = 0; i < records->count; i++) sbx_record_free(records->items[i]);
    free(records->items);
    free(records->next);
    free(records);
}
