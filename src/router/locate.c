/* From a locator to a sandbox: by the record's own pool, and never by another. Rows R9, R11, R12. */
#include "src/router/locate.h"

#include <string.h>

static enum sbx_status unknown(struct located *at, const char *why) {
    (void)sbx_fail(&at->entry.err, SBX_UNKNOWN_LOCATOR, SBX_OUTCOME_NOT_SENT, "locator: %s", why);
    return SBX_UNKNOWN_LOCATOR;
}

/* Records are found by acquisition ids too, which are no locators. */
static int is_locator(const char *text) {
    return text && strncmp(text, "sbx_", 4) == 0 && sbx_is_hex(text + 4, SBX_LOCATOR_SIZE - 5);
}

enum sbx_status sbx_locate_record(struct located *at, struct sbx_router *router, const char *operation,
                                  const char *locator, const struct sbx_call *call, int64_t default_ms,
                                  struct sbx_error *err) {
    struct sbx_error said = SBX_ERROR_INIT;
    memset(at, 0, sizeof(*at));
    enum sbx_status st = sbx_router_enter(&at->entry, router, operation, call, default_ms, err);
    if (st) return st;
    if (!is_locator(locator)) return unknown(at, "expected sbx_ and 32 lower-case hex digits");
    st = sbx_store_get(router->store, locator, &at->entry.call, &at->record, &said);
    if (st == SBX_NOT_FOUND) return unknown(at, "nothing is known by it");
    if (st) {
        (void)sbx_fail(&at->entry.err, SBX_MAPPING_STORE, SBX_OUTCOME_NOT_SENT, "the mapping could not be read");
        at->entry.err.cause = (int32_t)st;
        return SBX_MAPPING_STORE;
    }
    sbx_copy(at->entry.err.provider, sizeof(at->entry.err.provider), at->record->provider);
    sbx_copy(at->entry.err.sandbox_id, sizeof(at->entry.err.sandbox_id), at->record->sandbox_id);
    return SBX_OK;
}

static enum sbx_status no_pool(struct located *at, enum sbx_status cause, const char *why) {
    (void)sbx_fail(&at->entry.err, SBX_PROVIDER_RUNTIME, SBX_OUTCOME_NOT_SENT, "pool %s: %s", at->record->pool, why);
    at->entry.err.cause = (int32_t)cause;
    return SBX_PROVIDER_RUNTIME;
}

enum sbx_status sbx_locate_pool(struct located *at) {
    const struct sbx_pool *const *pools = NULL;
    size_t count = 0;
    enum sbx_status st = sbx_registry_lend(at->entry.router->opt.registry, &pools, &count, &at->loan);
    if (st) return no_pool(at, st, "the registry does not answer");
    at->has_loan = 1;
    for (size_t i = 0; i < count && !at->pool; i++)
        if (strcmp(sbx_pool_id(pools[i]), at->record->pool) == 0) at->pool = pools[i]; /* guard: never_rerouted */
    if (!at->pool) return no_pool(at, SBX_NOT_FOUND, "is not registered");
    if (strcmp(sbx_runtime_provider(sbx_pool_runtime(at->pool)), at->record->provider) != 0)
        return no_pool(at, SBX_CONFLICT, "is another provider's by now");
    return SBX_OK;
}

enum sbx_status sbx_locate(struct located *at, struct sbx_router *router, const char *operation, const char *locator,
                           const struct sbx_call *call, int64_t default_ms, struct sbx_error *err) {
    struct sbx_error said = SBX_ERROR_INIT;
    enum sbx_status st = sbx_locate_record(at, router, operation, locator, call, default_ms, err);
    if (st) return st;
    if (at->record->state != SBX_RECORD_MAPPED)
        return unknown(at, "the sandbox is destroyed"); /* guard: destroyed_is_unknown */
    st = sbx_locate_pool(at);
    if (st) return st;
    const struct sbx_call inner = sbx_router_inner_call(&at->entry, INT64_MAX);
    st = sbx_runtime_attach(sbx_pool_runtime(at->pool), at->record->sandbox_id, &inner, &at->sb, &said);
    if (st) return sbx_locate_answer(at, st, &said);
    sbx_sandbox_adopt(at->sb);
    return SBX_OK;
}

/* Of what was sent nothing but facts is told; what was not sent is the caller's own mistake, in the port's words. */
static int is_callers_own(enum sbx_status st, const struct sbx_error *said) {
    if (said->outcome != SBX_OUTCOME_NONE && said->outcome != SBX_OUTCOME_NOT_SENT) return 0;
    return st == SBX_INVALID_ARGUMENT || st == SBX_UNSUPPORTED || st == SBX_NO_MEMORY;
}

enum sbx_status sbx_locate_answer(struct located *at, enum sbx_status st, const struct sbx_error *said) {
    char sandbox_id[SBX_ID_SIZE];
    if (!st) return SBX_OK;
    if (is_callers_own(st, said)) {
        at->entry.err = *said;
        return st;
    }
    memcpy(sandbox_id, at->entry.err.sandbox_id, sizeof(sandbox_id));
    (void)sbx_router_blame(&at->entry.err, SBX_PROVIDER_RUNTIME, said, at->record->pool);
    if (!at->entry.err.sandbox_id[0]) memcpy(at->entry.err.sandbox_id, sandbox_id, sizeof(sandbox_id));
    return SBX_PROVIDER_RUNTIME;
}

enum sbx_status sbx_locate_end(struct located *at, enum sbx_status st) {
    sbx_sandbox_free(at->sb);
    if (at->has_loan) sbx_registry_give_back(at->entry.router->opt.registry, at->loan);
    sbx_record_free(at->record);
    return sbx_router_leave(&at->entry, st);
}
