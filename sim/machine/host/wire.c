/* Messages between the host engine and its process inside of a sandbox. */
#include "sim/machine/host/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the descriptors of a message, aligned as its header is. */
union wire_room {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(HOST_DESCRIPTORS * sizeof(int))];
};

int sim_host_send(int fd, const struct host_message *message, const int *fds, size_t count) {
    union wire_room room = {.bytes = {0}};
    struct host_message copy = *message;
    struct iovec part = {&copy, sizeof(copy)};
    struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};
    if (count) {
        head.msg_control = room.bytes;
        head.msg_controllen = CMSG_SPACE(count * sizeof(int));
        room.head.cmsg_level = SOL_SOCKET;
        room.head.cmsg_type = SCM_RIGHTS;
        room.head.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&room.head), fds, count * sizeof(int));
    }
    while (sendmsg(fd, &head, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

int sim_host_receive(int fd, struct host_message *message, int *fds, int wait) {
    union wire_room room = {.bytes = {0}};
    struct iovec part = {message, sizeof(*message)};
    struct msghdr head = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
    ssize_t n = -1;
    for (int i = 0; i < HOST_DESCRIPTORS; i++) fds[i] = -1;
    while ((n = recvmsg(fd, &head, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT))) < 0)
        if (errno != EINTR) return errno;
    for (const struct cmsghdr *at = CMSG_FIRSTHDR(&head); at && at->cmsg_type == SCM_RIGHTS;) {
        memcpy(fds, CMSG_DATA(at), at->cmsg_len - CMSG_LEN(0));
        break;
    }
    if (n == (ssize_t)sizeof(*message)) return 0;
    for (int i = 0; i < HOST_DESCRIPTORS; i++)
        if (fds[i] >= 0) close(fds[i]);
    return EPIPE;
}
