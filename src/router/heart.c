/* A sign of life for a launch that may take long: the lease of its record is renewed while it goes on. Row R22. */
#include "src/router/heart.h"

struct beat {
    struct sbx_router *router;
    struct router_work *on;
    struct sbx_event *ended;
    void (*work)(void *arg);
    void *arg;
};

static void do_work(void *arg) {
    struct beat *beat = arg;
    struct sbx_env *env = beat->router->env;
    beat->work(beat->arg);
    env->event_set(env, beat->ended);
}

/* A renewal that fails is tried again with the next beat; one that was refused means that the record is another's by
 * now, which the next change of ours finds out. */
static void do_beats(void *arg) {
    struct beat *beat = arg;
    struct sbx_env *env = beat->router->env;
    while (env->event_wait(env, beat->ended, env->now_ms(env) + HEART_BEAT_MS, NULL) == SBX_DEADLINE) {
        struct sbx_store_change change = SBX_STORE_CHANGE_INIT;
        struct sbx_call call = SBX_CALL_INIT;
        char acquisition[SBX_ACQUISITION_SIZE];
        sbx_router_work_read(beat->router, beat->on, acquisition);
        if (!acquisition[0]) continue;
        change.acquisition = acquisition;
        change.owner = beat->router->owner;
        call.deadline_ms = env->now_ms(env) + HEART_BEAT_MS;
        (void)!sbx_store_renew(beat->router->store, &change, &call, NULL, NULL);
    }
}

enum sbx_status sbx_router_with_heart(struct sbx_router *router, struct router_work *on, void (*work)(void *arg),
                                      void *arg) {
    struct beat beat = {router, on, NULL, work, arg};
    const struct sbx_task tasks[] = {{do_work, &beat}, {do_beats, &beat}};
    beat.ended = router->env->event_new(router->env);
    if (!beat.ended) return SBX_NO_MEMORY;
    router->env->run_all(router->env, tasks, 2, 2);
    router->env->event_free(router->env, beat.ended);
    return SBX_OK;
}
