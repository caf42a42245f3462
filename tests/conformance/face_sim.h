/* A face over a simulated cloud, in-process on virtual time: all but its adapter, and which requests it sends. */
#ifndef TESTS_CONFORMANCE_FACE_SIM_H
#define TESTS_CONFORMANCE_FACE_SIM_H

#include "face.h"
#include "t.h"

#include <sandport/sim.h>

/** The request that decides an operation, and from where on it can be said to have done something. */
struct sim_face_request {
    const char *operation; /* NULL ends the table */
    const char *op;
    const char *done; /* the phase of it */
};

/** A face of that cloud, without a runtime yet. */
struct conformance_face *sim_face_open(const struct sim_face_request *requests);

#endif
