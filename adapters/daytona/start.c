/* Starting, and not believing it. Rows D4-D8, D16.
 *
 * After the transition the sandbox is read again and probed. Only a probe that proves the exec daemon dead replaces it,
 * and only where the caller allows that, since a replacement has none of the files. The replacement is proven before
 * the dead one is deleted; if it cannot be proven it is deleted, and the old one left alone. */
#include "adapters/daytona/change.h"

#include <sandport/kit/text.h>
#include <string.h>

enum start_verdict { START_KEEP, START_REPORT, START_REPLACE, START_REFUSE };

static enum start_verdict start_verdict(enum sbx_status refetch, enum daytona_probe probe, int may_replace) {
    if (refetch) return START_REPORT; /* guard: start_refetch_error */
    if (probe == DAYTONA_PROBE_ALIVE) return START_KEEP;
    if (probe == DAYTONA_PROBE_UNDECIDED) return START_REPORT; /* guard: start_undecided_probe */
    return may_replace ? START_REPLACE : START_REFUSE;         /* guard: start_no_recreate */
}

struct start {
    struct daytona *d;
    struct sbx_identity *who;
    const struct sbx_start_options *opt;
    const struct sbx_call *call;
    struct daytona_view view;
    int64_t window_ms;
};

/* Reads it once, and only once: whatever this read fails with is the caller's to know. */
static enum sbx_status start_refetch(struct start *s, struct sbx_error *err) {
    enum sbx_status st = daytona_view_once(s->d, s->who->id, s->call, &s->view, err);
    if (!st && s->view.is.state != SBX_STATE_RUNNING)
        st = sbx_fail(err, SBX_NOT_READY, SBX_OUTCOME_DONE, "after the start its state was %s",
                      sbx_state_name(s->view.is.state));
    if (!st) st = daytona_dto_identity(s->d, s->view.reply.js, &s->view.is, s->who, err);
    return st ? st : daytona_address(s->d, s->who, s->call, err);
}

static enum sbx_status start_transition(struct start *s, struct sbx_error *err) {
    enum sbx_status st = daytona_change(s->d, DAYTONA_START, s->who->id, "/start", DAYTONA_UNTIL_STARTED, s->call, err);
    return st ? st : daytona_wait_until(s->d, s->who->id, DAYTONA_UNTIL_STARTED, s->call, &s->view, err);
}

/* Dead takes one more thing: that Daytona still says started, so that it is not just being stopped. */
static enum daytona_probe start_probe(struct start *s, struct sbx_error *err) {
    enum daytona_probe probe = daytona_probe(s->d, s->who, s->window_ms, s->call, err);
    if (probe != DAYTONA_PROBE_DEAD) return probe;
    struct sbx_error last;
    sbx_error_init(&last, sizeof(last));
    enum sbx_status st = start_refetch(s, &last);
    if (st == SBX_OK) return probe;
    err->http_status = last.http_status;
    err->retry_after_ms = last.retry_after_ms;
    sbx_fail(err, st, SBX_OUTCOME_DONE, "%s", last.detail);
    return DAYTONA_PROBE_UNDECIDED; /* guard: start_still_started */
}

/* ---- replacement ---- */

static void note(const struct start *s, const char *text) {
    if (s->d->env->note) s->d->env->note(s->d->env, text);
}

static enum sbx_status replace_begin(struct start *s, char *acquisition, struct sbx_error *err) {
    enum sbx_status st = sbx_acquisition_new(s->d->env, acquisition);
    if (st) return sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, "no random bytes");
    memcpy(err->acquisition, acquisition, SBX_ACQUISITION_SIZE);
    if (s->opt->on_replacing && s->opt->on_replacing(s->opt->on_replacing_ctx, acquisition) != 0)
        return sbx_fail(err, SBX_CANCELLED, SBX_OUTCOME_NOT_SENT, "on_replacing said no");
    return SBX_OK;
}

static void replaced(struct start *s, const struct sbx_identity *fresh, struct sbx_start_result *result) {
    struct sbx_error quiet;
    sbx_error_init(&quiet, sizeof(quiet));
    result->replaced = 1;
    result->lost_files = 1;
    result->lost_name = 1;
    memcpy(result->old_id, s->who->id, sizeof(result->old_id));
    if (s->opt->keep_dead != SBX_YES) /* guard: dead_deleted_last */
        result->old_deleted = daytona_delete(s->d, s->who->id, s->call, &quiet) == SBX_OK;
    *s->who = *fresh;
}

static enum sbx_status start_replace(struct start *s, struct sbx_start_result *result, struct sbx_error *err) {
    struct daytona_made made = {0};
    struct sbx_identity fresh = {.size = sizeof(fresh)};
    struct sbx_buf body = SBX_BUF_INIT;
    char acquisition[SBX_ACQUISITION_SIZE], name[SBX_UUID_SIZE];
    enum sbx_status st = daytona_replaceable(s->view.reply.js, &s->view.is, err);
    if (!st) st = replace_begin(s, acquisition, err);
    if (st) return st;
    note(s, "the exec daemon is proven dead: a replacement is created, proven, and then the dead one deleted");
    daytona_body_of_replacement(&body, s->view.reply.js, &s->view.is, acquisition);
    sbx_uuid_from_hex(acquisition, name);
    made.name = name;
    made.acquisition = acquisition;
    memcpy(fresh.acquisition, acquisition, sizeof(acquisition));
    st = daytona_create_proven(s->d, &body, &made, 0, s->call, &fresh, err);
    if (!st)
        replaced(s, &fresh, result);
    else if (fresh.id[0])
        memcpy(err->sandbox_id, fresh.id, sizeof(fresh.id));
    sbx_buf_finish(&body);
    return st;
}

enum sbx_status daytona_start(void *self, struct sbx_identity *who, const struct sbx_start_options *opt,
                              const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    struct daytona *d = self;
    struct start s = {.d = d, .who = who, .opt = opt, .call = call};
    enum daytona_probe probe = DAYTONA_PROBE_UNDECIDED;
    int may_replace = (opt->replace == SBX_DEFAULT ? d->recreate : opt->replace) == SBX_YES;
    s.window_ms = opt->probe_window_ms ? opt->probe_window_ms : d->probe_window_ms;
    enum sbx_status st = start_transition(&s, err);
    if (!st) {
        st = start_refetch(&s, err);
        if (st) err->outcome = SBX_OUTCOME_DONE; /* the start itself happened */
        if (!st) probe = start_probe(&s, err);
        switch (start_verdict(st, probe, may_replace)) {
        case START_KEEP:
            st = SBX_OK;
            break;
        case START_REPORT:
        case START_REFUSE:
            st = (enum sbx_status)err->status;
            break;
        case START_REPLACE:
            st = start_replace(&s, result, err);
            break;
        }
    }
    daytona_view_finish(&s.view);
    return st;
}
