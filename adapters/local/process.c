/* Running a command to its end: its streams by pipes, its end by its descriptor. Rows L1, P7, P9.
 *
 * The end of a command is that of its first process: what it has written by then is taken, and whoever still holds its
 * streams is not waited for. What is waited for is real, so the waits are polls of at most 20 ms; the env says whether
 * time is over. */
#include "adapters/local/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define TICK_MS     20
#define PIECE_BYTES 65536

enum { IN, OUT, ERR, NOTE, STREAMS };

struct running {
    const struct local *l;
    const struct local_order *order;
    pid_t pid;
    int watch; /* its descriptor */
    int gone;
    int fd[STREAMS]; /* our ends, -1 = none */
    int child[STREAMS];
    int64_t begun_ms, moved_ms;
    char note[8];
    size_t note_len;
    char in[PIECE_BYTES]; /* read, and not yet written */
    size_t in_at, in_len;
    char piece[PIECE_BYTES];
};

static void fd_close(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void running_finish(struct running *r) {
    for (int i = 0; i < STREAMS; i++) {
        fd_close(&r->fd[i]);
        fd_close(&r->child[i]);
    }
    fd_close(&r->watch);
    explicit_bzero(r->in, sizeof(r->in));
    explicit_bzero(r->piece, sizeof(r->piece));
}

static int fd_high(int fd) {
    int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 10) : -1;
    if (fd >= 0) close(fd);
    return high;
}

/* A socket: writing to one whose reader is gone raises no SIGPIPE when asked not to. */
static int open_input(struct running *r) {
    int ends[2] = {-1, -1};
    if (!r->order->from) return 1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
    r->fd[IN] = fd_high(ends[0]);
    r->child[IN] = fd_high(ends[1]);
    return r->fd[IN] >= 0 && r->child[IN] >= 0 && fcntl(r->fd[IN], F_SETFL, O_NONBLOCK) == 0;
}

static int open_output(struct running *r, int which) {
    int ends[2];
    if (!sbx_local_pipe(ends)) return 0;
    r->fd[which] = ends[0];
    r->child[which] = ends[1];
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static enum sbx_status start(struct running *r, const struct local_view *view, struct sbx_error *err) {
    struct local_texts args = {0}, vars = {0};
    enum sbx_status st = SBX_OK;
    int failed = 0;
    sbx_local_args_of(r->l, view, r->order, &args);
    sbx_local_vars_of(r->l, view, r->order, &vars);
    if (args.failed || vars.failed) {
        st = SBX_NO_MEMORY;
    } else if (!open_input(r) || !open_output(r, OUT) || !open_output(r, ERR) || !open_output(r, NOTE)) {
        st = SBX_NO_CAPACITY;
    } else {
        const struct local_streams streams = {{r->child[IN], r->child[OUT], r->child[ERR], r->child[NOTE]}};
        failed = sbx_local_spawn(args.at, vars.at, &streams, &r->pid);
        st = !failed ? SBX_OK : failed == EAGAIN || failed == ENOMEM ? SBX_NO_CAPACITY : SBX_PROVIDER;
    }
    sbx_local_texts_finish(&args);
    sbx_local_texts_finish(&vars);
    for (int i = 0; i < STREAMS; i++) fd_close(&r->child[i]);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "no process could be started") : SBX_OK;
}

/* ---- its streams ---- */

static enum sbx_status give(struct running *r, int which, size_t len) {
    r->moved_ms = r->l->env->now_ms(r->l->env);
    if (which == NOTE) {
        size_t room = sizeof(r->note) - 1 - r->note_len;
        if (len > room) len = room;
        memcpy(r->note + r->note_len, r->piece, len);
        r->note_len += len;
        return SBX_OK;
    }
    if (!r->order->data) return SBX_OK;
    return r->order->data(r->order->ctx, which == OUT ? SBX_STDOUT : SBX_STDERR, r->piece, len) ? SBX_STREAM : SBX_OK;
}

static enum sbx_status take(struct running *r, int which) {
    ssize_t n = read(r->fd[which], r->piece, sizeof(r->piece));
    if (n > 0) return give(r, which, (size_t)n);
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) fd_close(&r->fd[which]);
    return SBX_OK;
}

/* What was written before the end is in the pipe by now; more may come for ever. */
static enum sbx_status drain(struct running *r, int which) {
    int left = 0;
    enum sbx_status st = SBX_OK;
    if (r->fd[which] < 0 || ioctl(r->fd[which], FIONREAD, &left) != 0) return SBX_OK;
    while (left > 0 && !st) {
        size_t want = (size_t)left < sizeof(r->piece) ? (size_t)left : sizeof(r->piece);
        ssize_t n = read(r->fd[which], r->piece, want);
        if (n <= 0) break;
        left -= (int)n;
        st = give(r, which, (size_t)n);
    }
    return st;
}

static enum sbx_status feed(struct running *r) {
    if (r->in_at == r->in_len) {
        ptrdiff_t n = r->order->from->read(r->order->from->ctx, r->in, sizeof(r->in));
        if (n < 0) return SBX_STREAM;
        r->in_at = 0;
        r->in_len = (size_t)n;
        if (n == 0) fd_close(&r->fd[IN]);
        if (n == 0) return SBX_OK;
    }
    ssize_t n = send(r->fd[IN], r->in + r->in_at, r->in_len - r->in_at, MSG_NOSIGNAL);
    if (n > 0) {
        r->in_at += (size_t)n;
        r->moved_ms = r->l->env->now_ms(r->l->env);
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
        fd_close(&r->fd[IN]); /* it reads no more: its end says why */
    }
    return SBX_OK;
}

/* ---- its course ---- */

static enum sbx_status time_is_over(const struct running *r, const struct sbx_call *call) {
    enum sbx_status st = sbx_call_check(call, r->l->env);
    int64_t now_ms = r->l->env->now_ms(r->l->env);
    if (st) return st;
    if (now_ms - r->begun_ms >= r->order->lifetime_ms) return SBX_COMMAND_TIMEOUT; /* guard: local_lifetime_ends */
    return r->order->stall_ms && now_ms - r->moved_ms >= r->order->stall_ms ? SBX_DEADLINE : SBX_OK;
}

/* @return SBX_OK with *ended once its first process has */
static enum sbx_status turn(struct running *r, int *ended) {
    struct pollfd at[STREAMS + 1];
    int which[STREAMS + 1];
    nfds_t n = 0;
    enum sbx_status st = SBX_OK;
    for (int i = 0; i < STREAMS; i++)
        if (r->fd[i] >= 0) {
            which[n] = i;
            at[n++] = (struct pollfd){.fd = r->fd[i], .events = i == IN ? POLLOUT : POLLIN};
        }
    at[n] = (struct pollfd){.fd = r->watch, .events = POLLIN};
    if (poll(at, n + 1, TICK_MS) <= 0) return SBX_OK;
    for (nfds_t i = 0; i < n && !st; i++)
        if (at[i].revents) st = which[i] == IN ? feed(r) : take(r, which[i]);
    *ended = at[n].revents != 0; /* guard: local_end_is_its_own */
    return st;
}

static enum sbx_status follow(struct running *r, const struct sbx_call *call) {
    int ended = r->gone;
    enum sbx_status st = SBX_OK;
    while (!st && !ended) {
        st = time_is_over(r, call);
        if (!st) st = turn(r, &ended);
    }
    for (int i = OUT; i < STREAMS && !st; i++) st = drain(r, i);
    return st;
}

static enum sbx_status end_early(struct running *r, enum sbx_status st, const struct sbx_call *call,
                                 struct local_end *end, struct sbx_error *err) {
    struct sbx_call cleanup;
    if (sbx_call_for_cleanup(call, r->l->env, &cleanup))
        end->killed_confirmed = sbx_local_group_end(r->l, r->pid, &cleanup); /* guard: local_group_is_ended */
    for (int i = OUT; i < NOTE; i++) (void)drain(r, i);
    if (end->killed_confirmed) (void)sbx_local_reap(r->pid);
    return sbx_fail(err, st, SBX_OUTCOME_DONE, NULL);
}

/* A stop may have come between the look at the sandbox and the start: it has seen this process, or is seen here. */
static enum sbx_status stopped_meanwhile(const struct local *l, const struct local_view *view) {
    struct local_view now = {0};
    struct sbx_error quiet = SBX_ERROR_INIT;
    enum sbx_status st = sbx_local_view_read(l, view->id, &now, &quiet);
    if (st == SBX_NOT_FOUND || (!st && now.is.generation != view->is.generation)) st = SBX_NOT_READY;
    sbx_local_view_finish(&now);
    return st;
}

static enum sbx_status finish(struct running *r, struct local_end *end, struct sbx_error *err) {
    if (strcmp(r->note, "cwd\n") == 0)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "cwd: expected a directory");
    end->exit_known = end->exit_code >= 0;
    return SBX_OK;
}

static enum sbx_status run_in(struct running *r, const struct local_view *view, const struct sbx_call *call,
                              struct local_end *end, struct sbx_error *err) {
    enum sbx_status st = start(r, view, err);
    if (st) return st;
    r->watch = pidfd_open(r->pid, 0);
    r->gone = r->watch < 0 && errno == ESRCH; /* ended, and taken from us */
    st = r->watch < 0 && !r->gone ? SBX_NO_CAPACITY : SBX_OK;
    if (!st) st = stopped_meanwhile(r->l, view);
    if (!st) st = follow(r, call);
    if (st) return end_early(r, st, call, end, err);
    end->exit_code = sbx_local_reap(r->pid);
    return finish(r, end, err);
}

enum sbx_status sbx_local_process_run(const struct local *l, const struct local_view *view,
                                      const struct local_order *order, const struct sbx_call *call,
                                      struct local_end *end, struct sbx_error *err) {
    struct running *r = calloc(1, sizeof(*r));
    memset(end, 0, sizeof(*end));
    end->exit_code = -1;
    if (!r) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    r->l = l;
    r->order = order;
    r->watch = -1;
    for (int i = 0; i < STREAMS; i++) r->fd[i] = r->child[i] = -1;
    r->begun_ms = r->moved_ms = l->env->now_ms(l->env);
    enum sbx_status st = run_in(r, view, call, end, err);
    running_finish(r);
    free(r);
    return st;
}
