/* The clouds, one line a provider. */
#include "sim/clouds.h"

enum sbx_status sim_add_clouds(struct sim *sim) {
    (void)sim;
    return SBX_OK;
}
