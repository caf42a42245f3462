/* Starting a process of the host: its descriptors, its signals, its group. */
#include "sim/machine/host/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

int sim_host_launch(const char *path, char *const *argv, char *const *env, int session, const int *fds, int n,
                    pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, all;
    const short group = session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawn_file_actions_init(&files);
    if (failed) return failed;
    failed = posix_spawnattr_init(&attr);
    if (!failed) {
        posix_spawnattr_setsigmask(&attr, &none);
        posix_spawnattr_setsigdefault(&attr, &all);
        posix_spawnattr_setpgroup(&attr, 0);
        posix_spawnattr_setflags(&attr, (short)(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
        for (int i = 0; i < n && !failed; i++)
            failed = fds[i] < 0 ? posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDONLY, 0)
                                : posix_spawn_file_actions_adddup2(&files, fds[i], i);
        if (!failed) failed = posix_spawn(pid, path, &files, &attr, argv, env);
        posix_spawnattr_destroy(&attr);
    }
    posix_spawn_file_actions_destroy(&files);
    return failed;
}
