/* What an exact script answered, found in whatever else came back. Rows P7, P11. */
#ifndef SRC_WORK_EXACT_ANSWER_H
#define SRC_WORK_EXACT_ANSWER_H

#include "src/work/coded.h"

#define EXACT_NONCE_SIZE 33

/** Who ended it, as far as the script that answers knows. */
enum exact_ended {
    EXACT_ENDED_SELF,    /* nothing to say */
    EXACT_ENDED_DEAD,    /* not the script, but its whole group is proven dead */
    EXACT_ENDED_KILLED,  /* the script, and its whole group is proven dead */
    EXACT_ENDED_UNPROVEN /* the script, and somebody of it may be alive */
};

struct exact_answer {
    enum coded_code code;
    enum exact_ended ended;
    int32_t exit_code;
    char tool[CODED_TOOL_SIZE];
    int64_t out_total; /* bytes the stream had; -1 if it could not be read */
    int64_t err_total;
    struct sbx_buf out;
    struct sbx_buf err;
};

/** Finds the whole and well-formed answer to `nonce` in `text`. Everything around it is ignored, as is a line that only
 * looks like its beginning.
 *  @param limit what the script was told to keep of each stream: other lengths are not its answer
 *  @param ans   zeroed; sbx_exact_answer_finish() it whatever comes back
 *  @return SBX_OK, SBX_PROTOCOL if there is none, SBX_NO_MEMORY */
SBX_MUST_USE enum sbx_status sbx_exact_answer_read(const char *text, size_t len, const char *nonce, int64_t limit,
                                                   struct exact_answer *ans);
void sbx_exact_answer_finish(struct exact_answer *ans);

#endif
