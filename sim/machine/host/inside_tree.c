/* Who belongs together inside of a sandbox, from /proc. */
#include "sim/machine/host/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TREE_ROUNDS 100 /* whoever is being killed may have had a child meanwhile */

struct tree_process {
    pid_t pid, parent, group, session;
    int dead, meant;
};

struct tree {
    struct tree_process *list;
    size_t count, cap;
};

/* "12 (name) S 1 12 12 ...": the name may have anything in it, so the last parenthesis counts. */
static int tree_read(const char *pid, struct tree_process *out) {
    char path[64], text[512], state = 0;
    int parent = 0, group = 0, session = 0;
    snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    const int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) return 0;
    text[n] = 0;
    const char *behind = strrchr(text, ')');
    if (!behind || sscanf(behind + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4) return 0;
    *out = (struct tree_process){.pid = (pid_t)strtol(pid, NULL, 10),
                                 .parent = parent,
                                 .group = group,
                                 .session = session,
                                 .dead = state == 'Z' || state == 'X'};
    return 1;
}

static int tree_load(struct tree *tree) {
    DIR *proc = opendir("/proc");
    if (!proc) return errno;
    int failed = 0;
    for (const struct dirent *entry; !failed && (entry = readdir(proc)) != NULL;) {
        if (entry->d_name[strspn(entry->d_name, "0123456789")]) continue;
        if (tree->count == tree->cap) {
            const size_t cap = tree->cap ? tree->cap * 2 : 64;
            void *more = realloc(tree->list, cap * sizeof(*tree->list));
            if (!more) {
                failed = ENOMEM;
                break;
            }
            tree->list = more;
            tree->cap = cap;
        }
        tree->count += (size_t)tree_read(entry->d_name, &tree->list[tree->count]);
    }
    closedir(proc);
    return failed;
}

static int tree_has(const struct tree *tree, pid_t pid) {
    for (size_t i = 0; i < tree->count; i++)
        if (tree->list[i].pid == pid) return tree->list[i].meant;
    return 0;
}

/* Orphans come to this process: without a root it is all who descend from it. */
static int tree_is_meant(const struct tree *tree, const struct tree_process *p, pid_t root) {
    if (p->pid == getpid()) return 0;
    if (tree_has(tree, p->parent)) return 1;
    return root ? p->pid == root || p->group == root || p->session == root : p->parent == getpid();
}

static void tree_mark(struct tree *tree, pid_t root) {
    for (int more = 1; more;) {
        more = 0;
        for (size_t i = 0; i < tree->count; i++) {
            struct tree_process *p = &tree->list[i];
            if (p->meant || !tree_is_meant(tree, p, root)) continue;
            p->meant = more = 1;
        }
    }
}

int32_t sim_inside_tree(pid_t root, int signal) {
    struct tree tree = {0};
    int32_t living = 0;
    const int failed = tree_load(&tree);
    if (!failed) tree_mark(&tree, root);
    for (size_t i = 0; i < tree.count && !failed; i++) {
        if (!tree.list[i].meant || tree.list[i].dead) continue;
        living++;
        if (signal) kill(tree.list[i].pid, signal);
    }
    free(tree.list);
    return failed ? -failed : living;
}

void sim_inside_end(void) {
    for (int round = 0; round < TREE_ROUNDS && sim_inside_tree(0, SIGKILL) > 0; round++)
        while (waitpid(-1, NULL, 0) > 0) continue;
}
