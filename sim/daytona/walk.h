/* Walking through a sandbox's file tree as the daemon does: a name before what is below it, in byte order. */
#ifndef SIM_DAYTONA_WALK_H
#define SIM_DAYTONA_WALK_H

#include "sim/machine/machine.h"

struct sim_day_walk {
    struct sim_machine *machine;
    int64_t depth; /* levels below the beginning that are shown, 0 = all */
    /** @param st of the name itself, links not followed. @return not 0 to stop */
    int (*each)(void *ctx, const char *path, const struct sim_stat *st);
    void *ctx;
};

/** Folders that cannot be read are passed over, but for the first. @return an errno of the beginning, or ENOMEM */
sim_errno sim_day_walk(const struct sim_day_walk *walk, const char *path);

#endif
