/* One request about a run. Rows D10, P11. */
#include "src/work/durable.h"
#include "src/work/exact_verdict.h"

#include <string.h>

#define NOISE_BYTES_MAX (64 * 1024) /* banners around an answer */
#define ASKS            3
#define ASK_WAIT_MS     250
#define ASK_WAIT_MS_MAX 1000
#define REQUEST_MS      20000 /* for a script's own work */

static const struct run_piece no_piece = {INT64_MAX, INT64_MAX, 0};

static void command_hash(const char *command, const char *cwd, char *out, int *ok) {
    struct sbx_buf text = SBX_BUF_INIT;
    sbx_buf_append(&text, command, strlen(command) + 1);
    sbx_buf_text_append(&text, cwd ? cwd : "");
    *ok = !text.failed && sbx_sha256_of(sbx_buf_text(&text), text.len, out);
    sbx_buf_finish(&text);
}

enum sbx_status sbx_durable_order(struct sbx_env *env, const char *command, const char *cwd, int64_t lifetime_ms,
                                  struct durable_order *order, struct sbx_error *err) {
    unsigned char random[(RUN_NONCE_SIZE - 1) / 2];
    int hashed = 0;
    command_hash(command, cwd, order->hash, &hashed);
    if (!hashed) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = env->random(env, random, sizeof(random));
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "no random bytes for a nonce");
    sbx_hex(random, sizeof(random), order->nonce);
    int64_t lifetime_s = lifetime_ms / 1000 + (lifetime_ms % 1000 != 0);
    order->is = (struct run_order){.command = command,
                                   .cwd = cwd,
                                   .lifetime_s = lifetime_s > DURABLE_LIFETIME_S_MAX ? 0 : lifetime_s,
                                   .hash = order->hash,
                                   .nonce = order->nonce};
    return SBX_OK;
}

/* A line, and what its answer must look like. */
struct question {
    struct sbx_buf line;
    const char *key;
    const struct run_piece *piece;
    const struct durable_order *order; /* of a submit */
    int64_t lifetime_ms;
};

static enum sbx_status put(const struct sbx_work_host *host, const struct question *q, const struct sbx_call *call,
                           struct run_answer *ans, struct sbx_error *err) {
    struct sbx_buf text = SBX_BUF_INIT;
    size_t text_max = (size_t)q->piece->max * 7 + NOISE_BYTES_MAX;
    enum sbx_status st = host->run(host->ctx, sbx_buf_text(&q->line), q->order ? q->order->env : NULL,
                                   q->order ? q->order->env_count : 0, q->lifetime_ms, call, text_max, &text, err);
    if (!st) {
        st = sbx_run_answer_read(sbx_buf_text(&text), text.len, q->key, q->piece, ans);
        if (st == SBX_PROTOCOL)
            sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "expected an answer about the run in the output");
        else if (st)
            sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    }
    sbx_buf_finish(&text);
    return st;
}

/* A proxy that has lost the toolbox for a moment says what one says that has lost it for good: a few tries tell. */
static int may_pass(enum sbx_status status) {
    return sbx_exact_ask_again(status) || status == SBX_NOT_READY;
}

/* A failure that is made good leaves nothing behind in err. */
static enum sbx_status put_until_answered(const struct sbx_work_host *host, struct question *q,
                                          const struct sbx_call *call, struct run_answer *ans, struct sbx_error *err) {
    const struct sbx_error before = *err;
    struct sbx_backoff backoff;
    int unknown = 0;
    memset(ans, 0, sizeof(*ans));
    sbx_backoff_init(&backoff, ASK_WAIT_MS, ASK_WAIT_MS_MAX);
    enum sbx_status st = sbx_buf_status(&q->line);
    if (st) sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    for (int asked = 0; !st && asked < ASKS; asked++) {
        st = put(host, q, call, ans, err);
        if (st && unknown) err->outcome = SBX_OUTCOME_UNKNOWN; /* a try that did nothing undoes no earlier one */
        unknown |= err->outcome == SBX_OUTCOME_UNKNOWN;
        if (!st || !may_pass(st) || asked + 1 == ASKS) break;
        st = sbx_backoff_sleep(&backoff, host->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (st) sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    }
    if (!st) *err = before;
    sbx_buf_finish(&q->line);
    return st;
}

enum sbx_status sbx_durable_send(const struct sbx_work_host *host, const struct run_place *place,
                                 const struct durable_order *order, const struct sbx_call *call, struct run_answer *ans,
                                 struct sbx_error *err) {
    struct question q = {.key = place->key, .piece = &no_piece, .order = order, .lifetime_ms = REQUEST_MS};
    sbx_run_line_submit(&q.line, place, &order->is);
    return put_until_answered(host, &q, call, ans, err);
}

enum sbx_status sbx_durable_ask(const struct sbx_work_host *host, const struct run_place *place,
                                const struct run_piece *piece, const struct sbx_call *call, struct run_answer *ans,
                                struct sbx_error *err) {
    struct question q = {.key = place->key, .piece = piece, .lifetime_ms = REQUEST_MS};
    sbx_run_line_read(&q.line, place, piece);
    return put_until_answered(host, &q, call, ans, err);
}

enum sbx_status sbx_durable_end(const struct sbx_work_host *host, const struct run_place *place, int64_t grace_ms,
                                const struct sbx_call *call, struct run_answer *ans, struct sbx_error *err) {
    struct question q = {.key = place->key, .piece = &no_piece, .lifetime_ms = REQUEST_MS + 3 * grace_ms};
    sbx_run_line_kill(&q.line, place, grace_ms);
    return put_until_answered(host, &q, call, ans, err);
}
