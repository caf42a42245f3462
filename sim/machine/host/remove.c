/* Taking trees away. A directory in the one that is emptied is moved up first, so that neither descriptors nor stack
 * grow with the depth; links are taken away, never followed. */
#include "sim/machine/host/box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct removal {
    int top;
    uint64_t moved;
    int again; /* something was moved up, or a directory became empty */
};

static int remove_open(int dir, const char *name) {
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* What the owner has taken rights away from is opened up, by a descriptor: never by a name that might be a link now. */
static void remove_unlock(int dir, const char *name) {
    char path[64];
    const int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)!chmod(path, 0700);
    close(fd);
}

static int remove_move_up(struct removal *r, int dir, const char *name) {
    char fresh[48];
    for (int tries = 0; tries < 1000; tries++) {
        snprintf(fresh, sizeof(fresh), ".sandport-removed-%llu", (unsigned long long)r->moved++);
        if (renameat2(dir, name, r->top, fresh, RENAME_NOREPLACE) == 0) {
            r->again = 1;
            return 0;
        }
        if (errno != EEXIST) return errno;
    }
    return EEXIST;
}

static int remove_is_dot(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Everything of one directory that is not the top; its directories go up. */
static int remove_level(struct removal *r, int dir) {
    DIR *list = fdopendir(dir);
    if (!list) {
        close(dir);
        return ENOMEM;
    }
    int failed = 0;
    for (const struct dirent *entry; !failed && (entry = readdir(list)) != NULL;) {
        if (remove_is_dot(entry->d_name)) continue;
        if (unlinkat(dirfd(list), entry->d_name, 0) == 0 || errno == ENOENT) continue;
        if (errno != EISDIR && errno != EPERM) {
            failed = errno;
            continue;
        }
        if (unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR) == 0) continue;
        remove_unlock(dirfd(list), entry->d_name);
        failed = remove_move_up(r, dirfd(list), entry->d_name);
    }
    closedir(list);
    return failed;
}

static int remove_one(struct removal *r, const char *name) {
    if (unlinkat(r->top, name, 0) == 0 || errno == ENOENT) return 0;
    if (errno != EISDIR && errno != EPERM) return errno;
    if (unlinkat(r->top, name, AT_REMOVEDIR) == 0) return 0;
    remove_unlock(r->top, name);
    const int dir = remove_open(r->top, name);
    int failed = dir < 0 ? errno : remove_level(r, dir);
    if (!failed && unlinkat(r->top, name, AT_REMOVEDIR) && errno != ENOENT) {
        failed = errno == ENOTEMPTY || errno == EEXIST ? 0 : errno;
        r->again = 1;
    }
    return failed;
}

sim_errno sim_host_empty(int top) {
    struct removal r = {.top = top, .again = 1};
    int failed = 0;
    while (r.again && !failed) {
        const int fd = remove_open(top, ".");
        DIR *list = fd < 0 ? NULL : fdopendir(fd);
        if (!list) {
            failed = errno;
            sim_host_fd_close(fd);
            break;
        }
        r.again = 0;
        for (const struct dirent *entry; !failed && (entry = readdir(list)) != NULL;)
            if (!remove_is_dot(entry->d_name)) failed = remove_one(&r, entry->d_name);
        closedir(list);
    }
    return failed;
}
