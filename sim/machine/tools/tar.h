/* tar: members, their headers on both sides, and the archive they are in. */
#ifndef SIM_MACHINE_TAR_H
#define SIM_MACHINE_TAR_H

#include "sim/machine/tools/gz.h"
#include "sim/machine/tools/tools.h"

#define TAR_BLOCK  512
#define TAR_RECORD 10240

struct tar_member {
    const char *path;   /* without slashes at its end */
    const char *target; /* of a link */
    char type;          /* f d l p c h: a hard link */
    uint32_t mode;
    int64_t uid, gid, size, mtime_s;
    const char *user, *group;
};

/** A file that has been archived and has more names. */
struct tar_twin {
    const struct sim_fs_node *node;
    const char *path;
};

struct tar {
    struct sim_proc *p;
    char mode; /* c x t */
    const char *archive;
    int gzip, verbose, keep_old, to_stdout, preserve, follow, absolute, strip, numeric;
    struct sim_list exclude;
    int status;
    /* the archive */
    int fd;
    struct sim_gz *gz;
    struct sim_fs_node *node; /* of the archive that is written, held by its descriptor */
    int64_t bytes;
    char *buf; /* a record, kept */
    size_t len;
    int told_slash;
    struct tar_twin *twins; /* kept */
    size_t twin_count, twin_cap;
};

/* tar_header.c */
/** Headers of a member: blocks in scratch memory, with pax records where ustar has no room. */
char *sim_tar_header_make(struct tar *t, const struct tar_member *m, size_t *len);
/** Reads a header block. @return 0 if it is none */
int sim_tar_header_read(struct tar *t, const unsigned char *block, struct tar_member *m, char *kind);
int sim_tar_is_zero(const unsigned char *block);
/** Reads pax records into `m`; texts in scratch memory. */
void sim_tar_pax_read(struct tar *t, const char *text, size_t len, struct tar_member *m);

/* tar_write.c */
int sim_tar_write_all(struct tar *t, char **operands, int n, char **dirs, const int *dirs_at, int dir_count);

/* tar_read.c */
int sim_tar_read_all(struct tar *t, char **operands, int n);

/* tools/tar.c */
void sim_tar_fail(struct tar *t, const char *fmt, ...) SBX_PRINTF(2, 3);
int sim_tar_excluded(const struct tar *t, const char *path);
void sim_tar_show(struct tar *t, const struct tar_member *m);
/** A member's name without what would lead out of the tree; says so once. */
const char *sim_tar_inside(struct tar *t, const char *path);

#endif
