/* The toy runtime over directories and real processes. What has to happen while an operation waits is done by a thread
 * that the toy tells when it does; a deadline comes by the clock being set forward. */
#include "face_toy.h"
#include "real_env.h"
#include "t.h"
#include "toy.h"

#include <dirent.h>
#include <pthread.h>
#include <sandport/kit/text.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FAR_MS INT64_C(10000000)

struct toy_face {
    struct conformance_face face; /* first */
    char root[64];
    struct toy_options opt;
    struct sbx_cancel *fire; /* NULL: the clock is set forward */
    pthread_t beside;
    int has_beside;
    struct sbx_buf nonces; /* of directories in /tmp, 32 digits each */
};

static const struct {
    const char *operation;
    const char *request;
} requests[] = {
    {"launch", "launch"},
    {"attach", "attach"},
    {"find", "find"},
    {"count", "count"},
    {"capacity", "count"},
    {"info", "info"},
    {"exec_exact", "run"},
    {"exec_wire", "exec"},
    {"exec_streamed", "run"},
    {"submit", "run"},
    {"poll", "run"},
    {"read_logs", "run"},
    {"kill_run", "run"},
    {"run_read", "run"},
    {"session_open", "session_open"},
    {"session_exec", "session_post"},
    {"session_close", "session_close"},
    {"upload", "upload"},
    {"download", "download"},
    {"home_dir", "home_dir"},
    {"start", "start"},
    {"stop", "stop"},
    {"destroy", "destroy"},
};

static const struct conformance_cannot cannot[] = {
    {"download", OVERSIZE, "the answer is the file, of which any size is right"},
    {NULL, HAPPY, NULL},
};

static struct toy_face *self_of(struct conformance_face *face) {
    return (struct toy_face *)(void *)face;
}

static void face_inject(struct conformance_face *face, const char *operation, enum condition condition) {
    struct toy_options *opt = &self_of(face)->opt;
    opt->mishap_of = NULL;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        if (strcmp(requests[i].operation, operation) == 0) opt->mishap_of = requests[i].request;
    if (!opt->mishap_of) T_FAIL("%s: no such request", operation);
    opt->mishap = condition == HTTP_502   ? TOY_BAD_GATEWAY
                  : condition == RESET    ? TOY_RESET
                  : condition == OVERSIZE ? TOY_OVERSIZE
                                          : TOY_SILENT;
    opt->mishap_times = condition == HTTP_502 ? -1 : 1;
}

static int64_t face_clear(struct conformance_face *face) {
    struct toy_options *opt = &self_of(face)->opt;
    opt->mishap = TOY_WELL;
    return opt->mishaps;
}

static void *beside_run(void *arg) {
    struct toy_face *self = arg;
    struct sbx_env *env = self->face.env;
    const struct timespec nap = {.tv_nsec = 1000000};
    while (!atomic_load(&self->opt.waiting)) nanosleep(&nap, NULL);
    if (self->fire)
        sbx_cancel_fire(self->fire);
    else
        (void)!env->sleep_until(env, env->now_ms(env) + FAR_MS, NULL);
    return NULL;
}

static void beside(struct toy_face *self, enum waiting waiting, struct sbx_cancel *fire) {
    self->fire = fire;
    self->opt.begun_counts = waiting == WAITING_COMMAND;
    atomic_store(&self->opt.waiting, 0);
    T_EQ(pthread_create(&self->beside, NULL, beside_run, self), 0);
    self->has_beside = 1;
}

static void face_cancel_while(struct conformance_face *face, enum waiting waiting, struct sbx_cancel *cancel) {
    beside(self_of(face), waiting, cancel);
}

static void face_deadline_while(struct conformance_face *face, enum waiting waiting, struct sbx_call *call) {
    call->deadline_ms = face->env->now_ms(face->env) + FAR_MS;
    beside(self_of(face), waiting, NULL);
}

static void face_join(struct conformance_face *face) {
    struct toy_face *self = self_of(face);
    atomic_store(&self->opt.waiting, 1); /* one that never came to wait holds nobody up */
    if (self->has_beside) pthread_join(self->beside, NULL);
    self->has_beside = 0;
}

static int64_t face_requests(struct conformance_face *face) {
    return self_of(face)->opt.calls;
}

static int64_t face_sandboxes(struct conformance_face *face) {
    int64_t n = 0;
    DIR *d = opendir(self_of(face)->root);
    T_TRUE(d);
    for (struct dirent *e; (e = readdir(d));) n += sbx_is_hex(e->d_name, 32);
    closedir(d);
    return n;
}

static int64_t face_strays(struct conformance_face *face) {
    return toy_processes(self_of(face)->root);
}

static void note_nonce(void *ctx, const void *bytes, size_t len) {
    struct toy_face *self = ctx;
    char hex[33];
    if (len != 16) return;
    sbx_hex(bytes, len, hex);
    sbx_buf_printf(&self->nonces, " /tmp/.sbx-%s", hex);
}

static struct toy_face *open_face;

static int face_remove(const struct toy_face *self) {
    char *command = NULL;
    int failed = asprintf(&command, "rm -rf %s%s", self->root, sbx_buf_text(&self->nonces)) < 0 || system(command) != 0;
    free(command);
    return failed;
}

/* A test that failed leaves no process and no folder behind either. */
static void face_abandoned(void) {
    if (!open_face) return;
    toy_processes_end(open_face->root);
    (void)face_remove(open_face);
}

static void face_close(struct conformance_face *face) {
    struct toy_face *self = self_of(face);
    open_face = NULL;
    T_EQ(face_remove(self), 0);
    sbx_env_free(face->env);
    sbx_buf_finish(&self->nonces);
    free(self);
}

struct conformance_face *toy_face_open(int rich) {
    struct toy_face *self = calloc(1, sizeof(*self));
    struct sbx_error err = SBX_ERROR_INIT;
    T_TRUE(self);
    (void)signal(SIGPIPE, SIG_IGN);
    open_face = self;
    T_EQ(atexit(face_abandoned), 0);
    snprintf(self->root, sizeof(self->root), "/tmp/sandport-toy-XXXXXX");
    T_TRUE(mkdtemp(self->root) != NULL);
    self->opt.root = self->root;
    self->opt.rich = rich;
    self->face = (struct conformance_face){.env = real_env_create(),
                                           .cannot = cannot,
                                           .wire_exact = 1,
                                           .wire_killed = 1,
                                           .inject = face_inject,
                                           .clear = face_clear,
                                           .cancel_while = face_cancel_while,
                                           .deadline_while = face_deadline_while,
                                           .join = face_join,
                                           .requests = face_requests,
                                           .sandboxes = face_sandboxes,
                                           .strays = face_strays,
                                           .close = face_close};
    real_env_watch_random(self->face.env, note_nonce, self);
    T_STATUS(toy_create(&self->opt, self->face.env, &self->face.rt, &err), SBX_OK);
    return &self->face;
}
