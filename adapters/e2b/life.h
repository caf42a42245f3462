/* How long a sandbox lives: known as far as we set or read it, and made longer when that is due. Rows E2, E4.
 *
 * Three times have three names: a request's deadline is in struct sbx_call, a command's lifetime goes with its start
 * (process.c), a sandbox's lifetime is in here. */
#ifndef ADAPTERS_E2B_LIFE_H
#define ADAPTERS_E2B_LIFE_H

#include "adapters/e2b/verbs.h"

/** What is to be run. */
struct e2b_need {
    int64_t lifetime_ms; /* as its caller said, 0 = nothing; SBX_NO_LIFETIME */
    int64_t budget_ms;   /* what it gets then */
    int32_t sync;        /* its caller waits for it */
};

/** Until when the sandbox must live at least, and until when it is made to live if it does not. Pure.
 *  An explicit lifetime is covered whole. The implicit one never asks for more than a sandbox's own lifetime from now
 *  on; what it needs beyond that it does not get. */
struct e2b_target {
    int64_t least_ms;
    int64_t make_ms;
};
struct e2b_target e2b_life_target(const struct e2b *e, const struct e2b_need *need, int64_t now_ms);

/** Makes the sandbox live as long as that needs. Its end is read first if it is not known, so that it is never made to
 * come sooner.
 *  @param extended set to 1 if its end was moved; may be NULL
 *  @return SBX_NOT_READY if it is paused; a failure's outcome is NOT_SENT: nothing was started */
enum sbx_status e2b_life_arm(struct e2b *e, const struct sbx_identity *who, const struct e2b_need *need,
                             const struct sbx_call *call, int32_t *extended, struct sbx_error *err);

/** NULL when memory runs out. @param env lent for its life */
struct e2b_lives *e2b_lives_create(struct sbx_env *env);
void e2b_lives_free(struct e2b_lives *lives);

/** Keeps until when a sandbox lives, on the env's monotonic clock; 0 = no longer known. */
void e2b_lives_put(struct e2b_lives *lives, const char *id, int64_t end_ms);
/** @return 0 if it is not known */
int64_t e2b_lives_get(struct e2b_lives *lives, const char *id);

/** Keeps what a read said. */
void e2b_life_seen(struct e2b *e, const struct e2b_dto *dto);

#endif
