/* What all machines of the host engine have in common: the scratch folder, bubblewrap, the epoll. */
#include "sim/machine/host/box.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOST_EVENTS 64
#define HOST_NOBODY 65533 /* whose processes they are when root serves */

/* The first `bwrap` along a list of folders; NULL if there is none. */
static char *host_find_bwrap(const char *list) {
    for (const char *at = list; at;) {
        const size_t len = strcspn(at, ":");
        struct sbx_buf path = SBX_BUF_INIT;
        sbx_buf_printf(&path, "%.*s/bwrap", (int)len, at);
        if (at[0] == '/' && !sbx_buf_status(&path) && access(sbx_buf_text(&path), X_OK) == 0)
            return sbx_buf_take(&path, NULL);
        sbx_buf_finish(&path);
        at = at[len] ? at + len + 1 : NULL;
    }
    return NULL;
}

static int host_isolate(struct sim_host *host, const struct sim_host_options *opt, char *why, size_t why_cap) {
    char said[192] = "";
    if (opt->plain) return 0;
    host->bwrap = host_find_bwrap(opt->search);
    if (!host->bwrap) {
        snprintf(why, why_cap, "bubblewrap is not installed: there is no bwrap along PATH");
        return ENOSYS;
    }
    if (sim_host_try(host, said, sizeof(said))) return 0; /* guard: host_needs_isolation */
    snprintf(why, why_cap, "bubblewrap does not work here: %s", said);
    return ENOSYS;
}

static int host_folder(struct sim_host *host, const char *temporary, char *why, size_t why_cap) {
    struct sbx_buf path = SBX_BUF_INIT;
    sbx_buf_printf(&path, "%s/sandport-sim-XXXXXX", temporary);
    if (sbx_buf_status(&path)) {
        sbx_buf_finish(&path);
        return ENOMEM;
    }
    char *folder = sbx_buf_take(&path, NULL);
    if (mkdtemp(folder)) {
        host->folder = folder;
        return 0;
    }
    const int failed = errno;
    snprintf(why, why_cap, "cannot make a folder in %s: %s", temporary, strerrordesc_np(failed));
    free(folder);
    return failed;
}

/* Sandboxes run a copy of the program: where it lies itself their user may not be able to go. */
static int host_copy_program(struct sim_host *host) {
    char path[4096], piece[65536];
    snprintf(path, sizeof(path), "%s/inside", host->folder);
    const int from = openat(AT_FDCWD, host->program, O_RDONLY | O_CLOEXEC);
    const int to = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    ssize_t n = from < 0 || to < 0 ? -1 : 1;
    while (n > 0 && (n = read(from, piece, sizeof(piece))) > 0)
        if (write(to, piece, (size_t)n) != n) n = -1;
    int failed = n < 0 ? errno : 0;
    if (!failed && fchmod(to, 0755)) failed = errno;
    sim_host_fd_close(from);
    sim_host_fd_close(to);
    return failed;
}

static int host_begin(struct sim_host *host, const struct sim_host_options *opt, char *why, size_t why_cap) {
    host->program = strdup(opt->program);
    if (!host->program) return ENOMEM;
    host->uid = geteuid() || opt->plain ? geteuid() : HOST_NOBODY;
    int failed = host_folder(host, opt->temporary, why, why_cap);
    assert(failed || host->folder);
    if (!failed && host->uid != geteuid() && chown(host->folder, (uid_t)host->uid, (gid_t)host->uid)) failed = errno;
    if (!failed) failed = host_isolate(host, opt, why, why_cap);
    if (failed) return failed;
    failed = host_copy_program(host);
    if (failed)
        snprintf(why, why_cap, "cannot copy %s to %s: %s", host->program, host->folder, strerrordesc_np(failed));
    if (!failed && (host->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) failed = errno;
    return failed;
}

int sim_host_open(struct sim *sim, const struct sim_host_options *opt, struct sim_host **out, char *why,
                  size_t why_cap) {
    struct sim_host *host = calloc(1, sizeof(*host));
    snprintf(why, why_cap, "out of memory");
    if (!host) return ENOMEM;
    host->face.machine_new = sim_host_machine_new;
    host->epoll = -1;
    host->sim = sim;
    host->world = sim_world(sim);
    host->network = opt->network;
    const int failed = host_begin(host, opt, why, why_cap);
    if (failed) {
        sim_host_close(host);
        return failed;
    }
    sim_set_host(sim, host);
    *out = host;
    return 0;
}

static void host_remove(const struct sim_host *host) {
    const int dir = openat(AT_FDCWD, host->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir >= 0) (void)sim_host_empty(dir);
    sim_host_fd_close(dir);
    (void)rmdir(host->folder);
}

void sim_host_close(struct sim_host *host) {
    if (!host) return;
    if (host->epoll >= 0) sim_host_turn(host); /* input that nobody can read any more */
    if (host->folder) host_remove(host);
    sim_host_fd_close(host->epoll);
    free(host->folder);
    free(host->bwrap);
    free(host->program);
    free(host);
}

int sim_host_fd(const struct sim_host *host) {
    return host->epoll;
}

void sim_host_turn(struct sim_host *host) {
    struct epoll_event events[HOST_EVENTS];
    const int n = epoll_wait(host->epoll, events, HOST_EVENTS, 0);
    for (int i = 0; i < n; i++) {
        struct host_source *source = events[i].data.ptr;
        source->ready(source);
    }
}

const char *sim_host_isolation(const struct sim_host *host) {
    return host->bwrap ? host->bwrap : "";
}
