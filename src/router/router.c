/* A router: made of a registry, a store and the callers' own judgements; how its calls begin and end. Rows R12, R20. */
#include "src/router/router.h"

#include <sandport/kit/pool.h>
#include <stdlib.h>
#include <string.h>

#define CLEANUP_MS 30000
#define FIRM_MS    30000

void sbx_router_options_init(struct sbx_router_options *opt, size_t size) {
    sbx_options_init(opt, size);
}
void sbx_provision_options_init(struct sbx_provision_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

/* ---- making one ---- */

static enum sbx_status wrong(struct sbx_error *err, const char *what, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", what, expected);
    return SBX_INVALID_ARGUMENT;
}

static enum sbx_status order_check(const struct sbx_router_options *opt, struct sbx_error *err) {
    if (opt->capacity_timeout_ms < 0) return wrong(err, "capacity_timeout_ms", "0 or more");
    if (opt->capacity_order_count && !opt->capacity_order)
        return wrong(err, "capacity_order", "as many as the count says");
    for (size_t i = 0; i < opt->capacity_order_count; i++) {
        if (!sbx_is_word(opt->capacity_order[i], SBX_POOL_ID_SIZE - 1)) return wrong(err, "capacity_order", "pool ids");
        for (size_t k = 0; k < i; k++)
            if (strcmp(opt->capacity_order[i], opt->capacity_order[k]) == 0)
                return wrong(err, "capacity_order", "each id once");
    }
    return SBX_OK;
}

/* Pointers and texts in one piece. */
static const char *const *order_copy(const char *const *order, size_t count) {
    const size_t id_bytes = SBX_POOL_ID_SIZE;
    char **copy = calloc(count ? count : 1, sizeof(*copy) + id_bytes);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = (char *)(copy + count) + i * id_bytes;
        sbx_copy(copy[i], id_bytes, order[i]);
    }
    return (const char *const *)copy;
}

static enum sbx_status router_fill(struct sbx_router *router, const struct sbx_router_options *opt,
                                   struct sbx_error *err) {
    router->opt = *opt;
    router->opt.capacity_order = order_copy(opt->capacity_order, opt->capacity_order_count);
    router->lock = router->env->lock_new(router->env);
    if (!router->opt.capacity_order || !router->lock) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    if (sbx_acquisition_new(router->env, router->owner))
        return sbx_fail(err, SBX_PROVIDER, SBX_OUTCOME_NONE, "env: gave no random bytes");
    if (!router->opt.capacity_timeout_ms) router->opt.capacity_timeout_ms = SBX_CAPACITY_TIMEOUT_MS;
    router->store = opt->store;
    if (router->store) return SBX_OK;
    router->owns_store = 1;
    return sbx_store_memory_create(router->env, &router->store, err);
}

enum sbx_status sbx_router_create(const struct sbx_router_options *from, struct sbx_env *env, struct sbx_router **out,
                                  struct sbx_error *err) {
    struct sbx_router_options opt = SBX_ROUTER_OPTIONS_INIT;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!from || sbx_options_take(&opt, sizeof(opt), from, sizeof(opt)))
        return wrong(err, from ? "opt.size" : "opt", from ? "sizeof the struct" : "options");
    if (!env || !out) return wrong(err, env ? "out" : "env", "one");
    if (!opt.registry) return wrong(err, "registry", "one");
    enum sbx_status st = order_check(&opt, err);
    if (st) return st;
    struct sbx_router *router = calloc(1, sizeof(*router));
    if (!router) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    router->env = env;
    st = router_fill(router, &opt, err);
    if (st)
        sbx_router_free(router);
    else
        *out = router;
    return st;
}

void sbx_router_free(struct sbx_router *router) {
    if (!router) return;
    if (router->owns_store) sbx_store_free(router->store);
    if (router->lock) router->env->lock_free(router->env, router->lock);
    free((void *)(uintptr_t)router->opt.capacity_order);
    free(router);
}

/* ---- calls ---- */

enum sbx_status sbx_router_enter(struct router_entry *entry, struct sbx_router *router, const char *operation,
                                 const struct sbx_call *call, int64_t default_ms, struct sbx_error *callers) {
    memset(entry, 0, sizeof(*entry));
    entry->router = router;
    entry->callers = callers;
    sbx_error_init(&entry->err, sizeof(entry->err));
    sbx_call_init(&entry->call, sizeof(entry->call));
    sbx_copy(entry->err.operation, sizeof(entry->err.operation), operation);
    if (callers && callers->size < sizeof(entry->err)) {
        entry->callers = NULL; /* it says no size that could hold an answer */
        return SBX_INVALID_ARGUMENT;
    }
    if (!router) return sbx_router_wrong(entry, "router", "one");
    if (sbx_options_take(&entry->call, sizeof(entry->call), call, sizeof(entry->call)))
        return sbx_router_wrong(entry, "call.size", "sizeof the struct");
    if (entry->call.deadline_ms < 0) return sbx_router_wrong(entry, "call.deadline_ms", "0 or more");
    if (!entry->call.deadline_ms) entry->call.deadline_ms = router->env->now_ms(router->env) + default_ms;
    if (!entry->call.cleanup_ms) entry->call.cleanup_ms = CLEANUP_MS;
    if (entry->call.cleanup_ms < 0) entry->call.cleanup_ms = 0;
    enum sbx_status st = sbx_call_check(&entry->call, router->env);
    return st ? sbx_fail(&entry->err, st, SBX_OUTCOME_NOT_SENT, NULL) : SBX_OK;
}

enum sbx_status sbx_router_leave(struct router_entry *entry, enum sbx_status st) {
    size_t size = 0;
    entry->err.status = (int32_t)st;
    if (st == SBX_OK) sbx_error_init(&entry->err, sizeof(entry->err));
    if (!entry->callers) return st;
    size = entry->callers->size;
    memcpy(entry->callers, &entry->err, sizeof(entry->err));
    entry->callers->size = size;
    return st;
}

enum sbx_status sbx_router_blame(struct sbx_error *err, enum sbx_status st, const struct sbx_error *cause,
                                 const char *pool_id) {
    struct sbx_error told = *cause;
    /* guard: no_words_of_others */
    (void)sbx_fail(&told, st, (enum sbx_outcome)cause->outcome, "pool %s: %s", pool_id, sbx_status_name(cause->status));
    told.cause = cause->status;
    *err = told;
    return st;
}

int sbx_router_cleanup_call(const struct router_entry *entry, struct sbx_call *out) {
    return sbx_call_for_cleanup(&entry->call, entry->router->env, out);
}

struct sbx_call sbx_router_firm_call(const struct router_entry *entry) {
    struct sbx_call call = SBX_CALL_INIT;
    const int64_t least = entry->router->env->now_ms(entry->router->env) + FIRM_MS;
    call.deadline_ms = entry->call.deadline_ms > least ? entry->call.deadline_ms : least;
    return call;
}

struct sbx_call sbx_router_inner_call(const struct router_entry *entry, int64_t ms) {
    struct sbx_call call = sbx_call_within(&entry->call, entry->router->env, ms);
    if (!call.cleanup_ms) call.cleanup_ms = SBX_NO_CLEANUP;
    return call;
}

/* ---- events ---- */

struct sbx_router_event sbx_router_event_of(int32_t kind) {
    const struct sbx_router_event event = {.size = sizeof(event),
                                           .kind = kind,
                                           .pool_id = "",
                                           .provider = "",
                                           .request = "",
                                           .acquisition = "",
                                           .locator = "",
                                           .sandbox_id = "",
                                           .code = "",
                                           .retry_after_ms = -1};
    return event;
}

void sbx_router_tell(const struct sbx_router *router, const struct sbx_router_event *event) {
    if (router->opt.observer) router->opt.observer(router->opt.observer_ctx, event);
}

/* ---- what this router is at work on ---- */

void sbx_router_work_begin(struct sbx_router *router, struct router_work *work, const char *acquisition) {
    sbx_copy(work->acquisition, sizeof(work->acquisition), acquisition);
    router->env->lock(router->env, router->lock);
    work->next = router->work;
    router->work = work;
    router->env->unlock(router->env, router->lock);
}

void sbx_router_work_name(struct sbx_router *router, struct router_work *work, const char *acquisition) {
    router->env->lock(router->env, router->lock);
    sbx_copy(work->acquisition, sizeof(work->acquisition), acquisition);
    router->env->unlock(router->env, router->lock);
}

void sbx_router_work_read(struct sbx_router *router, const struct router_work *work, char *out) {
    router->env->lock(router->env, router->lock);
    sbx_copy(out, SBX_ACQUISITION_SIZE, work->acquisition);
    router->env->unlock(router->env, router->lock);
}

void sbx_router_work_end(struct sbx_router *router, struct router_work *work) {
    router->env->lock(router->env, router->lock);
    struct router_work **at = &router->work;
    while (*at && *at != work) at = &(*at)->next;
    if (*at) *at = work->next;
    router->env->unlock(router->env, router->lock);
}

int sbx_router_works_on(struct sbx_router *router, const char *acquisition) {
    int found = 0;
    router->env->lock(router->env, router->lock);
    for (const struct router_work *work = router->work; work && !found; work = work->next)
        found = strcmp(work->acquisition, acquisition) == 0;
    router->env->unlock(router->env, router->lock);
    return found;
}
