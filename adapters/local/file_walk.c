/* Paths of a sandbox, walked by calls of this machine. Rows L1, D14.
 *
 * An isolated one's are walked from the root of its box by openat2, to which a link's target, an absolute one too, is
 * below that root: what the box cannot see is not there. Without isolation a path means what it means to this user. */
#include "adapters/local/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WALK_PATH_SIZE 8192
#define WALK_TRIES     64 /* a walk that something was renamed under is to be done again */

/* The box's first process may have ended, and its number be another's: looked at again once its root is open. */
static int root_open(const struct local_process *box) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%lld/root", (long long)box->pid);
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && sbx_local_process_alive(box)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

enum sbx_status sbx_local_walk_begin(const struct local *l, const struct sbx_identity *who, struct local_walk *walk,
                                     struct sbx_error *err) {
    walk->from = -1;
    enum sbx_status st = sbx_local_view_running(l, who->id, &walk->view, err);
    if (st) return st;
    walk->from =
        walk->view.isolated ? root_open(&walk->view.is.box) : open(walk->view.home, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (walk->from >= 0) return SBX_OK;
    if (walk->view.isolated && !sbx_local_process_alive(&walk->view.is.box))
        return sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_REFUSED, "the sandbox has stopped");
    return sbx_local_file_fail(errno, "the sandbox's files", err);
}

void sbx_local_walk_finish(struct local_walk *walk) {
    if (walk->from >= 0) close(walk->from);
    sbx_local_view_finish(&walk->view);
    walk->from = -1;
}

static int box_open(const struct local_walk *walk, const char *path, int flags) {
    struct open_how how = {.flags = (uint64_t)(unsigned)flags,
                           .resolve = RESOLVE_IN_ROOT}; /* guard: local_files_stay_in */
    char full[WALK_PATH_SIZE];
    long fd = -1;
    const int n = snprintf(full, sizeof(full), ".%s%s", *path == '/' ? "" : LOCAL_BOX_HOME "/", path);
    if (n < 0 || n >= (int)sizeof(full)) return -ENAMETOOLONG;
    for (int tries = 0; fd < 0 && tries < WALK_TRIES; tries++) {
        fd = syscall(SYS_openat2, walk->from, full, &how, sizeof(how));
        if (fd < 0 && errno != EAGAIN && errno != EINTR) break;
    }
    return fd < 0 ? -errno : (int)fd;
}

int sbx_local_walk_open(const struct local_walk *walk, const char *path, int flags) {
    if (walk->view.isolated) return box_open(walk, path, flags | O_CLOEXEC);
    const int fd = openat(walk->from, path, flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int sbx_local_walk_stat(const struct local_walk *walk, const char *path, struct stat *is) {
    const int fd = sbx_local_walk_open(walk, path, O_PATH);
    if (fd < 0) return -fd;
    const int failed = fstat(fd, is) ? errno : 0;
    close(fd);
    return failed;
}

/* ---- last names ---- */

/* Without slashes, and dots that mean the same place, at its end. */
static size_t path_length(const char *path) {
    size_t len = strlen(path);
    for (;;) {
        if (len > 0 && path[len - 1] == '/')
            len--;
        else if (len > 0 && path[len - 1] == '.' && (len == 1 || path[len - 2] == '/'))
            len--;
        else
            return len;
    }
}

const char *sbx_local_last_name(const char *path, size_t *len) {
    const size_t end = path_length(path);
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    *len = end - begin;
    return *len ? path + begin : NULL;
}

int sbx_local_walk_parent(const struct local_walk *walk, const char *path, char name[LOCAL_NAME_SIZE]) {
    char dir[WALK_PATH_SIZE];
    size_t len = 0;
    const char *last = sbx_local_last_name(path, &len);
    if (!last) return -EINVAL;
    const size_t before = (size_t)(last - path);
    if (len >= LOCAL_NAME_SIZE || before >= sizeof(dir)) return -ENAMETOOLONG;
    memcpy(name, last, len);
    name[len] = 0;
    memcpy(dir, path, before);
    dir[before] = 0;
    return sbx_local_walk_open(walk, before ? dir : ".", O_PATH | O_DIRECTORY);
}

/* ---- what an errno says ---- */

static enum sbx_status file_status(int error) {
    switch (error) {
    case ENOENT:
    case ELOOP: /* a link that leads nowhere */
        return SBX_FILE_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
        return SBX_FILE_DENIED;
    case EEXIST:
    case EINVAL:
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
        return SBX_INVALID_ARGUMENT;
    case ENOSPC:
    case EDQUOT:
        return SBX_NO_SPACE;
    case ENOMEM:
        return SBX_NO_MEMORY;
    case EMFILE:
    case ENFILE:
        return SBX_NO_CAPACITY;
    default:
        return SBX_PROVIDER;
    }
}

enum sbx_status sbx_local_file_fail(int error, const char *field, struct sbx_error *err) {
    return sbx_fail(err, file_status(error), SBX_OUTCOME_REFUSED, "%s: it is not what was expected, or cannot be used",
                    field);
}
