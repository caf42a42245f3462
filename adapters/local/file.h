/* Files of a sandbox by calls of this machine, and by the sandbox's own tools. Rows L1, P8, D14. */
#ifndef ADAPTERS_LOCAL_FILE_H
#define ADAPTERS_LOCAL_FILE_H

#include "adapters/local/inside.h"

#include <sys/stat.h>

#define LOCAL_NAME_SIZE 256

/** From where a sandbox's paths are walked: zeroed before, sbx_local_walk_finish() after. */
struct local_walk {
    struct local_view view;
    int from; /* of an isolated one its own root, which no link leads out of; else its home directory */
};

/** For a sandbox that runs. */
enum sbx_status sbx_local_walk_begin(const struct local *l, const struct sbx_identity *who, struct local_walk *walk,
                                     struct sbx_error *err);
void sbx_local_walk_finish(struct local_walk *walk);

/** Opens what a path means to the sandbox, links followed. @param flags of open(), without O_CREAT
 *  @return a descriptor, or an errno below 0 */
int sbx_local_walk_open(const struct local_walk *walk, const char *path, int flags);
/** What it leads to. @return 0, or an errno */
int sbx_local_walk_stat(const struct local_walk *walk, const char *path, struct stat *is);
/** Opens the directory that a path's last name is in. @return as sbx_local_walk_open(); -EINVAL: it has no name */
int sbx_local_walk_parent(const struct local_walk *walk, const char *path, char name[LOCAL_NAME_SIZE]);

/** The last name of a path. @param len set to its length @return NULL for one without: the root, the home directory */
const char *sbx_local_last_name(const char *path, size_t *len);

/** What an errno says of a file. */
enum sbx_status sbx_local_file_fail(int error, const char *field, struct sbx_error *err);

#endif
