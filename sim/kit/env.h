/* The in-process env: struct sbx_env over the world, and the exchange that reaches a cloud without sockets. */
#ifndef SIM_KIT_ENV_H
#define SIM_KIT_ENV_H

#include "sim/kit/sim.h"
#include <sandport/kit/env.h>

struct sbx_env *sim_env_new(struct sim *sim);
void sim_env_free(struct sbx_env *env);

/* ---- for the env's own files ---- */

struct sim_env {
    struct sbx_env env; /* first */
    struct sim *sim;
    int64_t locks_held;  /* by whoever runs now: nobody may wait meanwhile */
    int64_t connections; /* numbers them */
    int64_t ended_ms;    /* what now_ms says at least, while the world ends */
};

/** A queue that is woken when an event is set, besides those who wait on the event itself. */
struct event_listener {
    struct event_listener *next;
    struct sim_waitq *queue;
};

struct sbx_event {
    int set;
    struct event_listener *listeners;
};

void sim_event_listen(struct sbx_event *event, struct event_listener *listener, struct sim_waitq *queue);
void sim_event_unlisten(struct sbx_event *event, struct event_listener *listener);

/** Aborts the process when a lock is held: what would be a deadlock among threads must not pass in the simulation. */
void sim_env_may_wait(const struct sim_env *env, const char *where);

enum sbx_evidence sim_exchange_in_process(struct sbx_env *env, const struct sbx_request *req,
                                          const struct sbx_receiver *to, struct sbx_exchange_info *info);

#endif
