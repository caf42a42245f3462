/* A request from its choice to its locator: pools in their order, at most so many launches. Rows R7, R15, R17, R18. */
#include "src/router/attempt.h"
#include "src/router/room.h"

#include <stdlib.h>
#include <string.h>

#define PROVISION_MS 300000

/* ---- the choice ---- */

static void tell_choice(const struct request *r, const struct sbx_route *route) {
    for (size_t i = 0; i < sbx_route_rejected_count(route); i++) {
        struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_FILTERED);
        event.pool_id = sbx_pool_id(sbx_route_rejected(route, i));
        event.provider = sbx_runtime_provider(sbx_pool_runtime(sbx_route_rejected(route, i)));
        event.request = r->opt.request;
        event.reasons = sbx_route_reasons(route, i);
        sbx_router_tell(r->entry->router, &event);
    }
    for (size_t i = 0; i < sbx_route_count(route); i++) {
        struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_RANKED);
        event.pool_id = sbx_pool_id(sbx_route_pool(route, i));
        event.provider = sbx_runtime_provider(sbx_pool_runtime(sbx_route_pool(route, i)));
        event.request = r->opt.request;
        event.place = (int32_t)(i + 1);
        sbx_router_tell(r->entry->router, &event);
    }
}

static enum sbx_status choose(struct request *r, const struct sbx_pool *const *pools, size_t count,
                              struct sbx_route **route) {
    const struct sbx_router_options *told = &r->entry->router->opt;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    opt.ready = told->ready;
    opt.ready_ctx = told->ready_ctx;
    opt.signals = told->signals;
    opt.signals_ctx = told->signals_ctx;
    opt.pool_order = told->capacity_order;
    opt.pool_order_count = told->capacity_order_count;
    opt.detached = r->detached ? SBX_YES : SBX_NO;
    opt.reattach = SBX_YES;
    enum sbx_status st = sbx_route_create(&r->req, pools, count, &opt, route, &r->entry->err);
    if (!*route) return st;
    if (sbx_report_route(r->report, *route)) return sbx_fail(&r->entry->err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    tell_choice(r, *route);
    return st;
}

/* ---- admission ---- */

/* A fresh read before each launch. A pool passed over made no launch, so it spends no attempt. */
static int admitted(const struct request *r, const struct sbx_pool *pool) {
    struct sbx_router_event event = sbx_router_event_of(SBX_EVENT_CAPACITY_SKIPPED);
    struct sbx_capacity capacity = SBX_CAPACITY_INIT;
    const struct sbx_router_options *told = &r->entry->router->opt;
    if (!told->capacity_order_count) return 1;
    const struct sbx_call call = sbx_router_inner_call(r->entry, told->capacity_timeout_ms);
    sbx_pool_capacity(pool, &call, &capacity);
    const int32_t reason = sbx_room_reason(&capacity, &r->req);
    if (!reason) return 1;
    sbx_report_reject(r->report, sbx_pool_id(pool), SBX_REASON_BIT(reason));
    event.pool_id = sbx_pool_id(pool);
    event.provider = sbx_runtime_provider(sbx_pool_runtime(pool));
    event.request = r->opt.request;
    event.reasons = SBX_REASON_BIT(reason);
    event.capacity_reason = capacity.reason;
    sbx_router_tell(r->entry->router, &event);
    return 0; /* guard: no_room_no_launch */
}

/* ---- launches ---- */

static enum sbx_status end_failed(const struct request *r, const struct attempt *a) {
    struct sbx_error *err = &r->entry->err;
    if (a->store) {
        (void)sbx_router_blame(err, SBX_MAPPING_STORE, &a->err, a->record->pool_id);
        err->outcome = SBX_OUTCOME_DONE; /* the launch happened */
        sbx_copy(err->acquisition, sizeof(err->acquisition), a->record->acquisition);
        sbx_copy(err->provider, sizeof(err->provider), a->record->provider);
        return SBX_MAPPING_STORE;
    }
    return sbx_router_blame(err, SBX_PROVIDER_PROVISIONING, &a->err, a->record->pool_id);
}

static enum sbx_status nothing_left_to_try(const struct request *r, const struct attempt *last) {
    if (last->number)
        return sbx_router_blame(&r->entry->err, SBX_ACQUISITION_EXHAUSTED, &last->err, last->record->pool_id);
    return sbx_fail(&r->entry->err, SBX_PROVIDER_CAPACITY_EXHAUSTED, SBX_OUTCOME_NONE,
                    "no pool of the capacity order has proven room, nothing was launched");
}

static int32_t bound_of(const struct sbx_route_request *req) {
    return req->acquisition_fallback == SBX_NO ? 1 : req->attempt_count_max; /* guard: forbidden_is_one_launch */
}

static enum sbx_status acquire(const struct request *r, const struct sbx_route *route, char *locator) {
    struct attempt a = {.request = r};
    for (size_t i = 0; i < sbx_route_count(route) && a.number < bound_of(&r->req); i++) { /* guard: attempt_bound */
        enum sbx_status st = sbx_call_check(&r->entry->call, r->entry->router->env);
        if (st && a.number) return end_failed(r, &a);
        if (st) return sbx_fail(&r->entry->err, st, SBX_OUTCOME_NOT_SENT, NULL);
        if (!admitted(r, sbx_route_pool(route, i))) continue;
        const struct attempt next = {.request = r,
                                     .pool = sbx_route_pool(route, i),
                                     .record = &r->report->attempts[a.number],
                                     .number = a.number + 1,
                                     .next = STEP_END};
        a = next;
        r->report->attempt_count = (size_t)a.number;
        st = sbx_attempt_run(&a);
        if (st) return st;
        if (a.next == STEP_SUCCESS) {
            memcpy(locator, a.locator, sizeof(a.locator));
            return SBX_OK;
        }
        if (a.next == STEP_END) return end_failed(r, &a);
    }
    if (a.number && r->req.acquisition_fallback == SBX_NO) return end_failed(r, &a);
    return nothing_left_to_try(r, &a);
}

/* ---- a call ---- */

static enum sbx_status take(struct request *r, const struct sbx_route_request *req,
                            const struct sbx_provision_options *opt, const char *locator) {
    const struct sbx_route_request plain = SBX_ROUTE_REQUEST_INIT;
    sbx_provision_options_init(&r->opt, sizeof(r->opt));
    r->req = plain;
    if (sbx_options_take(&r->req, sizeof(r->req), req, sizeof(r->req)))
        return sbx_router_wrong(r->entry, "req.size", "sizeof the struct");
    if (sbx_options_take(&r->opt, sizeof(r->opt), opt, sizeof(r->opt)))
        return sbx_router_wrong(r->entry, "opt.size", "sizeof the struct");
    if (!locator) return sbx_router_wrong(r->entry, "locator", "room for one");
    if (r->opt.adopt < SBX_DEFAULT || r->opt.adopt > SBX_NO)
        return sbx_router_wrong(r->entry, "adopt", "SBX_DEFAULT, SBX_YES or SBX_NO");
    if (!r->opt.request) r->opt.request = "";
    return SBX_OK;
}

static enum sbx_status provide(struct request *r, char *locator) {
    const struct sbx_pool *const *pools = NULL;
    struct sbx_registry *registry = r->entry->router->opt.registry;
    struct sbx_route *route = NULL;
    void *loan = NULL;
    size_t count = 0;
    enum sbx_status st = sbx_registry_lend(registry, &pools, &count, &loan);
    if (st) return sbx_fail(&r->entry->err, st, SBX_OUTCOME_NOT_SENT, "registry: its pools could not be had");
    st = choose(r, pools, count, &route);
    if (!st) st = acquire(r, route, locator);
    sbx_route_free(route);
    sbx_registry_give_back(registry, loan);
    return st;
}

static enum sbx_status provision(struct sbx_router *router, int detached, const struct sbx_route_request *req,
                                 const struct sbx_provision_options *opt, const struct sbx_call *call, char *locator,
                                 struct sbx_provision **report, struct sbx_error *err) {
    struct router_entry entry;
    struct request r = {.entry = &entry, .detached = detached};
    enum sbx_status st = sbx_router_enter(&entry, router, "provision", call, PROVISION_MS, err);
    if (!st) st = take(&r, req, opt, locator);
    if (st) return sbx_router_leave(&entry, st);
    r.report = calloc(1, sizeof(*r.report));
    st = r.report ? provide(&r, locator) : sbx_fail(&entry.err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    if (report && st != SBX_INVALID_ARGUMENT && st != SBX_NO_MEMORY)
        *report = r.report;
    else
        sbx_provision_free(r.report);
    return sbx_router_leave(&entry, st);
}

enum sbx_status sbx_router_provision(struct sbx_router *router, const struct sbx_route_request *req,
                                     const struct sbx_provision_options *opt, const struct sbx_call *call,
                                     char *locator, struct sbx_provision **report, struct sbx_error *err) {
    return provision(router, 0, req, opt, call, locator, report, err);
}

enum sbx_status sbx_router_provision_detached(struct sbx_router *router, const struct sbx_route_request *req,
                                              const struct sbx_provision_options *opt, const struct sbx_call *call,
                                              char *locator, struct sbx_provision **report, struct sbx_error *err) {
    return provision(router, 1, req, opt, call, locator, report, err);
}
