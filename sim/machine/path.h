/* From a path to a node: directories, links, permissions on the way. */
#ifndef SIM_MACHINE_PATH_H
#define SIM_MACHINE_PATH_H

#include "sim/machine/fs.h"

#define SIM_PATH_MAX 4096
#define SIM_NAME_MAX 255

struct sim_machine;
struct sim_proc;

/** Where a path leads. `dir` and `name` say where the last component is or would be made. */
struct sim_where {
    struct sim_fs_node *dir;
    struct sim_fs_node *node;    /* NULL if there is nothing of that name */
    char name[SIM_NAME_MAX + 1]; /* "" for / and for . and .. at the end */
    int slash;                   /* the path ended in a slash */
};

/** @param who for /proc/self; may be NULL. @param follow the last component too if it is a link
 *  @return an errno; on 0 finish `out`. A missing last component is no error here. */
int sim_path(struct sim_machine *m, struct sim_proc *who, struct sim_fs_node *cwd, const char *path, int follow,
             struct sim_where *out);
void sim_where_finish(struct sim_where *where);
/** May the machine's user do this? @param want bits 4 read, 2 write, 1 execute */
int sim_may(const struct sim_machine *m, const struct sim_fs_node *node, unsigned want);
/** The absolute path of a directory into `out`; 0 if it is no longer in the tree or does not fit. */
int sim_path_of(const struct sim_fs_node *dir, char *out, size_t cap);

#endif
