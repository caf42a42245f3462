/* What the files that make up the fault rules share. */
#ifndef SIM_KIT_FAULTS_INSIDE_H
#define SIM_KIT_FAULTS_INSIDE_H

#include "sim/kit/faults.h"

#define FAULT_PHASES 5

/** Is it a rule that this simulation can carry out? @return 0 with `why`: the member and what was expected of it */
int sim_fault_check(struct sim *sim, const struct sbx_fault *rule, char *why, size_t why_cap);
/** @return the phase of that name, -1 if there is none */
int sim_fault_phase(const char *name);
/** Writes `why` as "member: what"; @return 0 */
int sim_fault_refuse(char *why, size_t why_cap, const char *member, const char *what);

#endif
