/* E2B's cloud: the maker, and how a request finds its plane, its route, its account and its sandbox. Row V1. */
#include "sim/e2b/cloud.h"
#include "sim/e2b/envd.h"
#include "sim/e2b/idempotency.h"
#include "sim/e2b/process.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

int64_t sim_e2b_now(const struct sim_e2b *e2b) {
    return sim_now(sim_world(e2b->sim));
}

int64_t sim_e2b_pace_ns(const struct sim_e2b *e2b, int64_t ms) {
    return sim_scale(e2b->sim, ms * SIM_MS);
}

int sim_e2b_fault(struct sim_e2b_call *call, enum sim_phase phase) {
    call->e2b->faulting = call;
    const int dealt = sim_http_fault(call->x, phase);
    if (call->e2b->faulting == call) call->e2b->faulting = NULL;
    return dealt;
}

void sim_e2b_subject(struct sim_e2b_call *call, const struct sim_e2b_sandbox *sb) {
    struct sbx_buf labels = SBX_BUF_INIT;
    sim_e2b_map_text(sb->metadata, &labels);
    sim_http_subject(call->x, sb->id, NULL, sim_e2b_state_name(sb->state), sbx_buf_text(&labels));
    sbx_buf_finish(&labels);
}

/* "<id>" or the legacy "<id>-<client>". @return 1 if it is neither, and that answered */
static int cloud_id_refused(struct sim_e2b_call *call) {
    char *client = strchr(call->id, '-');
    const size_t len = client ? (size_t)(client - call->id) : strlen(call->id);
    if (len == 0 || strspn(call->id, "abcdefghijklmnopqrstuvwxyz0123456789") != len ||
        (client && strchr(client + 1, '-'))) {
        sim_e2b_refuse(call, 400, NULL, "Invalid sandbox ID");
        return 1;
    }
    call->id[len] = 0;
    return 0;
}

static struct sim_e2b_sandbox *cloud_named(const struct sim_e2b_call *call, const struct sim_e2b_account *account) {
    char id[E2B_ID_SIZE] = "";
    const size_t len = strcspn(call->id, "-");
    if (len >= sizeof(id)) return NULL;
    memcpy(id, call->id, len);
    struct sim_e2b_sandbox *sb = account ? sim_e2b_sandbox_find(call->e2b, id) : NULL;
    return sb && sb->account == account && sb->state != E2B_STARTING ? sim_e2b_sandbox_pin(sb) : NULL;
}

/* Gone in the meantime, or being killed, which a DELETE and a connect may still find. */
static int cloud_sandbox_missing(const struct sim_e2b_call *call) {
    const struct sim_e2b_sandbox *sb = call->sb;
    if (!sb || sb->state == E2B_GONE) return 1;
    return sb->state == E2B_KILLING && strcmp(call->route->method, "GET") == 0;
}

static void cloud_serve_route(struct sim_e2b_call *call) {
    sim_http_op(call->x, call->route->op);
    if (call->route->flags & E2B_SANDBOX) call->sb = cloud_named(call, sim_e2b_auth_peek(call));
    if (call->sb) sim_e2b_subject(call, call->sb);
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE)) return;
    if (!(call->route->flags & E2B_OPEN) && sim_e2b_auth_check(call)) return;
    if (call->route->flags & E2B_SANDBOX) {
        if (cloud_id_refused(call)) return;
        if (cloud_sandbox_missing(call)) {
            sim_e2b_refuse_missing(call);
            return;
        }
    }
    call->route->serve(call);
}

static void cloud_serve(struct sim_cloud *cloud, struct sim_http *x) {
    struct sim_e2b_call call = {.e2b = (struct sim_e2b *)cloud, .x = x};
    sim_e2b_sandboxes_purge(call.e2b, 0);
    if (sim_e2b_envd_is_meant(x)) {
        sim_e2b_envd_serve(&call);
    } else if (sim_e2b_route_find(sim_http_method(x), sim_http_path(x), &call.route, &call.id)) {
        sim_e2b_broken(&call);
    } else if (call.route) {
        cloud_serve_route(&call);
    } else {
        sim_http_unsupported(x, sim_http_path(x), 0);
        sim_e2b_refuse(&call, 404, NULL,
                       "validation error: error in openapi3filter.RequestError: no matching operation "
                       "was found");
    }
    sim_e2b_sandbox_unpin(call.sb);
    free(call.id);
}

static void cloud_state(struct sim_cloud *cloud, struct sbx_buf *json) {
    struct sim_e2b *e2b = (struct sim_e2b *)cloud;
    sbx_json_begin_array(json, "sandboxes");
    for (const struct sim_e2b_sandbox *sb = e2b->first; sb; sb = sb->next) {
        if (sb->state == E2B_GONE) continue;
        sbx_json_begin_object(json, NULL);
        sbx_json_put_string(json, "id", sb->id);
        sbx_json_put_string(json, "account", sb->account->name);
        sbx_json_put_string(json, "state", sim_e2b_state_name(sb->state));
        sbx_json_put_int(json, "end_ms", sb->end_ns / SIM_MS);
        sim_e2b_map_write(sb->metadata, json, "metadata");
        sbx_json_put_int(json, "processes", sim_e2b_process_count(sb));
        if (sb->machine) {
            sbx_json_begin_object(json, "machine");
            sim_machine_state(sb->machine, json);
            sbx_json_end_object(json);
        }
        sbx_json_end_object(json);
    }
    sbx_json_end_array(json);
}

static void cloud_describe(struct sim_cloud *cloud, struct sbx_buf *json) {
    const struct sim_e2b *e2b = (struct sim_e2b *)cloud;
    sbx_json_put_string(json, "api_url", cloud->base_url);
    sbx_json_put_string(json, "sandbox_url", cloud->base_url);
    if (e2b->accounts) sbx_json_put_string(json, "api_key", e2b->accounts->api_key);
    sbx_json_begin_array(json, "accounts");
    for (const struct sim_e2b_account *a = e2b->accounts; a; a = a->next) {
        sbx_json_begin_object(json, NULL);
        sbx_json_put_string(json, "name", a->name);
        sbx_json_put_string(json, "api_key", a->api_key);
        sbx_json_end_object(json);
    }
    sbx_json_end_array(json);
}

static void cloud_reset(struct sim_cloud *cloud) {
    struct sim_e2b *e2b = (struct sim_e2b *)cloud;
    for (struct sim_e2b_sandbox *sb = e2b->first; sb; sb = sb->next) sim_e2b_sandbox_end(sb, "reset");
    sim_e2b_sandboxes_purge(e2b, 1);
    sim_e2b_idempotency_forget(e2b);
    for (struct sim_e2b_account *a = e2b->accounts; a; a = a->next)
        for (int kind = 0; kind < E2B_METER_COUNT; kind++) a->meter[kind].used = 0;
}

static void cloud_free(struct sim_cloud *cloud) {
    struct sim_e2b *e2b = (struct sim_e2b *)cloud;
    if (!e2b) return;
    sim_e2b_sandboxes_purge(e2b, 1);
    sim_e2b_idempotency_forget(e2b);
    sim_e2b_accounts_free(e2b->accounts);
    sim_e2b_config_finish(&e2b->config);
    sim_shelf_release(e2b->shelf);
    free(e2b);
}

struct sim_cloud *sim_e2b_new(struct sim *sim) {
    struct sim_e2b *e2b = calloc(1, sizeof(*e2b));
    if (!e2b) return NULL;
    e2b->sim = sim;
    e2b->cloud.provider = "e2b";
    e2b->cloud.ops = sim_e2b_ops;
    e2b->cloud.serve = cloud_serve;
    e2b->cloud.effect = sim_e2b_effect;
    e2b->cloud.knows_effect = sim_e2b_knows_effect;
    e2b->cloud.error_body = sim_e2b_error_body;
    e2b->cloud.owns_hosts = 1;
    e2b->cloud.state = cloud_state;
    e2b->cloud.describe = cloud_describe;
    e2b->cloud.configure = sim_e2b_config_read;
    e2b->cloud.reset = cloud_reset;
    e2b->cloud.free = cloud_free;
    (void)sbx_copy(e2b->cloud.base_url, sizeof(e2b->cloud.base_url), SBX_SIM_E2B_ENDPOINT);
    if (sim_e2b_config_init(e2b) == SBX_OK) return &e2b->cloud;
    cloud_free(&e2b->cloud);
    return NULL;
}
