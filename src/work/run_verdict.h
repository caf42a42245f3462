/* What an answer about a run means: pure. Row D10. */
#ifndef SRC_WORK_RUN_VERDICT_H
#define SRC_WORK_RUN_VERDICT_H

#include "src/work/run_answer.h"

#include <sandport/run.h>

#define RUN_VERSION 1

/** enum sbx_run_state of an answer that is about a run. */
int32_t sbx_run_state_of(const struct run_answer *ans);

/** What a submit of `hash` comes to. @param outcome set @return SBX_OK, or why it cannot be taken as this run */
enum sbx_status sbx_run_submit_verdict(const struct run_answer *ans, const char *hash, enum sbx_outcome *outcome);

/** What a question or a kill comes to. */
enum sbx_status sbx_run_question_verdict(const struct run_answer *ans);

/** Fills all but the size. @param nonce of this submit, NULL for a question */
void sbx_run_status_fill(struct sbx_run_status *status, const struct run_answer *ans, const char *nonce);

/** Of the answer to a kill: is its process group proven dead by it? */
int sbx_run_kill_confirmed(const struct run_answer *ans);

/** Words for err->detail. */
const char *sbx_run_detail(const struct run_answer *ans, enum sbx_status status);

#endif
