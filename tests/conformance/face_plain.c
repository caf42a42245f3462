/* The toy with next to nothing: most operations are refused. */
#include "face_toy.h"

struct conformance_face *conformance_face_open(void) {
    return toy_face_open(0);
}
