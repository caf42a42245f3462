/* What to do about the evidence on a command, and what it comes to: pure decisions. Rows P9, P11. */
#ifndef SRC_WORK_EXACT_VERDICT_H
#define SRC_WORK_EXACT_VERDICT_H

#include "src/work/exact_answer.h"

#include <sandport/error.h>

enum exact_next {
    EXACT_TAKE,   /* the answer is there */
    EXACT_REPORT, /* nothing ran: hand the failure on */
    EXACT_WAIT,   /* the reply is lost: ask, and let the command end */
    EXACT_KILL    /* its time is over: ask, and end it */
};

/** After the request that carried the command. @param code of the answer; counts when `status` is SBX_OK */
enum exact_next sbx_exact_after_run(enum sbx_status status, int32_t outcome, enum coded_code code);

/** After a question that let the command end. */
enum exact_next sbx_exact_after_wait(enum sbx_status status);

/** May a question that failed so be put again? It starts nothing, so this is only about what can help. */
int sbx_exact_ask_again(enum sbx_status status);

struct exact_end {
    enum sbx_status status;
    enum sbx_outcome outcome;
    int32_t exit_known;
    int32_t killed_confirmed;
    int32_t has_output;
};

/** What a call comes to.
 *  @param cause SBX_OK if the command's own request answered, else why it had to be asked about */
struct exact_end sbx_exact_end_of(enum sbx_status cause, const struct exact_answer *ans);

#endif
