/* Daytona's cloud: the maker, and how a request finds its route, its account and its sandbox. Row V1. */
#include "sim/daytona/cloud.h"
#include "sim/daytona/auth.h"
#include "sim/daytona/errors.h"
#include "sim/daytona/misc.h"
#include "sim/daytona/toolbox.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

int64_t sim_day_now(const struct daytona *day) {
    return sim_now(sim_world(day->sim));
}

int64_t sim_day_wall_ms(const struct daytona *day) {
    return sim_wall_ms(sim_world(day->sim));
}

int64_t sim_day_pace_ns(const struct daytona *day, enum sim_day_pace pace) {
    return sim_scale(day->sim, day->config.pace_ms[pace] * SIM_MS);
}

int sim_day_fault(struct sim_day_call *call, enum sim_phase phase) {
    call->day->faulting = call;
    const int dealt = sim_http_fault(call->x, phase);
    if (call->day->faulting == call) call->day->faulting = NULL;
    return dealt;
}

void sim_day_subject(struct sim_day_call *call, const struct sim_day_sandbox *sb) {
    struct sbx_buf labels = SBX_BUF_INIT;
    sim_day_map_text(sb->labels, &labels);
    sim_http_subject(call->x, sb->id, sb->name, sim_day_state_name(sim_day_sandbox_shown(sb)), sbx_buf_text(&labels));
    sbx_buf_finish(&labels);
}

/* A toolbox path takes the id alone. */
static struct sim_day_sandbox *cloud_named(struct sim_day_call *call, const struct sim_day_account *account) {
    const char *name = call->arg[0];
    struct sim_day_sandbox *sb = NULL;
    if (!account || !(call->route->flags & DAY_SANDBOX)) return NULL;
    sb = call->route->flags & DAY_TOOLBOX ? sim_day_sandbox_by_id(call->day, name)
                                          : sim_day_sandbox_find(call->day, account, name);
    return sb && sb->account == account ? sim_day_sandbox_pin(sb) : NULL;
}

static const char *cloud_op(struct sim_day_call *call) {
    const char *follow = call->route->flags & DAY_FOLLOW ? sim_http_query(call->x, "follow", 0) : NULL;
    return follow && strcmp(follow, "true") == 0 ? "daytona.toolbox.session.follow" : call->route->op;
}

/* Who asks and about what is looked up before anything is decided, so that fault rules can match on it. */
static void cloud_serve_route(struct sim_day_call *call) {
    struct sim_day_account *account = sim_day_auth_peek(call);
    sim_http_op(call->x, cloud_op(call));
    call->sb = cloud_named(call, account);
    if (call->sb) sim_day_subject(call, call->sb);
    if (sim_day_fault(call, SIM_PHASE_BEFORE)) return;
    if (!(call->route->flags & DAY_OPEN) && sim_day_auth_check(call)) return;
    if (call->sb && (call->sb->gone || sim_day_state_hidden(call->sb->stored, call->sb->want))) {
        sim_day_sandbox_unpin(call->sb);
        call->sb = NULL;
    }
    if (call->route->flags & DAY_TOOLBOX) {
        sim_day_toolbox_serve(call);
        return;
    }
    if (call->route->flags & DAY_SANDBOX && !call->sb) {
        sim_day_refuse(call, 404, NULL, "Sandbox with ID or name %s not found", call->arg[0]);
        return;
    }
    call->route->serve(call);
}

static void cloud_serve(struct sim_cloud *cloud, struct sim_http *x) {
    struct sim_day_call call = {.day = (struct daytona *)cloud, .x = x};
    if (sim_day_route_find(sim_http_method(x), sim_http_path(x), &call.route, call.arg, &call.arg_count))
        sim_day_broken(&call);
    else if (call.route)
        cloud_serve_route(&call);
    else
        sim_day_serve_elsewhere(&call);
    sim_day_sandbox_unpin(call.sb);
    sim_day_args_free(call.arg);
}

static void cloud_state(struct sim_cloud *cloud, struct sbx_buf *json) {
    struct daytona *day = (struct daytona *)cloud;
    sbx_json_begin_array(json, "sandboxes");
    for (const struct sim_day_sandbox *sb = day->first; sb; sb = sb->next) {
        if (sb->gone) continue;
        sbx_json_begin_object(json, NULL);
        sbx_json_put_string(json, "id", sb->id);
        sbx_json_put_string(json, "name", sb->name);
        sbx_json_put_string(json, "account", sb->account->name);
        sbx_json_put_string(json, "state", sim_day_state_name(sim_day_sandbox_shown(sb)));
        sbx_json_put_string(json, "stored", sim_day_state_name(sb->stored));
        sbx_json_put_string(json, "wanted", sim_day_want_name(sb->want));
        sbx_json_put_bool(json, "toolbox_dead", sim_day_sandbox_toolbox_dead(sb));
        sim_day_map_write(sb->labels, json, "labels");
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
    const struct daytona *day = (struct daytona *)cloud;
    struct sbx_buf url = SBX_BUF_INIT;
    sbx_buf_printf(&url, "%s/api", cloud->base_url);
    sbx_json_put_string(json, "api_url", sbx_buf_text(&url));
    if (day->accounts) sbx_json_put_string(json, "api_key", day->accounts->api_key);
    sbx_json_begin_array(json, "accounts");
    for (const struct sim_day_account *a = day->accounts; a; a = a->next) {
        sbx_json_begin_object(json, NULL);
        sbx_json_put_string(json, "name", a->name);
        sbx_json_put_string(json, "api_key", a->api_key);
        sbx_json_end_object(json);
    }
    sbx_json_end_array(json);
    sbx_buf_finish(&url);
}

static void cloud_reset(struct sim_cloud *cloud) {
    struct daytona *day = (struct daytona *)cloud;
    for (struct sim_day_sandbox *sb = day->first; sb; sb = sb->next)
        if (!sb->gone) sim_day_sandbox_end(sb);
    sim_day_sandboxes_purge(day, 1);
    for (struct sim_day_account *a = day->accounts; a; a = a->next)
        for (int kind = 0; kind < DAY_METER_COUNT; kind++) a->meter[kind].used = 0;
}

static void cloud_free(struct sim_cloud *cloud) {
    struct daytona *day = (struct daytona *)cloud;
    if (!day) return;
    sim_day_sandboxes_purge(day, 1);
    sim_day_accounts_free(day->accounts);
    sim_day_config_finish(&day->config);
    sim_shelf_release(day->shelf);
    free(day);
}

struct sim_cloud *sim_daytona_new(struct sim *sim) {
    struct daytona *day = calloc(1, sizeof(*day));
    if (!day) return NULL;
    day->sim = sim;
    day->cloud.provider = "daytona";
    day->cloud.ops = sim_day_ops;
    day->cloud.serve = cloud_serve;
    day->cloud.effect = sim_day_effect;
    day->cloud.knows_effect = sim_day_knows_effect;
    day->cloud.error_body = sim_day_error_body;
    day->cloud.api_prefix = "/api";
    day->cloud.state = cloud_state;
    day->cloud.describe = cloud_describe;
    day->cloud.configure = sim_day_config_read;
    day->cloud.reset = cloud_reset;
    day->cloud.free = cloud_free;
    (void)sbx_copy(day->cloud.base_url, sizeof(day->cloud.base_url), "http://daytona.sim");
    sim_draw_uuid(sim_world(sim), "daytona.runner", day->runner_id);
    if (sim_day_config_init(day)) {
        cloud_free(&day->cloud);
        return NULL;
    }
    return &day->cloud;
}
