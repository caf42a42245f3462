/* A runtime of this machine in a scratch directory. */
#include "local_world.h"

#include "toy.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HOUR_MS 3600000

static struct local_world *open_world;

static int world_remove(const struct local_world *w) {
    char command[256];
    snprintf(command, sizeof(command), "chmod -R u+rwx %s; rm -rf %s", w->dir, w->dir);
    return system(command);
}

static void mark_of(const struct local_world *w, char out[128]) {
    snprintf(out, 128, "SANDPORT_LOCAL=%s/", w->root);
}

/* A test that failed leaves no process and no folder behind either. */
static void world_abandoned(void) {
    char mark[128];
    if (!open_world) return;
    mark_of(open_world, mark);
    while (toy_marked(mark, 9)) continue;
    (void)world_remove(open_world);
}

struct local_world *local_world_bare(void) {
    struct local_world *w = calloc(1, sizeof(*w));
    T_TRUE(w);
    snprintf(w->dir, sizeof(w->dir), "/tmp/sandport-local-XXXXXX");
    T_TRUE(mkdtemp(w->dir) != NULL);
    snprintf(w->root, sizeof(w->root), "%s/root", w->dir);
    open_world = w;
    T_EQ(atexit(world_abandoned), 0);
    w->env = real_env_create();
    sbx_error_init(&w->err, sizeof(w->err));
    sbx_local_options_init(&w->opt, sizeof(w->opt));
    w->opt.root = w->root;
    w->cancel = sbx_cancel_create(w->env);
    T_TRUE(w->cancel);
    return w;
}

struct sbx_runtime *local_world_runtime(struct local_world *w, int32_t isolation) {
    struct sbx_runtime *rt = NULL;
    w->opt.isolation = isolation;
    if (sbx_local_create(&w->opt, w->env, &rt, &w->err)) T_FAIL("%s", w->err.detail);
    return rt;
}

struct local_world *local_world_new(int isolated) {
    if (isolated) nobody_become();
    struct local_world *w = local_world_bare();
    w->rt = local_world_runtime(w, isolated ? SBX_LOCAL_ISOLATION_REQUIRED : SBX_LOCAL_ISOLATION_NONE);
    return w;
}

struct local_world *local_world_launched(int isolated) {
    struct local_world *w = local_world_new(isolated);
    if (sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err)) T_FAIL("%s", w->err.detail);
    return w;
}

void local_world_finish(struct local_world *w) {
    if (w->sb) T_STATUS(sbx_sandbox_destroy(w->sb, NULL, &w->err), SBX_OK);
    T_EQ(local_world_processes(w), 0);
    sbx_exec_result_free(w->result);
    sbx_sandbox_free(w->sb);
    sbx_runtime_free(w->rt);
    sbx_cancel_free(w->cancel);
    sbx_env_free(w->env);
    open_world = NULL;
    T_EQ(world_remove(w), 0);
    free(w);
}

const char *local_world_says(struct local_world *w, const char *command) {
    sbx_exec_result_free(w->result);
    w->result = NULL;
    if (sbx_sandbox_exec(w->sb, command, NULL, NULL, &w->result, &w->err)) T_FAIL("%s: %s", command, w->err.detail);
    return sbx_exec_result_stdout(w->result, NULL);
}

int local_world_processes(const struct local_world *w) {
    char mark[128];
    mark_of(w, mark);
    return toy_marked(mark, 0);
}

int local_world_entries(const struct local_world *w) {
    int n = 0;
    DIR *d = opendir(w->root);
    T_TRUE(d);
    for (const struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, ".lock") != 0 &&
             strcmp(e->d_name, ".names") != 0 && strcmp(e->d_name, ".never") != 0;
    closedir(d);
    return n;
}

/* ---- beside ---- */

static int has_begun(const struct local_world *w) {
    char pattern[128];
    glob_t found = {0};
    snprintf(pattern, sizeof(pattern), "%s/*/home/begun", w->root);
    int is = glob(pattern, 0, NULL, &found) == 0;
    globfree(&found);
    return is;
}

static void *beside_run(void *arg) {
    struct local_world *w = arg;
    const struct timespec nap = {.tv_nsec = 1000000};
    while (!has_begun(w)) nanosleep(&nap, NULL);
    w->then(w);
    return NULL;
}

void local_world_when_begun(struct local_world *w, void (*then)(struct local_world *w)) {
    w->then = then;
    T_EQ(pthread_create(&w->beside, NULL, beside_run, w), 0);
}

void local_world_join(struct local_world *w) {
    T_EQ(pthread_join(w->beside, NULL), 0);
}

void local_world_an_hour_later(struct local_world *w) {
    T_STATUS(w->env->sleep_until(w->env, w->env->now_ms(w->env) + HOUR_MS, NULL), SBX_OK);
}

void local_world_fire(struct local_world *w) {
    sbx_cancel_fire(w->cancel);
}
