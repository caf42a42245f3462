/* Daytona's cloud, simulated: control plane under /api, toolbox under /toolbox. Facts: docs/providers/daytona.md. */
#ifndef SIM_DAYTONA_DAYTONA_H
#define SIM_DAYTONA_DAYTONA_H

#include "sim/kit/sim.h"

/** A healthy cloud with one account, key SBX_SIM_DAYTONA_KEY. NULL when memory runs out. */
struct sim_cloud *sim_daytona_new(struct sim *sim);

#endif
