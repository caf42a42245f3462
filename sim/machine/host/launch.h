/* Starting a process of the host with exactly the descriptors that it shall have. */
#ifndef SIM_MACHINE_HOST_LAUNCH_H
#define SIM_MACHINE_HOST_LAUNCH_H

#include <stddef.h>
#include <sys/types.h>

/** No signal is blocked or ignored in it.
 *  @param fds what is its descriptor 0, 1 and so on; -1 = /dev/null. @param session it begins one, else a group
 *  @return an errno */
int sim_host_launch(const char *path, char *const *argv, char *const *env, int session, const int *fds, int n,
                    pid_t *pid);

#endif
