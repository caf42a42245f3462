/* Which variables the clouds' official SDKs read, and what they shall find there. */
#include "sim/serve/serve.h"

#include <string.h>

struct variable {
    const char *provider; /* NULL = a member of the ready line itself */
    const char *member;
    const char *name;
};

static const struct variable variables[] = {
    {NULL, "admin", "SANDPORT_SIM_ADMIN"},     {"daytona", "api_url", "DAYTONA_API_URL"},
    {"daytona", "api_key", "DAYTONA_API_KEY"}, {"e2b", "api_url", "E2B_API_URL"},
    {"e2b", "sandbox_url", "E2B_SANDBOX_URL"}, {"e2b", "api_key", "E2B_API_KEY"},
};

int serve_variables(const char *ready, size_t len, void (*each)(void *ctx, const char *name, const char *value),
                    void *ctx) {
    struct sbx_json *js = NULL;
    int ok = sbx_json_parse(ready, len, 0, &js) == SBX_OK;
    const struct sbx_json_node *root = ok ? sbx_json_root(js) : NULL;
    const struct sbx_json_node *providers = ok ? sbx_json_object(js, root, "providers") : NULL;
    for (size_t i = 0; ok && i < sizeof(variables) / sizeof(variables[0]); i++) {
        const struct sbx_json_node *from =
            variables[i].provider ? sbx_json_opt_object(js, providers, variables[i].provider) : root;
        const char *value = sbx_json_opt_string(js, from, variables[i].member, NULL);
        if (value) each(ctx, variables[i].name, value);
    }
    ok = ok && sbx_json_status(js) == SBX_OK;
    sbx_json_free(js);
    return ok;
}
