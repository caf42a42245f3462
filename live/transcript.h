/* The transcript of a live run: one line of JSON for each exchange, in the shape of a fixture, with nothing private in
 * it. How a line becomes a fixture: docs/live.md. */
#ifndef LIVE_TRANSCRIPT_H
#define LIVE_TRANSCRIPT_H

#include "live/words.h"

#include <sandport/kit/env.h>
#include <stdio.h>

/** One exchange as it passed. */
struct live_exchange {
    const struct sbx_request *req;
    const char *api_url;
    struct sbx_buf sent; /* the request's body */
    struct sbx_buf head; /* "name: value\n" lines of the answer */
    struct sbx_buf got;  /* the answer's body */
    int cut;             /* a body was longer than what is kept */
    int32_t evidence;    /* enum sbx_evidence */
    int32_t http_status; /* 0 = there was no answer */
    int64_t took_ms;
};

struct live_transcript {
    FILE *file;
    char path[512];
    struct live_words words;
    const char *step; /* the step under way */
    char given[32];   /* what there is, as a fixture says it: the sandbox's state as last told, or "nothing" */
    int64_t n;        /* lines written */
    int lost;         /* a line could not be written, or would have shown the credential */
};

/** Makes FOLDER/daytona-RUN.jsonl, for its owner alone; the folder too if it is not there.
 *  @param key lent for the transcript's life @return 0 if it cannot be made */
int live_transcript_open(struct live_transcript *to, const char *folder, const char *run, const char *key);
/** @return 0 if something did not get into the file */
int live_transcript_close(struct live_transcript *to);

void live_transcript_write(struct live_transcript *to, const struct live_exchange *x);

/** "daytona.sandbox.create" for POST .../sandbox; "daytona.other" for what has no name. */
const char *live_operation(const char *method, const char *url, const char *api_url);

#endif
