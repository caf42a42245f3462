/* Does a sandbox run commands? A state of "started" does not say so. Rows D1, D4-D6.
 *
 * Daytona's proxies answer an empty 502 for a daemon that is dead - and for a runner that cannot be reached, which no
 * client can tell apart. So dead is said only when every answer of a whole window says the same. */
#include "adapters/daytona/verbs.h"

#include <sandport/kit/text.h>

#include <string.h>

#define TRY_MS      5000
#define TRIES_MIN   4
#define WAIT_MS     250
#define WAIT_MS_MAX 4000
#define LIFETIME_S  5

/* Pure: what one answer to `true` says. */
static enum daytona_probe probe_answer(const struct daytona_evidence *got, int32_t exit_code_zero) {
    if (got->evidence != SBX_EVIDENCE_DONE) return DAYTONA_PROBE_UNDECIDED;
    if (got->http_status / 100 == 2) return exit_code_zero ? DAYTONA_PROBE_ALIVE : DAYTONA_PROBE_UNDECIDED;
    if (got->http_status == 502 && !got->is_json) return DAYTONA_PROBE_DEAD; /* guard: probe_other_answer */
    if (got->http_status == 400 && strcmp(got->code, "SANDBOX_NOT_STARTED") == 0) return DAYTONA_PROBE_DEAD;
    if (got->http_status == 400 && sbx_text_has(got->message, "no ip address found")) return DAYTONA_PROBE_DEAD;
    return DAYTONA_PROBE_UNDECIDED;
}

/* An undecided answer that waiting will not change. */
static int is_final(const struct daytona_evidence *got) {
    int32_t http = got->http_status;
    if (got->evidence == SBX_EVIDENCE_CANCELLED || got->evidence == SBX_EVIDENCE_MEMORY) return 1;
    return got->evidence == SBX_EVIDENCE_DONE && (http == 401 || http == 403 || http == 404 || http == 429);
}

static enum daytona_probe probe_once(struct daytona *d, const char *url, const struct sbx_buf *body,
                                     const struct sbx_call *call, struct daytona_reply *reply, struct sbx_error *err) {
    const struct daytona_request req = {.op = DAYTONA_EXECUTE,
                                        .method = "POST",
                                        .url = url,
                                        .body = body,
                                        .flags = SBX_REQUEST_CHUNKED | SBX_REQUEST_IDEMPOTENT};
    const struct sbx_call bounded = sbx_call_within(call, d->env, TRY_MS);
    int32_t zero = 0;
    if (daytona_send(d, &req, &bounded, reply, err) == SBX_OK) {
        enum sbx_status st = daytona_reply_json(reply, err);
        if (st == SBX_OK) {
            zero = sbx_json_int(reply->js, sbx_json_root(reply->js), "exitCode") == 0;
            zero = zero && sbx_json_status(reply->js) == SBX_OK;
        }
        if (!zero && st != SBX_NO_MEMORY)
            sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "probe: expected exitCode 0 of true");
    }
    return probe_answer(&reply->got, zero);
}

static void probe_body(struct sbx_buf *body) {
    sbx_json_begin_object(body, NULL);
    sbx_json_put_string(body, "command", "true");
    sbx_json_put_int(body, "timeout", LIFETIME_S);
    sbx_json_end_object(body);
}

enum daytona_probe daytona_probe(struct daytona *d, const struct sbx_identity *who, int64_t window_ms,
                                 const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_buf url = SBX_BUF_INIT, body = SBX_BUF_INIT;
    struct daytona_reply reply = {0};
    struct sbx_error first, now;
    struct sbx_backoff backoff;
    enum daytona_probe verdict = DAYTONA_PROBE_UNDECIDED;
    int64_t end_ms = d->env->now_ms(d->env) + window_ms;
    int undecided = 0;
    sbx_error_init(&first, sizeof(first));
    sbx_error_init(&now, sizeof(now));
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    daytona_toolbox_url(&url, who, "/process/execute");
    probe_body(&body);
    if (url.failed || body.failed) {
        sbx_fail(&first, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
        undecided = 1;
        goto done;
    }
    for (int tries = 1;; tries++) {
        verdict = probe_once(d, sbx_buf_text(&url), &body, call, &reply, &now);
        if (verdict == DAYTONA_PROBE_ALIVE) break;
        if (verdict == DAYTONA_PROBE_UNDECIDED && !undecided) first = now; /* guard: probe_one_undecided */
        undecided |= verdict == DAYTONA_PROBE_UNDECIDED;
        if (undecided && is_final(&reply.got)) break;
        if (tries >= TRIES_MIN && d->env->now_ms(d->env) >= end_ms) break;
        enum sbx_status st = sbx_backoff_sleep(&backoff, d->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (st) {
            if (!undecided || st == SBX_CANCELLED)
                sbx_fail(&first, st, SBX_OUTCOME_DONE, "the probe did not end in time");
            undecided = 1;
            break;
        }
    }
done:
    daytona_reply_finish(&reply);
    sbx_buf_finish(&url);
    sbx_buf_finish(&body);
    if (verdict == DAYTONA_PROBE_ALIVE) return verdict;
    err->http_status = undecided ? first.http_status : now.http_status;
    err->retry_after_ms = undecided ? first.retry_after_ms : now.retry_after_ms;
    if (undecided)
        sbx_fail(err, (enum sbx_status)first.status, SBX_OUTCOME_DONE, "probe: %s", first.detail);
    else
        sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_DONE, "probe: the exec daemon is dead, or its runner unreachable");
    return undecided ? DAYTONA_PROBE_UNDECIDED : DAYTONA_PROBE_DEAD;
}
