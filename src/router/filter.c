/* A pool's profile held against a request: one rule for each reason, every rule asked. Rows R3, R4, R17. */
#include "src/router/filter.h"

#include <sandport/router_reason.h>
#include <string.h>

struct ask {
    const struct sbx_pool *pool;
    const struct sbx_profile *profile;
    const struct sbx_route_request *req;
    int detached;
    int reattach;
};

static int list_has(const char *const *list, size_t count, const char *word) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0) return 1;
    return 0;
}

static int list_has_all(const char *const *list, size_t count, const char *const *words, size_t word_count) {
    for (size_t i = 0; i < word_count; i++)
        if (!list_has(list, count, words[i])) return 0;
    return 1;
}

/* A ceiling that is not said is 0: it meets nobody who needs one. SBX_UNBOUNDED is the largest there is. */
static int reaches(int64_t ceiling_ms, int64_t needed_ms) {
    return needed_ms == 0 || ceiling_ms >= needed_ms; /* guard: lifetime_is_correctness */
}

static int pool_id(const struct ask *a) {
    return !a->req->pool_id || strcmp(a->req->pool_id, sbx_pool_id(a->pool)) == 0; /* guard: exact_pool */
}
static int required(const struct ask *a) {
    return (a->req->capabilities_required & ~a->profile->capabilities) == 0;
}
static int forbidden(const struct ask *a) {
    return (a->req->capabilities_forbidden & a->profile->capabilities) == 0;
}
static int resources(const struct ask *a) {
    return a->profile->cpu >= a->req->cpu && a->profile->memory_mib >= a->req->memory_mib &&
           a->profile->disk_mib >= a->req->disk_mib;
}
static int gpu(const struct ask *a) {
    if (a->profile->gpu_count < a->req->gpu_count) return 0;
    return !a->req->gpu_type || (a->profile->gpu_type && strcmp(a->profile->gpu_type, a->req->gpu_type) == 0);
}
static int image(const struct ask *a) {
    return !a->req->image || (a->profile->image && strcmp(a->profile->image, a->req->image) == 0);
}
static int binaries(const struct ask *a) {
    return list_has_all(a->profile->binaries, a->profile->binary_count, a->req->binaries, a->req->binary_count);
}
static int isolation(const struct ask *a) {
    return a->profile->isolation >= a->req->isolation_min;
}
static int durability(const struct ask *a) {
    return a->profile->durability >= a->req->durability_min;
}
static int egress(const struct ask *a) {
    return a->req->egress == 0 || (a->req->egress & UINT32_C(1) << a->profile->egress) != 0;
}
static int region(const struct ask *a) {
    if (a->req->region_required != SBX_YES) return 1;
    for (size_t i = 0; i < a->req->region_count; i++)
        if (list_has(a->profile->regions, a->profile->region_count, a->req->regions[i])) return 1;
    return 0;
}
static int timeout_semantics(const struct ask *a) {
    return (a->req->timeout_semantics & ~a->profile->timeout_semantics) == 0;
}
static int timeout_granularity(const struct ask *a) {
    const int64_t step = a->profile->timeout_granularity_ms, most = a->req->timeout_granularity_ms_max;
    return most == 0 || (step > 0 && step <= most);
}
static int lifetime(const struct ask *a) {
    return reaches(a->profile->lifetime_ms_max, a->req->lifetime_ms);
}
static int completion(const struct ask *a) {
    return reaches(a->profile->command_ms_max, a->req->completion_budget_ms);
}
static int restrictions(const struct ask *a) {
    return list_has_all(a->profile->restrictions, a->profile->restriction_count, a->req->restrictions,
                        a->req->restriction_count);
}
static int detached(const struct ask *a) {
    return !a->detached || (a->profile->capabilities & SBX_CAP_DETACHED_LAUNCH) != 0;
}

static int reattach(const struct ask *a) {
    return !a->reattach || (sbx_runtime_capabilities(sbx_pool_runtime(a->pool)) & SBX_CAP_REATTACH) != 0;
}

/* In the order of enum sbx_reason. */
static const struct {
    int32_t reason;
    int (*meets)(const struct ask *a);
} rules[] = {{SBX_REASON_POOL_ID, pool_id},
             {SBX_REASON_CAPABILITY_REQUIRED, required},
             {SBX_REASON_CAPABILITY_FORBIDDEN, forbidden},
             {SBX_REASON_RESOURCES, resources},
             {SBX_REASON_GPU, gpu},
             {SBX_REASON_IMAGE, image},
             {SBX_REASON_BINARIES, binaries},
             {SBX_REASON_ISOLATION, isolation},
             {SBX_REASON_DURABILITY, durability},
             {SBX_REASON_EGRESS, egress},
             {SBX_REASON_REGION, region},
             {SBX_REASON_TIMEOUT_SEMANTICS, timeout_semantics},
             {SBX_REASON_TIMEOUT_GRANULARITY, timeout_granularity},
             {SBX_REASON_SANDBOX_LIFETIME, lifetime},
             {SBX_REASON_COMPLETION_BUDGET, completion},
             {SBX_REASON_RESTRICTIONS, restrictions},
             {SBX_REASON_DETACHED_LAUNCH, detached},
             {SBX_REASON_REATTACH, reattach}};

uint64_t sbx_filter_reasons(const struct sbx_pool *pool, const struct sbx_route_request *req, int is_detached,
                            int is_kept) {
    const struct ask a = {pool, sbx_pool_profile(pool), req, is_detached, is_kept};
    uint64_t reasons = 0;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (!rules[i].meets(&a)) reasons |= SBX_REASON_BIT(rules[i].reason); /* guard: needs_filter */
    return reasons;
}
