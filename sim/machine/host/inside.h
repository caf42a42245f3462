/* The process inside of a sandbox: its first, which starts the others, tells of their ends, and with which all end. */
#ifndef SIM_MACHINE_HOST_INSIDE_H
#define SIM_MACHINE_HOST_INSIDE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** The word that makes the program such a process, and the one for a sandbox without isolation. */
#define HOST_INSIDE_WORD "--inside"
#define HOST_PLAIN_WORD  "--inside-plain"
/** The word behind which an id and a command stand, that root gives its rights up for. */
#define HOST_DROP_WORD "--inside-as"

/** Serves the socket HOST_SOCKET until its other end closes. @return an exit status */
int sim_host_inside(int plain);

/** Becomes `command` as nobody but user and group `id`. @return an exit status, if it cannot */
int sim_host_drop(const char *id, char **command);

/* inside_start.c */

/** Becomes what the words say in a process of its own, session and group leader. @return its pid, -errno */
int32_t sim_inside_start(int words, int argc, int envc, const int stdio[3]);

/* inside_tree.c */

/** Whom a number stands for: the process of that number, its group, its session, and whoever descends from these.
 *  @param root as above; 0 = whoever descends from this process: all of a sandbox
 *  @param signal 0 = none @return how many there are that live, -errno */
int32_t sim_inside_tree(pid_t root, int signal);
/** Kills whoever descends from this process, until nobody does. */
void sim_inside_end(void);

#endif
