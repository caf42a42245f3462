/* Pools for tests of the pure part. */
#include "pools.h"

#include <stdio.h>
#include <stdlib.h>

struct pools *pools_new(void) {
    struct pools *p = calloc(1, sizeof(*p));
    T_TRUE(p != NULL);
    T_STATUS(sbx_sim_create(NULL, &p->sim, NULL, 0), SBX_OK);
    fake_runtime(&p->account, sbx_sim_env(p->sim), &p->rt);
    sbx_error_init(&p->err, sizeof(p->err));
    return p;
}

void pools_add(struct pools *p, const char *id, const struct sbx_profile *profile, const struct sbx_signals *signals) {
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    opt.id = id;
    opt.runtime = p->rt;
    opt.profile = profile;
    opt.signals = signals;
    T_TRUE(p->count < POOLS_MAX);
    if (sbx_pool_create(&opt, &p->pool[p->count++], &p->err) != SBX_OK) T_FAIL("no pool: %s", p->err.detail);
}

enum sbx_status pools_route(struct pools *p, const struct sbx_route_request *req, const struct sbx_route_options *opt) {
    sbx_route_free(p->route);
    p->route = NULL;
    sbx_error_init(&p->err, sizeof(p->err));
    return sbx_route_create(req, (const struct sbx_pool *const *)p->pool, p->count, opt, &p->route, &p->err);
}

const char *pools_order(const struct pools *p) {
    static char order[512];
    size_t at = 0;
    for (size_t i = 0; i < sbx_route_count(p->route); i++)
        at += (size_t)snprintf(order + at, sizeof(order) - at, "%s%s", i ? " " : "",
                               sbx_pool_id(sbx_route_pool(p->route, i)));
    at += (size_t)snprintf(order + at, sizeof(order) - at, "|");
    for (size_t i = 0; i < sbx_route_rejected_count(p->route); i++)
        at += (size_t)snprintf(order + at, sizeof(order) - at, "%s%s", i ? " " : "",
                               sbx_pool_id(sbx_route_rejected(p->route, i)));
    return order;
}

uint64_t pools_reasons(const struct pools *p, const char *id) {
    for (size_t i = 0; i < sbx_route_rejected_count(p->route); i++)
        if (strcmp(sbx_pool_id(sbx_route_rejected(p->route, i)), id) == 0) return sbx_route_reasons(p->route, i);
    return 0;
}

void pools_free(struct pools *p) {
    sbx_route_free(p->route);
    for (size_t i = 0; i < p->count; i++) sbx_pool_free(p->pool[i]);
    sbx_runtime_free(p->rt);
    sbx_sim_free(p->sim);
    free(p);
}
