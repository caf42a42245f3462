/* The clouds, one line a provider. */
#include "sim/clouds.h"

#include "sim/daytona/daytona.h"
#include "sim/e2b/e2b.h"

enum sbx_status sim_add_clouds(struct sim *sim) {
    enum sbx_status st = sim_add_cloud(sim, sim_daytona_new(sim));
    if (!st) st = sim_add_cloud(sim, sim_e2b_new(sim));
    return st;
}
