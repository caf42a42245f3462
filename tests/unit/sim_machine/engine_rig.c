/* A machine of either engine, and what drives its world. */
#include "engine_rig.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS (40 * SIM_SEC)

static int64_t real_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SIM_SEC + now.tv_nsec;
}

static void body_main(void *arg) {
    struct engine *e = arg;
    e->body(e);
    e->done = 1;
}

/* As the loop of sandport-sim does it. */
static void drive_real(struct engine *e) {
    struct sim_world *w = sim_world(e->sim);
    for (const int64_t began = real_ns(); !e->done;) {
        const int64_t now = real_ns() - began, next = sim_next_ns(w), left = next == SIM_NEVER ? SIM_SEC : next - now;
        struct pollfd one = {.fd = sim_host_fd(e->host), .events = POLLIN};
        if (now > PATIENCE_NS) T_FAIL("nothing came to an end within 40 s");
        (void)poll(&one, 1, left <= 0 ? 0 : left > SIM_SEC ? 1000 : (int)(left / SIM_MS) + 1);
        sim_advance_to(w, real_ns() - began);
        sim_host_turn(e->host);
        sim_run_ready(w);
    }
}

static void drive_virtual(struct engine *e) {
    struct sim_world *w = sim_world(e->sim);
    while (!e->done) {
        sim_run_ready(w);
        if (!e->done && sim_next_ns(w) == SIM_NEVER) T_FAIL("it waits for what never comes");
        if (!e->done) sim_advance_to(w, sim_next_ns(w));
    }
}

static void open_host(struct engine *e) {
    char program[4096], why[256];
    const char *build = getenv("SANDPORT_BINARY_DIR");
    snprintf(program, sizeof(program), "%s/bin/sandport-sim", build ? build : "build/dev");
    snprintf(e->temporary, sizeof(e->temporary), "/tmp/sandport-engine-XXXXXX");
    T_TRUE(mkdtemp(e->temporary) != NULL);
    signal(SIGPIPE, SIG_IGN);
    chmod(e->temporary, 0755);
    const struct sim_host_options opt = {
        .program = program, .temporary = e->temporary, .search = "/usr/local/bin:/usr/bin:/bin"};
    if (sim_host_open(e->sim, &opt, &e->host, why, sizeof(why))) T_FAIL("%s", why);
}

void engine_case(void (*body)(struct engine *e)) {
    static const struct sim_machine_options opt = {
        .hostname = "box", .user = "daytona", .home = "/home/daytona", .uid = 1000, .disk_bytes = 64 << 20};
    struct engine e = {.sim = sim_new(1), .body = body};
    T_TRUE(e.sim != NULL);
    if (ENGINE_HOST) open_host(&e);
    e.m = sim_machine_new(e.sim, &opt);
    T_TRUE(e.m != NULL);
    T_EQ(sim_machine_is_real(e.m), ENGINE_HOST);
    T_STATUS(sim_spawn(sim_world(e.sim), body_main, &e), SBX_OK);
    if (ENGINE_HOST)
        drive_real(&e);
    else
        drive_virtual(&e);
    sim_machine_halt(e.m);
    sim_machine_free(e.m);
    sim_free(e.sim);
    sim_host_close(e.host);
    if (ENGINE_HOST && rmdir(e.temporary)) T_FAIL("%s: something was left behind", e.temporary);
}

/* ---- runs ---- */

void ran_take(void *ctx, int stream, const void *data, size_t len) {
    sbx_buf_append(&((struct ran *)ctx)->stream[stream], data, len);
}

void ran_closed(void *ctx) {
    ((struct ran *)ctx)->closed++;
}

void ran_finish(struct ran *ran) {
    for (int i = 0; i < 4; i++) sbx_buf_finish(&ran->stream[i]);
}

struct sim_run *engine_start(struct engine *e, const char *script, struct ran *ran) {
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct sim_run_options opt = {.argv = argv, .output = ran_take, .ctx = ran};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    if (!run) T_FAIL("errno %d: %s", why, script);
    return run;
}

static void run_to_end(struct sim_run *run, struct ran *ran) {
    ran->waited = sim_run_wait(run, 1, SIM_NEVER);
    if (!sim_run_exited(run, &ran->code, &ran->signal)) ran->code = ran->signal = -1;
    sim_run_free(run);
}

void engine_sh(struct engine *e, const char *script, struct ran *ran) {
    memset(ran, 0, sizeof(*ran));
    run_to_end(engine_start(e, script, ran), ran);
}

void engine_expect(struct engine *e, const char *script, const char *output, int code) {
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct ran ran = {.code = 0};
    const struct sim_run_options opt = {.argv = argv, .one_stream = 1, .output = ran_take, .ctx = &ran};
    sim_errno why = 0;
    struct sim_run *run = sim_run_start(e->m, &opt, &why);
    if (!run) T_FAIL("errno %d: %s", why, script);
    run_to_end(run, &ran);
    T_STATUS(ran.waited, SBX_OK);
    T_STR(sbx_buf_text(&ran.stream[1]), output);
    T_EQ(ran.signal ? 128 + ran.signal : ran.code, code);
    ran_finish(&ran);
}

void engine_pass(struct engine *e, int64_t ms) {
    struct sim_world *w = sim_world(e->sim);
    (void)sim_sleep_until(w, sim_now(w) + ms * SIM_MS);
}

void engine_until(struct engine *e, int (*there)(void *ctx), void *ctx) {
    for (int tries = 0; !there(ctx); tries++) {
        if (tries == 1000) T_FAIL("it did not come within 10 s");
        engine_pass(e, 10);
    }
}

/* ---- files ---- */

void engine_put(struct engine *e, const char *path, const char *text) {
    struct sim_file *file = NULL;
    const sim_errno failed = sim_open_write(e->m, path, 0644, 1, &file);
    if (failed) T_FAIL("%s: errno %d", path, failed);
    T_EQ(sim_file_write(file, text, strlen(text)), 0);
    sim_file_close(file);
}

char *engine_get(struct engine *e, const char *path, sim_errno *why) {
    struct sbx_buf text = SBX_BUF_INIT;
    struct sim_file *file = NULL;
    *why = sim_open_read(e->m, path, &file);
    for (ptrdiff_t n = 1; !*why && n > 0;) {
        char *room = sbx_buf_reserve(&text, 4096);
        T_TRUE(room != NULL);
        n = sim_file_read(file, room, 4096);
        if (n < 0) *why = (sim_errno)-n;
        if (n > 0) text.len += (size_t)n;
    }
    sim_file_close(file);
    sbx_buf_char(&text, 0);
    return sbx_buf_take(&text, NULL);
}
