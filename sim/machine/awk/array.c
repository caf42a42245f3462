/* awk's arrays: keys are texts; walked in the order in which they were made. */
#include "sim/machine/awk/awk.h"
#include <string.h>

#define ARRAY_BUCKETS 16

static uint64_t array_hash(const char *key, size_t len) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)key[i]) * UINT64_C(1099511628211);
    return h ^ (h >> 29);
}

struct awk_array *sim_awk_array_new(struct awk *a) {
    struct awk_array *array = sim_keep(a->p, sizeof *array);
    memset(array, 0, sizeof *array);
    return array;
}

void sim_awk_array_clear(struct awk *a, struct awk_array *array) {
    for (struct awk_entry *e = array->first; e;) {
        struct awk_entry *next = e->next;
        sim_awk_drop(a, &e->value);
        sim_drop(a->p, e);
        e = next;
    }
    sim_drop(a->p, array->buckets);
    memset(array, 0, sizeof *array);
}

void sim_awk_array_free(struct awk *a, struct awk_array *array) {
    if (!array) return;
    sim_awk_array_clear(a, array);
    sim_drop(a->p, array);
}

struct awk_entry *sim_awk_array_find(const struct awk_array *array, const char *key, size_t len) {
    if (!array->count) return NULL;
    uint64_t hash = array_hash(key, len);
    struct awk_entry *e = array->buckets[hash & (array->bucket_count - 1)];
    while (e && !(e->hash == hash && e->len == len && memcmp(e->key, key, len) == 0)) e = e->chain;
    return e;
}

static void array_grow(struct awk *a, struct awk_array *array) {
    size_t n = array->bucket_count ? array->bucket_count * 2 : ARRAY_BUCKETS;
    struct awk_entry **buckets = sim_keep(a->p, n * sizeof *buckets);
    memset(buckets, 0, n * sizeof *buckets);
    for (struct awk_entry *e = array->first; e; e = e->next) {
        e->chain = buckets[e->hash & (n - 1)];
        buckets[e->hash & (n - 1)] = e;
    }
    sim_drop(a->p, array->buckets);
    array->buckets = buckets;
    array->bucket_count = n;
}

struct awk_value *sim_awk_array_at(struct awk *a, struct awk_array *array, const char *key, size_t len) {
    struct awk_entry *e = sim_awk_array_find(array, key, len);
    if (e) return &e->value;
    if (array->count >= array->bucket_count) array_grow(a, array);
    e = sim_keep(a->p, sizeof *e + len + 1);
    memset(e, 0, sizeof *e);
    e->hash = array_hash(key, len);
    e->len = len;
    memcpy(e->key, key, len);
    e->key[len] = '\0';
    struct awk_entry **bucket = &array->buckets[e->hash & (array->bucket_count - 1)];
    e->chain = *bucket;
    *bucket = e;
    e->previous = array->last;
    if (array->last)
        array->last->next = e;
    else
        array->first = e;
    array->last = e;
    array->count++;
    return &e->value;
}

void sim_awk_array_remove(struct awk *a, struct awk_array *array, const char *key, size_t len) {
    struct awk_entry *e = sim_awk_array_find(array, key, len);
    if (!e) return;
    struct awk_entry **link = &array->buckets[e->hash & (array->bucket_count - 1)];
    while (*link != e) link = &(*link)->chain;
    *link = e->chain;
    if (e->previous)
        e->previous->next = e->next;
    else
        array->first = e->next;
    if (e->next)
        e->next->previous = e->previous;
    else
        array->last = e->previous;
    array->count--;
    sim_awk_drop(a, &e->value);
    sim_drop(a->p, e);
}

struct awk_array *sim_awk_slot_array(struct awk *a, struct awk_slot *slot) {
    if (slot->array) return slot->array;
    if (slot->value.has) sim_awk_fail(a, "a variable that has a value is used as an array");
    if (slot->origin) {
        slot->array = sim_awk_slot_array(a, slot->origin);
        slot->borrowed = 1;
    } else {
        slot->array = sim_awk_array_new(a);
    }
    return slot->array;
}

void sim_awk_slot_finish(struct awk *a, struct awk_slot *slot) {
    sim_awk_drop(a, &slot->value);
    if (!slot->borrowed) sim_awk_array_free(a, slot->array);
    slot->array = NULL;
}
