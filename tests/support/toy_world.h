/* A toy runtime in a scratch directory, for the port's tests. */
#ifndef TESTS_SUPPORT_TOY_WORLD_H
#define TESTS_SUPPORT_TOY_WORLD_H

#include "real_env.h"
#include "t.h"
#include "toy.h"

#include <stdio.h>
#include <stdlib.h>

struct toy_world {
    char root[64];
    struct toy_options opt;
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct sbx_error err;
};

static inline struct toy_world *toy_world_new(void) {
    struct toy_world *w = calloc(1, sizeof(*w));
    T_TRUE(w != NULL);
    snprintf(w->root, sizeof(w->root), "/tmp/sandport-toy-XXXXXX");
    T_TRUE(mkdtemp(w->root) != NULL);
    w->opt.root = w->root;
    w->env = real_env_create();
    T_TRUE(w->env != NULL);
    sbx_error_init(&w->err, sizeof(w->err));
    T_STATUS(toy_create(&w->opt, w->env, &w->rt, &w->err), SBX_OK);
    return w;
}

static inline struct toy_world *toy_world_launched(void) {
    struct toy_world *w = toy_world_new();
    T_STATUS(sbx_runtime_launch(w->rt, NULL, NULL, &w->sb, &w->err), SBX_OK);
    w->opt.calls = 0;
    return w;
}

static inline void toy_world_finish(struct toy_world *w) {
    char command[128];
    sbx_sandbox_free(w->sb);
    sbx_runtime_free(w->rt);
    sbx_env_free(w->env);
    snprintf(command, sizeof(command), "rm -rf %s", w->root);
    T_EQ(system(command), 0);
    free(w);
}

#endif
