/* A router over simulated clouds, and the search for credentials in all that it leaves. */
#include "routed_world.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>

static void write_down(void *ctx, const struct sbx_router_event *e) {
    struct routed_world *w = ctx;
    sbx_buf_printf(&w->told, "%s %s %s %s %s %s %s %s %llx %d %d %d\n", sbx_router_event_name(e->kind), e->pool_id,
                   e->provider, e->request, e->acquisition, e->locator, e->sandbox_id, e->code,
                   (unsigned long long)e->reasons, (int)e->status, (int)e->outcome, (int)e->done);
}

static struct sbx_pool *daytona_pool(struct sbx_env *env, const char *id, const char *key, int room, int classify) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_daytona_options account = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    account.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    account.api_key = key;
    limits.bound[SBX_RESOURCE_CPU].limit = room; /* a sandbox of the default snapshot has one core */
    limits.bound[SBX_RESOURCE_CPU].required = 1;
    opt.id = id;
    opt.limits = &limits;
    if (classify) opt.classify = sbx_daytona_classify;
    if (sbx_daytona_pool(&account, &opt, env, &pool, &err)) T_FAIL("no pool: %s", err.detail);
    return pool;
}

static struct sbx_pool *e2b_pool(struct sbx_env *env, int room, int classify) {
    struct sbx_error err = SBX_ERROR_INIT;
    struct sbx_e2b_options account = SBX_E2B_OPTIONS_INIT;
    struct sbx_pool_options opt = SBX_POOL_OPTIONS_INIT;
    struct sbx_capacity_options limits = SBX_CAPACITY_OPTIONS_INIT;
    struct sbx_pool *pool = NULL;
    account.endpoint = SBX_SIM_E2B_ENDPOINT;
    account.sandbox_url = SBX_SIM_E2B_SANDBOX_URL;
    account.api_key = KEY_E2B;
    limits.bound[SBX_RESOURCE_SANDBOXES].limit = room;
    opt.id = "e2b";
    opt.limits = &limits;
    if (classify) opt.classify = sbx_e2b_classify;
    if (sbx_e2b_pool(&account, &opt, env, &pool, &err)) T_FAIL("no pool: %s", err.detail);
    return pool;
}

struct sbx_sim *routed_sim(int room_1, int room_2, int room_e2b) {
    struct sbx_sim_options opt = SBX_SIM_OPTIONS_INIT;
    struct sbx_sim *sim = NULL;
    char scenario[1024], why[256] = "";
    snprintf(scenario, sizeof(scenario),
             "{\"daytona\":{\"accounts\":["
             "{\"name\":\"first\",\"api_key\":\"" KEY_1 "\",\"quota\":{\"cpu\":%d}},"
             "{\"name\":\"second\",\"api_key\":\"" KEY_2 "\",\"quota\":{\"cpu\":%d}}]},"
             "\"e2b\":{\"accounts\":[{\"name\":\"team\",\"api_key\":\"" KEY_E2B "\",\"concurrency\":%d}]}}",
             room_1, room_2, room_e2b);
    opt.seed = 7;
    opt.scenario = scenario;
    opt.scenario_len = strlen(scenario);
    if (sbx_sim_create(&opt, &sim, why, sizeof(why))) T_FAIL("no simulation: %s", why);
    return sim;
}

struct sbx_registry *routed_registry(struct sbx_env *env, int room_1, int room_2, int room_e2b, int classify) {
    struct sbx_registry *registry = NULL;
    struct sbx_pool *const pools[] = {daytona_pool(env, "day-2", KEY_2, room_2, classify),
                                      daytona_pool(env, "day-1", KEY_1, room_1, classify),
                                      e2b_pool(env, room_e2b, classify)};
    T_STATUS(sbx_registry_memory_create(pools, 3, &registry, NULL), SBX_OK);
    return registry;
}

struct routed_world *routed_world_new(int room_1, int room_2, int room_e2b, int classify) {
    struct routed_world *w = calloc(1, sizeof(*w));
    T_TRUE(w != NULL);
    w->sim = routed_sim(room_1, room_2, room_e2b);
    w->env = sbx_sim_env(w->sim);
    sbx_error_init(&w->err, sizeof(w->err));
    w->registry = routed_registry(w->env, room_1, room_2, room_e2b, classify);
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

void routed_world_records(struct routed_world *w, struct sbx_buf *out) {
    struct sbx_records *records = NULL;
    T_STATUS(sbx_store_find(w->store, NULL, NULL, &records, NULL), SBX_OK);
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

static void not_in(const char *text, const char *secret, const char *where) {
    if (strstr(text, secret)) T_FAIL("a credential shows in %s", where);
}

/* As it is, in hex, in base64 (wherever it begins in a group), percent-encoded, JSON-escaped: the keys are plain ASCII,
 * so that the last two are the key itself. */
static void search(const char *text, const char *where) {
    static const char *const keys[] = {KEY_1, KEY_2, KEY_E2B};
    for (size_t i = 0; i < 3; i++) {
        char hex[2 * sizeof(KEY_1) + 1];
        sbx_hex(keys[i], strlen(keys[i]), hex);
        not_in(text, keys[i], where);
        not_in(text, hex, where);
        for (size_t shift = 0; shift < 3; shift++) {
            struct sbx_buf coded = SBX_BUF_INIT;
            sbx_base64_encode(&coded, keys[i] + shift, (strlen(keys[i]) - shift) / 3 * 3);
            not_in(text, sbx_buf_text(&coded), where);
            sbx_buf_finish(&coded);
        }
    }
}

void routed_world_free(struct routed_world *w) {
    struct sbx_buf records = SBX_BUF_INIT;
    char line[1024];
    size_t len = 0;
    routed_world_records(w, &records);
    search(sbx_buf_text(&records), "the store");
    search(sbx_buf_text(&w->told), "an event");
    search(sbx_provision_explanation(w->report), "a report");
    sbx_error_describe(&w->err, line, sizeof(line));
    search(line, "an error");
    search(sbx_sim_journal(w->sim, &len), "the journal");
    sbx_buf_finish(&records);
    sbx_buf_finish(&w->told);
    sbx_provision_free(w->report);
    sbx_router_free(w->router);
    sbx_store_free(w->store);
    sbx_registry_free(w->registry);
    sbx_sim_free(w->sim);
    free(w);
}
