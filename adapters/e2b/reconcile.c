/* What became of a create whose answer was lost. Row P12. Absent is said only beyond the create horizon, when the list
 * had nothing twice, 2 s apart. */
#include "adapters/e2b/verbs.h"

#define ROUND_MS     2000
#define ROUND_MS_MAX 8000

struct family {
    struct e2b *e;
    struct sbx_list *list;
};

static enum sbx_status family_take(void *ctx, struct sbx_json *js, const struct e2b_dto *dto) {
    struct family *f = ctx;
    struct sbx_info *info = e2b_dto_info(f->e, js, dto);
    enum sbx_status st = info ? sbx_list_take(f->list, &info) : SBX_NO_MEMORY;
    sbx_info_free(info);
    return st;
}

/* Pure. @param quiet_ms how long ago the first look beyond the horizon found nothing, -1 if there was none */
static int absent_is_proven(int64_t now_ms, int64_t horizon_ms, int64_t quiet_ms) {
    return now_ms >= horizon_ms && quiet_ms >= ROUND_MS; /* guard: e2b_absent_beyond_horizon */
}

static int passes(enum sbx_status st) {
    return st == SBX_CONNECTION_LOST || st == SBX_CONNECT_FAILED || st == SBX_PROVIDER || st == SBX_RATE_LIMITED ||
           st == SBX_PROTOCOL || st == SBX_DEADLINE;
}

enum sbx_status e2b_reconcile(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                              int32_t *verdict, struct sbx_list *list, struct sbx_error *err) {
    struct e2b *e = self;
    struct family f = {e, list};
    const struct sbx_error before = *err;
    const struct sbx_pair pair = {"sandport-acq", opt->acquisition};
    struct sbx_query query = SBX_QUERY_INIT;
    struct sbx_backoff backoff;
    int64_t horizon_ms = e->env->now_ms(e->env) - opt->sent_ms_ago + e->create_horizon_ms, first_ms = -1;
    query.labels = &pair;
    query.label_count = 1;
    sbx_backoff_init(&backoff, ROUND_MS, ROUND_MS_MAX);
    for (;;) {
        enum sbx_status st = e2b_each(e, &query, call, family_take, &f, err);
        int64_t now = e->env->now_ms(e->env);
        *verdict = SBX_RECONCILE_FOUND; /* one that was found is found, whatever else could not be asked */
        if (sbx_list_count(list)) break;
        *verdict = SBX_RECONCILE_UNDECIDED;
        if (st && !passes(st)) return st;
        if (st || now < horizon_ms)
            first_ms = -1;
        else if (first_ms < 0)
            first_ms = now;
        *verdict = SBX_RECONCILE_ABSENT;
        if (!st && absent_is_proven(now, horizon_ms, first_ms < 0 ? -1 : now - first_ms)) break;
        *verdict = SBX_RECONCILE_UNDECIDED;
        st = sbx_backoff_sleep(&backoff, e->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (st == SBX_DEADLINE) break;
        if (st) return sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    }
    *err = before;
    return SBX_OK;
}
