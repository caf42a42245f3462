/* Idempotency-Key of creates, where a server heeds it. */
#ifndef SIM_E2B_IDEMPOTENCY_H
#define SIM_E2B_IDEMPOTENCY_H

#include "sim/e2b/cloud.h"

/** Answers a create whose key is known. @return 1 if it has been answered */
int sim_e2b_idempotency_replay(struct sim_e2b_call *call);
/** Notes that the create of this exchange has happened. */
void sim_e2b_idempotency_begin(struct sim_e2b_call *call);
/** Notes what it is answered. */
void sim_e2b_idempotency_record(struct sim_e2b_call *call, int status);
void sim_e2b_idempotency_forget(struct sim_e2b *e2b);

#endif
