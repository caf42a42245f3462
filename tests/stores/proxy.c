/* Between a client and the PostgreSQL server: a thread that passes bytes on, and cuts both at a COMMIT. */
#include "proxy.h"

#include "scratch.h"
#include "t.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PAIRS = 16 };

struct proxy {
    struct scratch *scratch;
    char folder[SCRATCH_PATH_SIZE];
    struct sockaddr_un server;
    int listener;
    int client[PAIRS], upstream[PAIRS]; /* -1 = free */
    int answering[PAIRS];               /* the COMMIT that is to be cut was sent on here */
    atomic_int cut;
    atomic_int has_cut;
    atomic_int over;
    pthread_t thread;
};

static int socket_at(struct sockaddr_un *at, const char *folder) {
    memset(at, 0, sizeof(*at));
    at->sun_family = AF_UNIX;
    if (snprintf(at->sun_path, sizeof(at->sun_path), "%.80s/.s.PGSQL.5432", folder) < 0) T_FAIL("no path");
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static void close_pair(struct proxy *p, int i) {
    close(p->client[i]);
    close(p->upstream[i]);
    p->client[i] = p->upstream[i] = -1;
}

static void accept_one(struct proxy *p) {
    int client = accept(p->listener, NULL, NULL), upstream = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int i = 0; i < PAIRS && client >= 0; i++) {
        if (p->client[i] >= 0) continue;
        if (connect(upstream, (const struct sockaddr *)&p->server, sizeof(p->server)) != 0) break;
        p->client[i] = client;
        p->upstream[i] = upstream;
        p->answering[i] = 0;
        return;
    }
    close(client);
    close(upstream);
}

static void cut(struct proxy *p, int i) {
    close_pair(p, i);
    atomic_store(&p->cut, PROXY_CUTS_NOTHING);
    atomic_store(&p->has_cut, 1);
}

static void pass(struct proxy *p, int i, int from, int to, int is_client) {
    char bytes[16384];
    ssize_t n = read(from, bytes, sizeof(bytes));
    if (n <= 0) {
        close_pair(p, i);
        return;
    }
    if (is_client && memmem(bytes, (size_t)n, "COMMIT", strlen("COMMIT")) != NULL) {
        if (atomic_load(&p->cut) == PROXY_CUTS_BEFORE_COMMIT) {
            cut(p, i);
            return;
        }
        p->answering[i] = atomic_load(&p->cut) == PROXY_CUTS_AFTER_COMMIT;
    }
    if (!is_client && p->answering[i]) {
        cut(p, i);
        return;
    }
    for (ssize_t at = 0; at < n;) {
        ssize_t sent = send(to, bytes + at, (size_t)(n - at), MSG_NOSIGNAL);
        if (sent <= 0) {
            close_pair(p, i);
            return;
        }
        at += sent;
    }
}

static void *run(void *arg) {
    struct proxy *p = arg;
    while (!atomic_load(&p->over)) {
        struct pollfd fds[1 + 2 * PAIRS] = {{.fd = p->listener, .events = POLLIN}};
        for (int i = 0; i < PAIRS; i++) {
            fds[1 + 2 * i] = (struct pollfd){.fd = p->client[i], .events = POLLIN};
            fds[2 + 2 * i] = (struct pollfd){.fd = p->upstream[i], .events = POLLIN};
        }
        if (poll(fds, 1 + 2 * PAIRS, 20) <= 0) continue;
        for (int i = 0; i < PAIRS; i++) {
            if (fds[1 + 2 * i].revents && p->client[i] >= 0) pass(p, i, p->client[i], p->upstream[i], 1);
            if (fds[2 + 2 * i].revents && p->client[i] >= 0) pass(p, i, p->upstream[i], p->client[i], 0);
        }
        if (fds[0].revents) accept_one(p);
    }
    return NULL;
}

struct proxy *proxy_create(const char *server_folder) {
    struct proxy *p = calloc(1, sizeof(*p));
    struct sockaddr_un here;
    if (!p) T_FAIL("out of memory");
    p->scratch = scratch_create();
    scratch_path(p->scratch, ".", p->folder);
    close(socket_at(&p->server, server_folder));
    for (int i = 0; i < PAIRS; i++) p->client[i] = p->upstream[i] = -1;
    p->listener = socket_at(&here, p->folder);
    T_EQ(bind(p->listener, (const struct sockaddr *)&here, sizeof(here)), 0);
    T_EQ(listen(p->listener, PAIRS), 0);
    T_EQ(pthread_create(&p->thread, NULL, run, p), 0);
    return p;
}

const char *proxy_folder(const struct proxy *p) {
    return p->folder;
}

void proxy_arm(struct proxy *p, enum proxy_cut cut_it) {
    atomic_store(&p->has_cut, 0);
    atomic_store(&p->cut, (int)cut_it);
}

int proxy_has_cut(struct proxy *p) {
    return atomic_load(&p->has_cut);
}

void proxy_free(struct proxy *p) {
    atomic_store(&p->over, 1);
    pthread_join(p->thread, NULL);
    for (int i = 0; i < PAIRS; i++)
        if (p->client[i] >= 0) close_pair(p, i);
    close(p->listener);
    scratch_free(p->scratch);
    free(p);
}
