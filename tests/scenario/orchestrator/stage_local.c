/* Workloads on this machine. */
#include "local_world.h"
#include "stage.h"

#include <stdlib.h>

struct stage_local {
    struct stage stage; /* first */
    struct local_world *w;
};

static int64_t stage_left(struct stage *stage) {
    const struct local_world *w = ((struct stage_local *)(void *)stage)->w;
    return local_world_entries(w) + local_world_processes(w);
}

static void stage_close(struct stage *stage) {
    struct stage_local *self = (struct stage_local *)(void *)stage;
    local_world_finish(self->w);
    free(self);
}

struct stage *stage_open(void) {
    struct stage_local *self = calloc(1, sizeof(*self));
    T_TRUE(self);
    self->w = local_world_new(0);
    self->stage = (struct stage){self->w->env, self->w->rt, stage_left, stage_close};
    return &self->stage;
}
