/* Paths, files, locks and removal. Row L1. */
#include "adapters/local/place.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 5
#define FDS_MAX 16

int sbx_local_path(const struct local *l, const char *id, const char *name, char out[LOCAL_PATH_SIZE]) {
    if (!sbx_is_hex(id, SBX_ACQUISITION_SIZE - 1)) return 0;
    int n = snprintf(out, LOCAL_PATH_SIZE, "%s/%s%s%s", l->root, id, *name ? "/" : "", name);
    return n > 0 && n < LOCAL_PATH_SIZE;
}

/* ---- files: whole, or as they were ---- */

static int write_all(int fd, const char *text, size_t len) {
    while (len) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR) return 0;
        if (n > 0) text += n, len -= (size_t)n;
    }
    return fsync(fd) == 0;
}

int sbx_local_file_write(const char *path, const char *text, size_t len) {
    char fresh[LOCAL_PATH_SIZE];
    int n = snprintf(fresh, sizeof(fresh), "%s.new", path);
    if (n < 0 || n >= (int)sizeof(fresh)) {
        errno = ENAMETOOLONG;
        return 0;
    }
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return 0;
    int ok = write_all(fd, text, len);
    ok = close(fd) == 0 && ok;
    return ok && rename(fresh, path) == 0;
}

int sbx_local_file_read(const char *path, size_t max, struct sbx_buf *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = 1;
    if (fd < 0) return 0;
    while (n > 0 && out->len < max) {
        char *at = sbx_buf_reserve(out, 4096);
        n = at ? read(fd, at, 4096) : -1;
        if (n > 0) out->len += (size_t)n;
        if (n < 0 && at && errno == EINTR) n = 1;
    }
    close(fd);
    sbx_buf_append(out, "", 0);
    return n >= 0 && !out->failed;
}

int sbx_local_text_read(const char *path, char *out, size_t cap) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    size_t len = 0;
    ssize_t n = 1;
    if (fd < 0) return 0;
    while (n > 0 && len + 1 < cap) {
        n = read(fd, out + len, cap - 1 - len);
        if (n > 0) len += (size_t)n;
        if (n < 0 && errno == EINTR) n = 1;
    }
    close(fd);
    out[len] = 0;
    return n >= 0;
}

/* ---- locks: of open files, so that they end with whoever held them ---- */

enum sbx_status sbx_local_lock(const struct local *l, const char *path, const struct sbx_call *call, int *fd) {
    enum sbx_status st = SBX_OK;
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0) return errno == ENOENT || errno == ENOTDIR ? SBX_NOT_FOUND : SBX_PROVIDER;
    while (!st && flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) st = SBX_PROVIDER;
        if (!st) st = sbx_call_check(call, l->env);
        if (!st) (void)poll(NULL, 0, WAIT_MS); /* who has it is a real process */
    }
    if (!st) return SBX_OK;
    close(*fd);
    *fd = -1;
    return st;
}

void sbx_local_unlock(int fd) {
    if (fd >= 0) close(fd);
}

enum sbx_status sbx_local_lock_root(const struct local *l, const struct sbx_call *call, int *fd,
                                    struct sbx_error *err) {
    char path[LOCAL_PATH_SIZE];
    int n = snprintf(path, sizeof(path), "%s/.lock", l->root);
    enum sbx_status st = n > 0 && n < (int)sizeof(path) ? sbx_local_lock(l, path, call, fd) : SBX_INVALID_ARGUMENT;
    return st ? sbx_fail(err, st == SBX_NOT_FOUND ? SBX_PROVIDER : st, SBX_OUTCOME_NOT_SENT,
                         "root: it cannot be locked")
              : SBX_OK;
}

/* ---- removal: a directory that its owner may not enter is opened up first ---- */

static int open_up(const char *path, const struct stat *is, int type, struct FTW *at) {
    (void)is, (void)at;
    if (type == FTW_D || type == FTW_DNR) (void)!chmod(path, 0700);
    return 0;
}

static int remove_one(const char *path, const struct stat *is, int type, struct FTW *at) {
    (void)is, (void)type, (void)at;
    (void)!remove(path);
    return 0;
}

int sbx_local_remove(const char *path) {
    (void)nftw(path, open_up, FDS_MAX, FTW_PHYS);
    (void)nftw(path, remove_one, FDS_MAX, FTW_DEPTH | FTW_PHYS);
    return access(path, F_OK) != 0 && errno == ENOENT;
}
