/* The end of a live run: what was made is deleted, and the account is asked whether anything is left. Row V6. */
#include "live/live.h"

#include <string.h>

#define DESTROY_MS   (60 * 1000)
#define RECONCILE_MS (120 * 1000)
#define FIND_MS      (30 * 1000)
#define ROUNDS       3

static int destroy_owned(struct live *l, struct sbx_sandbox *sb) {
    const struct sbx_call call = live_call_cleanup(l, DESTROY_MS);
    sbx_error_init(&l->err, sizeof(l->err));
    return sbx_sandbox_destroy(sb, &call, &l->err) == SBX_OK;
}

/* Deletes one that was found. It carries the label of this run, so it is ours. */
static int destroy_found(struct live *l, const char *id) {
    const struct sbx_call call = live_call_cleanup(l, FIND_MS);
    struct sbx_sandbox *sb = NULL;
    sbx_error_init(&l->err, sizeof(l->err));
    enum sbx_status st = sbx_runtime_attach(l->rt, id, &call, &sb, &l->err);
    if (st) return st == SBX_NOT_FOUND;
    sbx_sandbox_adopt(sb);
    int gone = destroy_owned(l, sb);
    sbx_sandbox_free(sb);
    return gone;
}

static int destroy_list(struct live *l, const struct sbx_list *list) {
    int gone = 1;
    for (size_t i = 0; i < sbx_list_count(list); i++) gone &= destroy_found(l, sbx_info_id(sbx_list_at(list, i)));
    return gone;
}

/* A launch whose outcome is unknown: looked for until it is found, or proven never to have been. */
static int reconcile(struct live *l) {
    struct sbx_reconcile_options opt = SBX_RECONCILE_OPTIONS_INIT;
    const struct sbx_call call = live_call_cleanup(l, RECONCILE_MS);
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_list *list = NULL;
    int32_t verdict = SBX_RECONCILE_UNDECIDED;
    char acquisition[SBX_ACQUISITION_SIZE];
    memcpy(acquisition, l->err.acquisition, sizeof(acquisition));
    opt.acquisition = acquisition;
    live_step(l, "reconcile");
    enum sbx_status st = sbx_runtime_reconcile(l->rt, &opt, &call, &verdict, &list, &err);
    int gone = st == SBX_OK && verdict != SBX_RECONCILE_UNDECIDED && destroy_list(l, list);
    live_told(l, gone, "acquisition %s: %s", acquisition,
              !gone                             ? "what became of it is not known"
              : verdict == SBX_RECONCILE_ABSENT ? "proven never to have been"
                                                : "found and deleted");
    sbx_list_free(list);
    return gone;
}

int live_take_down(struct live *l) {
    char id[SBX_ID_SIZE];
    if (!l->sb) return l->err.cleanup == SBX_CLEANUP_UNCONFIRMED ? reconcile(l) : 1;
    live_step(l, "destroy");
    int gone = destroy_owned(l, l->sb) || destroy_owned(l, l->sb);
    sbx_sandbox_id(l->sb, id);
    if (gone)
        live_told(l, 1, "proven gone");
    else
        live_told(l, 0, "sandbox %s may live on", id);
    sbx_sandbox_free(l->sb);
    l->sb = NULL;
    return gone;
}

/* How many carry the label: -1 if that cannot be said. Found ones are deleted. */
static int64_t audit_round(struct live *l, const struct sbx_query *query) {
    const struct sbx_call call = live_call_cleanup(l, FIND_MS);
    struct sbx_list *list = NULL;
    int64_t count = -1;
    sbx_error_init(&l->err, sizeof(l->err));
    if (sbx_runtime_find(l->rt, query, &call, &list, &l->err)) return -1;
    int64_t found = (int64_t)sbx_list_count(list);
    (void)!destroy_list(l, list);
    sbx_list_free(list);
    if (found) return found;
    return sbx_runtime_count(l->rt, query, &call, &count, &l->err) ? -1 : count;
}

int live_audit(struct live *l) {
    const struct sbx_pair label = {"live-run", l->label};
    struct sbx_query query = SBX_QUERY_INIT;
    int64_t left = -1, deleted = 0;
    query.labels = &label;
    query.label_count = 1;
    live_step(l, "audit");
    for (int round = 0; round < ROUNDS && left; round++) {
        left = audit_round(l, &query);
        deleted += left > 0 ? left : 0;
    }
    if (left < 0) live_failed(l, "the account does not say what is left");
    if (left > 0) live_told(l, 0, "%lld with the label live-run=%s may live on", (long long)left, l->label);
    if (left == 0 && deleted) live_told(l, 0, "what had been left was deleted now; nothing carries the run's label");
    if (left == 0 && !deleted) live_told(l, 1, "nothing carries the label live-run=%s", l->label);
    return left == 0;
}
