/* Cancel tokens: an event of the env and the env to set it with. Row P9. */
#include <sandport/kit/env.h>

#include <stdlib.h>

struct sbx_cancel {
    struct sbx_env *env;
    struct sbx_event *event;
};

struct sbx_cancel *sbx_cancel_create(struct sbx_env *env) {
    struct sbx_cancel *cancel = env ? calloc(1, sizeof(*cancel)) : NULL;
    if (!cancel) return NULL;
    cancel->env = env;
    cancel->event = env->event_new(env);
    if (!cancel->event) {
        free(cancel);
        return NULL;
    }
    return cancel;
}

void sbx_cancel_fire(struct sbx_cancel *cancel) {
    if (cancel) cancel->env->event_set(cancel->env, cancel->event);
}

void sbx_cancel_free(struct sbx_cancel *cancel) {
    if (!cancel) return;
    cancel->env->event_free(cancel->env, cancel->event);
    free(cancel);
}

struct sbx_event *sbx_cancel_event(const struct sbx_cancel *cancel) {
    return cancel ? cancel->event : NULL;
}
