/* A simulation: the parts, made and freed in order, and the scenario that configures them. */
#include "sim/kit/sim.h"

#include "sim/kit/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOUDS_MAX 8
/* A cloud's own clockwork never stops, so that the queue does not run dry when callers wait for what never comes. */
#define CALLERS_TIME_NS (30 * 24 * 3600 * SIM_SEC)

struct sim {
    struct sim_world *world;
    struct sim_journal *journal;
    struct sim_faults *faults;
    struct sim_ledger *ledger;
    struct sim_programs *programs;
    struct sbx_env *env;
    struct sim_cloud *clouds[CLOUDS_MAX];
    size_t cloud_count;
    int64_t exchanges;
    int64_t callers; /* that have not returned */
    struct sim_waitq callers_done;
    int64_t scale_permille;
    struct sim_host *host;
};

struct sim *sim_new(uint64_t seed) {
    struct sim *sim = calloc(1, sizeof(*sim));
    if (!sim) return NULL;
    sim->scale_permille = 1000;
    sim->world = sim_world_new(seed);
    sim->journal = sim->world ? sim_journal_new(sim) : NULL;
    sim->faults = sim->journal ? sim_faults_new(sim) : NULL;
    sim->ledger = sim->faults ? sim_ledger_new(sim) : NULL;
    sim->programs = sim->ledger ? sim_programs_new() : NULL;
    sim->env = sim->programs ? sim_env_new(sim) : NULL;
    if (sim->env) return sim;
    sim_free(sim);
    return NULL;
}

void sim_free(struct sim *sim) {
    if (!sim) return;
    if (sim->world) sim_world_end(sim->world);
    for (size_t i = 0; i < sim->cloud_count; i++) sim->clouds[i]->free(sim->clouds[i]);
    sim_env_free(sim->env);
    sim_programs_free(sim->programs);
    sim_ledger_free(sim->ledger);
    sim_faults_free(sim->faults);
    sim_journal_free(sim->journal);
    sim_world_free(sim->world);
    free(sim);
}

enum sbx_status sim_add_cloud(struct sim *sim, struct sim_cloud *cloud) {
    if (!cloud) return SBX_NO_MEMORY;
    if (sim->cloud_count == CLOUDS_MAX) abort(); /* clouds are ours: too many is our bug */
    snprintf(cloud->base_url, sizeof(cloud->base_url), "http://%s.sim", cloud->provider);
    sim->clouds[sim->cloud_count++] = cloud;
    return SBX_OK;
}

size_t sim_cloud_count(const struct sim *sim) {
    return sim->cloud_count;
}
struct sim_cloud *sim_cloud_at(struct sim *sim, size_t index) {
    return sim->clouds[index];
}

struct sim_cloud *sim_cloud(struct sim *sim, const char *provider) {
    for (size_t i = 0; i < sim->cloud_count; i++)
        if (strcmp(sim->clouds[i]->provider, provider) == 0) return sim->clouds[i];
    return NULL;
}

struct sim_world *sim_world(struct sim *sim) {
    return sim->world;
}
struct sim_journal *sim_journal(struct sim *sim) {
    return sim->journal;
}
struct sim_faults *sim_faults(struct sim *sim) {
    return sim->faults;
}
struct sim_ledger *sim_ledger(struct sim *sim) {
    return sim->ledger;
}
struct sbx_env *sim_env(struct sim *sim) {
    return sim->env;
}
struct sim_programs *sim_programs(struct sim *sim) {
    return sim->programs;
}
int64_t sim_next_exchange(struct sim *sim) {
    return ++sim->exchanges;
}
int64_t sim_scale(const struct sim *sim, int64_t ns) {
    return ns / 1000 * sim->scale_permille;
}
void sim_set_scale(struct sim *sim, int64_t permille) {
    sim->scale_permille = permille;
}

void sim_set_host(struct sim *sim, struct sim_host *host) {
    sim->host = host;
}

struct sim_host *sim_host(const struct sim *sim) {
    return sim->host;
}

/* ---- callers ---- */

struct caller {
    struct sim *sim;
    void (*run)(void *arg);
    void *arg;
};

static void caller_main(void *arg) {
    struct caller caller = *(struct caller *)arg;
    free(arg);
    caller.run(caller.arg);
    if (--caller.sim->callers == 0) sim_wake_all(caller.sim->world, &caller.sim->callers_done);
}

enum sbx_status sim_spawn_caller(struct sim *sim, void (*run)(void *arg), void *arg) {
    struct caller *caller = malloc(sizeof(*caller));
    if (!caller) return SBX_NO_MEMORY;
    *caller = (struct caller){sim, run, arg};
    if (sim_spawn(sim->world, caller_main, caller)) {
        free(caller);
        return SBX_NO_MEMORY;
    }
    sim->callers++;
    return SBX_OK;
}

enum sbx_status sim_run_callers(struct sim *sim) {
    int64_t until_ns = sim_now(sim->world) + CALLERS_TIME_NS;
    while (sim->callers)
        if (sim_wait(sim->world, &sim->callers_done, until_ns) != SIM_WOKEN) return SBX_DEADLINE;
    return SBX_OK;
}

/* ---- scenarios ---- */

/* @return SBX_INVALID_ARGUMENT with `why` for the first that is none */
static enum sbx_status configure_faults(struct sim *sim, struct sbx_json *js, const struct sbx_json_node *list,
                                        char *why, size_t why_cap) {
    for (const struct sbx_json_node *rule = sbx_json_first(list); rule; rule = sbx_json_next(rule))
        if (!sim_faults_add_json(sim->faults, js, rule, why, why_cap)) return SBX_INVALID_ARGUMENT;
    return SBX_OK;
}

static enum sbx_status configure_programs(struct sim *sim, struct sbx_json *js, const struct sbx_json_node *list,
                                          char *why, size_t why_cap) {
    for (const struct sbx_json_node *rule = list ? sbx_json_first(list) : NULL; rule; rule = sbx_json_next(rule))
        if (!sim_programs_add_json(sim->programs, js, rule, 1, why, why_cap)) return SBX_INVALID_ARGUMENT;
    return SBX_OK;
}

static enum sbx_status configure_member(struct sim *sim, struct sbx_json *js, const struct sbx_json_node *member) {
    const char *key = sbx_json_key(member);
    struct sim_cloud *cloud = sim_cloud(sim, key);
    if (cloud && cloud->configure) return sbx_json_as_object(js, member) ? cloud->configure(cloud, js, member) : SBX_OK;
    if (strcmp(key, "seed") == 0) {
        if (sbx_json_as_int(js, member) < 0) sbx_json_complain(js, member, NULL, "0 or more");
    } else if (strcmp(key, "faults") != 0 && strcmp(key, "programs") != 0) {
        sbx_json_complain(js, member, NULL, "\"faults\", \"programs\", \"seed\" or the name of a cloud");
    }
    return SBX_OK;
}

struct unread {
    char *why;
    size_t why_cap;
    int count;
};

static void configure_unread(void *ctx, const char *path) {
    struct unread *unread = ctx;
    if (unread->count++ == 0 && unread->why_cap) snprintf(unread->why, unread->why_cap, "scenario: no member %s", path);
}

/* Faults come last: they may name operations of any cloud. */
static enum sbx_status configure_all(struct sim *sim, struct sbx_json *js, char *why, size_t why_cap) {
    const struct sbx_json_node *root = sbx_json_as_object(js, sbx_json_root(js));
    struct unread unread = {why, why ? why_cap : 0, 0};
    enum sbx_status st = SBX_OK;
    for (const struct sbx_json_node *m = root ? sbx_json_first(root) : NULL; m && !st; m = sbx_json_next(m))
        st = configure_member(sim, js, m);
    const struct sbx_json_node *faults = sbx_json_opt_array(js, root, "faults");
    const struct sbx_json_node *programs = sbx_json_opt_array(js, root, "programs");
    if (!st && sbx_json_status(js)) st = SBX_INVALID_ARGUMENT;
    if (!st) st = configure_programs(sim, js, programs, why, why_cap);
    if (!st) st = configure_faults(sim, js, faults, why, why_cap);
    if (!st) sbx_json_unread(js, configure_unread, &unread);
    return unread.count ? SBX_INVALID_ARGUMENT : st;
}

enum sbx_status sim_configure(struct sim *sim, const char *json, size_t len, char *why, size_t why_cap) {
    struct sbx_json *js = NULL;
    if (why && why_cap) why[0] = 0;
    enum sbx_status st = sbx_json_parse(json, len, 0, &js);
    if (!st) st = configure_all(sim, js, why, why_cap);
    if (st == SBX_PROTOCOL) st = SBX_INVALID_ARGUMENT;
    if (st == SBX_INVALID_ARGUMENT && why && why_cap && !why[0])
        snprintf(why, why_cap, "scenario: %s", sbx_json_error(js));
    sbx_json_free(js);
    return st;
}

uint64_t sim_scenario_seed(const char *json, size_t len, uint64_t otherwise) {
    struct sbx_json *js = NULL;
    int64_t seed = -1;
    if (sbx_json_parse(json, len, 0, &js) == SBX_OK) seed = sbx_json_opt_int(js, sbx_json_root(js), "seed", -1);
    sbx_json_free(js);
    return seed < 0 ? otherwise : (uint64_t)seed;
}

void sim_reset(struct sim *sim) {
    sim_faults_remove(sim->faults, 0);
    sim_programs_reset(sim->programs);
    for (size_t i = 0; i < sim->cloud_count; i++)
        if (sim->clouds[i]->reset) sim->clouds[i]->reset(sim->clouds[i]);
    sim_journal_clear(sim->journal);
}

void sim_state_json(struct sim *sim, struct sbx_buf *json) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_int(json, "now_ms", sim_now(sim->world) / SIM_MS);
    for (size_t i = 0; i < sim->cloud_count; i++) {
        sbx_json_begin_object(json, sim->clouds[i]->provider);
        if (sim->clouds[i]->state) sim->clouds[i]->state(sim->clouds[i], json);
        sbx_json_end_object(json);
    }
    sbx_json_end_object(json);
}
