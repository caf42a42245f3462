/* One E2B account as a pool, and what its refusals of a create mean. Rows R7, R20. */
#include <sandport/e2b.h>
#include <sandport/kit/pool.h>

enum sbx_status sbx_e2b_pool(const struct sbx_e2b_options *account, const struct sbx_pool_options *pool,
                             struct sbx_env *env, struct sbx_pool **out, struct sbx_error *err) {
    struct sbx_runtime *rt = NULL;
    enum sbx_status st = sbx_e2b_create(account, env, &rt, err);
    return st ? st : sbx_pool_over(&rt, pool, out, err);
}

int sbx_e2b_classify(void *ctx, const struct sbx_launch_failure *failure, struct sbx_classification *out) {
    (void)ctx;
    return sbx_classify_refusals("e2b", failure, out);
}
