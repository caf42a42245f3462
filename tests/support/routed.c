/* A router over two accounts by script. */
#include "routed.h"

#include <stdio.h>
#include <stdlib.h>

static void write_down(void *ctx, const struct sbx_router_event *e) {
    struct routed *r = ctx;
    const size_t at = strlen(r->told);
    int n = snprintf(r->told + at, sizeof(r->told) - at, "%s %s", sbx_router_event_name(e->kind), e->pool_id);
    char *to = r->told + at + n;
    const size_t room = sizeof(r->told) - at - (size_t)n;
    if (e->kind == SBX_EVENT_FILTERED || e->kind == SBX_EVENT_CAPACITY_SKIPPED)
        n = snprintf(to, room, " %s\n", sbx_reason_name(sbx_reason_next(e->reasons, 0)));
    else if (e->kind == SBX_EVENT_RANKED)
        n = snprintf(to, room, " %d\n", (int)e->place);
    else if (e->kind == SBX_EVENT_ATTEMPT_FAILED)
        n = snprintf(to, room, " %s %s %s retryable %d\n", sbx_status_name(e->status), sbx_outcome_name(e->outcome),
                     *e->code ? e->code : "-", (int)e->retryable);
    else if (e->kind == SBX_EVENT_CLEANUP || e->kind == SBX_EVENT_REAPED)
        n = snprintf(to, room, " done %d\n", (int)e->done);
    else if (e->kind == SBX_EVENT_RECONCILED)
        n = snprintf(to, room, " %d\n", (int)e->verdict);
    else if (e->kind == SBX_EVENT_STORE_FAILED)
        n = snprintf(to, room, "%s\n", sbx_status_name(e->status));
    else
        n = snprintf(to, room, "\n");
    T_TRUE(n >= 0 && (size_t)n < room);
}

int routed_classify(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out) {
    struct routed *r = ctx;
    r->asked++;
    T_TRUE(failure->error->status != SBX_OK);
    T_TRUE(out->size == sizeof(*out) && !out->retryable && !out->code[0]);
    out->retryable = r->verdict != 0; /* one that fails has said yes before */
    snprintf(out->code, sizeof(out->code), "%s", r->code);
    return r->verdict < 0;
}

static enum sbx_status capacity_of(struct routed *r, int which, struct sbx_capacity *out) {
    r->capacity_reads++;
    out->known = 1;
    out->reason = SBX_CAPACITY_NONE;
    out->room[SBX_RESOURCE_SANDBOXES].measured = 1;
    out->room[SBX_RESOURCE_SANDBOXES].used = r->used[which];
    out->room[SBX_RESOURCE_SANDBOXES].limit = r->limit[which];
    out->room[SBX_RESOURCE_SANDBOXES].required = r->required[which];
    return SBX_OK;
}

static enum sbx_status capacity_a(void *ctx, const struct sbx_call *call, struct sbx_capacity *out) {
    (void)call;
    return capacity_of(ctx, 0, out);
}

static enum sbx_status capacity_b(void *ctx, const struct sbx_call *call, struct sbx_capacity *out) {
    (void)call;
    return capacity_of(ctx, 1, out);
}

struct routed *routed_new(void) {
    struct routed *r = calloc(1, sizeof(*r));
    T_TRUE(r != NULL);
    T_STATUS(sbx_sim_create(NULL, &r->sim, NULL, 0), SBX_OK);
    r->env = sbx_sim_env(r->sim);
    sbx_error_init(&r->err, sizeof(r->err));
    sbx_route_request_init(&r->req, sizeof(r->req));
    sbx_provision_options_init(&r->how, sizeof(r->how));
    sbx_router_options_init(&r->opt, sizeof(r->opt));
    r->opt.observer = write_down;
    r->opt.observer_ctx = r;
    r->limit[0] = r->limit[1] = 10;
    r->required[0] = r->required[1] = 1;
    r->code = "NO_ROOM";
    return r;
}

static struct sbx_pool *pool_of(struct routed *r, struct fake *account, const char *id,
                                const struct sbx_profile *profile) {
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    fake_runtime(account, r->env, &opt.runtime);
    opt.id = id;
    opt.owns_runtime = SBX_YES;
    opt.profile = profile;
    opt.capacity = account == &r->a ? capacity_a : capacity_b;
    opt.capacity_ctx = r;
    T_STATUS(sbx_pool_create(&opt, &pool, &r->err), SBX_OK);
    return pool;
}

void routed_open(struct routed *r, const struct sbx_profile *profile) {
    struct sbx_pool *const pools[] = {pool_of(r, &r->b, "b", profile), pool_of(r, &r->a, "a", profile)};
    T_STATUS(sbx_registry_memory_create(pools, 2, &r->registry, &r->err), SBX_OK);
    r->opt.registry = r->registry;
    if (!r->store) T_STATUS(sbx_store_memory_create(r->env, &r->store, &r->err), SBX_OK);
    r->opt.store = r->store;
    if (sbx_router_create(&r->opt, r->env, &r->router, &r->err) != SBX_OK) T_FAIL("no router: %s", r->err.detail);
}

enum sbx_status routed_provision(struct routed *r) {
    sbx_provision_free(r->report);
    r->report = NULL;
    return sbx_router_provision(r->router, &r->req, &r->how, NULL, r->locator, &r->report, &r->err);
}

int32_t routed_state(struct routed *r, const char *key) {
    struct sbx_record *record = NULL;
    if (sbx_store_get(r->opt.store, key, NULL, &record, NULL)) return 0;
    const int32_t state = record->state;
    sbx_record_free(record);
    return state;
}

void routed_free(struct routed *r) {
    if (strstr(r->told, "CANARY") || strstr(r->err.detail, "CANARY")) T_FAIL("a provider's text: %s", r->told);
    sbx_provision_free(r->report);
    sbx_router_free(r->router);
    sbx_registry_free(r->registry);
    sbx_store_free(r->store);
    sbx_store_free(r->inner);
    sbx_sim_free(r->sim);
    free(r);
}
