/* Credentials of Daytona: an API key implies its organisation; JWTs are nobody's here. */
#include "sim/daytona/auth.h"
#include "sim/daytona/errors.h"

#include <string.h>

struct sim_day_account *sim_day_auth_peek(struct sim_day_call *call) {
    const char *header = sim_http_header(call->x, "Authorization");
    if (!header || strncmp(header, "Bearer ", 7) != 0) return NULL;
    return sim_day_account_by_key(call->day, header + 7);
}

/* The proxy has words of its own. */
static void auth_refuse_toolbox(struct sim_day_call *call) {
    const int coded = call->day->config.dialect == DAY_CODED;
    if (sim_http_header(call->x, "Authorization"))
        sim_day_proxy_refuse(call, coded, 401, NULL, "authentication failed: bearer token is invalid");
    else
        sim_day_proxy_refuse(call, coded, 401, NULL, "missing authentication: provide a bearer token");
}

int sim_day_auth_check(struct sim_day_call *call) {
    const unsigned flags = call->route->flags;
    struct sim_day_account *account = sim_day_auth_peek(call);
    if (!account) {
        if (flags & DAY_TOOLBOX)
            auth_refuse_toolbox(call);
        else
            sim_day_refuse(call, 401, NULL, "Invalid credentials");
        return 1;
    }
    call->account = account;
    if (account->expired) {
        sim_day_refuse(call, 401, "API_KEY_EXPIRED", "This API key has expired");
        return 1;
    }
    if (flags & DAY_TOOLBOX) return 0; /* the throttlers stand before the API, not before the proxy */
    if (sim_day_account_throttled(call)) return 1;
    if ((flags & DAY_WRITE && !account->may_write) || (flags & DAY_ERASE && !account->may_delete)) {
        sim_day_refuse(call, 403, NULL, "Access denied");
        return 1;
    }
    return 0;
}
