/* One launch of a request, from its intent to its locator or to the proof that nothing is left. */
#ifndef SRC_ROUTER_ATTEMPT_H
#define SRC_ROUTER_ATTEMPT_H

#include "src/router/journal.h"
#include "src/router/judge.h"
#include "src/router/report.h"

/** A request on its way. */
struct request {
    struct router_entry *entry;
    struct sbx_route_request req;
    struct sbx_provision_options opt;
    int detached;
    struct sbx_provision *report;
};

struct attempt {
    const struct request *request;
    const struct sbx_pool *pool;
    struct report_attempt *record;
    int32_t number;
    struct journal journal;
    struct sbx_error err; /* of the launch */
    int64_t sent_ms;
    enum next_step next;
    enum sbx_status store; /* what the store refused, after a sandbox was made */
    char locator[SBX_LOCATOR_SIZE];
};

/** Does all of it. a->next says what follows; with STEP_END a->store, or a->err, why. @return SBX_MAPPING_STORE or
 *  SBX_NO_MEMORY if it was not even sent */
enum sbx_status sbx_attempt_run(struct attempt *a);

/* For settle.c. */
void sbx_attempt_tell(const struct attempt *a, struct sbx_router_event event);
/** Hands the sandbox out under a locator; frees nothing. If the store refuses, the sandbox is deleted. */
void sbx_attempt_keep(struct attempt *a, struct sbx_sandbox *sb);
/** Finds out what is left of a launch that failed, and ends it. */
enum settled sbx_attempt_settle(struct attempt *a);

#endif
