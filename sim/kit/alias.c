/* Aliases, found by id or name. Row V2. */
#include "sim/kit/alias.h"

#include "sim/kit/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct alias {
    UT_hash_handle hh;
    char shown[32];
    char text[]; /* the id or name */
};

static struct alias *alias_of(const struct sim_aliases *aliases, const char *text, size_t len) {
    struct alias *found = NULL;
    HASH_FIND(hh, aliases->by_text, text, (unsigned)len, found);
    return found;
}

static enum sbx_status alias_put(struct sim_aliases *aliases, const char *text, const char *shown) {
    size_t len = strlen(text);
    struct alias *alias = alias_of(aliases, text, len);
    if (!alias) {
        alias = calloc(1, sizeof(*alias) + len + 1);
        if (!alias) return SBX_NO_MEMORY;
        memcpy(alias->text, text, len + 1);
        HASH_ADD(hh, aliases->by_text, text, (unsigned)len, alias);
        if (!alias->hh.tbl) {
            free(alias);
            return SBX_NO_MEMORY;
        }
    }
    snprintf(alias->shown, sizeof(alias->shown), "%s", shown);
    return SBX_OK;
}

/* The count of a prefix is kept under the prefix itself, which is too short to be an id. */
static unsigned long next_number(struct sim_aliases *aliases, const char *prefix) {
    const struct alias *count = alias_of(aliases, prefix, strlen(prefix));
    return count ? strtoul(count->shown, NULL, 10) + 1 : 1;
}

enum sbx_status sim_aliases_add(struct sim_aliases *aliases, const char *prefix, const char *id, const char *name) {
    char shown[32], number[32];
    unsigned long n = next_number(aliases, prefix);
    snprintf(number, sizeof(number), "%lu", n);
    snprintf(shown, sizeof(shown), "%.8s-%lu", prefix, n);
    enum sbx_status st = alias_put(aliases, prefix, number);
    if (!st) st = alias_put(aliases, id, shown);
    if (!st && name && name[0] && strcmp(name, prefix) != 0) st = alias_put(aliases, name, shown);
    return st;
}

const char *sim_aliases_find(const struct sim_aliases *aliases, const char *text, size_t len) {
    const struct alias *alias = alias_of(aliases, text, len);
    return alias && !(alias->shown[0] >= '0' && alias->shown[0] <= '9') ? alias->shown : NULL;
}

static int in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* How far the word goes that begins here; an escape such as %22 is no part of it. */
static size_t word_length(const char *text) {
    size_t len = 0;
    while (in_word(text[len])) len++;
    return len;
}

void sim_aliases_replace(const struct sim_aliases *aliases, const char *text, struct sbx_buf *out) {
    while (*text) {
        size_t len = text[0] == '%' && text[1] && text[2] ? 3 : word_length(text);
        const char *shown = len && text[0] != '%' ? sim_aliases_find(aliases, text, len) : NULL;
        if (!len) len = 1;
        if (shown)
            sbx_buf_text_append(out, shown);
        else
            sbx_buf_append(out, text, len);
        text += len;
    }
}

void sim_aliases_finish(struct sim_aliases *aliases) {
    struct alias *alias = aliases->by_text, *next = NULL;
    HASH_CLEAR(hh, aliases->by_text); /* which leaves them linked */
    for (; alias; alias = next) {
        next = alias->hh.next;
        free(alias);
    }
}
