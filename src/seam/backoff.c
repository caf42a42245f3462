/* A wait that grows. */
#include <sandport/kit/env.h>

void sbx_backoff_init(struct sbx_backoff *backoff, int64_t first_ms, int64_t max_ms) {
    backoff->next_ms = first_ms;
    backoff->max_ms = max_ms;
}

static int64_t backoff_next(struct sbx_backoff *backoff) {
    int64_t wait = backoff->next_ms;
    backoff->next_ms = wait > backoff->max_ms / 2 ? backoff->max_ms : wait * 2;
    return wait;
}

enum sbx_status sbx_backoff_sleep(struct sbx_backoff *backoff, struct sbx_env *env, int64_t deadline_ms,
                                  struct sbx_event *cancel) {
    int64_t now = env->now_ms(env), wait = backoff_next(backoff);
    if (now >= deadline_ms) return SBX_DEADLINE;
    int64_t until = wait < deadline_ms - now ? now + wait : deadline_ms;
    enum sbx_status st = env->sleep_until(env, until, cancel);
    if (st) return st;
    return until == deadline_ms ? SBX_DEADLINE : SBX_OK;
}
