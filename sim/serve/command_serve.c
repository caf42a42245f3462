/* sandport-sim serve: one line when it is ready, then the clouds until it is told to stop. */
#include "sim/clouds.h"
#include "sim/serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define EX_DATAERR  65
#define EX_SOFTWARE 1
#define EX_IOERR    74

/* Boots and the like take an eighth of their time when somebody really waits for them. */
#define REAL_TIME_PERMILLE 125

static char *file_read(const char *path, size_t *len) {
    struct sbx_buf text = SBX_BUF_INIT;
    FILE *f = fopen(path, "re");
    if (!f) return NULL;
    for (size_t n = 1; n;) {
        char *room = sbx_buf_reserve(&text, 4096);
        n = room ? fread(room, 1, 4096, f) : 0;
        text.len += n;
    }
    int failed = ferror(f);
    fclose(f);
    if (!failed) return sbx_buf_take(&text, len);
    sbx_buf_finish(&text);
    return NULL;
}

struct sim *serve_sim_new(const struct serve_options *opt, int *status) {
    size_t len = 0;
    char why[256] = "";
    char *scenario = NULL;
    struct sim *sim = NULL;
    *status = EX_IOERR;
    if (opt->scenario_file && !(scenario = file_read(opt->scenario_file, &len))) {
        fprintf(stderr, "sandport-sim: cannot read %s: %s\n", opt->scenario_file, strerrordesc_np(errno));
        return NULL;
    }
    *status = EX_SOFTWARE;
    sim = sim_new(opt->seed_given || !scenario ? opt->seed : sim_scenario_seed(scenario, len, 0));
    if (!sim || sim_add_clouds(sim)) {
        fprintf(stderr, "sandport-sim: out of memory\n");
        goto failed;
    }
    *status = EX_DATAERR;
    if (scenario && sim_configure(sim, scenario, len, why, sizeof(why))) {
        fprintf(stderr, "sandport-sim: %s: %s\n", opt->scenario_file, why);
        goto failed;
    }
    if (!opt->virtual_time) sim_set_scale(sim, REAL_TIME_PERMILLE);
    free(scenario);
    *status = 0;
    return sim;
failed:
    sim_free(sim);
    free(scenario);
    return NULL;
}

struct stopper {
    struct serve_source source; /* first */
    int fd;
};

static void stop_ready(struct serve *serve, struct serve_source *source, uint32_t events) {
    (void)source;
    (void)events;
    serve->running = 0;
}

static int stopper_open(struct serve *serve, struct stopper *stopper) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    stopper->source.ready = stop_ready;
    stopper->fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return stopper->fd >= 0 && serve_watch(serve, stopper->fd, EPOLLIN, &stopper->source);
}

static int say_ready(struct serve *serve) {
    struct sbx_buf line = SBX_BUF_INIT;
    sbx_json_begin_object(&line, NULL);
    serve_ready_json(serve, &line);
    sbx_json_end_object(&line);
    sbx_buf_char(&line, '\n');
    int ok = !line.failed && fwrite(line.data, 1, line.len, stdout) == line.len && fflush(stdout) == 0;
    sbx_buf_finish(&line);
    return ok;
}

int serve_command_serve(const struct serve_options *opt) {
    struct serve serve = {.opt = *opt, .epoll = -1, .spare = -1};
    struct stopper stopper = {.fd = -1};
    int status = 0;
    serve.sim = serve_sim_new(opt, &status);
    if (!serve.sim) return status;
    status = serve_open(&serve);
    if (!status && (!stopper_open(&serve, &stopper) || !say_ready(&serve))) status = EX_IOERR;
    if (!status) serve_loop(&serve);
    serve_close(&serve);
    if (stopper.fd >= 0) close(stopper.fd);
    sim_free(serve.sim);
    serve_host_close(&serve);
    return status;
}
