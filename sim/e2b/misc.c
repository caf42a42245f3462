/* Routes that change nothing of a sandbox's life: reads, the network's rules, templates; and those not simulated. */
#include "sim/e2b/verbs.h"

#include <stdlib.h>
#include <string.h>

static int misc_faulted(struct sim_e2b_call *call) {
    return sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT);
}

void sim_e2b_serve_health(struct sim_e2b_call *call) {
    static const char text[] = "Health check successful";
    if (!misc_faulted(call)) sim_http_reply(call->x, 200, "text/plain; charset=utf-8", text, sizeof(text) - 1);
}

void sim_e2b_serve_get(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (misc_faulted(call)) return;
    if (!sim_e2b_sandbox_visible(call->sb)) {
        sim_e2b_refuse_missing(call);
        return;
    }
    sim_e2b_sandbox_write(call->sb, 1, &json);
    sim_http_secret(call->x, call->sb->token);
    sim_http_reply_json(call->x, 200, &json);
}

/* Nothing is measured: an empty list is one that the real server gives too. */
void sim_e2b_serve_metrics(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (misc_faulted(call)) return;
    if (call->sb) {
        sbx_json_begin_array(&json, NULL);
        sbx_json_end_array(&json);
    } else {
        sbx_json_begin_object(&json, NULL);
        sbx_json_begin_object(&json, "sandboxes");
        sbx_json_end_object(&json);
        sbx_json_end_object(&json);
    }
    sim_http_reply_json(call->x, 200, &json);
}

void sim_e2b_serve_logs(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (misc_faulted(call)) return;
    sbx_json_begin_object(&json, NULL);
    sbx_json_begin_array(&json, "logs");
    sbx_json_end_array(&json);
    if (!(call->route->flags & E2B_V2)) {
        sbx_json_begin_array(&json, "logEntries");
        sbx_json_end_array(&json);
    }
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}

void sim_e2b_serve_network(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf network = SBX_BUF_INIT;
    const struct sbx_json_node *root = sim_e2b_body(call, 1, &js, NULL);
    if (!root || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    if (call->sb->state != E2B_RUNNING) {
        sim_e2b_refuse_missing(call);
        return;
    }
    sbx_json_touch(root);
    sbx_json_write_node(&network, root);
    if (sbx_buf_status(&network)) {
        sbx_buf_finish(&network);
        sim_e2b_broken(call);
        return;
    }
    free(call->sb->network);
    call->sb->network = sbx_buf_take(&network, NULL);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) sim_e2b_reply_empty(call, 204);
}

void sim_e2b_serve_fork(struct sim_e2b_call *call) {
    if (!misc_faulted(call)) sim_e2b_refuse_unknown(call, "fork");
}

void sim_e2b_serve_snapshot(struct sim_e2b_call *call) {
    if (!misc_faulted(call)) sim_e2b_refuse_unknown(call, "snapshots");
}

static void misc_template(const struct sim_e2b_template *it, struct sbx_buf *json) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "templateID", it->id);
    sbx_json_begin_array(json, "aliases");
    sbx_json_put_string(json, NULL, it->name);
    sbx_json_end_array(json);
    sbx_json_begin_array(json, "names");
    sbx_json_put_string(json, NULL, it->name);
    sbx_json_end_array(json);
    sbx_json_put_bool(json, "public", 1);
    sbx_json_end_object(json);
}

void sim_e2b_serve_templates(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    if (misc_faulted(call)) return;
    sbx_json_begin_array(&json, NULL);
    for (const struct sim_e2b_template *it = call->e2b->config.templates; it; it = it->next) misc_template(it, &json);
    sbx_json_end_array(&json);
    sim_http_reply_json(call->x, 200, &json);
}

void sim_e2b_serve_alias(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    const struct sim_e2b_template *found = sim_e2b_template_find(&call->e2b->config, call->id);
    if (misc_faulted(call)) return;
    if (!found) {
        sim_e2b_refuse(call, 404, NULL, "template '%s' not found", call->id);
        return;
    }
    sbx_json_begin_object(&json, NULL);
    sbx_json_put_string(&json, "templateID", found->id);
    sbx_json_put_bool(&json, "public", 1);
    sbx_json_end_object(&json);
    sim_http_reply_json(call->x, 200, &json);
}
