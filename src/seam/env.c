/* What holds for every env: names of evidence, and freeing. */
#include <sandport/kit/env.h>

void sbx_env_free(struct sbx_env *env) {
    if (env && env->free) env->free(env);
}

const char *sbx_evidence_name(int32_t evidence) {
    static const char *const names[] = {"done",      "resolve",  "connect",  "tls",       "sent_no_answer", "partial",
                                        "too_large", "protocol", "deadline", "cancelled", "memory"};
    return evidence >= 0 && evidence <= SBX_EVIDENCE_MEMORY ? names[evidence] : "?";
}
