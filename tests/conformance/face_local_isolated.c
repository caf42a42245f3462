/* Sandboxes of this machine in bubblewrap, whose shell is the system's: there is none to be told to go wrong. */
#include "face_local.h"

#define NO_SHELL "the shell is the system's own, since no other is in there, and does as it should"
#define ALL(operation)                                                                                                 \
    {operation, CANCEL, NO_SHELL}, {                                                                                   \
        operation, DEADLINE, NO_SHELL                                                                                  \
    }

static const struct conformance_cannot cannot[] = {LOCAL_CANNOT_ROWS,
                                                   ALL("launch"),
                                                   ALL("start"),
                                                   ALL("submit"),
                                                   ALL("poll"),
                                                   ALL("read_logs"),
                                                   ALL("kill_run"),
                                                   ALL("search_files"),
                                                   ALL("find_text"),
                                                   ALL("mkdir"),
                                                   ALL("remove"),
                                                   ALL("set_permissions"),
                                                   ALL("replace_text"),
                                                   ALL("upload_files"),
                                                   ALL("upload_tree"),
                                                   ALL("download_tree"),
                                                   {"*", RESET, NO_SHELL},
                                                   {"*", OVERSIZE, NO_SHELL},
                                                   {NULL, HAPPY, NULL}};

struct conformance_face *conformance_face_open(void) {
    return local_face_open(1, cannot);
}
