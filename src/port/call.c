/* Calls: their defaults, how they are bounded, and what the evidence of an exchange means for one. Row P9. */
#include "src/port/port.h"

#include <string.h>

static int64_t later(int64_t now, int64_t ms) {
    return ms >= INT64_MAX - now ? SBX_NO_DEADLINE : now + ms;
}

void sbx_call_init_after(struct sbx_call *call, size_t size, struct sbx_env *env, int64_t ms) {
    sbx_call_init(call, size);
    if (!call || !env || size < offsetof(struct sbx_call, deadline_ms) + sizeof(call->deadline_ms)) return;
    call->deadline_ms = later(env->now_ms(env), ms < 0 ? 0 : ms);
    if (call->deadline_ms == 0) call->deadline_ms = -1; /* the clock stands at zero, and zero means the default */
}

enum sbx_status sbx_port_call_take(const struct sbx_call *from, struct sbx_env *env, int64_t default_ms,
                                   struct sbx_call *out, struct sbx_error *err) {
    struct sbx_call call = SBX_CALL_INIT;
    if (sbx_options_take(&call, sizeof(call), from, sizeof(call)))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "call.size: expected %zu", sizeof(call));
    if (call.cleanup_ms < SBX_NO_CLEANUP)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE,
                        "call.cleanup_ms: expected 0 or more, or SBX_NO_CLEANUP");
    if (call.deadline_ms == 0)
        call.deadline_ms = default_ms == SBX_NO_DEADLINE ? SBX_NO_DEADLINE : later(env->now_ms(env), default_ms);
    call.cleanup_ms = call.cleanup_ms == 0 ? 30000 : call.cleanup_ms == SBX_NO_CLEANUP ? 0 : call.cleanup_ms;
    enum sbx_status st = sbx_call_check(&call, env);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    *out = call;
    return SBX_OK;
}

enum sbx_status sbx_call_check(const struct sbx_call *call, struct sbx_env *env) {
    struct sbx_event *cancel = sbx_cancel_event(call->cancel);
    int64_t now = env->now_ms(env);
    if (cancel && env->event_wait(env, cancel, now, NULL) == SBX_OK) return SBX_CANCELLED;
    return call->deadline_ms <= now ? SBX_DEADLINE : SBX_OK;
}

int sbx_call_for_cleanup(const struct sbx_call *call, struct sbx_env *env, struct sbx_call *out) {
    sbx_call_init(out, sizeof(*out));
    if (call->cleanup_ms <= 0) return 0;
    out->deadline_ms = later(env->now_ms(env), call->cleanup_ms);
    return 1;
}

struct sbx_call sbx_call_within(const struct sbx_call *call, struct sbx_env *env, int64_t ms) {
    struct sbx_call bounded = *call;
    int64_t until = later(env->now_ms(env), ms < 0 ? 0 : ms);
    if (until < bounded.deadline_ms) bounded.deadline_ms = until;
    return bounded;
}

enum sbx_status sbx_call_pause(const struct sbx_call *call, struct sbx_env *env, struct sbx_backoff *backoff,
                               int64_t asked_ms) {
    int64_t now = env->now_ms(env);
    if (asked_ms <= 0) return sbx_backoff_sleep(backoff, env, call->deadline_ms, sbx_cancel_event(call->cancel));
    if (asked_ms >= call->deadline_ms - now) return SBX_DEADLINE;
    return env->sleep_until(env, now + asked_ms, sbx_cancel_event(call->cancel));
}

enum sbx_status sbx_evidence_status(int32_t evidence) {
    switch ((enum sbx_evidence)evidence) {
    case SBX_EVIDENCE_DONE:
        return SBX_OK;
    case SBX_EVIDENCE_RESOLVE:
    case SBX_EVIDENCE_CONNECT:
    case SBX_EVIDENCE_TLS:
        return SBX_CONNECT_FAILED;
    case SBX_EVIDENCE_SENT_NO_ANSWER:
    case SBX_EVIDENCE_PARTIAL:
        return SBX_CONNECTION_LOST;
    case SBX_EVIDENCE_TOO_LARGE:
        return SBX_TOO_LARGE;
    case SBX_EVIDENCE_DEADLINE:
        return SBX_DEADLINE;
    case SBX_EVIDENCE_CANCELLED:
        return SBX_CANCELLED;
    case SBX_EVIDENCE_MEMORY:
        return SBX_NO_MEMORY;
    case SBX_EVIDENCE_PROTOCOL:
        break;
    }
    return SBX_PROTOCOL;
}

enum sbx_outcome sbx_evidence_outcome(int32_t evidence, uint64_t sent_bytes) {
    if (evidence == SBX_EVIDENCE_DONE) return SBX_OUTCOME_NONE;
    return sent_bytes == 0 ? SBX_OUTCOME_NOT_SENT : SBX_OUTCOME_UNKNOWN;
}
