/* What a call tells of files, opaque to callers: an entry for each, in one block of memory of its own. Rows P8, D14. */
#include "src/port/port.h"

#include <stdlib.h>
#include <string.h>

struct sbx_files {
    struct sbx_file_draft **items; /* texts behind each */
    size_t count;
    size_t cap;
};

struct sbx_files *sbx_port_files_new(void) {
    return calloc(1, sizeof(struct sbx_files));
}

static struct sbx_file_draft *entry_copy(const struct sbx_file_draft *draft) {
    size_t texts = sbx_port_text_size(draft->path) + sbx_port_text_size(draft->owner) +
                   sbx_port_text_size(draft->group) + sbx_port_text_size(draft->text) +
                   sbx_port_text_size(draft->sha256);
    struct sbx_file_draft *entry = malloc(sizeof(*entry) + texts);
    if (!entry) return NULL;
    char *at = (char *)(entry + 1);
    *entry = *draft;
    entry->path = sbx_port_text_put(&at, draft->path);
    entry->owner = sbx_port_text_put(&at, draft->owner);
    entry->group = sbx_port_text_put(&at, draft->group);
    entry->text = sbx_port_text_put(&at, draft->text);
    entry->sha256 = sbx_port_text_put(&at, draft->sha256);
    return entry;
}

static int files_grow(struct sbx_files *files) {
    if (files->count < files->cap) return 1;
    size_t cap = files->cap ? files->cap * 2 : 16;
    struct sbx_file_draft **items = realloc(files->items, cap * sizeof(struct sbx_file_draft *));
    if (!items) return 0;
    files->items = items;
    files->cap = cap;
    return 1;
}

enum sbx_status sbx_files_add(struct sbx_files *files, const struct sbx_file_draft *draft) {
    struct sbx_file_draft *entry = files_grow(files) ? entry_copy(draft) : NULL;
    if (!entry) return SBX_NO_MEMORY;
    files->items[files->count++] = entry;
    return SBX_OK;
}

void sbx_port_files_give(struct sbx_files *files, enum sbx_status st, const struct sbx_error *err,
                         struct sbx_files **out) {
    if (!st || (err->outcome == SBX_OUTCOME_DONE && files->count > 0))
        *out = files;
    else
        sbx_files_free(files);
}

size_t sbx_files_count(const struct sbx_files *files) {
    return files->count;
}
const char *sbx_files_path(const struct sbx_files *files, size_t i) {
    return files->items[i]->path;
}
int32_t sbx_files_type(const struct sbx_files *files, size_t i) {
    return files->items[i]->type;
}
int64_t sbx_files_size(const struct sbx_files *files, size_t i) {
    return files->items[i]->bytes;
}
int32_t sbx_files_mode(const struct sbx_files *files, size_t i) {
    return files->items[i]->mode;
}
const char *sbx_files_owner(const struct sbx_files *files, size_t i) {
    return files->items[i]->owner;
}
const char *sbx_files_group(const struct sbx_files *files, size_t i) {
    return files->items[i]->group;
}
int64_t sbx_files_modified_ms(const struct sbx_files *files, size_t i) {
    return files->items[i]->modified_ms;
}
int64_t sbx_files_line(const struct sbx_files *files, size_t i) {
    return files->items[i]->line;
}
const char *sbx_files_text(const struct sbx_files *files, size_t i) {
    return files->items[i]->text;
}
int32_t sbx_files_status(const struct sbx_files *files, size_t i) {
    return files->items[i]->status;
}
const char *sbx_files_sha256(const struct sbx_files *files, size_t i) {
    return files->items[i]->sha256;
}
int sbx_files_verified(const struct sbx_files *files, size_t i) {
    return files->items[i]->verified;
}

void sbx_files_free(struct sbx_files *files) {
    if (!files) return;
    for (size_t i = 0; i < files->count; i++) free(files->items[i]);
    free(files->items);
    free(files);
}
