/* --exec host: what the sandboxes' real processes run on, watched by the loop. */
#include "sim/machine/host/host.h"
#include "sim/serve/serve.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EX_UNAVAILABLE 69
#define EX_IOERR       74

static void host_ready(struct serve *serve, struct serve_source *source, uint32_t events) {
    (void)source;
    (void)events;
    sim_host_turn(serve->host);
}

static int host_refused(int failed, const char *why) {
    fprintf(stderr, "sandport-sim: --exec host: %s\n", why);
    if (failed != ENOSYS) return EX_IOERR;
    fputs("Install it (on Debian or Ubuntu: apt-get install bubblewrap), or give --unsafe-no-isolation to run what\n"
          "sandboxes run as plain processes of yours, which can read and change all that you can.\n",
          stderr);
    return EX_UNAVAILABLE;
}

int serve_host_open(struct serve *serve) {
    char program[PATH_MAX], why[256] = "";
    const char *temporary = getenv("TMPDIR"), *search = getenv("PATH");
    if (!serve->opt.exec_host) return 0;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (n <= 0) return host_refused(EIO, "/proc/self/exe does not say where this program is");
    program[n] = 0;
    signal(SIGPIPE, SIG_IGN);
    const struct sim_host_options opt = {.program = program,
                                         .temporary = temporary && temporary[0] == '/' ? temporary : "/tmp",
                                         .search = search ? search : "/usr/local/bin:/usr/bin:/bin",
                                         .plain = serve->opt.exec_plain,
                                         .network = serve->opt.exec_network};
    const int failed = sim_host_open(serve->sim, &opt, &serve->host, why, sizeof(why));
    if (failed) return host_refused(failed, why);
    if (serve->opt.exec_plain)
        fputs("sandport-sim: warning: --unsafe-no-isolation: what sandboxes run can read and change all that you can\n",
              stderr);
    serve->host_source.ready = host_ready;
    return serve_watch(serve, sim_host_fd(serve->host), EPOLLIN, &serve->host_source) ? 0 : EX_IOERR;
}

void serve_host_close(struct serve *serve) {
    sim_host_close(serve->host);
}
