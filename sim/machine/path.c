/* From a path to a node. */
#include "sim/machine/path.h"
#include "sim/machine/inside.h"
#include <errno.h>
#include <string.h>

#define PATH_LINKS_MAX 40

struct path_walk {
    struct sim_machine *m;
    struct sim_proc *who;
    int links;
};

int sim_may(const struct sim_machine *m, const struct sim_fs_node *node, unsigned want) {
    if (m->uid == 0) return !(want & 1) || node->type == 'd' || (node->mode & 0111);
    unsigned bits = node->mode;
    if (node->uid == m->uid)
        bits >>= 6;
    else if (node->gid == m->uid)
        bits >>= 3; /* the user's only group has the user's number */
    return (bits & want) == want;
}

void sim_where_finish(struct sim_where *where) {
    sim_fs_release(where->dir);
    sim_fs_release(where->node);
    where->dir = where->node = NULL;
}

/* A held child, made on the spot if it is procfs's. */
static int path_child(struct path_walk *walk, struct sim_fs_node *dir, const char *name, struct sim_fs_node **out) {
    if (dir->is_proc) return sim_procfs_find(walk->m, walk->who, name, out);
    *out = sim_fs_find(dir, name);
    if (*out) sim_fs_hold(*out);
    return 0;
}

static int path_walk(struct path_walk *walk, struct sim_fs_node *start, const char *path, int follow,
                     struct sim_where *out);

static int path_follow(struct path_walk *walk, struct sim_fs_node *dir, const char *target, struct sim_where *out) {
    if (++walk->links > PATH_LINKS_MAX) return ELOOP;
    return path_walk(walk, dir, target, 1, out);
}

/* One component that is neither . nor ..; takes over `out->node`, the directory it is in. */
static int path_step(struct path_walk *walk, int last, int follow, struct sim_where *out) {
    struct sim_fs_node *dir = out->node, *child = NULL;
    out->node = NULL;
    sim_fs_release(out->dir);
    out->dir = dir;
    int e = path_child(walk, dir, out->name, &child);
    if (e) return e;
    if (!child) return last ? 0 : ENOENT;
    if (child->type == 'l' && (!last || follow || out->slash)) {
        struct sim_where sub = {0};
        e = path_follow(walk, dir, child->target, &sub);
        sim_fs_release(child);
        if (e || (!sub.node && !last)) {
            sim_where_finish(&sub);
            return e ? e : ENOENT;
        }
        sim_fs_release(out->dir);
        int slash = out->slash;
        *out = sub;
        out->slash = slash;
        return 0;
    }
    out->node = child;
    return 0;
}

static int path_walk(struct path_walk *walk, struct sim_fs_node *start, const char *path, int follow,
                     struct sim_where *out) {
    if (!*path) return ENOENT;
    if (strlen(path) >= SIM_PATH_MAX) return ENAMETOOLONG;
    out->node = sim_fs_hold(*path == '/' ? walk->m->fs.root : start);
    int e = 0;
    while (!e) {
        while (*path == '/') path++;
        if (!*path) break;
        const char *rest = path, *next;
        while (*rest && *rest != '/') rest++;
        for (next = rest; *next == '/';) next++;
        size_t len = (size_t)(rest - path);
        int last = *next == '\0';
        out->slash = last && *rest == '/';
        if (!out->node || out->node->type != 'd')
            e = ENOTDIR;
        else if (!sim_may(walk->m, out->node, 1))
            e = EACCES;
        else if (len > SIM_NAME_MAX)
            e = ENAMETOOLONG;
        if (e) break;
        memcpy(out->name, path, len);
        out->name[len] = '\0';
        if (strcmp(out->name, ".") == 0 || strcmp(out->name, "..") == 0) {
            struct sim_fs_node *at = out->node;
            int up = out->name[1] == '.' && at->parent;
            out->node = sim_fs_hold(up ? at->parent : at);
            sim_fs_release(at);
            sim_fs_release(out->dir);
            out->dir = NULL;
            out->name[0] = '\0';
        } else {
            e = path_step(walk, last, follow, out);
        }
        path = rest;
    }
    if (!e && out->node && out->slash && out->node->type != 'd') e = ENOTDIR;
    if (e) sim_where_finish(out);
    return e;
}

int sim_path(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, int follow,
             struct sim_where *out) {
    struct path_walk walk = {.m = m, .who = who};
    memset(out, 0, sizeof *out);
    return path_walk(&walk, cwd, path, follow, out);
}

int sim_path_of(const struct sim_fs_node *dir, char *out, size_t cap) {
    char *at = out + cap;
    const struct sim_fs_node *root = dir->fs->root;
    if (cap < 2) return 0;
    *--at = '\0';
    while (dir != root) {
        const char *name = dir->parent ? dir->name : NULL;
        if (!name || strlen(name) + 1 > (size_t)(at - out)) return 0;
        size_t len = strlen(name);
        at -= len;
        memcpy(at, name, len);
        *--at = '/';
        dir = dir->parent;
    }
    if (!*at) *--at = '/';
    memmove(out, at, (size_t)(out + cap - at));
    return 1;
}
