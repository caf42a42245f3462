/* The file tree that every machine starts with. */
#include "sim/kit/sim.h"
#include "sim/machine/inside.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
    struct sim_machine *m;
    int error;
};

/* A node at an absolute path whose directory is there; lent. */
static struct sim_fs_node *image_put(struct image *im, const char *path, char type, uint32_t mode, int64_t uid) {
    if (im->error) return NULL;
    struct sim_fs *fs = &im->m->fs;
    const char *name = strrchr(path, '/') + 1;
    struct sim_fs_node *dir = fs->root, *node = NULL;
    for (const char *at = path + 1; at < name;) {
        char part[SIM_NAME_MAX + 1];
        size_t len = strcspn(at, "/");
        memcpy(part, at, len);
        part[len] = '\0';
        dir = dir ? sim_fs_find(dir, part) : NULL;
        at += len + 1;
    }
    if (!dir) im->error = ENOENT;
    if (!im->error) node = sim_fs_node(fs, type, mode, uid, uid);
    if (!im->error && !node) im->error = ENOMEM;
    if (!im->error) im->error = sim_fs_link(dir, name, node);
    sim_fs_release(node);
    return im->error ? NULL : node;
}

static void image_dir(struct image *im, const char *path, uint32_t mode, int64_t uid) {
    image_put(im, path, 'd', mode, uid);
}

static void image_file(struct image *im, const char *path, uint32_t mode, const char *text) {
    struct sim_fs_node *node = image_put(im, path, 'f', mode, 0);
    if (node) sim_fs_write(node, 0, text, strlen(text), &im->error);
}

static void image_link(struct image *im, const char *path, const char *target) {
    struct sim_fs_node *node = image_put(im, path, 'l', 0777, 0);
    if (node) im->error = sim_fs_set_target(node, target);
}

static void image_device(struct image *im, const char *path, enum sim_device device) {
    struct sim_fs_node *node = image_put(im, path, 'c', 0666, 0);
    if (node) node->device = device;
}

static void image_program(struct image *im, const char *dir, const char *name) {
    char path[64], text[96];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    snprintf(text, sizeof text, "%s%s\n", SIM_TOOL_MAGIC, name);
    image_file(im, path, 0755, text);
}

/* A played program that the image has not is there all the same; its name ends where the pattern has a space. */
static void image_played(struct image *im, const char *pattern) {
    char name[32];
    const size_t len = pattern ? strcspn(pattern, " ") : 0;
    if (im->error || len == 0 || len >= sizeof name) return;
    snprintf(name, sizeof name, "%.*s", (int)len, pattern);
    char *star = strchr(name, '*');
    if (star && !star[1]) *star = '\0';
    if (!*name || strpbrk(name, "/*?\\")) return;
    struct sim_fs_node *bin = sim_fs_find(sim_fs_find(im->m->fs.root, "usr"), "bin");
    if (!sim_fs_find(bin, name)) image_program(im, "/usr/bin", name);
}

/* Programs that a real image has and nobody simulates: running one says so. */
static const char *const image_absent[] = {
    "apt",     "apt-get", "awk",  "bzip2", "cargo",  "chown",   "curl",  "diff",  "docker",  "dpkg",   "expand",
    "expr",    "file",    "fmt",  "fold",  "free",   "gcc",     "git",   "go",    "gunzip",  "gzip",   "htop",
    "install", "ip",      "java", "join",  "jq",     "less",    "ln",    "lsof",  "make",    "md5sum", "more",
    "mount",   "nano",    "nl",   "node",  "npm",    "npx",     "paste", "patch", "perl",    "pgrep",  "pip",
    "pip3",    "pkill",   "pr",   "ps",    "python", "python3", "ruby",  "rustc", "sha1sum", "shuf",   "split",
    "ssh",     "strace",  "stty", "su",    "sudo",   "tar",     "top",   "tput",  "ts-node", "tsc",    "tty",
    "unzip",   "vi",      "vim",  "wget",  "xz",     "yarn",    "zip",   NULL};

static int image_by_name(const void *a, const void *b) {
    const struct sim_fs_stock *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* All names of programs, or only how many. */
static size_t image_names(const char **names) {
    size_t n = 0;
    for (size_t g = 0; sim_tool_groups[g]; g++)
        for (const struct sim_tool *tool = sim_tool_groups[g]; tool->name; tool++, n++)
            if (names) names[n] = tool->name;
    for (size_t i = 0; image_absent[i]; i++) {
        if (sim_tool_find(image_absent[i])) continue;
        if (names) names[n] = image_absent[i];
        n++;
    }
    return n;
}

#define IMAGE_PROGRAM_BYTES 64 /* of a file: what the tree would have given it */

int sim_image_programs(struct sim_shelf *shelf) {
    size_t n = image_names(NULL), name_bytes = 0;
    const char **names = malloc(n * sizeof *names);
    if (!names) return ENOMEM;
    image_names(names);
    for (size_t i = 0; i < n; i++) name_bytes += strlen(names[i]) + 1;
    shelf->programs = calloc(1, n * (sizeof *shelf->programs + IMAGE_PROGRAM_BYTES) + name_bytes);
    if (shelf->programs) {
        char *text = (char *)(shelf->programs + n), *name = text + n * IMAGE_PROGRAM_BYTES;
        for (size_t i = 0; i < n; i++, text += IMAGE_PROGRAM_BYTES) {
            size_t size = strlen(names[i]) + 1;
            int len = snprintf(text, IMAGE_PROGRAM_BYTES, "%s%s\n", SIM_TOOL_MAGIC, names[i]);
            shelf->programs[i] = (struct sim_fs_stock){memcpy(name, names[i], size), len, {text, IMAGE_PROGRAM_BYTES}};
            name += size;
        }
        qsort(shelf->programs, n, sizeof *shelf->programs, image_by_name);
        shelf->program_count = n;
    }
    free(names);
    return shelf->programs ? 0 : ENOMEM;
}

int sim_image_make(struct sim_machine *m) {
    struct image im = {.m = m};
    static const char *const dirs[] = {"/dev",
                                       "/etc",
                                       "/home",
                                       "/media",
                                       "/mnt",
                                       "/opt",
                                       "/proc",
                                       "/run",
                                       "/srv",
                                       "/sys",
                                       "/usr",
                                       "/usr/bin",
                                       "/usr/sbin",
                                       "/usr/lib",
                                       "/usr/local",
                                       "/usr/local/bin",
                                       "/usr/local/sbin",
                                       "/usr/share",
                                       "/var",
                                       "/var/log",
                                       "/dev/shm"};
    char text[512];

    for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) image_dir(&im, dirs[i], 0755, 0);
    if (!im.error) sim_fs_find(m->fs.root, "proc")->is_proc = 1;
    image_dir(&im, "/root", 0700, 0);
    image_dir(&im, "/tmp", 01777, 0);
    image_dir(&im, "/var/tmp", 01777, 0);
    image_link(&im, "/bin", "usr/bin");
    image_link(&im, "/sbin", "usr/sbin");
    image_link(&im, "/lib", "usr/lib");
    image_device(&im, "/dev/null", SIM_DEVICE_NULL);
    image_device(&im, "/dev/zero", SIM_DEVICE_ZERO);
    image_device(&im, "/dev/full", SIM_DEVICE_FULL);
    image_device(&im, "/dev/random", SIM_DEVICE_RANDOM);
    image_device(&im, "/dev/urandom", SIM_DEVICE_RANDOM);
    image_device(&im, "/dev/tty", SIM_DEVICE_TTY);
    image_link(&im, "/dev/fd", "/proc/self/fd");
    image_link(&im, "/dev/stdin", "/proc/self/fd/0");
    image_link(&im, "/dev/stdout", "/proc/self/fd/1");
    image_link(&im, "/dev/stderr", "/proc/self/fd/2");
    snprintf(text, sizeof text, "root:x:0:0:root:/root:/bin/bash\n%s:x:%lld:%lld::%s:/bin/bash\n", m->user,
             (long long)m->uid, (long long)m->uid, m->home_path);
    image_file(&im, "/etc/passwd", 0644, text);
    snprintf(text, sizeof text, "root:x:0:\n%s:x:%lld:\n", m->user, (long long)m->uid);
    image_file(&im, "/etc/group", 0644, text);
    snprintf(text, sizeof text, "%s\n", m->hostname);
    image_file(&im, "/etc/hostname", 0644, text);
    image_file(&im, "/etc/shells", 0644, "# /etc/shells: valid login shells\n/bin/sh\n/bin/bash\n/usr/bin/bash\n");
    image_file(
        &im, "/etc/os-release", 0644,
        "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n");
    image_file(&im, "/etc/profile", 0644, "");
    if (!im.error)
        im.error = sim_fs_fill(sim_fs_find(sim_fs_find(m->fs.root, "usr"), "bin"), m->shelf->programs,
                               m->shelf->program_count, 0755);
    for (const struct sim_program *p = sim_programs_first(sim_programs(m->sim)); p; p = p->next)
        image_played(&im, p->run);
    for (const char *at = m->home_path + 1; !im.error; at += strcspn(at, "/") + 1) {
        size_t len = (size_t)(at - m->home_path) + strcspn(at, "/");
        snprintf(text, sizeof text, "%.*s", (int)len, m->home_path);
        struct sim_where where;
        im.error = sim_path(m, NULL, m->fs.root, text, 1, &where);
        int there = !im.error && where.node;
        if (!im.error) sim_where_finish(&where);
        if (!there) image_dir(&im, text, 0755, m->uid);
        if (!m->home_path[len]) break;
    }
    if (!im.error) {
        struct sim_where where;
        im.error = sim_path(m, NULL, m->fs.root, m->home_path, 1, &where);
        if (!im.error && where.node)
            m->home = sim_fs_hold(where.node);
        else if (!im.error)
            im.error = ENOENT;
        sim_where_finish(&where);
    }
    return im.error;
}
