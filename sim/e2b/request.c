/* What requests of the control plane have in common: their bodies, and lifetimes in them. */
#include "sim/e2b/verbs.h"

#define REQUEST_HOUR_S 3600

static void request_refuse(struct sim_e2b_call *call, const char *why) {
    sim_e2b_refuse(call, 400, NULL,
                   "validation error: error in openapi3filter.RequestError: request body has an error: %s", why);
}

static const struct sbx_json_node *request_object(struct sim_e2b_call *call, enum sbx_status st, struct sbx_json *js) {
    const struct sbx_json_node *root = st ? NULL : sbx_json_root(js);
    if (st == SBX_NO_MEMORY)
        sim_e2b_broken(call);
    else if (st)
        request_refuse(call, js ? sbx_json_error(js) : "failed to decode request body");
    else if (sbx_json_type(root) != SBX_JSON_OBJECT)
        request_refuse(call, "doesn't match schema: value must be an object");
    else
        return root;
    return NULL;
}

const struct sbx_json_node *sim_e2b_body(struct sim_e2b_call *call, int needed, struct sbx_json **js, int *empty) {
    const char *data = NULL;
    size_t len = 0;
    enum sbx_status st = sim_http_body(call->x, E2B_BODY_MAX, &data, &len);
    if (empty) *empty = 0;
    if (st == SBX_CONNECTION_LOST) {
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
    } else if (st == SBX_TOO_LARGE) {
        sim_e2b_refuse(call, 413, NULL, "http: request body too large");
    } else if (st) {
        sim_e2b_broken(call);
    } else if (!len && !needed && empty) {
        *empty = 1;
    } else if (!len) {
        request_refuse(call, "value is required but missing");
    } else {
        st = sim_http_json(call->x, E2B_BODY_MAX, js);
        return request_object(call, st, *js);
    }
    return NULL;
}

int sim_e2b_body_refused(struct sim_e2b_call *call, const struct sbx_json *js) {
    if (!js || sbx_json_status(js) == SBX_OK) return 0;
    request_refuse(call, sbx_json_error(js));
    return 1;
}

int64_t sim_e2b_lifetime(struct sim_e2b_call *call, struct sbx_json *js, const struct sbx_json_node *root,
                         int64_t otherwise, int64_t least) {
    const struct sim_e2b_config *config = &call->e2b->config;
    const int64_t max_s = call->account->max_s;
    int64_t value = root ? sbx_json_opt_int(js, root, "timeout", otherwise) : otherwise;
    if (js && sim_e2b_body_refused(call, js)) return -1;
    if (value == 0 && config->zero_is_default) value = 300;
    if (value < least) {
        if (call->route->flags & E2B_V2 || value < 0)
            request_refuse(call, "doesn't match schema: number must be at least 1 (timeout)");
        else
            sim_e2b_refuse(call, 400, NULL, "Timeout must be greater than 0");
        return -1;
    }
    if (value > max_s && config->over_max_clamps) value = max_s;
    if (value <= max_s) return value;
    sim_e2b_refuse(call, 400, NULL, "Timeout cannot be greater than %lld hours", (long long)(max_s / REQUEST_HOUR_S));
    return -1;
}

void sim_e2b_reply_empty(struct sim_e2b_call *call, int status) {
    sim_http_reply(call->x, status, NULL, NULL, 0);
}
