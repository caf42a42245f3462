/* What the callers' own callbacks say of pools that meet the needs: credentials, signals. Rows R6, R13. */
#include "src/router/route.h"

#include <sandport/kit/fail.h>

static enum sbx_status look_ready(struct sbx_route *route, const struct sbx_route_options *opt, struct sbx_error *err) {
    for (size_t i = 0; i < route->count && opt->ready; i++) {
        struct route_entry *e = &route->entries[i];
        if (e->reasons) continue; /* guard: ready_only_survivors */
        const int32_t answer = opt->ready(opt->ready_ctx, e->id);
        if (answer != 0 && answer != 1) { /* guard: ready_is_boolean */
            (void)sbx_fail(err, SBX_PROVISIONING_AVAILABILITY, SBX_OUTCOME_NONE,
                           "ready: expected 0 or 1 for a pool, nothing was launched");
            return SBX_PROVISIONING_AVAILABILITY;
        }
        if (!answer) e->reasons |= SBX_REASON_BIT(SBX_REASON_CREDENTIALS); /* guard: ready_credentials */
    }
    return SBX_OK;
}

/* @return 1 if somebody gave them */
static int signals_of(struct route_entry *e, const struct sbx_route_request *req, const struct sbx_route_options *opt) {
    e->signals = *sbx_pool_signals(e->pool);
    if (!opt->signals) return sbx_pool_has_signals(e->pool);
    if (opt->signals(opt->signals_ctx, e->id, req, &e->signals)) {
        e->reasons |= SBX_REASON_BIT(SBX_REASON_SIGNALS_FAILED); /* guard: signals_failure_excludes */
        return 0;
    }
    if (sbx_signals_wrong(&e->signals))
        e->reasons |= SBX_REASON_BIT(SBX_REASON_SIGNALS_INVALID); /* guard: signals_nonsense */
    return 1;
}

static void look_signals(struct sbx_route *route, const struct sbx_route_request *req,
                         const struct sbx_route_options *opt) {
    for (size_t i = 0; i < route->count; i++) {
        struct route_entry *e = &route->entries[i];
        if (e->reasons) continue; /* guard: signals_only_survivors */
        const int measured = signals_of(e, req, opt);
        if (e->reasons) continue;
        if (e->signals.unavailable == SBX_YES) e->reasons |= SBX_REASON_BIT(SBX_REASON_UNAVAILABLE);
        /* Placeholders expect nothing, so they keep no budget. */
        if (req->ready_ms_max && (!measured || e->signals.ready_ms > (double)req->ready_ms_max))
            e->reasons |= SBX_REASON_BIT(SBX_REASON_READY_LATENCY);
    }
}

enum sbx_status sbx_route_look(struct sbx_route *route, const struct sbx_route_request *req,
                               const struct sbx_route_options *opt, struct sbx_error *err) {
    enum sbx_status st = look_ready(route, opt, err);
    if (!st) look_signals(route, req, opt);
    return st;
}
