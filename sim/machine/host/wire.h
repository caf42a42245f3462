/* What the host engine and its process inside of a sandbox say to each other: messages of one size over a socket, with
 * descriptors beside them. Both ends are the same program. */
#ifndef SIM_MACHINE_HOST_WIRE_H
#define SIM_MACHINE_HOST_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define HOST_SOCKET      3 /* the inner end, as the process inside finds it */
#define HOST_DESCRIPTORS 4

enum host_verb {
    HOST_READY = 1, /* from inside, once: its root directory as a descriptor */
    HOST_START,     /* words: a descriptor with texts, each with its NUL: cwd, argv, env; then stdin, stdout, stderr */
    HOST_SIGNAL,    /* `number` to the process group `pid` */
    HOST_SIGNAL_TREE,
    HOST_SIGNAL_ONE, /* to the process `pid` alone */
    HOST_ALIVE,      /* how many of the tree are */
    HOST_COUNT,      /* how many processes there are */
    HOST_ANSWER,     /* from inside, one for each of those: `number` >= 0, or -errno */
    HOST_EXITED      /* from inside: process `pid`, with the status of waitpid */
};

struct host_message {
    int32_t verb;
    int32_t pid;
    int32_t number;
    int32_t argc, envc;
    int32_t plain; /* READY: nothing is isolated */
};

/** Sends one with `count` descriptors beside it. @return 0 or an errno */
int sim_host_send(int fd, const struct host_message *message, const int *fds, size_t count);
/** Receives one; descriptors that came with it are yours, `fds` has room for HOST_DESCRIPTORS, the rest is -1.
 *  @param wait 0 = only what is there (EAGAIN) @return 0, an errno, EPIPE when the other end has gone */
int sim_host_receive(int fd, struct host_message *message, int *fds, int wait);

#endif
