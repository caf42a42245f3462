/* What changed in a directory since it was last looked at. Two looks are compared: what came and went in between is not
 * seen. */
#ifndef SIM_E2B_WATCH_H
#define SIM_E2B_WATCH_H

#include "sim/e2b/sandbox.h"

struct sim_e2b_watch_item {
    char *name; /* below the directory */
    struct sim_stat st;
};

struct sim_e2b_look {
    struct sim_e2b_watch_item *item; /* by name */
    size_t count, cap;
    int failed;
};

struct sim_e2b_watch {
    char *root;
    int recursive, entries;
    struct sim_e2b_look seen;
};

/** One that is asked now and then. */
struct sim_e2b_watcher {
    struct sim_e2b_watcher *next;
    char id[24];
    struct sim_e2b_watch watch;
};

/** Looks for the first time. @return SBX_NO_MEMORY; *watch is to be finished all the same */
enum sbx_status sim_e2b_watch_init(struct sim_machine *m, struct sim_e2b_watch *watch, const char *root);
void sim_e2b_watch_finish(struct sim_e2b_watch *watch);
/** Looks again. Creations come first, then renames, modes, writes, removals. @param type "EVENT_TYPE_CREATE" ...
 *  @return SBX_NO_MEMORY */
enum sbx_status sim_e2b_watch_look(struct sim_machine *m, struct sim_e2b_watch *watch,
                                   void (*each)(void *ctx, const char *name, const char *type), void *ctx);
void sim_e2b_watchers_free(struct sim_e2b_sandbox *sb);

#endif
