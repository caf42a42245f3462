/* What a provider's documented refusals of a launch mean: it made nothing. Row R7. */
#include <sandport/kit/text.h>
#include <sandport/router_classify.h>

#include <string.h>

static const struct {
    int32_t status;
    const char *code;
} refusals[] = {{SBX_QUOTA, "PROVIDER_QUOTA_REFUSED"},
                {SBX_NO_CAPACITY, "PROVIDER_CAPACITY_REFUSED"},
                {SBX_RATE_LIMITED, "PROVIDER_RATE_REFUSED"}};

int sbx_classify_refusals(const char *provider, const struct sbx_launch_failure *failure,
                          struct sbx_classification *out) {
    sbx_copy(out->code, sizeof(out->code), "PROVIDER_LAUNCH_FAILED");
    out->retryable = 0;
    if (strcmp(failure->provider, provider) != 0 || failure->error->outcome != SBX_OUTCOME_REFUSED)
        return 0; /* guard: classify_refused_alone */
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (failure->error->status == refusals[i].status) {
            sbx_copy(out->code, sizeof(out->code), refusals[i].code);
            out->retryable = 1;
        }
    return 0;
}
