/* One launch of a request: intent, launch, locator; or what is made of its failure. Rows R7, R9, R10, R22, R26. */
#include "src/router/attempt.h"

#include "src/router/heart.h"

#define LAUNCH_MS 120000

void sbx_attempt_tell(const struct attempt *a, struct sbx_router_event event) {
    event.pool_id = a->record->pool_id;
    event.provider = a->record->provider;
    event.request = a->request->opt.request;
    event.acquisition = a->record->acquisition;
    event.attempt = a->number;
    sbx_router_tell(a->request->entry->router, &event);
}

/* ---- the launch ---- */

static struct sbx_launch_options options_of(const struct attempt *a) {
    const struct request *r = a->request;
    struct sbx_launch_options opt = *sbx_pool_launch(a->pool);
    opt.acquisition = a->record->acquisition;
    opt.name = r->opt.name;
    opt.labels = r->opt.labels;
    opt.label_count = r->opt.label_count;
    opt.env = r->opt.env;
    opt.env_count = r->opt.env_count;
    if (r->opt.create_ms) opt.create_ms = r->opt.create_ms;
    if (sbx_pool_profile(a->pool)->capabilities & SBX_CAP_LAUNCH_RESOURCES) {
        if (r->req.cpu > 0) opt.cpu = r->req.cpu;
        if (r->req.memory_mib) opt.memory_mib = r->req.memory_mib;
        if (r->req.disk_mib) opt.disk_mib = r->req.disk_mib;
    }
    return opt;
}

static enum sbx_status launch(struct attempt *a, struct sbx_sandbox **sb) {
    struct sbx_runtime *rt = sbx_pool_runtime(a->pool);
    const struct sbx_launch_options opt = options_of(a);
    const struct sbx_call call = sbx_router_inner_call(a->request->entry, LAUNCH_MS);
    a->sent_ms = a->request->entry->router->env->now_ms(a->request->entry->router->env);
    if (a->request->detached) return sbx_runtime_launch_detached(rt, &opt, &call, sb, &a->err);
    return sbx_runtime_launch(rt, &opt, &call, sb, &a->err);
}

/* ---- a sandbox was made ---- */

/* It may not stay without a record: a store that fails is no failure of the provider's, and ends the request. */
static void give_up(struct attempt *a, struct sbx_sandbox *sb) {
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_CLEANUP);
    struct sbx_call call;
    char id[SBX_ID_SIZE];
    enum sbx_status st = SBX_DEADLINE;
    sbx_sandbox_id(sb, id);
    if (sbx_router_cleanup_call(a->request->entry, &call)) st = sbx_sandbox_destroy(sb, &call, NULL);
    a->err = a->journal.err;
    sbx_copy(a->err.sandbox_id, sizeof(a->err.sandbox_id), id);
    a->err.cleanup = st ? SBX_CLEANUP_UNCONFIRMED : SBX_CLEANUP_CONFIRMED;
    if (!st) (void)!sbx_journal_gone(&a->journal, id, &call); /* else the reaper finds it so */
    event.sandbox_id = id;
    event.status = (int32_t)st;
    event.done = st == SBX_OK;
    sbx_attempt_tell(a, event);
}

void sbx_attempt_keep(struct attempt *a, struct sbx_sandbox *sb) {
    const struct router_entry *entry = a->request->entry;
    const struct sbx_call call = sbx_router_firm_call(entry);
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(sb, id);
    a->store = sbx_locator_new(entry->router->env, a->locator);
    if (!a->store) a->store = sbx_journal_map(&a->journal, a->locator, id, NULL, 0, &call);
    if (a->store) { /* guard: store_failure_deletes */
        give_up(a, sb);
        a->next = STEP_END;
        return;
    }
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_MAPPED);
    event.locator = a->locator;
    event.sandbox_id = id;
    sbx_attempt_tell(a, event);
    a->next = STEP_SUCCESS;
}

/* ---- none was ---- */

static void failed(struct attempt *a) {
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_ATTEMPT_FAILED);
    const struct sbx_launch_failure failure = {
        .size = sizeof(failure), .pool_id = a->record->pool_id, .provider = a->record->provider, .error = &a->err};
    const struct sbx_router_options *opt = &a->request->entry->router->opt;
    void *ctx = NULL;
    sbx_classify_fn classify = sbx_pool_classifier(a->pool, &ctx);
    if (!classify) {
        classify = opt->classify;
        ctx = opt->classify_ctx;
    }
    const struct sbx_classification said = sbx_judge_ask(classify, ctx, &failure);
    sbx_copy(a->record->code, sizeof(a->record->code), said.code);
    const enum settled settled = sbx_attempt_settle(a);
    if (settled == SETTLED_ADOPTED) return; /* a->next says whether its locator could be kept */
    a->next = sbx_judge_next(said.retryable, settled);
    a->record->retryable = a->next == STEP_NEXT;
    event.code = a->record->code;
    event.retryable = a->record->retryable;
    event.status = a->err.status;
    event.outcome = a->err.outcome;
    event.http_status = a->err.http_status;
    event.retry_after_ms = a->err.retry_after_ms;
    sbx_attempt_tell(a, event);
}

static void run(void *arg) {
    struct attempt *a = arg;
    struct sbx_sandbox *sb = NULL;
    sbx_attempt_tell(a, sbx_router_event_of(SBX_EVENT_ATTEMPT_STARTED));
    if (launch(a, &sb) == SBX_OK) {
        sbx_attempt_tell(a, sbx_router_event_of(SBX_EVENT_ATTEMPT_SUCCEEDED));
        sbx_attempt_keep(a, sb);
        sbx_sandbox_free(sb);
    } else {
        failed(a);
    }
    a->record->err = a->err;
    a->record->err.detail[0] = 0; /* an adapter's words are not for whoever reads a report */
}

static enum sbx_status begin(struct attempt *a) {
    const struct request *r = a->request;
    struct router_entry *entry = r->entry;
    const struct journal_entry written = {a->record->pool_id, a->record->provider, r->opt.request,
                                          r->opt.labels,      r->opt.label_count,  a->number};
    const enum sbx_status st =
        sbx_journal_begin(&a->journal, entry->router, a->record->acquisition, &written, &entry->call);
    if (!st) return SBX_OK;
    entry->err.cause = (int32_t)st;
    (void)sbx_fail(&entry->err, SBX_MAPPING_STORE, SBX_OUTCOME_NOT_SENT,
                   "pool %s: the launch could not be written down", a->record->pool_id);
    return SBX_MAPPING_STORE;
}

enum sbx_status sbx_attempt_run(struct attempt *a) {
    struct router_entry *entry = a->request->entry;
    struct router_work work;
    sbx_error_init(&a->err, sizeof(a->err));
    sbx_copy(a->record->pool_id, sizeof(a->record->pool_id), sbx_pool_id(a->pool));
    sbx_copy(a->record->provider, sizeof(a->record->provider), sbx_runtime_provider(sbx_pool_runtime(a->pool)));
    enum sbx_status st = sbx_acquisition_new(entry->router->env, a->record->acquisition);
    if (st) return sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, "env: gave no random bytes");
    sbx_router_work_begin(entry->router, &work, a->record->acquisition);
    st = begin(a); /* guard: intent_before_launch */
    if (!st) st = sbx_router_with_heart(entry->router, &work, run, a);
    if (st == SBX_NO_MEMORY) {
        (void)sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, NULL);
        if (a->journal.generation) (void)!sbx_journal_advance(&a->journal, SBX_RECORD_ABSENT, NULL, &entry->call);
    }
    sbx_router_work_end(entry->router, &work);
    return st;
}
