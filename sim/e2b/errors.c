/* Refusals of the control plane. */
#include "sim/e2b/cloud.h"
#include "sim/e2b/envd.h"

#include <sandport/kit/text.h>

#include <string.h>

static void errors_write(int status, const char *error_code, const char *message, struct sbx_buf *json) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_int(json, "code", status);
    sbx_json_put_text(json, "message", message, sbx_utf8_valid(message, strlen(message)));
    if (error_code) sbx_json_put_string(json, "error_code", error_code);
    sbx_json_end_object(json);
}

void sim_e2b_refuse(struct sim_e2b_call *call, int status, const char *error_code, const char *fmt, ...) {
    struct sbx_buf json = SBX_BUF_INIT, message = SBX_BUF_INIT;
    va_list args;
    va_start(args, fmt);
    sbx_buf_vprintf(&message, fmt, args);
    va_end(args);
    errors_write(status, error_code, sbx_buf_text(&message), &json);
    sbx_buf_finish(&message);
    sim_http_reply_json(call->x, status, &json);
}

void sim_e2b_broken(struct sim_e2b_call *call) {
    sim_e2b_refuse(call, 500, NULL, "Internal server error");
}

void sim_e2b_refuse_missing(struct sim_e2b_call *call) {
    sim_e2b_refuse(call, 404, NULL, "Sandbox \"%s\" doesn't exist or you don't have access to it", call->id);
}

void sim_e2b_refuse_unknown(struct sim_e2b_call *call, const char *what) {
    sim_http_unsupported(call->x, what, 0);
    sim_e2b_refuse(call, 501, NULL, "%s is not simulated", what);
}

/* What the server would say with a status that a fault asks for and gives no body: its usual words. */
static const char *errors_usual(int status, const char **error_code) {
    if (status == 401) return "Cannot get the team for the given API key";
    if (status == 403) return "team is banned";
    if (status == 404) return "Not found";
    if (status == 409) return "Sandbox is being killed";
    if (status == 429) return "Rate limit exceeded";
    if (status == 500) return "Failed to create sandbox";
    if (status == 502) return "The sandbox was not found";
    if (status == 503) {
        *error_code = "sandbox_capacity_unavailable";
        return "Failed to place sandbox: not enough capacity for the requested resources right now, please retry "
               "shortly";
    }
    if (status == 504) {
        *error_code = "sandbox_placement_timeout";
        return "Failed to place sandbox: placement timed out, please retry";
    }
    return "Error";
}

void sim_e2b_error_body(struct sim_cloud *cloud, struct sim_http *x, int status, struct sbx_buf *json) {
    const char *error_code = NULL, *words = errors_usual(status, &error_code);
    (void)cloud;
    if (sim_e2b_is_rpc(sim_http_path(x)))
        sim_e2b_rpc_error_write(sim_e2b_rpc_code(status), words, json);
    else
        errors_write(status, error_code, words, json);
}
