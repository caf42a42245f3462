/* An answer that goes on: envelopes as they come, keepalives, its deadline, and how it ends.
 *
 * Order at one instant: what is queued, a cut, the deadline, the end, a keepalive. */
#ifndef SIM_E2B_STREAM_H
#define SIM_E2B_STREAM_H

#include "sim/e2b/cloud.h"

#define E2B_STREAM_HELD (64 * 1024) /* that a client has not taken: then whoever writes waits */

struct sim_e2b_stream {
    struct sim_e2b_stream *next; /* of its process or sandbox */
    struct sim_waitq *wake;      /* where the exchange waits */
    struct sbx_buf out;          /* envelopes */
    struct sbx_buf held;         /* an effect: data that the end overtakes */
    int holds;
    int no_end; /* an effect: it is not told the end */
    int done;   /* nothing more comes */
    int cut;    /* its sandbox ended, or pauses */
    int late;   /* the time of what it follows has run out */
};

struct sim_e2b_stream_way {
    int64_t deadline_ns;
    const char *keepalive;                                 /* its message */
    int64_t poll_ns;                                       /* how often `poll` is called; 0 = never */
    int (*poll)(void *ctx, struct sim_e2b_stream *stream); /* @return 0 to end it, having refused in its out */
    void *ctx;
    struct sim_waitq *room; /* woken when its client has taken something; NULL = nobody waits */
};

/** Zeroed before; from then on it may be put into, and be woken. */
void sim_e2b_stream_init(struct sim_e2b_call *call, struct sim_e2b_stream *stream);
void sim_e2b_stream_finish(struct sim_e2b_stream *stream);
/** Queues a message. */
void sim_e2b_stream_put(struct sim_e2b_call *call, struct sim_e2b_stream *stream, const char *json, size_t len);
void sim_e2b_stream_wake(struct sim_world *world, struct sim_e2b_stream *stream);
/** Answers with the stream until it ends, for whatever reason. */
void sim_e2b_stream_run(struct sim_e2b_call *call, struct sim_e2b_stream *stream, const struct sim_e2b_stream_way *way);

#endif
