/* Fault rules: kept in order, matched, counted. Row V2. */
#include "sim/kit/faults_inside.h"
#include "sim/kit/sim.h"

#include <sandport/kit/json.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE_ONE (UINT64_C(1) << 32) /* a rate in whole numbers, so that no rounding decides */
#define TEXTS    12

struct rule {
    struct sbx_fault is; /* its texts are ours */
    struct sim_effect effect;
    char *texts[TEXTS];
    enum sim_phase phase;
    uint64_t rate;
    int64_t seen; /* exchanges that matched */
    int64_t hits;
    int removed; /* kept until the end: an exchange may still hold the effect */
};

struct sim_faults {
    struct sim *sim;
    struct rule **rules; /* rule number n is rules[n - 1] */
    size_t count;
    size_t cap;
};

static const char *const phases[FAULT_PHASES] = {"before", "before_commit", "after_commit", "mid_reply", "after"};

const char *sim_phase_name(enum sim_phase phase) {
    return phases[phase];
}

int sim_fault_phase(const char *name) {
    for (int i = 0; i < FAULT_PHASES; i++)
        if (strcmp(phases[i], name) == 0) return i;
    return -1;
}

struct sim_faults *sim_faults_new(struct sim *sim) {
    struct sim_faults *faults = calloc(1, sizeof(*faults));
    if (faults) faults->sim = sim;
    return faults;
}

static void rule_free(struct rule *rule) {
    if (!rule) return;
    for (int i = 0; i < TEXTS; i++) free(rule->texts[i]);
    free(rule);
}

void sim_faults_free(struct sim_faults *faults) {
    if (!faults) return;
    for (size_t i = 0; i < faults->count; i++) rule_free(faults->rules[i]);
    free(faults->rules);
    free(faults);
}

/* ---- adding ---- */

/* Replaces each text of the rule by a copy of our own. @return 0 when memory runs out */
static int rule_own_texts(struct rule *rule) {
    struct sbx_fault *is = &rule->is;
    const char **const texts[TEXTS] = {&is->op,          &is->phase,         &is->where.label,
                                       &is->where.state, &is->where.sandbox, &is->effect.kind,
                                       &is->effect.body, &is->effect.state,  &is->effect.dialect,
                                       &is->effect.path, &is->effect.value,  &is->effect.retry_after};
    for (int i = 0; i < TEXTS; i++) {
        if (!*texts[i]) continue;
        rule->texts[i] = strdup(*texts[i]);
        if (!rule->texts[i]) return 0;
        *texts[i] = rule->texts[i];
    }
    return 1;
}

static struct rule *rule_new(const struct sbx_fault *fault) {
    struct rule *rule = calloc(1, sizeof(*rule));
    if (!rule) return NULL;
    rule->is = *fault;
    if (!rule_own_texts(rule)) {
        rule_free(rule);
        return NULL;
    }
    rule->phase = (enum sim_phase)sim_fault_phase(rule->is.phase);
    rule->rate = (uint64_t)(fault->rate * (double)RATE_ONE);
    if (fault->rate > 0 && !rule->rate) rule->rate = 1; /* ever so small is not "always" */
    rule->effect.is = rule->is.effect;
    return rule;
}

int64_t sim_faults_add(struct sim_faults *faults, const struct sbx_fault *fault, char *why, size_t why_cap) {
    if (why && why_cap) why[0] = 0;
    if (!sim_fault_check(faults->sim, fault, why, why_cap)) return 0;
    if (faults->count == faults->cap) {
        size_t cap = faults->cap ? faults->cap * 2 : 16;
        struct rule **rules = realloc(faults->rules, cap * sizeof(*rules));
        if (!rules) return sim_fault_refuse(why, why_cap, "rule", "out of memory");
        faults->rules = rules;
        faults->cap = cap;
    }
    struct rule *rule = rule_new(fault);
    if (!rule) return sim_fault_refuse(why, why_cap, "rule", "out of memory");
    faults->rules[faults->count++] = rule;
    rule->effect.rule = (int64_t)faults->count;
    return rule->effect.rule;
}

/* ---- matching ---- */

static int same(const char *wanted, const char *is) {
    return is && strcmp(wanted, is) == 0;
}

static int has_label(const char *labels, const char *wanted) {
    size_t len = strlen(wanted);
    for (const char *at = labels; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strcspn(at, "\n") == len && strncmp(at, wanted, len) == 0) return 1;
    return 0;
}

static int rule_matches(const struct rule *rule, enum sim_phase phase, const struct sim_fault_subject *subject,
                        int64_t now_ms) {
    const struct sbx_fault_where *where = &rule->is.where;
    if (rule->removed || rule->phase != phase || !same(rule->is.op, subject->op)) return 0;
    if (where->label && !has_label(subject->labels, where->label)) return 0;
    if (where->state && !same(where->state, subject->state)) return 0;
    if (where->sandbox && !same(where->sandbox, subject->sandbox) && !same(where->sandbox, subject->name) &&
        !same(where->sandbox, subject->alias))
        return 0;
    return now_ms >= where->after_ms;
}

static int rule_is_due(struct sim_faults *faults, const struct rule *rule) {
    if (rule->seen < rule->is.nth) return 0;
    if (rule->is.times && rule->hits >= rule->is.times) return 0;
    return !rule->rate || sim_draw_below(sim_world(faults->sim), "fault", RATE_ONE) < rule->rate;
}

int sim_faults_any(const struct sim_faults *faults) {
    return faults->count > 0;
}

const struct sim_effect *sim_faults_ask(struct sim_faults *faults, enum sim_phase phase,
                                        const struct sim_fault_subject *subject) {
    int64_t now_ms = sim_now(sim_world(faults->sim)) / SIM_MS;
    struct rule *fires = NULL;
    for (size_t i = 0; i < faults->count; i++) {
        struct rule *rule = faults->rules[i];
        if (!rule_matches(rule, phase, subject, now_ms)) continue;
        rule->seen++;
        if (!fires && rule_is_due(faults, rule)) fires = rule;
    }
    if (!fires) return NULL;
    fires->hits++;
    return &fires->effect;
}

/* ---- what there is ---- */

static struct rule *rule_numbered(const struct sim_faults *faults, int64_t number) {
    if (number < 1 || (uint64_t)number > faults->count) return NULL;
    struct rule *rule = faults->rules[number - 1];
    return rule->removed ? NULL : rule;
}

int64_t sim_faults_hits(const struct sim_faults *faults, int64_t number) {
    const struct rule *rule = rule_numbered(faults, number);
    return rule ? rule->hits : -1;
}

int sim_faults_remove(struct sim_faults *faults, int64_t number) {
    struct rule *rule = rule_numbered(faults, number);
    if (rule) rule->removed = 1;
    for (size_t i = 0; number == 0 && i < faults->count; i++) faults->rules[i]->removed = 1;
    return rule || number == 0;
}

static void put_text(struct sbx_buf *json, const char *key, const char *value) {
    if (value) sbx_json_put_text(json, key, value, sbx_utf8_valid(value, strlen(value)));
}

static void put_int(struct sbx_buf *json, const char *key, int64_t value) {
    if (value) sbx_json_put_int(json, key, value);
}

static void put_rate(struct sbx_buf *json, uint64_t rate) {
    char digits[16];
    if (!rate) return;
    uint64_t millionths = (rate * 1000000 + RATE_ONE / 2) / RATE_ONE;
    int n = snprintf(digits, sizeof(digits), "%d.%06d", (int)(millionths / 1000000), (int)(millionths % 1000000));
    sbx_json_put_raw(json, "rate", digits, (size_t)n);
}

static void put_effect(struct sbx_buf *json, const struct sbx_fault_effect *effect) {
    sbx_json_begin_object(json, "effect");
    put_text(json, "kind", effect->kind);
    put_int(json, "status", effect->status);
    put_text(json, "body", effect->body);
    put_int(json, "at_bytes", effect->at_bytes);
    put_int(json, "delay_ms", effect->delay_ms);
    put_text(json, "state", effect->state);
    put_text(json, "dialect", effect->dialect);
    put_text(json, "retry_after", effect->retry_after);
    put_text(json, "path", effect->path);
    if (effect->value && strcmp(effect->kind, "mutate") == 0)
        sbx_json_put_raw(json, "value", effect->value, strlen(effect->value));
    else
        put_text(json, "value", effect->value);
    sbx_json_end_object(json);
}

static void put_where(struct sbx_buf *json, const struct sbx_fault_where *where) {
    if (!where->label && !where->state && !where->sandbox && !where->after_ms) return;
    sbx_json_begin_object(json, "where");
    put_text(json, "label", where->label);
    put_text(json, "state", where->state);
    put_text(json, "sandbox", where->sandbox);
    put_int(json, "after_ms", where->after_ms);
    sbx_json_end_object(json);
}

static void put_rule(struct sbx_buf *json, const struct rule *rule) {
    sbx_json_begin_object(json, NULL);
    sbx_json_put_int(json, "rule", rule->effect.rule);
    sbx_json_put_int(json, "hits", rule->hits);
    put_text(json, "op", rule->is.op);
    put_text(json, "phase", rule->is.phase);
    put_int(json, "nth", rule->is.nth);
    put_int(json, "times", rule->is.times);
    put_rate(json, rule->rate);
    put_where(json, &rule->is.where);
    put_effect(json, &rule->is.effect);
    sbx_json_end_object(json);
}

void sim_faults_json(const struct sim_faults *faults, struct sbx_buf *json, const char *key) {
    sbx_json_begin_array(json, key);
    for (size_t i = 0; i < faults->count; i++)
        if (!faults->rules[i]->removed) put_rule(json, faults->rules[i]);
    sbx_json_end_array(json);
}
