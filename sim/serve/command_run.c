/* sandport-sim run: the clouds for as long as a command runs, and then the judgement. */
#include "sim/serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_LEAKED      70
#define EXIT_UNSUPPORTED 71
#define SETTLE_NS        (10 * SIM_SEC)

extern char **environ;

struct child {
    struct serve_source source; /* first */
    int fd;                     /* of signals */
    pid_t pid;
    int status;
};

static void child_ready(struct serve *serve, struct serve_source *source, uint32_t events) {
    struct child *child = (struct child *)(void *)source;
    struct signalfd_siginfo got;
    (void)events;
    while (read(child->fd, &got, sizeof(got)) == (ssize_t)sizeof(got)) {
        if (got.ssi_signo != SIGCHLD)
            kill(child->pid, (int)got.ssi_signo);
        else if (waitpid(child->pid, &child->status, WNOHANG) == child->pid)
            serve->running = 0;
    }
}

static int child_watch(struct serve *serve, struct child *child, sigset_t *signals) {
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGHUP);
    sigaddset(signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, signals, NULL);
    child->source.ready = child_ready;
    child->fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return child->fd >= 0 && serve_watch(serve, child->fd, EPOLLIN, &child->source);
}

static void set_variable(void *ctx, const char *name, const char *value) {
    int *failed = ctx;
    if (setenv(name, value, 1)) *failed = 1;
}

static int child_start(struct serve *serve, struct child *child) {
    struct sbx_buf ready = SBX_BUF_INIT;
    posix_spawnattr_t attr;
    sigset_t none;
    int failed = 0;
    sbx_json_begin_object(&ready, NULL);
    serve_ready_json(serve, &ready);
    sbx_json_end_object(&ready);
    if (ready.failed || !serve_variables(ready.data, ready.len, set_variable, &failed) || failed) failed = ENOMEM;
    sbx_buf_finish(&ready);
    sigemptyset(&none);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    serve_files(serve, 0);
    if (!failed) failed = posix_spawnp(&child->pid, serve->opt.command[0], NULL, &attr, serve->opt.command, environ);
    serve_files(serve, 1);
    posix_spawnattr_destroy(&attr);
    if (failed) fprintf(stderr, "sandport-sim: cannot run %s: %s\n", serve->opt.command[0], strerrordesc_np(failed));
    return !failed;
}

/* What the command comes to, with what it left behind. Deleting takes a cloud a moment: what was asked to go gets it.
 */
static int judge(struct serve *serve, int wait_status) {
    sim_advance_to(sim_world(serve->sim), sim_now(sim_world(serve->sim)) + SETTLE_NS);
    int64_t left = sim_ledger_live(sim_ledger(serve->sim));
    int64_t unsupported = sim_journal_unsupported_count(sim_journal(serve->sim));
    int code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    if (left) {
        struct sbx_buf leaks = SBX_BUF_INIT;
        sim_ledger_json(sim_ledger(serve->sim), &leaks, NULL, 1);
        fprintf(stderr, "sandport-sim: %lld sandboxes were left behind: %s\n", (long long)left, sbx_buf_text(&leaks));
        sbx_buf_finish(&leaks);
    }
    if (unsupported)
        fprintf(stderr, "sandport-sim: %lld times something was used that is not simulated; --journal says what\n",
                (long long)unsupported);
    if (code == 0 && left) return EXIT_LEAKED;             /* guard: run_leaked */
    if (code == 0 && unsupported) return EXIT_UNSUPPORTED; /* guard: run_unsupported */
    return code;
}

int serve_command_run(const struct serve_options *opt) {
    struct serve serve = {.opt = *opt, .epoll = -1, .spare = -1};
    struct child child = {.fd = -1};
    sigset_t signals;
    int status = 0;
    serve.sim = serve_sim_new(opt, &status);
    if (!serve.sim) return status;
    status = serve_open(&serve);
    if (!status && !child_watch(&serve, &child, &signals)) status = 74;
    if (!status && !child_start(&serve, &child)) status = 127;
    if (!status) {
        serve_loop(&serve);
        status = judge(&serve, child.status);
    }
    serve_close(&serve);
    if (child.fd >= 0) close(child.fd);
    sim_free(serve.sim);
    serve_host_close(&serve);
    return status;
}
