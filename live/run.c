/* A live run from its transcript to its verdict: what is made is taken down, whatever happens between. Row V6. */
#include "live/live.h"

#include <sandport/daytona.h>
#include <sandport/kit/text.h>
#include <string.h>

/* ---- telling ---- */

void live_step(struct live *l, const char *step) {
    live_recorder_step(&l->recorder, step);
    l->began_ms = l->env->now_ms(l->env);
}

static int64_t step_ms(const struct live *l) {
    return l->env->now_ms(l->env) - l->began_ms;
}

int live_told(struct live *l, int holds, const char *fmt, ...) {
    struct sbx_buf sent = SBX_BUF_INIT;
    char decided[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(decided, sizeof(decided), fmt, args);
    va_end(args);
    live_recorder_tell(&l->recorder, &sent);
    fprintf(l->run->out, "%-8s %-9s | sent: %s | decided: %s | %lld ms\n", holds ? "[ok]" : "[NOT SO]",
            l->transcript.step, sbx_buf_text(&sent), decided, (long long)step_ms(l));
    fflush(l->run->out);
    sbx_buf_finish(&sent);
    return holds;
}

int live_failed(struct live *l, const char *what) {
    char line[512];
    sbx_error_describe(&l->err, line, sizeof(line));
    return live_told(l, 0, "%s: %s", what, line);
}

/* ---- time ---- */

struct sbx_call live_call_cleanup(const struct live *l, int64_t ms) {
    struct sbx_call call = SBX_CALL_INIT;
    sbx_call_init_after(&call, sizeof(call), l->env, ms);
    return call;
}

struct sbx_call live_call(const struct live *l, int64_t ms) {
    struct sbx_call call = live_call_cleanup(l, ms);
    if (call.deadline_ms > l->until_ms) call.deadline_ms = l->until_ms;
    call.cancel = l->run->cancel;
    return call;
}

/* ---- a run ---- */

/* Proves the credential before anything costs, and that the label is new. */
static int look(struct live *l) {
    const struct sbx_pair label = {"live-run", l->label};
    const struct sbx_call call = live_call(l, 30 * 1000);
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t count = 0;
    query.labels = &label;
    query.label_count = 1;
    live_step(l, "look");
    if (sbx_runtime_count(l->rt, &query, &call, &count, &l->err)) return live_failed(l, "nothing was made");
    return count ? live_told(l, 0, "the label live-run=%s is not new; nothing was made", l->label)
                 : live_told(l, 1, "the key is good, nothing carries the label live-run=%s", l->label);
}

static int runtime_make(struct live *l) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    const struct live_account *account = l->run->account;
    opt.endpoint = account->api_url;
    opt.api_key = account->api_key;
    opt.target = account->target[0] ? account->target : NULL;
    opt.snapshot = account->snapshot[0] ? account->snapshot : NULL;
    opt.recreate_on_failed_start = SBX_NO;
    live_step(l, "account");
    return sbx_daytona_create(&opt, l->env, &l->rt, &l->err) ? live_failed(l, "no runtime") : 1;
}

static enum live_verdict run_steps(struct live *l) {
    enum live_verdict verdict = LIVE_NOT_SO;
    if (!runtime_make(l) || !look(l)) return verdict;
    if (live_job(l)) verdict = LIVE_HELD;
    if (!live_take_down(l)) verdict = LIVE_LEFT;
    if (!live_audit(l)) return LIVE_LEFT;
    /* Asked last, the account's word stands: what could not be proven gone before is gone now. */
    return verdict == LIVE_LEFT ? LIVE_NOT_SO : verdict;
}

static const char *verdict_text(enum live_verdict verdict) {
    switch (verdict) {
    case LIVE_HELD:
        return "All of it held, and nothing is left.";
    case LIVE_NOT_SO:
        return "Not all of it held; nothing is left.";
    case LIVE_REFUSED:
        return "Nothing was sent.";
    case LIVE_LEFT:
        break;
    }
    return "SOMETHING MAY BE LEFT and cost money: look for the label above in the account.";
}

static enum live_verdict run_close(struct live *l, enum live_verdict verdict) {
    const long long lines = (long long)l->transcript.n;
    const int whole = live_transcript_close(&l->transcript);
    fprintf(l->run->out, "%s transcript: %s, %lld exchanges%s\n", whole ? "[ok]    " : "[NOT SO]", l->transcript.path,
            lines, whole ? ", each line searched for the key before it was written" : "; some are missing");
    if (!whole && verdict == LIVE_HELD) verdict = LIVE_NOT_SO;
    fprintf(l->run->out, "%s\n", verdict_text(verdict));
    return verdict;
}

enum live_verdict live_run_do(const struct live_run *run) {
    struct live l = {.run = run, .err = SBX_ERROR_INIT};
    unsigned char chance[8];
    enum live_verdict verdict = LIVE_REFUSED;
    if (run->under->random(run->under, chance, sizeof(chance))) return verdict;
    sbx_hex(chance, sizeof(chance), l.label);
    if (!live_transcript_open(&l.transcript, run->folder, l.label, run->account->api_key)) {
        fprintf(run->out, "[NOT SO] no transcript can be written in %s; nothing was sent\n", run->folder);
        return verdict;
    }
    live_recorder_init(&l.recorder, run->under, &l.transcript, run->account->api_url, LIVE_CREATES_MAX);
    l.env = &l.recorder.env;
    l.until_ms = l.env->now_ms(l.env) + LIVE_RUN_MS;
    verdict = run_steps(&l);
    sbx_runtime_free(l.rt);
    return run_close(&l, verdict);
}
