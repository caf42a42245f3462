/* Exact exec: a command runs at most once, and its result is had although a reply was lost. Rows P7, P9, P11;
 * docs/exact-exec.md is the protocol, exact_verdict.c decides, this acts. */
#include "src/work/exact.h"
#include "src/work/exact_line.h"
#include "src/work/exact_script.h"
#include "src/work/exact_verdict.h"

#include <sandport/kit/text.h>
#include <string.h>

#define LIFETIME_MS_MAX  (INT64_C(10) * 365 * 24 * 3600 * 1000)
#define OUTPUT_BYTES_MAX (INT64_C(256) * 1024 * 1024)
#define NOISE_BYTES_MAX  (64 * 1024) /* banners around an answer */
#define GRACE_MS_MAX     5000        /* for the end of what was killed to be seen */
#define ASK_MORE_MS      10000       /* for a question's own work */
#define ASKS             3
#define ASK_WAIT_MS      250
#define ASK_WAIT_MS_MAX  1000

enum sbx_status sbx_exact_check(const char *command, const struct sbx_exec_options *opt, struct sbx_error *err) {
    const char *wrong = NULL;
    if (!command || strlen(command) > SBX_COMMAND_BYTES_MAX)
        wrong = "command: expected at most 96 KiB";
    else if (opt->lifetime_ms < 0)
        wrong = "lifetime_ms: expected 0 or more";
    else if (opt->output_bytes_max < 0 || opt->output_bytes_max > OUTPUT_BYTES_MAX)
        wrong = "output_bytes_max: expected 0 to 256 MiB";
    return wrong ? sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s", wrong) : SBX_OK;
}

enum sbx_status sbx_exact_begin(struct exact *ex, const struct sbx_exec_options *opt, struct sbx_error *err) {
    unsigned char random[(EXACT_NONCE_SIZE - 1) / 2];
    struct sbx_env *env = ex->host->env;
    enum sbx_status st = env->random(env, random, sizeof(random));
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "no random bytes for a nonce");
    sbx_hex(random, sizeof(random), ex->nonce);
    ex->limit = opt->output_bytes_max ? opt->output_bytes_max : SBX_OUTPUT_BYTES_DEFAULT;
    ex->lifetime_ms = opt->lifetime_ms == 0                ? SBX_LIFETIME_MS
                      : opt->lifetime_ms < LIFETIME_MS_MAX ? opt->lifetime_ms
                                                           : LIFETIME_MS_MAX;
    ex->begun_ms = env->now_ms(env);
    return SBX_OK;
}

/* Two streams in the wider coding: a space and two digits a byte, a newline every 16. */
static size_t text_max(const struct exact *ex) {
    return (size_t)ex->limit * 7 + NOISE_BYTES_MAX;
}

/* One request, and the answer that came with it in ex->ans. An answer is what a status of SBX_OK means here. */
static enum sbx_status exact_request(struct exact *ex, const struct sbx_buf *line, const struct sbx_exec_options *opt,
                                     int64_t lifetime_ms, const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_buf text = SBX_BUF_INIT;
    const struct sbx_work_host *host = ex->host;
    enum sbx_status st = host->run(host->ctx, sbx_buf_text(line), opt ? opt->env : NULL, opt ? opt->env_count : 0,
                                   lifetime_ms, call, text_max(ex), &text, err);
    if (!st) {
        st = sbx_exact_answer_read(sbx_buf_text(&text), text.len, ex->nonce, ex->limit, &ex->ans);
        if (st == SBX_PROTOCOL)
            sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "expected an answer line of exact exec in the output");
        else if (st)
            sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    }
    sbx_buf_finish(&text);
    return st;
}

static enum sbx_status exact_run(struct exact *ex, const char *command, const struct sbx_exec_options *opt,
                                 struct sbx_error *err) {
    char received[EXACT_RECEIPTS_A_LINE][EXACT_NONCE_SIZE];
    struct sbx_buf line = SBX_BUF_INIT;
    sbx_exact_line_run(&line, command, ex->nonce, opt->cwd, ex->limit, received,
                       sbx_exact_receipts_take(ex->host->receipts, ex->host->sandbox, received));
    enum sbx_status st = sbx_buf_status(&line);
    if (st)
        sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    else
        st = exact_request(ex, &line, opt, ex->lifetime_ms, ex->call, err);
    sbx_buf_finish(&line);
    return st;
}

/* Puts a question until it is answered or that is of no more use. A question starts nothing, so it may be put again. */
static enum sbx_status exact_ask(struct exact *ex, int64_t patience_ms, int64_t grace_ms, const struct sbx_call *call,
                                 struct sbx_error *err) {
    struct sbx_buf line = SBX_BUF_INIT;
    struct sbx_backoff backoff;
    struct sbx_env *env = ex->host->env;
    int64_t lifetime_ms = patience_ms + grace_ms + ASK_MORE_MS;
    sbx_exact_line_ask(&line, ex->nonce, ex->limit, patience_ms, grace_ms);
    sbx_backoff_init(&backoff, ASK_WAIT_MS, ASK_WAIT_MS_MAX);
    enum sbx_status st = sbx_buf_status(&line);
    for (int asked = 0; !st && asked < ASKS; asked++) {
        st = exact_request(ex, &line, NULL, lifetime_ms, call, err);
        if (!st || !sbx_exact_ask_again(st) || asked + 1 == ASKS) break;
        st = sbx_backoff_sleep(&backoff, env, call->deadline_ms, sbx_cancel_event(call->cancel));
    }
    sbx_buf_finish(&line);
    return st;
}

/* Lets the command have what is left of its lifetime, then ends it: what the provider did for the first request. */
static enum sbx_status exact_wait(struct exact *ex, struct sbx_error *err) {
    int64_t left_ms = ex->begun_ms + ex->lifetime_ms - ex->host->env->now_ms(ex->host->env);
    return exact_ask(ex, left_ms > 0 ? left_ms : 0, GRACE_MS_MAX, ex->call, err);
}

/* Ends it now, on the time for clean-up. */
static enum sbx_status exact_kill(struct exact *ex, struct sbx_error *err) {
    struct sbx_call cleanup;
    if (!sbx_call_for_cleanup(ex->call, ex->host->env, &cleanup)) return SBX_DEADLINE;
    int64_t grace_ms = ex->call->cleanup_ms / 2 < GRACE_MS_MAX ? ex->call->cleanup_ms / 2 : GRACE_MS_MAX;
    return exact_ask(ex, 0, grace_ms, &cleanup, err);
}

/* Finds out what became of the command. @param cause why it has to be asked; becomes the end of the call when the
 * call's own time is over meanwhile @return SBX_OK with ex->ans, or that nobody could say */
enum sbx_status sbx_exact_recover(struct exact *ex, enum exact_next next, enum sbx_status *cause) {
    struct sbx_error err;
    enum sbx_status st = SBX_OK;
    sbx_error_init(&err, sizeof(err));
    if (next == EXACT_WAIT) {
        st = exact_wait(ex, &err);
        next = sbx_exact_after_wait(st);
        if (next == EXACT_KILL) *cause = st;
    }
    if (next == EXACT_KILL) st = exact_kill(ex, &err);
    return st;
}

static enum sbx_status exact_result(const struct exact *ex, const struct exact_end *end,
                                    struct sbx_exec_result *result) {
    const struct exact_answer *ans = &ex->ans;
    const struct sbx_exec_draft draft = {
        .size = sizeof(draft),
        .exit_known = end->exit_known,
        .exit_code = end->exit_known ? ans->exit_code : -1,
        .out = sbx_buf_text(&ans->out),
        .out_len = ans->out.len,
        .out_total = ans->out_total < 0 ? 0 : (uint64_t)ans->out_total,
        .err = sbx_buf_text(&ans->err),
        .err_len = ans->err.len,
        .err_total = ans->err_total < 0 ? 0 : (uint64_t)ans->err_total,
        .bytes_exact = ans->out_total >= 0 && ans->err_total >= 0,
        .killed_confirmed = end->killed_confirmed,
    };
    return sbx_exec_result_set(result, &draft);
}

static void exact_detail(const struct exact *ex, const struct exact_end *end, struct sbx_error *err) {
    if (end->outcome == SBX_OUTCOME_UNKNOWN) return; /* what the request's own failure said stays */
    switch (ex->ans.code) {
    case CODED_NO_TOOL:
        sbx_fail(err, end->status, end->outcome, "%s: not in the sandbox, and exact exec needs it", ex->ans.tool);
        break;
    case CODED_NO_CWD:
        sbx_fail(err, end->status, end->outcome, "cwd: expected a directory that can be entered");
        break;
    case CODED_NO_ROOM:
        sbx_fail(err, end->status, end->outcome, "/tmp: expected room for a directory");
        break;
    case CODED_NEVER:
        sbx_fail(err, end->status, end->outcome, "the command has not been started and will not be");
        break;
    case CODED_EXIT:
    case CODED_LOST:
    case CODED_RUNNING:
    case CODED_ABSENT:
    case CODED_UNKNOWN:
        break;
    }
}

/* What the call comes to, once there is an answer. */
enum sbx_status sbx_exact_finish(struct exact *ex, enum sbx_status cause, const struct sbx_error *before,
                                 struct sbx_exec_result *result, struct sbx_error *err) {
    struct exact_end end = sbx_exact_end_of(cause, &ex->ans);
    if (end.status == SBX_OK) *err = *before; /* a failure that was made good leaves nothing behind */
    if (end.has_output) {
        if (exact_result(ex, &end, result)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
        sbx_exact_receipts_add(ex->host->receipts, ex->host->sandbox, ex->nonce);
    }
    exact_detail(ex, &end, err);
    return sbx_fail(err, end.status, end.outcome, NULL);
}

enum sbx_status sbx_exact_exec(const struct sbx_work_host *host, const char *command,
                               const struct sbx_exec_options *opt, const struct sbx_call *call,
                               struct sbx_exec_result *result, struct sbx_error *err) {
    struct exact ex = {.host = host, .call = call};
    const struct sbx_error before = *err;
    enum sbx_status st = sbx_exact_check(command, opt, err), cause = SBX_OK;
    if (!st) st = sbx_exact_begin(&ex, opt, err);
    if (st) return st;
    st = exact_run(&ex, command, opt, err);
    enum exact_next next = sbx_exact_after_run(st, err->outcome, ex.ans.code);
    if (next == EXACT_WAIT || next == EXACT_KILL) {
        cause = st ? st : SBX_PROTOCOL;
        st = sbx_exact_recover(&ex, next, &cause);
        if (st && err->status != (int32_t)cause) sbx_fail(err, cause, SBX_OUTCOME_UNKNOWN, NULL);
    }
    st = st ? (enum sbx_status)err->status : sbx_exact_finish(&ex, cause, &before, result, err);
    sbx_exact_answer_finish(&ex.ans);
    return st;
}
