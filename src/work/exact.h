/* The steps of exact exec, for whoever starts the command in another way. Rows P7, P11; docs/exact-exec.md. */
#ifndef SRC_WORK_EXACT_H
#define SRC_WORK_EXACT_H

#include "src/work/exact_verdict.h"

#include <sandport/kit/work.h>

/** One command under its nonce. Zeroed, with host and call; sbx_exact_answer_finish(&ans) at the end. */
struct exact {
    const struct sbx_work_host *host;
    const struct sbx_call *call;
    char nonce[EXACT_NONCE_SIZE];
    int64_t limit;
    int64_t lifetime_ms;
    int64_t begun_ms;
    struct exact_answer ans;
};

enum sbx_status sbx_exact_check(const char *command, const struct sbx_exec_options *opt, struct sbx_error *err);
/** Nonce, limit and lifetime. */
enum sbx_status sbx_exact_begin(struct exact *ex, const struct sbx_exec_options *opt, struct sbx_error *err);
/** Finds out what became of the command. @param next EXACT_WAIT or EXACT_KILL @param cause why it has to be asked;
 *  becomes the end of the call when the call's own time is over meanwhile
 *  @return SBX_OK with ex->ans, or that nobody could say */
enum sbx_status sbx_exact_recover(struct exact *ex, enum exact_next next, enum sbx_status *cause);
/** What the call comes to, once there is an answer. */
enum sbx_status sbx_exact_finish(struct exact *ex, enum sbx_status cause, const struct sbx_error *before,
                                 struct sbx_exec_result *result, struct sbx_error *err);

#endif
