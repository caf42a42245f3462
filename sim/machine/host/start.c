/* The scratch tree of a machine, and bubblewrap over it. The sandbox's root is one folder of the host, writable; the
 * system's folders are laid over it, read-only. What is laid somewhere is laid where no program of the sandbox could
 * have put a link: at the top, where it is in place whenever a program runs, or below an `etc` that none can write. */
#include "sim/machine/host/box.h"
#include "sim/machine/host/inside.h"
#include "sim/machine/host/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sandport/kit/buf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_INSIDE "/etc/sandport-inside"
#define START_WORDS  160

/* Read-only, as they are on the host: a folder, or the link that it is. */
static const char *const start_system[] = {"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                           "/lib64", "/libx32", "/nix",  NULL};
/* What programs look up below /etc, none of it anybody's secret. */
static const char *const start_etc[] = {"/etc/alternatives", "/etc/ca-certificates",
                                        "/etc/ssl/certs",    "/etc/ssl/openssl.cnf",
                                        "/etc/ld.so.cache",  "/etc/ld.so.conf",
                                        "/etc/ld.so.conf.d", "/etc/mime.types",
                                        "/etc/python3",      "/etc/python3.11",
                                        "/etc/npmrc",        "/etc/services",
                                        "/etc/protocols",    NULL};

/* ---- the tree ---- */

static int tree_folder(int dir, const char *path, mode_t mode) {
    char part[4096];
    for (const char *at = path + strspn(path, "/"); *at;) {
        const size_t end = (size_t)(at - path) + strcspn(at, "/");
        if (snprintf(part, sizeof(part), "%.*s", (int)end, path) >= (int)sizeof(part)) return ENAMETOOLONG;
        if (mkdirat(dir, part + strspn(part, "/"), mode) && errno != EEXIST) return errno;
        at = path + end + strspn(path + end, "/");
    }
    return 0;
}

static int tree_file(int dir, const char *path, const char *text) {
    const int fd = openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    const size_t len = strlen(text);
    if (fd < 0) return errno;
    const ssize_t n = len ? write(fd, text, len) : 0;
    close(fd);
    return n == (ssize_t)len ? 0 : ENOSPC;
}

/* The place for one of the system's folders. */
static int tree_system(int root, const char *path) {
    char target[4096];
    struct stat st;
    if (lstat(path, &st)) return 0;
    if (!S_ISLNK(st.st_mode)) return tree_folder(root, path, 0755);
    const ssize_t n = readlink(path, target, sizeof(target) - 1);
    if (n < 0) return errno;
    target[n] = 0;
    return symlinkat(target, root, path + 1) && errno != EEXIST ? errno : 0;
}

/* The place for something below /etc: a folder or an empty file. */
static int tree_etc_place(int etc, const char *path) {
    const char *name = path + strlen("/etc/"), *slash = strrchr(name, '/');
    char above[256];
    struct stat st;
    int failed = 0;
    if (stat(path, &st)) return 0;
    if (S_ISDIR(st.st_mode)) return tree_folder(etc, name, 0755);
    if (slash) {
        snprintf(above, sizeof(above), "%.*s", (int)(slash - name), name);
        failed = tree_folder(etc, above, 0755);
    }
    return failed ? failed : tree_file(etc, name, "");
}

static int tree_etc(const struct host_box *box, int etc, const char *home) {
    struct sbx_buf text = SBX_BUF_INIT;
    const long long uid = (long long)box->uid;
    int failed = 0;
    for (size_t i = 0; start_etc[i] && !failed; i++) failed = tree_etc_place(etc, start_etc[i]);
    sbx_buf_printf(&text, "root:x:0:0:root:/root:/bin/bash\n%s:x:%lld:%lld::%s:/bin/bash\n", box->user, uid, uid, home);
    sbx_buf_text_append(&text, "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n");
    if (!failed) failed = tree_file(etc, "passwd", sbx_buf_text(&text));
    sbx_buf_finish(&text);
    text = (struct sbx_buf)SBX_BUF_INIT;
    sbx_buf_printf(&text, "root:x:0:\n%s:x:%lld:\nnogroup:x:65534:\n", box->user, uid);
    if (!failed) failed = tree_file(etc, "group", sbx_buf_text(&text));
    sbx_buf_finish(&text);
    text = (struct sbx_buf)SBX_BUF_INIT;
    sbx_buf_printf(&text, "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 %s\n", box->hostname);
    if (!failed) failed = tree_file(etc, "hosts", sbx_buf_text(&text));
    sbx_buf_finish(&text);
    text = (struct sbx_buf)SBX_BUF_INIT;
    sbx_buf_printf(&text, "%s\n", box->hostname);
    if (!failed) failed = tree_file(etc, "hostname", sbx_buf_text(&text));
    sbx_buf_finish(&text);
    if (!failed) failed = tree_file(etc, "nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
    if (!failed) failed = tree_file(etc, "resolv.conf", "");
    if (!failed) failed = tree_file(etc, "profile", "");
    return failed ? failed : tree_file(etc, strrchr(START_INSIDE, '/') + 1, "");
}

/* All that has been made belongs to the sandbox's user: folders only, and not those of the system. */
static int tree_own(const struct host_box *box, int folder) {
    static const char *const names[] = {"root",         "etc",       "root/tmp", "root/var",
                                        "root/var/tmp", "root/root", "root/run", NULL};
    int failed = 0;
    for (size_t i = 0; names[i] && !failed; i++) failed = sim_host_own(box, folder, names[i]);
    return failed;
}

static int tree_own_home(const struct host_box *box, int root, const char *home) {
    char part[4096];
    int failed = 0;
    for (const char *at = home + 1; !failed && *at;) {
        const size_t end = (size_t)(at - home) + strcspn(at, "/");
        snprintf(part, sizeof(part), "%.*s", (int)end, home);
        failed = sim_host_own(box, root, part + 1);
        at = home + end + strspn(home + end, "/");
    }
    return failed;
}

static int tree_root(const struct host_box *box, int root, const char *home) {
    static const char *const folders[] = {"/etc", "/proc", "/dev", "/run", "/root", "/tmp", "/var/tmp", NULL};
    int failed = 0;
    for (size_t i = 0; folders[i] && !failed; i++) failed = tree_folder(root, folders[i], 0755);
    for (size_t i = 0; start_system[i] && !failed && box->host->bwrap; i++) failed = tree_system(root, start_system[i]);
    if (!failed) failed = tree_folder(root, home, 0755);
    if (!failed && (fchmodat(root, "tmp", 01777, 0) || fchmodat(root, "var/tmp", 01777, 0))) failed = errno;
    return failed;
}

sim_errno sim_host_tree_make(struct host_box *box, const char *home) {
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int failed = mkdir(box->folder, 0700) ? errno : 0;
    const int folder = failed ? -1 : openat(AT_FDCWD, box->folder, flags);
    if (!failed && (folder < 0 || mkdirat(folder, "root", 0755) || mkdirat(folder, "etc", 0755))) failed = errno;
    const int root = failed ? -1 : openat(folder, "root", flags), etc = failed ? -1 : openat(folder, "etc", flags);
    if (!failed && (root < 0 || etc < 0)) failed = errno;
    if (!failed) failed = tree_root(box, root, home);
    if (!failed && box->host->bwrap) failed = tree_etc(box, etc, home);
    if (!failed) failed = tree_own(box, folder);
    if (!failed) failed = tree_own_home(box, root, home);
    if (!failed) failed = sim_host_own(box, AT_FDCWD, box->folder);
    sim_host_fd_close(etc);
    sim_host_fd_close(root);
    sim_host_fd_close(folder);
    return failed;
}

/* ---- starting ---- */

struct start_line {
    const char *word[START_WORDS];
    size_t n;
    char uid[24], own[24], root[4096], etc[4096], program[4096];
};

static void line_add(struct start_line *line, const char *a, const char *b, const char *c) {
    const char *const words[] = {a, b, c};
    for (size_t i = 0; i < 3 && words[i] && line->n < START_WORDS - 1; i++) line->word[line->n++] = words[i];
}

static int line_is_folder(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void line_make(struct start_line *line, const struct host_box *box) {
    const struct sim_host *host = box->host;
    snprintf(line->uid, sizeof(line->uid), "%lld", (long long)box->uid);
    snprintf(line->root, sizeof(line->root), "%s/root", box->folder);
    snprintf(line->etc, sizeof(line->etc), "%s/etc", box->folder);
    snprintf(line->program, sizeof(line->program), "%s/inside", host->folder);
    snprintf(line->own, sizeof(line->own), "%lld", (long long)host->uid);
    if (host->uid != geteuid()) line_add(line, host->program, HOST_DROP_WORD, line->own);
    line_add(line, host->bwrap, "--unshare-all", box->no_network ? NULL : "--share-net");
    line_add(line, "--uid", line->uid, NULL);
    line_add(line, "--gid", line->uid, NULL);
    line_add(line, "--hostname", box->hostname, NULL);
    line_add(line, "--die-with-parent", "--new-session", "--as-pid-1");
    line_add(line, "--bind", line->root, "/");
    for (size_t i = 0; start_system[i]; i++)
        if (line_is_folder(start_system[i])) line_add(line, "--ro-bind", start_system[i], start_system[i]);
    line_add(line, "--ro-bind", line->etc, "/etc");
    for (size_t i = 0; start_etc[i]; i++) line_add(line, "--ro-bind-try", start_etc[i], start_etc[i]);
    if (!box->no_network) line_add(line, "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf");
    line_add(line, "--ro-bind", line->program, START_INSIDE);
    line_add(line, "--proc", "/proc", NULL);
    line_add(line, "--dev", "/dev", NULL);
    line_add(line, "--chdir", "/", "--");
    line_add(line, START_INSIDE, HOST_INSIDE_WORD, NULL);
}

/* @param input, output descriptors for it, -1 = none, and the socket (-1 = none) */
static int start_process(const char *const *argv, int output, int errors, int socket, pid_t *pid) {
    char *const env[] = {(char[]){"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
                         (char[]){"LANG=C.UTF-8"}, NULL};
    const int fds[] = {-1, output, errors, socket};
    /* In a group of its own: a terminal's signals are for the server, which ends this by itself. */
    return sim_host_launch(argv[0], (char *const *)(uintptr_t)argv, env, 0, fds, socket < 0 ? 3 : 4, pid);
}

_Static_assert(HOST_SOCKET == 3, "the socket is behind the standard descriptors");

/* A file of a sandbox can be as large as its disk. A limit that a child has is its parent's when it starts. */
static void start_limit(const struct host_box *box, struct rlimit *before) {
    struct rlimit now;
    if (getrlimit(RLIMIT_FSIZE, before)) return;
    now = *before;
    if ((rlim_t)box->disk_bytes < now.rlim_max) now.rlim_cur = (rlim_t)box->disk_bytes;
    setrlimit(RLIMIT_FSIZE, &now);
}

sim_errno sim_host_spawn(struct host_box *box) {
    const char *const plain[] = {box->host->program, HOST_PLAIN_WORD, NULL};
    struct start_line line = {.n = 0};
    struct rlimit before;
    int ends[2];
    pid_t pid = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return errno;
    line_make(&line, box);
    start_limit(box, &before);
    const int failed = start_process(box->host->bwrap ? line.word : plain, 2, 2, ends[1], &pid);
    setrlimit(RLIMIT_FSIZE, &before);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return failed;
    }
    box->socket = ends[0];
    box->pid = (int32_t)pid;
    box->process = (int)syscall(SYS_pidfd_open, pid, 0);
    return 0;
}

int sim_host_try(const struct sim_host *host, char *why, size_t why_cap) {
    struct start_line line = {.n = 0};
    snprintf(line.own, sizeof(line.own), "%lld", (long long)host->uid);
    if (host->uid != geteuid()) line_add(&line, host->program, HOST_DROP_WORD, line.own);
    line_add(&line, host->bwrap, "--unshare-all", "--die-with-parent");
    line_add(&line, "--uid", "1000", NULL);
    line_add(&line, "--gid", "1000", NULL);
    line_add(&line, "--hostname", "try", "--as-pid-1");
    line_add(&line, "--ro-bind", "/", "/");
    line_add(&line, "--bind", host->folder, "/tmp");
    line_add(&line, "--proc", "/proc", NULL);
    line_add(&line, "--dev", "/dev", "--");
    line_add(&line, "/usr/bin/env", "true", NULL);
    int ends[2], status = -1;
    pid_t pid = 0;
    size_t len = 0;
    if (pipe2(ends, O_CLOEXEC)) {
        snprintf(why, why_cap, "%s", strerrordesc_np(errno));
        return 0;
    }
    const int failed = start_process(line.word, ends[1], ends[1], -1, &pid);
    close(ends[1]);
    if (failed) {
        snprintf(why, why_cap, "%s", strerrordesc_np(failed));
    } else {
        for (ssize_t n = 1; n > 0 && len + 1 < why_cap; len += n > 0 ? (size_t)n : 0)
            n = read(ends[0], why + len, why_cap - 1 - len);
        why[len] = 0;
        why[strcspn(why, "\n")] = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    }
    close(ends[0]);
    return !failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
