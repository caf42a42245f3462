/* The needs of a request against what pools declare: every set of things that a pool may lack. Rows R3, R4, R17. */
#include "pools.h"

#include "src/router/filter.h"

#define LACKS 17

static const char *const words[] = {"one", "two", "three"};

/* A request that needs everything. */
static struct sbx_route_request needs_all(void) {
    struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    req.pool_id = "right";
    req.capabilities_required = SBX_CAP_EXEC | SBX_FEATURE_TAILNET;
    req.capabilities_forbidden = SBX_FEATURE_NESTED_USER_NAMESPACE;
    req.cpu = 2;
    req.memory_mib = 2048;
    req.disk_mib = 4096;
    req.gpu_count = 1;
    req.gpu_type = "h100";
    req.image = "agent-v4";
    req.binaries = words;
    req.binary_count = 2;
    req.regions = words;
    req.region_count = 2;
    req.region_required = SBX_YES;
    req.restrictions = words;
    req.restriction_count = 3;
    req.isolation_min = SBX_ISOLATION_CONTAINER;
    req.durability_min = SBX_DURABILITY_DISK;
    req.egress = 1u << SBX_EGRESS_NONE | 1u << SBX_EGRESS_ALLOW_LIST;
    req.timeout_semantics = SBX_TIMEOUT_COMMAND_LIFETIME;
    req.timeout_granularity_ms_max = 1000;
    req.lifetime_ms = 1800000;
    req.completion_budget_ms = 900000;
    return req;
}

/* Just what it needs and no more. */
static struct sbx_profile has_all(void) {
    struct sbx_profile p = SBX_PROFILE_INIT;
    p.capabilities = SBX_CAP_EXEC | SBX_CAP_DETACHED_LAUNCH | SBX_FEATURE_TAILNET;
    p.cpu = 2;
    p.memory_mib = 2048;
    p.disk_mib = 4096;
    p.gpu_count = 1;
    p.gpu_type = "h100";
    p.image = "agent-v4";
    p.binaries = words;
    p.binary_count = 2;
    p.regions = words + 1;
    p.region_count = 1;
    p.restrictions = words;
    p.restriction_count = 3;
    p.isolation = SBX_ISOLATION_CONTAINER;
    p.durability = SBX_DURABILITY_DISK;
    p.egress = SBX_EGRESS_ALLOW_LIST;
    p.timeout_semantics = SBX_TIMEOUT_COMMAND_LIFETIME;
    p.timeout_granularity_ms = 1000;
    p.lifetime_ms_max = 1800000;
    p.command_ms_max = 900000;
    return p;
}

/* Takes away what the bits of `lacks` say; @return the reasons that must be told then. */
static uint64_t take_away(struct sbx_profile *p, const char **id, uint32_t lacks) {
    uint64_t reasons = 0;
    for (int32_t r = SBX_REASON_POOL_ID; r <= SBX_REASON_DETACHED_LAUNCH; r++)
        if (lacks & (1u << (r - 1))) reasons |= SBX_REASON_BIT(r);
    if (lacks & 1u << 0) *id = "wrong";
    if (lacks & 1u << 1) p->capabilities &= ~SBX_FEATURE_TAILNET;
    if (lacks & 1u << 2) p->capabilities |= SBX_FEATURE_NESTED_USER_NAMESPACE;
    if (lacks & 1u << 3) p->memory_mib--;
    if (lacks & 1u << 4) p->gpu_type = NULL;
    if (lacks & 1u << 5) p->image = "agent-v3";
    if (lacks & 1u << 6) p->binary_count = 1;
    if (lacks & 1u << 7) p->isolation = SBX_ISOLATION_NAMESPACE;
    if (lacks & 1u << 8) p->durability = SBX_DURABILITY_NONE;
    if (lacks & 1u << 9) p->egress = SBX_EGRESS_OPEN;
    if (lacks & 1u << 10) p->regions = words + 2;
    if (lacks & 1u << 11) p->timeout_semantics = SBX_TIMEOUT_REQUEST;
    if (lacks & 1u << 12) p->timeout_granularity_ms = 1001;
    if (lacks & 1u << 13) p->lifetime_ms_max = 0;
    if (lacks & 1u << 14) p->command_ms_max = 899999;
    if (lacks & 1u << 15) p->restriction_count = 2;
    if (lacks & 1u << 16) p->capabilities &= ~SBX_CAP_DETACHED_LAUNCH;
    return reasons;
}

static uint64_t reasons_of(struct pools *p, const struct sbx_profile *profile, const char *id,
                           const struct sbx_route_request *req, int detached) {
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    opt.id = id;
    opt.runtime = p->rt;
    opt.profile = profile;
    T_STATUS(sbx_pool_create(&opt, &pool, &p->err), SBX_OK);
    uint64_t reasons = sbx_filter_reasons(pool, req, detached, 0);
    sbx_pool_free(pool);
    return reasons;
}

static void every_set_of_lacks_is_told_whole(void) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = needs_all();
    for (uint32_t lacks = 0; lacks < 1u << LACKS; lacks++) {
        struct sbx_profile profile = has_all();
        const char *id = "right";
        const uint64_t due = take_away(&profile, &id, lacks);
        const uint64_t got = reasons_of(p, &profile, id, &req, 1);
        if (got != due)
            T_FAIL("lacks %x: reasons %llx, expected %llx", lacks, (unsigned long long)got, (unsigned long long)due);
    }
    pools_free(p);
}

static void who_asks_for_nothing_gets_everybody(void) {
    struct pools *p = pools_new();
    const struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
    for (uint32_t lacks = 0; lacks < 1u << LACKS; lacks++) {
        struct sbx_profile profile = has_all();
        const char *id = "right";
        take_away(&profile, &id, lacks);
        T_EQ(reasons_of(p, &profile, id, &req, 0), 0);
    }
    pools_free(p);
}

static void abilities_bit_by_bit(void) {
    struct pools *p = pools_new();
    static const uint64_t bits[] = {SBX_CAP_EXEC, SBX_FEATURE_TAILNET, SBX_FEATURE_STABLE_PID};
    for (unsigned all = 0; all < 1u << 9; all++) {
        struct sbx_profile profile = SBX_PROFILE_INIT;
        struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
        for (unsigned b = 0; b < 3; b++) {
            if (all & 1u << b) profile.capabilities |= bits[b];
            if (all & 8u << b) req.capabilities_required |= bits[b];
            if (all & 64u << b) req.capabilities_forbidden |= bits[b];
        }
        uint64_t due = 0;
        if ((all >> 3 & 7) & ~(all & 7)) due |= SBX_REASON_BIT(SBX_REASON_CAPABILITY_REQUIRED);
        if ((all >> 6 & 7) & (all & 7)) due |= SBX_REASON_BIT(SBX_REASON_CAPABILITY_FORBIDDEN);
        T_EQ(reasons_of(p, &profile, "a", &req, 0), due);
    }
    pools_free(p);
}

static void amounts_at_their_edges(void) {
    struct pools *p = pools_new();
    static const int64_t amounts[] = {0, 1, 1000, 1001, SBX_UNBOUNDED - 1, SBX_UNBOUNDED};
    for (size_t has = 0; has < 6; has++)
        for (size_t needs = 0; needs < 6; needs++) {
            struct sbx_profile profile = SBX_PROFILE_INIT;
            struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
            const int fits = needs == 0 || has >= needs;
            const int fine = needs == 0 || (has > 0 && has <= needs);
            req.lifetime_ms = req.completion_budget_ms = req.timeout_granularity_ms_max = amounts[needs];
            req.memory_mib = req.disk_mib = amounts[needs];
            profile.lifetime_ms_max = profile.command_ms_max = profile.timeout_granularity_ms = amounts[has];
            profile.memory_mib = profile.disk_mib = amounts[has];
            uint64_t due = fits ? 0
                                : SBX_REASON_BIT(SBX_REASON_SANDBOX_LIFETIME) |
                                      SBX_REASON_BIT(SBX_REASON_COMPLETION_BUDGET) |
                                      SBX_REASON_BIT(SBX_REASON_RESOURCES);
            if (!fine) due |= SBX_REASON_BIT(SBX_REASON_TIMEOUT_GRANULARITY);
            T_EQ(reasons_of(p, &profile, "a", &req, 0), due);
        }
    pools_free(p);
}

static void classes_one_against_another(void) {
    struct pools *p = pools_new();
    for (int32_t has = 0; has <= 3; has++)
        for (int32_t needs = 0; needs <= 3; needs++) {
            struct sbx_profile profile = SBX_PROFILE_INIT;
            struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
            profile.isolation = has;
            req.isolation_min = needs;
            profile.durability = has < 3 ? has : 2;
            req.durability_min = needs < 3 ? needs : 2;
            uint64_t due = 0;
            if (has < needs) due |= SBX_REASON_BIT(SBX_REASON_ISOLATION);
            if (profile.durability < req.durability_min) due |= SBX_REASON_BIT(SBX_REASON_DURABILITY);
            T_EQ(reasons_of(p, &profile, "a", &req, 0), due);
        }
    for (int32_t has = 0; has <= 3; has++)
        for (uint32_t accepted = 0; accepted < 16; accepted += 2) {
            struct sbx_profile profile = SBX_PROFILE_INIT;
            struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
            profile.egress = has;
            req.egress = accepted;
            const int fits = accepted == 0 || (accepted & 1u << has);
            T_EQ(reasons_of(p, &profile, "a", &req, 0), fits ? 0 : SBX_REASON_BIT(SBX_REASON_EGRESS));
        }
    pools_free(p);
}

static void regions_preferred_and_required(void) {
    struct pools *p = pools_new();
    for (unsigned all = 0; all < 1u << 7; all++) {
        struct sbx_profile profile = SBX_PROFILE_INIT;
        struct sbx_route_request req = SBX_ROUTE_REQUEST_INIT;
        const char *has[3], *needs[3];
        for (unsigned b = 0; b < 3; b++) {
            if (all & 1u << b) has[profile.region_count++] = words[b];
            if (all & 8u << b) needs[req.region_count++] = words[b];
        }
        profile.regions = has;
        req.regions = needs;
        req.region_required = all & 64u ? SBX_YES : SBX_NO;
        const int fits = !(all & 64u) || (all & 7 & (all >> 3));
        T_EQ(reasons_of(p, &profile, "a", &req, 0), fits ? 0 : SBX_REASON_BIT(SBX_REASON_REGION));
    }
    pools_free(p);
}

T_CASES(T_CASE(every_set_of_lacks_is_told_whole), T_CASE(who_asks_for_nothing_gets_everybody),
        T_CASE(abilities_bit_by_bit), T_CASE(amounts_at_their_edges), T_CASE(classes_one_against_another),
        T_CASE(regions_preferred_and_required))
