/* A machine of the host engine: its scratch tree, the process inside that it is asked through, its end. */
#include "sim/machine/host/box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOX_DISK_BYTES (INT64_C(3) << 30)
#define BOX_ANSWER_MS  30000 /* a process inside that says nothing for so long is lost */
#define BOX_END_MS     5000

struct host_box *sim_host_box(struct sim_machine *m) {
    return (struct host_box *)(void *)m;
}

static const struct host_box *box_of(const struct sim_machine *m) {
    return (const struct host_box *)(const void *)m;
}

void sim_host_hold(struct host_box *box) {
    box->refs++;
}

void sim_host_release(struct host_box *box) {
    if (--box->refs > 0) return;
    free(box->folder);
    free(box->hostname);
    free(box->user);
    free(box->home);
    free(box);
}

/* ---- up and down ---- */

void sim_host_down(struct host_box *box) {
    if (box->socket < 0) return;
    struct pollfd ended = {.fd = box->process, .events = POLLIN};
    close(box->socket); /* the process inside ends by that, and with it all others */
    box->socket = -1;
    sim_host_fd_close(box->root);
    box->root = -1;
    if (box->process < 0 || poll(&ended, 1, BOX_END_MS) != 1) kill((pid_t)box->pid, SIGKILL);
    while (waitpid((pid_t)box->pid, NULL, 0) < 0 && errno == EINTR) continue;
    sim_host_fd_close(box->process);
    box->process = -1;
    sim_host_runs_lose(box);
}

/* A message that nobody asked for. */
static void box_told(struct host_box *box, const struct host_message *message, int *fds) {
    if (message->verb == HOST_READY && fds[0] >= 0) {
        sim_host_fd_close(box->root);
        box->root = fds[0];
        fds[0] = -1;
    }
    if (message->verb == HOST_EXITED) sim_host_run_told(box, message->pid, message->number, 0);
    for (int i = 0; i < HOST_DESCRIPTORS; i++) sim_host_fd_close(fds[i]);
}

static void box_ready(struct host_source *source) {
    struct host_box *box = (struct host_box *)(void *)((char *)source - offsetof(struct host_box, source));
    struct host_message message;
    int fds[HOST_DESCRIPTORS], failed = 0;
    while (box->socket >= 0 && (failed = sim_host_receive(box->socket, &message, fds, 0)) == 0)
        box_told(box, &message, fds);
    if (failed && failed != EAGAIN) sim_host_down(box);
}

/* Takes messages up to one of this verb. @return 0, or an errno and it is down */
static int box_await(struct host_box *box, int verb, struct host_message *message) {
    for (int fds[HOST_DESCRIPTORS];;) {
        struct pollfd one = {.fd = box->socket, .events = POLLIN};
        const int came = poll(&one, 1, BOX_ANSWER_MS);
        if (came < 0 && errno == EINTR) continue;
        const int failed = came == 1 ? sim_host_receive(box->socket, message, fds, 1) : ETIMEDOUT;
        if (failed) {
            sim_host_down(box);
            return EIO;
        }
        box_told(box, message, fds);
        if (message->verb == verb) return 0;
    }
}

sim_errno sim_host_up(struct host_box *box) {
    struct host_message ready;
    if (box->wiped) return ENOENT;
    if (box->socket >= 0) return 0;
    int failed = sim_host_spawn(box);
    if (!failed) failed = box_await(box, HOST_READY, &ready);
    if (!failed && !box->host->bwrap) { /* it sees the host's root: files are below the scratch one */
        char path[4096];
        snprintf(path, sizeof(path), "%s/root", box->folder);
        sim_host_fd_close(box->root);
        box->root = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    if (!failed && (box->root < 0 || !sim_host_watch(box->host, box->socket, EPOLLIN, &box->source))) {
        failed = ENOMEM;
        sim_host_down(box);
    }
    return failed;
}

int32_t sim_host_ask(struct host_box *box, const struct host_message *ask, const int *fds, size_t count) {
    struct host_message answer;
    if (box->socket < 0) return -EIO;
    if (sim_host_send(box->socket, ask, fds, count)) {
        sim_host_down(box);
        return -EIO;
    }
    const int failed = box_await(box, HOST_ANSWER, &answer);
    return failed ? -failed : answer.number;
}

/* ---- the machine ---- */

/* The home directory as programs see it: without isolation by its path on the host. */
static char *box_home(const struct host_box *box, const char *home) {
    struct sbx_buf text = SBX_BUF_INIT;
    if (!box->host->bwrap) sbx_buf_printf(&text, "%s/root", box->folder);
    sbx_buf_text_append(&text, home);
    if (!sbx_buf_status(&text)) return sbx_buf_take(&text, NULL);
    sbx_buf_finish(&text);
    return NULL;
}

static char *box_folder(const struct sim_host *host, int64_t number) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_printf(&text, "%s/%lld", host->folder, (long long)number);
    if (!sbx_buf_status(&text)) return sbx_buf_take(&text, NULL);
    sbx_buf_finish(&text);
    return NULL;
}

struct sim_machine *sim_host_machine_new(struct sim *sim, const struct sim_machine_options *opt) {
    struct host_box *box = calloc(1, sizeof(*box));
    if (!box) return NULL;
    box->engine = &sim_engine_host;
    box->source.ready = box_ready;
    box->host = sim_host(sim);
    box->refs = 1;
    box->socket = box->root = box->process = -1;
    box->uid = opt->uid;
    box->disk_bytes = opt->disk_bytes ? opt->disk_bytes : BOX_DISK_BYTES;
    box->no_network = opt->no_network || !box->host->network;
    box->folder = box_folder(box->host, ++box->host->boxes);
    box->hostname = strdup(opt->hostname ? opt->hostname : "sandbox");
    box->user = strdup(opt->user ? opt->user : "daytona");
    box->home = box->folder ? box_home(box, opt->home ? opt->home : "/home/daytona") : NULL;
    if (box->hostname && box->user && box->home &&
        sim_host_tree_make(box, opt->home ? opt->home : "/home/daytona") == 0)
        return (struct sim_machine *)(void *)box;
    sim_host_release(box);
    return NULL;
}

static void box_halt(struct sim_machine *m) {
    sim_host_down(sim_host_box(m));
}

static void box_wipe(struct sim_machine *m) {
    struct host_box *box = sim_host_box(m);
    sim_host_down(box);
    if (box->wiped) return;
    box->wiped = 1;
    const int dir = openat(AT_FDCWD, box->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir >= 0) (void)sim_host_empty(dir);
    sim_host_fd_close(dir);
    (void)rmdir(box->folder);
}

static void box_free(struct sim_machine *m) {
    box_wipe(m);
    sim_host_release(sim_host_box(m));
}

static const char *box_home_path(const struct sim_machine *m) {
    return box_of(m)->home;
}

static int box_id(const struct sim_machine *m, const char *name, int64_t *id) {
    if (sbx_text_int(name, 0, INT32_MAX, id)) return 1;
    if (strcmp(name, "root") == 0)
        *id = 0;
    else if (strcmp(name, box_of(m)->user) == 0)
        *id = box_of(m)->uid;
    else
        return 0;
    return 1;
}

static void box_state(const struct sim_machine *m, struct sbx_buf *json) {
    const struct host_message count = {.verb = HOST_COUNT};
    struct host_box *box = box_of(m)->host ? sim_host_box((struct sim_machine *)(uintptr_t)m) : NULL;
    const int32_t n = box && box->socket >= 0 ? sim_host_ask(box, &count, NULL, 0) : 0;
    sbx_json_put_int(json, "processes", n > 0 ? n : 0);
}

static void box_signal_all(struct sim_machine *m, int signal) {
    const struct host_message ask = {.verb = HOST_SIGNAL_TREE, .number = signal};
    struct host_box *box = sim_host_box(m);
    if (box->socket >= 0) (void)sim_host_ask(box, &ask, NULL, 0);
}

static void box_freeze(struct sim_machine *m) {
    box_signal_all(m, SIGSTOP);
}

static void box_thaw(struct sim_machine *m) {
    box_signal_all(m, SIGCONT);
}

/* The kernel numbers them. */
static int32_t box_next_pid(struct sim_machine *m, int32_t pid) {
    (void)m;
    return pid;
}

/* There is one user outside, whoever it is inside. */
static int64_t box_become(struct sim_machine *m, int64_t uid) {
    (void)uid;
    return box_of(m)->uid;
}

static const char *box_name(const struct sim_machine *m, int64_t id) {
    if (id == 0) return "root";
    return id == box_of(m)->uid ? box_of(m)->user : NULL;
}

static const struct sim_engine_machine host_machine = {.free = box_free,
                                                       .halt = box_halt,
                                                       .wipe = box_wipe,
                                                       .home = box_home_path,
                                                       .id = box_id,
                                                       .state = box_state,
                                                       .freeze = box_freeze,
                                                       .thaw = box_thaw,
                                                       .next_pid = box_next_pid,
                                                       .become = box_become,
                                                       .name = box_name};

const struct sim_engine sim_engine_host = {
    .real = 1, .machine = &host_machine, .files = &sim_host_files, .runs = &sim_host_runs, .pipes = &sim_host_pipes};
