/* The world of Daytona tests: made, broken on demand, searched for keys at the end. */
#include "daytona_world.h"

#include <stdlib.h>

struct world world_new_with(uint64_t seed, const char *scenario, const struct sbx_daytona_options *opt) {
    struct world w = {0};
    struct sbx_sim_options sim = SBX_SIM_OPTIONS_INIT;
    struct sbx_daytona_options full = SBX_DAYTONA_OPTIONS_INIT;
    char why[256] = "";
    if (opt) full = *opt;
    if (!full.endpoint) full.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    if (!full.api_key) full.api_key = SBX_SIM_DAYTONA_KEY;
    sim.seed = seed;
    sim.scenario = scenario;
    sim.scenario_len = scenario ? strlen(scenario) : 0;
    if (sbx_sim_create(&sim, &w.sim, why, sizeof(why)) != SBX_OK) T_FAIL("no simulation: %s", why);
    w.env = sbx_sim_env(w.sim);
    sbx_error_init(&w.err, sizeof(w.err));
    T_STATUS(sbx_daytona_create(&full, w.env, &w.rt, &w.err), SBX_OK);
    return w;
}

struct world world_new(uint64_t seed) {
    return world_new_with(seed, NULL, NULL);
}

struct world world_with_running_sandbox(uint64_t seed) {
    struct world w = world_new(seed);
    if (sbx_runtime_launch(w.rt, NULL, NULL, &w.sb, &w.err) != SBX_OK) {
        char line[512];
        sbx_error_describe(&w.err, line, sizeof(line));
        T_FAIL("launch: %s\n%s", line, sbx_sim_timeline(w.sim));
    }
    sbx_sim_timeline_reset(w.sim);
    return w;
}

struct world world_with_stopped_sandbox(uint64_t seed) {
    struct world w = world_with_running_sandbox(seed);
    T_STATUS(sbx_sandbox_stop(w.sb, NULL, NULL, &w.err), SBX_OK);
    sbx_sim_timeline_reset(w.sim);
    return w;
}

int64_t world_fault(struct world *w, const char *json) {
    char why[256] = "", text[1024];
    size_t len = strlen(json);
    T_TRUE(len < sizeof(text));
    for (size_t i = 0; i <= len; i++) text[i] = json[i] == '\'' ? '"' : json[i];
    int64_t number = sbx_sim_fault_json(w->sim, text, len, why, sizeof(why));
    if (!number) T_FAIL("%s is no fault rule: %s", json, why);
    return number;
}

static void cancel_when_it_is_time(void *arg) {
    struct world_cancel *plan = arg;
    (void)!plan->env->sleep_until(plan->env, plan->at_ms, NULL);
    sbx_cancel_fire(plan->cancel);
}

struct sbx_call world_call_cancelled(struct world *w, int64_t ms, struct world_cancel *plan) {
    struct sbx_call call = SBX_CALL_INIT;
    plan->env = w->env;
    plan->cancel = sbx_cancel_create(w->env);
    plan->at_ms = w->env->now_ms(w->env) + ms;
    T_TRUE(plan->cancel != NULL);
    T_STATUS(sbx_sim_spawn(w->sim, cancel_when_it_is_time, plan), SBX_OK);
    call.deadline_ms = SBX_NO_DEADLINE;
    call.cancel = plan->cancel;
    return call;
}

void world_finish(struct world *w) {
    size_t len = 0;
    const char *journal = sbx_sim_journal(w->sim, &len);
    if (strstr(journal, "canary")) T_FAIL("a key shows in the journal");
    sbx_sandbox_free(w->sb);
    sbx_runtime_free(w->rt);
    sbx_sim_free(w->sim);
}
