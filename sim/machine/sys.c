/* What can be done to the tree by path: once for the machine's user from outside, and as a call of a process. */
#include "sim/machine/inside.h"
#include <errno.h>
#include <string.h>

/* May a name be made in or taken from the directory? */
static int sys_may_change(const struct sim_machine *m, const struct sim_where *at, const struct sim_fs_node *node) {
    if (!at->dir->links && at->dir != m->fs.root) return ENOENT; /* a directory that has been removed */
    if (at->dir->is_proc) return EPERM;
    if (!sim_may(m, at->dir, 3)) return EACCES;
    if (node && (at->dir->mode & 01000) && m->uid != 0 && node->uid != m->uid && at->dir->uid != m->uid) return EPERM;
    return 0;
}

/* Gives a new node the name that a path ended in. */
static int sys_make(struct sim_machine *m, const struct sim_where *at, char type, uint32_t mode,
                    struct sim_fs_node **out) {
    int e = sys_may_change(m, at, NULL);
    if (e) return e;
    int64_t blocks = type == 'd';
    if (m->fs.blocks_used + blocks > m->fs.blocks_max) return ENOSPC;
    struct sim_fs_node *node = sim_fs_node(&m->fs, type, mode, m->uid, m->uid);
    if (!node) return ENOMEM;
    m->fs.blocks_used += blocks;
    node->blocks = blocks;
    e = sim_fs_link(at->dir, at->name, node);
    if (e || !out)
        sim_fs_release(node);
    else
        *out = node;
    return e;
}

int sim_do_open(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, int flags,
                uint32_t mode, struct sim_fs_node **out) {
    struct sim_where at;
    int follow = (flags & (SIM_O_CREATE | SIM_O_EXCLUSIVE)) != (SIM_O_CREATE | SIM_O_EXCLUSIVE);
    int e = sim_path(m, who, cwd, path, follow, &at);
    if (e) return e;
    struct sim_fs_node *node = at.node;
    unsigned want = (flags & SIM_O_READ ? 4U : 0U) | (flags & SIM_O_WRITE ? 2U : 0U);
    int made = 0;
    if (!node) {
        if (!(flags & SIM_O_CREATE))
            e = ENOENT;
        else if (at.slash)
            e = EISDIR;
        else
            e = sys_make(m, &at, 'f', mode & 07777, &at.node);
        made = !e;
        node = at.node;
    } else if ((flags & SIM_O_CREATE) && (flags & SIM_O_EXCLUSIVE)) {
        e = EEXIST;
    } else if (node->type == 'l') {
        e = ELOOP;
    } else if (node->type == 'd' && (flags & (SIM_O_WRITE | SIM_O_CREATE))) {
        e = EISDIR;
    }
    if (!e && !made) {
        if ((flags & SIM_O_DIRECTORY) && node->type != 'd')
            e = ENOTDIR;
        else if (!sim_may(m, node, want))
            e = EACCES;
        else if (node->type == 'c' && node->device == SIM_DEVICE_TTY)
            e = ENXIO;
        else if ((flags & SIM_O_TRUNCATE) && node->type == 'f')
            e = sim_fs_truncate(node, 0);
    }
    if (!e) *out = sim_fs_hold(node);
    sim_where_finish(&at);
    return e;
}

int sim_do_mkdir(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path,
                 uint32_t mode) {
    struct sim_where at;
    int e = sim_path(m, who, cwd, path, 0, &at);
    if (e) return e;
    if (at.node)
        e = EEXIST;
    else
        e = sys_make(m, &at, 'd', mode & 07777, NULL);
    sim_where_finish(&at);
    return e;
}

int sim_do_mkfifo(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path,
                  uint32_t mode) {
    struct sim_where at;
    int e = sim_path(m, who, cwd, path, 0, &at);
    if (e) return e;
    if (at.node)
        e = EEXIST;
    else if (at.slash)
        e = ENOENT;
    else
        e = sys_make(m, &at, 'p', mode & 07777, NULL);
    sim_where_finish(&at);
    return e;
}

/* Is it a link behind whose name there is a slash? */
static int sys_is_link(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path) {
    char plain[SIM_PATH_MAX];
    struct sim_where at;
    size_t len = strlen(path);
    if (len < 2 || len >= sizeof plain || path[len - 1] != '/') return 0;
    while (len > 1 && path[len - 1] == '/') len--;
    memcpy(plain, path, len);
    plain[len] = '\0';
    if (sim_path(m, who, cwd, plain, 0, &at)) return 0;
    int is_link = at.node && at.node->type == 'l';
    sim_where_finish(&at);
    return is_link;
}

int sim_do_rmdir(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path) {
    struct sim_where at;
    int e = sim_path(m, who, cwd, path, 0, &at);
    if (e) return e;
    if (!at.node)
        e = ENOENT;
    else if (at.node->type != 'd' || sys_is_link(m, who, cwd, path))
        e = ENOTDIR;
    else if (!at.dir)
        e = at.node == m->fs.root ? EBUSY : strcmp(path, ".") == 0 ? EINVAL : ENOTEMPTY;
    else if (at.node->entry_count)
        e = ENOTEMPTY;
    else
        e = sys_may_change(m, &at, at.node);
    if (!e) {
        m->fs.blocks_used -= at.node->blocks;
        at.node->blocks = 0;
        sim_fs_unlink(at.dir, at.name);
    }
    sim_where_finish(&at);
    return e;
}

int sim_do_unlink(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path) {
    struct sim_where at;
    int e = sim_path(m, who, cwd, path, 0, &at);
    if (e) return e;
    if (!at.node)
        e = ENOENT;
    else if (at.node->type == 'd')
        e = EISDIR;
    else
        e = sys_may_change(m, &at, at.node);
    if (!e) sim_fs_unlink(at.dir, at.name);
    sim_where_finish(&at);
    return e;
}

static int sys_may_replace(const struct sim_machine *m, const struct sim_where *from, const struct sim_where *to) {
    if (!from->node || (!to->node && !to->dir)) return ENOENT;
    if (!from->dir || !to->dir) return EBUSY;
    int from_dir = from->node->type == 'd';
    if (from_dir && sim_fs_contains(from->node, to->dir)) return EINVAL;
    int e = sys_may_change(m, from, from->node);
    if (!e) e = sys_may_change(m, to, to->node);
    if (e || from->node == to->node) return e;
    if (!to->node) return to->slash && !from_dir ? ENOTDIR : 0;
    if (to->node->type == 'd') return !from_dir ? EISDIR : to->node->entry_count ? ENOTEMPTY : 0;
    return from_dir ? ENOTDIR : 0;
}

int sim_do_rename(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *from,
                  const char *to) {
    struct sim_where a, b = {0};
    int e = sim_path(m, who, cwd, from, 0, &a);
    if (e) return e;
    e = sim_path(m, who, cwd, to, 0, &b);
    if (!e) e = sys_may_replace(m, &a, &b);
    if (!e && b.node && b.node != a.node && b.node->type == 'd') {
        m->fs.blocks_used -= b.node->blocks;
        b.node->blocks = 0;
    }
    if (!e) e = sim_fs_move(a.dir, a.name, b.dir, b.name);
    sim_where_finish(&a);
    sim_where_finish(&b);
    return e;
}

static int sys_owned(const struct sim_machine *m, const struct sim_fs_node *node) {
    return m->uid == 0 || node->uid == m->uid;
}

int sim_do_chmod(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path,
                 uint32_t mode) {
    struct sim_where at;
    int e = sim_path(m, who, cwd, path, 1, &at);
    if (e) return e;
    if (!at.node)
        e = ENOENT;
    else if (!sys_owned(m, at.node))
        e = EPERM;
    if (!e) {
        at.node->mode = mode & 07777;
        at.node->ctime_ns = sim_machine_wall_ns(m);
    }
    sim_where_finish(&at);
    return e;
}

/* The user's only group has the user's number; only root gives files away. */
static int sys_chown(struct sim_machine *m, struct sim_fs_node *node, int64_t uid, int64_t gid) {
    int gives = uid >= 0 && uid != node->uid, joins = gid >= 0 && gid != node->gid;
    if (m->uid != 0 && (!sys_owned(m, node) || gives || (joins && gid != m->uid))) return EPERM;
    if (uid >= 0) node->uid = uid;
    if (gid >= 0) node->gid = gid;
    if (node->type == 'f' && m->uid != 0) node->mode &= ~(uint32_t)06000;
    node->ctime_ns = sim_machine_wall_ns(m);
    return 0;
}

int sim_do_chown(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, int64_t uid,
                 int64_t gid) {
    struct sim_where at;
    int e = sim_path(m, who, cwd, path, 1, &at);
    if (e) return e;
    e = at.node ? sys_chown(m, at.node, uid, gid) : ENOENT;
    sim_where_finish(&at);
    return e;
}

int sim_sys_chown(struct sim_proc *p, const char *path, int follow, int64_t uid, int64_t gid) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, follow, &at);
    if (e) return e;
    e = -sys_chown(p->m, at.node, uid, gid);
    sim_where_finish(&at);
    return e;
}

int sim_sys_stat(struct sim_proc *p, const char *path, int follow, struct sim_where *out) {
    sim_proc_step(p);
    int e = sim_path(p->m, p, p->cwd, path, follow, out);
    if (!e && !out->node) {
        sim_where_finish(out);
        e = ENOENT;
    }
    return -e;
}

int sim_sys_mkdir(struct sim_proc *p, const char *path, uint32_t mode) {
    sim_proc_step(p);
    return -sim_do_mkdir(p->m, p, p->cwd, path, mode & ~p->umask);
}

int sim_sys_rmdir(struct sim_proc *p, const char *path) {
    sim_proc_step(p);
    return -sim_do_rmdir(p->m, p, p->cwd, path);
}

int sim_sys_unlink(struct sim_proc *p, const char *path) {
    sim_proc_step(p);
    return -sim_do_unlink(p->m, p, p->cwd, path);
}

int sim_sys_rename(struct sim_proc *p, const char *from, const char *to) {
    sim_proc_step(p);
    return -sim_do_rename(p->m, p, p->cwd, from, to);
}

int sim_sys_chmod(struct sim_proc *p, const char *path, uint32_t mode) {
    sim_proc_step(p);
    return -sim_do_chmod(p->m, p, p->cwd, path, mode);
}

/* A new name at a path: for a link, a node of another name; else a new node of `type`. */
static int sys_new_name(struct sim_proc *p, const char *path, struct sim_fs_node *old, char type, uint32_t mode,
                        const char *target) {
    struct sim_where at;
    struct sim_fs_node *node = NULL;
    int e = sim_path(p->m, p, p->cwd, path, 0, &at);
    if (e) return -e;
    if (at.node)
        e = EEXIST;
    else if (at.slash)
        e = ENOENT;
    else if (old)
        e = sys_may_change(p->m, &at, NULL);
    if (!e && old)
        e = sim_fs_link(at.dir, at.name, old);
    else if (!e)
        e = sys_make(p->m, &at, type, mode, &node);
    if (node && target) {
        e = sim_fs_set_target(node, target);
        if (e) sim_fs_unlink(at.dir, at.name);
    }
    sim_fs_release(node);
    sim_where_finish(&at);
    return -e;
}

int sim_sys_link(struct sim_proc *p, const char *from, const char *to) {
    struct sim_where at;
    int e = sim_sys_stat(p, from, 0, &at);
    if (e) return e;
    e = at.node->type == 'd' ? -EPERM : sys_new_name(p, to, at.node, 0, 0, NULL);
    sim_where_finish(&at);
    return e;
}

int sim_sys_symlink(struct sim_proc *p, const char *target, const char *path) {
    sim_proc_step(p);
    if (!*target) return -ENOENT;
    return sys_new_name(p, path, NULL, 'l', 0777, target);
}

int sim_sys_mkfifo(struct sim_proc *p, const char *path, uint32_t mode) {
    sim_proc_step(p);
    return sys_new_name(p, path, NULL, 'p', mode & ~p->umask, NULL);
}

int sim_sys_chdir(struct sim_proc *p, const char *path) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, 1, &at);
    if (e) return e;
    if (at.node->type != 'd')
        e = -ENOTDIR;
    else if (!sim_may(p->m, at.node, 1))
        e = -EACCES;
    if (!e) {
        sim_fs_release(p->cwd);
        p->cwd = sim_fs_hold(at.node);
    }
    sim_where_finish(&at);
    return e;
}

int sim_sys_utime(struct sim_proc *p, const char *path, int follow, int64_t atime_ns, int64_t mtime_ns) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, follow, &at);
    if (e) return e;
    if (!sys_owned(p->m, at.node) && !sim_may(p->m, at.node, 2)) e = -EACCES;
    if (!e) {
        if (atime_ns != SIM_NEVER) at.node->atime_ns = atime_ns;
        if (mtime_ns != SIM_NEVER) at.node->mtime_ns = mtime_ns;
        at.node->ctime_ns = sim_machine_wall_ns(p->m);
    }
    sim_where_finish(&at);
    return e;
}

int sim_sys_access(struct sim_proc *p, const char *path, unsigned want) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, 1, &at);
    if (e) return e;
    e = sim_may(p->m, at.node, want) ? 0 : -EACCES;
    sim_where_finish(&at);
    return e;
}

int sim_sys_list(struct sim_proc *p, const char *path, struct sim_list *names) {
    struct sim_where at;
    int e = sim_sys_stat(p, path, 1, &at);
    if (e) return e;
    names->p = p;
    if (at.node->type != 'd')
        e = -ENOTDIR;
    else if (!sim_may(p->m, at.node, 4))
        e = -EACCES;
    else if (at.node->is_proc)
        sim_procfs_names(p->m, names);
    if (!e) sim_fs_sort(at.node);
    for (size_t i = 0; !e && i < at.node->entry_count; i++)
        sim_list_add(names, sim_strdup(p, at.node->entries[i].name));
    sim_where_finish(&at);
    return e;
}
