/* Sandboxes of this machine, their processes real. What goes wrong goes wrong in the shell that the runtime is told to
 * use, a script that answers nothing, too much, or not at all when it is told to. */
#include "face_local.h"
#include "nobody.h"
#include "real_env.h"
#include "t.h"
#include "toy.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sandport/kit/text.h>
#include <sandport/local.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FAR_MS INT64_C(10000000)

struct local_face {
    struct conformance_face face; /* first */
    char dir[64];                 /* has the root, the shell, and what the shell is told */
    char root[80];
    char mark[128];
    enum waiting waiting;
    struct sbx_cancel *fire; /* NULL: the clock is set forward */
    pthread_t beside;
    int has_beside;
    atomic_int given_up;
};

static const char shell_script[] = "#!/bin/sh\n"
                                   "d=${0%/*}\n"
                                   "echo >>$d/begun\n"
                                   "f=; read -r f 2>/dev/null <$d/fault && rm -f $d/fault && echo >>$d/fired\n"
                                   "case $f in\n"
                                   "silent) /bin/sh \"$@\" >/dev/null 2>&1; echo >$d/waiting; exec sleep 1000 ;;\n"
                                   "lost) /bin/sh \"$@\" >/dev/null 2>&1; exit 0 ;;\n"
                                   "large) /bin/sh \"$@\"; exec head -c 16000000 /dev/zero ;;\n"
                                   "esac\n"
                                   "exec /bin/sh \"$@\"\n";

static struct local_face *self_of(struct conformance_face *face) {
    return (struct local_face *)(void *)face;
}

static void path_of(const struct local_face *self, const char *name, char out[128]) {
    snprintf(out, 128, "%s/%s", self->dir, name);
}

static void write_file(const struct local_face *self, const char *name, const char *text, mode_t mode) {
    char path[128];
    path_of(self, name, path);
    FILE *f = fopen(path, "w");
    T_TRUE(f && fputs(text, f) >= 0 && fclose(f) == 0 && chmod(path, mode) == 0);
}

/* @return -1 if it is not there */
static int64_t file_size(const struct local_face *self, const char *name) {
    struct stat is;
    char path[128];
    path_of(self, name, path);
    return stat(path, &is) == 0 ? (int64_t)is.st_size : -1;
}

static void face_inject(struct conformance_face *face, const char *operation, enum condition condition) {
    (void)operation;
    write_file(self_of(face), "fault",
               condition == RESET      ? "lost\n"
               : condition == OVERSIZE ? "large\n"
                                       : "silent\n",
               0644);
}

static int64_t face_clear(struct conformance_face *face) {
    char path[128];
    path_of(self_of(face), "fault", path);
    (void)unlink(path);
    return file_size(self_of(face), "fired");
}

static int is_waiting(const struct local_face *self) {
    char pattern[128];
    glob_t found = {0};
    if (self->waiting == WAITING_SILENT) return file_size(self, "waiting") >= 0;
    snprintf(pattern, sizeof(pattern), "%s/*/home/begun", self->root);
    int is = glob(pattern, 0, NULL, &found) == 0;
    globfree(&found);
    return is;
}

static void *beside_run(void *arg) {
    struct local_face *self = arg;
    struct sbx_env *env = self->face.env;
    const struct timespec nap = {.tv_nsec = 1000000};
    while (!atomic_load(&self->given_up) && !is_waiting(self)) nanosleep(&nap, NULL);
    if (self->fire)
        sbx_cancel_fire(self->fire);
    else
        (void)!env->sleep_until(env, env->now_ms(env) + FAR_MS, NULL);
    return NULL;
}

static void beside(struct local_face *self, enum waiting waiting, struct sbx_cancel *fire) {
    self->fire = fire;
    self->waiting = waiting;
    atomic_store(&self->given_up, 0);
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
    struct local_face *self = self_of(face);
    atomic_store(&self->given_up, 1);
    if (self->has_beside) pthread_join(self->beside, NULL);
    self->has_beside = 0;
}

static int64_t face_requests(struct conformance_face *face) {
    return file_size(self_of(face), "begun");
}

/* @param ours 1: sandboxes, 0: what a launch or a destroy has left */
static int64_t entries(const struct local_face *self, int ours) {
    int64_t n = 0;
    DIR *d = opendir(self->root);
    T_TRUE(d);
    for (struct dirent *e; (e = readdir(d));)
        n += ours ? sbx_is_hex(e->d_name, 32)
                  : strncmp(e->d_name, ".new-", 5) == 0 || strncmp(e->d_name, ".old-", 5) == 0 ||
                        strncmp(e->d_name, ".probe-", 7) == 0;
    closedir(d);
    return n;
}

static int64_t face_sandboxes(struct conformance_face *face) {
    return entries(self_of(face), 1);
}

static int64_t face_strays(struct conformance_face *face) {
    return toy_marked(self_of(face)->mark, 0) + entries(self_of(face), 0);
}

static struct local_face *open_face;

static int face_remove(const struct local_face *self) {
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", self->dir);
    return system(command);
}

/* A test that failed leaves no process and no folder behind either. */
static void face_abandoned(void) {
    if (!open_face) return;
    while (toy_marked(open_face->mark, 9)) continue;
    (void)face_remove(open_face);
}

static void face_close(struct conformance_face *face) {
    struct local_face *self = self_of(face);
    open_face = NULL;
    T_EQ(face_remove(self), 0);
    sbx_env_free(face->env);
    free(self);
}

struct conformance_face *local_face_open(int isolated, const struct conformance_cannot *cannot) {
    struct local_face *self = calloc(1, sizeof(*self));
    struct sbx_local_options opt = SBX_LOCAL_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    char shell[128];
    T_TRUE(self);
    if (isolated) nobody_become();
    snprintf(self->dir, sizeof(self->dir), "/tmp/sandport-local-XXXXXX");
    T_TRUE(mkdtemp(self->dir) != NULL);
    open_face = self;
    T_EQ(atexit(face_abandoned), 0);
    snprintf(self->root, sizeof(self->root), "%s/root", self->dir);
    snprintf(self->mark, sizeof(self->mark), "SANDPORT_LOCAL=%s/", self->root);
    write_file(self, "shell", shell_script, 0755);
    write_file(self, "begun", "", 0644);
    path_of(self, "shell", shell);
    opt.root = self->root;
    opt.shell = isolated ? NULL : shell;
    opt.isolation = isolated ? SBX_LOCAL_ISOLATION_REQUIRED : SBX_LOCAL_ISOLATION_NONE;
    self->face = (struct conformance_face){.env = real_env_create(),
                                           .cannot = cannot,
                                           .wire_exact = 1,
                                           .streamed_by_wire = 1,
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
    if (sbx_local_create(&opt, self->face.env, &self->face.rt, &err)) T_FAIL("%s", err.detail);
    return &self->face;
}
