/* What is left of a launch, deleted. One "not found" proves nothing. Rows P10, R11, R22. */
#include "src/router/leftover.h"

#define TWICE_MS 2000

enum sbx_status sbx_leftover_delete(struct sbx_env *env, struct sbx_runtime *rt, const char *sandbox_id,
                                    const struct sbx_call *call, struct sbx_error *err) {
    struct sbx_sandbox *sb = NULL;
    enum sbx_status st = sbx_runtime_attach(rt, sandbox_id, call, &sb, err);
    if (st == SBX_NOT_FOUND) { /* guard: router_gone_twice */
        st = env->sleep_until(env, env->now_ms(env) + TWICE_MS, sbx_cancel_event(call->cancel));
        if (!st) st = sbx_runtime_attach(rt, sandbox_id, call, &sb, err);
        if (st == SBX_NOT_FOUND) return SBX_OK;
    }
    if (st) return st;
    sbx_sandbox_adopt(sb);
    st = sbx_sandbox_destroy(sb, call, err);
    sbx_sandbox_free(sb);
    return st;
}

enum sbx_status sbx_leftover_delete_all(struct sbx_env *env, struct sbx_runtime *rt, const struct sbx_list *found,
                                        const struct sbx_call *call, struct sbx_error *err) {
    enum sbx_status first = SBX_OK;
    for (size_t i = 0; i < sbx_list_count(found); i++) {
        const enum sbx_status st = sbx_leftover_delete(env, rt, sbx_info_id(sbx_list_at(found, i)), call, err);
        if (!first) first = st;
    }
    return first;
}
