/* What is made of a failed launch. Without a classifier nothing ever follows, whatever its outcome says. Row R7. */
#include "src/router/judge.h"

#include <string.h>

enum next_step sbx_judge_next(int retryable, enum settled settled) {
    if (settled == SETTLED_ADOPTED) return STEP_SUCCESS;
    if (settled == SETTLED_FOUND) return STEP_END; /* guard: found_ends_the_request */
    if (settled == SETTLED_OPEN) return STEP_END;  /* guard: undecided_ends_the_request */
    return retryable ? STEP_NEXT : STEP_END;       /* guard: terminal_by_default */
}

int sbx_judge_nothing_left(const struct sbx_error *err) {
    if (err->cleanup == SBX_CLEANUP_CONFIRMED) return 1;
    if (err->cleanup == SBX_CLEANUP_UNCONFIRMED) return 0;
    return err->outcome == SBX_OUTCOME_NOT_SENT ||
           err->outcome == SBX_OUTCOME_REFUSED; /* guard: unknown_is_looked_up */
}

static int is_identifier(const char *code, size_t cap) {
    const size_t len = strnlen(code, cap);
    if (len == 0 || len == cap || code[0] < 'A' || code[0] > 'Z') return 0;
    return strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == len;
}

struct sbx_classification sbx_judge_ask(sbx_classify_fn classify, void *ctx, const struct sbx_launch_failure *failure) {
    const struct sbx_classification no = {.size = sizeof(no)};
    struct sbx_classification said = no;
    if (!classify) return no;                                    /* guard: nobody_says_yes */
    if (classify(ctx, failure, &said)) return no;                /* guard: classifier_that_fails */
    if (!is_identifier(said.code, sizeof(said.code))) return no; /* guard: code_is_identifier */
    said.retryable = said.retryable == 1;
    return said;
}
