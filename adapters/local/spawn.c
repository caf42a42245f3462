/* Starting a program: posix_spawn, since a host of many threads may not fork and go on. Row L1.
 *
 * No handler for SIGCHLD is installed; a child is waited for by its number. Where the host takes such an end away
 * (SIG_IGN, a wait for any child) the exit code is not known, and said so. */
#include "adapters/local/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_FD 10 /* ours are above what a child gets, so that none is overwritten before its turn */

int sbx_local_pipe(int ends[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) return 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, FIRST_FD);
        close(low[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0) return 1;
    if (ends[0] >= 0) close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    return 0;
}

static int add_streams(posix_spawn_file_actions_t *files, const struct local_streams *streams) {
    int failed = 0;
    for (int i = 0; i < 4; i++) {
        if (streams->fd[i] >= 0)
            failed |= posix_spawn_file_actions_adddup2(files, streams->fd[i], i);
        else if (i < 3)
            failed |= posix_spawn_file_actions_addopen(files, i, "/dev/null", i ? O_WRONLY : O_RDONLY, 0);
    }
    return failed | posix_spawn_file_actions_addclosefrom_np(files, streams->fd[3] >= 0 ? 4 : 3);
}

static int add_signals(posix_spawnattr_t *attr) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawnattr_setsigmask(attr, &none) | posix_spawnattr_setsigdefault(attr, &all);
    return failed | posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int sbx_local_spawn(char *const *argv, char *const *envp, const struct local_streams *streams, pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attr) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int failed = add_streams(&files, streams) | add_signals(&attr) ? ENOMEM : 0;
    if (!failed) failed = posix_spawn(pid, argv[0], &files, &attr, argv, envp);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

int32_t sbx_local_reap(pid_t pid) {
    int status = 0;
    pid_t got = 0;
    do got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    if (got != pid) return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
