/* The file tree: nodes, their bytes in chunks, and what the disk has room for. Names are in fs_dir.c. */
#include "sim/machine/fs.h"
#include "sim/machine/fd.h"
#include "sim/machine/spill.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FS_CHUNK    65536
#define FS_SIZE_MAX (INT64_C(1) << 42)

static void fs_node_init(struct sim_fs_node *node, struct sim_fs *fs, char type, uint32_t mode) {
    node->fs = fs;
    node->type = type;
    node->mode = mode;
    node->ino = ++fs->next_ino;
    node->spill = -1;
    node->mtime_ns = node->ctime_ns = node->atime_ns = fs->now_ns(fs->ctx);
}

struct sim_fs_node *sim_fs_node(struct sim_fs *fs, char type, uint32_t mode, int64_t uid, int64_t gid) {
    struct sim_fs_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    fs_node_init(node, fs, type, mode);
    node->uid = uid;
    node->gid = gid;
    node->refs = 1;
    return node;
}

struct sim_fs_node *sim_fs_hold(struct sim_fs_node *node) {
    node->refs++;
    assert(node->refs > 0);
    return node;
}

/* Before bytes or their number change: the node's own instead of a stock's. @return ENOMEM, then nothing changed */
static int fs_own_chunks(struct sim_fs_node *node) {
    if (!node->lent_chunks) return 0;
    struct sim_fs_chunk *chunks = calloc(node->chunk_count, sizeof *chunks);
    char *data = malloc(node->chunks->cap);
    if (!chunks || !data) {
        free(chunks);
        free(data);
        return ENOMEM;
    }
    memcpy(data, node->chunks->data, node->chunks->cap);
    *chunks = (struct sim_fs_chunk){data, node->chunks->cap};
    node->chunks = chunks;
    node->lent_chunks = 0;
    return 0;
}

static void fs_drop_chunks(struct sim_fs_node *node, size_t keep) {
    while (node->chunk_count > keep) {
        struct sim_fs_chunk *chunk = &node->chunks[--node->chunk_count];
        int64_t blocks = (chunk->cap + SIM_FS_BLOCK - 1) / SIM_FS_BLOCK;
        node->blocks -= blocks;
        node->fs->blocks_used -= blocks;
        if (!node->lent_chunks) free(chunk->data);
    }
}

static void fs_free(struct sim_fs_node *node) {
    if (node->type == 'd') sim_fs_empty(node);
    fs_drop_chunks(node, 0);
    sim_spill_close(node->spill);
    if (!node->lent_chunks) free(node->chunks);
    free(node->entries);
    free(node->slots);
    free(node->target);
    if (!node->lent_node) free(node);
}

void sim_fs_release(struct sim_fs_node *node) {
    if (!node) return;
    node->refs--;
    if (node->refs == 0 && node->links == 0) fs_free(node);
}

int sim_fs_fill(struct sim_fs_node *dir, struct sim_fs_stock *stock, size_t n, uint32_t mode) {
    struct sim_fs *fs = dir->fs;
    struct sim_fs_entry *entries = realloc(dir->entries, n * sizeof *entries);
    if (!entries) return ENOMEM;
    dir->entries = entries;
    dir->entry_cap = n;
    fs->block = calloc(n, sizeof *fs->block);
    if (!fs->block) return ENOMEM;
    for (size_t i = 0; i < n; i++) {
        struct sim_fs_node *node = &fs->block[i];
        fs_node_init(node, fs, 'f', mode);
        node->links = 1;
        node->size = stock[i].size;
        node->chunks = &stock[i].chunk;
        node->chunk_count = node->chunk_cap = 1;
        node->blocks = (stock[i].chunk.cap + SIM_FS_BLOCK - 1) / SIM_FS_BLOCK;
        node->lent_chunks = node->lent_node = 1;
        fs->blocks_used += node->blocks;
        entries[i] = (struct sim_fs_entry){.name = stock[i].name, .node = node, .lent = 1};
    }
    dir->entry_count = n;
    sim_fs_touch(dir);
    return sim_fs_index(dir);
}

int sim_fs_contains(const struct sim_fs_node *dir, const struct sim_fs_node *under) {
    for (; under; under = under->parent) {
        if (under == dir) return 1;
        if (under == under->fs->root) return 0;
    }
    return 0;
}

static int fs_read_chunk(struct sim_fs_node *node, size_t at, char *to, size_t n) {
    size_t i = at / FS_CHUNK, off = at % FS_CHUNK;
    size_t have = i < node->chunk_count && node->chunks[i].cap > off ? node->chunks[i].cap - off : 0;
    if (have > n) have = n;
    if (have < n) memset(to + have, 0, n - have);
    if (!have) return 0;
    if (!node->chunks[i].data) return sim_spill_read(node->spill, (int64_t)at, to, have);
    memcpy(to, node->chunks[i].data + off, have);
    return 0;
}

ptrdiff_t sim_fs_read(struct sim_fs_node *node, int64_t pos, void *buf, size_t len) {
    if (pos >= node->size) return 0;
    if ((int64_t)len > node->size - pos) len = (size_t)(node->size - pos);
    for (size_t done = 0; done < len;) {
        size_t at = (size_t)pos + done, room = FS_CHUNK - at % FS_CHUNK;
        size_t n = room < len - done ? room : len - done;
        int e = fs_read_chunk(node, at, (char *)buf + done, n);
        if (e) return -e;
        done += n;
    }
    return (ptrdiff_t)len;
}

/* Whether a chunk that is not there yet belongs to the spill, which the first of them makes. */
static int fs_spills(struct sim_fs_node *node, size_t i) {
    if (i < SIM_FS_MEMORY / FS_CHUNK || node->unspillable) return 0;
    if (node->spill < 0) node->spill = sim_spill_open();
    node->unspillable = node->spill < 0;
    return !node->unspillable;
}

/* Makes a chunk reach `end` bytes, charging the disk. */
static int fs_reach(struct sim_fs_node *node, size_t i, size_t end) {
    assert(end > 0);
    if (i >= node->chunk_cap) {
        size_t grown = node->chunk_cap ? node->chunk_cap * 2 : 1;
        while (grown <= i) grown *= 2;
        struct sim_fs_chunk *chunks = realloc(node->chunks, grown * sizeof *chunks);
        if (!chunks) return ENOMEM;
        node->chunks = chunks;
        node->chunk_cap = grown;
    }
    if (i >= node->chunk_count) {
        memset(node->chunks + node->chunk_count, 0, (i + 1 - node->chunk_count) * sizeof *node->chunks);
        node->chunk_count = i + 1;
    }
    struct sim_fs_chunk *chunk = &node->chunks[i];
    if (chunk->cap >= end) return 0;
    size_t cap = chunk->cap ? chunk->cap : 64;
    while (cap < end) cap *= 2;
    int64_t more = (int64_t)((cap + SIM_FS_BLOCK - 1) / SIM_FS_BLOCK - (chunk->cap + SIM_FS_BLOCK - 1) / SIM_FS_BLOCK);
    struct sim_fs *fs = node->fs;
    if (fs->blocks_used + more > fs->blocks_max) {
        cap = (end + SIM_FS_BLOCK - 1) / SIM_FS_BLOCK * SIM_FS_BLOCK; /* no generosity when room is short */
        more = (int64_t)(cap / SIM_FS_BLOCK - (chunk->cap + SIM_FS_BLOCK - 1) / SIM_FS_BLOCK);
        if (fs->blocks_used + more > fs->blocks_max) return ENOSPC;
    }
    if (chunk->cap ? !chunk->data : fs_spills(node, i)) {
        chunk->cap = (uint32_t)cap;
    } else {
        char *data = realloc(chunk->data, cap);
        if (!data) return ENOMEM;
        memset(data + chunk->cap, 0, cap - chunk->cap);
        chunk->data = data;
        chunk->cap = (uint32_t)cap;
    }
    node->blocks += more;
    fs->blocks_used += more;
    return 0;
}

static int fs_write_chunk(struct sim_fs_node *node, size_t at, const char *from, size_t n) {
    const struct sim_fs_chunk *chunk = &node->chunks[at / FS_CHUNK];
    if (!chunk->data) return sim_spill_write(node->spill, (int64_t)at, from, n);
    memcpy(chunk->data + at % FS_CHUNK, from, n);
    return 0;
}

size_t sim_fs_write(struct sim_fs_node *node, int64_t pos, const void *data, size_t len, int *why) {
    const char *from = data;
    size_t done = 0;
    *why = 0;
    if (pos > FS_SIZE_MAX || (int64_t)len > FS_SIZE_MAX - pos) {
        *why = EFBIG;
        return 0;
    }
    if (len) *why = fs_own_chunks(node);
    while (!*why && done < len) {
        size_t at = (size_t)pos + done;
        size_t off = at % FS_CHUNK;
        size_t n = FS_CHUNK - off < len - done ? FS_CHUNK - off : len - done;
        *why = fs_reach(node, at / FS_CHUNK, off + n);
        if (*why == ENOSPC && n > SIM_FS_BLOCK - off % SIM_FS_BLOCK) {
            n = SIM_FS_BLOCK - off % SIM_FS_BLOCK; /* the last block that still fits */
            *why = fs_reach(node, at / FS_CHUNK, off + n);
        }
        if (!*why) *why = fs_write_chunk(node, at, from + done, n);
        if (*why) break;
        done += n;
        if (pos + (int64_t)done > node->size) node->size = pos + (int64_t)done;
    }
    if (done) sim_fs_touch(node);
    return done;
}

int sim_fs_truncate(struct sim_fs_node *node, int64_t size) {
    if (size < 0) return EINVAL;
    if (size > FS_SIZE_MAX) return EFBIG;
    if (fs_own_chunks(node)) return ENOMEM;
    if (size < node->size) {
        size_t keep = (size_t)(size + FS_CHUNK - 1) / FS_CHUNK;
        if (node->spill >= 0 && sim_spill_cut(node->spill, size)) return EIO;
        if (keep < node->chunk_count) fs_drop_chunks(node, keep);
        size_t tail = (size_t)size % FS_CHUNK;
        struct sim_fs_chunk *last = keep && keep == node->chunk_count ? &node->chunks[keep - 1] : NULL;
        if (tail && last && last->data && last->cap > tail) memset(last->data + tail, 0, last->cap - tail);
    }
    node->size = size;
    sim_fs_touch(node);
    return 0;
}

void sim_fs_touch(struct sim_fs_node *node) {
    node->mtime_ns = node->ctime_ns = node->fs->now_ns(node->fs->ctx);
}

int sim_fs_set_target(struct sim_fs_node *node, const char *target) {
    char *copy = strdup(target);
    if (!copy) return ENOMEM;
    free(node->target);
    node->target = copy;
    node->size = (int64_t)strlen(copy);
    return 0;
}
