/* The toy with durable runs, sessions and streamed output. */
#include "face_toy.h"

struct conformance_face *conformance_face_open(void) {
    return toy_face_open(1);
}
