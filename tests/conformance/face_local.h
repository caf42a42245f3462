/* Sandboxes of this machine as a face, as plain processes or in bubblewrap. */
#ifndef TESTS_CONFORMANCE_FACE_LOCAL_H
#define TESTS_CONFORMANCE_FACE_LOCAL_H

#include "face.h"

struct conformance_face *local_face_open(int isolated, const struct conformance_cannot *cannot);

/* There is no provider between the caller and what is done: nothing answers 502, and no answer is lost on its way. */
#define NO_PROVIDER "no provider stands between a call and what it does on this machine"
#define NO_WAIT     "it looks at, or changes, files of this machine, and there is no answer to wait for"
#define NO_ANSWER   "the end of a process of one's own is not told by anybody who could lose it"
#define LOCAL_CANNOT(operation)                                                                                        \
    {operation, RESET, NO_ANSWER}, {                                                                                   \
        operation, OVERSIZE, NO_ANSWER                                                                                 \
    }
#define LOCAL_AT_ONCE(operation)                                                                                       \
    LOCAL_CANNOT(operation), {operation, CANCEL, NO_WAIT}, {                                                           \
        operation, DEADLINE, NO_WAIT                                                                                   \
    }
#define LOCAL_CANNOT_ROWS                                                                                              \
    {"*", HTTP_502, NO_PROVIDER}, {"*", NUL, NO_ANSWER}, LOCAL_CANNOT("launch"), LOCAL_CANNOT("start"),                \
        LOCAL_CANNOT("exec_exact"), LOCAL_CANNOT("exec_wire"), LOCAL_CANNOT("exec_streamed"), LOCAL_AT_ONCE("attach"), \
        LOCAL_AT_ONCE("find"), LOCAL_AT_ONCE("count"), LOCAL_AT_ONCE("capacity"), LOCAL_AT_ONCE("info"),               \
        LOCAL_AT_ONCE("home_dir"), LOCAL_AT_ONCE("upload"), LOCAL_AT_ONCE("download"), LOCAL_AT_ONCE("stop"),          \
        LOCAL_AT_ONCE("destroy"), LOCAL_AT_ONCE("reconcile"), LOCAL_AT_ONCE("list_dir"), LOCAL_AT_ONCE("stat"),        \
        LOCAL_AT_ONCE("move"), LOCAL_CANNOT("search_files"), LOCAL_CANNOT("find_text"), LOCAL_CANNOT("mkdir"),         \
        LOCAL_CANNOT("remove"), LOCAL_CANNOT("set_permissions"), LOCAL_CANNOT("replace_text"),                         \
        LOCAL_CANNOT("upload_files"), LOCAL_CANNOT("upload_tree"), LOCAL_CANNOT("download_tree")

#endif
