/* How a provisioning went, kept for its caller. */
#ifndef SRC_ROUTER_REPORT_H
#define SRC_ROUTER_REPORT_H

#include "src/router/router.h"

struct report_attempt {
    char pool_id[SBX_POOL_ID_SIZE];
    char provider[24];
    char acquisition[SBX_ACQUISITION_SIZE];
    char code[SBX_CODE_SIZE];
    int32_t retryable;
    struct sbx_error err; /* the adapter's, without its words */
};

struct report_rejection {
    char pool_id[SBX_POOL_ID_SIZE];
    uint64_t reasons;
};

struct sbx_provision {
    struct report_attempt attempts[SBX_ATTEMPT_COUNT_MAX];
    size_t attempt_count;
    struct report_rejection *rejected; /* room for every pool */
    size_t rejected_count;
    size_t rejected_cap;
    char *explanation;
};

/** Takes the rejections of a route, with room for all pools that it has. @return SBX_NO_MEMORY */
enum sbx_status sbx_report_route(struct sbx_provision *report, const struct sbx_route *route);
void sbx_report_reject(struct sbx_provision *report, const char *pool_id, uint64_t reasons);

#endif
