/* A routing request, checked before anything else is done with it. Rows R2, R8. */
#include "src/router/request.h"

#include <sandport/kit/fail.h>
#include <sandport/kit/options.h>
#include <sandport/kit/pool.h>
#include <string.h>

#define EGRESS_ALL                                                                                                     \
    (UINT32_C(1) << SBX_EGRESS_NONE | UINT32_C(1) << SBX_EGRESS_ALLOW_LIST | UINT32_C(1) << SBX_EGRESS_OPEN)

void sbx_route_request_init(struct sbx_route_request *req, size_t size) {
    sbx_options_init(req, size);
    if (req && size >= offsetof(struct sbx_route_request, attempt_count_max) + sizeof(req->attempt_count_max))
        req->attempt_count_max = SBX_ATTEMPT_COUNT_DEFAULT;
}

static enum sbx_status wrong(struct sbx_error *err, const char *member, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_REQUEST, SBX_OUTCOME_NONE, "%s: expected %s", member, expected);
    return SBX_INVALID_REQUEST;
}

static int in_range(int32_t value, int32_t least, int32_t most) {
    return value >= least && value <= most;
}

static enum sbx_status verify_capabilities(const struct sbx_route_request *req, struct sbx_error *err) {
    uint64_t both = req->capabilities_required & req->capabilities_forbidden;
    if (!sbx_features_known(req->capabilities_required)) return wrong(err, "capabilities_required", "known bits");
    if (!sbx_features_known(req->capabilities_forbidden)) return wrong(err, "capabilities_forbidden", "known bits");
    if (!both) return SBX_OK;
    (void)sbx_fail(err, SBX_INVALID_REQUEST, SBX_OUTCOME_NONE,
                   "capabilities_forbidden: %s is required at the same time", sbx_feature_name(both & (~both + 1)));
    return SBX_INVALID_REQUEST;
}

static enum sbx_status verify_words(const struct sbx_route_request *req, struct sbx_error *err) {
    if (req->pool_id && !sbx_is_word(req->pool_id, SBX_POOL_ID_SIZE - 1)) return wrong(err, "pool_id", "a pool's id");
    if (req->node_affinity && !sbx_is_word(req->node_affinity, SBX_LIST_BYTES_MAX))
        return wrong(err, "node_affinity", "NULL or a word");
    if (req->gpu_type && !sbx_is_word(req->gpu_type, SBX_LIST_BYTES_MAX)) return wrong(err, "gpu_type", "a word");
    if (req->image && !sbx_is_word(req->image, SBX_LIST_BYTES_MAX)) return wrong(err, "image", "a word");
    if (!sbx_is_word_list(req->binaries, req->binary_count)) return wrong(err, "binaries", "at most 64 words");
    if (!sbx_is_word_list(req->regions, req->region_count)) return wrong(err, "regions", "at most 64 words");
    if (!sbx_is_word_list(req->restrictions, req->restriction_count))
        return wrong(err, "restrictions", "at most 64 words");
    return SBX_OK;
}

static enum sbx_status verify_amounts(const struct sbx_route_request *req, struct sbx_error *err) {
    if (!(req->cpu >= 0 && req->cpu <= SBX_RESOURCE_CPU_MAX))
        return wrong(err, "cpu", "0 or more"); /* NaN is neither */
    if (req->memory_mib < 0) return wrong(err, "memory_mib", "0 or more");
    if (req->disk_mib < 0) return wrong(err, "disk_mib", "0 or more");
    if (req->gpu_count < 0) return wrong(err, "gpu_count", "0 or more");
    if (req->gpu_type && !req->gpu_count) return wrong(err, "gpu_count", "1 or more beside a gpu_type");
    if (req->timeout_granularity_ms_max < 0) return wrong(err, "timeout_granularity_ms_max", "0 or more");
    if (req->lifetime_ms < 0) return wrong(err, "lifetime_ms", "0 or more");
    if (req->completion_budget_ms < 0) return wrong(err, "completion_budget_ms", "0 or more");
    if (req->ready_ms_max < 0) return wrong(err, "ready_ms_max", "0 or more");
    return SBX_OK;
}

static enum sbx_status verify_choices(const struct sbx_route_request *req, struct sbx_error *err) {
    if (!in_range(req->placement, SBX_PLACEMENT_POOL, SBX_PLACEMENT_FLEET))
        return wrong(err, "placement", "one of enum sbx_placement");
    if (!in_range(req->isolation_min, SBX_ISOLATION_NONE, SBX_ISOLATION_VM))
        return wrong(err, "isolation_min", "one of enum sbx_isolation");
    if (!in_range(req->durability_min, SBX_DURABILITY_NONE, SBX_DURABILITY_MEMORY))
        return wrong(err, "durability_min", "one of enum sbx_durability");
    if (req->egress & ~EGRESS_ALL) return wrong(err, "egress", "bits of enum sbx_egress");
    if (req->timeout_semantics & ~SBX_TIMEOUT_ALL) return wrong(err, "timeout_semantics", "SBX_TIMEOUT_* bits");
    if (!in_range(req->region_required, SBX_DEFAULT, SBX_NO))
        return wrong(err, "region_required", "SBX_DEFAULT, SBX_YES or SBX_NO");
    if (req->region_required == SBX_YES && !req->region_count) return wrong(err, "regions", "one that is required");
    if (!in_range(req->strategy, SBX_STRATEGY_BALANCED, SBX_STRATEGY_RELIABILITY))
        return wrong(err, "strategy", "one of enum sbx_strategy");
    if (!in_range(req->latency, SBX_LATENCY_READY, SBX_LATENCY_COLD_START))
        return wrong(err, "latency", "one of enum sbx_latency");
    if (!in_range(req->acquisition_fallback, SBX_DEFAULT, SBX_NO))
        return wrong(err, "acquisition_fallback", "SBX_DEFAULT, SBX_YES or SBX_NO");
    if (!in_range(req->attempt_count_max, 1, SBX_ATTEMPT_COUNT_MAX)) /* guard: attempt_bound_checked */
        return wrong(err, "attempt_count_max", "1 to 10");
    return SBX_OK;
}

enum sbx_status sbx_request_verify(const struct sbx_route_request *req, struct sbx_error *err) {
    enum sbx_status st = verify_choices(req, err);
    if (!st) st = verify_words(req, err);
    if (!st) st = verify_amounts(req, err);
    if (!st) st = verify_capabilities(req, err);
    if (st) return st;
    if (req->placement != SBX_PLACEMENT_POOL || req->node_affinity) { /* guard: no_second_scheduler */
        (void)sbx_fail(err, SBX_ROUTING_NOT_APPLICABLE, SBX_OUTCOME_NONE, "%s: is placed by others",
                       req->node_affinity ? "node_affinity" : "placement");
        return SBX_ROUTING_NOT_APPLICABLE;
    }
    return SBX_OK;
}
