/* What the acts of the demo share: a runtime and a sandbox, telling what happens, and the simulator's own word for it.
 */
#ifndef EXAMPLES_DEMO_H
#define EXAMPLES_DEMO_H

#include <sandport/curl.h>
#include <sandport/kit/json.h>
#include <sandport/sandport.h>

struct demo {
    struct sbx_env *env;
    struct sbx_runtime *rt; /* of an act with one account; NULL otherwise, as its sandbox */
    struct sbx_sandbox *sb;
    const char *admin;
    int64_t seen; /* the last journal line told */
    int failed;
};

/* ---- tell.c ---- */

SBX_PRINTF(1, 2) void demo_say(const char *fmt, ...);
/** Says whether that is so; the demo fails if it is not. */
void demo_want(struct demo *d, int holds, const char *what);
/** @return 1 for SBX_OK; else says what went wrong, and the demo fails */
int demo_went_well(struct demo *d, enum sbx_status st, const struct sbx_error *err);

/** One request to the simulator's admin API. @param out the answer, yours; may be NULL @return 0 if it failed */
int demo_admin(struct demo *d, const char *method, const char *path, const char *body, struct sbx_json **out);
/** Tells what the cloud saw since the last step. */
void demo_tell_requests(struct demo *d);
/** Asks the simulator's ledger what is left. @param made so many were made */
void demo_audit(struct demo *d, int64_t made);
/** Destroys the sandbox, and asks. */
void demo_destroy(struct demo *d, int64_t made);

/* ---- the acts: each ends with an audit ---- */

void demo_daytona(struct demo *d);
void demo_e2b(struct demo *d);
void demo_router(struct demo *d);

#endif
