/* A sandbox's life by its locator: told, stopped, started, destroyed. Rows R9, R11, D6. */
#include "src/router/heart.h"
#include "src/router/journal.h"
#include "src/router/judge.h"
#include "src/router/leftover.h"
#include "src/router/locate.h"

#include <sandport/router_sandbox.h>
#include <string.h>

#define READ_MS  30000
#define STOP_MS  60000
#define START_MS 180000 /* a replacement included */

void sbx_description_init(struct sbx_description *description, size_t size) {
    sbx_options_init(description, size);
}

static void describe(const struct sbx_record *record, struct sbx_description *out) {
    struct sbx_description told = SBX_DESCRIPTION_INIT;
    if (!out || out->size < sizeof(out->size)) return;
    sbx_copy(told.pool_id, sizeof(told.pool_id), record->pool);
    sbx_copy(told.provider, sizeof(told.provider), record->provider);
    sbx_copy(told.sandbox_id, sizeof(told.sandbox_id), record->sandbox_id);
    sbx_copy(told.acquisition, sizeof(told.acquisition), record->acquisition);
    sbx_copy(told.request, sizeof(told.request), record->request);
    told.size = out->size;
    memcpy(out, &told, out->size < sizeof(told) ? out->size : sizeof(told));
}

enum sbx_status sbx_router_describe(struct sbx_router *router, const char *locator, const struct sbx_call *call,
                                    struct sbx_description *out, struct sbx_info **info, struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = SBX_OK;
    if (!info) {
        st = sbx_locate_record(&at, router, "describe", locator, call, READ_MS, err);
        if (!st && at.record->state != SBX_RECORD_MAPPED)
            st =
                sbx_fail(&at.entry.err, SBX_UNKNOWN_LOCATOR, SBX_OUTCOME_NOT_SENT, "locator: the sandbox is destroyed");
    } else {
        st = sbx_locate(&at, router, "describe", locator, call, READ_MS, err);
        if (!st) {
            const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
            st = sbx_locate_answer(&at, sbx_sandbox_info(at.sb, &inner, info, &said), &said);
        }
    }
    if (!st) describe(at.record, out);
    return sbx_locate_end(&at, st);
}

enum sbx_status sbx_router_stop(struct sbx_router *router, const char *locator, const struct sbx_stop_options *opt,
                                const struct sbx_call *call, struct sbx_error *err) {
    struct located at;
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate(&at, router, "stop", locator, call, STOP_MS, err);
    if (!st) {
        const struct sbx_call inner = sbx_router_inner_call(&at.entry, INT64_MAX);
        st = sbx_locate_answer(&at, sbx_sandbox_stop(at.sb, opt, &inner, &said), &said);
    }
    return sbx_locate_end(&at, st);
}

/* ---- start ---- */

struct starting {
    struct located at;
    struct sbx_start_options opt;
    int (*callers)(void *ctx, const char *acquisition);
    void *callers_ctx;
    struct sbx_start_result result;
    struct router_work work; /* names the replacement once there is to be one */
    struct journal journal;  /* of the replacement */
    int is_written;
    enum sbx_status st;
    struct sbx_error said;
};

/* The replacement is written down before it is made; if it cannot be, there is to be none. */
static int write_replacement(void *ctx, const char *acquisition) {
    struct starting *s = ctx;
    const struct sbx_record *old = s->at.record;
    struct sbx_router *router = s->at.entry.router;
    const struct sbx_call call = sbx_router_firm_call(&s->at.entry);
    const struct journal_entry entry = {old->pool, old->provider, old->request, old->labels, old->label_count, 1};
    sbx_router_work_name(router, &s->work, acquisition);
    if (sbx_journal_begin(&s->journal, router, acquisition, &entry, &call))
        return 1; /* guard: replacement_written_first */
    s->is_written = 1;
    return s->callers ? s->callers(s->callers_ctx, acquisition) : 0;
}

static void do_start(void *arg) {
    struct starting *s = arg;
    const struct sbx_call call = sbx_router_inner_call(&s->at.entry, INT64_MAX);
    s->st = sbx_sandbox_start(s->at.sb, &s->opt, &call, &s->result, &s->said);
}

static enum sbx_status store_failed(struct starting *s, const char *what) {
    struct sbx_error *err = &s->at.entry.err;
    (void)sbx_fail(err, SBX_MAPPING_STORE, (enum sbx_outcome)s->journal.err.outcome, "pool %s: %s", s->at.record->pool,
                   what);
    err->cause = s->journal.err.status;
    sbx_copy(err->acquisition, sizeof(err->acquisition), s->journal.acquisition);
    return SBX_MAPPING_STORE;
}

/* The locator must lead to the new one before anybody is told of it. */
static enum sbx_status store_replacement(struct starting *s) {
    struct sbx_router *router = s->at.entry.router;
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_REPLACED);
    struct sbx_call call = sbx_router_firm_call(&s->at.entry);
    struct journal old;
    char id[SBX_ID_SIZE];
    /* One that its caller wants to keep, dead as it is, is the caller's from now on. */
    const int old_is_done = s->result.old_deleted || s->opt.keep_dead == SBX_YES;
    sbx_sandbox_id(s->at.sb, id);
    sbx_journal_resume(&old, router, s->at.record);
    if (sbx_journal_map(&s->journal, s->at.record->locator, id, &old,
                        old_is_done ? SBX_RECORD_DONE : SBX_RECORD_DESTROYING, &call)) { /* guard: replacement_stored */
        enum sbx_status st = SBX_DEADLINE;
        if (sbx_router_cleanup_call(&s->at.entry, &call)) st = sbx_sandbox_destroy(s->at.sb, &call, NULL);
        if (!st) (void)!sbx_journal_gone(&s->journal, id, &call);
        (void)store_failed(s, "the replacement could not be stored");
        s->at.entry.err.outcome = SBX_OUTCOME_DONE;
        s->at.entry.err.cleanup = st ? SBX_CLEANUP_UNCONFIRMED : SBX_CLEANUP_CONFIRMED;
        sbx_copy(s->at.entry.err.sandbox_id, sizeof(s->at.entry.err.sandbox_id), id);
        return SBX_MAPPING_STORE;
    }
    event.pool_id = s->at.record->pool;
    event.provider = s->at.record->provider;
    event.acquisition = s->journal.acquisition;
    event.locator = s->at.record->locator;
    event.sandbox_id = id;
    sbx_router_tell(router, &event);
    return SBX_OK;
}

static enum sbx_status finish_start(struct starting *s) {
    const struct sbx_call call = sbx_router_firm_call(&s->at.entry);
    if (!s->st) return s->result.replaced ? store_replacement(s) : SBX_OK;
    if (s->is_written && sbx_judge_nothing_left(&s->said)) (void)!sbx_journal_gone(&s->journal, NULL, &call);
    if (s->journal.router && !s->is_written) return store_failed(s, "the replacement could not be written down");
    return sbx_locate_answer(&s->at, s->st, &s->said);
}

static void give_result(const struct sbx_start_result *from, struct sbx_start_result *to) {
    const size_t head = sizeof(to->size);
    if (!to || to->size < head) return;
    const size_t known = to->size < sizeof(*from) ? to->size : sizeof(*from);
    memcpy((char *)to + head, (const char *)from + head, known - head);
}

enum sbx_status sbx_router_start(struct sbx_router *router, const char *locator, const struct sbx_start_options *opt,
                                 const struct sbx_call *call, struct sbx_start_result *result, struct sbx_error *err) {
    struct starting s = {.opt = SBX_START_OPTIONS_INIT, .result = SBX_START_RESULT_INIT, .said = SBX_ERROR_INIT};
    enum sbx_status st = sbx_locate(&s.at, router, "start", locator, call, START_MS, err);
    if (!st && sbx_options_take(&s.opt, sizeof(s.opt), opt, sizeof(s.opt)))
        st = sbx_router_wrong(&s.at.entry, "opt.size", "sizeof the struct");
    if (st) return sbx_locate_end(&s.at, st);
    s.callers = s.opt.on_replacing;
    s.callers_ctx = s.opt.on_replacing_ctx;
    s.opt.on_replacing = write_replacement;
    s.opt.on_replacing_ctx = &s;
    sbx_router_work_begin(router, &s.work, "");
    st = sbx_router_with_heart(router, &s.work, do_start, &s);
    if (!st) st = finish_start(&s);
    sbx_router_work_end(router, &s.work);
    if (!st) give_result(&s.result, result);
    return sbx_locate_end(&s.at, st);
}

/* ---- destroy ---- */

static enum sbx_status destroy_in(struct located *at) {
    struct sbx_router *router = at->entry.router;
    struct sbx_error said = SBX_ERROR_INIT;
    struct journal journal;
    const struct sbx_call call = sbx_router_inner_call(&at->entry, INT64_MAX);
    if (at->record->state == SBX_RECORD_DONE) return SBX_OK;
    enum sbx_status st = sbx_locate_pool(at);
    if (st) return st;
    sbx_journal_resume(&journal, router, at->record);
    /* Written first, so that a reaper goes on where this ends. One that is DESTROYING already may be another's work:
     * deleting twice does no harm. */
    if (journal.state == SBX_RECORD_MAPPED &&
        sbx_journal_advance(&journal, SBX_RECORD_DESTROYING, NULL, &call)) { /* guard: destroy_written_first */
        (void)sbx_fail(&at->entry.err, SBX_MAPPING_STORE, SBX_OUTCOME_NOT_SENT, "the end could not be written down");
        at->entry.err.cause = journal.err.status;
        return SBX_MAPPING_STORE;
    }
    st = sbx_leftover_delete(router->env, sbx_pool_runtime(at->pool), at->record->sandbox_id, &call, &said);
    if (st) return sbx_locate_answer(at, st, &said);
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_DESTROYED);
    event.pool_id = at->record->pool;
    event.provider = at->record->provider;
    event.acquisition = at->record->acquisition;
    event.locator = at->record->locator;
    event.sandbox_id = at->record->sandbox_id;
    sbx_router_tell(router, &event);
    const struct sbx_call firm = sbx_router_firm_call(&at->entry);
    (void)!sbx_journal_advance(&journal, SBX_RECORD_DONE, NULL, &firm); /* else the reaper finds that it is gone */
    return SBX_OK;
}

enum sbx_status sbx_router_destroy(struct sbx_router *router, const char *locator, const struct sbx_call *call,
                                   struct sbx_error *err) {
    struct located at;
    enum sbx_status st = sbx_locate_record(&at, router, "destroy", locator, call, STOP_MS, err);
    if (!st) st = destroy_in(&at);
    return sbx_locate_end(&at, st);
}
