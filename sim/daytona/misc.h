/* What is no sandbox: configuration, health, the key itself, regions, and paths that lead nowhere. */
#ifndef SIM_DAYTONA_MISC_H
#define SIM_DAYTONA_MISC_H

#include "sim/daytona/cloud.h"

void sim_day_serve_config(struct sim_day_call *call);
void sim_day_serve_health(struct sim_day_call *call);
void sim_day_serve_key(struct sim_day_call *call);
void sim_day_serve_regions(struct sim_day_call *call);
void sim_day_serve_socket(struct sim_day_call *call);
void sim_day_serve_unsimulated(struct sim_day_call *call);
/** No route: 404 below /api, the dashboard's HTML elsewhere. */
void sim_day_serve_elsewhere(struct sim_day_call *call);

#endif
