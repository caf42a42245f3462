/* From a locator to a sandbox, in the account that it was made in. */
#ifndef SRC_ROUTER_LOCATE_H
#define SRC_ROUTER_LOCATE_H

#include "src/router/router.h"

struct located {
    struct router_entry entry;
    struct sbx_record *record;
    void *loan; /* of the registry's pools */
    int has_loan;
    const struct sbx_pool *pool;
    struct sbx_sandbox *sb; /* attached, adopted: it is ours */
};

/** Finds the record, whatever its state. Anything but SBX_OK goes to sbx_locate_end() at once. */
enum sbx_status sbx_locate_record(struct located *at, struct sbx_router *router, const char *operation,
                                  const char *locator, const struct sbx_call *call, int64_t default_ms,
                                  struct sbx_error *err);
/** The pool that the record names. */
enum sbx_status sbx_locate_pool(struct located *at);
/** All of it, for a sandbox that is to be used: record, pool, handle. */
enum sbx_status sbx_locate(struct located *at, struct sbx_router *router, const char *operation, const char *locator,
                           const struct sbx_call *call, int64_t default_ms, struct sbx_error *err);

/** What a verb of the port answered, as the router tells it. @param said the port's error */
enum sbx_status sbx_locate_answer(struct located *at, enum sbx_status st, const struct sbx_error *said);

/** Ends the call and lets go of all. @return st */
enum sbx_status sbx_locate_end(struct located *at, enum sbx_status st);

#endif
