/* An env around another: every exchange passes unchanged and is written down, creates are counted and limited. For one
 * thread. */
#ifndef LIVE_RECORDER_H
#define LIVE_RECORDER_H

#include "live/transcript.h"

#define LIVE_BODY_MAX (256 * 1024) /* kept of each body */
#define LIVE_OPS_MAX  12

struct live_recorder {
    struct sbx_env env;    /* what is passed on; stays where it is while in use */
    struct sbx_env *under; /* lent */
    struct live_transcript *to;
    const char *api_url;
    int creates, creates_max; /* sent, and no more than these ever */
    struct {
        const char *op;
        int count;
    } sent[LIVE_OPS_MAX]; /* of the step under way, by operation */
};

/** @param under lent, must do one thing at a time @param to lent */
void live_recorder_init(struct live_recorder *recorder, struct sbx_env *under, struct live_transcript *to,
                        const char *api_url, int creates_max);

/** A new step: nothing was sent in it. */
void live_recorder_step(struct live_recorder *recorder, const char *step);

/** "create 1, get 3": what this step sent. */
void live_recorder_tell(const struct live_recorder *recorder, struct sbx_buf *out);

#endif
