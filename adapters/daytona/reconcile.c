/* What became of a create whose answer was lost. Row P12.
 *
 * The name is read from Daytona's database; the list lags behind it. Absent is said only after the create horizon, when
 * both said nothing twice, 2 s apart, and nobody of the same family (replacements carry sandport-root) is listed. */
#include "adapters/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <string.h>

#define ROUND_MS     2000
#define ROUND_MS_MAX 8000

struct family {
    struct daytona *d;
    const char *acquisition;
    struct sbx_list *list;
};

static int family_has(const struct family *f, const char *id) {
    for (size_t i = 0; i < sbx_list_count(f->list); i++)
        if (strcmp(sbx_info_id(sbx_list_at(f->list, i)), id) == 0) return 1;
    return 0;
}

static int is_family(const struct family *f, struct daytona_view *view) {
    static const char *const labels[] = {"sandport-acq", "sandport-root"};
    for (size_t i = 0; i < 2; i++) {
        const char *value = daytona_dto_label(view->reply.js, &view->is, labels[i]);
        if (value && strcmp(value, f->acquisition) == 0) return 1;
    }
    return 0;
}

static enum sbx_status family_take(void *ctx, struct daytona_view *view) {
    struct family *f = ctx;
    if (!is_family(f, view) || family_has(f, view->is.id) || view->is.state == SBX_STATE_DESTROYED) return SBX_OK;
    struct sbx_info *info = daytona_dto_info(f->d, view->reply.js, &view->is, "");
    enum sbx_status st = info ? sbx_list_take(f->list, &info) : SBX_NO_MEMORY;
    sbx_info_free(info);
    return st;
}

static enum sbx_status family_by_name(struct family *f, const char *name, const struct sbx_call *call,
                                      struct sbx_error *err) {
    struct daytona_view view = {0};
    enum sbx_status st = daytona_view_read(f->d, name, call, &view, err);
    if (!st)
        st = family_take(f, &view);
    else if (st == SBX_NOT_FOUND)
        st = SBX_OK;
    daytona_view_finish(&view);
    return st;
}

static enum sbx_status family_by_label(struct family *f, const char *label, const struct sbx_call *call,
                                       struct sbx_error *err) {
    const struct sbx_pair pair = {label, f->acquisition};
    struct sbx_query query = SBX_QUERY_INIT;
    query.labels = &pair;
    query.label_count = 1;
    return daytona_each(f->d, &query, call, family_take, f, err);
}

/* Every look-up there is. @return SBX_OK when all of them answered */
static enum sbx_status family_look(struct family *f, const char *name, const struct sbx_call *call,
                                   struct sbx_error *err) {
    enum sbx_status st = family_by_name(f, name, call, err);
    if (!st) st = family_by_label(f, "sandport-acq", call, err);
    return st ? st : family_by_label(f, "sandport-root", call, err);
}

/* Pure. @param quiet_ms how long ago the first look beyond the horizon found nothing, -1 if there was none */
static int absent_is_proven(int64_t now_ms, int64_t horizon_ms, int64_t quiet_ms) {
    return now_ms >= horizon_ms && quiet_ms >= ROUND_MS; /* guard: absent_beyond_horizon */
}

static int passes(enum sbx_status st) {
    return st == SBX_CONNECTION_LOST || st == SBX_CONNECT_FAILED || st == SBX_PROVIDER || st == SBX_RATE_LIMITED ||
           st == SBX_PROTOCOL || st == SBX_DEADLINE;
}

enum sbx_status daytona_reconcile(void *self, const struct sbx_reconcile_options *opt, const struct sbx_call *call,
                                  int32_t *verdict, struct sbx_list *list, struct sbx_error *err) {
    struct daytona *d = self;
    struct family f = {d, opt->acquisition, list};
    struct sbx_backoff backoff;
    char uuid[SBX_UUID_SIZE];
    int64_t horizon_ms = d->env->now_ms(d->env) - opt->sent_ms_ago + d->create_horizon_ms, first_ms = -1;
    sbx_uuid_from_hex(opt->acquisition, uuid);
    sbx_backoff_init(&backoff, ROUND_MS, ROUND_MS_MAX);
    for (;;) {
        enum sbx_status st = family_look(&f, opt->name ? opt->name : uuid, call, err);
        int64_t now = d->env->now_ms(d->env);
        if (sbx_list_count(list)) {
            *verdict = SBX_RECONCILE_FOUND; /* one that was found is found, whatever else could not be asked */
            return SBX_OK;
        }
        if (st && !passes(st)) return st;
        if (st || now < horizon_ms)
            first_ms = -1;
        else if (first_ms < 0)
            first_ms = now;
        if (!st && absent_is_proven(now, horizon_ms, first_ms < 0 ? -1 : now - first_ms)) {
            *verdict = SBX_RECONCILE_ABSENT;
            return SBX_OK;
        }
        st = sbx_backoff_sleep(&backoff, d->env, call->deadline_ms, sbx_cancel_event(call->cancel));
        if (st == SBX_DEADLINE) return SBX_OK; /* undecided */
        if (st) return sbx_fail(err, st, SBX_OUTCOME_NONE, NULL);
    }
}
