/* The machine: what it is made of, its end, and the files of it as seen from outside. */
#include "sim/machine/machine.h"
#include "sim/kit/sim.h"
#include "sim/machine/inside.h"
#include <errno.h>
#include <sandport/kit/json.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE_DISK_BYTES  (INT64_C(3) << 30)
#define MACHINE_PROCESS_MAX 1000
#define MACHINE_MEMORY_MAX  ((int64_t)512 << 20)
#define MACHINE_FIRST_PID   100
#define MACHINE_UP_NS       (120 * SIM_SEC) /* the host had been up when the world began */

int64_t sim_machine_wall_ns(const struct sim_machine *m) {
    return SIM_EPOCH_MS * SIM_MS + sim_now(m->world);
}

static int64_t machine_now(void *ctx) {
    return sim_machine_wall_ns(ctx);
}

void sim_machine_hold(struct sim_machine *m) {
    m->refs++;
}

void sim_machine_release(struct sim_machine *m) {
    if (--m->refs > 0) return;
    sim_fs_release(m->proc_sys);
    sim_fs_release(m->home);
    sim_fs_release(m->fs.root);
    free(m->fs.block);
    sim_shelf_release(m->shelf);
    free(m->hostname);
    free(m->user);
    free(m->home_path);
    free(m);
}

void sim_machine_unsupported(struct sim_machine *m, const char *fmt, ...) {
    struct sbx_buf buf = SBX_BUF_INIT;
    va_list args;
    va_start(args, fmt);
    sbx_buf_vprintf(&buf, fmt, args);
    va_end(args);
    sim_journal_unsupported(sim_journal(m->sim), "machine.unsupported", sbx_buf_text(&buf), 0);
    sbx_buf_finish(&buf);
}

struct sim_machine *sim_virtual_machine_new(struct sim *sim, const struct sim_machine_options *opt) {
    struct sim_machine *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->engine = &sim_engine_virtual;
    m->refs = 1;
    m->sim = sim;
    m->world = sim_world(sim);
    m->uid = m->user_uid = opt->uid;
    m->shelf = opt->shelf ? sim_shelf_hold(opt->shelf) : sim_shelf_new();
    m->process_max = opt->process_max ? opt->process_max : MACHINE_PROCESS_MAX;
    m->memory_max = opt->memory_bytes ? opt->memory_bytes : MACHINE_MEMORY_MAX;
    m->next_pid = MACHINE_FIRST_PID;
    m->boot_ns = MACHINE_UP_NS;
    m->init_ns = sim_now(m->world);
    m->hostname = strdup(opt->hostname ? opt->hostname : "sandbox");
    m->user = strdup(opt->user ? opt->user : "daytona");
    m->home_path = strdup(opt->home ? opt->home : "/home/daytona");
    m->fs.now_ns = machine_now;
    m->fs.ctx = m;
    m->fs.blocks_max = INT64_MAX; /* what the image has takes none of the user's room */
    m->fs.root = sim_fs_node(&m->fs, 'd', 0755, 0, 0);
    if (!m->shelf || !m->hostname || !m->user || !m->home_path || !m->fs.root || sim_image_make(m)) {
        sim_machine_release(m);
        return NULL;
    }
    int64_t bytes = opt->disk_bytes ? opt->disk_bytes : MACHINE_DISK_BYTES;
    m->fs.blocks_max = m->fs.blocks_used + bytes / SIM_FS_BLOCK;
    m->image_blocks = m->fs.blocks_used;
    return m;
}

static void virtual_halt(struct sim_machine *m) {
    m->halted = 1;
    while (m->procs) {
        /* The dead whose parents live are reaped with their parents. */
        struct sim_proc *p = m->procs;
        while (p && p->state == SIM_PROC_DEAD) p = p->next;
        if (!p) break;
        sim_proc_kill(p, SIM_SIGKILL);
    }
    while (m->fibers > 0)
        if (sim_wait(m->world, &m->idle, SIM_NEVER) != SIM_WOKEN) break;
    m->halted = 0;
    int64_t later_ns = m->init_ns + SIM_SEC / SIM_TICKS, now_ns = sim_now(m->world); /* never the same tick again */
    m->init_ns = now_ns > later_ns ? now_ns : later_ns;
}

static void virtual_freeze(struct sim_machine *m) {
    for (struct sim_proc *p = m->procs; p; p = p->next) {
        if (p->state != SIM_PROC_RUNNING) continue;
        p->state = SIM_PROC_STOPPED;
        p->frozen = 1;
    }
}

static void virtual_thaw(struct sim_machine *m) {
    for (struct sim_proc *p = m->procs; p; p = p->next) {
        if (!p->frozen) continue;
        p->frozen = 0;
        if (p->state == SIM_PROC_STOPPED) p->state = SIM_PROC_RUNNING;
        sim_wake_all(m->world, &p->child_end);
        if (p->waiting) sim_wake_all(m->world, p->waiting);
    }
}

static int32_t virtual_next_pid(struct sim_machine *m, int32_t pid) {
    const int32_t otherwise = m->next_pid;
    if (!sim_proc_find(m, pid)) m->next_pid = pid;
    return otherwise;
}

static void virtual_free(struct sim_machine *m) {
    sim_machine_release(m);
}

static const char *virtual_home(const struct sim_machine *m) {
    return m->home_path;
}

/* ---- files ---- */

static void machine_stat(const struct sim_fs_node *node, struct sim_stat *out) {
    *out = (struct sim_stat){.type = node->type,
                             .mode = node->mode,
                             .bytes = node->type == 'd' ? SIM_FS_BLOCK : node->size,
                             .mtime_ns = node->mtime_ns,
                             .uid = node->uid,
                             .gid = node->gid,
                             .ino = node->ino};
}

/* A node that is there, held. */
static sim_errno machine_node(struct sim_machine *m, const char *path, int follow, struct sim_fs_node **out) {
    struct sim_where at;
    int e = sim_path(m, NULL, m->home, path, follow, &at);
    if (e) return e;
    if (at.node)
        *out = sim_fs_hold(at.node);
    else
        e = ENOENT;
    sim_where_finish(&at);
    return e;
}

static sim_errno virtual_stat(struct sim_machine *m, const char *path, int follow, struct sim_stat *out) {
    struct sim_fs_node *node = NULL;
    int e = machine_node(m, path, follow, &node);
    if (!e) machine_stat(node, out);
    sim_fs_release(node);
    return e;
}

static sim_errno virtual_readlink(struct sim_machine *m, const char *path, struct sbx_buf *out) {
    struct sim_fs_node *node = NULL;
    int e = machine_node(m, path, 0, &node);
    if (!e && node->type != 'l') e = EINVAL;
    if (!e) sbx_buf_text_append(out, node->target);
    sim_fs_release(node);
    return e;
}

static sim_errno machine_mkdir_all(struct sim_machine *m, const char *path, uint32_t mode) {
    char *copy = strdup(path);
    if (!copy) return ENOMEM;
    int e = 0;
    for (char *at = copy + strspn(copy, "/"); !e && *at;) {
        size_t len = strcspn(at, "/");
        char *end = at + len, kept = *end;
        *end = '\0';
        struct sim_stat st;
        e = sim_do_mkdir(m, NULL, m->home, copy, mode);
        if (e && virtual_stat(m, copy, 1, &st) == 0) e = st.type == 'd' ? 0 : ENOTDIR;
        *end = kept;
        at = end + strspn(end, "/");
    }
    free(copy);
    return e;
}

static sim_errno virtual_mkdir(struct sim_machine *m, const char *path, uint32_t mode, int parents) {
    return parents ? machine_mkdir_all(m, path, mode) : sim_do_mkdir(m, NULL, m->home, path, mode);
}

static sim_errno virtual_unlink(struct sim_machine *m, const char *path, int recursive) {
    struct sim_fs_node *node = NULL;
    int e = machine_node(m, path, 0, &node);
    if (!e && node->type == 'd') {
        if (!recursive)
            e = EISDIR;
        else if (node == m->fs.root || node == m->home)
            e = EBUSY;
        else if (!sim_may(m, node, 3))
            e = EACCES;
        if (!e) sim_fs_empty(node);
        if (!e) e = sim_do_rmdir(m, NULL, m->home, path);
    } else if (!e) {
        e = sim_do_unlink(m, NULL, m->home, path);
    }
    sim_fs_release(node);
    return e;
}

static sim_errno virtual_rename(struct sim_machine *m, const char *from, const char *to) {
    return sim_do_rename(m, NULL, m->home, from, to);
}

static sim_errno virtual_chmod(struct sim_machine *m, const char *path, uint32_t mode) {
    return sim_do_chmod(m, NULL, m->home, path, mode);
}

static sim_errno virtual_chown(struct sim_machine *m, const char *path, int64_t uid, int64_t gid) {
    return sim_do_chown(m, NULL, m->home, path, uid, gid);
}

static int64_t virtual_become(struct sim_machine *m, int64_t uid) {
    const int64_t was = m->uid;
    m->uid = uid;
    return was;
}

static const char *virtual_name(const struct sim_machine *m, int64_t id) {
    if (id == 0) return "root";
    return id == m->user_uid ? m->user : NULL;
}

static int virtual_id(const struct sim_machine *m, const char *name, int64_t *id) {
    int32_t number = sim_digits(name);
    if (number >= 0)
        *id = number;
    else if (strcmp(name, "root") == 0)
        *id = 0;
    else if (strcmp(name, m->user) == 0)
        *id = m->uid;
    else
        return 0;
    return 1;
}

static sim_errno virtual_list(struct sim_machine *m, const char *path, void (*each)(void *ctx, const char *name),
                              void *ctx) {
    struct sim_fs_node *node = NULL;
    int e = machine_node(m, path, 1, &node);
    if (!e && node->type != 'd') e = ENOTDIR;
    if (!e && !sim_may(m, node, 4)) e = EACCES;
    if (!e) sim_fs_sort(node);
    for (size_t i = 0; !e && i < node->entry_count; i++) each(ctx, node->entries[i].name);
    sim_fs_release(node);
    return e;
}

struct sim_file {
    const struct sim_engine *engine; /* first */
    struct sim_fs_node *node;
    struct sim_machine *m;
    int64_t pos;
};

static sim_errno machine_open(struct sim_machine *m, const char *path, int flags, uint32_t mode,
                              struct sim_file **out) {
    struct sim_file *file = calloc(1, sizeof *file);
    if (!file) return ENOMEM;
    int e = sim_do_open(m, NULL, m->home, path, flags, mode, &file->node);
    if (!e && file->node->type == 'd') e = EISDIR;
    if (!e && file->node->type != 'f' && file->node->type != 'c') e = ENXIO;
    if (e) {
        sim_fs_release(file->node);
        free(file);
        return e;
    }
    file->engine = &sim_engine_virtual;
    file->m = m;
    sim_machine_hold(m);
    *out = file;
    return 0;
}

static sim_errno virtual_open_read(struct sim_machine *m, const char *path, struct sim_file **out) {
    return machine_open(m, path, SIM_O_READ, 0, out);
}

static sim_errno virtual_open_write(struct sim_machine *m, const char *path, uint32_t mode, int truncate,
                                    struct sim_file **out) {
    int flags = SIM_O_WRITE | SIM_O_CREATE | (truncate ? SIM_O_TRUNCATE : 0);
    int e = machine_open(m, path, flags, mode, out);
    if (!e && !truncate) (*out)->pos = (*out)->node->size;
    return e;
}

static ptrdiff_t virtual_read(struct sim_file *f, void *buf, size_t cap) {
    if (f->node->type == 'c') return f->node->device == SIM_DEVICE_NULL ? 0 : -EINVAL;
    ptrdiff_t n = sim_fs_read(f->node, f->pos, buf, cap);
    if (n > 0) f->pos += n;
    return n;
}

static sim_errno virtual_write(struct sim_file *f, const void *data, size_t len) {
    int why = 0;
    if (f->node->type == 'c') return f->node->device == SIM_DEVICE_FULL ? ENOSPC : 0;
    f->pos += (int64_t)sim_fs_write(f->node, f->pos, data, len, &why);
    return why;
}

static int64_t virtual_size(const struct sim_file *f) {
    return f->node->size;
}

static void virtual_close(struct sim_file *f) {
    struct sim_machine *m = f->m;
    sim_fs_release(f->node);
    free(f);
    sim_machine_release(m);
}

static void virtual_state(const struct sim_machine *m, struct sbx_buf *json) {
    sbx_json_put_int(json, "processes", m->process_count);
    sbx_json_put_int(json, "disk_bytes", (m->fs.blocks_used - m->image_blocks) * SIM_FS_BLOCK);
}

static const struct sim_engine_machine virtual_machine = {.free = virtual_free,
                                                          .halt = virtual_halt,
                                                          .wipe = virtual_halt,
                                                          .home = virtual_home,
                                                          .id = virtual_id,
                                                          .state = virtual_state,
                                                          .freeze = virtual_freeze,
                                                          .thaw = virtual_thaw,
                                                          .next_pid = virtual_next_pid,
                                                          .become = virtual_become,
                                                          .name = virtual_name};

static const struct sim_engine_files virtual_files = {.stat = virtual_stat,
                                                      .mkdir = virtual_mkdir,
                                                      .unlink = virtual_unlink,
                                                      .rename = virtual_rename,
                                                      .chmod = virtual_chmod,
                                                      .chown = virtual_chown,
                                                      .list = virtual_list,
                                                      .open_read = virtual_open_read,
                                                      .open_write = virtual_open_write,
                                                      .read = virtual_read,
                                                      .write = virtual_write,
                                                      .size = virtual_size,
                                                      .close = virtual_close,
                                                      .readlink = virtual_readlink};

const struct sim_engine sim_engine_virtual = {.real = 0,
                                              .machine = &virtual_machine,
                                              .files = &virtual_files,
                                              .runs = &sim_virtual_runs,
                                              .pipes = &sim_virtual_pipes};
