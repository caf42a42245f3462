/* A change of state that a sandbox may refuse for a while. */
#ifndef ADAPTERS_DAYTONA_CHANGE_H
#define ADAPTERS_DAYTONA_CHANGE_H

#include "adapters/daytona/verbs.h"

/** Asks for a change until it is accepted, refused for good, or has been refused for 30 s because of another change. A
 * change that is already in effect, or that another caller makes, is looked for after each refusal.
 *  @param goal the state that the change leads to: found meanwhile, the change counts as accepted
 *  @return SBX_NOT_FOUND for one that is gone or going, unless that is the goal */
enum sbx_status daytona_change(struct daytona *d, enum daytona_op op, const char *id, const char *rest,
                               enum daytona_goal goal, const struct sbx_call *call, struct sbx_error *err);

#endif
