/* Workloads on the simulated E2B. */
#include "e2b_world.h"
#include "stage.h"
#include "stage_sim.h"
