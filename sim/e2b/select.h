/* Which process a request is about. */
#ifndef SIM_E2B_SELECT_H
#define SIM_E2B_SELECT_H

#include "sim/e2b/envd.h"
#include "sim/e2b/process.h"

/** {"pid":7} or {"tag":"x"}. @param ended those count too whose end is still kept
 *  @return NULL once it has been refused */
struct sim_e2b_process *sim_e2b_select(struct sim_e2b_call *call, struct sbx_json *js,
                                       const struct sbx_json_node *message, int ended);

#endif
