/* A pool: a runtime with what it is declared to be and what it is compared by. Rows R1, R20. */
#include "src/pool/pool.h"
#include "src/pool/launch.h"
#include "src/pool/profile.h"

#include <float.h>
#include <sandport/kit/fail.h>
#include <sandport/kit/options.h>
#include <sandport/kit/text.h>
#include <stdlib.h>

void sbx_pool_options_init(struct sbx_pool_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

static enum sbx_status wrong(struct sbx_error *err, const char *field, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
    return SBX_INVALID_ARGUMENT;
}

static enum sbx_status profile_take(struct sbx_pool *pool, const struct sbx_pool_options *opt, struct sbx_error *err) {
    struct sbx_profile profile = SBX_PROFILE_INIT;
    const uint64_t caps = sbx_runtime_capabilities(opt->runtime);
    profile.capabilities = caps & (SBX_CAP_EXEC | SBX_CAP_FILE_TRANSFER);
    if (sbx_options_take(&profile, sizeof(profile), opt->profile, sizeof(profile)))
        return wrong(err, "profile.size", "sizeof the struct");
    enum sbx_status st = sbx_profile_check(&profile, caps, err);
    if (st) return st;
    pool->lists = sbx_profile_copy(&pool->profile, &profile);
    return pool->lists ? SBX_OK : sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
}

static enum sbx_status signals_take(struct sbx_pool *pool, const struct sbx_pool_options *opt, struct sbx_error *err) {
    const struct sbx_signals placeholders = SBX_SIGNALS_INIT;
    pool->signals = placeholders;
    pool->has_signals = opt->signals != NULL;
    if (sbx_options_take(&pool->signals, sizeof(pool->signals), opt->signals, sizeof(pool->signals)))
        return wrong(err, "signals.size", "sizeof the struct");
    const char *member = sbx_signals_wrong(&pool->signals);
    if (!member) return SBX_OK;
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "signals.%s: expected a finite number of its range",
                   member);
    return SBX_INVALID_ARGUMENT;
}

static enum sbx_status launch_take(struct sbx_pool *pool, const struct sbx_pool_options *opt, struct sbx_error *err) {
    struct sbx_launch_options launch = SBX_LAUNCH_OPTIONS_INIT;
    if (sbx_options_take(&launch, sizeof(launch), opt->launch, sizeof(launch)))
        return wrong(err, "launch.size", "sizeof the struct");
    enum sbx_status st = sbx_pool_launch_check(&launch, err);
    if (st) return st;
    pool->launch_texts = sbx_pool_launch_copy(&pool->launch, &launch);
    return pool->launch_texts ? SBX_OK : sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
}

static enum sbx_status capacity_take(struct sbx_pool *pool, const struct sbx_pool_options *opt, struct sbx_error *err) {
    sbx_capacity_options_init(&pool->limits, sizeof(pool->limits));
    if (sbx_options_take(&pool->limits, sizeof(pool->limits), opt->limits, sizeof(pool->limits)))
        return wrong(err, "limits.size", "sizeof the struct");
    for (int32_t r = 0; r < SBX_RESOURCE_COUNT; r++) {
        const struct sbx_bound *bound = &pool->limits.bound[r];
        if (!(bound->limit >= 0 && bound->limit <= DBL_MAX) || !(bound->required >= 0 && bound->required <= DBL_MAX))
            return wrong(err, "limits.bound", "numbers of 0 or more"); /* NaN is neither */
    }
    pool->has_limits = opt->limits != NULL;
    pool->capacity = opt->capacity;
    pool->capacity_ctx = opt->capacity_ctx;
    pool->classify = opt->classify;
    pool->classify_ctx = opt->classify_ctx;
    return SBX_OK;
}

enum sbx_status sbx_pool_create(const struct sbx_pool_options *from, struct sbx_pool **out, struct sbx_error *err) {
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!from || sbx_options_take(&opt, sizeof(opt), from, sizeof(opt)))
        return wrong(err, from ? "opt.size" : "opt", from ? "sizeof the struct" : "options");
    if (!out) return wrong(err, "out", "one");
    if (!sbx_is_word(opt.id, SBX_POOL_ID_SIZE - 1))
        return wrong(err, "id", "1 to 63 bytes of UTF-8 without control characters");
    if (!opt.runtime) return wrong(err, "runtime", "one");
    if (opt.owns_runtime < SBX_DEFAULT || opt.owns_runtime > SBX_NO)
        return wrong(err, "owns_runtime", "SBX_DEFAULT, SBX_YES or SBX_NO");
    struct sbx_pool *pool = calloc(1, sizeof(*pool));
    if (!pool) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NONE, NULL);
    sbx_copy(pool->id, sizeof(pool->id), opt.id);
    pool->runtime = opt.runtime;
    pool->env = sbx_runtime_env(opt.runtime);
    enum sbx_status st = profile_take(pool, &opt, err);
    if (!st) st = signals_take(pool, &opt, err);
    if (!st) st = launch_take(pool, &opt, err);
    if (!st) st = capacity_take(pool, &opt, err);
    if (st) {
        sbx_pool_free(pool); /* it does not own the runtime yet */
        return st;
    }
    pool->owns_runtime = opt.owns_runtime == SBX_YES;
    *out = pool;
    return SBX_OK;
}

void sbx_pool_free(struct sbx_pool *pool) {
    if (!pool) return;
    if (pool->owns_runtime) sbx_runtime_free(pool->runtime);
    free(pool->lists);
    free(pool->launch_texts);
    free(pool);
}

enum sbx_status sbx_pool_over(struct sbx_runtime **take_runtime, const struct sbx_pool_options *from,
                              struct sbx_pool **out, struct sbx_error *err) {
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_runtime *rt = *take_runtime;
    enum sbx_status st = SBX_INVALID_ARGUMENT;
    *take_runtime = NULL;
    if (err && err->size < sizeof(*err)) err = NULL; /* it says no size that could hold an answer */
    if (!from || sbx_options_take(&opt, sizeof(opt), from, sizeof(opt))) {
        (void)wrong(err, from ? "pool.size" : "pool", from ? "sizeof the struct" : "options");
    } else if (opt.runtime || opt.owns_runtime) {
        (void)wrong(err, "pool.runtime", "none, since it is made here");
    } else {
        opt.runtime = rt;
        opt.owns_runtime = SBX_YES;
        st = sbx_pool_create(&opt, out, err);
    }
    if (st) sbx_runtime_free(rt);
    return st;
}

const char *sbx_pool_id(const struct sbx_pool *pool) {
    return pool ? pool->id : "";
}
struct sbx_runtime *sbx_pool_runtime(const struct sbx_pool *pool) {
    return pool ? pool->runtime : NULL;
}
const struct sbx_profile *sbx_pool_profile(const struct sbx_pool *pool) {
    return pool ? &pool->profile : NULL;
}
const struct sbx_signals *sbx_pool_signals(const struct sbx_pool *pool) {
    return pool ? &pool->signals : NULL;
}
const struct sbx_launch_options *sbx_pool_launch(const struct sbx_pool *pool) {
    return pool ? &pool->launch : NULL;
}
sbx_classify_fn sbx_pool_classifier(const struct sbx_pool *pool, void **ctx) {
    if (ctx) *ctx = pool ? pool->classify_ctx : NULL;
    return pool ? pool->classify : NULL;
}
int sbx_pool_has_signals(const struct sbx_pool *pool) {
    return pool ? pool->has_signals : 0;
}
