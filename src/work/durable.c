/* Durable runs over any host that can run a line of shell. Row D10; docs/durable-runs.md is the protocol,
 * run_verdict.c decides, this acts. */
#include "src/work/durable.h"

#include "src/work/run_verdict.h"

#include <string.h>

#define KILL_GRACE_MS 5000 /* between SIGTERM and SIGKILL, and again behind it */

/* Where a run lives. */
struct home {
    struct run_place place;
    struct sbx_buf parent;
    char key[RUN_KEY_SIZE];
};

static enum sbx_status home_begin(struct home *at, const char *home, const char *run_id, struct sbx_error *err) {
    char hash[SBX_SHA256_HEX];
    size_t len = strlen(home);
    while (len > 1 && home[len - 1] == '/') len--;
    at->parent = (struct sbx_buf)SBX_BUF_INIT;
    sbx_buf_append(&at->parent, home, len == 1 ? 0 : len);
    sbx_buf_text_append(&at->parent, "/.sandport/v1/runs");
    if (at->parent.failed || !sbx_sha256_of(run_id, strlen(run_id), hash))
        return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    memcpy(at->key, hash, RUN_KEY_SIZE - 1);
    at->key[RUN_KEY_SIZE - 1] = 0;
    at->place = (struct run_place){sbx_buf_text(&at->parent), "", at->key};
    return SBX_OK;
}

static void home_end(struct home *at) {
    sbx_buf_finish(&at->parent);
}

enum sbx_status sbx_durable_submit(const struct sbx_work_host *host, const char *home, const char *run_id,
                                   const char *command, const struct sbx_run_options *opt, const struct sbx_call *call,
                                   struct sbx_run_status *status, struct sbx_error *err) {
    struct home at;
    struct run_answer ans = {0};
    struct durable_order order = {.env = opt->env, .env_count = opt->env_count};
    enum sbx_outcome outcome;
    enum sbx_status st = home_begin(&at, home, run_id, err);
    int64_t lifetime_ms = opt->lifetime_ms ? opt->lifetime_ms : SBX_LIFETIME_MS;
    if (!st) st = sbx_durable_order(host->env, command, opt->cwd, lifetime_ms, &order, err);
    if (!st) st = sbx_durable_send(host, &at.place, &order, call, &ans, err);
    if (!st) {
        st = sbx_run_submit_verdict(&ans, order.hash, &outcome);
        sbx_fail(err, st, outcome, st ? "%s" : NULL, sbx_run_detail(&ans, st));
    }
    if (!st) sbx_run_status_fill(status, &ans, order.nonce);
    sbx_run_answer_finish(&ans);
    home_end(&at);
    return st;
}

static enum sbx_status log_fill(struct sbx_log *into, const struct run_answer *ans, const struct run_piece *piece) {
    struct sbx_log_draft draft = {.size = sizeof(draft),
                                  .out = sbx_buf_text(&ans->out),
                                  .out_len = ans->out.len,
                                  .err = sbx_buf_text(&ans->err),
                                  .err_len = ans->err.len};
    draft.out_from = (uint64_t)sbx_run_piece_from(piece->out_from, ans->out_total, piece->max);
    draft.err_from = (uint64_t)sbx_run_piece_from(piece->err_from, ans->err_total, piece->max);
    sbx_run_status_init(&draft.status, sizeof(draft.status));
    sbx_run_status_fill(&draft.status, ans, NULL);
    return sbx_log_set(into, &draft);
}

static enum sbx_status question_end(const struct run_answer *ans, struct sbx_error *err) {
    enum sbx_status st = sbx_run_question_verdict(ans);
    return st ? sbx_fail(err, st, SBX_OUTCOME_NONE, "%s", sbx_run_detail(ans, st)) : SBX_OK;
}

enum sbx_status sbx_durable_read(const struct sbx_work_host *host, const char *home, const char *run_id,
                                 const struct sbx_log_options *opt, const struct sbx_call *call, struct sbx_log *into,
                                 struct sbx_error *err) {
    struct home at;
    struct run_answer ans = {0};
    const struct run_piece piece = {opt->stdout_from, opt->stderr_from, opt->bytes_max};
    enum sbx_status st = home_begin(&at, home, run_id, err);
    if (!st) st = sbx_durable_ask(host, &at.place, &piece, call, &ans, err);
    if (!st) st = question_end(&ans, err);
    if (!st && log_fill(into, &ans, &piece)) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    sbx_run_answer_finish(&ans);
    home_end(&at);
    return st;
}

enum sbx_status sbx_durable_kill(const struct sbx_work_host *host, const char *home, const char *run_id,
                                 const struct sbx_call *call, struct sbx_run_status *status, struct sbx_error *err) {
    struct home at;
    struct run_answer ans = {0};
    enum sbx_status st = home_begin(&at, home, run_id, err);
    if (!st) st = sbx_durable_end(host, &at.place, KILL_GRACE_MS, call, &ans, err);
    if (!st) st = question_end(&ans, err);
    if (!st && ans.code == CODED_RUNNING)
        st = sbx_fail(err, SBX_DEADLINE, SBX_OUTCOME_UNKNOWN, "the run could not be ended");
    if (!st) {
        sbx_run_status_fill(status, &ans, NULL);
        status->killed_confirmed = sbx_run_kill_confirmed(&ans);
    }
    sbx_run_answer_finish(&ans);
    home_end(&at);
    return st;
}
