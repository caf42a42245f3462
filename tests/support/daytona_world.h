/* A Daytona runtime over the simulated cloud. */
#ifndef TESTS_SUPPORT_DAYTONA_WORLD_H
#define TESTS_SUPPORT_DAYTONA_WORLD_H

#include "world.h"

#include <sandport/daytona.h>

/** @param scenario JSON, NULL = one healthy account @param opt NULL = endpoint and key of the simulator alone */
struct world world_new_with(uint64_t seed, const char *scenario, const struct sbx_daytona_options *opt);
struct world world_with_stopped_sandbox(uint64_t seed);

#endif
