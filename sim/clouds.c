/* The clouds, one line a provider. */
#include "sim/clouds.h"

#include "sim/daytona/daytona.h"

enum sbx_status sim_add_clouds(struct sim *sim) {
    return sim_add_cloud(sim, sim_daytona_new(sim));
}
