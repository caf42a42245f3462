/* Requests that are none: each names the member that is wrong. Rows R2, R8. */
#include "t.h"

#include "src/router/request.h"

#include <math.h>
#include <sandport/capability.h>

static void refused(const struct sbx_route_request *req, const char *member) {
    struct sbx_error err = SBX_ERROR_INIT;
    T_STATUS(sbx_request_verify(req, &err), SBX_INVALID_REQUEST);
    T_CONTAINS(err.detail, member);
    T_EQ(err.outcome, SBX_OUTCOME_NONE);
}

#define REFUSED(member, value)                                                                                         \
    do {                                                                                                               \
        struct sbx_route_request bad_one = SBX_ROUTE_REQUEST_INIT;                                                     \
        bad_one.member = (value);                                                                                      \
        refused(&bad_one, #member);                                                                                    \
    } while (0)

static void numbers_out_of_range(void) {
    REFUSED(placement, 3);
    REFUSED(placement, -1);
    REFUSED(cpu, (double)NAN);
    REFUSED(cpu, (double)INFINITY);
    REFUSED(cpu, -0.5);
    REFUSED(memory_mib, -1);
    REFUSED(disk_mib, -1);
    REFUSED(gpu_count, -1);
    REFUSED(isolation_min, 4);
    REFUSED(durability_min, -1);
    REFUSED(durability_min, 3);
    REFUSED(egress, 1);
    REFUSED(egress, 16);
    REFUSED(timeout_semantics, 8);
    REFUSED(timeout_granularity_ms_max, -1);
    REFUSED(lifetime_ms, -1);
    REFUSED(completion_budget_ms, INT64_MIN);
    REFUSED(ready_ms_max, -1);
    REFUSED(strategy, 4);
    REFUSED(strategy, -1);
    REFUSED(latency, 2);
    REFUSED(acquisition_fallback, 3);
    REFUSED(region_required, -1);
    REFUSED(capabilities_required, UINT64_C(1) << 63);
    REFUSED(capabilities_forbidden, UINT64_C(1) << 39);
}

static void words_that_are_none(void) {
    static const char *const bad[] = {"good", ""};
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    REFUSED(pool_id, "");
    REFUSED(pool_id, "a\nb");
    REFUSED(node_affinity, "");
    REFUSED(image, "\xff");
    REFUSED(gpu_type, "\x7f");
    req.region_required = SBX_YES; /* of none */
    refused(&req, "regions");
    sbx_route_request_init(&req, sizeof(req));
    req.gpu_type = "h100";
    refused(&req, "gpu_count");
    sbx_route_request_init(&req, sizeof(req));
    req.binary_count = 1;
    refused(&req, "binaries");
    req.binaries = bad;
    req.binary_count = 2;
    refused(&req, "binaries");
    req.binary_count = 1;
    req.regions = bad;
    req.region_count = SBX_LIST_COUNT_MAX + 1;
    refused(&req, "regions");
    req.region_count = 1;
    req.restrictions = bad;
    req.restriction_count = 2;
    refused(&req, "restrictions");
}

static void attempt_bounds(void) {
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    T_EQ(req.attempt_count_max, 3);
    for (int32_t n = 1; n <= 10; n++) {
        req.attempt_count_max = n;
        T_STATUS(sbx_request_verify(&req, NULL), SBX_OK);
    }
    REFUSED(attempt_count_max, 0);
    REFUSED(attempt_count_max, 11);
    REFUSED(attempt_count_max, -1);
    REFUSED(attempt_count_max, INT32_MIN);
    sbx_route_request_init(&req, sizeof(req));
    T_EQ(req.attempt_count_max, 3);
}

static void required_and_forbidden_at_once(void) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    req.capabilities_required = SBX_CAP_EXEC | SBX_CAP_PTY;
    req.capabilities_forbidden = SBX_CAP_PTY | SBX_FEATURE_TAILNET;
    T_STATUS(sbx_request_verify(&req, &err), SBX_INVALID_REQUEST);
    T_STR(err.detail, "capabilities_forbidden: PTY is required at the same time");
}

T_CASES(T_CASE(numbers_out_of_range), T_CASE(words_that_are_none), T_CASE(attempt_bounds),
        T_CASE(required_and_forbidden_at_once))
