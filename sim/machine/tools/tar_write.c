/* tar c: walks trees and writes their members. */
#include "sim/machine/tools/tar.h"
#include <errno.h>
#include <string.h>

static void write_flush(struct tar *t) {
    int e = t->gz ? sim_gz_write(t->gz, t->buf, t->len) : sim_sys_write(t->p, t->fd, t->buf, t->len);
    t->len = 0;
    if (!e) return;
    sim_errf(t->p, "tar: %s: Cannot write: %s\ntar: Error is not recoverable: exiting now\n",
             strcmp(t->archive, "-") == 0 ? "-" : t->archive, sim_strerror(-e));
    sim_proc_exit(t->p, 2);
}

static void write_bytes(struct tar *t, const char *data, size_t len) {
    t->bytes += (int64_t)len;
    while (len) {
        size_t n = TAR_RECORD - t->len < len ? TAR_RECORD - t->len : len;
        memcpy(t->buf + t->len, data, n);
        t->len += n;
        data += n;
        len -= n;
        if (t->len == TAR_RECORD) write_flush(t);
    }
}

static void write_zeros(struct tar *t, size_t unit) {
    static const char zeros[TAR_BLOCK];
    while (t->bytes % (int64_t)unit) {
        size_t n = unit - (size_t)(t->bytes % (int64_t)unit);
        write_bytes(t, zeros, n < sizeof zeros ? n : sizeof zeros);
    }
}

static void write_header(struct tar *t, const struct tar_member *m) {
    struct sim_mark mark = sim_mark(t->p);
    size_t len;
    const char *header = sim_tar_header_make(t, m, &len);
    write_bytes(t, header, len);
    sim_release(t->p, mark);
    sim_tar_show(t, m);
}

/* As many bytes as the header said, whatever becomes of the file meanwhile. */
static void write_content(struct tar *t, const char *path, int fd, int64_t size) {
    char *buf = sim_keep(t->p, TAR_RECORD);
    int64_t left = size;
    while (left > 0) {
        ptrdiff_t n = sim_sys_read(t->p, fd, buf, left < TAR_RECORD ? (size_t)left : TAR_RECORD);
        if (n <= 0) {
            sim_tar_fail(t, "%s: File shrank by %lld bytes; padding with zeros", path, (long long)left);
            memset(buf, 0, TAR_RECORD);
            n = left < TAR_RECORD ? (ptrdiff_t)left : TAR_RECORD;
        }
        write_bytes(t, buf, (size_t)n);
        left -= n;
    }
    sim_drop(t->p, buf);
    write_zeros(t, TAR_BLOCK);
}

/* The name under which a file with several has been archived already; NULL for the first. */
static const char *write_twin(struct tar *t, const struct sim_fs_node *node, const char *path) {
    for (size_t i = 0; i < t->twin_count; i++)
        if (t->twins[i].node == node) return t->twins[i].path;
    if (t->twin_count == t->twin_cap) {
        size_t cap = t->twin_cap ? t->twin_cap * 2 : 16;
        struct tar_twin *twins = sim_keep(t->p, cap * sizeof *twins);
        if (t->twin_count) memcpy(twins, t->twins, t->twin_count * sizeof *twins);
        sim_drop(t->p, t->twins);
        t->twins = twins;
        t->twin_cap = cap;
    }
    t->twins[t->twin_count++] = (struct tar_twin){node, sim_keep_text(t->p, path)};
    return NULL;
}

static void write_path(struct tar *t, const char *path);

struct write_tree {
    struct tar *t;
    const char *path;
};

static int write_tree_main(struct sim_proc *p, void *arg) {
    const struct write_tree *w = arg;
    struct sim_list names = {.p = p};
    struct sim_mark mark = sim_mark(p);
    int e = sim_sys_list(p, w->path, &names);
    if (e) sim_tar_fail(w->t, "%s: Cannot open: %s", w->path, sim_strerror(-e));
    for (size_t i = 0; !e && i < names.n; i++) {
        struct sim_mark one = sim_mark(p);
        write_path(w->t, sim_file_join(p, w->path, names.items[i]));
        sim_release(p, one);
    }
    sim_release(p, mark);
    return 0;
}

static void write_dir(struct tar *t, const char *path) {
    struct write_tree tree = {t, path};
    t->p->depth += 4;
    if (t->p->depth >= SIM_NICE_DEPTH)
        sim_proc_deeper(t->p, write_tree_main, &tree);
    else
        write_tree_main(t->p, &tree);
    t->p->depth -= 4;
}

static void write_file(struct tar *t, const char *path, const struct sim_fs_node *node, struct tar_member *m) {
    const char *twin = node->links > 1 ? write_twin(t, node, m->path) : NULL;
    if (twin) {
        m->type = 'h';
        m->target = twin;
        write_header(t, m);
        return;
    }
    int fd = sim_sys_open(t->p, path, SIM_O_READ, 0);
    if (fd < 0) {
        sim_tar_fail(t, "%s: Cannot open: %s", path, sim_strerror(-fd));
        return;
    }
    m->size = node->size;
    write_header(t, m);
    write_content(t, path, fd, m->size);
    sim_sys_close(t->p, fd);
}

static void write_node(struct tar *t, const char *path, const struct sim_fs_node *node) {
    struct tar_member m = {.type = node->type,
                           .mode = node->mode,
                           .uid = node->uid,
                           .gid = node->gid,
                           .mtime_s = node->mtime_ns / SIM_SEC,
                           .user = t->numeric ? "" : sim_user_name(t->p, node->uid),
                           .group = t->numeric ? "" : sim_user_name(t->p, node->gid)};
    m.path = sim_tar_inside(t, path);
    if (node == t->node) {
        sim_errf(t->p, "tar: %s: file is the archive; not dumped\n", path);
    } else if (node->type == 'f') {
        write_file(t, path, node, &m);
    } else if (node->type == 'c') {
        sim_proc_exit(t->p, sim_unsupported(t->p, "tar of a device, %s", path));
    } else {
        if (node->type == 'l') m.target = node->target;
        write_header(t, &m);
        if (node->type == 'd') write_dir(t, path);
    }
}

static void write_path(struct tar *t, const char *path) {
    struct sim_where at;
    if (sim_tar_excluded(t, path)) return;
    int e = sim_sys_stat(t->p, path, t->follow, &at);
    if (e) {
        sim_tar_fail(t, "%s: Cannot stat: %s", path, sim_strerror(-e));
        return;
    }
    write_node(t, path, at.node);
    sim_where_finish(&at);
}

int sim_tar_write_all(struct tar *t, char **operands, int n, char **dirs, const int *dirs_at, int dir_count) {
    struct sim_proc *p = t->p;
    t->fd = strcmp(t->archive, "-") == 0
                ? 1
                : sim_sys_open(p, t->archive, SIM_O_WRITE | SIM_O_CREATE | SIM_O_TRUNCATE, 0666);
    if (t->fd < 0) {
        sim_errf(p, "tar: %s: Cannot open: %s\ntar: Error is not recoverable: exiting now\n", t->archive,
                 sim_strerror(-t->fd));
        return 2;
    }
    struct sim_open *file = sim_fd_get(p, t->fd);
    t->node = t->fd != 1 && file ? file->node : NULL;
    t->buf = sim_keep(p, TAR_RECORD);
    if (t->gzip) t->gz = sim_gz_writer(p, t->fd, 6, NULL, 0);
    int dir = 0;
    for (int i = 0; i < n; i++) {
        for (; dir < dir_count && dirs_at[dir] <= i; dir++) {
            int e = sim_sys_chdir(p, dirs[dir]);
            if (!e) continue;
            sim_errf(p, "tar: %s: Cannot open: %s\ntar: Error is not recoverable: exiting now\n", dirs[dir],
                     sim_strerror(-e));
            return 2;
        }
        size_t len = strlen(operands[i]);
        while (len > 1 && operands[i][len - 1] == '/') len--;
        write_path(t, sim_strndup(p, operands[i], len));
    }
    static const char end[2 * TAR_BLOCK];
    write_bytes(t, end, sizeof end);
    write_zeros(t, TAR_RECORD);
    if (t->len) write_flush(t);
    int e = t->gz ? sim_gz_finish(t->gz) : 0;
    if (e) sim_tar_fail(t, "%s: Cannot write: %s", t->archive, sim_strerror(-e));
    return t->status;
}
