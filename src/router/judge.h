/* What is made of a failed launch: pure decisions. */
#ifndef SRC_ROUTER_JUDGE_H
#define SRC_ROUTER_JUDGE_H

#include "src/router/router.h"

/** What is known to be left of a launch that failed. */
enum settled {
    SETTLED_NOTHING, /* proven: never made, or gone again by the adapter's own clean-up */
    SETTLED_BLIND,   /* it may live, and its runtime cannot look it up */
    SETTLED_OPEN,    /* it may live: that could not be decided or done now */
    SETTLED_FOUND,   /* it had been made, and was deleted by us */
    SETTLED_ADOPTED  /* it had been made, and is handed out */
};

enum next_step { STEP_SUCCESS, STEP_NEXT, STEP_END };

/** What follows a failed launch. */
enum next_step sbx_judge_next(int retryable, enum settled settled);

/** Does a launch's error prove by itself that nothing is left? */
int sbx_judge_nothing_left(const struct sbx_error *err);

/** Asks a classifier, or nobody. The answer says no unless it was asked, did not fail, and gave an identifier. */
struct sbx_classification sbx_judge_ask(sbx_classify_fn classify, void *ctx, const struct sbx_launch_failure *failure);

#endif
