/* Pools: what makes one, what it copies, what is refused. Rows R1, R20. */
#include "fake.h"

#include <math.h>
#include <sandport/kit/pool.h>
#include <sandport/sim.h>
#include <stdlib.h>

struct rig {
    struct sbx_sim *sim;
    struct fake account;
    struct sbx_pool_options opt;
    struct sbx_profile profile;
    struct sbx_signals signals;
    struct sbx_pool *pool;
    struct sbx_error err;
};

static struct rig *rig_new(void) {
    struct rig *r = calloc(1, sizeof(*r));
    T_TRUE(r != NULL);
    T_STATUS(sbx_sim_create(NULL, &r->sim, NULL, 0), SBX_OK);
    sbx_error_init(&r->err, sizeof(r->err));
    sbx_pool_options_init(&r->opt, sizeof(r->opt));
    sbx_profile_init(&r->profile, sizeof(r->profile));
    sbx_signals_init(&r->signals, sizeof(r->signals));
    fake_runtime(&r->account, sbx_sim_env(r->sim), &r->opt.runtime);
    r->opt.id = "eu-1";
    return r;
}

static void rig_free(struct rig *r) {
    sbx_pool_free(r->pool);
    if (r->opt.owns_runtime != SBX_YES || !r->pool) sbx_runtime_free(r->opt.runtime);
    sbx_sim_free(r->sim);
    free(r);
}

static void nothing_is_claimed_by_default(void) {
    struct rig *r = rig_new();
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_OK);
    const struct sbx_profile *p = sbx_pool_profile(r->pool);
    const struct sbx_profile nothing = {.size = sizeof(nothing), .capabilities = SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER};
    T_MEM(p, sizeof(*p), &nothing, sizeof(nothing));
    T_EQ(sbx_pool_has_signals(r->pool), 0);
    T_STR(sbx_pool_id(r->pool), "eu-1");
    T_TRUE(sbx_pool_runtime(r->pool) == r->opt.runtime);
    T_EQ(r->account.launched, 0);
    rig_free(r);
}

static void lists_are_copied(void) {
    struct rig *r = rig_new();
    char region[] = "eu-west", binary[] = "node", image[] = "agent-v4";
    const char *regions[] = {region, "us-east"}, *binaries[] = {binary};
    r->profile.regions = regions;
    r->profile.region_count = 2;
    r->profile.binaries = binaries;
    r->profile.binary_count = 1;
    r->profile.image = image;
    r->opt.profile = &r->profile;
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_OK);
    region[0] = binary[0] = image[0] = '?';
    regions[1] = NULL;
    T_STR(sbx_pool_profile(r->pool)->regions[0], "eu-west");
    T_STR(sbx_pool_profile(r->pool)->regions[1], "us-east");
    T_STR(sbx_pool_profile(r->pool)->binaries[0], "node");
    T_STR(sbx_pool_profile(r->pool)->image, "agent-v4");
    T_TRUE(sbx_pool_profile(r->pool)->restrictions == NULL);
    rig_free(r);
}

static void a_runtime_is_lent_or_given(void) {
    struct rig *r = rig_new();
    r->opt.owns_runtime = SBX_YES;
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_OK); /* freed once: the sanitizer sees */
    rig_free(r);
}

static void refused(struct rig *r, const char *detail) {
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(r->err.detail, detail);
    T_TRUE(r->pool == NULL);
}

static void bad_ids(void) {
    struct rig *r = rig_new();
    char longest[SBX_POOL_ID_SIZE + 1];
    const char *bad[] = {NULL, "", "a\tb", "a\nb", "\x7f", "\xff", longest};
    memset(longest, 'x', sizeof(longest));
    longest[SBX_POOL_ID_SIZE] = 0;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        r->opt.id = bad[i];
        refused(r, "id: expected");
    }
    longest[SBX_POOL_ID_SIZE - 1] = 0;
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_OK);
    rig_free(r);
}

static void bad_signals(void) {
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1, -1e-300};
    struct rig *r = rig_new();
    r->opt.signals = &r->signals;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct sbx_signals good = SBX_SIGNALS_INIT;
        r->signals = good;
        r->signals.cost = bad[i];
        refused(r, "signals.cost");
        r->signals = good;
        r->signals.cold_start_ms = bad[i];
        refused(r, "signals.cold_start_ms");
        r->signals = good;
        r->signals.ready_ms = bad[i];
        refused(r, "signals.ready_ms");
        r->signals = good;
        r->signals.completion_rate = bad[i];
        refused(r, "signals.completion_rate");
        r->signals = good;
    }
    r->signals.completion_rate = 1.0000001;
    refused(r, "signals.completion_rate");
    r->signals.completion_rate = 0.5;
    r->signals.unavailable = 3;
    refused(r, "signals.unavailable");
    rig_free(r);
}

static void bad_profiles(void) {
    struct rig *r = rig_new();
    const char *words[] = {"good", "b\1d"};
    const struct sbx_profile good = r->profile;
    r->opt.profile = &r->profile;
#define REFUSED(member, value)                                                                                         \
    do {                                                                                                               \
        r->profile = good;                                                                                             \
        r->profile.member = (value);                                                                                   \
        refused(r, "profile." #member);                                                                                \
    } while (0)
    REFUSED(cpu, (double)NAN);
    REFUSED(cpu, (double)INFINITY);
    REFUSED(cpu, -1);
    REFUSED(cpu, 1e7);
    REFUSED(memory_mib, -1);
    REFUSED(disk_mib, INT64_MIN);
    REFUSED(gpu_count, -1);
    REFUSED(isolation, 4);
    REFUSED(isolation, -1);
    REFUSED(durability, 3);
    REFUSED(egress, 4);
    REFUSED(timeout_semantics, 8);
    REFUSED(timeout_granularity_ms, -1);
    REFUSED(lifetime_ms_max, -1);
    REFUSED(command_ms_max, -1);
    REFUSED(image, "");
    REFUSED(gpu_type, "\n");
#undef REFUSED
    r->profile = good;
    r->profile.binaries = words;
    r->profile.binary_count = 2;
    refused(r, "profile.binaries");
    r->profile.binary_count = SBX_LIST_COUNT_MAX + 1;
    refused(r, "profile.binaries");
    r->profile.binary_count = 1;
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_OK);
    rig_free(r);
}

static void bad_arguments(void) {
    struct rig *r = rig_new();
    struct sbx_runtime *rt = r->opt.runtime;
    T_STATUS(sbx_pool_create(NULL, &r->pool, &r->err), SBX_INVALID_ARGUMENT);
    T_STATUS(sbx_pool_create(&r->opt, NULL, &r->err), SBX_INVALID_ARGUMENT);
    r->opt.runtime = NULL;
    refused(r, "runtime: expected one");
    r->opt.runtime = rt;
    r->opt.owns_runtime = 3;
    refused(r, "owns_runtime");
    r->opt.owns_runtime = 0;
    r->opt.size--;
    refused(r, "opt.size");
    sbx_pool_free(NULL);
    rig_free(r);
}

static void every_bit_has_a_name_or_none(void) {
    T_STR(sbx_feature_name(SBX_FEATURE_TAILNET), "TAILNET");
    T_STR(sbx_feature_name(SBX_CAP_EXEC), "EXEC");
    T_TRUE(sbx_feature_name(UINT64_C(1) << 63) == NULL);
    T_TRUE(sbx_features_known(SBX_FEATURE_TAILNET | SBX_CAP_PTY));
    T_TRUE(!sbx_features_known(UINT64_C(1) << 63));
    T_STR(sbx_egress_name(SBX_EGRESS_ALLOW_LIST), "ALLOW_LIST");
    T_STR(sbx_egress_name(9), "?");
}

static void must_fire_profile_within_runtime__sessions(void) {
    struct rig *r = rig_new();
    r->opt.profile = &r->profile;
    r->profile.capabilities = SBX_CAP_EXEC | SBX_CAP_SESSIONS;
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_INVALID_ARGUMENT);
    T_STR(r->err.detail, "profile.capabilities: SESSIONS, which the runtime does not declare");
    rig_free(r);
}

static void must_not_fire_profile_within_runtime__detached(void) {
    struct rig *r = rig_new();
    r->opt.profile = &r->profile;
    r->profile.capabilities = SBX_CAP_EXEC | SBX_CAP_DETACHED_LAUNCH;
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), SBX_OK);
    rig_free(r);
}

static void cost_is(double cost, enum sbx_status due) {
    struct rig *r = rig_new();
    r->signals.cost = cost;
    r->opt.signals = &r->signals;
    T_STATUS(sbx_pool_create(&r->opt, &r->pool, &r->err), due);
    rig_free(r);
}

static void must_fire_signals_are_numbers__nan(void) {
    cost_is((double)NAN, SBX_INVALID_ARGUMENT);
}

static void must_not_fire_signals_are_numbers__zero(void) {
    cost_is(0, SBX_OK);
}

T_CASES(T_CASE(nothing_is_claimed_by_default), T_CASE(lists_are_copied), T_CASE(a_runtime_is_lent_or_given),
        T_CASE(bad_ids), T_CASE(bad_signals), T_CASE(bad_profiles), T_CASE(bad_arguments),
        T_CASE(every_bit_has_a_name_or_none), T_CASE(must_fire_profile_within_runtime__sessions),
        T_CASE(must_not_fire_profile_within_runtime__detached), T_CASE(must_fire_signals_are_numbers__nan),
        T_CASE(must_not_fire_signals_are_numbers__zero))
