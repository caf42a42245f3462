/* What is no sandbox: configuration, health, the key itself, regions, and paths that lead nowhere. */
#ifndef SIM_DAYTONA_MISC_H
#define SIM_DAYTONA_MISC_H

#include "sim/daytona/cloud.h"

void day_serve_config(struct day_call *call);
void day_serve_health(struct day_call *call);
void day_serve_key(struct day_call *call);
void day_serve_regions(struct day_call *call);
void day_serve_socket(struct day_call *call);
void day_serve_unsimulated(struct day_call *call);
/** No route: 404 below /api, the dashboard's HTML elsewhere. */
void day_serve_elsewhere(struct day_call *call);

#endif
