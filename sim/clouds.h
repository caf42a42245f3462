/* Which clouds there are. */
#ifndef SIM_CLOUDS_H
#define SIM_CLOUDS_H

#include "sim/kit/sim.h"

/** Makes every cloud and adds it. @return SBX_NO_MEMORY */
enum sbx_status sim_add_clouds(struct sim *sim);

#endif
