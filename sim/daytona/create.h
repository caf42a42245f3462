/* A create between its reading, its checks and its commit. */
#ifndef SIM_DAYTONA_CREATE_H
#define SIM_DAYTONA_CREATE_H

#include "sim/daytona/fields.h"

/** A create on its way through the checks. */
struct create {
    struct sim_day_fields fields;
    struct sim_day_wish wish;
    struct sbx_buf volumes;
    int has_resources;
    int64_t gpu;
};

/** All that can be wrong with it, in the server's order. @return 1 if it was refused */
int sim_day_create_refused(struct sim_day_call *call, struct create *c);
/** Is the name taken? Asked again when time has passed. @return 1 if it was refused */
int sim_day_create_name_refused(struct sim_day_call *call, const struct create *c);

#endif
