/* What was read of a sandbox, and lists of it: one block of memory for each, texts behind the struct. */
#include "src/port/port.h"

#include <sandport/info.h>
#include <stdlib.h>
#include <string.h>

struct sbx_info {
    struct sbx_info_draft is; /* its texts and pairs point into this block */
};

static size_t pairs_size(const struct sbx_pair *pairs, size_t n) {
    size_t size = 0;
    for (size_t i = 0; i < n; i++) size += sbx_port_text_size(pairs[i].name) + sbx_port_text_size(pairs[i].value);
    return size;
}

static void pairs_put(struct sbx_pair *to, char **at, const struct sbx_pair *pairs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to[i].name = sbx_port_text_put(at, pairs[i].name);
        to[i].value = sbx_port_text_put(at, pairs[i].value);
    }
}

struct sbx_info *sbx_info_create(const struct sbx_info_draft *draft) {
    size_t pairs = draft->label_count + draft->extra_count;
    size_t texts = sbx_port_text_size(draft->id) + sbx_port_text_size(draft->name) +
                   sbx_port_text_size(draft->snapshot) + sbx_port_text_size(draft->target) +
                   sbx_port_text_size(draft->state_text) + sbx_port_text_size(draft->work_dir) +
                   sbx_port_text_size(draft->acquisition) + pairs_size(draft->labels, draft->label_count) +
                   pairs_size(draft->extras, draft->extra_count);
    struct sbx_info *info = malloc(sizeof(*info) + pairs * sizeof(struct sbx_pair) + texts);
    if (!info) return NULL;
    struct sbx_pair *pair = (struct sbx_pair *)(void *)(info + 1);
    char *at = (char *)(pair + pairs);
    info->is = *draft;
    info->is.id = sbx_port_text_put(&at, draft->id);
    info->is.name = sbx_port_text_put(&at, draft->name);
    info->is.snapshot = sbx_port_text_put(&at, draft->snapshot);
    info->is.target = sbx_port_text_put(&at, draft->target);
    info->is.state_text = sbx_port_text_put(&at, draft->state_text);
    info->is.work_dir = sbx_port_text_put(&at, draft->work_dir);
    info->is.acquisition = sbx_port_text_put(&at, draft->acquisition);
    info->is.labels = pair;
    info->is.extras = pair + draft->label_count;
    pairs_put(pair, &at, draft->labels, draft->label_count);
    pairs_put(pair + draft->label_count, &at, draft->extras, draft->extra_count);
    return info;
}

void sbx_info_free(struct sbx_info *info) {
    free(info);
}

const char *sbx_info_id(const struct sbx_info *info) {
    return info->is.id;
}
const char *sbx_info_name(const struct sbx_info *info) {
    return info->is.name;
}
const char *sbx_info_snapshot(const struct sbx_info *info) {
    return info->is.snapshot;
}
const char *sbx_info_target(const struct sbx_info *info) {
    return info->is.target;
}
int32_t sbx_info_state(const struct sbx_info *info) {
    return info->is.state;
}
const char *sbx_info_state_text(const struct sbx_info *info) {
    return info->is.state_text;
}
const char *sbx_info_work_dir(const struct sbx_info *info) {
    return info->is.work_dir;
}
const char *sbx_info_acquisition(const struct sbx_info *info) {
    return info->is.acquisition;
}
double sbx_info_cpu(const struct sbx_info *info) {
    return info->is.cpu;
}
int64_t sbx_info_memory_mib(const struct sbx_info *info) {
    return info->is.memory_mib;
}
int64_t sbx_info_disk_mib(const struct sbx_info *info) {
    return info->is.disk_mib;
}
int64_t sbx_info_read_ms(const struct sbx_info *info) {
    return info->is.read_ms;
}
size_t sbx_info_label_count(const struct sbx_info *info) {
    return info->is.label_count;
}

const char *sbx_info_label_name(const struct sbx_info *info, size_t index) {
    return index < info->is.label_count ? info->is.labels[index].name : NULL;
}

const char *sbx_info_label_value(const struct sbx_info *info, size_t index) {
    return index < info->is.label_count ? info->is.labels[index].value : NULL;
}

static const char *pair_value(const struct sbx_pair *pairs, size_t n, const char *name) {
    for (size_t i = 0; i < n && name; i++)
        if (strcmp(pairs[i].name, name) == 0) return pairs[i].value;
    return NULL;
}

const char *sbx_info_label(const struct sbx_info *info, const char *name) {
    return pair_value(info->is.labels, info->is.label_count, name);
}

const char *sbx_info_extra(const struct sbx_info *info, const char *name) {
    return pair_value(info->is.extras, info->is.extra_count, name);
}

const char *sbx_state_name(int32_t state) {
    static const char *const names[] = {"UNKNOWN", "STARTING", "RUNNING", "STOPPING",   "STOPPED",
                                        "PAUSED",  "ARCHIVED", "FAILED",  "DESTROYING", "DESTROYED"};
    return state >= 0 && state <= SBX_STATE_DESTROYED ? names[state] : names[0];
}

enum sbx_status sbx_list_take(struct sbx_list *list, struct sbx_info **info) {
    if (list->count == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 8;
        struct sbx_info **items = realloc(list->items, cap * sizeof(struct sbx_info *));
        if (!items) return SBX_NO_MEMORY;
        list->items = items;
        list->cap = cap;
    }
    list->items[list->count++] = *info;
    *info = NULL;
    return SBX_OK;
}

size_t sbx_list_count(const struct sbx_list *list) {
    return list ? list->count : 0;
}

const struct sbx_info *sbx_list_at(const struct sbx_list *list, size_t index) {
    return list && index < list->count ? list->items[index] : NULL;
}

void sbx_list_free(struct sbx_list *list) {
    if (!list) return;
    for (size_t i = 0; i < list->count; i++) sbx_info_free(list->items[i]);
    free(list->items);
    free(list);
}
