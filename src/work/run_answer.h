/* What a script of durable runs answered, found in whatever else came back. Rows D10, P7. */
#ifndef SRC_WORK_RUN_ANSWER_H
#define SRC_WORK_RUN_ANSWER_H

#include "src/work/coded.h"

#include <sandport/kit/text.h>

#define RUN_KEY_SIZE   33
#define RUN_NONCE_SIZE 33

struct run_answer {
    enum coded_code code;
    int32_t exit_code;
    char tool[CODED_TOOL_SIZE];
    int version;                /* of the protocol; 0 = not told */
    char hash[SBX_SHA256_HEX];  /* of the command; "" = not told */
    char nonce[RUN_NONCE_SIZE]; /* of the submit that made it; "" = not told */
    int late;                   /* its lifetime was over */
    int kill_asked;
    int unproven;      /* after the kill that answers: somebody of its group may be alive */
    int64_t out_total; /* bytes the stream had; -1 if it could not be read */
    int64_t err_total;
    struct sbx_buf out;
    struct sbx_buf err;
};

/** What was asked for, since other lengths are not its answer. */
struct run_piece {
    int64_t out_from; /* negative = the last `max` */
    int64_t err_from;
    int64_t max;
};

/** Finds the whole and well-formed answer about `key` in `text`.
 *  @param ans zeroed; sbx_run_answer_finish() it whatever comes back
 *  @return SBX_OK, SBX_PROTOCOL if there is none, SBX_NO_MEMORY */
SBX_MUST_USE enum sbx_status sbx_run_answer_read(const char *text, size_t len, const char *key,
                                                 const struct run_piece *piece, struct run_answer *ans);
void sbx_run_answer_finish(struct run_answer *ans);

/** The number of the first byte that a piece has. */
int64_t sbx_run_piece_from(int64_t from, int64_t total, int64_t max);

#endif
