/* The process inside of a sandbox: what it is asked to do, and the ends of others. */
#include "sim/machine/host/inside.h"
#include "sim/machine/host/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSIDE_FILES 1024 /* the usual limit of descriptors */

/* @return the descriptor that tells of ended children, -1 */
static int inside_begin(void) {
    struct rlimit files;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_SETMASK, &ended, NULL);
    umask(022);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max > INSIDE_FILES) {
        files.rlim_cur = INSIDE_FILES;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    /* Nobody of the sandbox may look into this process, which has its user. */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (fcntl(HOST_SOCKET, F_SETFD, FD_CLOEXEC)) return -1;
    return signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int inside_ready(int plain) {
    const struct host_message ready = {.verb = HOST_READY, .plain = plain};
    int root = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int failed = root < 0 ? errno : sim_host_send(HOST_SOCKET, &ready, &root, 1);
    if (root >= 0) close(root);
    return failed;
}

static int32_t inside_do(const struct host_message *ask, const int *fds) {
    switch (ask->verb) {
    case HOST_START:
        return sim_inside_start(fds[0], ask->argc, ask->envc, fds + 1);
    case HOST_SIGNAL:
        return ask->pid > 1 && kill(-ask->pid, ask->number) == 0 ? 0 : -ESRCH;
    case HOST_SIGNAL_TREE:
        return sim_inside_tree(ask->pid, ask->number);
    case HOST_SIGNAL_ONE:
        return ask->pid > 1 && kill(ask->pid, ask->number) == 0 ? 0 : -ESRCH;
    case HOST_ALIVE:
        return sim_inside_tree(ask->pid, 0);
    case HOST_COUNT:
        return sim_inside_tree(0, 0);
    default:
        return -EINVAL;
    }
}

static int inside_serve(void) {
    struct host_message ask, answer = {.verb = HOST_ANSWER};
    int fds[HOST_DESCRIPTORS];
    int failed = sim_host_receive(HOST_SOCKET, &ask, fds, 1);
    if (failed) return failed;
    answer.number = inside_do(&ask, fds);
    for (int i = 0; i < HOST_DESCRIPTORS; i++)
        if (fds[i] >= 0) close(fds[i]);
    return sim_host_send(HOST_SOCKET, &answer, NULL, 0);
}

/* Orphans come to this process too: nobody asks for them. */
static int inside_reap(int told) {
    struct signalfd_siginfo info[8];
    struct host_message exited = {.verb = HOST_EXITED};
    int failed = 0;
    while (read(told, info, sizeof(info)) > 0) continue;
    for (int status = 0; !failed;) {
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid <= 0) break;
        exited.pid = (int32_t)pid;
        exited.number = status;
        failed = sim_host_send(HOST_SOCKET, &exited, NULL, 0);
    }
    return failed;
}

int sim_host_inside(int plain) {
    const int told = inside_begin();
    if (plain) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    int failed = told < 0 ? errno : inside_ready(plain);
    while (!failed) {
        struct pollfd watched[2] = {{.fd = HOST_SOCKET, .events = POLLIN}, {.fd = told, .events = POLLIN}};
        if (poll(watched, 2, -1) < 0 && errno != EINTR) break;
        if (watched[1].revents) failed = inside_reap(told);
        if (!failed && watched[0].revents) failed = inside_serve();
    }
    if (plain) sim_inside_end();
    return failed != EPIPE;
}
