/* Paths of a sandbox from outside: walked from its own root, so that no link in it leads to the host's files. */
#include "sim/machine/host/box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_PATH_BYTES 4096
#define OPEN_TRIES      64 /* a walk that something was renamed under is to be done again */

/* Absolute, from the sandbox's root. Without isolation programs say the host's path of the same file. */
static int open_path(const struct host_box *box, const char *path, char *out) {
    char full[OPEN_PATH_BYTES];
    const size_t folder = strlen(box->folder);
    const int n = path[0] == '/' ? snprintf(full, sizeof(full), "%s", path)
                                 : snprintf(full, sizeof(full), "%s/%s", box->home, path);
    if (n < 0 || n >= (int)sizeof(full)) return ENAMETOOLONG;
    const int below = !box->host->bwrap && strncmp(full, box->folder, folder) == 0 &&
                      strncmp(full + folder, "/root", 5) == 0 && (full[folder + 5] == '/' || !full[folder + 5]);
    const char *at = below ? full + folder + 5 : full;
    memcpy(out, at, strlen(at) + 1);
    if (!*at) memcpy(out, "/", 2);
    return 0;
}

static int open_walk(int root, const char *path, int flags, uint32_t mode) {
    struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT};
    long fd = -1;
    if (flags & O_CREAT) how.mode = mode;
    for (int tries = 0; fd < 0 && tries < OPEN_TRIES; tries++) {
        fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
        if (fd < 0 && errno != EAGAIN && errno != EINTR) break;
    }
    return fd < 0 ? -errno : (int)fd;
}

sim_errno sim_host_own(const struct host_box *box, int dir, const char *name) {
    const uid_t uid = (uid_t)box->host->uid;
    if (uid == geteuid()) return 0;
    return fchownat(dir, name, uid, (gid_t)uid, AT_SYMLINK_NOFOLLOW) ? errno : 0;
}

int sim_host_openat(struct host_box *box, const char *path, int flags, uint32_t mode) {
    char full[OPEN_PATH_BYTES];
    const int failed = *path ? open_path(box, path, full) : ENOENT, down = failed ? failed : sim_host_up(box);
    if (down) return -down;
    const mode_t was = umask(0);
    const int fd = open_walk(box->root, full, flags, mode);
    umask(was);
    struct stat st;
    const uid_t uid = (uid_t)box->host->uid;
    if (fd >= 0 && flags & O_CREAT && uid != geteuid() && fstat(fd, &st) == 0 && st.st_uid == geteuid())
        (void)!fchown(fd, uid, (gid_t)uid);
    return fd;
}

/* What stands at the top of a sandbox is the system's: nobody takes it away from outside. */
static int parent_is_root(const struct host_box *box, int dir) {
    struct stat top, st;
    return fstat(box->root, &top) == 0 && fstat(dir, &st) == 0 && top.st_dev == st.st_dev && top.st_ino == st.st_ino;
}

int sim_host_parent(struct host_box *box, const char *path, char *name) {
    char full[OPEN_PATH_BYTES];
    const int failed = *path ? open_path(box, path, full) : ENOENT, down = failed ? failed : sim_host_up(box);
    if (down) return -down;
    size_t len = strlen(full);
    while (len > 0 && full[len - 1] == '/') full[--len] = 0;
    char *slash = strrchr(full, '/');
    if (!slash) return -EBUSY; /* the root itself */
    if (strlen(slash + 1) >= SIM_HOST_NAME) return -ENAMETOOLONG;
    if (strcmp(slash + 1, ".") == 0 || strcmp(slash + 1, "..") == 0) return -EINVAL;
    snprintf(name, SIM_HOST_NAME, "%s", slash + 1);
    slash[1] = 0;
    const int dir = open_walk(box->root, full, O_PATH | O_DIRECTORY, 0);
    if (dir < 0 || !parent_is_root(box, dir)) return dir;
    close(dir);
    return -EACCES;
}
