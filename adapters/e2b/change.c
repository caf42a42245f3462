/* Resume, pause, delete, a new end: asked for until they are accepted. Rows E1, E2, P10.
 *
 * All of them may be asked for twice: resuming what runs extends it by nothing that was not asked for, pausing what is
 * paused is refused, deleting what is gone is a 404, an end set twice is the later one. */
#include "adapters/e2b/verbs.h"

#include <sandport/kit/text.h>

#define TRIES       4
#define TRY_MS      45000
#define WAIT_MS     250
#define WAIT_MS_MAX 2000
#define CONFLICT_MS 30000 /* so long a refusal because of another change is put up with */

/* Pure: is it worth asking again? @param since_ms how long it has been asked for */
static int change_again(enum sbx_status st, int transient, int tries, int64_t since_ms) {
    if (st == SBX_CONFLICT) return since_ms < CONFLICT_MS; /* guard: e2b_conflict_30_s */
    return transient && tries < TRIES;
}

static int is_already_paused(enum e2b_op op, const struct e2b_evidence *got) {
    return op == E2B_PAUSE && got->http_status == 409 && sbx_text_has(got->message, "already paused");
}

enum sbx_status e2b_change(struct e2b *e, enum e2b_op op, const char *method, const char *id, const char *rest,
                           const struct sbx_buf *body, const struct sbx_call *call, struct e2b_reply *answer,
                           struct sbx_error *err) {
    struct sbx_backoff backoff;
    int64_t first_ms = e->env->now_ms(e->env);
    int unknown = 0;
    enum sbx_status st = SBX_OK;
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (int tries = 1;; tries++) {
        const struct sbx_call bounded = sbx_call_within(call, e->env, TRY_MS);
        st = e2b_send_to(e, op, method, id, rest, body, &bounded, answer, err);
        if (st && is_already_paused(op, &answer->got)) st = SBX_OK;
        if (st && unknown) err->outcome = SBX_OUTCOME_UNKNOWN; /* a try that did nothing undoes no earlier one */
        unknown |= err->outcome == SBX_OUTCOME_UNKNOWN;
        if (!st || sbx_call_check(call, e->env)) break;
        if (!change_again(st, e2b_is_transient(&answer->got), tries, e->env->now_ms(e->env) - first_ms)) break;
        if (sbx_call_pause(call, e->env, &backoff, answer->got.retry_after_ms)) break;
    }
    const enum sbx_status over = st ? sbx_call_check(call, e->env) : SBX_OK;
    if (over) return sbx_fail(err, over, (enum sbx_outcome)err->outcome, NULL);
    if (st == SBX_DEADLINE) /* of a try, not of the call */
        return sbx_fail(err, SBX_CONNECTION_LOST, (enum sbx_outcome)err->outcome, "no answer within 45 s");
    return st;
}
