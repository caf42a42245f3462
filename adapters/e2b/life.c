/* How long a sandbox lives: known as far as we set or read it, and made longer when that is due. Rows E2, E4.
 *
 * E2B's timeout sets the end anew, counted from now, and may set it sooner; the connect that would only ever extend
 * also resumes a paused sandbox, which a command must not do. So the end is known before it is set. What a read says is
 * wall time of theirs: a clock of ours that is wrong by a minute is wrong by that minute here. */
#include "adapters/e2b/life.h"

#include <stdlib.h>
#include <string.h>

#define LIVES     256
#define MARGIN_MS 30000 /* behind a command that may use its whole lifetime: its end has to be told and cleaned up */
#define SLACK_MAX 60000 /* so much of a lifetime may be over before it is given again */

/* ---- what is known ---- */

struct life {
    char id[SBX_ID_SIZE];
    int64_t end_ms;
};

struct e2b_lives {
    struct sbx_env *env;
    struct sbx_lock *lock;
    struct life life[LIVES]; /* the oldest makes room */
    size_t next;
};

struct e2b_lives *e2b_lives_create(struct sbx_env *env) {
    struct e2b_lives *lives = calloc(1, sizeof(*lives));
    if (!lives) return NULL;
    lives->env = env;
    lives->lock = env->lock_new(env);
    if (lives->lock) return lives;
    free(lives);
    return NULL;
}

void e2b_lives_free(struct e2b_lives *lives) {
    if (!lives) return;
    lives->env->lock_free(lives->env, lives->lock);
    free(lives);
}

static struct life *life_find(struct e2b_lives *lives, const char *id) {
    for (size_t i = 0; i < LIVES; i++)
        if (strcmp(lives->life[i].id, id) == 0) return &lives->life[i];
    return NULL;
}

void e2b_lives_put(struct e2b_lives *lives, const char *id, int64_t end_ms) {
    lives->env->lock(lives->env, lives->lock);
    struct life *life = life_find(lives, id);
    if (!life && end_ms) {
        life = &lives->life[lives->next];
        lives->next = (lives->next + 1) % LIVES;
        memcpy(life->id, id, strlen(id) + 1);
    }
    if (life) life->end_ms = end_ms;
    lives->env->unlock(lives->env, lives->lock);
}

int64_t e2b_lives_get(struct e2b_lives *lives, const char *id) {
    lives->env->lock(lives->env, lives->lock);
    const struct life *life = life_find(lives, id);
    int64_t end_ms = life ? life->end_ms : 0;
    lives->env->unlock(lives->env, lives->lock);
    return end_ms;
}

void e2b_life_seen(struct e2b *e, const struct e2b_dto *dto) {
    int64_t left_ms = dto->end_ms - e->env->wall_ms(e->env);
    if (dto->state == SBX_STATE_RUNNING && dto->end_ms)
        e2b_lives_put(e->lives, dto->id, e->env->now_ms(e->env) + (left_ms > 0 ? left_ms : 0));
    else
        e2b_lives_put(e->lives, dto->id, 0);
}

/* ---- what is due ---- */

static int64_t later(int64_t now_ms, int64_t ms) {
    return ms < INT64_MAX / 4 ? now_ms + ms : now_ms + INT64_MAX / 4;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* An explicit lifetime that has an end. */
static int is_explicit(const struct e2b_need *need) {
    return need->lifetime_ms > 0 && need->lifetime_ms != SBX_NO_LIFETIME;
}

struct e2b_target e2b_life_target(const struct e2b *e, const struct e2b_need *need, int64_t now_ms) {
    int64_t own_ms = e->sandbox_lifetime_ms, slack_ms = least(own_ms / 10, SLACK_MAX);
    int64_t run_ms = is_explicit(need) ? later(MARGIN_MS, need->lifetime_ms)
                                       : least(need->budget_ms, own_ms); /* guard: implicit_budget_never_extends */
    struct e2b_target target = {.least_ms = later(now_ms, run_ms), .make_ms = later(now_ms, run_ms)};
    if (!need->sync) return target;
    target.make_ms = later(now_ms, most(run_ms, own_ms));
    target.least_ms = later(now_ms, is_explicit(need) ? most(run_ms, own_ms - slack_ms) : own_ms - slack_ms);
    return target;
}

static enum sbx_status arm_failed(struct e2b *e, const struct sbx_identity *who, enum sbx_status st,
                                  const struct sbx_call *call, struct sbx_error *err) {
    struct e2b_view view = {0};
    struct sbx_error first = *err, quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    e2b_lives_put(e->lives, who->id, 0);
    if (st == SBX_NOT_FOUND || st == SBX_CONFLICT) { /* a paused one is not found there either */
        enum sbx_status seen = e2b_view_read(e, who->id, call, &view, &quiet);
        if (!seen && view.is.state == SBX_STATE_PAUSED)
            st = sbx_fail(&first, SBX_NOT_READY, SBX_OUTCOME_NOT_SENT, "the sandbox's state is PAUSED");
        e2b_view_finish(&view);
    }
    *err = first;
    return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
}

/* Its end, read if it is not known. @return 0 with err set */
static int64_t end_known(struct e2b *e, const struct sbx_identity *who, const struct sbx_call *call,
                         struct sbx_error *err) {
    struct e2b_view view = {0};
    int64_t end_ms = e2b_lives_get(e->lives, who->id), now_ms = e->env->now_ms(e->env);
    if (end_ms > now_ms) return end_ms;
    enum sbx_status st = e2b_view_read(e, who->id, call, &view, err);
    if (!st && view.is.state == SBX_STATE_PAUSED)
        st = sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_NOT_SENT, "the sandbox's state is PAUSED");
    end_ms = e2b_lives_get(e->lives, who->id);
    e2b_view_finish(&view);
    if (st) sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    return st ? 0 : most(end_ms, e->env->now_ms(e->env));
}

enum sbx_status e2b_life_arm(struct e2b *e, const struct sbx_identity *who, const struct e2b_need *need,
                             const struct sbx_call *call, int32_t *extended, struct sbx_error *err) {
    struct e2b_reply reply = {0};
    struct sbx_buf body = SBX_BUF_INIT;
    const struct sbx_error before = *err;
    int64_t end_ms = end_known(e, who, call, err), now_ms = e->env->now_ms(e->env);
    if (!end_ms) return (enum sbx_status)err->status;
    const struct e2b_target target = e2b_life_target(e, need, now_ms);
    if (end_ms >= target.least_ms) { /* guard: sandbox_rearmed */
        *err = before;
        return SBX_OK;
    }
    int64_t seconds = e2b_seconds(most(target.make_ms, end_ms) - now_ms);
    e2b_timeout_body(&body, seconds * 1000);
    enum sbx_status st = e2b_change(e, E2B_TIMEOUT, "POST", who->id, "/timeout", &body, call, &reply, err);
    if (st)
        st = arm_failed(e, who, st, call, err);
    else
        e2b_lives_put(e->lives, who->id, now_ms + seconds * 1000);
    if (!st && extended) *extended = 1;
    if (!st) *err = before;
    e2b_reply_finish(&reply);
    sbx_buf_finish(&body);
    return st;
}
