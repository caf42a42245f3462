/* Workloads on the simulated Daytona. */
#include "daytona_world.h"
#include "stage.h"
#include "stage_sim.h"
