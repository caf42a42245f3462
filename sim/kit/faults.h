/* Fault rules: which exchange, at which point, what happens.
 *
 * Precedence: rules are tried in the order they were added; the first that matches and has not spent its `times` fires;
 * one rule fires at one point. `nth` counts the exchanges that match op and where, at the rule's phase. */
#ifndef SIM_KIT_FAULTS_H
#define SIM_KIT_FAULTS_H

#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>
#include <sandport/sim.h>

struct sim;
struct sim_faults;
struct sim_world;

enum sim_phase {
    SIM_PHASE_BEFORE,        /* nothing has been read or decided */
    SIM_PHASE_BEFORE_COMMIT, /* the request is good; nothing has changed yet */
    SIM_PHASE_AFTER_COMMIT,  /* the change is real; nothing has been answered */
    SIM_PHASE_MID_REPLY,     /* the answer has begun */
    SIM_PHASE_AFTER          /* the answer is whole */
};

/** An effect as a rule holds it; texts live as long as the rule. */
struct sim_effect {
    struct sbx_fault_effect is;
    int64_t rule;
};

/** What an exchange is, for matching. */
struct sim_fault_subject {
    const char *op;
    const char *sandbox;
    const char *name;
    const char *alias;
    const char *state;
    const char *labels; /* "a=1\nb=2\n" */
};

struct sim_faults *sim_faults_new(struct sim *sim);
void sim_faults_free(struct sim_faults *faults);
/** @return the rule's number, 0 if it is none: `why` says which member and what was expected */
int64_t sim_faults_add(struct sim_faults *faults, const struct sbx_fault *rule, char *why, size_t why_cap);
int64_t sim_faults_add_json(struct sim_faults *faults, struct sbx_json *js, const struct sbx_json_node *node, char *why,
                            size_t why_cap);
/** Has there ever been a rule? */
int sim_faults_any(const struct sim_faults *faults);
/** The effect of the rule that fires here, NULL if none does. Counts the hit. */
const struct sim_effect *sim_faults_ask(struct sim_faults *faults, enum sim_phase phase,
                                        const struct sim_fault_subject *subject);
int64_t sim_faults_hits(const struct sim_faults *faults, int64_t number);
/** Removes one, or with 0 all. @return 0 if there is no such rule */
int sim_faults_remove(struct sim_faults *faults, int64_t number);
/** Every rule with its hits, as a JSON array. */
void sim_faults_json(const struct sim_faults *faults, struct sbx_buf *json, const char *key);
const char *sim_phase_name(enum sim_phase phase);

#endif
