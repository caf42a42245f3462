/* The pure part of the router: a request and pools in, an order and reasons out. Rows R2-R6, R15, R25. */
#include "src/router/route.h"
#include "src/router/filter.h"
#include "src/router/request.h"

#include <sandport/kit/fail.h>
#include <sandport/kit/options.h>
#include <sandport/kit/pool.h>
#include <stdlib.h>
#include <string.h>

void sbx_route_options_init(struct sbx_route_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

static enum sbx_status wrong(struct sbx_error *err, const char *what, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", what, expected);
    return SBX_INVALID_ARGUMENT;
}

/* ---- pools ---- */

static enum sbx_status entries_fill(struct sbx_route *route, const struct sbx_pool *const *pools, size_t n,
                                    struct sbx_error *err) {
    for (size_t i = 0; i < n; i++) {
        if (!pools[i]) return wrong(err, "pools", "a pool in every place");
        route->entries[i].pool = pools[i];
        route->entries[i].id = sbx_pool_id(pools[i]);
    }
    sbx_rank_by_id(route->entries, n);
    for (size_t i = 1; i < n; i++)
        if (strcmp(route->entries[i - 1].id, route->entries[i].id) == 0) /* guard: pool_id_once */
            return wrong(err, "pools", "each id once");
    return SBX_OK;
}

/* ---- the capacity order ---- */

/* The entries are sorted by id. NULL if no pool has it. */
static struct route_entry *entry_of(struct sbx_route *route, const char *id) {
    size_t from = 0, to = route->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = strcmp(route->entries[middle].id, id);
        if (order == 0) return &route->entries[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* Keys count from 1: an entry without one is not named. */
static enum sbx_status order_take(struct sbx_route *route, const struct sbx_route_options *opt, struct sbx_error *err) {
    for (size_t i = 0; i < opt->pool_order_count; i++) {
        if (!opt->pool_order || !sbx_is_word(opt->pool_order[i], SBX_POOL_ID_SIZE - 1))
            return wrong(err, "pool_order", "pool ids");
        struct route_entry *e = entry_of(route, opt->pool_order[i]);
        if (!e) continue;
        if (e->key > 0) return wrong(err, "pool_order", "each id once");
        e->key = (double)(i + 1);
        e->score = (double)i;
    }
    return SBX_OK;
}

static void order_only(struct sbx_route *route) {
    for (size_t i = 0; i < route->count; i++)
        if (!(route->entries[i].key > 0))
            route->entries[i].reasons |= SBX_REASON_BIT(SBX_REASON_NOT_IN_ORDER); /* guard: only_pools_of_the_order */
}

/* ---- all of it ---- */

static enum sbx_status decide(struct sbx_route *route, const struct sbx_route_request *req,
                              const struct sbx_route_options *opt, struct sbx_error *err) {
    enum sbx_status st = order_take(route, opt, err);
    if (st) return st;
    for (size_t i = 0; i < route->count; i++)
        route->entries[i].reasons =
            sbx_filter_reasons(route->entries[i].pool, req, opt->detached == SBX_YES, opt->reattach == SBX_YES);
    if (route->has_order) order_only(route);
    st = sbx_route_look(route, req, opt, err);
    if (st) return st;
    if (!route->has_order) sbx_rank_score(route->entries, route->count, req->strategy, req->latency);
    sbx_rank_by_key(route->entries, route->count);
    while (route->eligible < route->count && !route->entries[route->eligible].reasons) route->eligible++;
    return SBX_OK;
}

static enum sbx_status route_make(const struct sbx_route_request *req, const struct sbx_pool *const *pools, size_t n,
                                  const struct sbx_route_options *opt, struct sbx_route **out, struct sbx_error *err) {
    struct sbx_route *route = calloc(1, sizeof(*route));
    if (!route) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    route->entries = calloc(n ? n : 1, sizeof(*route->entries));
    if (!route->entries) {
        free(route);
        return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    }
    route->count = n;
    route->required = req->capabilities_required;
    route->forbidden = req->capabilities_forbidden;
    route->has_order = opt->pool_order_count > 0;
    route->strategy = req->strategy;
    enum sbx_status st = entries_fill(route, pools, n, err);
    if (!st) st = decide(route, req, opt, err);
    if (st) {
        sbx_route_free(route);
        return st;
    }
    *out = route;
    if (route->eligible) return SBX_OK;
    return sbx_fail(err, SBX_NO_ELIGIBLE_POOL, SBX_OUTCOME_NONE, "%zu pools: expected one that meets the request", n);
}

enum sbx_status sbx_route_create(const struct sbx_route_request *req_from, const struct sbx_pool *const *pools,
                                 size_t pool_count, const struct sbx_route_options *opt_from, struct sbx_route **out,
                                 struct sbx_error *err) {
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    struct sbx_route_options opt = SBX_ROUTE_OPTIONS_INIT;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (sbx_options_take(&req, sizeof(req), req_from, sizeof(req))) return wrong(err, "req.size", "sizeof the struct");
    if (sbx_options_take(&opt, sizeof(opt), opt_from, sizeof(opt))) return wrong(err, "opt.size", "sizeof the struct");
    if (!out) return wrong(err, "out", "one");
    if (pool_count && !pools) return wrong(err, "pools", "as many as the count says");
    if (opt.detached < SBX_DEFAULT || opt.detached > SBX_NO)
        return wrong(err, "detached", "SBX_DEFAULT, SBX_YES or SBX_NO");
    if (opt.reattach < SBX_DEFAULT || opt.reattach > SBX_NO)
        return wrong(err, "reattach", "SBX_DEFAULT, SBX_YES or SBX_NO");
    enum sbx_status st = sbx_request_verify(&req, err);
    if (st) return st;
    return route_make(&req, pools, pool_count, &opt, out, err);
}

void sbx_route_free(struct sbx_route *route) {
    if (!route) return;
    free(route->entries);
    free(route);
}

/* ---- what it says ---- */

static const struct route_entry *chosen(const struct sbx_route *route, size_t index) {
    return route && index < route->eligible ? &route->entries[index] : NULL;
}

static const struct route_entry *turned_down(const struct sbx_route *route, size_t index) {
    return route && index < route->count - route->eligible ? &route->entries[route->eligible + index] : NULL;
}

size_t sbx_route_count(const struct sbx_route *route) {
    return route ? route->eligible : 0;
}
const struct sbx_pool *sbx_route_pool(const struct sbx_route *route, size_t index) {
    const struct route_entry *e = chosen(route, index);
    return e ? e->pool : NULL;
}
double sbx_route_score(const struct sbx_route *route, size_t index) {
    const struct route_entry *e = chosen(route, index);
    return e ? e->score : 0;
}
void sbx_route_signals(const struct sbx_route *route, size_t index, struct sbx_signals *out) {
    const struct route_entry *e = chosen(route, index);
    if (!e || !out || out->size < sizeof(out->size)) return;
    const size_t known = out->size < sizeof(*out) ? out->size : sizeof(*out);
    memcpy((char *)out + sizeof(out->size), (const char *)&e->signals + sizeof(out->size), known - sizeof(out->size));
}
size_t sbx_route_rejected_count(const struct sbx_route *route) {
    return route ? route->count - route->eligible : 0;
}
const struct sbx_pool *sbx_route_rejected(const struct sbx_route *route, size_t index) {
    const struct route_entry *e = turned_down(route, index);
    return e ? e->pool : NULL;
}
uint64_t sbx_route_reasons(const struct sbx_route *route, size_t index) {
    const struct route_entry *e = turned_down(route, index);
    return e ? e->reasons : 0;
}
