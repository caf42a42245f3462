/* The file tree: nodes, directories, bytes. Errors are errno numbers. Nothing here knows of processes or permissions.
 */
#ifndef SIM_MACHINE_FS_H
#define SIM_MACHINE_FS_H

#include <stddef.h>
#include <stdint.h>

struct sim_fs_node;
struct sim_pipe;
struct sim_run;

enum sim_device { SIM_DEVICE_NULL, SIM_DEVICE_ZERO, SIM_DEVICE_FULL, SIM_DEVICE_RANDOM, SIM_DEVICE_TTY };

struct sim_fs_entry {
    char *name;
    struct sim_fs_node *node;
    uint32_t hash; /* of the name */
    int lent;      /* the name is a stock's */
};

/** A piece of a file: 64 KiB of it, as far as it is written; all zeros where it is not. */
struct sim_fs_chunk {
    char *data; /* NULL with a cap: it is in the spill */
    uint32_t cap;
};

/** A file that many trees begin with: its bytes are lent until somebody writes. */
struct sim_fs_stock {
    char *name;
    int64_t size;
    struct sim_fs_chunk chunk;
};

/** It lives while it has a name (`links`) or somebody holds it (`refs`). */
struct sim_fs_node {
    struct sim_fs *fs;
    char type; /* f d l c p */
    uint32_t mode;
    int64_t uid, gid;
    int64_t mtime_ns, ctime_ns, atime_ns;
    uint64_t ino;
    int64_t links;
    int64_t refs;
    /* d: entries in any order, until sim_fs_sort() */
    struct sim_fs_node *parent;
    const char *name; /* in its parent; lent by the entry */
    struct sim_fs_entry *entries;
    size_t entry_count, entry_cap;
    int sorted;
    uint32_t *slots; /* where names are: a hash of 1 + their index; NULL while they are few */
    size_t slot_count;
    int is_proc; /* the root of /proc: it has no entries, procfs makes them when asked */
    /* l */
    char *target;
    /* f */
    struct sim_fs_chunk *chunks;
    size_t chunk_count, chunk_cap;
    int spill;       /* holds the bytes from SIM_FS_MEMORY on; -1 = none */
    int unspillable; /* the host had no room for one: it is all in memory */
    int lent_chunks; /* they are a stock's */
    int lent_node;   /* its own memory is the tree's block */
    int64_t size;
    int64_t blocks; /* of 4 KiB, charged to the disk */
    /* c */
    enum sim_device device;
    /* p: while somebody has it open */
    struct sim_pipe *fifo;
    struct sim_run *outlet; /* takes what is written; lent by an outlet, which takes it away before it goes */
    int outlet_stream;
};

struct sim_fs {
    struct sim_fs_node *root;
    uint64_t next_ino;
    int64_t blocks_used, blocks_max;
    struct sim_fs_node *block;    /* nodes that were made at once */
    int64_t (*now_ns)(void *ctx); /* wall time for stamps */
    void *ctx;
};

#define SIM_FS_BLOCK  4096
#define SIM_FS_MEMORY (8 * 1024 * 1024) /* of a file are kept in memory; what is behind goes to the host's disk */

/** A new node without a name, held once. NULL when memory runs out. */
struct sim_fs_node *sim_fs_node(struct sim_fs *fs, char type, uint32_t mode, int64_t uid, int64_t gid);
struct sim_fs_node *sim_fs_hold(struct sim_fs_node *node);
void sim_fs_release(struct sim_fs_node *node); /* NULL is harmless */

/** Makes the index of entries that were put in directly. @return ENOMEM */
int sim_fs_index(struct sim_fs_node *dir);
/** Puts the entries into byte order of their names. */
void sim_fs_sort(struct sim_fs_node *dir);
/** Lent; NULL if there is none. */
struct sim_fs_node *sim_fs_find(const struct sim_fs_node *dir, const char *name);
/** Gives `node` a name that is not taken. @return ENOMEM */
int sim_fs_link(struct sim_fs_node *dir, const char *name, struct sim_fs_node *node);
/** Fills an empty directory, once in a tree, with root's files, whose names ascend. The stock must outlive the tree.
 *  @return ENOMEM */
int sim_fs_fill(struct sim_fs_node *dir, struct sim_fs_stock *stock, size_t n, uint32_t mode);
/** Takes a name away. A directory taken away must be empty or be about to get another name. */
void sim_fs_unlink(struct sim_fs_node *dir, const char *name);
/** Takes everything under a directory away. */
void sim_fs_empty(struct sim_fs_node *dir);
/** Moves a name over another, which is replaced if it exists. @return ENOMEM, then nothing changed */
int sim_fs_move(struct sim_fs_node *from, const char *name, struct sim_fs_node *to, const char *new_name);
/** Is `dir` the node `under` or above it? */
int sim_fs_contains(const struct sim_fs_node *dir, const struct sim_fs_node *under);
/** Names of subdirectories + 2, as Linux counts them; names of a file. */
int64_t sim_fs_link_count(const struct sim_fs_node *node);

/** @return bytes read, or -EIO when the host's disk failed; never for the first SIM_FS_MEMORY bytes */
ptrdiff_t sim_fs_read(struct sim_fs_node *node, int64_t pos, void *buf, size_t len);
/** Writes as much as fits. @return bytes written; fewer than asked sets *why to ENOSPC, ENOMEM, EFBIG or EIO */
size_t sim_fs_write(struct sim_fs_node *node, int64_t pos, const void *data, size_t len, int *why);
int sim_fs_truncate(struct sim_fs_node *node, int64_t size);
void sim_fs_touch(struct sim_fs_node *node);
int sim_fs_set_target(struct sim_fs_node *node, const char *target);

#endif
