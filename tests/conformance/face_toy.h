/* The toy runtime as a face, plain or with all that it can do. */
#ifndef TESTS_CONFORMANCE_FACE_TOY_H
#define TESTS_CONFORMANCE_FACE_TOY_H

#include "face.h"

struct conformance_face *toy_face_open(int rich);

#endif
