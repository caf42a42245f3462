/* /proc: made on the spot from the process table when a path asks for it. */
#include "sim/machine/inside.h"
#include <errno.h>
#include <sandport/kit/buf.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

/* One kernel carries every simulated machine, as one host carries many containers. */
#define PROCFS_BOOT_ID "5a4d1c2e-7b1f-4c39-9d55-0e6a2f8b9c01\n"

/* A file with a name and content, in a directory. */
static int procfs_file(struct sim_fs_node *dir, const char *name, const char *text, size_t len) {
    struct sim_fs_node *node = sim_fs_node(dir->fs, 'f', 0444, dir->uid, dir->gid);
    if (!node) return ENOMEM;
    int e = 0;
    int64_t max = dir->fs->blocks_max;
    dir->fs->blocks_max = INT64_MAX; /* it is not on the disk */
    sim_fs_write(node, 0, text, len, &e);
    dir->fs->blocks_max = max;
    if (!e) e = sim_fs_link(dir, name, node);
    sim_fs_release(node);
    return e;
}

static int procfs_link(struct sim_fs_node *dir, const char *name, const char *target) {
    struct sim_fs_node *node = sim_fs_node(dir->fs, 'l', 0777, dir->uid, dir->gid);
    if (!node) return ENOMEM;
    int e = sim_fs_set_target(node, target);
    if (!e) e = sim_fs_link(dir, name, node);
    sim_fs_release(node);
    return e;
}

static int procfs_texts(struct sim_fs_node *dir, const char *name, char **texts) {
    struct sbx_buf buf = SBX_BUF_INIT;
    for (; texts && *texts; texts++) sbx_buf_append(&buf, *texts, strlen(*texts) + 1);
    int e = buf.failed ? ENOMEM : procfs_file(dir, name, sbx_buf_text(&buf), buf.len);
    sbx_buf_finish(&buf);
    return e;
}

static const char *procfs_state(const struct sim_proc *p) {
    if (p->state == SIM_PROC_DEAD) return "Z (zombie)";
    if (p->state == SIM_PROC_STOPPED) return "T (stopped)";
    return p->waiting ? "S (sleeping)" : "R (running)";
}

/* Signals as masks have them: from the lowest bit. */
static unsigned procfs_mask(uint32_t signals) {
    return signals >> 1;
}

static int procfs_stat(struct sim_fs_node *dir, const struct sim_proc *p) {
    struct sbx_buf buf = SBX_BUF_INIT;
    int64_t start = (p->start_ns + p->m->boot_ns) / (SIM_SEC / SIM_TICKS);
    sbx_buf_printf(
        &buf,
        "%d (%s) %c %d %d %d 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 %lld 2715648 256 18446744073709551615 0 0 "
        "0 0 0 0 0 %u %u 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        p->pid, p->comm, *procfs_state(p), p->parent ? p->parent->pid : 1, p->pgid, p->sid, (long long)start,
        procfs_mask(p->ignored), procfs_mask(p->caught));
    int e = buf.failed ? ENOMEM : procfs_file(dir, "stat", sbx_buf_text(&buf), buf.len);
    sbx_buf_clear(&buf);
    sbx_buf_printf(
        &buf, "Name:\t%s\nUmask:\t%04o\nState:\t%s\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nUid:\t%lld\t%lld\t%lld\t%lld\n",
        p->comm, p->umask, procfs_state(p), p->pid, p->pid, p->parent ? p->parent->pid : 1, (long long)p->m->uid,
        (long long)p->m->uid, (long long)p->m->uid, (long long)p->m->uid);
    sbx_buf_printf(&buf, "Gid:\t%lld\t%lld\t%lld\t%lld\n", (long long)p->m->uid, (long long)p->m->uid,
                   (long long)p->m->uid, (long long)p->m->uid);
    sbx_buf_printf(&buf, "Threads:\t1\nSigPnd:\t%016x\nSigIgn:\t%016x\nSigCgt:\t%016x\n", procfs_mask(p->pending),
                   procfs_mask(p->ignored), procfs_mask(p->caught));
    if (!e) e = buf.failed ? ENOMEM : procfs_file(dir, "status", sbx_buf_text(&buf), buf.len);
    sbx_buf_clear(&buf);
    sbx_buf_printf(&buf, "%s\n", p->comm);
    if (!e) e = buf.failed ? ENOMEM : procfs_file(dir, "comm", sbx_buf_text(&buf), buf.len);
    sbx_buf_finish(&buf);
    return e;
}

static int procfs_fds(struct sim_fs_node *dir, const struct sim_proc *p) {
    struct sim_fs_node *fds = sim_fs_node(dir->fs, 'd', 0500, dir->uid, dir->gid);
    if (!fds) return ENOMEM;
    int e = sim_fs_link(dir, "fd", fds);
    char path[SIM_PATH_MAX];
    for (int fd = 0; !e && fd < SIM_FD_MAX; fd++) {
        const struct sim_open *file = p->fds[fd];
        if (!file) continue;
        char name[8], target[32];
        struct sbx_buf text = SBX_BUF_INIT;
        sbx_buf_printf(&text, "%d", fd);
        sbx_copy(name, sizeof name, sbx_buf_text(&text));
        sbx_buf_clear(&text);
        sbx_buf_printf(&text, file->pipe || file->run ? "pipe:[%d]" : "/dev/null", p->pid * 10 + fd);
        sbx_copy(target, sizeof target, sbx_buf_text(&text));
        sbx_buf_finish(&text);
        const struct sim_fs_node *node = file->node;
        int known = node && node->type == 'd' && sim_path_of(node, path, sizeof path);
        e = procfs_link(fds, name, known ? path : target);
    }
    sim_fs_release(fds);
    return e;
}

/* The program's path: where it is installed, since its file does not know its name. */
static int procfs_exe(struct sim_fs_node *dir, const struct sim_proc *p) {
    struct sbx_buf path = SBX_BUF_INIT;
    sbx_buf_printf(&path, "/usr/bin/%s", strcmp(p->comm, "sh") == 0 ? "dash" : p->comm);
    int e = path.failed ? ENOMEM : procfs_link(dir, "exe", sbx_buf_text(&path));
    sbx_buf_finish(&path);
    return e;
}

static int procfs_process(struct sim_machine *m, const struct sim_proc *p, struct sim_fs_node **out) {
    char path[SIM_PATH_MAX];
    struct sim_fs_node *dir = sim_fs_node(&m->fs, 'd', 0555, m->uid, m->uid);
    if (!dir) return ENOMEM;
    int dead = p->state == SIM_PROC_DEAD;
    int e = procfs_stat(dir, p);
    if (!e) e = procfs_texts(dir, "cmdline", dead ? NULL : p->argv);
    if (!e) e = procfs_texts(dir, "environ", dead ? NULL : p->env);
    if (!e && !dead && sim_path_of(p->cwd, path, sizeof path)) e = procfs_link(dir, "cwd", path);
    if (!e && !dead) e = procfs_link(dir, "root", "/");
    if (!e && !dead && p->comm[0]) e = procfs_exe(dir, p);
    if (!e && !dead) e = procfs_fds(dir, p);
    if (e) {
        sim_fs_release(dir);
        return e;
    }
    dir->parent = sim_fs_find(m->fs.root, "proc");
    *out = dir;
    return 0;
}

static int procfs_text(struct sim_machine *m, const char *name, struct sim_fs_node **out) {
    struct sbx_buf buf = SBX_BUF_INIT;
    int64_t up = (sim_now(m->world) + m->boot_ns) / (SIM_SEC / 100);
    if (strcmp(name, "uptime") == 0)
        sbx_buf_printf(&buf, "%lld.%02lld %lld.%02lld\n", (long long)(up / 100), (long long)(up % 100),
                       (long long)(up / 100), (long long)(up % 100));
    else if (strcmp(name, "loadavg") == 0)
        sbx_buf_printf(&buf, "0.00 0.00 0.00 1/%lld %d\n", (long long)m->process_count, m->next_pid - 1);
    else if (strcmp(name, "meminfo") == 0)
        sbx_buf_printf(&buf, "MemTotal:        1048576 kB\nMemFree:          917504 kB\nMemAvailable:     917504 kB\n");
    else if (strcmp(name, "version") == 0)
        sbx_buf_printf(&buf, "Linux version " SIM_KERNEL " (sandport-sim)\n");
    else
        return 0;
    struct sim_fs_node *dir = sim_fs_node(&m->fs, 'd', 0555, 0, 0);
    int e = dir && !buf.failed ? procfs_file(dir, name, sbx_buf_text(&buf), buf.len) : ENOMEM;
    if (!e) *out = sim_fs_hold(sim_fs_find(dir, name));
    sim_fs_release(dir);
    sbx_buf_finish(&buf);
    return e;
}

/* Process 1, which is not one of ours: only that it is there, and since when. */
static int procfs_init(struct sim_machine *m, struct sim_fs_node **out) {
    struct sbx_buf buf = SBX_BUF_INIT;
    int64_t start = (m->init_ns + m->boot_ns) / (SIM_SEC / SIM_TICKS);
    struct sim_fs_node *dir = sim_fs_node(&m->fs, 'd', 0555, 0, 0);
    sbx_buf_printf(&buf,
                   "1 (init) S 0 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 %lld 2715648 256 18446744073709551615 0 0 0 "
                   "0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
                   (long long)start);
    int e = dir && !buf.failed ? procfs_file(dir, "stat", sbx_buf_text(&buf), buf.len) : ENOMEM;
    if (!e) e = procfs_file(dir, "cmdline", "init", 5);
    if (!e) e = procfs_file(dir, "comm", "init\n", 5);
    sbx_buf_finish(&buf);
    if (e) {
        sim_fs_release(dir);
        return e;
    }
    dir->parent = sim_fs_find(m->fs.root, "proc");
    *out = dir;
    return 0;
}

/* A directory in `in`. @return NULL when memory runs out */
static struct sim_fs_node *procfs_dir(struct sim_fs_node *in, const char *name) {
    struct sim_fs_node *dir = sim_fs_node(in->fs, 'd', 0555, 0, 0);
    if (!dir) return NULL;
    int e = sim_fs_link(in, name, dir);
    sim_fs_release(dir); /* its directory holds it */
    return e ? NULL : dir;
}

/* /proc/sys/kernel: its names, and random/boot_id. Kept, since a tree is gone with the last who holds its top. */
static int procfs_sys(struct sim_machine *m, struct sim_fs_node **out) {
    if (m->proc_sys) {
        *out = sim_fs_hold(m->proc_sys);
        return 0;
    }
    struct sim_fs_node *sys = sim_fs_node(&m->fs, 'd', 0555, 0, 0);
    struct sim_fs_node *kernel = sys ? procfs_dir(sys, "kernel") : NULL;
    struct sim_fs_node *random = kernel ? procfs_dir(kernel, "random") : NULL;
    struct sbx_buf hostname = SBX_BUF_INIT;
    sbx_buf_printf(&hostname, "%s\n", m->hostname);
    int e =
        random && !hostname.failed ? procfs_file(random, "boot_id", PROCFS_BOOT_ID, strlen(PROCFS_BOOT_ID)) : ENOMEM;
    if (!e) e = procfs_file(kernel, "hostname", sbx_buf_text(&hostname), hostname.len);
    if (!e) e = procfs_file(kernel, "osrelease", SIM_KERNEL "\n", strlen(SIM_KERNEL "\n"));
    if (!e) e = procfs_file(kernel, "ostype", "Linux\n", strlen("Linux\n"));
    sbx_buf_finish(&hostname);
    if (e) {
        sim_fs_release(sys);
        return e;
    }
    sys->parent = sim_fs_find(m->fs.root, "proc");
    m->proc_sys = sys;
    *out = sim_fs_hold(sys);
    return 0;
}

static int procfs_self(struct sim_machine *m, const struct sim_proc *who, struct sim_fs_node **out) {
    char target[16];
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(&text, "%d", who ? who->pid : 1);
    int e = sbx_copy(target, sizeof target, sbx_buf_text(&text)) && !text.failed ? 0 : ENOMEM;
    sbx_buf_finish(&text);
    struct sim_fs_node *node = e ? NULL : sim_fs_node(&m->fs, 'l', 0777, 0, 0);
    if (!node) return ENOMEM;
    e = sim_fs_set_target(node, target);
    if (e)
        sim_fs_release(node);
    else
        *out = node;
    return e;
}

int sim_procfs_find(struct sim_machine *m, struct sim_proc *who, const char *name, struct sim_fs_node **out) {
    int64_t pid;
    *out = NULL;
    if (strcmp(name, "self") == 0) return procfs_self(m, who, out);
    if (strcmp(name, "sys") == 0) return procfs_sys(m, out);
    if (strcmp(name, "1") == 0) return procfs_init(m, out);
    if (!sbx_text_int(name, 1, INT32_MAX, &pid) || name[0] == '0') return procfs_text(m, name, out);
    const struct sim_proc *p = sim_proc_find(m, (int32_t)pid);
    return p ? procfs_process(m, p, out) : 0;
}

void sim_procfs_names(struct sim_machine *m, struct sim_list *names) {
    static const char *const fixed[] = {"1", "loadavg", "meminfo", "self", "sys", "uptime", "version"};
    for (const struct sim_proc *p = m->procs; p; p = p->next) sim_list_add(names, sim_format(names->p, "%d", p->pid));
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) sim_list_add(names, sim_strdup(names->p, fixed[i]));
}
