/* An E2B runtime over the simulated cloud. */
#ifndef TESTS_SUPPORT_E2B_WORLD_H
#define TESTS_SUPPORT_E2B_WORLD_H

#include "world.h"

#include <sandport/e2b.h>

/** @param scenario JSON, NULL = one healthy account @param opt NULL = endpoint, key and sandboxes of the simulator */
struct world world_new_with(uint64_t seed, const char *scenario, const struct sbx_e2b_options *opt);

#endif
