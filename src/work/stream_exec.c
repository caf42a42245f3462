/* A command whose output is given while it runs: a run of its own, read from its files as they grow. Rows P7, P11, D9.
 *
 * Its directory is /tmp/.sbx-<nonce>, as that of exact exec, and stays as a tombstone; the streams go when they have
 * been read. */
#include "src/work/durable.h"
#include "src/work/run_verdict.h"

#include <string.h>

#define PIECE_BYTES  (1024 * 1024)
#define WAIT_MS      50
#define WAIT_MS_MAX  1000
#define GRACE_MS     2000
#define SIGKILL_CODE 137

struct stream {
    const struct sbx_work_host *host;
    const struct sbx_exec_options *opt;
    const struct sbx_call *call;
    struct run_place place;
    struct run_answer ans;  /* the latest */
    int64_t out_at, err_at; /* bytes given so far */
    size_t limit;
    struct sbx_buf out, err; /* the first `limit` of each */
    int stopped;             /* by the callback */
};

static void stream_keep(struct sbx_buf *kept, size_t limit, const struct sbx_buf *piece) {
    size_t room = limit - kept->len;
    sbx_buf_append(kept, piece->data, piece->len < room ? piece->len : room);
}

static void stream_give(struct stream *s, int32_t which, const struct sbx_buf *piece) {
    if (!piece->len || s->stopped) return;
    stream_keep(which == SBX_STDOUT ? &s->out : &s->err, s->limit, piece);
    *(which == SBX_STDOUT ? &s->out_at : &s->err_at) += (int64_t)piece->len;
    if (s->opt->output(s->opt->output_ctx, which, piece->data, piece->len) != 0) s->stopped = 1;
}

/* One look. @return SBX_OK with what is new given */
static enum sbx_status stream_read(struct stream *s, const struct sbx_call *call, struct sbx_error *err) {
    const struct run_piece piece = {s->out_at, s->err_at, PIECE_BYTES};
    sbx_run_answer_finish(&s->ans);
    enum sbx_status st = sbx_durable_ask(s->host, &s->place, &piece, call, &s->ans, err);
    if (st) return st;
    stream_give(s, SBX_STDOUT, &s->ans.out);
    stream_give(s, SBX_STDERR, &s->ans.err);
    return s->out.failed || s->err.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL) : SBX_OK;
}

static int stream_ended(const struct stream *s) {
    return s->ans.code != CODED_RUNNING && s->ans.code != CODED_UNKNOWN;
}

static int stream_drained(const struct stream *s) {
    return s->out_at >= s->ans.out_total && s->err_at >= s->ans.err_total;
}

/* Reads until it has ended and everything has been given. */
static enum sbx_status stream_follow(struct stream *s, const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_backoff backoff;
    sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
    for (;;) {
        enum sbx_status st = stream_read(s, call, err);
        if (st || s->stopped || (stream_ended(s) && stream_drained(s))) return st;
        if (s->ans.out.len || s->ans.err.len) {
            sbx_backoff_init(&backoff, WAIT_MS, WAIT_MS_MAX);
            continue;
        }
        st = sbx_backoff_sleep(&backoff, s->host->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (st) return sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    }
}

/* Ends it on the time for clean-up, and gives what it had written. @return was there an answer? */
static int stream_kill(struct stream *s, int *confirmed) {
    struct sbx_call cleanup;
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    if (!sbx_call_for_cleanup(s->call, s->host->env, &cleanup)) return 0;
    sbx_run_answer_finish(&s->ans);
    if (sbx_durable_end(s->host, &s->place, GRACE_MS, &cleanup, &s->ans, &quiet)) return 0;
    *confirmed = sbx_run_kill_confirmed(&s->ans);
    if (!s->stopped && stream_read(s, &cleanup, &quiet)) return 0;
    return 1;
}

static enum sbx_status stream_result(const struct stream *s, int confirmed, struct sbx_exec_result *result) {
    const struct run_answer *ans = &s->ans;
    const struct sbx_exec_draft draft = {.size = sizeof(draft),
                                         .exit_known = ans->code == CODED_EXIT,
                                         .exit_code = ans->code == CODED_EXIT ? ans->exit_code : -1,
                                         .out = sbx_buf_text(&s->out),
                                         .out_len = s->out.len,
                                         .out_total = ans->out_total < 0 ? 0 : (uint64_t)ans->out_total,
                                         .err = sbx_buf_text(&s->err),
                                         .err_len = s->err.len,
                                         .err_total = ans->err_total < 0 ? 0 : (uint64_t)ans->err_total,
                                         .bytes_exact = ans->out_total >= 0 && ans->err_total >= 0,
                                         .killed_confirmed = confirmed};
    return sbx_exec_result_set(result, &draft);
}

/* The files go; the directory stays, so that a copy of the submit that comes late starts nothing. */
static void stream_drop(const struct stream *s) {
    struct sbx_buf line = SBX_BUF_INIT, text = SBX_BUF_INIT;
    struct sbx_call cleanup;
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    sbx_run_line_drop(&line, &s->place);
    if (!line.failed && sbx_call_for_cleanup(s->call, s->host->env, &cleanup))
        (void)s->host->run(s->host->ctx, sbx_buf_text(&line), NULL, 0, GRACE_MS, &cleanup, PIECE_BYTES, &text, &quiet);
    sbx_buf_finish(&line);
    sbx_buf_finish(&text);
}

/* What it comes to, with the latest answer in hand: an exit code that came in spite of everything counts. */
static enum sbx_status stream_verdict(const struct stream *s, enum sbx_status cause) {
    if (s->ans.code == CODED_EXIT && s->ans.late && s->ans.exit_code == SIGKILL_CODE) return SBX_COMMAND_TIMEOUT;
    if (cause && (s->ans.code != CODED_EXIT || s->ans.kill_asked)) return cause;
    return s->ans.code == CODED_LOST ? SBX_PROCESS_LOST : SBX_OK;
}

/* Whatever went wrong, a command is not left running for want of a reply: it is ended, and what it wrote is had. */
static enum sbx_status stream_finish(struct stream *s, enum sbx_status st, struct sbx_exec_result *result,
                                     struct sbx_error *err) {
    int confirmed = 0;
    if (s->stopped) st = SBX_CANCELLED;
    if (st && !stream_kill(s, &confirmed)) return sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    if (s->ans.code == CODED_ABSENT)
        return sbx_fail(err, st ? st : SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "no trace of the command in the sandbox");
    if (sbx_run_state_of(&s->ans) == SBX_RUN_REFUSED) return sbx_fail(err, st, SBX_OUTCOME_REFUSED, NULL);
    if (stream_result(s, confirmed, result)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    if (s->ans.code != CODED_RUNNING) stream_drop(s);
    return sbx_fail(err, stream_verdict(s, st), SBX_OUTCOME_DONE, NULL);
}

static enum sbx_status stream_start(struct stream *s, const struct durable_order *order, struct sbx_error *err) {
    enum sbx_outcome outcome;
    enum sbx_status st = sbx_durable_send(s->host, &s->place, order, s->call, &s->ans, err);
    if (st) return st;
    st = sbx_run_submit_verdict(&s->ans, order->hash, &outcome);
    return st ? sbx_fail(err, st, outcome, "%s", sbx_run_detail(&s->ans, st)) : SBX_OK;
}

enum sbx_status sbx_stream_exec(const struct sbx_work_host *host, const char *command,
                                const struct sbx_exec_options *opt, const struct sbx_call *call,
                                struct sbx_exec_result *result, struct sbx_error *err) {
    struct stream s = {.host = host, .opt = opt, .call = call};
    struct durable_order order = {.env = opt->env, .env_count = opt->env_count};
    enum sbx_status st = sbx_durable_order(host->env, command, opt->cwd,
                                           opt->lifetime_ms ? opt->lifetime_ms : SBX_LIFETIME_MS, &order, err);
    if (st) return st;
    s.limit = (size_t)(opt->output_bytes_max ? opt->output_bytes_max : SBX_OUTPUT_BYTES_DEFAULT);
    s.place = (struct run_place){"/tmp", ".sbx-", order.nonce};
    st = stream_start(&s, &order, err);
    int may_run = !st || err->outcome == SBX_OUTCOME_UNKNOWN; /* whatever a later question's own outcome is */
    if (!st) st = stream_follow(&s, call, err);
    if (may_run) st = stream_finish(&s, st, result, err);
    sbx_run_answer_finish(&s.ans);
    sbx_buf_finish(&s.out);
    sbx_buf_finish(&s.err);
    return st;
}
