/* Files of a machine of the host engine, from outside. */
#include "sim/machine/host/box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static int file_type(mode_t mode) {
    return S_ISREG(mode)    ? 'f'
           : S_ISDIR(mode)  ? 'd'
           : S_ISLNK(mode)  ? 'l'
           : S_ISCHR(mode)  ? 'c'
           : S_ISFIFO(mode) ? 'p'
                            : 's';
}

/* Inside, what is this process's own is the sandbox's user's, and all else is root's. */
static void file_stat(const struct host_box *box, const struct stat *st, struct sim_stat *out) {
    *out = (struct sim_stat){.type = file_type(st->st_mode),
                             .mode = st->st_mode & 07777,
                             .bytes = st->st_size,
                             .mtime_ns = st->st_mtim.tv_sec * SIM_SEC + st->st_mtim.tv_nsec,
                             .uid = st->st_uid == box->host->uid ? box->uid : 0,
                             .gid = st->st_uid == box->host->uid ? box->uid : 0,
                             .ino = st->st_ino};
}

static sim_errno files_stat(struct sim_machine *m, const char *path, int follow, struct sim_stat *out) {
    struct stat st = {0};
    const int fd = sim_host_openat(sim_host_box(m), path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0);
    const int failed = fd < 0 ? -fd : fstat(fd, &st) ? errno : 0;
    sim_host_fd_close(fd);
    if (!failed) file_stat(sim_host_box(m), &st, out);
    return failed;
}

static sim_errno files_readlink(struct sim_machine *m, const char *path, struct sbx_buf *out) {
    char target[4096];
    const int fd = sim_host_openat(sim_host_box(m), path, O_PATH | O_NOFOLLOW, 0);
    const ssize_t len = fd < 0 ? -1 : readlinkat(fd, "", target, sizeof(target));
    const int failed = fd < 0 ? -fd : len < 0 ? (errno == ENOENT ? EINVAL : errno) : 0;
    sim_host_fd_close(fd);
    if (!failed) sbx_buf_append(out, target, (size_t)len);
    return failed;
}

static sim_errno files_mkdir_one(struct sim_machine *m, const char *path, uint32_t mode) {
    char name[SIM_HOST_NAME];
    struct sim_stat st;
    const int dir = sim_host_parent(sim_host_box(m), path, name);
    if (dir < 0) return dir == -EACCES && files_stat(m, path, 1, &st) == 0 ? EEXIST : dir == -EBUSY ? EEXIST : -dir;
    const mode_t was = umask(0);
    const int failed = mkdirat(dir, name, mode) ? errno : sim_host_own(sim_host_box(m), dir, name);
    umask(was);
    close(dir);
    return failed;
}

static sim_errno files_mkdir_all(struct sim_machine *m, const char *path, uint32_t mode) {
    char *copy = strdup(path);
    int failed = copy ? 0 : ENOMEM;
    for (char *at = copy ? copy + strspn(copy, "/") : NULL; !failed && *at;) {
        char *end = at + strcspn(at, "/"), kept = *end;
        struct sim_stat st;
        *end = 0;
        if (files_stat(m, copy, 1, &st) == 0)
            failed = st.type == 'd' ? 0 : ENOTDIR;
        else
            failed = files_mkdir_one(m, copy, mode);
        *end = kept;
        at = end + strspn(end, "/");
    }
    free(copy);
    return failed;
}

static sim_errno files_mkdir(struct sim_machine *m, const char *path, uint32_t mode, int parents) {
    return parents ? files_mkdir_all(m, path, mode) : files_mkdir_one(m, path, mode);
}

/* ---- taking away, moving ---- */

static int files_is_home(struct host_box *box, const struct stat *st) {
    struct stat home;
    const int fd = sim_host_openat(box, box->home, O_PATH | O_DIRECTORY, 0);
    const int same = fd >= 0 && fstat(fd, &home) == 0 && home.st_dev == st->st_dev && home.st_ino == st->st_ino;
    sim_host_fd_close(fd);
    return same;
}

static sim_errno unlink_folder(int dir, const char *name) {
    const int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int failed = fd < 0 ? errno : sim_host_empty(fd);
    sim_host_fd_close(fd);
    return !failed && unlinkat(dir, name, AT_REMOVEDIR) ? errno : failed;
}

static sim_errno files_unlink(struct sim_machine *m, const char *path, int recursive) {
    struct host_box *box = sim_host_box(m);
    char name[SIM_HOST_NAME];
    struct stat st = {0};
    const int dir = sim_host_parent(box, path, name);
    if (dir < 0) return -dir;
    int failed = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ? errno : 0;
    if (!failed && !S_ISDIR(st.st_mode))
        failed = unlinkat(dir, name, 0) ? errno : 0;
    else if (!failed)
        failed = !recursive ? EISDIR : files_is_home(box, &st) ? EBUSY : unlink_folder(dir, name);
    close(dir);
    return failed;
}

static sim_errno files_rename(struct sim_machine *m, const char *from, const char *to) {
    char old[SIM_HOST_NAME], fresh[SIM_HOST_NAME];
    const int source = sim_host_parent(sim_host_box(m), from, old);
    const int target = source < 0 ? source : sim_host_parent(sim_host_box(m), to, fresh);
    int failed = target < 0 ? -target : 0;
    if (!failed && renameat(source, old, target, fresh)) failed = errno;
    sim_host_fd_close(source);
    sim_host_fd_close(target);
    return failed;
}

/* ---- rights ---- */

static sim_errno files_chmod(struct sim_machine *m, const char *path, uint32_t mode) {
    char own[64];
    struct stat st = {0};
    const int fd = sim_host_openat(sim_host_box(m), path, O_PATH, 0);
    if (fd < 0) return -fd;
    int failed = fstat(fd, &st) ? errno : st.st_uid != sim_host_box(m)->host->uid ? EPERM : 0;
    snprintf(own, sizeof(own), "/proc/self/fd/%d", fd); /* the file itself, whatever its name leads to by now */
    if (!failed && chmod(own, mode)) failed = errno;
    close(fd);
    return failed;
}

static sim_errno files_chown(struct sim_machine *m, const char *path, int64_t uid, int64_t gid) {
    struct host_box *box = sim_host_box(m);
    struct sim_stat st;
    const int failed = files_stat(m, path, 1, &st);
    if (failed) return failed;
    const int own = st.uid == box->uid && (uid < 0 || uid == box->uid) && (gid < 0 || gid == box->uid);
    return own || (uid < 0 && gid < 0) ? 0 : EPERM;
}

/* ---- lists ---- */

static int list_order(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct list_names {
    char **name;
    size_t count, cap;
};

static int list_add(struct list_names *names, const char *name) {
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 0;
    if (names->count == names->cap) {
        const size_t cap = names->cap ? names->cap * 2 : 64;
        char **more = realloc(names->name, cap * sizeof(*more));
        if (!more) return ENOMEM;
        names->name = more;
        names->cap = cap;
    }
    names->name[names->count] = strdup(name);
    if (!names->name[names->count]) return ENOMEM;
    names->count++;
    return 0;
}

static sim_errno files_list(struct sim_machine *m, const char *path, void (*each)(void *ctx, const char *name),
                            void *ctx) {
    struct list_names names = {0};
    const int fd = sim_host_openat(sim_host_box(m), path, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return -fd;
    DIR *dir = fdopendir(fd);
    int failed = dir ? 0 : ENOMEM;
    for (const struct dirent *entry; !failed && (entry = readdir(dir)) != NULL;)
        failed = list_add(&names, entry->d_name);
    if (dir)
        closedir(dir);
    else
        close(fd);
    if (names.count) qsort(names.name, names.count, sizeof(*names.name), list_order);
    for (size_t i = 0; i < names.count; i++) {
        if (!failed) each(ctx, names.name[i]);
        free(names.name[i]);
    }
    free(names.name);
    return failed;
}

/* ---- bytes ---- */

struct host_file {
    const struct sim_engine *engine; /* first */
    int fd;
    int device;
    int64_t pos, bytes_max;
};

/* Files of /proc are for programs inside: what they say depends on who reads. */
static int file_refused(const struct host_box *box, int fd, struct stat *st) {
    struct statfs fs;
    if (fstat(fd, st) || fstatfs(fd, &fs)) return errno;
    if ((uint64_t)fs.f_type == PROC_SUPER_MAGIC) return EACCES;
    if (st->st_uid != box->host->uid && !(st->st_mode & S_IROTH)) return EACCES; /* root's, on the host */
    return S_ISDIR(st->st_mode) ? EISDIR : S_ISREG(st->st_mode) || S_ISCHR(st->st_mode) ? 0 : ENXIO;
}

static sim_errno file_open(struct sim_machine *m, const char *path, int flags, uint32_t mode, struct sim_file **out) {
    struct host_file *file = calloc(1, sizeof(*file));
    struct stat st = {0};
    if (!file) return ENOMEM;
    file->fd = sim_host_openat(sim_host_box(m), path, flags | O_NONBLOCK | O_NOCTTY, mode);
    const int failed = file->fd < 0 ? -file->fd : file_refused(sim_host_box(m), file->fd, &st);
    if (failed) {
        sim_host_fd_close(file->fd);
        free(file);
        return failed;
    }
    file->engine = &sim_engine_host;
    file->device = S_ISCHR(st.st_mode);
    file->bytes_max = sim_host_box(m)->disk_bytes;
    *out = (struct sim_file *)(void *)file;
    return 0;
}

static sim_errno file_open_read(struct sim_machine *m, const char *path, struct sim_file **out) {
    return file_open(m, path, O_RDONLY, 0, out);
}

static int64_t file_size(const struct sim_file *f) {
    struct stat st = {0};
    return fstat(((const struct host_file *)(const void *)f)->fd, &st) ? 0 : st.st_size;
}

static sim_errno file_open_write(struct sim_machine *m, const char *path, uint32_t mode, int truncate,
                                 struct sim_file **out) {
    const int failed = file_open(m, path, O_WRONLY | O_CREAT | (truncate ? O_TRUNC : 0), mode, out);
    if (!failed && !truncate) ((struct host_file *)(void *)*out)->pos = file_size(*out);
    return failed;
}

static ptrdiff_t file_read(struct sim_file *f, void *buf, size_t cap) {
    struct host_file *file = (struct host_file *)(void *)f;
    ssize_t n = -1;
    while ((n = file->device ? read(file->fd, buf, cap) : pread(file->fd, buf, cap, file->pos)) < 0)
        if (errno != EINTR) return -errno;
    file->pos += n;
    return n;
}

static sim_errno file_write(struct sim_file *f, const void *data, size_t len) {
    struct host_file *file = (struct host_file *)(void *)f;
    const char *at = data;
    if (!file->device && file->pos + (int64_t)len > file->bytes_max) return ENOSPC;
    while (len > 0) {
        const ssize_t n = file->device ? write(file->fd, at, len) : pwrite(file->fd, at, len, file->pos);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        at += n;
        len -= (size_t)n;
        file->pos += n;
    }
    return 0;
}

static void file_close(struct sim_file *f) {
    sim_host_fd_close(((struct host_file *)(void *)f)->fd);
    free(f);
}

const struct sim_engine_files sim_host_files = {.stat = files_stat,
                                                .mkdir = files_mkdir,
                                                .unlink = files_unlink,
                                                .rename = files_rename,
                                                .chmod = files_chmod,
                                                .chown = files_chown,
                                                .list = files_list,
                                                .open_read = file_open_read,
                                                .open_write = file_open_write,
                                                .read = file_read,
                                                .write = file_write,
                                                .size = file_size,
                                                .close = file_close,
                                                .readlink = files_readlink};
