/* What a failed launch may have left: looked up by its acquisition id, then deleted or handed out. Row R22. */
#include "src/router/attempt.h"
#include "src/router/leftover.h"

/* Not cancellable once the caller's call is over: then what is left of its clean-up time. */
static int settle_call(const struct attempt *a, struct sbx_call *out) {
    const struct router_entry *entry = a->request->entry;
    struct sbx_call cleanup;
    const int may_clean = sbx_router_cleanup_call(entry, &cleanup);
    *out = sbx_router_inner_call(entry, INT64_MAX);
    if (sbx_call_check(&entry->call, entry->router->env) == SBX_OK) {
        if (may_clean && cleanup.deadline_ms > out->deadline_ms) out->deadline_ms = cleanup.deadline_ms;
        return 1;
    }
    *out = cleanup;
    return may_clean;
}

static enum sbx_status look_up(struct attempt *a, const struct sbx_call *call, int32_t *verdict,
                               struct sbx_list **found) {
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_RECONCILED);
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    struct sbx_env *env = a->request->entry->router->env;
    *verdict = SBX_RECONCILE_UNDECIDED;
    opt.acquisition = a->record->acquisition;
    opt.name = a->request->opt.name;
    opt.sent_ms_ago = env->now_ms(env) - a->sent_ms;
    const enum sbx_status st = sbx_runtime_reconcile(sbx_pool_runtime(a->pool), &opt, call, verdict, found, NULL);
    event.status = (int32_t)st;
    event.verdict = *verdict;
    sbx_attempt_tell(a, event);
    return st;
}

/* Only one that is alone, and runs. */
static int hand_out(struct attempt *a, const struct sbx_list *found, const struct sbx_call *call) {
    struct sbx_sandbox *sb = NULL;
    const struct sbx_info *info = sbx_list_at(found, 0);
    if (a->request->opt.adopt != SBX_YES || sbx_list_count(found) != 1) return 0;
    if (sbx_info_state(info) != SBX_STATE_RUNNING) return 0;
    if (sbx_runtime_attach(sbx_pool_runtime(a->pool), sbx_info_id(info), call, &sb, NULL)) return 0;
    sbx_sandbox_adopt(sb);
    sbx_attempt_keep(a, sb);
    sbx_sandbox_free(sb);
    return 1;
}

static enum settled delete_found(struct attempt *a, const struct sbx_list *found, const struct sbx_call *call) {
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_CLEANUP);
    const char *id = sbx_info_id(sbx_list_at(found, 0));
    struct sbx_env *env = a->request->entry->router->env;
    sbx_copy(a->err.sandbox_id, sizeof(a->err.sandbox_id), id);
    const struct sbx_call firm = sbx_router_firm_call(a->request->entry);
    (void)!sbx_journal_advance(&a->journal, SBX_RECORD_DESTROYING, id, &firm);
    const enum sbx_status st = sbx_leftover_delete_all(env, sbx_pool_runtime(a->pool), found, call, NULL);
    a->err.cleanup = st ? SBX_CLEANUP_UNCONFIRMED : SBX_CLEANUP_CONFIRMED;
    if (!st) (void)!sbx_journal_gone(&a->journal, id, &firm);
    event.sandbox_id = id;
    event.status = (int32_t)st;
    event.done = st == SBX_OK;
    sbx_attempt_tell(a, event);
    return st ? SETTLED_OPEN : SETTLED_FOUND;
}

static enum settled nothing_left(struct attempt *a) {
    const struct sbx_call firm = sbx_router_firm_call(a->request->entry);
    /* A store that fails here leaves a record that is unfinished: the reaper comes to the same. */
    if (a->err.cleanup == SBX_CLEANUP_CONFIRMED)
        (void)!sbx_journal_gone(&a->journal, a->err.sandbox_id, &firm);
    else
        (void)!sbx_journal_advance(&a->journal, SBX_RECORD_ABSENT, NULL, &firm);
    return SETTLED_NOTHING;
}

enum settled sbx_attempt_settle(struct attempt *a) {
    struct sbx_list *found = NULL;
    struct sbx_call call;
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    enum settled settled = SETTLED_OPEN;
    if (sbx_judge_nothing_left(&a->err)) return nothing_left(a);
    a->err.cleanup = SBX_CLEANUP_UNCONFIRMED;
    sbx_copy(a->err.acquisition, sizeof(a->err.acquisition), a->record->acquisition);
    if (!(sbx_runtime_capabilities(sbx_pool_runtime(a->pool)) & SBX_CAP_RECONCILE)) {
        sbx_attempt_tell(a, sbx_router_event_of(SBX_EVENT_NOT_RECONCILED));
        return SETTLED_BLIND;
    }
    if (!settle_call(a, &call) || look_up(a, &call, &verdict, &found)) return SETTLED_OPEN;
    if (verdict == SBX_RECONCILE_ABSENT) {
        a->err.cleanup = SBX_CLEANUP_NONE;
        settled = nothing_left(a);
    } else if (verdict == SBX_RECONCILE_FOUND) {
        settled = hand_out(a, found, &call) ? SETTLED_ADOPTED : delete_found(a, found, &call);
    }
    sbx_list_free(found);
    return settled;
}
