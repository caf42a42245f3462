/* A small cloud for the kit's own tests: things are made, read and deleted, and every fault point is there. */
#ifndef TESTS_SIM_KIT_ECHO_H
#define TESTS_SIM_KIT_ECHO_H

#include "sim/kit/http.h"
#include "sim/kit/sim.h"
#include "t.h"

#define ECHO_KEY "echo_canary_key+/0123456789abcdef"

struct echo_cloud {
    struct sim_cloud cloud; /* first */
    struct sim *sim;
    int64_t made;
    int64_t effects;     /* of the cloud's own, applied */
    char last_state[32]; /* what the last "state" effect asked for */
    int64_t delay_ms;    /* before it looks at a request */
    int64_t read_bytes;  /* body bytes of the last request */
    int64_t body_cut;    /* the last body was cut short */
};

/** One exchange and its answer. */
struct echo_answer {
    enum sbx_evidence evidence;
    struct sbx_exchange_info info;
    struct sbx_buf head; /* "name: value\n" */
    struct sbx_buf body;
};

/** A sim with the cloud in it, at http://echo.sim/v1. */
struct sim *echo_sim(uint64_t seed, struct echo_cloud *echo);
/** Empties `ans` first. A body makes it a POST. @param path below http://echo.sim */
void echo_ask_by(struct sim *sim, const char *path, const char *body, int64_t deadline_ms, struct echo_answer *ans);
/** The same with ten seconds. */
void echo_ask(struct sim *sim, const char *path, const char *body, struct echo_answer *ans);
void echo_answer_finish(struct echo_answer *ans);
/** Adds a rule written as JSON, which must be one. */
int64_t echo_fault(struct sim *sim, const char *json);

#endif
