/* Who is asking. */
#ifndef SIM_DAYTONA_AUTH_H
#define SIM_DAYTONA_AUTH_H

#include "sim/daytona/cloud.h"

/** The account of the credential sent, with nothing decided; NULL if it is nobody's. */
struct sim_day_account *sim_day_auth_peek(struct sim_day_call *call);
/** Checks the credential, its permissions and its rate; sets call->account. @return 1 if it has been answered */
int sim_day_auth_check(struct sim_day_call *call);

#endif
