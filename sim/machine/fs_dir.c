/* The file tree: names in directories. They are found by a hash, so that a large directory is no slower than a small
 * one, and are put in order when somebody lists them. */
#include "sim/machine/fs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIR_FEW 16 /* names that are found by looking at each */

static uint32_t dir_hash(const char *name) {
    uint32_t h = 2166136261U;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619U;
    return h ^ (h >> 15);
}

/* The slot that holds an index, or the free one where it belongs. */
static size_t dir_slot(const struct sim_fs_node *dir, const char *name, uint32_t hash) {
    size_t mask = dir->slot_count - 1, at = hash & mask;
    for (; dir->slots[at]; at = (at + 1) & mask) {
        const struct sim_fs_entry *entry = &dir->entries[dir->slots[at] - 1];
        if (entry->hash == hash && strcmp(entry->name, name) == 0) break;
    }
    return at;
}

/* The index of a name, or the number of entries. */
static size_t dir_index(const struct sim_fs_node *dir, const char *name) {
    if (dir->slots) {
        uint32_t index = dir->slots[dir_slot(dir, name, dir_hash(name))];
        return index ? index - 1 : dir->entry_count;
    }
    size_t i = 0;
    while (i < dir->entry_count && strcmp(dir->entries[i].name, name) != 0) i++;
    return i;
}

static void dir_fill_slots(struct sim_fs_node *dir) {
    if (!dir->slots) return;
    memset(dir->slots, 0, dir->slot_count * sizeof *dir->slots);
    for (size_t i = 0; i < dir->entry_count; i++)
        dir->slots[dir_slot(dir, dir->entries[i].name, dir->entries[i].hash)] = (uint32_t)i + 1;
}

/* A hash of `count` slots, filled. */
static int dir_slots(struct sim_fs_node *dir, size_t count) {
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return ENOMEM;
    free(dir->slots);
    dir->slots = slots;
    dir->slot_count = count;
    dir_fill_slots(dir);
    return 0;
}

/* Room for one more. */
static int dir_room(struct sim_fs_node *dir) {
    if (dir->entry_count == dir->entry_cap) {
        size_t cap = dir->entry_cap ? dir->entry_cap * 2 : 8;
        struct sim_fs_entry *entries = realloc(dir->entries, cap * sizeof *entries);
        if (!entries) return ENOMEM;
        dir->entries = entries;
        dir->entry_cap = cap;
    }
    if (dir->entry_count < DIR_FEW || (dir->entry_count + 1) * 2 <= dir->slot_count) return 0;
    return dir_slots(dir, dir->slot_count ? dir->slot_count * 2 : DIR_FEW * 4);
}

/* Takes an index out of the hash; what stands behind it moves up, so that no gap ends a search too early. */
static void dir_free_slot(struct sim_fs_node *dir, size_t at) {
    size_t mask = dir->slot_count - 1;
    for (size_t next = (at + 1) & mask; dir->slots[next]; next = (next + 1) & mask) {
        size_t home = dir->entries[dir->slots[next] - 1].hash & mask;
        if (((next - home) & mask) < ((next - at) & mask)) continue; /* it may not stand before its home */
        dir->slots[at] = dir->slots[next];
        at = next;
    }
    dir->slots[at] = 0;
}

/* Takes an entry out; the last one takes its place. */
static struct sim_fs_entry dir_take(struct sim_fs_node *dir, size_t i) {
    struct sim_fs_entry gone = dir->entries[i];
    size_t last = dir->entry_count - 1;
    if (dir->slots) dir_free_slot(dir, dir_slot(dir, gone.name, gone.hash));
    if (i != last) {
        if (dir->slots) dir->slots[dir_slot(dir, dir->entries[last].name, dir->entries[last].hash)] = (uint32_t)i + 1;
        dir->entries[i] = dir->entries[last];
        dir->sorted = 0;
    }
    dir->entry_count--;
    return gone;
}

int sim_fs_index(struct sim_fs_node *dir) {
    for (size_t i = 0; i < dir->entry_count; i++) dir->entries[i].hash = dir_hash(dir->entries[i].name);
    dir->sorted = 0;
    size_t count = DIR_FEW * 4;
    while (count < dir->entry_count * 2) count *= 2;
    return dir_slots(dir, count);
}

static int dir_order(const void *a, const void *b) {
    const struct sim_fs_entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void sim_fs_sort(struct sim_fs_node *dir) {
    if (dir->sorted || dir->entry_count < 2) return;
    qsort(dir->entries, dir->entry_count, sizeof *dir->entries, dir_order);
    dir->sorted = 1;
    dir_fill_slots(dir);
}

struct sim_fs_node *sim_fs_find(const struct sim_fs_node *dir, const char *name) {
    size_t i = dir_index(dir, name);
    return i < dir->entry_count ? dir->entries[i].node : NULL;
}

int sim_fs_link(struct sim_fs_node *dir, const char *name, struct sim_fs_node *node) {
    if (dir_index(dir, name) < dir->entry_count) return EEXIST;
    if (dir->entry_count >= UINT32_MAX / 4) return ENOSPC;
    if (dir_room(dir)) return ENOMEM;
    char *copy = strdup(name);
    if (!copy) return ENOMEM;
    size_t i = dir->entry_count++;
    dir->entries[i] = (struct sim_fs_entry){.name = copy, .node = node, .hash = dir_hash(name)};
    if (dir->slots) dir->slots[dir_slot(dir, copy, dir->entries[i].hash)] = (uint32_t)i + 1;
    dir->sorted = i == 0 || (dir->sorted && strcmp(dir->entries[i - 1].name, copy) < 0);
    node->links++;
    if (node->type == 'd') {
        node->parent = dir;
        node->name = copy;
    }
    sim_fs_touch(dir);
    node->ctime_ns = dir->mtime_ns;
    return 0;
}

static void dir_lose_name(struct sim_fs_node *node) {
    node->links--;
    node->ctime_ns = node->fs->now_ns(node->fs->ctx);
    sim_fs_hold(node);
    sim_fs_release(node);
}

static void dir_drop_name(struct sim_fs_entry *entry) {
    if (!entry->lent) free(entry->name);
}

/* A directory is where its name is. */
static void dir_leave(struct sim_fs_node *node, const char *name) {
    if (node->type != 'd' || node->name != name) return;
    node->parent = NULL;
    node->name = NULL;
}

void sim_fs_unlink(struct sim_fs_node *dir, const char *name) {
    size_t i = dir_index(dir, name);
    if (i == dir->entry_count) return;
    struct sim_fs_entry gone = dir_take(dir, i);
    sim_fs_touch(dir);
    dir_leave(gone.node, gone.name);
    dir_lose_name(gone.node);
    dir_drop_name(&gone);
}

void sim_fs_empty(struct sim_fs_node *dir) {
    /* Trees may be deeper than a fiber's stack: the deepest goes first, without recursion. */
    struct sim_fs_node *at = dir;
    for (;;) {
        if (at->entry_count == 0) {
            if (at == dir) return;
            at = at->parent;
            /* Its last entry is the one that was gone into. */
        } else {
            struct sim_fs_entry *last = &at->entries[at->entry_count - 1];
            if (last->node->type == 'd' && last->node->parent == at && last->node->entry_count) {
                at = last->node;
                continue;
            }
        }
        struct sim_fs_entry gone = dir_take(at, at->entry_count - 1);
        dir_leave(gone.node, gone.name);
        dir_lose_name(gone.node);
        dir_drop_name(&gone);
    }
}

int sim_fs_move(struct sim_fs_node *from, const char *name, struct sim_fs_node *to, const char *new_name) {
    struct sim_fs_node *node = sim_fs_find(from, name);
    if (!node) return ENOENT;
    size_t slot = dir_index(to, new_name);
    struct sim_fs_node *old = slot < to->entry_count ? to->entries[slot].node : NULL;
    if (old == node) return 0;
    sim_fs_hold(node);
    int e = 0;
    if (old) {
        struct sim_fs_entry *entry = &to->entries[slot];
        entry->node = node;
        node->links++;
        dir_leave(old, entry->name);
        if (node->type == 'd') {
            node->parent = to;
            node->name = entry->name;
        }
        dir_lose_name(old);
    } else {
        e = sim_fs_link(to, new_name, node);
    }
    if (!e) {
        sim_fs_unlink(from, name);
        sim_fs_touch(to);
    }
    sim_fs_release(node);
    return e;
}

int64_t sim_fs_link_count(const struct sim_fs_node *node) {
    if (node->type != 'd') return node->links;
    int64_t n = 2;
    for (size_t i = 0; i < node->entry_count; i++) n += node->entries[i].node->type == 'd';
    return n;
}
