/* Sandboxes of this machine as plain processes. */
#include "face_local.h"

#define NO_STREAM "the stream goes to a tool that is the system's, not to the shell that is told to wait"

static const struct conformance_cannot cannot[] = {
    LOCAL_CANNOT_ROWS, {"upload_tree", CANCEL, NO_STREAM}, {"upload_tree", DEADLINE, NO_STREAM}, {NULL, HAPPY, NULL}};

struct conformance_face *conformance_face_open(void) {
    return local_face_open(0, cannot);
}
