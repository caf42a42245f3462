/* What a launch may ask of E2B, checked before anything is sent. Rows E1, E2, D20, P3. */
#include "adapters/e2b/verbs.h"

#include <sandport/kit/text.h>
#include <string.h>

#define LIFETIME_MS_MAX (INT64_C(365) * 24 * 3600 * 1000)

static enum sbx_status wrong(struct sbx_error *err, enum sbx_status st, const char *field, const char *expected) {
    return sbx_fail(err, st, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
}

/* 0 would not be "no limit" but the provider's own default: it is refused here (F017). */
static enum sbx_status provider_options(const struct sbx_launch_options *opt, struct e2b_launch *out,
                                        struct sbx_error *err) {
    for (size_t i = 0; i < opt->provider_option_count; i++) {
        const struct sbx_pair *pair = &opt->provider_options[i];
        if (strcmp(pair->name, "template") == 0) {
            if (!*pair->value) return wrong(err, SBX_INVALID_OPTIONS, "provider_options.template", "a name or id");
            out->template_id = pair->value;
        } else if (strcmp(pair->name, "sandbox_lifetime_ms") == 0) {
            if (!sbx_text_int(pair->value, 1, LIFETIME_MS_MAX, &out->lifetime_ms))
                return wrong(err, SBX_INVALID_OPTIONS, "provider_options.sandbox_lifetime_ms", "1 or more");
        } else { /* guard: e2b_unknown_provider_option */
            return wrong(err, SBX_INVALID_OPTIONS, "provider_options", "template or sandbox_lifetime_ms");
        }
    }
    return SBX_OK;
}

enum sbx_status e2b_launch_options(const struct e2b *e, const struct sbx_launch_options *opt, struct e2b_launch *out,
                                   struct sbx_error *err) {
    memset(out, 0, sizeof(*out));
    out->opt = opt;
    out->template_id = opt->snapshot ? opt->snapshot : e->template_id;
    out->lifetime_ms = e->sandbox_lifetime_ms;
    if (opt->target) return wrong(err, SBX_UNSUPPORTED, "target", "none, since E2B has no regions");
    enum sbx_status st = sbx_launch_network_check(opt, 0, err);
    return st ? st : provider_options(opt, out, err);
}
