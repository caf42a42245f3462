/* The host engine: machines whose programs are the host's own, each in a scratch tree, isolated by bubblewrap, on real
 * time.
 *
 * Each machine has one bubblewrap whose first process is of this very program (inside.h): it starts what is run and
 * tells of its end, over a socket, and when the socket closes everything inside ends. Nothing is done by path on the
 * host but below the folder that was made here: paths of a sandbox are walked from a descriptor of its own root, with
 * links resolved in it (RESOLVE_IN_ROOT).
 *
 * Everything belongs to the world's thread. Sockets and pipes are watched by an epoll of the host's own, whose
 * descriptor the program's loop watches. SIGPIPE must be ignored. */
#ifndef SIM_MACHINE_HOST_HOST_H
#define SIM_MACHINE_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

struct sim;
struct sim_host;

struct sim_host_options {
    const char *program;   /* what runs inside, with HOST_INSIDE_WORD; an absolute path */
    const char *temporary; /* where the scratch folder is made: "/tmp" */
    const char *search;    /* folders where bwrap may be, as PATH has them */
    int plain;             /* no isolation: plain processes, for whoever asked for it */
    int network;           /* programs may use the host's */
};

/** Makes the scratch folder, and tries bubblewrap.
 *  @param why what is wrong, up to why_cap bytes
 *  @return 0 and *out, ENOSYS without a bubblewrap that works, or another errno */
int sim_host_open(struct sim *sim, const struct sim_host_options *opt, struct sim_host **out, char *why,
                  size_t why_cap);
/** After its machines: takes the scratch folder away. NULL is ignored. */
void sim_host_close(struct sim_host *host);
/** Readable when sim_host_turn() has something to do. */
int sim_host_fd(const struct sim_host *host);
/** Takes what has come; fibers that wait for it are made ready. */
void sim_host_turn(struct sim_host *host);
/** "/usr/bin/bwrap", "" without isolation; lent. */
const char *sim_host_isolation(const struct sim_host *host);

#endif
