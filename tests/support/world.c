/* A world of a simulated cloud: what is the same whoever's cloud it is. */
#include "world.h"

#include <stdlib.h>

struct world world_bare(uint64_t seed, const char *scenario, const char *key) {
    struct world w = {.key = key};
    struct sbx_sim_options sim = SBX_SIM_OPTIONS_INIT;
    char why[256] = "";
    sim.seed = seed;
    sim.scenario = scenario;
    sim.scenario_len = scenario ? strlen(scenario) : 0;
    if (sbx_sim_create(&sim, &w.sim, why, sizeof(why)) != SBX_OK) T_FAIL("no simulation: %s", why);
    w.env = sbx_sim_env(w.sim);
    sbx_error_init(&w.err, sizeof(w.err));
    return w;
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

struct sbx_sandbox *world_elsewhere(struct world *w, struct sbx_runtime **rt) {
    struct sbx_sandbox *sb = NULL;
    char id[SBX_ID_SIZE];
    sbx_sandbox_id(w->sb, id);
    T_STATUS(world_runtime(w->env, rt, &w->err), SBX_OK);
    T_STATUS(sbx_runtime_attach(*rt, id, NULL, &sb, &w->err), SBX_OK);
    return sb;
}

/* With ' for ". */
static void json_of(const char *text, char *out, size_t cap) {
    size_t len = strlen(text);
    T_TRUE(len < cap);
    for (size_t i = 0; i <= len; i++) out[i] = text[i] == '\'' ? '"' : text[i];
}

int64_t world_fault(struct world *w, const char *json) {
    char why[256] = "", text[1024];
    json_of(json, text, sizeof(text));
    int64_t number = sbx_sim_fault_json(w->sim, text, strlen(text), why, sizeof(why));
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

int world_sent(struct world *w, const char *request) {
    int n = 0;
    for (const char *at = sbx_sim_timeline(w->sim); (at = strstr(at, request)); at++) n++;
    return n;
}

/* Does [line, end) hold it? */
static int line_holds(const char *line, const char *end, const char *text) {
    const char *at = strstr(line, text);
    return at && at + strlen(text) <= end;
}

int world_journalled(struct world *w, const char *op, const char *text) {
    char want[256], named[128];
    int n = 0;
    size_t len = 0;
    const char *end = NULL;
    json_of(text, want, sizeof(want));
    T_TRUE(strlen(op) < sizeof(named) - 16);
    strcpy(named, "\"op\":\"");
    strcat(strcat(named, op), "\"");
    for (const char *line = sbx_sim_journal(w->sim, &len); (end = strchr(line, '\n')); line = end + 1)
        n += line_holds(line, end, named) && line_holds(line, end, want);
    return n;
}

void world_finish(struct world *w) {
    size_t len = 0;
    if (strstr(sbx_sim_journal(w->sim, &len), w->key)) T_FAIL("a key shows in the journal");
    sbx_sandbox_free(w->sb);
    sbx_runtime_free(w->rt);
    sbx_sim_free(w->sim);
}
