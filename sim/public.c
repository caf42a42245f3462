/* The simulation as its users see it: include/sandport/sim.h over a sim and its clouds. Rows V1, V2. */
#include "sim/clouds.h"

#include <sandport/kit/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sbx_sim {
    struct sim *sim;
    struct sbx_buf text; /* what was lent last */
};

void sbx_sim_options_init(struct sbx_sim_options *opt, size_t size) {
    sbx_options_init(opt, size);
}

static void say(char *why, size_t why_cap, const char *text) {
    if (!why || !why_cap) return;
    snprintf(why, why_cap, "%s", text);
}

enum sbx_status sbx_sim_create(const struct sbx_sim_options *opt, struct sbx_sim **out, char *why, size_t why_cap) {
    struct sbx_sim *sim = NULL;
    enum sbx_status st = SBX_INVALID_ARGUMENT;
    say(why, why_cap, "");
    if (!out || (opt && opt->size < sizeof(*opt))) {
        say(why, why_cap, out ? "opt.size: expected sizeof the struct" : "out: expected one");
        return st;
    }
    st = SBX_NO_MEMORY;
    sim = calloc(1, sizeof(*sim));
    if (!sim) goto failed;
    uint64_t seed = opt ? opt->seed : 0;
    if (!seed && opt && opt->scenario) seed = sim_scenario_seed(opt->scenario, opt->scenario_len, 0);
    sim->sim = sim_new(seed);
    if (!sim->sim || sim_add_clouds(sim->sim)) goto failed;
    st = SBX_OK;
    if (opt && opt->scenario) st = sim_configure(sim->sim, opt->scenario, opt->scenario_len, why, why_cap);
    if (st) goto failed;
    *out = sim;
    return SBX_OK;
failed:
    sbx_sim_free(sim);
    return st;
}

void sbx_sim_free(struct sbx_sim *sim) {
    if (!sim) return;
    sim_free(sim->sim);
    sbx_buf_finish(&sim->text);
    free(sim);
}

struct sbx_env *sbx_sim_env(struct sbx_sim *sim) {
    if (!sim) return NULL;
    return sim_env(sim->sim);
}

/* ---- faults ---- */

int64_t sbx_sim_fault(struct sbx_sim *sim, const struct sbx_fault *fault) {
    if (!sim) return 0;
    return sim_faults_add(sim_faults(sim->sim), fault, NULL, 0);
}

/* Parses what a caller gave. @return NULL with the reason in `why` */
static struct sbx_json *given(const struct sbx_sim *sim, const char *json, size_t len, char *why, size_t why_cap) {
    struct sbx_json *js = NULL;
    if (!sim || !json) {
        say(why, why_cap, sim ? "json: expected one" : "sim: expected one");
        return NULL;
    }
    if (sbx_json_parse(json, len, 0, &js) == SBX_OK) return js;
    say(why, why_cap, js ? sbx_json_error(js) : "out of memory");
    sbx_json_free(js);
    return NULL;
}

int64_t sbx_sim_program_json(struct sbx_sim *sim, const char *json, size_t len, char *why, size_t why_cap) {
    struct sbx_json *js = given(sim, json, len, why, why_cap);
    if (!js) return 0;
    int64_t number = sim_programs_add_json(sim_programs(sim->sim), js, sbx_json_root(js), 0, why, why_cap);
    sbx_json_free(js);
    return number;
}

void sbx_sim_programs_clear(struct sbx_sim *sim) {
    if (sim) sim_programs_remove(sim_programs(sim->sim), 0);
}

int64_t sbx_sim_fault_json(struct sbx_sim *sim, const char *json, size_t len, char *why, size_t why_cap) {
    struct sbx_json *js = given(sim, json, len, why, why_cap);
    if (!js) return 0;
    int64_t number = sim_faults_add_json(sim_faults(sim->sim), js, sbx_json_root(js), why, why_cap);
    sbx_json_free(js);
    return number;
}

int64_t sbx_sim_fault_hits(const struct sbx_sim *sim, int64_t number) {
    if (!sim) return -1;
    return sim_faults_hits(sim_faults(sim->sim), number);
}

void sbx_sim_faults_clear(struct sbx_sim *sim) {
    if (!sim) return;
    sim_faults_remove(sim_faults(sim->sim), 0);
}

/* ---- time and callers ---- */

enum sbx_status sbx_sim_spawn(struct sbx_sim *sim, void (*run)(void *arg), void *arg) {
    if (!sim || !run) return SBX_INVALID_ARGUMENT;
    return sim_spawn_caller(sim->sim, run, arg);
}

enum sbx_status sbx_sim_run(struct sbx_sim *sim) {
    if (!sim) return SBX_INVALID_ARGUMENT;
    return sim_run_callers(sim->sim);
}

void sbx_sim_advance_ms(struct sbx_sim *sim, int64_t ms) {
    if (!sim) return;
    struct sim_world *w = sim_world(sim->sim);
    if (ms > 0) sim_sleep_until(w, sim_now(w) + ms * SIM_MS);
}

/* ---- what happened ---- */

const char *sbx_sim_journal(struct sbx_sim *sim, size_t *len) {
    if (len) *len = 0;
    if (!sim) return "";
    return sim_journal_text(sim_journal(sim->sim), len);
}
void sbx_sim_journal_hash(struct sbx_sim *sim, char *out) {
    if (!out) return;
    out[0] = 0;
    if (!sim) return;
    sim_journal_hash(sim_journal(sim->sim), out);
}
const char *sbx_sim_timeline(struct sbx_sim *sim) {
    if (!sim) return "";
    return sim_journal_timeline(sim_journal(sim->sim));
}
void sbx_sim_timeline_reset(struct sbx_sim *sim) {
    if (!sim) return;
    sim_journal_timeline_reset(sim_journal(sim->sim));
}

int64_t sbx_sim_unsupported(const struct sbx_sim *sim) {
    if (!sim) return 0;
    return sim_journal_unsupported_count(sim_journal(sim->sim));
}

int64_t sbx_sim_ledger_made(const struct sbx_sim *sim) {
    if (!sim) return 0;
    return sim_ledger_made(sim_ledger(sim->sim));
}
int64_t sbx_sim_ledger_live(const struct sbx_sim *sim) {
    if (!sim) return 0;
    return sim_ledger_live(sim_ledger(sim->sim));
}
int64_t sbx_sim_ledger_cost(const struct sbx_sim *sim) {
    if (!sim) return 0;
    return sim_ledger_cost(sim_ledger(sim->sim));
}

const char *sbx_sim_ledger_json(struct sbx_sim *sim) {
    if (!sim) return "";
    sbx_buf_clear(&sim->text);
    sbx_json_begin_object(&sim->text, NULL);
    sim_ledger_json(sim_ledger(sim->sim), &sim->text, "entries", 0);
    sbx_json_end_object(&sim->text);
    return sbx_buf_text(&sim->text);
}

const char *sbx_sim_state_json(struct sbx_sim *sim) {
    if (!sim) return "";
    sbx_buf_clear(&sim->text);
    sim_state_json(sim->sim, &sim->text);
    return sbx_buf_text(&sim->text);
}
