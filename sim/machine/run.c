/* Programs run from outside: their first process, their output, their end. */
#include "sim/machine/inside.h"
#include "sim/machine/machine.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

void sim_run_release(struct sim_run *run) {
    if (--run->refs > 0) return;
    free(run->words);
    free(run->path);
    free(run);
}

void sim_run_told(struct sim_run *run, int code, int signal) {
    run->exited = 1;
    run->code = code;
    run->signal = signal;
    run->halted = run->m->halted;
    sim_wake_all(run->m->world, &run->changed);
    sim_run_release(run);
}

void sim_run_output(struct sim_run *run, int stream, const void *data, size_t len) {
    if (!run->let_go) run->output(run->ctx, stream, data, len);
}

/* Names and values of the environment: the machine's, then the caller's over them. */
static void run_env_put(char **env, size_t *n, char *entry) {
    size_t name = strcspn(entry, "=");
    for (size_t i = 0; i < *n; i++) {
        if (strncmp(env[i], entry, name + 1) != 0) continue;
        env[i] = entry;
        return;
    }
    env[(*n)++] = entry;
}

struct run_words {
    char *at;
    size_t left;
};

static char *run_word(struct run_words *w, const char *prefix, const char *text) {
    char *word = w->at;
    int len = snprintf(w->at, w->left, "%s%s", prefix, text);
    w->at += len + 1;
    w->left -= (size_t)len + 1;
    return word;
}

/* argv and env in one block: what the run owns of its options. */
static int run_copy(struct sim_run *run, const struct sim_run_options *opt) {
    struct sim_machine *m = run->m;
    const char *defaults[][2] = {{"HOME=", m->home_path}, {"USER=", m->user},      {"LOGNAME=", m->user},
                                 {"PATH=", RUN_PATH},     {"SHELL=", "/bin/bash"}, {"HOSTNAME=", m->hostname},
                                 {"LANG=", "C.UTF-8"}};
    const size_t default_count = sizeof defaults / sizeof defaults[0];
    size_t argc = 0, envc = 0, bytes = 0;
    while (opt->argv[argc]) bytes += strlen(opt->argv[argc++]) + 1;
    while (opt->env && opt->env[envc]) bytes += strlen(opt->env[envc++]) + 1;
    for (size_t i = 0; i < default_count; i++) bytes += strlen(defaults[i][0]) + strlen(defaults[i][1]) + 1;
    size_t pointers = argc + 1 + envc + default_count + 1;
    run->words = calloc(1, pointers * sizeof(char *) + bytes);
    if (!run->words) return ENOMEM;
    run->argv = run->words;
    run->env = run->argv + argc + 1;
    struct run_words w = {(char *)(run->argv + pointers), bytes};
    for (size_t i = 0; i < argc; i++) run->argv[i] = run_word(&w, "", opt->argv[i]);
    size_t n = 0;
    for (size_t i = 0; i < default_count; i++) run_env_put(run->env, &n, run_word(&w, defaults[i][0], defaults[i][1]));
    for (size_t i = 0; i < envc; i++) run_env_put(run->env, &n, run_word(&w, "", opt->env[i]));
    return 0;
}

/* The program's path, if it is there. */
static int run_find(struct sim_run *run, struct sim_fs_node *cwd, char *out, size_t cap) {
    const char *name = run->argv[0], *list = strchr(name, '/') ? "" : sim_env_get(run->env, "PATH");
    int found = ENOENT;
    for (const char *at = list; at && *name;) {
        size_t len = strcspn(at, ":");
        int n = snprintf(out, cap, "%.*s%s%s", (int)len, at, len ? "/" : "", name);
        struct sim_where where;
        int e = n < 0 || (size_t)n >= cap ? ENAMETOOLONG : sim_path(run->m, NULL, cwd, out, 1, &where);
        if (!e) {
            int usable = where.node && where.node->type == 'f' && sim_may(run->m, where.node, 1);
            if (where.node && !usable) found = EACCES;
            sim_where_finish(&where);
            if (usable) return 0;
        }
        at = at[len] ? at + len + 1 : NULL;
    }
    return found;
}

static int run_main(struct sim_proc *p, void *arg) {
    const struct sim_run *run = arg;
    char *path = sim_strdup(p, run->path);
    char **argv = run->argv;
    int e = sim_program_run(p, path, argv, run->env);
    if (e == -ENOEXEC) { /* execvp's way with a text that is no program */
        struct sim_list list = {.p = p};
        sim_list_add(&list, sim_strdup(p, "sh"));
        sim_list_add(&list, path);
        for (char **more = argv[0] ? argv + 1 : argv; *more; more++) sim_list_add(&list, *more);
        e = sim_program_run(p, "/bin/sh", sim_list_texts(&list), run->env);
    }
    if (e >= 0) return e;
    sim_errf(p, "%s: %s\n", argv[0], sim_strerror(-e));
    return e == -ENOENT ? 127 : 126;
}

static int run_put_stdin(struct sim_proc *p, struct sim_run *run, const struct sim_run_options *opt) {
    int fds[2];
    int e = sim_sys_pipe(p, fds, SIZE_MAX / 4);
    if (e) return -e;
    ptrdiff_t n = opt->stdin_len ? sim_pipe_put(sim_fd_get(p, fds[1])->pipe, opt->stdin_text, opt->stdin_len) : 0;
    if (opt->stdin_stays) run->feed = sim_open_hold(sim_fd_get(p, fds[1]));
    sim_sys_close(p, fds[1]);
    return n < 0 ? (int)-n : 0;
}

static int run_put_sink(struct sim_proc *p, struct sim_run *run, int fd, int stream) {
    struct sim_open *file = sim_open_new(run->m->world, SIM_OPEN_SINK);
    if (!file) return ENOMEM;
    file->may_write = 1;
    file->run = run;
    file->stream = stream;
    run->refs++;
    run->sinks++;
    return sim_fd_put(p, file, fd) == fd ? 0 : EMFILE;
}

static int run_begin(struct sim_run *run, const struct sim_run_options *opt, struct sim_fs_node *cwd) {
    int e;
    struct sim_proc *p = sim_proc_fork(run->m, NULL, &e);
    if (!p) return -e;
    sim_fs_release(p->cwd);
    p->cwd = sim_fs_hold(cwd);
    run->pid = p->pid;
    if (opt->group) p->pgid = p->sid = opt->group;
    run->pgid = p->pgid;
    e = run_put_stdin(p, run, opt);
    if (!e) e = run_put_sink(p, run, 1, 1);
    if (!e) e = run_put_sink(p, run, 2, opt->one_stream ? 1 : 2);
    if (e) {
        sim_proc_kill(p, SIM_SIGKILL);
        return e;
    }
    p->run = run;
    run->refs++;
    return -sim_proc_start(p, run_main, run);
}

static struct sim_run *run_start(struct sim_machine *m, const struct sim_run_options *opt, sim_errno *why) {
    struct sim_where at = {0};
    char path[SIM_PATH_MAX];
    struct sim_run *run = calloc(1, sizeof *run);
    *why = run ? 0 : ENOMEM;
    if (run) {
        run->engine = &sim_engine_virtual;
        run->refs = 2; /* the caller's and, while it starts, ours */
        run->m = m;
        run->output = opt->output;
        run->ctx = opt->ctx;
        *why = run_copy(run, opt);
    }
    if (!*why) *why = sim_path(m, NULL, m->home, opt->cwd ? opt->cwd : m->home_path, 1, &at);
    if (!*why && !at.node) *why = ENOENT;
    if (!*why && at.node->type != 'd') *why = ENOTDIR;
    if (!*why && !sim_may(m, at.node, 1)) *why = EACCES;
    if (!*why) *why = run_find(run, at.node, path, sizeof path);
    if (!*why) {
        run->path = strdup(path);
        *why = run->path ? run_begin(run, opt, at.node) : ENOMEM;
    }
    sim_where_finish(&at);
    if (!run) return NULL;
    if (*why) {
        run->refs--; /* the caller gets none */
        sim_run_release(run);
        return NULL;
    }
    assert(run->refs > 1);
    sim_run_release(run);
    return run;
}

static enum sbx_status run_wait(struct sim_run *run, int outputs, int64_t deadline_ns) {
    struct sim_world *world = run->m->world;
    enum sbx_status st = SBX_OK;
    run->refs++;
    while (!run->exited || (outputs && run->sinks > 0)) {
        enum sim_woken woken = sim_wait(world, &run->changed, deadline_ns);
        if (woken == SIM_WOKEN) continue;
        st = woken == SIM_TIMEOUT ? SBX_DEADLINE : SBX_GONE;
        break;
    }
    if (st == SBX_OK && run->halted) st = SBX_GONE;
    sim_run_release(run);
    return st;
}

static int run_exited(const struct sim_run *run, int *code, int *signal) {
    if (!run->exited) return 0;
    *code = run->code;
    *signal = run->signal;
    return 1;
}

static int32_t run_pid(const struct sim_run *run) {
    return run->pid;
}

static void run_signal(struct sim_run *run, int signal) {
    struct sim_proc *p = run->exited ? NULL : sim_proc_find(run->m, run->pid);
    if (p) sim_proc_signal(p, signal);
}

static void run_kill(struct sim_run *run, int signal) {
    struct sim_machine *m = run->m;
    for (struct sim_proc *p = m->procs; p;) {
        if (p->pgid == run->pgid && p->state != SIM_PROC_DEAD) {
            sim_proc_signal(p, signal);
            if (p->state == SIM_PROC_DEAD) { /* the table may have changed: from the start */
                p = m->procs;
                continue;
            }
        }
        p = p->next;
    }
}

/* The first process has the number of its group; orphans are told by that group alone. */
static int run_has(const struct sim_run *run, const struct sim_proc *p) {
    if (p->state == SIM_PROC_DEAD) return 0;
    if (run->pgid == run->pid && p->pgid == run->pgid) return 1;
    for (; p; p = p->parent)
        if (p->pid == run->pid) return 1;
    return 0;
}

/* Parents stand before their children in the table: who is killed is no more to be found from those below, so the last
 * go first. */
static void run_kill_tree(struct sim_run *run, int signal) {
    for (int32_t below = INT32_MAX;;) {
        struct sim_proc *last = NULL;
        for (struct sim_proc *p = run->m->procs; p; p = p->next)
            if (p->pid < below && run_has(run, p)) last = p;
        if (!last) return;
        below = last->pid;
        sim_proc_signal(last, signal);
    }
}

static int run_alive(const struct sim_run *run) {
    for (const struct sim_proc *p = run->m->procs; p; p = p->next)
        if (run_has(run, p)) return 1;
    return 0;
}

static sim_errno run_feed(struct sim_run *run, const void *data, size_t len) {
    if (!run->feed || !run->feed->pipe->readers) return EPIPE;
    ptrdiff_t n = sim_pipe_put(run->feed->pipe, data, len);
    if (n < 0) return (sim_errno)-n;
    sim_wake_all(run->m->world, &run->feed->pipe->changed);
    return 0;
}

static void run_feed_end(struct sim_run *run) {
    sim_open_release(run->feed);
    run->feed = NULL;
}

static void run_free(struct sim_run *run) {
    run->let_go = 1;
    run_feed_end(run);
    sim_run_release(run);
}

const struct sim_engine_runs sim_virtual_runs = {.start = run_start,
                                                 .wait = run_wait,
                                                 .exited = run_exited,
                                                 .kill = run_kill,
                                                 .kill_tree = run_kill_tree,
                                                 .alive = run_alive,
                                                 .feed = run_feed,
                                                 .feed_end = run_feed_end,
                                                 .pid = run_pid,
                                                 .signal = run_signal,
                                                 .free = run_free};
