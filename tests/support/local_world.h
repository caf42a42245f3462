/* A runtime of this machine in a scratch directory. Its clock is the real one and jumps where somebody would sleep. */
#ifndef TESTS_SUPPORT_LOCAL_WORLD_H
#define TESTS_SUPPORT_LOCAL_WORLD_H

#include "nobody.h"
#include "real_env.h"
#include "t.h"

#include <pthread.h>
#include <sandport/local.h>
#include <sandport/sandport.h>

struct local_world {
    char dir[64];
    char root[96];
    struct sbx_local_options opt;
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct sbx_error err;
    struct sbx_exec_result *result;
    pthread_t beside;
    void (*then)(struct local_world *w);
    struct sbx_cancel *cancel;
};

/** A scratch directory and an env; no runtime. */
struct local_world *local_world_bare(void);
/** With a runtime, without isolation unless told. */
struct local_world *local_world_new(int isolated);
/** With a sandbox too. */
struct local_world *local_world_launched(int isolated);
/** Another runtime over the same directory, as another process would have it. */
struct sbx_runtime *local_world_runtime(struct local_world *w, int32_t isolation);
void local_world_finish(struct local_world *w);

/** Runs a command and keeps its result. @return its standard output */
const char *local_world_says(struct local_world *w, const char *command);
/** Live processes of all sandboxes. */
int local_world_processes(const struct local_world *w);
/** Sandboxes, and what is left of some. */
int local_world_entries(const struct local_world *w);

/** From another thread, once a file `begun` is in a sandbox's home directory. */
void local_world_when_begun(struct local_world *w, void (*then)(struct local_world *w));
void local_world_join(struct local_world *w);
void local_world_an_hour_later(struct local_world *w);
void local_world_fire(struct local_world *w);

#endif
