/* A stage over a world of the simulator, whichever cloud's header came before. */
#include <stdlib.h>

struct stage_sim {
    struct stage stage; /* first */
    struct world w;
};

static int64_t stage_left(struct stage *stage) {
    return sbx_sim_ledger_live(((struct stage_sim *)(void *)stage)->w.sim);
}

static void stage_close(struct stage *stage) {
    struct stage_sim *self = (struct stage_sim *)(void *)stage;
    T_EQ(sbx_sim_unsupported(self->w.sim), 0);
    world_finish(&self->w);
    free(self);
}

struct stage *stage_open(void) {
    struct stage_sim *self = calloc(1, sizeof(*self));
    T_TRUE(self);
    self->w = world_new(SEED);
    self->stage = (struct stage){self->w.env, self->w.rt, stage_left, stage_close};
    return &self->stage;
}
