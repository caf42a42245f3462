/* What others have left unfinished, taken over once they are proven silent, and finished. Row R22. */
#include "src/router/heart.h"
#include "src/router/journal.h"
#include "src/router/leftover.h"

#include <sandport/router_reap.h>
#include <stdlib.h>
#include <string.h>

#define REAP_MS      600000
#define RECONCILE_MS 120000
#define LEASE_MS_MIN (2 * (int64_t)HEART_BEAT_MS)

void sbx_reap_options_init(struct sbx_reap_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_reap_result_init(struct sbx_reap_result *result, size_t size) {
    sbx_options_init(result, size);
}

struct reaping {
    struct router_entry entry;
    struct sbx_reap_options opt;
    struct sbx_reap_result result;
    struct sbx_record **records; /* unfinished ones as they were first seen */
    size_t count;
    size_t cap;
    struct sbx_error store; /* of a list that could not be read whole */
};

/* ---- one record ---- */

struct finishing {
    struct reaping *reaping;
    const struct sbx_record *record;
    const struct sbx_pool *pool; /* NULL = it is not registered */
    struct journal journal;
    enum sbx_status st; /* SBX_OK: nothing is left, and it is written */
};

static void tell(const struct finishing *f, int32_t kind) {
    struct sbx_router_event event = sbx_router_event_of(kind);
    event.pool_id = f->record->pool;
    event.provider = f->record->provider;
    event.request = f->record->request;
    event.acquisition = f->record->acquisition;
    event.sandbox_id = f->journal.sandbox_id;
    event.attempt = f->record->attempt;
    event.status = (int32_t)f->st;
    event.done = f->st == SBX_OK;
    sbx_router_tell(f->reaping->entry.router, &event);
}

static enum sbx_status finish_found(struct finishing *f, const struct sbx_list *found, const struct sbx_call *call) {
    const char *id = sbx_info_id(sbx_list_at(found, 0));
    enum sbx_status st = sbx_journal_advance(&f->journal, SBX_RECORD_DESTROYING, id, call);
    if (!st) st = sbx_leftover_delete_all(f->reaping->entry.router->env, sbx_pool_runtime(f->pool), found, call, NULL);
    return st ? st : sbx_journal_gone(&f->journal, id, call);
}

static enum sbx_status finish_absent(struct finishing *f, const struct sbx_call *call) {
    if (f->journal.state == SBX_RECORD_DESTROYING) return sbx_journal_gone(&f->journal, NULL, call);
    return sbx_journal_advance(&f->journal, SBX_RECORD_ABSENT, NULL, call);
}

/* It may have been sent: only its provider knows. */
static enum sbx_status finish_sent(struct finishing *f, const struct sbx_call *call) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_list *found = NULL;
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    const struct sbx_call within = sbx_call_within(call, f->reaping->entry.router->env, RECONCILE_MS);
    opt.acquisition = f->record->acquisition;
    enum sbx_status st = sbx_runtime_reconcile(sbx_pool_runtime(f->pool), &opt, &within, &verdict, &found, NULL);
    if (!st && verdict == SBX_RECONCILE_FOUND) st = finish_found(f, found, call);
    if (!st && verdict == SBX_RECONCILE_ABSENT) st = finish_absent(f, call);
    if (!st && verdict == SBX_RECONCILE_UNDECIDED) st = SBX_DEADLINE; /* guard: reap_undecided_stays */
    sbx_list_free(found);
    return st;
}

static void finish(void *arg) {
    struct finishing *f = arg;
    struct sbx_router *router = f->reaping->entry.router;
    const struct sbx_call call = sbx_router_inner_call(&f->reaping->entry, INT64_MAX);
    if (f->journal.state == SBX_RECORD_INTENT) { /* SENT is written before anything is sent */
        f->st = sbx_journal_advance(&f->journal, SBX_RECORD_ABSENT, NULL, &call);
    } else if (!f->pool) {
        f->st = SBX_NOT_FOUND;
    } else if (f->journal.sandbox_id[0]) {
        /* Ours to delete only if nobody has changed the record since. */
        f->st = f->journal.state == SBX_RECORD_DESTROYING
                    ? SBX_OK
                    : sbx_journal_advance(&f->journal, SBX_RECORD_DESTROYING, NULL, &call);
        if (!f->st)
            f->st = sbx_leftover_delete(router->env, sbx_pool_runtime(f->pool), f->journal.sandbox_id, &call, NULL);
        if (!f->st) f->st = sbx_journal_gone(&f->journal, NULL, &call);
    } else {
        f->st = finish_sent(f, &call);
    }
}

static const struct sbx_pool *pool_of(const struct sbx_pool *const *pools, size_t count, const struct sbx_record *rec) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(sbx_pool_id(pools[i]), rec->pool) == 0 &&
            strcmp(sbx_runtime_provider(sbx_pool_runtime(pools[i])), rec->provider) == 0)
            return pools[i];
    return NULL;
}

static void finish_one(struct reaping *r, const struct sbx_record *record) {
    struct finishing f = {.reaping = r, .record = record, .st = SBX_NO_MEMORY};
    struct sbx_router *router = r->entry.router;
    const struct sbx_pool *const *pools = NULL;
    struct router_work work;
    size_t count = 0;
    void *loan = NULL;
    sbx_journal_resume(&f.journal, router, record);
    const int has_loan = sbx_registry_lend(router->opt.registry, &pools, &count, &loan) == SBX_OK;
    f.pool = has_loan ? pool_of(pools, count, record) : NULL;
    sbx_router_work_begin(router, &work, record->acquisition);
    (void)!sbx_router_with_heart(router, &work, finish, &f); /* f.st says so if it was not run */
    sbx_router_work_end(router, &work);
    if (has_loan) sbx_registry_give_back(router->opt.registry, loan);
    if (f.st)
        r->result.open++;
    else
        r->result.finished++;
    tell(&f, SBX_EVENT_REAPED);
}

/* ---- whose it is ---- */

/* As it was a lease ago? Then its owner has shown no life since, on our own clock. */
static int is_silent(const struct sbx_record *then, const struct sbx_record *now) {
    return now->lease == then->lease && now->generation == then->generation; /* guard: reap_the_silent_alone */
}

static void take_over(struct reaping *r, const struct sbx_record *then) {
    struct sbx_router *router = r->entry.router;
    struct sbx_store_change change = SBX_STORE_CHANGE_INIT;
    struct sbx_record *now = NULL, *ours = NULL;
    const struct sbx_call call = sbx_router_inner_call(&r->entry, INT64_MAX);
    if (sbx_store_get(router->store, then->acquisition, &call, &now, NULL)) {
        r->result.open++;
        return;
    }
    change.acquisition = now->acquisition;
    change.generation = now->generation;
    change.lease = now->lease;
    change.owner = router->owner;
    if (!sbx_record_unfinished(now->state) || !is_silent(then, now)) {
        r->result.alive++;
    } else if (sbx_store_claim(router->store, &change, &call, &ours, NULL)) {
        r->result.alive++; /* its owner, or another reaper, was faster */
    } else {
        const struct finishing f = {.reaping = r, .record = ours};
        tell(&f, SBX_EVENT_CLAIMED);
        finish_one(r, ours);
    }
    sbx_record_free(now);
    sbx_record_free(ours);
}

/* ---- all of them ---- */

static int keep(struct reaping *r, const struct sbx_record *seen) {
    struct sbx_record *copy = NULL;
    const struct sbx_call call = sbx_router_inner_call(&r->entry, INT64_MAX);
    if (r->count == r->cap) {
        const size_t cap = r->cap ? 2 * r->cap : 16;
        struct sbx_record **records = realloc(r->records, cap * sizeof(struct sbx_record *));
        if (!records) return 0;
        r->records = records;
        r->cap = cap;
    }
    const enum sbx_status st = sbx_store_get(r->entry.router->store, seen->acquisition, &call, &copy, NULL);
    if (!st) r->records[r->count++] = copy;
    if (st && st != SBX_NOT_FOUND) { /* gone meanwhile is fine */
        r->store.status = (int32_t)st;
        r->result.open++;
    }
    return 1;
}

static enum sbx_status list_them(struct reaping *r) {
    struct sbx_store_query query = SBX_STORE_QUERY_INIT;
    char after[SBX_ACQUISITION_SIZE] = "";
    const struct sbx_call call = sbx_router_inner_call(&r->entry, INT64_MAX);
    int more = 1;
    while (more) {
        struct sbx_records *page = NULL;
        query.after = after;
        enum sbx_status st = sbx_store_list_unfinished(r->entry.router->store, &query, &call, &page, &r->store);
        if (st && st != SBX_STORE_CORRUPT) return st;
        for (size_t i = 0; i < sbx_records_count(page); i++)
            if (!keep(r, sbx_records_at(page, i))) {
                sbx_records_free(page);
                return SBX_NO_MEMORY;
            }
        more = sbx_records_next(page)[0] != 0;
        sbx_copy(after, sizeof(after), sbx_records_next(page));
        sbx_records_free(page);
    }
    return SBX_OK;
}

static int is_ours(const struct reaping *r, const struct sbx_record *record) {
    return strcmp(record->owner, r->entry.router->owner) == 0;
}

static enum sbx_status reap(struct reaping *r) {
    struct sbx_env *env = r->entry.router->env;
    size_t others = 0;
    enum sbx_status st = list_them(r);
    if (st) {
        r->store.status = (int32_t)st;
        return SBX_OK; /* told at the end */
    }
    const int64_t lease_over_ms = env->now_ms(env) + r->opt.lease_ms;
    for (size_t i = 0; i < r->count; i++) {
        r->result.seen++;
        if (!is_ours(r, r->records[i]))
            others++;
        else if (sbx_router_works_on(r->entry.router, r->records[i]->acquisition)) /* guard: reap_not_what_we_work_on */
            r->result.alive++;
        else
            finish_one(r, r->records[i]);
    }
    if (!others) return SBX_OK;
    if (lease_over_ms > r->entry.call.deadline_ms) return SBX_DEADLINE;
    st = env->sleep_until(env, lease_over_ms, sbx_cancel_event(r->entry.call.cancel));
    for (size_t i = 0; i < r->count && !st; i++) {
        if (!is_ours(r, r->records[i])) take_over(r, r->records[i]);
        st = sbx_call_check(&r->entry.call, env);
    }
    return st;
}

static enum sbx_status finish_reaping(struct reaping *r, enum sbx_status st) {
    if (st) return sbx_fail(&r->entry.err, st, SBX_OUTCOME_NONE, NULL);
    if (!r->store.status) return SBX_OK;
    (void)sbx_fail(&r->entry.err, SBX_MAPPING_STORE, SBX_OUTCOME_NONE, "what is unfinished could not be listed whole");
    r->entry.err.cause = r->store.status;
    return SBX_MAPPING_STORE;
}

enum sbx_status sbx_router_reap(struct sbx_router *router, const struct sbx_reap_options *opt,
                                const struct sbx_call *call, struct sbx_reap_result *result, struct sbx_error *err) {
    struct reaping r = {.opt = SBX_REAP_OPTIONS_INIT, .store = SBX_ERROR_INIT};
    enum sbx_status st = sbx_router_enter(&r.entry, router, "reap", call, REAP_MS, err);
    sbx_reap_result_init(&r.result, sizeof(r.result));
    if (!st && sbx_options_take(&r.opt, sizeof(r.opt), opt, sizeof(r.opt)))
        st = sbx_router_wrong(&r.entry, "opt.size", "sizeof the struct");
    if (!st && !r.opt.lease_ms) r.opt.lease_ms = SBX_REAP_LEASE_DEFAULT_MS;
    if (!st && r.opt.lease_ms < LEASE_MS_MIN) /* guard: lease_outlives_a_beat */
        st = sbx_router_wrong(&r.entry, "lease_ms", "30,000 or more, so that a beat fits into it twice");
    if (!st) st = finish_reaping(&r, reap(&r));
    for (size_t i = 0; i < r.count; i++) sbx_record_free(r.records[i]);
    free((void *)r.records);
    if (result && result->size >= sizeof(result->size)) {
        const size_t head = sizeof(result->size),
                     known = result->size < sizeof(r.result) ? result->size : sizeof(r.result);
        memcpy((char *)result + head, (const char *)&r.result + head, known - head);
    }
    return sbx_router_leave(&r.entry, st);
}
