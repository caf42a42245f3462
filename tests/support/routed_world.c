/* A router over simulated clouds, and the search for credentials in all that it leaves. */
#include "routed_world.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <stdlib.h>

static void write_down(void *ctx, const struct sbx_router_event *e) {
    struct routed_world *w = ctx;
    sbx_buf_printf(&w->told, "%s %s %s %s %s %s %s %s %llx %d %d %d\n", sbx_router_event_name(e->kind), e->pool_id,
                   e->provider, e->request, e->acquisition, e->locator, e->sandbox_id, e->code,
                   (unsigned long long)e->reasons, (int)e->status, (int)e->outcome, (int)e->done);
}

static void write_debug(void *ctx, const char *operation, int32_t http_status, const char *text, size_t len) {
    struct routed_world *w = ctx;
    sbx_buf_printf(&w->told, "debug %s %d ", operation, (int)http_status);
    sbx_buf_append(&w->told, text, len);
    sbx_buf_char(&w->told, '\n');
}

/* @param w sees what the adapter shows a debugger; may be NULL */
static struct sbx_pool *daytona_pool(struct routed_world *w, struct sbx_env *env, const char *id, const char *key,
                                     int room, int classify) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_daytona_options account = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    account.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    account.api_key = key;
    if (w) account.debug = write_debug;
    account.debug_ctx = w;
    limits.bound[SBX_RESOURCE_CPU].limit = room; /* a sandbox of the default snapshot has one core */
    limits.bound[SBX_RESOURCE_CPU].required = 1;
    opt.id = id;
    opt.limits = &limits;
    if (classify) opt.classify = sbx_daytona_classify;
    if (sbx_daytona_pool(&account, &opt, env, &pool, &err)) T_FAIL("no pool: %s", err.detail);
    return pool;
}

static struct sbx_pool *e2b_pool(struct routed_world *w, struct sbx_env *env, const char *key, int room, int classify) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_e2b_options account = SBX_E2B_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    account.endpoint = SBX_SIM_E2B_ENDPOINT;
    account.sandbox_url = SBX_SIM_E2B_SANDBOX_URL;
    account.api_key = key;
    if (w) account.debug = write_debug;
    account.debug_ctx = w;
    limits.bound[SBX_RESOURCE_SANDBOXES].limit = room;
    opt.id = "e2b";
    opt.limits = &limits;
    if (classify) opt.classify = sbx_e2b_classify;
    if (sbx_e2b_pool(&account, &opt, env, &pool, &err)) T_FAIL("no pool: %s", err.detail);
    return pool;
}

static void scenario_daytona(struct sbx_buf *json, const char *name, const char *key, int room) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "name", name);
    sbx_json_put_string(json, "api_key", key);
    sbx_json_begin_object(json, "quota");
    sbx_json_put_int(json, "cpu", room);
    sbx_json_end_object(json);
    sbx_json_end_object(json);
}

static const char *key_of(const struct routed_setup *setup, int which) {
    static const char *const usual[3] = {KEY_1, KEY_2, KEY_E2B};
    return setup->key[which] ? setup->key[which] : usual[which];
}

static void scenario_write(struct sbx_buf *json, const struct routed_setup *setup) {
    sbx_json_begin_object(json, NULL);
    sbx_json_begin_object(json, "daytona");
    sbx_json_begin_array(json, "accounts");
    scenario_daytona(json, "first", key_of(setup, 0), setup->room[0]);
    scenario_daytona(json, "second", key_of(setup, 1), setup->room[1]);
    sbx_json_end_array(json);
    sbx_json_end_object(json);
    sbx_json_begin_object(json, "e2b");
    sbx_json_begin_array(json, "accounts");
    sbx_json_begin_object(json, NULL);
    sbx_json_put_string(json, "name", "team");
    sbx_json_put_string(json, "api_key", key_of(setup, 2));
    sbx_json_put_int(json, "concurrency", setup->room[2]);
    sbx_json_end_object(json);
    sbx_json_end_array(json);
    sbx_json_end_object(json);
    sbx_json_end_object(json);
}

static struct sbx_sim *sim_of(const struct routed_setup *setup) {
    struct sbx_sim_options opt = SBX_SIM_OPTIONS_INIT;
    struct sbx_buf scenario = SBX_BUF_INIT;
    struct sbx_sim *sim = NULL;
    char why[256] = "";
    scenario_write(&scenario, setup);
    opt.seed = 7;
    opt.scenario = sbx_buf_text(&scenario);
    opt.scenario_len = scenario.len;
    if (sbx_sim_create(&opt, &sim, why, sizeof(why))) T_FAIL("no simulation: %s", why);
    sbx_buf_finish(&scenario);
    return sim;
}

static struct sbx_registry *registry_of(struct routed_world *w, struct sbx_env *env, const struct routed_setup *setup) {
    struct sbx_registry *registry = NULL;
    struct sbx_pool *const pools[] = {daytona_pool(w, env, "day-2", key_of(setup, 1), setup->room[1], setup->classify),
                                      daytona_pool(w, env, "day-1", key_of(setup, 0), setup->room[0], setup->classify),
                                      e2b_pool(w, env, key_of(setup, 2), setup->room[2], setup->classify)};
    T_STATUS(sbx_registry_memory_create(pools, 3, &registry, NULL), SBX_OK);
    return registry;
}

struct sbx_sim *routed_sim(int room_1, int room_2, int room_e2b) {
    const struct routed_setup setup = {.room = {room_1, room_2, room_e2b}};
    return sim_of(&setup);
}

struct sbx_registry *routed_registry(struct sbx_env *env, int room_1, int room_2, int room_e2b, int classify) {
    const struct routed_setup setup = {.room = {room_1, room_2, room_e2b}, .classify = classify};
    return registry_of(NULL, env, &setup);
}

struct routed_world *routed_world_make(const struct routed_setup *setup) {
    struct routed_world *w = calloc(1, sizeof(*w));
    T_TRUE(w != NULL);
    for (int i = 0; i < 3; i++) canary_init(&w->canary[i], key_of(setup, i));
    w->sim = sim_of(setup);
    w->env = sbx_sim_env(w->sim);
    if (setup->around) w->env = setup->around(w->env);
    sbx_error_init(&w->err, sizeof(w->err));
    w->registry = registry_of(w, w->env, setup);
    T_STATUS(sbx_store_memory_create(w->env, &w->store, &w->err), SBX_OK);
    sbx_route_request_init(&w->req, sizeof(w->req));
    sbx_provision_options_init(&w->how, sizeof(w->how));
    sbx_router_options_init(&w->opt, sizeof(w->opt));
    w->opt.registry = w->registry;
    w->opt.store = w->store;
    w->opt.observer = write_down;
    w->opt.observer_ctx = w;
    return w;
}

struct routed_world *routed_world_new(int room_1, int room_2, int room_e2b, int classify) {
    const struct routed_setup setup = {.room = {room_1, room_2, room_e2b}, .classify = classify};
    return routed_world_make(&setup);
}

void routed_world_open(struct routed_world *w) {
    if (sbx_router_create(&w->opt, w->env, &w->router, &w->err)) T_FAIL("no router: %s", w->err.detail);
}

void routed_world_fault(struct routed_world *w, const char *json) {
    char why[256] = "", text[1024];
    const size_t len = strlen(json);
    T_TRUE(len < sizeof(text));
    for (size_t i = 0; i <= len; i++) text[i] = json[i] == '\'' ? '"' : json[i];
    if (!sbx_sim_fault_json(w->sim, text, len, why, sizeof(why))) T_FAIL("%s is no fault rule: %s", json, why);
}

enum sbx_status routed_world_provision(struct routed_world *w) {
    sbx_provision_free(w->report);
    w->report = NULL;
    return sbx_router_provision(w->router, &w->req, &w->how, NULL, w->locator, &w->report, &w->err);
}

const char *routed_world_pool(struct routed_world *w) {
    static char pool[SBX_POOL_SIZE];
    struct sbx_description d = SBX_DESCRIPTION_INIT;
    pool[0] = 0;
    if (!sbx_router_describe(w->router, w->locator, NULL, &d, NULL, NULL)) sbx_copy(pool, sizeof(pool), d.pool_id);
    return pool;
}

void routed_world_records(struct sbx_store *store, struct sbx_buf *out) {
    struct sbx_records *records = NULL;
    T_STATUS(sbx_store_find(store, NULL, NULL, &records, NULL), SBX_OK);
    for (size_t i = 0; i < sbx_records_count(records); i++) {
        const struct sbx_record *r = sbx_records_at(records, i);
        sbx_buf_printf(out, "%s %s %s %s %s %s %s", r->acquisition, r->locator, r->provider, r->pool, r->sandbox_id,
                       r->request, r->owner);
        for (size_t k = 0; k < r->label_count; k++)
            sbx_buf_printf(out, " %s=%s", r->labels[k].name, r->labels[k].value);
        sbx_buf_char(out, '\n');
    }
    sbx_records_free(records);
}

/* ---- secrecy ---- */

static void not_in(struct routed_world *w, const void *data, size_t len, const char *where) {
    for (int i = 0; i < 3; i++) canary_not_in(&w->canary[i], data, len, where);
}

void routed_world_search(struct routed_world *w) {
    struct sbx_buf records = SBX_BUF_INIT;
    size_t len = 0;
    routed_world_records(w->store, &records);
    not_in(w, sbx_buf_text(&records), records.len, "the store");
    sbx_buf_finish(&records);
    not_in(w, sbx_buf_text(&w->told), w->told.len, "an event");
    const char *text = sbx_provision_explanation(w->report);
    not_in(w, text, strlen(text), "a report");
    not_in(w, &w->err, sizeof(w->err), "an error");
    text = sbx_sim_journal(w->sim, &len);
    not_in(w, text, len, "the journal");
}

void routed_world_close(struct routed_world *w) {
    sbx_provision_free(w->report);
    sbx_router_free(w->router);
    sbx_store_free(w->store);
    sbx_registry_free(w->registry);
    w->report = NULL;
    w->router = NULL;
    w->store = NULL;
    w->registry = NULL;
}

void routed_world_free(struct routed_world *w) {
    if (w->registry) {
        routed_world_search(w);
        routed_world_close(w);
    }
    sbx_buf_finish(&w->told);
    sbx_sim_free(w->sim);
    free(w);
}
