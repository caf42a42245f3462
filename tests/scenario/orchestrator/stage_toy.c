/* Workloads on the toy runtime of the tests. */
#include "stage.h"
#include "toy_world.h"

#include <dirent.h>
#include <sandport/kit/text.h>

struct stage_toy {
    struct stage stage; /* first */
    struct toy_world *w;
};

static int64_t stage_left(struct stage *stage) {
    const struct toy_world *w = ((struct stage_toy *)(void *)stage)->w;
    int64_t n = toy_processes(w->root);
    DIR *d = opendir(w->root);
    T_TRUE(d);
    for (const struct dirent *e; (e = readdir(d));) n += sbx_is_hex(e->d_name, 32);
    closedir(d);
    return n;
}

static void stage_close(struct stage *stage) {
    struct stage_toy *self = (struct stage_toy *)(void *)stage;
    toy_world_finish(self->w);
    free(self);
}

struct stage *stage_open(void) {
    struct stage_toy *self = calloc(1, sizeof(*self));
    T_TRUE(self);
    self->w = toy_world_new();
    sbx_runtime_free(self->w->rt);
    self->w->opt.rich = 1;
    T_STATUS(toy_create(&self->w->opt, self->w->env, &self->w->rt, &self->w->err), SBX_OK);
    self->stage = (struct stage){self->w->env, self->w->rt, stage_left, stage_close};
    return &self->stage;
}
