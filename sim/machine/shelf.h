/* What the machines of one cloud have in common, made once for all of them: the programs of the image, and scripts that
 * have been parsed. Nothing of it can be seen from inside a machine. */
#ifndef SIM_MACHINE_SHELF_H
#define SIM_MACHINE_SHELF_H

#include "sim/machine/fs.h"

#define SIM_SHELF_SCRIPTS 32

struct sh_script;

struct sim_shelf {
    int64_t refs; /* the cloud's and one for each machine */
    /* files of /usr/bin, by name; names and texts in the block behind them */
    struct sim_fs_stock *programs;
    size_t program_count;
    struct sh_script *scripts[SIM_SHELF_SCRIPTS]; /* a ring, see sh/cache.h */
    void (*let_go)(struct sh_script *script);     /* of whoever puts them there */
    size_t script_next;
};

/** The files that stand for programs. @return an errno */
int sim_image_programs(struct sim_shelf *shelf);

#endif
