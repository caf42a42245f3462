/* Programs run in a machine of the host engine. */
#include "sim/machine/host/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct host_run {
    const struct sim_engine *engine; /* first */
    struct host_box *box;
    struct host_run *next; /* among those that have not exited */
    int64_t refs;          /* the caller's, and the box's until it has exited */
    int32_t pid;
    int exited, code, signal, halted;
    struct host_drain *drain;
    struct host_inlet *inlet;
    struct sim_waitq changed;
};

static struct host_run *run_of(struct sim_run *run) {
    return (struct host_run *)(void *)run;
}

static const struct host_run *run_seen(const struct sim_run *run) {
    return (const struct host_run *)(const void *)run;
}

static void run_release(struct host_run *run) {
    if (--run->refs > 0) return;
    sim_host_inlet_leave(run->inlet);
    sim_host_drain_leave(run->drain);
    sim_host_release(run->box);
    free(run);
}

/* ---- its end ---- */

static void run_end(struct host_run **at, int status, int halted) {
    struct host_run *run = *at;
    *at = run->next;
    run->exited = 1;
    run->halted = halted;
    run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    run->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    sim_wake_all(run->box->host->world, &run->changed);
    /* Whoever waits for an outlet of a shell that has ended: its pipes were closed before that was known. */
    for (struct host_drain *outlet = run->box->outlets; outlet; outlet = outlet->next) sim_host_drain_poke(outlet);
    run_release(run);
}

void sim_host_run_told(struct host_box *box, int32_t pid, int status, int halted) {
    struct host_run **at = &box->runs;
    while (*at && (*at)->pid != pid) at = &(*at)->next;
    if (*at) run_end(at, status, halted);
}

void sim_host_runs_lose(struct host_box *box) {
    while (box->runs) run_end(&box->runs, SIGKILL, 1);
}

/* ---- its words ---- */

static void words_add(struct sbx_buf *words, const char *name, const char *value) {
    sbx_buf_text_append(words, name);
    sbx_buf_append(words, value, strlen(value) + 1);
}

/* Is the name given again further on? */
static int words_given(const char *const *env, const char *entry) {
    const size_t name = strcspn(entry, "=") + 1;
    for (; env && *env; env++)
        if (strncmp(*env, entry, name) == 0) return 1;
    return 0;
}

static void words_env(const struct host_box *box, const char *const *env, struct sbx_buf *words, int *count) {
    const char *const defaults[][2] = {{"HOME=", box->home}, {"USER=", box->user},    {"LOGNAME=", box->user},
                                       {"PATH=", RUN_PATH},  {"SHELL=", "/bin/bash"}, {"HOSTNAME=", box->hostname},
                                       {"LANG=", "C.UTF-8"}};
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
        if (words_given(env, defaults[i][0])) continue;
        words_add(words, defaults[i][0], defaults[i][1]);
        ++*count;
    }
    for (; env && *env; env++) {
        if (words_given(env + 1, *env)) continue;
        words_add(words, "", *env);
        ++*count;
    }
}

/* @return a descriptor with all of them, -errno */
static int run_words(const struct host_box *box, const struct sim_run_options *opt, struct host_message *ask) {
    struct sbx_buf words = SBX_BUF_INIT;
    const char *cwd = opt->cwd ? opt->cwd : box->home;
    if (cwd[0] != '/') sbx_buf_printf(&words, "%s/", box->home);
    words_add(&words, "", cwd);
    for (ask->argc = 0; opt->argv[ask->argc]; ask->argc++) words_add(&words, "", opt->argv[ask->argc]);
    words_env(box, opt->env, &words, &ask->envc);
    int fd = sbx_buf_status(&words) ? -ENOMEM : memfd_create("sandport-words", MFD_CLOEXEC);
    if (fd == -1) fd = -errno;
    for (size_t at = 0; fd >= 0 && at < words.len;) {
        const ssize_t n = write(fd, words.data + at, words.len - at);
        if (n > 0) at += (size_t)n;
        if (n > 0 || errno == EINTR) continue;
        const int failed = errno;
        close(fd);
        fd = -failed;
    }
    sbx_buf_finish(&words);
    return fd;
}

/* ---- its start ---- */

struct run_ends {
    int inner[3]; /* its standard descriptors */
    int outer[3];
};

static void ends_close(int *fds) {
    for (int i = 0; i < 3; i++) {
        sim_host_fd_close(fds[i]);
        fds[i] = -1;
    }
}

static int ends_open(struct run_ends *ends, int one_stream) {
    for (int i = 0; i < 3; i++) ends->inner[i] = ends->outer[i] = -1;
    for (int i = 0; i < 3; i++) {
        int fds[2];
        if (i == 2 && one_stream) {
            ends->inner[2] = fcntl(ends->inner[1], F_DUPFD_CLOEXEC, 0);
            if (ends->inner[2] < 0) return errno;
            continue;
        }
        if (pipe2(fds, O_CLOEXEC)) return errno;
        ends->inner[i] = fds[i > 0];
        ends->outer[i] = fds[i == 0];
        if (fcntl(ends->outer[i], F_SETFL, O_NONBLOCK)) return errno;
    }
    return 0;
}

/* Takes the outer ends over. */
static int run_connect(struct host_run *run, const struct sim_run_options *opt, struct run_ends *ends) {
    const int out[HOST_STREAMS] = {ends->outer[1], ends->outer[2], -1};
    run->inlet = sim_host_inlet_new(run->box->host, ends->outer[0]);
    run->drain = sim_host_drain_new(run->box->host, out, 0);
    for (int i = 0; i < 3; i++) ends->outer[i] = -1;
    if (!run->inlet || !run->drain) return ENOMEM;
    run->drain->output = opt->output;
    run->drain->ctx = opt->ctx;
    return 0;
}

static int run_feed_first(struct host_run *run, const struct sim_run_options *opt) {
    int failed = opt->stdin_len ? sim_host_inlet_put(run->inlet, opt->stdin_text, opt->stdin_len) : 0;
    if (!failed && opt->stdin_stays) return 0;
    sim_host_inlet_leave(run->inlet);
    run->inlet = NULL;
    return failed == ENOMEM ? failed : 0;
}

static int run_begin(struct host_run *run, const struct sim_run_options *opt) {
    struct host_message ask = {.verb = HOST_START};
    struct run_ends ends;
    int failed = ends_open(&ends, opt->one_stream), words = -1;
    if (!failed) failed = run_connect(run, opt, &ends);
    if (!failed && (words = run_words(run->box, opt, &ask)) < 0) failed = -words;
    if (!failed) failed = run_feed_first(run, opt); /* its own end is open: nothing is lost */
    if (!failed) {
        const int fds[HOST_DESCRIPTORS] = {words, ends.inner[0], ends.inner[1], ends.inner[2]};
        run->pid = sim_host_ask(run->box, &ask, fds, HOST_DESCRIPTORS);
        failed = run->pid < 0 ? -run->pid : 0;
    }
    sim_host_fd_close(words);
    ends_close(ends.inner);
    ends_close(ends.outer);
    return failed;
}

static struct sim_run *run_start(struct sim_machine *m, const struct sim_run_options *opt, sim_errno *why) {
    struct host_box *box = sim_host_box(m);
    struct host_run *run = calloc(1, sizeof(*run));
    *why = run ? sim_host_up(box) : ENOMEM;
    if (*why) {
        free(run);
        return NULL;
    }
    run->engine = &sim_engine_host;
    run->refs = 1;
    run->box = box;
    sim_host_hold(box);
    *why = run_begin(run, opt);
    if (*why) {
        run_release(run);
        return NULL;
    }
    run->refs++;
    run->next = box->runs;
    box->runs = run;
    return (struct sim_run *)(void *)run;
}

/* ---- what is asked of it ---- */

static enum sbx_status run_wait(struct sim_run *it, int outputs, int64_t deadline_ns) {
    struct host_run *run = run_of(it);
    struct sim_world *world = run->box->host->world;
    enum sim_woken woken = SIM_WOKEN;
    run->refs++;
    while (woken == SIM_WOKEN && !run->exited) woken = sim_wait(world, &run->changed, deadline_ns);
    while (woken == SIM_WOKEN && outputs && sim_host_drain_is_open(run->drain))
        woken = sim_wait(world, &run->drain->ended, deadline_ns);
    const int halted = run->halted;
    run_release(run);
    if (woken != SIM_WOKEN) return woken == SIM_TIMEOUT ? SBX_DEADLINE : SBX_GONE;
    return halted ? SBX_GONE : SBX_OK;
}

static int run_exited(const struct sim_run *it, int *code, int *signal) {
    const struct host_run *run = run_seen(it);
    if (!run->exited) return 0;
    *code = run->code;
    *signal = run->signal;
    return 1;
}

/* What a halt has ended has nobody left; numbers begin anew behind it. */
static int32_t run_ask(const struct host_run *run, int verb, int signal) {
    const struct host_message ask = {.verb = verb, .pid = run->pid, .number = signal};
    return run->halted ? 0 : sim_host_ask(run->box, &ask, NULL, 0);
}

static void run_kill(struct sim_run *run, int signal) {
    (void)run_ask(run_of(run), HOST_SIGNAL, signal);
}

static void run_kill_tree(struct sim_run *run, int signal) {
    (void)run_ask(run_of(run), HOST_SIGNAL_TREE, signal);
}

static int run_alive(const struct sim_run *run) {
    return run_ask(run_seen(run), HOST_ALIVE, 0) > 0;
}

static sim_errno run_feed(struct sim_run *it, const void *data, size_t len) {
    struct host_run *run = run_of(it);
    return run->inlet ? sim_host_inlet_put(run->inlet, data, len) : EPIPE;
}

static void run_feed_end(struct sim_run *it) {
    struct host_run *run = run_of(it);
    sim_host_inlet_leave(run->inlet);
    run->inlet = NULL;
}

static int32_t run_pid(const struct sim_run *run) {
    return run_seen(run)->pid;
}

static void run_signal(struct sim_run *run, int signal) {
    if (!run_seen(run)->exited) (void)run_ask(run_of(run), HOST_SIGNAL_ONE, signal);
}

static void run_free(struct sim_run *it) {
    struct host_run *run = run_of(it);
    if (run->drain) run->drain->let_go = 1;
    run_feed_end(it);
    run_release(run);
}

const struct sim_engine_runs sim_host_runs = {.start = run_start,
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
