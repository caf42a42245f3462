/* tar x and t: reads an archive's members and makes them again. */
#include "sim/machine/tools/tar.h"
#include <errno.h>
#include <string.h>

/** A directory whose mode and time are set when everything is in it. */
struct read_dir {
    struct read_dir *next;
    uint32_t mode;
    int64_t mtime_s;
    char path[];
};

struct reader {
    struct tar *t;
    struct read_dir *dirs;
    char **wanted; /* members asked for */
    char *hit;
    int n;
    size_t have, used; /* of the buffer, before gzip */
};

/* ---- bytes ---- */

static _Noreturn void read_broken(struct tar *t, const char *why) {
    sim_out_flush(t->p);
    sim_errf(t->p, "tar: %s\ntar: Error is not recoverable: exiting now\n", why);
    sim_proc_exit(t->p, 2);
}

/* Up to `len` bytes; fewer only at the end. */
static size_t read_bytes(struct reader *r, char *out, size_t len) {
    struct tar *t = r->t;
    size_t done = 0;
    while (done < len) {
        ptrdiff_t n;
        if (r->used < r->have) {
            n = (ptrdiff_t)(r->have - r->used < len - done ? r->have - r->used : len - done);
            memcpy(out + done, t->buf + r->used, (size_t)n);
            r->used += (size_t)n;
        } else if (t->gz) {
            n = sim_gz_read(t->gz, out + done, len - done);
            if (n == -1) {
                sim_errf(t->p, "\ngzip: stdin: %s\n", sim_gz_why(t->gz));
                read_broken(t, "Child returned status 1");
            }
        } else {
            n = sim_sys_read(t->p, t->fd, out + done, len - done);
        }
        if (n < 0) read_broken(t, sim_format(t->p, "%s: Cannot read: %s", t->archive, sim_strerror((int)-n)));
        if (n == 0) break;
        done += (size_t)n;
    }
    t->bytes += (int64_t)done;
    return done;
}

/* Content of a member to a descriptor (-1: nowhere), and its padding. @return 0 or -errno of the write */
static int read_content(struct reader *r, int64_t size, int out) {
    char *buf = sim_keep(r->t->p, TAR_RECORD);
    int64_t left = (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    int e = 0;
    while (left > 0) {
        size_t want = left < TAR_RECORD ? (size_t)left : TAR_RECORD;
        if (read_bytes(r, buf, want) < want) read_broken(r->t, "Unexpected EOF in archive");
        size_t mine = size < (int64_t)want ? (size_t)size : want;
        if (out == 1)
            sim_out(r->t->p, buf, mine);
        else if (out >= 0 && mine && !e)
            e = sim_sys_write(r->t->p, out, buf, mine);
        size -= (int64_t)mine;
        left -= (int64_t)want;
    }
    sim_drop(r->t->p, buf);
    return e;
}

/* ---- headers ---- */

static char *read_text(struct reader *r, int64_t size) {
    if (size > (1 << 20)) read_broken(r->t, "A name in the archive is too long");
    size_t len = ((size_t)size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    char *text = sim_alloc(r->t->p, len + 1);
    if (read_bytes(r, text, len) < len) read_broken(r->t, "Unexpected EOF in archive");
    text[size] = '\0';
    return text;
}

/* The next member with what stands before it. @return 0 at the end */
static int read_member(struct reader *r, struct tar_member *m) {
    unsigned char block[TAR_BLOCK];
    struct tar *t = r->t;
    const char *long_path = NULL, *long_target = NULL, *pax = NULL;
    size_t pax_len = 0;
    for (;;) {
        char kind;
        size_t got = read_bytes(r, (char *)block, sizeof block);
        if (got == 0 && t->bytes == 0) read_broken(t, "This does not look like a tar archive");
        if (got == 0) return 0;
        if (got < sizeof block)
            read_broken(t, t->bytes == (int64_t)got ? "This does not look like a tar archive"
                                                    : "Unexpected EOF in archive");
        if (sim_tar_is_zero(block)) return 0;
        if (!sim_tar_header_read(t, block, m, &kind)) {
            if (t->bytes > TAR_BLOCK)
                read_broken(t, "Skipping to next header\ntar: Exiting with failure status due to previous errors");
            sim_errf(t->p, "tar: This does not look like a tar archive\n");
            sim_errf(t->p, "tar: Exiting with failure status due to previous errors\n");
            sim_proc_exit(t->p, 2);
        }
        if (kind == 'L' || kind == 'K') {
            const char *text = read_text(r, m->size);
            if (kind == 'L')
                long_path = text;
            else
                long_target = text;
        } else if (kind == 'x' || kind == 'g') {
            const char *text = read_text(r, m->size);
            if (kind == 'x') {
                pax = text;
                pax_len = (size_t)m->size;
            }
        } else if (strchr("0123567", kind)) {
            break;
        } else {
            sim_proc_exit(t->p, sim_unsupported(t->p, "tar member of type %c", kind));
        }
    }
    if (long_path) m->path = long_path;
    if (long_target) m->target = long_target;
    if (pax) sim_tar_pax_read(t, pax, pax_len, m);
    size_t len = strlen(m->path);
    if (m->type == 'f' && len && m->path[len - 1] == '/') m->type = 'd';
    while (len > 1 && m->path[len - 1] == '/') len--;
    m->path = sim_strndup(t->p, m->path, len);
    return 1;
}

/* ---- which ---- */

static int read_wanted(struct reader *r, const char *path) {
    if (!r->n) return 1;
    int wanted = 0;
    for (int i = 0; i < r->n; i++) {
        size_t len = strlen(r->wanted[i]);
        while (len > 1 && r->wanted[i][len - 1] == '/') len--;
        if (strncmp(path, r->wanted[i], len) != 0 || (path[len] && path[len] != '/')) continue;
        r->hit[i] = 1;
        wanted = 1;
    }
    return wanted;
}

/* Without the components that --strip-components takes; NULL if none is left. */
static const char *read_strip(const struct tar *t, const char *path) {
    for (int i = 0; i < t->strip; i++) {
        path = strchr(path, '/');
        if (!path) return NULL;
        path += strspn(path, "/");
    }
    return *path ? path : NULL;
}

static int read_climbs(const char *path) {
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/')) return 1;
    return 0;
}

/* ---- making ---- */

static void read_parents(struct tar *t, const char *path) {
    char *copy = sim_strdup(t->p, path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!sim_file_type(t->p, copy, 1)) sim_sys_mkdir(t->p, copy, 0777);
        *slash = '/';
    }
}

static uint32_t read_mode(const struct tar *t, uint32_t mode) {
    return t->preserve ? mode : mode & 0777 & ~t->p->umask;
}

static void read_owner(struct tar *t, const struct tar_member *m) {
    if (t->p->m->uid != 0) return;
    int64_t uid = sim_user_id(t->p, m->user), gid = sim_user_id(t->p, m->group);
    sim_sys_chown(t->p, m->path, 0, uid >= 0 ? uid : m->uid, gid >= 0 ? gid : m->gid);
}

static void read_make_dir(struct reader *r, const struct tar_member *m) {
    struct sim_proc *p = r->t->p;
    int type = sim_file_type(p, m->path, 1);
    int e = type == 'd' ? 0 : sim_sys_mkdir(p, m->path, 0700);
    if (e) {
        sim_tar_fail(r->t, "%s: Cannot mkdir: %s", m->path, sim_strerror(-e));
        return;
    }
    read_owner(r->t, m);
    if (type == 'd' && strcmp(m->path, ".") == 0) return;
    struct read_dir *dir = sim_keep(p, sizeof *dir + strlen(m->path) + 1);
    dir->mode = read_mode(r->t, m->mode);
    dir->mtime_s = m->mtime_s;
    memcpy(dir->path, m->path, strlen(m->path) + 1);
    dir->next = r->dirs;
    r->dirs = dir;
    sim_sys_chmod(p, m->path, dir->mode | 0700);
}

static int read_make_file(struct reader *r, const struct tar_member *m) {
    struct sim_proc *p = r->t->p;
    int fd = sim_sys_open(p, m->path, SIM_O_WRITE | SIM_O_CREATE | SIM_O_EXCLUSIVE, 0600);
    if (fd < 0) return fd;
    int e = read_content(r, m->size, fd);
    sim_sys_close(p, fd);
    read_owner(r->t, m);
    sim_sys_chmod(p, m->path, read_mode(r->t, m->mode));
    sim_sys_utime(p, m->path, SIM_NEVER, m->mtime_s * SIM_SEC);
    return e;
}

static void read_make(struct reader *r, const struct tar_member *m) {
    struct tar *t = r->t;
    struct sim_proc *p = t->p;
    const char *verb = m->type == 'l' || m->type == 'h' ? "create symlink to" : "open";
    read_parents(t, m->path);
    if (m->type == 'd') {
        read_make_dir(r, m);
        return;
    }
    int there = sim_file_type(p, m->path, 0), e = 0;
    if (there && t->keep_old) {
        sim_tar_fail(t, "%s: Cannot open: File exists", m->path);
        read_content(r, m->size, -1);
        return;
    }
    if (there) e = there == 'd' ? sim_sys_rmdir(p, m->path) : sim_sys_unlink(p, m->path);
    if (e && there == 'd') e = -EEXIST;
    int took = 0;
    if (!e && m->type == 'f') {
        took = 1;
        e = read_make_file(r, m);
        if (e == -EACCES || e == -ENOENT || e == -ENOTDIR || e == -EEXIST) took = 0;
    } else if (!e && m->type == 'l') {
        e = sim_sys_symlink(p, m->target, m->path);
    } else if (!e && m->type == 'h') {
        e = sim_sys_link(p, sim_tar_inside(t, m->target), m->path);
        verb = "hard link to";
    } else if (!e && m->type == 'p') {
        e = sim_sys_mkfifo(p, m->path, read_mode(t, m->mode));
    } else if (!e) {
        e = -EPERM;
    }
    if (m->type == 'f' && !took) read_content(r, m->size, -1);
    if (e && m->target && *m->target)
        sim_tar_fail(t, "%s: Cannot %s '%s': %s", m->path, verb, m->target, sim_strerror(-e));
    else if (e)
        sim_tar_fail(t, "%s: Cannot open: %s", m->path, sim_strerror(-e));
}

static void read_one(struct reader *r, struct tar_member *m) {
    struct tar *t = r->t;
    const char *path = m->path;
    int skip = !read_wanted(r, path) || sim_tar_excluded(t, path);
    if (!skip && t->strip) {
        path = read_strip(t, path);
        skip = !path;
    }
    if (!skip && t->mode == 'x' && !t->absolute && read_climbs(path)) {
        sim_tar_fail(t, "%s: Member name contains '..'", path);
        skip = 1;
    }
    if (skip) {
        read_content(r, m->size, -1);
        return;
    }
    sim_tar_show(t, m);
    if (t->mode == 't' || t->to_stdout) {
        read_content(r, m->size, t->to_stdout && t->mode == 'x' ? 1 : -1);
        return;
    }
    m->path = sim_tar_inside(t, path);
    read_make(r, m);
}

/* ---- the archive ---- */

/* gzip is known by its first bytes; where they cannot be looked at again it must be asked for. */
static void read_begin(struct reader *r) {
    struct tar *t = r->t;
    const struct sim_open *file = sim_fd_get(t->p, t->fd);
    int seekable = file && file->node && file->node->type == 'f';
    ptrdiff_t n;
    while (r->have < 2 && (n = sim_sys_read(t->p, t->fd, t->buf + r->have, 2 - r->have)) > 0) r->have += (size_t)n;
    int is_gzip = r->have == 2 && t->buf[0] == '\037' && t->buf[1] == '\213';
    if (is_gzip && !t->gzip && !seekable) read_broken(t, "Archive is compressed. Use -z option");
    if (r->have == 2 && t->buf[0] == 'B' && t->buf[1] == 'Z')
        sim_proc_exit(t->p, sim_unsupported(t->p, "tar of a bzip2 archive"));
    if (t->gzip && !is_gzip) {
        sim_errf(t->p, "\ngzip: stdin: not in gzip format\n");
        read_broken(t, "Child returned status 1");
    }
    if (!is_gzip) return;
    t->gz = sim_gz_reader(t->p, t->fd, t->buf, r->have);
    r->have = 0;
}

static void read_finish_dirs(struct reader *r) {
    for (const struct read_dir *d = r->dirs; d; d = d->next) {
        sim_sys_chmod(r->t->p, d->path, d->mode);
        sim_sys_utime(r->t->p, d->path, SIM_NEVER, d->mtime_s * SIM_SEC);
    }
}

int sim_tar_read_all(struct tar *t, char **operands, int n) {
    struct reader r = {.t = t, .wanted = operands, .n = n, .hit = sim_alloc_zero(t->p, (size_t)n + 1)};
    struct tar_member m;
    t->buf = sim_keep(t->p, TAR_RECORD);
    read_begin(&r);
    for (;;) {
        struct sim_mark mark = sim_mark(t->p);
        int more = read_member(&r, &m);
        if (more) read_one(&r, &m);
        sim_release(t->p, mark);
        if (!more || t->p->out_error) break;
    }
    char *rest = sim_keep(t->p, TAR_RECORD);
    while (read_bytes(&r, rest, TAR_RECORD) > 0) continue; /* a writer into a pipe gets rid of its padding */
    read_finish_dirs(&r);
    for (int i = 0; i < n; i++)
        if (!r.hit[i]) sim_tar_fail(t, "%s: Not found in archive", operands[i]);
    if (t->gz) sim_gz_finish(t->gz);
    return t->status;
}
